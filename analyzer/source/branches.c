#include "source/branches.h"

#include "source/lexer.h"

#include <string.h>

enum { MAX_BRANCHES = 1 << 16, MAX_OPEN = 256, MAX_NAMES = 16 };

struct reading {
    struct cw_arena *arena;
    struct cw_branches *out;
    const char *text;
    uint32_t open[MAX_OPEN], n; /* index plus 1 of the branch at hand of each open conditional */
    uint32_t skipped;           /* conditionals opened beyond a bound */
    uint32_t conditionals;
};

/* ---- reading ---- */

static void begin_branch(struct reading *reading, uint32_t at, cw_str word, bool continues) {
    struct cw_branch b = {.from = at, .to = UINT32_MAX, .word = word};
    if (continues) {
        b.before = reading->open[reading->n - 1];
        b.conditional = reading->out->at[b.before - 1].conditional;
        b.outer = reading->out->at[b.before - 1].outer;
        reading->out->at[b.before - 1].to = at;
    } else {
        b.conditional = reading->conditionals++;
        b.outer = reading->n ? reading->open[reading->n - 1] : 0;
        reading->n++;
    }
    cw_vec_push(reading->arena, reading->out, b);
    reading->open[reading->n - 1] = reading->out->n;
}

static void close_one(struct reading *reading, uint32_t at) {
    if (reading->skipped)
        reading->skipped--;
    else if (reading->n)
        reading->out->at[reading->open[--reading->n] - 1].to = at;
}

static bool has_room(const struct reading *reading) {
    return reading->n < MAX_OPEN && reading->out->n < MAX_BRANCHES;
}

static void take_directive(struct reading *reading, struct cw_token token) {
    cw_str word = cw_token_directive(reading->text, token);
    if (cw_str_starts(word, "if") && !has_room(reading))
        reading->skipped++;
    else if (cw_str_starts(word, "if"))
        begin_branch(reading, token.at, word, false);
    else if (cw_str_is(word, "endif"))
        close_one(reading, token.at);
    else if (cw_str_starts(word, "el") && reading->n && !reading->skipped && reading->out->n < MAX_BRANCHES)
        begin_branch(reading, token.at, word, true);
}

/* The condition grows with the tokens of its line; comments do not belong to it. */
static void take_condition(struct reading *reading, struct cw_token token) {
    struct cw_branch *b = &cw_vec_last(reading->out);
    if (!b->condition.n)
        b->condition.at = reading->text + token.at;
    b->condition.n = (size_t)(reading->text + token.at + token.n - b->condition.at);
}

struct cw_branches cw_branches_read(struct cw_arena *a, const char *text, size_t size) {
    struct cw_branches out = {0};
    struct reading r = {.arena = a, .out = &out, .text = text};
    struct cw_lexer l;
    bool in_condition = false;
    cw_lexer_init(&l, text, size);
    for (struct cw_token t; (t = cw_lexer_next(&l)).kind != CW_TOKEN_END;) {
        if (t.kind == CW_TOKEN_COMMENT)
            continue;
        uint32_t before = out.n;
        if (t.kind == CW_TOKEN_DIRECTIVE)
            take_directive(&r, t);
        else if (in_condition && t.in_directive)
            take_condition(&r, t);
        in_condition = out.n > before || (in_condition && t.kind != CW_TOKEN_DIRECTIVE && t.in_directive);
    }
    for (uint32_t i = 0; i < out.n; i++)
        if (out.at[i].to == UINT32_MAX)
            out.at[i].to = (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX - 1);
    return out;
}

/* ---- asking ---- */

/* They are in the order of their begins, and those inside of each other are told by the later begin. */
uint32_t cw_branch_at(const struct cw_branches *branches, uint32_t offset) {
    for (uint32_t i = branches->n; i-- > 0;)
        if (branches->at[i].from <= offset && offset < branches->at[i].to)
            return i + 1;
    return 0;
}

bool cw_branches_exclude(const struct cw_branches *branches, uint32_t x, uint32_t y) {
    for (; x; x = branches->at[x - 1].outer)
        for (uint32_t other = y; other; other = branches->at[other - 1].outer)
            if (x != other && branches->at[x - 1].conditional == branches->at[other - 1].conditional)
                return true;
    return false;
}

/* A conjunction of names, each bare or with defined. */
static bool read_names(struct cw_arena *a, cw_str condition, struct cw_branch_names *out) {
    struct cw_lexer l;
    struct cw_token t;
    uint32_t open = 0, begun = out->n;
    cw_lexer_init(&l, condition.at, condition.n);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        cw_str word = {condition.at + t.at, t.n};
        if (t.kind == CW_TOKEN_NAME && cw_str_is(word, "defined"))
            continue;
        if (t.kind == CW_TOKEN_NAME && out->n < MAX_NAMES)
            cw_vec_push(a, out, (const char *)cw_arena_strndup(a, word.at, word.n));
        else if (cw_str_is(word, "("))
            open++;
        else if (cw_str_is(word, ")") && open)
            open--;
        else if (!cw_str_is(word, "&"))
            return false;
    }
    return out->n > begun;
}

bool cw_branch_requires(struct cw_arena *a, const struct cw_branches *branches, uint32_t branch,
                        struct cw_branch_names *out) {
    const struct cw_branch *one = &branches->at[branch - 1],
                           *first = one->before ? &branches->at[one->before - 1] : one;
    if (cw_str_is(one->word, "if") || cw_str_is(one->word, "ifdef"))
        return read_names(a, one->condition, out);
    return cw_str_is(one->word, "else") && cw_str_is(first->word, "ifndef") && read_names(a, first->condition, out);
}

/* The branch's own condition is to hold, or not to. */
static bool solve_one(struct cw_arena *a, const struct cw_branch *one, bool holds, cw_may_define *may,
                      struct cw_definitions *out) {
    if (cw_str_is(one->word, "else"))
        return true;
    if (cw_str_is(one->word, "ifdef") || cw_str_is(one->word, "ifndef"))
        return cw_condition_define(a, one->condition, cw_str_is(one->word, "ifdef") == holds, may, out);
    return (cw_str_is(one->word, "if") || cw_str_is(one->word, "elif")) &&
           cw_condition_solve(a, one->condition, holds, may, out);
}

bool cw_branch_wants(struct cw_arena *a, const struct cw_branches *branches, uint32_t branch, cw_may_define *may,
                     struct cw_definitions *out) {
    uint32_t before = out->n;
    for (; branch; branch = branches->at[branch - 1].outer) {
        const struct cw_branch *one = &branches->at[branch - 1];
        bool solved = solve_one(a, one, true, may, out);
        for (uint32_t k = one->before; k && solved; k = branches->at[k - 1].before)
            solved = solve_one(a, &branches->at[k - 1], false, may, out);
        if (!solved) {
            out->n = before;
            return false;
        }
    }
    return true;
}
