/* See like_values.h. */
#include "races/like_values.h"

#include "lanes/condition.h"
#include "lanes/shuffle_sources.h"
#include "lanes/value.h"
#include "uniformity/alias.h"

enum {
    LIKE_DEPTH = 6, /* operations between a store and what makes its value */
    WALK_MAX = 256,
    ITERATIONS_MAX = 8, /* of a loop that are followed back one by one */
    INDEX_DEPTH = 16 /* operations between a condition, or a place, and the indices that it is made of */
};

static bool is_header_phi(const struct cw_fn *fn, const struct cw_ins *ins) {
    uint32_t loop = fn->cfg->loop_of[ins->block];
    return ins->op == CW_OP_PHI && loop != CW_NO_LOOP && fn->cfg->loops.at[loop].header == ins->block;
}

static struct cw_cell cell_of(const struct cw_lane_value *value, uint32_t t) {
    return value->base ? cw_pointer_token(value, t) : cw_lane_value_cell(value, t);
}

/* ---- what two warps compute alike ---- */

static bool is_alike(struct cw_lanes *l, cw_ref ref, const struct cw_context *context, uint32_t t,
                     const struct cw_context *other, uint32_t u, uint32_t depth);

/* The operands; of all lanes of the two warps, and without the mask, where a collective looks at them. What a
 * collective gives different lanes is not the same. */
static bool has_like_operands(struct cw_lanes *l, const struct cw_ins *ins, const struct cw_context *context,
                              uint32_t t, const struct cw_context *other, uint32_t u, uint32_t depth) {
    bool collective = cw_op_flags((enum cw_op)ins->op) & CW_OP_C;
    uint32_t w = collective ? t & ~31u : t, x = collective ? u & ~31u : u, lanes = collective ? 32 : 1;
    if (collective && t % 32 != u % 32)
        return false;
    for (uint32_t lane = 0; lane < lanes && w + lane < cw_lanes_count(l) && x + lane < cw_lanes_count(l); lane++)
        for (uint32_t k = collective; k < ins->narg; k++)
            if (!is_alike(l, cw_arg(cw_lanes_fn(l), ins, k), context, w + lane, other, x + lane, depth))
                return false;
    return true;
}

static bool is_alike(struct cw_lanes *l, cw_ref ref, const struct cw_context *context, uint32_t t,
                     const struct cw_context *other, uint32_t u, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(l);
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (i) {
        context = cw_context_at(l, context, i->block);
        other = cw_context_at(l, other, i->block);
        if (cw_context_missing(l, context, i->block) != CW_NO_LOOP ||
            cw_context_missing(l, other, i->block) != CW_NO_LOOP)
            return false;
    }
    if (cw_cell_same(cell_of(cw_lane_value_of(l, ref, context), t), cell_of(cw_lane_value_of(l, ref, other), u)))
        return true;
    bool followed =
        i && ((cw_op_flags((enum cw_op)i->op) & (CW_OP_P | CW_OP_C)) || i->op == CW_OP_LOAD) && !is_header_phi(fn, i);
    return followed && depth > 0 && has_like_operands(l, i, context, t, other, u, depth - 1);
}

bool cw_is_like_value(struct cw_lanes *l, cw_ref value, const struct cw_context *context, uint32_t t,
                      const struct cw_context *other, uint32_t u) {
    return is_alike(l, value, context, t, other, u, LIKE_DEPTH);
}

/* ---- one formula in two places ---- */

struct placed {
    cw_ref ref;
    const struct cw_context *context; /* aligned with the block of an instruction */
    bool is_open; /* a loop around it is not fixed */
};

static struct placed place_at(const struct cw_lanes *l, cw_ref ref, const struct cw_context *context) {
    const struct cw_ins *i = cw_ins_of(cw_lanes_fn(l), ref);
    if (!i)
        return (struct placed){ref, NULL, false};
    context = cw_context_at(l, context, i->block);
    return (struct placed){ref, context, cw_context_missing(l, context, i->block) != CW_NO_LOOP};
}

enum way { NO_WAY, SOME_WAY, ONLY_WAY };

/* Of the thread, where the formula `given` holds. */
static enum way way_of_thread(struct cw_lanes *l, const struct cw_lane_cond *way, const struct cw_lane_cond *join,
                              uint32_t t, uint32_t given) {
    struct cw_bdds *bdds = cw_lanes_bdds(l);
    uint32_t f = cw_bdd_and(bdds, cw_lane_cond_at(way, t), given);
    if (f == CW_BDD_FALSE)
        return NO_WAY;
    return f == cw_bdd_and(bdds, cw_lane_cond_at(join, t), given) ? ONLY_WAY : SOME_WAY;
}

/* By which operand the value that a loop carries comes there: from before the loop, or from the iteration before.
 * `narg` where there are several. */
static uint32_t way_into_iteration(const struct cw_fn *fn, const struct cw_ins *phi, uint32_t iteration) {
    uint32_t loop = fn->cfg->loop_of[phi->block], ways = 0, way = 0;
    for (uint32_t k = 0; k < phi->narg; k++)
        if (cw_cfg_in_loop(fn->cfg, loop, fn->blocks.at[phi->block].pred.at[k]) == (iteration > 0)) {
            way = k;
            ways++;
        }
    return ways == 1 ? way : phi->narg;
}

/* The operand by which thread t comes to the join, or `narg`. */
static uint32_t way_into_join(struct cw_lanes *l, const struct cw_ins *phi, const struct cw_context *context,
                              uint32_t t, uint32_t given) {
    const struct cw_block *join = &cw_lanes_fn(l)->blocks.at[phi->block];
    for (uint32_t k = 0; k < phi->narg; k++) {
        const struct cw_context *there = cw_context_at(l, context, join->pred.at[k]);
        if (cw_context_missing(l, there, join->pred.at[k]) == CW_NO_LOOP &&
            way_of_thread(l, cw_lane_cond_takes(l, cw_cfg_incoming(cw_lanes_fn(l), phi->block, k), there),
                          cw_lane_cond_reach(l, phi->block, context), t, given) == ONLY_WAY)
            return k;
    }
    return phi->narg;
}

/* Behind a loop a value is that of the last iteration that the thread begins. */
static struct placed last_of_loop(struct cw_lanes *l, struct placed value, uint32_t t) {
    const struct cw_ins *i = cw_ins_of(cw_lanes_fn(l), value.ref);
    uint32_t loop = i && value.is_open ? cw_context_missing(l, value.context, i->block) : CW_NO_LOOP;
    int32_t runs = loop != CW_NO_LOOP ? cw_lanes_trips(l, loop, value.context)[t] : 0;
    return runs > 0 ? place_at(l, value.ref, cw_lanes_context(l, value.context, loop, (uint32_t)runs - 1)) : value;
}

/* Past what loops carry and leave, and what thread t brings to joins. */
static struct placed pass_phis(struct cw_lanes *l, struct placed value, uint32_t t, uint32_t given) {
    const struct cw_fn *fn = cw_lanes_fn(l);
    value = last_of_loop(l, value, t);
    for (const struct cw_ins *i; (i = cw_ins_of(fn, value.ref)) && i->op == CW_OP_PHI && !value.is_open;) {
        bool is_header = is_header_phi(fn, i);
        uint32_t iteration = is_header ? value.context->iteration : 0;
        uint32_t way = is_header ? way_into_iteration(fn, i, iteration) : way_into_join(l, i, value.context, t, given);
        if (way == i->narg)
            break;
        const struct cw_context *there =
            is_header && iteration
                ? cw_lanes_context(l, value.context->outer, fn->cfg->loop_of[i->block], iteration - 1)
                : value.context;
        value = last_of_loop(l, place_at(l, cw_arg(fn, i, way), there), t);
    }
    return value;
}

static bool is_one_formula(struct cw_lanes *l, struct placed a, struct placed b, uint32_t t, uint32_t given,
                           uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(l);
    a = pass_phis(l, a, t, given);
    b = pass_phis(l, b, t, given);
    if (cw_ref_eq(a.ref, b.ref) && a.context == b.context) /* behind a loop both are what it leaves */
        return true;
    if (a.is_open || b.is_open)
        return false;
    if (cw_cell_same(cell_of(cw_lane_value_of(l, a.ref, a.context), t),
                     cell_of(cw_lane_value_of(l, b.ref, b.context), t)))
        return true;
    const struct cw_ins *i = cw_ins_of(fn, a.ref), *j = cw_ins_of(fn, b.ref);
    if (!i || !j || !depth || i->op != j->op || i->op == CW_OP_PHI || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P) ||
        i->type != j->type || i->aux != j->aux || i->narg != j->narg)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_one_formula(l, place_at(l, cw_arg(fn, i, k), a.context), place_at(l, cw_arg(fn, j, k), b.context), t,
                            given, depth - 1))
            return false;
    return true;
}

bool cw_is_one_formula(struct cw_lanes *l, cw_ref value, const struct cw_context *context, cw_ref other,
                       const struct cw_context *of_other, uint32_t t, uint32_t given) {
    return is_one_formula(l, place_at(l, value, context), place_at(l, other, of_other), t, given, LIKE_DEPTH);
}

/* ---- private arrays ---- */

static bool is_private(const struct cw_fn *fn, cw_ref pointer) {
    struct cw_bases from = cw_memory_bases(fn, pointer);
    bool local = from.n > 0;
    for (uint32_t k = 0; k < from.n; k++)
        local &= from.at[k].root.tag == CW_REF_OBJECT && !from.at[k].is_read &&
                 fn->objects.at[from.at[k].root.index].space == CW_SPACE_LOCAL;
    return local;
}

static bool is_made_from_private(struct cw_lanes *l, cw_ref ref, const struct cw_context *context, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(l);
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || depth == 0)
        return false;
    context = cw_context_at(l, context, i->block);
    if (i->op == CW_OP_LOAD && cw_lanes_finds_stored(l, ref.index, context))
        return false;
    if (i->op == CW_OP_LOAD)
        return is_private(fn, cw_arg(fn, i, 0));
    for (uint32_t k = 0; (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && k < i->narg; k++)
        if (is_made_from_private(l, cw_arg(fn, i, k), context, depth - 1))
            return true;
    return false;
}

bool cw_is_made_from_private(struct cw_lanes *l, cw_ref value, const struct cw_context *context) {
    return is_made_from_private(l, value, context, LIKE_DEPTH);
}

/* ---- what makes values of threads differ ---- */

/* A value of some lanes of each of the two threads' warps: of the threads themselves, and of those from which
 * collectives take what they hold. */
struct maker {
    uint32_t ins;
    uint32_t lanes[2];
    bool paired; /* each lane is compared with the same lane of the other warp; else all of both are */
    bool is_far;      /* of some earlier iteration, and nobody knows which */
    bool is_doubtful; /* whether a thread ever comes by it is not known: what differs there says nothing */
    const struct cw_context *context; /* what another iteration leaves is outside */
};

struct cw_value_makers {
    struct cw_lanes *l;
    const struct cw_fn *fn;
    struct cw_arena *arena;
    CW_VEC(struct maker) queue;       /* each once */
    const struct cw_context *context; /* of the maker that is followed, */
    uint32_t lanes[2];                /* and its lanes */
    bool paired, is_far, is_doubtful;
    uint32_t t, u;
    uint32_t given; /* a formula that holds where both store */
    bool differs;
};

struct cw_value_makers *cw_value_makers_open(struct cw_lanes *l, struct cw_arena *a) {
    struct cw_value_makers *m = CW_NEW(a, struct cw_value_makers);
    *m = (struct cw_value_makers){.l = l, .fn = cw_lanes_fn(l), .arena = a};
    return m;
}

/* The threads that the lanes are; where they are paired, first of one warp and then of the other. */
static uint32_t threads_of(const struct cw_value_makers *makers, uint32_t *threads) {
    uint32_t n = 0;
    for (uint32_t side = 0; side < 2; side++) {
        uint32_t warp = (side ? makers->u : makers->t) & ~31u;
        for (uint32_t lanes = makers->lanes[side]; lanes; lanes &= lanes - 1)
            threads[n++] = warp + (uint32_t)__builtin_ctz(lanes);
    }
    return n;
}

static bool is_one_value(const struct cw_value_makers *makers, const struct cw_lane_value *value) {
    uint32_t threads[64], n = threads_of(makers, threads), half = makers->paired ? n / 2 : 0;
    for (uint32_t k = half; k < n; k++)
        if (!cw_cell_same(cell_of(value, threads[k - half]), cell_of(value, threads[makers->paired ? k : 0])))
            return false;
    return true;
}

/* Made of indices, sizes and constants alone: the same in every iteration. */
static bool is_of_indices(const struct cw_fn *fn, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i)
        return ref.tag != CW_REF_NONE;
    if (!depth || i->op == CW_OP_PHI || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_of_indices(fn, cw_arg(fn, i, k), depth - 1))
            return false;
    return true;
}

static bool is_same_for(struct cw_value_makers *makers, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(makers->fn, ref);
    const struct cw_context *context = i ? cw_context_at(makers->l, makers->context, i->block) : NULL;
    if (i && cw_context_missing(makers->l, context, i->block) != CW_NO_LOOP) {
        if (!is_of_indices(makers->fn, ref, INDEX_DEPTH))
            return false;
        context = cw_context_complete(makers->l, context, i->block);
    }
    return is_one_value(makers, cw_lane_value_of(makers->l, ref, context));
}

static void add_maker(struct cw_value_makers *makers, cw_ref ref) {
    bool is_index = ref.tag == CW_REF_SREG && (ref.index <= CW_TID_Z || ref.index >= CW_LANEID);
    if ((!is_index && ref.tag != CW_REF_INS) || is_same_for(makers, ref))
        return;
    makers->differs |= is_index && !makers->is_doubtful;
    if (is_index)
        return;
    for (uint32_t k = 0; k < makers->queue.n; k++) {
        const struct maker *old = &makers->queue.at[k];
        if (old->ins == ref.index && old->context == makers->context && old->paired == makers->paired &&
            old->is_far <= makers->is_far && old->is_doubtful <= makers->is_doubtful &&
            !(makers->lanes[0] & ~old->lanes[0]) && !(makers->lanes[1] & ~old->lanes[1]))
            return;
    }
    struct maker maker = {ref.index,
                          {makers->lanes[0], makers->lanes[1]},
                          makers->paired,
                          makers->is_far,
                          makers->is_doubtful,
                          makers->context};
    cw_vec_push(makers->arena, &makers->queue, maker);
}

/* What decides where threads go from the block. A way into a trap is none: who goes on has not taken it. */
static void add_decider(struct cw_value_makers *makers, uint32_t block) {
    const struct cw_jump *jump = &makers->fn->blocks.at[block].jump;
    uint32_t ways = 0;
    for (uint32_t s = 0; s < jump->nsucc; s++)
        ways += !makers->fn->cfg->dies[jump->succ[s]];
    if (ways > 1)
        add_maker(makers, jump->value);
}

/* Do all the threads run the loop equally often, though each may count in its own way? */
static bool ends_alike(struct cw_value_makers *makers, uint32_t loop) {
    uint32_t header = makers->fn->cfg->loops.at[loop].header, threads[64], n = threads_of(makers, threads);
    const struct cw_context *outer = cw_context_at(makers->l, makers->context, header);
    while (outer && (outer->loop == loop || !cw_cfg_in_loop(makers->fn->cfg, outer->loop, header)))
        outer = outer->outer;
    if (cw_context_missing(makers->l, outer, header) != loop)
        return false;
    const int32_t *trips = cw_lanes_trips(makers->l, loop, outer);
    bool alike = trips[threads[0]] > 0;
    for (uint32_t k = 1; k < n; k++)
        alike &= trips[threads[k]] == trips[threads[0]];
    return alike;
}

/* What decides which of its operands the phi is, and after how many iterations. */
static void add_deciders(struct cw_value_makers *makers, uint32_t block) {
    const struct cw_fn *fn = makers->fn;
    uint32_t loop = fn->cfg->loop_of[block], above = fn->cfg->idom[block];
    if (above != CW_NO_BLOCK)
        add_decider(makers, above);
    for (uint32_t k = 0; k < fn->blocks.at[block].pred.n; k++)
        add_decider(makers, fn->blocks.at[block].pred.at[k]);
    for (uint32_t x = 0; loop != CW_NO_LOOP && x < fn->cfg->loops.at[loop].exits.n && !ends_alike(makers, loop); x++)
        add_decider(makers, fn->cfg->loops.at[loop].exits.at[x].block);
}

/* Does one of the threads come to the block, in some iteration of the loops that the context leaves open? */
static bool does_come(struct cw_value_makers *makers, uint32_t block, const struct cw_context *context) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(makers->l, block, context);
    uint32_t threads[64], n = threads_of(makers, threads);
    for (uint32_t k = 0; k < n; k++)
        if (cw_bdd_and(cw_lanes_bdds(makers->l), cw_lane_cond_at(reach, threads[k]), makers->given) != CW_BDD_FALSE)
            return true;
    return false;
}

/* Do the threads come to the join over its k-th predecessor? */
static enum way way_into(struct cw_value_makers *makers, uint32_t block, uint32_t k) {
    uint32_t pred = makers->fn->blocks.at[block].pred.at[k];
    const struct cw_context *here = cw_context_at(makers->l, makers->context, block),
                            *there = cw_context_at(makers->l, makers->context, pred);
    if (cw_context_missing(makers->l, here, block) != CW_NO_LOOP ||
        cw_context_missing(makers->l, there, pred) != CW_NO_LOOP)
        return does_come(makers, pred, there) ? SOME_WAY : NO_WAY;
    const struct cw_lane_cond *way = cw_lane_cond_takes(makers->l, cw_cfg_incoming(makers->fn, block, k), there),
                              *join = cw_lane_cond_reach(makers->l, block, here);
    uint32_t threads[64], n = threads_of(makers, threads);
    enum way found = way_of_thread(makers->l, way, join, threads[0], makers->given);
    for (uint32_t i = 1; i < n; i++)
        if (way_of_thread(makers->l, way, join, threads[i], makers->given) != found)
            return SOME_WAY;
    return found;
}

/* Do all ways by which the threads may come bring one value, past the joins before? Then what decides between them
 * does not matter. */
static bool bring_one_value(struct cw_value_makers *makers, const struct cw_ins *phi, struct placed *value) {
    uint32_t threads[64], n = threads_of(makers, threads);
    bool is_first = true;
    for (uint32_t k = 0; k < phi->narg; k++) {
        if (way_into(makers, phi->block, k) == NO_WAY)
            continue;
        for (uint32_t i = 0; i < n; i++) {
            struct placed one =
                pass_phis(makers->l, place_at(makers->l, cw_arg(makers->fn, phi, k), makers->context), threads[i],
                          makers->given);
            if (!is_first && (!cw_ref_eq(one.ref, value->ref) || one.context != value->context))
                return false;
            *value = one;
            is_first = false;
        }
    }
    return !is_first && !value->is_open;
}

static void add_join(struct cw_value_makers *makers, const struct cw_ins *phi) {
    bool is_decided = false;
    struct placed value;
    makers->is_doubtful |= makers->is_far;
    if (bring_one_value(makers, phi, &value)) {
        makers->context = value.context;
        add_maker(makers, value.ref);
        return;
    }
    for (uint32_t k = 0; k < phi->narg && !is_decided; k++)
        if ((is_decided = way_into(makers, phi->block, k) == ONLY_WAY))
            add_maker(makers, cw_arg(makers->fn, phi, k));
    for (uint32_t k = 0; k < phi->narg && !is_decided; k++)
        if (way_into(makers, phi->block, k) != NO_WAY)
            add_maker(makers, cw_arg(makers->fn, phi, k));
    if (!is_decided)
        add_deciders(makers, phi->block);
}

/* Behind a loop that all the threads run equally often, a few times, the value is that of the last iteration. */
static const struct cw_context *last_iteration(struct cw_value_makers *makers, uint32_t header) {
    const struct cw_context *here = cw_context_at(makers->l, makers->context, header);
    uint32_t loop = makers->fn->cfg->loop_of[header], threads[64], n = threads_of(makers, threads);
    if (cw_context_missing(makers->l, here, header) != loop)
        return here;
    const int32_t *trips = cw_lanes_trips(makers->l, loop, here);
    for (uint32_t k = 0; k < n; k++)
        if (trips[threads[k]] != trips[threads[0]])
            return here;
    bool are_few = trips[threads[0]] > 0 && trips[threads[0]] <= ITERATIONS_MAX;
    return are_few ? cw_lanes_context(makers->l, here, loop, (uint32_t)trips[threads[0]] - 1) : here;
}

/* In the first iteration it is what was there before the loop. In one of the next it is what the iteration before has
 * left; behind those, what some iteration has left, in which what is known of this one does not hold. */
static void add_recurrence(struct cw_value_makers *makers, const struct cw_ins *phi) {
    const struct cw_fn *fn = makers->fn;
    uint32_t loop = fn->cfg->loop_of[phi->block];
    const struct cw_context *here = last_iteration(makers, phi->block);
    bool is_placed = cw_context_missing(makers->l, here, phi->block) == CW_NO_LOOP;
    bool is_first = is_placed && here && here->iteration == 0;
    uint32_t way = is_placed && !is_first ? way_into_iteration(fn, phi, here->iteration) : phi->narg;
    if (way < phi->narg && here->iteration <= ITERATIONS_MAX) {
        makers->context = cw_lanes_context(makers->l, here->outer, loop, here->iteration - 1);
        add_maker(makers, cw_arg(fn, phi, way));
        return;
    }
    if (is_placed && !is_first) {
        makers->context = here->outer;
        makers->is_far = true;
    }
    for (uint32_t k = 0; k < phi->narg; k++)
        if (!is_first || !cw_cfg_in_loop(fn->cfg, loop, fn->blocks.at[phi->block].pred.at[k]))
            add_maker(makers, cw_arg(fn, phi, k));
    makers->is_doubtful |= makers->is_far;
    if (!is_first)
        add_deciders(makers, phi->block);
}

/* ---- what collectives take from other lanes ---- */

/* The operand of a shuffle as a number; false when it is none for the thread, or another one in each iteration. */
static bool operand_number(struct cw_value_makers *makers, cw_ref ref, uint32_t t, uint32_t *number) {
    const struct cw_ins *i = cw_ins_of(makers->fn, ref);
    const struct cw_context *context = i ? cw_context_at(makers->l, makers->context, i->block) : NULL;
    if (i && cw_context_missing(makers->l, context, i->block) != CW_NO_LOOP)
        return false;
    struct cw_cell cell = cw_lane_value_cell(cw_lane_value_of(makers->l, ref, context), t);
    *number = (uint32_t)cell.value;
    return cw_cell_numeric(cell);
}

static uint32_t lanes_of_warp(const struct cw_value_makers *makers, uint32_t thread) {
    uint32_t n = cw_lanes_count(makers->l) - (thread & ~31u);
    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

/* The lanes of the thread's warp that these lanes get their results from. */
static uint32_t sources_of(struct cw_value_makers *makers, const struct cw_ins *ins, uint32_t thread, uint32_t lanes) {
    uint32_t all = lanes_of_warp(makers, thread), sources = 0;
    if (ins->op != CW_OP_SHFL || ins->narg < 4)
        return all;
    for (; lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), t = (thread & ~31u) + lane, by, width;
        if (!operand_number(makers, cw_arg(makers->fn, ins, 2), t, &by) ||
            !operand_number(makers, cw_arg(makers->fn, ins, 3), t, &width) || !width || width > 32 ||
            (width & (width - 1)))
            return all;
        sources |= 1u << cw_shuffle_lane((enum cw_shfl)ins->aux, lane, by & 31, width);
    }
    return sources & ~all ? all : sources;
}

/* All lanes of a warp get one answer, and those of two warps where each lane asks what the same one of the other asks.
 */
static bool gives_one_answer(const struct cw_ins *ins) {
    return ins->op == CW_OP_VOTE || ins->op == CW_OP_REDUX;
}

static void add_operands(struct cw_value_makers *makers, const struct cw_ins *ins) {
    bool collective = cw_op_flags((enum cw_op)ins->op) & CW_OP_C;
    uint32_t t = makers->lanes[0], u = makers->lanes[1];
    if (gives_one_answer(ins) && !makers->paired && makers->t / 32 == makers->u / 32)
        return;
    makers->paired |= gives_one_answer(ins);
    if (collective) {
        t = sources_of(makers, ins, makers->t, t);
        u = sources_of(makers, ins, makers->u, u);
    }
    makers->differs |= makers->paired && t != u && !makers->is_doubtful;
    makers->lanes[0] = t;
    makers->lanes[1] = u;
    for (uint32_t k = 0; k < ins->narg; k++)
        add_maker(makers, cw_arg(makers->fn, ins, k));
}

/* A load of one place for all is one value; else what makes the place differ counts. At places of a private array that
 * differ, what comes out is known where the store is found, or not at all. */
static void add_place(struct cw_value_makers *makers, uint32_t load) {
    cw_ref pointer = cw_arg(makers->fn, &makers->fn->ins.at[load], 0);
    const struct cw_context *context = cw_context_at(makers->l, makers->context, makers->fn->ins.at[load].block);
    if (cw_uni_of(cw_lanes_uniformity(makers->l), pointer) <= CW_UNI_BLOCK || is_same_for(makers, pointer))
        return;
    if (!is_private(makers->fn, pointer))
        add_maker(makers, pointer);
    else if (cw_context_missing(makers->l, context, makers->fn->ins.at[load].block) == CW_NO_LOOP)
        makers->differs |= cw_lanes_finds_stored(makers->l, load, context) && !makers->is_doubtful;
}

static void follow(struct cw_value_makers *makers, struct maker maker) {
    const struct cw_fn *fn = makers->fn;
    const struct cw_ins *i = &fn->ins.at[maker.ins];
    if (i->op == CW_OP_LOAD)
        add_place(makers, maker.ins);
    else if (is_header_phi(fn, i))
        add_recurrence(makers, i);
    else if (i->op == CW_OP_PHI)
        add_join(makers, i);
    else if (cw_op_flags((enum cw_op)i->op) & (CW_OP_P | CW_OP_C))
        add_operands(makers, i);
    else
        makers->differs |= !makers->is_doubtful;
}

static bool differs_from(struct cw_value_makers *makers, cw_ref value, const struct cw_context *context, bool paired) {
    makers->queue.n = 0;
    makers->context = context;
    makers->paired = paired;
    makers->lanes[0] = 1u << makers->t % 32;
    makers->lanes[1] = 1u << makers->u % 32;
    makers->differs = makers->is_far = makers->is_doubtful = false;
    add_maker(makers, value);
    for (uint32_t at = 0; at < makers->queue.n && !makers->differs; at++) {
        if (at >= WALK_MAX)
            return false; /* unknown */
        struct maker maker = makers->queue.at[at]; /* following adds others, which may move them */
        makers->context = maker.context;
        makers->lanes[0] = maker.lanes[0];
        makers->lanes[1] = maker.lanes[1];
        makers->paired = maker.paired;
        makers->is_far = maker.is_far;
        makers->is_doubtful = maker.is_doubtful;
        follow(makers, maker);
    }
    return makers->differs;
}

bool cw_may_differ(struct cw_value_makers *makers, cw_ref value, const struct cw_context *context, uint32_t t,
                   uint32_t u, uint32_t given) {
    makers->given = given;
    makers->t = t;
    makers->u = u;
    bool same_lane = t % 32 == u % 32 && t != u;
    return differs_from(makers, value, context, false) && !(same_lane && !differs_from(makers, value, context, true));
}
