/* Whether a call in a template's pattern can mean a template of functions at all.
 *
 * `helper<A, B>(x)` cannot where the template has a third parameter that no type of its function parameters names:
 * clang says so of instances only. Nor can it where a value stands for a type. Of a call whose arguments cannot be
 * counted the answer is that it can.
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

/* The text of the explicit argument with this number; empty: it is none that can be told. */
static cw_str explicit_argument(cw_str text, uint32_t number) {
    uint32_t n = 0;
    int depth = 0;
    size_t from = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.at[i];
        bool begins = (depth == 0 && c == '<') || (depth == 1 && c == ',');
        bool ends = from && depth == 1 && (c == ',' || c == '>');
        if (ends && n == number + 1)
            return cw_str_trim((cw_str){text.at + from, i - from});
        from = begins ? i + 1 : from;
        n += begins;
        depth += c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
    }
    return (cw_str){0};
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
        if (index < given && given != UINT32_MAX && kind == CXCursor_TemplateTypeParameter &&
            is_value(unit, &arguments, explicit_argument(text, index)))
            return false;
        if (index++ >= given && !is_deduced(unit, &kids, name))
            return false;
    }
    return true;
}
