/* Which joins, loops and blocks a branch concerns when threads part at it; facts of the graph alone. Private to
 * uniformity. */
#ifndef CW_UNIFORMITY_DIVERGENCE_H
#define CW_UNIFORMITY_DIVERGENCE_H

#include "cfg/cfg.h"

/* Two disjoint ways lead from the branch of a block to a join: way[k] says over which way the join's predecessor k is
 * reached, CW_NO_WAY when over none. A phi with different operands for different ways shows who took which. */
struct cw_conflict {
    uint32_t branch;
    const uint32_t *way;
};

#define CW_NO_WAY UINT32_MAX

struct cw_divergence {
    /* join -> the branches whose ways meet there */
    CW_VEC(struct cw_conflict) *meetings;
    bool is_coarse; /* too much work: any branch may be visible in any phi */
    /* block -> blocks whose branches decide whether a thread gets there or runs on elsewhere (not: has returned) */
    struct cw_vec_u32 *deciding;
    struct cw_bitset undecided; /* blocks without such a list, for it was too much work */
    struct cw_divergence_work *work;
};

/* `a` must outlive the result; tables that are made by demand go there too. */
struct cw_divergence *cw_divergence_new(const struct cw_fn *fn, struct cw_arena *a);

/* Blocks whose branches decide in which iteration a thread leaves the loop on its way to `block` outside. A branch that
 * only sends threads elsewhere (`return` in the loop) is none of them: who comes to `block` still comes together. */
const struct cw_vec_u32 *cw_divergence_leaving(struct cw_divergence *d, uint32_t loop, uint32_t block);

#endif
