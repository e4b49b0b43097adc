/* Lanes that wait for their own warp, and who they are: for the rule on them. */
#include "rules/report_waits.h"

#include "kernel/ask/waits.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

void cw_report_spin(struct cw_rule_ctx *ctx, struct cw_finding *f, const struct cw_spin *s) {
    struct cw_arena *keep = ctx->sink->keep;
    struct cw_witness *w = &f->witness;
    cw_report_launch(ctx, f, s->lanes);
    w->warp = (int32_t)(s->waiter / 32);
    cw_vec_push(keep, &w->threads, s->waiter);
    cw_vec_push(keep, &w->threads, s->releaser);
    cw_vec_push(keep, &w->lanes, s->waiter % 32);
    cw_vec_push(keep, &w->lanes, s->releaser % 32);
    if (s->context != NULL && s->context->outer != NULL)
        w->iteration = s->context->outer->iteration;
}
