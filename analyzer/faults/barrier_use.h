/* What a block barrier is for: which accesses on its two sides must be ordered, if any.
 *
 * Without the barrier, whatever may run before it since the last other barrier meets whatever may run behind it up to
 * the next one, around loops as well. If no two threads can meet in any such pair (races/disjoint.h), the barrier
 * orders nothing; if only threads of one warp can, a __syncwarp() does. A kernel in which something else may rely on
 * the barrier (calls of unknown code, fences, volatile accesses, asynchronous copies, named barriers, clocks) is left
 * alone.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: barriers that are too much, such that all of them can be
 * changed together. preserves: everything. */
#ifndef CW_FAULTS_BARRIER_USE_H
#define CW_FAULTS_BARRIER_USE_H

#include "races/disjoint.h"

struct cw_spare_barrier {
    uint32_t ins;
    bool orders_warps;      /* threads of one warp meet: __syncwarp() is enough; else nobody meets */
    uint32_t first, second; /* orders_warps: accesses that meet, by instruction; else UINT32_MAX */
    uint32_t launch;
};

struct cw_spare_barriers {
    CW_VEC(struct cw_spare_barrier) at;
};

struct cw_spare_barriers cw_spare_barriers_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_spare_barriers_print(const struct cw_facts_print *to, const struct cw_spare_barriers *barriers);

#endif
