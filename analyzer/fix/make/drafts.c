/* Fixes in the making: edits of the text a finding lies in. What cannot be edited for certain spoils the fix, and a
 * spoilt fix is not offered. */
#include "fix/make/drafts.h"

#include "rules/sink.h"
#include "source/lexer.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_ARGUMENTS = 8, MAX_CALL_BYTES = 4096 };

/* ---- drafts ---- */

struct cw_draft cw_draft_begin(struct cw_rule_ctx *ctx) {
    return (struct cw_draft){.ctx = ctx};
}

void cw_draft_spoil(struct cw_draft *draft) {
    draft->spoilt = true;
}

static bool is_same_range(const struct cw_place *place, const struct cw_place *other) {
    return place->line == other->line && place->col == other->col && place->end_line == other->end_line &&
           place->end_col == other->end_col && !strcmp(place->file, other->file);
}

static bool is_same_change(const struct cw_fix *fix, const struct cw_fix *other) {
    if (fix->edits.n != other->edits.n)
        return false;
    for (uint32_t i = 0; i < fix->edits.n; i++)
        if (!is_same_range(&fix->edits.at[i].place, &other->edits.at[i].place) ||
            strcmp(fix->edits.at[i].replacement, other->edits.at[i].replacement) != 0)
            return false;
    return true;
}

void cw_draft_offer(struct cw_draft *draft, struct cw_finding *finding, bool safe, const char *format, ...) {
    struct cw_arena *keep = draft->ctx->sink->keep;
    va_list ap;
    if (draft->spoilt || !draft->fix.edits.n)
        return;
    va_start(ap, format);
    draft->fix.message = cw_arena_vprintf(keep, format, ap);
    va_end(ap);
    draft->fix.safe = safe;
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        if (is_same_change(&finding->fixes.at[i], &draft->fix))
            return; /* two causes, one cure */
    cw_vec_push(keep, &finding->fixes, draft->fix);
}

void cw_draft_edit(struct cw_draft *draft, const struct cw_span_text *span_text, size_t from, size_t to,
                   const char *replacement) {
    struct cw_arena *keep = draft->ctx->sink->keep;
    struct cw_edit edit = {.replacement = cw_arena_strdup(keep, replacement)};
    edit.place.file = draft->ctx->module->files.at[span_text->file];
    cw_source_place(span_text->source, from, &edit.place.line, &edit.place.col);
    cw_source_place(span_text->source, to, &edit.place.end_line, &edit.place.end_col);
    for (uint32_t i = 0; i < draft->fix.edits.n; i++) { /* inlined copies have one text */
        const struct cw_edit *e = &draft->fix.edits.at[i];
        if (e->place.line == edit.place.line && e->place.col == edit.place.col &&
            !strcmp(e->replacement, replacement) && !strcmp(e->place.file, edit.place.file))
            return;
    }
    cw_vec_push(keep, &draft->fix.edits, edit);
}

/* ---- text ---- */

static bool text_of_span(struct cw_rule_ctx *ctx, const struct cw_span *span, struct cw_span_text *out) {
    const struct cw_rule_sink *sink = ctx->sink;
    if (!span->line || span->file >= ctx->module->files.n || !sink->source_of)
        return false;
    out->source = sink->source_of(sink->ctx, ctx->module->files.at[span->file]);
    out->file = span->file;
    if (!out->source || out->source->is_binary)
        return false;
    out->from = cw_source_offset(out->source, span->line, span->col);
    out->to = cw_source_offset(out->source, span->end_line, span->end_col);
    return out->from < out->to;
}

bool cw_rule_text(struct cw_rule_ctx *ctx, uint32_t loc, struct cw_span_text *out) {
    const struct cw_loc *l = &ctx->fn->locs.at[loc < ctx->fn->locs.n ? loc : 0];
    return !l->macro && text_of_span(ctx, &l->span, out);
}

bool cw_rule_use_text(struct cw_rule_ctx *ctx, uint32_t loc, struct cw_span_text *out) {
    return loc < ctx->fn->locs.n && text_of_span(ctx, &ctx->fn->locs.at[loc].span, out);
}

/* ---- calls ---- */

struct arguments {
    struct cw_extent at[MAX_ARGUMENTS], name;
    uint32_t n;
};

static bool is_punct(const char *text, struct cw_token token, char c) {
    return token.kind == CW_TOKEN_PUNCT && token.n == 1 && text[token.at] == c;
}

/* Leaves blanks and comments at the ends out. */
static struct cw_extent extent_between(const struct cw_span_text *span_text, struct cw_token first,
                                       struct cw_token last) {
    return (struct cw_extent){(uint32_t)(span_text->from + first.at), (uint32_t)(span_text->from + last.at + last.n)};
}

/* Splits `name(a, b, …)`. Template arguments among the arguments, whose commas look like those between, make it fail,
 * as does anything that is not one call from beginning to end. */
static bool split_call(const struct cw_span_text *span_text, struct arguments *out) {
    const char *text = span_text->source->text + span_text->from;
    struct cw_lexer l;
    struct cw_token token, first = {0}, last = {0};
    int depth = 0;
    bool empty = true;
    if (span_text->to - span_text->from > MAX_CALL_BYTES)
        return false;
    cw_lexer_init(&l, text, span_text->to - span_text->from);
    *out = (struct arguments){0};
    for (token = cw_lexer_next(&l); token.kind != CW_TOKEN_END; token = cw_lexer_next(&l)) {
        if (token.kind == CW_TOKEN_COMMENT)
            continue;
        if (token.kind == CW_TOKEN_DIRECTIVE || is_punct(text, token, '{') || (depth == 0 && out->n))
            return false;
        bool opens = is_punct(text, token, '(') || is_punct(text, token, '[');
        bool closes = is_punct(text, token, ')') || is_punct(text, token, ']');
        if (!depth && token.kind == CW_TOKEN_NAME)
            out->name = extent_between(span_text, token, token);
        depth += opens - closes;
        bool ends = (depth == 1 && is_punct(text, token, ',')) || (depth == 0 && closes);
        if (ends && !empty) {
            if (out->n == MAX_ARGUMENTS)
                return false;
            out->at[out->n++] = extent_between(span_text, first, last);
            empty = true;
        } else if (!ends && depth > 0 && !(depth == 1 && opens)) {
            first = empty ? token : first;
            last = token;
            empty = false;
        }
    }
    return depth == 0 && out->name.to;
}

/* As many arguments as the operation has: else some comma is not what it looks like. */
static bool has_count(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t n) {
    uint32_t most = ins->narg - !!(ins->flags & CW_INS_LEGACY);
    if (ins->op == CW_OP_SHFL && (ins->flags & CW_INS_DEFAULT_WIDTH))
        most--;
    (void)fn;
    return n == most;
}

bool cw_rule_argument(struct cw_rule_ctx *ctx, uint32_t ins, uint32_t k, struct cw_span_text *out) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    struct arguments arguments;
    if (!cw_rule_text(ctx, i->loc, out) || !split_call(out, &arguments) || !has_count(ctx->fn, i, arguments.n) ||
        k >= arguments.n)
        return false;
    out->from = arguments.at[k].from;
    out->to = arguments.at[k].to;
    return true;
}

bool cw_rule_callee(struct cw_rule_ctx *ctx, uint32_t ins, struct cw_span_text *out) {
    struct arguments arguments;
    if (!cw_rule_text(ctx, ctx->fn->ins.at[ins].loc, out) || !split_call(out, &arguments) ||
        !has_count(ctx->fn, &ctx->fn->ins.at[ins], arguments.n))
        return false;
    out->from = arguments.name.from;
    out->to = arguments.name.to;
    return true;
}

bool cw_span_text_is(const struct cw_span_text *span_text, const char *text) {
    size_t n = strlen(text);
    return span_text->to - span_text->from == n && !memcmp(span_text->source->text + span_text->from, text, n);
}

const char *cw_span_text_copy(struct cw_rule_ctx *ctx, const struct cw_span_text *span_text) {
    return cw_arena_strndup(ctx->arena, span_text->source->text + span_text->from, span_text->to - span_text->from);
}

bool cw_span_text_is_literal(const struct cw_span_text *span_text) {
    struct cw_lexer l;
    cw_lexer_init(&l, span_text->source->text + span_text->from, span_text->to - span_text->from);
    struct cw_token token = cw_lexer_next(&l);
    return token.kind == CW_TOKEN_NUMBER && token.n == span_text->to - span_text->from;
}
