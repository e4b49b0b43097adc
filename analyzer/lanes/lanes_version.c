/* Versions of shared memory: two reads of one place between which nothing can have changed it give one value.
 *
 * The version of a load is the last point before it at which an array may change: a store to it, a barrier, a call,
 * or the start of a block where ways with such points meet. It is found by walking up the dominators, as memory SSA
 * would number it. Where other threads may write meanwhile (a racy read), this holds for the thread that runs first,
 * and within one iteration only: a loop that waits for another thread reads anew. */
#include "lanes/lanes_internal.h"
#include "uniformity/alias.h"

enum { START_OF_BLOCK = 1u << 31 };

struct search {
    struct cw_lanes *l;
    struct cw_bitset changed; /* instructions that may change the array */
    struct cw_bitset blocks;  /* those that hold one */
};

static bool orders_block(const struct cw_ins *ins) {
    return ins->op != CW_OP_SYNCWARP && (cw_op_flags((enum cw_op)ins->op) & CW_OP_S);
}

static void add_change(struct search *search, uint32_t ins) {
    cw_bitset_add(&search->changed, ins);
    cw_bitset_add(&search->blocks, search->l->fn->ins.at[ins].block);
}

static void find_changes(struct search *search, uint32_t slot) {
    const struct cw_lane_writers *w = &cw_lanes_memory(search->l)->writers[slot];
    search->changed = cw_bitset_new(search->l->a, search->l->fn->ins.n);
    search->blocks = cw_bitset_new(search->l->a, search->l->fn->blocks.n);
    for (uint32_t k = 0; k < w->n; k++)
        add_change(search, w->at[k].ins);
    for (uint32_t b = 0; b < search->l->fn->blocks.n; b++)
        for (uint32_t k = 0; k < search->l->fn->blocks.at[b].ins.n; k++) {
            uint32_t ins = search->l->fn->blocks.at[b].ins.at[k];
            const struct cw_ins *i = &search->l->fn->ins.at[ins];
            if (orders_block(i) || cw_memory_is_call(i) || i->op == CW_OP_ASM)
                add_change(search, ins);
        }
}

/* May the array change on some way from the end of `from` to the start of `to`, which it dominates? */
static bool changes_between(struct search *search, uint32_t from, uint32_t to) {
    struct cw_lanes *l = search->l;
    struct cw_vec_u32 stack = {0};
    uint32_t mark = ++l->scratch.now;
    cw_vec_push(l->a, &stack, to);
    while (stack.n) {
        const struct cw_vec_u32 *pred = &l->fn->blocks.at[stack.at[--stack.n]].pred;
        for (uint32_t k = 0; k < pred->n; k++) {
            uint32_t at = pred->at[k];
            if (at == from || l->scratch.stamp[at] == mark || l->fn->cfg->rpo_index[at] == CW_NO_BLOCK)
                continue;
            if (cw_bitset_has(&search->blocks, at))
                return true;
            l->scratch.stamp[at] = mark;
            cw_vec_push(l->a, &stack, at);
        }
    }
    return false;
}

/* The last change in the block before position `end`; false when there is none. */
static bool last_change(const struct search *search, uint32_t block, uint32_t end, uint32_t *ins) {
    const struct cw_vec_u32 *list = &search->l->fn->blocks.at[block].ins;
    for (uint32_t k = end; k-- > 0;)
        if (cw_bitset_has(&search->changed, list->at[k])) {
            *ins = list->at[k];
            return true;
        }
    return false;
}

static uint32_t position_of(const struct cw_vec_u32 *list, uint32_t ins) {
    uint32_t k = 0;
    while (k < list->n && list->at[k] != ins)
        k++;
    return k;
}

static uint32_t find_version(struct cw_lanes *lanes, uint32_t load, uint32_t slot, bool racy) {
    struct search s = {.l = lanes};
    const struct cw_cfg *cfg = lanes->fn->cfg;
    uint32_t block = lanes->fn->ins.at[load].block, end = position_of(&lanes->fn->blocks.at[block].ins, load), ins;
    find_changes(&s, slot);
    for (;;) {
        if (last_change(&s, block, end, &ins))
            return ins;
        uint32_t loop = cfg->loop_of[block], up = cfg->idom[block];
        bool begins = racy && loop != CW_NO_LOOP && cfg->loops.at[loop].header == block &&
                      cw_cfg_in_loop(cfg, loop, lanes->fn->ins.at[load].block);
        if (up == CW_NO_BLOCK || begins || changes_between(&s, up, block))
            return START_OF_BLOCK | block;
        block = up;
        end = lanes->fn->blocks.at[block].ins.n;
    }
}

uint64_t cw_lanes_version(struct cw_lanes *lanes, uint32_t load, uint32_t slot, bool racy,
                          const struct cw_context *context) {
    uint64_t key = cw_mix(cw_mix(load, slot), racy), found;
    if (!cw_map_get(&lanes->memo.versions, key, &found)) {
        found = find_version(lanes, load, slot, racy);
        cw_map_put(&lanes->memo.versions, key, found);
    }
    uint32_t point = (uint32_t)found;
    uint32_t block = point & START_OF_BLOCK ? point & ~START_OF_BLOCK : lanes->fn->ins.at[point].block;
    return cw_mix(cw_mix(0x7e51, found), cw_context_id(cw_context_at(lanes, context, block)));
}
