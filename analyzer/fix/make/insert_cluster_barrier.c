/* See insert_cluster_barrier.h. The barrier is written as the kernel writes it already, else as a method of the group
 * that maps the address, else as the one that needs nothing in scope. */
#include "fix/make/insert_cluster_barrier.h"

#include "fix/make/drafts.h"
#include "fix/make/statements.h"
#include "fix/make/together.h"
#include "source/lexer.h"

#include <string.h>

/* `g.map_shared_rank(…)`: g, where that is one name; NULL: something else. */
static const char *group_name(struct cw_rule_ctx *ctx, uint32_t map) {
    struct cw_span_text text;
    struct cw_lexer lexer;
    if (ctx->fn->locs.at[ctx->fn->ins.at[map].loc].site || !cw_rule_text(ctx, ctx->fn->ins.at[map].loc, &text))
        return NULL;
    const char *from = text.source->text + text.from;
    cw_lexer_init(&lexer, from, text.to - text.from);
    struct cw_token name = cw_lexer_next(&lexer), dot = cw_lexer_next(&lexer), method = cw_lexer_next(&lexer);
    static const char wanted[] = "map_shared_rank";
    bool is_method = name.kind == CW_TOKEN_NAME && dot.kind == CW_TOKEN_PUNCT && from[dot.at] == '.' &&
                     method.kind == CW_TOKEN_NAME && method.n == sizeof wanted - 1 &&
                     memcmp(from + method.at, wanted, method.n) == 0;
    return is_method ? cw_arena_strndup(ctx->arena, from + name.at, name.n) : NULL;
}

/* The statement of a barrier that the kernel has: a call without arguments. NULL: none. */
static const char *barrier_in_kernel(struct cw_rule_ctx *ctx) {
    for (uint32_t k = 0; k < ctx->fn->ins.n; k++) {
        const struct cw_ins *ins = &ctx->fn->ins.at[k];
        struct cw_spot spot;
        struct cw_span_text text;
        uint32_t loc = ins->op == CW_OP_CLUSTERSYNC ? cw_site_lift(ctx->fn, ins->loc, 0) : 0;
        if (!loc || !cw_rule_text(ctx, loc, &text) || !cw_spot_of(ctx, loc, &spot))
            continue;
        const struct cw_statement *s = cw_spot_statement(ctx, &spot);
        const char *from = text.source->text + s->from;
        size_t n = s->to - s->from;
        if (s->kind == CW_STATEMENT_PLAIN && n > 3 && memcmp(from + n - 3, "();", 3) == 0)
            return cw_arena_strndup(ctx->arena, from, n);
    }
    return NULL;
}

static const char *barrier_text(struct cw_rule_ctx *ctx, uint32_t map, const struct cw_source *source) {
    const char *group = group_name(ctx, map), *known = group ? NULL : barrier_in_kernel(ctx);
    static const char header[] = "cooperative_groups.h";
    if (group)
        return cw_arena_printf(ctx->arena, "%s.sync();", group);
    if (known)
        return known;
    return memmem(source->text, source->size, header, sizeof header - 1)
               ? "cooperative_groups::this_cluster().sync();"
               : "asm volatile(\"barrier.cluster.arrive; barrier.cluster.wait;\" ::: \"memory\");";
}

static bool has_neighbours(const struct cw_statement *statement) {
    return statement->kind != CW_STATEMENT_COMPOUND && !statement->is_labelled && !statement->is_broken &&
           !statement->is_bare;
}

/* Does a thread leave the kernel in it? */
static bool holds_return(struct cw_rule_ctx *ctx, const struct cw_spot *spot) {
    struct cw_extent extent = cw_statement_extent(cw_spot_statement(ctx, spot));
    for (uint32_t b = 0; b < ctx->fn->blocks.n; b++) {
        const struct cw_jump *jump = &ctx->fn->blocks.at[b].jump;
        if ((jump->kind == CW_JUMP_RETURN || jump->origin == CW_FROM_RETURN) && jump->loc &&
            cw_spot_is_in(ctx, jump->loc, spot, extent))
            return true;
    }
    return false;
}

/* The outermost statement around the access that all threads of the grid begin. */
static bool find_statement(struct cw_rule_ctx *ctx, uint32_t loc, bool is_behind, struct cw_spot *out) {
    struct cw_spot spot;
    bool is_found = false;
    if (!cw_spot_of(ctx, loc, &spot))
        return false;
    for (; spot.statement != CW_NO_STATEMENT; spot.statement = cw_spot_statement(ctx, &spot)->parent) {
        if (!has_neighbours(cw_spot_statement(ctx, &spot)) ||
            cw_spot_together(ctx, &spot, CW_UNI_GRID) != CW_TOGETHER || (is_behind && holds_return(ctx, &spot)))
            continue;
        *out = spot;
        is_found = true;
    }
    return is_found;
}

void cw_fix_cluster_barrier(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t access, uint32_t map,
                            bool is_behind) {
    struct cw_draft draft = cw_draft_begin(ctx);
    struct cw_span_text text;
    struct cw_spot spot;
    uint32_t loc = cw_site_lift(ctx->fn, ctx->fn->ins.at[access].loc, 0);
    if (!loc || !cw_rule_use_text(ctx, loc, &text) || !find_statement(ctx, loc, is_behind, &spot))
        return;
    const struct cw_statement *s = cw_spot_statement(ctx, &spot);
    const char *barrier = barrier_text(ctx, map, text.source);
    if (is_behind) {
        size_t end = cw_text_end_with_comment(text.source->text, text.source->size, s->to);
        const char *indent = cw_text_indent(ctx->arena, text.source->text, s->from);
        cw_draft_edit(&draft, &text, end, end, cw_arena_printf(ctx->arena, "\n%s%s", indent, barrier));
    } else {
        cw_draft_insert_before(&draft, &text, s, barrier);
    }
    cw_draft_offer(&draft, finding, cw_rule_proves(ctx, loc, CW_TOGETHER), "insert %.*s %s the access",
                   (int)strlen(barrier) - 1, barrier, is_behind ? "after" : "before");
}
