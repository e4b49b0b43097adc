/* Whether a guessed launch fits its kernel: the evaluator's answer to launch/launch.h. */
#ifndef CW_LANES_LAUNCH_FIT_H
#define CW_LANES_LAUNCH_FIT_H

#include "launch/launch.h"

/* Under this launch no thread certainly leaves a shared array, and none certainly traps (`assert(blockDim.x == 128)`).
 * requires: SSA, kernel->cfg. True when the trial's budget is exhausted. */
bool cw_launch_fits(const struct cw_fn *kernel, const struct cw_launch *l, struct cw_launch_trials *trials);

#endif
