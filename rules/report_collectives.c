/* Results of library collectives that are used where they are not valid, and how they are told. */
#include "kernel/ask/races.h"
#include "rules/report_races.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

void cw_report_partial_use(struct cw_rule_ctx *ctx, struct cw_finding *finding,
                           const struct cw_partial_use *partial_use) {
    const struct cw_ins *ins = ctx->fn->ins.at;
    uint32_t result = ins[partial_use->ins].loc;
    if (result != partial_use->use.loc)
        cw_report_note(ctx, finding, result, "the result is made here, for %s",
                       partial_use->collective->of->scope == CW_SCOPE_BLOCK ? "thread 0 of the block"
                                                                  : "lane 0 of each logical warp");
    cw_report_launch(ctx, finding, partial_use->lanes);
    finding->witness.threads.n = 0;
    cw_vec_push(ctx->sink->keep, &finding->witness.threads, partial_use->thread);
}
