#include "perturb/spots.h"

#include <string.h>
#include <strings.h>

enum { MAX_CANDIDATES = 24, MAX_NESTING = 64, MAX_HEAD_TOKENS = 400, MAX_RESULT_TOKENS = 24 };

static const struct cw_code_token *token(const struct cw_tokens *t, uint32_t i) {
    return &t->at.at[i];
}

static bool is_name(const struct cw_tokens *t, uint32_t i) {
    return i < t->at.n && token(t, i)->kind == CW_TOKEN_NAME;
}

static bool is_one_of(const struct cw_tokens *t, uint32_t i, const char *const *words, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (cw_token_is(t, i, words[k]))
            return true;
    return false;
}

/* The partner of a bracket that closes behind it, else CW_NO_TOKEN. */
static uint32_t close_of(const struct cw_tokens *t, uint32_t i) {
    uint32_t match = i < t->at.n ? token(t, i)->match : CW_NO_TOKEN;
    return match != CW_NO_TOKEN && match > i ? match : CW_NO_TOKEN;
}

/* ---- which braces hold statements ---- */

/* "-> type {": the result of a lambda or function ends where the brace stands. */
static bool has_trailing_result(const struct cw_tokens *t, uint32_t last) {
    for (uint32_t n = 0; n < MAX_RESULT_TOKENS && last > n; n++) {
        uint32_t i = last - n;
        if (cw_token_is(t, i, "->"))
            return i > 0 && (cw_token_is(t, i - 1, ")") || is_name(t, i - 1));
        if (cw_token_is(t, i, ";") || cw_token_is(t, i, "{") || cw_token_is(t, i, "}"))
            return false;
    }
    return false;
}

/* "(…) {" is a block unless the group is an attribute of a class or a cast before a list of values. */
static bool is_behind_group(const struct cw_tokens *t, uint32_t close) {
    static const char *const classes[] = {"struct", "class", "union", "enum"};
    static const char *const casts[] = {"=", ",", "(", "?", "return"};
    uint32_t open = token(t, close)->match;
    if (open == CW_NO_TOKEN || open < 3)
        return true;
    if (is_one_of(t, open - 2, classes, sizeof classes / sizeof *classes))
        return false;
    if (cw_token_is(t, open - 2, "operator") || cw_token_is(t, open - 3, "operator"))
        return true;
    return !is_one_of(t, open - 1, casts, sizeof casts / sizeof *casts);
}

/* "[…] {" is a lambda unless the bracket belongs to an array. */
static bool is_capture(const struct cw_tokens *t, uint32_t close) {
    uint32_t open = token(t, close)->match;
    if (open == CW_NO_TOKEN || open == 0 || cw_token_is(t, open - 1, "return"))
        return open != CW_NO_TOKEN;
    return !is_name(t, open - 1) && !cw_token_is(t, open - 1, "]");
}

/* Does this brace open a block of statements, and not a class, a namespace or a list of values? */
static bool is_block(const struct cw_tokens *t, uint32_t open) {
    static const char *const words[] = {"else", "do", "try", "const", "noexcept", "override", "mutable", "volatile"};
    while (open > 0 && cw_token_is(t, open - 1, "{"))
        open--;
    if (open == 0)
        return false;
    uint32_t p = open - 1;
    if (cw_token_is(t, p, ")"))
        return is_behind_group(t, p);
    if (cw_token_is(t, p, "]"))
        return is_capture(t, p);
    if (cw_token_is(t, p, ";") || cw_token_is(t, p, "}") || cw_token_is(t, p, ":"))
        return true;
    return is_one_of(t, p, words, sizeof words / sizeof *words) || has_trailing_result(t, p);
}

/* ---- statements ---- */

/* A brace that opens a lambda's body: what closes it ends no statement. */
static bool is_lambda(const struct cw_tokens *t, uint32_t open) {
    uint32_t p = open - 1;
    if (open == 0)
        return false;
    if (cw_token_is(t, p, "]") || cw_token_is(t, p, "mutable"))
        return true;
    if (cw_token_is(t, p, ")")) {
        uint32_t group = token(t, p)->match;
        return group != CW_NO_TOKEN && group > 0 && cw_token_is(t, group - 1, "]");
    }
    return has_trailing_result(t, p);
}

/* First token of the statement that holds token `i`, at the nesting of `i`; `open` is the bracket around it. */
static uint32_t statement_start(const struct cw_tokens *t, uint32_t i, uint32_t open) {
    uint32_t floor = open == CW_NO_TOKEN ? 0 : open + 1;
    while (i > floor) {
        uint32_t before = i - 1, match = token(t, before)->match;
        if (cw_token_is(t, before, ";"))
            return i;
        if (cw_token_is(t, before, "}")) {
            if (match == CW_NO_TOKEN || match < floor || (is_block(t, match) && !is_lambda(t, match)))
                return i;
            i = match;
        } else if ((cw_token_is(t, before, ")") || cw_token_is(t, before, "]")) && match != CW_NO_TOKEN &&
                   match >= floor) {
            i = match;
        } else {
            i = before;
        }
    }
    return i;
}

static bool is_control(const struct cw_tokens *t, uint32_t i) {
    static const char *const words[] = {"if", "for", "while", "switch"};
    return is_one_of(t, i, words, sizeof words / sizeof *words);
}

/* The parenthesis of a control statement's head, or CW_NO_TOKEN. */
static uint32_t head_of(const struct cw_tokens *t, uint32_t i) {
    if (!is_control(t, i))
        return CW_NO_TOKEN;
    i += is_name(t, i + 1) && cw_token_is(t, i + 2, "(") ? 2 : 1; /* if constexpr (…) */
    return cw_token_is(t, i, "(") && close_of(t, i) != CW_NO_TOKEN ? i : CW_NO_TOKEN;
}

/* Directives between the token and the one before it. */
static bool is_parted(const struct cw_tokens *t, uint32_t i) {
    for (uint32_t d = i ? token(t, i - 1)->directives : 0; d < token(t, i)->directives; d++)
        if (t->directives.at[d].kind >= CW_DIRECTIVE_IF)
            return true;
    return false;
}

static const struct cw_directive *pragma_before(const struct cw_tokens *t, uint32_t i) {
    for (uint32_t d = i ? token(t, i - 1)->directives : 0; d < token(t, i)->directives; d++)
        if (t->directives.at[d].kind == CW_DIRECTIVE_PRAGMA)
            return &t->directives.at[d];
    return NULL;
}

/* Are all conditional sections that open between two tokens closed there, and no other ones? */
static bool is_whole(const struct cw_tokens *t, uint32_t from, uint32_t to) {
    int depth = 0;
    for (uint32_t d = token(t, from)->directives; d < token(t, to)->directives; d++) {
        enum cw_directive_kind kind = t->directives.at[d].kind;
        depth += kind == CW_DIRECTIVE_IF;
        if (kind >= CW_DIRECTIVE_ELSE && depth == 0)
            return false;
        depth -= kind == CW_DIRECTIVE_ENDIF;
    }
    return depth == 0;
}

/* The ';' of a statement without control flow. "MACRO(x) y;" may be two statements: refused. */
static uint32_t simple_end(const struct cw_tokens *t, uint32_t i) {
    if (is_name(t, i) && cw_token_is(t, i + 1, "(")) {
        uint32_t close = close_of(t, i + 1);
        if (close == CW_NO_TOKEN || is_name(t, close + 1) || cw_token_is(t, close + 1, "{"))
            return CW_NO_TOKEN;
    }
    for (uint32_t from = i; i + 1 < t->at.n; i++) {
        if (cw_token_is(t, i, ";"))
            return is_whole(t, from, i) ? i : CW_NO_TOKEN;
        uint32_t close = close_of(t, i);
        if (close != CW_NO_TOKEN)
            i = close;
        else if (cw_token_is(t, i, "}") || cw_token_is(t, i, ")") || cw_token_is(t, i, "]") || cw_token_is(t, i, "{"))
            return CW_NO_TOKEN;
    }
    return CW_NO_TOKEN;
}

static uint32_t statement_end(const struct cw_tokens *t, uint32_t i, int depth);

static uint32_t do_end(const struct cw_tokens *t, uint32_t i, int depth) {
    uint32_t body = statement_end(t, i + 1, depth + 1);
    if (body == CW_NO_TOKEN || !cw_token_is(t, body + 1, "while"))
        return CW_NO_TOKEN;
    uint32_t close = close_of(t, body + 2);
    return close != CW_NO_TOKEN && cw_token_is(t, close + 1, ";") ? close + 1 : CW_NO_TOKEN;
}

/* The last token of the statement that begins at `i`, or CW_NO_TOKEN when it is not sure. */
static uint32_t statement_end(const struct cw_tokens *t, uint32_t i, int depth) {
    static const char *const others[] = {"else", "case", "default", "try", "catch"};
    if (depth > MAX_NESTING || i + 1 >= t->at.n || is_one_of(t, i, others, sizeof others / sizeof *others))
        return CW_NO_TOKEN;
    if (cw_token_is(t, i, "{"))
        return close_of(t, i);
    if (cw_token_is(t, i, "do"))
        return do_end(t, i, depth);
    if (!is_control(t, i))
        return simple_end(t, i);
    uint32_t head = head_of(t, i);
    if (head == CW_NO_TOKEN)
        return CW_NO_TOKEN;
    uint32_t end = statement_end(t, close_of(t, head) + 1, depth + 1);
    if (end != CW_NO_TOKEN && cw_token_is(t, i, "if") && cw_token_is(t, end + 1, "else"))
        return statement_end(t, end + 2, depth + 1);
    return end;
}

/* ---- candidates ---- */

struct candidate {
    uint32_t at;
    bool is_body; /* of a control statement, without braces */
};

struct search {
    const struct cw_tokens *tokens;
    uint32_t target;
    struct candidate at[MAX_CANDIDATES];
    uint32_t n;
    struct cw_spot found; /* in a loop's head */
};

static void add_candidate(struct search *s, uint32_t at, bool is_body) {
    if (s->n < MAX_CANDIDATES)
        s->at[s->n++] = (struct candidate){at, is_body};
}

/* "=" alone: the lexer gives "!=" and "==" in pieces. */
static bool is_assignment(const struct cw_tokens *t, uint32_t i) {
    if (!cw_token_is(t, i, "="))
        return false;
    const char *at = t->text + token(t, i)->at;
    return at[1] != '=' && (token(t, i)->at == 0 || !strchr("!=<>+-*/%&|^", at[-1]));
}

/* "int x = f()" in a condition takes nothing in front of it. */
static bool is_declaration(const struct cw_tokens *t, uint32_t from, uint32_t to) {
    bool has_value = false;
    for (uint32_t i = from; i < to; i++) {
        uint32_t close = close_of(t, i);
        if (close != CW_NO_TOKEN)
            i = close;
        else if (is_assignment(t, i) || cw_token_is(t, i, ";"))
            has_value = true;
    }
    return has_value && is_name(t, from) && !cw_token_is(t, from + 1, "=");
}

/* The part of a for-loop's head that holds the target: 0 … 2, -1 when it has not three. `first`: its first token. */
static int part_of_for(const struct search *s, uint32_t head, uint32_t *first) {
    const struct cw_tokens *t = s->tokens;
    int parts = 0, part = 0;
    *first = head + 1;
    for (uint32_t i = head + 1; i < close_of(t, head); i++) {
        uint32_t close = close_of(t, i);
        if (close != CW_NO_TOKEN) {
            i = close;
        } else if (cw_token_is(t, i, ";")) {
            parts++;
            if (i < s->target) {
                part = parts;
                *first = i + 1;
            }
        }
    }
    return parts == 2 ? part : -1;
}

/* The target stands in the head at `i`: loops ask again each time, everything else once. */
static void look_into_head(struct search *s, uint32_t i, uint32_t head) {
    const struct cw_tokens *t = s->tokens;
    uint32_t first = head + 1;
    bool again = false;
    if (cw_token_is(t, i, "while"))
        again = !is_declaration(t, first, close_of(t, head));
    else if (cw_token_is(t, i, "for"))
        again = part_of_for(s, head, &first) > 0;
    if (again && !is_parted(t, first))
        s->found = (struct cw_spot){CW_SPOT_OPERAND, token(t, first)->at, token(t, first)->at, NULL};
}

/* Behind a label, or `i` itself. */
static uint32_t behind_label(const struct cw_tokens *t, uint32_t i, uint32_t limit) {
    if (cw_token_is(t, i, "case")) {
        int questions = 0;
        for (uint32_t k = i + 1; k < limit; k++) {
            uint32_t close = close_of(t, k);
            questions += cw_token_is(t, k, "?");
            if (close != CW_NO_TOKEN)
                k = close;
            else if (cw_token_is(t, k, ":") && questions-- == 0)
                return k + 1;
        }
        return i;
    }
    return is_name(t, i) && cw_token_is(t, i + 1, ":") && i + 1 < limit ? i + 2 : i;
}

/* "UNROLL for (…)", "_Pragma("unroll") for (…)": what stands before a loop belongs to it. */
static uint32_t behind_marker(const struct cw_tokens *t, uint32_t i) {
    if (!is_name(t, i) || is_control(t, i))
        return i;
    uint32_t close = cw_token_is(t, i + 1, "(") ? close_of(t, i + 1) : CW_NO_TOKEN;
    uint32_t next = close == CW_NO_TOKEN ? i + 1 : close + 1;
    return head_of(t, next) != CW_NO_TOKEN ? next : i;
}

/* Everything between the start of the whole statement and the innermost one around the target. */
static void collect(struct search *s, uint32_t i) {
    const struct cw_tokens *t = s->tokens;
    add_candidate(s, i, false);
    for (int n = 0; n < MAX_NESTING && i < s->target; n++) {
        uint32_t label = behind_label(t, i, s->target + 1), marker = behind_marker(t, i);
        if (label != i) {
            add_candidate(s, i = label, false);
        } else if (cw_token_is(t, i, "else") || cw_token_is(t, i, "do")) {
            add_candidate(s, ++i, true);
        } else if (marker != i) {
            i = marker;
        } else {
            uint32_t head = head_of(t, i), close = head == CW_NO_TOKEN ? head : close_of(t, head);
            if (head == CW_NO_TOKEN)
                return;
            if (s->target <= close) {
                look_into_head(s, i, head);
                return;
            }
            add_candidate(s, i = close + 1, true);
        }
    }
}

/* ---- the choice ---- */

/* Ends the token a statement, so that another one may begin behind it? */
static bool is_boundary(const struct cw_tokens *t, uint32_t i) {
    return cw_token_is(t, i, ";") || cw_token_is(t, i, "{") || cw_token_is(t, i, "}") || cw_token_is(t, i, ":");
}

/* Also when the preprocessor takes what stands between away. */
static bool begins_statement(const struct cw_tokens *t, uint32_t i) {
    static const char *const never[] = {"else", "catch", "case", "default"};
    if (i == 0 || !is_boundary(t, i - 1) || is_one_of(t, i, never, sizeof never / sizeof *never))
        return false;
    uint32_t head = cw_token_is(t, i, "while") ? head_of(t, i) : CW_NO_TOKEN;
    if (head != CW_NO_TOKEN && cw_token_is(t, close_of(t, head) + 1, ";")) /* may be the tail of a do-loop */
        return false;
    for (uint32_t d = token(t, i - 1)->directives; d < token(t, i)->directives; d++) {
        const struct cw_directive *at = &t->directives.at[d];
        if (at->kind >= CW_DIRECTIVE_ELSE &&
            (at->opened == CW_NO_TOKEN || !at->opened || !is_boundary(t, at->opened - 1)))
            return false;
    }
    return true;
}

/* Is token `i` in a section of the preprocessor that ends before `target`? */
static bool is_left_before(const struct cw_tokens *t, uint32_t i, uint32_t target) {
    int depth = 0;
    for (uint32_t d = token(t, i)->directives; d < token(t, target)->directives; d++) {
        enum cw_directive_kind kind = t->directives.at[d].kind;
        if (kind >= CW_DIRECTIVE_ELSE && depth == 0)
            return true;
        depth += (kind == CW_DIRECTIVE_IF) - (kind == CW_DIRECTIVE_ENDIF);
    }
    return false;
}

static struct cw_spot spot_before(const struct cw_tokens *t, uint32_t i, uint32_t target) {
    struct cw_spot none = {0};
    if (!begins_statement(t, i) || is_left_before(t, i, target))
        return none;
    if (!pragma_before(t, i))
        return (struct cw_spot){CW_SPOT_BEFORE, token(t, i)->at, token(t, i)->at, NULL};
    if (is_parted(t, i))
        return none;
    return (struct cw_spot){CW_SPOT_BEHIND, cw_token_end(t, i - 1), cw_token_end(t, i - 1), NULL};
}

static struct cw_spot spot_around(const struct cw_tokens *t, uint32_t i) {
    uint32_t end = statement_end(t, i, 0);
    if (end == CW_NO_TOKEN || is_parted(t, i) || !is_whole(t, i, end))
        return (struct cw_spot){0};
    uint32_t from = pragma_before(t, i) ? cw_token_end(t, i - 1) : token(t, i)->at;
    return (struct cw_spot){CW_SPOT_AROUND, from, cw_token_end(t, end), NULL};
}

static struct cw_spot choose(struct search *s, uint32_t start) {
    collect(s, start);
    for (uint32_t i = s->n; i-- > 0 && s->found.kind == CW_SPOT_NONE;)
        s->found =
            s->at[i].is_body ? spot_around(s->tokens, s->at[i].at) : spot_before(s->tokens, s->at[i].at, s->target);
    if (s->found.kind == CW_SPOT_NONE)
        s->found.why = "no statement can be told apart there";
    return s->found;
}

/* ---- the function around ---- */

static bool says_constexpr(const struct cw_tokens *t, uint32_t i) {
    if (!is_name(t, i) || (i && cw_token_is(t, i - 1, "if")))
        return false;
    const char *text = t->text + token(t, i)->at;
    for (uint32_t k = 0; k + 9 <= token(t, i)->n; k++)
        if (!strncasecmp(text + k, "constexpr", 9) || !strncasecmp(text + k, "consteval", 9))
            return true;
    return false;
}

/* A function that the compiler may have to evaluate takes no call of ours. */
static bool is_in_constexpr(const struct cw_tokens *t, uint32_t i) {
    for (uint32_t open = token(t, i)->parent; open != CW_NO_TOKEN; open = token(t, open)->parent) {
        if (!cw_token_is(t, open, "{") || !is_block(t, open))
            continue;
        uint32_t start = statement_start(t, open, token(t, open)->parent), n = 0;
        for (uint32_t k = open; k-- > start && n < MAX_HEAD_TOKENS; n++)
            if (says_constexpr(t, k))
                return true;
    }
    return false;
}

static bool is_in_directive(const struct cw_tokens *t, size_t offset) {
    uint32_t low = 0, high = t->directives.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->directives.at[middle].from <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low && offset < t->directives.at[low - 1].to;
}

struct cw_spot cw_spot_find(const struct cw_tokens *t, size_t offset) {
    if (is_in_directive(t, offset))
        return (struct cw_spot){.why = "it stands in a macro's definition"};
    uint32_t target = cw_token_at(t, offset);
    if (is_in_constexpr(t, target))
        return (struct cw_spot){.why = "its function is constexpr"};
    for (uint32_t i = target, open = token(t, i)->parent; open != CW_NO_TOKEN; open = token(t, i = open)->parent)
        if (cw_token_is(t, open, "{") && is_block(t, open)) {
            struct search s = {.tokens = t, .target = target};
            return choose(&s, statement_start(t, i, open));
        }
    return (struct cw_spot){.why = "it stands in no function's body"};
}
