/* The faults of shuffles' sources and how they are told, shared by the rules on shuffles. */
#include "rules/report_shuffles.h"

#include "kernel/ask/shuffles.h"
#include "kernel/ask/values.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

enum { MAX_ALSO = 4 /* further shuffles named in one finding */ };

static const char *use_text(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *s) {
    if (s->use.ins == UINT32_MAX)
        return "branches on the value here";
    switch (ctx->fn->ins.at[s->use.ins].op) {
    case CW_OP_STORE: return "stores the value here";
    case CW_OP_LOAD: return "uses the value as an address here";
    default: return "uses the value here";
    }
}

void cw_report_shuffle_fault(struct cw_rule_ctx *ctx, struct cw_finding *f, const struct cw_shuffle_fault *s) {
    const struct cw_ins *ins = ctx->fn->ins.at;
    if (s->branch != CW_NO_BLOCK)
        cw_report_divergence(ctx, f, s->branch);
    for (uint32_t k = 0; k < s->also.n && k < MAX_ALSO; k++)
        if (ins[s->also.at[k]].loc != ins[s->ins].loc)
            cw_report_note(ctx, f, ins[s->also.at[k]].loc, "this shuffle reads such lanes too");
    cw_report_note(ctx, f, s->use.loc, "lane %u %s", s->use.lane, use_text(ctx, s));
    cw_report_launch(ctx, f, s->lanes);
    cw_report_participation(ctx, f, s->lanes, cw_participation(s->lanes, s->ins, s->context, ctx->arena),
                            s->thread / 32);
    f->witness.lanes.n = 0;
    cw_vec_push(ctx->sink->keep, &f->witness.lanes, s->source % 32);
    f->witness.threads.n = 0;
    cw_vec_push(ctx->sink->keep, &f->witness.threads, s->thread);
}
