/* What proves a finding: how divergence arises, the launch, and who takes part. */
#ifndef CW_RULES_REPORT_WITNESS_H
#define CW_RULES_REPORT_WITNESS_H

#include "rules/rule.h"

struct cw_lanes;
struct cw_participation;

/* Makes it textual when the split at the branch needs no caller, no assumed argument and no launch: the threads'
 * positions alone decide, in whatever block. Until then what a function without callers shows is possible at most. */
void cw_report_any_caller(struct cw_rule_ctx *, struct cw_finding *, uint32_t branch);
/* Notes that tell how divergence reaches a branch: source (threadIdx.x, a load), the branch, the calls between. */
void cw_report_divergence(struct cw_rule_ctx *, struct cw_finding *, uint32_t branch_block);
/* The launch into the witness; or that and the values chosen for unknowns. */
void cw_report_shape(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *);
void cw_report_launch(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *);
/* Warp, lane rows (arrive / exited / elsewhere) and the threads of a participation into the witness. */
void cw_report_participation(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *,
                             const struct cw_participation *, uint32_t warp);
/* The same for a barrier of the whole block: the warp that shows the divergence best, or a row of warps where no warp
 * has lanes of two kinds. */
void cw_report_block_participation(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *,
                                   const struct cw_participation *);
/* A warp and a row of its lanes into the witness, told by `label` and `meaning`. */
void cw_report_lanes(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *, uint32_t warp,
                     const char *label, uint32_t lanes, const char *meaning);
/* Further places with the same cause, as notes; each line once. */
void cw_report_also(struct cw_rule_ctx *, struct cw_finding *, const struct cw_vec_u32 *also, const char *text);

#endif
