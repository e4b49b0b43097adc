/* `// cuwarp: assume uniform(x)` and `assume converged`: what a person knows of the code, put into the IR as UNIFORM.
 */
#ifndef CW_ENGINE_ASSUMPTIONS_H
#define CW_ENGINE_ASSUMPTIONS_H

#include "engine/kernel.h"

/* requires: u->module lowered, before anything is inlined. computes: u->assumptions; for each named variable, UNIFORM
 * where the comment stands. Reports variables that are not there (misused-directive). */
void cw_assume_uniform(struct cw_unit *u);

/* requires: k inlined, in SSA, k->cfg. computes: UNIFORM for every decision that leads to a place said to be converged:
 * of the block where the place has a block barrier, else of the warp. preserves: the control-flow graph. */
void cw_assume_converged(const struct cw_unit *u, struct cw_fn *k);

#endif
