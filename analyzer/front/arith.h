/* Arithmetic and conversions of C++ as IR instructions. */
#ifndef CW_FRONT_ARITH_H
#define CW_FRONT_ARITH_H

#include "ir/ir.h"

enum cw_arith {
    CW_ARITH_ADD, CW_ARITH_SUB, CW_ARITH_MUL, CW_ARITH_DIV, CW_ARITH_REM, CW_ARITH_AND, CW_ARITH_OR, CW_ARITH_XOR,
    CW_ARITH_SHL, CW_ARITH_SHR, CW_ARITH_EQ, CW_ARITH_NE, CW_ARITH_LT, CW_ARITH_LE, CW_ARITH_GT, CW_ARITH_GE,
    CW_NARITHS
};

/* Where the next instruction goes. */
struct cw_at {
    struct cw_fn *fn;
    uint32_t block;
    uint32_t loc;
};

/* A value's type with the signedness that C++ keeps and the IR does not. */
struct cw_kind {
    enum cw_type type;
    bool is_signed;
};

static inline bool cw_arith_is_compare(enum cw_arith arith) {
    return arith >= CW_ARITH_EQ;
}

cw_ref cw_emit1(struct cw_at at, enum cw_op op, enum cw_type type, uint32_t aux, cw_ref a);
cw_ref cw_emit2(struct cw_at at, enum cw_op op, enum cw_type type, uint32_t aux, cw_ref a, cw_ref b);

/* A deterministic function called `name` of its operands. */
cw_ref cw_emit_pure(struct cw_at at, enum cw_type type, const char *name, const cw_ref *args, uint32_t n);
/* An unknown value that depends on the operands. */
cw_ref cw_emit_opaque(struct cw_at at, enum cw_type type, enum cw_bail why, const cw_ref *args, uint32_t n);

/* a (op) b, both of kind `k`; the right operand of a shift may have any integer type, `b_kind`. Comparisons give i1. */
cw_ref cw_arith(struct cw_at at, enum cw_arith op, struct cw_kind k, struct cw_kind b_kind, cw_ref a, cw_ref b);
/* -v, ~v; floats and unknown types become pure functions. */
cw_ref cw_arith_negate(struct cw_at at, struct cw_kind k, cw_ref v);
cw_ref cw_arith_invert(struct cw_at at, struct cw_kind k, cw_ref v);
cw_ref cw_arith_not(struct cw_at at, cw_ref i1);

/* The conversion of C++ from one scalar type to another; to I1 it is `!= 0`. */
cw_ref cw_convert(struct cw_at at, cw_ref v, struct cw_kind from, struct cw_kind to);

/* pointer + index * scale bytes. */
/* array + index * size; `extent`: bytes of the array, which the index must not leave, 0 where they are not known. */
cw_ref cw_array_element(struct cw_at at, cw_ref array, cw_ref index, struct cw_kind index_kind, int64_t size,
                        uint64_t extent);
cw_ref cw_pointer_add(struct cw_at at, cw_ref pointer, cw_ref index, struct cw_kind index_kind, int64_t scale);

#endif
