/* Why a kernel counts as analysed in part: every question about it that an analysis gave up. */
#ifndef CW_ENGINE_PARTIAL_H
#define CW_ENGINE_PARTIAL_H

#include "engine/kernel.h"

struct cw_part_reasons {
    struct cw_part_reason *at;
    uint32_t n, cap;
};

/* requires: the rules have run over the kernel. computes: what its analyses gave up, from the reasons counted in the
 * inlined function, the launches that were tried, and what the front end could not read. Empty: nothing. */
struct cw_part_reasons cw_part_reasons_of(struct cw_unit *u, const struct cw_fn *lowered, struct cw_kernel *kernel);
/* requires: an earlier architecture has the same code under the same launches, and *first are its reasons. computes:
 * those, and what still later architectures have. Cost: little, no rule need have run. */
struct cw_part_reasons cw_part_reasons_again(struct cw_unit *u, const struct cw_fn *lowered, struct cw_kernel *kernel,
                                             const struct cw_part_reasons *first);
/* Adds reasons that are not among *to yet, and counts the others together. */
void cw_part_reasons_add(struct cw_arena *a, struct cw_part_reasons *to, const struct cw_part_reasons *more);

#endif
