/* What the analyses of one kernel are asked with. */
#ifndef CW_LANES_KERNEL_QUERY_H
#define CW_LANES_KERNEL_QUERY_H

#include "lanes/lanes.h"

struct cw_kernel_query {
    const struct cw_fn *fn; /* SSA, with a control-flow graph */
    const struct cw_uniformity *uniformity;
    const struct cw_launches *launches;
    /* The evaluator for a launch (its index) and a choice of the uniform unknowns; the owner keeps it. */
    struct cw_lanes *(*lanes)(void *owner, uint32_t launch, uint32_t sample);
    void *owner;
    struct cw_arena *arena; /* what is found lives here */
    uint32_t *reasons;      /* by enum cw_bail: why an analysis gave up; NULL: nobody counts */
};

/* Counts a reason for giving up. */
static inline void cw_query_gave_up(const struct cw_kernel_query *query, enum cw_bail why, uint32_t times) {
    if (query->reasons != NULL)
        query->reasons[why] += times;
}

#endif
