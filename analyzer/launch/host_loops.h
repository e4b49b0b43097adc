/* Loops of host code whose values are all known, as `while (n > 1) { n >>= 1; log++; }` for a known n. */
#ifndef CW_LAUNCH_HOST_LOOPS_H
#define CW_LAUNCH_HOST_LOOPS_H

#include "launch/host_values.h"

/* The value of the loop header's phi when the loop has ended, by running the loop: false when a condition on the way is
 * not known, or after a bounded number of steps. depth: of the operations behind values that the loop does not compute.
 * requires: a phi in the header of a loop that does not contain the place. */
bool cw_host_after_loop(struct cw_host_point *p, uint32_t phi, int depth, int64_t *value);

/* The values that such a phi may have behind a loop that may be left early (`for (c = 16; c > 1; c /= 2) if (n % c ==
 * 0) break;`), each once: those with which an exit is met that nobody can decide, and that of the end where all exits
 * lead to one place. False for more than CW_HOST_WAYS, and where another condition is not known. */
bool cw_host_in_loop(struct cw_host_point *p, uint32_t phi, int depth, struct cw_host_alternatives *out);

#endif
