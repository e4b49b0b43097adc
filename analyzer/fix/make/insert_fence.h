/* Fixes of what is not ordered between blocks: a fence, a barrier, a wider scope or an atomic. */
#ifndef CW_FIX_MAKE_INSERT_FENCE_H
#define CW_FIX_MAKE_INSERT_FENCE_H

#include "rules/rule.h"

/* `__threadfence();` before the statement of the operation. */
void cw_fix_fence_before(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins);
/* `__threadfence();` after the loop around the operation. */
void cw_fix_fence_after_loop(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins);
/* Atomics and fences of the kernel without the suffix `_block`. */
void cw_fix_narrow_scopes(struct cw_rule_ctx *, struct cw_finding *);
/* `__syncthreads();` before the innermost statement around the operation that all threads of the block reach. */
void cw_fix_barrier_before(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins);
/* The ordinary load made an `atomicAdd(…, 0)`. */
void cw_fix_poll(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins);

#endif
