#include "engine/unlike.h"

#include "base/hash.h"
#include "engine/commented.h"
#include "front/front.h"
#include "rules/registry.h"
#include "source/lexer.h"
#include "source/siblings.h"

#include <string.h>

enum {
    LEAST_SIBLINGS = 2,      /* as many have it: one of two could be either's slip */
    MAX_SYMBOLS = 1 << 19,   /* of a file */
    MAX_BARRIER_TOKENS = 24  /* of a statement that is nothing but a barrier */
};

static const char rule_name[] = "sibling-without-sync";

struct reading {
    struct cw_unit *unit;
    const struct cw_source *source;
    const char *text;                    /* of the function */
    size_t from;                         /* where it begins in the source */
    struct cw_symbols symbols;
    CW_VEC(struct cw_token) tokens;      /* one for each symbol; a mark's is its whole statement */
    uint32_t statement;                  /* symbol at which the present one began */
    int parentheses;
    cw_str last;                         /* the token before */
};

struct function {
    CW_VEC(struct cw_token) tokens;
    size_t from;
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
static bool is_parameter(const struct reading *r, cw_str token, uint8_t kind) {
    if (kind == CW_TOKEN_NUMBER)
        return !cw_str_is(token, "0") && !cw_str_is(token, "1");
    return kind == CW_TOKEN_NAME && !is_common(token) && !cw_str_is(r->last, ".") && !cw_str_is(r->last, "->");
}

/* A function's name is kept: sin() is not cos(). */
static void keep_callee(struct reading *r, cw_str token) {
    if (cw_str_is(token, "(") && r->symbols.n && cw_vec_last(&r->tokens).kind == CW_TOKEN_NAME)
        cw_vec_last(&r->symbols).kind = CW_SYMBOL_FIXED;
}

/* The statement that has just ended becomes one symbol when it is a barrier. */
static void mark_barrier(struct reading *r) {
    uint32_t n = r->symbols.n - r->statement;
    struct cw_token *first = &r->tokens.at[r->statement], *last = &cw_vec_last(&r->tokens);
    cw_str text = {r->text + first->at, last->at + last->n - first->at};
    if (n > MAX_BARRIER_TOKENS || !cw_is_barrier_statement(text))
        return;
    first->n = (uint32_t)text.n;
    r->symbols.at[r->statement] = (struct cw_symbol){cw_hash(text.at, text.n, 0), CW_SYMBOL_MARK, true};
    r->symbols.n = r->tokens.n = r->statement + 1;
}

static void take(struct reading *r, struct cw_token t) {
    cw_str token = {r->text + t.at, t.n};
    bool is_name = is_parameter(r, token, t.kind);
    struct cw_symbol symbol = {cw_hash(token.at, token.n, 0), is_name ? CW_SYMBOL_NAME : CW_SYMBOL_FIXED, false};
    char c = t.kind == CW_TOKEN_PUNCT && t.n == 1 ? *token.at : '\0';
    keep_callee(r, token);
    r->parentheses += (c == '(') - (c == ')');
    symbol.ends = r->parentheses == 0 && c && strchr(";{}", c);
    cw_vec_push(r->unit->arena, &r->symbols, symbol);
    cw_vec_push(r->unit->arena, &r->tokens, t);
    r->last = token;
    if (!symbol.ends)
        return;
    mark_barrier(r);
    r->statement = r->symbols.n;
}

static struct cw_symbols read_function(struct cw_unit *u, const struct cw_source *s,
                                       const struct cw_scan_function *scan, struct function *out) {
    size_t from = cw_source_offset(s, scan->span.line, scan->span.col);
    size_t to = cw_source_offset(s, scan->span.end_line, scan->span.end_col);
    struct reading r = {.unit = u, .source = s, .text = s->text + from, .from = from};
    struct cw_lexer l;
    struct cw_token t;
    bool in_body = false;
    cw_lexer_init(&l, r.text, to > from ? to - from : 0);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END && r.symbols.n < MAX_SYMBOLS) {
        in_body |= t.kind == CW_TOKEN_PUNCT && r.text[t.at] == '{';
        if (in_body && t.kind != CW_TOKEN_COMMENT && !t.in_directive)
            take(&r, t);
    }
    memcpy(&out->tokens, &r.tokens, sizeof out->tokens);
    out->from = from;
    return r.symbols;
}

/* ---- telling ---- */

static struct cw_place place_of(const struct cw_unit *u, const struct cw_source *s, const struct function *f,
                                uint32_t symbol) {
    struct cw_token t = f->tokens.at[symbol];
    struct cw_place p = {.file = u->result->path};
    cw_source_place(s, f->from + t.at, &p.line, &p.col);
    cw_source_place(s, f->from + t.at + t.n, &p.end_line, &p.end_col);
    return p;
}

static bool has_race(const struct cw_unit *u, const struct cw_scan_function *f) {
    for (uint32_t i = 0; i < u->result->findings.n; i++) {
        const struct cw_finding *found = &u->result->findings.at[i];
        const struct cw_rule *rule = cw_rule_find(found->rule);
        if (rule && !strcmp(rule->category, "race") && found->place.file &&
            !strcmp(found->place.file, u->result->path) && found->place.line >= f->span.line &&
            found->place.line <= f->span.end_line)
            return true;
    }
    return false;
}

static void report(struct cw_unit *u, const struct cw_source *s, const struct function *functions,
                   const struct cw_sibling *found) {
    const struct cw_scan_function *scan = &u->scan->functions.at[found->lacks.function];
    const struct function *first = &functions[found->have[0].function];
    struct cw_token mark = first->tokens.at[found->have[0].symbol];
    const char *call = cw_arena_strndup(u->arena, s->text + first->from + mark.at, mark.n - 1);
    struct cw_finding f = {.rule = rule_name, .severity = CW_WARNING, .confidence = CW_POSSIBLE, .kernel = scan->name,
                           .place = place_of(u, s, &functions[found->lacks.function], found->lacks.symbol)};
    f.message = cw_arena_printf(u->arena, "%u like places have %s before this, and this one has not", found->n, call);
    f.help = "put it in if the code needs it here too, or say in a comment why it does not";
    f.witness.warp = -1;
    f.witness.iteration = -1;
    for (uint32_t i = 0; i < found->n && i < CW_SIBLINGS_TOLD; i++) {
        struct cw_sibling_place have = found->have[i];
        struct cw_remark note = {place_of(u, s, &functions[have.function], have.symbol), "here the same code has it"};
        cw_vec_push(u->arena, &f.notes, note);
    }
    cw_findings_add(u->arena, u->result, &f);
}

static bool is_wanted(const struct cw_unit *u) {
    const struct cw_rule *rule = cw_rule_find(rule_name);
    return rule && u->options->selection.enabled[rule - cw_rules];
}

void cw_unlike_siblings(struct cw_unit *u, const struct cw_source *s) {
    uint32_t n = u->scan->functions.n;
    if (!is_wanted(u) || n == 0)
        return;
    struct cw_symbols *symbols = CW_NEW_ARRAY(u->arena, struct cw_symbols, n);
    struct function *functions = CW_NEW_ARRAY(u->arena, struct function, n);
    for (uint32_t i = 0; i < n; i++)
        symbols[i] = read_function(u, s, &u->scan->functions.at[i], &functions[i]);
    struct cw_siblings found = cw_siblings_of(u->arena, symbols, n, LEAST_SIBLINGS);
    for (uint32_t i = 0; i < found.n; i++)
        if (!has_race(u, &u->scan->functions.at[found.at[i].lacks.function]))
            report(u, s, functions, &found.at[i]);
}
