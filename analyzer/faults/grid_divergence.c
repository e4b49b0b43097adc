/* See grid_divergence.h for requires / computes / preserves. */
#include "faults/grid_divergence.h"

#include "lanes/condition.h"
#include "lanes/facts_print.h"
#include "lanes/participation.h"
#include "launch/for_each_launch.h"
#include "races/origins.h"
#include "uniformity/reachable_ops.h"

#include <string.h>

enum {
    SAMPLES = 2,
    BLOCKS = 8,         /* of the grid: the first two, the one in the middle, the last, and those that are named */
    PASSES_MAX = 64,    /* iterations of a loop with a grid barrier */
    ITERATIONS = 3,     /* in which input may have led one block out of a loop */
    EVALUATIONS = 20000 /* of one block's evaluator */
};

struct search {
    const struct cw_kernel_query *q;
    const struct cw_launch *launch;
    struct cw_stored stored;
    struct cw_vec_u32 barriers;
    struct cw_lanes *lanes[BLOCKS];
    uint32_t index[BLOCKS][3], nblocks;
    int32_t *passes[BLOCKS]; /* per barrier */
};

/* ---- how often one block executes a barrier ---- */

/* 1: the threads of the block that have not exited arrive; 0: none arrives; -1: not known, or some do. */
static int32_t arrivals_at(const struct search *search, struct cw_lanes *lanes, uint32_t barrier,
                           const struct cw_context *context) {
    const struct cw_participation *at = cw_participation(lanes, barrier, context, search->q->arena);
    if (at->count[CW_UNSURE] || at->count[CW_DATA] || at->count[CW_DATA_EXIT])
        return -1;
    return at->count[CW_ARRIVES] == 0 ? 0 : at->count[CW_ELSEWHERE] == 0 ? 1 : -1;
}

/* The iterations of its innermost loop, until no thread arrives any more; of the loops around it the first one. */
static int32_t passes_in_loop(const struct search *search, struct cw_lanes *lanes, uint32_t barrier, uint32_t loop) {
    const struct cw_cfg *cfg = search->q->fn->cfg;
    uint32_t parent = cfg->loops.at[loop].parent;
    const struct cw_context *outer =
        parent == CW_NO_LOOP ? NULL : cw_lanes_first(lanes, cfg->loops.at[parent].header);
    int32_t n = 0;
    const int32_t *trips = cw_lanes_trips(lanes, loop, outer);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++)
        if (trips[t] < 0 || trips[t] > PASSES_MAX)
            return -1;
    for (uint32_t iteration = 0; iteration <= PASSES_MAX; iteration++) {
        int32_t now = arrivals_at(search, lanes, barrier, cw_lanes_context(lanes, outer, loop, iteration));
        if (now < 0)
            return -1;
        n += now;
    }
    return n;
}

static int32_t passes_of(const struct search *search, struct cw_lanes *lanes, uint32_t barrier) {
    const struct cw_cfg *cfg = search->q->fn->cfg;
    uint32_t loop = cfg->loop_of[search->q->fn->ins.at[barrier].block];
    if (loop == CW_NO_LOOP)
        return arrivals_at(search, lanes, barrier, NULL);
    return passes_in_loop(search, lanes, barrier, loop);
}

/* How often the block executes each barrier, and all of them; -1: not known. */
static int32_t count_passes(const struct search *search, uint32_t block) {
    int32_t all = 0;
    for (uint32_t k = 0; k < search->barriers.n; k++) {
        int32_t n = passes_of(search, search->lanes[block], search->barriers.at[k]);
        if (n < 0)
            return -1;
        search->passes[block][k] = n;
        all += n;
    }
    return cw_lanes_exhausted(search->lanes[block]) || cw_lanes_traps(search->lanes[block]) ? -1 : all;
}

/* ---- two blocks ---- */

struct decision {
    const struct search *search;
    uint32_t here, away;
    uint32_t branch;
};

/* Of the branches above the barrier, the first that the two blocks decide differently. */
static bool visit_branch(void *context, struct cw_edge edge) {
    struct decision *d = context;
    const struct cw_fn *fn = d->search->q->fn;
    const struct cw_jump *jump = &fn->blocks.at[edge.block].jump;
    struct cw_lanes *here = d->search->lanes[d->here], *away = d->search->lanes[d->away];
    if (d->branch != CW_NO_BLOCK && fn->cfg->rpo_index[edge.block] >= fn->cfg->rpo_index[d->branch])
        return true;
    const struct cw_lane_values *one = cw_lanes_eval(here, jump->value, cw_lanes_first(here, edge.block)),
                                *other = cw_lanes_eval(away, jump->value, cw_lanes_first(away, edge.block));
    uint8_t worst = d->search->launch->grid_known ? CW_SAMPLED : CW_EXACT;
    if (one->worst <= worst && other->worst <= worst && one->value[0] != other->value[0])
        d->branch = edge.block;
    return true;
}

static void add_split(const struct search *search, uint32_t here, uint32_t away, struct cw_grid_splits *out) {
    uint32_t k = 0;
    while (search->passes[here][k] <= search->passes[away][k])
        k++;
    struct decision d = {search, here, away, CW_NO_BLOCK};
    cw_cfg_controls(search->q->fn, search->q->fn->ins.at[search->barriers.at[k]].block, visit_branch, &d);
    struct cw_grid_split split = {.ins = search->barriers.at[k],
                                  .branch = d.branch,
                                  .passes = {(uint32_t)search->passes[here][k], (uint32_t)search->passes[away][k]},
                                  .definite = search->launch->grid_known || d.branch != CW_NO_BLOCK,
                                  .lanes = search->lanes[here]};
    memcpy(split.here, search->index[here], sizeof split.here);
    memcpy(split.away, search->index[away], sizeof split.away);
    cw_vec_push(search->q->arena, &out->at, split);
}

static void compare_blocks(const struct search *search, struct cw_grid_splits *out) {
    int32_t most = 0, least = 0;
    uint32_t here = 0, away = 0;
    for (uint32_t b = 0; b < search->nblocks; b++) {
        int32_t n = count_passes(search, b);
        if (n < 0)
            return;
        if (b == 0 || n > most) {
            most = n;
            here = b;
        }
        if (b == 0 || n < least) {
            least = n;
            away = b;
        }
    }
    if (most > least)
        add_split(search, here, away, out);
}

/* ---- what input decides ---- */

/* Does input alone decide whether the block's threads come to the barrier, all of them or none? */
static bool is_up_to_input(const struct search *search, uint32_t block, uint32_t barrier,
                           const struct cw_context *context, uint32_t *formula) {
    struct cw_lanes *lanes = search->lanes[block];
    const struct cw_lane_cond *arrives = cw_participation_arrives(lanes, barrier, context);
    if (cw_lanes_exhausted(lanes) || cw_lanes_traps(lanes))
        return false;
    *formula = cw_lane_cond_at(arrives, 0);
    for (uint32_t t = 1; t < cw_lanes_count(lanes); t++)
        if (cw_lane_cond_at(arrives, t) != *formula)
            return false;
    return *formula != CW_BDD_POISON && !cw_bdd_terminal(*formula) &&
           cw_bdd_known(cw_lanes_bdds(lanes), *formula) == CW_FREE;
}

/* May the block come to another barrier when it does not come to this one, and only then? */
static bool has_other_way(const struct search *search, uint32_t block, uint32_t barrier, uint32_t formula) {
    struct cw_lanes *lanes = search->lanes[block];
    for (uint32_t k = 0; k < search->barriers.n; k++) {
        if (search->barriers.at[k] == barrier)
            continue;
        uint32_t other = cw_lane_cond_at(cw_participation_arrives(lanes, search->barriers.at[k], NULL), 0);
        if (other != CW_BDD_TRUE && cw_bdd_overlap(cw_lanes_bdds(lanes), other, cw_bdd_not(formula)) != CW_OVERLAP_NONE)
            return true;
    }
    return false;
}

/* Does the kernel store something of each thread's own wherever the load may read? What is one value for the grid, or
 * added up by atomics, says nothing of a block. */
static bool holds_own_values(const struct search *search, uint32_t load) {
    const struct cw_fn *fn = search->q->fn;
    struct cw_bases from = cw_memory_bases(fn, cw_arg(fn, &fn->ins.at[load], 0));
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        struct cw_access access[2];
        for (uint32_t n = cw_memory_accesses(fn, i, access); n-- > 0;) {
            struct cw_bases to = cw_memory_bases(fn, access[n].pointer);
            bool meets = false;
            for (uint32_t a = 0; a < from.n; a++)
                for (uint32_t b = 0; b < to.n; b++)
                    meets |= from.at[a].root.tag == CW_REF_NONE || to.at[b].root.tag == CW_REF_NONE ||
                             cw_base_is_one_memory(&from.at[a], &to.at[b]);
            bool is_own = i->op == CW_OP_STORE && cw_uni_of(search->q->uniformity, cw_arg(fn, i, 0)) > CW_UNI_GRID;
            if (access[n].writes && meets && !is_own)
                return false;
        }
    }
    return true;
}

/* What the branches above a barrier rest on. */
struct grounds {
    const struct search *search;
    bool has_own_input; /* that each block reads at places of its own */
    bool is_lost;       /* something takes part that may be one value for all blocks */
};

static bool visit_grounds(void *context, struct cw_edge edge) {
    struct grounds *grounds = context;
    const struct search *search = grounds->search;
    const struct cw_fn *fn = search->q->fn;
    struct cw_origins origins =
        cw_origins_of(fn, &search->stored, fn->blocks.at[edge.block].jump.value, true, search->q->arena);
    grounds->is_lost |= origins.is_lost;
    for (uint32_t k = 0; k < origins.loads.n; k++) {
        uint32_t load = origins.loads.at[k];
        if (cw_is_input_load(fn, &search->stored, load))
            grounds->has_own_input |=
                cw_uni_of(search->q->uniformity, cw_arg(fn, &fn->ins.at[load], 0)) > CW_UNI_GRID;
        else
            grounds->is_lost |= !holds_own_values(search, load);
    }
    return true;
}

/* Each block may have stored the same value for itself, `done[blockIdx.x] = sum < limit`: only data that the host has
 * made are the witness's to choose. */
static bool rests_on_own_input(const struct search *search, uint32_t barrier) {
    struct grounds grounds = {.search = search};
    cw_cfg_controls(search->q->fn, search->q->fn->ins.at[barrier].block, visit_grounds, &grounds);
    return grounds.has_own_input && !grounds.is_lost;
}

struct input_branch {
    const struct search *search;
    uint32_t here, branch;
};

/* Of the branches above the barrier, the first that input decides. */
static bool visit_input_branch(void *context, struct cw_edge edge) {
    struct input_branch *d = context;
    const struct cw_fn *fn = d->search->q->fn;
    struct cw_lanes *here = d->search->lanes[d->here];
    const struct cw_lane_values *decides =
        cw_lanes_eval(here, fn->blocks.at[edge.block].jump.value, cw_lanes_first(here, edge.block));
    bool is_above = d->branch == CW_NO_BLOCK || fn->cfg->rpo_index[edge.block] < fn->cfg->rpo_index[d->branch];
    if (decides->worst == CW_INPUT && is_above)
        d->branch = edge.block;
    return true;
}

static bool parts_by_input(const struct search *search, uint32_t here, uint32_t away, uint32_t barrier,
                           uint32_t loop, uint32_t iteration, struct cw_grid_splits *out) {
    const struct cw_context *contexts[2] = {NULL, NULL};
    uint32_t formula, other;
    for (uint32_t side = 0; side < 2 && loop != CW_NO_LOOP; side++)
        contexts[side] = cw_lanes_context(search->lanes[side ? away : here], NULL, loop, iteration);
    if (!is_up_to_input(search, here, barrier, contexts[0], &formula) ||
        !is_up_to_input(search, away, barrier, contexts[1], &other) ||
        has_other_way(search, away, barrier, other) ||
        cw_bdd_share_names(cw_lanes_bdds(search->lanes[here]), formula, cw_lanes_bdds(search->lanes[away]), other))
        return false;
    struct input_branch d = {search, here, CW_NO_BLOCK};
    cw_cfg_controls(search->q->fn, search->q->fn->ins.at[barrier].block, visit_input_branch, &d);
    struct cw_grid_split split = {.ins = barrier,
                                  .branch = d.branch,
                                  .passes = {iteration + 1, iteration},
                                  .by_data = true,
                                  .definite = true,
                                  .lanes = search->lanes[here]};
    memcpy(split.here, search->index[here], sizeof split.here);
    memcpy(split.away, search->index[away], sizeof split.away);
    cw_vec_push(search->q->arena, &out->at, split);
    return true;
}

static void compare_input(const struct search *search, struct cw_grid_splits *out) {
    const struct cw_cfg *cfg = search->q->fn->cfg;
    for (uint32_t k = 0; k < search->barriers.n; k++) {
        uint32_t loop = cfg->loop_of[search->q->fn->ins.at[search->barriers.at[k]].block];
        bool is_nested = loop != CW_NO_LOOP && cfg->loops.at[loop].parent != CW_NO_LOOP;
        if (is_nested || !rests_on_own_input(search, search->barriers.at[k]))
            continue;
        for (uint32_t n = 0; n < (loop == CW_NO_LOOP ? 1 : ITERATIONS); n++)
            for (uint32_t b = 1; b < search->nblocks; b++)
                if (parts_by_input(search, 0, b, search->barriers.at[k], loop, n, out))
                    return;
    }
}

/* ---- launches ---- */

static void add_block(struct search *search, const struct cw_launch *launch, uint64_t number) {
    uint32_t index[3] = {(uint32_t)(number % launch->grid[0]), (uint32_t)(number / launch->grid[0] % launch->grid[1]),
                         (uint32_t)(number / launch->grid[0] / launch->grid[1])};
    if (search->nblocks == BLOCKS || index[2] >= launch->grid[2])
        return;
    for (uint32_t k = 0; k < search->nblocks; k++)
        if (memcmp(search->index[k], index, sizeof index) == 0)
            return;
    memcpy(search->index[search->nblocks++], index, sizeof index);
}

/* The one that a comparison names, `blockIdx.x == 3`, and its neighbour. */
static void add_named_blocks(struct search *search, const struct cw_launch *launch) {
    const struct cw_fn *fn = search->q->fn;
    for (uint32_t k = 0; k < fn->ins.n; k++)
        for (uint32_t side = 0; side < 2 && cw_is_compare(fn->ins.at[k].op); side++) {
            cw_ref place = cw_arg(fn, &fn->ins.at[k], side);
            int64_t number;
            if (!cw_is_block_index(place) || place.index != CW_CTAID_X ||
                !cw_ref_const(fn, cw_arg(fn, &fn->ins.at[k], 1 - side), &number) || number < 0 ||
                number + 1 >= launch->grid[0])
                continue;
            add_block(search, launch, (uint64_t)number);
            add_block(search, launch, (uint64_t)number + 1);
        }
}

static void choose_blocks(struct search *search, const struct cw_launch *launch) {
    uint64_t all = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint64_t wanted[] = {0, 1, all / 2, all - 1};
    search->nblocks = 0;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
        if (wanted[k] < all)
            add_block(search, launch, wanted[k]);
    add_named_blocks(search, launch);
}

static void look_at_launch(struct search *search, const struct cw_launch *launch, struct cw_grid_splits *out) {
    const struct cw_kernel_query *q = search->q;
    search->launch = launch;
    choose_blocks(search, launch);
    for (uint32_t sample = 0; sample < SAMPLES && out->at.n == 0 && search->nblocks > 1; sample++) {
        for (uint32_t b = 0; b < search->nblocks; b++) {
            search->lanes[b] =
                cw_lanes_new_in_block(q->fn, q->uniformity, launch, sample, EVALUATIONS, search->index[b], q->arena);
            cw_lanes_share_reasons(search->lanes[b], q->reasons);
        }
        compare_blocks(search, out);
        if (out->at.n == 0)
            compare_input(search, out);
    }
}

struct cw_grid_splits cw_grid_splits_of(const struct cw_kernel_query *query) {
    struct cw_grid_splits found = {{0}};
    struct search s = {.q = query, .barriers = cw_reachable_ops(query->fn, CW_OP_GRIDSYNC, query->arena)};
    if (s.barriers.n == 0 || query->fn->cfg->is_irreducible || !query->launches->from_facts)
        return found;
    s.stored = cw_stored_of(query->fn, query->arena);
    for (uint32_t b = 0; b < BLOCKS; b++)
        s.passes[b] = CW_NEW_ARRAY(query->arena, int32_t, s.barriers.n);
    for (uint32_t k = 0; k < query->launches->n && k < CW_SURVEY_LAUNCHES && found.at.n == 0; k++)
        look_at_launch(&s, &query->launches->at[k], &found);
    return found;
}

/* ---- text form ---- */

void cw_grid_splits_print(const struct cw_facts_print *to, const struct cw_grid_splits *splits) {
    for (uint32_t k = 0; k < splits->at.n; k++) {
        const struct cw_grid_split *split = &splits->at.at[k];
        cw_facts_begin(to, split->definite, "grid split");
        cw_facts_ins(to, "", split->ins);
        cw_facts_branch(to, split->branch);
        cw_facts_part(to, "blockIdx (%u,%u,%u) waits: %u", split->here[0], split->here[1],
                      split->here[2], split->passes[0]);
        cw_facts_part(to, "blockIdx (%u,%u,%u) waits: %u", split->away[0], split->away[1],
                      split->away[2], split->passes[1]);
        cw_facts_evaluator(to, split->lanes);
        cw_facts_end(to);
    }
}
