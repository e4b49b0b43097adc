/* See infinite_loops.h. */
#include "uniformity/infinite_loops.h"

#include "cfg/facts_print.h"

/* Unknown code in the loop may end the thread or the program. */
static bool may_end_inside(const struct cw_fn *fn, uint32_t loop) {
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; cw_cfg_in_loop(fn->cfg, loop, b) && k < fn->blocks.at[b].ins.n; k++)
            if (cw_op_flags(fn->ins.at[fn->blocks.at[b].ins.at[k]].op) & CW_OP_O)
                return true;
    return false;
}

static bool is_loop_origin(enum cw_origin origin) {
    return origin == CW_FROM_FOR || origin == CW_FROM_WHILE || origin == CW_FROM_DO;
}

static bool has_way_out(const struct cw_fn *fn, uint32_t index) {
    const struct cw_loop *loop = &fn->cfg->loops.at[index];
    for (uint32_t x = 0; x < loop->exits.n; x++)
        if (!cw_cfg_is_invariant(fn, index, fn->blocks.at[loop->exits.at[x].block].jump.value))
            return true;
    return false;
}

/* No exit needs to be the loop's own condition. */
static uint32_t own_condition(const struct cw_fn *fn, uint32_t index) {
    const struct cw_loop *loop = &fn->cfg->loops.at[index];
    for (uint32_t x = 0; x < loop->exits.n; x++)
        if (is_loop_origin(fn->blocks.at[loop->exits.at[x].block].jump.origin))
            return fn->blocks.at[loop->exits.at[x].block].jump.loc;
    return 0;
}

struct cw_endless_loops cw_endless_loops_of(const struct cw_fn *fn, struct cw_arena *a) {
    struct cw_endless_loops found = {{0}};
    for (uint32_t l = 0; !fn->is_degraded && l < fn->cfg->loops.n; l++) {
        struct cw_endless e = {.loop = l};
        if (has_way_out(fn, l) || may_end_inside(fn, l))
            continue;
        e.condition = own_condition(fn, l);
        for (uint32_t b = 0; !e.condition && b < fn->blocks.n; b++)
            if (fn->cfg->loop_of[b] == l && fn->blocks.at[b].always != 0)
                cw_vec_push(a, &e.folded, fn->blocks.at[b].always);
        cw_vec_push(a, &found.at, e);
    }
    return found;
}

/* ---- text form ---- */

void cw_endless_loops_print(const struct cw_facts_print *to, const struct cw_endless_loops *loops) {
    for (uint32_t k = 0; k < loops->at.n; k++) {
        const struct cw_endless *endless = &loops->at.at[k];
        cw_facts_begin(to, true, "infinite loop");
        cw_facts_loop(to, endless->loop);
        cw_facts_loc(to, "condition", endless->condition);
        for (uint32_t i = 0; i < endless->folded.n; i++)
            cw_facts_loc(to, "folded condition", endless->folded.at[i]);
        cw_facts_end(to);
    }
}
