/* The lane evaluator's frame: construction, contexts, the memo, and what other layers see.
 *
 * requires: SSA, fn->cfg. computes: values and conditions on demand, each (value, context) pair once. preserves: the
 * function; it owns all it returns. The parts: lanes_leaf.c parameters and registers, lanes_ops.c and lanes_compare.c
 * integer operations, lanes_memory.c pointers and loads, lanes_warp.c and lanes_group.c collectives, lanes_reach.c and
 * lanes_loop.c control. */
#include "lanes/lanes_internal.h"

#include <string.h>

enum { THREADS_MAX = 1024, CELLS_MAX = 1 << 24 /* 150 MB */, FORMULAS_BASE = 1 << 13, FORMULAS_PER_THREAD = 32 };

uint32_t cw_context_id(const struct cw_context *c) {
    return c ? ((const struct cw_lane_context *)(const void *)c)->id : 0;
}

uint64_t cw_lanes_name(cw_ref r, const struct cw_context *c) {
    return cw_mix(cw_mix(0x51, cw_ref_bits(r)), cw_context_id(c));
}

enum cw_uni cw_lanes_scope(const struct cw_lanes *l, cw_ref r) {
    return l->u ? cw_uni_of(l->u, r) : CW_UNI_DIVERGENT;
}

/* ---- construction ---- */

static void init_scratch(struct cw_lanes *l) {
    l->known = CW_NEW_ARRAY(l->a, uint8_t, l->threads);
    l->value = CW_NEW_ARRAY(l->a, int64_t, l->threads);
    l->base = CW_NEW_ARRAY(l->a, struct cw_lane_base, l->threads);
    l->formula = CW_NEW_ARRAY(l->a, uint32_t, l->threads);
}

static void init_maps(struct cw_lanes *l) {
    struct cw_map *maps[] = {&l->contexts, &l->values, &l->full, &l->addresses, &l->reach, &l->takes,
                             &l->trips,    &l->runs,   &l->bools, &l->chains, &l->versions, &l->exits,
                             &l->machines, &l->recurrences};
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        cw_map_init(maps[k], l->a);
}

static void index_inductions(struct cw_lanes *l) {
    const struct cw_cfg *cfg = l->fn->cfg;
    l->induction = CW_NEW_ARRAY(l->a, uint32_t, l->fn->ins.n + 1);
    for (uint32_t k = 0; k < cfg->inductions.n; k++)
        l->induction[cfg->inductions.at[k].phi] = k + 1;
}

struct cw_lanes *cw_lanes_new(const struct cw_fn *fn, const struct cw_uniformity *u, const struct cw_launch *launch,
                              uint32_t sample, uint32_t budget, struct cw_arena *a) {
    struct cw_lanes *l = CW_NEW(a, struct cw_lanes);
    *l = (struct cw_lanes){.fn = fn, .u = u, .launch = launch, .a = a, .sample = sample, .budget = budget};
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    l->threads = threads == 0 ? 1 : threads > THREADS_MAX ? THREADS_MAX : (uint32_t)threads;
    l->max_cells = (uint64_t)budget * CW_LANES_CELLS_PER_STEP + THREADS_MAX;
    l->max_cells = l->max_cells < CELLS_MAX ? l->max_cells : CELLS_MAX;
    init_scratch(l);
    init_maps(l);
    cw_bdds_init(&l->f, a, FORMULAS_BASE + FORMULAS_PER_THREAD * l->threads);
    l->stamp = CW_NEW_ARRAY(a, uint32_t, fn->blocks.n + 1);
    index_inductions(l);
    cw_lanes_shape(l);
    l->everybody = cw_lane_cond_one(l, CW_BDD_TRUE);
    l->nobody = cw_lane_cond_one(l, CW_BDD_FALSE);
    l->poison = cw_lane_cond_one(l, CW_BDD_POISON);
    l->nothing = cw_lane_value_one(l, (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN});
    if (fn->cfg->is_irreducible)
        cw_lanes_give_up(l, CW_BAIL_IRREDUCIBLE);
    return l;
}

struct cw_lanes *cw_lanes_new_in_block(const struct cw_fn *fn, const struct cw_uniformity *u,
                                       const struct cw_launch *launch, uint32_t sample, uint32_t budget,
                                       const uint32_t block_index[3], struct cw_arena *a) {
    struct cw_lanes *l = cw_lanes_new(fn, u, launch, sample, budget, a);
    for (uint32_t d = 0; d < 3; d++) {
        l->ctaid[d] = block_index[d];
        l->grid[d] = l->grid[d] > block_index[d] ? l->grid[d] : block_index[d] + 1;
    }
    l->is_placed = true;
    return l;
}

const struct cw_fn *cw_lanes_fn(const struct cw_lanes *l) {
    return l->fn;
}

struct cw_bdds *cw_lanes_bdds(struct cw_lanes *l) {
    return &l->f;
}

uint32_t cw_lanes_count(const struct cw_lanes *l) {
    return l->threads;
}

struct cw_lanes_cells cw_lanes_cells_of(const struct cw_lanes *l) {
    return (struct cw_lanes_cells){l->cells, l->reused};
}

const struct cw_uniformity *cw_lanes_uniformity(const struct cw_lanes *l) {
    return l->u;
}

const struct cw_launch *cw_lanes_launch(const struct cw_lanes *l) {
    return l->launch;
}

/* ---- budget ---- */

bool cw_lanes_exhausted(const struct cw_lanes *l) {
    return l->exhausted;
}

/* Counted once per evaluator, so that the statistics speak of kernels and launches, not of questions asked. */
void cw_lanes_give_up(struct cw_lanes *l, enum cw_bail why) {
    if (!l->counted)
        cw_lanes_count_reason(l, why);
    l->counted = true;
}

void cw_lanes_count_reason(struct cw_lanes *l, enum cw_bail why) {
    if (l->reasons != NULL)
        l->reasons[why]++;
    else
        l->own_reasons[why]++;
}

void cw_lanes_share_reasons(struct cw_lanes *l, uint32_t *reasons) {
    l->reasons = reasons;
    for (uint32_t k = 0; reasons != NULL && k < CW_NBAILS; k++) {
        reasons[k] += l->own_reasons[k];
        l->own_reasons[k] = 0;
    }
}

/* One question about formulas may need any amount of work: it must not need more than there is. */
static void bound_formulas(struct cw_lanes *l) {
    uint64_t most = l->f.work + *l->work / CW_LANES_FORMULA_WORK;
    l->f.max_work = most < l->formula_work ? most : l->formula_work;
}

void cw_lanes_share_work(struct cw_lanes *l, uint64_t *left) {
    l->work = left;
    l->formula_work = l->f.max_work;
    bound_formulas(l);
}

static bool draw(struct cw_lanes *l) {
    uint64_t cells = l->cells - (l->folded - l->folded / CW_LANES_FOLDED_PER_CELL);
    uint64_t done = l->steps * CW_LANES_STEP_WORK + cells + l->f.work * CW_LANES_FORMULA_WORK;
    uint64_t fresh = done - l->drawn;
    if (!l->work)
        return true;
    l->drawn = done;
    *l->work -= fresh < *l->work ? fresh : *l->work;
    bound_formulas(l);
    return *l->work > 0;
}

bool cw_lanes_charge(struct cw_lanes *l, uint64_t cells) {
    if (!l->work)
        return true;
    *l->work -= cells < *l->work ? cells : *l->work;
    return cw_lanes_spend(l, 0);
}

bool cw_lanes_spend(struct cw_lanes *l, uint64_t steps) {
    l->steps += steps;
    if (l->steps <= l->budget && l->cells <= l->max_cells && draw(l))
        return true;
    l->exhausted = true;
    cw_lanes_give_up(l, CW_BAIL_ITERATION_BUDGET);
    return false;
}

/* ---- contexts ---- */

/* `outer` is that of the loop's parent. */
static const struct cw_context *intern_context(struct cw_lanes *l, const struct cw_context *outer, uint32_t loop,
                                               uint32_t iteration) {
    uint64_t key = cw_mix(cw_mix(cw_context_id(outer) + 1, loop), iteration), found;
    if (cw_map_get(&l->contexts, key, &found))
        return (const struct cw_context *)(uintptr_t)found;
    struct cw_lane_context *c = CW_NEW(l->a, struct cw_lane_context);
    *c = (struct cw_lane_context){{outer, loop, iteration}, ++l->ncontexts};
    cw_map_put(&l->contexts, key, (uint64_t)(uintptr_t)&c->pub);
    return &c->pub;
}

const struct cw_context *cw_context_complete(struct cw_lanes *l, const struct cw_context *c, uint32_t block) {
    for (uint32_t m = cw_context_missing(l, c, block); m != CW_NO_LOOP; m = cw_context_missing(l, c, block))
        c = intern_context(l, c, m, 0);
    return c;
}

const struct cw_context *cw_lanes_context(struct cw_lanes *l, const struct cw_context *outer, uint32_t loop,
                                          uint32_t iteration) {
    uint32_t parent = l->fn->cfg->loops.at[loop].parent;
    if (parent == CW_NO_LOOP)
        return intern_context(l, NULL, loop, iteration);
    uint32_t header = l->fn->cfg->loops.at[parent].header;
    return intern_context(l, cw_context_complete(l, cw_context_at(l, outer, header), header), loop, iteration);
}

const struct cw_context *cw_lanes_first(struct cw_lanes *l, uint32_t block) {
    return cw_context_complete(l, NULL, block);
}

const struct cw_context *cw_context_at(const struct cw_lanes *l, const struct cw_context *c, uint32_t block) {
    while (c && !cw_cfg_in_loop(l->fn->cfg, c->loop, block))
        c = c->outer;
    return c;
}

uint32_t cw_context_missing(const struct cw_lanes *l, const struct cw_context *c, uint32_t block) {
    const struct cw_cfg *cfg = l->fn->cfg;
    uint32_t fixed = c ? c->loop : CW_NO_LOOP, loop = cfg->loop_of[block];
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
static struct cw_lane_value *new_value(struct cw_lanes *l, uint32_t n, uint32_t nbases) {
    struct cw_lane_value *v = CW_NEW(l->a, struct cw_lane_value);
    v->mask = mask_for(n);
    v->base_mask = mask_for(nbases);
    v->known = CW_NEW_ARRAY(l->a, uint8_t, n);
    v->value = CW_NEW_ARRAY(l->a, int64_t, n);
    v->base = nbases ? CW_NEW_ARRAY(l->a, struct cw_lane_base, nbases) : NULL;
    l->cells += n;
    return v;
}

static bool base_same(struct cw_lane_base a, struct cw_lane_base b) {
    return a.token == b.token && cw_ref_eq(a.root, b.root);
}

static bool one_base(const struct cw_lanes *l, uint32_t n) {
    for (uint32_t t = 1; t < n; t++)
        if (!base_same(l->base[t], l->base[0]))
            return false;
    return true;
}

/* Unknowns without identity never make one cell: each thread has its own. */
static bool all_equal(const struct cw_lanes *l, uint32_t n) {
    if (l->known[0] > CW_SAMPLE && l->value[0] == CW_NO_TOKEN)
        return n == 1;
    for (uint32_t t = 1; t < n; t++)
        if (l->known[t] != l->known[0] || l->value[t] != l->value[0])
            return false;
    return true;
}

const struct cw_lane_value *cw_lane_value_seal(struct cw_lanes *l, uint32_t n, bool pointer) {
    uint32_t nbases = !pointer ? 0 : one_base(l, n) ? 1 : n;
    if (nbases <= 1 && all_equal(l, n))
        n = 1;
    struct cw_lane_value *v = new_value(l, n, nbases);
    uint8_t worst = 0;
    memcpy(v->known, l->known, n);
    memcpy(v->value, l->value, n * sizeof *v->value);
    if (pointer)
        memcpy(v->base, l->base, nbases * sizeof *v->base);
    for (uint32_t t = 0; t < n; t++)
        worst = cw_worse(worst, l->known[t]);
    v->worst = worst;
    return v;
}

const struct cw_lane_value *cw_lane_value_seal_folded(struct cw_lanes *l, uint32_t n, bool pointer) {
    uint64_t before = l->cells;
    const struct cw_lane_value *v = cw_lane_value_seal(l, n, pointer);
    l->folded += l->is_row ? l->cells - before : 0;
    return v;
}

const struct cw_lane_value *cw_lane_value_one(struct cw_lanes *l, struct cw_cell c) {
    struct cw_lane_value *v = new_value(l, 1, 0);
    v->known[0] = v->worst = c.known;
    v->value[0] = c.value;
    return v;
}

const struct cw_lane_value *cw_lane_value_pointer(struct cw_lanes *l, struct cw_lane_base base, struct cw_cell offset) {
    struct cw_lane_value *v = new_value(l, 1, 1);
    v->known[0] = v->worst = offset.known;
    v->value[0] = offset.value;
    v->base[0] = base;
    return v;
}

static void fresh_cell(struct cw_lanes *l, cw_ref r, uint64_t name, enum cw_state known, uint32_t t) {
    enum cw_type type = cw_ref_type(l->fn, r);
    l->known[t] = (uint8_t)known;
    if (type == CW_PTR) {
        l->known[t] = CW_NUMBER;
        l->value[t] = 0;
        l->base[t] = (struct cw_lane_base){r, cw_token(name)};
    } else if (type == CW_I1) {
        struct cw_cell c = cw_bdd_cell(l, cw_bdd_var(&l->f, name, (uint8_t)known));
        l->known[t] = c.known;
        l->value[t] = c.value;
    } else {
        l->value[t] = cw_token(name);
    }
}

const struct cw_lane_value *cw_lane_value_fresh(struct cw_lanes *l, cw_ref r, const struct cw_context *c,
                                                enum cw_state known, enum cw_uni scope) {
    uint64_t name = cw_lanes_name(r, c);
    uint32_t n = scope <= CW_UNI_BLOCK ? 1 : l->threads;
    for (uint32_t t = 0; t < n; t++)
        fresh_cell(l, r, scope <= CW_UNI_BLOCK ? name : cw_mix(name, scope == CW_UNI_WARP ? ~(uint64_t)(t / 32) : t),
                   known, t);
    return cw_lane_value_seal(l, n, cw_ref_type(l->fn, r) == CW_PTR);
}

static const struct cw_lane_value *nothing_of(struct cw_lanes *l, cw_ref r) {
    if (cw_ref_type(l->fn, r) != CW_PTR)
        return l->nothing;
    return cw_lane_value_pointer(l, (struct cw_lane_base){CW_NONE, CW_NO_TOKEN},
                                 (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN});
}

/* Where the threads' values agree they are what they are, else nobody can say which it is that they agree on. */
static const struct cw_lane_value *assumed(struct cw_lanes *l, cw_ref r, const struct cw_context *c) {
    const struct cw_ins *i = &l->fn->ins.at[r.index];
    const struct cw_lane_value *v = cw_lane_value_of(l, cw_arg(l->fn, i, 0), c);
    if (!v->mask)
        return v;
    return cw_lane_value_fresh(l, r, c, (enum cw_state)cw_worse(v->worst, CW_FREE),
                       i->aux == CW_SCOPE_WARP ? CW_UNI_WARP : CW_UNI_BLOCK);
}

static const struct cw_lane_value *dispatch(struct cw_lanes *l, cw_ref r, const struct cw_context *c) {
    const struct cw_ins *i = &l->fn->ins.at[r.index];
    if (i->op == CW_OP_PHI)
        return cw_lanes_phi(l, r.index, c);
    if (i->op == CW_OP_COPY)
        return cw_lane_value_of(l, cw_arg(l->fn, i, 0), c);
    if (i->op == CW_OP_UNIFORM)
        return assumed(l, r, c);
    if (i->op == CW_OP_LOAD)
        return cw_lanes_load(l, r.index, c);
    if (i->op >= CW_OP_GROUP && i->op <= CW_OP_GROUPMETASIZE)
        return cw_lanes_group_query(l, r.index, c);
    if ((cw_op_flags(i->op) & (CW_OP_C | CW_OP_B)) || i->op == CW_OP_ATOMIC || i->op == CW_OP_ACTIVEMASK)
        return cw_lanes_collective(l, r.index, c);
    if (cw_is_compare(i->op))
        return cw_lanes_compare(l, r.index, c);
    if (i->type == CW_PTR)
        return cw_lanes_pointer(l, r.index, c);
    if (cw_op_flags(i->op) & CW_OP_P)
        return cw_lanes_op(l, r.index, c);
    bool is_input = i->op == CW_OP_OPAQUE && i->aux == CW_BAIL_INPUT; /* data decide, differently for each thread */
    return cw_lane_value_fresh(l, r, c, is_input ? CW_FREE : CW_OPAQUE, CW_UNI_DIVERGENT);
}

/* Where uniformity knows that threads agree on a value that is no number here (a butterfly sum, say), they get one
 * token. */
static const struct cw_lane_value *agreed(struct cw_lanes *l, cw_ref r, const struct cw_lane_value *v) {
    enum cw_uni scope = cw_lanes_scope(l, r);
    if (!v->mask || v->worst <= CW_SAMPLE || scope > CW_UNI_WARP)
        return v;
    for (uint32_t t = 0; t < l->threads; t++) {
        uint32_t from = scope <= CW_UNI_BLOCK ? 0 : t & ~31u;
        l->known[t] = v->known[from];
        l->value[t] = v->value[from];
        if (v->base)
            l->base[t] = cw_lane_value_base(v, from);
    }
    return cw_lane_value_seal(l, l->threads, v->base != NULL);
}

static const struct cw_lane_value *compute(struct cw_lanes *l, cw_ref r, const struct cw_context *c) {
    uint32_t missing = cw_context_missing(l, c, l->fn->ins.at[r.index].block);
    if (missing != CW_NO_LOOP)
        return cw_lanes_exit_value(l, r, missing, c);
    return agreed(l, r, dispatch(l, r, c));
}

static uint64_t value_key(cw_ref r, const struct cw_context *c) {
    return (uint64_t)cw_context_id(c) << 32 | cw_ref_bits(r);
}

bool cw_lane_value_is_known(const struct cw_lanes *l, cw_ref r, const struct cw_context *c) {
    return cw_map_get(&l->values, value_key(r, c), NULL);
}

const struct cw_lane_value *cw_lane_value_of(struct cw_lanes *l, cw_ref r, const struct cw_context *c) {
    if (r.tag == CW_REF_INS)
        c = cw_context_at(l, c, l->fn->ins.at[r.index].block);
    else
        c = NULL;
    uint64_t key = value_key(r, c), found;
    if (cw_map_get(&l->values, key, &found)) {
        const struct cw_lane_value *kept = (const struct cw_lane_value *)(uintptr_t)found;
        l->reused += kept->mask ? l->threads : 1;
        return kept;
    }
    if (r.tag != CW_REF_INS) {
        const struct cw_lane_value *leaf = cw_lanes_leaf(l, r);
        cw_map_put(&l->values, key, (uint64_t)(uintptr_t)leaf);
        return leaf;
    }
    if (l->exhausted || l->depth >= CW_LANES_DEPTH || !cw_lanes_spend(l, 1)) {
        cw_lanes_give_up(l, CW_BAIL_ITERATION_BUDGET);
        return nothing_of(l, r);
    }
    l->depth++;
    const struct cw_lane_value *v = compute(l, r, c);
    l->depth--;
    cw_map_put(&l->values, key, (uint64_t)(uintptr_t)v);
    return v;
}

/* ---- what others see ---- */

uint8_t cw_lanes_public(uint8_t state) {
    static const uint8_t known[] = {[CW_NUMBER] = CW_EXACT, [CW_SAMPLE] = CW_SAMPLED, [CW_FIXED] = CW_UNKNOWN,
                                    [CW_FREE] = CW_INPUT, [CW_RACY] = CW_UNKNOWN, [CW_OPAQUE] = CW_UNKNOWN};
    return known[state];
}

/* One thread's cell as the header promises it: an integer or a token. */
static int64_t public_value(const struct cw_lane_value *v, uint32_t t, uint64_t name, uint8_t *known) {
    struct cw_cell c = v->base ? cw_pointer_token(v, t) : cw_lane_value_cell(v, t);
    *known = cw_lanes_public(c.known);
    return cw_cell_numeric(c) || c.value != CW_NO_TOKEN ? c.value : cw_token(cw_mix(name, t));
}

static struct cw_lane_values *expand(struct cw_lanes *l, const struct cw_lane_value *v, uint64_t name) {
    struct cw_lane_values *out = CW_NEW(l->a, struct cw_lane_values);
    out->known = CW_NEW_ARRAY(l->a, uint8_t, l->threads);
    out->value = CW_NEW_ARRAY(l->a, int64_t, l->threads);
    for (uint32_t t = 0; t < l->threads; t++) {
        out->value[t] = public_value(v, t, name, &out->known[t]);
        out->worst = cw_worse(out->worst, out->known[t]);
    }
    return out;
}

const struct cw_lane_values *cw_lanes_eval(struct cw_lanes *l, cw_ref r, const struct cw_context *context) {
    const struct cw_lane_value *v = cw_lane_value_of(l, r, context);
    uint64_t key = (uint64_t)(uintptr_t)v, found;
    if (v != l->nothing && cw_map_get(&l->full, key, &found))
        return (const struct cw_lane_values *)(uintptr_t)found;
    struct cw_lane_values *out = expand(l, v, cw_lanes_name(r, context));
    cw_map_put(&l->full, key, (uint64_t)(uintptr_t)out);
    return out;
}

static uint8_t public_reach(const struct cw_lanes *l, uint32_t f) {
    if (f == CW_BDD_TRUE)
        return CW_REACH_YES;
    if (f == CW_BDD_FALSE)
        return CW_REACH_NO;
    return cw_bdd_unknown(&l->f, f) ? CW_REACH_UNKNOWN : CW_REACH_INPUT;
}

static const uint8_t *expand_reach(struct cw_lanes *l, const struct cw_lane_cond *f) {
    uint64_t key = (uint64_t)(uintptr_t)f, found;
    if (cw_map_get(&l->full, key, &found))
        return (const uint8_t *)(uintptr_t)found;
    uint8_t *out = CW_NEW_ARRAY(l->a, uint8_t, l->threads);
    for (uint32_t t = 0; t < l->threads; t++)
        out[t] = public_reach(l, cw_lane_cond_at(f, t));
    cw_map_put(&l->full, key, (uint64_t)(uintptr_t)out);
    return out;
}

const uint8_t *cw_lanes_reach(struct cw_lanes *l, uint32_t block, const struct cw_context *context) {
    return expand_reach(l, cw_lane_cond_reach(l, block, context));
}

const uint8_t *cw_lanes_takes(struct cw_lanes *l, struct cw_edge edge, const struct cw_context *context) {
    return expand_reach(l, cw_lane_cond_takes(l, edge, context));
}

const char *cw_lanes_sample_text(const struct cw_lanes *l, struct cw_arena *a) {
    const char *text = NULL;
    for (uint32_t k = 0; k < l->choices.n; k++)
        text = cw_arena_printf(a, "%s%s%s = %lld", text ? text : "", text ? ", " : "", l->choices.at[k].name,
                               (long long)l->choices.at[k].value);
    return text;
}
