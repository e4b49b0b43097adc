/* Places: the address of what an expression denotes. */
#include "front/clang/lower.h"

#include <ctype.h>

#include <string.h>

/* The operand of a cast, past the written type. */
static CXCursor cast_operand(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    for (uint32_t i = kids.n; i-- > 0;)
        if (clang_isExpression(clang_getCursorKind(kids.at[i])))
            return kids.at[i];
    return clang_getNullCursor();
}

static bool names_reference_type(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    for (uint32_t i = 0; i < kids.n; i++) {
        if (clang_getCursorKind(kids.at[i]) != CXCursor_TypeRef)
            continue;
        CXType t = clang_getCanonicalType(cw_clang_cursor_type(b->u, kids.at[i]));
        return t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
    }
    return false;
}

/* libclang gives the type of a cast without its reference; the written type tells: `static_cast<T &>(x)`, `(T &)x`. */
bool cw_clang_casts_to_reference(struct cw_body *b, CXCursor e) {
    if (clang_getCursorKind(e) == CXCursor_CXXReinterpretCastExpr) {
        struct cw_kind from = cw_clang_type_of(b->u, cast_operand(b, e))->kind, to = cw_clang_type_of(b->u, e)->kind;
        if (from.type != CW_PTR && to.type != CW_PTR && from.type != to.type)
            return true; /* no value of one can become the other, whatever a macro hides */
    }
    cw_str text = cw_clang_source(b->u, e);
    bool is_c = clang_getCursorKind(e) == CXCursor_CStyleCastExpr;
    char open = is_c ? '(' : '<', close = is_c ? ')' : '>';
    size_t i = 0, depth = 0, last = 0;
    while (i < text.n && text.at[i] != open)
        i++;
    for (; i < text.n; i++) {
        if (text.at[i] == open)
            depth++;
        else if (text.at[i] == close && !--depth)
            return (last && text.at[last] == '&') || names_reference_type(b, e);
        if (text.at[i] != ' ' && text.at[i] != '\n' && text.at[i] != '\t' && text.at[i] != '\r')
            last = i;
    }
    return false;
}

static bool any_glvalue(struct cw_body *b, const struct cw_kids *kids, uint32_t from) {
    for (uint32_t i = from; i < kids->n; i++)
        if (!cw_clang_is_glvalue(b, kids->at[i]))
            return false;
    return kids->n > from;
}

static bool is_glvalue_binary(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    return op == CXBinaryOperator_Assign || (op == CXBinaryOperator_Comma && any_glvalue(b, &kids, 1));
}

static bool is_place_name(CXCursor e) {
    enum CXCursorKind k = clang_getCursorKind(clang_getCursorReferenced(e));
    return k == CXCursor_VarDecl || k == CXCursor_ParmDecl || k == CXCursor_FieldDecl || k == CXCursor_UnexposedDecl;
}

/* An implicit node is a place only when it changes nothing but qualifiers or goes to a base class. */
static bool is_glvalue_wrapper(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    if (kids.n != 1 || !cw_clang_same_range(b->u, e, kids.at[0]) || !cw_clang_is_glvalue(b, kids.at[0]))
        return false;
    CXType outer = cw_clang_cursor_type(b->u, e), inner = cw_clang_cursor_type(b->u, kids.at[0]);
    return cw_clang_same_type(outer, inner) || (cw_clang_type(b->u, outer)->shape == CW_SHAPE_OBJECT &&
                                                cw_clang_type(b->u, inner)->shape == CW_SHAPE_OBJECT);
}

bool cw_clang_is_glvalue(struct cw_body *b, CXCursor e) {
    struct cw_kids kids;
    switch (clang_getCursorKind(e)) {
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr: return is_place_name(e);
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_StringLiteral:
    case CXCursor_CompoundAssignOperator: return true;
    case CXCursor_UnaryOperator: {
        enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(e);
        return op == CXUnaryOperator_Deref || op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec;
    }
    case CXCursor_BinaryOperator: return is_glvalue_binary(b, e);
    case CXCursor_ConditionalOperator: kids = cw_clang_kids(b->u, e); return any_glvalue(b, &kids, 1);
    case CXCursor_ParenExpr: kids = cw_clang_kids(b->u, e); return any_glvalue(b, &kids, 0);
    case CXCursor_UnexposedExpr: return is_glvalue_wrapper(b, e);
    case CXCursor_CallExpr: return cw_clang_returns_reference(b->u, e);
    case CXCursor_CStyleCastExpr:
    case CXCursor_CXXStaticCastExpr:
    case CXCursor_CXXReinterpretCastExpr:
    case CXCursor_CXXConstCastExpr:
    case CXCursor_CXXFunctionalCastExpr: return cw_clang_casts_to_reference(b, e);
    default: return false;
    }
}

/* A prvalue that somebody wants the address of. */
static cw_ref temporary(struct cw_body *b, CXCursor e) {
    CXType t = cw_clang_cursor_type(b->u, e);
    const struct cw_ctype *c = cw_clang_type(b->u, t);
    if (c->shape == CW_SHAPE_VOID) {
        cw_clang_effect(b, e);
        return cw_fn_const(b->fn, CW_PTR, 0);
    }
    if (c->shape == CW_SHAPE_OBJECT) {
        cw_ref at = cw_clang_temp(b, t, "temporary");
        cw_clang_into(b, e, at);
        return at;
    }
    return cw_clang_spill(b, cw_clang_value(b, e), t);
}

static cw_ref unknown_place(struct cw_body *b, enum cw_bail why) {
    return cw_emit_opaque(b->at, CW_PTR, why, NULL, 0);
}

static cw_ref name_addr(struct cw_body *b, CXCursor e) {
    CXCursor decl = clang_getCursorReferenced(e);
    if (!is_place_name(e))
        return temporary(b, e);
    cw_ref at = cw_clang_var_addr(b, decl);
    if (at.tag != CW_REF_NONE)
        return at;
    b->is_degraded = true;
    return unknown_place(b, CW_BAIL_UNRESOLVED_NAME);
}

/* Broken and dependent code may have anything where a pointer should be. */
cw_ref cw_clang_as_pointer(struct cw_body *b, cw_ref v) {
    if (cw_ref_type(b->fn, v) == CW_PTR)
        return v;
    b->is_degraded |= !b->fn->is_pattern;
    return cw_emit_opaque(b->at, CW_PTR, b->fn->is_pattern ? CW_BAIL_DEPENDENT : CW_BAIL_BROKEN_CODE, &v,
                          v.tag != CW_REF_NONE);
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
cw_ref cw_clang_object_of(struct cw_body *b, CXCursor member, CXType *record) {
    struct cw_kids kids = cw_clang_kids(b->u, member);
    CXCursor base = clang_getNullCursor();
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_isExpression(clang_getCursorKind(kids.at[i])) && is_before_name(kids.at[i], member)) {
            base = kids.at[i];
            break;
        }
    if (clang_Cursor_isNull(base)) {
        *record = b->this_type;
        return cw_clang_this(b);
    }
    CXType t = clang_getCanonicalType(cw_clang_cursor_type(b->u, base));
    if (t.kind == CXType_Pointer) {
        *record = clang_getPointeeType(t);
        return cw_clang_as_pointer(b, cw_clang_value(b, base));
    }
    *record = t;
    return cw_clang_operand(b, base);
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
cw_ref cw_clang_dependent_member(struct cw_body *b, CXCursor e, bool *is_volatile) {
    cw_str name = last_word(cw_str_trim(cw_clang_source(b->u, e)));
    CXCursor decl = clang_getCursorReferenced(e);
    CXType record;
    bool is_resolved = !clang_Cursor_isNull(decl) && !clang_isInvalid(clang_getCursorKind(decl));
    if (is_resolved || !name.n || !cw_clang_kids(b->u, e).n)
        return CW_NONE;
    cw_ref base = cw_clang_object_of(b, e, &record);
    *is_volatile = clang_isVolatileQualifiedType(record);
    if (cw_ref_type(b->fn, base) != CW_PTR)
        return CW_NONE;
    const char *offset = cw_arena_printf(&b->u->scratch, "offset of %.*s", (int)name.n, name.at);
    return cw_emit2(b->at, CW_OP_PTRADD, CW_PTR, 0, base, cw_emit_pure(b->at, CW_I64, offset, NULL, 0));
}

static cw_ref member_addr(struct cw_body *b, CXCursor e) {
    CXCursor field = clang_getCursorReferenced(e);
    CXType record;
    bool is_volatile;
    cw_ref dependent = cw_clang_dependent_member(b, e, &is_volatile);
    if (dependent.tag != CW_REF_NONE)
        return dependent;
    if (clang_getCursorKind(field) != CXCursor_FieldDecl)
        return name_addr(b, e);
    cw_ref base = cw_clang_object_of(b, e, &record);
    uint64_t offset;
    if (!cw_clang_field_offset(b->u, record, field, &offset))
        return cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNKNOWN_TYPE, &base, 1);
    cw_ref at = cw_clang_offset(b, cw_clang_as_pointer(b, base), offset);
    if (cw_clang_type_of(b->u, field)->is_reference)
        return cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, at);
    return at;
}

/* Bytes of the array that `array[index]` must not leave; 0 for pointers and for arrays of one element, the usual way to
 * declare one whose length is not known. */
static uint64_t extent_of_array(struct cw_body *b, CXCursor array) {
    const struct cw_ctype *t = cw_clang_type_of(b->u, cw_clang_peel(b->u, array));
    return t->is_array && clang_getArraySize(t->canonical) > 1 ? t->size : 0;
}

static cw_ref subscript_addr(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    if (kids.n != 2)
        return unknown_place(b, CW_BAIL_UNSUPPORTED_EXPR);
    CXType first = clang_getCanonicalType(cw_clang_cursor_type(b->u, kids.at[0]));
    uint32_t base_at = cw_clang_type(b->u, first)->kind.type == CW_PTR || cw_clang_type(b->u, first)->is_array ? 0 : 1;
    CXCursor index_expr = kids.at[1 - base_at], base_expr = kids.at[base_at];
    CXType index_type = cw_clang_cursor_type(b->u, index_expr);
    cw_ref base, index;
    if (base_at == 0)
        base = cw_clang_operand(b, base_expr), index = cw_clang_value(b, index_expr);
    else
        index = cw_clang_value(b, index_expr), base = cw_clang_operand(b, base_expr);
    base = cw_clang_as_pointer(b, base);
    if (index.tag == CW_REF_NONE)
        return cw_emit_opaque(b->at, CW_PTR, CW_BAIL_BROKEN_CODE, &base, 1);
    uint64_t size = cw_clang_type_of(b->u, e)->size;
    struct cw_kind k = cw_clang_type(b->u, index_type)->kind;
    k.type = cw_ref_type(b->fn, index);
    if (size && cw_type_is_int(k.type))
        return cw_array_element(b->at, base, index, k, (int64_t)size, extent_of_array(b, base_expr));
    cw_clang_bail(b, CW_BAIL_UNKNOWN_TYPE);
    cw_ref scaled = cw_emit_pure(b->at, CW_I64, "scaled", &index, 1);
    return cw_emit2(b->at, CW_OP_PTRADD, CW_PTR, 0, base, scaled);
}

static cw_ref unary_addr(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(e);
    if (op == CXUnaryOperator_Deref && kids.n == 1) {
        cw_ref v = cw_clang_operand(b, kids.at[0]);
        bool is_group = cw_ref_type(b->fn, v) == CW_GROUP; /* `*this` of a group: a value, not an address */
        return is_group ? cw_clang_spill(b, v, cw_clang_cursor_type(b->u, e)) : v;
    }
    if (op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec)
        return cw_clang_incdec(b, e, true);
    if (op == CXUnaryOperator_Extension && kids.n == 1)
        return cw_clang_addr(b, kids.at[0]);
    return temporary(b, e);
}

static cw_ref binary_addr(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    if (op == CXBinaryOperator_Comma && kids.n == 2) {
        cw_clang_effect(b, kids.at[0]);
        return cw_clang_addr(b, kids.at[1]);
    }
    if (op == CXBinaryOperator_Assign || clang_getCursorKind(e) == CXCursor_CompoundAssignOperator)
        return cw_clang_assign(b, e, true);
    return temporary(b, e);
}

static cw_ref conditional_addr(struct cw_body *b, CXCursor e) {
    return cw_clang_is_glvalue(b, e) ? cw_clang_conditional(b, e, true) : temporary(b, e);
}

static cw_ref to_base(struct cw_body *b, CXCursor operand, CXType to) {
    cw_ref at = cw_clang_addr(b, operand);
    uint64_t offset;
    CXType from = clang_getCanonicalType(cw_clang_cursor_type(b->u, operand));
    to = clang_getCanonicalType(to);
    if (from.kind != CXType_Record || to.kind != CXType_Record || cw_clang_same_type(from, to))
        return at;
    if (cw_clang_base_offset(b->u, from, to, &offset))
        return cw_clang_offset(b, at, offset);
    if (cw_clang_base_offset(b->u, to, from, &offset))
        return cw_clang_offset(b, at, (uint64_t)0 - offset);
    return cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNKNOWN_TYPE, &at, 1);
}

static cw_ref wrapper_addr(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    if (kids.n != 1 || !cw_clang_same_range(b->u, e, kids.at[0]))
        return temporary(b, e);
    CXType outer = cw_clang_cursor_type(b->u, e), inner = cw_clang_cursor_type(b->u, kids.at[0]);
    bool records = clang_getCanonicalType(outer).kind == CXType_Record &&
                   clang_getCanonicalType(inner).kind == CXType_Record &&
                   cw_clang_type(b->u, outer)->kind.type != CW_GROUP;
    bool arrays = cw_clang_type(b->u, outer)->is_array && cw_clang_type(b->u, inner)->is_array;
    if (records || arrays || (cw_clang_same_type(outer, inner) && cw_clang_is_glvalue(b, kids.at[0])))
        return to_base(b, kids.at[0], outer);
    return temporary(b, e);
}

static cw_ref paren_addr(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    return kids.n == 1 ? cw_clang_addr(b, kids.at[0]) : temporary(b, e);
}

static cw_ref cast_addr(struct cw_body *b, CXCursor e) {
    CXCursor operand = cast_operand(b, e);
    if (clang_Cursor_isNull(operand) || !cw_clang_casts_to_reference(b, e))
        return temporary(b, e);
    if (clang_getCursorKind(e) == CXCursor_CXXReinterpretCastExpr) /* the same address, whatever the classes are */
        return cw_clang_addr(b, operand);
    return to_base(b, operand, cw_clang_cursor_type(b->u, e));
}

static cw_ref call_addr(struct cw_body *b, CXCursor e) {
    return cw_clang_returns_reference(b->u, e) ? cw_clang_call(b, e, CW_NONE) : temporary(b, e);
}

/* A string: constant memory that every use of the same text shares. */
static cw_ref string_addr(struct cw_body *b, CXCursor e) {
    const struct cw_ctype *t = cw_clang_type_of(b->u, e);
    const char *text = cw_clang_text(b->u, clang_getCursorSpelling(e));
    const char *key = cw_arena_printf(&b->u->scratch, "string:%s", text);
    return cw_fn_add_object(b->fn, (struct cw_object){
        .name = text, .key = cw_intern(&b->u->module->names, key), .space = CW_SPACE_CONSTANT, .size = t->size,
        .align = 1, .element = 1, .loc = b->at.loc, .type_text = "const char[]"});
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

cw_ref cw_clang_addr(struct cw_body *b, CXCursor e) {
    size_t row = (size_t)clang_getCursorKind(e) - CXCursor_FirstExpr;
    if (b->depth >= CW_MAX_DEPTH) {
        b->is_degraded = true;
        return unknown_place(b, CW_BAIL_TOO_LARGE);
    }
    uint32_t outer = b->at.loc;
    addr_fn lower = row < sizeof addr_of / sizeof *addr_of && addr_of[row] ? addr_of[row] : temporary;
    b->depth++;
    b->at.loc = cw_clang_loc(b, e);
    cw_ref at = cw_clang_as_pointer(b, lower(b, e));
    b->at.loc = outer;
    b->depth--;
    return at;
}
