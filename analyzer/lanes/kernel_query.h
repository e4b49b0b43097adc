/* What the analyses of one kernel are asked with. */
#ifndef CW_LANES_KERNEL_QUERY_H
#define CW_LANES_KERNEL_QUERY_H

#include "lanes/lanes.h"

struct cw_kernel_query {
    struct cw_fn *fn; /* SSA, with a control-flow graph */
    const struct cw_uniformity *uniformity;
    const struct cw_launches *launches;
    /* The evaluator for a launch (its index) and a choice of the uniform unknowns; the owner keeps it. */
    struct cw_lanes *(*lanes)(void *owner, uint32_t launch, uint32_t sample);
    void *owner;
    struct cw_arena *arena; /* what is found lives here */
};

#endif
