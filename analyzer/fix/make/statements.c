/* Statements as fixes see them: found in the syntax tree of a file's text, tied to the blocks and instructions made of
 * them. */
#include "fix/make/statements.h"

#include "kernel/ask/values.h"
#include "fix/make/drafts.h"
#include "fix/make/together.h"
#include "rules/sink.h"
#include "source/lexer.h"

#include <string.h>

enum { MAX_SITES = 64, MAX_EXPRESSION = 400 };

/* ---- frames: inlined calls ---- */

/* The place in `frame` through which `loc` is reached, 0 when it is not reached from there. */
uint32_t cw_site_lift(const struct cw_fn *fn, uint32_t loc, uint32_t frame) {
    for (uint32_t n = 0; n < MAX_SITES; n++) {
        if (fn->locs.at[loc].site == frame)
            return loc;
        if (!fn->locs.at[loc].site)
            return 0;
        loc = fn->sites.at[fn->locs.at[loc].site].loc;
    }
    return 0;
}

/* The innermost inlined call that both are in. */
uint32_t cw_site_common(const struct cw_fn *fn, uint32_t a, uint32_t b) {
    for (uint32_t n = 0, frame = fn->locs.at[b].site; n < MAX_SITES; n++) {
        if (cw_site_lift(fn, a, frame))
            return frame;
        frame = fn->locs.at[fn->sites.at[frame].loc].site;
    }
    return 0;
}

/* ---- statements ---- */

const struct cw_statements *cw_rule_statements(struct cw_rule_ctx *ctx, uint32_t file) {
    const struct cw_rule_sink *sink = ctx->sink;
    return sink->statements_of ? sink->statements_of(sink->text_ctx, ctx->module->files.at[file]) : NULL;
}

const struct cw_statement *cw_spot_statement(struct cw_rule_ctx *ctx, const struct cw_spot *spot) {
    return &cw_rule_statements(ctx, spot->file)->at.at[spot->statement];
}

bool cw_spot_of(struct cw_rule_ctx *ctx, uint32_t loc, struct cw_spot *out) {
    struct cw_span_text t;
    const struct cw_statements *all;
    *out = (struct cw_spot){.statement = CW_NO_STATEMENT, .block = CW_NO_BLOCK};
    if (!loc || !cw_rule_use_text(ctx, loc, &t) || !(all = cw_rule_statements(ctx, t.file)))
        return false;
    out->statement = cw_statements_find(all, t.from, t.to);
    out->file = t.file;
    out->frame = ctx->fn->locs.at[loc].site;
    return out->statement != CW_NO_STATEMENT;
}

bool cw_statement_holds(const struct cw_statement *statement, const struct cw_span_text *span_text) {
    return statement->from <= span_text->from && span_text->to <= statement->to;
}

bool cw_spot_is_in(struct cw_rule_ctx *ctx, uint32_t loc, const struct cw_spot *spot, struct cw_extent range) {
    struct cw_span_text t;
    uint32_t lifted = cw_site_lift(ctx->fn, loc, spot->frame);
    return lifted && cw_rule_use_text(ctx, lifted, &t) && t.file == spot->file && range.from <= t.from &&
           t.to <= range.to;
}

struct cw_extent cw_statement_extent(const struct cw_statement *statement) {
    return (struct cw_extent){statement->from, statement->to};
}

static bool block_is_in(struct cw_rule_ctx *ctx, uint32_t block, const struct cw_spot *spot, struct cw_extent range) {
    const struct cw_fn *fn = ctx->fn;
    const struct cw_block *k = &fn->blocks.at[block];
    if (k->jump.loc && k->jump.kind == CW_JUMP_BRANCH && cw_spot_is_in(ctx, k->jump.loc, spot, range))
        return true;
    for (uint32_t j = 0; j < k->ins.n; j++)
        if (fn->ins.at[k->ins.at[j]].op != CW_OP_PHI && cw_spot_is_in(ctx, fn->ins.at[k->ins.at[j]].loc, spot, range))
            return true;
    return false;
}

/* What stands before a loop is run by those who come to it, once; its header also by those who come round. */
static uint32_t before_loop(const struct cw_cfg *cfg, uint32_t header) {
    uint32_t loop = cfg->loop_of[header], from = cfg->idom[header];
    if (loop == CW_NO_LOOP || cfg->loops.at[loop].header != header || from == CW_NO_BLOCK)
        return header;
    return cw_cfg_in_loop(cfg, loop, from) || !cw_cfg_postdominates(cfg, header, from) ? header : from;
}

/* The block that a statement begins in: the first that holds something of it, when the others are reached through it.
 */
static uint32_t first_block(struct cw_rule_ctx *ctx, const struct cw_spot *spot) {
    const struct cw_cfg *cfg = ctx->fn->cfg;
    struct cw_extent range = cw_statement_extent(cw_spot_statement(ctx, spot));
    uint32_t first = CW_NO_BLOCK;
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        if (!block_is_in(ctx, cfg->rpo[k], spot, range))
            continue;
        if (first == CW_NO_BLOCK)
            first = cfg->rpo[k];
        else if (!cw_cfg_dominates(cfg, first, cfg->rpo[k]))
            return CW_NO_BLOCK;
    }
    bool loops = cw_spot_statement(ctx, spot)->kind == CW_STATEMENT_LOOP;
    return first != CW_NO_BLOCK && loops ? before_loop(cfg, first) : first;
}

enum cw_together cw_spot_together(struct cw_rule_ctx *ctx, struct cw_spot *spot, enum cw_uni level) {
    spot->block = first_block(ctx, spot);
    return spot->block == CW_NO_BLOCK ? CW_APART : cw_rule_together(ctx, spot->block, level);
}

static bool is_plain_token(const char *text, struct cw_token token, struct cw_token next) {
    bool follows = next.kind != CW_TOKEN_END && next.at == token.at + token.n;
    char c = text[token.at];
    if (token.kind == CW_TOKEN_NAME)
        return !(next.kind == CW_TOKEN_PUNCT && text[next.at] == '(');
    if (token.kind == CW_TOKEN_NUMBER)
        return true;
    if (token.kind != CW_TOKEN_PUNCT)
        return false;
    return !((c == '+' || c == '-') && follows && text[next.at] == c) && c != '{' && c != ';';
}

/* No calls and nothing that changes a variable, by its tokens: it may be written down a second time. */
bool cw_text_is_repeatable(const char *text, struct cw_extent extent) {
    struct cw_lexer l;
    struct cw_token t, next;
    char before = 0;
    cw_lexer_init(&l, text + extent.from, extent.to - extent.from);
    for (t = cw_lexer_next(&l); t.kind != CW_TOKEN_END; t = next) {
        next = cw_lexer_next(&l);
        if (!is_plain_token(l.text, t, next))
            return false;
        char c = t.kind == CW_TOKEN_PUNCT && t.n == 1 ? l.text[t.at] : 0;
        char after = next.kind == CW_TOKEN_PUNCT ? l.text[next.at] : 0;
        if (c == '=' && after != '=' && !(before && strchr("=<>!", before)))
            return false;
        before = t.kind == CW_TOKEN_PUNCT ? l.text[t.at + t.n - 1] : 0;
    }
    return extent.from < extent.to && extent.to - extent.from < MAX_EXPRESSION;
}

/* Does anything in the range read memory, or do more than compute? */
bool cw_spot_touches_memory(struct cw_rule_ctx *ctx, const struct cw_spot *spot, struct cw_extent range,
                            unsigned flags) {
    const struct cw_fn *fn = ctx->fn;
    for (uint32_t i = 0; i < fn->ins.n; i++)
        if (fn->ins.at[i].op != CW_OP_HOLE && (cw_op_flags(fn->ins.at[i].op) & flags) &&
            cw_spot_is_in(ctx, fn->ins.at[i].loc, spot, range))
            return true;
    return false;
}

size_t cw_text_end_with_comment(const char *text, size_t size, size_t at) {
    size_t c = at;
    while (c < size && (text[c] == ' ' || text[c] == '\t'))
        c++;
    if (c + 1 >= size || text[c] != '/' || text[c + 1] != '/')
        return at;
    while (c < size && text[c] != '\n' && text[c] != '\r')
        c++;
    return c;
}

bool cw_text_has_comment(const char *text, struct cw_extent extent) {
    struct cw_lexer l;
    cw_lexer_init(&l, text + extent.from, extent.to - extent.from);
    for (struct cw_token t = cw_lexer_next(&l); t.kind != CW_TOKEN_END; t = cw_lexer_next(&l))
        if (t.kind == CW_TOKEN_COMMENT || t.kind == CW_TOKEN_DIRECTIVE)
            return true;
    return false;
}

/* The blanks that a line begins with. */
const char *cw_text_indent(struct cw_arena *a, const char *text, size_t at) {
    size_t start = at, end;
    while (start > 0 && text[start - 1] != '\n' && text[start - 1] != '\r')
        start--;
    for (end = start; text[end] == ' ' || text[end] == '\t';)
        end++;
    return cw_arena_strndup(a, text + start, end - start);
}

bool cw_text_begins_line(const char *text, size_t at) {
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
        at--;
    return at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r';
}

/* A name that the file does not use. */
const char *cw_text_fresh_name(struct cw_arena *a, const struct cw_source *source, const char *base) {
    const char *name = base;
    for (int n = 2; n < 100 && memmem(source->text, source->size, name, strlen(name)); n++)
        name = cw_arena_printf(a, "%s%d", base, n);
    return name;
}

/* Does the line begin with a statement that ends right before `statement`, of the same block? `a(); b();` */
static bool follows_on_line(struct cw_rule_ctx *ctx, const struct cw_span_text *span_text,
                            const struct cw_statement *statement, size_t *end) {
    const struct cw_statements *all = cw_rule_statements(ctx, span_text->file);
    const char *text = span_text->source->text;
    bool begins = false, ends = false;
    *end = statement->from;
    while (*end > 0 && (text[*end - 1] == ' ' || text[*end - 1] == '\t'))
        (*end)--;
    for (uint32_t k = 0; all && k < all->at.n && all->at.at[k].from < statement->from; k++) {
        const struct cw_statement *other = &all->at.at[k];
        if (other->parent != statement->parent || other->to > *end ||
            memchr(text + other->from, '\n', *end - other->from))
            continue;
        begins |= cw_text_begins_line(text, other->from);
        ends |= other->to == *end;
    }
    return begins && ends;
}

void cw_draft_put_before(struct cw_draft *draft, const struct cw_span_text *span_text,
                         const struct cw_statement *statement, const char *line) {
    struct cw_arena *a = draft->ctx->arena;
    const char *text = span_text->source->text, *indent = cw_text_indent(a, text, statement->from);
    size_t from = statement->from, end;
    if (cw_text_begins_line(text, from))
        cw_draft_edit(draft, span_text, from, from, cw_arena_printf(a, "%s\n%s", line, indent));
    else if (follows_on_line(draft->ctx, span_text, statement, &end))
        cw_draft_edit(draft, span_text, end, from, cw_arena_printf(a, "\n%s%s\n%s", indent, line, indent));
    else
        cw_draft_edit(draft, span_text, from, from, cw_arena_printf(a, "%s ", line));
}

void cw_draft_put_behind(struct cw_draft *draft, const struct cw_span_text *span_text,
                         const struct cw_statement *statement, const char *line) {
    struct cw_arena *a = draft->ctx->arena;
    const struct cw_source *source = span_text->source;
    const char *indent = cw_text_indent(a, source->text, statement->from);
    size_t end = cw_text_end_with_comment(source->text, source->size, statement->to), next = end;
    while (next < source->size && (source->text[next] == ' ' || source->text[next] == '\t'))
        next++;
    if (next == source->size || source->text[next] == '\n' || source->text[next] == '\r')
        cw_draft_edit(draft, span_text, end, end, cw_arena_printf(a, "\n%s%s", indent, line));
    else
        cw_draft_edit(draft, span_text, end, next, cw_arena_printf(a, "\n%s%s\n%s", indent, line, indent));
}

void cw_draft_insert_before(struct cw_draft *draft, const struct cw_span_text *span_text,
                            const struct cw_statement *statement, const char *call) {
    struct cw_arena *a = draft->ctx->arena;
    const char *text = span_text->source->text, *indent = cw_text_indent(a, text, statement->from);
    size_t head = statement->head;
    if (head < statement->from) {
        bool is_line = cw_text_begins_line(text, head) && (head == 0 || text[head - 1] == '\n');
        cw_draft_edit(draft, span_text, head, head, cw_arena_printf(a, "%s%s\n", is_line ? indent : "", call));
    } else {
        cw_draft_put_before(draft, span_text, statement, call);
    }
}
