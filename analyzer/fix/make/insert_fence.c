/* See insert_fence.h. A fence orders the accesses of its own thread only, and threads that need none lose nothing but
 * time by it, so that it may go before a statement around the one that it is meant for. */
#include "fix/make/insert_fence.h"

#include "fix/make/drafts.h"
#include "fix/make/statements.h"
#include "fix/make/together.h"

#include <string.h>

static const char fence[] = "__threadfence();";

/* Can a statement go right before or after it? */
static bool has_neighbours(const struct cw_statement *statement) {
    return statement->kind != CW_STATEMENT_COMPOUND && !statement->is_labelled && !statement->is_broken &&
           !statement->is_bare;
}

static bool find_spot(struct cw_rule_ctx *ctx, uint32_t ins, struct cw_span_text *text, struct cw_spot *spot) {
    uint32_t loc = ctx->fn->ins.at[ins].loc;
    return cw_rule_use_text(ctx, loc, text) && cw_spot_of(ctx, loc, spot);
}

void cw_fix_fence_before(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins) {
    struct cw_draft draft = cw_draft_begin(ctx);
    struct cw_span_text text;
    struct cw_spot spot;
    if (!find_spot(ctx, ins, &text, &spot))
        return;
    while (spot.statement != CW_NO_STATEMENT && !has_neighbours(cw_spot_statement(ctx, &spot)))
        spot.statement = cw_spot_statement(ctx, &spot)->parent;
    if (spot.statement == CW_NO_STATEMENT)
        return;
    cw_draft_insert_before(&draft, &text, cw_spot_statement(ctx, &spot), fence);
    cw_draft_offer(&draft, finding, true, "insert __threadfence() before it");
}

void cw_fix_fence_after_loop(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins) {
    struct cw_draft draft = cw_draft_begin(ctx);
    struct cw_span_text text;
    struct cw_spot spot;
    if (!find_spot(ctx, ins, &text, &spot))
        return;
    while (spot.statement != CW_NO_STATEMENT && cw_spot_statement(ctx, &spot)->kind != CW_STATEMENT_LOOP)
        spot.statement = cw_spot_statement(ctx, &spot)->parent;
    if (spot.statement == CW_NO_STATEMENT || !has_neighbours(cw_spot_statement(ctx, &spot)))
        return;
    cw_draft_put_behind(&draft, &text, cw_spot_statement(ctx, &spot), fence);
    cw_draft_offer(&draft, finding, true, "insert __threadfence() after the loop");
}

void cw_fix_narrow_scopes(struct cw_rule_ctx *ctx, struct cw_finding *finding) {
    static const char suffix[] = "_block";
    struct cw_draft draft = cw_draft_begin(ctx);
    for (uint32_t k = 0; k < ctx->fn->ins.n; k++) {
        const struct cw_ins *i = &ctx->fn->ins.at[k];
        struct cw_span_text name;
        if ((i->op != CW_OP_ATOMIC && i->op != CW_OP_FENCE) || !cw_rule_callee(ctx, k, &name))
            continue;
        size_t n = name.to - name.from, cut = sizeof suffix - 1;
        if (n > cut && memcmp(name.source->text + name.to - cut, suffix, cut) == 0)
            cw_draft_edit(&draft, &name, name.to - cut, name.to, "");
    }
    cw_draft_offer(&draft, finding, true, "use device scope");
}

void cw_fix_collective_before(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins, enum cw_uni level,
                              const char *statement, const char *name) {
    struct cw_draft draft = cw_draft_begin(ctx);
    struct cw_span_text text;
    struct cw_spot spot;
    if (!find_spot(ctx, ins, &text, &spot))
        return;
    for (; spot.statement != CW_NO_STATEMENT; spot.statement = cw_spot_statement(ctx, &spot)->parent) {
        enum cw_together together = has_neighbours(cw_spot_statement(ctx, &spot))
                                        ? cw_spot_together(ctx, &spot, level)
                                        : CW_APART;
        if (together == CW_APART)
            continue;
        cw_draft_insert_before(&draft, &text, cw_spot_statement(ctx, &spot), statement);
        cw_draft_offer(&draft, finding, cw_rule_proves(ctx, ctx->fn->ins.at[ins].loc, together), "insert %s before it",
                       name);
        return;
    }
}

void cw_fix_poll(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins) {
    struct cw_draft draft = cw_draft_begin(ctx);
    struct cw_span_text text;
    enum cw_type type = (enum cw_type)ctx->fn->ins.at[ins].type;
    if ((type != CW_I32 && type != CW_I64) || !cw_rule_text(ctx, ctx->fn->ins.at[ins].loc, &text))
        return;
    bool is_pointee = text.source->text[text.from] == '*';
    cw_draft_edit(&draft, &text, text.from, text.from + is_pointee, is_pointee ? "atomicAdd(" : "atomicAdd(&");
    cw_draft_edit(&draft, &text, text.to, text.to, ", 0)");
    cw_draft_offer(&draft, finding, true, "poll with an atomic");
}
