/* How waiting lanes are reported. */
#ifndef CW_RULES_REPORT_WAITS_H
#define CW_RULES_REPORT_WAITS_H

#include "rules/rule.h"

struct cw_spin;

/* Launch, warp and the two lanes of a spin. */
void cw_report_spin(struct cw_rule_ctx *, struct cw_finding *, const struct cw_spin *);

#endif
