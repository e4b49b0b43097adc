/* Block order and dominance for the passes of this folder, which change the graph and so cannot lean on cfg/ (that
 * layer describes a finished function, with much more than this).
 *
 * requires: jumps (not pred lists). computes: reverse post-order and the dominator tree of the reachable blocks, by the
 * Semi-NCA algorithm (Georgiadis, "Linear-Time Algorithms for Dominators and Related Problems", 2005): inlined chains
 * of `if (…) return` meet in one block, which costs iterative algorithms the square of their length. */
#ifndef CW_IR_ORDER_H
#define CW_IR_ORDER_H

#include "ir/ir.h"

#define CW_ORDER_NONE UINT32_MAX

struct cw_order_of_blocks {
    uint32_t n;       /* reachable blocks */
    uint32_t *rpo;    /* rpo[0] is the entry */
    uint32_t *at;     /* block -> position in rpo, CW_ORDER_NONE when unreachable */
    uint32_t *idom;   /* block -> block; the entry and unreachable ones: CW_ORDER_NONE */
    uint32_t *enter, *leave; /* block -> interval in a walk of the dominator tree */
};

struct cw_order_of_blocks cw_order_blocks(const struct cw_fn *fn, struct cw_arena *a);

static inline bool cw_order_reaches(const struct cw_order_of_blocks *blocks, uint32_t block) {
    return blocks->at[block] != CW_ORDER_NONE;
}

/* a dominates b, reflexive; both reachable. */
static inline bool cw_order_dominates(const struct cw_order_of_blocks *blocks, uint32_t a, uint32_t b) {
    return blocks->enter[a] <= blocks->enter[b] && blocks->leave[b] <= blocks->leave[a];
}

#endif
