/* Lambdas: an object with one field per capture. The body is the closure class's operator(), lowered when it is called;
 * there a captured variable still goes by its own name, so the closure's table says which field it is. */
#include "front/clang/lower.h"

static bool captures_this(struct cw_body *b, CXCursor init) {
    if (clang_getCursorKind(init) == CXCursor_UnaryOperator && cw_clang_kids(b->u, init).n == 1)
        init = cw_clang_peel(b->u, cw_clang_kids(b->u, init).at[0]); /* [*this] */
    else if (clang_getCursorKind(init) == CXCursor_CallExpr && clang_Cursor_getNumArguments(init) == 1)
        return captures_this(b, cw_clang_peel(b->u, clang_Cursor_getArgument(init, 0)));
    return clang_getCursorKind(init) == CXCursor_CXXThisExpr;
}

/* Children of a LambdaExpr: explicitly captured variables by name, the initialiser of every capture in the order of the
 * fields, parameters, body. */
static struct cw_closure *captures(struct cw_body *b, CXCursor e, CXType t, struct cw_kids *inits) {
    struct cw_kids kids = cw_clang_kids(b->u, e), fields = cw_clang_fields(b->u, t);
    struct cw_closure *c = CW_NEW(&b->u->scratch, struct cw_closure);
    uint32_t names = 0, i = 0;
    c->this_type = b->this_type;
    while (names < kids.n && clang_getCursorKind(kids.at[names]) == CXCursor_VariableRef)
        names++;
    inits->at = kids.at + names;
    inits->n = names + fields.n <= kids.n ? fields.n : 0;
    c->at = CW_NEW_ARRAY(&b->u->scratch, struct cw_capture, fields.n);
    for (uint32_t k = 0; k < inits->n; k++) {
        CXCursor init = cw_clang_peel(b->u, inits->at[k]);
        uint64_t id;
        if (captures_this(b, init))
            id = CW_CAPTURED_THIS;
        else if (i < names)
            id = cw_clang_id(clang_getCursorReferenced(kids.at[i++]));
        else
            id = cw_clang_id(clang_getCursorReferenced(init));
        c->at[c->n++] = (struct cw_capture){id, fields.at[k]};
    }
    return c;
}

static void capture_value(struct cw_body *b, CXCursor init, cw_ref dest, CXType field) {
    const struct cw_ctype *t = cw_clang_type(b->u, field);
    if (t->is_reference) {
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 8, cw_clang_addr(b, init), dest);
    } else if (t->is_array) {
        cw_clang_copy(b, dest, cw_clang_addr(b, init), field);
    } else {
        cw_clang_init(b, init, dest, field);
    }
}

void cw_clang_lambda(struct cw_body *b, CXCursor e, cw_ref dest) {
    CXType t = clang_getCursorType(e);
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(t));
    struct cw_kids inits;
    struct cw_closure *c = captures(b, e, t, &inits);
    cw_map_put(&b->u->closures, cw_clang_id(decl), (uint64_t)(uintptr_t)c);
    if (!c->n && cw_clang_fields(b->u, t).n)
        cw_clang_clobber(b, dest, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    for (uint32_t i = 0; i < c->n; i++) {
        long long bits = clang_Cursor_getOffsetOfField(c->at[i].field);
        if (bits >= 0)
            capture_value(b, inits.at[i], cw_clang_offset(b, dest, (uint64_t)bits / 8),
                          clang_getCursorType(c->at[i].field));
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
