/* Floating-point operations on constants. The IR has no ops for them: they are PURE, told apart by their names, which
 * the front ends choose (front/arith.c, cuda/intrinsics_math.def).
 *
 * A value is the bit pattern of a double; f32 values are rounded to float after each operation, which for + - * / and
 * sqrt gives the correctly rounded result (Figueroa 1995). Contraction to fused multiply-add is not modelled. */
#include "ir/ir.h"

#include <math.h>
#include <string.h>

enum float_op {
    ADD, SUB, MUL, DIV, EQ, NE, LT, LE, GT, GE, FROM_SIGNED, FROM_UNSIGNED, TO_SIGNED, TO_UNSIGNED, CONVERT, TO_BOOL,
    CEIL, FLOOR, TRUNC, ROUND, RINT, SQRT, FABS, FMIN, FMAX
};

static const struct {
    const char *name;
    enum float_op op;
} names[] = {
    {"+", ADD},
    {"-", SUB},
    {"*", MUL},
    {"/", DIV},
    {"==", EQ},
    {"!=", NE},
    {"<", LT},
    {"<=", LE},
    {">", GT},
    {">=", GE},
    {"signed", FROM_SIGNED},
    {"unsigned", FROM_UNSIGNED},
    {"to signed", TO_SIGNED},
    {"to unsigned", TO_UNSIGNED},
    {"convert", CONVERT},
    {"bool", TO_BOOL},
    {"ceil", CEIL},
    {"floor", FLOOR},
    {"trunc", TRUNC},
    {"round", ROUND},
    {"rint", RINT},
    {"sqrt", SQRT},
    {"fabs", FABS},
    {"abs", FABS},
    {"fmin", FMIN},
    {"fmax", FMAX},
    {"min", FMIN},
    {"max", FMAX},
};

/* "ceilf", "std::ceil" and "ceil" are one function. */
static bool find_op(const char *name, enum float_op *op) {
    size_t n = strlen(name);
    if (n > 5 && memcmp(name, "std::", 5) == 0)
        name += 5, n -= 5;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t length = strlen(names[k].name);
        bool is_float_form = n == length + 1 && name[length] == 'f' && names[k].op >= CEIL;
        if ((n == length || is_float_form) && memcmp(name, names[k].name, length) == 0) {
            *op = names[k].op;
            return true;
        }
    }
    return false;
}

static double to_double(int64_t bits) {
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static bool is_real(enum cw_type type) {
    return type == CW_F32 || type == CW_F64;
}

static bool store_real(enum cw_type type, double value, int64_t *out) {
    double rounded = type == CW_F32 ? (double)(float)value : value;
    memcpy(out, &rounded, sizeof rounded);
    return is_real(type);
}

/* Float to integer truncates; beyond the range the result is undefined in C++. */
static bool to_integer(enum cw_type type, bool is_signed, double value, int64_t *out) {
    unsigned bits = cw_type_bits(type);
    double whole = trunc(value), top = ldexp(1, (int)bits - is_signed);
    if (!cw_type_is_int(type) || !(whole < top) || !(whole >= (is_signed ? -top : 0)))
        return false;
    *out = cw_type_wrap(type, is_signed ? (int64_t)whole : (int64_t)(uint64_t)whole);
    return true;
}

static bool from_integer(enum cw_type from, bool is_signed, int64_t value, enum cw_type to, int64_t *out) {
    unsigned bits = cw_type_bits(from);
    if (!cw_type_is_int(from))
        return false;
    uint64_t word = bits < 64 ? (uint64_t)value & ((UINT64_C(1) << bits) - 1) : (uint64_t)value;
    return store_real(to, is_signed && from != CW_I1 ? (double)value : (double)word, out);
}

static bool compare_floats(enum float_op op, double a, double b, int64_t *out) {
    switch (op) {
    case EQ: *out = a == b; return true;
    case NE: *out = a != b; return true;
    case LT: *out = a < b; return true;
    case LE: *out = a <= b; return true;
    case GT: *out = a > b; return true;
    case GE: *out = a >= b; return true;
    default: return false;
    }
}

static bool fold_binary(enum float_op op, double a, double b, double *out) {
    switch (op) {
    case ADD: *out = a + b; return true;
    case SUB: *out = a - b; return true;
    case MUL: *out = a * b; return true;
    case DIV: *out = a / b; return true;
    case FMIN: *out = fmin(a, b); return true;
    case FMAX: *out = fmax(a, b); return true;
    default: return false;
    }
}

static bool fold_unary(enum float_op op, double a, double *out) {
    switch (op) {
    case SUB: *out = -a; return true;
    case CONVERT: *out = a; return true;
    case CEIL: *out = ceil(a); return true;
    case FLOOR: *out = floor(a); return true;
    case TRUNC: *out = trunc(a); return true;
    case ROUND: *out = round(a); return true;
    case RINT: *out = rint(a); return true;
    case SQRT: *out = sqrt(a); return true;
    case FABS: *out = fabs(a); return true;
    default: return false;
    }
}

static bool fold_one(enum float_op op, enum cw_type type, enum cw_type result, int64_t arg, int64_t *out) {
    double value;
    if (op == FROM_SIGNED || op == FROM_UNSIGNED)
        return from_integer(type, op == FROM_SIGNED, arg, result, out);
    if (!is_real(type))
        return false;
    if (op == TO_SIGNED || op == TO_UNSIGNED)
        return to_integer(result, op == TO_SIGNED, to_double(arg), out);
    if (op == TO_BOOL) {
        *out = to_double(arg) != 0;
        return result == CW_I1;
    }
    return fold_unary(op, to_double(arg), &value) && store_real(result, value, out);
}

bool cw_fold_pure(const char *name, const enum cw_type *types, enum cw_type result, const int64_t *args, uint32_t n,
                  int64_t *out) {
    enum float_op op;
    double value;
    if (n == 0 || n > 2 || !find_op(name, &op))
        return false;
    if (n == 1)
        return fold_one(op, types[0], result, args[0], out);
    if (!is_real(types[0]) || types[0] != types[1])
        return false;
    double a = to_double(args[0]), b = to_double(args[1]);
    if (result == CW_I1)
        return compare_floats(op, a, b, out);
    return fold_binary(op, a, b, &value) && store_real(result, value, out);
}
