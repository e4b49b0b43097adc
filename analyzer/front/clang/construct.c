/* Constructors: calls of them, and what runs before their body. */
#include "front/clang/lower.h"

#include <string.h>

enum { MAX_ELEMENTS = 64 };

static bool is_null(CXCursor cursor) {
    return clang_Cursor_isNull(cursor) || clang_isInvalid(clang_getCursorKind(cursor));
}

/* A default initialiser is the last expression below the member; array bounds and bit widths stand there too, so the
 * text before it must hold `=` or the expression be a braced list. */
bool cw_clang_field_init(struct cw_unit *unit, CXCursor field, CXCursor *init) {
    struct cw_kids kids = cw_clang_kids(unit, field);
    if (!kids.n || !clang_isExpression(clang_getCursorKind(kids.at[kids.n - 1])))
        return false;
    *init = kids.at[kids.n - 1];
    if (clang_getCursorKind(*init) == CXCursor_InitListExpr)
        return true;
    uint32_t name, value;
    struct cw_file_text *f = cw_clang_spelling(unit, clang_getCursorLocation(field), &name);
    struct cw_file_text *g = cw_clang_spelling(unit, clang_getRangeStart(clang_getCursorExtent(*init)), &value);
    if (f != g || !f->text)
        return false;
    for (uint32_t i = name; i < value && i < f->size; i++)
        if (f->text[i] == '=' || f->text[i] == '{')
            return true;
    return false;
}

static uint32_t required_parameters(CXCursor constructor) {
    int n = clang_Cursor_getNumArguments(constructor), need = 0;
    for (int i = 0; i < n; i++)
        need += is_null(clang_Cursor_getVarDeclInitializer(clang_Cursor_getArgument(constructor, (unsigned)i)));
    return (uint32_t)need;
}

/* The constructor that `T x;` runs, when the user wrote one. */
static bool default_constructor(struct cw_unit *unit, CXType type, CXCursor *found, bool *has_others) {
    CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(type));
    CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids kids = cw_clang_kids(unit, decl);
    bool is_pattern = !kids.n && !is_null(pattern);
    if (is_pattern)
        kids = cw_clang_kids(unit, pattern);
    *has_others = false;
    for (uint32_t i = 0; i < kids.n; i++) {
        if (clang_getCursorKind(kids.at[i]) != CXCursor_Constructor || clang_CXXMethod_isDefaulted(kids.at[i]))
            continue;
        *has_others |= is_pattern;
        if (!is_pattern && !required_parameters(kids.at[i])) {
            *found = kids.at[i];
            return true;
        }
    }
    return false;
}

static void run_constructor(struct cw_body *body, struct cw_callee *callee, cw_ref dest) {
    struct cw_refs args = {0};
    cw_vec_push(&body->u->scratch, &args, dest);
    cw_clang_arguments(body, clang_getNullCursor(), callee, 0, &args);
    cw_clang_emit_call(body, callee, &args);
}

static void default_init_record(struct cw_body *body, cw_ref dest, CXType type) {
    struct cw_kids fields = cw_clang_fields(body->u, type), bases = cw_clang_bases(body->u, type);
    for (uint32_t i = 0; i < bases.n; i++) {
        uint64_t offset;
        CXType base = clang_getCanonicalType(cw_clang_cursor_type(body->u, bases.at[i]));
        if (cw_clang_base_offset(body->u, type, base, &offset))
            cw_clang_default_init(body, cw_at_offset(body->at, dest, offset), base);
        else
            cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
    }
    for (uint32_t i = 0; i < fields.n; i++) {
        CXCursor init;
        CXType of = cw_clang_cursor_type(body->u, fields.at[i]);
        long long bits = clang_Cursor_getOffsetOfField(fields.at[i]);
        if (bits < 0 || clang_Cursor_isBitField(fields.at[i]))
            continue;
        cw_ref at = cw_at_offset(body->at, dest, (uint64_t)bits / 8);
        if (cw_clang_field_init(body->u, fields.at[i], &init))
            cw_clang_init(body, init, at, of);
        else
            cw_clang_default_init(body, at, of);
    }
}

static void default_init_array(struct cw_body *body, cw_ref dest, CXType type) {
    long long n = clang_getArraySize(type);
    CXType of = clang_getArrayElementType(type);
    uint64_t size = cw_clang_type(body->u, of)->size;
    const struct cw_ctype *inner = cw_clang_type(body->u, of);
    if (inner->shape != CW_SHAPE_OBJECT)
        return;
    if (n < 0 || n > MAX_ELEMENTS || !size) {
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
        return;
    }
    for (long long i = 0; i < n; i++)
        cw_clang_default_init(body, cw_at_offset(body->at, dest, (uint64_t)i * size), of);
}

/* `T x;` for a T of class type: what the (possibly implicit) default constructor does. */
void cw_clang_default_init(struct cw_body *body, cw_ref dest, CXType type) {
    CXType t = clang_getCanonicalType(type);
    const struct cw_ctype *c = cw_clang_type(body->u, t);
    CXCursor constructor;
    bool has_unknown = false;
    if (c->shape != CW_SHAPE_OBJECT || body->depth >= CW_MAX_DEPTH)
        return;
    body->depth++;
    if (c->is_array)
        default_init_array(body, dest, t);
    else if (t.kind == CXType_Record && default_constructor(body->u, t, &constructor, &has_unknown))
        run_constructor(body, cw_clang_callee(body->u, constructor), dest);
    else if (has_unknown)
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_DEPENDENT, NULL, 0);
    else if (t.kind == CXType_Record && clang_getCursorKind(clang_getTypeDeclaration(t)) != CXCursor_UnionDecl)
        default_init_record(body, dest, t);
    body->depth--;
}

/* `T()` and `T{}` clear a class without a constructor of the user's. */
static bool is_value_init(struct cw_body *body, CXCursor cursor) {
    cw_str text = cw_str_trim(cw_clang_source(body->u, cursor));
    if (text.n < 2 || (text.at[text.n - 1] != ')' && text.at[text.n - 1] != '}'))
        return false;
    char open = text.at[text.n - 1] == ')' ? '(' : '{';
    size_t i = text.n - 1;
    while (i > 0 && (text.at[i - 1] == ' ' || text.at[i - 1] == '\n'))
        i--;
    return i > 0 && text.at[i - 1] == open;
}

static void construct_implicit(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref dest,
                               CXType type) {
    if (callee->nparam >= 1) {
        CXCursor from = clang_Cursor_getArgument(cursor, 0);
        if (is_null(from))
            cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_BROKEN_CODE, NULL, 0);
        else
            cw_clang_copy(body, dest, cw_clang_addr(body, from), type);
        return;
    }
    if (is_value_init(body, cursor))
        cw_clang_zero(body, dest, type);
    cw_clang_default_init(body, dest, type);
}

/* dim3(x, y, z), which every launch has. */
static bool construct_dim3(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref dest) {
    int n = clang_Cursor_getNumArguments(cursor);
    if (callee->nparam != 3 || strcmp(callee->name, "dim3") != 0)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        CXCursor arg = i < (uint32_t)n ? cw_clang_written_argument(cursor, callee, i, 0) : clang_getNullCursor();
        CXType t = cw_clang_param_type(body->u, callee, i);
        cw_ref v = is_null(arg) ? cw_fn_const(body->fn, CW_I32, 1) : cw_clang_value_as(body, arg, t);
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 4, v, cw_at_offset(body->at, dest, 4 * i));
    }
    return true;
}

/* All elements of an array of any number of dimensions, innermost first in memory. */
static void construct_array(struct cw_body *body, struct cw_callee *callee, cw_ref dest, CXType type) {
    long long n = 1;
    while (cw_clang_type(body->u, type)->is_array) {
        long long extent = clang_getArraySize(type);
        n = extent < 0 || (extent && n > MAX_ELEMENTS / extent) ? MAX_ELEMENTS + 1 : n * extent;
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    }
    uint64_t size = cw_clang_type(body->u, type)->size;
    if (n > MAX_ELEMENTS || !size) {
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
        return;
    }
    for (long long i = 0; i < n; i++) {
        cw_ref at = cw_at_offset(body->at, dest, (uint64_t)i * size);
        if (callee->is_defaulted)
            cw_clang_default_init(body, at, type);
        else
            run_constructor(body, callee, at);
    }
}

/* Children of a constructor: parameters, then pairs of what is initialised (MemberRef or TypeRef) and with what. */
static bool written_init(const struct cw_kids *kids, CXCursor field, CXCursor *init) {
    for (uint32_t i = 0; i + 1 < kids->n; i++)
        if (clang_getCursorKind(kids->at[i]) == CXCursor_MemberRef &&
            clang_equalCursors(clang_getCursorReferenced(kids->at[i]), field)) {
            *init = kids->at[i + 1];
            return clang_isExpression(clang_getCursorKind(*init));
        }
    return false;
}

static void init_field_at(struct cw_body *body, const struct cw_kids *kids, CXCursor field, cw_ref object) {
    CXType t = cw_clang_cursor_type(body->u, field);
    long long bits = clang_Cursor_getOffsetOfField(field);
    CXCursor init;
    bool is_written = (kids && written_init(kids, field, &init)) || cw_clang_field_init(body->u, field, &init);
    if (bits < 0) {
        cw_at_clobber(body->at, &body->u->scratch, object, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
        return;
    }
    cw_ref at = cw_at_offset(body->at, object, (uint64_t)bits / 8);
    if (clang_Cursor_isBitField(field) && is_written) {
        cw_ref v = cw_clang_operand(body, init);
        cw_at_clobber(body->at, &body->u->scratch, at, CW_BAIL_UNION_OR_BITFIELD, &v, v.tag != CW_REF_NONE);
    } else if (is_written) {
        cw_clang_init(body, init, at, t);
    } else {
        cw_clang_default_init(body, at, t);
    }
}

static CXCursor same_constructor(struct cw_unit *unit, CXType base, CXCursor like) {
    struct cw_kids kids = cw_clang_kids(unit, clang_getTypeDeclaration(clang_getCanonicalType(base)));
    CXType type = clang_getCanonicalType(clang_getCursorType(like));
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_Constructor &&
            clang_equalTypes(clang_getCanonicalType(clang_getCursorType(kids.at[i])), type))
            return kids.at[i];
    return clang_getNullCursor();
}

/* The base's constructor of the same parameters, then the members as if by a default constructor. */
static void construct_inherited(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref dest,
                                CXType type) {
    struct cw_kids bases = cw_clang_bases(body->u, type), fields = cw_clang_fields(body->u, type);
    bool is_found = false;
    for (uint32_t i = 0; i < bases.n; i++) {
        CXType base = clang_getCanonicalType(clang_getCursorType(bases.at[i]));
        CXCursor found = same_constructor(body->u, base, callee->decl);
        uint64_t offset;
        struct cw_refs args = {0};
        if (is_null(found) || is_found || !cw_clang_base_offset(body->u, type, base, &offset))
            continue;
        is_found = true;
        cw_vec_push(&body->u->scratch, &args, cw_at_offset(body->at, dest, offset));
        cw_clang_arguments(body, cursor, cw_clang_callee(body->u, found), 0, &args);
        cw_clang_emit_call(body, cw_clang_callee(body->u, found), &args);
    }
    if (!is_found || bases.n != 1) {
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
        return;
    }
    for (uint32_t i = 0; i < fields.n; i++)
        init_field_at(body, NULL, fields.at[i], dest);
}

void cw_clang_construct(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref dest) {
    CXType t = clang_getCanonicalType(cw_clang_cursor_type(body->u, cursor));
    struct cw_refs args = {0};
    if (cw_clang_type(body->u, t)->is_array) {
        construct_array(body, callee, dest, t);
        return;
    }
    if (construct_dim3(body, cursor, callee, dest))
        return;
    if (callee->is_defaulted || callee->is_inherited) {
        if (callee->is_defaulted)
            construct_implicit(body, cursor, callee, dest, t);
        else
            construct_inherited(body, cursor, callee, dest, t);
        return;
    }
    cw_vec_push(&body->u->scratch, &args, dest);
    cw_clang_arguments(body, cursor, callee, 0, &args);
    cw_clang_emit_call(body, callee, &args);
}

/* ---- inside a constructor ---- */

static bool is_base_init(const struct cw_kids *kids, uint32_t i) {
    return i > 0 && clang_isExpression(clang_getCursorKind(kids->at[i])) &&
           clang_getCursorKind(kids->at[i - 1]) != CXCursor_MemberRef;
}

static bool written_base_init(struct cw_body *body, const struct cw_kids *kids, CXType base, CXCursor *init) {
    for (uint32_t i = 0; i < kids->n; i++)
        if (is_base_init(kids, i) && cw_clang_same_type(cw_clang_cursor_type(body->u, kids->at[i]), base)) {
            *init = kids->at[i];
            return true;
        }
    return false;
}

/* Is the class an instance of the template, or of a partial specialization of it? */
static bool is_instance_of(CXType type, CXCursor template) {
    CXCursor pattern = clang_getTypeDeclaration(clang_getCanonicalType(type));
    for (int steps = 0; steps < 2 && !is_null(pattern); steps++) {
        pattern = clang_getSpecializedCursorTemplate(pattern);
        if (!is_null(pattern) && clang_equalCursors(pattern, template))
            return true;
    }
    return false;
}

/* The bases of an instance are those of its pattern, `B<T, N>`: which instance it is says the initialiser. A base by an
 * alias (`conditional_t<…>`) names no template: the initialiser of a class is that of the only base. */
static void find_instance(struct cw_body *body, const struct cw_kids *kids, bool is_only, CXType *base) {
    CXCursor template = clang_getTypeDeclaration(*base);
    bool is_alias = is_null(template);
    if (!cw_clang_type(body->u, *base)->is_dependent || (is_alias && !is_only))
        return;
    for (uint32_t i = 0; i < kids->n; i++) {
        CXType type = cw_clang_cursor_type(body->u, kids->at[i]);
        if (!is_base_init(kids, i) || type.kind == CXType_Invalid)
            continue;
        if (is_alias ? clang_getCanonicalType(type).kind == CXType_Record : is_instance_of(type, template)) {
            *base = clang_getCanonicalType(type);
            return;
        }
    }
}

/* Is the class, of which nobody knows which instance of a template it is, without anything to initialise? */
static bool is_empty_template(struct cw_body *body, CXType type) {
    CXCursor template = clang_getTypeDeclaration(type);
    if (!cw_clang_type(body->u, type)->is_dependent || is_null(template))
        return false;
    struct cw_kids members = cw_clang_kids(body->u, template);
    for (uint32_t i = 0; i < members.n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(members.at[i]);
        if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier || kind == CXCursor_Constructor ||
            kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl || kind == CXCursor_ClassDecl)
            return false;
    }
    return members.n > 0;
}

static void init_bases(struct cw_body *body, const struct cw_kids *kids) {
    struct cw_kids bases = cw_clang_bases(body->u, body->this_type);
    for (uint32_t i = 0; i < bases.n; i++) {
        CXType base = clang_getCanonicalType(cw_clang_cursor_type(body->u, bases.at[i]));
        uint64_t offset;
        CXCursor init;
        find_instance(body, kids, bases.n == 1, &base);
        if (is_empty_template(body, base))
            continue;
        if (!cw_clang_base_offset(body->u, body->this_type, base, &offset)) {
            cw_at_clobber(body->at, &body->u->scratch, body->this_ptr, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
            continue;
        }
        cw_ref at = cw_at_offset(body->at, body->this_ptr, offset);
        if (written_base_init(body, kids, base, &init))
            cw_clang_init(body, init, at, base);
        else
            cw_clang_default_init(body, at, base);
    }
}

/* `A(int x) : A(x, 0) {}` */
static bool is_delegating(struct cw_body *body, const struct cw_kids *kids) {
    CXCursor init;
    if (!written_base_init(body, kids, body->this_type, &init))
        return false;
    cw_clang_into(body, init, body->this_ptr);
    return true;
}

/* `A() : x(0) {}` for an x of an anonymous struct or union, which is no field of the class itself. */
static void init_anonymous_member(struct cw_body *body, CXCursor name, CXCursor init) {
    CXCursor field = clang_getCursorReferenced(name);
    uint64_t offset;
    if (clang_getCursorKind(name) != CXCursor_MemberRef || clang_getCursorKind(field) != CXCursor_FieldDecl ||
        !clang_Cursor_isAnonymousRecordDecl(clang_getCursorSemanticParent(field)) ||
        clang_Cursor_isBitField(field) || !clang_isExpression(clang_getCursorKind(init)))
        return;
    if (cw_clang_field_offset(body->u, body->this_type, field, &offset))
        cw_clang_init(body, init, cw_at_offset(body->at, body->this_ptr, offset), cw_clang_cursor_type(body->u, field));
    else
        cw_at_clobber(body->at, &body->u->scratch, body->this_ptr, CW_BAIL_UNKNOWN_TYPE, NULL, 0);
}

void cw_clang_member_inits(struct cw_body *body, const struct cw_kids *kids) {
    struct cw_kids fields = cw_clang_fields(body->u, body->this_type);
    uint32_t n = 0;
    while (n < kids->n && clang_getCursorKind(kids->at[n]) != CXCursor_CompoundStmt)
        n++;
    struct cw_kids before = {kids->at, n};
    if (is_delegating(body, &before))
        return;
    init_bases(body, &before);
    for (uint32_t i = 0; i < fields.n; i++)
        init_field_at(body, &before, fields.at[i], body->this_ptr);
    for (uint32_t i = 0; i + 1 < n; i++)
        init_anonymous_member(body, kids->at[i], kids->at[i + 1]);
}
