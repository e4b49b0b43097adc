/* The loads that a value is made from: what would have to be another number for the value to be another one.
 *
 * requires: SSA, fn->cfg, what the kernel stores into. computes: loads of device memory, constants and parameters. What
 * threads have put into arrays of their own is looked through, and into shared arrays where that is asked for.
 * preserves: everything. cost: the operations behind the value, and the instructions for each array that is looked
 * through. */
#ifndef CW_RACES_ORIGINS_H
#define CW_RACES_ORIGINS_H

#include "races/updates.h"

struct cw_origins {
    CW_VEC(uint32_t) loads;
    bool is_lost; /* something else takes part: an atomic, an unknown call */
};

/* What is returned lives as long as the arena. */
struct cw_origins cw_origins_of(const struct cw_fn *fn, const struct cw_stored *stored, cw_ref value,
                                bool through_shared, struct cw_arena *a);

/* Is it a load of what the kernel leaves as the host has made it? */
bool cw_is_input_load(const struct cw_fn *fn, const struct cw_stored *stored, uint32_t load);

#endif
