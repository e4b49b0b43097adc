/* Fixes of slips of the pen: an operator that lacks a character, arguments and parentheses in the wrong place. */
#include "fix/make/slips.h"

#include "fix/make/drafts.h"
#include "fix/make/statements.h"
#include "source/lexer.h"

#include <string.h>

enum { MAX_TOKENS = 8 };

static uint32_t read_tokens(const char *text, struct cw_extent extent, struct cw_token *tokens,
                            struct cw_lexer *lexer) {
    uint32_t n = 0;
    cw_lexer_init(lexer, text + extent.from, extent.to - extent.from);
    for (struct cw_token t = cw_lexer_next(lexer); t.kind != CW_TOKEN_END; t = cw_lexer_next(lexer)) {
        if (n == MAX_TOKENS || t.kind == CW_TOKEN_COMMENT || t.kind == CW_TOKEN_DIRECTIVE)
            return 0;
        tokens[n++] = t;
    }
    return n;
}

/* The operator between a name and one more operand, "" when the expression is none of that kind. */
static cw_str operator_of(const char *text, struct cw_extent extent, uint32_t *at) {
    struct cw_token tokens[MAX_TOKENS];
    struct cw_lexer l;
    uint32_t n = read_tokens(text, extent, tokens, &l);
    if (n < 3 || tokens[0].kind != CW_TOKEN_NAME ||
        (tokens[n - 1].kind != CW_TOKEN_NUMBER && tokens[n - 1].kind != CW_TOKEN_NAME))
        return (cw_str){"", 0};
    for (uint32_t k = 1; k + 1 < n; k++)
        if (tokens[k].kind != CW_TOKEN_PUNCT || (k > 1 && tokens[k].at != tokens[k - 1].at + tokens[k - 1].n))
            return (cw_str){"", 0};
    *at = extent.from + tokens[1].at;
    return (cw_str){text + *at, tokens[n - 2].at + tokens[n - 2].n - tokens[1].at};
}

/* What a step without effect was meant to be. Comparisons: the shift with the same ending; arithmetic: its assignment.
 */
static const char *assignment_for(cw_str op) {
    static const char *const pairs[][2] = {{">=", ">>="}, {"<=", "<<="}, {">>", ">>="}, {"<<", "<<="}, {"+", "+="},
                                           {"-", "-="},   {"*", "*="},   {"/", "/="}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (cw_str_is(op, pairs[k][0]))
            return pairs[k][1];
    return NULL;
}

/* The same variable in the condition: what the step changes is what ends the loop. */
static bool names_variable(const char *text, struct cw_extent extent, cw_str name) {
    struct cw_token tokens[MAX_TOKENS];
    struct cw_lexer l;
    uint32_t n = read_tokens(text, extent, tokens, &l);
    for (uint32_t k = 0; k < n; k++)
        if (tokens[k].kind == CW_TOKEN_NAME && cw_str_eq((cw_str){l.text + tokens[k].at, tokens[k].n}, name))
            return true;
    return false;
}

void cw_fix_step(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text t;
    struct cw_spot p;
    uint32_t at = 0;
    if (!cw_rule_text(ctx, loc, &t) || !cw_spot_of(ctx, loc, &p))
        return;
    const struct cw_statement *s = cw_spot_statement(ctx, &p);
    if (s->kind != CW_STATEMENT_LOOP || !s->update.to || s->condition.from > t.from || s->condition.to < t.to)
        return;
    cw_str op = operator_of(t.source->text, s->update, &at);
    const char *now = assignment_for(op);
    size_t name = 0;
    while (name < op.n + at - s->update.from && t.source->text[s->update.from + name] != ' ' &&
           s->update.from + name < at)
        name++;
    if (!now || !names_variable(t.source->text, s->condition, (cw_str){t.source->text + s->update.from, name}))
        return;
    cw_draft_edit(&d, &t, at, at + op.n, now);
    cw_draft_offer(&d, finding, true, "let the step assign: %s", now);
}

void cw_fix_shift(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text t;
    struct cw_token token;
    struct cw_lexer l;
    int depth = 0;
    size_t found = SIZE_MAX;
    if (!cw_rule_text(ctx, loc, &t))
        return;
    cw_lexer_init(&l, t.source->text + t.from, t.to - t.from);
    for (token = cw_lexer_next(&l); token.kind != CW_TOKEN_END; token = cw_lexer_next(&l)) {
        char c = token.kind == CW_TOKEN_PUNCT && token.n == 1 ? l.text[token.at] : 0;
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (depth != 0 || (c != '>' && c != '<'))
            continue;
        char after = t.from + token.at + 1 < t.to ? l.text[token.at + 1] : 0;
        if (found != SIZE_MAX || after == '=' || after == c)
            return; /* another comparison, or templates */
        found = t.from + token.at;
    }
    if (found == SIZE_MAX)
        return;
    cw_draft_edit(&d, &t, found, found + 1, t.source->text[found] == '>' ? ">>" : "<<");
    cw_draft_offer(&d, finding, true, "write the shift");
}

/* ---- operands that went to the wrong side of a parenthesis ---- */

/* End of the left operand of the range's outermost comparison, sum or difference; 0 when there is none. */
static size_t left_operand_end(const struct cw_span_text *span_text) {
    struct cw_lexer l;
    int depth = 0;
    size_t end = 0;
    cw_lexer_init(&l, span_text->source->text + span_text->from, span_text->to - span_text->from);
    for (struct cw_token token = cw_lexer_next(&l); token.kind != CW_TOKEN_END; token = cw_lexer_next(&l)) {
        char c = token.kind == CW_TOKEN_PUNCT ? l.text[token.at] : 0;
        if (depth == 0 && end && c && strchr("=!<>+-", c))
            return end;
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        end = span_text->from + token.at + token.n;
    }
    return 0;
}

void cw_fix_parentheses(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t outer, uint32_t inner) {
    struct cw_draft d = cw_draft_begin(ctx);
    const struct cw_fn *fn = ctx->fn;
    struct cw_span_text whole, part;
    if (!cw_rule_text(ctx, fn->ins.at[outer].loc, &whole) || !cw_rule_text(ctx, fn->ins.at[inner].loc, &part) ||
        part.file != whole.file || part.from < whole.from || part.to > whole.to)
        return;
    size_t end = left_operand_end(&part);
    bool is_call = fn->ins.at[outer].op != CW_OP_AND;
    if (!end || (is_call && (whole.source->text[whole.to - 1] != ')' || part.to + 1 != whole.to)))
        return;
    if (is_call)
        cw_draft_edit(&d, &whole, whole.to - 1, whole.to, "");
    else
        cw_draft_edit(&d, &whole, whole.from, whole.from, "(");
    cw_draft_edit(&d, &whole, end, end, ")");
    cw_draft_offer(&d, finding, false, "close the parenthesis after the mask");
}

/* ---- the lane of a block with narrow rows ---- */

/* The remainder may have further uses, as a column for instance: never safe. */
void cw_fix_narrow_index(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t index) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text t;
    bool flat = true;
    for (uint32_t k = 0; k < ctx->launches->n; k++)
        flat &= ctx->launches->at[k].block[2] <= 1;
    if (!cw_rule_text(ctx, ctx->fn->ins.at[index].loc, &t) ||
        (!cw_span_text_is(&t, "threadIdx.x % 32") && !cw_span_text_is(&t, "threadIdx.x & 31") &&
         !cw_span_text_is(&t, "threadIdx.x % warpSize")))
        return;
    cw_draft_edit(&d, &t, t.from, t.from + strlen("threadIdx.x"),
                  flat ? "(threadIdx.y * blockDim.x + threadIdx.x)"
                       : "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)");
    cw_draft_offer(&d, finding, false, "take the linear thread index");
}
