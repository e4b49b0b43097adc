/* Loads that only ask whether an atomic on the same place is worth while: `if (v < *least) atomicMin(least, v);`.
 *
 * By the letter such a load races with the atomics of other threads. What it finds may be old; then the atomic, or what
 * comes of leaving it out, is still right, and compilers read such a word at once. */
#ifndef CW_RACES_PRECHECKS_H
#define CW_RACES_PRECHECKS_H

#include "base/bitset.h"
#include "uniformity/uses.h"

/* Adds the loads. `uses`: of the function. Cost: the branches that decide about each atomic. */
void cw_prechecks_find(const struct cw_fn *fn, const struct cw_uses *uses, struct cw_bitset *found);

#endif
