/* Whether a call in a template's pattern can mean a template of functions at all.
 *
 * `helper<A, B>(x)` cannot where the template has a third parameter that no type of its function parameters names:
 * clang says so of instances only. Nor can it where a value stands for a type. Of a call whose arguments cannot be
 * counted the answer is that it can.
 * Cost: linear in the texts of the two. */
#include "front/clang/lower.h"

#include <string.h>

bool cw_clang_next_argument(cw_str list, size_t *at, cw_str *argument) {
    int depth = 0;
    size_t from = *at, i = from;
    if (from >= list.n)
        return false;
    for (; i < list.n && !(depth == 0 && list.at[i] == ','); i++) {
        char c = list.at[i];
        depth += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
    }
    *argument = cw_str_trim((cw_str){list.at + from, i - from});
    *at = i + 1;
    return true;
}

uint32_t cw_clang_count_arguments(cw_str list) {
    uint32_t n = 0;
    cw_str argument;
    for (size_t at = 0; cw_clang_next_argument(list, &at, &argument); n++)
        continue;
    return n;
}

/* What stands between the `>` that ends the text and its `<`; a template's name alone has none. False: the text has
 * operators that may be taken for brackets. */
static bool find_list(cw_str text, cw_str *list) {
    int depth = 0;
    size_t begin = text.n;
    *list = (cw_str){0};
    for (size_t i = 0; i + 1 < text.n; i++)
        if ((strchr("<>-", text.at[i]) && text.at[i + 1] == '=') || (text.at[i] == '-' && text.at[i + 1] == '>'))
            return false;
    if (!text.n || text.at[text.n - 1] != '>')
        return text.n > 0;
    while (begin > 0 && !(depth == 1 && text.at[begin - 1] == '<')) {
        char c = text.at[--begin];
        depth += c == '>' || c == ')' || c == '}' ? 1 : c == '<' || c == '(' || c == '{' ? -1 : 0;
    }
    *list = (cw_str){text.at + begin, text.n - 1 - begin};
    return begin > 0;
}

/* Is the argument a number, or no more than the name of a variable or of a template's value? */
static bool is_value(struct cw_unit *unit, const struct cw_kids *written, cw_str argument) {
    bool is_number = argument.n > 0, is_named = false;
    for (size_t i = 0; i < argument.n; i++)
        is_number &= argument.at[i] >= '0' && argument.at[i] <= '9';
    for (uint32_t i = 0; i < written->n && argument.n; i++)
        is_named |= clang_getCursorKind(written->at[i]) == CXCursor_DeclRefExpr &&
                    cw_str_is(argument, cw_clang_text(unit, clang_getCursorSpelling(written->at[i])));
    return is_number || is_named;
}

/* Is the parameter named in a type of the function's parameters? */
static bool is_deduced(struct cw_unit *unit, const struct cw_kids *kids, const char *name) {
    for (uint32_t i = 0; i < kids->n; i++)
        if (clang_getCursorKind(kids->at[i]) == CXCursor_ParmDecl &&
            cw_str_has_word(cw_clang_source(unit, kids->at[i]), name))
            return true;
    return false;
}

static bool is_optional(cw_str parameter) {
    return memchr(parameter.at, '=', parameter.n) || memmem(parameter.at, parameter.n, "...", 3);
}

bool cw_clang_can_mean(struct cw_unit *unit, const struct cw_callee *callee, CXCursor written) {
    cw_str list, argument;
    size_t at = 0;
    bool is_told = find_list(cw_clang_source(unit, written), &list);
    struct cw_kids kids = cw_clang_kids(unit, callee->definition), arguments = cw_clang_kids(unit, written);
    for (uint32_t i = 0; i < kids.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.at[i]);
        if (kind != CXCursor_NonTypeTemplateParameter && kind != CXCursor_TemplateTypeParameter &&
            kind != CXCursor_TemplateTemplateParameter)
            continue;
        cw_str parameter = cw_clang_source(unit, kids.at[i]);
        const char *name = cw_clang_text(unit, clang_getCursorSpelling(kids.at[i]));
        if (!parameter.n || is_optional(parameter))
            return true;
        bool is_given = is_told && cw_clang_next_argument(list, &at, &argument);
        if (is_given ? kind == CXCursor_TemplateTypeParameter && is_value(unit, &arguments, argument)
                     : is_told && !is_deduced(unit, &kids, name))
            return false;
    }
    return true;
}
