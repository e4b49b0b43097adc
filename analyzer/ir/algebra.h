/* Rewriting one instruction by the laws of integer arithmetic; not for other layers. */
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

bool cw_algebra_commutes(enum cw_op op);

#endif
