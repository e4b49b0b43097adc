/* Small questions to libclang. Visiting is the cost of this front end: every child list is collected once, into the
 * unit's scratch arena. */
#include "front/clang/lower.h"

#include <string.h>

static enum CXChildVisitResult collect(CXCursor c, CXCursor parent, CXClientData data) {
    struct cw_unit *u = data;
    (void)parent;
    cw_vec_push(&u->scratch, &u->collected, c);
    return CXChildVisit_Continue;
}

struct cw_known_expr *cw_clang_known(struct cw_unit *u, CXCursor c) {
    uint64_t id = clang_isExpression(clang_getCursorKind(c)) ? cw_clang_stmt_id(c) : 0;
    struct cw_known_expr *known = &u->exprs[(id >> 4 ^ id >> 13) % CW_EXPRS_KEPT];
    if (!id)
        return NULL;
    if (known->id != id)
        *known = (struct cw_known_expr){.id = id};
    return known;
}

struct cw_kids cw_clang_kids(struct cw_unit *u, CXCursor c) {
    struct cw_known_expr *known = cw_clang_known(u, c);
    if (known && known->has_kids)
        return known->kids;
    u->collected.n = 0; /* most have one child or two: less than what a list begins with */
    clang_visitChildren(c, collect, u);
    struct cw_kids kids = {NULL, u->collected.n};
    if (kids.n) {
        kids.at = CW_NEW_ARRAY(&u->scratch, CXCursor, kids.n);
        memcpy(kids.at, u->collected.at, kids.n * sizeof *kids.at);
    }
    if (known) {
        known->kids = kids;
        known->has_kids = true;
    }
    return kids;
}

CXCursor cw_clang_peel(struct cw_unit *u, CXCursor e) {
    for (int i = 0; i < CW_MAX_DEPTH; i++) {
        enum CXCursorKind k = clang_getCursorKind(e);
        if (k != CXCursor_UnexposedExpr && k != CXCursor_ParenExpr)
            return e;
        struct cw_kids kids = cw_clang_kids(u, e);
        if (kids.n != 1)
            return e;
        e = kids.at[0];
    }
    return e;
}

uint64_t cw_clang_id(CXCursor decl) {
    return (uint64_t)(uintptr_t)decl.data[0];
}

uint64_t cw_clang_stmt_id(CXCursor stmt) {
    return (uint64_t)(uintptr_t)stmt.data[1];
}

const char *cw_clang_text(struct cw_unit *u, CXString s) {
    const char *text = clang_getCString(s);
    const char *kept = cw_intern(&u->module->names, text ? text : "");
    clang_disposeString(s);
    return kept;
}

bool cw_clang_evaluate(CXCursor e, int64_t *value) {
    CXEvalResult r = clang_Cursor_Evaluate(e);
    if (!r)
        return false;
    bool ok = clang_EvalResult_getKind(r) == CXEval_Int;
    if (ok)
        *value = clang_EvalResult_isUnsignedInt(r) ? (int64_t)clang_EvalResult_getAsUnsigned(r)
                                                   : (int64_t)clang_EvalResult_getAsLongLong(r);
    clang_EvalResult_dispose(r);
    return ok;
}

bool cw_clang_has_attr(struct cw_unit *u, CXCursor decl, enum CXCursorKind kind) {
    bool is_template = clang_getCursorKind(decl) == CXCursor_FunctionTemplate; /* its function has them */
    if (!is_template && !clang_Cursor_hasAttrs(decl))
        return false;
    struct cw_kids kids = cw_clang_kids(u, decl);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == kind)
            return true;
    return false;
}
