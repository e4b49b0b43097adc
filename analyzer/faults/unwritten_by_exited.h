/* Shared data that exited threads never wrote: what makes an early `return` before a barrier a bug on every GPU.
 *
 * A reader behind a barrier loads a byte that no thread still running writes anywhere in the kernel, while a store
 * which every thread passes on its way to the barrier would have written it in a thread that has exited before.
 *
 * requires: lanes, a participation with exited threads. computes: the first such read. preserves: everything. Objects
 * whose address is used otherwise than by plain loads and stores are left alone, and so are objects with a store that
 * moves through nested or endless loops. */
#ifndef CW_FAULTS_UNWRITTEN_BY_EXITED_H
#define CW_FAULTS_UNWRITTEN_BY_EXITED_H

#include "lanes/participation.h"

struct cw_lost {
    uint32_t load, store;     /* instructions */
    uint32_t reader, writer;  /* threads: one that arrives, one that has exited */
    uint32_t object;          /* index in fn->objects */
    int64_t offset;           /* byte in the object */
};

bool cw_lost_find(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_participation *at_barrier,
                  struct cw_arena *a, struct cw_lost *out);

/* Do the threads that stay miss nothing, given the round sizes of sample CW_SAMPLE_ROUND? Threads that work in groups
 * return in groups when the size is a multiple of the group's. False also when that cannot be said. */
bool cw_lost_denied(struct cw_lanes *round, const struct cw_fn *fn, uint32_t barrier, struct cw_arena *a);

#endif
