/* Edges over which threads exit before others come to a block.
 *
 * requires, computes: see cfg.h. preserves: the graph. Cost: for each edge that leaves the blocks which lead to the
 * block, one walk over what follows; kept for the function, since every evaluator of it asks. */
#include "cfg/cfg.h"

#include <string.h>

enum { QUIET_MAX = 16 /* blocks followed to the end of the kernel */ };

static void mark_before(const struct cw_fn *fn, uint32_t block, struct cw_bitset *seen, struct cw_arena *a) {
    struct cw_vec_u32 stack = {0};
    cw_bitset_add(seen, block);
    cw_vec_push(a, &stack, block);
    while (stack.n) {
        const struct cw_vec_u32 *pred = &fn->blocks.at[stack.at[--stack.n]].pred;
        for (uint32_t p = 0; p < pred->n; p++)
            if (!cw_bitset_has(seen, pred->at[p])) {
                cw_bitset_add(seen, pred->at[p]);
                cw_vec_push(a, &stack, pred->at[p]);
            }
    }
}

/* Blocks reachable from `block`, itself included, without the edge `cut`. */
static void mark_after(const struct cw_fn *fn, uint32_t block, struct cw_edge cut, struct cw_bitset *seen,
                       struct cw_arena *a) {
    struct cw_vec_u32 stack = {0};
    cw_bitset_add(seen, block);
    cw_vec_push(a, &stack, block);
    while (stack.n) {
        uint32_t b = stack.at[--stack.n];
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            if (!(b == cut.block && s == cut.which) && !cw_bitset_has(seen, j->succ[s])) {
                cw_bitset_add(seen, j->succ[s]);
                cw_vec_push(a, &stack, j->succ[s]);
            }
    }
}

static bool meets_others(const struct cw_fn *fn, uint32_t block) {
    const struct cw_vec_u32 *list = &fn->blocks.at[block].ins;
    for (uint32_t k = 0; k < list->n; k++)
        if (cw_op_flags(fn->ins.at[list->at[k]].op) & (CW_OP_B | CW_OP_C))
            return true;
    return false;
}

static bool is_loop_condition(const struct cw_fn *fn, struct cw_edge edge, uint32_t block) {
    const struct cw_jump *j = &fn->blocks.at[edge.block].jump;
    uint32_t loop = fn->cfg->loop_of[edge.block];
    bool loops = j->origin == CW_FROM_FOR || j->origin == CW_FROM_WHILE || j->origin == CW_FROM_DO ||
                 j->origin == CW_FROM_RANGE_FOR;
    return loops && loop != CW_NO_LOOP && cw_cfg_in_loop(fn->cfg, loop, block);
}

/* One search for the exits before a block. */
struct exit_search {
    const struct cw_fn *fn;
    uint32_t block;
    struct cw_bitset before, after; /* blocks that lead to it, and that it leads to */
    struct cw_bitset seen;
    struct cw_arena *a; /* scratch */
};

/* Does a way from `from` lead to where others go, or where threads still meet? */
static bool leads_to_others(struct exit_search *exit_search, uint32_t from, const struct cw_bitset *others) {
    struct cw_vec_u32 stack = {0};
    bool leads = false;
    memset(exit_search->seen.word, 0, cw_bitset_words(exit_search->seen.n) * sizeof *exit_search->seen.word);
    cw_bitset_add(&exit_search->seen, from);
    cw_vec_push(exit_search->a, &stack, from);
    while (stack.n && !leads) {
        uint32_t b = stack.at[--stack.n];
        const struct cw_jump *j = &exit_search->fn->blocks.at[b].jump;
        leads = cw_bitset_has(others, b) || meets_others(exit_search->fn, b);
        for (uint32_t s = 0; s < j->nsucc; s++)
            if (!cw_bitset_has(&exit_search->seen, j->succ[s])) {
                cw_bitset_add(&exit_search->seen, j->succ[s]);
                cw_vec_push(exit_search->a, &stack, j->succ[s]);
            }
    }
    return leads;
}

/* The edge leaves everything that leads to the block. Is that an exit? */
static bool is_exit(struct exit_search *exit_search, struct cw_edge edge) {
    const struct cw_fn *fn = exit_search->fn;
    uint32_t to = fn->blocks.at[edge.block].jump.succ[edge.which];
    if (fn->cfg->ipdom[edge.block] != fn->cfg->nblocks || is_loop_condition(fn, edge, exit_search->block))
        return false;
    struct cw_bitset others = exit_search->after;
    if (cw_bitset_has(&exit_search->after, edge.block)) { /* in a loop around both: the edge itself does not count */
        others = cw_bitset_new(exit_search->a, fn->blocks.n);
        mark_after(fn, exit_search->block, edge, &others, exit_search->a);
    }
    return !leads_to_others(exit_search, to, &others);
}

/* A trap ends the thread however it gets there. */
static bool is_trap(const struct cw_fn *fn, uint32_t block) {
    for (uint32_t step = 0; step < 8; step++) {
        const struct cw_jump *j = &fn->blocks.at[block].jump;
        if (j->kind == CW_JUMP_TRAP)
            return true;
        if (j->kind != CW_JUMP_GOTO)
            return false;
        block = j->succ[0];
    }
    return false;
}

bool cw_cfg_way_ends(const struct cw_fn *fn, uint32_t branch, uint32_t which) {
    uint32_t site = fn->locs.at[fn->blocks.at[branch].jump.loc].site, at = fn->blocks.at[branch].jump.succ[which];
    bool returned = false;
    for (uint32_t step = 0; step < QUIET_MAX; step++) {
        const struct cw_block *b = &fn->blocks.at[at];
        for (uint32_t k = 0; k < b->ins.n; k++)
            if (cw_op_flags(fn->ins.at[b->ins.at[k]].op) & (CW_OP_E | CW_OP_W))
                return false;
        if (b->jump.kind != CW_JUMP_GOTO)
            return returned && b->jump.kind == CW_JUMP_RETURN;
        returned |= b->jump.origin == CW_FROM_RETURN && fn->locs.at[b->jump.loc].site == site;
        at = b->jump.succ[0];
    }
    return false;
}

static void find_exits(struct exit_search *exit_search, struct cw_arena *keep, struct cw_vec_edge *list) {
    const struct cw_fn *fn = exit_search->fn;
    mark_before(fn, exit_search->block, &exit_search->before, exit_search->a);
    mark_after(fn, exit_search->block, (struct cw_edge){CW_NO_BLOCK, 0}, &exit_search->after, exit_search->a);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        uint32_t b = fn->cfg->rpo[k];
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        for (uint32_t s = 0; cw_bitset_has(&exit_search->before, b) && s < j->nsucc; s++) {
            struct cw_edge e = {b, s};
            if (!cw_bitset_has(&exit_search->before, j->succ[s]) &&
                (is_trap(fn, j->succ[s]) || is_exit(exit_search, e) || cw_cfg_way_ends(fn, b, s)))
                cw_vec_push(keep, list, e);
        }
    }
}

const struct cw_vec_edge *cw_cfg_exits_before(const struct cw_fn *fn, uint32_t block) {
    struct cw_cfg *cfg = fn->cfg;
    if (!cfg->exits_before)
        cfg->exits_before = CW_NEW_ARRAY(fn->arena, struct cw_vec_edge *, cfg->nblocks + 1);
    if (!cfg->exits_before[block]) {
        struct cw_arena scratch;
        uint32_t n = fn->blocks.n;
        cw_arena_init(&scratch);
        struct exit_search x = {fn, block, cw_bitset_new(&scratch, n), cw_bitset_new(&scratch, n),
                                cw_bitset_new(&scratch, n), &scratch};
        cfg->exits_before[block] = CW_NEW(fn->arena, struct cw_vec_edge);
        find_exits(&x, fn->arena, cfg->exits_before[block]);
        cw_arena_free(&scratch);
    }
    return cfg->exits_before[block];
}
