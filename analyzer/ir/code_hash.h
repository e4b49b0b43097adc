/* One number for a function's code. */
#ifndef CW_IR_CODE_HASH_H
#define CW_IR_CODE_HASH_H

#include "ir/ir.h"

/* requires: linked preds. Functions of different modules with equal code, names and places have equal hashes. The
 * declared type of a local variable counts only where `types` is set and an instruction still uses the variable:
 * nothing else can ask for it. Cost: linear in the function, about a tenth of printing it. */
uint64_t cw_fn_code_hash(const struct cw_fn *fn, bool types, uint64_t seed);

#endif
