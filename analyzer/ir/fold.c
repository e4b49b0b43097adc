/* Integer semantics of the operations on constants: the one place for folding and for evaluation.
 *
 * Values come and go sign-extended from their type's width (i1: 0 or 1). Inside, an operand is taken once as unsigned
 * of its width and once as signed. */
#include "ir/ir.h"

struct words {
    enum cw_type type;
    unsigned bits;
    uint64_t ua, ub; /* zero-extended */
    int64_t sa, sb;  /* sign-extended; i1 as 0 and -1 */
};

static uint64_t zero_extended(enum cw_type t, int64_t v) {
    unsigned bits = cw_type_bits(t);
    return bits == 64 ? (uint64_t)v : (uint64_t)v & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign_extended(enum cw_type t, int64_t v) {
    return t == CW_I1 ? -(v & 1) : cw_type_wrap(t, v);
}

static bool fold_divide(enum cw_op op, const struct words *w, uint64_t *out) {
    if (w->ub == 0)
        return false;
    int64_t smallest = (int64_t)(UINT64_MAX << (w->bits - 1));
    bool overflows = w->sa == smallest && w->sb == -1;
    switch (op) {
    case CW_OP_UDIV: *out = w->ua / w->ub; return true;
    case CW_OP_UREM: *out = w->ua % w->ub; return true;
    case CW_OP_SDIV: *out = overflows ? 0 : (uint64_t)(w->sa / w->sb); return !overflows;
    case CW_OP_SREM: *out = overflows ? 0 : (uint64_t)(w->sa % w->sb); return !overflows;
    default: return false;
    }
}

static bool fold_shift(enum cw_op op, const struct words *w, uint64_t *out) {
    if (w->ub >= w->bits)
        return false;
    switch (op) {
    case CW_OP_SHL: *out = w->ua << w->ub; return true;
    case CW_OP_LSHR: *out = w->ua >> w->ub; return true;
    case CW_OP_ASHR: *out = (uint64_t)(w->sa >> w->ub); return true; /* arithmetic in every compiler we build with */
    default: return false;
    }
}

static bool fold_arithmetic(enum cw_op op, const struct words *w, uint64_t *out) {
    switch (op) {
    case CW_OP_ADD: *out = w->ua + w->ub; return true;
    case CW_OP_SUB: *out = w->ua - w->ub; return true;
    case CW_OP_MUL: *out = w->ua * w->ub; return true;
    case CW_OP_AND: *out = w->ua & w->ub; return true;
    case CW_OP_OR: *out = w->ua | w->ub; return true;
    case CW_OP_XOR: *out = w->ua ^ w->ub; return true;
    case CW_OP_SMIN: *out = (uint64_t)(w->sa < w->sb ? w->sa : w->sb); return true;
    case CW_OP_SMAX: *out = (uint64_t)(w->sa > w->sb ? w->sa : w->sb); return true;
    case CW_OP_UMIN: *out = w->ua < w->ub ? w->ua : w->ub; return true;
    case CW_OP_UMAX: *out = w->ua > w->ub ? w->ua : w->ub; return true;
    default: return fold_shift(op, w, out) || fold_divide(op, w, out);
    }
}

static bool fold_compare(enum cw_op op, const struct words *w, uint64_t *out) {
    switch (op) {
    case CW_OP_EQ: *out = w->ua == w->ub; return true;
    case CW_OP_NE: *out = w->ua != w->ub; return true;
    case CW_OP_SLT: *out = w->sa < w->sb; return true;
    case CW_OP_SLE: *out = w->sa <= w->sb; return true;
    case CW_OP_SGT: *out = w->sa > w->sb; return true;
    case CW_OP_SGE: *out = w->sa >= w->sb; return true;
    case CW_OP_ULT: *out = w->ua < w->ub; return true;
    case CW_OP_ULE: *out = w->ua <= w->ub; return true;
    case CW_OP_UGT: *out = w->ua > w->ub; return true;
    case CW_OP_UGE: *out = w->ua >= w->ub; return true;
    default: return false;
    }
}

static uint64_t reversed_bits(uint64_t v, unsigned bits) {
    uint64_t out = 0;
    for (unsigned k = 0; k < bits; k++)
        out |= (v >> k & 1) << (bits - 1 - k);
    return out;
}

static bool fold_unary(enum cw_op op, const struct words *w, uint64_t *out) {
    switch (op) {
    case CW_OP_NEG: *out = 0 - w->ua; return true;
    case CW_OP_NOT: *out = ~w->ua; return true;
    case CW_OP_ABS: *out = w->sa < 0 ? 0 - w->ua : w->ua; return true;
    case CW_OP_POPC: *out = (uint64_t)__builtin_popcountll(w->ua); return true;
    case CW_OP_FFS: *out = (uint64_t)__builtin_ffsll((long long)w->ua); return true;
    case CW_OP_CLZ: *out = w->ua ? (uint64_t)__builtin_clzll(w->ua) - (64 - w->bits) : w->bits; return true;
    case CW_OP_BREV: *out = reversed_bits(w->ua, w->bits); return true;
    case CW_OP_ZEXT: case CW_OP_TRUNC: *out = w->ua; return true;
    case CW_OP_SEXT: *out = (uint64_t)w->sa; return true;
    case CW_OP_COPY: *out = w->ua; return true;
    default: return false;
    }
}

bool cw_fold(enum cw_op op, enum cw_type type, enum cw_type result_type, const int64_t *args, int64_t *result) {
    bool pointers = type == CW_PTR && cw_is_compare(op); /* addresses compare as 64-bit numbers */
    if ((!cw_type_is_int(type) && !pointers) || !cw_type_is_int(result_type))
        return false;
    struct words w = {.type = type, .bits = cw_type_bits(type)};
    if (op == CW_OP_SELECT) { /* `type` is that of the two sides */
        *result = cw_type_wrap(result_type, args[0] & 1 ? args[1] : args[2]);
        return true;
    }
    int n = cw_op_operands(op);
    if (n != 1 && n != 2)
        return false;
    w.ua = zero_extended(type, args[0]);
    w.sa = sign_extended(type, args[0]);
    w.ub = n == 2 ? zero_extended(type, args[1]) : 0;
    w.sb = n == 2 ? sign_extended(type, args[1]) : 0;
    uint64_t out = 0;
    bool known = cw_is_compare(op) ? fold_compare(op, &w, &out)
                 : n == 1                          ? fold_unary(op, &w, &out)
                                                   : fold_arithmetic(op, &w, &out);
    if (known)
        *result = cw_type_wrap(result_type, (int64_t)out);
    return known;
}

/* ---- rows ---- */

/* An operand of a row: element t is at (t & mask). */
#define A(T) ((T)a.at[t & a.mask])
#define B(T) ((T)b.at[t & b.mask])
#define ROW(op_, T, expr)                   \
    case op_:                               \
        for (uint32_t t = 0; t < n; t++)    \
            out[t] = (int64_t)(T)(expr);    \
        return true;
#define COMPARE(op_, T, cmp)                \
    case op_:                               \
        for (uint32_t t = 0; t < n; t++)    \
            out[t] = A(T) cmp B(T);         \
        return true;

static bool row_compare(enum cw_op op, struct cw_row a, struct cw_row b, uint32_t n, int64_t *out) {
    switch (
        op) { /* signed words keep their order when they are extended; so do unsigned ones of a sign-extended word */
        COMPARE(CW_OP_EQ, int64_t, ==)
        COMPARE(CW_OP_NE, int64_t, !=)
        COMPARE(CW_OP_SLT, int64_t, <)
        COMPARE(CW_OP_SLE, int64_t, <=)
        COMPARE(CW_OP_SGT, int64_t, >)
        COMPARE(CW_OP_SGE, int64_t, >=)
        COMPARE(CW_OP_ULT, uint64_t, <)
        COMPARE(CW_OP_ULE, uint64_t, <=)
        COMPARE(CW_OP_UGT, uint64_t, >)
        COMPARE(CW_OP_UGE, uint64_t, >=)
    default:
        return false;
    }
}

/* As unsigned words, which wrap, in T of U's width. */
#define ARITHMETIC(T, U)                      \
    switch (op) {                             \
        ROW(CW_OP_ADD, T, A(U) + B(U))        \
        ROW(CW_OP_SUB, T, A(U) - B(U))        \
        ROW(CW_OP_MUL, T, A(U) * B(U))        \
        ROW(CW_OP_AND, T, A(U) & B(U))        \
        ROW(CW_OP_OR, T, A(U) | B(U))         \
        ROW(CW_OP_XOR, T, A(U) ^ B(U))        \
    default:                                  \
        return false;                         \
    }

static bool row_32(enum cw_op op, struct cw_row a, struct cw_row b, uint32_t n, int64_t *out) {
    ARITHMETIC(int32_t, uint32_t)
}

static bool row_64(enum cw_op op, struct cw_row a, struct cw_row b, uint32_t n, int64_t *out) {
    ARITHMETIC(int64_t, uint64_t)
}

/* By one amount, or divisor, that is the same in the whole row and defined. */
static bool row_by_one(enum cw_op op, bool wide, struct cw_row a, struct cw_row b, uint32_t n, int64_t *out) {
    uint64_t by = wide ? (uint64_t)b.at[0] : (uint32_t)b.at[0];
    if (b.mask || by == 0 || ((op == CW_OP_SHL || op == CW_OP_LSHR || op == CW_OP_ASHR) && by >= (wide ? 64 : 32)))
        return false;
    if (wide)
        switch (op) {
            ROW(CW_OP_SHL, int64_t, A(uint64_t) << by)
            ROW(CW_OP_LSHR, int64_t, A(uint64_t) >> by)
            ROW(CW_OP_ASHR, int64_t, A(int64_t) >> by)
        default:
            return false;
        }
    uint32_t divisor = (uint32_t)by;
    int32_t positive = (int32_t)by;
    if ((op == CW_OP_SDIV || op == CW_OP_SREM) && positive < 0)
        return false;
    switch (op) {
        ROW(CW_OP_SHL, int32_t, A(uint32_t) << by)
        ROW(CW_OP_LSHR, int32_t, A(uint32_t) >> by)
        ROW(CW_OP_ASHR, int32_t, A(int32_t) >> by)
        ROW(CW_OP_UDIV, int32_t, A(uint32_t) / divisor)
        ROW(CW_OP_UREM, int32_t, A(uint32_t) % divisor)
        ROW(CW_OP_SDIV, int32_t, A(int32_t) / positive)
        ROW(CW_OP_SREM, int32_t, A(int32_t) % positive)
    default:
        return false;
    }
}

static bool row_widen(enum cw_op op, enum cw_type type, struct cw_row a, uint32_t n, int64_t *out) {
    if (type != CW_I32)
        return false;
    switch (op) {
        ROW(CW_OP_SEXT, int64_t, A(int64_t))
        ROW(CW_OP_ZEXT, int64_t, A(uint32_t))
    default:
        return false;
    }
}

static bool row_narrow(enum cw_op op, struct cw_row a, uint32_t n, int64_t *out) {
    switch (op) {
        ROW(CW_OP_TRUNC, int32_t, A(uint32_t))
    default:
        return false;
    }
}
#undef A
#undef B
#undef ROW
#undef ARITHMETIC
#undef COMPARE

bool cw_fold_row(enum cw_op op, enum cw_type type, enum cw_type result, const struct cw_row *args, uint32_t nargs,
                 uint32_t n, int64_t *out) {
    bool wide = type == CW_I64;
    if (type != CW_I32 && !wide)
        return false;
    if (nargs == 1)
        return result == CW_I64 ? row_widen(op, type, args[0], n, out)
                                : result == CW_I32 && wide && row_narrow(op, args[0], n, out);
    if (nargs != 2)
        return false;
    if (result == CW_I1)
        return row_compare(op, args[0], args[1], n, out);
    if (result != type)
        return false;
    return (wide ? row_64 : row_32)(op, args[0], args[1], n, out) || row_by_one(op, wide, args[0], args[1], n, out);
}
