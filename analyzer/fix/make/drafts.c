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

void cw_draft_spoil(struct cw_draft *d) {
    d->spoilt = true;
}

static bool is_same_range(const struct cw_place *a, const struct cw_place *b) {
    return a->line == b->line && a->col == b->col && a->end_line == b->end_line && a->end_col == b->end_col &&
           !strcmp(a->file, b->file);
}

static bool is_same_change(const struct cw_fix *a, const struct cw_fix *b) {
    if (a->edits.n != b->edits.n)
        return false;
    for (uint32_t i = 0; i < a->edits.n; i++)
        if (!is_same_range(&a->edits.at[i].place, &b->edits.at[i].place) ||
            strcmp(a->edits.at[i].replacement, b->edits.at[i].replacement) != 0)
            return false;
    return true;
}

void cw_draft_offer(struct cw_draft *d, struct cw_finding *f, bool safe, const char *format, ...) {
    struct cw_arena *keep = d->ctx->sink->keep;
    va_list ap;
    if (d->spoilt || !d->fix.edits.n)
        return;
    va_start(ap, format);
    d->fix.message = cw_arena_vprintf(keep, format, ap);
    va_end(ap);
    d->fix.safe = safe;
    for (uint32_t i = 0; i < f->fixes.n; i++)
        if (is_same_change(&f->fixes.at[i], &d->fix))
            return; /* two causes, one cure */
    cw_vec_push(keep, &f->fixes, d->fix);
}

void cw_draft_edit(struct cw_draft *d, const struct cw_span_text *t, size_t from, size_t to, const char *replacement) {
    struct cw_arena *keep = d->ctx->sink->keep;
    struct cw_edit edit = {.replacement = cw_arena_strdup(keep, replacement)};
    edit.place.file = d->ctx->module->files.at[t->file];
    cw_source_place(t->source, from, &edit.place.line, &edit.place.col);
    cw_source_place(t->source, to, &edit.place.end_line, &edit.place.end_col);
    for (uint32_t i = 0; i < d->fix.edits.n; i++) { /* inlined copies have one text */
        const struct cw_edit *e = &d->fix.edits.at[i];
        if (e->place.line == edit.place.line && e->place.col == edit.place.col &&
            !strcmp(e->replacement, replacement) && !strcmp(e->place.file, edit.place.file))
            return;
    }
    cw_vec_push(keep, &d->fix.edits, edit);
}

/* ---- text ---- */

static bool text_of_span(struct cw_rule_ctx *ctx, const struct cw_span *s, struct cw_span_text *out) {
    const struct cw_rule_sink *sink = ctx->sink;
    if (!s->line || s->file >= ctx->module->files.n || !sink->source_of)
        return false;
    out->source = sink->source_of(sink->ctx, ctx->module->files.at[s->file]);
    out->file = s->file;
    if (!out->source || out->source->is_binary)
        return false;
    out->from = cw_source_offset(out->source, s->line, s->col);
    out->to = cw_source_offset(out->source, s->end_line, s->end_col);
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

static bool is_punct(const char *text, struct cw_token t, char c) {
    return t.kind == CW_TOKEN_PUNCT && t.n == 1 && text[t.at] == c;
}

/* Leaves blanks and comments at the ends out. */
static struct cw_extent between(const struct cw_span_text *t, struct cw_token first, struct cw_token last) {
    return (struct cw_extent){(uint32_t)(t->from + first.at), (uint32_t)(t->from + last.at + last.n)};
}

/* Splits `name(a, b, …)`. Template arguments among the arguments, whose commas look like those between, make it fail,
 * as does anything that is not one call from beginning to end. */
static bool split_call(const struct cw_span_text *t, struct arguments *out) {
    const char *text = t->source->text + t->from;
    struct cw_lexer l;
    struct cw_token token, first = {0}, last = {0};
    int depth = 0;
    bool empty = true;
    if (t->to - t->from > MAX_CALL_BYTES)
        return false;
    cw_lexer_init(&l, text, t->to - t->from);
    *out = (struct arguments){0};
    for (token = cw_lexer_next(&l); token.kind != CW_TOKEN_END; token = cw_lexer_next(&l)) {
        if (token.kind == CW_TOKEN_COMMENT)
            continue;
        if (token.kind == CW_TOKEN_DIRECTIVE || is_punct(text, token, '{') || (depth == 0 && out->n))
            return false;
        bool opens = is_punct(text, token, '(') || is_punct(text, token, '[');
        bool closes = is_punct(text, token, ')') || is_punct(text, token, ']');
        if (!depth && token.kind == CW_TOKEN_NAME)
            out->name = between(t, token, token);
        depth += opens - closes;
        bool ends = (depth == 1 && is_punct(text, token, ',')) || (depth == 0 && closes);
        if (ends && !empty) {
            if (out->n == MAX_ARGUMENTS)
                return false;
            out->at[out->n++] = between(t, first, last);
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
static bool has_count(const struct cw_fn *fn, const struct cw_ins *i, uint32_t n) {
    uint32_t most = i->narg - !!(i->flags & CW_INS_LEGACY);
    if (i->op == CW_OP_SHFL && (i->flags & CW_INS_DEFAULT_WIDTH))
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

bool cw_span_text_is(const struct cw_span_text *t, const char *text) {
    size_t n = strlen(text);
    return t->to - t->from == n && !memcmp(t->source->text + t->from, text, n);
}

const char *cw_span_text_copy(struct cw_rule_ctx *ctx, const struct cw_span_text *t) {
    return cw_arena_strndup(ctx->arena, t->source->text + t->from, t->to - t->from);
}

bool cw_span_text_is_literal(const struct cw_span_text *t) {
    struct cw_lexer l;
    cw_lexer_init(&l, t->source->text + t->from, t->to - t->from);
    struct cw_token token = cw_lexer_next(&l);
    return token.kind == CW_TOKEN_NUMBER && token.n == t->to - t->from;
}
