/* requires: fn->cfg. computes: the tables of struct cw_divergence. preserves: everything.
 *
 * Joins are found by spreading labels from the successors of a branch until two meet, after Karrenberg and Hack,
 * "Improving Performance of OpenCL on CPUs" (2012), as in LLVM's SyncDependenceAnalysis. */
#include "uniformity/divergence.h"

enum {
    SWEEPS_EXACT = 8,   /* then labels only go up, so that the spreading ends in any graph */
    SWEEPS_MAX = 64,
    SPREAD_BUDGET = 2000000, /* predecessors looked at for joins, in all */
    ASK_BUDGET = 200000      /* deciding branches looked at, in all */
};

struct cw_divergence_work {
    const struct cw_fn *fn;
    const struct cw_cfg *cfg;
    struct cw_arena *arena;
    struct cw_divergence *out;
    struct cw_map leaving; /* loop and block -> struct cw_vec_u32 * */
    uint32_t *label;
    uint8_t *is_join;
    struct cw_bitset region; /* by position in reverse post-order */
    struct cw_bitset *row;   /* block -> itself and all it reaches; by demand */
    struct ways **ways;      /* branch -> where its ways lead; by demand */
    uint32_t *stack;
    uint32_t *answered;     /* branch -> number of the last question that it answered */
    uint32_t questions;
    uint32_t spread, asked; /* of the budgets */
};

static const struct cw_jump *jump_of(const struct cw_divergence_work *work, uint32_t b) {
    return &work->fn->blocks.at[b].jump;
}

/* A branch with at least two places to go that do not end in a trap. */
static bool parts_threads(const struct cw_divergence_work *work, uint32_t b) {
    const struct cw_jump *j = jump_of(work, b);
    uint32_t first = CW_NO_BLOCK;
    for (uint32_t s = 0; s < j->nsucc; s++) {
        if (work->cfg->dies[j->succ[s]])
            continue;
        if (first != CW_NO_BLOCK && first != j->succ[s])
            return true;
        first = j->succ[s];
    }
    return false;
}

/* ---- joins ---- */

/* One spreading of labels: from `branch`, inside `loop` (or everywhere), up to where all ways are together again. Ways
 * around the loop end at its header, for beyond it the next iteration begins; inner loops are gone round freely, since
 * threads may leave them in different iterations. */
struct spread {
    uint32_t branch, loop, end, header;
};

static bool is_end(const struct spread *spread, uint32_t b) {
    return b == spread->end || b == spread->header || b == spread->branch;
}

static bool is_inside(const struct cw_divergence_work *work, const struct spread *spread, uint32_t b) {
    return !work->cfg->dies[b] && (spread->loop == CW_NO_LOOP || cw_cfg_in_loop(work->cfg, spread->loop, b));
}

static void add_region(struct cw_divergence_work *work, const struct spread *spread, uint32_t from, uint32_t *depth) {
    const struct cw_jump *j = jump_of(work, from);
    for (uint32_t k = 0; k < j->nsucc; k++) {
        uint32_t to = j->succ[k];
        if (!is_inside(work, spread, to) || cw_bitset_has(&work->region, work->cfg->rpo_index[to]))
            continue;
        cw_bitset_add(&work->region, work->cfg->rpo_index[to]);
        work->label[to] = CW_NO_WAY;
        work->is_join[to] = 0;
        if (!is_end(spread, to))
            work->stack[(*depth)++] = to;
    }
}

static void find_region(struct cw_divergence_work *work, const struct spread *spread) {
    uint32_t depth = 0;
    for (uint32_t k = 0; k < cw_bitset_words(work->region.n); k++)
        work->region.word[k] = 0;
    add_region(work, spread, spread->branch, &depth);
    while (depth)
        add_region(work, spread, work->stack[--depth], &depth);
}

/* The label that comes in over an edge, CW_NO_WAY when none does. */
static uint32_t incoming_label(const struct cw_divergence_work *work, const struct spread *spread, uint32_t from,
                               uint32_t to) {
    if (from == spread->branch)
        return to;
    if (work->cfg->rpo_index[from] == CW_NO_BLOCK || is_end(spread, from) ||
        !cw_bitset_has(&work->region, work->cfg->rpo_index[from]))
        return CW_NO_WAY;
    return work->label[from];
}

static bool relabel_block(struct cw_divergence_work *work, const struct spread *spread, uint32_t b, bool sticky) {
    const struct cw_vec_u32 *pred = &work->fn->blocks.at[b].pred;
    uint32_t label = CW_NO_WAY;
    bool join = sticky && work->is_join[b];
    work->spread += pred->n;
    for (uint32_t k = 0; k < pred->n; k++) {
        uint32_t in = incoming_label(work, spread, pred->at[k], b);
        join |= in != CW_NO_WAY && label != CW_NO_WAY && in != label;
        label = in == CW_NO_WAY ? label : in;
    }
    label = join ? b : label;
    bool changed = label != work->label[b] || join != work->is_join[b];
    work->label[b] = label;
    work->is_join[b] = join;
    return changed;
}

static bool sweep_region(struct cw_divergence_work *work, const struct spread *spread, bool sticky) {
    bool changed = false;
    for (uint32_t k = 0; k < cw_bitset_words(work->region.n); k++)
        for (uint64_t rest = work->region.word[k]; rest; rest &= rest - 1)
            changed |= relabel_block(work, spread, work->cfg->rpo[k * 64 + (uint32_t)__builtin_ctzll(rest)], sticky);
    return changed;
}

static void add_meeting(struct cw_divergence_work *work, const struct spread *spread, uint32_t join, bool all) {
    const struct cw_vec_u32 *pred = &work->fn->blocks.at[join].pred;
    uint32_t *way = CW_NEW_ARRAY(work->arena, uint32_t, pred->n);
    work->spread += pred->n;
    for (uint32_t k = 0; k < pred->n; k++)
        way[k] = all ? k : incoming_label(work, spread, pred->at[k], join);
    cw_vec_push(work->arena, &work->out->meetings[join], ((struct cw_conflict){spread->branch, way}));
}

/* inner: the loop inside s->loop that holds the branch; its own spreading answers for the blocks in it. */
static void collect_joins(struct cw_divergence_work *work, const struct spread *spread, uint32_t inner, bool all) {
    for (uint32_t k = 0; k < cw_bitset_words(work->region.n); k++)
        for (uint64_t rest = work->region.word[k]; rest; rest &= rest - 1) {
            uint32_t b = work->cfg->rpo[k * 64 + (uint32_t)__builtin_ctzll(rest)];
            bool is_join = all ? work->fn->blocks.at[b].pred.n > 1 : work->is_join[b];
            if (is_join && !cw_cfg_in_loop(work->cfg, inner, b))
                add_meeting(work, spread, b, all);
        }
}

static void spread_in(struct cw_divergence_work *work, uint32_t branch, uint32_t loop, uint32_t inner) {
    struct spread s = {branch, loop, work->cfg->live_ipdom[branch], CW_NO_BLOCK};
    if (loop != CW_NO_LOOP)
        s.header = work->cfg->loops.at[loop].header;
    find_region(work, &s);
    uint32_t round = 0;
    while (round < SWEEPS_MAX && sweep_region(work, &s, round >= SWEEPS_EXACT))
        round++;
    collect_joins(work, &s, inner, round == SWEEPS_MAX);
}

/* Irreducible control flow: any join that the branch reaches. */
static void all_joins(struct cw_divergence_work *work, uint32_t branch) {
    struct spread s = {branch, CW_NO_LOOP, CW_NO_BLOCK, CW_NO_BLOCK};
    find_region(work, &s);
    collect_joins(work, &s, CW_NO_LOOP, true);
}

static void find_joins(struct cw_divergence_work *work, uint32_t branch) {
    uint32_t inner = CW_NO_LOOP;
    if (work->cfg->is_irreducible) {
        all_joins(work, branch);
        return;
    }
    for (uint32_t l = work->cfg->loop_of[branch]; l != CW_NO_LOOP; l = work->cfg->loops.at[l].parent) {
        spread_in(work, branch, l, inner);
        inner = l;
    }
    spread_in(work, branch, CW_NO_LOOP, inner);
}

/* ---- who has returned, and who runs elsewhere ---- */

/* Where a walk of the graph may go: inside `loop` (or everywhere), not beyond the `stop` blocks, not along `closed`. */
struct limits {
    uint32_t loop, stop[2];
    struct cw_edge closed;
};

static const struct limits no_limits = {CW_NO_LOOP, {CW_NO_BLOCK, CW_NO_BLOCK}, {CW_NO_BLOCK, 0}};

static bool may_enter(const struct cw_divergence_work *work, const struct limits *limits, uint32_t b) {
    return !work->cfg->dies[b] && (limits->loop == CW_NO_LOOP || cw_cfg_in_loop(work->cfg, limits->loop, b));
}

/* What `from` reaches, itself included. */
static struct cw_bitset reach_from(struct cw_divergence_work *work, uint32_t from, const struct limits *limits) {
    struct cw_bitset row = cw_bitset_new(work->arena, work->cfg->nblocks);
    uint32_t depth = 0;
    if (!may_enter(work, limits, from))
        return row;
    cw_bitset_add(&row, from);
    work->stack[depth++] = from;
    while (depth) {
        uint32_t b = work->stack[--depth];
        const struct cw_jump *j = jump_of(work, b);
        for (uint32_t k = 0; b != limits->stop[0] && b != limits->stop[1] && k < j->nsucc; k++) {
            uint32_t to = j->succ[k];
            if ((b == limits->closed.block && k == limits->closed.which) || !may_enter(work, limits, to) ||
                cw_bitset_has(&row, to))
                continue;
            cw_bitset_add(&row, to);
            work->stack[depth++] = to;
        }
    }
    return row;
}

static const struct cw_bitset *row_of(struct cw_divergence_work *work, uint32_t b) {
    if (!work->row[b].word)
        work->row[b] = reach_from(work, b, &no_limits);
    return &work->row[b];
}

/* Per successor of a branch: what its way reaches inside a loop before the branch (and the loop's header, when the next
 * round does not count) comes again. */
struct ways {
    struct ways *next;
    uint32_t loop;
    bool next_round;
    struct cw_bitset row[];
};

static const struct cw_bitset *ways_of(struct cw_divergence_work *work, uint32_t branch, uint32_t loop,
                                       bool next_round) {
    for (struct ways *x = work->ways[branch]; x; x = x->next)
        if (x->loop == loop && x->next_round == next_round)
            return x->row;
    const struct cw_jump *j = jump_of(work, branch);
    struct ways *x = cw_arena_alloc(work->arena, sizeof *x + j->nsucc * sizeof *x->row);
    struct limits l = {loop, {branch, CW_NO_BLOCK}, {CW_NO_BLOCK, 0}};
    if (!next_round && loop != CW_NO_LOOP)
        l.stop[1] = work->cfg->loops.at[loop].header;
    for (uint32_t k = 0; k < j->nsucc; k++)
        x->row[k] = reach_from(work, j->succ[k], &l);
    x->loop = loop;
    x->next_round = next_round;
    x->next = work->ways[branch];
    work->ways[branch] = x;
    return x->row;
}

static bool can_meet(const struct cw_bitset *bitset, const struct cw_bitset *other) {
    for (uint32_t k = 0; k < cw_bitset_words(bitset->n); k++)
        if (bitset->word[k] & other->word[k])
            return true;
    return false;
}

/* Do threads still wait for each other on the ways from here? */
static bool has_sync(const struct cw_divergence_work *work, const struct cw_bitset *blocks) {
    for (uint32_t b = 0; b < work->cfg->nblocks; b++)
        for (uint32_t p = 0; cw_bitset_has(blocks, b) && p < work->fn->blocks.at[b].ins.n; p++)
            if (cw_op_flags(work->fn->ins.at[work->fn->blocks.at[b].ins.at[p]].op) & (CW_OP_B | CW_OP_C | CW_OP_S))
                return true;
    return false;
}

static bool is_loop_condition(const struct cw_jump *jump) {
    return jump->origin == CW_FROM_FOR || jump->origin == CW_FROM_WHILE || jump->origin == CW_FROM_DO ||
           jump->origin == CW_FROM_RANGE_FOR;
}

/* Has a thread left for good that goes along `edge`, as seen from those in `block`? Its way only leads to its own
 * return. In a loop those in `block` may take the same way later; that does not matter when nothing on it waits for
 * anybody, but for the loop's own condition: behind that all come, if later. */
static bool leaves_for_good(struct cw_divergence_work *work, struct cw_edge edge, uint32_t block) {
    uint32_t to = jump_of(work, edge.block)->succ[edge.which];
    const struct cw_bitset *way = row_of(work, to), *here = row_of(work, block);
    if (!can_meet(way, here))
        return true;
    if (!cw_bitset_has(here, edge.block) || is_loop_condition(jump_of(work, edge.block)) || has_sync(work, way))
        return false;
    struct limits l = no_limits;
    l.closed = edge;
    struct cw_bitset others = reach_from(work, block, &l);
    return !can_meet(way, &others);
}

static uint32_t common_loop(const struct cw_cfg *cfg, uint32_t a, uint32_t b) {
    uint32_t l = cfg->loop_of[a];
    while (l != CW_NO_LOOP && !cw_cfg_in_loop(cfg, l, b))
        l = cfg->loops.at[l].parent;
    return l;
}

/* Does the way along successor k come to the block: in the same round of the loop around both, when the block follows
 * the branch there, else in the next round? */
static bool comes_to(struct cw_divergence_work *work, uint32_t branch, uint32_t k, uint32_t block) {
    uint32_t loop = common_loop(work->cfg, branch, block);
    const struct cw_bitset *ways = ways_of(work, branch, loop, false);
    bool follows = block != branch && (loop == CW_NO_LOOP || block != work->cfg->loops.at[loop].header);
    bool same_round = false;
    for (uint32_t s = 0; follows && s < jump_of(work, branch)->nsucc; s++)
        same_round |= cw_bitset_has(&ways[s], block);
    return cw_bitset_has(same_round ? &ways[k] : &ways_of(work, branch, loop, true)[k], block);
}

/* Can a thread, by its choice at `branch`, miss `block` and yet run on, so that others could still meet it? */
static bool keeps_away(struct cw_divergence_work *work, uint32_t branch, uint32_t block) {
    if (work->cfg->live_ipdom[branch] != work->cfg->nblocks)
        return true;
    const struct cw_jump *j = jump_of(work, branch);
    for (uint32_t k = 0; k < j->nsucc; k++)
        if (!work->cfg->dies[j->succ[k]] && j->succ[k] != branch && !comes_to(work, branch, k, block) &&
            !leaves_for_good(work, (struct cw_edge){branch, k}, block))
            return true;
    return false;
}

struct question {
    struct cw_divergence_work *w;
    uint32_t number, block, loop, last;
    struct cw_vec_u32 *answer;
};

static struct question new_question(struct cw_divergence_work *work, uint32_t block, uint32_t loop,
                                    struct cw_vec_u32 *answer) {
    return (struct question){work, ++work->questions, block, loop, CW_NO_BLOCK, answer};
}

static void answer_once(struct question *question, uint32_t branch) {
    if (question->w->answered[branch] != question->number)
        cw_vec_push(question->w->arena, question->answer, branch);
    question->w->answered[branch] = question->number;
}

static bool ask_deciding(void *ctx, struct cw_edge edge) {
    struct question *q = ctx;
    if (edge.block != q->last && keeps_away(q->w, edge.block, q->block))
        answer_once(q, edge.block);
    q->last = edge.block;
    return ++q->w->asked < ASK_BUDGET;
}

/* ---- when threads leave a loop ---- */

/* Has the branch two ways that stay in the loop or lead to the block? */
static bool parts_on_the_way(struct cw_divergence_work *work, uint32_t branch, uint32_t loop, uint32_t block) {
    const struct cw_jump *j = jump_of(work, branch);
    uint32_t first = CW_NO_BLOCK;
    for (uint32_t k = 0; k < j->nsucc; k++) {
        uint32_t to = j->succ[k];
        if (work->cfg->dies[to] || (!cw_cfg_in_loop(work->cfg, loop, to) && !cw_bitset_has(row_of(work, to), block)))
            continue;
        if (first != CW_NO_BLOCK && first != to)
            return true;
        first = to;
    }
    return false;
}

static bool ask_leaving(void *ctx, struct cw_edge edge) {
    struct question *q = ctx;
    if (edge.block != q->last && cw_cfg_in_loop(q->w->cfg, q->loop, edge.block) &&
        parts_on_the_way(q->w, edge.block, q->loop, q->block))
        answer_once(q, edge.block);
    q->last = edge.block;
    return true;
}

const struct cw_vec_u32 *cw_divergence_leaving(struct cw_divergence *divergence, uint32_t loop, uint32_t block) {
    struct cw_divergence_work *w = divergence->work;
    uint64_t key = (uint64_t)loop << 32 | block, found;
    if (cw_map_get(&w->leaving, key, &found))
        return (const struct cw_vec_u32 *)(uintptr_t)found;
    struct cw_vec_u32 *answer = CW_NEW(w->arena, struct cw_vec_u32);
    struct question q = new_question(w, block, loop, answer);
    const struct cw_vec_edge *exits = &w->cfg->loops.at[loop].exits;
    for (uint32_t k = 0; k < exits->n; k++) {
        uint32_t to = cw_cfg_edge_target(w->fn, exits->at[k]);
        if (w->cfg->dies[to] || !cw_bitset_has(row_of(w, to), block))
            continue;
        ask_leaving(&q, exits->at[k]);
        cw_cfg_live_controls(w->fn, exits->at[k].block, ask_leaving, &q);
    }
    cw_map_put(&w->leaving, key, (uint64_t)(uintptr_t)answer);
    return answer;
}

struct cw_divergence *cw_divergence_new(const struct cw_fn *fn, struct cw_arena *a) {
    const struct cw_cfg *cfg = fn->cfg;
    struct cw_divergence *d = CW_NEW(a, struct cw_divergence);
    struct cw_divergence_work *w = d->work = CW_NEW(a, struct cw_divergence_work);
    *w = (struct cw_divergence_work){.fn = fn, .cfg = cfg, .arena = a, .out = d};
    d->meetings = cw_arena_alloc(a, sizeof *d->meetings * cfg->nblocks);
    d->deciding = CW_NEW_ARRAY(a, struct cw_vec_u32, cfg->nblocks);
    w->label = CW_NEW_ARRAY(a, uint32_t, cfg->nblocks);
    w->is_join = CW_NEW_ARRAY(a, uint8_t, cfg->nblocks);
    w->answered = CW_NEW_ARRAY(a, uint32_t, cfg->nblocks);
    w->stack = CW_NEW_ARRAY(a, uint32_t, cfg->nblocks + 1);
    w->region = cw_bitset_new(a, cfg->nrpo);
    w->row = CW_NEW_ARRAY(a, struct cw_bitset, cfg->nblocks);
    w->ways = CW_NEW_ARRAY(a, struct ways *, cfg->nblocks);
    cw_map_init(&w->leaving, a);
    d->undecided = cw_bitset_new(a, cfg->nblocks);
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        uint32_t b = cfg->rpo[k];
        if (!cfg->dies[b] && parts_threads(w, b) && !d->is_coarse)
            find_joins(w, b);
        d->is_coarse = w->spread >= SPREAD_BUDGET;
        struct question q = new_question(w, b, CW_NO_LOOP, &d->deciding[b]);
        if (w->asked < ASK_BUDGET)
            (cfg->dies[b] ? cw_cfg_controls : cw_cfg_live_controls)(fn, b, ask_deciding, &q);
        if (w->asked >= ASK_BUDGET)
            cw_bitset_add(&d->undecided, b);
    }
    return d;
}
