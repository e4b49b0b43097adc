/* Conditions of #if: integer expressions over macros; a name that is no macro is 0. */
#include "front/repair/preproc.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_BINARY = 12 };

struct condition {
    struct pp_preproc *preproc;
    const struct pp_token *at;
    uint32_t n, i, depth;
    bool failed;
};

static int64_t parse_ternary(struct condition *c);

static bool next_is(const struct condition *condition, const char *text) {
    size_t n = strlen(text);
    for (size_t k = 0; k < n; k++) { /* the lexer gives most operators one character at a time */
        const struct pp_token *t = condition->i + k < condition->n ? &condition->at[condition->i + k] : NULL;
        if (!t || (k && t->space))
            return false;
        if (t->n > 1 || n == t->n)
            return k == 0 && pp_token_is(t, text);
        if (t->at[0] != text[k])
            return false;
    }
    return n > 0;
}

/* `&` of `&&`, `>` of `>=` and `>>`. */
static bool is_part_of_longer(const struct condition *condition, const char *text) {
    if (text[1] || !strchr("&|>", text[0]) || condition->i + 1 >= condition->n || condition->at[condition->i + 1].space)
        return false;
    char next = condition->at[condition->i + 1].at[0];
    return next == text[0] || (next == '=' && text[0] == '>');
}

static bool accept_text(struct condition *condition, const char *text) {
    if (!next_is(condition, text) || is_part_of_longer(condition, text))
        return false;
    size_t n = strlen(text);
    condition->i += condition->at[condition->i].n == n ? 1 : (uint32_t)n;
    return true;
}

static int64_t parse_number(struct condition *condition) {
    char text[64];
    const struct pp_token *t = &condition->at[condition->i++];
    size_t n = 0;
    for (uint32_t i = 0; i < t->n && n + 1 < sizeof text; i++)
        if (t->at[i] != '\'')
            text[n++] = t->at[i];
    text[n] = '\0';
    bool is_binary = n > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    return (int64_t)strtoull(is_binary ? text + 2 : text, NULL, is_binary ? 2 : 0);
}

static void skip_call(struct condition *condition) {
    uint32_t depth = 0;
    do {
        depth += next_is(condition, "(");
        depth -= next_is(condition, ")");
        condition->i++;
    } while (depth && condition->i < condition->n);
}

static int64_t parse_primary(struct condition *condition) {
    if (condition->i >= condition->n || condition->depth >= MAX_DEPTH) {
        condition->failed = true;
        return 0;
    }
    condition->depth++;
    int64_t value = 0;
    const struct pp_token *t = &condition->at[condition->i];
    if (accept_text(condition, "(")) {
        value = parse_ternary(condition);
        condition->failed |= !accept_text(condition, ")");
    } else if (accept_text(condition, "!")) {
        value = !parse_primary(condition);
    } else if (accept_text(condition, "-")) {
        value = (int64_t)(0 - (uint64_t)parse_primary(condition));
    } else if (accept_text(condition, "+")) {
        value = parse_primary(condition);
    } else if (accept_text(condition, "~")) {
        value = ~parse_primary(condition);
    } else if (t->kind == CW_TOKEN_NUMBER) {
        value = parse_number(condition);
    } else if (t->kind == CW_TOKEN_CHAR) {
        condition->i++;
        value = t->n == 3 ? t->at[1] : 0;
    } else if (t->kind == CW_TOKEN_NAME) {
        condition->i++;
        value = pp_token_is(t, "true");
        if (next_is(condition, "("))
            skip_call(condition);
    } else {
        condition->failed = true;
    }
    condition->depth--;
    return value;
}

static const struct operator{
    const char *text;
    int level;
}
operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},
    {"^", 4},  {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

enum { NOPERATORS = sizeof operators / sizeof *operators };

static int64_t compute_operator(struct condition *condition, uint32_t op, int64_t a, int64_t b) {
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case 0: return a || b;
    case 1: return a && b;
    case 2: return a == b;
    case 3: return a != b;
    case 4: return a <= b;
    case 5: return a >= b;
    case 6: return y < 64 ? (int64_t)(x << y) : 0;
    case 7: return y < 64 ? a >> y : 0;
    case 8: return a | b;
    case 9: return a ^ b;
    case 10: return a & b;
    case 11: return a < b;
    case 12: return a > b;
    case 13: return (int64_t)(x + y);
    case 14: return (int64_t)(x - y);
    case 15: return (int64_t)(x * y);
    default: break;
    }
    if (!b || (a == INT64_MIN && b == -1)) {
        condition->failed = true;
        return 0;
    }
    return op == 16 ? a / b : a % b;
}

static int64_t parse_binary(struct condition *condition, int level) {
    int64_t value = level > MAX_BINARY - 2 ? parse_primary(condition) : parse_binary(condition, level + 1);
    for (bool again = level <= MAX_BINARY - 2; again && !condition->failed;) {
        again = false;
        for (uint32_t i = 0; i < NOPERATORS; i++)
            if (operators[i].level == level && accept_text(condition, operators[i].text)) {
                value = compute_operator(condition, i, value,
                                         level > MAX_BINARY - 2 ? parse_primary(condition)
                                                                : parse_binary(condition, level + 1));
                again = true;
                break;
            }
    }
    return value;
}

static int64_t parse_ternary(struct condition *condition) {
    if (condition->depth >= MAX_DEPTH) {
        condition->failed = true;
        return 0;
    }
    condition->depth++;
    int64_t value = parse_binary(condition, 1);
    if (accept_text(condition, "?")) {
        int64_t yes = parse_ternary(condition);
        condition->failed |= !accept_text(condition, ":");
        int64_t no = parse_ternary(condition);
        value = value ? yes : no;
    }
    condition->depth--;
    return value;
}

static struct pp_token truth_token(struct pp_token at, bool value) {
    at.at = value ? "1" : "0";
    at.n = 1;
    at.kind = CW_TOKEN_NUMBER;
    return at;
}

static bool has_include(struct pp_preproc *preproc, const struct pp_token *token) {
    if (token->n < 3)
        return false;
    return pp_include_find(preproc, token->file, (cw_str){token->at + 1, token->n - 2},
                           token->kind == CW_TOKEN_HEADER) >= 0;
}

/* `defined X`, `defined(X)` and `__has_include("x")` become 1 or 0 before macros are expanded. */
static uint32_t expand_query(struct pp_preproc *preproc, const struct pp_token *at, uint32_t n, struct pp_tokens *out) {
    bool defined = pp_token_is(at, "defined"), include = pp_token_is(at, "__has_include");
    if (!defined && !include)
        return 0;
    uint32_t name = n > 1 && pp_token_is(&at[1], "(") ? 2 : 1;
    if (name >= n)
        return 0;
    bool value =
        defined ? pp_macro_find(preproc, (cw_str){at[name].at, at[name].n}) != NULL : has_include(preproc, &at[name]);
    cw_vec_push(preproc->arena, out, truth_token(at[0], value));
    uint32_t end = name + 1;
    while (name == 2 && end < n && !pp_token_is(&at[end], ")"))
        end++;
    return name == 2 && end < n ? end + 1 : end;
}

bool pp_condition(struct pp_preproc *preproc, const struct pp_token *at, uint32_t n) {
    struct pp_tokens expanded = {0};
    for (uint32_t i = 0; i < n;) {
        uint32_t taken = expand_query(preproc, at + i, n - i, &expanded);
        i += taken ? taken : pp_macro_expand(preproc, at + i, n - i, &expanded);
    }
    struct condition c = {.preproc = preproc, .at = expanded.at, .n = expanded.n};
    int64_t value = expanded.n ? parse_ternary(&c) : 0;
    return !c.failed && value != 0;
}
