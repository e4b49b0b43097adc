/* What the lanes of one warp touch with one memory instruction, in one iteration: the question behind bank conflicts,
 * coalescing and contended atomics.
 *
 * requires: lanes of the kernel. computes: numbers for the lanes that come. preserves: everything. */
#ifndef CW_LANES_WARP_ACCESS_H
#define CW_LANES_WARP_ACCESS_H

#include "lanes/lanes.h"
#include "uniformity/alias.h"

struct cw_warp_access {
    uint32_t lanes;     /* that surely come, or come as input decides, as a mask */
    uint32_t sure;      /* of these, those that come whatever the input */
    cw_ref base;        /* the same for all lanes, as the token is: OBJECT, PARAM, or INS for a loaded pointer */
    int64_t token;
    int64_t offset[32]; /* bytes from the base; of lanes that do not come: 0 */
    uint32_t size;      /* bytes of each lane's access */
    uint8_t known;      /* EXACT, or SAMPLED where some offset, or who comes, follows from a choice of the unknowns */
};

/* False when something is not a number: an offset of a lane that may come, the base, the size, or who comes. True with
 * no lanes when nobody comes. */
bool cw_warp_access_of(struct cw_lanes *l, const struct cw_fn *fn, uint32_t ins, const struct cw_access *access,
                       const struct cw_context *context, uint32_t warp, struct cw_warp_access *out);

/* How often the header of the innermost loop around the block runs at most (of a `for` once more than the body), in
 * first iterations of the outer ones; 0: no loop, not known, or more than `max`. */
uint32_t cw_inner_trips(struct cw_lanes *l, const struct cw_fn *fn, uint32_t block, uint32_t max);

/* In how many of these iterations, from the first on, somebody comes to the block itself. */
uint32_t cw_inner_runs(struct cw_lanes *l, const struct cw_fn *fn, uint32_t block, uint32_t max);

/* "offset = 16": the innermost loop's counter of that iteration as the source calls it, or NULL. */
const char *cw_iteration_text(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_context *context,
                              uint32_t thread, struct cw_arena *a);

#endif
