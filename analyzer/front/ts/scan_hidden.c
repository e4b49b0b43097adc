/* Kernels whose mark is a macro that the text does not define: `PROJECT_KERNEL void k(…) {…}`, `GLOBAL(k)(…) {…}`.
 *
 * A function of a namespace whose body uses what only device code can, and whose head has no mark but an unknown macro,
 * is device code. It is surely a kernel when it is launched in the text or its macro is named so; it may be one when it
 * returns nothing and nobody calls it. One pass over the tokens, bodies are entered once. */
#include "front/ts/scan_internal.h"

#include <string.h>

struct hidden {
    uint32_t start, name, macro, open, close; /* tokens */
    bool is_call, makes_head, is_void;
};

static bool is_name(const struct scan_text *t, uint32_t i) {
    return t->tokens.at[i].kind == CW_TOKEN_NAME;
}

static bool closes(const struct scan_text *t, uint32_t i) {
    return scan_is(t, i, ")") && t->match[i] != SCAN_NONE;
}

/* ---- the body ---- */

static bool is_device_only(const struct scan_text *t, uint32_t i) {
    uint32_t word = t->tokens.at[i].word;
    if (!(word & SCAN_BUILTIN) || scan_is(t, i, "__constant__"))
        return false;
    return scan_is(t, i, "threadIdx") || scan_is(t, i, "blockIdx") || cw_str_starts(scan_token_text(t, i), "__");
}

/* Code of the device and of nobody else: no launch, and no lambda with a mark of its own. */
static bool is_device_body(const struct scan_text *t, uint32_t open, uint32_t close) {
    bool is = false;
    for (uint32_t i = open; i < close; i++) {
        if ((t->tokens.at[i].word & (SCAN_KERNEL | SCAN_DEVICE)) || scan_is(t, i, "<<<"))
            return false;
        is |= is_device_only(t, i);
    }
    return is;
}

/* ---- the head ---- */

/* The function's name, from the brace of its body backwards: over what may follow a parameter list. */
static bool find_name(const struct scan_text *t, struct hidden *h) {
    for (uint32_t k = h->open; k-- > h->start;) {
        if (t->tokens.at[k].word & SCAN_SPECIFIER)
            continue;
        if (!closes(t, k) || t->match[k] <= h->start)
            return false;
        uint32_t before = t->match[k] - 1;
        if (t->tokens.at[before].word & SCAN_CALL_LIKE) {
            k = before;
            continue;
        }
        h->name = before;
        if (!closes(t, before))
            return is_name(t, before) && !t->tokens.at[before].word;
        h->makes_head = true; /* MACRO(name)(…) */
        h->name = before - 1;
        h->macro = t->match[before] - 1;
        return t->match[before] > h->start && h->name == t->match[before] + 1 && is_name(t, h->name) &&
               is_name(t, h->macro) && !t->tokens.at[h->macro].word;
    }
    return false;
}

static bool begins_rest_of_head(const struct scan_text *t, const struct hidden *h, uint32_t i) {
    return i < h->name && is_name(t, i);
}

/* A name that means nothing to the text, before the type. */
static void find_macro(const struct scan_text *t, struct hidden *h) {
    h->macro = SCAN_NONE;
    for (uint32_t i = h->start; i < h->name && h->macro == SCAN_NONE; i++) {
        uint32_t after = i + 1;
        if (!is_name(t, i) || t->tokens.at[i].word || (i > h->start && scan_is(t, i - 1, "::")))
            continue;
        if (scan_is(t, after, "(") && t->match[after] != SCAN_NONE)
            after = t->match[after] + 1;
        if (!begins_rest_of_head(t, h, after))
            continue;
        h->macro = i;
        h->is_call = after != i + 1;
    }
}

static bool has_mark(const struct scan_text *t, const struct hidden *h) {
    for (uint32_t i = h->start; i < h->open; i++)
        if (t->tokens.at[i].word & (SCAN_KERNEL | SCAN_DEVICE | SCAN_STATEMENT))
            return true;
    return false;
}

static bool read_head(const struct scan_text *t, struct hidden *h) {
    if (has_mark(t, h) || !find_name(t, h))
        return false;
    h->is_void = h->makes_head || (h->name > h->start && scan_is(t, h->name - 1, "void"));
    if (!h->makes_head)
        find_macro(t, h);
    return h->macro != SCAN_NONE;
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

static bool is_called(const struct scan_text *t, const struct hidden *h) {
    cw_str name = scan_token_text(t, h->name);
    for (uint32_t i = 0; i + 1 < t->tokens.n; i++)
        if (i != h->name && is_name(t, i) && scan_is(t, i + 1, "(") && cw_str_eq(scan_token_text(t, i), name))
            return true;
    return false;
}

static void add(const struct scan_text *t, struct cw_scan *out, const struct hidden *h) {
    cw_str name = scan_token_text(t, h->name), macro = scan_token_text(t, h->macro);
    bool is_sure = h->is_void && (is_launched(out, name) || is_named_as_kernels(macro));
    if (!is_sure && (!h->is_void || is_called(t, h)))
        return;
    struct cw_scan_function f = {
        .name = cw_arena_strndup(t->arena, name.at, name.n),
        .span = scan_span(t, t->tokens.at[h->start].at, scan_token_end(t, h->close)),
        .name_span = scan_span(t, t->tokens.at[h->name].at, scan_token_end(t, h->name)),
        .is_kernel = true, .is_template = scan_is(t, h->start, "template"),
        .attribute_macro = cw_arena_strndup(t->arena, macro.at, macro.n)};
    f.hidden = h->makes_head ? CW_HIDDEN_HEAD : h->is_call ? CW_HIDDEN_BY_CALL : CW_HIDDEN_BY_NAME;
    f.is_sure = is_sure;
    cw_vec_push(t->arena, &out->functions, f);
}

/* A brace that functions of a namespace stand in. */
static bool is_namespace(const struct scan_text *t, uint32_t start, uint32_t open) {
    for (uint32_t i = start; i < open; i++)
        if (scan_is(t, i, "namespace") || (scan_is(t, i, "extern") && t->tokens.at[i + 1].kind == CW_TOKEN_STRING))
            return i + 2 >= open || !scan_is(t, i, "extern");
    return false;
}

void scan_hidden(const struct scan_text *t, struct cw_scan *out) {
    uint32_t start = 0;
    for (uint32_t i = 0; i < t->tokens.n; i++) {
        bool is_open = scan_is(t, i, "{") || scan_is(t, i, "(") || scan_is(t, i, "[");
        if (scan_is(t, i, ";") || scan_is(t, i, "}") || t->tokens.at[i].kind == CW_TOKEN_DIRECTIVE)
            start = i + 1;
        if (!is_open || t->match[i] == SCAN_NONE || t->match[i] < i)
            continue;
        struct hidden h = {.start = start, .open = i, .close = t->match[i]};
        if (scan_is(t, i, "{") && is_namespace(t, start, i)) {
            start = i + 1;
            continue;
        }
        if (scan_is(t, i, "{") && is_device_body(t, i, h.close) && read_head(t, &h))
            add(t, out, &h);
        i = h.close;
        if (scan_is(t, i, "}"))
            start = i + 1;
    }
}
