/* Lambdas: an object with one field per capture. The body is the closure class's operator(), lowered when it is called;
 * there a captured variable still goes by its own name, so the closure's table says which field it is. */
#include "front/clang/lower.h"

/* Which variable a field of the closure holds. libclang shows neither the initialisers of captures by reference nor
 * what [&] and [=] capture, but a field stands where its variable was named: in the capture list, or at its first use.
 */
struct naming {
    struct cw_body *b;
    CXSourceLocation at;
    CXCursor found;
    uint32_t depth;
};

static bool is_variable(CXCursor c) {
    enum CXCursorKind k = clang_getCursorKind(c);
    return k == CXCursor_VarDecl || k == CXCursor_ParmDecl;
}

static enum CXChildVisitResult find_name(CXCursor c, CXCursor parent, CXClientData data) {
    struct naming *n = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    (void)parent;
    if ((k == CXCursor_DeclRefExpr || k == CXCursor_VariableRef) &&
        clang_equalLocations(clang_getCursorLocation(c), n->at) && is_variable(clang_getCursorReferenced(c))) {
        n->found = clang_getCursorReferenced(c);
        return CXChildVisit_Break;
    }
    if (n->depth < CW_MAX_DEPTH) {
        n->depth++;
        clang_visitChildren(c, find_name, n);
        n->depth--;
    }
    return clang_Cursor_isNull(n->found) ? CXChildVisit_Continue : CXChildVisit_Break;
}

static struct cw_closure *captures(struct cw_body *b, CXCursor e, CXType t) {
    struct cw_kids fields = cw_clang_fields(b->u, t);
    struct cw_closure *c = CW_NEW(&b->u->scratch, struct cw_closure);
    c->this_type = b->this_type;
    c->at = CW_NEW_ARRAY(&b->u->scratch, struct cw_capture, fields.n);
    for (uint32_t i = 0; i < fields.n; i++) {
        struct naming n = {b, clang_getCursorLocation(fields.at[i]), clang_getNullCursor(), 0};
        clang_visitChildren(e, find_name, &n);
        bool is_this = clang_Cursor_isNull(n.found);
        c->at[c->n++] = (struct cw_capture){is_this ? CW_CAPTURED_THIS : cw_clang_id(n.found), fields.at[i], n.found};
    }
    return c;
}

static void capture_this(struct cw_body *b, cw_ref dest, CXType field) {
    cw_ref value = cw_clang_this(b);
    if (cw_clang_type(b->u, field)->kind.type == CW_PTR)
        cw_clang_store(b, value, dest, field);
    else if (cw_clang_same_type(field, b->this_type))
        cw_clang_copy(b, dest, value, field);
    else
        cw_clang_clobber(b, dest, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
}

static void capture_variable(struct cw_body *b, const struct cw_capture *c, cw_ref dest, CXType field) {
    const struct cw_ctype *t = cw_clang_type(b->u, field);
    CXCursor init = clang_Cursor_getVarDeclInitializer(c->variable);
    cw_ref at = cw_clang_var_addr(b, c->variable);
    if (at.tag == CW_REF_NONE && !clang_Cursor_isNull(init)) { /* [x = …] */
        cw_clang_init(b, init, dest, field);
    } else if (at.tag == CW_REF_NONE) {
        cw_clang_clobber(b, dest, CW_BAIL_UNRESOLVED_NAME, NULL, 0);
    } else if (t->is_reference) {
        cw_clang_store(b, at, dest, field);
    } else if (t->shape == CW_SHAPE_OBJECT) {
        cw_clang_copy(b, dest, at, field);
    } else {
        cw_clang_store(b, cw_clang_load(b, at, field), dest, field);
    }
}

void cw_clang_lambda(struct cw_body *b, CXCursor e, cw_ref dest) {
    CXType t = cw_clang_cursor_type(b->u, e);
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(t));
    struct cw_closure *c = captures(b, e, t);
    cw_map_put(&b->u->closures, cw_clang_id(decl), (uint64_t)(uintptr_t)c);
    for (uint32_t i = 0; i < c->n; i++) {
        long long bits = clang_Cursor_getOffsetOfField(c->at[i].field);
        CXType field = cw_clang_cursor_type(b->u, c->at[i].field);
        cw_ref at = cw_clang_offset(b, dest, bits > 0 ? (uint64_t)bits / 8 : 0);
        if (bits < 0)
            cw_clang_clobber(b, dest, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
        else if (c->at[i].decl == CW_CAPTURED_THIS)
            capture_this(b, at, field);
        else
            capture_variable(b, &c->at[i], at, field);
    }
}

/* The place of a captured variable in the lambda's body; CW_NONE when it is not one. */
cw_ref cw_clang_lambda_capture(struct cw_body *b, uint64_t decl) {
    if (!b->closure)
        return CW_NONE;
    for (uint32_t i = 0; i < b->closure->n; i++) {
        if (b->closure->at[i].decl != decl)
            continue;
        long long bits = clang_Cursor_getOffsetOfField(b->closure->at[i].field);
        cw_ref at = cw_clang_offset(b, b->this_ptr, bits > 0 ? (uint64_t)bits / 8 : 0);
        bool is_reference = cw_clang_type_of(b->u, b->closure->at[i].field)->is_reference;
        return is_reference ? cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, at) : at;
    }
    return CW_NONE;
}

/* `this` of the source; inside a lambda, the captured one. */
cw_ref cw_clang_this(struct cw_body *b) {
    cw_ref captured = cw_clang_lambda_capture(b, CW_CAPTURED_THIS);
    if (captured.tag != CW_REF_NONE) {
        for (uint32_t i = 0; i < b->closure->n; i++)
            if (b->closure->at[i].decl == CW_CAPTURED_THIS &&
                cw_clang_type_of(b->u, b->closure->at[i].field)->kind.type == CW_PTR)
                return cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, captured);
        return captured;
    }
    if (b->this_ptr.tag != CW_REF_NONE && !b->is_lambda)
        return b->this_ptr;
    return cw_emit_opaque(b->at, CW_PTR, CW_BAIL_BROKEN_CODE, NULL, 0);
}
