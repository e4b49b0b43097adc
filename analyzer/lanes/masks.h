/* Which lanes a warp collective's mask names, and which of them are missing.
 *
 * For one collective under one launch, sample and context, every thread t that calls it, and every lane of t's warp:
 * does t's mask name the lane, does the lane come to the same call, has it exited? Masks are followed through the
 * program, not by names: constants and lane arithmetic are bits; `__ballot_sync(m, c)` names the lanes of m that came
 * to the ballot with c; so a mask that is the ballot of the very condition that guards the call names nobody else.
 * docs/internals/masks.md tells how each operation is read.
 *
 * Answers are enum cw_reach, asked of a thread t that arrives: YES whenever t arrives, NO never, INPUT as input data
 * decides freely, UNKNOWN when nothing may be claimed. Lanes beyond the end of the block never miss. */
#ifndef CW_LANES_MASKS_H
#define CW_LANES_MASKS_H

#include "lanes/participation.h"

struct cw_masks; /* one collective in one context */

/* requires: lanes of the kernel; `ins` has the flag CW_OP_C. context: NULL for the first iteration of every loop around
 * the instruction. computes: answers on demand. */
struct cw_masks *cw_masks_new(struct cw_lanes *l, uint32_t ins, const struct cw_context *context, struct cw_arena *a);

/* How many lanes' formulas were compared so far, for a count of work. */
uint64_t cw_masks_compared(const struct cw_masks *m);
uint32_t cw_masks_ins(const struct cw_masks *m);
struct cw_lanes *cw_masks_lanes(const struct cw_masks *m);
const struct cw_context *cw_masks_context(const struct cw_masks *m);

/* Does thread t come to the call? */
enum cw_reach cw_masks_arrives(const struct cw_masks *m, uint32_t t);
/* t arrives: does its mask name this lane of its warp? */
enum cw_reach cw_masks_names(struct cw_masks *m, uint32_t t, uint32_t lane);
/* t arrives: does the lane come to the same call in the same iteration? */
enum cw_reach cw_masks_meets(struct cw_masks *m, uint32_t t, uint32_t lane);
/* t arrives: has the lane's thread exited before? */
enum cw_reach cw_masks_exited(struct cw_masks *m, uint32_t t, uint32_t lane);
/* Do t and u, of one warp, arrive under one condition and hold one mask? Then the answers of cw_masks_absent() are the
 * same for both, and so are those of cw_masks_differ() with any third thread. */
bool cw_masks_alike(struct cw_masks *m, uint32_t t, uint32_t u);
/* Are all lanes of the two warps alike? Then every answer about a pair of lanes of one holds for those lanes of the
 * other; those of cw_masks_absent() only if exits were compared too. Cost: 32 rows, fewer where they differ. */
bool cw_masks_alike_warps(struct cw_masks *m, uint32_t warp, uint32_t other, bool with_exits);
/* t arrives: is the lane named, alive, and somewhere else? Nothing but NO is fine. */
enum cw_reach cw_masks_absent(struct cw_masks *m, uint32_t t, uint32_t lane);
/* t arrives: is its own lane missing in its mask? */
enum cw_reach cw_masks_outside(struct cw_masks *m, uint32_t t);
/* t arrives, names u's lane, and u arrives: do their masks differ? Both are threads of one warp. */
enum cw_reach cw_masks_differ(struct cw_masks *m, uint32_t t, uint32_t u);

/* The lanes that t's mask surely names, and those it may name as well. */
uint32_t cw_masks_sure_lanes(struct cw_masks *m, uint32_t t);
uint32_t cw_masks_open_lanes(struct cw_masks *m, uint32_t t);

/* All threads of the warp arrive, whatever the input. */
bool cw_masks_all_arrive(const struct cw_masks *m, uint32_t warp);

/* The branch, first in execution order, at which the absent lane goes astray while t arrives: its edge that leads to
 * the call. One of which it is known what the lane does there comes before one that an unknown value decides. *loop:
 * the loop around the call that the latter leaves there (or whose iteration it cuts short), or CW_NO_LOOP. block is
 * CW_NO_BLOCK when no single branch can be named. */
struct cw_edge cw_masks_parting(struct cw_masks *m, uint32_t t, uint32_t lane, uint32_t *loop);

/* Are the lanes that t names and misses all at another call of the same kind with the same mask (as in the two arms of
 * one `if`)? Its instruction, or UINT32_MAX. */
uint32_t cw_masks_partner(struct cw_masks *m, uint32_t t);

#endif
