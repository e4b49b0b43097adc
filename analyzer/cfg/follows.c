/* Blocks that surely follow another one in the same iteration of the loops around both.
 *
 * requires, computes: see cfg.h. preserves: the graph. Cost: a walk over the blocks between the two; what
 * cw_cfg_control_equivalent has found is kept, since every evaluator of the function asks for it. */
#include "cfg/cfg.h"

/* skips_traps: ways that only lead to a trap are not gone. */
static bool always_follows(const struct cw_fn *fn, uint32_t first, uint32_t last, bool skips_traps) {
    struct cw_cfg *cfg = fn->cfg;
    uint32_t loop = cfg->loop_of[last], header = loop == CW_NO_LOOP ? CW_NO_BLOCK : cfg->loops.at[loop].header;
    if (!cfg->stamp) {
        cfg->stamp = CW_NEW_ARRAY(fn->arena, uint32_t, cfg->nblocks + 1);
        cfg->stack = CW_NEW_ARRAY(fn->arena, uint32_t, cfg->nblocks + 1);
    }
    uint32_t mark = ++cfg->now, depth = 0;
    bool is_sure = true;
    cfg->stack[depth++] = first;
    while (depth > 0 && is_sure) {
        const struct cw_jump *j = &fn->blocks.at[cfg->stack[--depth]].jump;
        is_sure = j->nsucc > 0;
        for (uint32_t s = 0; s < j->nsucc && is_sure; s++) {
            uint32_t to = j->succ[s];
            if (to == last || cfg->stamp[to] == mark || (skips_traps && cfg->dies[to]))
                continue;
            cfg->stamp[to] = mark;
            is_sure = to != header && (loop == CW_NO_LOOP || cw_cfg_in_loop(cfg, loop, to));
            cfg->stack[depth++] = to;
        }
    }
    return is_sure;
}

bool cw_cfg_always_follows(const struct cw_fn *fn, uint32_t first, uint32_t last) {
    return always_follows(fn, first, last, false);
}

static bool postdominates_live(const struct cw_cfg *cfg, uint32_t block, uint32_t before) {
    while (before != block && before < cfg->nblocks && !cfg->dies[before])
        before = cfg->live_ipdom[before];
    return before == block;
}

static uint32_t find_equivalent(const struct cw_fn *fn, uint32_t block, bool skips_traps) {
    const struct cw_cfg *cfg = fn->cfg;
    uint32_t loop = cfg->loop_of[block], best = block;
    if ((loop != CW_NO_LOOP && cfg->loops.at[loop].header == block) || (skips_traps && cfg->dies[block]))
        return block;
    for (uint32_t d = cfg->idom[block]; d != CW_NO_BLOCK; d = cfg->idom[d]) {
        if (loop != CW_NO_LOOP && !cw_cfg_in_loop(cfg, loop, d))
            break;
        if (cfg->loop_of[d] != loop)
            continue;
        bool is_after = skips_traps ? postdominates_live(cfg, block, d) : cw_cfg_postdominates(cfg, block, d);
        if (!is_after || (loop != CW_NO_LOOP && !always_follows(fn, d, block, skips_traps)))
            break;
        best = d;
    }
    return best;
}

uint32_t cw_cfg_survivor_equivalent(const struct cw_fn *fn, uint32_t block) {
    return find_equivalent(fn, block, true);
}

uint32_t cw_cfg_control_equivalent(const struct cw_fn *fn, uint32_t block) {
    struct cw_cfg *cfg = fn->cfg;
    if (!cfg->equivalent)
        cfg->equivalent = CW_NEW_ARRAY(fn->arena, uint32_t, cfg->nblocks + 1);
    if (cfg->equivalent[block] == 0)
        cfg->equivalent[block] = find_equivalent(fn, block, false) + 1;
    return cfg->equivalent[block] - 1;
}
