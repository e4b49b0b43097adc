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
