/* Fixes of masks and of the arguments of warp collectives. */
#ifndef CW_FIX_MAKE_MASKS_H
#define CW_FIX_MAKE_MASKS_H

#include "rules/rule.h"

/* The full mask in all calls of the kernel with this constant mask, which all of the warp make: a mask has to name who
 * calls. */
void cw_fix_constant_mask(struct cw_rule_ctx *, struct cw_finding *, uint32_t value);
/* The full mask in these calls, the same. `certain`: no result can depend on which mask was meant. */
void cw_fix_full_mask(struct cw_rule_ctx *, struct cw_finding *, const uint32_t *ins, uint32_t n, bool certain);
/* `__activemask()` replaced by the full mask, where all of the warp comes and it is used as a mask only. */
void cw_fix_snapshot(struct cw_rule_ctx *, struct cw_finding *, uint32_t snapshot);
/* A ballot of the branch's condition in front of the branch, in place of the mask of these calls, or of the snapshot.
 */
void cw_fix_ballot(struct cw_rule_ctx *, struct cw_finding *, const uint32_t *ins, uint32_t n, bool certain);
/* Two arguments of a call in each other's place. */
void cw_fix_swap(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins, uint32_t x, uint32_t y, bool certain);
/* One more argument before the k-th. */
void cw_fix_insert_argument(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins, uint32_t k, const char *text);

#endif
