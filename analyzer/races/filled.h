/* What the threads of the block fill: the bytes that their stores at known places write together. An element that data
 * choose is meant to be one of those that are filled from the array's beginning on; memory behind a gap, or one that
 * nobody fills, is another array's. */
#ifndef CW_RACES_FILLED_H
#define CW_RACES_FILLED_H

#include "races/event_trace.h"

/* Bytes of one object. */
struct cw_filled {
    int64_t token, from, to;
};

struct cw_filled_list {
    CW_VEC(struct cw_filled) at; /* sorted; what touches is one */
};

/* cost: the stores of the trace, each for all threads. */
struct cw_filled_list cw_filled_of(const struct cw_event_trace *trace, struct cw_arena *a);

/* Does a datum choose the element of the pointer's array, and is the offset into the object `token` not among what is
 * filled from the array's beginning on? False where nothing is known to be filled there. */
bool cw_filled_excludes(const struct cw_filled_list *list, struct cw_lanes *l, cw_ref pointer,
                        const struct cw_context *context, uint32_t thread, int64_t token, int64_t offset);

#endif
