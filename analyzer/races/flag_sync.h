/* Who takes part in synchronisation through memory: flags that are waited for, locks, tickets.
 *
 * Order between two threads needs a deed of both: one releases, the other acquires (PTX memory model,
 * "synchronizes-with"). A thread that never touches what others wait on or compete for, and meets them at nothing else
 * within the phase, is ordered with nobody by their waiting: a plain store beside a critical section races with it.
 * Where something else may carry the order on (a __syncwarp, a named barrier, an unknown call, iterations that were
 * left out), everybody takes part.
 *
 * requires: a timeline. computes: for each thread whether it takes part. preserves: everything. */
#ifndef CW_RACES_FLAG_SYNC_H
#define CW_RACES_FLAG_SYNC_H

#include "races/event_trace.h"

/* One flag per thread of the block, in `a`; NULL: everybody takes part, or there is no such synchronisation. */
const bool *cw_signals_of(const struct cw_event_trace *t, struct cw_arena *a);

#endif
