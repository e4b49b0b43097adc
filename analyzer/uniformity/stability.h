/* Which loads are stable: may two threads that read the same address at the same point get different values?
 *
 * They may when some thread can write the place in the same *phase*, that is, between the same two block barriers.
 * Phases are found by flow: an instruction belongs to the phases whose start (the kernel's entry or a barrier) reaches
 * it on a path without another barrier; a load and a write with a phase in common can run at the same time, also around
 * loops and in different arms of a branch. Once it is known which branches all threads take alike, some of them cannot.
 * Private to uniformity. */
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

/* Does the instruction begin a phase? */
bool cw_starts_phase(const struct cw_fn *fn, const struct cw_ins *i);

struct cw_uniformity;

/* Makes loads stable that no write can run beside. u: an analysis that took at most these loads for stable. True when
 * there was one. Cost: for each unstable load the blocks around it up to the next barriers, and all writes. */
bool cw_stability_refine(struct cw_stability *s, const struct cw_fn *fn, const struct cw_uniformity *u);

/* Takes all loads for stable that are not volatile. True when there was one that was not. */
bool cw_stability_assume(struct cw_stability *s, const struct cw_fn *fn);
/* Takes back what a write can run beside, and what differs between threads anyway, as its address does. u: an analysis
 * that took these loads for stable; assumed: the loads that were unstable before. True when there was one to take back.
 * When there is none, those that are left are stable. Cost: as for cw_stability_refine. */
bool cw_stability_refute(struct cw_stability *s, const struct cw_fn *fn, const struct cw_uniformity *u,
                         const struct cw_bitset *assumed);

#endif
