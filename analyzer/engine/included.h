/* Kernels of files that other files of the run include. A file of kernels that relies on what its includer declares,
 * or says nothing of the launch, is read in part on its own; the includer's reading has fewer reasons for that, or
 * none, and then it counts. */
#ifndef CW_ENGINE_INCLUDED_H
#define CW_ENGINE_INCLUDED_H

#include "diag/diag.h"

/* Of the results of one run: what is complete in another file's reading leaves the lists of what is in part or
 * skipped, and counts as analysed; what is in part there as well has the reasons of the best reading. requires: all
 * results are there. Cost: one look-up for each such kernel. */
void cw_included_count(struct cw_file_result *results, uint32_t n, struct cw_arena *a);

/* Is the file, which result `at` includes, one whose kernels count although no result is of it? */
typedef bool cw_included_asked(void *ctx, uint32_t at, const char *file);

/* Who lints one file hears of the kernels in its headers, so they count: each once, with the first file that includes
 * it, by the best of the readings. requires: cw_included_count. Cost: as there. */
void cw_included_add(struct cw_file_result *results, uint32_t n, struct cw_arena *a, cw_included_asked *is_asked,
                     void *ctx);

#endif
