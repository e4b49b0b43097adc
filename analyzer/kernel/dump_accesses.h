/* --dump=accesses, --dump=syncs, --dump=calls: where lanes act together or touch shared memory, what is not known. */
#ifndef CW_KERNEL_DUMP_ACCESSES_H
#define CW_KERNEL_DUMP_ACCESSES_H

#include "ir/ir.h"

/* One line per collective, barrier and access to shared memory of an inlined, optimized function: the operation, then
 * file, line and column of the place and of the calls it was inlined through, innermost first; tabs between. */
void cw_accesses_print(const struct cw_fn *fn, struct cw_arena *scratch, struct cw_buf *out);

/* --dump=syncs: one line per function analysed ("root"), barrier and warp collective, for comparisons of two versions:
 * the unit, the function analysed, "shared" or "-" (does it store to shared memory?), the function that holds the call,
 * both without template arguments, the operation, "full", "activemask" or "-" (its mask), then file, line, column, end
 * line and end column; tabs between. */
void cw_syncs_print(const struct cw_fn *fn, struct cw_arena *scratch, struct cw_buf *out);

/* --dump=calls: one line per call that is left after inlining: "kernel" or "device" and the function analysed, without
 * template arguments, its file and line; why the callee was not entered; "known" or "unknown" (does a model, or a walk
 * over its body, say whether it orders threads?); "nothing", "may" or "orders" (what it is taken to order); the callee,
 * "-" when it has no name; then the places as above; tabs between. The initialisation of an object is no call. */
void cw_calls_print(const struct cw_fn *fn, struct cw_arena *scratch, struct cw_buf *out);

#endif
