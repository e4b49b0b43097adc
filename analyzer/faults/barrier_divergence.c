/* Splits of block barriers, by asking participation for each launch, sample and a few iterations of the loops around.
 * See barrier_divergence.h for requires / computes / preserves. */
#include "faults/barrier_divergence.h"

#include "lanes/iterations.h"
#include "launch/for_each_launch.h"
#include "uniformity/reachable_ops.h"

#include <string.h>

#define SAMPLES 3        /* choices of the uniform unknowns tried per launch */
#define MAX_BARRIERS 256 /* barriers looked at per kernel */

/* What one barrier under one launch and sample is asked with, and what was found. */
struct probe {
    const struct cw_kernel_query *q;
    uint32_t ins;
    struct cw_lanes *lanes;
    bool hopeless; /* nothing was known of any thread so far */
    uint32_t nest[CW_NEST_MAX], depth; /* loops around the barrier, outermost first */
    /* the answer */
    const struct cw_participation *witness;
    uint32_t branch, side, loop, in, out;
    bool by_data;
};

static void find_nest(struct probe *p) {
    struct cw_iterations it;
    cw_iterations_begin(&it, NULL, p->q->fn, p->q->fn->ins.at[p->ins].block);
    memcpy(p->nest, it.nest, sizeof p->nest);
    p->depth = it.depth;
}

/* The part of the barrier's context that also holds at `block`: its loops that contain the block. False when the block
 * sits in a further loop, whose iteration nothing fixes. */
static bool context_at(const struct probe *p, uint32_t block, const struct cw_context *at_barrier,
                       const struct cw_context **out) {
    const struct cw_cfg *cfg = p->q->fn->cfg;
    const struct cw_context *c = at_barrier;
    while (c != NULL && !cw_cfg_in_loop(cfg, c->loop, block))
        c = c->outer;
    *out = c;
    return cfg->loop_of[block] == (c != NULL ? c->loop : CW_NO_LOOP);
}

static bool comes(uint8_t presence) {
    return presence == CW_ARRIVES || presence == CW_DATA || presence == CW_DATA_EXIT;
}

static bool stays_away(uint8_t presence) {
    return presence == CW_ELSEWHERE || presence == CW_DATA;
}

static bool may(uint8_t reach) {
    return reach == CW_REACH_YES || reach == CW_REACH_INPUT;
}

/* Can threads t and u really decide differently? Not when both follow one and the same unknown. */
static bool differ(const struct cw_lane_values *v, const uint8_t *takes, uint32_t t, uint32_t u) {
    if (takes[t] == CW_REACH_YES && takes[u] == CW_REACH_NO)
        return true;
    if (v->known[t] != CW_INPUT && v->known[u] != CW_INPUT)
        return takes[t] != takes[u];
    return v->value[t] != v->value[u];
}

struct edge_visit {
    struct probe *p;
    const struct cw_participation *part;
    uint32_t best_order;
};

static bool part_with(struct probe *p, uint32_t in, uint32_t out, bool by_data) {
    p->in = in;
    p->out = out;
    p->by_data = by_data;
    return true;
}

/* One thread that takes the edge and comes to the barrier against all that do not and stay away. */
static bool edge_parts(struct probe *p, const struct cw_participation *part, const struct cw_lane_values *v,
                       const uint8_t *reach, const uint8_t *takes) {
    uint32_t n = cw_lanes_count(p->lanes);
    for (uint32_t t = 0; t < n; t++) {
        if (!may(reach[t]) || !may(takes[t]) || !comes(part->presence[t]))
            continue;
        for (uint32_t u = 0; u < n; u++)
            if (u != t && may(reach[u]) && takes[u] != CW_REACH_YES && takes[u] != CW_REACH_UNKNOWN &&
                stays_away(part->presence[u]) && differ(v, takes, t, u))
                return part_with(p, t, u, part->presence[t] != CW_ARRIVES || part->presence[u] != CW_ELSEWHERE);
        if (v->known[t] != CW_INPUT) /* threads that decide by themselves are alike: one of them is enough */
            return false;
    }
    return false;
}

static bool away_is_exit(const struct cw_fn *fn, struct cw_edge toward) {
    const struct cw_jump *jump = &fn->blocks.at[toward.block].jump;
    for (uint32_t s = 0; s < jump->nsucc; s++)
        if (s != toward.which && !cw_participation_way_ends(fn, toward.block, s))
            return false;
    return true;
}

/* Whose side of a branch thread t is on: TOWARD the barrier, AWAY, FREE to be either; of others nothing is known. */
enum side { TOWARD, AWAY, FREE, NOT_KNOWN };

static enum side side_of(const struct cw_lane_values *v, const struct cw_participation *part, uint32_t t,
                         uint32_t which) {
    uint8_t presence = part->presence[t];
    if (v->known[t] == CW_UNKNOWN || presence == CW_EXITED)
        return NOT_KNOWN;
    if (v->known[t] == CW_INPUT)
        return presence == CW_ELSEWHERE ? AWAY : FREE;
    bool toward = (v->value[t] != 0) == (which == 0);
    return toward ? (presence == CW_ELSEWHERE ? NOT_KNOWN : TOWARD) : presence == CW_ARRIVES ? NOT_KNOWN : AWAY;
}

static bool sides_part(struct probe *p, const struct cw_participation *part, const struct cw_lane_values *v,
                       uint32_t which) {
    uint32_t n = cw_lanes_count(p->lanes), first[3] = {n, n, n};
    for (uint32_t t = 0; t < n; t++) {
        enum side s = side_of(v, part, t, which);
        if (s == FREE && first[FREE] < n && v->value[first[FREE]] != v->value[t])
            return part_with(p, first[FREE], t, true);
        if (s != NOT_KNOWN && first[s] == n)
            first[s] = t;
    }
    if (first[TOWARD] < n && (first[AWAY] < n || first[FREE] < n))
        return part_with(p, first[TOWARD], first[first[AWAY] < n ? AWAY : FREE], first[AWAY] == n);
    return first[FREE] < n && first[AWAY] < n && part_with(p, first[FREE], first[AWAY], true);
}

/* Keeps the first branch in execution order that parts the threads. */
static bool visit_edge(void *ctx, struct cw_edge edge) {
    struct edge_visit *e = ctx;
    const struct cw_fn *fn = e->p->q->fn;
    const struct cw_jump *jump = &fn->blocks.at[edge.block].jump;
    const struct cw_context *context;
    uint32_t order = fn->cfg->rpo_index[edge.block];
    if (order >= e->best_order || cw_uni_of(e->p->q->uniformity, jump->value) <= CW_UNI_BLOCK ||
        away_is_exit(fn, edge) || !context_at(e->p, edge.block, e->part->context, &context))
        return true;
    const struct cw_lane_values *v = cw_lanes_eval(e->p->lanes, jump->value, context);
    const uint8_t *reach = cw_lanes_reach(e->p->lanes, edge.block, context);
    const uint8_t *takes = cw_lanes_takes(e->p->lanes, edge, context);
    bool decided = jump->kind == CW_JUMP_BRANCH && sides_part(e->p, e->part, v, edge.which) && !e->p->by_data;
    if (decided || edge_parts(e->p, e->part, v, reach, takes)) {
        e->best_order = order;
        e->p->branch = edge.block;
        e->p->side = edge.which;
    }
    return true;
}

/* A thread that arrives in this iteration of the loops around for known reasons, once it has entered the outermost
 * one. That somebody arrives is an assumption; a trip count that nobody knows does not bear it out. */
static bool find_known_arrival(const struct probe *p, const struct cw_participation *part, uint32_t *thread) {
    const struct cw_fn *fn = p->q->fn;
    uint32_t header = p->depth ? fn->cfg->loops.at[p->nest[0]].header : 0, n = cw_lanes_count(p->lanes);
    const struct cw_context *first = cw_lanes_first(p->lanes, header);
    for (*thread = 0; *thread < n; ++*thread)
        if (part->presence[*thread] == CW_ARRIVES &&
            cw_lanes_reach_given(p->lanes, fn->ins.at[p->ins].block, part->context, header, first, *thread,
                                 *thread) != CW_REACH_UNKNOWN)
            return true;
    return false;
}

/* Threads that left an enclosing loop in an earlier iteration decided at an exit of that loop. */
static void blame_loop_exit(struct probe *p, const struct cw_participation *part) {
    const struct cw_fn *fn = p->q->fn;
    uint32_t in, out = 0;
    if (!find_known_arrival(p, part, &in))
        return;
    while (part->presence[out] != CW_ELSEWHERE)
        out++;
    part_with(p, in, out, false);
    for (uint32_t k = 0; k < p->depth && p->branch == CW_NO_BLOCK; k++) {
        const struct cw_loop *loop = &fn->cfg->loops.at[p->nest[k]];
        for (uint32_t x = 0; x < loop->exits.n; x++) {
            uint32_t block = loop->exits.at[x].block;
            if (cw_uni_of(p->q->uniformity, fn->blocks.at[block].jump.value) > CW_UNI_BLOCK) {
                p->branch = block;
                p->side = 1 - (loop->exits.at[x].which & 1);
                break;
            }
        }
    }
}

/* The loop around the barrier that this branch leaves, or whose iteration a `continue` cuts short. */
static uint32_t loop_left_at(const struct probe *p, uint32_t branch) {
    const struct cw_fn *fn = p->q->fn;
    for (uint32_t k = p->depth; k-- > 0;) {
        const struct cw_loop *loop = &fn->cfg->loops.at[p->nest[k]];
        for (uint32_t x = 0; x < loop->exits.n; x++)
            if (loop->exits.at[x].block == branch)
                return p->nest[k];
        const struct cw_jump *jump = &fn->blocks.at[branch].jump;
        for (uint32_t s = 0; cw_cfg_in_loop(fn->cfg, p->nest[k], branch) && s < jump->nsucc; s++)
            if (fn->blocks.at[jump->succ[s]].jump.origin == CW_FROM_CONTINUE)
                return p->nest[k];
    }
    return CW_NO_LOOP;
}

/* ---- a barrier of which nobody knows whether the block comes so far ---- */

enum { CHAIN_MAX = 4, THREADS_MAX = 1024, STEPS_MAX = 64 };

/* Branches that are not uniform, from the barrier outwards, each the only one that decides about the one before. */
struct chain {
    const struct probe *p;
    struct cw_edge at[CHAIN_MAX], next;
    uint32_t n, nnext;
    uint8_t side[CHAIN_MAX][THREADS_MAX];
};

/* Direct controls of the block, and those of uniform ones: at most one may be not uniform. More are alternatives, as
 * the two of `a || b`. `steps` bounds the walk. */
static void collect_controls(struct chain *c, uint32_t block, uint32_t *steps) {
    const struct cw_fn *fn = c->p->q->fn;
    const struct cw_vec_edge *control = &fn->cfg->live_control[block];
    for (uint32_t k = 0; k < control->n && *steps > 0; k++) {
        struct cw_edge edge = control->at[k];
        --*steps;
        if (c->n && edge.block == c->at[c->n - 1].block) /* a loop decides about itself */
            continue;
        if (cw_uni_of(c->p->q->uniformity, fn->blocks.at[edge.block].jump.value) > CW_UNI_BLOCK) {
            c->nnext += c->nnext == 0 || c->next.block != edge.block || c->next.which != edge.which;
            c->next = edge;
        } else if (edge.block != block) {
            collect_controls(c, edge.block, steps);
        }
    }
}

static bool find_next(struct chain *c, uint32_t block) {
    uint32_t steps = STEPS_MAX;
    c->nnext = 0;
    collect_controls(c, block, &steps);
    return c->nnext <= 1 && steps > 0;
}

/* The values of the branch's condition; NULL when a thread that goes the other way leaves the kernel, or when the
 * condition is not of the barrier's iteration. */
static const struct cw_lane_values *condition_of(const struct probe *p, const struct cw_participation *part,
                                                 struct cw_edge edge) {
    const struct cw_jump *jump = &p->q->fn->blocks.at[edge.block].jump;
    const struct cw_context *context;
    if (jump->kind != CW_JUMP_BRANCH || away_is_exit(p->q->fn, edge) ||
        !context_at(p, edge.block, part->context, &context))
        return NULL;
    return cw_lanes_eval(p->lanes, jump->value, context);
}

static void read_sides(struct chain *c, const struct cw_participation *part) {
    struct cw_edge edge = c->at[c->n - 1];
    const struct cw_lane_values *values = condition_of(c->p, part, edge);
    for (uint32_t t = 0; t < cw_lanes_count(c->p->lanes); t++)
        c->side[c->n - 1][t] = (uint8_t)(values ? side_of(values, part, t, edge.which) : NOT_KNOWN);
}

static bool find_chain(struct chain *c, const struct cw_participation *part) {
    uint32_t block = c->p->q->fn->ins.at[c->p->ins].block;
    while (find_next(c, block) && c->nnext == 1 && c->n < CHAIN_MAX) {
        c->at[c->n++] = c->next;
        read_sides(c, part);
        block = c->next.block;
    }
    return c->n > 0 && c->nnext == 0;
}

/* May it come to the barrier, and is one of the branches known to lead it there? */
static bool may_take_all(const struct chain *c, uint32_t thread) {
    bool is_known = false;
    for (uint32_t k = 0; k < c->n; k++) {
        if (c->side[k][thread] == AWAY)
            return false;
        is_known |= c->side[k][thread] == TOWARD;
    }
    return is_known;
}

/* A thread that may take every branch toward the barrier, and one that leaves at the outermost branch where any leaves:
 * whoever comes, that one does not. */
static bool chain_parts(struct probe *p, const struct chain *c) {
    uint32_t n = cw_lanes_count(p->lanes), in = 0;
    while (in < n && !may_take_all(c, in))
        in++;
    for (uint32_t k = c->n; in < n && k-- > 0;)
        for (uint32_t out = 0; out < n; out++)
            if (c->side[k][out] == AWAY) {
                p->branch = c->at[k].block;
                p->side = c->at[k].which;
                return part_with(p, in, out, false);
            }
    return false;
}

/* Nobody knows whether the block comes this far, but if it does, these branches split it. */
static bool is_split_if_reached(struct probe *p, const struct cw_participation *part) {
    struct chain c;
    c.p = p;
    c.n = 0;
    p->branch = CW_NO_BLOCK;
    if (cw_lanes_count(p->lanes) > THREADS_MAX || !find_chain(&c, part))
        return false;
    if (c.n > 1)
        return chain_parts(p, &c);
    const struct cw_lane_values *values = condition_of(p, part, c.at[0]);
    if (!values || !sides_part(p, part, values, c.at[0].which))
        return false;
    p->branch = c.at[0].block;
    p->side = c.at[0].which;
    return true;
}

static bool is_split_surely(struct probe *p, const struct cw_participation *part) {
    bool sure = part->count[CW_ARRIVES] > 0 && part->count[CW_ELSEWHERE] > 0;
    uint32_t free_threads = part->count[CW_DATA] + part->count[CW_DATA_EXIT];
    if (!sure && (part->count[CW_UNSURE] > 0 || part->count[CW_DATA] == 0 ||
                  part->count[CW_ARRIVES] + part->count[CW_ELSEWHERE] + free_threads < 2))
        return false;
    struct edge_visit e = {p, part, CW_NO_BLOCK};
    p->branch = CW_NO_BLOCK;
    cw_cfg_controls(p->q->fn, p->q->fn->ins.at[p->ins].block, visit_edge, &e);
    if (p->branch == CW_NO_BLOCK && sure)
        blame_loop_exit(p, part);
    return p->branch != CW_NO_BLOCK;
}

/* Do the threads of this iteration part? Input data must be able to part them by itself: with threads of which nothing
 * is known, only threads that surely come and surely stay away count. */
static bool is_split(struct probe *p, const struct cw_context *context) {
    const struct cw_participation *part = cw_participation(p->lanes, p->ins, context, p->q->arena);
    p->hopeless = p->hopeless && part->count[CW_UNSURE] == cw_lanes_count(p->lanes);
    if (!is_split_surely(p, part) && (part->count[CW_UNSURE] == 0 || !is_split_if_reached(p, part)))
        return false;
    p->witness = part;
    p->loop = loop_left_at(p, p->branch);
    return true;
}

/* Some iterations of the loops around; where nothing is known of any thread in the first, others will not help. */
static bool probe_iterations(struct probe *p) {
    struct cw_iterations it;
    const struct cw_context *c;
    cw_iterations_begin(&it, p->lanes, p->q->fn, p->q->fn->ins.at[p->ins].block);
    while (cw_iterations_next(&it, &c)) {
        if (is_split(p, c))
            return true;
        if (p->hopeless)
            return false;
    }
    return false;
}

/* Where one sample leaves every thread unsure, the cause is code that nobody knows, and other samples will not help. */
static bool probe_launch(struct probe *p, uint32_t launch, uint32_t *sample) {
    p->hopeless = true;
    for (*sample = 0; *sample < SAMPLES && (*sample == 0 || !p->hopeless); ++*sample) {
        p->lanes = p->q->lanes(p->q->owner, launch, *sample);
        if (p->lanes != NULL && probe_iterations(p))
            return true;
    }
    return false;
}

/* A block in which no sample brings a thread to the barrier: `if (blockDim.y > 1)` around it, for one. */
static bool is_never_reached(const struct probe *p, uint32_t launch) {
    bool is_known = false; /* by a sample under which the kernel does not trap */
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        struct cw_lanes *lanes = p->q->lanes(p->q->owner, launch, sample);
        if (lanes == NULL || cw_lanes_is_trapped(lanes))
            continue;
        enum cw_reach reach = cw_lanes_somebody_reaches(lanes, p->q->fn->ins.at[p->ins].block);
        if (reach == CW_REACH_YES)
            return false;
        is_known |= reach == CW_REACH_NO;
    }
    return is_known;
}

/* Ordinary shapes in which it is executed must all show it: a guard that is true for a whole block of the right size is
 * only redundant. */
static bool probe_barrier(struct probe *p, struct cw_split *out) {
    struct cw_survey s = cw_survey_of_warps(p->q->launches);
    const struct probe question = *p;
    while (!(s.shown && s.launches->from_facts) && cw_survey_next(&s)) {
        struct probe now = question;
        uint32_t sample;
        bool found = probe_launch(&now, s.launch, &sample);
        if (!found && now.hopeless)
            break;
        if (!found && s.counts && !s.launches->from_facts && is_never_reached(&now, s.launch))
            cw_survey_unreached(&s);
        if (!found || !cw_survey_shown(&s))
            continue;
        *p = now;
        out->witness = now.witness;
        out->launch = s.launch;
        out->sample = sample;
        out->in = now.in;
        out->out = now.out;
        out->by_data = now.by_data;
    }
    out->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

static struct cw_split *find_cause(struct cw_splits *found, const uint32_t *sides, uint32_t branch, uint32_t side,
                                   bool same_side) {
    for (uint32_t i = 0; i < found->at.n; i++)
        if (found->at.at[i].branch == branch && (sides[i] == side) == same_side)
            return &found->at.at[i];
    return NULL;
}

/* Has a value that is the same for the block, and was read from memory, a part in it? */
static bool reads_shared_value(const struct cw_kernel_query *q, cw_ref value, uint32_t depth) {
    const struct cw_ins *ins = cw_ins_of(q->fn, value);
    if (ins == NULL || depth == 0)
        return false;
    if (ins->op == CW_OP_LOAD)
        return cw_uni_of(q->uniformity, value) <= CW_UNI_BLOCK;
    for (uint32_t k = 0; k < ins->narg && cw_op_flags((enum cw_op)ins->op) == CW_OP_P; k++)
        if (ins->op != CW_OP_PHI && reads_shared_value(q, cw_arg(q->fn, ins, k), depth - 1))
            return true;
    return false;
}

/* A bound that the host put into memory, and a block that nobody knows: the host may have rounded one to the other. */
static bool may_be_rounded(const struct cw_kernel_query *q, uint32_t branch) {
    enum { DEPTH = 12 };
    return !q->launches->from_facts && branch != CW_NO_BLOCK &&
           reads_shared_value(q, q->fn->blocks.at[branch].jump.value, DEPTH);
}

/* One cause, one split: joins an earlier split of the same branch, or begins a new one. */
static void add_split(const struct cw_kernel_query *q, struct cw_splits *found, uint32_t *sides, const struct probe *p,
                      struct cw_split split) {
    struct cw_split *same = find_cause(found, sides, p->branch, p->side, true);
    struct cw_split *across = p->loop == CW_NO_LOOP ? find_cause(found, sides, p->branch, p->side, false) : NULL;
    if (across != NULL && across->loop == CW_NO_LOOP) {
        if (!across->is_in_both_arms) {
            across->is_in_both_arms = true;
            across->other = split.ins;
        } else {
            cw_vec_push(q->arena, &across->also, split.ins);
        }
        across->definite = across->definite || split.definite;
        return;
    }
    if (same != NULL) {
        cw_vec_push(q->arena, &same->also, split.ins);
        return;
    }
    split.other = split.ins;
    split.branch = p->branch;
    split.loop = p->loop;
    split.is_rounded = p->loop != CW_NO_LOOP && may_be_rounded(q, p->branch);
    split.definite = split.definite && !split.is_rounded;
    sides[found->at.n] = p->side;
    cw_vec_push(q->arena, &found->at, split);
}

static void look_at_block(const struct cw_kernel_query *q, struct cw_splits *found, uint32_t *sides, uint32_t block,
                          uint32_t *budget) {
    const struct cw_block *b = &q->fn->blocks.at[block];
    if (q->uniformity->control_live[block] <= CW_UNI_BLOCK)
        return;
    for (uint32_t k = 0; k < b->ins.n; k++) {
        struct probe p = {.q = q, .ins = b->ins.at[k], .branch = CW_NO_BLOCK, .loop = CW_NO_LOOP};
        struct cw_split split = {.ins = b->ins.at[k]};
        if (!cw_is_block_barrier(q->fn, p.ins))
            continue;
        if (*budget == 0) {
            cw_query_gave_up(q, CW_BAIL_BARRIER_BUDGET, 1);
            return;
        }
        --*budget;
        find_nest(&p);
        if (probe_barrier(&p, &split))
            add_split(q, found, sides, &p, split);
    }
}

struct cw_splits cw_splits_of(const struct cw_kernel_query *q) {
    struct cw_splits found = {{0}};
    uint32_t *sides = CW_NEW_ARRAY(q->arena, uint32_t, MAX_BARRIERS), budget = MAX_BARRIERS;
    if (q->fn->cfg->is_irreducible)
        return found;
    for (uint32_t k = 0; k < q->fn->cfg->nrpo; k++)
        look_at_block(q, &found, sides, q->fn->cfg->rpo[k], &budget);
    return found;
}
