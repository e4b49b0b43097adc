/* Bodies of device functions as callers may inline them where those as lowered are too large: with everything that they
 * call, and optimised. A constructor that a front end lowers to hundreds of loads and stores is a few values then.
 *
 * Made once for each function of a module, at the first question, in the module's arena. */
#ifndef CW_IR_CONDENSE_H
#define CW_IR_CONDENSE_H

#include "ir/ir.h"

/* The condensed body; `fn` itself for kernels and patterns of templates, where it takes part in a recursion, and where
 * the body would not fit what a function may grow to. Cost: that of inlining and cw_optimize(), for each function that
 * `fn` calls, once. */
const struct cw_fn *cw_condensed(const struct cw_fn *fn);

#endif
