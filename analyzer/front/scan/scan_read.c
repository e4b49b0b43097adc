/* Tokens of a text, brackets matched across preprocessor branches, macros of the text known. */
#include "front/scan/scan_internal.h"

#include "base/hash.h"

#include <string.h>

/* Tokens beyond this are not looked at: generated tables, not code; bounds the memory of the scan. */
enum { MAX_TOKENS = 4 * 1000 * 1000, MAX_CONDITIONALS = 256 };

struct word_row {
    const char *name;
    uint32_t bits;
};

static const struct word_row word_table[] = {
    {"__global__", SCAN_KERNEL | SCAN_BUILTIN}, {"__device__", SCAN_DEVICE | SCAN_BUILTIN},
    {"__host__", SCAN_SPECIFIER}, {"__forceinline__", SCAN_SPECIFIER}, {"__noinline__", SCAN_SPECIFIER},
    {"__inline__", SCAN_SPECIFIER}, {"__inline", SCAN_SPECIFIER}, {"__forceinline", SCAN_SPECIFIER},
    {"__restrict__", SCAN_SPECIFIER}, {"__restrict", SCAN_SPECIFIER}, {"restrict", SCAN_SPECIFIER},
    {"__constant__", SCAN_SPECIFIER | SCAN_BUILTIN}, {"__shared__", SCAN_SPECIFIER | SCAN_BUILTIN},
    {"__managed__", SCAN_SPECIFIER}, {"__grid_constant__", SCAN_SPECIFIER}, {"__nv_pure__", SCAN_SPECIFIER},
    {"static", SCAN_SPECIFIER}, {"inline", SCAN_SPECIFIER}, {"extern", SCAN_SPECIFIER}, {"constexpr", SCAN_SPECIFIER},
    {"consteval", SCAN_SPECIFIER}, {"const", SCAN_SPECIFIER}, {"volatile", SCAN_SPECIFIER}, {"friend", SCAN_SPECIFIER},
    {"virtual", SCAN_SPECIFIER}, {"override", SCAN_SPECIFIER}, {"final", SCAN_SPECIFIER}, {"mutable", SCAN_SPECIFIER},
    {"typename", SCAN_SPECIFIER}, {"register", SCAN_SPECIFIER}, {"thread_local", SCAN_SPECIFIER},
    {"__extension__", SCAN_SPECIFIER}, {"try", SCAN_SPECIFIER},
    {"explicit", SCAN_SPECIFIER | SCAN_CALL_LIKE}, {"noexcept", SCAN_SPECIFIER | SCAN_CALL_LIKE},
    {"throw", SCAN_SPECIFIER | SCAN_CALL_LIKE}, {"alignas", SCAN_SPECIFIER | SCAN_CALL_LIKE},
    {"__align__", SCAN_SPECIFIER | SCAN_CALL_LIKE}, {"__attribute__", SCAN_SPECIFIER | SCAN_CALL_LIKE},
    {"__declspec", SCAN_SPECIFIER | SCAN_CALL_LIKE}, {"__launch_bounds__", SCAN_SPECIFIER | SCAN_CALL_LIKE},
    {"__maxnreg__", SCAN_SPECIFIER | SCAN_CALL_LIKE}, {"__block_size__", SCAN_SPECIFIER | SCAN_CALL_LIKE},
    {"__cluster_dims__", SCAN_SPECIFIER | SCAN_CALL_LIKE}, {"asm", SCAN_SPECIFIER | SCAN_CALL_LIKE},
    {"decltype", SCAN_TYPE | SCAN_CALL_LIKE}, {"typeof", SCAN_TYPE | SCAN_CALL_LIKE},
    {"__typeof__", SCAN_TYPE | SCAN_CALL_LIKE},
    {"auto", SCAN_TYPE}, {"void", SCAN_TYPE}, {"bool", SCAN_TYPE}, {"char", SCAN_TYPE}, {"short", SCAN_TYPE},
    {"int", SCAN_TYPE}, {"long", SCAN_TYPE}, {"float", SCAN_TYPE}, {"double", SCAN_TYPE}, {"signed", SCAN_TYPE},
    {"unsigned", SCAN_TYPE}, {"wchar_t", SCAN_TYPE}, {"struct", SCAN_TYPE}, {"class", SCAN_TYPE},
    {"union", SCAN_TYPE}, {"enum", SCAN_TYPE}, {"__int64", SCAN_TYPE}, {"__int128", SCAN_TYPE},
    {"return", SCAN_STATEMENT}, {"if", SCAN_STATEMENT}, {"else", SCAN_STATEMENT}, {"for", SCAN_STATEMENT},
    {"while", SCAN_STATEMENT}, {"do", SCAN_STATEMENT}, {"switch", SCAN_STATEMENT}, {"case", SCAN_STATEMENT},
    {"goto", SCAN_STATEMENT}, {"typedef", SCAN_STATEMENT}, {"using", SCAN_STATEMENT}, {"namespace", SCAN_STATEMENT},
    {"new", SCAN_STATEMENT}, {"delete", SCAN_STATEMENT}, {"sizeof", SCAN_STATEMENT},
    {"threadIdx", SCAN_BUILTIN}, {"blockIdx", SCAN_BUILTIN}, {"blockDim", SCAN_BUILTIN}, {"gridDim", SCAN_BUILTIN},
    {"warpSize", SCAN_BUILTIN}, {"__syncthreads", SCAN_BUILTIN}, {"__syncwarp", SCAN_BUILTIN},
    {"__threadfence", SCAN_BUILTIN}, {"__threadfence_block", SCAN_BUILTIN}, {"__activemask", SCAN_BUILTIN},
    {"__shfl_sync", SCAN_BUILTIN}, {"__shfl_up_sync", SCAN_BUILTIN}, {"__shfl_down_sync", SCAN_BUILTIN},
    {"__shfl_xor_sync", SCAN_BUILTIN}, {"__shfl", SCAN_BUILTIN}, {"__shfl_up", SCAN_BUILTIN},
    {"__shfl_down", SCAN_BUILTIN}, {"__shfl_xor", SCAN_BUILTIN}, {"__ballot", SCAN_BUILTIN},
    {"__ballot_sync", SCAN_BUILTIN}, {"__any_sync", SCAN_BUILTIN}, {"__all_sync", SCAN_BUILTIN},
    {"__match_any_sync", SCAN_BUILTIN}, {"__match_all_sync", SCAN_BUILTIN}, {"cooperative_groups", SCAN_BUILTIN},
};

static uint64_t key_of(cw_str name) {
    return cw_hash(name.at, name.n, 0);
}

static uint32_t word_bits(const struct scan_text *scan, cw_str name) {
    uint64_t bits = 0;
    cw_map_get(&scan->words, key_of(name), &bits);
    return (uint32_t)bits;
}

static void add_word(struct scan_text *scan, cw_str name, uint32_t bits) {
    cw_map_put(&scan->words, key_of(name), word_bits(scan, name) | bits);
}

cw_str scan_token_text(const struct scan_text *scan, uint32_t i) {
    return (cw_str){scan->text + scan->tokens.at[i].at, scan->tokens.at[i].n};
}

bool scan_is(const struct scan_text *scan, uint32_t i, const char *text) {
    uint8_t kind = scan->tokens.at[i].kind;
    return (kind == CW_TOKEN_NAME || kind == CW_TOKEN_PUNCT) && cw_str_is(scan_token_text(scan, i), text);
}

uint32_t scan_token_end(const struct scan_text *scan, uint32_t i) {
    return scan->tokens.at[i].at + scan->tokens.at[i].n;
}

struct cw_span scan_span(const struct scan_text *scan, uint32_t from_offset, uint32_t to_offset) {
    struct cw_span s = {0};
    cw_source_place(scan->source, from_offset, &s.line, &s.col);
    cw_source_place(scan->source, to_offset, &s.end_line, &s.end_col);
    return s;
}

/* ---- brackets ---- */

/* State while reading: `top` is the innermost open bracket; the outer ones follow through parent[]. As the chain is
 * never overwritten, an #else can go back to what was open at its #if. */
struct conditional {
    uint32_t top;
    bool inactive; /* this branch is `#if 0` or the other side of `#if 1` */
    bool taken;    /* a branch with a condition that is always true has been seen */
    bool constant; /* opened by `#if 0` or `#if 1`: as good as not there */
};

struct reader {
    struct scan_text *t;
    struct cw_scan *out;
    uint32_t top;
    uint32_t depth, inactive_depth; /* conditionals open; those of them with an inactive branch */
    struct conditional conditionals[MAX_CONDITIONALS];
    CW_VEC(struct cw_token) line; /* tokens of the current directive */
    CW_VEC(uint32_t) match, parent;
};

/* Pops to the nearest bracket `open`. Braces close unclosed parentheses inside them, not the other way round. The walk
 * is bounded so that text of nothing but wrong brackets takes linear time. */
static void close_bracket(struct reader *reader, uint32_t closer, char open) {
    enum { WALK_MAX = 256 };
    const struct scan_text *t = reader->t;
    uint32_t i = reader->top;
    for (int steps = 0; i != SCAN_NONE && steps < WALK_MAX; steps++, i = reader->parent.at[i]) {
        char c = t->text[t->tokens.at[i].at];
        if (c == open) {
            reader->match.at[i] = closer;
            reader->match.at[closer] = i;
            reader->parent.at[closer] = reader->top = reader->parent.at[i];
            return;
        }
        if (c == '{')
            return;
    }
}

static void match_bracket(struct reader *reader, uint32_t i) {
    const struct scan_text *t = reader->t;
    switch (t->text[t->tokens.at[i].at]) {
    case '(':
    case '[':
    case '{': reader->top = i; break;
    case ')': close_bracket(reader, i, '('); break;
    case ']': close_bracket(reader, i, '['); break;
    case '}': close_bracket(reader, i, '{'); break;
    default: break;
    }
}

static void add_token(struct reader *reader, struct cw_token token) {
    struct scan_text *t = reader->t;
    struct scan_token s = {token.at, token.n, 0, token.kind};
    uint32_t i = t->tokens.n;
    if (token.kind == CW_TOKEN_NAME)
        s.word = word_bits(t, (cw_str){t->text + token.at, token.n});
    cw_vec_push(t->arena, &t->tokens, s);
    cw_vec_push(t->arena, &reader->match, SCAN_NONE);
    cw_vec_push(t->arena, &reader->parent, reader->top);
    if (s.word & (SCAN_KERNEL | SCAN_DEVICE))
        cw_vec_push(t->arena, &t->anchors, i);
    t->has_builtin = t->has_builtin || (s.word & SCAN_BUILTIN);
    if (token.kind == CW_TOKEN_PUNCT && token.n == 1)
        match_bracket(reader, i);
    else if (token.kind == CW_TOKEN_PUNCT && token.n == 3)
        cw_vec_push(t->arena, &t->launches, i);
}

/* ---- preprocessor lines ---- */

static cw_str line_text(const struct reader *reader, uint32_t i) {
    return (cw_str){reader->t->text + reader->line.at[i].at, reader->line.at[i].n};
}

static void read_include(struct reader *reader, uint32_t line) {
    if (reader->line.n < 2 || reader->line.at[1].n < 2)
        return;
    uint8_t kind = reader->line.at[1].kind;
    if (kind != CW_TOKEN_HEADER && kind != CW_TOKEN_STRING)
        return;
    cw_str path = line_text(reader, 1);
    struct cw_scan_include include = {.path = cw_arena_strndup(reader->t->arena, path.at + 1, path.n - 2),
                                      .angled = kind == CW_TOKEN_HEADER, .line = line};
    cw_vec_push(reader->t->arena, &reader->out->includes, include);
}

/* A macro made of nothing but specifiers acts as one: `#define HD __host__ __device__`. */
static uint32_t macro_bits(const struct reader *reader, uint32_t body, bool function_like) {
    uint32_t bits = SCAN_SPECIFIER, depth = 0;
    for (uint32_t i = body; i < reader->line.n; i++) {
        cw_str text = line_text(reader, i);
        uint32_t word = reader->line.at[i].kind == CW_TOKEN_NAME ? word_bits(reader->t, text) : 0;
        if (cw_str_is(text, "("))
            depth++;
        else if (cw_str_is(text, ")"))
            depth -= depth > 0;
        else if (depth)
            continue;
        else if (!(word & (SCAN_SPECIFIER | SCAN_KERNEL | SCAN_DEVICE)))
            return SCAN_DEFINED;
        bits |= word & (SCAN_KERNEL | SCAN_DEVICE);
    }
    bits |= SCAN_DEFINED;
    return function_like ? (bits & ~(uint32_t)(SCAN_KERNEL | SCAN_DEVICE)) | SCAN_CALL_LIKE : bits;
}

static void read_define(struct reader *reader) {
    if (reader->line.n < 2 || reader->line.at[1].kind != CW_TOKEN_NAME)
        return;
    uint32_t body = 2, name_end = reader->line.at[1].at + reader->line.at[1].n;
    bool function_like =
        reader->line.n > 2 && reader->line.at[2].at == name_end && cw_str_is(line_text(reader, 2), "(");
    if (function_like) {
        while (body < reader->line.n && !cw_str_is(line_text(reader, body), ")"))
            body++;
        body++;
    }
    add_word(reader->t, line_text(reader, 1), macro_bits(reader, body, function_like));
    for (uint32_t i = 2; i < reader->line.n; i++)
        if (reader->line.at[i].kind == CW_TOKEN_NAME && (word_bits(reader->t, line_text(reader, i)) & SCAN_BUILTIN))
            reader->t->has_builtin = true;
    for (uint32_t i = body; i < reader->line.n; i++)
        if (cw_str_is(line_text(reader, i), "<<<"))
            reader->t->has_launch_macro = true;
}

/* 0 or 1 for `#if 0` and `#if 1`, else -1. */
static int constant_condition(const struct reader *reader) {
    if (reader->line.n != 2 || reader->line.at[1].n != 1)
        return -1;
    char digit = reader->t->text[reader->line.at[1].at];
    return digit == '0' ? 0 : digit == '1' ? 1 : -1;
}

static void open_conditional(struct reader *reader, int condition) {
    if (reader->depth < MAX_CONDITIONALS)
        reader->conditionals[reader->depth] =
            (struct conditional){reader->top, condition == 0, condition == 1, condition >= 0};
    if (reader->depth < MAX_CONDITIONALS && condition == 0)
        reader->inactive_depth++;
    reader->depth++;
}

static void next_branch(struct reader *reader, int condition) {
    if (reader->depth == 0 || reader->depth > MAX_CONDITIONALS)
        return;
    struct conditional *c = &reader->conditionals[reader->depth - 1];
    bool inactive = c->taken || condition == 0;
    reader->inactive_depth += (uint32_t)inactive - (uint32_t)c->inactive;
    c->inactive = inactive;
    c->taken = c->taken || condition == 1;
    reader->top = c->top;
}

static void close_conditional(struct reader *reader) {
    if (reader->depth == 0)
        return;
    reader->depth--;
    if (reader->depth < MAX_CONDITIONALS && reader->conditionals[reader->depth].inactive)
        reader->inactive_depth--;
}

/* True when the line is a conditional, which counts in inactive text too. */
static bool read_conditional(struct reader *reader, cw_str name) {
    if (cw_str_is(name, "if"))
        open_conditional(reader, constant_condition(reader));
    else if (cw_str_is(name, "ifdef") || cw_str_is(name, "ifndef"))
        open_conditional(reader, -1);
    else if (cw_str_starts(name, "el"))
        next_branch(reader, cw_str_is(name, "elif") ? constant_condition(reader) : -1);
    else if (cw_str_is(name, "endif"))
        close_conditional(reader);
    else
        return false;
    return true;
}

static bool in_constant_conditional(const struct reader *reader) {
    return reader->depth && reader->depth <= MAX_CONDITIONALS && reader->conditionals[reader->depth - 1].constant;
}

static void end_directive(struct reader *reader) {
    if (!reader->line.n)
        return;
    struct cw_token directive = reader->line.at[0];
    cw_str name = cw_token_directive(reader->t->text, directive);
    bool active = reader->inactive_depth == 0, constant = in_constant_conditional(reader);
    bool is_conditional = read_conditional(reader, name);
    constant = constant || in_constant_conditional(reader);
    if (active && !(is_conditional && constant))
        add_token(reader, directive);
    if (!is_conditional && active) {
        uint32_t line = 0, col = 0;
        cw_source_place(reader->t->source, directive.at, &line, &col);
        if (cw_str_starts(name, "include"))
            read_include(reader, line);
        else if (cw_str_is(name, "define"))
            read_define(reader);
    }
    reader->line.n = 0;
}

/* ---- reading ---- */

static void read_comment(struct reader *reader, struct cw_token token) {
    cw_str text = cw_token_comment(reader->t->text, token);
    bool nolint = memmem(text.at, text.n, "NOLINT", 6) != NULL;
    if (!nolint && !cw_str_starts(text, "cuwarp:") && !cw_str_starts(text, "cuwarp-lint:"))
        return;
    struct cw_scan_comment c = {.span = scan_span(reader->t, token.at, token.at + token.n),
                                .text = cw_arena_strndup(reader->t->arena, text.at, text.n)};
    cw_vec_push(reader->t->arena, &reader->out->directives, c);
}

static void read_token(struct reader *reader, struct cw_token token) {
    if (token.kind == CW_TOKEN_COMMENT) {
        read_comment(reader, token);
        return;
    }
    if (token.kind == CW_TOKEN_DIRECTIVE || !token.in_directive)
        end_directive(reader);
    if (token.in_directive)
        cw_vec_push(reader->t->arena, &reader->line, token);
    else if (reader->inactive_depth == 0)
        add_token(reader, token);
}

static void seed_words(struct scan_text *scan) {
    cw_map_init(&scan->words, scan->arena);
    for (size_t i = 0; i < sizeof word_table / sizeof word_table[0]; i++)
        cw_map_put(&scan->words, key_of(cw_str_of(word_table[i].name)), word_table[i].bits);
}

struct scan_text *scan_read(struct cw_arena *a, const struct cw_source *source, struct cw_scan *out) {
    struct scan_text *t = CW_NEW(a, struct scan_text);
    t->arena = a;
    t->source = source;
    t->text = source->text;
    seed_words(t);
    struct reader *r = CW_NEW(a, struct reader);
    r->t = t;
    r->out = out;
    r->top = SCAN_NONE;
    struct cw_lexer lexer;
    cw_lexer_init(&lexer, source->text, source->size);
    struct cw_token token;
    do {
        token = cw_lexer_next(&lexer);
        if (token.kind != CW_TOKEN_END)
            read_token(r, token);
    } while (token.kind != CW_TOKEN_END && t->tokens.n < MAX_TOKENS);
    out->is_truncated = token.kind != CW_TOKEN_END;
    end_directive(r);
    add_token(r, (struct cw_token){.at = lexer.at, .kind = CW_TOKEN_END});
    t->match = r->match.at;
    t->parent = r->parent.at;
    return t;
}
