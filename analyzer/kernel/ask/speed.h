/* Questions about what a warp does one after the other; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_SPEED_H
#define CW_KERNEL_ASK_SPEED_H

#include "faults/banks.h"
#include "faults/coalescing.h"
#include "faults/contention.h"
#include "faults/divergent_arms.h"
#include "faults/reduce_trees.h"

struct cw_kernel;

/* Accesses to shared memory that take several passes. */
const struct cw_bank_conflicts *cw_kernel_bank_conflicts(struct cw_kernel *k);
/* Accesses to device memory that move far more than they use. */
const struct cw_scattered_accesses *cw_kernel_scattered_accesses(struct cw_kernel *k);
/* Atomics of many lanes on one address. */
const struct cw_contentions *cw_kernel_contentions(struct cw_kernel *k);
/* Reductions that one instruction, or shuffles, would do. */
const struct cw_reduce_trees *cw_kernel_shuffle_reductions(struct cw_kernel *k);
const struct cw_reduce_trees *cw_kernel_shared_tails(struct cw_kernel *k);
/* Branches at which the lanes of a warp diverge by their indices alone. */
const struct cw_divergent_branches *cw_kernel_divergent_branches(struct cw_kernel *k);

#endif
