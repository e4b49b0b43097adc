/* Which files of a run launch the kernels that other files define: `k<<<…>>>` in a.cu of a kernel whose body is in
 * b.cu, and a.cu does not include b.cu. */
#ifndef CW_ENGINE_LAUNCH_INDEX_H
#define CW_ENGINE_LAUNCH_INDEX_H

#include "compdb/directives.h"
#include "engine/pipeline.h"

struct cw_launch_index;

struct cw_launch_index *cw_launch_index_new(struct cw_arena *a);

/* A file of the run: its name in the run, its absolute path, and what its own text says. The options are completed by
 * cw_launch_index_link. */
void cw_launch_index_add(struct cw_launch_index *index, const char *path, const char *full,
                         const struct cw_directives *own, struct cw_unit_options *options);

/* Gives each file whose kernels are launched in other files only the nearest of these, at most four, as
 * options->launchers; what they may read counts among what the file's result depends on. requires: all files have been
 * added. Cost: one look-up for each kernel that a file defines and for each name that one launches. */
void cw_launch_index_link(struct cw_launch_index *index);

#endif
