/* How one thread goes through a kernel in SSA: what the machines of the property tests have in common. */
#ifndef CW_TESTS_SUPPORT_THREAD_WALK_H
#define CW_TESTS_SUPPORT_THREAD_WALK_H

#include "lanes/lanes.h"

/* The iteration that a thread is in after the edge from one block to another; from: CW_NO_BLOCK at the entry. */
static inline const struct cw_context *walk_context(const struct cw_fn *fn, struct cw_lanes *lanes,
                                                    const struct cw_context *c, uint32_t from, uint32_t to) {
    const struct cw_cfg *cfg = fn->cfg;
    while (c && !cw_cfg_in_loop(cfg, c->loop, to))
        c = c->outer;
    uint32_t loop = cfg->loop_of[to];
    if (loop == CW_NO_LOOP || cfg->loops.at[loop].header != to)
        return c;
    if (from != CW_NO_BLOCK && cw_cfg_in_loop(cfg, loop, from))
        return cw_lanes_context(lanes, c->outer, loop, c->iteration + 1);
    return cw_lanes_context(lanes, c, loop, 0);
}

/* Which operand of `to`'s phis belongs to the edge. */
static inline uint32_t walk_operand(const struct cw_fn *fn, uint32_t from, uint32_t to) {
    const struct cw_block *b = &fn->blocks.at[to];
    uint32_t p = 0;
    while (p < b->pred.n && b->pred.at[p] != from)
        p++;
    return p;
}

/* Where a jump goes when its value is v; CW_NO_BLOCK: nowhere. */
static inline uint32_t walk_target(const struct cw_jump *j, int64_t v) {
    if (j->kind == CW_JUMP_GOTO)
        return j->succ[0];
    if (j->kind == CW_JUMP_BRANCH)
        return j->succ[v ? 0 : 1];
    if (j->kind != CW_JUMP_SWITCH)
        return CW_NO_BLOCK;
    for (uint32_t k = 0; k + 1 < j->nsucc; k++)
        if (j->cases[k] == v)
            return j->succ[k];
    return j->succ[j->nsucc - 1];
}

#endif
