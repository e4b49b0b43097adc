/* Trees that one instruction does: five shuffles and additions that leave a warp's integer sum (minimum, …) in a lane,
 * and trees in shared memory whose last five steps stay within a warp.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: the first shuffle, or the store, of each tree. preserves:
 * everything. */
#ifndef CW_FAULTS_REDUCE_TREES_H
#define CW_FAULTS_REDUCE_TREES_H

#include "lanes/kernel_query.h"
#include "lanes/warp_access.h"

struct cw_reduce_tree {
    uint32_t ins;           /* the shuffle at distance 16; or the store of a tree in shared memory */
    const char *name;       /* of the intrinsic that does a shuffle tree: "__reduce_add_sync" */
    uint32_t barrier;       /* tree in shared memory: the barrier of each step */
    uint32_t object;        /* the same: index in fn->objects */
    bool definite;
    struct cw_lanes *evaluator;
};

struct cw_reduce_trees {
    CW_VEC(struct cw_reduce_tree) at;
};

/* Trees of shuffles over all 32 lanes on 32-bit integers, in a loop or written out. */
struct cw_reduce_trees cw_shuffle_reductions_of(const struct cw_kernel_query *q);

/* Loops in which threads add to their own element of a shared array one at a distance that ends with 16, 8, 4, 2, 1,
 * with a barrier in each step. */
struct cw_reduce_trees cw_shared_tails_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_reduce_trees_print(const struct cw_facts_print *to, const struct cw_reduce_trees *trees);

#endif
