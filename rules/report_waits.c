/* Lanes that wait for their own warp, and who they are: for the rule on them. */
#include "rules/report_waits.h"

#include "kernel/ask/waits.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

void cw_report_spin(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_spin *spin) {
    struct cw_arena *keep = ctx->sink->keep;
    struct cw_witness *w = &finding->witness;
    cw_report_launch(ctx, finding, spin->lanes);
    w->warp = (int32_t)(spin->waiter / 32);
    cw_vec_push(keep, &w->threads, spin->waiter);
    cw_vec_push(keep, &w->threads, spin->releaser);
    cw_vec_push(keep, &w->lanes, spin->waiter % 32);
    cw_vec_push(keep, &w->lanes, spin->releaser % 32);
    if (spin->context != NULL && spin->context->outer != NULL)
        w->iteration = spin->context->outer->iteration;
}
