/* Splits of block barriers, by asking participation for each launch, sample and a few iterations of the loops around.
 * See barrier_divergence.h for requires / computes / preserves. */
#include "faults/barrier_divergence.h"

#include "faults/rounded_bounds.h"
#include "lanes/facts_print.h"
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

static void find_nest(struct probe *probe) {
    struct cw_iterations it;
    cw_iterations_begin(&it, NULL, probe->q->fn, probe->q->fn->ins.at[probe->ins].block);
    memcpy(probe->nest, it.nest, sizeof probe->nest);
    probe->depth = it.depth;
}

/* The part of the barrier's context that also holds at `block`: its loops that contain the block. False when the block
 * sits in a further loop, whose iteration nothing fixes. */
static bool context_at(const struct probe *probe, uint32_t block, const struct cw_context *at_barrier,
                       const struct cw_context **out) {
    const struct cw_cfg *cfg = probe->q->fn->cfg;
    const struct cw_context *c = at_barrier;
    while (c != NULL && !cw_cfg_in_loop(cfg, c->loop, block))
        c = c->outer;
    *out = c;
    return cfg->loop_of[block] == (c != NULL ? c->loop : CW_NO_LOOP);
}

static bool is_arriving(uint8_t presence) {
    return presence == CW_ARRIVES || presence == CW_DATA || presence == CW_DATA_EXIT;
}

static bool stays_away(uint8_t presence) {
    return presence == CW_ELSEWHERE || presence == CW_DATA;
}

static bool may_take(uint8_t reach) {
    return reach == CW_REACH_YES || reach == CW_REACH_INPUT;
}

/* Can threads t and u really decide differently? Not when both follow one and the same unknown. */
static bool may_differ(const struct cw_lane_values *values, const uint8_t *takes, uint32_t t, uint32_t u) {
    if (takes[t] == CW_REACH_YES && takes[u] == CW_REACH_NO)
        return true;
    if (values->known[t] != CW_INPUT && values->known[u] != CW_INPUT)
        return takes[t] != takes[u];
    return values->value[t] != values->value[u];
}

struct edge_visit {
    struct probe *p;
    const struct cw_participation *part;
    uint32_t best_order;
};

static bool part_with(struct probe *probe, uint32_t in, uint32_t out, bool by_data) {
    probe->in = in;
    probe->out = out;
    probe->by_data = by_data;
    return true;
}

/* One thread that takes the edge and comes to the barrier against all that do not and stay away. */
static bool edge_parts(struct probe *probe, const struct cw_participation *part, const struct cw_lane_values *values,
                       const uint8_t *reach, const uint8_t *takes) {
    uint32_t n = cw_lanes_count(probe->lanes);
    for (uint32_t t = 0; t < n; t++) {
        if (!may_take(reach[t]) || !may_take(takes[t]) || !is_arriving(part->presence[t]))
            continue;
        for (uint32_t u = 0; u < n; u++)
            if (u != t && may_take(reach[u]) && takes[u] != CW_REACH_YES && takes[u] != CW_REACH_UNKNOWN &&
                stays_away(part->presence[u]) && may_differ(values, takes, t, u))
                return part_with(probe, t, u, part->presence[t] != CW_ARRIVES || part->presence[u] != CW_ELSEWHERE);
        if (values->known[t] != CW_INPUT) /* threads that decide by themselves are alike: one of them is enough */
            return false;
    }
    return false;
}

static bool away_is_exit(const struct cw_fn *fn, struct cw_edge toward) {
    const struct cw_jump *jump = &fn->blocks.at[toward.block].jump;
    for (uint32_t s = 0; s < jump->nsucc; s++)
        if (s != toward.which && !cw_cfg_way_ends(fn, toward.block, s))
            return false;
    return true;
}

/* Whose side of a branch thread t is on: TOWARD the barrier, AWAY, FREE to be either; of others nothing is known. */
enum side { TOWARD, AWAY, FREE, NOT_KNOWN };

static enum side side_of(const struct cw_lane_values *values, const struct cw_participation *part, uint32_t t,
                         uint32_t which) {
    uint8_t presence = part->presence[t];
    if (values->known[t] == CW_UNKNOWN || presence == CW_EXITED)
        return NOT_KNOWN;
    if (values->known[t] == CW_INPUT)
        return presence == CW_ELSEWHERE ? AWAY : FREE;
    bool toward = (values->value[t] != 0) == (which == 0);
    return toward ? (presence == CW_ELSEWHERE ? NOT_KNOWN : TOWARD) : presence == CW_ARRIVES ? NOT_KNOWN : AWAY;
}

static bool sides_part(struct probe *probe, const struct cw_participation *part, const struct cw_lane_values *values,
                       uint32_t which) {
    uint32_t n = cw_lanes_count(probe->lanes), first[3] = {n, n, n};
    for (uint32_t t = 0; t < n; t++) {
        enum side s = side_of(values, part, t, which);
        if (s == FREE && first[FREE] < n && values->value[first[FREE]] != values->value[t])
            return part_with(probe, first[FREE], t, true);
        if (s != NOT_KNOWN && first[s] == n)
            first[s] = t;
    }
    if (first[TOWARD] < n && (first[AWAY] < n || first[FREE] < n))
        return part_with(probe, first[TOWARD], first[first[AWAY] < n ? AWAY : FREE], first[AWAY] == n);
    return first[FREE] < n && first[AWAY] < n && part_with(probe, first[FREE], first[AWAY], true);
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
static bool find_known_arrival(const struct probe *probe, const struct cw_participation *part, uint32_t *thread) {
    const struct cw_fn *fn = probe->q->fn;
    uint32_t header = probe->depth ? fn->cfg->loops.at[probe->nest[0]].header : 0, n = cw_lanes_count(probe->lanes);
    const struct cw_context *first = cw_lanes_first(probe->lanes, header);
    for (*thread = 0; *thread < n; ++*thread)
        if (part->presence[*thread] == CW_ARRIVES &&
            cw_lanes_reach_given(probe->lanes, fn->ins.at[probe->ins].block, part->context, header, first, *thread,
                                 *thread) != CW_REACH_UNKNOWN)
            return true;
    return false;
}

/* Threads that left an enclosing loop in an earlier iteration decided at an exit of that loop. */
static void blame_loop_exit(struct probe *probe, const struct cw_participation *part) {
    const struct cw_fn *fn = probe->q->fn;
    uint32_t in, out = 0;
    if (!find_known_arrival(probe, part, &in))
        return;
    while (part->presence[out] != CW_ELSEWHERE)
        out++;
    part_with(probe, in, out, false);
    for (uint32_t k = 0; k < probe->depth && probe->branch == CW_NO_BLOCK; k++) {
        const struct cw_loop *loop = &fn->cfg->loops.at[probe->nest[k]];
        for (uint32_t x = 0; x < loop->exits.n; x++) {
            uint32_t block = loop->exits.at[x].block;
            if (cw_uni_of(probe->q->uniformity, fn->blocks.at[block].jump.value) > CW_UNI_BLOCK) {
                probe->branch = block;
                probe->side = 1 - (loop->exits.at[x].which & 1);
                break;
            }
        }
    }
}

/* The loop around the barrier that this branch leaves, or whose iteration a `continue` cuts short. */
static uint32_t loop_left_at(const struct probe *probe, uint32_t branch) {
    const struct cw_fn *fn = probe->q->fn;
    for (uint32_t k = probe->depth; k-- > 0;) {
        const struct cw_loop *loop = &fn->cfg->loops.at[probe->nest[k]];
        for (uint32_t x = 0; x < loop->exits.n; x++)
            if (loop->exits.at[x].block == branch)
                return probe->nest[k];
        const struct cw_jump *jump = &fn->blocks.at[branch].jump;
        for (uint32_t s = 0; cw_cfg_in_loop(fn->cfg, probe->nest[k], branch) && s < jump->nsucc; s++)
            if (fn->blocks.at[jump->succ[s]].jump.origin == CW_FROM_CONTINUE)
                return probe->nest[k];
    }
    return CW_NO_LOOP;
}

/* ---- a barrier of which nobody knows whether the block comes so far ---- */

enum { CHAIN_MAX = 4, THREADS_MAX = 1024, STEPS_MAX = 64, CALLER_STEPS = 64 };

/* Branches that are not uniform, from the barrier outwards, each the only one that decides about the one before. */
struct chain {
    const struct probe *p;
    struct cw_edge at[CHAIN_MAX], next;
    uint32_t n, nnext;
    uint8_t side[CHAIN_MAX][THREADS_MAX];
};

static bool is_in_chain(const struct chain *chain, struct cw_edge edge) {
    for (uint32_t k = 0; k < chain->n; k++)
        if (chain->at[k].block == edge.block && (k + 1 == chain->n || chain->at[k].which == edge.which))
            return true;
    return false;
}

/* Direct controls of the block, and those of uniform ones: at most one may be not uniform. More are alternatives, as
 * the two of `a || b`. `steps` bounds the walk. */
static void collect_controls(struct chain *chain, uint32_t block, uint32_t *steps) {
    const struct cw_fn *fn = chain->p->q->fn;
    const struct cw_vec_edge *control = &fn->cfg->live_control[block];
    for (uint32_t k = 0; k < control->n && *steps > 0; k++) {
        struct cw_edge edge = control->at[k];
        --*steps;
        if (is_in_chain(chain, edge)) /* a loop decides about itself: an earlier iteration went the same way */
            continue;
        if (cw_uni_of(chain->p->q->uniformity, fn->blocks.at[edge.block].jump.value) > CW_UNI_BLOCK) {
            chain->nnext += chain->nnext == 0 || chain->next.block != edge.block || chain->next.which != edge.which;
            chain->next = edge;
        } else if (edge.block != block) {
            collect_controls(chain, edge.block, steps);
        }
    }
}

static bool find_next(struct chain *chain, uint32_t block) {
    uint32_t steps = STEPS_MAX;
    chain->nnext = 0;
    collect_controls(chain, block, &steps);
    return chain->nnext <= 1 && steps > 0;
}

/* The values of the branch's condition; NULL when a thread that goes the other way leaves the kernel, or when the
 * condition is not of the barrier's iteration. */
static const struct cw_lane_values *condition_of(const struct probe *probe, const struct cw_participation *part,
                                                 struct cw_edge edge) {
    const struct cw_jump *jump = &probe->q->fn->blocks.at[edge.block].jump;
    const struct cw_context *context;
    if (jump->kind != CW_JUMP_BRANCH || away_is_exit(probe->q->fn, edge) ||
        !context_at(probe, edge.block, part->context, &context))
        return NULL;
    return cw_lanes_eval(probe->lanes, jump->value, context);
}

static void read_sides(struct chain *chain, const struct cw_participation *part) {
    struct cw_edge edge = chain->at[chain->n - 1];
    const struct cw_lane_values *values = condition_of(chain->p, part, edge);
    for (uint32_t t = 0; t < cw_lanes_count(chain->p->lanes); t++)
        chain->side[chain->n - 1][t] = (uint8_t)(values ? side_of(values, part, t, edge.which) : NOT_KNOWN);
}

static bool find_chain(struct chain *chain, const struct cw_participation *part) {
    uint32_t block = chain->p->q->fn->ins.at[chain->p->ins].block;
    while (find_next(chain, block) && chain->nnext == 1 && chain->n < CHAIN_MAX) {
        chain->at[chain->n++] = chain->next;
        read_sides(chain, part);
        block = chain->next.block;
    }
    return chain->n > 0 && chain->nnext == 0;
}

/* May it come to the barrier, and is one of the branches known to lead it there? */
static bool may_take_all(const struct chain *chain, uint32_t thread) {
    bool is_known = false;
    for (uint32_t k = 0; k < chain->n; k++) {
        if (chain->side[k][thread] == AWAY)
            return false;
        is_known |= chain->side[k][thread] == TOWARD;
    }
    return is_known;
}

/* A thread that may take every branch toward the barrier, and one that leaves at the outermost branch where any leaves:
 * whoever comes, that one does not. */
static bool chain_parts(struct probe *probe, const struct chain *chain) {
    uint32_t n = cw_lanes_count(probe->lanes), in = 0;
    while (in < n && !may_take_all(chain, in))
        in++;
    for (uint32_t k = chain->n; in < n && k-- > 0;)
        for (uint32_t out = 0; out < n; out++)
            if (chain->side[k][out] == AWAY) {
                probe->branch = chain->at[k].block;
                probe->side = chain->at[k].which;
                return part_with(probe, in, out, false);
            }
    return false;
}

/* Sides at branch k of those whom no other branch of the chain leads away. */
static enum side side_in_chain(const struct chain *chain, uint32_t k, uint32_t thread) {
    for (uint32_t other = 0; other < chain->n; other++)
        if (other != k && chain->side[other][thread] == AWAY)
            return NOT_KNOWN;
    return (enum side)chain->side[k][thread];
}

/* Input may part two threads at one branch, whatever the others of the chain are: should not both get to it, the one
 * that does parts from the other there. */
static bool data_parts_chain(struct probe *probe, const struct chain *chain, const struct cw_participation *part) {
    uint32_t n = cw_lanes_count(probe->lanes);
    for (uint32_t k = chain->n; k-- > 0;) {
        const struct cw_lane_values *values = condition_of(probe, part, chain->at[k]);
        uint32_t first = n;
        for (uint32_t t = 0; values && t < n; t++) {
            if (side_in_chain(chain, k, t) != FREE)
                continue;
            first = first == n ? t : first;
            if (values->value[first] == values->value[t])
                continue;
            probe->branch = chain->at[k].block;
            probe->side = chain->at[k].which;
            return part_with(probe, first, t, true);
        }
    }
    return false;
}

/* Is the side of some thread known at some branch? Then another iteration may split the block. */
static bool is_some_side_known(const struct chain *chain) {
    uint32_t n = cw_lanes_count(chain->p->lanes);
    for (uint32_t k = 0; k < chain->n; k++)
        for (uint32_t t = 0; t < n; t++)
            if (chain->side[k][t] != NOT_KNOWN)
                return true;
    return false;
}

/* Nobody knows whether the block comes this far, but if it does, these branches split it. */
static bool is_split_if_reached(struct probe *probe, const struct cw_participation *part) {
    struct chain c;
    c.p = probe;
    c.n = 0;
    probe->branch = CW_NO_BLOCK;
    if (cw_lanes_count(probe->lanes) > THREADS_MAX || !find_chain(&c, part))
        return false;
    probe->hopeless = probe->hopeless && !is_some_side_known(&c);
    if (c.n > 1)
        return chain_parts(probe, &c) || data_parts_chain(probe, &c, part);
    const struct cw_lane_values *values = condition_of(probe, part, c.at[0]);
    if (!values || !sides_part(probe, part, values, c.at[0].which))
        return false;
    probe->branch = c.at[0].block;
    probe->side = c.at[0].which;
    return true;
}

static bool is_split_surely(struct probe *probe, const struct cw_participation *part) {
    bool sure = part->count[CW_ARRIVES] > 0 && part->count[CW_ELSEWHERE] > 0;
    uint32_t free_threads = part->count[CW_DATA] + part->count[CW_DATA_EXIT];
    if (!sure && (part->count[CW_UNSURE] > 0 || part->count[CW_DATA] == 0 ||
                  part->count[CW_ARRIVES] + part->count[CW_ELSEWHERE] + free_threads < 2))
        return false;
    struct edge_visit e = {probe, part, CW_NO_BLOCK};
    probe->branch = CW_NO_BLOCK;
    cw_cfg_controls(probe->q->fn, probe->q->fn->ins.at[probe->ins].block, visit_edge, &e);
    if (probe->branch == CW_NO_BLOCK && sure)
        blame_loop_exit(probe, part);
    return probe->branch != CW_NO_BLOCK;
}

/* Do the threads of this iteration part? Input data must be able to part them by itself: with threads of which nothing
 * is known, only threads that surely come and surely stay away count. */
static bool is_split(struct probe *probe, const struct cw_context *context) {
    const struct cw_participation *part = cw_participation(probe->lanes, probe->ins, context, probe->q->arena);
    probe->hopeless = probe->hopeless && part->count[CW_UNSURE] == cw_lanes_count(probe->lanes);
    if (!is_split_surely(probe, part) && (part->count[CW_UNSURE] == 0 || !is_split_if_reached(probe, part)))
        return false;
    probe->witness = part;
    probe->loop = loop_left_at(probe, probe->branch);
    return true;
}

/* Some iterations of the loops around; where nothing is known of any thread in the first, others will not help. */
static bool probe_iterations(struct probe *probe) {
    struct cw_iterations it;
    const struct cw_context *c;
    cw_iterations_begin(&it, probe->lanes, probe->q->fn, probe->q->fn->ins.at[probe->ins].block);
    while (cw_iterations_next(&it, &c)) {
        if (is_split(probe, c))
            return true;
        if (probe->hopeless)
            return false;
    }
    return false;
}

/* Where one sample leaves every thread unsure, the cause is code that nobody knows, and other samples will not help. */
static bool probe_launch(struct probe *probe, uint32_t launch, uint32_t *sample) {
    probe->hopeless = true;
    for (*sample = 0; *sample < SAMPLES && (*sample == 0 || !probe->hopeless); ++*sample) {
        probe->lanes = probe->q->lanes(probe->q->owner, launch, *sample);
        if (probe->lanes != NULL && probe_iterations(probe))
            return true;
    }
    return false;
}

/* A block in which no sample brings a thread to the barrier: `if (blockDim.y > 1)` around it, for one. */
static bool is_never_reached(const struct probe *probe, uint32_t launch) {
    bool is_known = false; /* by a sample under which the kernel does not trap */
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        struct cw_lanes *lanes = probe->q->lanes(probe->q->owner, launch, sample);
        if (lanes == NULL || cw_lanes_is_trapped(lanes))
            continue;
        enum cw_reach reach = cw_lanes_somebody_reaches(lanes, probe->q->fn->ins.at[probe->ins].block);
        if (reach == CW_REACH_YES)
            return false;
        is_known |= reach == CW_REACH_NO;
    }
    return is_known;
}

/* Ordinary shapes in which it is executed must all show it: a guard that is true for a whole block of the right size is
 * only redundant. */
static bool probe_barrier(struct probe *probe, struct cw_split *out) {
    struct cw_survey s = cw_survey_of_warps(probe->q->launches);
    const struct probe question = *probe;
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
        *probe = now;
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

/* Is the value made of what the caller passes alone, and of what it points to? */
static bool comes_from_caller(const struct cw_fn *fn, cw_ref value, uint32_t *steps) {
    const struct cw_ins *i = cw_ins_of(fn, value);
    if (!i || *steps == 0)
        return value.tag == CW_REF_PARAM || value.tag == CW_REF_CONST || value.tag == CW_REF_TPARAM;
    --*steps;
    bool is_plain = (cw_op_flags((enum cw_op)i->op) & ~(unsigned)(CW_OP_P | CW_OP_O)) == 0 && i->op != CW_OP_PHI;
    bool is_load = i->op == CW_OP_LOAD && !(i->flags & CW_INS_VOLATILE);
    for (uint32_t k = 0; k < i->narg; k++)
        if (!comes_from_caller(fn, cw_arg(fn, i, k), steps))
            return false;
    return i->narg > 0 && (is_plain || is_load);
}

/* In a function without its callers, a condition on what they pass, such as a member of the object: nothing says that
 * it differs between threads. */
static bool is_left_to_caller(const struct cw_kernel_query *query, uint32_t branch) {
    uint32_t steps = CALLER_STEPS;
    return query->fn->kind == CW_FN_DEVICE && branch < query->fn->blocks.n &&
           comes_from_caller(query->fn, query->fn->blocks.at[branch].jump.value, &steps);
}

/* One cause, one split: joins an earlier split of the same branch, or begins a new one. */
static void add_split(const struct cw_kernel_query *query, struct cw_splits *found, uint32_t *sides,
                      const struct probe *probe, struct cw_split split) {
    struct cw_split *same = find_cause(found, sides, probe->branch, probe->side, true);
    struct cw_split *across =
        probe->loop == CW_NO_LOOP ? find_cause(found, sides, probe->branch, probe->side, false) : NULL;
    if (across != NULL && across->loop == CW_NO_LOOP) {
        if (!across->is_in_both_arms) {
            across->is_in_both_arms = true;
            across->other = split.ins;
        } else {
            cw_vec_push(query->arena, &across->also, split.ins);
        }
        across->definite = across->definite || split.definite;
        return;
    }
    if (same != NULL) {
        cw_vec_push(query->arena, &same->also, split.ins);
        return;
    }
    if (probe->loop != CW_NO_LOOP && cw_is_made_to_fit(query, probe->branch))
        return;
    if (is_left_to_caller(query, probe->branch)) {
        cw_query_gave_up(query, CW_BAIL_MASK_UNKNOWN, 1);
        return;
    }
    split.other = split.ins;
    split.branch = probe->branch;
    split.loop = probe->loop;
    split.is_rounded = probe->loop != CW_NO_LOOP && cw_may_be_rounded(query, probe->branch);
    split.is_allotted = probe->loop == CW_NO_LOOP && cw_may_be_allotted(query, query->fn->ins.at[split.ins].block);
    split.definite = split.definite && !split.is_rounded && !split.is_allotted;
    sides[found->at.n] = probe->side;
    cw_vec_push(query->arena, &found->at, split);
}

/* All threads of the block have to come, whether it is for the block, its cluster or the grid. Who has arrived at a
 * cluster barrier need not wait for its end (PTX ISA, barrier.cluster). */
static bool waits_for_block(const struct cw_fn *fn, uint32_t ins) {
    const struct cw_ins *i = &fn->ins.at[ins];
    return i->op == CW_OP_GRIDSYNC || (i->op == CW_OP_CLUSTERSYNC && i->aux != CW_BARRIER_WAIT) ||
           cw_is_block_barrier(fn, ins);
}

static void look_at_block(const struct cw_kernel_query *query, struct cw_splits *found, uint32_t *sides, uint32_t block,
                          uint32_t *budget) {
    const struct cw_block *b = &query->fn->blocks.at[block];
    if (query->uniformity->control_live[block] <= CW_UNI_BLOCK)
        return;
    for (uint32_t k = 0; k < b->ins.n; k++) {
        struct probe p = {.q = query, .ins = b->ins.at[k], .branch = CW_NO_BLOCK, .loop = CW_NO_LOOP};
        struct cw_split split = {.ins = b->ins.at[k]};
        if (!waits_for_block(query->fn, p.ins))
            continue;
        if (*budget == 0) {
            cw_query_gave_up(query, CW_BAIL_BARRIER_BUDGET, 1);
            return;
        }
        --*budget;
        find_nest(&p);
        if (probe_barrier(&p, &split))
            add_split(query, found, sides, &p, split);
    }
}

struct cw_splits cw_splits_of(const struct cw_kernel_query *query) {
    struct cw_splits found = {{0}};
    uint32_t *sides = CW_NEW_ARRAY(query->arena, uint32_t, MAX_BARRIERS), budget = MAX_BARRIERS;
    if (query->fn->cfg->is_irreducible)
        return found;
    for (uint32_t k = 0; k < query->fn->cfg->nrpo; k++)
        look_at_block(query, &found, sides, query->fn->cfg->rpo[k], &budget);
    return found;
}

/* ---- text form ---- */

void cw_splits_print(const struct cw_facts_print *to, const struct cw_splits *splits) {
    for (uint32_t k = 0; k < splits->at.n; k++) {
        const struct cw_split *split = &splits->at.at[k];
        cw_facts_begin(to, split->definite, "split");
        cw_facts_ins(to, "", split->ins);
        cw_facts_flag(to, split->is_in_both_arms, "barriers in both arms");
        cw_facts_ins(to, "other arm", split->other == split->ins ? UINT32_MAX : split->other);
        cw_facts_also(to, &split->also);
        cw_facts_branch(to, split->branch);
        cw_facts_loop(to, split->loop);
        cw_facts_flag(to, split->by_data, "by data");
        cw_facts_flag(to, split->is_rounded, "bound may be a multiple of the block");
        cw_facts_flag(to, split->is_allotted, "bounds may be those of whole blocks");
        cw_facts_thread(to, "waits", split->in);
        cw_facts_thread(to, "elsewhere", split->out);
        cw_facts_presence(to, split->witness, split->in / 32);
        if (split->out / 32 != split->in / 32)
            cw_facts_presence(to, split->witness, split->out / 32);
        cw_facts_context(to, split->witness ? split->witness->context : NULL);
        cw_facts_launch(to, split->launch, split->sample);
        cw_facts_end(to);
    }
}
