/* Which loads are stable: may two threads that read the same address at the same point get different values?
 *
 * They may when some thread can write the place in the same *phase*, that is, between the same two block barriers.
 * Phases are found by flow: an instruction belongs to the phases whose start (the kernel's entry or a barrier) reaches
 * it on a path without another barrier; a load and a write with a phase in common can run at the same time, also around
 * loops and in different arms of a branch. Private to uniformity. */
#ifndef CW_UNIFORMITY_STABILITY_H
#define CW_UNIFORMITY_STABILITY_H

#include "cfg/cfg.h"
#include "uniformity/alias.h"

struct cw_stability {
    struct cw_memory *memory;
    struct cw_bitset unstable; /* loads that may differ between threads at one address */
    struct cw_bitset written;  /* loads of memory that the kernel writes in some phase */
};

struct cw_stability *cw_stability_new(const struct cw_fn *fn, struct cw_arena *a);

#endif
