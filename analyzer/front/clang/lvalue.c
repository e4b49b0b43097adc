/* Places: the address of what an expression denotes. */
#include "front/clang/lower.h"

#include <ctype.h>

#include <string.h>

/* The operand of a cast, past the written type. */
static CXCursor cast_operand(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    for (uint32_t i = kids.n; i-- > 0;)
        if (clang_isExpression(clang_getCursorKind(kids.at[i])))
            return kids.at[i];
    return clang_getNullCursor();
}

static bool names_reference_type(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    for (uint32_t i = 0; i < kids.n; i++) {
        if (clang_getCursorKind(kids.at[i]) != CXCursor_TypeRef)
            continue;
        CXType t = clang_getCanonicalType(cw_clang_cursor_type(body->u, kids.at[i]));
        return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
    }
    return false;
}

/* libclang gives the type of a cast without its reference; the written type tells: `static_cast<T &>(x)`, `(T &)x`. */
bool cw_clang_casts_to_reference(struct cw_body *body, CXCursor cursor) {
    if (clang_getCursorKind(cursor) == CXCursor_CXXReinterpretCastExpr) {
        struct cw_kind from = cw_clang_type_of(body->u, cast_operand(body, cursor))->kind,
                       to = cw_clang_type_of(body->u, cursor)->kind;
        if (from.type != CW_PTR && to.type != CW_PTR && from.type != to.type)
            return true; /* no value of one can become the other, whatever a macro hides */
    }
    cw_str text = cw_clang_source(body->u, cursor);
    bool is_c = clang_getCursorKind(cursor) == CXCursor_CStyleCastExpr;
    char open = is_c ? '(' : '<', close = is_c ? ')' : '>';
    size_t i = 0, depth = 0, last = 0;
    while (i < text.n && text.at[i] != open)
        i++;
    for (; i < text.n; i++) {
        if (text.at[i] == open)
            depth++;
        else if (text.at[i] == close && !--depth)
            return (last && text.at[last] == '&') || names_reference_type(body, cursor);
        if (text.at[i] != ' ' && text.at[i] != '\n' && text.at[i] != '\t' && text.at[i] != '\r')
            last = i;
    }
    return false;
}

static bool any_glvalue(struct cw_body *body, const struct cw_kids *kids, uint32_t from) {
    for (uint32_t i = from; i < kids->n; i++)
        if (!cw_clang_is_glvalue(body, kids->at[i]))
            return false;
    return kids->n > from;
}

static bool is_glvalue_binary(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
    return op == CXBinaryOperator_Assign || (op == CXBinaryOperator_Comma && any_glvalue(body, &kids, 1));
}

static bool is_place_name(CXCursor cursor) {
    enum CXCursorKind k = clang_getCursorKind(clang_getCursorReferenced(cursor));
    return k == CXCursor_VarDecl || k == CXCursor_ParmDecl || k == CXCursor_FieldDecl || k == CXCursor_UnexposedDecl;
}

/* An implicit node is a place only when it changes nothing but qualifiers or goes to a base class. */
static bool is_glvalue_wrapper(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 1 || !cw_clang_same_range(body->u, cursor, kids.at[0]) || !cw_clang_is_glvalue(body, kids.at[0]))
        return false;
    CXType outer = cw_clang_cursor_type(body->u, cursor), inner = cw_clang_cursor_type(body->u, kids.at[0]);
    return cw_clang_same_type(outer, inner) || (cw_clang_type(body->u, outer)->shape == CW_SHAPE_OBJECT &&
                                                cw_clang_type(body->u, inner)->shape == CW_SHAPE_OBJECT);
}

bool cw_clang_is_glvalue(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids;
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr: return is_place_name(cursor);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_StringLiteral:
    case CXCursor_CompoundAssignOperator: return true;
    case CXCursor_UnaryOperator: {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
        return op == CXUnaryOperator_Deref || op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec;
    }
    case CXCursor_BinaryOperator: return is_glvalue_binary(body, cursor);
    case CXCursor_ConditionalOperator: kids = cw_clang_kids(body->u, cursor); return any_glvalue(body, &kids, 1);
    case CXCursor_ParenExpr: kids = cw_clang_kids(body->u, cursor); return any_glvalue(body, &kids, 0);
    case CXCursor_UnexposedExpr: return is_glvalue_wrapper(body, cursor);
    case CXCursor_CallExpr: return cw_clang_returns_reference(body->u, cursor);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr: return cw_clang_casts_to_reference(body, cursor);
    default: return false;
    }
}

/* A prvalue that somebody wants the address of. */
static cw_ref make_temporary(struct cw_body *body, CXCursor cursor) {
    CXType t = cw_clang_cursor_type(body->u, cursor);
    const struct cw_ctype *c = cw_clang_type(body->u, t);
    if (c->shape == CW_SHAPE_VOID) {
        cw_clang_effect(body, cursor);
        return cw_fn_const(body->fn, CW_PTR, 0);
    }
    if (c->shape == CW_SHAPE_OBJECT) {
        cw_ref at = cw_clang_temp(body, t, "temporary");
        cw_clang_into(body, cursor, at);
        return at;
    }
    return cw_clang_spill(body, cw_clang_value(body, cursor), t);
}

static cw_ref unknown_place(struct cw_body *body, enum cw_bail why) {
    return cw_emit_opaque(body->at, CW_PTR, why, NULL, 0);
}

static cw_ref name_addr(struct cw_body *body, CXCursor cursor) {
    CXCursor decl = clang_getCursorReferenced(cursor);
    if (clang_getCursorKind(decl) == CXCursor_FunctionDecl)
        return cw_clang_value(body, cursor); /* a function's value is its address */
    if (!is_place_name(cursor))
        return make_temporary(body, cursor);
    cw_ref at = cw_clang_var_addr(body, decl);
    if (at.tag != CW_REF_NONE)
        return at;
    body->is_degraded = true;
    return unknown_place(body, CW_BAIL_UNRESOLVED_NAME);
}

/* Broken and dependent code may have anything where a pointer should be. */
cw_ref cw_clang_as_pointer(struct cw_body *body, cw_ref ref) {
    if (cw_ref_type(body->fn, ref) == CW_PTR)
        return ref;
    body->is_degraded |= !body->fn->is_pattern;
    return cw_emit_opaque(body->at, CW_PTR, body->fn->is_pattern ? CW_BAIL_DEPENDENT : CW_BAIL_BROKEN_CODE, &ref,
                          ref.tag != CW_REF_NONE);
}

/* A number has no members: in a macro, where all places are one, this tells a template's argument. */
static bool is_number(struct cw_body *body, CXCursor child) {
    CXType type = clang_getCanonicalType(cw_clang_cursor_type(body->u, child));
    return type.kind == CXType_Enum || (type.kind >= CXType_Bool && type.kind <= CXType_LongDouble);
}

/* Explicit template arguments are children too: `f<false>(x)` names no object. They stand after the member's name. */
static bool is_before_name(CXCursor child, CXCursor member) {
    CXFile at, name;
    unsigned offset, name_offset;
    clang_getFileLocation(clang_getRangeStart(clang_getCursorExtent(child)), &at, NULL, NULL, &offset);
    clang_getFileLocation(clang_getCursorLocation(member), &name, NULL, NULL, &name_offset);
    return at != name || offset <= name_offset;
}

/* The object a member is taken from: `p->x`, `a.x`, or `x` of this. */
cw_ref cw_clang_object_of(struct cw_body *body, CXCursor member, CXType *record) {
    struct cw_kids kids = cw_clang_kids(body->u, member);
    CXCursor base = clang_getNullCursor();
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_isExpression(clang_getCursorKind(kids.at[i])) && is_before_name(kids.at[i], member) &&
            !is_number(body, kids.at[i])) {
            base = kids.at[i];
            break;
        }
    if (clang_Cursor_isNull(base)) {
        *record = body->this_type;
        return cw_clang_this(body);
    }
    CXType t = clang_getCanonicalType(cw_clang_cursor_type(body->u, base));
    if (t.kind == CXType_Pointer) {
        *record = clang_getPointeeType(t);
        return cw_clang_as_pointer(body, cw_clang_value(body, base));
    }
    *record = t;
    return cw_clang_operand(body, base);
}

/* libclang does not spell the name of a dependent member: it is the last word of the expression. */
static cw_str last_word(cw_str text) {
    size_t from = text.n;
    while (from > 0 && (isalnum((unsigned char)text.at[from - 1]) || text.at[from - 1] == '_'))
        from--;
    return (cw_str){text.at + from, text.n - from};
}

/* `p->x` in a template whose argument decides what class `*p` is: a place at an offset of which only the name is known.
 */
cw_ref cw_clang_dependent_member(struct cw_body *body, CXCursor cursor, bool *is_volatile) {
    cw_str name = last_word(cw_str_trim(cw_clang_source(body->u, cursor)));
    CXCursor decl = clang_getCursorReferenced(cursor);
    CXType record;
    bool is_resolved = !clang_Cursor_isNull(decl) && !clang_isInvalid(clang_getCursorKind(decl));
    if (is_resolved || !name.n || !cw_clang_kids(body->u, cursor).n)
        return CW_NONE;
    cw_ref base = cw_clang_object_of(body, cursor, &record);
    *is_volatile = clang_isVolatileQualifiedType(record);
    if (cw_ref_type(body->fn, base) != CW_PTR)
        return CW_NONE;
    const char *offset = cw_arena_printf(&body->u->scratch, "offset of %.*s", (int)name.n, name.at);
    return cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, base, cw_emit_pure(body->at, CW_I64, offset, NULL, 0));
}

static cw_ref member_addr(struct cw_body *body, CXCursor cursor) {
    CXCursor field = clang_getCursorReferenced(cursor);
    CXType record;
    bool is_volatile;
    cw_ref dependent = cw_clang_dependent_member(body, cursor, &is_volatile), reg;
    if (dependent.tag != CW_REF_NONE)
        return dependent;
    if (cw_clang_sreg(body, cursor, &reg)) /* a reference to threadIdx.x reads no other component */
        return cw_clang_spill(body, reg, cw_clang_cursor_type(body->u, cursor));
    if (clang_getCursorKind(field) != CXCursor_FieldDecl)
        return name_addr(body, cursor);
    cw_ref base = cw_clang_object_of(body, cursor, &record);
    uint64_t offset;
    if (!cw_clang_field_offset(body->u, record, field, &offset))
        return cw_emit_opaque(body->at, CW_PTR, CW_BAIL_UNKNOWN_TYPE, &base, 1);
    if (cw_clang_type_of(body->u, clang_getCursorSemanticParent(field))->is_made_up)
        cw_clang_bail(body, CW_BAIL_UNKNOWN_TYPE);
    cw_ref at = cw_at_offset(body->at, cw_clang_as_pointer(body, base), offset);
    if (cw_clang_type_of(body->u, field)->is_reference)
        return cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, at);
    return at;
}

/* Bytes of the array that `array[index]` must not leave; 0 for pointers and for arrays of one element, the usual way to
 * declare one whose length is not known. */
static uint64_t extent_of_array(struct cw_body *body, CXCursor array) {
    const struct cw_ctype *t = cw_clang_type_of(body->u, cw_clang_peel(body->u, array));
    return t->is_array && clang_getArraySize(t->canonical) > 1 ? t->size : 0;
}

static cw_ref subscript_addr(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 2)
        return unknown_place(body, CW_BAIL_UNSUPPORTED_EXPR);
    CXType first = clang_getCanonicalType(cw_clang_cursor_type(body->u, kids.at[0]));
    uint32_t base_at =
        cw_clang_type(body->u, first)->kind.type == CW_PTR || cw_clang_type(body->u, first)->is_array ? 0 : 1;
    CXCursor index_expr = kids.at[1 - base_at], base_expr = kids.at[base_at];
    CXType index_type = cw_clang_cursor_type(body->u, index_expr);
    cw_ref base, index;
    if (base_at == 0)
        base = cw_clang_operand(body, base_expr), index = cw_clang_value(body, index_expr);
    else
        index = cw_clang_value(body, index_expr), base = cw_clang_operand(body, base_expr);
    base = cw_clang_as_pointer(body, base);
    if (index.tag == CW_REF_NONE)
        return cw_emit_opaque(body->at, CW_PTR, CW_BAIL_BROKEN_CODE, &base, 1);
    uint64_t size = cw_clang_type_of(body->u, cursor)->size;
    struct cw_kind k = cw_clang_type(body->u, index_type)->kind;
    k.type = cw_ref_type(body->fn, index);
    if (size && cw_type_is_int(k.type))
        return cw_array_element(body->at, base, index, k, (int64_t)size, extent_of_array(body, base_expr));
    cw_clang_bail(body, CW_BAIL_UNKNOWN_TYPE);
    cw_ref scaled = cw_emit_pure(body->at, CW_I64, "scaled", &index, 1);
    return cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, base, scaled);
}

static cw_ref unary_addr(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
    if (op == CXUnaryOperator_Deref && kids.n == 1) {
        cw_ref v = cw_clang_operand(body, kids.at[0]);
        bool is_group = cw_ref_type(body->fn, v) == CW_GROUP; /* `*this` of a group: a value, not an address */
        return is_group ? cw_clang_spill(body, v, cw_clang_cursor_type(body->u, cursor)) : v;
    }
    if (op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec)
        return cw_clang_incdec(body, cursor, true);
    if (op == CXUnaryOperator_Extension && kids.n == 1)
        return cw_clang_addr(body, kids.at[0]);
    return make_temporary(body, cursor);
}

static cw_ref binary_addr(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
    if (op == CXBinaryOperator_Comma && kids.n == 2) {
        cw_clang_effect(body, kids.at[0]);
        return cw_clang_addr(body, kids.at[1]);
    }
    if (op == CXBinaryOperator_Assign || clang_getCursorKind(cursor) == CXCursor_CompoundAssignOperator)
        return cw_clang_assign(body, cursor, true);
    return make_temporary(body, cursor);
}

static cw_ref conditional_addr(struct cw_body *body, CXCursor cursor) {
    return cw_clang_is_glvalue(body, cursor) ? cw_clang_conditional(body, cursor, true) : make_temporary(body, cursor);
}

static cw_ref to_base(struct cw_body *body, CXCursor operand, CXType to) {
    cw_ref at = cw_clang_addr(body, operand);
    uint64_t offset;
    CXType from = clang_getCanonicalType(cw_clang_cursor_type(body->u, operand));
    to = clang_getCanonicalType(to);
    if (from.kind != CXType_Record || to.kind != CXType_Record || cw_clang_same_type(from, to))
        return at;
    if (cw_clang_base_offset(body->u, from, to, &offset))
        return cw_at_offset(body->at, at, offset);
    if (cw_clang_base_offset(body->u, to, from, &offset))
        return cw_at_offset(body->at, at, (uint64_t)0 - offset);
    return cw_emit_opaque(body->at, CW_PTR, CW_BAIL_UNKNOWN_TYPE, &at, 1);
}

static cw_ref wrapper_addr(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 1 || !cw_clang_same_range(body->u, cursor, kids.at[0]))
        return make_temporary(body, cursor);
    CXType outer = cw_clang_cursor_type(body->u, cursor), inner = cw_clang_cursor_type(body->u, kids.at[0]);
    bool records = clang_getCanonicalType(outer).kind == CXType_Record &&
                   clang_getCanonicalType(inner).kind == CXType_Record &&
                   cw_clang_type(body->u, outer)->kind.type != CW_GROUP;
    bool arrays = cw_clang_type(body->u, outer)->is_array && cw_clang_type(body->u, inner)->is_array;
    if (records || arrays || (cw_clang_same_type(outer, inner) && cw_clang_is_glvalue(body, kids.at[0])))
        return to_base(body, kids.at[0], outer);
    return make_temporary(body, cursor);
}

static cw_ref paren_addr(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    return kids.n == 1 ? cw_clang_addr(body, kids.at[0]) : make_temporary(body, cursor);
}

static cw_ref cast_addr(struct cw_body *body, CXCursor cursor) {
    CXCursor operand = cast_operand(body, cursor);
    if (clang_Cursor_isNull(operand) || !cw_clang_casts_to_reference(body, cursor))
        return make_temporary(body, cursor);
    if (clang_getCursorKind(cursor) == CXCursor_CXXReinterpretCastExpr) /* the same address, whatever the classes are */
        return cw_clang_addr(body, operand);
    return to_base(body, operand, cw_clang_cursor_type(body->u, cursor));
}

static cw_ref call_addr(struct cw_body *body, CXCursor cursor) {
    return cw_clang_returns_reference(body->u, cursor) ? cw_clang_call(body, cursor, CW_NONE)
                                                       : make_temporary(body, cursor);
}

/* A string: constant memory that every use of the same text shares. */
static cw_ref string_addr(struct cw_body *body, CXCursor cursor) {
    const struct cw_ctype *t = cw_clang_type_of(body->u, cursor);
    const char *text = cw_clang_text(body->u, clang_getCursorSpelling(cursor));
    const char *key = cw_arena_printf(&body->u->scratch, CW_STRING_KEY "%s", text);
    return cw_fn_add_object(body->fn, (struct cw_object){
        .name = text, .key = cw_intern(&body->u->module->names, key), .space = CW_SPACE_CONSTANT, .size = t->size,
        .align = 1, .element = 1, .loc = body->at.loc, .type_text = "const char[]"});
}

typedef cw_ref (*addr_fn)(struct cw_body *, CXCursor);

static const addr_fn addr_of[] = {
#define ROW(kind) [CXCursor_##kind - CXCursor_FirstExpr]
    ROW(UnexposedExpr) = wrapper_addr,
    ROW(DeclRefExpr) = name_addr,
    ROW(MemberRefExpr) = member_addr,
    ROW(CallExpr) = call_addr,
    ROW(StringLiteral) = string_addr,
    ROW(ParenExpr) = paren_addr,
    ROW(UnaryOperator) = unary_addr,
    ROW(ArraySubscriptExpr) = subscript_addr,
    ROW(BinaryOperator) = binary_addr,
    ROW(CompoundAssignOperator) = binary_addr,
    ROW(ConditionalOperator) = conditional_addr,
    ROW(CStyleCastExpr) = cast_addr,
    ROW(CXXStaticCastExpr) = cast_addr,
    ROW(CXXReinterpretCastExpr) = cast_addr,
    ROW(CXXConstCastExpr) = cast_addr,
    ROW(CXXFunctionalCastExpr) = cast_addr,
#undef ROW
};

cw_ref cw_clang_addr(struct cw_body *body, CXCursor cursor) {
    size_t row = (size_t)clang_getCursorKind(cursor) - CXCursor_FirstExpr;
    if (body->depth >= CW_MAX_DEPTH) {
        body->is_degraded = true;
        return unknown_place(body, CW_BAIL_TOO_LARGE);
    }
    uint32_t outer = body->at.loc;
    addr_fn lower = row < sizeof addr_of / sizeof *addr_of && addr_of[row] ? addr_of[row] : make_temporary;
    body->depth++;
    body->at.loc = cw_clang_loc(body, cursor);
    cw_ref at = cw_clang_as_pointer(body, lower(body, cursor));
    body->at.loc = outer;
    body->depth--;
    return at;
}
