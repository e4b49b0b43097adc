/* Assignment, compound assignment, ++ and --, the conditional operator, and branches. */
#include "front/clang/lower.h"

static enum CXBinaryOperatorKind operator_of(enum CXBinaryOperatorKind op) {
    static const enum CXBinaryOperatorKind plain[] = {
        [CXBinaryOperator_MulAssign] = CXBinaryOperator_Mul, [CXBinaryOperator_DivAssign] = CXBinaryOperator_Div,
        [CXBinaryOperator_RemAssign] = CXBinaryOperator_Rem, [CXBinaryOperator_AddAssign] = CXBinaryOperator_Add,
        [CXBinaryOperator_SubAssign] = CXBinaryOperator_Sub, [CXBinaryOperator_ShlAssign] = CXBinaryOperator_Shl,
        [CXBinaryOperator_ShrAssign] = CXBinaryOperator_Shr, [CXBinaryOperator_AndAssign] = CXBinaryOperator_And,
        [CXBinaryOperator_XorAssign] = CXBinaryOperator_Xor, [CXBinaryOperator_OrAssign] = CXBinaryOperator_Or};
    return (size_t)op < sizeof plain / sizeof *plain ? plain[op] : CXBinaryOperator_Invalid;
}

static bool is_bit_field(struct cw_body *body, CXCursor cursor) {
    CXCursor place = cw_clang_peel(body->u, cursor);
    if (clang_getCursorKind(place) != CXCursor_MemberRefExpr)
        return false;
    CXCursor field = clang_getCursorReferenced(place);
    return clang_getCursorKind(field) == CXCursor_FieldDecl && clang_Cursor_isBitField(field);
}

/* A bit-field's neighbours share its bytes, so the bytes become unknown. */
static void put_value(struct cw_body *body, CXCursor place, cw_ref value, cw_ref at, CXType type) {
    uint32_t outer = body->at.loc;
    body->at.loc = cw_clang_loc(body, place);
    if (is_bit_field(body, place))
        value = cw_clang_unknown(body, type, CW_BAIL_UNION_OR_BITFIELD, &value, value.tag != CW_REF_NONE);
    if (value.tag != CW_REF_NONE)
        cw_clang_store(body, value, at, type);
    body->at.loc = outer;
}

static cw_ref get_value(struct cw_body *body, CXCursor place, cw_ref at, CXType type) {
    uint32_t outer = body->at.loc;
    body->at.loc = cw_clang_loc(body, place);
    cw_ref v = is_bit_field(body, place) ? cw_clang_unknown(body, type, CW_BAIL_UNION_OR_BITFIELD, &at, 1)
                                      : cw_clang_load(body, at, type);
    body->at.loc = outer;
    return v;
}

/* The type C++ computes a compound assignment in: the usual arithmetic conversions of both sides, after promotion. */
static CXType computed_in(struct cw_body *body, CXCursor right, CXType left, enum CXBinaryOperatorKind op) {
    const struct cw_ctype *l = cw_clang_type(body->u, left), *r = cw_clang_type_of(body->u, right);
    bool is_shift = op == CXBinaryOperator_Shl || op == CXBinaryOperator_Shr;
    if (l->kind.type == CW_PTR || is_shift || cw_type_is_float(l->kind.type))
        return cw_type_is_float(r->kind.type) && r->size > l->size ? r->canonical : l->canonical;
    return r->shape == CW_SHAPE_SCALAR && (cw_type_is_float(r->kind.type) || r->size > l->size ||
                                           (r->size == l->size && !r->kind.is_signed))
               ? r->canonical
               : l->canonical;
}

/* Integers narrower than int are computed as int: wide enough for every such operator but shifts, which promote too. */
static struct cw_kind promote_kind(struct cw_kind kind) {
    if (cw_type_is_int(kind.type) && cw_type_bits(kind.type) < 32)
        return (struct cw_kind){CW_I32, true};
    return kind;
}

static cw_ref compound_integer(struct cw_body *body, enum CXBinaryOperatorKind op, cw_ref old, cw_ref right,
                               CXType left, CXType right_type, CXType in) {
    static const enum cw_arith arith_of[] = {
        [CXBinaryOperator_Mul] = CW_ARITH_MUL, [CXBinaryOperator_Div] = CW_ARITH_DIV,
        [CXBinaryOperator_Rem] = CW_ARITH_REM, [CXBinaryOperator_Add] = CW_ARITH_ADD,
        [CXBinaryOperator_Sub] = CW_ARITH_SUB, [CXBinaryOperator_Shl] = CW_ARITH_SHL,
        [CXBinaryOperator_Shr] = CW_ARITH_SHR, [CXBinaryOperator_And] = CW_ARITH_AND,
        [CXBinaryOperator_Xor] = CW_ARITH_XOR, [CXBinaryOperator_Or] = CW_ARITH_OR};
    struct cw_kind l = cw_clang_type(body->u, left)->kind, r = cw_clang_type(body->u, right_type)->kind;
    struct cw_kind k = promote_kind(cw_clang_type(body->u, in)->kind);
    bool is_shift = op == CXBinaryOperator_Shl || op == CXBinaryOperator_Shr;
    cw_ref x = cw_convert(body->at, old, l, k), y = is_shift ? right : cw_convert(body->at, right, r, k);
    return cw_convert(body->at, cw_arith(body->at, arith_of[op], k, is_shift ? r : k, x, y), k, l);
}

static cw_ref lower_compound(struct cw_body *body, CXCursor cursor, const struct cw_kids *kids, cw_ref right,
                             cw_ref at) {
    enum CXBinaryOperatorKind op = operator_of(clang_getCursorBinaryOperatorKind(cursor));
    CXType left = cw_clang_cursor_type(body->u, kids->at[0]), right_type = cw_clang_cursor_type(body->u, kids->at[1]);
    cw_ref old = get_value(body, kids->at[0], at, left);
    if (op == CXBinaryOperator_Invalid || right.tag == CW_REF_NONE)
        return cw_clang_unknown(body, left, CW_BAIL_UNSUPPORTED_EXPR, &old, 1);
    if (cw_clang_type(body->u, left)->kind.type == CW_PTR)
        return cw_clang_advance(body, old, left, right, cw_clang_type(body->u, right_type)->kind,
                                op == CXBinaryOperator_Sub);
    return compound_integer(body, op, old, right, left, right_type, computed_in(body, kids->at[1], left, op));
}

/* The right side is evaluated first, as C++17 orders it; the left side's place once. */
cw_ref cw_clang_assign(struct cw_body *body, CXCursor cursor, bool want_addr) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 2)
        return want_addr ? cw_emit_opaque(body->at, CW_PTR, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0) : CW_NONE;
    CXType t = cw_clang_cursor_type(body->u, kids.at[0]);
    bool is_plain = clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign;
    if (is_plain && cw_clang_type(body->u, t)->shape == CW_SHAPE_OBJECT) {
        cw_ref from = cw_clang_addr(body, kids.at[1]), to = cw_clang_addr(body, kids.at[0]);
        cw_clang_copy(body, to, from, t);
        return to;
    }
    cw_ref right = is_plain ? cw_clang_value_as(body, kids.at[1], t) : cw_clang_value(body, kids.at[1]);
    cw_ref at = cw_clang_addr(body, kids.at[0]);
    cw_ref value = is_plain ? right : lower_compound(body, cursor, &kids, right, at);
    put_value(body, kids.at[0], value, at, t);
    return want_addr ? at : value;
}

static cw_ref step_value(struct cw_body *body, cw_ref old, CXType type, bool is_inc) {
    struct cw_kind k = cw_clang_type(body->u, type)->kind;
    cw_ref one = cw_fn_const(body->fn, CW_I32, 1);
    struct cw_kind of_one = {CW_I32, true};
    if (k.type == CW_PTR)
        return cw_clang_advance(body, old, type, one, of_one, !is_inc);
    if (k.type == CW_I1)
        return cw_fn_const(body->fn, CW_I1, 1);
    cw_ref by = cw_type_is_int(k.type) ? cw_fn_const(body->fn, k.type, 1) : cw_convert(body->at, one, of_one, k);
    return cw_arith(body->at, is_inc ? CW_ARITH_ADD : CW_ARITH_SUB, k, k, old, by);
}

cw_ref cw_clang_incdec(struct cw_body *body, CXCursor cursor, bool want_addr) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
    bool is_inc = op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PostInc;
    bool is_post = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PostDec;
    CXType t = cw_clang_cursor_type(body->u, kids.at[0]);
    cw_ref at = cw_clang_addr(body, kids.at[0]);
    cw_ref old = get_value(body, kids.at[0], at, t);
    cw_ref value = step_value(body, old, t, is_inc);
    put_value(body, kids.at[0], value, at, t);
    return want_addr ? at : is_post ? old : value;
}

cw_ref cw_clang_bool_temp(struct cw_body *body) {
    return cw_fn_add_object(body->fn, (struct cw_object){
        .name = "condition", .space = CW_SPACE_LOCAL, .size = 1, .align = 1, .element = 1, .loc = body->at.loc,
        .type_text = "bool"});
}

static cw_ref pointer_temp(struct cw_body *body) {
    return cw_fn_add_object(body->fn, (struct cw_object){.name = "place",
                                                         .space = CW_SPACE_LOCAL,
                                                         .size = 8,
                                                         .align = 8,
                                                         .element = 8,
                                                         .loc = body->at.loc,
                                                         .type_text = "pointer"});
}

/* Each arm in its own block: a collective there is conditional. */
cw_ref cw_clang_conditional(struct cw_body *body, CXCursor cursor, bool as_addr) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CXType t = cw_clang_cursor_type(body->u, cursor);
    const struct cw_ctype *c = cw_clang_type(body->u, t);
    if (kids.n != 3)
        return cw_clang_unknown(body, t, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    as_addr |= c->is_function; /* whose value is its address */
    bool has_value = as_addr || c->shape != CW_SHAPE_VOID;
    cw_ref at = !has_value ? CW_NONE : as_addr ? pointer_temp(body) : cw_clang_temp(body, t, "value");
    uint32_t arm[2] = {cw_fn_add_block(body->fn), cw_fn_add_block(body->fn)}, done = cw_fn_add_block(body->fn);
    cw_clang_cond(body, kids.at[0], arm[0], arm[1], CW_FROM_CONDITIONAL);
    for (uint32_t i = 0; i < 2; i++) {
        body->at.block = arm[i];
        cw_ref v = as_addr ? cw_clang_addr(body, kids.at[1 + i]) : cw_clang_value_as(body, kids.at[1 + i], t);
        if (as_addr)
            cw_emit2(body->at, CW_OP_STORE, CW_VOID, 8, v, at);
        else if (has_value && v.tag != CW_REF_NONE)
            cw_clang_store(body, v, at, t);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
    if (!has_value)
        return CW_NONE;
    return as_addr ? cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, at) : cw_clang_load(body, at, t);
}

static void cond_value(struct cw_body *body, CXCursor cursor, uint32_t yes, uint32_t no, enum cw_origin origin) {
    uint32_t loc = cw_clang_loc(body, cursor);
    cw_ref v = cw_clang_operand(body, cursor);
    if (v.tag == CW_REF_NONE || cw_clang_type_of(body->u, cursor)->shape == CW_SHAPE_OBJECT)
        v = cw_emit_opaque(body->at, CW_I1, CW_BAIL_BROKEN_CODE, &v, v.tag == CW_REF_NONE ? 0 : 1);
    struct cw_kind from = cw_clang_type_of(body->u, cursor)->kind;
    from.type = cw_ref_type(body->fn, v);
    v = cw_convert(body->at, v, from, (struct cw_kind){CW_I1, false});
    if (cw_at_is_open(body->at))
        cw_fn_branch(body->fn, body->at.block, v, yes, no, loc, origin);
}

static void cond_logical(struct cw_body *body, CXCursor cursor, bool is_and, uint32_t yes, uint32_t no,
                         enum cw_origin origin) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    uint32_t right = cw_fn_add_block(body->fn);
    cw_clang_cond(body, kids.at[0], is_and ? right : yes, is_and ? no : right, is_and ? CW_FROM_AND : CW_FROM_OR);
    body->at.block = right;
    cw_clang_cond(body, kids.at[1], yes, no, origin);
}

/* The operand of a node that passes a bool on unchanged. */
static bool passes_bool(struct cw_body *body, CXCursor cursor, CXCursor *operand) {
    enum CXCursorKind k = clang_getCursorKind(cursor);
    if (k != CXCursor_ParenExpr && k != CXCursor_UnexposedExpr)
        return false;
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 1 || !clang_isExpression(clang_getCursorKind(kids.at[0])))
        return false;
    *operand = kids.at[0];
    return k == CXCursor_ParenExpr || (cw_clang_same_range(body->u, cursor, kids.at[0]) &&
                                       cw_clang_type_of(body->u, cursor)->kind.type == CW_I1 &&
                                       cw_clang_type_of(body->u, kids.at[0])->kind.type == CW_I1);
}

void cw_clang_cond(struct cw_body *body, CXCursor cursor, uint32_t yes, uint32_t no, enum cw_origin origin) {
    CXCursor operand;
    for (uint32_t i = 0; i < CW_MAX_DEPTH && passes_bool(body, cursor, &operand); i++)
        cursor = operand;
    enum CXCursorKind k = clang_getCursorKind(cursor);
    enum CXBinaryOperatorKind op = k == CXCursor_BinaryOperator ? clang_getCursorBinaryOperatorKind(cursor) : 0;
    bool is_and = op == CXBinaryOperator_LAnd;
    if (body->depth >= CW_MAX_DEPTH) {
        cond_value(body, cursor, yes, no, origin);
        return;
    }
    body->depth++;
    if ((is_and || op == CXBinaryOperator_LOr) && cw_clang_kids(body->u, cursor).n == 2) {
        cond_logical(body, cursor, is_and, yes, no, origin);
    } else if (k == CXCursor_UnaryOperator && clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_LNot &&
               cw_clang_kids(body->u, cursor).n == 1) {
        cw_clang_cond(body, cw_clang_kids(body->u, cursor).at[0], no, yes, origin);
    } else if (op == CXBinaryOperator_Comma && cw_clang_kids(body->u, cursor).n == 2) {
        cw_clang_effect(body, cw_clang_kids(body->u, cursor).at[0]);
        cw_clang_cond(body, cw_clang_kids(body->u, cursor).at[1], yes, no, origin);
    } else {
        cond_value(body, cursor, yes, no, origin);
    }
    body->depth--;
}
