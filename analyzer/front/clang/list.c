/* Braced initialisers. libclang shows a list as it is written: braces around sub-objects may be missing, and the parts
 * that are not written are zero or take their default member initialisers. */
#include "front/clang/lower.h"

#include <string.h>

struct list {
    struct cw_body *b;
    struct cw_kids kids;
    uint32_t next;
    int depth;
};

static void list_into(struct cw_body *b, CXCursor e, cw_ref dest, CXType type, bool is_clear);

static void fill_aggregate(struct list *l, cw_ref at, CXType t);

static bool is_done(const struct list *list) {
    return list->next >= list->kids.n;
}

/* Whether the next written element stands for the whole sub-object, rather than for its first part. */
static bool stands_for_whole(struct list *list, CXType type) {
    CXCursor e = list->kids.at[list->next];
    CXCursor inner = cw_clang_peel(list->b->u, e);
    enum CXCursorKind k = clang_getCursorKind(inner);
    if (k == CXCursor_InitListExpr || k == CXCursor_LambdaExpr)
        return true;
    const struct cw_ctype *of = cw_clang_type(list->b->u, type);
    if (k == CXCursor_StringLiteral)
        return of->is_array && cw_clang_type(list->b->u, clang_getArrayElementType(of->canonical))->kind.type == CW_I8;
    return cw_clang_same_type(cw_clang_cursor_type(list->b->u, e), type);
}

/* A class that braces fill member by member; one with constructors is made by one of them. */
static bool is_aggregate(struct cw_unit *unit, CXType type) {
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(type));
    CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids kids = cw_clang_kids(unit, decl);
    if (!kids.n && !clang_Cursor_isNull(pattern))
        kids = cw_clang_kids(unit, pattern);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_Constructor && !clang_CXXMethod_isDefaulted(kids.at[i]))
            return false;
    return true;
}

static void fill_element(struct list *list, cw_ref at, CXType type) {
    const struct cw_ctype *c = cw_clang_type(list->b->u, type);
    if (c->shape == CW_SHAPE_OBJECT && !stands_for_whole(list, type)) {
        if (c->is_array || is_aggregate(list->b->u, type)) {
            fill_aggregate(list, at, type);
        } else { /* a conversion that libclang does not show */
            cw_ref v = cw_clang_operand(list->b, list->kids.at[list->next++]);
            cw_clang_forget(list->b, at, type, CW_BAIL_UNSUPPORTED_EXPR, &v, v.tag != CW_REF_NONE);
        }
        return;
    }
    CXCursor e = list->kids.at[list->next++];
    if (c->shape == CW_SHAPE_OBJECT && clang_getCursorKind(e) == CXCursor_InitListExpr)
        list_into(list->b, e, at, type, true);
    else
        cw_clang_init(list->b, e, at, type);
}

static bool is_designator(struct list *list) {
    struct cw_kids kids = cw_clang_kids(list->b->u, list->kids.at[list->next]);
    return clang_getCursorKind(list->kids.at[list->next]) == CXCursor_UnexposedExpr && kids.n >= 2;
}

/* `.x = 3` and `[2] = 3`: the index of the part it names, and its value. */
static bool read_designator(struct list *list, const struct cw_kids *fields, uint32_t *index, CXCursor *value) {
    struct cw_kids kids = cw_clang_kids(list->b->u, list->kids.at[list->next]);
    int64_t n;
    *value = kids.at[kids.n - 1];
    if (kids.n != 2)
        return false;
    if (!fields) {
        bool ok = cw_clang_evaluate(kids.at[0], &n) && n >= 0;
        *index = ok ? (uint32_t)n : 0;
        return ok;
    }
    CXCursor named = clang_getCursorReferenced(kids.at[0]);
    for (uint32_t i = 0; i < fields->n; i++)
        if (clang_equalCursors(fields->at[i], named)) {
            *index = i;
            return true;
        }
    return false;
}

static void give_up(struct list *list, cw_ref at) {
    cw_at_clobber(list->b->at, &list->b->u->scratch, at, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    list->next = list->kids.n;
}

static void fill_array(struct list *list, cw_ref at, CXType type) {
    CXType of = clang_getArrayElementType(clang_getCanonicalType(type));
    long long n = clang_getArraySize(clang_getCanonicalType(type));
    uint64_t size = cw_clang_type(list->b->u, of)->size;
    for (uint32_t i = 0; !is_done(list) && (n < 0 || i < n); i++) {
        CXCursor value;
        if (is_designator(list)) {
            if (!read_designator(list, NULL, &i, &value)) {
                give_up(list, at);
                return;
            }
            list->next++;
            cw_clang_init(list->b, value, cw_at_offset(list->b->at, at, i * size), of);
            continue;
        }
        fill_element(list, cw_at_offset(list->b->at, at, i * size), of);
    }
}

static cw_ref field_place(struct list *list, cw_ref at, CXCursor field) {
    long long bits = clang_Cursor_getOffsetOfField(field);
    return cw_at_offset(list->b->at, at, bits > 0 ? (uint64_t)bits / 8 : 0);
}

static void default_fields(struct list *list, cw_ref at, const struct cw_kids *fields) {
    for (uint32_t i = 0; i < fields->n; i++) {
        CXCursor init;
        if (cw_clang_field_init(list->b->u, fields->at[i], &init))
            cw_clang_init(list->b, init, field_place(list, at, fields->at[i]),
                          cw_clang_cursor_type(list->b->u, fields->at[i]));
    }
}

static void fill_bases(struct list *list, cw_ref at, CXType type) {
    struct cw_kids bases = cw_clang_bases(list->b->u, type);
    for (uint32_t i = 0; i < bases.n && !is_done(list); i++) {
        CXType base = clang_getCanonicalType(cw_clang_cursor_type(list->b->u, bases.at[i]));
        uint64_t offset;
        if (!cw_clang_base_offset(list->b->u, type, base, &offset)) {
            give_up(list, at);
            return;
        }
        fill_element(list, cw_at_offset(list->b->at, at, offset), base);
    }
}

static void fill_record(struct list *list, cw_ref at, CXType type) {
    struct cw_kids fields = cw_clang_fields(list->b->u, type);
    bool is_union = clang_getCursorKind(clang_getTypeDeclaration(clang_getCanonicalType(type))) == CXCursor_UnionDecl;
    uint32_t i = 0;
    fill_bases(list, at, type);
    for (; !is_done(list) && i < fields.n; i++) {
        CXCursor value;
        if (clang_Cursor_isBitField(fields.at[i])) {
            cw_clang_operand(list->b, list->kids.at[list->next++]);
            cw_at_clobber(list->b->at, &list->b->u->scratch, field_place(list, at, fields.at[i]),
                          CW_BAIL_UNION_OR_BITFIELD, NULL, 0);
        } else if (!is_designator(list)) {
            fill_element(list, field_place(list, at, fields.at[i]), cw_clang_cursor_type(list->b->u, fields.at[i]));
        } else if (read_designator(list, &fields, &i, &value)) {
            list->next++;
            cw_clang_init(list->b, value, field_place(list, at, fields.at[i]),
                          cw_clang_cursor_type(list->b->u, fields.at[i]));
        } else {
            give_up(list, at);
        }
        if (is_union)
            return;
    }
}

static void fill_aggregate(struct list *list, cw_ref at, CXType type) {
    const struct cw_ctype *c = cw_clang_type(list->b->u, type);
    uint32_t before = list->next;
    if (++list->depth > 32)
        give_up(list, at);
    else if (c->is_array)
        fill_array(list, at, type);
    else if (clang_getCanonicalType(type).kind == CXType_Record)
        fill_record(list, at, type);
    if (list->next == before && !is_done(list))
        give_up(list, at);
    list->depth--;
}

/* True when the list writes every scalar of the object, so that nothing needs clearing first. */
static bool is_complete(struct cw_body *body, const struct list *list, CXType type) {
    const struct cw_leaves *leaves = cw_clang_leaves(body->u, type);
    if (!leaves->is_split || leaves->n != list->kids.n)
        return false;
    for (uint32_t i = 0; i < list->kids.n; i++)
        if (cw_clang_type_of(body->u, list->kids.at[i])->shape != CW_SHAPE_SCALAR)
            return false;
    return true;
}

/* is_clear: the object's bytes are zero already. */
static void list_into(struct cw_body *body, CXCursor cursor, cw_ref dest, CXType type, bool is_clear) {
    struct list l = {.b = body, .kids = cw_clang_kids(body->u, cursor)};
    CXType t = clang_getCanonicalType(type);
    if (l.kids.n == 1 && clang_isExpression(clang_getCursorKind(l.kids.at[0])) && stands_for_whole(&l, t) &&
        clang_getCursorKind(cw_clang_peel(body->u, l.kids.at[0])) != CXCursor_InitListExpr) {
        cw_clang_into(body, l.kids.at[0], dest);
        return;
    }
    if (t.kind != CXType_Record && !cw_clang_type(body->u, t)->is_array) {
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
        return;
    }
    if (!is_clear && !is_complete(body, &l, t))
        cw_clang_zero(body, dest, t);
    if (t.kind == CXType_Record) {
        struct cw_kids fields = cw_clang_fields(body->u, t);
        default_fields(&l, dest, &fields);
    }
    fill_aggregate(&l, dest, t);
}

void cw_clang_list(struct cw_body *body, CXCursor cursor, cw_ref dest, CXType type) {
    list_into(body, cursor, dest, type, false);
}

void cw_clang_list_element(struct cw_body *body, CXCursor cursor, cw_ref dest, CXType type) {
    struct list l = {.b = body, .kids = {.at = &cursor, .n = 1}};
    fill_element(&l, dest, type);
}
