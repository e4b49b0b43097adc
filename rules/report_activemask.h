/* How the faults of `__activemask()` are reported. */
#ifndef CW_RULES_REPORT_ACTIVEMASK_H
#define CW_RULES_REPORT_ACTIVEMASK_H

#include "rules/rule.h"

struct cw_snapshot_fault;

/* How a snapshot is misused: where it was taken, where the lanes part or the result is used, who was caught. */
void cw_report_snapshot(struct cw_rule_ctx *, struct cw_finding *, const struct cw_snapshot_fault *);

#endif
