#include "suppress/suppress.h"

#include "source/lexer.h"

#include <string.h>

/* The work is the tokens passed in looking for statements: thousands of directives with no code between would square
 * it. */
enum { MAX_TOKENS = 1 << 22, MAX_COMMENTS = 5000, MAX_MENTIONS = 1000, MAX_WORK = 1 << 24 };

struct token {
    uint32_t at, n;
    uint8_t kind;
    bool in_directive;
};

struct reading {
    struct cw_arena *arena;
    const struct cw_source *source;
    struct cw_comments *out;
    const char *text;
    CW_VEC(struct token) tokens; /* with an END */
    uint32_t work;
};

/* ---- tokens ---- */

static bool holds(const struct cw_source *s, const char *word) {
    return s->size && memmem(s->text, s->size, word, strlen(word));
}

static void read_tokens(struct reading *r) {
    const struct cw_source *s = r->source;
    struct cw_lexer lexer;
    struct cw_token t;
    cw_lexer_init(&lexer, s->text, s->size);
    do {
        t = cw_lexer_next(&lexer);
        cw_vec_push(r->arena, &r->tokens, ((struct token){t.at, t.n, t.kind, t.in_directive}));
    } while (t.kind != CW_TOKEN_END && r->tokens.n < MAX_TOKENS);
    cw_vec_last(&r->tokens).kind = CW_TOKEN_END;
}

static cw_str text_of(const struct reading *r, uint32_t i) {
    const struct token *t = &r->tokens.at[i];
    return (cw_str){r->text + t->at, t->n};
}

static uint32_t line_of(const struct reading *r, size_t offset) {
    uint32_t line, col;
    cw_source_place(r->source, offset, &line, &col);
    return line;
}

static uint32_t first_line(const struct reading *r, uint32_t i) {
    return line_of(r, r->tokens.at[i].at);
}

static uint32_t last_line(const struct reading *r, uint32_t i) {
    const struct token *t = &r->tokens.at[i];
    return line_of(r, t->n ? t->at + t->n - 1 : t->at);
}

static bool is_punct(const struct reading *r, uint32_t i, const char *text) {
    return r->tokens.at[i].kind == CW_TOKEN_PUNCT && cw_str_is(text_of(r, i), text);
}

static bool is_word(const struct reading *r, uint32_t i, const char *text) {
    return r->tokens.at[i].kind == CW_TOKEN_NAME && cw_str_is(text_of(r, i), text);
}

static bool is_code(const struct reading *r, uint32_t i) {
    return r->tokens.at[i].kind != CW_TOKEN_COMMENT && r->tokens.at[i].kind != CW_TOKEN_END;
}

/* ---- statements ---- */

static bool opens_conditional(cw_str name) {
    return cw_str_starts(name, "if");
}

/* Behind the #endif that belongs to the #else or #elif at `i`: of a conditional, the first branch is read. */
static uint32_t behind_other_branches(const struct reading *r, uint32_t i) {
    uint32_t depth = 0;
    for (i++; r->tokens.at[i].kind != CW_TOKEN_END; i++) {
        if (r->tokens.at[i].kind != CW_TOKEN_DIRECTIVE)
            continue;
        struct cw_token t = {.at = r->tokens.at[i].at, .n = r->tokens.at[i].n, .kind = CW_TOKEN_DIRECTIVE};
        cw_str name = cw_token_directive(r->text, t);
        if (opens_conditional(name))
            depth++;
        else if (cw_str_is(name, "endif") && depth-- == 0)
            return i;
    }
    return i;
}

/* The next token of the code from `i` on: no comments, no preprocessor lines. */
static uint32_t next_code(const struct reading *r, uint32_t i) {
    for (; r->tokens.at[i].kind != CW_TOKEN_END; i++) {
        const struct token *t = &r->tokens.at[i];
        if (t->kind == CW_TOKEN_DIRECTIVE) {
            cw_str name = cw_token_directive(r->text, (struct cw_token){.at = t->at, .n = t->n});
            if (cw_str_starts(name, "el"))
                i = behind_other_branches(r, i);
        } else if (t->kind != CW_TOKEN_COMMENT && !t->in_directive) {
            break;
        }
        if (r->tokens.at[i].kind == CW_TOKEN_END)
            break;
    }
    return i;
}

/* What can follow a closed block and still belong to the statement. */
static bool goes_on(const struct reading *r, uint32_t next, bool is_do) {
    static const char *const marks[] = {";", ",", ")", ".", "->"};
    if (is_word(r, next, "else") || is_word(r, next, "catch") || (is_do && is_word(r, next, "while")))
        return true;
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
        if (is_punct(r, next, marks[k]))
            return true;
    return false;
}

/* The last token of the statement that begins with token `from`. */
static uint32_t statement_end(struct reading *r, uint32_t from) {
    bool is_do = is_word(r, from, "do");
    uint32_t depth = 0, blocks = 0, last = from;
    for (uint32_t i = from; r->tokens.at[i].kind != CW_TOKEN_END && r->work++ < MAX_WORK; i = next_code(r, i + 1)) {
        bool opens = is_punct(r, i, "{"), closes = is_punct(r, i, "}");
        if ((closes && !blocks) || ((is_punct(r, i, ")") || is_punct(r, i, "]")) && !depth))
            return last; /* of what the statement is in */
        last = i;
        depth += is_punct(r, i, "(") || is_punct(r, i, "[");
        depth -= is_punct(r, i, ")") || is_punct(r, i, "]");
        blocks += opens;
        blocks -= closes;
        bool is_end = !depth && !blocks && (closes || is_punct(r, i, ";"));
        if (!is_end)
            continue;
        uint32_t next = next_code(r, i + 1);
        bool more = closes ? goes_on(r, next, is_do) : is_word(r, next, "else");
        if (!more)
            return i;
    }
    return last;
}

static bool ends_before(const struct reading *r, uint32_t i) {
    return is_punct(r, i, ";") || is_punct(r, i, "{") || is_punct(r, i, "}");
}

/* The first token of the simple statement whose last token is `to`. */
static uint32_t statement_start(struct reading *r, uint32_t to) {
    uint32_t depth = is_punct(r, to, ")") || is_punct(r, to, "]"), start = to;
    if (is_punct(r, to, "}"))
        return to;
    for (uint32_t i = to; i-- > 0 && r->work++ < MAX_WORK;) {
        if (!is_code(r, i) || r->tokens.at[i].in_directive)
            continue;
        if (!depth && ends_before(r, i))
            break;
        depth += is_punct(r, i, ")") || is_punct(r, i, "]");
        depth -= depth && (is_punct(r, i, "(") || is_punct(r, i, "["));
        start = i;
    }
    return start;
}

/* ---- what a directive covers ---- */

/* The code on whose line the comment ends; false when there is none before it there. */
static bool code_before(struct reading *r, uint32_t i, uint32_t *before) {
    uint32_t line = first_line(r, i);
    for (uint32_t k = i; k-- > 0 && r->work++ < MAX_WORK;)
        if (is_code(r, k)) {
            *before = k;
            return last_line(r, k) == line;
        }
    return false;
}

static bool code_behind(const struct reading *r, uint32_t i) {
    uint32_t next = i + 1;
    while (r->tokens.at[next].kind == CW_TOKEN_COMMENT)
        next++;
    return is_code(r, next) && first_line(r, next) == last_line(r, i);
}

/* The macro that the #define at token `i` defines. */
static cw_str macro_of(const struct reading *r, uint32_t i) {
    cw_str name = cw_token_directive(r->text, (struct cw_token){.at = r->tokens.at[i].at, .n = r->tokens.at[i].n});
    bool is_define =
        cw_str_is(name, "define") && r->tokens.at[i + 1].kind == CW_TOKEN_NAME && r->tokens.at[i + 1].in_directive;
    return is_define ? text_of(r, i + 1) : (cw_str){0};
}

/* The macro in whose definition the comment stands. */
static cw_str macro_around(const struct reading *r, uint32_t i) {
    if (!r->tokens.at[i].in_directive)
        return (cw_str){0};
    while (i > 0 && r->tokens.at[i].kind != CW_TOKEN_DIRECTIVE)
        i--;
    return r->tokens.at[i].kind == CW_TOKEN_DIRECTIVE ? macro_of(r, i) : (cw_str){0};
}

static uint32_t directive_end(const struct reading *r, uint32_t i) {
    while (r->tokens.at[i + 1].kind != CW_TOKEN_END && r->tokens.at[i + 1].in_directive &&
           r->tokens.at[i + 1].kind != CW_TOKEN_DIRECTIVE)
        i++;
    return i;
}

static void cover(struct cw_comment *c, uint32_t first, uint32_t last) {
    c->first = first;
    c->last = last;
    for (uint32_t i = 0; i < c->silences.n; i++) {
        c->silences.at[i].first = first;
        c->silences.at[i].last = last;
    }
}

/* From a comment before code: other comments and preprocessor lines may stand between and are meant too (a rule may
 * speak of code in a comment); blank lines may not. */
static void cover_following(struct reading *r, struct cw_comment *c, uint32_t i) {
    uint32_t line = last_line(r, i), first = line + (code_behind(r, i) ? 0 : 1);
    for (i++; r->tokens.at[i].kind != CW_TOKEN_END && first_line(r, i) <= line + 1 && r->work++ < MAX_WORK; i++) {
        const struct token *t = &r->tokens.at[i];
        if (t->kind == CW_TOKEN_DIRECTIVE) {
            c->macro = macro_of(r, i);
            if (c->macro.n) {
                uint32_t end = directive_end(r, i);
                c->code = (cw_str){r->text + t->at, r->tokens.at[end].at + r->tokens.at[end].n - t->at};
                cover(c, first, last_line(r, end));
                return;
            }
        } else if (t->kind != CW_TOKEN_COMMENT && !t->in_directive) {
            uint32_t end = statement_end(r, i);
            c->code = (cw_str){r->text + t->at, r->tokens.at[end].at + r->tokens.at[end].n - t->at};
            cover(c, first, last_line(r, end));
            return;
        }
        line = last_line(r, i);
        if (line >= first) /* not a second comment on the same line */
            cover(c, first, line);
    }
}

static void cover_place(struct reading *r, struct cw_comment *c, uint32_t i) {
    uint32_t before, line = first_line(r, i);
    c->macro = macro_around(r, i);
    if (c->macro.n)
        cover(c, line, last_line(r, i));
    else if (!code_before(r, i, &before))
        cover_following(r, c, i);
    else if (r->tokens.at[before].in_directive)
        cover(c, line, line);
    else
        cover(c, first_line(r, statement_start(r, before)), line);
}

/* ---- regions ---- */

static bool is_opening(enum cw_directive_kind kind, enum cw_directive_kind closing) {
    return kind == (closing == CW_DIRECTIVE_ON ? CW_DIRECTIVE_OFF : CW_DIRECTIVE_NOLINT_BEGIN);
}

/* The nearest open region of that name ends here. */
static void close_region(struct reading *r, enum cw_directive_kind closing, struct cw_silence *s, uint32_t line) {
    for (uint32_t i = r->out->list.n; i-- > 0 && r->work++ < MAX_WORK;) {
        struct cw_comment *c = &r->out->list.at[i];
        for (uint32_t k = 0; is_opening(c->directive.kind, closing) && k < c->silences.n; k++)
            if (c->silences.at[k].last == UINT32_MAX && cw_str_eq(c->silences.at[k].name, s->name)) {
                c->silences.at[k].last = line;
                return;
            }
    }
    s->is_wrong = true;
}

static void cover_by_kind(struct reading *r, struct cw_comment *c, uint32_t i) {
    uint32_t line = first_line(r, i), end = last_line(r, i);
    switch (c->directive.kind) {
    case CW_DIRECTIVE_IGNORE:
    case CW_DIRECTIVE_ASSUME_UNIFORM:
    case CW_DIRECTIVE_ASSUME_CONVERGED:
    case CW_DIRECTIVE_LAUNCH:
        cover_place(r, c, i);
        break;
    case CW_DIRECTIVE_IGNORE_FILE:
        cover(c, 1, UINT32_MAX);
        break;
    case CW_DIRECTIVE_OFF:
    case CW_DIRECTIVE_NOLINT_BEGIN:
        cover(c, line, UINT32_MAX);
        break;
    case CW_DIRECTIVE_NOLINT:
        c->macro = macro_around(r, i);
        cover(c, line, line);
        break;
    case CW_DIRECTIVE_NOLINT_NEXT_LINE:
        cover(c, end + 1, end + 1);
        break;
    case CW_DIRECTIVE_ON:
    case CW_DIRECTIVE_NOLINT_END:
        for (uint32_t k = 0; k < c->silences.n; k++)
            close_region(r, c->directive.kind, &c->silences.at[k], line);
        break;
    default:
        break;
    }
}

static void read_comment(struct reading *r, uint32_t i) {
    struct cw_token t = {.at = r->tokens.at[i].at, .n = r->tokens.at[i].n};
    struct cw_comment c = {.directive = cw_directive_parse(r->arena, cw_token_comment(r->text, t)),
                           .text = text_of(r, i)};
    uint32_t before;
    if (c.directive.kind == CW_DIRECTIVE_NONE || r->out->list.n == MAX_COMMENTS)
        return;
    bool names_rules = c.directive.kind <= CW_DIRECTIVE_NOLINT_END;
    for (uint32_t k = 0; k < c.directive.names.n && names_rules; k++)
        cw_vec_push(r->arena, &c.silences, ((struct cw_silence){.name = c.directive.names.at[k]}));
    c.is_behind = code_before(r, i, &before);
    c.is_alone = !c.is_behind && !code_behind(r, i);
    cover_by_kind(r, &c, i);
    r->out->has_macros |= c.macro.n > 0;
    cw_vec_push(r->arena, &r->out->list, c);
}

/* ---- macros ---- */

static void read_macro(struct reading *r, uint32_t i, struct cw_macros *out) {
    struct cw_macro m = {.name = macro_of(r, i)};
    uint32_t end = directive_end(r, i);
    for (uint32_t k = i + 2; m.name.n && k <= end; k++)
        if (r->tokens.at[k].kind == CW_TOKEN_NAME && m.mentions.n < MAX_MENTIONS)
            cw_vec_push(r->arena, &m.mentions, text_of(r, k));
    if (m.name.n)
        cw_vec_push(r->arena, out, m);
}

struct cw_comments *cw_comments_read(struct cw_arena *a, const struct cw_source *source) {
    struct reading r = {.arena = a, .source = source, .out = CW_NEW(a, struct cw_comments), .text = source->text};
    r.out->source = source;
    if (!holds(source, "cuwarp:") && !holds(source, "cuwarp-lint:") && !holds(source, "NOLINT"))
        return r.out;
    read_tokens(&r);
    for (uint32_t i = 0; i < r.tokens.n; i++)
        if (r.tokens.at[i].kind == CW_TOKEN_COMMENT)
            read_comment(&r, i);
    return r.out;
}

struct cw_macros cw_macros_read(struct cw_arena *a, const struct cw_source *source) {
    struct reading r = {.arena = a, .source = source, .text = source->text};
    struct cw_macros found = {0};
    if (!holds(source, "define"))
        return found;
    read_tokens(&r);
    for (uint32_t i = 0; i < r.tokens.n; i++)
        if (r.tokens.at[i].kind == CW_TOKEN_DIRECTIVE)
            read_macro(&r, i, &found);
    return found;
}

/* ---- questions ---- */

bool cw_silence_names(cw_str name, const char *rule, const char *category) {
    if (cw_str_is(name, rule) || (category && cw_str_is(name, category)))
        return true;
    if (!name.n || name.at[name.n - 1] != '*')
        return false;
    return strlen(rule) >= name.n - 1 && !memcmp(rule, name.at, name.n - 1);
}

void cw_comments_place(const struct cw_comments *c, cw_str slice, uint32_t *line, uint32_t *col, uint32_t *end_line,
                       uint32_t *end_col) {
    size_t at = (size_t)(slice.at - c->source->text);
    cw_source_place(c->source, at, line, col);
    cw_source_place(c->source, at + slice.n, end_line, end_col);
}
