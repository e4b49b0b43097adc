/* Questions about the order between blocks; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_BLOCKS_H
#define CW_KERNEL_ASK_BLOCKS_H

#include "blocks/inter_block.h"

struct cw_kernel;

/* What is not ordered between blocks, or through device memory. */
const struct cw_block_faults *cw_kernel_block_faults(struct cw_kernel *k);

#endif
