/* Shapes of arithmetic on thread indices that are the same for all lanes of a warp although their operands differ, such
 * as `threadIdx.x / 32` and `threadIdx.x < 64`. Private to uniformity.
 *
 * A value is a *carrier* when it is 32*u + lane with a warp-uniform u: the linear thread index, alone or with a
 * multiple of 32 added. Bits 5 and up of a carrier are warp-uniform, and so are comparisons with multiples of 32. */
#ifndef CW_UNIFORMITY_WARP_FORMS_H
#define CW_UNIFORMITY_WARP_FORMS_H

#include "uniformity/uniformity.h"

/* The instructions whose results plain arithmetic made of threadIdx.x, the lane or a rank: no other can be a carrier,
 * and most values of a kernel are none. requires: fn->cfg. */
struct cw_bitset cw_warp_indexed(const struct cw_fn *fn, struct cw_arena *a);

/* Is the result of this instruction warp-uniform by its shape? Asks `u` for the levels of the other operands: the
 * answer only turns from yes to no while levels rise. */
bool cw_warp_form(const struct cw_uniformity *u, const struct cw_ins *i);

/* What a value is when the block shape alone says so: `threadIdx.y` in blocks of 64 x 4 is warp-uniform. */
enum cw_uni cw_warp_sreg(const struct cw_shape_facts *facts, enum cw_sreg r);

/* How many threads take part with a group or mask operand. */
enum cw_reach_of_mask {
    CW_MASK_WHOLE,   /* all threads of the warp: full mask, tile<32>, the legacy forms without a mask */
    CW_MASK_UNIFORM, /* some warp-uniform mask */
    CW_MASK_OTHER
};
enum cw_reach_of_mask cw_warp_mask(const struct cw_uniformity *u, cw_ref mask);

/* Is the value the lesser or the greater one of two, whichever side asks? `a < b ? a : b` by a select, or by ways that
 * join; also where more is asked if both are equal: `if (a > b || (a == b && i < j)) b = a;`. Then two: the two. */
enum cw_extremum { CW_EXTREMUM_NONE, CW_EXTREMUM_LESSER, CW_EXTREMUM_GREATER };
enum cw_extremum cw_warp_extremum(const struct cw_fn *fn, const struct cw_ins *ins, cw_ref two[2]);

/* `a op b` with f(a, b) == f(b, a): additions, products, minima, maxima, bitwise operations, also on floats. */
bool cw_warp_is_symmetric(const struct cw_fn *fn, const struct cw_ins *i);

/* The other operand of a symmetric operation on `r` and `__shfl_xor(r, m)`: the shuffle, else NULL. */
const struct cw_ins *cw_warp_butterfly(const struct cw_uniformity *u, const struct cw_ins *i, cw_ref *r);

/* The loop whose header phi, or its next value, holds a finished butterfly sum once the loop is left:
 * `for (o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(~0u, v, o);`. CW_NO_LOOP when `ins` is no such value. */
uint32_t cw_warp_butterfly_loop(const struct cw_uniformity *u, uint32_t ins);

#endif
