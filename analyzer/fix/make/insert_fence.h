/* Fixes by what orders: a fence, a barrier, a wait; of what is not ordered between blocks also a wider scope or an
 * atomic. */
#ifndef CW_FIX_MAKE_INSERT_FENCE_H
#define CW_FIX_MAKE_INSERT_FENCE_H

#include "fix/make/together.h"
#include "rules/rule.h"

/* `__threadfence();` before the statement of the operation. */
void cw_fix_fence_before(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins);
/* `__threadfence();` after the loop around the operation. */
void cw_fix_fence_after_loop(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins);
/* Atomics and fences of the kernel without the suffix `_block`. */
void cw_fix_narrow_scopes(struct cw_rule_ctx *, struct cw_finding *);
/* A statement that whole warps, or the whole block, must execute: before the innermost statement around the operation
 * that they begin together. `name`: what the offer calls it. */
void cw_fix_collective_before(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins, enum cw_uni level,
                              const char *statement, const char *name);
/* The ordinary load made an `atomicAdd(…, 0)`. */
void cw_fix_poll(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins);

#endif
