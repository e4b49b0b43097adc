/* Do two threads store one value, although nobody knows which number it is?
 *
 * Two questions of different strictness: whether the values are surely one, and whether anything could make them
 * differ. Where the first is true, or the second is not, a store loses no value. */
#ifndef CW_RACES_LIKE_VALUES_H
#define CW_RACES_LIKE_VALUES_H

#include "lanes/lanes.h"

/* Do thread t in context `context` and thread u in context `other` get one value although nobody knows which: from the
 * same place of memory, or, as the same lanes of two warps, from a collective that both warps ask the same?
 * cost: the operations behind the value, to a small depth; a warp's lanes for each collective among them. */
bool cw_is_like_value(struct cw_lanes *l, cw_ref value, const struct cw_context *context, uint32_t t,
                      const struct cw_context *other, uint32_t u);

/* Would thread t compute one value for both, in the two contexts: are they the same operations on the same values, past
 * what loops carry from one iteration to the next, and joins, where the formula `given` holds? cost: the operations
 * behind them, to a small depth. */
bool cw_is_one_formula(struct cw_lanes *l, cw_ref value, const struct cw_context *context, cw_ref other,
                       const struct cw_context *of_other, uint32_t t, uint32_t given);

/* Is the value made from what was kept in a private array, and is not found there? Whether lanes hold the same then, a
 * sum that all of them have, is not seen. */
bool cw_is_made_from_private(struct cw_lanes *l, cw_ref value, const struct cw_context *context);

/* What makes values differ, for the stores of one kernel. Lives in the arena. */
struct cw_value_makers;
struct cw_value_makers *cw_value_makers_open(struct cw_lanes *l, struct cw_arena *a);

/* Does anything that makes the value differ between the threads t and u: an index, a load from a place of the thread's
 * own, the old value of an atomic, a branch that parts them? Else the two may well hold the same. What both compute as
 * one number does not make them differ, nor does an arm into which neither comes. What a loop carries is followed
 * back from the iteration of `context` one by one, in the first few; what parts the threads in one farther back counts
 * for nothing; a way into a trap parts nobody. `given`: a formula
 * that holds when both store; what it excludes makes no difference.
 * requires: SSA, uniformity. cost: the operations behind the value, up to a few hundred, each once or twice. */
bool cw_may_differ(struct cw_value_makers *makers, cw_ref value, const struct cw_context *context, uint32_t t,
                   uint32_t u, uint32_t given);

#endif
