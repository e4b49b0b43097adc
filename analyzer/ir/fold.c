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
    bool pointers = type == CW_PTR && op >= CW_OP_EQ && op <= CW_OP_UGE; /* addresses compare as 64-bit numbers */
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
    bool known = op >= CW_OP_EQ && op <= CW_OP_UGE ? fold_compare(op, &w, &out)
                 : n == 1                          ? fold_unary(op, &w, &out)
                                                   : fold_arithmetic(op, &w, &out);
    if (known)
        *result = cw_type_wrap(result_type, (int64_t)out);
    return known;
}
