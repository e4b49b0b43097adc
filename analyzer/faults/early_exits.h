/* Threads that return before a block barrier at which others go on: for the data that they leave out see
 * faults/unwritten_by_exited.h.
 *
 * One exit is one cause: of the barriers behind a return the first is told at which that return counts.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: exits in execution order. preserves: everything. */
#ifndef CW_FAULTS_EARLY_EXITS_H
#define CW_FAULTS_EARLY_EXITS_H

#include "faults/unwritten_by_exited.h"
#include "lanes/kernel_query.h"

struct cw_early_exit {
    uint32_t barrier, branch; /* the instruction; the block whose branch lets threads go */
    bool is_lost;             /* others read what the exited threads should have written: `lost` */
    bool definite;            /* shown from facts, or under every ordinary shape of more than one warp */
    struct cw_lost lost;
    /* the witness */
    struct cw_lanes *lanes;
    const struct cw_participation *at; /* of the barrier */
};

struct cw_early_exits {
    CW_VEC(struct cw_early_exit) at;
};

/* all: also those of which nobody misses anything. */
struct cw_early_exits cw_exits_of(const struct cw_kernel_query *q, bool all);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_early_exits_print(const struct cw_facts_print *to, const struct cw_early_exits *exits);

#endif
