/* Scalar values of expressions. */
#include "front/clang/lower.h"

#include <string.h>

static struct cw_kind kind_of(struct cw_body *b, CXType t) {
    return cw_clang_type(b->u, t)->kind;
}

static cw_ref constant(struct cw_body *b, CXType t, int64_t value) {
    const struct cw_ctype *c = cw_clang_type(b->u, t);
    if (cw_type_is_int(c->kind.type) || c->kind.type == CW_PTR)
        return cw_fn_const(b->fn, c->kind.type, value);
    return cw_convert(b->at, cw_fn_const(b->fn, CW_I32, value), (struct cw_kind){CW_I32, true}, c->kind);
}

/* Pointers between base and derived class move by the base's offset; null stays null, which no analysis asks about. */
static cw_ref convert_pointer(struct cw_body *b, cw_ref v, CXType from, CXType to) {
    CXType f = clang_getPointeeType(clang_getCanonicalType(from)), t = clang_getPointeeType(clang_getCanonicalType(to));
    uint64_t offset;
    if (f.kind != CXType_Record || t.kind != CXType_Record || cw_clang_same_type(f, t))
        return v;
    if (cw_clang_base_offset(b->u, f, t, &offset))
        return cw_clang_offset(b, v, offset);
    if (cw_clang_base_offset(b->u, t, f, &offset))
        return cw_clang_offset(b, v, (uint64_t)0 - offset);
    return v;
}

cw_ref cw_clang_convert(struct cw_body *b, cw_ref v, CXType from, CXType to) {
    struct cw_kind f = kind_of(b, from), t = kind_of(b, to);
    if (v.tag == CW_REF_NONE)
        return v;
    if (f.type == CW_PTR && t.type == CW_PTR)
        return convert_pointer(b, v, from, to);
    f.type = cw_ref_type(b->fn, v);
    return cw_convert(b->at, v, f, t);
}

cw_ref cw_clang_value_as(struct cw_body *b, CXCursor e, CXType t) {
    if (cw_clang_type_of(b->u, e)->is_array && kind_of(b, t).type == CW_PTR)
        return cw_clang_addr(b, e);
    return cw_clang_convert(b, cw_clang_value(b, e), cw_clang_cursor_type(b->u, e), t);
}

/* ---- literals and other constants ---- */

/* The value of a scalar, the address of an object, nothing for the rest. */
cw_ref cw_clang_operand(struct cw_body *b, CXCursor e) {
    if (!clang_isExpression(clang_getCursorKind(e)))
        return CW_NONE;
    const struct cw_ctype *t = cw_clang_type_of(b->u, e);
    if (t->shape == CW_SHAPE_OBJECT)
        return cw_clang_addr(b, e);
    return cw_clang_value(b, e);
}

static cw_ref unsupported(struct cw_body *b, CXCursor e, enum cw_bail why) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    CW_VEC(cw_ref) args = {0};
    for (uint32_t i = 0; i < kids.n; i++) {
        cw_ref v = cw_clang_operand(b, kids.at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&b->u->scratch, &args, v);
    }
    return cw_clang_unknown(b, cw_clang_cursor_type(b->u, e), why, args.at, args.n);
}

static cw_ref evaluated(struct cw_body *b, CXCursor e) {
    int64_t value;
    CXType t = cw_clang_cursor_type(b->u, e);
    if (cw_clang_evaluate(e, &value))
        return constant(b, t, value);
    bool is_dependent = cw_clang_type(b->u, t)->is_dependent;
    enum cw_bail why = is_dependent ? CW_BAIL_DEPENDENT : CW_BAIL_UNSUPPORTED_EXPR;
    return cw_clang_unknown(b, t, why, NULL, 0);
}

static cw_ref floating_literal(struct cw_body *b, CXCursor e) {
    CXEvalResult r = clang_Cursor_Evaluate(e);
    double value = 0;
    if (r && clang_EvalResult_getKind(r) == CXEval_Float)
        value = clang_EvalResult_getAsDouble(r);
    if (r)
        clang_EvalResult_dispose(r);
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct cw_kind k = kind_of(b, cw_clang_cursor_type(b->u, e));
    return cw_fn_const(b->fn, k.type, bits);
}

static cw_ref null_pointer(struct cw_body *b, CXCursor e) {
    return constant(b, cw_clang_cursor_type(b->u, e), 0);
}

/* sizeof of something dependent is the same in every thread. */
static cw_ref size_of(struct cw_body *b, CXCursor e) {
    int64_t value;
    CXType t = cw_clang_cursor_type(b->u, e);
    if (cw_clang_evaluate(e, &value))
        return constant(b, t, value);
    cw_str text = cw_clang_source(b->u, e);
    return cw_emit_pure(b->at, kind_of(b, t).type, cw_arena_strndup(&b->u->scratch, text.at, text.n), NULL, 0);
}

static cw_ref this_value(struct cw_body *b, CXCursor e) {
    (void)e;
    return cw_clang_this(b);
}

/* ---- names ---- */

static cw_ref function_value(struct cw_body *b, CXCursor decl) {
    struct cw_callee *c = cw_clang_callee(b->u, decl);
    bool is_called_there = b->fn->kind != CW_FN_HOST && c->kind == CW_CALLEE_BODY && !c->is_virtual;
    c->is_device_by_use |= is_called_there && !c->is_kernel;
    if (c->is_kernel || is_called_there)
        cw_clang_queue(b->u, c);
    return cw_emit_pure(b->at, CW_PTR, c->key, NULL, 0);
}

static bool is_function(CXCursor decl) {
    enum CXCursorKind k = clang_getCursorKind(decl);
    return k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_FunctionTemplate;
}

static cw_ref load_name(struct cw_body *b, CXCursor e, CXCursor decl) {
    CXType type = cw_clang_cursor_type(b->u, e);
    cw_ref value, addr;
    if (cw_clang_sreg(b, e, &value) || cw_clang_var_const(b, decl, &value))
        return value;
    if (clang_getCursorKind(decl) == CXCursor_NonTypeTemplateParameter) {
        addr = cw_clang_var_addr(b, decl);
        return addr.tag == CW_REF_TPARAM ? addr : cw_clang_unknown(b, type, CW_BAIL_DEPENDENT, NULL, 0);
    }
    addr = cw_clang_var_addr(b, decl);
    int64_t known;
    if (addr.tag == CW_REF_NONE && cw_type_is_int(kind_of(b, type).type) && cw_clang_evaluate(e, &known))
        return constant(b, type, known); /* a variable template's instance, which is no VarDecl here */
    if (addr.tag == CW_REF_NONE) {
        b->is_degraded |= !b->fn->is_pattern;
        return cw_clang_unknown(b, type, b->fn->is_pattern ? CW_BAIL_DEPENDENT : CW_BAIL_UNRESOLVED_NAME, NULL, 0);
    }
    if (kind_of(b, type).type == CW_PTR && cw_clang_type_of(b->u, decl)->is_array)
        return addr;
    return cw_clang_load(b, addr, type);
}

static cw_ref name(struct cw_body *b, CXCursor e) {
    CXCursor decl = clang_getCursorReferenced(e);
    if (clang_getCursorKind(decl) == CXCursor_EnumConstantDecl)
        return constant(b, cw_clang_cursor_type(b->u, e), clang_getEnumConstantDeclValue(decl));
    if (is_function(decl))
        return function_value(b, decl);
    if (!clang_Cursor_isNull(decl) && !clang_isInvalid(clang_getCursorKind(decl)))
        return load_name(b, e, decl);
    struct cw_kids kids = cw_clang_kids(b->u, e);
    if (kids.n == 1 && clang_isExpression(clang_getCursorKind(kids.at[0])))
        return cw_clang_value_as(b, kids.at[0], cw_clang_cursor_type(b->u, e));
    b->is_degraded = true;
    return cw_clang_unknown(b, cw_clang_cursor_type(b->u, e), CW_BAIL_UNRESOLVED_NAME, NULL, 0);
}

static cw_ref member(struct cw_body *b, CXCursor e) {
    cw_ref value;
    CXCursor decl = clang_getCursorReferenced(e);
    enum CXCursorKind k = clang_getCursorKind(decl);
    if (cw_clang_sreg(b, e, &value))
        return value;
    if (k == CXCursor_FieldDecl && clang_Cursor_isBitField(decl)) {
        cw_ref at = cw_clang_addr(b, e);
        return cw_clang_unknown(b, cw_clang_cursor_type(b->u, e), CW_BAIL_UNION_OR_BITFIELD, &at, 1);
    }
    if (k == CXCursor_FieldDecl)
        return cw_clang_load(b, cw_clang_addr(b, e), cw_clang_cursor_type(b->u, e));
    bool is_volatile;
    cw_ref at = cw_clang_dependent_member(b, e, &is_volatile);
    if (at.tag == CW_REF_NONE)
        return name(b, e);
    cw_ref loaded = cw_clang_load(b, at, cw_clang_cursor_type(b->u, e));
    if (is_volatile && cw_ins_of(b->fn, loaded))
        cw_ins_of(b->fn, loaded)->flags |= CW_INS_VOLATILE;
    return loaded;
}

static cw_ref from_memory(struct cw_body *b, CXCursor e) {
    return cw_clang_load(b, cw_clang_addr(b, e), cw_clang_cursor_type(b->u, e));
}

/* ---- operators ---- */

static cw_ref unary_plain(struct cw_body *b, CXCursor e, CXCursor operand, enum CXUnaryOperatorKind op) {
    CXType t = cw_clang_cursor_type(b->u, e);
    struct cw_kind k = kind_of(b, t);
    if (op == CXUnaryOperator_LNot) {
        struct cw_kind from = kind_of(b, cw_clang_cursor_type(b->u, operand));
        cw_ref v = cw_clang_operand(b, operand);
        if (v.tag == CW_REF_NONE)
            return cw_clang_unknown(b, t, CW_BAIL_BROKEN_CODE, NULL, 0);
        from.type = cw_ref_type(b->fn, v);
        v = cw_arith_not(b->at, cw_convert(b->at, v, from, (struct cw_kind){CW_I1, false}));
        return cw_convert(b->at, v, (struct cw_kind){CW_I1, false}, k);
    }
    cw_ref v = cw_clang_value_as(b, operand, t);
    if (v.tag == CW_REF_NONE)
        return cw_clang_unknown(b, t, CW_BAIL_BROKEN_CODE, NULL, 0);
    if (op == CXUnaryOperator_Minus)
        return cw_arith_negate(b->at, k, v);
    return op == CXUnaryOperator_Not ? cw_arith_invert(b->at, k, v) : v;
}

static cw_ref unary(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(e);
    if (kids.n != 1)
        return unsupported(b, e, CW_BAIL_UNSUPPORTED_EXPR);
    switch (op) {
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not:
    case CXUnaryOperator_LNot:
    case CXUnaryOperator_Extension: return unary_plain(b, e, kids.at[0], op);
    case CXUnaryOperator_AddrOf:
        if (is_function(clang_getCursorReferenced(kids.at[0])))
            return cw_clang_value(b, kids.at[0]);
        return cw_clang_addr(b, kids.at[0]);
    case CXUnaryOperator_Deref: return from_memory(b, e);
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return cw_clang_incdec(b, e, false);
    default: return unsupported(b, e, CW_BAIL_UNSUPPORTED_EXPR);
    }
}

static const enum cw_arith arith_of[] = {
    [CXBinaryOperator_Mul] = CW_ARITH_MUL, [CXBinaryOperator_Div] = CW_ARITH_DIV, [CXBinaryOperator_Rem] = CW_ARITH_REM,
    [CXBinaryOperator_Add] = CW_ARITH_ADD, [CXBinaryOperator_Sub] = CW_ARITH_SUB, [CXBinaryOperator_Shl] = CW_ARITH_SHL,
    [CXBinaryOperator_Shr] = CW_ARITH_SHR, [CXBinaryOperator_LT] = CW_ARITH_LT,   [CXBinaryOperator_GT] = CW_ARITH_GT,
    [CXBinaryOperator_LE] = CW_ARITH_LE,   [CXBinaryOperator_GE] = CW_ARITH_GE,   [CXBinaryOperator_EQ] = CW_ARITH_EQ,
    [CXBinaryOperator_NE] = CW_ARITH_NE,   [CXBinaryOperator_And] = CW_ARITH_AND, [CXBinaryOperator_Xor] = CW_ARITH_XOR,
    [CXBinaryOperator_Or] = CW_ARITH_OR,
};

/* pointer - pointer */
static cw_ref distance(struct cw_body *b, cw_ref x, cw_ref y, CXType pointer, CXType result) {
    int64_t size = cw_clang_pointee_size(b->u, pointer);
    cw_ref args[2] = {x, y};
    if (size < 0)
        return cw_emit_pure(b->at, kind_of(b, result).type, "distance", args, 2);
    cw_ref bytes = cw_emit2(b->at, CW_OP_SUB, CW_I64, 0, cw_emit1(b->at, CW_OP_PTRTOINT, CW_I64, 0, x),
                            cw_emit1(b->at, CW_OP_PTRTOINT, CW_I64, 0, y));
    return size == 1 ? bytes : cw_emit2(b->at, CW_OP_SDIV, CW_I64, 0, bytes, cw_fn_const(b->fn, CW_I64, size));
}

/* Operands of one type, as C++ has made them by its own conversions. In dependent code it has not. */
static cw_ref plain_arith(struct cw_body *b, enum cw_arith op, cw_ref x, cw_ref y, CXType tx, CXType ty,
                          CXType result) {
    struct cw_kind kx = kind_of(b, tx), ky = kind_of(b, ty), kr = kind_of(b, result);
    bool is_shift = op == CW_ARITH_SHL || op == CW_ARITH_SHR;
    kx.type = cw_ref_type(b->fn, x);
    ky.type = cw_ref_type(b->fn, y);
    if (kx.type != ky.type && !is_shift) {
        cw_ref args[2] = {x, y};
        return cw_emit_pure(b->at, cw_arith_is_compare(op) ? CW_I1 : kr.type, "mixed", args, 2);
    }
    cw_ref v = cw_arith(b->at, op, kx, ky, x, y);
    return cw_arith_is_compare(op) ? cw_convert(b->at, v, (struct cw_kind){CW_I1, false}, kr) : v;
}

static cw_ref binary_values(struct cw_body *b, enum CXBinaryOperatorKind op, cw_ref x, cw_ref y, CXType tx, CXType ty,
                            CXType result) {
    bool is_add = op == CXBinaryOperator_Add, is_sub = op == CXBinaryOperator_Sub;
    enum cw_type x_type = cw_ref_type(b->fn, x), y_type = cw_ref_type(b->fn, y);
    if (is_sub && x_type == CW_PTR && y_type == CW_PTR)
        return distance(b, x, y, tx, result);
    if ((is_add || is_sub) && x_type == CW_PTR)
        return cw_clang_advance(b, x, tx, y, kind_of(b, ty), is_sub);
    if (is_add && y_type == CW_PTR)
        return cw_clang_advance(b, y, ty, x, kind_of(b, tx), false);
    return plain_arith(b, arith_of[op], x, y, tx, ty, result);
}

cw_ref cw_clang_binary(struct cw_body *b, enum CXBinaryOperatorKind op, cw_ref x, cw_ref y, CXType tx, CXType ty,
                       CXType result) {
    if (x.tag == CW_REF_NONE || y.tag == CW_REF_NONE || (size_t)op >= sizeof arith_of / sizeof *arith_of)
        return cw_clang_unknown(b, result, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    return binary_values(b, op, x, y, tx, ty, result);
}

cw_ref cw_clang_advance(struct cw_body *b, cw_ref pointer, CXType pointer_type, cw_ref n, struct cw_kind k, bool back) {
    int64_t size = cw_clang_pointee_size(b->u, pointer_type);
    k.type = cw_ref_type(b->fn, n);
    if (size < 0 || !cw_type_is_int(k.type)) {
        cw_ref scaled = cw_emit_pure(b->at, CW_I64, back ? "-scaled" : "scaled", &n, 1);
        return cw_emit2(b->at, CW_OP_PTRADD, CW_PTR, 0, pointer, scaled);
    }
    return cw_pointer_add(b->at, pointer, n, k, back ? -size : size);
}

static cw_ref comma(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    if (kids.n != 2)
        return unsupported(b, e, CW_BAIL_UNSUPPORTED_EXPR);
    cw_clang_effect(b, kids.at[0]);
    return cw_clang_value(b, kids.at[1]);
}

/* && and || as a value: a branch over a temporary. */
static cw_ref logical(struct cw_body *b, CXCursor e) {
    uint32_t yes = cw_clang_block(b), no = cw_clang_block(b), done = cw_clang_block(b);
    cw_ref at = cw_clang_bool_temp(b);
    bool is_and = clang_getCursorBinaryOperatorKind(e) == CXBinaryOperator_LAnd;
    cw_clang_cond(b, e, yes, no, is_and ? CW_FROM_AND : CW_FROM_OR);
    for (int i = 0; i < 2; i++) {
        b->at.block = i ? yes : no;
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(b->fn, CW_I1, i), at);
        cw_clang_go(b, done, 0, CW_FROM_NONE);
    }
    b->at.block = done;
    cw_ref v = cw_emit1(b->at, CW_OP_LOAD, CW_I1, 1, at);
    return cw_convert(b->at, v, (struct cw_kind){CW_I1, false}, kind_of(b, cw_clang_cursor_type(b->u, e)));
}

static cw_ref binary(struct cw_body *b, CXCursor e) {
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(e);
    if (op == CXBinaryOperator_Comma)
        return comma(b, e);
    if (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr)
        return logical(b, e);
    if (op == CXBinaryOperator_Assign)
        return cw_clang_assign(b, e, false);
    struct cw_kids kids = cw_clang_kids(b->u, e);
    if (kids.n != 2 || (size_t)op >= sizeof arith_of / sizeof *arith_of || op < CXBinaryOperator_Mul ||
        op == CXBinaryOperator_Cmp)
        return unsupported(b, e, CW_BAIL_UNSUPPORTED_EXPR);
    cw_ref x = cw_clang_value(b, kids.at[0]), y = cw_clang_value(b, kids.at[1]);
    return cw_clang_binary(b, op, x, y, cw_clang_cursor_type(b->u, kids.at[0]), cw_clang_cursor_type(b->u, kids.at[1]),
                           cw_clang_cursor_type(b->u, e));
}

static cw_ref compound_assign(struct cw_body *b, CXCursor e) {
    return cw_clang_assign(b, e, false);
}

static cw_ref conditional(struct cw_body *b, CXCursor e) {
    return cw_clang_conditional(b, e, false);
}

/* ---- casts and wrappers ---- */

static CXCursor last_expression(const struct cw_kids *kids) {
    for (uint32_t i = kids->n; i-- > 0;)
        if (clang_isExpression(clang_getCursorKind(kids->at[i])))
            return kids->at[i];
    return clang_getNullCursor();
}

/* From the operand to the type of `e`, by what the two types say. */
static cw_ref converted(struct cw_body *b, CXCursor e, CXCursor operand) {
    CXType to = cw_clang_cursor_type(b->u, e), from = cw_clang_cursor_type(b->u, operand);
    const struct cw_ctype *f = cw_clang_type(b->u, from), *t = cw_clang_type(b->u, to);
    if (f->is_array && t->kind.type == CW_PTR)
        return cw_clang_addr(b, operand);
    if (t->shape == CW_SHAPE_VOID) {
        cw_clang_effect(b, operand);
        return CW_NONE;
    }
    if (f->shape == CW_SHAPE_OBJECT) {
        cw_ref at = cw_clang_addr(b, operand);
        return cw_clang_unknown(b, to, CW_BAIL_UNSUPPORTED_EXPR, &at, 1);
    }
    if (f->is_function)
        return cw_clang_value(b, operand);
    return cw_clang_convert(b, cw_clang_value(b, operand), from, to);
}

static cw_ref cast(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    CXCursor operand = last_expression(&kids);
    if (clang_Cursor_isNull(operand))
        return evaluated(b, e);
    if (cw_clang_casts_to_reference(b, e))
        return from_memory(b, e);
    return converted(b, e, operand);
}

/* An implicit conversion covers exactly its operand's text; other unnamed nodes (noexcept, type traits, …) do not. */
static cw_ref unexposed(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    CXCursor operand = last_expression(&kids);
    if (clang_Cursor_isNull(operand))
        return kids.n ? cw_clang_broken(b, e, &kids) : evaluated(b, e);
    if (kids.n == 1 && cw_clang_same_range(b->u, e, operand))
        return converted(b, e, operand);
    return cw_clang_broken(b, e, &kids);
}

static cw_ref paren(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    return kids.n == 1 ? cw_clang_value(b, kids.at[0]) : unsupported(b, e, CW_BAIL_UNSUPPORTED_EXPR);
}

/* `int x{3}`, `T()`: at most one scalar. */
static cw_ref scalar_list(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    CXCursor operand = last_expression(&kids);
    if (clang_Cursor_isNull(operand))
        return constant(b, cw_clang_cursor_type(b->u, e), 0);
    return cw_clang_value_as(b, operand, cw_clang_cursor_type(b->u, e));
}

static cw_ref call(struct cw_body *b, CXCursor e) {
    if (cw_clang_returns_reference(b->u, e))
        return from_memory(b, e);
    return cw_clang_call(b, e, CW_NONE);
}

static cw_ref statement_expression(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e), body;
    if (kids.n != 1)
        return unsupported(b, e, CW_BAIL_UNSUPPORTED_EXPR);
    body = cw_clang_kids(b->u, kids.at[0]);
    for (uint32_t i = 0; i + 1 < body.n; i++)
        cw_clang_stmt(b, body.at[i]);
    if (!body.n)
        return CW_NONE;
    CXCursor last = body.at[body.n - 1];
    if (clang_isExpression(clang_getCursorKind(last)))
        return cw_clang_value(b, last);
    cw_clang_stmt(b, last);
    return CW_NONE;
}

/* new may construct in memory that its operands name (placement); what it returns is unknown. */
static cw_ref allocate(struct cw_body *b, CXCursor e) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    struct cw_refs args = {0};
    for (uint32_t i = 0; i < kids.n; i++) {
        cw_ref v = cw_clang_operand(b, kids.at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&b->u->scratch, &args, v);
    }
    cw_ref r = cw_fn_emit(b->fn, b->at.block, CW_OP_OPCALL, CW_PTR, CW_BAIL_UNSUPPORTED_EXPR, args.at, args.n,
                          b->at.loc);
    b->fn->ins.at[b->fn->ins.n - 1].flags = CW_INS_IMPLICIT;
    return r;
}

static cw_ref thrown(struct cw_body *b, CXCursor e) {
    unsupported(b, e, CW_BAIL_EXCEPTION);
    if (cw_clang_is_open(b))
        cw_fn_trap(b->fn, b->at.block, b->at.loc);
    cw_clang_dead(b);
    return CW_NONE;
}

static cw_ref other(struct cw_body *b, CXCursor e) {
    return unsupported(b, e, CW_BAIL_UNSUPPORTED_EXPR);
}

typedef cw_ref (*value_fn)(struct cw_body *, CXCursor);

static const value_fn value_of[] = {
#define ROW(kind) [CXCursor_##kind - CXCursor_FirstExpr]
    ROW(UnexposedExpr) = unexposed,
    ROW(DeclRefExpr) = name,
    ROW(MemberRefExpr) = member,
    ROW(CallExpr) = call,
    ROW(IntegerLiteral) = evaluated,
    ROW(CharacterLiteral) = evaluated,
    ROW(CXXBoolLiteralExpr) = evaluated,
    ROW(FloatingLiteral) = floating_literal,
    ROW(StringLiteral) = from_memory,
    ROW(CXXNullPtrLiteralExpr) = null_pointer,
    ROW(GNUNullExpr) = null_pointer,
    ROW(CXXThisExpr) = this_value,
    ROW(ParenExpr) = paren,
    ROW(UnaryOperator) = unary,
    ROW(ArraySubscriptExpr) = from_memory,
    ROW(BinaryOperator) = binary,
    ROW(CompoundAssignOperator) = compound_assign,
    ROW(ConditionalOperator) = conditional,
    ROW(CStyleCastExpr) = cast,
    ROW(CXXStaticCastExpr) = cast,
    ROW(CXXReinterpretCastExpr) = cast,
    ROW(CXXConstCastExpr) = cast,
    ROW(CXXFunctionalCastExpr) = cast,
    ROW(CXXAddrspaceCastExpr) = cast,
    ROW(CompoundLiteralExpr) = from_memory,
    ROW(InitListExpr) = scalar_list,
    ROW(CXXParenListInitExpr) = scalar_list,
    ROW(StmtExpr) = statement_expression,
    ROW(UnaryExpr) = size_of,
    ROW(SizeOfPackExpr) = size_of,
    ROW(CXXThrowExpr) = thrown,
    ROW(CXXNewExpr) = allocate,
    ROW(RequiresExpr) = evaluated,
    ROW(ConceptSpecializationExpr) = evaluated,
#undef ROW
};

cw_ref cw_clang_value(struct cw_body *b, CXCursor e) {
    size_t row = (size_t)clang_getCursorKind(e) - CXCursor_FirstExpr;
    if (b->depth >= CW_MAX_DEPTH) {
        b->is_degraded = true;
        return cw_clang_unknown(b, cw_clang_cursor_type(b->u, e), CW_BAIL_TOO_LARGE, NULL, 0);
    }
    uint32_t outer = b->at.loc;
    value_fn lower = row < sizeof value_of / sizeof *value_of && value_of[row] ? value_of[row] : other;
    b->depth++;
    b->at.loc = cw_clang_loc(b, e);
    cw_ref v = lower(b, e);
    enum cw_shape shape = cw_clang_type_of(b->u, e)->shape;
    if (v.tag == CW_REF_NONE && (shape == CW_SHAPE_SCALAR || shape == CW_SHAPE_UNKNOWN))
        v = cw_clang_unknown(b, cw_clang_cursor_type(b->u, e), CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    b->at.loc = outer;
    b->depth--;
    return v;
}
