/* A host object that holds the address of a member of its own (`config.attrs = own_attributes;` in a class with both)
 * becomes two objects: what lies before that member, and the rest.
 *
 * A pointer to a member leads to nothing before the member. So the address that is stored is the second object's, and
 * the first one, which has the pointer, does not escape: promote makes it values, and then the second one.
 *
 * requires: linked preds; values dominate their uses; offsets folded. computes: at most one split for each object in a
 * call. preserves: each access at a known offset; an object with any other one, or with one that has bytes of both
 * parts, is left as it is. Cost: linear in the instructions for each object that is tried. */
#include "ir/edit.h"

#include "ir/locals.h"

enum { POINTER_BYTES = 8 };

struct splitter {
    struct cw_fn *fn;
    struct cw_order_of_blocks order;
    struct cw_locals locals;
    uint32_t object;
    int64_t at;
};

static struct cw_pointee operand_pointee(const struct splitter *splitter, const struct cw_ins *ins, uint32_t k) {
    return cw_locals_pointee(&splitter->locals, cw_arg(splitter->fn, ins, k));
}

/* Does the store put the address of a later part of an object into the object? Then where that part begins, else 0. */
static int64_t own_address_stored(const struct splitter *splitter, const struct cw_ins *ins) {
    struct cw_pointee value = operand_pointee(splitter, ins, 0), to = operand_pointee(splitter, ins, 1);
    bool is_own = value.object != CW_NO_OBJECT && value.object == to.object && value.exact && to.exact &&
                  to.offset >= 0;
    return is_own && to.offset + POINTER_BYTES <= value.offset ? value.offset : 0;
}

static bool is_accessed_in_one_part(const struct splitter *splitter, const struct cw_ins *ins, uint32_t k) {
    struct cw_pointee p = operand_pointee(splitter, ins, k);
    if (p.object != splitter->object)
        return true;
    return p.exact && ins->aux && (p.offset >= splitter->at || p.offset + (int64_t)ins->aux <= splitter->at);
}

/* An address that goes elsewhere leads to the second part only. */
static bool is_of_second_part(const struct splitter *splitter, cw_ref ref) {
    struct cw_pointee p = cw_locals_pointee(&splitter->locals, ref);
    return p.object != splitter->object || (p.exact && p.offset >= splitter->at);
}

static bool allows_split(const struct splitter *splitter, const struct cw_ins *ins) {
    switch ((enum cw_op)ins->op) {
    case CW_OP_PTRADD:
    case CW_OP_COPY: return true; /* their uses count */
    case CW_OP_LOAD: return is_accessed_in_one_part(splitter, ins, 0);
    case CW_OP_STORE:
        return is_of_second_part(splitter, cw_arg(splitter->fn, ins, 0)) && is_accessed_in_one_part(splitter, ins, 1);
    case CW_OP_MEMSET: return is_accessed_in_one_part(splitter, ins, 0);
    case CW_OP_MEMCOPY: return is_accessed_in_one_part(splitter, ins, 0) && is_accessed_in_one_part(splitter, ins, 1);
    default: break;
    }
    for (uint32_t k = 0; k < ins->narg; k++)
        if (!is_of_second_part(splitter, cw_arg(splitter->fn, ins, k)))
            return false;
    return true;
}

static bool can_split(const struct splitter *splitter) {
    for (uint32_t k = 0; k < splitter->order.n; k++) {
        const struct cw_block *b = &splitter->fn->blocks.at[splitter->order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            if (!allows_split(splitter, &splitter->fn->ins.at[b->ins.at[i]]))
                return false;
        if (!is_of_second_part(splitter, b->jump.value))
            return false;
    }
    return true;
}

/* Each address of the second part is computed from the new object. */
static void split_object(struct splitter *splitter) {
    struct cw_fn *fn = splitter->fn;
    struct cw_object rest = fn->objects.at[splitter->object];
    rest.size -= (uint64_t)splitter->at;
    fn->objects.at[splitter->object].size = (uint64_t)splitter->at;
    cw_ref second = cw_fn_add_object(fn, rest);
    for (uint32_t i = 0; i < fn->ins.n; i++) {
        struct cw_pointee p = cw_locals_pointee(&splitter->locals, cw_ref_ins(i));
        if (fn->ins.at[i].op != CW_OP_PTRADD || p.object != splitter->object || !p.exact || p.offset < splitter->at)
            continue;
        cw_ref by = cw_fn_const(fn, CW_I64, p.offset - splitter->at);
        fn->args.at[fn->ins.at[i].arg] = second;
        fn->args.at[fn->ins.at[i].arg + 1] = by;
    }
}

static bool try_object(struct splitter *splitter, const struct cw_ins *store) {
    splitter->at = own_address_stored(splitter, store);
    if (!splitter->at)
        return false;
    splitter->object = operand_pointee(splitter, store, 0).object;
    const struct cw_object *o = &splitter->fn->objects.at[splitter->object];
    if (o->space != CW_SPACE_LOCAL || o->key || (uint64_t)splitter->at >= o->size || !can_split(splitter))
        return false;
    split_object(splitter);
    return true;
}

bool cw_split_members(struct cw_fn *fn) {
    struct splitter s = {.fn = fn};
    struct cw_arena scratch;
    bool is_split = false;
    if (fn->kind != CW_FN_HOST)
        return false;
    cw_arena_init(&scratch);
    s.order = cw_order_blocks(fn, &scratch);
    s.locals = cw_locals_find(fn, &s.order, &scratch);
    for (uint32_t k = 0; k < s.order.n && !is_split; k++) {
        const struct cw_block *b = &fn->blocks.at[s.order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n && !is_split; i++)
            is_split = fn->ins.at[b->ins.at[i]].op == CW_OP_STORE && try_object(&s, &fn->ins.at[b->ins.at[i]]);
    }
    cw_arena_free(&scratch);
    if (is_split)
        cw_fn_verify_after(fn, "split members");
    return is_split;
}
