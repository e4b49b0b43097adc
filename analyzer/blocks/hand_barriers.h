/* Grid barriers made by hand: every block counts up one variable in device memory and then waits in a loop until the
 * others have done so too. It ends only if all blocks of the grid run at the same time, which a launch by <<<>>> does
 * not promise (CUDA C++ Programming Guide, thread hierarchy, and grid synchronization in cooperative groups).
 *
 * Two forms are found: the loop polls the counter itself, or a flag that is set by the thread that has counted last.
 *
 * requires: device events, their order in two blocks. Cost: pairs of events times threads. */
#ifndef CW_BLOCKS_HAND_BARRIERS_H
#define CW_BLOCKS_HAND_BARRIERS_H

#include "blocks/block_order.h"

struct cw_hand_barrier {
    uint32_t arrival, wait;        /* events */
    struct cw_block_thread thread; /* of block 0; a thread of block 1 does the same */
    bool sure;                     /* both blocks execute both whatever the input is */
};

/* The first one of a kernel; false: none. */
bool cw_hand_barrier_find(const struct cw_device_events *d, const struct cw_block_order *o,
                          struct cw_lanes *const lanes[2], struct cw_hand_barrier *out);

#endif
