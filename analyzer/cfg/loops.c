/* Natural loops: for each header, all blocks that reach one of its latches without passing the header.
 *
 * Loops of different headers are nested or disjoint, also when other parts of the graph are irreducible. */
#include "cfg/cfg_internal.h"

static bool is_reachable(const struct cw_cfg *cfg, uint32_t b) {
    return cfg->rpo_index[b] != CW_NO_BLOCK;
}

/* The loop of header `h`, without its exits; no latches when h heads none. */
static void find_latches(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a, uint32_t h,
                         struct cw_vec_u32 *latches) {
    const struct cw_vec_u32 *pred = &fn->blocks.at[h].pred;
    for (uint32_t p = 0; p < pred->n; p++) {
        uint32_t from = pred->at[p];
        if (!is_reachable(cfg, from) || cfg->rpo_index[from] < cfg->rpo_index[h])
            continue;
        if (!cw_cfg_dominates(cfg, h, from))
            cfg->is_irreducible = true;
        else if (!latches->n || cw_vec_last(latches) != from)
            cw_vec_push(a, latches, from);
    }
}

static void fill_body(const struct cw_fn *fn, const struct cw_cfg *cfg, struct cw_loop *loop) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    uint32_t *stack = CW_NEW_ARRAY(&scratch, uint32_t, cfg->nblocks + loop->latches.n), depth = 0;
    cw_bitset_add(&loop->blocks, loop->header);
    for (uint32_t k = 0; k < loop->latches.n; k++)
        if (!cw_bitset_has(&loop->blocks, loop->latches.at[k])) {
            cw_bitset_add(&loop->blocks, loop->latches.at[k]);
            stack[depth++] = loop->latches.at[k];
        }
    while (depth) {
        const struct cw_vec_u32 *pred = &fn->blocks.at[stack[--depth]].pred;
        for (uint32_t p = 0; p < pred->n; p++)
            if (is_reachable(cfg, pred->at[p]) && !cw_bitset_has(&loop->blocks, pred->at[p])) {
                cw_bitset_add(&loop->blocks, pred->at[p]);
                stack[depth++] = pred->at[p];
            }
    }
    cw_arena_free(&scratch);
}

static void find_exits(const struct cw_fn *fn, const struct cw_cfg *cfg, struct cw_arena *a, struct cw_loop *loop) {
    for (uint32_t i = cfg->rpo_index[loop->header]; i < cfg->nrpo; i++) {
        uint32_t b = cfg->rpo[i];
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        for (uint32_t s = 0; cw_bitset_has(&loop->blocks, b) && s < j->nsucc; s++)
            if (!cw_bitset_has(&loop->blocks, j->succ[s]))
                cw_vec_push(a, &loop->exits, ((struct cw_edge){b, s}));
    }
}

bool cw_cfg_only_exit(const struct cw_fn *fn, uint32_t loop, struct cw_edge *out) {
    const struct cw_vec_edge *exits = &fn->cfg->loops.at[loop].exits;
    uint32_t n = 0;
    for (uint32_t k = 0; k < exits->n; k++)
        if (!fn->cfg->dies[cw_cfg_edge_target(fn, exits->at[k])]) {
            *out = exits->at[k];
            n++;
        }
    return n == 1;
}

/* Headers come in reverse post-order, so an enclosing loop is made first, and loop_of still names it here. */
static void add_loop(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a, uint32_t header,
                     struct cw_vec_u32 latches) {
    struct cw_loop l = {.header = header, .parent = cfg->loop_of[header], .latches = latches};
    l.depth = l.parent == CW_NO_LOOP ? 1 : cfg->loops.at[l.parent].depth + 1;
    l.blocks = cw_bitset_new(a, cfg->nblocks);
    fill_body(fn, cfg, &l);
    find_exits(fn, cfg, a, &l);
    for (uint32_t b = 0; b < cfg->nblocks; b++)
        if (cw_bitset_has(&l.blocks, b))
            cfg->loop_of[b] = cfg->loops.n;
    cw_vec_push(a, &cfg->loops, l);
}

void cw_cfg_find_loops(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a) {
    cfg->loop_of = CW_NEW_ARRAY(a, uint32_t, cfg->nblocks);
    for (uint32_t b = 0; b < cfg->nblocks; b++)
        cfg->loop_of[b] = CW_NO_LOOP;
    for (uint32_t i = 0; i < cfg->nrpo; i++) {
        struct cw_vec_u32 latches = {0};
        find_latches(fn, cfg, a, cfg->rpo[i], &latches);
        if (latches.n)
            add_loop(fn, cfg, a, cfg->rpo[i], latches);
    }
}
