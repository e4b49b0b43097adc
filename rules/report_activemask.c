/* What is wrong with the uses of `__activemask()`, shared by the rules on it. */
#include "rules/report_activemask.h"

#include "kernel/ask/activemask.h"
#include "kernel/ask/values.h"
#include "rules/report_witness.h"

enum { MAX_ALSO = 4 /* further calls named in one finding */ };

static void report_witness(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_snapshot_fault *fault) {
    const struct cw_participation *p = cw_participation(fault->lanes, fault->ins, fault->context, ctx->arena);
    cw_report_launch(ctx, finding, fault->lanes);
    cw_report_participation(ctx, finding, fault->lanes, p, fault->thread / 32);
}

void cw_report_snapshot(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_snapshot_fault *fault) {
    const struct cw_fn *fn = ctx->fn;
    uint32_t taken = fn->ins.at[fault->snapshot].loc;
    if (fault->branch != CW_NO_BLOCK)
        cw_report_divergence(ctx, finding, fault->branch);
    if (fault->snapshot != fault->ins && taken != fn->ins.at[fault->ins].loc)
        cw_report_note(ctx, finding, taken, "__activemask() is read here");
    if (fault->use != UINT32_MAX && fn->ins.at[fault->use].loc != fn->ins.at[fault->ins].loc)
        cw_report_note(ctx, finding, fn->ins.at[fault->use].loc, "the result of __activemask() is used here");
    else if (fault->use == UINT32_MAX && fault->decision != CW_NO_BLOCK)
        cw_report_note(ctx, finding, fn->blocks.at[fault->decision].jump.loc,
                       "the result of __activemask() is used here");
    for (uint32_t k = 0; k < fault->also.n && k < MAX_ALSO; k++)
        if (fn->ins.at[fault->also.at[k]].loc != fn->ins.at[fault->ins].loc)
            cw_report_note(ctx, finding, fn->ins.at[fault->also.at[k]].loc, "the same holds for this call");
    if (fault->lanes != NULL)
        report_witness(ctx, finding, fault);
}
