/* Questions about the masks of warp collectives; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_MASKS_H
#define CW_KERNEL_ASK_MASKS_H

#include "faults/exited_lanes.h"
#include "faults/lane_index.h"
#include "faults/mask_faults.h"

struct cw_kernel;

/* Masks that do not name exactly the participating lanes. */
const struct cw_mask_faults *cw_kernel_mask_faults(struct cw_kernel *k);
/* Masks that name lanes which have exited or never were. */
const struct cw_gone_list *cw_kernel_gone_lanes(struct cw_kernel *k);
/* `threadIdx.x % 32` taken for the lane where it is not. */
const struct cw_narrow_indices *cw_kernel_narrow_indices(struct cw_kernel *k);

#endif
