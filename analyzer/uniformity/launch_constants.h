/* Values that are the same for all threads of a launch and at all times, by how they are computed: from constants,
 * parameters and the launch's dimensions alone. They tell where the arrays begin that a kernel divides its dynamic
 * shared memory into: `float *b = a + n;`. */
#ifndef CW_UNIFORMITY_LAUNCH_CONSTANTS_H
#define CW_UNIFORMITY_LAUNCH_CONSTANTS_H

#include "ir/ir.h"

/* Is the value such a one? *hash: equal for values that are computed alike. Looks at most some levels deep, and says no
 * beyond. Cost: the size of the expression. */
bool cw_launch_constant(const struct cw_fn *fn, cw_ref value, uint64_t *hash);

/* Is a number that only the launch tells one of the terms of this sum, as in `n + i`? */
bool cw_has_launch_term(const struct cw_fn *fn, cw_ref sum);

#endif
