/* Questions about the sources of shuffles; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_SHUFFLES_H
#define CW_KERNEL_ASK_SHUFFLES_H

#include "faults/shuffle_faults.h"
#include "faults/shuffle_trees.h"

struct cw_kernel;

/* Shuffles whose result is indeterminate and used, because the source lane has exited or is not named by the mask; is
 * beyond the block; is outside of the segment of a reduction; has no value; has exited or is beyond the block. */
const struct cw_shuffle_faults *cw_kernel_inactive_sources(struct cw_kernel *k);
const struct cw_shuffle_faults *cw_kernel_sources_beyond_block(struct cw_kernel *k);
const struct cw_shuffle_faults *cw_kernel_sources_outside_tree(struct cw_kernel *k);
const struct cw_shuffle_faults *cw_kernel_uninitialised_sources(struct cw_kernel *k);
const struct cw_shuffle_faults *cw_kernel_gone_sources(struct cw_kernel *k);

#endif
