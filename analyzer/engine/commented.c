#include "engine/commented.h"

#include "cuda/intrinsics.h"
#include "front/front.h"
#include "source/lexer.h"

#include <string.h>

/* Reads tokens as "NAME(" of a barrier or "NAME.sync(". */
struct beginning {
    cw_str first, second, third;
    int n;
};

static void take(struct beginning *b, const char *text, struct cw_token t) {
    cw_str token = {text + t.at, t.n};
    if (b->n == 0)
        b->first = token;
    else if (b->n == 1)
        b->second = token;
    else if (b->n == 2)
        b->third = token;
    b->n++;
}

static bool is_barrier(const struct beginning *b) {
    char name[64];
    if (b->n < 2)
        return false;
    if (b->n > 2 && (cw_str_is(b->second, ".") || cw_str_is(b->second, "->")))
        return cw_str_is(b->third, "sync");
    if (!cw_str_is(b->second, "(") || b->first.n >= sizeof name)
        return false;
    memcpy(name, b->first.at, b->first.n);
    name[b->first.n] = '\0';
    const struct cw_intrinsic *i = cw_intrinsic_find(name);
    return i && (i->op == CW_OP_BARRIER || i->op == CW_OP_SYNCWARP);
}

/* One call with its arguments, and a semicolon: "not needed: __syncthreads()" is something else. */
bool cw_is_barrier_statement(cw_str text) {
    struct cw_lexer l;
    struct cw_token t;
    struct beginning b = {.n = 0};
    int depth = 0;
    bool closed = false, ended = false;
    cw_lexer_init(&l, text.at, text.n);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        char c = t.kind == CW_TOKEN_PUNCT && t.n == 1 ? text.at[t.at] : '\0';
        if (ended || (closed && c != ';') || t.kind == CW_TOKEN_COMMENT)
            return false;
        take(&b, text.at, t);
        depth += (c == '(') - (c == ')');
        closed = c == ')' && depth == 0;
        ended = c == ';';
    }
    return ended && depth == 0 && is_barrier(&b);
}

struct reading {
    struct cw_unit *unit;
    const struct cw_source *source;
    const struct cw_scan_function *function;
    struct beginning statement;       /* the one that is read, or was read last */
    struct cw_token pending;          /* a comment that waits for the statement behind it */
    bool is_pending, is_behind_barrier;
};

static void report(struct reading *r, size_t from) {
    struct cw_place p = {.file = r->unit->result->path};
    cw_source_place(r->source, from + r->pending.at, &p.line, &p.col);
    cw_source_place(r->source, from + r->pending.at + r->pending.n, &p.end_line, &p.end_col);
    struct cw_finding f = {.rule = "commented-out-barrier",
                           .severity = CW_WARNING,
                           .confidence = CW_POSSIBLE,
                           .place = p,
                           .message = "a barrier is commented out here",
                           .kernel = r->function->name,
                           .help = "take it back in, or delete the comment and say why no thread needs to wait here"};
    f.witness.warp = -1;
    f.witness.iteration = -1;
    cw_findings_add(r->unit->arena, r->unit->result, &f);
}

static void take_code(struct reading *r, const char *text, struct cw_token t, size_t from) {
    bool ends = t.kind == CW_TOKEN_PUNCT && t.n == 1 && strchr(";{}", text[t.at]);
    if (!ends)
        take(&r->statement, text, t);
    if (r->is_pending && (ends || r->statement.n == 3)) {
        if (!is_barrier(&r->statement) && !r->is_behind_barrier)
            report(r, from);
        r->is_pending = false;
    }
    if (ends) {
        if (r->statement.n)
            r->is_behind_barrier = is_barrier(&r->statement);
        r->statement.n = 0;
    }
}

static void read_function(struct reading *r) {
    size_t from = cw_source_offset(r->source, r->function->span.line, r->function->span.col);
    size_t to = cw_source_offset(r->source, r->function->span.end_line, r->function->span.end_col);
    const char *text = r->source->text + from;
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, text, to > from ? to - from : 0);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        if (t.kind != CW_TOKEN_COMMENT && !t.in_directive)
            take_code(r, text, t, from);
        else if (t.kind == CW_TOKEN_COMMENT && !r->statement.n && cw_is_barrier_statement(cw_token_comment(text, t))) {
            r->pending = t;
            r->is_pending = true;
        }
    }
}

void cw_commented_barriers(struct cw_unit *u, const struct cw_source *s) {
    for (uint32_t i = 0; i < u->scan->functions.n; i++) {
        struct reading r = {.unit = u, .source = s, .function = &u->scan->functions.at[i]};
        read_function(&r);
    }
}
