/* Shared by masks.c (questions), mask_rows.c (what a mask operand names), and what reasons with the formulas
 * themselves: shuffle_sources.c and undef_flow.c. Nobody else includes this. */
#ifndef CW_LANES_MASKS_INTERNAL_H
#define CW_LANES_MASKS_INTERNAL_H

#include "lanes/lanes_internal.h"
#include "lanes/masks.h"

/* What one thread's mask names: a formula for each lane of its warp. */
struct cw_mask_row {
    uint32_t at[32];
    bool guessed; /* rests on a sampled unknown as a number: `mask` as a parameter; good for NO only */
};

struct cw_masks {
    struct cw_lanes *l;
    struct cw_arena *a;
    uint32_t ins;
    const struct cw_context *context;
    const struct cw_lane_cond *arrives, *exited;
    const struct cw_mask_row **row; /* per thread, NULL: not yet asked */
    struct cw_map memo;             /* (value, context, thread) -> row */
    const struct cw_mask_row *number; /* of the last mask that was a number, for the threads that hold the same */
    uint32_t number_bits;
    uint32_t depth;
    uint64_t compared; /* lanes of two masks that differ somewhere */
};

/* The row of mask or group operand `r` in context `c`, as thread t holds it. */
const struct cw_mask_row *cw_mask_row_of(struct cw_masks *m, cw_ref r, const struct cw_context *c, uint32_t t);

/* The row of the collective's own mask, as thread t holds it. */
const struct cw_mask_row *cw_mask_row(struct cw_masks *m, uint32_t t);

/* Lanes of t's warp that come to that place. */
const struct cw_mask_row *cw_mask_row_here(struct cw_masks *m, uint32_t block, const struct cw_context *c, uint32_t t);

#endif
