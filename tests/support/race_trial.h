/* A random program of race_kernels.h made ready for the analyses: lowered, with the launches it is judged under and an
 * evaluator per launch and sample. */
#ifndef CW_TESTS_SUPPORT_RACE_TRIAL_H
#define CW_TESTS_SUPPORT_RACE_TRIAL_H

#include "support/race_kernels.h"

#include "lanes/kernel_query.h"

/* Samples that programs are run with, of all that an analysis may ask for. */
enum { RACE_RUN = 3, RACE_SAMPLES = 2 * CW_SAMPLE_DATA, RACE_LAUNCHES = 3 };

struct race_trial {
    const struct race_program *p;
    struct cw_arena arena;
    struct cw_module m;
    struct cw_fn *fn;
    struct cw_launch launch[RACE_LAUNCHES];
    struct cw_launches launches; /* one, or RACE_LAUNCHES where the block is guessed */
    struct cw_uniformity *uniformity;
    struct cw_lanes *lanes[RACE_LAUNCHES * RACE_SAMPLES]; /* by launch and sample, as one number; NULL: not asked yet */
};

/* The trial owns its arena. */
void race_trial_begin(struct race_trial *t, const struct race_program *p);
/* What analyses ask for evaluators with; `trial` is a struct race_trial. */
struct cw_lanes *race_trial_lanes(void *trial, uint32_t launch, uint32_t sample);
struct cw_kernel_query race_trial_query(struct race_trial *t);

#endif
