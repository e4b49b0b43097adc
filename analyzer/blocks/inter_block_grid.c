/* Which blocks does the grid of a launch have?
 *
 * Where nobody knows the grid, the second block is one that the witness chooses: along a dimension in which the kernel
 * asks for its block, draws tickets or waits.
 *
 * requires: a launch and the two blocks. computes: how many blocks there are, and whether a cluster may hold the two.
 * cost: the instructions, once. preserves: everything. */
#include "blocks/inter_block_internal.h"

enum { CLUSTER_MAX = 16 /* blocks of the largest cluster of any device */ };

uint64_t cw_inter_count_blocks(const struct cw_launch *launch) {
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

bool cw_inter_has_many_blocks(const struct cw_launch *launch) {
    return launch->grid_known && cw_inter_count_blocks(launch) > 1;
}

uint8_t cw_inter_indexed_dimensions(const struct cw_fn *fn) {
    uint8_t found = 0;
    for (uint32_t k = 0; k < fn->ins.n; k++)
        for (uint32_t n = 0; n < fn->ins.at[k].narg; n++) {
            cw_ref arg = cw_arg(fn, &fn->ins.at[k], n);
            if (cw_is_block_index(arg))
                found |= (uint8_t)(1u << (arg.index - CW_CTAID_X));
        }
    return found;
}

bool cw_inter_is_chosen_dimension(const struct inter *inter, uint32_t dimension) {
    const struct cw_kernel_query *q = inter->q;
    return !(q->launches->at[inter->launch].grid_single >> dimension & 1) &&
           (inter->indexed >> dimension & 1 || (inter->d.has_sync && q->launches->from_facts));
}

bool cw_inter_has_both_blocks(const struct inter *inter) {
    const struct cw_launch *launch = &inter->q->launches->at[inter->launch];
    if (launch->grid_known)
        return cw_inter_has_many_blocks(launch);
    for (uint32_t d = 0; d < 3; d++)
        if ((inter->first[d] > 0 || inter->second[d] > 0) && !cw_inter_is_chosen_dimension(inter, d))
            return false;
    return true;
}

struct cw_block_pair cw_inter_pair_in_grid(const struct cw_launch *launch, const uint32_t first[3],
                                           const uint32_t second[3]) {
    uint32_t in_cluster = launch->cluster ? launch->cluster : CLUSTER_MAX;
    uint64_t apart = (uint64_t)second[0] - first[0] + second[1] - first[1] + second[2] - first[2];
    return (struct cw_block_pair){.in_cluster = apart < in_cluster,
                                  .has_third = !launch->grid_known || cw_inter_count_blocks(launch) > 2,
                                  .third_in_cluster = in_cluster > 1};
}
