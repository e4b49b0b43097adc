/* --dump=accesses and --dump=syncs: where lanes act together or touch shared memory. */
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

#endif
