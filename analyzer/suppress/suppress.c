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

static bool holds_word(const struct cw_source *source, const char *word) {
    return source->size && memmem(source->text, source->size, word, strlen(word));
}

static void read_tokens(struct reading *reading) {
    const struct cw_source *s = reading->source;
    struct cw_lexer lexer;
    struct cw_token t;
    cw_lexer_init(&lexer, s->text, s->size);
    do {
        t = cw_lexer_next(&lexer);
        cw_vec_push(reading->arena, &reading->tokens, ((struct token){t.at, t.n, t.kind, t.in_directive}));
    } while (t.kind != CW_TOKEN_END && reading->tokens.n < MAX_TOKENS);
    cw_vec_last(&reading->tokens).kind = CW_TOKEN_END;
}

static cw_str text_of(const struct reading *reading, uint32_t i) {
    const struct token *t = &reading->tokens.at[i];
    return (cw_str){reading->text + t->at, t->n};
}

static uint32_t line_of(const struct reading *reading, size_t offset) {
    uint32_t line, col;
    cw_source_place(reading->source, offset, &line, &col);
    return line;
}

static uint32_t first_line(const struct reading *reading, uint32_t i) {
    return line_of(reading, reading->tokens.at[i].at);
}

static uint32_t last_line(const struct reading *reading, uint32_t i) {
    const struct token *t = &reading->tokens.at[i];
    return line_of(reading, t->n ? t->at + t->n - 1 : t->at);
}

static bool is_punct(const struct reading *reading, uint32_t i, const char *text) {
    return reading->tokens.at[i].kind == CW_TOKEN_PUNCT && cw_str_is(text_of(reading, i), text);
}

static bool is_word(const struct reading *reading, uint32_t i, const char *text) {
    return reading->tokens.at[i].kind == CW_TOKEN_NAME && cw_str_is(text_of(reading, i), text);
}

static bool is_code(const struct reading *reading, uint32_t i) {
    return reading->tokens.at[i].kind != CW_TOKEN_COMMENT && reading->tokens.at[i].kind != CW_TOKEN_END;
}

/* ---- statements ---- */

static bool opens_conditional(cw_str name) {
    return cw_str_starts(name, "if");
}

/* Behind the #endif that belongs to the #else or #elif at `i`: of a conditional, the first branch is read. */
static uint32_t behind_other_branches(const struct reading *reading, uint32_t i) {
    uint32_t depth = 0;
    for (i++; reading->tokens.at[i].kind != CW_TOKEN_END; i++) {
        if (reading->tokens.at[i].kind != CW_TOKEN_DIRECTIVE)
            continue;
        struct cw_token t = {.at = reading->tokens.at[i].at, .n = reading->tokens.at[i].n, .kind = CW_TOKEN_DIRECTIVE};
        cw_str name = cw_token_directive(reading->text, t);
        if (opens_conditional(name))
            depth++;
        else if (cw_str_is(name, "endif") && depth-- == 0)
            return i;
    }
    return i;
}

/* The next token of the code from `i` on: no comments, no preprocessor lines. */
static uint32_t next_code(const struct reading *reading, uint32_t i) {
    for (; reading->tokens.at[i].kind != CW_TOKEN_END; i++) {
        const struct token *t = &reading->tokens.at[i];
        if (t->kind == CW_TOKEN_DIRECTIVE) {
            cw_str name = cw_token_directive(reading->text, (struct cw_token){.at = t->at, .n = t->n});
            if (cw_str_starts(name, "el"))
                i = behind_other_branches(reading, i);
        } else if (t->kind != CW_TOKEN_COMMENT && !t->in_directive) {
            break;
        }
        if (reading->tokens.at[i].kind == CW_TOKEN_END)
            break;
    }
    return i;
}

/* What can follow a closed block and still belong to the statement. */
static bool goes_on(const struct reading *reading, uint32_t next, bool is_do) {
    static const char *const marks[] = {";", ",", ")", ".", "->"};
    if (is_word(reading, next, "else") || is_word(reading, next, "catch") || (is_do && is_word(reading, next, "while")))
        return true;
    for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++)
        if (is_punct(reading, next, marks[k]))
            return true;
    return false;
}

/* The last token of the statement that begins with token `from`. */
static uint32_t statement_end(struct reading *reading, uint32_t from) {
    bool is_do = is_word(reading, from, "do");
    uint32_t depth = 0, blocks = 0, last = from;
    for (uint32_t i = from; reading->tokens.at[i].kind != CW_TOKEN_END && reading->work++ < MAX_WORK;
         i = next_code(reading, i + 1)) {
        bool opens = is_punct(reading, i, "{"), closes = is_punct(reading, i, "}");
        if ((closes && !blocks) || ((is_punct(reading, i, ")") || is_punct(reading, i, "]")) && !depth))
            return last; /* of what the statement is in */
        last = i;
        depth += is_punct(reading, i, "(") || is_punct(reading, i, "[");
        depth -= is_punct(reading, i, ")") || is_punct(reading, i, "]");
        blocks += opens;
        blocks -= closes;
        bool is_end = !depth && !blocks && (closes || is_punct(reading, i, ";"));
        if (!is_end)
            continue;
        uint32_t next = next_code(reading, i + 1);
        bool more = closes ? goes_on(reading, next, is_do) : is_word(reading, next, "else");
        if (!more)
            return i;
    }
    return last;
}

static bool ends_before(const struct reading *reading, uint32_t i) {
    return is_punct(reading, i, ";") || is_punct(reading, i, "{") || is_punct(reading, i, "}");
}

/* The first token of the simple statement whose last token is `to`. */
static uint32_t statement_start(struct reading *reading, uint32_t to) {
    uint32_t depth = is_punct(reading, to, ")") || is_punct(reading, to, "]"), start = to;
    if (is_punct(reading, to, "}"))
        return to;
    for (uint32_t i = to; i-- > 0 && reading->work++ < MAX_WORK;) {
        if (!is_code(reading, i) || reading->tokens.at[i].in_directive)
            continue;
        if (!depth && ends_before(reading, i))
            break;
        depth += is_punct(reading, i, ")") || is_punct(reading, i, "]");
        depth -= depth && (is_punct(reading, i, "(") || is_punct(reading, i, "["));
        start = i;
    }
    return start;
}

/* ---- what a directive covers ---- */

/* The code on whose line the comment ends; false when there is none before it there. */
static bool code_before(struct reading *reading, uint32_t i, uint32_t *before) {
    uint32_t line = first_line(reading, i);
    for (uint32_t k = i; k-- > 0 && reading->work++ < MAX_WORK;)
        if (is_code(reading, k)) {
            *before = k;
            return last_line(reading, k) == line;
        }
    return false;
}

static bool code_behind(const struct reading *reading, uint32_t i) {
    uint32_t next = i + 1;
    while (reading->tokens.at[next].kind == CW_TOKEN_COMMENT)
        next++;
    return is_code(reading, next) && first_line(reading, next) == last_line(reading, i);
}

/* The macro that the #define at token `i` defines. */
static cw_str macro_of(const struct reading *reading, uint32_t i) {
    cw_str name = cw_token_directive(reading->text,
                                     (struct cw_token){.at = reading->tokens.at[i].at, .n = reading->tokens.at[i].n});
    bool is_define = cw_str_is(name, "define") && reading->tokens.at[i + 1].kind == CW_TOKEN_NAME &&
                     reading->tokens.at[i + 1].in_directive;
    return is_define ? text_of(reading, i + 1) : (cw_str){0};
}

/* The macro in whose definition the comment stands. */
static cw_str macro_around(const struct reading *reading, uint32_t i) {
    if (!reading->tokens.at[i].in_directive)
        return (cw_str){0};
    while (i > 0 && reading->tokens.at[i].kind != CW_TOKEN_DIRECTIVE)
        i--;
    return reading->tokens.at[i].kind == CW_TOKEN_DIRECTIVE ? macro_of(reading, i) : (cw_str){0};
}

static uint32_t directive_end(const struct reading *reading, uint32_t i) {
    while (reading->tokens.at[i + 1].kind != CW_TOKEN_END && reading->tokens.at[i + 1].in_directive &&
           reading->tokens.at[i + 1].kind != CW_TOKEN_DIRECTIVE)
        i++;
    return i;
}

static void cover_lines(struct cw_comment *comment, uint32_t first, uint32_t last) {
    comment->first = first;
    comment->last = last;
    for (uint32_t i = 0; i < comment->silences.n; i++) {
        comment->silences.at[i].first = first;
        comment->silences.at[i].last = last;
    }
}

/* From a comment before code: other comments and preprocessor lines may stand between and are meant too (a rule may
 * speak of code in a comment); blank lines may not. */
static void cover_following(struct reading *reading, struct cw_comment *comment, uint32_t i) {
    uint32_t line = last_line(reading, i), first = line + (code_behind(reading, i) ? 0 : 1);
    for (i++;
         reading->tokens.at[i].kind != CW_TOKEN_END && first_line(reading, i) <= line + 1 && reading->work++ < MAX_WORK;
         i++) {
        const struct token *t = &reading->tokens.at[i];
        if (t->kind == CW_TOKEN_DIRECTIVE) {
            comment->macro = macro_of(reading, i);
            if (comment->macro.n) {
                uint32_t end = directive_end(reading, i);
                comment->code =
                    (cw_str){reading->text + t->at, reading->tokens.at[end].at + reading->tokens.at[end].n - t->at};
                cover_lines(comment, first, last_line(reading, end));
                return;
            }
        } else if (t->kind != CW_TOKEN_COMMENT && !t->in_directive) {
            uint32_t end = statement_end(reading, i);
            comment->code =
                (cw_str){reading->text + t->at, reading->tokens.at[end].at + reading->tokens.at[end].n - t->at};
            cover_lines(comment, first, last_line(reading, end));
            return;
        }
        line = last_line(reading, i);
        if (line >= first) /* not a second comment on the same line */
            cover_lines(comment, first, line);
    }
}

static void cover_place(struct reading *reading, struct cw_comment *comment, uint32_t i) {
    uint32_t before, line = first_line(reading, i);
    comment->macro = macro_around(reading, i);
    if (comment->macro.n)
        cover_lines(comment, line, last_line(reading, i));
    else if (!code_before(reading, i, &before))
        cover_following(reading, comment, i);
    else if (reading->tokens.at[before].in_directive)
        cover_lines(comment, line, line);
    else
        cover_lines(comment, first_line(reading, statement_start(reading, before)), line);
}

/* ---- regions ---- */

static bool is_opening(enum cw_directive_kind kind, enum cw_directive_kind closing) {
    return kind == (closing == CW_DIRECTIVE_ON ? CW_DIRECTIVE_OFF : CW_DIRECTIVE_NOLINT_BEGIN);
}

/* The nearest open region of that name ends here. */
static void close_region(struct reading *reading, enum cw_directive_kind closing, struct cw_silence *silence,
                         uint32_t line) {
    for (uint32_t i = reading->out->list.n; i-- > 0 && reading->work++ < MAX_WORK;) {
        struct cw_comment *c = &reading->out->list.at[i];
        for (uint32_t k = 0; is_opening(c->directive.kind, closing) && k < c->silences.n; k++)
            if (c->silences.at[k].last == UINT32_MAX && cw_str_eq(c->silences.at[k].name, silence->name)) {
                c->silences.at[k].last = line;
                return;
            }
    }
    silence->is_wrong = true;
}

static void cover_by_kind(struct reading *reading, struct cw_comment *comment, uint32_t i) {
    uint32_t line = first_line(reading, i), end = last_line(reading, i);
    switch (comment->directive.kind) {
    case CW_DIRECTIVE_IGNORE:
    case CW_DIRECTIVE_ASSUME_UNIFORM:
    case CW_DIRECTIVE_ASSUME_CONVERGED:
    case CW_DIRECTIVE_LAUNCH:
        cover_place(reading, comment, i);
        break;
    case CW_DIRECTIVE_IGNORE_FILE:
        cover_lines(comment, 1, UINT32_MAX);
        break;
    case CW_DIRECTIVE_OFF:
    case CW_DIRECTIVE_NOLINT_BEGIN:
        cover_lines(comment, line, UINT32_MAX);
        break;
    case CW_DIRECTIVE_NOLINT:
        comment->macro = macro_around(reading, i);
        cover_lines(comment, line, line);
        break;
    case CW_DIRECTIVE_NOLINT_NEXT_LINE:
        cover_lines(comment, end + 1, end + 1);
        break;
    case CW_DIRECTIVE_ON:
    case CW_DIRECTIVE_NOLINT_END:
        for (uint32_t k = 0; k < comment->silences.n; k++)
            close_region(reading, comment->directive.kind, &comment->silences.at[k], line);
        break;
    default:
        break;
    }
}

static void read_comment(struct reading *reading, uint32_t i) {
    struct cw_token t = {.at = reading->tokens.at[i].at, .n = reading->tokens.at[i].n};
    struct cw_comment c = {.directive = cw_directive_parse(reading->arena, cw_token_comment(reading->text, t)),
                           .text = text_of(reading, i)};
    uint32_t before;
    if (c.directive.kind == CW_DIRECTIVE_NONE || reading->out->list.n == MAX_COMMENTS)
        return;
    bool names_rules = c.directive.kind <= CW_DIRECTIVE_NOLINT_END;
    for (uint32_t k = 0; k < c.directive.names.n && names_rules; k++)
        cw_vec_push(reading->arena, &c.silences, ((struct cw_silence){.name = c.directive.names.at[k]}));
    c.is_behind = code_before(reading, i, &before);
    c.is_alone = !c.is_behind && !code_behind(reading, i);
    cover_by_kind(reading, &c, i);
    reading->out->has_macros |= c.macro.n > 0;
    cw_vec_push(reading->arena, &reading->out->list, c);
}

/* ---- macros ---- */

static void read_macro(struct reading *reading, uint32_t i, struct cw_macros *out) {
    struct cw_macro m = {.name = macro_of(reading, i)};
    uint32_t end = directive_end(reading, i);
    for (uint32_t k = i + 2; m.name.n && k <= end; k++)
        if (reading->tokens.at[k].kind == CW_TOKEN_NAME && m.mentions.n < MAX_MENTIONS)
            cw_vec_push(reading->arena, &m.mentions, text_of(reading, k));
    if (m.name.n)
        cw_vec_push(reading->arena, out, m);
}

struct cw_comments *cw_comments_read(struct cw_arena *a, const struct cw_source *source) {
    struct reading r = {.arena = a, .source = source, .out = CW_NEW(a, struct cw_comments), .text = source->text};
    r.out->source = source;
    if (!holds_word(source, "cuwarp:") && !holds_word(source, "cuwarp-lint:") && !holds_word(source, "NOLINT"))
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
    if (!holds_word(source, "define"))
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

void cw_comments_place(const struct cw_comments *comments, cw_str slice, uint32_t *line, uint32_t *col,
                       uint32_t *end_line, uint32_t *end_col) {
    size_t at = (size_t)(slice.at - comments->source->text);
    cw_source_place(comments->source, at, line, col);
    cw_source_place(comments->source, at + slice.n, end_line, end_col);
}
