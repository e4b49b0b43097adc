/* Questions about block barriers; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_BARRIERS_H
#define CW_KERNEL_ASK_BARRIERS_H

#include "faults/barrier_divergence.h"
#include "faults/barrier_use.h"
#include "faults/early_exits.h"
#include "faults/grid_divergence.h"
#include "faults/named_barriers.h"
#include "races/barrier_phases.h"
#include "races/mbarrier_faults.h"
#include "uniformity/conflicting_store.h"

struct cw_kernel;

/* Where the threads of the block diverge before a barrier. */
const struct cw_splits *cw_kernel_splits(struct cw_kernel *k);
/* Blocks that do not come to a barrier of the grid. */
const struct cw_grid_splits *cw_kernel_grid_splits(struct cw_kernel *k);
/* Threads that exit before a barrier: those that others rely on, or all of them. */
const struct cw_early_exits *cw_kernel_harmful_exits(struct cw_kernel *k);
const struct cw_early_exits *cw_kernel_early_exits(struct cw_kernel *k);
/* Barriers that order nothing, or only what happens within warps. */
const struct cw_spare_barriers *cw_kernel_spare_barriers(struct cw_kernel *k);
/* Named barriers that cannot complete. */
const struct cw_named_faults *cw_kernel_named_faults(struct cw_kernel *k);
/* Barriers in shared memory that cannot complete, or that are used before they are made. */
const struct cw_mbarrier_faults *cw_kernel_mbarrier_faults(struct cw_kernel *k);
/* Barriers by number and in shared memory whose phases mix. */
const struct cw_phase_mixes *cw_kernel_phase_mixes(struct cw_kernel *k);

#endif
