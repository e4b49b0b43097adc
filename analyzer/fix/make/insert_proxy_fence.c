/* The fence goes behind the statement that stores, on a line of its own; behind the whole loop or branch where a bare
 * body has no room for two statements. */
#include "fix/make/insert_proxy_fence.h"

#include "fix/make/drafts.h"
#include "fix/make/statements.h"

#include <string.h>

/* As the file writes it: with libcu++'s function where that is used already. */
static const char *fence_of(const struct cw_source *source) {
    static const char function[] = "cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);";
    static const char assembly[] = "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");";
    return memmem(source->text, source->size, "cuda::ptx::", strlen("cuda::ptx::")) ? function : assembly;
}

/* Can another statement follow it? */
static bool takes_follower(const struct cw_statement *statement) {
    return statement->kind != CW_STATEMENT_COMPOUND && !statement->is_bare && !statement->is_broken;
}

void cw_fix_proxy_fence(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t store, uint32_t copy) {
    struct cw_spot at;
    struct cw_span_text text;
    uint32_t stored = ctx->fn->ins.at[store].loc, copied = ctx->fn->ins.at[copy].loc;
    if (!cw_rule_use_text(ctx, stored, &text) || !cw_spot_of(ctx, stored, &at))
        return;
    const struct cw_statements *all = cw_rule_statements(ctx, at.file);
    while (at.statement != CW_NO_STATEMENT && !takes_follower(&all->at.at[at.statement]))
        at.statement = all->at.at[at.statement].parent;
    if (at.statement == CW_NO_STATEMENT)
        return;
    const struct cw_statement *s = &all->at.at[at.statement];
    if (cw_spot_is_in(ctx, copied, &at, cw_statement_extent(s)))
        return; /* behind it would be too late */
    struct cw_draft draft = cw_draft_begin(ctx);
    const char *fence = fence_of(text.source);
    cw_draft_put_behind(&draft, &text, s, fence);
    cw_draft_offer(&draft, finding, true, "insert %.*s behind the store", (int)strlen(fence) - 1, fence);
}
