/* Structured bindings, and the destructors that declarations imply. */
#include "front/clang/lower.h"

static bool has_destructor(struct cw_unit *u, CXType t, int depth);

static bool parts_have_destructor(struct cw_unit *u, CXType t, int depth) {
    struct cw_kids fields = cw_clang_fields(u, t), bases = cw_clang_bases(u, t);
    for (uint32_t i = 0; i < fields.n; i++)
        if (has_destructor(u, clang_getCursorType(fields.at[i]), depth + 1))
            return true;
    for (uint32_t i = 0; i < bases.n; i++)
        if (has_destructor(u, clang_getCursorType(bases.at[i]), depth + 1))
            return true;
    return false;
}

static bool own_destructor(struct cw_unit *u, CXType t) {
    CXCursor decl = clang_getTypeDeclaration(t), pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids kids = cw_clang_kids(u, decl);
    if (!kids.n && !clang_Cursor_isNull(pattern))
        kids = cw_clang_kids(u, pattern);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_Destructor && !clang_CXXMethod_isDefaulted(kids.at[i]))
            return true;
    return false;
}

static bool has_destructor(struct cw_unit *u, CXType type, int depth) {
    CXType t = clang_getUnqualifiedType(clang_getCanonicalType(type));
    uint64_t found, key = (uint64_t)(uintptr_t)t.data[0];
    while (cw_clang_type(u, t)->is_array)
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    if (t.kind != CXType_Record || depth > 16)
        return false;
    if (cw_map_get(&u->destructors, key, &found))
        return found == 2;
    bool has = own_destructor(u, t) || parts_have_destructor(u, t, depth);
    cw_map_put(&u->destructors, key, has ? 2 : 1);
    return has;
}

/* Destructors are not run; one that does something is counted, since its effects are missing. */
void cw_clang_note_destructor(struct cw_body *b, CXType t) {
    if (cw_clang_type(b->u, t)->shape == CW_SHAPE_OBJECT && has_destructor(b->u, t, 0))
        cw_clang_bail(b, CW_BAIL_UNSUPPORTED_STMT);
}

/* ---- structured bindings: [names…], initialiser ---- */

static void bind_field(struct cw_body *b, CXCursor name, cw_ref whole, CXCursor field) {
    CXType t = cw_clang_cursor_type(b->u, field);
    const struct cw_ctype *c = cw_clang_type(b->u, t);
    long long bits = clang_Cursor_getOffsetOfField(field);
    cw_ref at = cw_clang_offset(b, whole, bits > 0 ? (uint64_t)bits / 8 : 0);
    if (c->is_reference)
        cw_clang_bind(b, name, cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, at), clang_getPointeeType(c->canonical));
    else
        cw_clang_bind(b, name, at, t);
}

/* The object whose parts get names: the initialiser itself for a reference, else a copy. */
static cw_ref bound_object(struct cw_body *b, CXCursor decl, CXCursor init, CXType *t) {
    *t = clang_getCanonicalType(cw_clang_cursor_type(b->u, decl));
    if (cw_clang_type(b->u, *t)->is_reference) {
        *t = clang_getCanonicalType(clang_getPointeeType(*t));
        return cw_clang_addr(b, init);
    }
    cw_ref at = cw_clang_temp(b, *t, cw_clang_text(b->u, clang_getCursorSpelling(decl)));
    struct cw_kids kids = cw_clang_kids(b->u, init);
    if (!cw_clang_type(b->u, *t)->is_array)
        cw_clang_init(b, init, at, *t);
    else if (kids.n && cw_clang_is_glvalue(b, kids.at[0])) /* an array is copied element by element */
        cw_clang_copy(b, at, cw_clang_addr(b, kids.at[0]), *t);
    else
        cw_clang_clobber(b, at, CW_BAIL_UNSUPPORTED_STMT, NULL, 0);
    return at;
}

void cw_clang_binding(struct cw_body *b, CXCursor decl) {
    struct cw_kids kids = cw_clang_kids(b->u, decl);
    uint32_t n = 0;
    CXType t;
    while (n < kids.n && clang_getCursorKind(kids.at[n]) == CXCursor_UnexposedDecl)
        n++;
    if (!n || n == kids.n || !clang_isExpression(clang_getCursorKind(kids.at[n]))) {
        cw_clang_bail(b, CW_BAIL_UNSUPPORTED_STMT);
        return;
    }
    cw_ref whole = bound_object(b, decl, kids.at[n], &t);
    struct cw_kids fields = t.kind == CXType_Record ? cw_clang_fields(b->u, t) : (struct cw_kids){NULL, 0};
    if (cw_clang_type(b->u, t)->is_array && clang_getArraySize(t) == (long long)n) {
        CXType of = clang_getArrayElementType(t);
        for (uint32_t i = 0; i < n; i++)
            cw_clang_bind(b, kids.at[i], cw_clang_offset(b, whole, i * cw_clang_type(b->u, of)->size), of);
    } else if (fields.n == n && !cw_clang_bases(b->u, t).n) {
        for (uint32_t i = 0; i < n; i++)
            bind_field(b, kids.at[i], whole, fields.at[i]);
    } else {
        cw_clang_bail(b, CW_BAIL_UNSUPPORTED_STMT);
    }
}
