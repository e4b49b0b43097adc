/* Whether a call in a template's pattern can mean a template of functions at all.
 *
 * `helper<A, B>(x)` cannot where the template has a third parameter that no type of its function parameters names:
 * clang says so of instances only. Of a call whose arguments cannot be counted the answer is that it can.
 * Cost: linear in the texts of the two. */
#include "front/clang/lower.h"

#include <string.h>

static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool names(cw_str text, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; n && i + n <= text.n; i++)
        if (!memcmp(text.at + i, word, n) && !(i && is_word(text.at[i - 1])) &&
            !(i + n < text.n && is_word(text.at[i + n])))
            return true;
    return false;
}

/* The arguments between the first `<` and the `>` that ends the text; a template's name alone has none. UINT32_MAX: the
 * text has operators that may be taken for brackets. */
static uint32_t explicit_arguments(cw_str text) {
    uint32_t n = 0;
    int depth = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.at[i];
        bool is_operator = i + 1 < text.n && (c == '<' || c == '>' || c == '-') &&
                           (text.at[i + 1] == '=' || (c == '-' && text.at[i + 1] == '>'));
        if (is_operator)
            return UINT32_MAX;
        n += (depth == 0 && c == '<') || (depth == 1 && c == ',');
        depth += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
    }
    return depth == 0 ? n : UINT32_MAX;
}

/* Is the parameter named in a type of the function's parameters? */
static bool is_deduced(struct cw_unit *unit, const struct cw_kids *kids, const char *name) {
    for (uint32_t i = 0; i < kids->n; i++)
        if (clang_getCursorKind(kids->at[i]) == CXCursor_ParmDecl && names(cw_clang_source(unit, kids->at[i]), name))
            return true;
    return false;
}

static bool is_optional(cw_str parameter) {
    return memchr(parameter.at, '=', parameter.n) || memmem(parameter.at, parameter.n, "...", 3);
}

bool cw_clang_can_mean(struct cw_unit *unit, const struct cw_callee *callee, CXCursor written) {
    cw_str text = cw_clang_source(unit, written);
    uint32_t given = text.n ? explicit_arguments(text) : UINT32_MAX, index = 0;
    struct cw_kids kids = cw_clang_kids(unit, callee->definition);
    for (uint32_t i = 0; i < kids.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.at[i]);
        if (kind != CXCursor_NonTypeTemplateParameter && kind != CXCursor_TemplateTypeParameter &&
            kind != CXCursor_TemplateTemplateParameter)
            continue;
        cw_str parameter = cw_clang_source(unit, kids.at[i]);
        const char *name = cw_clang_text(unit, clang_getCursorSpelling(kids.at[i]));
        if (!parameter.n || is_optional(parameter))
            return true;
        if (index++ >= given && !is_deduced(unit, &kids, name))
            return false;
    }
    return true;
}
