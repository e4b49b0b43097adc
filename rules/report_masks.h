/* How the faults of masks are reported. */
#ifndef CW_RULES_REPORT_MASKS_H
#define CW_RULES_REPORT_MASKS_H

#include "rules/rule.h"

struct cw_mask_fault;
struct cw_gone_lanes;

/* The mask of a fault's thread as a message calls it: "mask 0x0000ffff", "mask 'm'", "tile 'warp'". */
const char *cw_mask_text(struct cw_rule_ctx *, const struct cw_mask_fault *);
/* Which lanes that the mask or group names are absent, and what they do instead: "lanes 8-31", "never execute it". */
struct cw_absence {
    const char *who, *what;
};
struct cw_absence cw_absence_of(struct cw_rule_ctx *, const struct cw_mask_fault *);
/* A constant mask that is odd by its looks (seven f's, …) and written as a number somewhere in the unit, or NULL.
 * *certain: hardly ever meant, whoever calls. Cost: a pass over the unit's files for a mask that looks odd. */
const char *cw_mask_oddity(struct cw_rule_ctx *, uint32_t mask, bool *certain);
bool cw_has_odd_mask(struct cw_rule_ctx *, uint32_t ins);
/* All of a mask's fault: how the lanes part, launch, mask, lanes, and the other calls with the same cause. */
void cw_report_mask_fault(struct cw_rule_ctx *, struct cw_finding *, const struct cw_mask_fault *);
/* A collective that uses the values of lanes that have exited; nothing when there is none, and for a reduction whose
 * first lane is not there to use the result. */
void cw_report_exited_inputs(struct cw_rule_ctx *, const struct cw_gone_lanes *);

#endif
