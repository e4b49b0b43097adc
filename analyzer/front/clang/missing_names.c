/* Names that no header gives and that were declared for the parse (CW_MISSING_PATH). What they stand for is not known:
 * a device function that names one is read in part only, and their sizes and values are no constants. */
#include "front/clang/lower.h"

#include <string.h>

/* By name: to clang_File_isEqual() all files that are not on the disk are equal. */
bool cw_clang_is_made_up(CXCursor declaration) {
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
    *is_found = cw_clang_is_made_up(clang_getCursorReferenced(cursor)) ||
                cw_clang_is_made_up(class_of(clang_getCursorType(cursor)));
    return *is_found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool cw_clang_names_missing(const struct cw_unit *unit, CXCursor function) {
    bool is_found = false;
    if (clang_getFile(unit->tu, CW_MISSING_PATH))
        clang_visitChildren(function, visit_name, &is_found);
    return is_found;
}

/* ---- constants ---- */

struct constant_visit {
    uint32_t depth; /* of classes and initialisers */
    bool is_made_up;
};

enum { MAX_DEPTH = 8 };

static void visit_declaration(struct constant_visit *visit, CXCursor declaration);

static enum CXVisitorResult visit_field(CXCursor field, CXClientData data) {
    struct constant_visit *visit = data;
    visit_declaration(visit, class_of(clang_getCursorType(field)));
    return visit->is_made_up ? CXVisit_Break : CXVisit_Continue;
}

static enum CXChildVisitResult visit_operand(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct constant_visit *visit = data;
    (void)parent;
    visit_declaration(visit, clang_getCursorReferenced(cursor));
    visit_declaration(visit, class_of(clang_getCursorType(cursor)));
    return visit->is_made_up ? CXChildVisit_Break : CXChildVisit_Recurse;
}

static void visit_declaration(struct constant_visit *visit, CXCursor declaration) {
    visit->is_made_up |= cw_clang_is_made_up(declaration);
    if (visit->is_made_up || visit->depth == MAX_DEPTH)
        return;
    visit->depth++;
    enum CXCursorKind kind = clang_getCursorKind(declaration);
    if (kind == CXCursor_VarDecl || kind == CXCursor_EnumConstantDecl || kind == CXCursor_TypedefDecl ||
        kind == CXCursor_TypeAliasDecl)
        clang_visitChildren(declaration, visit_operand, visit);
    else if (kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl)
        clang_Type_visitFields(clang_getCursorType(declaration), visit_field, visit);
    visit->depth--;
}

bool cw_clang_rests_on_made_up(CXCursor expression) {
    struct constant_visit visit = {0};
    if (!clang_getFile(clang_Cursor_getTranslationUnit(expression), CW_MISSING_PATH))
        return false;
    visit_operand(expression, clang_getNullCursor(), &visit);
    if (!visit.is_made_up)
        clang_visitChildren(expression, visit_operand, &visit);
    return visit.is_made_up;
}
