/* The kernel object from inside: what the analyses are asked with, and where their answers are kept. */
#ifndef CW_KERNEL_KERNEL_INTERNAL_H
#define CW_KERNEL_KERNEL_INTERNAL_H

#include "kernel/kernel.h"
#include "lanes/kernel_query.h"

enum cw_analysis_id {
#define CW_ANALYSIS(id, type, needs, compute) CW_ANALYSIS_##id,
#include "kernel/analyses.def"
    CW_NANALYSES
};

/* What an analysis is asked with, besides the code. What it does not need it does not get. */
enum {
    CW_NEEDS_CODE = 0,
    CW_NEEDS_UNIFORMITY = 1,
    CW_NEEDS_LAUNCHES = 2,
    CW_NEEDS_LANES = 4 | CW_NEEDS_LAUNCHES | CW_NEEDS_UNIFORMITY, /* the kernel's evaluators */
    CW_NEEDS_OWN_LANES = 8 | CW_NEEDS_LAUNCHES | CW_NEEDS_UNIFORMITY /* evaluators that nobody else has asked */
};

struct cw_kernel {
    const struct cw_module *module;
    struct cw_fn *fn;
    struct cw_launches launches;
    struct cw_uniformity *uniformity;
    struct cw_arena *arena;
    uint64_t work_left;
    struct cw_lanes **lanes;       /* launches.n * CW_SAMPLES evaluators, made when first asked for */
    CW_VEC(struct cw_lanes *) made; /* all evaluators, also those that were replaced */
    uint32_t reasons[CW_NBAILS];
    const void *answers[CW_NANALYSES]; /* NULL: not asked yet */
};

enum { CW_SAMPLES = 2 * CW_SAMPLE_DATA }; /* choices of the uniform unknowns that may be looked at */

/* An evaluator that draws on the kernel's work; cw_kernel_lanes() keeps one per launch and sample. */
struct cw_lanes *cw_kernel_new_lanes(struct cw_kernel *k, uint32_t launch, uint32_t sample);

/* The question that an analysis with these needs is asked. */
struct cw_kernel_query cw_kernel_query_for(struct cw_kernel *k, unsigned needs);

#endif
