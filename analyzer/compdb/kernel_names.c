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

/* ---- names in strings ---- */

bool cw_kernel_names_asks(cw_str text) {
    static const char *const calls[] = {"cuModuleGetFunction", "cuLibraryGetKernel"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (find_next(text, 0, calls[i]) < text.n)
            return true;
    return false;
}

/* The function that the string names, mangled or with scopes and template arguments; empty: none. */
static cw_str name_in_string(cw_str string) {
    size_t from = 0, to, digits = 0;
    while (from < string.n && (string.at[from] == '&' || string.at[from] == '('))
        from++;
    if (string.n - from > 3 && !memcmp(string.at + from, "_Z", 2)) { /* of the names, the first without a scope */
        for (from += 2; from < string.n && !isdigit((unsigned char)string.at[from]);)
            from++;
        for (; from < string.n && isdigit((unsigned char)string.at[from]) && digits < MAX_NAME; from++)
            digits = digits * 10 + (size_t)(string.at[from] - '0');
        return digits <= string.n - from ? (cw_str){string.at + from, digits} : (cw_str){0};
    }
    for (to = from; to < string.n && is_name(string.at[to]); to++)
        if (to + 3 < string.n && string.at[to + 1] == ':' && string.at[to + 2] == ':') {
            from = to + 3;
            to += 2;
        }
    bool is_whole = to == string.n || string.at[to] == '<';
    return is_whole && to > from && !isdigit((unsigned char)string.at[from]) ? (cw_str){string.at + from, to - from}
                                                                             : (cw_str){0};
}

static void add_names_in_strings(struct cw_arena *a, cw_str text, struct cw_names_list *names) {
    uint32_t places = 0;
    for (size_t at = find_next(text, 0, "\""); at < text.n && places < MAX_PLACES; places++) {
        size_t end = at + 1;
        while (end < text.n && text.at[end] != '"' && text.at[end] != '\n')
            end += text.at[end] == '\\' ? 2 : 1;
        if (end < text.n && text.at[end] == '"')
            add_name(a, names, name_in_string((cw_str){text.at + at + 1, end - at - 1}));
        at = end < text.n ? find_next(text, end + 1, "\"") : text.n;
    }
}

/* `>>>` and a parenthesis behind the configuration. */
static bool is_closed(cw_str text, size_t at) {
    enum { MAX_CONFIGURATION = 1000 };
    cw_str rest = {text.at, at + MAX_CONFIGURATION < text.n ? at + MAX_CONFIGURATION : text.n};
    size_t end = find_next(rest, at, ">>>");
    size_t next = end < rest.n ? skip_space(text, end + strlen(">>>")) : text.n;
    return next < text.n && text.at[next] == '(';
}

bool cw_kernel_names_launches(cw_str text) {
    uint32_t places = 0;
    for (size_t at = find_next(text, 0, "<<<"); at < text.n && places < MAX_PLACES;
         at = find_next(text, at + strlen("<<<"), "<<<"), places++)
        if (launched_name(text, at).n && is_closed(text, at))
            return true;
    return false;
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
    if (cw_kernel_names_asks(text))
        add_names_in_strings(a, text, launched);
}
