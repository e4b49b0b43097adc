/* The splits of the kernel's barriers, shared by the barrier rules. */
#include "rules/rule.h"

static struct cw_lanes *lanes_of(void *owner, uint32_t launch, uint32_t sample) {
    return cw_rule_lanes(owner, launch, sample);
}

const struct cw_splits *cw_rule_splits(struct cw_rule_ctx *ctx) {
    if (ctx->splits == NULL) {
        struct cw_split_query q = {ctx->fn, ctx->uniformity, &ctx->launches, lanes_of, ctx, ctx->arena};
        ctx->splits = CW_NEW(ctx->arena, struct cw_splits);
        *ctx->splits = cw_splits_of(&q);
    }
    return ctx->splits;
}
