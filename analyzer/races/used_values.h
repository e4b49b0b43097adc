/* Whether anything that a thread leaves behind rests on a value that it has loaded.
 *
 * The value is followed forwards over the graph of uses, without iterations, through arithmetic, phis and private
 * memory, to what has an effect: stores, atomics, collectives, calls, branches. Those count that the thread may come
 * to.
 * liveness.h is exact and knows iterations, but it needs a timeline without gaps. */
#ifndef CW_RACES_USED_VALUES_H
#define CW_RACES_USED_VALUES_H

#include "base/bitset.h"
#include "lanes/lanes.h"
#include "uniformity/uses.h"

/* The blocks in which something with an effect rests on the result of `ins`, or on what it has done itself. */
struct cw_bitset cw_blocks_that_use(const struct cw_fn *fn, const struct cw_uses *uses, uint32_t ins,
                                    struct cw_arena *a);

/* False: it is certain that the thread comes to none of the blocks. */
bool cw_comes_to_some(struct cw_lanes *lanes, const struct cw_bitset *blocks, uint32_t thread);

#endif
