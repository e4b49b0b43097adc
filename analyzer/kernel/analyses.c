/* computes: each analysis of analyses.def when it is first asked for. An analysis gets what its line says it needs,
 * and nothing else. Cost: that of the analysis, once. */
#include "kernel/kernel_internal.h"

#include "base/require.h"
#include "kernel/ask/activemask.h"
#include "kernel/ask/barriers.h"
#include "kernel/ask/blocks.h"
#include "kernel/ask/groups.h"
#include "kernel/ask/masks.h"
#include "kernel/ask/races.h"
#include "kernel/ask/shuffles.h"
#include "kernel/ask/speed.h"
#include "kernel/ask/values.h"
#include "kernel/ask/waits.h"

/* ---- evaluators ---- */

static struct cw_lanes *give_common_lanes(void *owner, uint32_t launch, uint32_t sample) {
    return cw_kernel_lanes(owner, launch, sample);
}

/* Evaluators that one analysis alone asks. */
struct own_lanes {
    struct cw_kernel *kernel;
    struct cw_lanes **at; /* launch * CW_SAMPLES + sample */
};

static struct cw_lanes *give_own_lanes(void *owner, uint32_t launch, uint32_t sample) {
    struct own_lanes *own = owner;
    struct cw_lanes **slot = &own->at[launch * CW_SAMPLES + sample % CW_SAMPLES];
    if (!*slot)
        *slot = cw_kernel_new_lanes(own->kernel, launch, sample % CW_SAMPLES);
    return *slot;
}

struct cw_kernel_query cw_kernel_query_for(struct cw_kernel *kernel, unsigned needs) {
    struct cw_kernel_query q = {.fn = kernel->fn, .arena = kernel->arena, .reasons = kernel->reasons};
    if (needs & CW_NEEDS_UNIFORMITY)
        q.uniformity = kernel->uniformity;
    if (needs & CW_NEEDS_LAUNCHES)
        q.launches = &kernel->launches;
    if ((needs & CW_NEEDS_LANES) == CW_NEEDS_LANES) {
        q.lanes = give_common_lanes;
        q.owner = kernel;
    } else if ((needs & CW_NEEDS_OWN_LANES) == CW_NEEDS_OWN_LANES) {
        struct own_lanes *own = CW_NEW(kernel->arena, struct own_lanes);
        *own = (struct own_lanes){kernel,
                                  CW_NEW_ARRAY(kernel->arena, struct cw_lanes *, kernel->launches.n * CW_SAMPLES + 1)};
        q.lanes = give_own_lanes;
        q.owner = own;
    }
    return q;
}

/* What the head comments of the analyses ask for; a line of the table that says too little is found here. */
static void require_inputs(const struct cw_kernel_query *query, unsigned needs) {
    cw_require(query->fn && query->fn->cfg && query->arena && query->reasons);
    cw_require(!(needs & CW_NEEDS_UNIFORMITY) || query->uniformity);
    cw_require(!(needs & CW_NEEDS_LAUNCHES) || query->launches);
    cw_require((needs & CW_NEEDS_LANES) != CW_NEEDS_LANES || (query->lanes && query->owner));
}

/* ---- the table ---- */

#define CW_ANALYSIS(id, type, needs, compute)                                                                          \
    static void compute_##id(const struct cw_kernel_query *q, struct type *out) {                                      \
        *out = compute;                                                                                                \
    }                                                                                                                  \
    const struct type *cw_kernel_##id(struct cw_kernel *k) {                                                           \
        if (!k->answers[CW_ANALYSIS_##id]) {                                                                           \
            struct cw_kernel_query q = cw_kernel_query_for(k, needs);                                                  \
            struct type *answer = CW_NEW(k->arena, struct type);                                                       \
            require_inputs(&q, needs);                                                                                 \
            compute_##id(&q, answer);                                                                                  \
            k->answers[CW_ANALYSIS_##id] = answer;                                                                     \
        }                                                                                                              \
        return k->answers[CW_ANALYSIS_##id];                                                                           \
    }
#include "kernel/analyses.def"
