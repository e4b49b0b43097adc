/* Small questions to libclang. Visiting is the cost of this front end: every child list is collected once, into the
 * unit's scratch arena. */
#include "front/clang/lower.h"

#include <string.h>

static enum CXChildVisitResult collect_cursor(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct cw_unit *u = data;
    (void)parent;
    cw_vec_push(&u->scratch, &u->collected, cursor);
    return CXChildVisit_Continue;
}

struct cw_known_expr *cw_clang_known(struct cw_unit *unit, CXCursor cursor) {
    uint64_t id = clang_isExpression(clang_getCursorKind(cursor)) ? cw_clang_stmt_id(cursor) : 0;
    struct cw_known_expr *known = &unit->exprs[(id >> 4 ^ id >> 13) % CW_EXPRS_KEPT];
    if (!id)
        return NULL;
    if (known->id != id)
        *known = (struct cw_known_expr){.id = id};
    return known;
}

struct cw_kids cw_clang_kids(struct cw_unit *unit, CXCursor cursor) {
    struct cw_known_expr *known = cw_clang_known(unit, cursor);
    if (known && known->has_kids)
        return known->kids;
    unit->collected.n = 0; /* most have one child or two: less than what a list begins with */
    clang_visitChildren(cursor, collect_cursor, unit);
    struct cw_kids kids = {NULL, unit->collected.n};
    if (kids.n) {
        kids.at = CW_NEW_ARRAY(&unit->scratch, CXCursor, kids.n);
        memcpy(kids.at, unit->collected.at, kids.n * sizeof *kids.at);
    }
    if (known) {
        known->kids = kids;
        known->has_kids = true;
    }
    return kids;
}

CXCursor cw_clang_peel(struct cw_unit *unit, CXCursor cursor) {
    for (int i = 0; i < CW_MAX_DEPTH; i++) {
        enum CXCursorKind k = clang_getCursorKind(cursor);
        if (k != CXCursor_UnexposedExpr && k != CXCursor_ParenExpr)
            return cursor;
        struct cw_kids kids = cw_clang_kids(unit, cursor);
        if (kids.n != 1)
            return cursor;
        cursor = kids.at[0];
    }
    return cursor;
}

uint64_t cw_clang_id(CXCursor decl) {
    return (uint64_t)(uintptr_t)decl.data[0];
}

uint64_t cw_clang_stmt_id(CXCursor stmt) {
    return (uint64_t)(uintptr_t)stmt.data[1];
}

const char *cw_clang_text(struct cw_unit *unit, CXString s) {
    const char *text = clang_getCString(s);
    const char *kept = cw_intern(&unit->module->names, text ? text : "");
    clang_disposeString(s);
    return kept;
}

static bool is_invalid_class(CXCursor decl) {
    enum CXCursorKind kind = clang_getCursorKind(decl);
    return (kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl || kind == CXCursor_UnionDecl) &&
           clang_isInvalidDeclaration(decl);
}

static enum CXChildVisitResult find_invalid_class(CXCursor cursor, CXCursor parent, CXClientData data) {
    bool *is_found = data;
    (void)parent;
    CXCursor named = clang_getCursorReferenced(cursor);
    *is_found = is_invalid_class(named);
    if (!*is_found && clang_getCursorKind(named) == CXCursor_VarDecl)
        *is_found = is_invalid_class(clang_getTypeDeclaration(clang_getCursorType(named)));
    return *is_found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* clang takes 1 for the size of a class with a member of unknown type. */
static bool names_invalid_class(CXCursor cursor) {
    bool is_found = false;
    clang_visitChildren(cursor, find_invalid_class, &is_found);
    return is_found;
}

bool cw_clang_evaluate(CXCursor cursor, int64_t *value) {
    CXEvalResult r = clang_Cursor_Evaluate(cursor);
    if (!r)
        return false;
    bool ok = clang_EvalResult_getKind(r) == CXEval_Int;
    if (ok)
        *value = clang_EvalResult_isUnsignedInt(r) ? (int64_t)clang_EvalResult_getAsUnsigned(r)
                                                   : (int64_t)clang_EvalResult_getAsLongLong(r);
    clang_EvalResult_dispose(r);
    return ok && !names_invalid_class(cursor) && !cw_clang_rests_on_made_up(cursor);
}

bool cw_clang_has_attr(struct cw_unit *unit, CXCursor decl, enum CXCursorKind kind) {
    bool is_template = clang_getCursorKind(decl) == CXCursor_FunctionTemplate; /* its function has them */
    if (!is_template && !clang_Cursor_hasAttrs(decl))
        return false;
    struct cw_kids kids = cw_clang_kids(unit, decl);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == kind)
            return true;
    return false;
}

bool cw_clang_is_parameter(CXCursor cursor) {
    return clang_getCursorKind(cursor) == CXCursor_ParmDecl &&
           clang_getCursorKind(clang_getCursorSemanticParent(cursor)) != CXCursor_UnexposedDecl;
}
