/* How the faults of barriers are reported. */
#ifndef CW_RULES_REPORT_BARRIERS_H
#define CW_RULES_REPORT_BARRIERS_H

#include "rules/rule.h"

struct cw_mbarrier_fault;
struct cw_named_fault;
struct cw_phase_mix;
struct cw_split;

/* "thread 0 waits, thread 16 is elsewhere" for a split's witness. */
const char *cw_split_text(struct cw_rule_ctx *, const struct cw_split *);
/* All of that for a split: how divergence arose, launch, lanes, and the other barriers with the same cause. */
void cw_report_split(struct cw_rule_ctx *, struct cw_finding *, const struct cw_split *);
/* The whole finding: the message, the other call at the named barrier, the launch and the thread that waits. */
void cw_report_named_fault(struct cw_rule_ctx *, const struct cw_named_fault *);
/* Where the barrier is made, and the launch and the thread that waits or uses it. */
void cw_report_mbarrier_fault(struct cw_rule_ctx *, struct cw_finding *, const struct cw_mbarrier_fault *);
/* The whole finding: threads that are counted in a wrong phase of `barrier`, the other arrival, and the launch. */
void cw_report_phase_mix(struct cw_rule_ctx *, const struct cw_phase_mix *, const char *barrier);

#endif
