/* Do all threads of a warp or block execute a place? Then a fix may add a collective there. */
#ifndef CW_FIX_MAKE_TOGETHER_H
#define CW_FIX_MAKE_TOGETHER_H

#include "kernel/ask/values.h"
#include "rules/rule.h"

/* Do all threads of each warp (CW_UNI_WARP) or of the block (CW_UNI_BLOCK) come to a place, or none of them? Threads of
 * a warp that have exited do not count. */
enum cw_together {
    CW_APART,         /* some do not, or it cannot be known */
    CW_TOGETHER_HERE, /* under every launch that is considered */
    CW_TOGETHER       /* always */
};
enum cw_together cw_rule_together(struct cw_rule_ctx *, uint32_t block, enum cw_uni level);
/* The same of every inlined copy of a collective, for warps. */
enum cw_together cw_rule_warp_calls(struct cw_rule_ctx *, uint32_t ins);
/* Whether that carries a safe fix at `loc`: in code whose callers and launches lie before us. */
bool cw_rule_proves(const struct cw_rule_ctx *, uint32_t loc, enum cw_together);

#endif
