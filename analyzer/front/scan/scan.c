/* The first look at a file: which device functions, launches, includes and directive comments it has.
 *
 * Every `__global__` and `__device__` of the text is asked which definition it heads. The syntax tree answers where its
 * head is clean; the tokens answer always, and catch what the tree lost. A definition that either reading sees is
 * listed, because this list is what the coverage of the analysis is measured against. */
#include "front/scan/scan_internal.h"

#include <string.h>

/* Bytes without which no text can hold device code; looked for before anything is lexed. */
static bool may_hold_device_code(const char *text, size_t size) {
    static const char *const marks[] = {"__global__", "__device__", "<<<", "Idx", "__sync", "__shfl", "__shared__",
                                        "blockDim", "gridDim", "cooperative_groups", "__constant__", "_sync",
                                        "__ballot", "warpSize", "__threadfence", "__activemask"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (memmem(text, size, marks[i], strlen(marks[i])))
            return true;
    return false;
}

/* ---- launches ---- */

/* From the '>' that closes template arguments to the '<' that opens them, or SCAN_NONE. */
static uint32_t back_over_angles(const struct scan_text *scan, uint32_t i) {
    enum { TOKENS_MAX = 400 };
    uint32_t depth = 0;
    for (uint32_t steps = 0; steps < TOKENS_MAX; steps++, i--) {
        if (scan_is(scan, i, ">"))
            depth++;
        else if (scan_is(scan, i, "<") && --depth == 0)
            return i;
        else if ((scan_is(scan, i, ")") || scan_is(scan, i, "]")) && scan->match[i] != SCAN_NONE)
            i = scan->match[i];
        else if (scan_is(scan, i, ";") || scan_is(scan, i, "{") || scan_is(scan, i, "}"))
            return SCAN_NONE;
        if (i == 0)
            return SCAN_NONE;
    }
    return SCAN_NONE;
}

/* First token of the launched expression, and its name; false when this "<<<" launches nothing. */
static bool find_launched(const struct scan_text *scan, uint32_t mark, uint32_t *first, uint32_t *name) {
    if (mark == 0)
        return false;
    uint32_t i = mark - 1;
    if (scan_is(scan, i, ">")) {
        i = back_over_angles(scan, i);
        if (i == SCAN_NONE || i == 0)
            return false;
        i--;
    } else if (scan_is(scan, i, ")") && scan->match[i] != SCAN_NONE) { /* (*pointer)<<<…>>> */
        *first = scan->match[i];
        *name = SCAN_NONE;
        return true;
    }
    if (scan->tokens.at[i].kind != CW_TOKEN_NAME)
        return false;
    *name = *first = i;
    while (*first >= 2 && scan_is(scan, *first - 1, "::") && scan->tokens.at[*first - 2].kind == CW_TOKEN_NAME)
        *first -= 2;
    return true;
}

/* The '(' of the call behind >>>, or SCAN_NONE. */
static uint32_t launch_arguments(const struct scan_text *scan, uint32_t mark) {
    for (uint32_t i = mark + 1; i + 3 < scan->tokens.n; i++) {
        if ((scan_is(scan, i, "(") || scan_is(scan, i, "{") || scan_is(scan, i, "[")) && scan->match[i] != SCAN_NONE &&
            scan->match[i] > i)
            i = scan->match[i];
        else if (scan_is(scan, i, ";") || scan_is(scan, i, "<<<"))
            return SCAN_NONE;
        else if (scan_is(scan, i, ">") && scan_is(scan, i + 1, ">") && scan_is(scan, i + 2, ">") &&
                 scan_is(scan, i + 3, "("))
            return i + 3;
    }
    return SCAN_NONE;
}

static void add_launch(const struct scan_text *scan, struct cw_scan *out, uint32_t mark) {
    uint32_t first = 0, name = 0, open = launch_arguments(scan, mark);
    if (open == SCAN_NONE || !find_launched(scan, mark, &first, &name))
        return;
    uint32_t last = scan->match[open] == SCAN_NONE ? open : scan->match[open];
    uint32_t from = scan->tokens.at[first].at;
    cw_str callee = {scan->text + from, scan->tokens.at[mark].at - from};
    if (name != SCAN_NONE)
        callee = scan_token_text(scan, name);
    callee = cw_str_trim(callee);
    struct cw_scan_launch launch = {.callee = cw_arena_strndup(scan->arena, callee.at, callee.n),
                                    .span = scan_span(scan, from, scan_token_end(scan, last))};
    cw_vec_push(scan->arena, &out->launches, launch);
}

/* ---- functions ---- */

/* The name as the compiler spells it: "operator()", "operator float *". */
static const char *name_text(const struct scan_text *scan, uint32_t first, uint32_t last) {
    struct cw_buf b = {0};
    for (uint32_t i = first; i <= last; i++) {
        bool after_word = i > first && scan->tokens.at[i - 1].kind == CW_TOKEN_NAME;
        bool pointer_type = i > first + 1 && (scan_is(scan, i, "*") || scan_is(scan, i, "&"));
        if (after_word && (scan->tokens.at[i].kind == CW_TOKEN_NAME || pointer_type))
            cw_buf_putc(&b, ' ');
        cw_buf_add(&b, scan->text + scan->tokens.at[i].at, scan->tokens.at[i].n);
    }
    char *name = cw_arena_strndup(scan->arena, b.at, b.n);
    cw_buf_free(&b);
    return name;
}

static void add_declaration(const struct scan_text *scan, struct cw_scan *out,
                            const struct scan_declaration *declaration) {
    uint32_t end = declaration->body_close == SCAN_NONE ? (uint32_t)scan->source->size
                                                        : scan_token_end(scan, declaration->body_close);
    uint32_t name_from = scan->tokens.at[declaration->name_first].at,
             name_to = scan_token_end(scan, declaration->name_last);
    struct cw_scan_function f = {.name = name_text(scan, declaration->name_first, declaration->name_last),
                                 .span = scan_span(scan, scan->tokens.at[declaration->start].at, end),
                                 .name_span = scan_span(scan, name_from, name_to),
                                 .is_kernel = declaration->is_kernel,
                                 .is_template = declaration->is_template};
    if (declaration->macro != SCAN_NONE) {
        cw_str macro = scan_token_text(scan, declaration->macro);
        f.attribute_macro = cw_arena_strndup(scan->arena, macro.at, macro.n);
    }
    cw_vec_push(scan->arena, &out->functions, f);
}

static void add_tree_function(const struct scan_text *scan, struct cw_scan *out,
                              const struct scan_tree_function *function, bool is_kernel) {
    struct cw_scan_function added = {.name = cw_arena_strndup(scan->arena, scan->text + function->name_start,
                                                              function->name_end - function->name_start),
                                     .span = scan_span(scan, function->start, function->end),
                                     .name_span = scan_span(scan, function->name_start, function->name_end),
                                     .is_kernel = is_kernel,
                                     .is_template = function->is_template};
    cw_vec_push(scan->arena, &out->functions, added);
}

/* The definition whose head holds `offset`. The tree lists definitions by their start; heads do not overlap. */
static const struct scan_tree_function *tree_function_at(const struct scan_tree *tree, uint32_t offset) {
    uint32_t low = 0, high = tree->functions.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (tree->functions.at[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    const struct scan_tree_function *f = low ? &tree->functions.at[low - 1] : NULL;
    return f && offset < f->body_start ? f : NULL;
}

struct answer {
    uint32_t anchor;
    struct scan_declaration declaration;
};
struct answers {
    struct answer *at;
    uint32_t n, cap;
};

/* One answer for each declaration: further anchors in the head just read belong to it. */
static struct answers ask_tokens(const struct scan_text *scan, struct cw_vec_u32 *masked) {
    struct answers answers = {0};
    uint32_t floor = 0;
    for (uint32_t i = 0; i < scan->anchors.n; i++) {
        uint32_t anchor = scan->anchors.at[i];
        if (anchor < floor)
            continue;
        struct answer a = {anchor, scan_declaration_at(scan, anchor, floor)};
        floor = a.declaration.stop;
        cw_vec_push(scan->arena, &answers, a);
        if (a.declaration.macro == SCAN_NONE)
            continue;
        uint32_t macro = a.declaration.macro;
        bool call = scan_is(scan, macro + 1, "(") && scan->match[macro + 1] != SCAN_NONE;
        cw_vec_push(scan->arena, masked, macro);
        cw_vec_push(scan->arena, masked, call ? scan->match[macro + 1] : macro);
    }
    return answers;
}

static void find_functions(const struct scan_text *scan, struct cw_scan *out) {
    struct cw_vec_u32 masked = {0};
    struct answers answers = ask_tokens(scan, &masked);
    if (!answers.n)
        return;
    const struct scan_tree *tree = scan_tree_parse(scan, &masked);
    for (uint32_t i = 0; i < answers.n; i++) {
        const struct answer *a = &answers.at[i];
        const struct scan_tree_function *f = tree_function_at(tree, scan->tokens.at[a->anchor].at);
        if (a->declaration.kind == SCAN_DEFINED_HERE)
            add_declaration(scan, out, &a->declaration);
        else if (f && a->declaration.kind == SCAN_NOT_FUNCTION)
            add_tree_function(scan, out, f, scan->tokens.at[a->anchor].word & SCAN_KERNEL);
    }
}

cw_str cw_scan_base_name(const char *name) {
    cw_str s = cw_str_of(name);
    const char *angle = memchr(s.at, '<', s.n);
    if (angle)
        s.n = (size_t)(angle - s.at);
    for (size_t i = s.n; i-- > 1;)
        if (s.at[i] == ':' && s.at[i - 1] == ':')
            return (cw_str){s.at + i + 1, s.n - i - 1};
    return s;
}

bool cw_scan_is_same(const struct cw_scan_function *function, const char *name, struct cw_span span) {
    return span.file == 0 && span.line <= function->span.end_line && span.end_line >= function->span.line &&
           cw_str_eq(cw_scan_base_name(name), cw_scan_base_name(function->name));
}

struct cw_scan *cw_scan_text(struct cw_arena *a, const char *text, size_t size) {
    struct cw_scan *out = CW_NEW(a, struct cw_scan);
    out->is_binary = memchr(text, '\0', size) != NULL;
    if (out->is_binary || !may_hold_device_code(text, size))
        return out;
    const struct cw_source *source = cw_source_of_text(a, "", text, size);
    const struct scan_text *t = scan_read(a, source, out);
    for (uint32_t i = 0; i < t->launches.n; i++)
        add_launch(t, out, t->launches.at[i]);
    find_functions(t, out);
    if (t->has_builtin)
        scan_hidden(t, out);
    out->has_device_code = t->has_builtin || t->anchors.n || out->launches.n || t->has_launch_macro;
    return out;
}
