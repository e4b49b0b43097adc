/* Tables of constants in host code, as in `int sizes[] = {64, 128, 256}; for (…) run(sizes[i]);`. */
#include "launch/host_arrays.h"

#include "cfg/cfg.h"

enum { STEPS_MAX = 8 };

static cw_ref root_of(const struct cw_fn *host, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(host, pointer);
    for (uint32_t step = 0; i && i->op == CW_OP_PTRADD && step < STEPS_MAX; step++, i = cw_ins_of(host, pointer))
        pointer = cw_arg(host, i, 0);
    return pointer;
}

static bool add_constant(struct cw_host_alternatives *out, int64_t constant) {
    for (uint32_t k = 0; k < out->n; k++)
        if (out->constant[k] == constant)
            return true;
    if (out->n == CW_HOST_WAYS)
        return false;
    out->constant[out->n++] = constant;
    return true;
}

/* A store of a constant adds it. False: the instruction does something else with the table. */
static bool see_use(const struct cw_fn *host, const struct cw_ins *ins, cw_ref table, enum cw_type type,
                    struct cw_host_alternatives *out) {
    int64_t constant;
    for (uint32_t k = 0; k < ins->narg; k++) {
        if (!cw_ref_eq(root_of(host, cw_arg(host, ins, k)), table) || ins->op == CW_OP_PTRADD ||
            ins->op == CW_OP_LOAD)
            continue;
        if (ins->op != CW_OP_STORE || k != 1 || cw_ref_type(host, cw_arg(host, ins, 0)) != type ||
            !cw_ref_const(host, cw_arg(host, ins, 0), &constant) || !add_constant(out, constant))
            return false;
    }
    return true;
}

bool cw_host_elements(const struct cw_fn *host, cw_ref value, struct cw_host_alternatives *out) {
    const struct cw_ins *load = cw_ins_of(host, value);
    cw_ref table = load && load->op == CW_OP_LOAD ? root_of(host, cw_arg(host, load, 0)) : CW_NONE;
    *out = (struct cw_host_alternatives){.value = value};
    if (table.tag != CW_REF_OBJECT || host->objects.at[table.index].space != CW_SPACE_LOCAL)
        return false;
    for (uint32_t k = 0; k < host->ins.n; k++)
        if (host->cfg->rpo_index[host->ins.at[k].block] != CW_NO_BLOCK &&
            !see_use(host, &host->ins.at[k], table, load->type, out))
            return false;
    return out->n > 0;
}
