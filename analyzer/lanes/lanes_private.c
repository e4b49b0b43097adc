/* What a thread finds in an array of its own: the value that it stored there last.
 *
 * Arrays that are indexed in loops (`float sum[4]`, an index split into its coordinates) stay in memory. From a load
 * the search goes back along the thread's way, through joins by who comes over which edge and through the last
 * iterations of short loops, to the store that went to the element. Where places are no numbers, a loop is long, or the
 * store was in an earlier iteration of what is no integer, the load stays what it was: something of its own.
 *
 * requires: an array of one thread; only stores of the load's type write the part that it reads. Cost: STEPS_MAX blocks
 * for each load. */
#include "lanes/lanes_internal.h"

enum {
    STEPS_MAX = 96,     /* blocks looked at for one load */
    REGION_MAX = 64,    /* blocks between a join and its dominator */
    ITERATIONS_MAX = 8, /* of a loop whose stores are followed */
    DEPTH_MAX = 200     /* nested evaluations, beyond which no search begins */
};

struct search {
    struct cw_lanes *l;
    const struct cw_fn *fn;
    const struct cw_ins *load;
    uint32_t slot;
    const struct cw_lane_value *places;
    const struct cw_lane_cond *reach;
    struct cw_bitset stores, blocks; /* into the array, and the blocks that hold them */
    uint32_t steps;
    bool crosses; /* iterations: a sum that is carried on would be followed to its beginning */
};

static bool find_stores(struct search *search) {
    const struct cw_lane_memory *memory = cw_lanes_memory(search->l);
    const struct cw_lane_writers *writers = &memory->writers[search->slot];
    if (memory->escapes[search->slot] || cw_lanes_is_exposed(search->l, search->slot) ||
        search->fn->objects.at[search->slot].is_volatile || writers->n == 0)
        return false;
    search->stores = cw_bitset_new(search->l->a, search->fn->ins.n);
    search->blocks = cw_bitset_new(search->l->a, search->fn->blocks.n);
    struct cw_part read = cw_lanes_part(search->l, cw_arg(search->fn, search->load, 0), search->load->aux);
    for (uint32_t k = 0; k < writers->n; k++) {
        const struct cw_ins *i = &search->fn->ins.at[writers->at[k].ins];
        struct cw_part written = cw_lanes_part(search->l, writers->at[k].pointer, i->op == CW_OP_STORE ? i->aux : 0);
        if (i->op == CW_OP_STORE && !cw_lanes_parts_meet(written, read))
            continue; /* another member */
        if (i->op != CW_OP_STORE || i->aux != search->load->aux || search->load->aux == 0 ||
            cw_ref_type(search->fn, writers->at[k].stored) != search->load->type)
            return false;
        cw_bitset_add(&search->stores, writers->at[k].ins);
        cw_bitset_add(&search->blocks, i->block);
    }
    return true;
}

enum meeting { APART, SAME, UNSURE };

/* Does the store go to the very element that the load reads, in every thread that executes the load? */
static enum meeting compare_places(struct search *search, const struct cw_ins *store,
                                   const struct cw_context *context) {
    const struct cw_lane_value *to = cw_lanes_places(search->l, cw_arg(search->fn, store, 1), context);
    bool is_same = true, is_apart = true;
    if (!to)
        return UNSURE;
    uint32_t n = to->mask || to->base_mask || search->places->mask || search->reach->mask ? search->l->threads : 1;
    for (uint32_t t = 0; t < n; t++) {
        struct cw_cell a = cw_lane_value_cell(search->places, t), b = cw_lane_value_cell(to, t);
        int64_t apart;
        if (cw_lane_cond_at(search->reach, t) == CW_BDD_FALSE)
            continue;
        if (!cw_cell_numeric(a) || !cw_cell_numeric(b) ||
            cw_lane_value_base(to, t).token != cw_lane_value_base(search->places, t).token ||
            __builtin_sub_overflow(a.value, b.value, &apart))
            return UNSURE;
        is_same &= apart == 0;
        is_apart &= apart >= (int64_t)store->aux || -apart >= (int64_t)store->aux;
    }
    return is_same ? SAME : is_apart ? APART : UNSURE;
}

static const struct cw_lane_value *find_in(struct search *search, uint32_t block, uint32_t position,
                                           const struct cw_context *context);

static const struct cw_lane_value *find_at_end(struct search *search, uint32_t block,
                                               const struct cw_context *context) {
    return find_in(search, block, search->fn->blocks.at[block].ins.n, context);
}

static bool holds_store(const struct search *search, uint32_t loop) {
    for (uint32_t b = 0; b < search->fn->blocks.n; b++)
        if (cw_bitset_has(&search->blocks, b) && cw_cfg_in_loop(search->fn->cfg, loop, b))
            return true;
    return false;
}

/* The outermost loop around `from` that is not around `block`. */
static uint32_t loop_left(const struct search *search, uint32_t from, uint32_t block) {
    uint32_t left = CW_NO_LOOP;
    for (uint32_t l = search->fn->cfg->loop_of[from];
         l != CW_NO_LOOP && !cw_cfg_in_loop(search->fn->cfg, l, block); l = search->fn->cfg->loops.at[l].parent)
        left = l;
    return left;
}

/* Behind a loop: its last iteration, where all threads have the same few; or what was before it, where it stores
 * nothing. `context`: around the loop. */
static const struct cw_lane_value *find_in_left(struct search *search, uint32_t from, uint32_t loop,
                                                const struct cw_context *context) {
    const struct cw_loop *lp = &search->fn->cfg->loops.at[loop];
    if (!holds_store(search, loop))
        return find_in(search, lp->header, 0, cw_lanes_context(search->l, context, loop, 0));
    const struct cw_lane_value *runs = cw_lanes_counted(search->l, loop, context);
    if (!search->crosses || !runs || runs->mask || runs->value[0] < 1 || runs->value[0] > ITERATIONS_MAX ||
        search->fn->cfg->loop_of[from] != loop)
        return NULL;
    return find_at_end(search, from, cw_lanes_context(search->l, context, loop, (uint32_t)runs->value[0] - 1));
}

/* At the end of a predecessor of `block`; `context` fixes the loops around both. */
static const struct cw_lane_value *find_before(struct search *search, uint32_t from, uint32_t block,
                                               const struct cw_context *context) {
    uint32_t left = loop_left(search, from, block);
    return left != CW_NO_LOOP ? find_in_left(search, from, left, context) : find_at_end(search, from, context);
}

static bool does_count(const struct search *search, uint32_t from, uint32_t header_of, bool inside) {
    return search->fn->cfg->rpo_index[from] != CW_NO_BLOCK &&
           (header_of == CW_NO_LOOP || cw_cfg_in_loop(search->fn->cfg, header_of, from) == inside);
}

/* Does no block between the block and its dominator store into the array? */
static bool is_quiet_since(const struct search *search, uint32_t dominator, uint32_t block, uint32_t header_of) {
    struct cw_bitset seen = cw_bitset_new(search->l->a, search->fn->blocks.n);
    uint32_t stack[REGION_MAX], depth = 0;
    stack[depth++] = block;
    while (depth > 0) {
        uint32_t b = stack[--depth];
        const struct cw_vec_u32 *pred = &search->fn->blocks.at[b].pred;
        for (uint32_t p = 0; p < pred->n; p++) {
            uint32_t from = pred->at[p];
            if (from == dominator || cw_bitset_has(&seen, from) ||
                !does_count(search, from, b == block ? header_of : CW_NO_LOOP, false))
                continue;
            if (cw_bitset_has(&search->blocks, from) || depth == REGION_MAX)
                return false;
            cw_bitset_add(&seen, from);
            stack[depth++] = from;
        }
    }
    return true;
}

/* By each predecessor that counts, for those who come over its edge. */
static const struct cw_lane_value *find_by_edges(struct search *search, uint32_t block, uint32_t header_of, bool inside,
                                                 const struct cw_context *context) {
    const struct cw_vec_u32 *pred = &search->fn->blocks.at[block].pred;
    struct cw_alternative *alt = CW_NEW_ARRAY(search->l->a, struct cw_alternative, pred->n + 1);
    uint32_t n = 0;
    for (uint32_t p = 0; p < pred->n; p++) {
        if (!does_count(search, pred->at[p], header_of, inside))
            continue;
        struct cw_edge edge = cw_cfg_incoming(search->fn, block, p);
        alt[n].gate = cw_lane_cond_takes(search->l, edge, context);
        if (cw_lane_cond_is(search->l, alt[n].gate, CW_BDD_FALSE))
            continue;
        alt[n].value = find_before(search, pred->at[p], block, context);
        if (!alt[n++].value)
            return NULL;
    }
    if (n <= 1)
        return n ? alt[0].value : NULL;
    return cw_lanes_choose(search->l, cw_ref_ins((uint32_t)(search->load - search->fn->ins.at)), context, alt, n, NULL);
}

/* What is in front of the block. */
static const struct cw_lane_value *find_over(struct search *search, uint32_t block, const struct cw_context *context) {
    const struct cw_cfg *cfg = search->fn->cfg;
    bool is_header = context && cfg->loops.at[context->loop].header == block, inside = false;
    uint32_t header_of = is_header ? context->loop : CW_NO_LOOP;
    if (block == 0)
        return NULL;
    if (is_header && context->iteration > 0) {
        if (!holds_store(search, context->loop)) {
            context = cw_lanes_context(search->l, context->outer, context->loop, 0);
        } else if (!search->crosses || context->iteration > ITERATIONS_MAX) {
            return NULL;
        } else {
            context = cw_lanes_context(search->l, context->outer, context->loop, context->iteration - 1);
            return find_by_edges(search, block, header_of, true, context);
        }
    }
    if (is_header)
        context = context->outer;
    uint32_t above = cfg->idom[block];
    if (above != CW_NO_BLOCK && is_quiet_since(search, above, block, header_of))
        return find_before(search, above, block, context);
    return find_by_edges(search, block, header_of, inside, context);
}

static const struct cw_lane_value *find_in(struct search *search, uint32_t block, uint32_t position,
                                           const struct cw_context *context) {
    const struct cw_vec_u32 *list = &search->fn->blocks.at[block].ins;
    if (search->steps++ >= STEPS_MAX || search->l->exhausted || !cw_lanes_spend(search->l, 1))
        return NULL;
    context = cw_context_at(search->l, context, block);
    if (cw_context_missing(search->l, context, block) != CW_NO_LOOP)
        return NULL;
    for (uint32_t k = position; k-- > 0 && cw_bitset_has(&search->blocks, block);) {
        if (!cw_bitset_has(&search->stores, list->at[k]))
            continue;
        const struct cw_ins *store = &search->fn->ins.at[list->at[k]];
        enum meeting meeting = compare_places(search, store, context);
        if (meeting != APART)
            return meeting == SAME ? cw_lane_value_of(search->l, cw_arg(search->fn, store, 0), context) : NULL;
    }
    return find_over(search, block, context);
}

const struct cw_lane_value *cw_lanes_find_stored(struct cw_lanes *lanes, uint32_t load,
                                                 const struct cw_context *context,
                                                 const struct cw_lane_value *places) {
    const struct cw_ins *i = &lanes->fn->ins.at[load];
    cw_ref root = places->base[0].root;
    struct search s = {.l = lanes, .fn = lanes->fn, .load = i, .slot = root.index, .places = places};
    context = cw_context_at(lanes, context, i->block);
    if (lanes->fn->cfg->is_irreducible || places->base_mask || root.tag != CW_REF_OBJECT || lanes->depth > DEPTH_MAX ||
        cw_context_missing(lanes, context, i->block) != CW_NO_LOOP || !find_stores(&s))
        return NULL;
    s.crosses = cw_type_is_int(i->type);
    s.reach = cw_lane_cond_reach(lanes, i->block, context);
    return find_in(&s, i->block, lanes->fn->cfg->position[load], context);
}

bool cw_lanes_finds_stored(struct cw_lanes *lanes, uint32_t load, const struct cw_context *context) {
    const struct cw_lane_value *places =
        cw_lane_value_of(lanes, cw_arg(lanes->fn, &lanes->fn->ins.at[load], 0), context);
    cw_ref root = places->base ? places->base[0].root : CW_NONE;
    return root.tag == CW_REF_OBJECT && lanes->fn->objects.at[root.index].space == CW_SPACE_LOCAL &&
           cw_lanes_find_stored(lanes, load, context, places) != NULL;
}
