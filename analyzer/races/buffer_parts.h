/* Buffers of several equal parts that are filled in turn: `next[key]` with `next = s + n * (i % 2)` reads one part, and
 * is not meant to lead into the part that is being filled. */
#ifndef CW_RACES_BUFFER_PARTS_H
#define CW_RACES_BUFFER_PARTS_H

#include "base/map.h"
#include "races/event_trace.h"

/* What the block's threads together store in a step: the bytes from `from` to `to` of one object, each once. */
struct cw_part {
    cw_ref object;
    int64_t from, to; /* empty: it is no such store */
    bool is_known;    /* it has been asked for */
};

struct cw_buffer_parts {
    const struct cw_event_trace *trace;
    struct cw_lanes *lanes;
    struct cw_part *of_step; /* or NULL */
    struct cw_arena *arena;
};

/* Data choose the element that the thread accesses in step `chosen`; in step `placed` all threads together fill a part
 * of the array. Does the element belong to another part? The data count from the beginning of a part that some other
 * store of the trace fills, and that one ends before the part begins, or begins at its end or later.
 * cost: once for each step, its threads; then the steps. */
bool cw_is_in_other_part(struct cw_buffer_parts *parts, uint32_t chosen, uint32_t thread, uint32_t placed);

#endif
