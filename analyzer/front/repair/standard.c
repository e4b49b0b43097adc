#include "front/repair/standard.h"

#include "source/branches.h"
#include "source/lexed.h"
#include "source/source.h"

#include <string.h>

bool cw_front_has_standard(const struct cw_front_options *options) {
    for (uint32_t i = 0; i < options->nargs; i++)
        if (!strncmp(options->args[i], "-std=", 5))
            return true;
    return false;
}

bool cw_front_lacks_cxx20(const struct cw_parse_note *note) {
    static const char *const words[] = {"'concept'", "'requires'", "'consteval'", "'constinit'", "in namespace 'std'"};
    for (size_t i = 0; i < sizeof words / sizeof *words && note->is_error; i++)
        if (strstr(note->text, words[i]))
            return true;
    return false;
}

/* ---- words of C++20 in a text ---- */

static bool is_name(const struct cw_lexed *list, uint32_t i) {
    return i < list->n && list->at[i].kind == CW_TOKEN_NAME;
}

/* `concept Name =`, `template <…> requires`, `consteval int f`, `constinit int x`. The words may be names in C++17. */
static bool is_of_cxx20(const struct cw_lexed *list, uint32_t i) {
    if (!is_name(list, i) || list->at[i].in_directive)
        return false;
    if (cw_lexed_is(list, i, "concept"))
        return is_name(list, i + 1) && cw_lexed_is(list, i + 2, "=");
    if (cw_lexed_is(list, i, "requires"))
        return i > 0 && cw_lexed_is(list, i - 1, ">") && (is_name(list, i + 1) || cw_lexed_is(list, i + 1, "("));
    return (cw_lexed_is(list, i, "consteval") || cw_lexed_is(list, i, "constinit")) && is_name(list, i + 1) &&
           (is_name(list, i + 2) || cw_lexed_is(list, i + 2, "*") || cw_lexed_is(list, i + 2, "&") ||
            cw_lexed_is(list, i + 2, "::") || cw_lexed_is(list, i + 2, "<"));
}

static bool asks_for_standard(cw_str condition) {
    static const char *const words[] = {"__cplusplus", "__cpp_", "__has_", "_MSVC_LANG"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (condition.n && memmem(condition.at, condition.n, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Does the branch, or one around it, or one of the same conditional before it, ask for the standard? */
static bool is_conditional(const struct cw_branches *branches, uint32_t branch) {
    for (uint32_t outer = branch; outer; outer = branches->at[outer - 1].outer)
        for (uint32_t b = outer; b; b = branches->at[b - 1].before)
            if (asks_for_standard(branches->at[b - 1].condition))
                return true;
    return false;
}

static bool text_needs_cxx20(const char *text, size_t size) {
    static const char *const words[] = {"concept ", "requires", "consteval ", "constinit "};
    bool may_be = false, is = false;
    for (size_t i = 0; i < sizeof words / sizeof *words && !may_be; i++)
        may_be = memmem(text, size, words[i], strlen(words[i])) != NULL;
    if (!may_be)
        return false;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct cw_lexed list = cw_lexed_read(&scratch, (cw_str){text, size});
    struct cw_branches branches = {0};
    for (uint32_t i = 0; i < list.n && !is; i++) {
        if (!is_of_cxx20(&list, i))
            continue;
        if (!branches.n)
            branches = cw_branches_read(&scratch, text, size);
        is = !is_conditional(&branches, cw_branch_at(&branches, list.at[i].at));
    }
    cw_arena_free(&scratch);
    return is;
}

bool cw_front_needs_cxx20(const struct cw_front_options *options) {
    bool is = options->text && text_needs_cxx20(options->text, options->size);
    for (uint32_t i = 0; i < options->nheaders && !is; i++) {
        struct cw_arena scratch;
        const char *error;
        cw_arena_init(&scratch);
        const struct cw_source *source = cw_source_load(&scratch, options->headers[i], &error);
        is = source && text_needs_cxx20(source->text, source->size);
        cw_arena_free(&scratch);
    }
    return is;
}
