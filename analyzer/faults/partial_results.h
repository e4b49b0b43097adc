/* Results of block and warp reductions that are used in threads in which they are not valid.
 *
 * A library's reduction gives its result to one thread: thread 0 of the block, or lane 0 of each logical warp; in the
 * others the value is undefined. It is followed to its uses lane by lane (lanes/undef_flow.h), so that `if (threadIdx.x
 * == 0)`, a shuffle from lane 0, and values that nobody stores, branches on or passes on are no uses.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: for each result the first use in such a thread, in execution
 * order. preserves: everything. cost: the uses of each result, under a few launches and iterations. */
#ifndef CW_FAULTS_PARTIAL_RESULTS_H
#define CW_FAULTS_PARTIAL_RESULTS_H

#include "cuda/models.h"
#include "lanes/kernel_query.h"
#include "lanes/undef_flow.h"

struct cw_partial_use {
    uint32_t ins; /* the result */
    const struct cw_collective *collective;
    struct cw_use use;
    bool definite; /* shown from facts, or under every ordinary shape, whatever the data are */
    /* the witness */
    uint32_t launch, sample, thread;
    struct cw_lanes *lanes;
    const struct cw_context *context;
};

struct cw_partial_uses {
    CW_VEC(struct cw_partial_use) at;
};

struct cw_partial_uses cw_partial_uses_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_partial_uses_print(const struct cw_facts_print *to, const struct cw_partial_uses *uses);

#endif
