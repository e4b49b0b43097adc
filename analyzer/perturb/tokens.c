#include "perturb/tokens.h"

#include <string.h>

enum { MAX_CONDITIONALS = 256 }; /* nested; deeper ones are not matched */

struct conditional {
    uint32_t open;  /* innermost bracket at the #if: where its #else starts again */
    uint32_t first; /* first token behind the #if */
};

struct reader {
    struct cw_arena *arena;
    struct cw_tokens *out;
    uint32_t open; /* innermost open bracket */
    struct conditional conditionals[MAX_CONDITIONALS];
    uint32_t depth;
};

bool cw_token_is(const struct cw_tokens *tokens, uint32_t i, const char *text) {
    return i < tokens->at.n && cw_str_is((cw_str){tokens->text + tokens->at.at[i].at, tokens->at.at[i].n}, text);
}

uint32_t cw_token_end(const struct cw_tokens *tokens, uint32_t i) {
    return tokens->at.at[i].at + tokens->at.at[i].n;
}

uint32_t cw_token_at(const struct cw_tokens *tokens, size_t offset) {
    uint32_t low = 0, high = tokens->at.n - 1; /* the END token is behind everything */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cw_token_end(tokens, middle) <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- brackets ---- */

static char opener_of(char close) {
    return close == ')' ? '(' : close == ']' ? '[' : close == '}' ? '{' : '\0';
}

/* A closing brace ends what was left open inside it; another closing bracket without its partner is ignored. */
static uint32_t partner_of(const struct cw_tokens *tokens, uint32_t open, char close) {
    char wanted = opener_of(close);
    while (open != CW_NO_TOKEN) {
        char c = tokens->text[tokens->at.at[open].at];
        if (c == wanted)
            return open;
        if (c == '{')
            return CW_NO_TOKEN;
        open = tokens->at.at[open].parent;
    }
    return CW_NO_TOKEN;
}

static void add_bracket(struct reader *reader, uint32_t i, char c) {
    struct cw_code_token *at = reader->out->at.at;
    if (strchr("([{", c)) {
        reader->open = i;
    } else if (opener_of(c)) {
        uint32_t open = partner_of(reader->out, reader->open, c);
        if (open == CW_NO_TOKEN)
            return;
        at[i].match = open;
        at[open].match = i;
        reader->open = at[i].parent = at[open].parent;
    }
}

static void add_token(struct reader *reader, struct cw_token t) {
    struct cw_tokens *out = reader->out;
    struct cw_code_token token = {.at = t.at, .n = t.n, .kind = t.kind, .match = CW_NO_TOKEN, .parent = reader->open,
                                  .directives = out->directives.n};
    cw_vec_push(reader->arena, &out->at, token);
    if (t.kind == CW_TOKEN_PUNCT && t.n == 1)
        add_bracket(reader, out->at.n - 1, out->text[t.at]);
}

/* ---- directives ---- */

static enum cw_directive_kind directive_kind(cw_str name) {
    if (cw_str_is(name, "pragma"))
        return CW_DIRECTIVE_PRAGMA;
    if (cw_str_is(name, "endif"))
        return CW_DIRECTIVE_ENDIF;
    if (cw_str_starts(name, "el"))
        return CW_DIRECTIVE_ELSE;
    return cw_str_starts(name, "if") ? CW_DIRECTIVE_IF : CW_DIRECTIVE_OTHER;
}

/* Each branch starts with the brackets that were open at the #if: "#if A / if (x) { / #else / if (y) { / #endif". */
static void add_directive(struct reader *reader, struct cw_token token) {
    struct cw_directive d = {.kind = directive_kind(cw_token_directive(reader->out->text, token)),
                             .from = token.at,
                             .to = token.at + token.n,
                             .opened = CW_NO_TOKEN};
    if (d.kind == CW_DIRECTIVE_IF) {
        if (reader->depth < MAX_CONDITIONALS)
            reader->conditionals[reader->depth] = (struct conditional){reader->open, reader->out->at.n};
        reader->depth++;
    } else if ((d.kind == CW_DIRECTIVE_ELSE || d.kind == CW_DIRECTIVE_ENDIF) && reader->depth) {
        const struct conditional *c =
            reader->depth <= MAX_CONDITIONALS ? &reader->conditionals[reader->depth - 1] : NULL;
        d.opened = c ? c->first : CW_NO_TOKEN;
        if (c && d.kind == CW_DIRECTIVE_ELSE)
            reader->open = c->open;
        reader->depth -= d.kind == CW_DIRECTIVE_ENDIF;
    }
    cw_vec_push(reader->arena, &reader->out->directives, d);
}

struct cw_tokens *cw_tokens_read(struct cw_arena *a, const struct cw_source *source) {
    struct reader r = {.arena = a, .out = CW_NEW(a, struct cw_tokens), .open = CW_NO_TOKEN};
    struct cw_lexer l;
    struct cw_token t;
    r.out->text = source->text;
    cw_lexer_init(&l, source->text, source->size);
    do {
        t = cw_lexer_next(&l);
        if (t.kind == CW_TOKEN_DIRECTIVE)
            add_directive(&r, t);
        else if (t.in_directive && r.out->directives.n)
            cw_vec_last(&r.out->directives).to = t.at + t.n;
        else if (t.kind != CW_TOKEN_COMMENT)
            add_token(&r, t);
    } while (t.kind != CW_TOKEN_END);
    return r.out;
}
