/* The kernel object: one kernel (or device function that no kernel reaches) and all that is known of it.
 *
 * It owns the inlined code, its launches, the budget of questions, and every analysis, each computed when it is first
 * asked for (analyses.def; ask/ has the questions by subject). What made an analysis give up is counted here. Nobody
 * changes the code once the first question is asked.
 *
 * requires: a module that outlives the kernel. The kernel and all answers live in the arena that it was made with. */
#ifndef CW_KERNEL_KERNEL_H
#define CW_KERNEL_KERNEL_H

#include "launch/launch.h"
#include "lanes/lanes.h"
#include "uniformity/uniformity.h"

struct cw_kernel;

/* Inlines `fn` up to that many instructions, simplifies it and builds its control-flow graph. Cost: linear in the
 * inlined code, but for the passes of ir/optimize.c. */
struct cw_kernel *cw_kernel_new(const struct cw_module *module, struct cw_fn *fn, uint32_t instructions,
                                struct cw_arena *a);
/* The code, for facts that somebody else knows: only before cw_kernel_launch(). */
struct cw_fn *cw_kernel_draft(struct cw_kernel *k);
/* Finds the launches; from here on questions may be asked. `is_unread`: it is launched by code that nobody could read,
 * so that no ordinary block is known to fit. */
void cw_kernel_launch(struct cw_kernel *k, const struct cw_launch_options *options, bool is_unread, bool lacks_caller);

const struct cw_module *cw_kernel_module(const struct cw_kernel *k);
const struct cw_fn *cw_kernel_fn(const struct cw_kernel *k); /* inlined, SSA, simplified, fn->cfg set */
const struct cw_launches *cw_kernel_launches(const struct cw_kernel *k);
const struct cw_uniformity *cw_kernel_uniformity(const struct cw_kernel *k);
struct cw_arena *cw_kernel_arena(struct cw_kernel *k);

/* ---- the budget: what the questions from now on may cost, in cells of evaluators ---- */

void cw_kernel_allow(struct cw_kernel *k, uint64_t work);
/* Lets go of the evaluators that have exhausted their budget: what follows is asked of new ones. Each costs memory
 * until the kernel is done, so this is for the few points between groups of rules. */
void cw_kernel_renew_lanes(struct cw_kernel *k);
/* What all evaluators have computed so far. */
struct cw_lanes_cells cw_kernel_cells(const struct cw_kernel *k);

/* ---- reasons for giving up, by enum cw_bail: those of reading the code, and those of the analyses ---- */

const uint32_t *cw_kernel_reasons(const struct cw_kernel *k);
void cw_kernel_gave_up(struct cw_kernel *k, enum cw_bail why, uint32_t times);

#endif
