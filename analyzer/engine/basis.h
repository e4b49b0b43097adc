/* What the analysis of each kernel rests on: a template without an instance, a guessed block, headers that were not
 * found. Counted for --statistics and the JSON coverage. */
#ifndef CW_ENGINE_BASIS_H
#define CW_ENGINE_BASIS_H

#include "engine/kernel.h"

/* Notes what the analysis of a kernel rested on. requires: called once for each lowered kernel that was analysed, with
 * its launches. */
void cw_basis_note(struct cw_unit *u, const struct cw_fn *lowered, const struct cw_kernel *kernel);

/* Fills result->basis from what was noted, one entry for each kernel of the text. requires: all kernels of the unit
 * have been analysed. Cost: one look-up for each function. */
void cw_basis_list(struct cw_unit *u);

/* Counts kernels over all results of a run. A kernel of a header counts as resting on an assumption only when that is
 * so in every file that reads it. */
struct cw_basis_counts cw_basis_count(const struct cw_file_result *results, uint32_t n, struct cw_arena *a);

#endif
