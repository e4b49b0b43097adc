#include "front/arith.h"

/* One row per operator: the op for signed and for unsigned operands, and the name when bits are not computed. */
static const struct {
    enum cw_op on_signed, on_unsigned;
    const char *name;
} operators[CW_NARITHS] = {
    [CW_ARITH_ADD] = {CW_OP_ADD, CW_OP_ADD, "+"},   [CW_ARITH_SUB] = {CW_OP_SUB, CW_OP_SUB, "-"},
    [CW_ARITH_MUL] = {CW_OP_MUL, CW_OP_MUL, "*"},   [CW_ARITH_DIV] = {CW_OP_SDIV, CW_OP_UDIV, "/"},
    [CW_ARITH_REM] = {CW_OP_SREM, CW_OP_UREM, "%"}, [CW_ARITH_AND] = {CW_OP_AND, CW_OP_AND, "&"},
    [CW_ARITH_OR] = {CW_OP_OR, CW_OP_OR, "|"},      [CW_ARITH_XOR] = {CW_OP_XOR, CW_OP_XOR, "^"},
    [CW_ARITH_SHL] = {CW_OP_SHL, CW_OP_SHL, "<<"},  [CW_ARITH_SHR] = {CW_OP_ASHR, CW_OP_LSHR, ">>"},
    [CW_ARITH_EQ] = {CW_OP_EQ, CW_OP_EQ, "=="},     [CW_ARITH_NE] = {CW_OP_NE, CW_OP_NE, "!="},
    [CW_ARITH_LT] = {CW_OP_SLT, CW_OP_ULT, "<"},    [CW_ARITH_LE] = {CW_OP_SLE, CW_OP_ULE, "<="},
    [CW_ARITH_GT] = {CW_OP_SGT, CW_OP_UGT, ">"},    [CW_ARITH_GE] = {CW_OP_SGE, CW_OP_UGE, ">="},
};

static const struct cw_kind address_kind = {CW_I64, false};

cw_ref cw_emit1(struct cw_at at, enum cw_op op, enum cw_type type, uint32_t aux, cw_ref ref) {
    return cw_fn_emit(at.fn, at.block, op, type, aux, &ref, 1, at.loc);
}

cw_ref cw_emit2(struct cw_at at, enum cw_op op, enum cw_type type, uint32_t aux, cw_ref left, cw_ref right) {
    cw_ref args[2] = {left, right};
    return cw_fn_emit(at.fn, at.block, op, type, aux, args, 2, at.loc);
}

/* In broken and in dependent code an operand can be a call that gives no value. The result then does not follow from
 * the other operands alone. */
static cw_ref opaque_of_known(struct cw_at at, enum cw_type type, const cw_ref *args, uint32_t n) {
    enum { OPERANDS_MAX = 16 };
    cw_ref known[OPERANDS_MAX];
    uint32_t nknown = 0;
    for (uint32_t i = 0; i < n && nknown < OPERANDS_MAX; i++)
        if (cw_ref_type(at.fn, args[i]) != CW_VOID)
            known[nknown++] = args[i];
    return cw_emit_opaque(at, type, CW_BAIL_BROKEN_CODE, known, nknown);
}

cw_ref cw_emit_pure(struct cw_at at, enum cw_type type, const char *name, const cw_ref *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (cw_ref_type(at.fn, args[i]) == CW_VOID)
            return opaque_of_known(at, type, args, n);
    return cw_fn_emit(at.fn, at.block, CW_OP_PURE, type, cw_fn_add_text(at.fn, name), args, n, at.loc);
}

cw_ref cw_emit_opaque(struct cw_at at, enum cw_type type, enum cw_bail why, const cw_ref *args, uint32_t n) {
    return cw_fn_emit(at.fn, at.block, CW_OP_OPAQUE, type, why, args, n, at.loc);
}

static bool computes_bits(enum cw_type type) {
    return cw_type_is_int(type);
}

static cw_ref compare_pointers(struct cw_at at, enum cw_op op, cw_ref left, cw_ref right) {
    if (op == CW_OP_EQ || op == CW_OP_NE)
        return cw_emit2(at, op, CW_I1, 0, left, right);
    cw_ref x = cw_emit1(at, CW_OP_PTRTOINT, CW_I64, 0, left);
    cw_ref y = cw_emit1(at, CW_OP_PTRTOINT, CW_I64, 0, right);
    return cw_emit2(at, op, CW_I1, 0, x, y);
}

cw_ref cw_arith(struct cw_at at, enum cw_arith op, struct cw_kind kind, struct cw_kind b_kind, cw_ref left,
                cw_ref right) {
    enum cw_type result = cw_arith_is_compare(op) ? CW_I1 : kind.type;
    enum cw_op code = kind.is_signed ? operators[op].on_signed : operators[op].on_unsigned;
    if (kind.type == CW_PTR && cw_arith_is_compare(op))
        return compare_pointers(at, operators[op].on_unsigned, left, right);
    if (!computes_bits(kind.type)) {
        cw_ref args[2] = {left, right};
        return cw_emit_pure(at, result, operators[op].name, args, 2);
    }
    if (op == CW_ARITH_SHL || op == CW_ARITH_SHR)
        right = cw_convert(at, right, (struct cw_kind){b_kind.type, false}, (struct cw_kind){kind.type, false});
    return cw_emit2(at, code, result, 0, left, right);
}

cw_ref cw_arith_negate(struct cw_at at, struct cw_kind kind, cw_ref ref) {
    return computes_bits(kind.type) ? cw_emit1(at, CW_OP_NEG, kind.type, 0, ref)
                                    : cw_emit_pure(at, kind.type, "-", &ref, 1);
}

cw_ref cw_arith_invert(struct cw_at at, struct cw_kind kind, cw_ref ref) {
    return computes_bits(kind.type) ? cw_emit1(at, CW_OP_NOT, kind.type, 0, ref)
                                    : cw_emit_pure(at, kind.type, "~", &ref, 1);
}

cw_ref cw_arith_not(struct cw_at at, cw_ref i1) {
    return cw_emit2(at, CW_OP_XOR, CW_I1, 0, i1, cw_fn_const(at.fn, CW_I1, 1));
}

static cw_ref resize_value(struct cw_at at, cw_ref ref, struct cw_kind from, enum cw_type to) {
    unsigned have = cw_type_bits(from.type), want = cw_type_bits(to);
    int64_t value;
    if (have == want)
        return ref;
    if (cw_ref_const(at.fn, ref, &value)) {
        if (!from.is_signed && have < 64)
            value &= (int64_t)((UINT64_C(1) << have) - 1);
        return cw_fn_const(at.fn, to, value);
    }
    enum cw_op op = have > want ? CW_OP_TRUNC : from.is_signed ? CW_OP_SEXT : CW_OP_ZEXT;
    return cw_emit1(at, op, to, 0, ref);
}

static cw_ref to_bool(struct cw_at at, cw_ref ref, struct cw_kind from) {
    int64_t value;
    if (cw_type_is_int(from.type) && cw_ref_const(at.fn, ref, &value))
        return cw_fn_const(at.fn, CW_I1, value != 0);
    if (cw_type_is_int(from.type) || from.type == CW_PTR)
        return cw_emit2(at, CW_OP_NE, CW_I1, 0, ref, cw_fn_const(at.fn, from.type, 0));
    return cw_emit_pure(at, CW_I1, "bool", &ref, 1);
}

/* Neither side is a float or unknown. */
static cw_ref convert_bits(struct cw_at at, cw_ref ref, struct cw_kind from, struct cw_kind to) {
    int64_t value;
    if (from.type == CW_PTR) {
        ref = cw_emit1(at, CW_OP_PTRTOINT, CW_I64, 0, ref);
        return resize_value(at, ref, address_kind, to.type);
    }
    if (to.type != CW_PTR)
        return resize_value(at, ref, from, to.type);
    if (cw_ref_const(at.fn, ref, &value))
        return cw_fn_const(at.fn, CW_PTR, value);
    return cw_emit1(at, CW_OP_INTTOPTR, CW_PTR, 0, resize_value(at, ref, from, CW_I64));
}

static bool has_bits(enum cw_type type) {
    return cw_type_is_int(type) || type == CW_PTR;
}

cw_ref cw_convert(struct cw_at at, cw_ref ref, struct cw_kind from, struct cw_kind to) {
    if (from.type == to.type || to.type == CW_VOID)
        return ref;
    if (to.type == CW_I1)
        return to_bool(at, ref, from);
    if (has_bits(from.type) && has_bits(to.type))
        return convert_bits(at, ref, from, to);
    const char *name = has_bits(from.type) ? (from.is_signed ? "signed" : "unsigned") : "convert";
    if (cw_type_is_int(to.type))
        name = to.is_signed ? "to signed" : "to unsigned";
    return cw_emit_pure(at, to.type, name, &ref, 1);
}

cw_ref cw_pointer_add(struct cw_at at, cw_ref pointer, cw_ref index, struct cw_kind index_kind, int64_t scale) {
    int64_t value;
    cw_ref wide = cw_convert(at, index, index_kind, (struct cw_kind){CW_I64, index_kind.is_signed});
    if (cw_ref_const(at.fn, wide, &value)) {
        if (!value || !scale)
            return pointer;
        wide = cw_fn_const(at.fn, CW_I64, (int64_t)((uint64_t)value * (uint64_t)scale));
    } else if (scale != 1) {
        wide = cw_emit2(at, CW_OP_MUL, CW_I64, 0, wide, cw_fn_const(at.fn, CW_I64, scale));
    }
    return cw_emit2(at, CW_OP_PTRADD, CW_PTR, 0, pointer, wide);
}

cw_ref cw_array_element(struct cw_at at, cw_ref array, cw_ref index, struct cw_kind index_kind, int64_t size,
                        uint64_t extent) {
    cw_ref element = cw_pointer_add(at, array, index, index_kind, size);
    struct cw_ins *i = cw_ins_of(at.fn, element);
    bool is_sum = i && i->op == CW_OP_PTRADD && !cw_ref_eq(element, array);
    if (is_sum && cw_arg(at.fn, i, 1).tag != CW_REF_CONST && extent <= UINT32_MAX)
        i->aux = (uint32_t)extent;
    return element;
}
