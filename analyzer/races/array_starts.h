/* Where the arrays begin that a kernel divides its shared memory into by numbers that are the same for the whole block:
 * `float *sums = shared + n;` with an `n` that was loaded. uniformity/alias.h knows such arrays where the launch tells
 * the numbers; here data may tell them as well. */
#ifndef CW_RACES_ARRAY_STARTS_H
#define CW_RACES_ARRAY_STARTS_H

#include "uniformity/uniformity.h"

/* Are the two pointers into arrays that begin at different places of one shared object? A step of a pointer that is one
 * number for the block, made outside of all loops, leads to the beginning of an array; all other steps are indices.
 * False when such a number is also a term of an index, as in `shared[n + i]`, which may be in any of them.
 * requires: SSA. cost: the operations behind the two pointers, to a small depth. */
bool cw_start_apart(const struct cw_uniformity *u, cw_ref pointer, cw_ref other);

#endif
