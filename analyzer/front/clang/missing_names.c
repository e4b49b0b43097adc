/* Names that no header gives and that were declared for the parse (CW_MISSING_PATH). What they stand for is not known:
 * a device function that names one is read in part only. */
#include "front/clang/lower.h"

#include <string.h>

/* By name: to clang_File_isEqual() all files that are not on the disk are equal. */
static bool is_made_up(CXCursor declaration) {
    CXFile file = NULL;
    clang_getExpansionLocation(clang_getCursorLocation(declaration), &file, NULL, NULL, NULL);
    CXString name = clang_getFileName(file);
    const char *path = clang_getCString(name);
    bool is = path && !strcmp(path, CW_MISSING_PATH);
    clang_disposeString(name);
    return is;
}

/* The class, through pointers, references and arrays. Of broken code a type may point to itself. */
static CXCursor class_of(CXType type) {
    enum { MAX_STEPS = 16 };
    type = clang_getCanonicalType(type);
    for (int i = 0; i < MAX_STEPS; i++) {
        CXType inner = clang_getPointeeType(type);
        if (inner.kind == CXType_Invalid)
            inner = clang_getArrayElementType(type);
        if (inner.kind == CXType_Invalid)
            break;
        type = clang_getCanonicalType(inner);
    }
    return clang_getTypeDeclaration(type);
}

static enum CXChildVisitResult visit_name(CXCursor cursor, CXCursor parent, CXClientData data) {
    bool *is_found = data;
    (void)parent;
    *is_found = is_made_up(clang_getCursorReferenced(cursor)) || is_made_up(class_of(clang_getCursorType(cursor)));
    return *is_found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool cw_clang_names_missing(const struct cw_unit *unit, CXCursor function) {
    bool is_found = false;
    if (clang_getFile(unit->tu, CW_MISSING_PATH))
        clang_visitChildren(function, visit_name, &is_found);
    return is_found;
}
