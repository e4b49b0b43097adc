/* Tables of constants in host code, as in `int sizes[] = {64, 128, 256}; for (…) run(sizes[i]);`. */
#include "launch/host_arrays.h"

#include "cfg/cfg.h"

enum { STEPS_MAX = 8 };

static cw_ref below_steps(const struct cw_fn *host, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(host, pointer);
    for (uint32_t step = 0; i && i->op == CW_OP_PTRADD && step < STEPS_MAX; step++, i = cw_ins_of(host, pointer))
        pointer = cw_arg(host, i, 0);
    return pointer;
}

/* What the pointer leads into. One that a loop moves (`for (int size : sizes)`) leads where it began. */
static cw_ref root_of(const struct cw_fn *host, cw_ref pointer) {
    cw_ref root = below_steps(host, pointer), from = CW_NONE;
    const struct cw_ins *phi = cw_ins_of(host, root);
    if (!phi || phi->op != CW_OP_PHI || phi->type != CW_PTR)
        return root;
    for (uint32_t k = 0; k < phi->narg; k++) {
        cw_ref one = below_steps(host, cw_arg(host, phi, k));
        if (cw_ref_eq(one, root) || cw_ref_eq(one, from))
            continue;
        if (from.tag != CW_REF_NONE)
            return root;
        from = one;
    }
    return from.tag == CW_REF_OBJECT ? from : root;
}

/* Is the use a load from the object, a step in it, or a store of a constant into it? */
static bool is_use_of_table(const struct cw_fn *host, const struct cw_ins *ins, uint32_t operand) {
    int64_t constant;
    cw_ref self = cw_ref_ins((uint32_t)(ins - host->ins.at));
    bool is_step = ins->op == CW_OP_PTRADD || ins->op == CW_OP_EQ || ins->op == CW_OP_NE ||
                   (ins->op == CW_OP_PHI && root_of(host, self).tag == CW_REF_OBJECT);
    return is_step || ins->op == CW_OP_LOAD ||
           (ins->op == CW_OP_STORE && operand == 1 && cw_ref_const(host, cw_arg(host, ins, 0), &constant));
}

void cw_host_find_tables(struct cw_fn *host) {
    host->constant_tables = CW_NEW(host->module->arena, struct cw_bitset);
    *host->constant_tables = cw_bitset_new(host->module->arena, host->objects.n);
    for (uint32_t k = 0; k < host->objects.n; k++)
        if (host->objects.at[k].space == CW_SPACE_LOCAL)
            cw_bitset_add(host->constant_tables, k);
    for (uint32_t k = 0; k < host->ins.n; k++) {
        const struct cw_ins *i = &host->ins.at[k];
        for (uint32_t n = 0; n < i->narg && host->cfg->rpo_index[i->block] != CW_NO_BLOCK; n++) {
            cw_ref root = root_of(host, cw_arg(host, i, n));
            if (root.tag == CW_REF_OBJECT && !is_use_of_table(host, i, n))
                cw_bitset_remove(host->constant_tables, root.index);
        }
    }
}

/* ---- variables that are stored to once ---- */

struct stores {
    uint32_t n;
    bool is_taken; /* the address goes elsewhere: something else may change the variable */
};

static void see_variable(struct cw_fn *fn, const struct cw_ins *ins, uint32_t operand, struct stores *stores) {
    uint32_t object = cw_arg(fn, ins, operand).index;
    if (ins->op == CW_OP_STORE && operand == 1) {
        stores[object].n++;
        fn->only_stored[object] = cw_arg(fn, ins, 0);
    } else if (ins->op != CW_OP_LOAD) {
        stores[object].is_taken = true;
    }
}

void cw_host_find_stored_once(struct cw_fn *fn) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct stores *stores = CW_NEW_ARRAY(&scratch, struct stores, fn->objects.n + 1);
    fn->only_stored = CW_NEW_ARRAY(fn->module->arena, cw_ref, fn->objects.n + 1);
    for (uint32_t k = 0; k < fn->ins.n; k++)
        for (uint32_t n = 0; n < fn->ins.at[k].narg; n++)
            if (cw_arg(fn, &fn->ins.at[k], n).tag == CW_REF_OBJECT)
                see_variable(fn, &fn->ins.at[k], n, stores);
    for (uint32_t k = 0; k < fn->objects.n; k++) {
        const struct cw_object *object = &fn->objects.at[k];
        if (object->space != CW_SPACE_LOCAL || stores[k].n != 1 || (stores[k].is_taken && !object->is_const))
            fn->only_stored[k] = CW_NONE;
    }
    cw_arena_free(&scratch);
}

/* ---- tables ---- */

/* A store into the table adds its constant. False: of another type, or one too many. */
static bool see_store(const struct cw_fn *host, const struct cw_ins *ins, cw_ref table, enum cw_type type,
                      struct cw_host_alternatives *out) {
    int64_t constant;
    if (ins->op != CW_OP_STORE || !cw_ref_eq(root_of(host, cw_arg(host, ins, 1)), table))
        return true;
    return cw_ref_type(host, cw_arg(host, ins, 0)) == type && cw_ref_const(host, cw_arg(host, ins, 0), &constant) &&
           cw_host_add_alternative(out, constant);
}

bool cw_host_elements(const struct cw_fn *host, cw_ref value, struct cw_host_alternatives *out) {
    const struct cw_ins *load = cw_ins_of(host, value);
    cw_ref table = load && load->op == CW_OP_LOAD ? root_of(host, cw_arg(host, load, 0)) : CW_NONE;
    *out = (struct cw_host_alternatives){.value = value};
    if (table.tag != CW_REF_OBJECT || !host->constant_tables || !cw_bitset_has(host->constant_tables, table.index))
        return false;
    for (uint32_t k = 0; k < host->ins.n; k++)
        if (host->cfg->rpo_index[host->ins.at[k].block] != CW_NO_BLOCK &&
            !see_store(host, &host->ins.at[k], table, load->type, out))
            return false;
    return out->n > 0;
}
