/* The faults of shuffles' sources and how they are told, shared by the rules on shuffles. */
#include "rules/report_shuffles.h"

#include "kernel/ask/shuffles.h"
#include "kernel/ask/values.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

enum { MAX_ALSO = 4 /* further shuffles named in one finding */ };

static const char *use_text(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *fault) {
    if (fault->use.ins == UINT32_MAX)
        return "branches on the value here";
    switch (ctx->fn->ins.at[fault->use.ins].op) {
    case CW_OP_STORE: return "stores the value here";
    case CW_OP_LOAD: return "uses the value as an address here";
    default: return "uses the value here";
    }
}

void cw_report_shuffle_fault(struct cw_rule_ctx *ctx, struct cw_finding *finding,
                             const struct cw_shuffle_fault *fault) {
    const struct cw_ins *ins = ctx->fn->ins.at;
    if (fault->branch != CW_NO_BLOCK)
        cw_report_divergence(ctx, finding, fault->branch);
    for (uint32_t k = 0; k < fault->also.n && k < MAX_ALSO; k++)
        if (ins[fault->also.at[k]].loc != ins[fault->ins].loc)
            cw_report_note(ctx, finding, ins[fault->also.at[k]].loc, "this shuffle reads such lanes too");
    cw_report_note(ctx, finding, fault->use.loc, "lane %u %s", fault->use.lane, use_text(ctx, fault));
    cw_report_launch(ctx, finding, fault->lanes);
    cw_report_participation(ctx, finding, fault->lanes,
                            cw_participation(fault->lanes, fault->ins, fault->context, ctx->arena), fault->thread / 32);
    finding->witness.lanes.n = 0;
    cw_vec_push(ctx->sink->keep, &finding->witness.lanes, fault->source % 32);
    finding->witness.threads.n = 0;
    cw_vec_push(ctx->sink->keep, &finding->witness.threads, fault->thread);
}
