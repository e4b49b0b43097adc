/* The first look at many files: batches of them go to processes that only scan. Most files of a large tree hold no
 * device code, and a process for each would take ten times as long as looking at it. */
#ifndef CW_ENGINE_SCOUT_H
#define CW_ENGINE_SCOUT_H

#include "engine/run.h"

struct cw_scouting {
    const struct cw_run_options *options;
    struct cw_sources *sources;
    const struct cw_inputs *inputs;
    const struct cw_unit_options *const *units; /* by index in inputs */
    /* What a worker would have written to its pipe, for a file that needs no parser. */
    void (*take)(void *ctx, uint32_t file, const struct cw_buf *wire);
    /* Again and again: how many files have been looked at, and one that is being looked at. */
    void (*progress)(void *ctx, uint32_t done, uint32_t file);
    void *ctx;
};

/* Takes the files without device code out of `todo`, whose order is kept. Whatever goes wrong with a file (a crash, too
 * much time or memory) leaves it there, for a worker of its own, and the rest of its batch is looked at again. The
 * result does not depend on how files were divided among processes. */
void cw_scout(const struct cw_scouting *s, struct cw_vec_u32 *todo);

#endif
