/* How faults of the order between blocks are reported. */
#ifndef CW_RULES_REPORT_BLOCKS_H
#define CW_RULES_REPORT_BLOCKS_H

#include "rules/rule.h"

struct cw_block_fault;
struct cw_block_faults;

/* "thread 0 of block 0 writes data[0], thread 0 of block 1 reads it" */
const char *cw_block_fault_text(struct cw_rule_ctx *, const struct cw_block_fault *);
/* Begins the finding at the faulty operation, or at the second access when there is none, with labels, notes and
 * witness. `format` has one %s for cw_block_fault_text(). */
struct cw_finding *cw_report_block_fault(struct cw_rule_ctx *, const struct cw_block_fault *, const char *message);

/* Reports the plain races among the faults. */
void cw_report_block_races(struct cw_rule_ctx *, const struct cw_block_faults *);

#endif
