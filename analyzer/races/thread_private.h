/* Device memory that each thread of a block keeps to itself: `out[i] = f(in[i])`, as most kernels write their results.
 *
 * Two threads that never touch one byte cannot race, whoever comes where and in whatever order. The places of all
 * accesses are compared before anything is asked about conditions and order, which is what costs.
 *
 * requires: steps of a timeline, whether anybody comes there or not. computes: instructions. preserves: everything. */
#ifndef CW_RACES_THREAD_PRIVATE_H
#define CW_RACES_THREAD_PRIVATE_H

#include "races/event_trace.h"

/* Is every place that the instruction accesses, going by its pointers, in device memory? */
bool cw_own_is_candidate(const struct cw_fn *fn, const struct cw_ins *i);

/* Accesses to objects of which no byte is touched by two threads of which one writes, in any of the steps. Those whose
 * places are not known for every thread are none, nor are others that may go to the same object. */
struct cw_bitset cw_own_places(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_step *steps, uint32_t n,
                               struct cw_arena *a);

#endif
