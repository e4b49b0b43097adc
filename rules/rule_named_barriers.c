/* Named barriers that cannot complete and how they are told: for the rule on them. */
#include "rules/analysis.h"

struct cw_named_faults cw_rule_named_faults(struct cw_rule_ctx *ctx) {
    struct cw_kernel_query q = cw_rule_query(ctx);
    return cw_named_faults_of(&q);
}

void cw_report_named_fault(struct cw_rule_ctx *ctx, struct cw_finding *f, const struct cw_named_fault *n) {
    if (n->other != UINT32_MAX)
        cw_report_note(ctx, f, ctx->fn->ins.at[n->other].loc,
                       n->kind == CW_NAMED_COUNTS ? "the other count" : "the other call that arrives at it");
    f->witness.warp = (int32_t)(n->thread / 32);
    cw_vec_push(ctx->analysis->keep, &f->witness.threads, n->thread);
    cw_report_launch(ctx, f, cw_rule_lanes(ctx, n->launch, 0));
}
