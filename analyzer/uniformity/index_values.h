/* Conditions that the position of a thread decides: no argument, template parameter or loaded value has a part in how
 * they differ between the threads of a block. */
#ifndef CW_UNIFORMITY_INDEX_VALUES_H
#define CW_UNIFORMITY_INDEX_VALUES_H

#include "uniformity/uniformity.h"

#include <stdint.h>

/* Not 0 when special registers (threadIdx, blockDim, the lane) and constants alone decide the condition once its
 * block-uniform parts are given: `threadIdx.x < 7 && n > 0`, but not `threadIdx.x < n`. The number stands for what is
 * computed from them: equal conditions of two instances of a template have equal ones. 0 also for what a phi merges,
 * since conditions choose there, and for expressions deeper than 32. Cost: size of the expression. */
uint64_t cw_index_condition(const struct cw_fn *fn, const struct cw_uniformity *uniformity, cw_ref value);

/* Does nothing but the threads' positions, shapes, constants and what is the same for a warp decide who executes the
 * block? Counters of loops that such values make count as positions. requires: fn->cfg. Cost: a walk over the control
 * dependences. */
bool cw_is_index_controlled(const struct cw_fn *fn, const struct cw_uniformity *uniformity, uint32_t block);

#endif
