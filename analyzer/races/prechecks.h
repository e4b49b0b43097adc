/* Loads that only ask whether an atomic on the same place is worth while: `if (v < *least) atomicMin(least, v);`.
 *
 * By the letter such a load races with the atomics of other threads. What it finds may be old; then the atomic, or what
 * comes of leaving it out, is still right, and compilers read such a word at once. */
#ifndef CW_RACES_PRECHECKS_H
#define CW_RACES_PRECHECKS_H

#include "base/vec.h"
#include "uniformity/uses.h"

/* A load, and the atomic that it asks about. Beside others, as one that sets the place back, it races. */
struct cw_precheck {
    uint32_t load, atomic;
};

struct cw_prechecks {
    struct cw_precheck *at;
    uint32_t n, cap;
};

/* In `a`. `uses`: of the function. Cost: the branches that decide about each atomic. */
struct cw_prechecks cw_prechecks_of(const struct cw_fn *fn, const struct cw_uses *uses, struct cw_arena *a);
bool cw_prechecks_have(const struct cw_prechecks *prechecks, uint32_t load, uint32_t atomic);

#endif
