/* The rules that a proof looks at: all that are on by default, whatever is selected. A fix must not trade one fault for
 * another. */
#ifndef CW_FIX_PROVE_PROOF_H
#define CW_FIX_PROVE_PROOF_H

#include "engine/run.h"

/* The options of a run whose fixes are proved: those of `o` with the wider selection. Both live in the arena and as
 * long as `o`, which is still what decides the findings that are shown. */
struct cw_run_options *cw_proof_options(const struct cw_run_options *o, struct cw_arena *a);

#endif
