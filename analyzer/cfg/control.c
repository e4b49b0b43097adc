/* Control dependence: which branch edges decide whether a block runs.
 *
 * Ferrante, Ottenstein, Warren, "The Program Dependence Graph and Its Use in Optimization" (1987): a block depends on
 * edge (a, b) when it post-dominates b but not a, that is, it lies on the way up the post-dominator tree from b to
 * below the immediate post-dominator of a. */
#include "cfg/cfg_internal.h"

static bool is_alive(const uint8_t *without, uint32_t block) {
    return !without || !without[block];
}

static bool is_decision(const struct cw_jump *jump, const uint8_t *without) {
    uint32_t first = CW_NO_BLOCK;
    for (uint32_t s = 0; s < jump->nsucc; s++) {
        if (!is_alive(without, jump->succ[s]))
            continue;
        if (first != CW_NO_BLOCK && jump->succ[s] != first)
            return true;
        first = jump->succ[s];
    }
    return false;
}

struct cw_vec_edge *cw_cfg_find_control(const struct cw_fn *fn, const struct cw_cfg *cfg, const uint32_t *ipdom,
                                        const uint8_t *without, struct cw_arena *a) {
    struct cw_vec_edge *control = CW_NEW_ARRAY(a, struct cw_vec_edge, cfg->nblocks);
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        uint32_t b = cfg->rpo[i];
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        if (!is_alive(without, b) || !is_decision(j, without))
            continue;
        for (uint32_t s = 0; s < j->nsucc; s++)
            for (uint32_t run = j->succ[s]; is_alive(without, j->succ[s]) && run != ipdom[b] && run != cfg->nblocks;
                 run = ipdom[run])
                cw_vec_push(a, &control[run], ((struct cw_edge){b, s}));
    }
    return control;
}

static void walk_control(const struct cw_fn *fn, const struct cw_vec_edge *control, uint32_t block,
                         bool (*visit)(void *, struct cw_edge), void *ctx) {
    const struct cw_cfg *cfg = fn->cfg;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct cw_bitset edges = cw_bitset_new(&scratch, cfg->first_edge[cfg->nblocks]);
    struct cw_bitset blocks = cw_bitset_new(&scratch, cfg->nblocks);
    struct cw_vec_u32 queue = {0};
    bool go_on = true;
    cw_bitset_add(&blocks, block);
    cw_vec_push(&scratch, &queue, block);
    for (uint32_t q = 0; q < queue.n && go_on; q++) {
        const struct cw_vec_edge *direct = &control[queue.at[q]];
        for (uint32_t k = 0; k < direct->n && go_on; k++) {
            struct cw_edge e = direct->at[k];
            uint32_t id = cfg->first_edge[e.block] + e.which;
            if (cw_bitset_has(&edges, id))
                continue;
            cw_bitset_add(&edges, id);
            go_on = visit(ctx, e);
            if (cw_bitset_has(&blocks, e.block))
                continue;
            cw_bitset_add(&blocks, e.block);
            cw_vec_push(&scratch, &queue, e.block);
        }
    }
    cw_arena_free(&scratch);
}

void cw_cfg_controls(const struct cw_fn *fn, uint32_t block, bool (*visit)(void *, struct cw_edge), void *ctx) {
    walk_control(fn, fn->cfg->control, block, visit, ctx);
}

void cw_cfg_live_controls(const struct cw_fn *fn, uint32_t block, bool (*visit)(void *, struct cw_edge), void *ctx) {
    walk_control(fn, fn->cfg->live_control, block, visit, ctx);
}
