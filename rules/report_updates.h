/* How lost updates are reported. */
#ifndef CW_RULES_REPORT_UPDATES_H
#define CW_RULES_REPORT_UPDATES_H

#include "rules/rule.h"

struct cw_lost_update;

/* Who updates: "threads 0 and 1", "thread 0 of two blocks". */
const char *cw_lost_update_who(struct cw_rule_ctx *, const struct cw_lost_update *);
/* The two places, why both threads choose one element, the atomic that helps, the launch and the threads. */
void cw_report_lost_update(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lost_update *);

#endif
