/* Integer expressions of a thread, for expectations in test cases: C operators and precedence on int64, with t (linear
 * thread), w (warp), l (lane) and decimal or hexadecimal numbers; `&&` and `||` evaluate both sides. */
#ifndef CW_TESTS_THREAD_EXPR_H
#define CW_TESTS_THREAD_EXPR_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct thread_expr {
    const char *at;
    int64_t t;
    bool bad;
};

static const struct {
    const char *text;
    int level;
} expr_operators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                      {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static int64_t expr_apply(struct thread_expr *e, const char *op, int64_t a, int64_t b) {
    if ((*op == '/' || *op == '%') && b == 0) {
        e->bad = true;
        return 0;
    }
    switch (op[0] + (op[1] ? 256 * op[1] : 0)) {
    case '|' + 256 * '|': return a || b;
    case '&' + 256 * '&': return a && b;
    case '=' + 256 * '=': return a == b;
    case '!' + 256 * '=': return a != b;
    case '<' + 256 * '=': return a <= b;
    case '>' + 256 * '=': return a >= b;
    case '<' + 256 * '<': return (int64_t)((uint64_t)a << b);
    case '>' + 256 * '>': return a >> b;
    case '<': return a < b;
    case '>': return a > b;
    case '|': return a | b;
    case '^': return a ^ b;
    case '&': return a & b;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    default: return a % b;
    }
}

static void expr_blanks(struct thread_expr *e) {
    while (*e->at == ' ')
        e->at++;
}

static int64_t expr_binary(struct thread_expr *e, int level);

static int64_t expr_unary(struct thread_expr *e) {
    expr_blanks(e);
    char c = *e->at;
    if (isdigit((unsigned char)c)) {
        char *end;
        int64_t v = strtoll(e->at, &end, 0);
        e->at = end;
        return v;
    }
    e->at += c != 0;
    if (c == 't')
        return e->t;
    if (c == 'w')
        return e->t / 32;
    if (c == 'l')
        return e->t % 32;
    if (c == '-')
        return -expr_unary(e);
    if (c == '!')
        return !expr_unary(e);
    if (c == '~')
        return ~expr_unary(e);
    if (c == '(') {
        int64_t v = expr_binary(e, 0);
        e->bad |= *e->at != ')';
        e->at += *e->at == ')';
        return v;
    }
    e->bad = true;
    return 0;
}

static int64_t expr_binary(struct thread_expr *e, int level) {
    int64_t a = expr_unary(e);
    for (;;) {
        size_t k = 0, n = sizeof expr_operators / sizeof *expr_operators;
        expr_blanks(e);
        while (k < n && strncmp(e->at, expr_operators[k].text, strlen(expr_operators[k].text)) != 0)
            k++;
        if (k < n && expr_operators[k].level > level) {
            e->at += strlen(expr_operators[k].text);
            int64_t b = expr_binary(e, expr_operators[k].level);
            a = expr_apply(e, expr_operators[k].text, a, b);
        } else if (level == 0 && *e->at == '?') {
            e->at++;
            int64_t yes = expr_binary(e, 0);
            e->bad |= *e->at != ':';
            e->at += *e->at == ':';
            int64_t no = expr_binary(e, 0);
            return a ? yes : no;
        } else {
            return a;
        }
    }
}

/* *end: where the expression stopped. */
static int64_t thread_expr(const char *text, int64_t t, const char **end, bool *bad) {
    struct thread_expr e = {.at = text, .t = t};
    int64_t v = expr_binary(&e, 0);
    expr_blanks(&e);
    *end = e.at;
    *bad |= e.bad;
    return v;
}

#endif
