/* Do two threads get to their accesses for one input, and what of it does input decide?
 *
 * Each access happens under a formula of the evaluator (lanes/condition.h), both under the conjunction of the two.
 * Where neither implies the other, an invariant of the data may forbid that both happen: the conflict is open. Not so
 * where each thread is led by plain data of its own, which the witness chooses (data_conditions.h). Where an
 * election is meant there is no conflict. Of places that data choose it is asked as well what decides the branches that
 * lead each thread there.
 *
 * requires: a walk. computes: formulas, and what they say of a pair of accesses. preserves: everything. */
#include "races/shadow_internal.h"

#include "lanes/condition.h"
#include "races/data_conditions.h"
#include "races/data_places.h"

uint32_t cw_shadow_reach(struct shadow *shadow, uint32_t step, uint32_t t) {
    uint32_t f = cw_lane_cond_at(
        cw_lane_cond_reach(shadow->l, cw_shadow_ins(shadow, step)->block, cw_shadow_step(shadow, step)->context), t);
    return cw_bdd_and(cw_lanes_bdds(shadow->l), f, shadow->assume);
}

bool cw_shadow_does_imply(struct shadow *shadow, uint32_t f, uint32_t g) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t rest = cw_bdd_and(bdds, f, cw_bdd_not(g));
    return rest == CW_BDD_FALSE || (rest == CW_BDD_POISON && cw_bdd_overlap(bdds, f, cw_bdd_not(g)) == CW_OVERLAP_NONE);
}

/* The formula of both, and what is known of it. Where that has no room, it is POISON, or FALSE when it holds for no
 * input; input may lead both there when it may lead each. Of racy reads nothing is said then. */
static uint32_t conjunction(struct shadow *shadow, uint32_t f, uint32_t g, uint8_t *known) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t both = cw_bdd_and(bdds, f, g);
    *known = cw_bdd_known(bdds, both);
    if (both != CW_BDD_POISON || cw_bdd_known(bdds, f) > CW_FREE || cw_bdd_known(bdds, g) > CW_FREE)
        return both;
    enum cw_overlap overlap = cw_bdd_overlap(bdds, f, g);
    *known = overlap == CW_OVERLAP_UNDECIDED ? CW_OPAQUE : CW_FREE;
    return overlap == CW_OVERLAP_NONE ? CW_BDD_FALSE : both;
}

/* Does the instruction write an element for each of the two threads, and not one place for whoever gets there? */
static bool writes_own(struct shadow *shadow, uint32_t step, uint32_t t, uint32_t u) {
    return cw_shadow_offset(shadow, step, t) != cw_shadow_offset(shadow, step, u);
}

/* Each of the two gets there as its own data say. Where these are flags, signs and thresholds, input that lets both get
 * there is a choice of the witness (data_conditions.h). */
static bool input_chooses_both(struct shadow *shadow, const struct record *record, bool first_writes, uint32_t t,
                               const struct touch *now, uint32_t both) {
    const struct cw_ins *i = cw_shadow_ins(shadow, record->step);
    cw_ref root = shadow->memory.at[now->memory].root;
    bool are_scalar = (i->op == CW_OP_LOAD || i->op == CW_OP_STORE) &&
                      (now->ins->op == CW_OP_LOAD || now->ins->op == CW_OP_STORE);
    return are_scalar && !now->wide && cw_shadow_is_shared(shadow->fn, root) &&
           cw_bdd_known(cw_lanes_bdds(shadow->l), both) <= CW_FREE &&
           (!first_writes || writes_own(shadow, record->step, t, now->thread)) &&
           (!now->writes || writes_own(shadow, now->step, now->thread, t)) &&
           cw_has_plain_conditions(shadow->l, i->block, cw_shadow_step(shadow, record->step)->context, t,
                                   cw_shadow_reach(shadow, now->step, now->thread)) &&
           cw_has_plain_conditions(shadow->l, now->ins->block, cw_shadow_step(shadow, now->step)->context, now->thread,
                                   cw_shadow_reach(shadow, record->step, t));
}

/* Does input decide how often the loop around the context runs? */
static bool is_open_loop(struct shadow *shadow, const struct cw_context *context) {
    uint64_t key = cw_mix((uint64_t)(uintptr_t)context->outer, context->loop), found;
    if (!cw_map_get(&shadow->open_loops, key, &found)) {
        found = cw_lanes_most_trips(shadow->l, context->loop, context->outer) < 0;
        cw_map_put(&shadow->open_loops, key, found);
    }
    return found;
}

/* Of a loop whose iterations input counts, a few are laid out, and what stands behind the loop comes after the last of
 * them. For a thread that surely runs more of them, it does not, and barriers of the others lie between: a loop that
 * input may leave by a `return`, but else runs to its end. */
static bool may_leave_by_then(struct shadow *shadow, uint32_t first_step, const struct touch *now, uint32_t both) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    uint32_t block = now->ins->block;
    for (const struct cw_context *c = cw_shadow_step(shadow, first_step)->context; c && both != CW_BDD_FALSE;
         c = c->outer) {
        if (!cw_bitset_has(&shadow->t->roles->sync_loops, c->loop) || cw_cfg_in_loop(shadow->fn->cfg, c->loop, block) ||
            !is_open_loop(shadow, c))
            continue;
        /* The header runs once more than what it guards. */
        const struct cw_context *next = cw_lanes_context(shadow->l, c->outer, c->loop, shadow->t->open_trips + 1);
        uint32_t header = shadow->fn->cfg->loops.at[c->loop].header;
        uint32_t stays = cw_lane_cond_at(cw_lane_cond_reach(shadow->l, header, next), now->thread);
        both = cw_bdd_and(bdds, both, cw_bdd_not(stays));
    }
    return both != CW_BDD_FALSE;
}

/* The same iterations, for another evaluator. */
static const struct cw_context *context_in(struct cw_lanes *lanes, const struct cw_context *context) {
    if (!context)
        return NULL;
    return cw_lanes_context(lanes, context_in(lanes, context->outer), context->loop, context->iteration);
}

/* The formula of the snapshot under which the thread gets there. */
static uint32_t snapshot_reach(struct shadow *shadow, uint32_t step, uint32_t t) {
    struct cw_lanes *snapshot = cw_lanes_snapshot(shadow->l);
    const struct cw_context *context = context_in(snapshot, cw_shadow_step(shadow, step)->context);
    return cw_lane_cond_at(cw_lane_cond_reach(snapshot, cw_shadow_ins(shadow, step)->block, context), t);
}

/* One of the two gets there as racy reads say. Does it, where these find what earlier reads have found, while the other
 * gets there too? `if (stop) return; __syncthreads(); if (stop) …` is for nobody as long as nobody sets `stop`. */
static bool agrees_with_snapshot(struct shadow *shadow, uint32_t first_step, uint32_t t, uint32_t f,
                                 uint32_t second_step, uint32_t u, uint32_t g) {
    struct cw_bdds *bdds = cw_lanes_bdds(shadow->l), *others = cw_lanes_bdds(cw_lanes_snapshot(shadow->l));
    uint32_t x = snapshot_reach(shadow, first_step, t), y = snapshot_reach(shadow, second_step, u);
    if (cw_bdd_known(bdds, f) == CW_RACY && cw_bdd_known(bdds, g) == CW_RACY) /* only one of them is first */
        return x != CW_BDD_FALSE && y != CW_BDD_FALSE;
    return cw_bdd_and(others, x, y) != CW_BDD_FALSE;
}

/* Where a racy read decides for one of them, that one runs first: nothing has been written since the last ordered
 * phase, and what it finds is up to the input. The other comes there in any case. */
bool cw_shadow_may_both_happen(struct shadow *shadow, const struct record *record, bool first_writes, uint32_t t,
                               const struct touch *now, bool *open, bool *is_unknown) {
    uint32_t f = cw_shadow_reach(shadow, record->step, t), g = cw_shadow_reach(shadow, now->step, now->thread);
    uint8_t known;
    uint32_t both = conjunction(shadow, f, g, &known);
    *is_unknown = both != CW_BDD_FALSE && known == CW_OPAQUE;
    shadow->out->unknown |= known == CW_OPAQUE;
    /* Where one access happens whenever the other does, input that lets the other happen is a witness for both. */
    *open = both != CW_BDD_TRUE && both != CW_BDD_FALSE && known != CW_OPAQUE && !cw_shadow_does_imply(shadow, f, g) &&
            !cw_shadow_does_imply(shadow, g, f) && !input_chooses_both(shadow, record, first_writes, t, now, both);
    *open |= known == CW_RACY && !*open && !agrees_with_snapshot(shadow, record->step, t, f, now->step, now->thread, g);
    return both != CW_BDD_FALSE && known != CW_OPAQUE && may_leave_by_then(shadow, record->step, now, both);
}

/* Is what the thread stores its own number, or a datum that it has loaded? */
static bool stores_index_or_datum(struct shadow *shadow, const struct cw_step *step, uint32_t t) {
    cw_ref stored = cw_arg(shadow->fn, &shadow->fn->ins.at[step->ins], 0);
    const struct cw_lane_value *value = cw_lane_value_of(shadow->l, stored, step->context);
    const struct cw_ins *from = cw_ins_of(shadow->fn, stored);
    while (from && (from->op == CW_OP_ZEXT || from->op == CW_OP_SEXT || from->op == CW_OP_TRUNC))
        from = cw_ins_of(shadow->fn, cw_arg(shadow->fn, from, 0));
    return !value->base && (cw_cell_numeric(cw_lane_value_cell(value, t)) || (from && from->op == CW_OP_LOAD));
}

/* `if (in[t] == wanted) found = t`: threads that their own data lead there store what they have found, in one
 * statement. That one of several may win is meant. Not where they have looked at what others store. */
bool cw_shadow_is_election(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now) {
    const struct cw_step *then = cw_shadow_step(shadow, record->step), *step = cw_shadow_step(shadow, now->step);
    const struct cw_bdds *bdds = cw_lanes_bdds(shadow->l);
    return then->ins == step->ins && now->ins->op == CW_OP_STORE &&
           cw_bdd_known(bdds, cw_shadow_reach(shadow, record->step, t)) <= CW_FREE &&
           cw_bdd_known(bdds, cw_shadow_reach(shadow, now->step, now->thread)) <= CW_FREE &&
           stores_index_or_datum(shadow, then, t) && stores_index_or_datum(shadow, step, now->thread);
}

struct way {
    struct shadow *s;
    const struct cw_context *context;
    uint32_t thread;
    enum cw_uni like;
    bool is_alike;
};

static bool see_branch(void *way, struct cw_edge edge) {
    struct way *w = way;
    const struct cw_context *c = cw_context_at(w->s->l, w->context, edge.block);
    uint32_t taken = cw_lane_cond_at(cw_lane_cond_takes(w->s->l, edge, c), w->thread);
    cw_ref decides = w->s->fn->blocks.at[edge.block].jump.value;
    w->is_alike = cw_bdd_terminal(taken) ||
                  cw_is_made_of_data(cw_lanes_uniformity(w->s->l), decides, CW_UNI_BLOCK, w->s->a) ||
                  cw_is_bounded_by_data(cw_lanes_uniformity(w->s->l), decides, w->like, w->s->a);
    return w->is_alike;
}

bool cw_shadow_is_reached_alike(struct shadow *shadow, uint32_t step, uint32_t t, enum cw_uni like) {
    struct way w = {.s = shadow, .context = cw_shadow_step(shadow, step)->context, .thread = t, .like = like,
                    .is_alike = true};
    if (cw_shadow_reach(shadow, step, t) != CW_BDD_TRUE)
        cw_cfg_controls(shadow->fn, cw_shadow_ins(shadow, step)->block, see_branch, &w);
    return w.is_alike;
}

struct other_way {
    struct shadow *s;
    const struct cw_context *context;
    uint32_t thread;
    cw_ref place;
    bool shares;
};

static bool see_other_branch(void *way, struct cw_edge edge) {
    struct other_way *w = way;
    const struct cw_context *c = cw_context_at(w->s->l, w->context, edge.block);
    w->shares = !cw_bdd_terminal(cw_lane_cond_at(cw_lane_cond_takes(w->s->l, edge, c), w->thread)) &&
                cw_share_data(w->s->fn, w->s->fn->blocks.at[edge.block].jump.value, w->place, w->s->a);
    return !w->shares;
}

/* `in[0]` guards the store, and `s[in[threadIdx.x]]` is where thread 0 reads: they may be one datum, which cannot be
 * all that is needed. */
bool cw_shadow_is_other_led_by(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref place) {
    struct other_way w = {shadow, cw_shadow_step(shadow, step)->context, t, place, false};
    if (cw_shadow_reach(shadow, step, t) != CW_BDD_TRUE)
        cw_cfg_controls(shadow->fn, cw_shadow_ins(shadow, step)->block, see_other_branch, &w);
    return w.shares;
}
