/* Fixes of slips of the pen. */
#ifndef CW_FIX_MAKE_SLIPS_H
#define CW_FIX_MAKE_SLIPS_H

#include "rules/rule.h"

/* `a >= 1` in a loop's header made `a >>= 1`, `a + 1` made `a += 1`; loc: its condition. */
void cw_fix_step(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc);
/* `f(m == x)` made `f(m) == x`, `a & b == c` made `(a & b) == c`. */
void cw_fix_parentheses(struct cw_rule_ctx *, struct cw_finding *, uint32_t outer, uint32_t inner);
/* `threadIdx.x % 32` made the remainder of the linear thread index. */
void cw_fix_narrow_index(struct cw_rule_ctx *, struct cw_finding *, uint32_t index);
/* `a > b` made `a >> b`. */
void cw_fix_shift(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc);

#endif
