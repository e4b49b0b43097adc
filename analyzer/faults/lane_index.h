/* Index arithmetic that takes part of a thread's index for its place in the warp.
 *
 * requires: SSA, fn->cfg, launches. computes: instructions in source order. preserves: everything. */
#ifndef CW_FAULTS_LANE_INDEX_H
#define CW_FAULTS_LANE_INDEX_H

#include "lanes/kernel_query.h"

/* `threadIdx.x % 32` under a launch in which it is not the lane, used as one by an operation of the whole warp. */
struct cw_narrow_index {
    uint32_t ins, use;   /* the remainder; the collective that takes it for a lane */
    /* the witness */
    struct cw_lanes *lanes;
    uint32_t lane;       /* a lane in which it is not the lane's number */
    int64_t value;       /* what it is there */
};

struct cw_narrow_indices {
    CW_VEC(struct cw_narrow_index) at;
};

/* Empty when the launches are guessed. */
struct cw_narrow_indices cw_narrow_indices_of(const struct cw_kernel_query *q);

/* Divisions, remainders and the like of a thread index by 32, written as a number. */
struct cw_vec_u32 cw_warp_size_uses(const struct cw_fn *fn, struct cw_arena *a);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_narrow_indices_print(const struct cw_facts_print *to, const struct cw_narrow_indices *indices);

#endif
