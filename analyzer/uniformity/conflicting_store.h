/* The write that makes a load racy: one that may touch the loaded bytes in the same phase, that is, with no block
 * barrier that always lies between. For explanations; uniformity decides which loads are unstable.
 *
 * requires: fn->cfg. computes: the best such write. preserves: everything. */
#ifndef CW_UNIFORMITY_CONFLICTING_STORE_H
#define CW_UNIFORMITY_CONFLICTING_STORE_H

#include "cfg/cfg.h"

struct cw_writer {
    uint32_t ins;
    bool is_exact; /* surely the same bytes, not only perhaps, and in one phase with the load on some way */
    bool is_local; /* the load reads shared memory, which nobody outside the block can write; set also without a writer
                    */
    bool may_be_ordered; /* the load reads device memory in a kernel that waits in a loop for memory to change: a
                          * barrier made by hand may order the two; set also without a writer */
};

/* False when no store or atomic of the kernel is such a write. `threads`: the block's extents, 0 where one is not
 * known: in a block of one warp a __syncwarp() of all its lanes is a barrier too. */
bool cw_writer_find(const struct cw_fn *fn, uint32_t load, const uint32_t threads[3], struct cw_arena *a,
                    struct cw_writer *out);

#endif
