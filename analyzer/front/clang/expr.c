/* Scalar values of expressions. */
#include "front/clang/lower.h"

#include <string.h>

static struct cw_kind kind_of(struct cw_body *body, CXType type) {
    return cw_clang_type(body->u, type)->kind;
}

static cw_ref make_constant(struct cw_body *body, CXType type, int64_t value) {
    const struct cw_ctype *c = cw_clang_type(body->u, type);
    if (cw_type_is_int(c->kind.type) || c->kind.type == CW_PTR)
        return cw_fn_const(body->fn, c->kind.type, value);
    return cw_convert(body->at, cw_fn_const(body->fn, CW_I32, value), (struct cw_kind){CW_I32, true}, c->kind);
}

/* Pointers between base and derived class move by the base's offset; null stays null, which no analysis asks about. */
static cw_ref convert_pointer(struct cw_body *body, cw_ref ref, CXType from, CXType to) {
    CXType f = clang_getPointeeType(clang_getCanonicalType(from)), t = clang_getPointeeType(clang_getCanonicalType(to));
    uint64_t offset;
    if (f.kind != CXType_Record || t.kind != CXType_Record || cw_clang_same_type(f, t))
        return ref;
    if (cw_clang_base_offset(body->u, f, t, &offset))
        return cw_at_offset(body->at, ref, offset);
    if (cw_clang_base_offset(body->u, t, f, &offset))
        return cw_at_offset(body->at, ref, (uint64_t)0 - offset);
    return ref;
}

cw_ref cw_clang_convert(struct cw_body *body, cw_ref ref, CXType from, CXType to) {
    struct cw_kind f = kind_of(body, from), t = kind_of(body, to);
    if (ref.tag == CW_REF_NONE)
        return ref;
    if (f.type == CW_PTR && t.type == CW_PTR)
        return convert_pointer(body, ref, from, to);
    f.type = cw_ref_type(body->fn, ref);
    return cw_convert(body->at, ref, f, t);
}

cw_ref cw_clang_value_as(struct cw_body *body, CXCursor cursor, CXType type) {
    if (cw_clang_type_of(body->u, cursor)->is_array && kind_of(body, type).type == CW_PTR)
        return cw_clang_addr(body, cursor);
    return cw_clang_convert(body, cw_clang_value(body, cursor), cw_clang_cursor_type(body->u, cursor), type);
}

/* ---- literals and other constants ---- */

/* The value of a scalar, the address of an object, nothing for the rest. */
cw_ref cw_clang_operand(struct cw_body *body, CXCursor cursor) {
    if (!clang_isExpression(clang_getCursorKind(cursor)))
        return CW_NONE;
    const struct cw_ctype *t = cw_clang_type_of(body->u, cursor);
    if (t->shape == CW_SHAPE_OBJECT)
        return cw_clang_addr(body, cursor);
    return cw_clang_value(body, cursor);
}

static cw_ref lower_unsupported(struct cw_body *body, CXCursor cursor, enum cw_bail why) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CW_VEC(cw_ref) args = {0};
    for (uint32_t i = 0; i < kids.n; i++) {
        cw_ref v = cw_clang_operand(body, kids.at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&body->u->scratch, &args, v);
    }
    return cw_clang_unknown(body, cw_clang_cursor_type(body->u, cursor), why, args.at, args.n);
}

static cw_ref lower_evaluated(struct cw_body *body, CXCursor cursor) {
    int64_t value;
    CXType t = cw_clang_cursor_type(body->u, cursor);
    if (cw_clang_evaluate(cursor, &value))
        return make_constant(body, t, value);
    bool is_dependent = cw_clang_type(body->u, t)->is_dependent;
    enum cw_bail why = is_dependent ? CW_BAIL_DEPENDENT : CW_BAIL_UNSUPPORTED_EXPR;
    return cw_clang_unknown(body, t, why, NULL, 0);
}

static cw_ref floating_literal(struct cw_body *body, CXCursor cursor) {
    CXEvalResult r = clang_Cursor_Evaluate(cursor);
    double value = 0;
    if (r && clang_EvalResult_getKind(r) == CXEval_Float)
        value = clang_EvalResult_getAsDouble(r);
    if (r)
        clang_EvalResult_dispose(r);
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct cw_kind k = kind_of(body, cw_clang_cursor_type(body->u, cursor));
    return cw_fn_const(body->fn, k.type, bits);
}

static cw_ref null_pointer(struct cw_body *body, CXCursor cursor) {
    return make_constant(body, cw_clang_cursor_type(body->u, cursor), 0);
}

/* sizeof of something dependent is the same in every thread. */
static cw_ref size_of(struct cw_body *body, CXCursor cursor) {
    int64_t value;
    CXType t = cw_clang_cursor_type(body->u, cursor);
    if (cw_clang_evaluate(cursor, &value))
        return make_constant(body, t, value);
    cw_str text = cw_clang_source(body->u, cursor);
    return cw_emit_pure(body->at, kind_of(body, t).type, cw_arena_strndup(&body->u->scratch, text.at, text.n), NULL, 0);
}

static cw_ref this_value(struct cw_body *body, CXCursor cursor) {
    (void)cursor;
    return cw_clang_this(body);
}

/* ---- names ---- */

static cw_ref function_value(struct cw_body *body, CXCursor decl) {
    struct cw_callee *c = cw_clang_callee(body->u, decl);
    bool is_called_there = body->fn->kind != CW_FN_HOST && c->kind == CW_CALLEE_BODY && !c->is_virtual;
    c->is_device_by_use |= is_called_there && !c->is_kernel;
    if (c->is_kernel || is_called_there)
        cw_clang_queue(body->u, c);
    return cw_emit_pure(body->at, CW_PTR, c->key, NULL, 0);
}

static bool is_function(CXCursor decl) {
    enum CXCursorKind k = clang_getCursorKind(decl);
    return k == CXCursor_FunctionDecl || k == CXCursor_CXXMethod || k == CXCursor_FunctionTemplate;
}

static cw_ref load_name(struct cw_body *body, CXCursor cursor, CXCursor decl) {
    CXType type = cw_clang_cursor_type(body->u, cursor);
    cw_ref value, addr;
    if (cw_clang_sreg(body, cursor, &value) || cw_clang_var_const(body, decl, &value))
        return value;
    if (clang_getCursorKind(decl) == CXCursor_NonTypeTemplateParameter) {
        addr = cw_clang_var_addr(body, decl);
        return addr.tag == CW_REF_TPARAM ? addr : cw_clang_unknown(body, type, CW_BAIL_DEPENDENT, NULL, 0);
    }
    addr = cw_clang_var_addr(body, decl);
    int64_t known;
    if (addr.tag == CW_REF_NONE && cw_type_is_int(kind_of(body, type).type) && cw_clang_evaluate(cursor, &known))
        return make_constant(body, type, known); /* a variable template's instance, which is no VarDecl here */
    if (addr.tag == CW_REF_NONE) {
        body->is_degraded |= !body->fn->is_pattern;
        return cw_clang_unknown(body, type, body->fn->is_pattern ? CW_BAIL_DEPENDENT : CW_BAIL_UNRESOLVED_NAME, NULL,
                                0);
    }
    if (kind_of(body, type).type == CW_PTR && cw_clang_type_of(body->u, decl)->is_array)
        return addr;
    if (clang_getCanonicalType(type).kind == CXType_FunctionProto)
        return addr; /* what a reference to a function is bound to */
    return cw_clang_load(body, addr, type);
}

/* `kernel<1>` in braces: clang's list as written names the template, and its instances are not told apart. */
static cw_ref kernel_template(struct cw_body *body, CXCursor decl) {
    if (clang_getCursorKind(decl) != CXCursor_OverloadedDeclRef || clang_getNumOverloadedDecls(decl) != 1)
        return CW_NONE;
    CXCursor only = clang_getOverloadedDecl(decl, 0);
    if (clang_getCursorKind(only) != CXCursor_FunctionTemplate || !cw_clang_callee(body->u, only)->is_kernel)
        return CW_NONE;
    return cw_emit_pure(body->at, CW_PTR, cw_clang_callee(body->u, only)->key, NULL, 0);
}

static cw_ref lower_name(struct cw_body *body, CXCursor cursor) {
    CXCursor decl = clang_getCursorReferenced(cursor);
    cw_ref kernel = body->fn->kind == CW_FN_HOST ? kernel_template(body, decl) : CW_NONE;
    if (kernel.tag != CW_REF_NONE)
        return kernel;
    if (clang_getCursorKind(decl) == CXCursor_EnumConstantDecl)
        return make_constant(body, cw_clang_cursor_type(body->u, cursor), clang_getEnumConstantDeclValue(decl));
    if (is_function(decl))
        return function_value(body, decl);
    if (!clang_Cursor_isNull(decl) && !clang_isInvalid(clang_getCursorKind(decl)))
        return load_name(body, cursor, decl);
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n == 1 && clang_isExpression(clang_getCursorKind(kids.at[0])))
        return cw_clang_value_as(body, kids.at[0], cw_clang_cursor_type(body->u, cursor));
    body->is_degraded = true;
    return cw_clang_unknown(body, cw_clang_cursor_type(body->u, cursor), CW_BAIL_UNRESOLVED_NAME, NULL, 0);
}

static cw_ref lower_member(struct cw_body *body, CXCursor cursor) {
    cw_ref value;
    CXCursor decl = clang_getCursorReferenced(cursor);
    enum CXCursorKind k = clang_getCursorKind(decl);
    if (cw_clang_sreg(body, cursor, &value))
        return value;
    if (k == CXCursor_FieldDecl && clang_Cursor_isBitField(decl)) {
        cw_ref at = cw_clang_addr(body, cursor);
        return cw_clang_unknown(body, cw_clang_cursor_type(body->u, cursor), CW_BAIL_UNION_OR_BITFIELD, &at, 1);
    }
    if (k == CXCursor_FieldDecl)
        return cw_clang_load(body, cw_clang_addr(body, cursor), cw_clang_cursor_type(body->u, cursor));
    bool is_volatile;
    cw_ref at = cw_clang_dependent_member(body, cursor, &is_volatile);
    if (at.tag == CW_REF_NONE)
        return lower_name(body, cursor);
    cw_ref loaded = cw_clang_load(body, at, cw_clang_cursor_type(body->u, cursor));
    if (is_volatile && cw_ins_of(body->fn, loaded))
        cw_ins_of(body->fn, loaded)->flags |= CW_INS_VOLATILE;
    return loaded;
}

static cw_ref from_memory(struct cw_body *body, CXCursor cursor) {
    return cw_clang_load(body, cw_clang_addr(body, cursor), cw_clang_cursor_type(body->u, cursor));
}

/* ---- operators ---- */

static cw_ref unary_plain(struct cw_body *body, CXCursor cursor, CXCursor operand, enum CXUnaryOperatorKind op) {
    CXType t = cw_clang_cursor_type(body->u, cursor);
    struct cw_kind k = kind_of(body, t);
    if (op == CXUnaryOperator_LNot) {
        struct cw_kind from = kind_of(body, cw_clang_cursor_type(body->u, operand));
        cw_ref v = cw_clang_operand(body, operand);
        if (v.tag == CW_REF_NONE)
            return cw_clang_unknown(body, t, CW_BAIL_BROKEN_CODE, NULL, 0);
        from.type = cw_ref_type(body->fn, v);
        v = cw_arith_not(body->at, cw_convert(body->at, v, from, (struct cw_kind){CW_I1, false}));
        return cw_convert(body->at, v, (struct cw_kind){CW_I1, false}, k);
    }
    cw_ref v = cw_clang_value_as(body, operand, t);
    if (v.tag == CW_REF_NONE)
        return cw_clang_unknown(body, t, CW_BAIL_BROKEN_CODE, NULL, 0);
    if (op == CXUnaryOperator_Minus)
        return cw_arith_negate(body->at, k, v);
    return op == CXUnaryOperator_Not ? cw_arith_invert(body->at, k, v) : v;
}

/* A call refers to its callee, too: `&at(i)` is the address of what at() returns a reference to. */
static bool names_function(struct cw_body *body, CXCursor operand) {
    while (clang_getCursorKind(operand) == CXCursor_ParenExpr ||
           clang_getCursorKind(operand) == CXCursor_UnexposedExpr) {
        struct cw_kids kids = cw_clang_kids(body->u, operand);
        if (kids.n != 1)
            break;
        operand = kids.at[0];
    }
    return clang_getCursorKind(operand) != CXCursor_CallExpr && is_function(clang_getCursorReferenced(operand));
}

/* The address may lead to all of an array of arrays, as `&s[0][0]` and `(float *)s` do, where `s[0]` leads to a row. */
static cw_ref as_flat(struct cw_body *body, cw_ref address) {
    cw_ref root = address;
    for (const struct cw_ins *i; (i = cw_ins_of(body->fn, root)) && i->op == CW_OP_PTRADD;)
        root = cw_arg(body->fn, i, 0);
    if (root.tag == CW_REF_OBJECT)
        body->fn->objects.at[root.index].row = 0;
    return address;
}

static cw_ref lower_unary(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
    if (kids.n != 1)
        return lower_unsupported(body, cursor, CW_BAIL_UNSUPPORTED_EXPR);
    switch (op) {
    case CXUnaryOperator_Plus:
    case CXUnaryOperator_Minus:
    case CXUnaryOperator_Not:
    case CXUnaryOperator_LNot:
    case CXUnaryOperator_Extension: return unary_plain(body, cursor, kids.at[0], op);
    case CXUnaryOperator_AddrOf:
        if (names_function(body, kids.at[0]))
            return cw_clang_value(body, kids.at[0]);
        return as_flat(body, cw_clang_addr(body, kids.at[0]));
    case CXUnaryOperator_Deref: return from_memory(body, cursor);
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec: return cw_clang_incdec(body, cursor, false);
    default: return lower_unsupported(body, cursor, CW_BAIL_UNSUPPORTED_EXPR);
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
static cw_ref lower_distance(struct cw_body *body, cw_ref left, cw_ref right, CXType pointer, CXType result) {
    int64_t size = cw_clang_pointee_size(body->u, pointer);
    cw_ref args[2] = {left, right};
    if (size < 0)
        return cw_emit_pure(body->at, kind_of(body, result).type, "distance", args, 2);
    cw_ref bytes = cw_emit2(body->at, CW_OP_SUB, CW_I64, 0, cw_emit1(body->at, CW_OP_PTRTOINT, CW_I64, 0, left),
                            cw_emit1(body->at, CW_OP_PTRTOINT, CW_I64, 0, right));
    return size == 1 ? bytes : cw_emit2(body->at, CW_OP_SDIV, CW_I64, 0, bytes, cw_fn_const(body->fn, CW_I64, size));
}

/* Operands of one type, as C++ has made them by its own conversions. In dependent code it has not. */
static cw_ref plain_arith(struct cw_body *body, enum cw_arith op, cw_ref left, cw_ref right, CXType tx, CXType ty,
                          CXType result) {
    struct cw_kind kx = kind_of(body, tx), ky = kind_of(body, ty), kr = kind_of(body, result);
    bool is_shift = op == CW_ARITH_SHL || op == CW_ARITH_SHR;
    kx.type = cw_ref_type(body->fn, left);
    ky.type = cw_ref_type(body->fn, right);
    if (kx.type != ky.type && !is_shift) {
        cw_ref args[2] = {left, right};
        return cw_emit_pure(body->at, cw_arith_is_compare(op) ? CW_I1 : kr.type, "mixed", args, 2);
    }
    cw_ref v = cw_arith(body->at, op, kx, ky, left, right);
    return cw_arith_is_compare(op) ? cw_convert(body->at, v, (struct cw_kind){CW_I1, false}, kr) : v;
}

static cw_ref binary_values(struct cw_body *body, enum CXBinaryOperatorKind op, cw_ref left, cw_ref right, CXType tx,
                            CXType ty, CXType result) {
    bool is_add = op == CXBinaryOperator_Add, is_sub = op == CXBinaryOperator_Sub;
    enum cw_type x_type = cw_ref_type(body->fn, left), y_type = cw_ref_type(body->fn, right);
    if (is_sub && x_type == CW_PTR && y_type == CW_PTR)
        return lower_distance(body, left, right, tx, result);
    if ((is_add || is_sub) && x_type == CW_PTR)
        return cw_clang_advance(body, left, tx, right, kind_of(body, ty), is_sub);
    if (is_add && y_type == CW_PTR)
        return cw_clang_advance(body, right, ty, left, kind_of(body, tx), false);
    return plain_arith(body, arith_of[op], left, right, tx, ty, result);
}

cw_ref cw_clang_binary(struct cw_body *body, enum CXBinaryOperatorKind op, cw_ref left, cw_ref right, CXType tx,
                       CXType ty, CXType result) {
    if (left.tag == CW_REF_NONE || right.tag == CW_REF_NONE || (size_t)op >= sizeof arith_of / sizeof *arith_of)
        return cw_clang_unknown(body, result, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    return binary_values(body, op, left, right, tx, ty, result);
}

cw_ref cw_clang_advance(struct cw_body *body, cw_ref pointer, CXType pointer_type, cw_ref ref, struct cw_kind kind,
                        bool back) {
    int64_t size = cw_clang_pointee_size(body->u, pointer_type);
    kind.type = cw_ref_type(body->fn, ref);
    if (size < 0 || !cw_type_is_int(kind.type)) {
        cw_ref scaled = cw_emit_pure(body->at, CW_I64, back ? "-scaled" : "scaled", &ref, 1);
        return cw_emit2(body->at, CW_OP_PTRADD, CW_PTR, 0, pointer, scaled);
    }
    return cw_pointer_add(body->at, pointer, ref, kind, back ? -size : size);
}

static cw_ref lower_comma(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 2)
        return lower_unsupported(body, cursor, CW_BAIL_UNSUPPORTED_EXPR);
    cw_clang_effect(body, kids.at[0]);
    return cw_clang_value(body, kids.at[1]);
}

/* && and || as a value: a branch over a temporary. */
static cw_ref lower_logical(struct cw_body *body, CXCursor cursor) {
    uint32_t yes = cw_fn_add_block(body->fn), no = cw_fn_add_block(body->fn), done = cw_fn_add_block(body->fn);
    cw_ref at = cw_clang_bool_temp(body);
    bool is_and = clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_LAnd;
    cw_clang_cond(body, cursor, yes, no, is_and ? CW_FROM_AND : CW_FROM_OR);
    for (int i = 0; i < 2; i++) {
        body->at.block = i ? yes : no;
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(body->fn, CW_I1, i), at);
        cw_at_go(body->at, done, 0, CW_FROM_NONE);
    }
    body->at.block = done;
    cw_ref v = cw_emit1(body->at, CW_OP_LOAD, CW_I1, 1, at);
    return cw_convert(body->at, v, (struct cw_kind){CW_I1, false},
                      kind_of(body, cw_clang_cursor_type(body->u, cursor)));
}

static cw_ref lower_binary(struct cw_body *body, CXCursor cursor) {
    enum CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
    if (op == CXBinaryOperator_Comma)
        return lower_comma(body, cursor);
    if (op == CXBinaryOperator_LAnd || op == CXBinaryOperator_LOr)
        return lower_logical(body, cursor);
    if (op == CXBinaryOperator_Assign)
        return cw_clang_assign(body, cursor, false);
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    if (kids.n != 2 || (size_t)op >= sizeof arith_of / sizeof *arith_of || op < CXBinaryOperator_Mul ||
        op == CXBinaryOperator_Cmp)
        return lower_unsupported(body, cursor, CW_BAIL_UNSUPPORTED_EXPR);
    cw_ref x = cw_clang_value(body, kids.at[0]), y = cw_clang_value(body, kids.at[1]);
    return cw_clang_binary(body, op, x, y, cw_clang_cursor_type(body->u, kids.at[0]),
                           cw_clang_cursor_type(body->u, kids.at[1]), cw_clang_cursor_type(body->u, cursor));
}

static cw_ref compound_assign(struct cw_body *body, CXCursor cursor) {
    return cw_clang_assign(body, cursor, false);
}

static cw_ref lower_conditional(struct cw_body *body, CXCursor cursor) {
    return cw_clang_conditional(body, cursor, false);
}

/* ---- casts and wrappers ---- */

static CXCursor last_expression(const struct cw_kids *kids) {
    for (uint32_t i = kids->n; i-- > 0;)
        if (clang_isExpression(clang_getCursorKind(kids->at[i])))
            return kids->at[i];
    return clang_getNullCursor();
}

/* From the operand to the type of `cursor`, by what the two types say. */
static cw_ref convert_operand(struct cw_body *body, CXCursor cursor, CXCursor operand) {
    CXType to = cw_clang_cursor_type(body->u, cursor), from = cw_clang_cursor_type(body->u, operand);
    const struct cw_ctype *f = cw_clang_type(body->u, from), *t = cw_clang_type(body->u, to);
    if (f->is_array && t->kind.type == CW_PTR)
        return cw_clang_addr(body, operand);
    if (t->shape == CW_SHAPE_VOID) {
        cw_clang_effect(body, operand);
        return CW_NONE;
    }
    if (f->shape == CW_SHAPE_OBJECT) {
        cw_ref at = cw_clang_addr(body, operand);
        return cw_clang_unknown(body, to, CW_BAIL_UNSUPPORTED_EXPR, &at, 1);
    }
    if (f->is_function)
        return cw_clang_value(body, operand);
    return cw_clang_convert(body, cw_clang_value(body, operand), from, to);
}

static cw_ref lower_cast(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CXCursor operand = last_expression(&kids);
    if (clang_Cursor_isNull(operand))
        return lower_evaluated(body, cursor);
    if (cw_clang_casts_to_reference(body, cursor))
        return from_memory(body, cursor);
    return as_flat(body, convert_operand(body, cursor, operand));
}

/* An implicit conversion covers exactly its operand's text; other unnamed nodes (noexcept, type traits, …) do not. */
static cw_ref lower_unexposed(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CXCursor operand = last_expression(&kids);
    if (clang_Cursor_isNull(operand))
        return kids.n ? cw_clang_broken(body, cursor, &kids) : lower_evaluated(body, cursor);
    if (kids.n == 1 && cw_clang_same_range(body->u, cursor, operand))
        return convert_operand(body, cursor, operand);
    return cw_clang_broken(body, cursor, &kids);
}

static cw_ref lower_paren(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    return kids.n == 1 ? cw_clang_value(body, kids.at[0]) : lower_unsupported(body, cursor, CW_BAIL_UNSUPPORTED_EXPR);
}

/* `int x{3}`, `T()`: at most one scalar. */
static cw_ref scalar_list(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CXCursor operand = last_expression(&kids);
    if (clang_Cursor_isNull(operand))
        return make_constant(body, cw_clang_cursor_type(body->u, cursor), 0);
    return cw_clang_value_as(body, operand, cw_clang_cursor_type(body->u, cursor));
}

static cw_ref lower_call(struct cw_body *body, CXCursor cursor) {
    if (cw_clang_returns_reference(body->u, cursor))
        return from_memory(body, cursor);
    return cw_clang_call(body, cursor, CW_NONE);
}

static cw_ref statement_expression(struct cw_body *b, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(b->u, cursor), body;
    if (kids.n != 1)
        return lower_unsupported(b, cursor, CW_BAIL_UNSUPPORTED_EXPR);
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
static cw_ref lower_new(struct cw_body *body, CXCursor cursor) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    struct cw_refs args = {0};
    for (uint32_t i = 0; i < kids.n; i++) {
        cw_ref v = cw_clang_operand(body, kids.at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&body->u->scratch, &args, v);
    }
    cw_ref r = cw_fn_emit(body->fn, body->at.block, CW_OP_OPCALL, CW_PTR, CW_BAIL_UNSUPPORTED_EXPR, args.at, args.n,
                          body->at.loc);
    body->fn->ins.at[body->fn->ins.n - 1].flags = CW_INS_IMPLICIT;
    return r;
}

static cw_ref lower_throw(struct cw_body *body, CXCursor cursor) {
    lower_unsupported(body, cursor, CW_BAIL_EXCEPTION);
    if (cw_at_is_open(body->at))
        cw_fn_trap(body->fn, body->at.block, body->at.loc);
    cw_at_dead(&body->at);
    return CW_NONE;
}

static cw_ref lower_other(struct cw_body *body, CXCursor cursor) {
    return lower_unsupported(body, cursor, CW_BAIL_UNSUPPORTED_EXPR);
}

typedef cw_ref (*value_fn)(struct cw_body *, CXCursor);

static const value_fn value_of[] = {
#define ROW(kind) [CXCursor_##kind - CXCursor_FirstExpr]
    ROW(UnexposedExpr) = lower_unexposed,
    ROW(DeclRefExpr) = lower_name,
    ROW(MemberRefExpr) = lower_member,
    ROW(CallExpr) = lower_call,
    ROW(IntegerLiteral) = lower_evaluated,
    ROW(CharacterLiteral) = lower_evaluated,
    ROW(CXXBoolLiteralExpr) = lower_evaluated,
    ROW(FloatingLiteral) = floating_literal,
    ROW(StringLiteral) = from_memory,
    ROW(CXXNullPtrLiteralExpr) = null_pointer,
    ROW(GNUNullExpr) = null_pointer,
    ROW(CXXThisExpr) = this_value,
    ROW(ParenExpr) = lower_paren,
    ROW(UnaryOperator) = lower_unary,
    ROW(ArraySubscriptExpr) = from_memory,
    ROW(BinaryOperator) = lower_binary,
    ROW(CompoundAssignOperator) = compound_assign,
    ROW(ConditionalOperator) = lower_conditional,
    ROW(CStyleCastExpr) = lower_cast,
    ROW(CXXStaticCastExpr) = lower_cast,
    ROW(CXXReinterpretCastExpr) = lower_cast,
    ROW(CXXConstCastExpr) = lower_cast,
    ROW(CXXFunctionalCastExpr) = lower_cast,
    ROW(CXXAddrspaceCastExpr) = lower_cast,
    ROW(CompoundLiteralExpr) = from_memory,
    ROW(InitListExpr) = scalar_list,
    ROW(CXXParenListInitExpr) = scalar_list,
    ROW(StmtExpr) = statement_expression,
    ROW(UnaryExpr) = size_of,
    ROW(SizeOfPackExpr) = size_of,
    ROW(CXXThrowExpr) = lower_throw,
    ROW(CXXNewExpr) = lower_new,
    ROW(RequiresExpr) = lower_evaluated,
    ROW(ConceptSpecializationExpr) = lower_evaluated,
#undef ROW
};

cw_ref cw_clang_value(struct cw_body *body, CXCursor cursor) {
    size_t row = (size_t)clang_getCursorKind(cursor) - CXCursor_FirstExpr;
    if (body->depth >= CW_MAX_DEPTH) {
        body->is_degraded = true;
        return cw_clang_unknown(body, cw_clang_cursor_type(body->u, cursor), CW_BAIL_TOO_LARGE, NULL, 0);
    }
    uint32_t outer = body->at.loc;
    value_fn lower = row < sizeof value_of / sizeof *value_of && value_of[row] ? value_of[row] : lower_other;
    body->depth++;
    body->at.loc = cw_clang_loc(body, cursor);
    cw_ref v = lower(body, cursor);
    enum cw_shape shape = cw_clang_type_of(body->u, cursor)->shape;
    if (v.tag == CW_REF_NONE && (shape == CW_SHAPE_SCALAR || shape == CW_SHAPE_UNKNOWN))
        v = cw_clang_unknown(body, cw_clang_cursor_type(body->u, cursor), CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    body->at.loc = outer;
    body->depth--;
    return v;
}
