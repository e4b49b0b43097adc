/* cw_fold against what C says, in wider arithmetic: all pairs of i8, and corner values of the other widths. */
#include "check.h"

#include "ir/ir.h"

#include <string.h>

typedef __int128 wide;

static const enum cw_type types[] = {CW_I8, CW_I16, CW_I32, CW_I64};

/* The mathematical result before wrapping; false when there is none. Computed from signed and unsigned readings. */
static bool expect(enum cw_op op, unsigned bits, wide sa, wide sb, wide ua, wide ub, wide *out) {
    switch (op) {
    case CW_OP_ADD: *out = sa + sb; return true;
    case CW_OP_SUB: *out = sa - sb; return true;
    case CW_OP_MUL: *out = (wide)((unsigned __int128)ua * (unsigned __int128)ub); return true;
    case CW_OP_SDIV: *out = sb ? sa / sb : 0; return sb && !(sb == -1 && sa == -((wide)1 << (bits - 1)));
    case CW_OP_UDIV: *out = ub ? ua / ub : 0; return ub != 0;
    case CW_OP_SREM: *out = sb ? sa % sb : 0; return sb && !(sb == -1 && sa == -((wide)1 << (bits - 1)));
    case CW_OP_UREM: *out = ub ? ua % ub : 0; return ub != 0;
    case CW_OP_AND: *out = sa & sb; return true;
    case CW_OP_OR: *out = sa | sb; return true;
    case CW_OP_XOR: *out = sa ^ sb; return true;
    case CW_OP_SHL: *out = ub < bits ? ua * ((wide)1 << ub) : 0; return ub < bits;
    case CW_OP_LSHR: *out = ub < bits ? ua / ((wide)1 << ub) : 0; return ub < bits;
    case CW_OP_ASHR: *out = ub < bits ? sa >> ub : 0; return ub < bits;
    case CW_OP_SMIN: *out = sa < sb ? sa : sb; return true;
    case CW_OP_SMAX: *out = sa > sb ? sa : sb; return true;
    case CW_OP_UMIN: *out = ua < ub ? ua : ub; return true;
    case CW_OP_UMAX: *out = ua > ub ? ua : ub; return true;
    case CW_OP_EQ: *out = sa == sb; return true;
    case CW_OP_NE: *out = sa != sb; return true;
    case CW_OP_SLT: *out = sa < sb; return true;
    case CW_OP_SLE: *out = sa <= sb; return true;
    case CW_OP_SGT: *out = sa > sb; return true;
    case CW_OP_SGE: *out = sa >= sb; return true;
    case CW_OP_ULT: *out = ua < ub; return true;
    case CW_OP_ULE: *out = ua <= ub; return true;
    case CW_OP_UGT: *out = ua > ub; return true;
    case CW_OP_UGE: *out = ua >= ub; return true;
    default: return false;
    }
}

static int64_t wrapped(wide v, unsigned bits) {
    unsigned __int128 low = (unsigned __int128)v & (((unsigned __int128)1 << bits) - 1);
    return (int64_t)(low >> (bits - 1) ? (wide)low - ((wide)1 << bits) : (wide)low);
}

static void check_pair(enum cw_op op, enum cw_type t, int64_t a, int64_t b) {
    unsigned bits = cw_type_bits(t);
    wide span = (wide)1 << bits, out = 0;
    bool compares = op >= CW_OP_EQ && op <= CW_OP_UGE;
    bool known = expect(op, bits, a, b, a < 0 ? a + span : a, b < 0 ? b + span : b, &out);
    int64_t args[] = {a, b}, got = 0;
    bool folded = cw_fold(op, t, compares ? CW_I1 : t, args, &got);
    CHECK(folded == known);
    if (folded && known && got != (compares ? (int64_t)out : wrapped(out, bits)))
        fprintf(stderr, "%s %s %lld, %lld\n", cw_op_text(op), cw_type_text(t), (long long)a, (long long)b);
    CHECK(!folded || !known || got == (compares ? (int64_t)out : wrapped(out, bits)));
}

static void test_all_bytes(void) {
    for (unsigned op = CW_OP_ADD; op <= CW_OP_UGE; op++)
        for (int a = -128; a < 128 && cw_op_operands((enum cw_op)op) == 2; a++)
            for (int b = -128; b < 128; b += 1 + (b > -100 && b < 100 ? 2 : 0))
                check_pair((enum cw_op)op, CW_I8, a, b);
}

static void test_corners(void) {
    for (unsigned t = 1; t < 4; t++) {
        unsigned bits = cw_type_bits(types[t]);
        int64_t top = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
        int64_t values[] = {0, 1, -1, 2, 3, -7, bits - 1, bits, bits + 1, top, top - 1, -top - 1, -top, 0x55, -0x55};
        size_t n = sizeof values / sizeof *values;
        for (unsigned op = CW_OP_ADD; op <= CW_OP_UGE; op++)
            for (size_t k = 0; k < n * n && cw_op_operands((enum cw_op)op) == 2; k++)
                check_pair((enum cw_op)op, types[t], values[k / n], values[k % n]);
    }
}

/* A row is what its elements are one by one; what is undefined for one of them is no row. */
static void check_row(enum cw_op op, enum cw_type t, enum cw_type result, struct cw_row a, struct cw_row b,
                      uint32_t n) {
    struct cw_row rows[] = {a, b};
    int64_t out[32], one = 0;
    uint32_t nargs = (uint32_t)cw_op_operands(op);
    if (!cw_fold_row(op, t, result, rows, nargs, n, out))
        return;
    for (uint32_t k = 0; k < n; k++) {
        int64_t args[] = {a.at[k & a.mask], b.at[k & b.mask]};
        CHECK(cw_fold(op, t, result, args, &one));
        CHECK_INT(out[k], one);
    }
}

static void test_rows(void) {
    enum { N = 15 };
    for (unsigned t = 2; t < 4; t++) {
        unsigned bits = cw_type_bits(types[t]);
        int64_t top = (int64_t)((UINT64_C(1) << (bits - 1)) - 1), back[N];
        int64_t values[N] = {0, 1, -1, 2, 3, -7, bits - 1, bits, bits + 1, top, top - 1, -top - 1, -top, 0x55, -0x55};
        for (unsigned k = 0; k < N; k++)
            back[k] = values[N - 1 - k];
        for (unsigned op = CW_OP_ADD; op <= CW_OP_UGE; op++) {
            bool compares = op >= CW_OP_EQ && op <= CW_OP_UGE;
            enum cw_type result = compares ? CW_I1 : types[t];
            struct cw_row all = {values, ~0u}, other = {back, ~0u};
            check_row((enum cw_op)op, types[t], result, all, other, N);
            for (unsigned k = 0; k < N; k++) {
                check_row((enum cw_op)op, types[t], result, all, (struct cw_row){&values[k], 0}, N);
                check_row((enum cw_op)op, types[t], result, (struct cw_row){&values[k], 0}, all, N);
            }
        }
        check_row(CW_OP_SEXT, types[t], CW_I64, (struct cw_row){values, ~0u}, (struct cw_row){values, 0}, N);
        check_row(CW_OP_ZEXT, types[t], CW_I64, (struct cw_row){values, ~0u}, (struct cw_row){values, 0}, N);
        check_row(CW_OP_TRUNC, types[t], CW_I32, (struct cw_row){values, ~0u}, (struct cw_row){values, 0}, N);
    }
}

static void test_which_rows(void) {
    int64_t values[] = {1, 2, 3}, by[] = {4, 0}, out[3];
    struct cw_row rows[] = {{values, ~0u}, {by, 0}}, zero[] = {{values, ~0u}, {by + 1, 0}},
                  many[] = {{values, ~0u}, {values, ~0u}};
    CHECK(cw_fold_row(CW_OP_MUL, CW_I32, CW_I32, rows, 2, 3, out) && out[2] == 12);
    CHECK(cw_fold_row(CW_OP_SLT, CW_I64, CW_I1, rows, 2, 3, out) && out[0] == 1);
    CHECK(cw_fold_row(CW_OP_UDIV, CW_I32, CW_I32, rows, 2, 3, out) && out[2] == 0);
    CHECK(!cw_fold_row(CW_OP_UDIV, CW_I32, CW_I32, zero, 2, 3, out));
    CHECK(!cw_fold_row(CW_OP_SHL, CW_I32, CW_I32, many, 2, 3, out));
    CHECK(!cw_fold_row(CW_OP_ADD, CW_I16, CW_I16, rows, 2, 3, out));
    CHECK(!cw_fold_row(CW_OP_ADD, CW_F32, CW_F32, rows, 2, 3, out));
}

static int64_t unary(enum cw_op op, enum cw_type from, enum cw_type to, int64_t a) {
    int64_t out = 0;
    CHECK(cw_fold(op, from, to, &a, &out));
    return out;
}

static void test_unary(void) {
    CHECK_INT(unary(CW_OP_NEG, CW_I32, CW_I32, INT32_MIN), INT32_MIN);
    CHECK_INT(unary(CW_OP_NEG, CW_I64, CW_I64, 5), -5);
    CHECK_INT(unary(CW_OP_NOT, CW_I1, CW_I1, 1), 0);
    CHECK_INT(unary(CW_OP_NOT, CW_I8, CW_I8, 0x0f), -16);
    CHECK_INT(unary(CW_OP_ABS, CW_I32, CW_I32, -9), 9);
    CHECK_INT(unary(CW_OP_ABS, CW_I8, CW_I8, -128), -128);
    CHECK_INT(unary(CW_OP_POPC, CW_I32, CW_I32, -1), 32);
    CHECK_INT(unary(CW_OP_POPC, CW_I64, CW_I32, -1), 64);
    CHECK_INT(unary(CW_OP_POPC, CW_I8, CW_I32, -1), 8);
    CHECK_INT(unary(CW_OP_FFS, CW_I32, CW_I32, 0), 0);
    CHECK_INT(unary(CW_OP_FFS, CW_I32, CW_I32, INT32_MIN), 32);
    CHECK_INT(unary(CW_OP_FFS, CW_I64, CW_I32, INT64_C(1) << 40), 41);
    CHECK_INT(unary(CW_OP_CLZ, CW_I32, CW_I32, 0), 32);
    CHECK_INT(unary(CW_OP_CLZ, CW_I32, CW_I32, 1), 31);
    CHECK_INT(unary(CW_OP_CLZ, CW_I32, CW_I32, -1), 0);
    CHECK_INT(unary(CW_OP_CLZ, CW_I64, CW_I32, 1), 63);
    CHECK_INT(unary(CW_OP_BREV, CW_I32, CW_I32, 1), INT32_MIN);
    CHECK_INT(unary(CW_OP_BREV, CW_I32, CW_I32, 0x2), 0x40000000);
    CHECK_INT(unary(CW_OP_BREV, CW_I64, CW_I64, 1), INT64_MIN);
    CHECK_INT(unary(CW_OP_SEXT, CW_I32, CW_I64, -2), -2);
    CHECK_INT(unary(CW_OP_SEXT, CW_I1, CW_I32, 1), -1);
    CHECK_INT(unary(CW_OP_ZEXT, CW_I1, CW_I32, 1), 1);
    CHECK_INT(unary(CW_OP_ZEXT, CW_I8, CW_I32, -1), 255);
    CHECK_INT(unary(CW_OP_ZEXT, CW_I32, CW_I64, -1), 0xffffffff);
    CHECK_INT(unary(CW_OP_TRUNC, CW_I64, CW_I32, 0x180000000), INT32_MIN);
    CHECK_INT(unary(CW_OP_TRUNC, CW_I32, CW_I1, 3), 1);
}

static void test_refused(void) {
    int64_t args[] = {1, 2, 3}, out;
    CHECK(!cw_fold(CW_OP_ADD, CW_F32, CW_F32, args, &out));
    CHECK(!cw_fold(CW_OP_PURE, CW_I32, CW_I32, args, &out));
    CHECK(!cw_fold(CW_OP_LOAD, CW_I32, CW_I32, args, &out));
    CHECK(!cw_fold(CW_OP_PHI, CW_I32, CW_I32, args, &out));
    CHECK(!cw_fold(CW_OP_ADD, CW_PTR, CW_PTR, args, &out));
    CHECK(cw_fold(CW_OP_ULT, CW_PTR, CW_I1, args, &out) && out == 1);
    CHECK(cw_fold(CW_OP_SELECT, CW_I32, CW_I32, args, &out) && out == 2);
    args[0] = 0;
    CHECK(cw_fold(CW_OP_SELECT, CW_I32, CW_I32, args, &out) && out == 3);
}

static int64_t bits_of(double d) {
    int64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* Whether folding `name` of two reals gives `want`. */
static bool real2(const char *name, enum cw_type type, double a, double b, enum cw_type result, int64_t want) {
    int64_t args[] = {bits_of(a), bits_of(b)}, out;
    return cw_fold_pure(name, (enum cw_type[]){type, type}, result, args, 2, &out) && out == want;
}

static bool one(const char *name, enum cw_type type, int64_t arg, enum cw_type result, int64_t want) {
    int64_t out;
    return cw_fold_pure(name, &type, result, &arg, 1, &out) && out == want;
}

static void test_reals(void) {
    int64_t args[] = {0, 0}, out;
    CHECK(real2("+", CW_F64, 0.1, 0.2, CW_F64, bits_of(0.1 + 0.2)));
    CHECK(real2("+", CW_F32, 16777216, 1, CW_F32, bits_of(16777216))); /* rounded to float */
    CHECK(real2("/", CW_F32, 256, 32, CW_F32, bits_of(8)));
    CHECK(real2("<", CW_F32, 7, 8, CW_I1, 1));
    CHECK(real2("<", CW_F32, 8, 8, CW_I1, 0));
    CHECK(real2("!=", CW_F64, 1, 1, CW_I1, 0));
    CHECK(real2("fmaxf", CW_F32, 1, 2, CW_F32, bits_of(2)));
    CHECK(one("std::ceil", CW_F32, bits_of(2.25), CW_F32, bits_of(3)));
    CHECK(one("ceilf", CW_F32, bits_of(-2.25), CW_F32, bits_of(-2)));
    CHECK(one("-", CW_F64, bits_of(2), CW_F64, bits_of(-2)));
    CHECK(one("signed", CW_I32, -1, CW_F32, bits_of(-1)));
    CHECK(one("unsigned", CW_I32, -1, CW_F64, bits_of(4294967295.0)));
    CHECK(one("to signed", CW_F32, bits_of(-2.75), CW_I32, -2));
    CHECK(one("to unsigned", CW_F64, bits_of(4294967295.0), CW_I32, -1));
    CHECK(one("bool", CW_F32, bits_of(0.5), CW_I1, 1));
    CHECK(!one("to signed", CW_F64, bits_of(2147483648.0), CW_I32, 0)); /* out of range */
    CHECK(!one("to unsigned", CW_F64, bits_of(-1), CW_I32, 0));
    CHECK(!one("to signed", CW_F32, bits_of(0.0 / 0.0), CW_I32, 0));
    CHECK(!one("sinf", CW_F32, bits_of(1), CW_F32, 0));
    CHECK(!one("to signed", CW_AGG, 1, CW_I32, 1));
    CHECK(!cw_fold_pure("+", (enum cw_type[]){CW_F16, CW_F16}, CW_F16, args, 2, &out));
    CHECK(!cw_fold_pure("+", (enum cw_type[]){CW_I32, CW_I32}, CW_I32, args, 2, &out));
}

int main(void) {
    test_reals();
    test_all_bytes();
    test_corners();
    test_rows();
    test_which_rows();
    test_unary();
    test_refused();
    return check_report();
}
