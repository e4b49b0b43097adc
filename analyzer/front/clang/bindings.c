/* Structured bindings, and the destructors that declarations imply. */
#include "front/clang/lower.h"

#include <string.h>

static bool has_destructor(struct cw_unit *u, CXType t, int depth);

static bool parts_have_destructor(struct cw_unit *unit, CXType type, int depth) {
    struct cw_kids fields = cw_clang_fields(unit, type), bases = cw_clang_bases(unit, type);
    for (uint32_t i = 0; i < fields.n; i++)
        if (has_destructor(unit, clang_getCursorType(fields.at[i]), depth + 1))
            return true;
    for (uint32_t i = 0; i < bases.n; i++)
        if (has_destructor(unit, clang_getCursorType(bases.at[i]), depth + 1))
            return true;
    return false;
}

static bool own_destructor(struct cw_unit *unit, CXType type) {
    CXCursor decl = clang_getTypeDeclaration(type), pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids kids = cw_clang_kids(unit, decl);
    if (!kids.n && !clang_Cursor_isNull(pattern))
        kids = cw_clang_kids(unit, pattern);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_Destructor && !clang_CXXMethod_isDefaulted(kids.at[i]))
            return true;
    return false;
}

static bool has_destructor(struct cw_unit *unit, CXType type, int depth) {
    CXType t = clang_getUnqualifiedType(clang_getCanonicalType(type));
    uint64_t found, key = (uint64_t)(uintptr_t)t.data[0];
    while (cw_clang_type(unit, t)->is_array)
        t = clang_getCanonicalType(clang_getArrayElementType(t));
    if (t.kind != CXType_Record || depth > 16)
        return false;
    if (cw_map_get(&unit->destructors, key, &found))
        return found == 2;
    bool has = own_destructor(unit, t) || parts_have_destructor(unit, t, depth);
    cw_map_put(&unit->destructors, key, has ? 2 : 1);
    return has;
}

/* Destructors are not run; one that does something is counted, since its effects are missing. */
void cw_clang_note_destructor(struct cw_body *body, CXType type) {
    if (cw_clang_type(body->u, type)->shape == CW_SHAPE_OBJECT && has_destructor(body->u, type, 0))
        cw_clang_bail(body, CW_BAIL_UNSUPPORTED_STMT);
}

/* ---- structured bindings: [names…], initialiser ---- */

static void bind_part(struct cw_body *body, CXCursor name, cw_ref at, CXType t) {
    const struct cw_ctype *c = cw_clang_type(body->u, t);
    if (c->is_reference)
        cw_clang_bind(body, name, cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, at), clang_getPointeeType(c->canonical));
    else
        cw_clang_bind(body, name, at, t);
}

static void bind_field(struct cw_body *body, CXCursor name, cw_ref whole, CXCursor field) {
    long long bits = clang_Cursor_getOffsetOfField(field);
    bind_part(body, name, cw_at_offset(body->at, whole, bits > 0 ? (uint64_t)bits / 8 : 0),
              cw_clang_cursor_type(body->u, field));
}

/* The object whose parts get names: the initialiser itself for a reference, else a copy. */
static cw_ref bound_object(struct cw_body *body, CXCursor decl, CXCursor init, CXType *type) {
    *type = clang_getCanonicalType(cw_clang_cursor_type(body->u, decl));
    if (cw_clang_type(body->u, *type)->is_reference) {
        *type = clang_getCanonicalType(clang_getPointeeType(*type));
        return cw_clang_addr(body, init);
    }
    cw_ref at = cw_clang_temp(body, *type, cw_clang_text(body->u, clang_getCursorSpelling(decl)));
    struct cw_kids kids = cw_clang_kids(body->u, init);
    if (!cw_clang_type(body->u, *type)->is_array)
        cw_clang_init(body, init, at, *type);
    else if (kids.n && cw_clang_is_glvalue(body, kids.at[0])) /* an array is copied element by element */
        cw_clang_copy(body, at, cw_clang_addr(body, kids.at[0]), *type);
    else
        cw_at_clobber(body->at, &body->u->scratch, at, CW_BAIL_UNSUPPORTED_STMT, NULL, 0);
    return at;
}

static bool is_tuple(struct cw_unit *unit, CXType type) {
    CXCursor decl = clang_getTypeDeclaration(type), space = clang_getCursorSemanticParent(decl);
    return strcmp(cw_clang_text(unit, clang_getCursorSpelling(decl)), "tuple") == 0 &&
           clang_getCursorKind(space) == CXCursor_Namespace &&
           strcmp(cw_clang_text(unit, clang_getCursorSpelling(space)), "std") == 0;
}

/* The shim's std::tuple holds its last element at its beginning, and each other one after those behind it: the classes
 * are one another's only base. The first one's place is asked of the parser, which knows it. */
static bool find_elements(struct cw_body *body, CXType type, uint64_t *offsets, uint32_t n) {
    struct cw_kids fields = cw_clang_fields(body->u, type);
    uint64_t end = 0, first;
    for (uint32_t k = n; k-- > 0;) {
        const struct cw_ctype *c = cw_clang_type(body->u, clang_Type_getTemplateArgumentAsType(type, k));
        uint64_t size = c->is_reference ? 8 : c->size, align = c->is_reference ? 8 : c->align;
        if (!size || !align)
            return false;
        offsets[k] = (end + align - 1) / align * align;
        end = offsets[k] + size;
    }
    return fields.n == 1 && cw_clang_field_offset(body->u, type, fields.at[0], &first) && first == offsets[0];
}

static bool bind_tuple(struct cw_body *body, struct cw_kids names, uint32_t n, cw_ref whole, CXType type) {
    uint64_t *offsets = CW_NEW_ARRAY(&body->u->scratch, uint64_t, n);
    if (!is_tuple(body->u, type) || clang_Type_getNumTemplateArguments(type) != (int)n ||
        !find_elements(body, type, offsets, n))
        return false;
    for (uint32_t k = 0; k < n; k++)
        bind_part(body, names.at[k], cw_at_offset(body->at, whole, offsets[k]),
                  clang_Type_getTemplateArgumentAsType(type, k));
    return true;
}

void cw_clang_binding(struct cw_body *body, CXCursor decl) {
    struct cw_kids kids = cw_clang_kids(body->u, decl);
    uint32_t n = 0;
    CXType t;
    while (n < kids.n && clang_getCursorKind(kids.at[n]) == CXCursor_UnexposedDecl)
        n++;
    if (!n || n == kids.n || !clang_isExpression(clang_getCursorKind(kids.at[n]))) {
        cw_clang_bail(body, CW_BAIL_UNSUPPORTED_STMT);
        return;
    }
    cw_ref whole = bound_object(body, decl, kids.at[n], &t);
    struct cw_kids fields = t.kind == CXType_Record ? cw_clang_fields(body->u, t) : (struct cw_kids){NULL, 0};
    if (cw_clang_type(body->u, t)->is_array && clang_getArraySize(t) == (long long)n) {
        CXType of = clang_getArrayElementType(t);
        for (uint32_t i = 0; i < n; i++)
            cw_clang_bind(body, kids.at[i], cw_at_offset(body->at, whole, i * cw_clang_type(body->u, of)->size), of);
    } else if (fields.n == n && !cw_clang_bases(body->u, t).n) {
        for (uint32_t i = 0; i < n; i++)
            bind_field(body, kids.at[i], whole, fields.at[i]);
    } else if (t.kind != CXType_Record || !bind_tuple(body, kids, n, whole, t)) {
        cw_clang_bail(body, CW_BAIL_UNSUPPORTED_STMT);
    }
}
