/* Versions of shared memory: two reads of one place between which nothing can have changed it give one value.
 *
 * The version of a load is the last point before it at which an array may change: a store to it, a barrier, a call,
 * or the start of a block where ways with such points meet. It is found by walking up the dominators, as memory SSA
 * would number it. Where other threads may write meanwhile (a racy read), this holds for the thread that runs first.
 * Its own stores to other elements change nothing for it, and in the first iteration of a loop it still finds what was
 * there before. In a later one nobody can say what it finds, unless a barrier ended the iteration before. */
#include "lanes/lanes_internal.h"
#include "uniformity/alias.h"

enum {
    START_OF_BLOCK = 1u << 31,
    LATE = 1u << 30,     /* the start of a later iteration that no barrier precedes */
    WRITERS_MAX = 64,    /* stores of which it is asked where they go */
    NEST_MAX = 16,       /* loops around a load whose iterations are told apart */
    PLAIN_WALK_MAX = 48  /* operations of a pointer that is computed from indices alone */
};

struct search {
    struct cw_lanes *l;
    const struct cw_context *context; /* of a racy read; the first iterations of its loops follow what was before */
    bool racy;
    uint64_t apart;           /* a bit for each of the array's writers that does not reach the element */
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
        if (k >= WRITERS_MAX || !(search->apart >> k & 1))
            add_change(search, w->at[k].ins);
    for (uint32_t b = 0; b < search->l->fn->blocks.n; b++)
        for (uint32_t k = 0; k < search->l->fn->blocks.at[b].ins.n; k++) {
            uint32_t ins = search->l->fn->blocks.at[b].ins.at[k];
            const struct cw_ins *i = &search->l->fn->ins.at[ins];
            if (orders_block(i) || cw_memory_is_call(i) || i->op == CW_OP_ASM)
                add_change(search, ins);
        }
}

static uint32_t iteration_of(const struct cw_context *context, uint32_t loop) {
    while (context && context->loop != loop)
        context = context->outer;
    return context ? context->iteration : UINT32_MAX;
}

/* May the array change on some way from the end of `from` to the start of `to`, which it dominates? Not by way of the
 * blocks of `without`, a loop that begins at `to`. */
static bool changes_between(struct search *search, uint32_t from, uint32_t to, uint32_t without) {
    struct cw_lanes *l = search->l;
    struct cw_vec_u32 stack = {0};
    uint32_t mark = ++l->scratch.now;
    cw_vec_push(l->a, &stack, to);
    while (stack.n) {
        const struct cw_vec_u32 *pred = &l->fn->blocks.at[stack.at[--stack.n]].pred;
        for (uint32_t k = 0; k < pred->n; k++) {
            uint32_t at = pred->at[k];
            if (at == from || l->scratch.stamp[at] == mark || l->fn->cfg->rpo_index[at] == CW_NO_BLOCK ||
                (without != CW_NO_LOOP && cw_cfg_in_loop(l->fn->cfg, without, at)))
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

static bool is_plain(const struct cw_lanes *lanes, cw_ref ref, uint32_t *walk);

/* Does nobody take the edge in that iteration, as a condition of counters and parameters says? */
static bool is_left_out(struct cw_lanes *lanes, uint32_t from, uint32_t to, const struct cw_context *iteration) {
    const struct cw_jump *jump = &lanes->fn->blocks.at[from].jump;
    uint32_t walk = 0;
    if (!iteration || jump->kind != CW_JUMP_BRANCH || jump->succ[0] == jump->succ[1] ||
        !is_plain(lanes, jump->value, &walk))
        return false;
    const struct cw_context *context = cw_context_at(lanes, iteration, from);
    if (cw_context_missing(lanes, context, from) != CW_NO_LOOP)
        return false;
    const struct cw_lane_value *v = cw_lane_value_of(lanes, jump->value, context);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++) {
        struct cw_cell cell = cw_lane_value_cell(v, t);
        if (!cw_cell_numeric(cell) || (cell.value != 0) == (jump->succ[0] == to))
            return false;
    }
    return true;
}

/* Is the last change on each way through an iteration of the loop one that orders the block? `iteration`: which one is
 * meant, or NULL for any. */
static bool ends_in_barrier(const struct search *search, uint32_t loop, const struct cw_context *iteration) {
    struct cw_lanes *l = search->l;
    struct cw_vec_u32 stack = {0};
    uint32_t header = l->fn->cfg->loops.at[loop].header, ins;
    struct cw_bitset met = cw_bitset_new(l->a, l->fn->blocks.n); /* no scratch: conditions are evaluated meanwhile */
    cw_vec_push(l->a, &stack, header);
    for (bool is_first = true; stack.n; is_first = false) {
        uint32_t block = stack.at[--stack.n];
        if (!is_first && last_change(search, block, l->fn->blocks.at[block].ins.n, &ins)) {
            if (!orders_block(&l->fn->ins.at[ins]))
                return false;
            continue;
        }
        if (!is_first && block == header)
            return false; /* an iteration that changes nothing */
        for (uint32_t k = 0; k < l->fn->blocks.at[block].pred.n; k++) {
            uint32_t at = l->fn->blocks.at[block].pred.at[k];
            if (cw_bitset_has(&met, at) || !cw_cfg_in_loop(l->fn->cfg, loop, at) ||
                is_left_out(l, at, block, iteration))
                continue;
            cw_bitset_add(&met, at);
            cw_vec_push(l->a, &stack, at);
        }
    }
    return true;
}

static uint32_t find_version(struct search *search, uint32_t load, uint32_t slot) {
    const struct cw_fn *fn = search->l->fn;
    const struct cw_cfg *cfg = fn->cfg;
    uint32_t block = fn->ins.at[load].block, end = position_of(&fn->blocks.at[block].ins, load), ins;
    find_changes(search, slot);
    for (;;) {
        if (last_change(search, block, end, &ins))
            return ins;
        uint32_t loop = cfg->loop_of[block], up = cfg->idom[block];
        bool begins = search->racy && loop != CW_NO_LOOP && cfg->loops.at[loop].header == block &&
                      cw_cfg_in_loop(cfg, loop, fn->ins.at[load].block);
        uint32_t iteration = begins ? iteration_of(search->context, loop) : 0;
        if (begins && iteration > 0)
            return START_OF_BLOCK | block | (iteration < UINT32_MAX && !ends_in_barrier(search, loop, NULL) ? LATE : 0);
        if (up == CW_NO_BLOCK || changes_between(search, up, block, begins ? loop : CW_NO_LOOP))
            return START_OF_BLOCK | block;
        block = up;
        end = fn->blocks.at[block].ins.n;
    }
}

/* ---- stores to other elements ---- */

/* Is the value computed from indices, parameters and counters, so that no load has to be asked for it? */
static bool is_plain(const struct cw_lanes *lanes, cw_ref ref, uint32_t *walk) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i)
        return true;
    if (++*walk > PLAIN_WALK_MAX)
        return false;
    if (i->op == CW_OP_PHI) {
        uint32_t counter = lanes->memo.induction[ref.index];
        const struct cw_induction *v = counter ? &lanes->fn->cfg->inductions.at[counter - 1] : NULL;
        return v && is_plain(lanes, v->init, walk) && is_plain(lanes, v->step, walk);
    }
    if (!(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_plain(lanes, cw_arg(lanes->fn, i, k), walk))
            return false;
    return true;
}

/* Where the store goes in the iteration of the load; NULL when that is not known, or takes a load to know. */
static const struct cw_lane_value *places_of(struct cw_lanes *lanes, const struct cw_lane_writer *writer,
                                             const struct cw_context *context) {
    const struct cw_ins *store = &lanes->fn->ins.at[writer->ins];
    const struct cw_context *at = cw_context_at(lanes, context, store->block);
    uint32_t walk = 0;
    bool is_asked = store->op == CW_OP_STORE && cw_context_missing(lanes, at, store->block) == CW_NO_LOOP &&
                    is_plain(lanes, writer->pointer, &walk);
    const struct cw_lane_value *places = is_asked ? cw_lane_value_of(lanes, writer->pointer, at) : NULL;
    return places && places->base ? places : NULL;
}

void cw_lanes_version_of(struct cw_lanes *lanes, uint32_t load, uint32_t slot, bool racy,
                         const struct cw_context *context, const struct cw_lane_value *places,
                         struct cw_lanes_reader *out) {
    const struct cw_lane_writers *w = &cw_lanes_memory(lanes)->writers[slot];
    *out = (struct cw_lanes_reader){.load = load, .slot = slot, .racy = racy, .context = context, .places = places};
    for (const struct cw_context *c = context; c; c = c->outer)
        out->first = out->first << 1 | (c->iteration == 0);
    if (!racy || places->base_mask)
        return; /* which of several arrays it reads is not followed */
    out->writers = CW_NEW_ARRAY(lanes->a, const struct cw_lane_value *, WRITERS_MAX);
    for (out->nwriters = 0; out->nwriters < w->n && out->nwriters < WRITERS_MAX; out->nwriters++)
        out->writers[out->nwriters] = places_of(lanes, &w->at[out->nwriters], context);
}

/* The writers that do not reach the element which the thread reads. */
static uint64_t apart_from(struct cw_lanes *lanes, const struct cw_lanes_reader *reader, uint32_t t) {
    struct cw_lane_place from = cw_lanes_place(reader->places, t);
    uint64_t apart = 0;
    for (uint32_t k = 0; k < reader->nwriters && from.known <= CW_SAMPLED; k++) {
        if (!reader->writers[k])
            continue;
        struct cw_lane_place to = cw_lanes_place(reader->writers[k], t);
        uint32_t store = cw_lanes_memory(lanes)->writers[reader->slot].at[k].ins;
        int64_t size = lanes->fn->ins.at[reader->load].aux, other = lanes->fn->ins.at[store].aux;
        bool is_known = to.known <= CW_SAMPLED && size > 0 && other > 0;
        if (is_known && cw_ref_eq(to.base, from.base) && to.token == from.token &&
            (to.offset + other <= from.offset || from.offset + size <= to.offset))
            apart |= UINT64_C(1) << k;
    }
    return apart;
}

/* Does a barrier end the iteration before that of the load, in the loop that begins at the block? In some iterations it
 * may, and in others not: `if (stride > 32) __syncthreads();`. */
static bool follows_barrier(struct search *search, uint32_t slot, uint32_t block, uint64_t key) {
    struct cw_lanes *l = search->l;
    uint32_t loop = l->fn->cfg->loop_of[block];
    const struct cw_context *now = search->context;
    uint64_t found;
    while (now && now->loop != loop)
        now = now->outer;
    if (!now || now->iteration == 0)
        return false;
    const struct cw_context *before = cw_lanes_context(l, now->outer, loop, now->iteration - 1);
    key = cw_mix(cw_mix(key, 0xba2), cw_context_id(before));
    if (!cw_map_get(&l->memo.versions, key, &found)) {
        find_changes(search, slot);
        found = ends_in_barrier(search, loop, before);
        cw_map_put(&l->memo.versions, key, found);
    }
    return found;
}

uint64_t cw_lanes_version(struct cw_lanes *lanes, const struct cw_lanes_reader *reader, uint32_t t, bool *is_late) {
    struct search s = {.l = lanes, .context = reader->context, .racy = reader->racy};
    s.apart = reader->racy ? apart_from(lanes, reader, t) : 0;
    uint64_t key = cw_mix(cw_mix(reader->load, reader->slot), reader->racy), found;
    key = cw_mix(cw_mix(key, s.apart), reader->first);
    if (!cw_map_get(&lanes->memo.versions, key, &found)) {
        found = find_version(&s, reader->load, reader->slot);
        cw_map_put(&lanes->memo.versions, key, found);
    }
    uint32_t point = (uint32_t)found;
    uint32_t start = point & ~(START_OF_BLOCK | LATE);
    *is_late = point & START_OF_BLOCK && point & LATE && !follows_barrier(&s, reader->slot, start, key);
    uint32_t block = point & START_OF_BLOCK ? start : lanes->fn->ins.at[point].block;
    return cw_mix(cw_mix(0x7e51, found), cw_context_id(cw_context_at(lanes, reader->context, block)));
}
