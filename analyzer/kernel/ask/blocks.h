/* Questions about the order between blocks; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_BLOCKS_H
#define CW_KERNEL_ASK_BLOCKS_H

#include "blocks/inter_block.h"

struct cw_kernel;

/* What is not ordered between blocks, or through device memory, by what synchronises there. */
const struct cw_block_faults *cw_kernel_block_faults(struct cw_kernel *k);
/* What races between blocks where nothing synchronises them. */
const struct cw_block_faults *cw_kernel_plain_block_races(struct cw_kernel *k);

#endif
