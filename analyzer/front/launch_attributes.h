/* The attributes of a launch through cudaLaunchKernelEx() as IR of the host function.
 *
 * requires: the address of an array of cudaLaunchAttribute, whose layout is part of the runtime's binary interface.
 * computes: the number of blocks of a cluster: 1 when no attribute gives cluster dimensions, 0 when nothing can be
 * said because there are more attributes than are looked at. Cost: some twenty instructions. */
#ifndef CW_FRONT_LAUNCH_ATTRIBUTES_H
#define CW_FRONT_LAUNCH_ATTRIBUTES_H

#include "front/arith.h"

cw_ref cw_cluster_of_attributes(struct cw_at at, cw_ref attributes, cw_ref count);

#endif
