/* Questions about what threads compute and where they get, launch by launch. */
#ifndef CW_KERNEL_ASK_VALUES_H
#define CW_KERNEL_ASK_VALUES_H

#include "cfg/cfg.h"
#include "lanes/participation.h"
#include "launch/launch.h"
#include "uniformity/index_values.h"
#include "uniformity/uniformity.h"

struct cw_kernel;

/* The evaluator for a launch (its index) and a choice of the uniform unknowns; kept. Another choice where that one ends
 * in a trap. */
struct cw_lanes *cw_kernel_lanes(struct cw_kernel *k, uint32_t launch, uint32_t sample);

#endif
