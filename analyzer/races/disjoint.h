/* Can two different threads of a block ever meet at two accesses, in whatever iterations? The conservative opposite of
 * races/races.h: there silence is safe, here NEVER is a claim.
 *
 * Addresses are evaluated for every thread and every iteration of both accesses; who comes is taken from conditions
 * that follow from thread indices alone. What depends on input or parameters is taken to happen.
 *
 * requires: lanes of the kernel. computes: answers on demand. preserves: everything. */
#ifndef CW_RACES_DISJOINT_H
#define CW_RACES_DISJOINT_H

#include "lanes/kernel_query.h"
#include "uniformity/alias.h"

enum cw_meet {
    CW_MEET_NEVER,   /* no byte is touched by two threads */
    CW_MEET_IN_WARP, /* only threads of one warp can meet */
    CW_MEET_PERHAPS  /* threads of different warps meet, or it is not known */
};

/* An access of an instruction, or all of its accesses together where one cannot be followed. */
struct cw_touched {
    uint32_t ins;
    cw_ref pointer;
    uint64_t size; /* 0: unknown */
};

/* Under one launch. */
enum cw_meet cw_disjoint_meet(const struct cw_kernel_query *q, uint32_t launch, const struct cw_touched *a,
                              const struct cw_touched *b);

#endif
