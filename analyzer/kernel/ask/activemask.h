/* Questions about the uses of `__activemask()`; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_ACTIVEMASK_H
#define CW_KERNEL_ASK_ACTIVEMASK_H

#include "faults/activemask_uses.h"

struct cw_kernel;

/* Its value taken for the lanes that took a branch; used as a mask; used after divergence; parenthesised wrongly. */
const struct cw_snapshots *cw_kernel_ballot_uses(struct cw_kernel *k);
const struct cw_snapshots *cw_kernel_mask_uses(struct cw_kernel *k);
const struct cw_snapshots *cw_kernel_stale_uses(struct cw_kernel *k);
const struct cw_snapshots *cw_kernel_misparenthesised_uses(struct cw_kernel *k);

#endif
