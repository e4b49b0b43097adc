/* Versions of shared memory: two reads of one place between which nothing can have changed it give one value.
 *
 * The version of a load is the last point before it at which an array may change: a store to it, a barrier, a call,
 * or the start of a block where ways with such points meet. It is found by walking up the dominators, as memory SSA
 * would number it. Where other threads may write meanwhile (a racy read), this holds for the thread that runs first.
 * Its own stores to other elements change nothing for it, and in the first iteration of a loop it still finds what was
 * there before. In a later one nobody can say what it finds, unless a barrier ended the iteration before. */
#include "lanes/lanes_internal.h"
#include "uniformity/alias.h"
#include "uniformity/reachable_ops.h"

enum {
    START_OF_BLOCK = 1u << 31,
    LATE = 1u << 30,     /* the start of a later iteration that no barrier precedes */
    WRITERS_MAX = 64,    /* stores of which it is asked where they go */
    MISSED_BLOCKS_MAX = 256, /* of a kernel in which it is asked who misses a barrier */
    GUARDS_MAX = 8,      /* branches above a store that are asked whether a thread takes them */
    NEST_MAX = 16,       /* loops around a load whose iterations are told apart */
    PLAIN_WALK_MAX = 48  /* operations of a pointer that is computed from indices alone */
};

struct search {
    struct cw_lanes *l;
    const struct cw_context *context; /* of a racy read; the first iterations of its loops follow what was before */
    bool racy;
    uint64_t apart;           /* a bit for each of the array's writers that does not reach the element, */
    uint64_t elsewhere;       /* and for those of them that go to another one */
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

/* ---- barriers that show what others have stored ---- */

/* All threads of the block that have not left pass it, or none: what they and the others have stored before is there
 * for all behind it. */
static bool is_passed_by_all(const struct cw_lanes *lanes, uint32_t ins) {
    return cw_is_block_barrier(lanes->fn, ins) && lanes->u &&
           lanes->u->control_live[lanes->fn->ins.at[ins].block] <= CW_UNI_BLOCK;
}

static bool stores_anywhere(const struct cw_ins *ins) {
    return cw_memory_is_call(ins) || ins->op == CW_OP_ASM;
}

/* What somebody may have stored since the last barrier that all pass. */
enum { STORED = 1, COPIED = 2 /* asynchronously: no barrier ends that */ };

struct shown {
    const struct cw_lanes *l;
    const struct cw_lane_writers *all; /* of the array, */
    struct cw_bitset writers;          /* as instructions */
    struct cw_bitset showing; /* what orders the block, and before which there may be a store */
};

/* The blocks that a thread may be in before it comes past a barrier that all pass. */
static struct cw_bitset find_phase(const struct shown *shown, uint32_t from) {
    const struct cw_fn *fn = shown->l->fn;
    struct cw_bitset phase = cw_bitset_new(shown->l->a, fn->blocks.n);
    struct cw_vec_u32 stack = {0};
    cw_bitset_add(&phase, from);
    cw_vec_push(shown->l->a, &stack, from);
    while (stack.n) {
        const struct cw_block *block = &fn->blocks.at[stack.at[--stack.n]];
        bool ends = false;
        for (uint32_t k = 0; k < block->ins.n && !ends; k++)
            ends = is_passed_by_all(shown->l, block->ins.at[k]);
        for (uint32_t s = 0; s < block->jump.nsucc && !ends; s++)
            if (!cw_bitset_has(&phase, block->jump.succ[s])) {
                cw_bitset_add(&phase, block->jump.succ[s]);
                cw_vec_push(shown->l->a, &stack, block->jump.succ[s]);
            }
    }
    return phase;
}

static bool has_writer(const struct shown *shown, const struct cw_bitset *phase) {
    for (uint32_t k = 0; k < shown->all->n; k++)
        if (cw_bitset_has(phase, shown->l->fn->ins.at[shown->all->at[k].ins].block))
            return true;
    return false;
}

/* May a thread store to the array while others wait at the barrier, as a branch that threads take differently leads the
 * one to the store and the others to the barrier? */
static bool may_be_missed(const struct shown *shown, uint32_t barrier) {
    const struct cw_fn *fn = shown->l->fn;
    if (!shown->l->u || fn->cfg->nrpo > MISSED_BLOCKS_MAX)
        return true;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_jump *jump = &fn->blocks.at[fn->cfg->rpo[k]].jump;
        if (jump->kind != CW_JUMP_BRANCH || cw_uni_of(shown->l->u, jump->value) <= CW_UNI_BLOCK) {
            if (jump->nsucc > 2)
                return true;
            continue;
        }
        struct cw_bitset yes = find_phase(shown, jump->succ[0]), no = find_phase(shown, jump->succ[1]);
        uint32_t at = fn->ins.at[barrier].block;
        if ((cw_bitset_has(&yes, at) && has_writer(shown, &no)) || (cw_bitset_has(&no, at) && has_writer(shown, &yes)))
            return true;
    }
    return false;
}

static uint8_t pass_block(struct shown *shown, uint32_t block, uint8_t stored) {
    const struct cw_fn *fn = shown->l->fn;
    const struct cw_vec_u32 *list = &fn->blocks.at[block].ins;
    for (uint32_t k = 0; k < list->n; k++) {
        const struct cw_ins *i = &fn->ins.at[list->at[k]];
        bool for_all = is_passed_by_all(shown->l, list->at[k]);
        if (orders_block(i) && !cw_bitset_has(&shown->showing, list->at[k]) &&
            (stored || (!for_all && (!cw_is_block_barrier(fn, list->at[k]) || may_be_missed(shown, list->at[k])))))
            cw_bitset_add(&shown->showing, list->at[k]);
        if (for_all)
            stored &= COPIED;
        else if (stores_anywhere(i) || cw_bitset_has(&shown->writers, list->at[k]))
            stored |= i->op == CW_OP_STORE || i->op == CW_OP_ATOMIC ? STORED : STORED | COPIED;
    }
    return stored;
}

/* A barrier before which nobody can have stored to the array since the one before shows nothing new. */
static const struct cw_bitset *find_showing(struct cw_lanes *lanes, uint32_t slot) {
    const struct cw_lane_writers *w = &cw_lanes_memory(lanes)->writers[slot];
    const struct cw_fn *fn = lanes->fn;
    struct shown *shown = CW_NEW(lanes->a, struct shown);
    uint8_t *stored = CW_NEW_ARRAY(lanes->a, uint8_t, fn->blocks.n);
    *shown = (struct shown){lanes, w, cw_bitset_new(lanes->a, fn->ins.n), cw_bitset_new(lanes->a, fn->ins.n)};
    for (uint32_t k = 0; k < w->n; k++)
        cw_bitset_add(&shown->writers, w->at[k].ins);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
            const struct cw_jump *jump = &fn->blocks.at[fn->cfg->rpo[k]].jump;
            uint8_t after = pass_block(shown, fn->cfg->rpo[k], stored[fn->cfg->rpo[k]]);
            for (uint32_t s = 0; s < jump->nsucc; s++) {
                again |= (after & ~stored[jump->succ[s]]) && fn->cfg->rpo_index[jump->succ[s]] <= k;
                stored[jump->succ[s]] |= after;
            }
        }
    }
    return &shown->showing;
}

static const struct cw_bitset *showing_of(struct cw_lanes *lanes, uint32_t slot) {
    uint64_t key = cw_mix(slot, 0x5b0e), found;
    if (!cw_map_get(&lanes->memo.versions, key, &found)) {
        found = (uint64_t)(uintptr_t)find_showing(lanes, slot);
        cw_map_put(&lanes->memo.versions, key, found);
    }
    return (const struct cw_bitset *)(uintptr_t)found;
}

/* ---- points of change ---- */

static void find_changes(struct search *search, uint32_t slot) {
    const struct cw_lane_writers *w = &cw_lanes_memory(search->l)->writers[slot];
    const struct cw_bitset *showing = showing_of(search->l, slot);
    search->changed = cw_bitset_new(search->l->a, search->l->fn->ins.n);
    search->blocks = cw_bitset_new(search->l->a, search->l->fn->blocks.n);
    for (uint32_t k = 0; k < w->n; k++)
        if (k >= WRITERS_MAX || !(search->apart >> k & 1))
            add_change(search, w->at[k].ins);
    for (uint32_t b = 0; b < search->l->fn->blocks.n; b++)
        for (uint32_t k = 0; k < search->l->fn->blocks.at[b].ins.n; k++) {
            uint32_t ins = search->l->fn->blocks.at[b].ins.at[k];
            if (cw_bitset_has(showing, ins) || stores_anywhere(&search->l->fn->ins.at[ins]))
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

/* Does something in the loop change the array in some iteration? A store that goes elsewhere in the one that is meant
 * may reach the element in another, unless it goes to one place in all. */
static bool changes_in(const struct search *search, uint32_t loop, uint32_t slot) {
    const struct cw_lane_writers *w = &cw_lanes_memory(search->l)->writers[slot];
    const struct cw_cfg *cfg = search->l->fn->cfg;
    for (uint32_t b = 0; b < search->l->fn->blocks.n; b++)
        if (cw_bitset_has(&search->blocks, b) && cw_cfg_in_loop(cfg, loop, b))
            return true;
    for (uint32_t k = 0; k < w->n; k++)
        if (cw_cfg_in_loop(cfg, loop, search->l->fn->ins.at[w->at[k].ins].block) &&
            !(k < WRITERS_MAX && (search->elsewhere >> k & 1) &&
              cw_cfg_is_invariant(search->l->fn, loop, w->at[k].pointer)))
            return true;
    return false;
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
                      cw_cfg_in_loop(cfg, loop, fn->ins.at[load].block) && changes_in(search, loop, slot);
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

/* An asynchronous copy of the thread, or of a group whose threads name one place. */
static bool is_group_copy(const struct cw_ins *ins) {
    return ins->op == CW_OP_ASYNCCOPY && ins->aux == CW_COPY_GROUP;
}

/* How many bytes the writer stores; 0: not known. */
static int64_t bytes_stored(const struct cw_fn *fn, const struct cw_ins *writer) {
    int64_t bytes;
    if (!is_group_copy(writer))
        return writer->aux;
    return cw_ref_const(fn, cw_arg(fn, writer, 2), &bytes) ? bytes : 0;
}

/* Where the store goes in the iteration of the load, or in all of loops that the load is not in; NULL when that is not
 * known, or takes a load to know. */
static const struct cw_lane_value *places_of(struct cw_lanes *lanes, const struct cw_lane_writer *writer,
                                             const struct cw_context *context) {
    const struct cw_ins *store = &lanes->fn->ins.at[writer->ins];
    const struct cw_context *at = cw_context_at(lanes, context, store->block);
    uint32_t walk = 0, open = cw_context_missing(lanes, at, store->block);
    bool is_asked = (store->op == CW_OP_STORE || is_group_copy(store)) && is_plain(lanes, writer->pointer, &walk) &&
                    (open == CW_NO_LOOP || cw_cfg_is_invariant(lanes->fn, open, writer->pointer));
    if (is_asked && open != CW_NO_LOOP)
        at = cw_context_complete(lanes, at, store->block);
    const struct cw_lane_value *places = is_asked ? cw_lane_value_of(lanes, writer->pointer, at) : NULL;
    return places && places->base ? places : NULL;
}

/* The nearest condition of indices and counters on the way to the store, in the iteration of the load, and what it has
 * to be; NULL when there is none. */
static const struct cw_lane_value *guard_of(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                                            bool *is_true) {
    const struct cw_fn *fn = lanes->fn;
    for (uint32_t depth = 0; depth < GUARDS_MAX && fn->cfg->idom[block] != CW_NO_BLOCK; depth++) {
        uint32_t above = fn->cfg->idom[block], walk = 0;
        const struct cw_jump *jump = &fn->blocks.at[above].jump;
        bool guards = fn->blocks.at[block].pred.n == 1 && jump->kind == CW_JUMP_BRANCH &&
                      jump->succ[0] != jump->succ[1] && is_plain(lanes, jump->value, &walk);
        const struct cw_context *at = guards ? cw_context_at(lanes, context, above) : NULL;
        if (guards && cw_context_missing(lanes, at, above) == CW_NO_LOOP) {
            *is_true = jump->succ[0] == block;
            return cw_lane_value_of(lanes, jump->value, at);
        }
        block = above;
    }
    return NULL;
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
    out->guards = CW_NEW_ARRAY(lanes->a, const struct cw_lane_value *, WRITERS_MAX);
    for (uint32_t k = 0; k < w->n && k < WRITERS_MAX; k++) {
        bool is_true = false;
        out->writers[k] = places_of(lanes, &w->at[k], context);
        out->guards[k] = guard_of(lanes, lanes->fn->ins.at[w->at[k].ins].block, context, &is_true);
        out->guarded_by_true |= (uint64_t)is_true << k;
        out->nwriters++;
    }
}

static bool is_kept_out(const struct cw_lanes_reader *reader, uint32_t k, uint32_t t) {
    if (!reader->guards[k])
        return false;
    struct cw_cell cell = cw_lane_value_cell(reader->guards[k], t);
    return cw_cell_numeric(cell) && (cell.value != 0) != (reader->guarded_by_true >> k & 1);
}

/* The writers that go to another element than the one which the thread reads. */
static uint64_t find_elsewhere(struct cw_lanes *lanes, const struct cw_lanes_reader *reader, uint32_t t) {
    struct cw_lane_place from = cw_lanes_place(reader->places, t);
    uint64_t apart = 0;
    for (uint32_t k = 0; k < reader->nwriters && from.known <= CW_SAMPLED; k++) {
        if (!reader->writers[k])
            continue;
        struct cw_lane_place to = cw_lanes_place(reader->writers[k], t);
        uint32_t store = cw_lanes_memory(lanes)->writers[reader->slot].at[k].ins;
        int64_t size = lanes->fn->ins.at[reader->load].aux,
                other = bytes_stored(lanes->fn, &lanes->fn->ins.at[store]);
        bool is_known = to.known <= CW_SAMPLED && size > 0 && other > 0;
        if (is_known && cw_ref_eq(to.base, from.base) && to.token == from.token &&
            (to.offset + other <= from.offset || from.offset + size <= to.offset))
            apart |= UINT64_C(1) << k;
    }
    return apart;
}

/* The writers that the thread does not execute in the iteration of the load. */
static uint64_t find_unexecuted(const struct cw_lanes_reader *reader, uint32_t t) {
    uint64_t unexecuted = 0;
    for (uint32_t k = 0; k < reader->nwriters; k++)
        unexecuted |= (uint64_t)is_kept_out(reader, k, t) << k;
    return unexecuted;
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

/* What find_version() finds for the thread; `key` names the question. */
static uint32_t find_point(struct search *search, const struct cw_lanes_reader *reader, uint32_t t, uint64_t *key) {
    struct cw_lanes *lanes = search->l;
    uint64_t found;
    *search = (struct search){.l = lanes, .context = reader->context, .racy = reader->racy};
    if (reader->racy) {
        search->elsewhere = find_elsewhere(lanes, reader, t);
        search->apart = search->elsewhere | find_unexecuted(reader, t);
    }
    *key = cw_mix(cw_mix(reader->load, reader->slot), reader->racy);
    *key = cw_mix(cw_mix(cw_mix(*key, search->apart), search->elsewhere), reader->first);
    if (!cw_map_get(&lanes->memo.versions, *key, &found)) {
        found = find_version(search, reader->load, reader->slot);
        cw_map_put(&lanes->memo.versions, *key, found);
    }
    return (uint32_t)found;
}

uint64_t cw_lanes_version(struct cw_lanes *lanes, const struct cw_lanes_reader *reader, uint32_t t, bool *is_late) {
    struct search s = {.l = lanes};
    uint64_t key;
    uint32_t point = find_point(&s, reader, t, &key);
    uint32_t start = point & ~(START_OF_BLOCK | LATE);
    *is_late = point & START_OF_BLOCK && point & LATE && !follows_barrier(&s, reader->slot, start, key);
    uint32_t block = point & START_OF_BLOCK ? start : lanes->fn->ins.at[point].block;
    return cw_mix(cw_mix(0x7e51, point), cw_context_id(cw_context_at(lanes, reader->context, block)));
}

/* ---- what the thread itself has stored ---- */

/* The number among the writers of a store that goes to the very element that the thread reads, and is the last change
 * before; UINT32_MAX: there is none. */
static uint32_t own_store(struct cw_lanes *lanes, const struct cw_lanes_reader *reader, uint32_t t) {
    const struct cw_lane_writers *w = &cw_lanes_memory(lanes)->writers[reader->slot];
    const struct cw_ins *load = &lanes->fn->ins.at[reader->load];
    struct cw_lane_place from = cw_lanes_place(reader->places, t);
    struct search s = {.l = lanes};
    uint64_t key;
    for (uint32_t k = 0; k < reader->nwriters && from.known <= CW_SAMPLED; k++) {
        const struct cw_ins *store = &lanes->fn->ins.at[w->at[k].ins];
        if (!reader->writers[k] || store->op != CW_OP_STORE || store->aux != load->aux ||
            cw_ref_type(lanes->fn, w->at[k].stored) != load->type)
            continue;
        struct cw_lane_place to = cw_lanes_place(reader->writers[k], t);
        if (to.known <= CW_SAMPLED && cw_ref_eq(to.base, from.base) && to.token == from.token &&
            to.offset == from.offset && find_point(&s, reader, t, &key) == w->at[k].ins)
            return k;
    }
    return UINT32_MAX;
}

const struct cw_lane_value **cw_lanes_own_stores(struct cw_lanes *lanes, const struct cw_lanes_reader *reader) {
    const struct cw_lane_value **own = NULL;
    uint32_t type = lanes->fn->ins.at[reader->load].type, threads = reader->places->mask ? lanes->threads : 1;
    if (!cw_type_is_int((enum cw_type)type) || type == CW_I1 || reader->places->base_mask)
        return NULL;
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t k = own_store(lanes, reader, t);
        if (k == UINT32_MAX)
            continue;
        const struct cw_lane_writer *writer = &cw_lanes_memory(lanes)->writers[reader->slot].at[k];
        const struct cw_context *context =
            cw_context_at(lanes, reader->context, lanes->fn->ins.at[writer->ins].block);
        if (cw_context_missing(lanes, context, lanes->fn->ins.at[writer->ins].block) != CW_NO_LOOP)
            continue;
        if (!own)
            own = CW_NEW_ARRAY(lanes->a, const struct cw_lane_value *, lanes->threads);
        own[t] = cw_lane_value_of(lanes, writer->stored, context);
    }
    return own;
}
