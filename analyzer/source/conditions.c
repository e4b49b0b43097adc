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
static void next_token(struct parser *parser) {
    static const char *const joined[] = {"==", "!=", ">=", "&&", "||"};
    parser->token = cw_lexer_next(&parser->lexer);
    if (parser->token.kind != CW_TOKEN_PUNCT)
        return;
    cw_str rest = {parser->text.at + parser->token.at, parser->text.n - parser->token.at};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        if (parser->token.n == 1 && cw_str_starts(rest, joined[i])) {
            cw_lexer_next(&parser->lexer);
            parser->token.n = 2;
        }
}

static cw_str word_of(const struct parser *parser) {
    return parser->token.kind == CW_TOKEN_END ? (cw_str){"", 0}
                                              : (cw_str){parser->text.at + parser->token.at, parser->token.n};
}

static bool accept_text(struct parser *parser, const char *text) {
    if (!cw_str_is(word_of(parser), text))
        return false;
    next_token(parser);
    return true;
}

static uint32_t add_node(struct parser *parser, struct node node) {
    if (parser->n == MAX_NODES)
        parser->failed = true;
    if (parser->failed)
        return 0;
    parser->nodes[parser->n] = node;
    return parser->n++;
}

static uint32_t parse_or(struct parser *p);

static const char *take_name(struct parser *parser) {
    parser->failed |= parser->token.kind != CW_TOKEN_NAME;
    cw_str name = word_of(parser);
    next_token(parser);
    return cw_arena_strndup(parser->arena, name.at, name.n);
}

static uint32_t parse_defined(struct parser *parser) {
    bool bracketed = accept_text(parser, "(");
    struct node node = {.kind = NODE_DEFINED, .name = take_name(parser)};
    parser->failed |= bracketed && !accept_text(parser, ")");
    return add_node(parser, node);
}

static int64_t take_number(struct parser *parser) {
    cw_str digits = word_of(parser);
    char copy[32] = "", *end;
    if (digits.n < sizeof copy)
        memcpy(copy, digits.at, digits.n);
    int64_t value = strtoll(copy, &end, 0);
    parser->failed |= end == copy || strspn(end, "uUlL") != strlen(end);
    next_token(parser);
    return value;
}

static uint32_t parse_primary(struct parser *parser) {
    if (accept_text(parser, "(")) {
        uint32_t inner = parse_or(parser);
        parser->failed |= !accept_text(parser, ")");
        return inner;
    }
    if (accept_text(parser, "defined"))
        return parse_defined(parser);
    if (parser->token.kind == CW_TOKEN_NUMBER)
        return add_node(parser, (struct node){.kind = NODE_NUMBER, .number = take_number(parser)});
    struct node node = {.kind = NODE_NAME, .name = take_name(parser)};
    parser->failed |= cw_str_is(word_of(parser), "("); /* a macro with arguments */
    return add_node(parser, node);
}

static uint32_t parse_not(struct parser *parser) {
    if (!accept_text(parser, "!"))
        return parse_primary(parser);
    if (++parser->depth > MAX_DEPTH)
        parser->failed = true;
    uint32_t inner = parser->failed ? 0 : parse_not(parser);
    parser->depth--;
    return add_node(parser, (struct node){.kind = NODE_NOT, .left = inner});
}

static bool take_comparison(struct parser *parser, enum comparison *out) {
    static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">="};
    for (uint32_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (accept_text(parser, operators[i])) {
            *out = (enum comparison)i;
            return true;
        }
    return false;
}

/* `5 < X` as `X > 5`. */
static enum comparison mirror_comparison(enum comparison comparison) {
    static const enum comparison other[] = {EQUAL, UNEQUAL, GREATER, AT_LEAST, LESS, AT_MOST};
    return other[comparison];
}

static uint32_t parse_comparison(struct parser *parser) {
    uint32_t left = parse_not(parser);
    enum comparison c;
    if (parser->failed || !take_comparison(parser, &c))
        return left;
    uint32_t right = parse_not(parser);
    if (parser->failed)
        return 0;
    const struct node *l = &parser->nodes[left], *r = &parser->nodes[right];
    bool is_plain = l->kind == NODE_NAME && r->kind == NODE_NUMBER;
    bool is_mirrored = l->kind == NODE_NUMBER && r->kind == NODE_NAME;
    parser->failed |= !is_plain && !is_mirrored;
    return add_node(parser, (struct node){.kind = NODE_COMPARE, .comparison = is_plain ? c : mirror_comparison(c),
                                     .name = is_plain ? l->name : r->name, .number = is_plain ? r->number : l->number});
}

static uint32_t parse_and(struct parser *parser) {
    uint32_t left = parse_comparison(parser);
    while (!parser->failed && accept_text(parser, "&&")) {
        uint32_t right = parse_comparison(parser);
        left = add_node(parser, (struct node){.kind = NODE_AND, .left = left, .right = right});
    }
    return left;
}

static uint32_t parse_or(struct parser *parser) {
    if (++parser->depth > MAX_DEPTH)
        parser->failed = true;
    uint32_t left = parser->failed ? 0 : parse_and(parser);
    while (!parser->failed && accept_text(parser, "||")) {
        uint32_t right = parse_and(parser);
        left = add_node(parser, (struct node){.kind = NODE_OR, .left = left, .right = right});
    }
    parser->depth--;
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

static const struct cw_definition *find_definition(const struct cw_definitions *definitions, const char *name) {
    for (uint32_t i = 0; i < definitions->n; i++)
        if (!strcmp(definitions->at[i].name, name))
            return &definitions->at[i];
    return NULL;
}

static bool must_stay_undefined(const struct solver *solver, const char *name) {
    for (uint32_t i = 0; i < solver->undefined.n; i++)
        if (!strcmp(solver->undefined.at[i], name))
            return true;
    return false;
}

static bool define_name(struct solver *solver, const char *name, int64_t value) {
    if (must_stay_undefined(solver, name) || !solver->may(name) || solver->out->n >= MAX_DEFINITIONS)
        return false;
    cw_vec_push(solver->arena, solver->out, ((struct cw_definition){name, value}));
    return true;
}

static bool compare_values(int64_t value, enum comparison comparison, int64_t number) {
    switch (comparison) {
    case EQUAL: return value == number;
    case UNEQUAL: return value != number;
    case LESS: return value < number;
    case AT_MOST: return value <= number;
    case GREATER: return value > number;
    default: return value >= number;
    }
}

/* The name's value is to compare so, or not so: as it is, as 0, as 1, or next to the number. */
static bool solve_comparison(struct solver *solver, const struct node *node, bool holds) {
    const struct cw_definition *known = find_definition(solver->out, node->name);
    const int64_t tried[] = {1, node->number, node->number + 1, node->number - 1};
    if (known || compare_values(0, node->comparison, node->number) == holds)
        return compare_values(known ? known->value : 0, node->comparison, node->number) == holds;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (compare_values(tried[i], node->comparison, node->number) == holds)
            return define_name(solver, node->name, tried[i]);
    return false;
}

static bool solve_defined(struct solver *solver, const char *name, bool holds) {
    if (find_definition(solver->out, name))
        return holds;
    if (holds)
        return define_name(solver, name, 1);
    cw_vec_push(solver->arena, &solver->undefined, name);
    return true;
}

static bool solve_node(struct solver *s, uint32_t at, bool holds);

/* Both sides, or one of them: the left one if it can be solved. */
static bool solve_both(struct solver *solver, const struct node *node, bool holds) {
    return solve_node(solver, node->left, holds) && solve_node(solver, node->right, holds);
}

static bool solve_one(struct solver *solver, const struct node *node, bool holds) {
    uint32_t defined = solver->out->n, undefined = solver->undefined.n;
    if (solve_node(solver, node->left, holds))
        return true;
    solver->out->n = defined;
    solver->undefined.n = undefined;
    return solve_node(solver, node->right, holds);
}

static bool solve_node(struct solver *solver, uint32_t at, bool holds) {
    const struct node *node = &solver->nodes[at];
    if (++solver->steps > MAX_STEPS)
        return false;
    switch (node->kind) {
    case NODE_NUMBER: return (node->number != 0) == holds;
    case NODE_DEFINED: return solve_defined(solver, node->name, holds);
    case NODE_NOT: return solve_node(solver, node->left, !holds);
    case NODE_AND: return holds ? solve_both(solver, node, true) : solve_one(solver, node, false);
    case NODE_OR: return holds ? solve_one(solver, node, true) : solve_both(solver, node, false);
    case NODE_NAME: {
        struct node nonzero = {.kind = NODE_COMPARE, .comparison = UNEQUAL, .name = node->name};
        return solve_comparison(solver, &nonzero, holds);
    }
    case NODE_COMPARE: return solve_comparison(solver, node, holds);
    }
    return false;
}

bool cw_condition_solve(struct cw_arena *a, cw_str condition, bool holds, cw_may_define *may,
                        struct cw_definitions *out) {
    struct parser p = {.arena = a, .text = condition};
    uint32_t before = out->n;
    cw_lexer_init(&p.lexer, condition.at, condition.n);
    next_token(&p);
    uint32_t root = parse_or(&p);
    if (p.failed || p.token.kind != CW_TOKEN_END)
        return false;
    struct solver s = {.arena = a, .nodes = p.nodes, .may = may, .out = out};
    bool solved = solve_node(&s, root, holds);
    if (!solved)
        out->n = before;
    return solved;
}

bool cw_condition_define(struct cw_arena *a, cw_str name, bool is_defined, cw_may_define *may,
                         struct cw_definitions *out) {
    struct solver s = {.arena = a, .may = may, .out = out};
    return name.n && solve_defined(&s, cw_arena_strndup(a, name.at, name.n), is_defined);
}
