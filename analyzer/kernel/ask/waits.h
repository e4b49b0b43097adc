/* Questions about loops that wait or never end; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_WAITS_H
#define CW_KERNEL_ASK_WAITS_H

#include "faults/spins.h"
#include "uniformity/infinite_loops.h"

struct cw_kernel;

/* Lanes that wait in a loop for a lane of their own warp. */
const struct cw_spins *cw_kernel_spins(struct cw_kernel *k);
/* Loops that nothing ends. */
const struct cw_endless_loops *cw_kernel_endless_loops(struct cw_kernel *k);

#endif
