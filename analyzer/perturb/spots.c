#include "perturb/spots.h"

#include <string.h>
#include <strings.h>

enum { MAX_CANDIDATES = 24, MAX_NESTING = 64, MAX_HEAD_TOKENS = 400, MAX_RESULT_TOKENS = 24 };

static const struct cw_code_token *token_at(const struct cw_tokens *tokens, uint32_t i) {
    return &tokens->at.at[i];
}

static bool is_name(const struct cw_tokens *tokens, uint32_t i) {
    return i < tokens->at.n && token_at(tokens, i)->kind == CW_TOKEN_NAME;
}

static bool is_one_of(const struct cw_tokens *tokens, uint32_t i, const char *const *words, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (cw_token_is(tokens, i, words[k]))
            return true;
    return false;
}

/* The partner of a bracket that closes behind it, else CW_NO_TOKEN. */
static uint32_t close_of(const struct cw_tokens *tokens, uint32_t i) {
    uint32_t match = i < tokens->at.n ? token_at(tokens, i)->match : CW_NO_TOKEN;
    return match != CW_NO_TOKEN && match > i ? match : CW_NO_TOKEN;
}

/* ---- which braces hold statements ---- */

/* "-> type {": the result of a lambda or function ends where the brace stands. */
static bool has_trailing_result(const struct cw_tokens *tokens, uint32_t last) {
    for (uint32_t n = 0; n < MAX_RESULT_TOKENS && last > n; n++) {
        uint32_t i = last - n;
        if (cw_token_is(tokens, i, "->"))
            return i > 0 && (cw_token_is(tokens, i - 1, ")") || is_name(tokens, i - 1));
        if (cw_token_is(tokens, i, ";") || cw_token_is(tokens, i, "{") || cw_token_is(tokens, i, "}"))
            return false;
    }
    return false;
}

/* "(…) {" is a block unless the group is an attribute of a class or a cast before a list of values. */
static bool is_behind_group(const struct cw_tokens *tokens, uint32_t close) {
    static const char *const classes[] = {"struct", "class", "union", "enum"};
    static const char *const casts[] = {"=", ",", "(", "?", "return"};
    uint32_t open = token_at(tokens, close)->match;
    if (open == CW_NO_TOKEN || open < 3)
        return true;
    if (is_one_of(tokens, open - 2, classes, sizeof classes / sizeof *classes))
        return false;
    if (cw_token_is(tokens, open - 2, "operator") || cw_token_is(tokens, open - 3, "operator"))
        return true;
    return !is_one_of(tokens, open - 1, casts, sizeof casts / sizeof *casts);
}

/* "[…] {" is a lambda unless the bracket belongs to an array. */
static bool is_capture(const struct cw_tokens *tokens, uint32_t close) {
    uint32_t open = token_at(tokens, close)->match;
    if (open == CW_NO_TOKEN || open == 0 || cw_token_is(tokens, open - 1, "return"))
        return open != CW_NO_TOKEN;
    return !is_name(tokens, open - 1) && !cw_token_is(tokens, open - 1, "]");
}

/* Does this brace open a block of statements, and not a class, a namespace or a list of values? */
static bool is_block(const struct cw_tokens *tokens, uint32_t open) {
    static const char *const words[] = {"else", "do", "try", "const", "noexcept", "override", "mutable", "volatile"};
    while (open > 0 && cw_token_is(tokens, open - 1, "{"))
        open--;
    if (open == 0)
        return false;
    uint32_t p = open - 1;
    if (cw_token_is(tokens, p, ")"))
        return is_behind_group(tokens, p);
    if (cw_token_is(tokens, p, "]"))
        return is_capture(tokens, p);
    if (cw_token_is(tokens, p, ";") || cw_token_is(tokens, p, "}") || cw_token_is(tokens, p, ":"))
        return true;
    return is_one_of(tokens, p, words, sizeof words / sizeof *words) || has_trailing_result(tokens, p);
}

/* ---- statements ---- */

/* A brace that opens a lambda's body: what closes it ends no statement. */
static bool is_lambda(const struct cw_tokens *tokens, uint32_t open) {
    uint32_t p = open - 1;
    if (open == 0)
        return false;
    if (cw_token_is(tokens, p, "]") || cw_token_is(tokens, p, "mutable"))
        return true;
    if (cw_token_is(tokens, p, ")")) {
        uint32_t group = token_at(tokens, p)->match;
        return group != CW_NO_TOKEN && group > 0 && cw_token_is(tokens, group - 1, "]");
    }
    return has_trailing_result(tokens, p);
}

/* First token of the statement that holds token `i`, at the nesting of `i`; `open` is the bracket around it. */
static uint32_t statement_start(const struct cw_tokens *tokens, uint32_t i, uint32_t open) {
    uint32_t floor = open == CW_NO_TOKEN ? 0 : open + 1;
    while (i > floor) {
        uint32_t before = i - 1, match = token_at(tokens, before)->match;
        if (cw_token_is(tokens, before, ";"))
            return i;
        if (cw_token_is(tokens, before, "}")) {
            if (match == CW_NO_TOKEN || match < floor || (is_block(tokens, match) && !is_lambda(tokens, match)))
                return i;
            i = match;
        } else if ((cw_token_is(tokens, before, ")") || cw_token_is(tokens, before, "]")) && match != CW_NO_TOKEN &&
                   match >= floor) {
            i = match;
        } else {
            i = before;
        }
    }
    return i;
}

static bool is_control(const struct cw_tokens *tokens, uint32_t i) {
    static const char *const words[] = {"if", "for", "while", "switch"};
    return is_one_of(tokens, i, words, sizeof words / sizeof *words);
}

/* The parenthesis of a control statement's head, or CW_NO_TOKEN. */
static uint32_t head_of(const struct cw_tokens *tokens, uint32_t i) {
    if (!is_control(tokens, i))
        return CW_NO_TOKEN;
    i += is_name(tokens, i + 1) && cw_token_is(tokens, i + 2, "(") ? 2 : 1; /* if constexpr (…) */
    return cw_token_is(tokens, i, "(") && close_of(tokens, i) != CW_NO_TOKEN ? i : CW_NO_TOKEN;
}

/* Directives between the token and the one before it. */
static bool is_parted(const struct cw_tokens *tokens, uint32_t i) {
    for (uint32_t d = i ? token_at(tokens, i - 1)->directives : 0; d < token_at(tokens, i)->directives; d++)
        if (tokens->directives.at[d].kind >= CW_DIRECTIVE_IF)
            return true;
    return false;
}

static const struct cw_directive *pragma_before(const struct cw_tokens *tokens, uint32_t i) {
    for (uint32_t d = i ? token_at(tokens, i - 1)->directives : 0; d < token_at(tokens, i)->directives; d++)
        if (tokens->directives.at[d].kind == CW_DIRECTIVE_PRAGMA)
            return &tokens->directives.at[d];
    return NULL;
}

/* Are all conditional sections that open between two tokens closed there, and no other ones? */
static bool is_whole(const struct cw_tokens *tokens, uint32_t from, uint32_t to) {
    int depth = 0;
    for (uint32_t d = token_at(tokens, from)->directives; d < token_at(tokens, to)->directives; d++) {
        enum cw_directive_kind kind = tokens->directives.at[d].kind;
        depth += kind == CW_DIRECTIVE_IF;
        if (kind >= CW_DIRECTIVE_ELSE && depth == 0)
            return false;
        depth -= kind == CW_DIRECTIVE_ENDIF;
    }
    return depth == 0;
}

/* The ';' of a statement without control flow. "MACRO(x) y;" may be two statements: refused. */
static uint32_t simple_end(const struct cw_tokens *tokens, uint32_t i) {
    if (is_name(tokens, i) && cw_token_is(tokens, i + 1, "(")) {
        uint32_t close = close_of(tokens, i + 1);
        if (close == CW_NO_TOKEN || is_name(tokens, close + 1) || cw_token_is(tokens, close + 1, "{"))
            return CW_NO_TOKEN;
    }
    for (uint32_t from = i; i + 1 < tokens->at.n; i++) {
        if (cw_token_is(tokens, i, ";"))
            return is_whole(tokens, from, i) ? i : CW_NO_TOKEN;
        uint32_t close = close_of(tokens, i);
        if (close != CW_NO_TOKEN)
            i = close;
        else if (cw_token_is(tokens, i, "}") || cw_token_is(tokens, i, ")") || cw_token_is(tokens, i, "]") ||
                 cw_token_is(tokens, i, "{"))
            return CW_NO_TOKEN;
    }
    return CW_NO_TOKEN;
}

static uint32_t statement_end(const struct cw_tokens *t, uint32_t i, int depth);

static uint32_t do_end(const struct cw_tokens *tokens, uint32_t i, int depth) {
    uint32_t body = statement_end(tokens, i + 1, depth + 1);
    if (body == CW_NO_TOKEN || !cw_token_is(tokens, body + 1, "while"))
        return CW_NO_TOKEN;
    uint32_t close = close_of(tokens, body + 2);
    return close != CW_NO_TOKEN && cw_token_is(tokens, close + 1, ";") ? close + 1 : CW_NO_TOKEN;
}

/* The last token of the statement that begins at `i`, or CW_NO_TOKEN when it is not sure. */
static uint32_t statement_end(const struct cw_tokens *tokens, uint32_t i, int depth) {
    static const char *const others[] = {"else", "case", "default", "try", "catch"};
    if (depth > MAX_NESTING || i + 1 >= tokens->at.n || is_one_of(tokens, i, others, sizeof others / sizeof *others))
        return CW_NO_TOKEN;
    if (cw_token_is(tokens, i, "{"))
        return close_of(tokens, i);
    if (cw_token_is(tokens, i, "do"))
        return do_end(tokens, i, depth);
    if (!is_control(tokens, i))
        return simple_end(tokens, i);
    uint32_t head = head_of(tokens, i);
    if (head == CW_NO_TOKEN)
        return CW_NO_TOKEN;
    uint32_t end = statement_end(tokens, close_of(tokens, head) + 1, depth + 1);
    if (end != CW_NO_TOKEN && cw_token_is(tokens, i, "if") && cw_token_is(tokens, end + 1, "else"))
        return statement_end(tokens, end + 2, depth + 1);
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

static void add_candidate(struct search *search, uint32_t at, bool is_body) {
    if (search->n < MAX_CANDIDATES)
        search->at[search->n++] = (struct candidate){at, is_body};
}

/* "=" alone: the lexer gives "!=" and "==" in pieces. */
static bool is_assignment(const struct cw_tokens *tokens, uint32_t i) {
    if (!cw_token_is(tokens, i, "="))
        return false;
    const char *at = tokens->text + token_at(tokens, i)->at;
    return at[1] != '=' && (token_at(tokens, i)->at == 0 || !strchr("!=<>+-*/%&|^", at[-1]));
}

/* "int x = f()" in a condition takes nothing in front of it. */
static bool is_declaration(const struct cw_tokens *tokens, uint32_t from, uint32_t to) {
    bool has_value = false;
    for (uint32_t i = from; i < to; i++) {
        uint32_t close = close_of(tokens, i);
        if (close != CW_NO_TOKEN)
            i = close;
        else if (is_assignment(tokens, i) || cw_token_is(tokens, i, ";"))
            has_value = true;
    }
    return has_value && is_name(tokens, from) && !cw_token_is(tokens, from + 1, "=");
}

/* The part of a for-loop's head that holds the target: 0 … 2, -1 when it has not three. `first`: its first token. */
static int part_of_for(const struct search *search, uint32_t head, uint32_t *first) {
    const struct cw_tokens *t = search->tokens;
    int parts = 0, part = 0;
    *first = head + 1;
    for (uint32_t i = head + 1; i < close_of(t, head); i++) {
        uint32_t close = close_of(t, i);
        if (close != CW_NO_TOKEN) {
            i = close;
        } else if (cw_token_is(t, i, ";")) {
            parts++;
            if (i < search->target) {
                part = parts;
                *first = i + 1;
            }
        }
    }
    return parts == 2 ? part : -1;
}

/* The target stands in the head at `i`: loops ask again each time, everything else once. */
static void look_into_head(struct search *search, uint32_t i, uint32_t head) {
    const struct cw_tokens *t = search->tokens;
    uint32_t first = head + 1;
    bool again = false;
    if (cw_token_is(t, i, "while"))
        again = !is_declaration(t, first, close_of(t, head));
    else if (cw_token_is(t, i, "for"))
        again = part_of_for(search, head, &first) > 0;
    if (again && !is_parted(t, first))
        search->found = (struct cw_spot){CW_SPOT_OPERAND, token_at(t, first)->at, token_at(t, first)->at, NULL};
}

/* Behind a label, or `i` itself. */
static uint32_t behind_label(const struct cw_tokens *tokens, uint32_t i, uint32_t limit) {
    if (cw_token_is(tokens, i, "case")) {
        int questions = 0;
        for (uint32_t k = i + 1; k < limit; k++) {
            uint32_t close = close_of(tokens, k);
            questions += cw_token_is(tokens, k, "?");
            if (close != CW_NO_TOKEN)
                k = close;
            else if (cw_token_is(tokens, k, ":") && questions-- == 0)
                return k + 1;
        }
        return i;
    }
    return is_name(tokens, i) && cw_token_is(tokens, i + 1, ":") && i + 1 < limit ? i + 2 : i;
}

/* "UNROLL for (…)", "_Pragma("unroll") for (…)": what stands before a loop belongs to it. */
static uint32_t behind_marker(const struct cw_tokens *tokens, uint32_t i) {
    if (!is_name(tokens, i) || is_control(tokens, i))
        return i;
    uint32_t close = cw_token_is(tokens, i + 1, "(") ? close_of(tokens, i + 1) : CW_NO_TOKEN;
    uint32_t next = close == CW_NO_TOKEN ? i + 1 : close + 1;
    return head_of(tokens, next) != CW_NO_TOKEN ? next : i;
}

/* Everything between the start of the whole statement and the innermost one around the target. */
static void collect_candidates(struct search *search, uint32_t i) {
    const struct cw_tokens *t = search->tokens;
    add_candidate(search, i, false);
    for (int n = 0; n < MAX_NESTING && i < search->target; n++) {
        uint32_t label = behind_label(t, i, search->target + 1), marker = behind_marker(t, i);
        if (label != i) {
            add_candidate(search, i = label, false);
        } else if (cw_token_is(t, i, "else") || cw_token_is(t, i, "do")) {
            add_candidate(search, ++i, true);
        } else if (marker != i) {
            i = marker;
        } else {
            uint32_t head = head_of(t, i), close = head == CW_NO_TOKEN ? head : close_of(t, head);
            if (head == CW_NO_TOKEN)
                return;
            if (search->target <= close) {
                look_into_head(search, i, head);
                return;
            }
            add_candidate(search, i = close + 1, true);
        }
    }
}

/* ---- the choice ---- */

/* Ends the token a statement, so that another one may begin behind it? */
static bool is_boundary(const struct cw_tokens *tokens, uint32_t i) {
    return cw_token_is(tokens, i, ";") || cw_token_is(tokens, i, "{") || cw_token_is(tokens, i, "}") ||
           cw_token_is(tokens, i, ":");
}

/* Also when the preprocessor takes what stands between away. */
static bool begins_statement(const struct cw_tokens *tokens, uint32_t i) {
    static const char *const never[] = {"else", "catch", "case", "default"};
    if (i == 0 || !is_boundary(tokens, i - 1) || is_one_of(tokens, i, never, sizeof never / sizeof *never))
        return false;
    uint32_t head = cw_token_is(tokens, i, "while") ? head_of(tokens, i) : CW_NO_TOKEN;
    if (head != CW_NO_TOKEN && cw_token_is(tokens, close_of(tokens, head) + 1, ";")) /* may be the tail of a do-loop */
        return false;
    for (uint32_t d = token_at(tokens, i - 1)->directives; d < token_at(tokens, i)->directives; d++) {
        const struct cw_directive *at = &tokens->directives.at[d];
        if (at->kind >= CW_DIRECTIVE_ELSE &&
            (at->opened == CW_NO_TOKEN || !at->opened || !is_boundary(tokens, at->opened - 1)))
            return false;
    }
    return true;
}

/* Is token `i` in a section of the preprocessor that ends before `target`? */
static bool is_left_before(const struct cw_tokens *tokens, uint32_t i, uint32_t target) {
    int depth = 0;
    for (uint32_t d = token_at(tokens, i)->directives; d < token_at(tokens, target)->directives; d++) {
        enum cw_directive_kind kind = tokens->directives.at[d].kind;
        if (kind >= CW_DIRECTIVE_ELSE && depth == 0)
            return true;
        depth += (kind == CW_DIRECTIVE_IF) - (kind == CW_DIRECTIVE_ENDIF);
    }
    return false;
}

static struct cw_spot spot_before(const struct cw_tokens *tokens, uint32_t i, uint32_t target) {
    struct cw_spot none = {0};
    if (!begins_statement(tokens, i) || is_left_before(tokens, i, target))
        return none;
    if (!pragma_before(tokens, i))
        return (struct cw_spot){CW_SPOT_BEFORE, token_at(tokens, i)->at, token_at(tokens, i)->at, NULL};
    if (is_parted(tokens, i))
        return none;
    return (struct cw_spot){CW_SPOT_BEHIND, cw_token_end(tokens, i - 1), cw_token_end(tokens, i - 1), NULL};
}

static struct cw_spot spot_around(const struct cw_tokens *tokens, uint32_t i) {
    uint32_t end = statement_end(tokens, i, 0);
    if (end == CW_NO_TOKEN || is_parted(tokens, i) || !is_whole(tokens, i, end))
        return (struct cw_spot){0};
    uint32_t from = pragma_before(tokens, i) ? cw_token_end(tokens, i - 1) : token_at(tokens, i)->at;
    return (struct cw_spot){CW_SPOT_AROUND, from, cw_token_end(tokens, end), NULL};
}

static struct cw_spot choose_spot(struct search *search, uint32_t start) {
    collect_candidates(search, start);
    for (uint32_t i = search->n; i-- > 0 && search->found.kind == CW_SPOT_NONE;)
        search->found = search->at[i].is_body ? spot_around(search->tokens, search->at[i].at)
                                              : spot_before(search->tokens, search->at[i].at, search->target);
    if (search->found.kind == CW_SPOT_NONE)
        search->found.why = "no statement can be told apart there";
    return search->found;
}

/* ---- the function around ---- */

static bool says_constexpr(const struct cw_tokens *tokens, uint32_t i) {
    if (!is_name(tokens, i) || (i && cw_token_is(tokens, i - 1, "if")))
        return false;
    const char *text = tokens->text + token_at(tokens, i)->at;
    for (uint32_t k = 0; k + 9 <= token_at(tokens, i)->n; k++)
        if (!strncasecmp(text + k, "constexpr", 9) || !strncasecmp(text + k, "consteval", 9))
            return true;
    return false;
}

/* A function that the compiler may have to evaluate takes no call of ours. */
static bool is_in_constexpr(const struct cw_tokens *tokens, uint32_t i) {
    for (uint32_t open = token_at(tokens, i)->parent; open != CW_NO_TOKEN; open = token_at(tokens, open)->parent) {
        if (!cw_token_is(tokens, open, "{") || !is_block(tokens, open))
            continue;
        uint32_t start = statement_start(tokens, open, token_at(tokens, open)->parent), n = 0;
        for (uint32_t k = open; k-- > start && n < MAX_HEAD_TOKENS; n++)
            if (says_constexpr(tokens, k))
                return true;
    }
    return false;
}

static bool is_in_directive(const struct cw_tokens *tokens, size_t offset) {
    uint32_t low = 0, high = tokens->directives.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tokens->directives.at[middle].from <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low && offset < tokens->directives.at[low - 1].to;
}

struct cw_spot cw_spot_find(const struct cw_tokens *tokens, size_t offset) {
    if (is_in_directive(tokens, offset))
        return (struct cw_spot){.why = "it stands in a macro's definition"};
    uint32_t target = cw_token_at(tokens, offset);
    if (is_in_constexpr(tokens, target))
        return (struct cw_spot){.why = "its function is constexpr"};
    for (uint32_t i = target, open = token_at(tokens, i)->parent; open != CW_NO_TOKEN;
         open = token_at(tokens, i = open)->parent)
        if (cw_token_is(tokens, open, "{") && is_block(tokens, open)) {
            struct search s = {.tokens = tokens, .target = target};
            return choose_spot(&s, statement_start(tokens, i, open));
        }
    return (struct cw_spot){.why = "it stands in no function's body"};
}
