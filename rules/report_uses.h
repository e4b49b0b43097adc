/* Who else uses a place: other instantiations and calls, other versions of the code. */
#ifndef CW_RULES_REPORT_USES_H
#define CW_RULES_REPORT_USES_H

#include "rules/rule.h"

/* Is the kernel one of several instantiations of a template? Their launches and their arguments differ. */
bool cw_rule_has_siblings(struct cw_rule_ctx *);
/* CW_DEFINITE for what is seen in this kernel's own code or in a function that nobody else calls; CW_POSSIBLE where
 * another kernel, instantiation or call has the same line and may need it. */
enum cw_confidence cw_rule_for_all_uses(struct cw_rule_ctx *, uint32_t ins);
/* Does some launch show that lanes of a warp make the call while others of it run elsewhere, or that input data decides
 * it? */
bool cw_rule_leaves_lanes_out(struct cw_rule_ctx *, uint32_t ins);
/* Is the call the old side of a version switch: does a sibling branch of the #if around it, or another definition of
 * the macro that it comes from, use a shuffle or vote with a mask? */
bool cw_rule_is_version_switch(struct cw_rule_ctx *, uint32_t ins);

#endif
