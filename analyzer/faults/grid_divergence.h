/* Blocks that do not come to a barrier of the whole grid: the other blocks wait at it for ever.
 *
 * `grid.sync()` counts arrivals of blocks, wherever in the kernel they arrive; a block that has returned never arrives.
 * So blocks diverge when, under a launch, one of them executes more grid barriers than another one. Threads of one
 * block that diverge at the barrier are a split, see barrier_divergence.h.
 *
 * Definite: each block that is compared is known to come with all its threads that have not exited, or with none, and
 * the launch is one of the source. Where nobody knows its grid, what the blocks decide differently must not rest on
 * sizes, for the host may choose a grid that fits these: else it is possible. Or input decides for each of two blocks
 * whether all its threads come, by data that only one of them reads.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: at most one divergence for each kernel, of the first barrier
 * that one block executes more often. preserves: everything. Cost: an evaluation of the branches around the grid
 * barriers for a few blocks of each launch, at most PASSES_MAX iterations of a loop; none in kernels without them. */
#ifndef CW_FAULTS_GRID_DIVERGENCE_H
#define CW_FAULTS_GRID_DIVERGENCE_H

#include "lanes/kernel_query.h"

struct cw_grid_split {
    uint32_t ins;              /* the barrier */
    uint32_t branch;           /* block whose branch the two decide differently, or CW_NO_BLOCK */
    uint32_t here[3], away[3]; /* indices of a block that waits at it, and of one that does not come */
    uint32_t passes[2];        /* how often the two execute it */
    bool by_data;              /* input chooses that the one comes and the other one does not */
    bool definite;
    struct cw_lanes *lanes;    /* of the block that waits; owned by the query's arena */
};

struct cw_grid_splits {
    CW_VEC(struct cw_grid_split) at;
};

struct cw_grid_splits cw_grid_splits_of(const struct cw_kernel_query *query);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_grid_splits_print(const struct cw_facts_print *to, const struct cw_grid_splits *splits);

#endif
