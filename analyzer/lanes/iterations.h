/* The iterations of the loops around a place that are worth asking about: the first of all loops; then, for each loop,
 * the second and third, and those around the one in which the first thread leaves.
 *
 * requires: lanes of the kernel. computes: contexts, one after the other, at most CW_ITERATIONS_MAX. */
#ifndef CW_LANES_ITERATIONS_H
#define CW_LANES_ITERATIONS_H

#include "lanes/lanes.h"

enum {
    CW_NEST_MAX = 8, /* deepest loop nest whose iterations are told apart */
    CW_TRIES = 5,    /* iterations per loop, besides the first */
    CW_ITERATIONS_MAX = 24
};

struct cw_iterations {
    struct cw_lanes *lanes;
    uint32_t nest[CW_NEST_MAX], depth; /* loops around the place, outermost first */
    uint32_t loop, step, given;        /* where we are */
    uint32_t tries[CW_TRIES];
};

void cw_iterations_begin(struct cw_iterations *it, struct cw_lanes *l, const struct cw_fn *fn, uint32_t block);
/* False when there are no more. *out may be NULL: outside all loops. */
bool cw_iterations_next(struct cw_iterations *it, const struct cw_context **out);

#endif
