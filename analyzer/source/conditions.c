/* See conditions.h. The condition becomes a tree; the tree is solved from the left, trying alternatives in order. */
#include "source/conditions.h"

#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 128, MAX_DEPTH = 32, MAX_STEPS = 4096, MAX_DEFINITIONS = 16 };

enum kind { NODE_NAME, NODE_DEFINED, NODE_NUMBER, NODE_NOT, NODE_AND, NODE_OR, NODE_COMPARE };

enum comparison { EQUAL, UNEQUAL, LESS, AT_MOST, GREATER, AT_LEAST };

struct node {
    enum kind kind;
    enum comparison comparison;
    const char *name;
    int64_t number;
    uint32_t left, right; /* nodes */
};

struct parser {
    struct cw_arena *arena;
    cw_str text;
    struct cw_lexer lexer;
    struct cw_token token;
    struct node nodes[MAX_NODES];
    uint32_t n, depth;
    bool failed;
};

/* ---- the tree ---- */

/* The lexer gives most operators character by character; those of two characters are joined here. */
static void next(struct parser *p) {
    static const char *const joined[] = {"==", "!=", ">=", "&&", "||"};
    p->token = cw_lexer_next(&p->lexer);
    if (p->token.kind != CW_TOKEN_PUNCT)
        return;
    cw_str rest = {p->text.at + p->token.at, p->text.n - p->token.at};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (p->token.n == 1 && cw_str_starts(rest, joined[i])) {
            cw_lexer_next(&p->lexer);
            p->token.n = 2;
        }
}

static cw_str word(const struct parser *p) {
    return p->token.kind == CW_TOKEN_END ? (cw_str){"", 0} : (cw_str){p->text.at + p->token.at, p->token.n};
}

static bool accept(struct parser *p, const char *text) {
    if (!cw_str_is(word(p), text))
        return false;
    next(p);
    return true;
}

static uint32_t add(struct parser *p, struct node node) {
    if (p->n == MAX_NODES)
        p->failed = true;
    if (p->failed)
        return 0;
    p->nodes[p->n] = node;
    return p->n++;
}

static uint32_t parse_or(struct parser *p);

static const char *take_name(struct parser *p) {
    p->failed |= p->token.kind != CW_TOKEN_NAME;
    cw_str name = word(p);
    next(p);
    return cw_arena_strndup(p->arena, name.at, name.n);
}

static uint32_t parse_defined(struct parser *p) {
    bool bracketed = accept(p, "(");
    struct node node = {.kind = NODE_DEFINED, .name = take_name(p)};
    p->failed |= bracketed && !accept(p, ")");
    return add(p, node);
}

static int64_t take_number(struct parser *p) {
    cw_str digits = word(p);
    char copy[32] = "", *end;
    if (digits.n < sizeof copy)
        memcpy(copy, digits.at, digits.n);
    int64_t value = strtoll(copy, &end, 0);
    p->failed |= end == copy || strspn(end, "uUlL") != strlen(end);
    next(p);
    return value;
}

static uint32_t parse_primary(struct parser *p) {
    if (accept(p, "(")) {
        uint32_t inner = parse_or(p);
        p->failed |= !accept(p, ")");
        return inner;
    }
    if (accept(p, "defined"))
        return parse_defined(p);
    if (p->token.kind == CW_TOKEN_NUMBER)
        return add(p, (struct node){.kind = NODE_NUMBER, .number = take_number(p)});
    struct node node = {.kind = NODE_NAME, .name = take_name(p)};
    p->failed |= cw_str_is(word(p), "("); /* a macro with arguments */
    return add(p, node);
}

static uint32_t parse_not(struct parser *p) {
    if (!accept(p, "!"))
        return parse_primary(p);
    if (++p->depth > MAX_DEPTH)
        p->failed = true;
    uint32_t inner = p->failed ? 0 : parse_not(p);
    p->depth--;
    return add(p, (struct node){.kind = NODE_NOT, .left = inner});
}

static bool take_comparison(struct parser *p, enum comparison *out) {
    static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">="};
    for (uint32_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (accept(p, operators[i])) {
            *out = (enum comparison)i;
            return true;
        }
    return false;
}

/* `5 < X` as `X > 5`. */
static enum comparison mirrored(enum comparison c) {
    static const enum comparison other[] = {EQUAL, UNEQUAL, GREATER, AT_LEAST, LESS, AT_MOST};
    return other[c];
}

static uint32_t parse_comparison(struct parser *p) {
    uint32_t left = parse_not(p);
    enum comparison c;
    if (p->failed || !take_comparison(p, &c))
        return left;
    uint32_t right = parse_not(p);
    if (p->failed)
        return 0;
    const struct node *l = &p->nodes[left], *r = &p->nodes[right];
    bool is_plain = l->kind == NODE_NAME && r->kind == NODE_NUMBER;
    bool is_mirrored = l->kind == NODE_NUMBER && r->kind == NODE_NAME;
    p->failed |= !is_plain && !is_mirrored;
    return add(p, (struct node){.kind = NODE_COMPARE, .comparison = is_plain ? c : mirrored(c),
                                .name = is_plain ? l->name : r->name, .number = is_plain ? r->number : l->number});
}

static uint32_t parse_and(struct parser *p) {
    uint32_t left = parse_comparison(p);
    while (!p->failed && accept(p, "&&")) {
        uint32_t right = parse_comparison(p);
        left = add(p, (struct node){.kind = NODE_AND, .left = left, .right = right});
    }
    return left;
}

static uint32_t parse_or(struct parser *p) {
    if (++p->depth > MAX_DEPTH)
        p->failed = true;
    uint32_t left = p->failed ? 0 : parse_and(p);
    while (!p->failed && accept(p, "||")) {
        uint32_t right = parse_and(p);
        left = add(p, (struct node){.kind = NODE_OR, .left = left, .right = right});
    }
    p->depth--;
    return left;
}

/* ---- the solution ---- */

struct solver {
    struct cw_arena *arena;
    const struct node *nodes;
    cw_may_define *may;
    struct cw_definitions *out;
    uint32_t steps;
    CW_VEC(const char *) undefined; /* names that must stay undefined */
};

static const struct cw_definition *find(const struct cw_definitions *d, const char *name) {
    for (uint32_t i = 0; i < d->n; i++)
        if (!strcmp(d->at[i].name, name))
            return &d->at[i];
    return NULL;
}

static bool must_stay_undefined(const struct solver *s, const char *name) {
    for (uint32_t i = 0; i < s->undefined.n; i++)
        if (!strcmp(s->undefined.at[i], name))
            return true;
    return false;
}

static bool define(struct solver *s, const char *name, int64_t value) {
    if (must_stay_undefined(s, name) || !s->may(name) || s->out->n >= MAX_DEFINITIONS)
        return false;
    cw_vec_push(s->arena, s->out, ((struct cw_definition){name, value}));
    return true;
}

static bool compares(int64_t value, enum comparison c, int64_t number) {
    switch (c) {
    case EQUAL: return value == number;
    case UNEQUAL: return value != number;
    case LESS: return value < number;
    case AT_MOST: return value <= number;
    case GREATER: return value > number;
    default: return value >= number;
    }
}

/* The name's value is to compare so, or not so: as it is, as 0, as 1, or next to the number. */
static bool solve_comparison(struct solver *s, const struct node *node, bool holds) {
    const struct cw_definition *known = find(s->out, node->name);
    const int64_t tried[] = {1, node->number, node->number + 1, node->number - 1};
    if (known || compares(0, node->comparison, node->number) == holds)
        return compares(known ? known->value : 0, node->comparison, node->number) == holds;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (compares(tried[i], node->comparison, node->number) == holds)
            return define(s, node->name, tried[i]);
    return false;
}

static bool solve_defined(struct solver *s, const char *name, bool holds) {
    if (find(s->out, name))
        return holds;
    if (holds)
        return define(s, name, 1);
    cw_vec_push(s->arena, &s->undefined, name);
    return true;
}

static bool solve(struct solver *s, uint32_t at, bool holds);

/* Both sides, or one of them: the left one if it can be solved. */
static bool solve_both(struct solver *s, const struct node *node, bool holds) {
    return solve(s, node->left, holds) && solve(s, node->right, holds);
}

static bool solve_one(struct solver *s, const struct node *node, bool holds) {
    uint32_t defined = s->out->n, undefined = s->undefined.n;
    if (solve(s, node->left, holds))
        return true;
    s->out->n = defined;
    s->undefined.n = undefined;
    return solve(s, node->right, holds);
}

static bool solve(struct solver *s, uint32_t at, bool holds) {
    const struct node *node = &s->nodes[at];
    if (++s->steps > MAX_STEPS)
        return false;
    switch (node->kind) {
    case NODE_NUMBER: return (node->number != 0) == holds;
    case NODE_DEFINED: return solve_defined(s, node->name, holds);
    case NODE_NOT: return solve(s, node->left, !holds);
    case NODE_AND: return holds ? solve_both(s, node, true) : solve_one(s, node, false);
    case NODE_OR: return holds ? solve_one(s, node, true) : solve_both(s, node, false);
    case NODE_NAME: {
        struct node nonzero = {.kind = NODE_COMPARE, .comparison = UNEQUAL, .name = node->name};
        return solve_comparison(s, &nonzero, holds);
    }
    case NODE_COMPARE: return solve_comparison(s, node, holds);
    }
    return false;
}

bool cw_condition_solve(struct cw_arena *a, cw_str condition, bool holds, cw_may_define *may,
                        struct cw_definitions *out) {
    struct parser p = {.arena = a, .text = condition};
    uint32_t before = out->n;
    cw_lexer_init(&p.lexer, condition.at, condition.n);
    next(&p);
    uint32_t root = parse_or(&p);
    if (p.failed || p.token.kind != CW_TOKEN_END)
        return false;
    struct solver s = {.arena = a, .nodes = p.nodes, .may = may, .out = out};
    bool solved = solve(&s, root, holds);
    if (!solved)
        out->n = before;
    return solved;
}

bool cw_condition_define(struct cw_arena *a, cw_str name, bool is_defined, cw_may_define *may,
                         struct cw_definitions *out) {
    struct solver s = {.arena = a, .may = may, .out = out};
    return name.n && solve_defined(&s, cw_arena_strndup(a, name.at, name.n), is_defined);
}
