/* Instructions of one kind that can be executed, in reverse post-order: what a rule asks about one by one.
 *
 * requires: fn->cfg. computes: indices into fn->ins. preserves: everything. */
#ifndef CW_UNIFORMITY_REACHABLE_OPS_H
#define CW_UNIFORMITY_REACHABLE_OPS_H

#include "cfg/cfg.h"

typedef bool cw_reachable_wanted(const struct cw_fn *fn, const struct cw_ins *i);

struct cw_vec_u32 cw_reachable_where(const struct cw_fn *fn, cw_reachable_wanted *wanted, struct cw_arena *a);
struct cw_vec_u32 cw_reachable_ops(const struct cw_fn *fn, enum cw_op op, struct cw_arena *a);
/* What the lanes of a warp do together: collectives, __syncwarp() and __activemask() among them. */
struct cw_vec_u32 cw_reachable_collectives(const struct cw_fn *fn, struct cw_arena *a);
/* Is this instruction a barrier of the whole block (id and count both 0), at which threads wait? */
bool cw_is_block_barrier(const struct cw_fn *fn, uint32_t ins);
/* Block barriers at which threads wait, see cw_is_block_barrier(). */
struct cw_vec_u32 cw_reachable_block_barriers(const struct cw_fn *fn, struct cw_arena *a);

#endif
