/* How the faults of shuffles are reported. */
#ifndef CW_RULES_REPORT_SHUFFLES_H
#define CW_RULES_REPORT_SHUFFLES_H

#include "rules/rule.h"

struct cw_shuffle_fault;

/* All of a shuffle's fault: who left where, the other shuffles with the same cause, the use, launch and lanes. */
void cw_report_shuffle_fault(struct cw_rule_ctx *, struct cw_finding *, const struct cw_shuffle_fault *);

#endif
