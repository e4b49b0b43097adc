/* Results of library collectives that are used where they are not valid, and how they are told. */
#include "kernel/ask/races.h"
#include "rules/report_races.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

void cw_report_partial_use(struct cw_rule_ctx *ctx, struct cw_finding *f, const struct cw_partial_use *p) {
    const struct cw_ins *ins = ctx->fn->ins.at;
    uint32_t result = ins[p->ins].loc;
    if (result != p->use.loc)
        cw_report_note(ctx, f, result, "the result is made here, for %s",
                       p->collective->of->scope == CW_SCOPE_BLOCK ? "thread 0 of the block"
                                                                  : "lane 0 of each logical warp");
    cw_report_launch(ctx, f, p->lanes);
    f->witness.threads.n = 0;
    cw_vec_push(ctx->sink->keep, &f->witness.threads, p->thread);
}
