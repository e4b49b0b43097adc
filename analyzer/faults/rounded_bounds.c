#include "faults/rounded_bounds.h"

/* Has a value that is the same for the block, and was read from memory or from a structure of the launch, a part in it?
 */
static bool reads_shared_value(const struct cw_kernel_query *query, cw_ref value, uint32_t depth) {
    const struct cw_ins *ins = cw_ins_of(query->fn, value);
    if (value.tag == CW_REF_PARAM && query->fn->params.at[value.index].part_of)
        return true;
    if (ins == NULL || depth == 0)
        return false;
    if (ins->op == CW_OP_LOAD)
        return cw_uni_of(query->uniformity, value) <= CW_UNI_BLOCK;
    for (uint32_t k = 0; k < ins->narg && cw_op_flags((enum cw_op)ins->op) == CW_OP_P; k++)
        if (ins->op != CW_OP_PHI && reads_shared_value(query, cw_arg(query->fn, ins, k), depth - 1))
            return true;
    return false;
}

bool cw_may_be_rounded(const struct cw_kernel_query *query, uint32_t branch) {
    enum { DEPTH = 12 };
    return !query->launches->from_facts && branch != CW_NO_BLOCK &&
           reads_shared_value(query, query->fn->blocks.at[branch].jump.value, DEPTH);
}

bool cw_is_made_to_fit(const struct cw_kernel_query *query, uint32_t branch) {
    const struct cw_launches *launches = query->launches;
    return launches->n > 0 && launches->at[0].source == CW_LAUNCH_CHOSEN && cw_may_be_rounded(query, branch);
}

/* ---- between two bounds ---- */

/* The comparisons behind the conditions that decide about a block. */
struct deciders {
    const struct cw_kernel_query *query;
    struct cw_bitset seen;
    struct cw_vec_u32 comparisons, open; /* open: instructions yet to be looked at */
};

static bool add_decider(void *ctx, struct cw_edge edge) {
    struct deciders *of = ctx;
    cw_ref value = of->query->fn->blocks.at[edge.block].jump.value;
    if (value.tag == CW_REF_INS && !cw_bitset_has(&of->seen, value.index)) {
        cw_bitset_add(&of->seen, value.index);
        cw_vec_push(of->query->arena, &of->open, value.index);
    }
    return true;
}

/* A flag is set where threads have come to: what decides about these ways decides about it. */
static void find_comparisons(struct deciders *of, uint32_t block) {
    const struct cw_fn *fn = of->query->fn;
    cw_cfg_controls(fn, block, add_decider, of);
    while (of->open.n > 0) {
        uint32_t at = of->open.at[--of->open.n];
        const struct cw_ins *ins = &fn->ins.at[at];
        if (cw_is_compare((enum cw_op)ins->op) && cw_ref_type(fn, cw_arg(fn, ins, 0)) != CW_I1) {
            cw_vec_push(of->query->arena, &of->comparisons, at);
            continue;
        }
        bool is_joined = ins->op == CW_OP_PHI || cw_op_flags((enum cw_op)ins->op) & CW_OP_P;
        for (uint32_t k = 0; is_joined && k < ins->narg; k++) {
            cw_ref arg = cw_arg(fn, ins, k);
            if (ins->op == CW_OP_PHI)
                cw_cfg_controls(fn, fn->blocks.at[ins->block].pred.at[k], add_decider, of);
            if (arg.tag != CW_REF_INS || cw_bitset_has(&of->seen, arg.index) || cw_ref_type(fn, arg) != CW_I1)
                continue;
            cw_bitset_add(&of->seen, arg.index);
            cw_vec_push(of->query->arena, &of->open, arg.index);
        }
    }
}

static bool is_below(enum cw_op op) {
    return op == CW_OP_SLT || op == CW_OP_SLE || op == CW_OP_ULT || op == CW_OP_ULE;
}

/* The position that is compared with a shared bound, and whether the bound is above it where the comparison holds. */
static bool is_bounded(const struct cw_kernel_query *query, const struct cw_ins *ins, cw_ref *position,
                       bool *is_above) {
    enum { DEPTH = 12 };
    const struct cw_uniformity *uniformity = query->uniformity;
    for (uint32_t side = 0; side < 2 && ins->op != CW_OP_EQ && ins->op != CW_OP_NE; side++) {
        cw_ref bound = cw_arg(query->fn, ins, !side);
        *position = cw_arg(query->fn, ins, side);
        *is_above = is_below((enum cw_op)ins->op) == (side == 0);
        if (cw_uni_of(uniformity, *position) > CW_UNI_WARP && cw_uni_of(uniformity, bound) <= CW_UNI_BLOCK &&
            reads_shared_value(query, bound, DEPTH))
            return true;
    }
    return false;
}

bool cw_may_be_allotted(const struct cw_kernel_query *query, uint32_t block) {
    struct deciders of = {.query = query, .seen = cw_bitset_new(query->arena, query->fn->ins.n)};
    cw_ref position, other;
    bool is_above, other_above;
    if (query->launches->from_facts)
        return false;
    find_comparisons(&of, block);
    for (uint32_t k = 0; k < of.comparisons.n; k++)
        for (uint32_t n = 0; n < k; n++)
            if (is_bounded(query, &query->fn->ins.at[of.comparisons.at[k]], &position, &is_above) &&
                is_bounded(query, &query->fn->ins.at[of.comparisons.at[n]], &other, &other_above) &&
                cw_ref_eq(position, other) && is_above != other_above)
                return true;
    return false;
}
