/* Loops that nothing ends: no value that an exit is decided by changes in them, and nothing else may end the thread.
 *
 * requires: SSA, fn->cfg. computes: loops in the order of cfg->loops. preserves: everything. */
#ifndef CW_UNIFORMITY_INFINITE_LOOPS_H
#define CW_UNIFORMITY_INFINITE_LOOPS_H

#include "cfg/cfg.h"

struct cw_endless {
    uint32_t loop;             /* index in cfg->loops */
    uint32_t condition;        /* loc of the loop's own condition, 0: it was folded to "always" */
    struct cw_vec_u32 folded;  /* then the locs of conditions in the loop that were, as they come */
};

struct cw_endless_loops {
    CW_VEC(struct cw_endless) at;
};

/* Empty for functions that are understood in part: what is missing may be the step. */
struct cw_endless_loops cw_endless_loops_of(const struct cw_fn *fn, struct cw_arena *a);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_endless_loops_print(const struct cw_facts_print *to, const struct cw_endless_loops *loops);

#endif
