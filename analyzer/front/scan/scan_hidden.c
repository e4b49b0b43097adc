/* Kernels whose mark is a macro that the text does not define: `PROJECT_KERNEL void k(…) {…}`, `GLOBAL(k)(…) {…}`.
 *
 * A function of a namespace whose body uses what only device code can, and whose head has no mark but an unknown macro,
 * is device code. It is surely a kernel when it is launched in the text or its macro is named so; it may be one when it
 * returns nothing and nobody calls it. One pass over the tokens, bodies are entered once. */
#include "front/scan/scan_internal.h"

#include <string.h>

struct hidden {
    uint32_t start, name, macro, open, close; /* tokens */
    bool is_call, makes_head, is_void;
};

static bool is_name(const struct scan_text *scan, uint32_t i) {
    return scan->tokens.at[i].kind == CW_TOKEN_NAME;
}

static bool closes_list(const struct scan_text *scan, uint32_t i) {
    return scan_is(scan, i, ")") && scan->match[i] != SCAN_NONE;
}

/* ---- the body ---- */

static bool is_device_only(const struct scan_text *scan, uint32_t i) {
    uint32_t word = scan->tokens.at[i].word;
    if (!(word & SCAN_BUILTIN) || scan_is(scan, i, "__constant__"))
        return false;
    return scan_is(scan, i, "threadIdx") || scan_is(scan, i, "blockIdx") ||
           cw_str_starts(scan_token_text(scan, i), "__");
}

/* Code of the device and of nobody else: no launch, and no lambda with a mark of its own. */
static bool is_device_body(const struct scan_text *scan, uint32_t open, uint32_t close) {
    bool is = false;
    for (uint32_t i = open; i < close; i++) {
        if ((scan->tokens.at[i].word & (SCAN_KERNEL | SCAN_DEVICE)) || scan_is(scan, i, "<<<"))
            return false;
        is |= is_device_only(scan, i);
    }
    return is;
}

/* ---- the head ---- */

/* The function's name, from the brace of its body backwards: over what may follow a parameter list. */
static bool find_name(const struct scan_text *scan, struct hidden *hidden) {
    for (uint32_t k = hidden->open; k-- > hidden->start;) {
        if (scan->tokens.at[k].word & SCAN_SPECIFIER)
            continue;
        if (!closes_list(scan, k) || scan->match[k] <= hidden->start)
            return false;
        uint32_t before = scan->match[k] - 1;
        if (scan->tokens.at[before].word & SCAN_CALL_LIKE) {
            k = before;
            continue;
        }
        hidden->name = before;
        if (!closes_list(scan, before))
            return is_name(scan, before) && !scan->tokens.at[before].word;
        hidden->makes_head = true; /* MACRO(name)(…) */
        hidden->name = before - 1;
        hidden->macro = scan->match[before] - 1;
        return scan->match[before] > hidden->start && hidden->name == scan->match[before] + 1 &&
               is_name(scan, hidden->name) && is_name(scan, hidden->macro) && !scan->tokens.at[hidden->macro].word;
    }
    return false;
}

static bool begins_rest_of_head(const struct scan_text *scan, const struct hidden *hidden, uint32_t i) {
    return i < hidden->name && is_name(scan, i);
}

/* A name that means nothing to the text, before the type. */
static void find_macro(const struct scan_text *scan, struct hidden *hidden) {
    hidden->macro = SCAN_NONE;
    for (uint32_t i = hidden->start; i < hidden->name && hidden->macro == SCAN_NONE; i++) {
        uint32_t after = i + 1;
        if (!is_name(scan, i) || scan->tokens.at[i].word || (i > hidden->start && scan_is(scan, i - 1, "::")))
            continue;
        if (scan_is(scan, after, "(") && scan->match[after] != SCAN_NONE)
            after = scan->match[after] + 1;
        if (!begins_rest_of_head(scan, hidden, after))
            continue;
        hidden->macro = i;
        hidden->is_call = after != i + 1;
    }
}

static bool has_mark(const struct scan_text *scan, const struct hidden *hidden) {
    for (uint32_t i = hidden->start; i < hidden->open; i++)
        if (scan->tokens.at[i].word & (SCAN_KERNEL | SCAN_DEVICE | SCAN_STATEMENT))
            return true;
    return false;
}

static bool read_head(const struct scan_text *scan, struct hidden *hidden) {
    if (has_mark(scan, hidden) || !find_name(scan, hidden))
        return false;
    hidden->is_void = hidden->makes_head || (hidden->name > hidden->start && scan_is(scan, hidden->name - 1, "void"));
    if (!hidden->makes_head)
        find_macro(scan, hidden);
    return hidden->macro != SCAN_NONE;
}

/* ---- is it a kernel? ---- */

static bool is_launched(const struct cw_scan *out, cw_str name) {
    for (uint32_t i = 0; i < out->launches.n; i++)
        if (cw_str_eq(cw_scan_base_name(out->launches.at[i].callee), name))
            return true;
    return false;
}

static bool is_named_as_kernels(cw_str macro) {
    static const char *const words[] = {"KERNEL", "GLOBAL", "kernel", "global", "Kernel", "Global"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (memmem(macro.at, macro.n, words[i], strlen(words[i])))
            return true;
    return false;
}

static bool is_called(const struct scan_text *scan, const struct hidden *hidden) {
    cw_str name = scan_token_text(scan, hidden->name);
    for (uint32_t i = 0; i + 1 < scan->tokens.n; i++)
        if (i != hidden->name && is_name(scan, i) && scan_is(scan, i + 1, "(") &&
            cw_str_eq(scan_token_text(scan, i), name))
            return true;
    return false;
}

static void add_hidden(const struct scan_text *scan, struct cw_scan *out, const struct hidden *hidden) {
    cw_str name = scan_token_text(scan, hidden->name), macro = scan_token_text(scan, hidden->macro);
    bool is_sure = hidden->is_void && (is_launched(out, name) || is_named_as_kernels(macro));
    if (!is_sure && (!hidden->is_void || is_called(scan, hidden)))
        return;
    struct cw_scan_function f = {
        .name = cw_arena_strndup(scan->arena, name.at, name.n),
        .span = scan_span(scan, scan->tokens.at[hidden->start].at, scan_token_end(scan, hidden->close)),
        .name_span = scan_span(scan, scan->tokens.at[hidden->name].at, scan_token_end(scan, hidden->name)),
        .is_kernel = true, .is_template = scan_is(scan, hidden->start, "template"),
        .attribute_macro = cw_arena_strndup(scan->arena, macro.at, macro.n)};
    f.hidden = hidden->makes_head ? CW_HIDDEN_HEAD : hidden->is_call ? CW_HIDDEN_BY_CALL : CW_HIDDEN_BY_NAME;
    f.is_sure = is_sure;
    cw_vec_push(scan->arena, &out->functions, f);
}

/* A brace that functions of a namespace stand in. */
static bool is_namespace(const struct scan_text *scan, uint32_t start, uint32_t open) {
    for (uint32_t i = start; i < open; i++)
        if (scan_is(scan, i, "namespace") ||
            (scan_is(scan, i, "extern") && scan->tokens.at[i + 1].kind == CW_TOKEN_STRING))
            return i + 2 >= open || !scan_is(scan, i, "extern");
    return false;
}

void scan_hidden(const struct scan_text *scan, struct cw_scan *out) {
    uint32_t start = 0;
    for (uint32_t i = 0; i < scan->tokens.n; i++) {
        bool is_open = scan_is(scan, i, "{") || scan_is(scan, i, "(") || scan_is(scan, i, "[");
        if (scan_is(scan, i, ";") || scan_is(scan, i, "}") || scan->tokens.at[i].kind == CW_TOKEN_DIRECTIVE)
            start = i + 1;
        if (!is_open || scan->match[i] == SCAN_NONE || scan->match[i] < i)
            continue;
        struct hidden h = {.start = start, .open = i, .close = scan->match[i]};
        if (scan_is(scan, i, "{") && is_namespace(scan, start, i)) {
            start = i + 1;
            continue;
        }
        if (scan_is(scan, i, "{") && is_device_body(scan, i, h.close) && read_head(scan, &h))
            add_hidden(scan, out, &h);
        i = h.close;
        if (scan_is(scan, i, "}"))
            start = i + 1;
    }
}
