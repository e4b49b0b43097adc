/* Who uses the results of a function's instructions: one table per function, made in two passes. */
#ifndef CW_UNIFORMITY_USES_H
#define CW_UNIFORMITY_USES_H

#include "cfg/cfg.h"

#define CW_USE_JUMP (UINT32_C(1) << 31) /* a use by the jump of a block */

struct cw_uses {
    const uint32_t *first; /* per instruction: index of its first user; the next one's is behind its last */
    const uint32_t *user;  /* instructions, or CW_USE_JUMP | block; each once, in the order of the blocks */
};

/* requires: fn->cfg. Users in blocks that nobody reaches are left out. preserves: everything. */
const struct cw_uses *cw_uses_of(const struct cw_fn *fn, struct cw_arena *a);

#endif
