/* See reachable_ops.h. */
#include "uniformity/reachable_ops.h"

/* wanted: NULL for those of one `op`. */
static struct cw_vec_u32 find_reachable(const struct cw_fn *fn, cw_reachable_wanted *wanted, enum cw_op op,
                                        struct cw_arena *a) {
    struct cw_vec_u32 found = {0};
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n; n++) {
            const struct cw_ins *i = &fn->ins.at[list->at[n]];
            if (wanted ? wanted(fn, i) : i->op == op)
                cw_vec_push(a, &found, list->at[n]);
        }
    }
    return found;
}

struct cw_vec_u32 cw_reachable_where(const struct cw_fn *fn, cw_reachable_wanted *wanted, struct cw_arena *a) {
    return find_reachable(fn, wanted, CW_OP_HOLE, a);
}

struct cw_vec_u32 cw_reachable_ops(const struct cw_fn *fn, enum cw_op op, struct cw_arena *a) {
    return find_reachable(fn, NULL, op, a);
}

static bool is_collective(const struct cw_fn *fn, const struct cw_ins *ins) {
    (void)fn;
    return (cw_op_flags((enum cw_op)ins->op) & CW_OP_C) || ins->op == CW_OP_ACTIVEMASK;
}

struct cw_vec_u32 cw_reachable_collectives(const struct cw_fn *fn, struct cw_arena *a) {
    return cw_reachable_where(fn, is_collective, a);
}

bool cw_is_block_barrier(const struct cw_fn *fn, uint32_t ins) {
    const struct cw_ins *i = &fn->ins.at[ins];
    int64_t id, count;
    return i->op == CW_OP_BARRIER && i->aux != CW_BARRIER_ARRIVE && cw_ref_const(fn, cw_arg(fn, i, 0), &id) &&
           id == 0 && cw_ref_const(fn, cw_arg(fn, i, 1), &count) && count == 0;
}

static bool is_block_barrier(const struct cw_fn *fn, const struct cw_ins *ins) {
    return cw_is_block_barrier(fn, (uint32_t)(ins - fn->ins.at));
}

struct cw_vec_u32 cw_reachable_block_barriers(const struct cw_fn *fn, struct cw_arena *a) {
    return cw_reachable_where(fn, is_block_barrier, a);
}
