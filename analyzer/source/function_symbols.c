#include "source/function_symbols.h"

#include "base/hash.h"

#include <string.h>

enum {
    MAX_SYMBOLS = 1 << 19,  /* of a function */
    MAX_MARK_TOKENS = 24    /* of a statement that is nothing but a mark */
};

struct reading {
    struct cw_arena *arena;
    cw_str text;
    bool (*is_mark)(cw_str statement);
    struct cw_function_symbols out;
    uint32_t statement; /* symbol at which the present one began */
    int parentheses;
    cw_str last;        /* the token before */
};

/* Names whose meaning is the same everywhere: keywords, built-in types and variables. */
static bool is_common(cw_str name) {
    static const char *const common[] = {
        "threadIdx", "blockIdx",  "blockDim",   "gridDim",      "warpSize", "if",     "else",     "for",   "while",
        "do",        "switch",    "case",       "default",      "return",   "break",  "continue", "const", "volatile",
        "static",    "constexpr", "auto",       "void",         "bool",     "char",   "short",    "int",   "long",
        "unsigned",  "signed",    "float",      "double",       "size_t",   "sizeof", "true",     "false", "template",
        "typename",  "struct",    "__shared__", "__restrict__", "goto"};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        if (cw_str_is(name, common[i]))
            return true;
    return false;
}

/* 0 and 1 are seldom a matter of size; other numbers differ between copies as names do. */
static bool is_parameter(const struct reading *reading, cw_str token, uint8_t kind) {
    if (kind == CW_TOKEN_NUMBER)
        return !cw_str_is(token, "0") && !cw_str_is(token, "1");
    return kind == CW_TOKEN_NAME && !is_common(token) && !cw_str_is(reading->last, ".") &&
           !cw_str_is(reading->last, "->");
}

/* A function's name is kept: sin() is not cos(). */
static void keep_callee(struct reading *reading, cw_str token) {
    if (cw_str_is(token, "(") && reading->out.symbols.n && cw_vec_last(&reading->out.tokens).kind == CW_TOKEN_NAME)
        cw_vec_last(&reading->out.symbols).kind = CW_SYMBOL_FIXED;
}

/* The statement that has just ended becomes one symbol when it is a mark. */
static void join_mark(struct reading *reading) {
    uint32_t n = reading->out.symbols.n - reading->statement;
    struct cw_token *first = &reading->out.tokens.at[reading->statement], *last = &cw_vec_last(&reading->out.tokens);
    cw_str text = {reading->text.at + first->at, last->at + last->n - first->at};
    if (n > MAX_MARK_TOKENS || !reading->is_mark(text))
        return;
    first->n = (uint32_t)text.n;
    reading->out.symbols.at[reading->statement] = (struct cw_symbol){cw_hash(text.at, text.n, 0), CW_SYMBOL_MARK, true};
    reading->out.symbols.n = reading->out.tokens.n = reading->statement + 1;
}

static void add_token(struct reading *reading, struct cw_token t) {
    cw_str token = {reading->text.at + t.at, t.n};
    bool is_name = is_parameter(reading, token, t.kind);
    struct cw_symbol symbol = {cw_hash(token.at, token.n, 0), is_name ? CW_SYMBOL_NAME : CW_SYMBOL_FIXED, false};
    char c = t.kind == CW_TOKEN_PUNCT && t.n == 1 ? *token.at : '\0';
    keep_callee(reading, token);
    reading->parentheses += (c == '(') - (c == ')');
    symbol.ends = reading->parentheses == 0 && c && strchr(";{}", c);
    cw_vec_push(reading->arena, &reading->out.symbols, symbol);
    cw_vec_push(reading->arena, &reading->out.tokens, t);
    reading->last = token;
    if (!symbol.ends)
        return;
    join_mark(reading);
    reading->statement = reading->out.symbols.n;
}

struct cw_function_symbols cw_function_symbols_read(struct cw_arena *a, cw_str text,
                                                    bool (*is_mark)(cw_str statement)) {
    struct reading r = {.arena = a, .text = text, .is_mark = is_mark};
    struct cw_lexer l;
    struct cw_token t;
    bool in_body = false;
    cw_lexer_init(&l, text.at, text.n);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END && r.out.symbols.n < MAX_SYMBOLS) {
        in_body |= t.kind == CW_TOKEN_PUNCT && text.at[t.at] == '{';
        if (in_body && t.kind != CW_TOKEN_COMMENT && !t.in_directive)
            add_token(&r, t);
    }
    return r.out;
}
