/* The lane evaluator's frame: construction, contexts, the memo, and what other layers see.
 *
 * requires: SSA, fn->cfg. computes: values and conditions on demand, each (value, context) pair once. preserves: the
 * function; it owns all it returns. The parts: lanes_leaf.c parameters and registers, lanes_ops.c and lanes_compare.c
 * integer operations, lanes_memory.c pointers and loads, lanes_warp.c and lanes_group.c collectives, lanes_reach.c and
 * lanes_loop.c control. */
#include "lanes/lanes_internal.h"

#include <string.h>

enum {
    THREADS_MAX = 1024,
    CELLS_MAX = 1 << 24, /* 150 MB */
    FORMULAS_BASE = 1 << 13,
    FORMULAS_PER_THREAD = 1024, /* room, of which a vote may need much */
    WORK_PER_THREAD = 32,      /* what an evaluator may spend on formulas grows less than their room */
    STEPS_PER_FORMULA = 16
};

uint32_t cw_context_id(const struct cw_context *context) {
    return context ? ((const struct cw_lane_context *)(const void *)context)->id : 0;
}

uint64_t cw_lanes_name(cw_ref ref, const struct cw_context *context) {
    return cw_mix(cw_mix(0x51, cw_ref_bits(ref)), cw_context_id(context));
}

enum cw_uni cw_lanes_scope(const struct cw_lanes *lanes, cw_ref ref) {
    return lanes->u ? cw_uni_of(lanes->u, ref) : CW_UNI_DIVERGENT;
}

/* ---- construction ---- */

static void init_scratch(struct cw_lanes *lanes) {
    lanes->scratch.known = CW_NEW_ARRAY(lanes->a, uint8_t, lanes->threads);
    lanes->scratch.value = CW_NEW_ARRAY(lanes->a, int64_t, lanes->threads);
    lanes->scratch.base = CW_NEW_ARRAY(lanes->a, struct cw_lane_base, lanes->threads);
    lanes->scratch.formula = CW_NEW_ARRAY(lanes->a, uint32_t, lanes->threads);
}

static void init_maps(struct cw_lanes *lanes) {
    struct cw_lanes_memo *memo = &lanes->memo;
    struct cw_map *maps[] = {&memo->contexts, &memo->values, &memo->full,  &memo->addresses, &memo->reach,
                             &memo->takes,    &memo->trips,  &memo->runs,  &memo->bools,     &memo->chains,
                             &memo->versions, &memo->machines, &memo->recurrences, &memo->endless};
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        cw_map_init(maps[k], lanes->a);
    memo->sizes = CW_NEW(lanes->a, struct cw_map);
    cw_map_init(memo->sizes, lanes->a);
}

static void index_inductions(struct cw_lanes *lanes) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    lanes->memo.induction = CW_NEW_ARRAY(lanes->a, uint32_t, lanes->fn->ins.n + 1);
    for (uint32_t k = 0; k < cfg->inductions.n; k++)
        lanes->memo.induction[cfg->inductions.at[k].phi] = k + 1;
}

struct cw_lanes *cw_lanes_new(const struct cw_fn *fn, const struct cw_uniformity *uniformity,
                              const struct cw_launch *launch, uint32_t sample, uint32_t budget, struct cw_arena *a) {
    struct cw_lanes *l = CW_NEW(a, struct cw_lanes);
    *l = (struct cw_lanes){.fn = fn, .u = uniformity, .launch = launch, .a = a, .sample = sample % CW_SAMPLE_DATA,
                           .chooses_data = sample >= CW_SAMPLE_DATA, .budget = budget};
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    l->threads = threads == 0 ? 1 : threads > THREADS_MAX ? THREADS_MAX : (uint32_t)threads;
    l->max_cells = (uint64_t)budget * CW_LANES_CELLS_PER_STEP + THREADS_MAX;
    l->max_cells = l->max_cells < CELLS_MAX ? l->max_cells : CELLS_MAX;
    init_scratch(l);
    init_maps(l);
    cw_bdds_init(&l->f, a, FORMULAS_BASE + FORMULAS_PER_THREAD * l->threads);
    l->f.max_work = (uint64_t)STEPS_PER_FORMULA * (FORMULAS_BASE + WORK_PER_THREAD * l->threads);
    l->scratch.stamp = CW_NEW_ARRAY(a, uint32_t, fn->blocks.n + 1);
    index_inductions(l);
    cw_lanes_shape(l);
    l->memo.everybody = cw_lane_cond_one(l, CW_BDD_TRUE);
    l->memo.nobody = cw_lane_cond_one(l, CW_BDD_FALSE);
    l->memo.poison = cw_lane_cond_one(l, CW_BDD_POISON);
    l->memo.nothing = cw_lane_value_one(l, (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN});
    if (fn->cfg->is_irreducible)
        cw_lanes_give_up(l, CW_BAIL_IRREDUCIBLE);
    return l;
}

struct cw_lanes *cw_lanes_new_in_block(const struct cw_fn *fn, const struct cw_uniformity *uniformity,
                                       const struct cw_launch *launch, uint32_t sample, uint32_t budget,
                                       const uint32_t block_index[3], struct cw_arena *a) {
    struct cw_lanes *l = cw_lanes_new(fn, uniformity, launch, sample, budget, a);
    for (uint32_t d = 0; d < 3; d++) {
        l->ctaid[d] = block_index[d];
        l->grid[d] = l->grid[d] > block_index[d] ? l->grid[d] : block_index[d] + 1;
    }
    l->is_placed = true;
    return l;
}

struct cw_lanes *cw_lanes_snapshot(struct cw_lanes *lanes) {
    if (lanes->snapshot)
        return lanes->snapshot;
    struct cw_lanes *l =
        cw_lanes_new(lanes->fn, lanes->u, lanes->launch, cw_lanes_sample(lanes), (uint32_t)lanes->budget, lanes->a);
    memcpy(l->ctaid, lanes->ctaid, sizeof l->ctaid);
    memcpy(l->grid, lanes->grid, sizeof l->grid);
    l->is_placed = lanes->is_placed;
    l->draws = lanes->draws;
    l->ticket = lanes->ticket;
    l->waits = lanes->waits;
    l->memo.sizes = lanes->memo.sizes; /* whichever asks first chooses for both */
    l->is_snapshot = true;
    l->counted = true; /* among the statistics once */
    if (lanes->work)
        cw_lanes_share_work(l, lanes->work);
    lanes->snapshot = l;
    return l;
}

const struct cw_fn *cw_lanes_fn(const struct cw_lanes *lanes) {
    return lanes->fn;
}

struct cw_bdds *cw_lanes_bdds(struct cw_lanes *lanes) {
    return &lanes->f;
}

uint32_t cw_lanes_count(const struct cw_lanes *lanes) {
    return lanes->threads;
}

struct cw_lanes_cells cw_lanes_cells_of(const struct cw_lanes *lanes) {
    return (struct cw_lanes_cells){lanes->cells, lanes->reused};
}

const struct cw_uniformity *cw_lanes_uniformity(const struct cw_lanes *lanes) {
    return lanes->u;
}

const struct cw_launch *cw_lanes_launch(const struct cw_lanes *lanes) {
    return lanes->launch;
}

/* ---- budget ---- */

bool cw_lanes_exhausted(const struct cw_lanes *lanes) {
    return lanes->exhausted;
}

/* Counted once per evaluator, so that the statistics speak of kernels and launches, not of questions asked. */
void cw_lanes_give_up(struct cw_lanes *lanes, enum cw_bail why) {
    if (!lanes->counted)
        cw_lanes_count_reason(lanes, why);
    lanes->counted = true;
}

void cw_lanes_count_reason(struct cw_lanes *lanes, enum cw_bail why) {
    if (lanes->reasons != NULL)
        lanes->reasons[why]++;
    else
        lanes->own_reasons[why]++;
}

void cw_lanes_share_reasons(struct cw_lanes *lanes, uint32_t *reasons) {
    lanes->reasons = reasons;
    for (uint32_t k = 0; reasons != NULL && k < CW_NBAILS; k++) {
        reasons[k] += lanes->own_reasons[k];
        lanes->own_reasons[k] = 0;
    }
}

/* One question about formulas may need any amount of work: it must not need more than there is. */
static void bound_formulas(struct cw_lanes *lanes) {
    uint64_t most = lanes->f.work + *lanes->work / CW_LANES_FORMULA_WORK;
    lanes->f.max_work = most < lanes->formula_work ? most : lanes->formula_work;
}

void cw_lanes_share_work(struct cw_lanes *lanes, uint64_t *left) {
    lanes->work = left;
    lanes->formula_work = lanes->f.max_work;
    bound_formulas(lanes);
}

static bool draw_budget(struct cw_lanes *lanes) {
    uint64_t cells = lanes->cells - (lanes->folded - lanes->folded / CW_LANES_FOLDED_PER_CELL);
    uint64_t done = lanes->steps * CW_LANES_STEP_WORK + cells + lanes->f.work * CW_LANES_FORMULA_WORK;
    uint64_t fresh = done - lanes->drawn;
    if (!lanes->work)
        return true;
    lanes->drawn = done;
    *lanes->work -= fresh < *lanes->work ? fresh : *lanes->work;
    bound_formulas(lanes);
    return *lanes->work > 0;
}

bool cw_lanes_charge(struct cw_lanes *lanes, uint64_t cells) {
    if (!lanes->work)
        return true;
    *lanes->work -= cells < *lanes->work ? cells : *lanes->work;
    return cw_lanes_spend(lanes, 0);
}

bool cw_lanes_spend(struct cw_lanes *lanes, uint64_t steps) {
    lanes->steps += steps;
    if (lanes->steps <= lanes->budget && lanes->cells <= lanes->max_cells && draw_budget(lanes))
        return true;
    lanes->exhausted = true;
    cw_lanes_give_up(lanes, CW_BAIL_ITERATION_BUDGET);
    return false;
}

/* ---- contexts ---- */

/* `outer` is that of the loop's parent. */
static const struct cw_context *intern_context(struct cw_lanes *lanes, const struct cw_context *outer, uint32_t loop,
                                               uint32_t iteration) {
    uint64_t key = cw_mix(cw_mix(cw_context_id(outer) + 1, loop), iteration), found;
    if (cw_map_get(&lanes->memo.contexts, key, &found))
        return (const struct cw_context *)(uintptr_t)found;
    struct cw_lane_context *c = CW_NEW(lanes->a, struct cw_lane_context);
    *c = (struct cw_lane_context){{outer, loop, iteration}, ++lanes->ncontexts};
    cw_map_put(&lanes->memo.contexts, key, (uint64_t)(uintptr_t)&c->pub);
    return &c->pub;
}

const struct cw_context *cw_context_complete(struct cw_lanes *lanes, const struct cw_context *context, uint32_t block) {
    for (uint32_t m = cw_context_missing(lanes, context, block); m != CW_NO_LOOP;
         m = cw_context_missing(lanes, context, block))
        context = intern_context(lanes, context, m, 0);
    return context;
}

const struct cw_context *cw_lanes_context(struct cw_lanes *lanes, const struct cw_context *outer, uint32_t loop,
                                          uint32_t iteration) {
    uint32_t parent = lanes->fn->cfg->loops.at[loop].parent;
    if (parent == CW_NO_LOOP)
        return intern_context(lanes, NULL, loop, iteration);
    uint32_t header = lanes->fn->cfg->loops.at[parent].header;
    return intern_context(lanes, cw_context_complete(lanes, cw_context_at(lanes, outer, header), header), loop,
                          iteration);
}

const struct cw_context *cw_lanes_first(struct cw_lanes *lanes, uint32_t block) {
    return cw_context_complete(lanes, NULL, block);
}

const struct cw_context *cw_context_at(const struct cw_lanes *lanes, const struct cw_context *context, uint32_t block) {
    while (context && !cw_cfg_in_loop(lanes->fn->cfg, context->loop, block))
        context = context->outer;
    return context;
}

uint32_t cw_context_missing(const struct cw_lanes *lanes, const struct cw_context *context, uint32_t block) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    uint32_t fixed = context ? context->loop : CW_NO_LOOP, loop = cfg->loop_of[block];
    if (loop == fixed)
        return CW_NO_LOOP;
    while (cfg->loops.at[loop].parent != fixed)
        loop = cfg->loops.at[loop].parent;
    return loop;
}

/* ---- values ---- */

static uint32_t mask_for(uint32_t n) {
    return n == 1 ? 0 : UINT32_MAX;
}

/* nbases: 0 when it is no pointer. */
static struct cw_lane_value *new_value(struct cw_lanes *lanes, uint32_t n, uint32_t nbases) {
    struct cw_lane_value *v = CW_NEW(lanes->a, struct cw_lane_value);
    v->mask = mask_for(n);
    v->base_mask = mask_for(nbases);
    v->known = CW_NEW_ARRAY(lanes->a, uint8_t, n);
    v->value = CW_NEW_ARRAY(lanes->a, int64_t, n);
    v->base = nbases ? CW_NEW_ARRAY(lanes->a, struct cw_lane_base, nbases) : NULL;
    lanes->cells += n;
    return v;
}

static bool base_same(struct cw_lane_base base, struct cw_lane_base other) {
    return base.token == other.token && cw_ref_eq(base.root, other.root);
}

static bool one_base(const struct cw_lanes *lanes, uint32_t n) {
    for (uint32_t t = 1; t < n; t++)
        if (!base_same(lanes->scratch.base[t], lanes->scratch.base[0]))
            return false;
    return true;
}

/* Unknowns without identity never make one cell: each thread has its own. */
static bool all_equal(const struct cw_lanes *lanes, uint32_t n) {
    if (lanes->scratch.known[0] > CW_SAMPLE && lanes->scratch.value[0] == CW_NO_TOKEN)
        return n == 1;
    for (uint32_t t = 1; t < n; t++)
        if (lanes->scratch.known[t] != lanes->scratch.known[0] || lanes->scratch.value[t] != lanes->scratch.value[0])
            return false;
    return true;
}

const struct cw_lane_value *cw_lane_value_seal(struct cw_lanes *lanes, uint32_t n, bool pointer) {
    uint32_t nbases = !pointer ? 0 : one_base(lanes, n) ? 1 : n;
    if (nbases <= 1 && all_equal(lanes, n))
        n = 1;
    struct cw_lane_value *v = new_value(lanes, n, nbases);
    uint8_t worst = 0;
    memcpy(v->known, lanes->scratch.known, n);
    memcpy(v->value, lanes->scratch.value, n * sizeof *v->value);
    if (pointer)
        memcpy(v->base, lanes->scratch.base, nbases * sizeof *v->base);
    for (uint32_t t = 0; t < n; t++)
        worst = cw_worse(worst, lanes->scratch.known[t]);
    v->worst = worst;
    return v;
}

const struct cw_lane_value *cw_lane_value_seal_folded(struct cw_lanes *lanes, uint32_t n, bool pointer) {
    uint64_t before = lanes->cells;
    const struct cw_lane_value *v = cw_lane_value_seal(lanes, n, pointer);
    lanes->folded += lanes->is_row ? lanes->cells - before : 0;
    return v;
}

const struct cw_lane_value *cw_lane_value_one(struct cw_lanes *lanes, struct cw_cell cell) {
    struct cw_lane_value *v = new_value(lanes, 1, 0);
    v->known[0] = v->worst = cell.known;
    v->value[0] = cell.value;
    return v;
}

const struct cw_lane_value *cw_lane_value_pointer(struct cw_lanes *lanes, struct cw_lane_base base,
                                                  struct cw_cell offset) {
    struct cw_lane_value *v = new_value(lanes, 1, 1);
    v->known[0] = v->worst = offset.known;
    v->value[0] = offset.value;
    v->base[0] = base;
    return v;
}

static void fresh_cell(struct cw_lanes *lanes, cw_ref ref, uint64_t name, enum cw_state known, uint32_t t) {
    enum cw_type type = cw_ref_type(lanes->fn, ref);
    lanes->scratch.known[t] = (uint8_t)known;
    if (type == CW_PTR) {
        lanes->scratch.known[t] = CW_NUMBER;
        lanes->scratch.value[t] = 0;
        lanes->scratch.base[t] = (struct cw_lane_base){ref, cw_token(name)};
    } else if (type == CW_I1) {
        struct cw_cell c = cw_bdd_cell(lanes, cw_bdd_var(&lanes->f, name, (uint8_t)known));
        lanes->scratch.known[t] = c.known;
        lanes->scratch.value[t] = c.value;
    } else {
        lanes->scratch.value[t] = cw_token(name);
    }
}

const struct cw_lane_value *cw_lane_value_fresh(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context,
                                                enum cw_state known, enum cw_uni scope) {
    uint64_t name = cw_lanes_name(ref, context);
    uint32_t n = scope <= CW_UNI_BLOCK ? 1 : lanes->threads;
    for (uint32_t t = 0; t < n; t++)
        fresh_cell(lanes, ref,
                   scope <= CW_UNI_BLOCK ? name : cw_mix(name, scope == CW_UNI_WARP ? ~(uint64_t)(t / 32) : t), known,
                   t);
    return cw_lane_value_seal(lanes, n, cw_ref_type(lanes->fn, ref) == CW_PTR);
}

static const struct cw_lane_value *nothing_of(struct cw_lanes *lanes, cw_ref ref) {
    if (cw_ref_type(lanes->fn, ref) != CW_PTR)
        return lanes->memo.nothing;
    return cw_lane_value_pointer(lanes, (struct cw_lane_base){CW_NONE, CW_NO_TOKEN},
                                 (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN});
}

/* Where the threads' values agree they are what they are, else nobody can say which it is that they agree on. */
static const struct cw_lane_value *eval_assumed(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ref.index];
    const struct cw_lane_value *v = cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context);
    if (!v->mask)
        return v;
    return cw_lane_value_fresh(lanes, ref, context, (enum cw_state)cw_worse(v->worst, CW_FREE),
                       i->aux == CW_SCOPE_WARP ? CW_UNI_WARP : CW_UNI_BLOCK);
}

static const struct cw_lane_value *eval_op(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ref.index];
    if (i->op == CW_OP_PHI)
        return cw_lanes_phi(lanes, ref.index, context);
    if (i->op == CW_OP_COPY)
        return cw_lane_value_of(lanes, cw_arg(lanes->fn, i, 0), context);
    if (i->op == CW_OP_UNIFORM)
        return eval_assumed(lanes, ref, context);
    if (i->op == CW_OP_LOAD)
        return cw_lanes_load(lanes, ref.index, context);
    if (i->op >= CW_OP_GROUP && i->op <= CW_OP_GROUPMETASIZE)
        return cw_lanes_group_query(lanes, ref.index, context);
    if ((cw_op_flags(i->op) & (CW_OP_C | CW_OP_B)) || i->op == CW_OP_ATOMIC || i->op == CW_OP_ACTIVEMASK)
        return cw_lanes_collective(lanes, ref.index, context);
    if (cw_is_compare(i->op))
        return cw_lanes_compare(lanes, ref.index, context);
    if (i->type == CW_PTR)
        return cw_lanes_pointer(lanes, ref.index, context);
    if (cw_op_flags(i->op) & CW_OP_P)
        return cw_lanes_op(lanes, ref.index, context);
    bool is_input = i->op == CW_OP_OPAQUE && i->aux == CW_BAIL_INPUT; /* data decide, differently for each thread */
    return cw_lane_value_fresh(lanes, ref, context, is_input ? CW_FREE : CW_OPAQUE, CW_UNI_DIVERGENT);
}

static bool has_token(const struct cw_lane_value *value, uint32_t t) {
    struct cw_cell c = cw_lane_value_cell(value, t);
    return (cw_cell_numeric(c) || c.value != CW_NO_TOKEN) &&
           (!value->base || cw_lane_value_base(value, t).token != CW_NO_TOKEN);
}

/* Which of the threads from `first` to `end` holds what those of them hold that execute the definition. Where each has
 * a token it is any: but a thread that has left before has a number, or nothing, that says nothing of the others. */
static uint32_t find_speaker(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                             const struct cw_lane_value *value, uint32_t first, uint32_t end) {
    bool are_tokens = !value->base;
    for (uint32_t t = first; t < end && are_tokens; t++)
        are_tokens = has_token(value, t) && !cw_cell_numeric(cw_lane_value_cell(value, t));
    if (are_tokens)
        return first;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(lanes, lanes->fn->ins.at[ins].block, context);
    for (uint32_t t = first; t < end; t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE && has_token(value, t))
            return t;
    return first;
}

/* Where uniformity knows that threads agree on a value that is no number here (a butterfly sum, say), they get one
 * token. */
static const struct cw_lane_value *agree_on_token(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context,
                                                  const struct cw_lane_value *value) {
    enum cw_uni scope = cw_lanes_scope(lanes, ref);
    uint32_t threads = lanes->threads, *speaker;
    if (!value->mask || value->worst <= CW_SAMPLE || scope > CW_UNI_WARP)
        return value;
    speaker = CW_NEW_ARRAY(lanes->a, uint32_t, threads / 32 + 1); /* before the scratch is used */
    for (uint32_t t = 0; t < threads; t += scope <= CW_UNI_BLOCK ? threads : 32)
        speaker[t / 32] = find_speaker(lanes, ref.index, context, value, t,
                                       scope <= CW_UNI_BLOCK || t + 32 > threads ? threads : t + 32);
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t from = speaker[scope <= CW_UNI_BLOCK ? 0 : t / 32];
        struct cw_cell cell = cw_lane_value_cell(value, from);
        lanes->scratch.known[t] = cell.known;
        lanes->scratch.value[t] = cell.value;
        if (value->base)
            lanes->scratch.base[t] = cw_lane_value_base(value, from);
    }
    return cw_lane_value_seal(lanes, lanes->threads, value->base != NULL);
}

static const struct cw_lane_value *compute_value(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context) {
    uint32_t missing = cw_context_missing(lanes, context, lanes->fn->ins.at[ref.index].block);
    if (missing != CW_NO_LOOP)
        return cw_lanes_exit_value(lanes, ref, missing, context);
    return agree_on_token(lanes, ref, context, eval_op(lanes, ref, context));
}

static uint64_t value_key(cw_ref ref, const struct cw_context *context) {
    return (uint64_t)cw_context_id(context) << 32 | cw_ref_bits(ref);
}

bool cw_lane_value_is_known(const struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context) {
    return cw_map_get(&lanes->memo.values, value_key(ref, context), NULL);
}

const struct cw_lane_value *cw_lane_value_of(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context) {
    if (ref.tag == CW_REF_INS)
        context = cw_context_at(lanes, context, lanes->fn->ins.at[ref.index].block);
    else
        context = NULL;
    uint64_t key = value_key(ref, context), found;
    if (cw_map_get(&lanes->memo.values, key, &found)) {
        const struct cw_lane_value *kept = (const struct cw_lane_value *)(uintptr_t)found;
        lanes->reused += kept->mask ? lanes->threads : 1;
        return kept;
    }
    if (ref.tag != CW_REF_INS) {
        const struct cw_lane_value *leaf = cw_lanes_leaf(lanes, ref);
        cw_map_put(&lanes->memo.values, key, (uint64_t)(uintptr_t)leaf);
        return leaf;
    }
    if (lanes->exhausted || lanes->depth >= CW_LANES_DEPTH || !cw_lanes_spend(lanes, 1)) {
        cw_lanes_give_up(lanes, CW_BAIL_ITERATION_BUDGET);
        return nothing_of(lanes, ref);
    }
    lanes->depth++;
    const struct cw_lane_value *v = compute_value(lanes, ref, context);
    lanes->depth--;
    cw_map_put(&lanes->memo.values, key, (uint64_t)(uintptr_t)v);
    return v;
}

/* ---- what others see ---- */

uint8_t cw_lanes_public(uint8_t state) {
    static const uint8_t known[] = {[CW_NUMBER] = CW_EXACT, [CW_SAMPLE] = CW_SAMPLED, [CW_FIXED] = CW_UNKNOWN,
                                    [CW_FREE] = CW_INPUT, [CW_RACY] = CW_UNKNOWN, [CW_OPAQUE] = CW_UNKNOWN};
    return known[state];
}

/* One thread's cell as the header promises it: an integer or a token. */
static int64_t public_value(const struct cw_lane_value *value, uint32_t t, uint64_t name, uint8_t *known) {
    struct cw_cell c = value->base ? cw_pointer_token(value, t) : cw_lane_value_cell(value, t);
    *known = cw_lanes_public(c.known);
    return cw_cell_numeric(c) || c.value != CW_NO_TOKEN ? c.value : cw_token(cw_mix(name, t));
}

static struct cw_lane_values *expand_value(struct cw_lanes *lanes, const struct cw_lane_value *value, uint64_t name) {
    struct cw_lane_values *out = CW_NEW(lanes->a, struct cw_lane_values);
    out->known = CW_NEW_ARRAY(lanes->a, uint8_t, lanes->threads);
    out->value = CW_NEW_ARRAY(lanes->a, int64_t, lanes->threads);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        out->value[t] = public_value(value, t, name, &out->known[t]);
        out->worst = cw_worse(out->worst, out->known[t]);
    }
    return out;
}

const struct cw_lane_values *cw_lanes_eval(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context) {
    const struct cw_lane_value *v = cw_lane_value_of(lanes, ref, context);
    uint64_t key = (uint64_t)(uintptr_t)v, found;
    if (v != lanes->memo.nothing && cw_map_get(&lanes->memo.full, key, &found))
        return (const struct cw_lane_values *)(uintptr_t)found;
    struct cw_lane_values *out = expand_value(lanes, v, cw_lanes_name(ref, context));
    cw_map_put(&lanes->memo.full, key, (uint64_t)(uintptr_t)out);
    return out;
}

static uint8_t public_reach(const struct cw_lanes *lanes, uint32_t f) {
    if (f == CW_BDD_TRUE)
        return CW_REACH_YES;
    if (f == CW_BDD_FALSE)
        return CW_REACH_NO;
    return cw_bdd_unknown(&lanes->f, f) ? CW_REACH_UNKNOWN : CW_REACH_INPUT;
}

static const uint8_t *expand_reach(struct cw_lanes *lanes, const struct cw_lane_cond *cond) {
    uint64_t key = (uint64_t)(uintptr_t)cond, found;
    if (cw_map_get(&lanes->memo.full, key, &found))
        return (const uint8_t *)(uintptr_t)found;
    uint8_t *out = CW_NEW_ARRAY(lanes->a, uint8_t, lanes->threads);
    for (uint32_t t = 0; t < lanes->threads; t++)
        out[t] = public_reach(lanes, cw_lane_cond_at(cond, t));
    cw_map_put(&lanes->memo.full, key, (uint64_t)(uintptr_t)out);
    return out;
}

const uint8_t *cw_lanes_reach(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context) {
    return expand_reach(lanes, cw_lane_cond_reach(lanes, block, context));
}

const uint8_t *cw_lanes_takes(struct cw_lanes *lanes, struct cw_edge edge, const struct cw_context *context) {
    return expand_reach(lanes, cw_lane_cond_takes(lanes, edge, context));
}

uint32_t cw_lanes_sample(const struct cw_lanes *lanes) {
    return lanes->sample + (lanes->chooses_data ? CW_SAMPLE_DATA : 0);
}

const char *cw_lanes_sample_text(const struct cw_lanes *lanes, struct cw_arena *a) {
    const char *text = NULL;
    for (uint32_t k = 0; k < lanes->scratch.choices.n; k++)
        text = cw_arena_printf(a, "%s%s%s = %lld", text ? text : "", text ? ", " : "",
                               lanes->scratch.choices.at[k].name, (long long)lanes->scratch.choices.at[k].value);
    return text;
}
