#include "compdb/kernel_names.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NAMES = 512, MAX_NAME = 256, MAX_ARGUMENTS = 1024, MAX_HEAD = 4096, MAX_PLACES = 2048 };

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static void add_name(struct cw_arena *a, struct cw_names_list *names, cw_str name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (cw_str_is(name, names->at[i]))
            return;
    if (name.n && name.n <= MAX_NAME && names->n < MAX_NAMES)
        cw_vec_push(a, names, (const char *)cw_arena_strndup(a, name.at, name.n));
}

/* ---- definitions ---- */

static size_t skip_space(cw_str text, size_t at) {
    while (at < text.n && isspace((unsigned char)text.at[at]))
        at++;
    return at;
}

/* Behind the parenthesis that closes the one at `at`. */
static size_t skip_parentheses(cw_str text, size_t at) {
    for (uint32_t depth = 0; at < text.n; at++) {
        depth += text.at[at] == '(';
        depth -= text.at[at] == ')';
        if (!depth)
            return at + 1;
    }
    return at;
}

/* What stands behind a __global__: the name whose parameters a body follows, past attributes and macros with arguments.
 * Empty for a declaration. */
static cw_str defined_name(cw_str text, size_t at) {
    size_t end = at + MAX_HEAD < text.n ? at + MAX_HEAD : text.n;
    for (text.n = end; at < text.n;) {
        size_t from = skip_space(text, at), to = from;
        while (to < text.n && is_name(text.at[to]))
            to++;
        at = skip_space(text, to);
        if (to == from && (from >= text.n || strchr(";{}()", text.at[from])))
            return (cw_str){0};
        if (to == from) /* of a type: '*', '&', "::", '<' */
            at = from + 1;
        if (to == from || at >= text.n || text.at[at] != '(')
            continue;
        at = skip_space(text, skip_parentheses(text, at));
        if (at < text.n && text.at[at] == '{')
            return (cw_str){text.at + from, to - from};
    }
    return (cw_str){0};
}

/* ---- launches ---- */

static size_t skip_space_back(cw_str text, size_t at) {
    while (at > 0 && isspace((unsigned char)text.at[at - 1]))
        at--;
    return at;
}

/* Before the template's arguments that end at `at`; `at` where there are none. */
static size_t skip_arguments_back(cw_str text, size_t at) {
    size_t least = at > MAX_ARGUMENTS ? at - MAX_ARGUMENTS : 0;
    int depth = 0;
    for (size_t i = at; i > least; i--) {
        depth += text.at[i - 1] == '>';
        depth -= text.at[i - 1] == '<';
        if (!depth)
            return i == at ? at : skip_space_back(text, i - 1);
    }
    return at;
}

/* The name before a <<<: `ns::kernel<T, 3><<<`, `(kernel<T>)<<<`. */
static cw_str launched_name(cw_str text, size_t at) {
    at = skip_space_back(text, at);
    if (at > 0 && text.at[at - 1] == ')')
        at = skip_space_back(text, at - 1);
    at = skip_arguments_back(text, at);
    size_t to = at;
    while (at > 0 && is_name(text.at[at - 1]))
        at--;
    return (cw_str){text.at + at, to - at};
}

/* ---- the text ---- */

static size_t find_next(cw_str text, size_t at, const char *word) {
    const char *found = at < text.n ? memmem(text.at + at, text.n - at, word, strlen(word)) : NULL;
    return found ? (size_t)(found - text.at) : text.n;
}

void cw_kernel_names_read(struct cw_arena *a, cw_str text, struct cw_names_list *defined,
                          struct cw_names_list *launched) {
    uint32_t places = 0;
    for (size_t at = find_next(text, 0, "__global__"); at < text.n && places < MAX_PLACES;
         at = find_next(text, at, "__global__"), places++) {
        at += strlen("__global__");
        add_name(a, defined, defined_name(text, at));
    }
    places = 0;
    for (size_t at = find_next(text, 0, "<<<"); at < text.n && places < MAX_PLACES;
         at = find_next(text, at, "<<<"), places++) {
        add_name(a, launched, launched_name(text, at));
        at += strlen("<<<");
    }
}
