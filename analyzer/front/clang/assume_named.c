/* Instances that the text of a unit names, `kernel<128>`, where the parser dropped the statement: a launch in a
 * function whose parameters are of a type that nobody knows.
 *
 * A name in the arguments that is a constant of the function, `const int threads = 128;`, becomes its number. What else
 * is of the function does not compile at the end of the file, and the line is left out like any other. */
#include "front/clang/assume.h"

#include "source/lexed.h"

#include <string.h>

enum { MAX_ARGUMENTS_TEXT = 160 };

static bool is_same(const struct cw_lexed *list, uint32_t i, uint32_t other) {
    return cw_str_eq(cw_lexed_text(list, i), cw_lexed_text(list, other));
}

/* The number that the name is initialised with before `use`, by the last `const … name = 128;`; UINT32_MAX: none. */
static uint32_t find_number(const struct cw_lexed *list, uint32_t use) {
    for (uint32_t i = use; i-- > 0;) {
        if (list->at[i].kind != CW_TOKEN_NAME || !is_same(list, i, use) || !cw_lexed_is(list, i + 1, "=") ||
            i + 3 >= list->n || list->at[i + 2].kind != CW_TOKEN_NUMBER || !cw_lexed_is(list, i + 3, ";"))
            continue;
        for (uint32_t k = i; k-- > 0 && i - k < 6 && list->at[k].kind == CW_TOKEN_NAME;)
            if (cw_lexed_is(list, k, "const") || cw_lexed_is(list, k, "constexpr"))
                return i + 2;
    }
    return UINT32_MAX;
}

/* The token of the `>` that closes the `<` at i, or 0 when it is no list of arguments. */
static uint32_t find_end(const struct cw_lexed *list, uint32_t i) {
    int depth = 0;
    for (uint32_t from = i; i < list->n && list->at[i].at - list->at[from].at < MAX_ARGUMENTS_TEXT; i++) {
        depth += cw_lexed_is(list, i, "<") || cw_lexed_is(list, i, "(") ? 1
                 : cw_lexed_is(list, i, ">") || cw_lexed_is(list, i, ")") ? -1
                                                                    : 0;
        if (depth == 0)
            return cw_lexed_is(list, i, ">") ? i : 0;
        if (cw_lexed_is(list, i, ";") || cw_lexed_is(list, i, "{") || cw_lexed_is(list, i, "<<<") ||
            list->at[i].in_directive)
            return 0;
    }
    return 0;
}

/* Is it a parameter of some template of the text, `template <class T, int N>`? At the end of the file nobody knows it.
 */
static bool is_parameter(const struct cw_lexed *list, uint32_t name) {
    for (uint32_t i = 0; i + 1 < list->n; i++) {
        uint32_t end = cw_lexed_is(list, i, "template") && cw_lexed_is(list, i + 1, "<") ? find_end(list, i + 1) : 0;
        for (uint32_t k = i + 2; k < end; k++)
            if (is_same(list, k, name) && (cw_lexed_is(list, k + 1, ",") || cw_lexed_is(list, k + 1, ">") ||
                                           cw_lexed_is(list, k + 1, "=")))
                return true;
    }
    return false;
}

/* Empty where an argument is no constant of the unit. */
static const char *arguments_text(struct cw_arena *a, const struct cw_lexed *list, uint32_t from, uint32_t to) {
    struct cw_buf text = {0};
    for (uint32_t i = from; i < to; i++) {
        bool is_plain = list->at[i].kind == CW_TOKEN_NAME && !cw_lexed_is(list, i + 1, "::") &&
                        !cw_lexed_is(list, i + 1, "<") && !(i && cw_lexed_is(list, i - 1, "::"));
        uint32_t number = is_plain ? find_number(list, i) : UINT32_MAX;
        if (is_plain && number == UINT32_MAX && is_parameter(list, i)) {
            cw_buf_free(&text);
            return "";
        }
        const struct cw_token *t = &list->at[number == UINT32_MAX ? i : number];
        cw_buf_printf(&text, "%s%.*s", i > from ? " " : "", (int)t->n, list->text + t->at);
    }
    const char *copy = cw_arena_strdup(a, text.at ? text.at : "");
    cw_buf_free(&text);
    return copy;
}

/* What follows a template's name where it is used as a function: launched, or handed to one that launches it. */
static bool is_use(const struct cw_lexed *list, uint32_t end) {
    return cw_lexed_is(list, end + 1, "<<<") || cw_lexed_is(list, end + 1, ",") || cw_lexed_is(list, end + 1, ")");
}

static void add_named(struct cw_named_instances *out, const char *arguments) {
    for (uint32_t k = 0; k < out->n; k++)
        if (!strcmp(out->at[k], arguments))
            return;
    if (out->n < CW_NAMED_MAX && *arguments)
        out->at[out->n++] = arguments;
}

static bool is_call(const struct cw_lexed *list, uint32_t end) {
    return cw_lexed_is(list, end + 1, "(");
}

static struct cw_named_instances find_instances(struct cw_arena *a, cw_str text, const char *name,
                                                bool (*is_wanted)(const struct cw_lexed *list, uint32_t end)) {
    struct cw_named_instances out = {.n = 0};
    if (!*name || !memmem(text.at, text.n, name, strlen(name)))
        return out;
    struct cw_lexed list = cw_lexed_read(a, text);
    for (uint32_t i = 0; i + 2 < list.n; i++) {
        uint32_t end = cw_lexed_is(&list, i, name) && cw_lexed_is(&list, i + 1, "<") ? find_end(&list, i + 1) : 0;
        if (end && is_wanted(&list, end))
            add_named(&out, arguments_text(a, &list, i + 2, end));
    }
    return out;
}

struct cw_named_instances cw_clang_named_instances(struct cw_arena *a, cw_str text, const char *name) {
    return find_instances(a, text, name, is_use);
}

struct cw_named_instances cw_clang_called_instances(struct cw_arena *a, cw_str text, const char *name) {
    return find_instances(a, text, name, is_call);
}
