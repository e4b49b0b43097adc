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

static void fill(struct list *l, cw_ref at, CXType t);

static bool is_done(const struct list *l) {
    return l->next >= l->kids.n;
}

/* Whether the next written element stands for the whole sub-object, rather than for its first part. */
static bool stands_for_whole(struct list *l, CXType t) {
    CXCursor e = l->kids.at[l->next];
    CXCursor inner = cw_clang_peel(l->b->u, e);
    enum CXCursorKind k = clang_getCursorKind(inner);
    if (k == CXCursor_InitListExpr || k == CXCursor_LambdaExpr)
        return true;
    const struct cw_ctype *of = cw_clang_type(l->b->u, t);
    if (k == CXCursor_StringLiteral)
        return of->is_array && cw_clang_type(l->b->u, clang_getArrayElementType(of->canonical))->kind.type == CW_I8;
    return cw_clang_same_type(cw_clang_cursor_type(l->b->u, e), t);
}

/* A class that braces fill member by member; one with constructors is made by one of them. */
static bool is_aggregate(struct cw_unit *u, CXType t) {
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(t));
    CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids kids = cw_clang_kids(u, decl);
    if (!kids.n && !clang_Cursor_isNull(pattern))
        kids = cw_clang_kids(u, pattern);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_Constructor && !clang_CXXMethod_isDefaulted(kids.at[i]))
            return false;
    return true;
}

static void element(struct list *l, cw_ref at, CXType t) {
    const struct cw_ctype *c = cw_clang_type(l->b->u, t);
    if (c->shape == CW_SHAPE_OBJECT && !stands_for_whole(l, t)) {
        if (c->is_array || is_aggregate(l->b->u, t)) {
            fill(l, at, t);
        } else { /* a conversion that libclang does not show */
            cw_ref v = cw_clang_operand(l->b, l->kids.at[l->next++]);
            cw_clang_forget(l->b, at, t, CW_BAIL_UNSUPPORTED_EXPR, &v, v.tag != CW_REF_NONE);
        }
        return;
    }
    CXCursor e = l->kids.at[l->next++];
    if (c->shape == CW_SHAPE_OBJECT && clang_getCursorKind(e) == CXCursor_InitListExpr)
        list_into(l->b, e, at, t, true);
    else
        cw_clang_init(l->b, e, at, t);
}

static bool is_designator(struct list *l) {
    struct cw_kids kids = cw_clang_kids(l->b->u, l->kids.at[l->next]);
    return clang_getCursorKind(l->kids.at[l->next]) == CXCursor_UnexposedExpr && kids.n >= 2;
}

/* `.x = 3` and `[2] = 3`: the index of the part it names, and its value. */
static bool designated(struct list *l, const struct cw_kids *fields, uint32_t *index, CXCursor *value) {
    struct cw_kids kids = cw_clang_kids(l->b->u, l->kids.at[l->next]);
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

static void give_up(struct list *l, cw_ref at) {
    cw_clang_clobber(l->b, at, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    l->next = l->kids.n;
}

static void fill_array(struct list *l, cw_ref at, CXType t) {
    CXType of = clang_getArrayElementType(clang_getCanonicalType(t));
    long long n = clang_getArraySize(clang_getCanonicalType(t));
    uint64_t size = cw_clang_type(l->b->u, of)->size;
    for (uint32_t i = 0; !is_done(l) && (n < 0 || i < n); i++) {
        CXCursor value;
        if (is_designator(l)) {
            if (!designated(l, NULL, &i, &value)) {
                give_up(l, at);
                return;
            }
            l->next++;
            cw_clang_init(l->b, value, cw_clang_offset(l->b, at, i * size), of);
            continue;
        }
        element(l, cw_clang_offset(l->b, at, i * size), of);
    }
}

static cw_ref field_place(struct list *l, cw_ref at, CXCursor field) {
    long long bits = clang_Cursor_getOffsetOfField(field);
    return cw_clang_offset(l->b, at, bits > 0 ? (uint64_t)bits / 8 : 0);
}

static void default_fields(struct list *l, cw_ref at, const struct cw_kids *fields) {
    for (uint32_t i = 0; i < fields->n; i++) {
        CXCursor init;
        if (cw_clang_field_init(l->b->u, fields->at[i], &init))
            cw_clang_init(l->b, init, field_place(l, at, fields->at[i]), cw_clang_cursor_type(l->b->u, fields->at[i]));
    }
}

static void fill_bases(struct list *l, cw_ref at, CXType t) {
    struct cw_kids bases = cw_clang_bases(l->b->u, t);
    for (uint32_t i = 0; i < bases.n && !is_done(l); i++) {
        CXType base = clang_getCanonicalType(cw_clang_cursor_type(l->b->u, bases.at[i]));
        uint64_t offset;
        if (!cw_clang_base_offset(l->b->u, t, base, &offset)) {
            give_up(l, at);
            return;
        }
        element(l, cw_clang_offset(l->b, at, offset), base);
    }
}

static void fill_record(struct list *l, cw_ref at, CXType t) {
    struct cw_kids fields = cw_clang_fields(l->b->u, t);
    bool is_union = clang_getCursorKind(clang_getTypeDeclaration(clang_getCanonicalType(t))) == CXCursor_UnionDecl;
    uint32_t i = 0;
    fill_bases(l, at, t);
    for (; !is_done(l) && i < fields.n; i++) {
        CXCursor value;
        if (clang_Cursor_isBitField(fields.at[i])) {
            cw_clang_operand(l->b, l->kids.at[l->next++]);
            cw_clang_clobber(l->b, field_place(l, at, fields.at[i]), CW_BAIL_UNION_OR_BITFIELD, NULL, 0);
        } else if (!is_designator(l)) {
            element(l, field_place(l, at, fields.at[i]), cw_clang_cursor_type(l->b->u, fields.at[i]));
        } else if (designated(l, &fields, &i, &value)) {
            l->next++;
            cw_clang_init(l->b, value, field_place(l, at, fields.at[i]), cw_clang_cursor_type(l->b->u, fields.at[i]));
        } else {
            give_up(l, at);
        }
        if (is_union)
            return;
    }
}

static void fill(struct list *l, cw_ref at, CXType t) {
    const struct cw_ctype *c = cw_clang_type(l->b->u, t);
    uint32_t before = l->next;
    if (++l->depth > 32)
        give_up(l, at);
    else if (c->is_array)
        fill_array(l, at, t);
    else if (clang_getCanonicalType(t).kind == CXType_Record)
        fill_record(l, at, t);
    if (l->next == before && !is_done(l))
        give_up(l, at);
    l->depth--;
}

/* True when the list writes every scalar of the object, so that nothing needs clearing first. */
static bool is_complete(struct cw_body *b, const struct list *l, CXType t) {
    const struct cw_leaves *leaves = cw_clang_leaves(b->u, t);
    if (!leaves->is_split || leaves->n != l->kids.n)
        return false;
    for (uint32_t i = 0; i < l->kids.n; i++)
        if (cw_clang_type_of(b->u, l->kids.at[i])->shape != CW_SHAPE_SCALAR)
            return false;
    return true;
}

/* is_clear: the object's bytes are zero already. */
static void list_into(struct cw_body *b, CXCursor e, cw_ref dest, CXType type, bool is_clear) {
    struct list l = {.b = b, .kids = cw_clang_kids(b->u, e)};
    CXType t = clang_getCanonicalType(type);
    if (l.kids.n == 1 && clang_isExpression(clang_getCursorKind(l.kids.at[0])) && stands_for_whole(&l, t) &&
        clang_getCursorKind(cw_clang_peel(b->u, l.kids.at[0])) != CXCursor_InitListExpr) {
        cw_clang_into(b, l.kids.at[0], dest);
        return;
    }
    if (t.kind != CXType_Record && !cw_clang_type(b->u, t)->is_array) {
        cw_clang_clobber(b, dest, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
        return;
    }
    if (!is_clear && !is_complete(b, &l, t))
        cw_clang_zero(b, dest, t);
    if (t.kind == CXType_Record) {
        struct cw_kids fields = cw_clang_fields(b->u, t);
        default_fields(&l, dest, &fields);
    }
    fill(&l, dest, t);
}

void cw_clang_list(struct cw_body *b, CXCursor e, cw_ref dest, CXType type) {
    list_into(b, e, dest, type, false);
}
