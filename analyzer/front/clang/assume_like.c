/* Arguments that another kernel of the same folder has for a parameter of the same name.
 *
 * `template <class Traits> __global__ void clear(…)` that nothing in the unit instantiates, beside an instance
 * `forward<Forward_traits<64>>` of a kernel whose parameter is called Traits too: the class is a plausible argument,
 * and what the body asks of it is known. */
#include "front/clang/assume.h"

#include <string.h>

static bool is_parameter(enum CXCursorKind kind) {
    return kind == CXCursor_NonTypeTemplateParameter || kind == CXCursor_TemplateTypeParameter ||
           kind == CXCursor_TemplateTemplateParameter;
}

static cw_str folder_of(struct cw_unit *unit, CXCursor cursor) {
    CXFile file = NULL;
    clang_getFileLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    const char *path = file ? cw_clang_text(unit, clang_getFileName(file)) : "", *slash = strrchr(path, '/');
    return (cw_str){path, slash ? (size_t)(slash - path) : 0};
}

static bool is_same_folder(struct cw_unit *unit, CXCursor a, CXCursor b) {
    return cw_str_eq(folder_of(unit, a), folder_of(unit, b));
}

/* Which argument of an instance is the one of the parameter; -1: none. Behind a pack the numbers are not known. */
static int argument_of(struct cw_unit *unit, const struct cw_callee *instance, const char *name,
                       enum CXCursorKind kind) {
    struct cw_kids kids = cw_clang_kids(unit, clang_getSpecializedCursorTemplate(instance->decl));
    int index = 0;
    for (uint32_t i = 0; i < kids.n; i++) {
        if (!is_parameter(clang_getCursorKind(kids.at[i])))
            continue;
        cw_str text = cw_clang_source(unit, kids.at[i]);
        if (text.n && memmem(text.at, text.n, "...", 3))
            return -1;
        if (!strcmp(cw_clang_text(unit, clang_getCursorSpelling(kids.at[i])), name))
            return clang_getCursorKind(kids.at[i]) == kind ? index : -1;
        index++;
    }
    return -1;
}

/* Of a class that can be named at the end of the file, and is none that was chosen itself. */
/* Of a kernel that only reads, the argument may be constant; another one would not compile then. */
static const char *class_text(struct cw_unit *unit, CXCursor decl, unsigned index) {
    CXType type = clang_getCanonicalType(clang_Cursor_getTemplateArgumentType(decl, index));
    type = clang_getUnqualifiedType(type);
    const char *text = type.kind == CXType_Record ? cw_clang_text(unit, clang_getTypeSpelling(type)) : NULL;
    return text && !strchr(text, '(') && !strstr(text, "cuwarp_assumed") ? text : NULL;
}

const char *cw_clang_like_argument(struct cw_unit *unit, const struct cw_callee *instance, const char *name,
                                   enum CXCursorKind kind) {
    int n = clang_Cursor_getNumTemplateArguments(instance->decl), index = argument_of(unit, instance, name, kind);
    if (index < 0 || index >= n)
        return NULL;
    switch (clang_Cursor_getTemplateArgumentKind(instance->decl, (unsigned)index)) {
    case CXTemplateArgumentKind_Type: return class_text(unit, instance->decl, (unsigned)index);
    case CXTemplateArgumentKind_Integral: return cw_clang_argument(unit, instance->decl, (unsigned)index);
    default: return NULL;
    }
}

/* Whether a class of the instance is an argument for one of the template's parameters. */
static bool shares_class(struct cw_unit *unit, const struct cw_callee *pattern, const struct cw_callee *instance) {
    struct cw_kids kids = cw_clang_kids(unit, pattern->definition);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_TemplateTypeParameter &&
            cw_clang_like_argument(unit, instance, cw_clang_text(unit, clang_getCursorSpelling(kids.at[i])),
                                   CXCursor_TemplateTypeParameter))
            return true;
    return false;
}

struct cw_like cw_clang_like(struct cw_unit *unit, const struct cw_callee *pattern, const struct cw_callees *kernels) {
    struct cw_like like = {NULL, NULL};
    for (uint32_t i = 0; i < kernels->n; i++) {
        const struct cw_callee *k = kernels->at[i];
        bool is_assumed = cw_map_get(&unit->assumed, (uint64_t)(uintptr_t)k->key, NULL);
        if (!k->pattern || k->pattern == pattern->key || is_assumed ||
            !is_same_folder(unit, k->definition, pattern->definition) || !shares_class(unit, pattern, k))
            continue;
        if (!like.first)
            like.first = k;
        like.last = k;
    }
    return like;
}
