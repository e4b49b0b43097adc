/* Instructions of one kind that can be executed, in reverse post-order: what a rule asks about one by one.
 *
 * requires: fn->cfg. computes: indices into fn->ins. preserves: everything. */
#ifndef CW_FLOW_LIVE_H
#define CW_FLOW_LIVE_H

#include "cfg/cfg.h"

typedef bool cw_live_wanted(const struct cw_fn *fn, const struct cw_ins *i);

struct cw_vec_u32 cw_live_where(const struct cw_fn *fn, cw_live_wanted *wanted, struct cw_arena *a);
struct cw_vec_u32 cw_live_ops(const struct cw_fn *fn, enum cw_op op, struct cw_arena *a);
/* What the lanes of a warp do together: collectives, __syncwarp() and __activemask() among them. */
struct cw_vec_u32 cw_live_collectives(const struct cw_fn *fn, struct cw_arena *a);
/* Block barriers at which threads wait, see cw_is_block_barrier(). */
struct cw_vec_u32 cw_live_block_barriers(const struct cw_fn *fn, struct cw_arena *a);

#endif
