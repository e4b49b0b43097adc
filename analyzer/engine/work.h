/* What the functions of a unit may cost, in cells of an evaluator (flow/lanes.h), never in time: the same for every run and
 * number of jobs.
 *
 * A unit has work in proportion to what the parser made of it, so that no file takes many times what its parse takes. The
 * functions share it in the order in which they are analysed: an equal part of what is left, or half of it where that is
 * more. All instantiations of one template have one such part together, since they mostly say the same. */
#ifndef CW_ENGINE_WORK_H
#define CW_ENGINE_WORK_H

#include "ir/ir.h"

struct cw_work_shares;

struct cw_work_shares *cw_work_shares_new(const struct cw_module *m, struct cw_arena *a);
/* These functions will be analysed, and share what is left now, divided by `part`. Some work is always left for each call:
 * those that come last are not without any. */
void cw_work_shares_add(struct cw_work_shares *s, struct cw_fn *const *fns, uint32_t n, uint32_t part);
/* What the function may do now, at most CW_KERNEL_WORK; 0 when nothing is left. */
uint64_t cw_work_for(struct cw_work_shares *s, const struct cw_fn *fn);
/* It has done that much; to be said once for each wanted function. */
void cw_work_took(struct cw_work_shares *s, const struct cw_fn *fn, uint64_t work);

#endif
