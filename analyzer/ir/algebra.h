/* The laws of integer arithmetic: what of an operation follows from its name alone, and rewriting by them. */
#ifndef CW_IR_ALGEBRA_H
#define CW_IR_ALGEBRA_H

#include "ir/ir.h"

enum cw_algebra {
    CW_ALGEBRA_NONE,
    CW_ALGEBRA_CHANGED,  /* the instruction is a simpler one now */
    CW_ALGEBRA_REPLACED, /* its value is *value */
};

/* Only laws that hold for every operand are used; what C++ leaves undefined (shifts too far, division by zero) stays.
 */
enum cw_algebra cw_algebra_simplify(struct cw_fn *fn, uint32_t index, cw_ref *value);

/* Greatest common divisor, by Euclid; of 0 and a number the number. */
uint64_t cw_algebra_common_divisor(uint64_t a, uint64_t b);

/* a OP b is b OP a. */
bool cw_algebra_commutes(enum cw_op op);
/* a OP b as b OP' a, of a comparison; of others OP itself. */
enum cw_op cw_algebra_mirrored(enum cw_op op);
/* !(a OP b) as a OP' b, of a comparison. */
enum cw_op cw_algebra_negated(enum cw_op op);

#endif
