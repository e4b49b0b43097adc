#include "rules/text_barriers.h"

#include "kernel/ask/code.h"
#include "source/lexer.h"

#include <string.h>

void cw_beginning_take(struct cw_beginning *beginning, cw_str token) {
    if (beginning->n == 0)
        beginning->first = token;
    else if (beginning->n == 1)
        beginning->second = token;
    else if (beginning->n == 2)
        beginning->third = token;
    beginning->n++;
}

bool cw_beginning_is_barrier(const struct cw_beginning *beginning) {
    char name[64];
    if (beginning->n < 2)
        return false;
    if (beginning->n > 2 && (cw_str_is(beginning->second, ".") || cw_str_is(beginning->second, "->")))
        return cw_str_is(beginning->third, "sync");
    if (!cw_str_is(beginning->second, "(") || beginning->first.n >= sizeof name)
        return false;
    memcpy(name, beginning->first.at, beginning->first.n);
    name[beginning->first.n] = '\0';
    const struct cw_intrinsic *i = cw_intrinsic_find(name);
    return i && (i->op == CW_OP_BARRIER || i->op == CW_OP_SYNCWARP);
}

/* One call with its arguments, and a semicolon: "not needed: __syncthreads()" is something else. */
bool cw_is_barrier_statement(cw_str text) {
    struct cw_lexer l;
    struct cw_token t;
    struct cw_beginning b = {.n = 0};
    int depth = 0;
    bool closed = false, ended = false;
    cw_lexer_init(&l, text.at, text.n);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        char c = t.kind == CW_TOKEN_PUNCT && t.n == 1 ? text.at[t.at] : '\0';
        if (ended || (closed && c != ';') || t.kind == CW_TOKEN_COMMENT)
            return false;
        cw_beginning_take(&b, (cw_str){text.at + t.at, t.n});
        depth += (c == '(') - (c == ')');
        closed = c == ')' && depth == 0;
        ended = c == ';';
    }
    return ended && depth == 0 && cw_beginning_is_barrier(&b);
}
