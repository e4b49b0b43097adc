/* Lambdas: an object with one field per capture. The body is the closure class's operator(), lowered when it is called;
 * there a captured variable still goes by its own name, so the closure's table says which field it is. */
#include "front/clang/lower.h"

#include <string.h>

/* Which variables the fields of the closure hold. libclang shows neither the initialisers of captures by reference nor
 * what [&] and [=] capture, but a field stands where its variable was named: in the capture list, or at its first use.
 * All fields are looked for at once, for a lambda may be large, and hold others. */
struct naming {
    struct cw_capture *at;
    CXSourceLocation *places;
    uint32_t n, missing, depth;
};

static bool is_variable(CXCursor cursor) {
    enum CXCursorKind k = clang_getCursorKind(cursor);
    return k == CXCursor_VarDecl || k == CXCursor_ParmDecl;
}

static void name_fields(struct naming *naming, CXCursor name) {
    CXSourceLocation place = clang_getCursorLocation(name);
    for (uint32_t i = 0; i < naming->n; i++) {
        if (!clang_Cursor_isNull(naming->at[i].variable) || !clang_equalLocations(place, naming->places[i]))
            continue;
        CXCursor to = clang_getCursorReferenced(name);
        if (!is_variable(to))
            return;
        naming->at[i].variable = to;
        naming->at[i].decl = cw_clang_id(to);
        naming->missing--;
    }
}

static enum CXChildVisitResult find_names(CXCursor cursor, CXCursor parent, CXClientData data) {
    struct naming *n = data;
    enum CXCursorKind k = clang_getCursorKind(cursor);
    (void)parent;
    if (k == CXCursor_DeclRefExpr || k == CXCursor_VariableRef)
        name_fields(n, cursor);
    if (n->missing && n->depth < CW_MAX_DEPTH) {
        n->depth++;
        clang_visitChildren(cursor, find_names, n);
        n->depth--;
    }
    return n->missing ? CXChildVisit_Continue : CXChildVisit_Break;
}

static struct cw_closure *make_closure(struct cw_body *body, CXCursor cursor, CXType type) {
    struct cw_kids fields = cw_clang_fields(body->u, type);
    struct cw_closure *c = CW_NEW(&body->u->scratch, struct cw_closure);
    c->this_type = body->this_type;
    c->at = CW_NEW_ARRAY(&body->u->scratch, struct cw_capture, fields.n);
    c->n = fields.n;
    struct naming n = {.at = c->at,
                       .places = CW_NEW_ARRAY(&body->u->scratch, CXSourceLocation, fields.n),
                       .n = fields.n,
                       .missing = fields.n};
    for (uint32_t i = 0; i < fields.n; i++) {
        n.places[i] = clang_getCursorLocation(fields.at[i]);
        c->at[i] = (struct cw_capture){CW_CAPTURED_THIS, fields.at[i], clang_getNullCursor()};
    }
    if (fields.n)
        clang_visitChildren(cursor, find_names, &n);
    return c;
}

static void capture_this(struct cw_body *body, cw_ref dest, CXType field) {
    cw_ref value = cw_clang_this(body);
    if (cw_clang_type(body->u, field)->kind.type == CW_PTR)
        cw_clang_store(body, value, dest, field);
    else if (cw_clang_same_type(field, body->this_type))
        cw_clang_copy(body, dest, value, field);
    else
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
}

static void capture_variable(struct cw_body *body, const struct cw_capture *capture, cw_ref dest, CXType field) {
    const struct cw_ctype *t = cw_clang_type(body->u, field);
    CXCursor init = clang_Cursor_getVarDeclInitializer(capture->variable);
    cw_ref at = cw_clang_var_addr(body, capture->variable);
    if (at.tag == CW_REF_NONE && !clang_Cursor_isNull(init)) { /* [x = …] */
        cw_clang_init(body, init, dest, field);
    } else if (at.tag == CW_REF_NONE) {
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNRESOLVED_NAME, NULL, 0);
    } else if (t->is_reference) {
        cw_clang_store(body, at, dest, field);
    } else if (t->shape == CW_SHAPE_OBJECT) {
        cw_clang_copy(body, dest, at, field);
    } else {
        cw_clang_store(body, cw_clang_load(body, at, field), dest, field);
    }
}

void cw_clang_lambda(struct cw_body *body, CXCursor cursor, cw_ref dest) {
    CXType t = cw_clang_cursor_type(body->u, cursor);
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(t));
    struct cw_closure *c = make_closure(body, cursor, t);
    cw_map_put(&body->u->closures, cw_clang_id(decl), (uint64_t)(uintptr_t)c);
    for (uint32_t i = 0; i < c->n; i++) {
        long long bits = clang_Cursor_getOffsetOfField(c->at[i].field);
        CXType field = cw_clang_cursor_type(body->u, c->at[i].field);
        cw_ref at = cw_at_offset(body->at, dest, bits > 0 ? (uint64_t)bits / 8 : 0);
        if (bits < 0)
            cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
        else if (c->at[i].decl == CW_CAPTURED_THIS)
            capture_this(body, at, field);
        else
            capture_variable(body, &c->at[i], at, field);
    }
    cw_clang_lambda_in_pattern(body, cursor);
}

bool cw_clang_is_lambda(struct cw_unit *unit, const struct cw_callee *callee) {
    CXCursor parent = clang_getCursorSemanticParent(callee->decl);
    const char *name = callee->is_method ? cw_clang_text(unit, clang_getTypeSpelling(clang_getCursorType(parent))) : "";
    return strncmp(name, "(lambda", 7) == 0; /* not `keeper<(lambda at …)>` */
}

const struct cw_closure *cw_clang_closure_of(const struct cw_unit *unit, CXCursor class) {
    uint64_t found;
    return cw_map_get(&unit->closures, cw_clang_id(class), &found) ? (const struct cw_closure *)(uintptr_t)found : NULL;
}

/* The place of a captured variable in the lambda's body; CW_NONE when it is not one. */
cw_ref cw_clang_lambda_capture(struct cw_body *body, uint64_t decl) {
    if (!body->closure)
        return CW_NONE;
    for (uint32_t i = 0; i < body->closure->n; i++) {
        if (body->closure->at[i].decl != decl)
            continue;
        long long bits = clang_Cursor_getOffsetOfField(body->closure->at[i].field);
        cw_ref at = cw_at_offset(body->at, body->this_ptr, bits > 0 ? (uint64_t)bits / 8 : 0);
        bool is_reference = cw_clang_type_of(body->u, body->closure->at[i].field)->is_reference;
        return is_reference ? cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, at) : at;
    }
    return CW_NONE;
}

/* `this` of the source; inside a lambda, the captured one. */
cw_ref cw_clang_this(struct cw_body *body) {
    cw_ref captured = cw_clang_lambda_capture(body, CW_CAPTURED_THIS);
    if (captured.tag != CW_REF_NONE) {
        for (uint32_t i = 0; i < body->closure->n; i++)
            if (body->closure->at[i].decl == CW_CAPTURED_THIS &&
                cw_clang_type_of(body->u, body->closure->at[i].field)->kind.type == CW_PTR)
                return cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, captured);
        return captured;
    }
    if (body->this_ptr.tag != CW_REF_NONE && !body->is_lambda)
        return body->this_ptr;
    return cw_emit_opaque(body->at, CW_PTR, CW_BAIL_BROKEN_CODE, NULL, 0);
}
