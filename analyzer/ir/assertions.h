/* Checks by functions that nobody sees: `KERNEL_CHECK(n % 256 == 0);` where the header that defines it is missing.
 *
 * What such a check says is a fact about the code behind it, on the device as before a launch. Without it a witness may
 * choose sizes that the project excludes. Only the name can say that a function checks, so it has to say it plainly
 * (assertion_words.def), the operand has to be a condition, and nobody may use a result but what prints a message. */
#ifndef CW_IR_ASSERTIONS_H
#define CW_IR_ASSERTIONS_H

#include "ir/ir.h"

/* requires: a lowered function, before SSA and before its preds are linked. Each such call becomes a branch to a TRAP;
 * reasons for giving up that the call counted stay. Cost: one pass over the instructions, one more where there is such
 * a call. */
void cw_fn_lower_assertions(struct cw_fn *fn);

#endif
