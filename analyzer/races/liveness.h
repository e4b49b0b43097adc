/* Which loads matter: the values of a timeline followed backwards from what the kernel leaves behind.
 *
 * A tail that every warp of a block runs (`v += s[t + k]; __syncwarp(); s[t] = v;` without a guard) reads elements of
 * the next warp, and races for them; but nobody ever uses what it makes of them. Needed are values that go to global
 * memory, to atomics and calls, and that decide branches; a value stored to shared memory is needed when a later load
 * of the same bytes is. Whatever cannot be followed is needed.
 *
 * requires: a timeline. computes: per load step, the threads whose value is needed. */
#ifndef CW_RACES_LIVENESS_H
#define CW_RACES_LIVENESS_H

#include "races/event_trace.h"

struct cw_liveness;

struct cw_liveness *cw_liveness_of(const struct cw_event_trace *t, struct cw_arena *a);
bool cw_liveness_has(const struct cw_liveness *n, uint32_t step, uint32_t thread);
/* Does every load matter to every thread that comes there? */
bool cw_liveness_all(const struct cw_liveness *n);

#endif
