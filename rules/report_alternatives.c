/* Code that the current target does not compile: the other side of a version switch. */
#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "rules/report_uses.h"
#include "rules/sink.h"
#include "source/alternatives.h"
#include "source/lexer.h"

#include <string.h>

enum { MAX_NAMES = 32 }; /* macros followed through each other's bodies */

/* A shuffle or vote that takes a mask: by its name, or as PTX. */
static bool is_sync_form(cw_str token, uint8_t kind) {
    if (kind == CW_TOKEN_STRING)
        return memmem(token.at, token.n, "shfl.sync", 9) || memmem(token.at, token.n, "vote.sync", 9);
    if (kind != CW_TOKEN_NAME || !cw_str_starts(token, "__") || !cw_str_ends(token, "_sync") || token.n > 40)
        return false;
    char name[48];
    memcpy(name, token.at, token.n);
    name[token.n] = '\0';
    const struct cw_intrinsic *row = cw_intrinsic_find(name);
    return row != NULL && (row->op == CW_OP_SHFL || row->op == CW_OP_VOTE);
}

static const struct cw_source *source_of_file(struct cw_rule_ctx *ctx, uint32_t file) {
    const struct cw_rule_sink *sink = ctx->sink;
    return sink->source_of != NULL ? sink->source_of(sink->ctx, ctx->module->files.at[file]) : NULL;
}

static bool has_sibling_with_sync(struct cw_rule_ctx *ctx, struct cw_span at) {
    const struct cw_rule_sink *sink = ctx->sink;
    const struct cw_source *s = at.line != 0 ? source_of_file(ctx, at.file) : NULL;
    if (s == NULL || sink->branches_of == NULL)
        return false;
    const struct cw_branches *b = sink->branches_of(sink->text_ctx, ctx->module->files.at[at.file]);
    if (b == NULL || b->n == 0)
        return false;
    uint32_t branch = cw_branch_at(b, (uint32_t)cw_source_offset(s, at.line, at.col));
    return cw_branches_sibling_holds(b, s->text, branch, is_sync_form);
}

static bool is_listed(const struct cw_name_list *list, const char *name) {
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(list->at[i], name) == 0)
            return true;
    return false;
}

/* Another definition of the macro, or of one that it expands to, uses the form with a mask. */
static bool has_macro_with_sync(struct cw_rule_ctx *ctx, const char *macro) {
    struct cw_name_list names = {0};
    cw_vec_push(ctx->arena, &names, macro);
    for (uint32_t n = 0; n < names.n && n < MAX_NAMES; n++) {
        struct cw_name_list body = {0};
        for (uint32_t k = 0; k < ctx->module->files.n; k++) {
            const struct cw_source *s = source_of_file(ctx, k);
            if (s == NULL)
                continue;
            if (cw_macro_alternative_holds(ctx->arena, s->text, s->size, names.at[n], is_sync_form))
                return true;
            cw_macro_body_names(ctx->arena, s->text, s->size, names.at[n], &body);
        }
        for (uint32_t i = 0; i < body.n; i++)
            if (!is_listed(&names, body.at[i]))
                cw_vec_push(ctx->arena, &names, body.at[i]);
    }
    return false;
}

bool cw_rule_is_version_switch(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_fn *fn = ctx->fn;
    const struct cw_loc *loc = &fn->locs.at[fn->ins.at[ins].loc];
    return has_sibling_with_sync(ctx, loc->span) || (loc->macro != NULL && has_macro_with_sync(ctx, loc->macro));
}

/* ---- participation ---- */

/* Under this launch, is there a warp of which some lanes make the call and others run, or may run, elsewhere? */
static bool leaves_lanes_out(struct cw_rule_ctx *ctx, struct cw_lanes *lanes, uint32_t ins) {
    const struct cw_participation *p = cw_participation(lanes, ins, NULL, ctx->arena);
    for (uint32_t w = 0; w < (cw_lanes_count(lanes) + 31) / 32; w++) {
        uint32_t data = cw_participation_lanes(p, lanes, w, CW_DATA);
        uint32_t calls = cw_participation_lanes(p, lanes, w, CW_ARRIVES) | data;
        if (calls != 0 && (cw_participation_lanes(p, lanes, w, CW_ELSEWHERE) | data) != 0)
            return true;
    }
    return false;
}

bool cw_rule_leaves_lanes_out(struct cw_rule_ctx *ctx, uint32_t ins) {
    for (uint32_t k = 0; k < ctx->launches->n; k++)
        if (leaves_lanes_out(ctx, cw_kernel_lanes(ctx->kernel, k, 0), ins))
            return true;
    return false;
}
