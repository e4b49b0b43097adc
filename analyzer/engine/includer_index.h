/* Which files include a file that may be no more than a part of them: "kernel.cu", which main.cu includes after the
 * arrays and constants that it uses. */
#ifndef CW_ENGINE_INCLUDER_INDEX_H
#define CW_ENGINE_INCLUDER_INDEX_H

#include "engine/pipeline.h"

struct cw_includer_index;

struct cw_includer_index *cw_includer_index_new(struct cw_arena *a);

/* A file that is read for its own sake: its name in the run, its real path, its options. `is_wanted`: its includers
 * are asked for. */
void cw_includer_index_add(struct cw_includer_index *index, const char *path, const char *real,
                           struct cw_unit_options *options, bool is_wanted);

/* Gives each file whose includers are wanted the nearest of the added files that include it, directly or through
 * headers, at most two, as options->includers; what they may read counts among what the file's result depends on.
 * Headers do not count as includers. requires: all files have been added. Cost: one look-up for each file that a unit
 * reads, when a file is wanted. */
void cw_includer_index_link(struct cw_includer_index *index);

#endif
