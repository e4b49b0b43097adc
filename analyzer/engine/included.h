/* Kernels of files that other files of the run include. A file of kernels that relies on what its includer declares,
 * or says nothing of the launch, is read in part on its own; the includer's reading may be complete, and then it
 * counts. */
#ifndef CW_ENGINE_INCLUDED_H
#define CW_ENGINE_INCLUDED_H

#include "diag/diag.h"

/* Of the results of one run: what is complete in another file's reading leaves the lists of what is in part or
 * skipped, and counts as analysed. requires: all results are there. Cost: one look-up for each such kernel. */
void cw_included_count(struct cw_file_result *results, uint32_t n, struct cw_arena *a);

#endif
