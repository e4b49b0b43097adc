/* Integers and pointers in parameters of class type become parameters: `params.n` is to the analyses what `n` is.
 *
 * The front end lists them behind the kernel's own parameters (struct cw_param), and launches pass them there.
 *
 * requires: values dominate their uses; no store writes a PARAM object (own_params.c). computes: loads of such a
 * member, of its type and at its place, are the parameter, but for elements of arrays that an index reaches. preserves:
 * everything else. Cost: linear in the instructions; the members of one object are searched for each load from it. */
#include "ir/edit.h"

#include "base/bitset.h"
#include "ir/locals.h"

static bool has_members(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->params.n; k++)
        if (fn->params.at[k].part_of)
            return true;
    return false;
}

/* The objects in which an index reaches elements: what these are is left to the memory, for all of them. */
static struct cw_bitset find_indexed(const struct cw_fn *fn, const struct cw_locals *locals, struct cw_arena *a) {
    struct cw_bitset indexed = cw_bitset_new(a, fn->objects.n);
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        struct cw_pointee from = {.object = CW_NO_OBJECT};
        if (i->op == CW_OP_LOAD || i->op == CW_OP_MEMCOPY)
            from = cw_locals_pointee(locals, cw_arg(fn, i, i->op == CW_OP_MEMCOPY));
        if (from.object != CW_NO_OBJECT && (!from.exact || i->op == CW_OP_MEMCOPY))
            cw_bitset_add(&indexed, from.object);
    }
    return indexed;
}

/* The parameter that the load reads; CW_NONE: none. */
static cw_ref member_of(const struct cw_fn *fn, const struct cw_locals *locals, const struct cw_bitset *indexed,
                        const struct cw_ins *load) {
    if (load->op != CW_OP_LOAD || load->flags & CW_INS_VOLATILE)
        return CW_NONE;
    struct cw_pointee from = cw_locals_pointee(locals, cw_arg(fn, load, 0));
    if (from.object == CW_NO_OBJECT || !from.exact || fn->objects.at[from.object].space != CW_SPACE_PARAM)
        return CW_NONE;
    for (uint32_t k = 0; k < fn->params.n; k++) {
        const struct cw_param *p = &fn->params.at[k];
        if (p->part_of == from.object + 1 && p->part_at == from.offset && p->type == load->type &&
            !(p->is_element && cw_bitset_has(indexed, from.object)))
            return cw_ref_of(CW_REF_PARAM, k);
    }
    return CW_NONE;
}

bool cw_member_params(struct cw_fn *fn) {
    struct cw_arena scratch;
    uint32_t found = 0;
    if (!has_members(fn))
        return false;
    cw_arena_init(&scratch);
    struct cw_order_of_blocks order = cw_order_blocks(fn, &scratch);
    struct cw_locals locals = cw_locals_find(fn, &order, &scratch);
    struct cw_bitset indexed = find_indexed(fn, &locals, &scratch);
    cw_ref *to = CW_NEW_ARRAY(&scratch, cw_ref, fn->ins.n + 1);
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        struct cw_vec_u32 *list = &fn->blocks.at[b].ins;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < list->n; k++) {
            uint32_t index = list->at[k];
            to[index] = member_of(fn, &locals, &indexed, &fn->ins.at[index]);
            if (to[index].tag == CW_REF_NONE)
                list->at[kept++] = index;
            else
                found++;
        }
        list->n = kept;
    }
    if (found)
        cw_edit_use_instead(fn, to);
    cw_arena_free(&scratch);
    cw_fn_verify_after(fn, "member params");
    return found > 0;
}
