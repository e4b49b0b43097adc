/* From conflicts to causes: which conflicts one barrier would order, and what a race of that cause is.
 *
 * A conflict is an interval of the timeline; a barrier inside it orders the two accesses. The fewest barriers that
 * order all conflicts are found by stabbing intervals, earliest end first (the greedy optimum for interval graphs);
 * each stabbing point is a cause. Points of one kind with no synchronisation between are one cause again: an unrolled
 * tail lacks six barriers and one idea.
 *
 * requires: candidates of a search. computes: races. preserves: the candidates. */
#include "races/races_internal.h"

#include "cuda/models.h"
#include "lanes/condition.h"

#include <stdlib.h>

enum { ANCESTORS_MAX = 64 };

/* ---- what stands between the two ---- */

static bool may_come(const struct cw_event_trace *trace, const struct cw_step *step, uint32_t thread) {
    if (step->kind == CW_STEP_GAP || step->kind == CW_STEP_BRANCH)
        return false;
    return cw_lane_cond_at(cw_lane_cond_reach(trace->lanes, trace->roles->fn->ins.at[step->ins].block, step->context),
                           thread) != CW_BDD_FALSE;
}

/* The first step in (from, to) of that kind to which one of the threads comes, or UINT32_MAX. */
static uint32_t step_between(const struct cw_race_candidate *candidate, enum cw_step_kind kind, uint32_t from,
                             uint32_t to) {
    const struct cw_event_trace *t = candidate->run->timeline;
    for (uint32_t k = from + 1; k < to && k < t->steps.n; k++)
        if (t->steps.at[k].kind == kind && (may_come(t, &t->steps.at[k], candidate->meeting->first_thread) ||
                                            may_come(t, &t->steps.at[k], candidate->meeting->second_thread)))
            return k;
    return UINT32_MAX;
}

static uint32_t op_at(const struct cw_event_trace *trace, uint32_t step) {
    return step == UINT32_MAX || trace->steps.at[step].ins == UINT32_MAX
               ? CW_OP_HOLE
               : trace->roles->fn->ins.at[trace->steps.at[step].ins].op;
}

/* The synchronisation of the warp nearest to the conflict: between, right behind or right before it. Instruction or
 * UINT32_MAX. */
static uint32_t near_syncwarp(const struct cw_race_candidate *candidate) {
    const struct cw_event_trace *t = candidate->run->timeline;
    const struct cw_conflict *m = candidate->meeting;
    uint32_t step = step_between(candidate, CW_STEP_SYNC, m->first_step, m->second_step);
    if (op_at(t, step) == CW_OP_SYNCWARP)
        return t->steps.at[step].ins;
    step = step_between(candidate, CW_STEP_SYNC, m->second_step, t->steps.n);
    if (op_at(t, step) == CW_OP_SYNCWARP)
        return t->steps.at[step].ins;
    for (uint32_t k = m->first_step; k-- > 0;)
        if (t->steps.at[k].kind == CW_STEP_GAP ||
            (t->steps.at[k].kind == CW_STEP_SYNC && may_come(t, &t->steps.at[k], m->first_thread)))
            return op_at(t, k) == CW_OP_SYNCWARP ? t->steps.at[k].ins : UINT32_MAX;
    return UINT32_MAX;
}

static uint32_t syncwarp_between(const struct cw_race_candidate *candidate) {
    const struct cw_event_trace *t = candidate->run->timeline;
    uint32_t step =
        step_between(candidate, CW_STEP_SYNC, candidate->meeting->first_step, candidate->meeting->second_step);
    return op_at(t, step) == CW_OP_SYNCWARP ? t->steps.at[step].ins : UINT32_MAX;
}

/* ---- properties ---- */

/* Is the value made from the result of `from`? Looks at so many values, each once. */
static bool depends_on(const struct cw_fn *fn, cw_ref ref, uint32_t from) {
    cw_ref at[ANCESTORS_MAX] = {ref};
    uint32_t n = ref.tag == CW_REF_INS;
    for (uint32_t next = 0; next < n; next++) {
        const struct cw_ins *i = cw_ins_of(fn, at[next]);
        if (at[next].index == from)
            return true;
        for (uint32_t k = 0; (cw_op_flags(i->op) & CW_OP_P) && k < i->narg; k++) {
            cw_ref a = cw_arg(fn, i, k);
            uint32_t seen = 0;
            while (seen < n && !cw_ref_eq(at[seen], a))
                seen++;
            if (a.tag == CW_REF_INS && seen == n && n < ANCESTORS_MAX)
                at[n++] = a;
        }
    }
    return false;
}

static bool is_update(const struct cw_fn *fn, const struct cw_conflict *conflict) {
    const struct cw_ins *i = &fn->ins.at[conflict->second];
    return i->op == CW_OP_STORE && depends_on(fn, cw_arg(fn, i, 0), conflict->first);
}

/* Does the second belong to a later iteration of a loop around both? */
static bool is_later_iteration(const struct cw_context *context, const struct cw_context *other) {
    for (; context; context = context->outer)
        for (const struct cw_context *c = other; c; c = c->outer)
            if (c->loop == context->loop && c->iteration != context->iteration)
                return true;
    return false;
}

/* New data over old: the write has nothing to do with the read before it, or belongs to a later iteration or call. */
static bool is_reuse(const struct cw_race_candidate *candidate, const struct cw_fn *fn) {
    const struct cw_conflict *m = candidate->meeting;
    const struct cw_event_trace *t = candidate->run->timeline;
    if (!m->second_writes || m->first == m->second)
        return false;
    bool again = is_later_iteration(t->steps.at[m->first_step].context, t->steps.at[m->second_step].context) ||
                 fn->locs.at[fn->ins.at[m->first].loc].site != fn->locs.at[fn->ins.at[m->second].loc].site;
    return m->first_writes ? again : again || !is_update(fn, m);
}

static uint32_t count_writers(const struct cw_race_candidate *candidate) {
    const struct cw_event_trace *t = candidate->run->timeline;
    const struct cw_conflict *m = candidate->meeting;
    uint32_t n = 0, first = m->first_thread & ~31u;
    for (uint32_t u = first; u < first + 32 && u < cw_lanes_count(t->lanes); u++)
        n += may_come(t, &t->steps.at[m->first_step], u);
    return n;
}

static void add_warp_properties(const struct cw_race_candidate *candidate, struct cw_race_properties *is,
                                uint32_t *at) {
    const struct cw_conflict *m = candidate->meeting;
    uint32_t collective = step_between(candidate, CW_STEP_COLLECTIVE, m->first_step, m->second_step);
    is->crosses_collective = collective != UINT32_MAX;
    if (is->crosses_collective) {
        *at = candidate->run->timeline->steps.at[collective].ins;
        return;
    }
    is->published = m->first_writes && !m->second_writes && count_writers(candidate) == 1;
    if (is->published)
        return;
    *at = near_syncwarp(candidate);
    is->near_syncwarp = *at != UINT32_MAX;
}

/* A collective's access to its temporary storage; NULL: the instruction is none. */
static const struct cw_collective *collective_of(const struct cw_fn *fn, uint32_t ins) {
    return ins == UINT32_MAX ? NULL : cw_collective_at(fn->ins.at[ins].intrinsic);
}

struct cw_race_properties cw_race_properties_of(const struct cw_race_candidate *candidate, const struct cw_fn *fn,
                                                uint32_t *at) {
    bool unwaited = candidate->meeting->unwaited,
         in_product = unwaited && fn->ins.at[candidate->meeting->first].op == CW_OP_WGMMA;
    struct cw_race_properties is = {.asynchronous = unwaited && !in_product, .in_product = in_product};
    *at = UINT32_MAX;
    is.in_storage = !unwaited &&
                    (collective_of(fn, candidate->meeting->first) || collective_of(fn, candidate->meeting->second));
    if (unwaited || is.in_storage)
        return is;
    is.in_warp = candidate->meeting->same_warp;
    if (is.in_warp) {
        add_warp_properties(candidate, &is, at);
        return is;
    }
    *at = candidate->unused ? near_syncwarp(candidate) : syncwarp_between(candidate);
    is.crosses_syncwarp = *at != UINT32_MAX;
    is.reused = !is.crosses_syncwarp && is_reuse(candidate, fn);
    return is;
}

bool cw_race_properties_equal(const struct cw_race_properties *properties, const struct cw_race_properties *other) {
    return properties->unwritten == other->unwritten && properties->asynchronous == other->asynchronous &&
           properties->in_product == other->in_product &&
           properties->in_storage == other->in_storage && properties->in_warp == other->in_warp &&
           properties->crosses_collective == other->crosses_collective && properties->published == other->published &&
           properties->near_syncwarp == other->near_syncwarp &&
           properties->crosses_syncwarp == other->crosses_syncwarp && properties->reused == other->reused;
}

/* ---- causes ---- */

struct cause {
    CW_VEC(const struct cw_race_candidate *) list;
    const struct cw_race_candidate *told;
    struct cw_race_properties is;
    uint32_t between, stab; /* step right before which a barrier would stand */
};

struct causes {
    struct cw_race_search *r;
    CW_VEC(struct cause) at;
};

static int by_end(const void *a, const void *b) {
    const struct cw_conflict *x = (*(const struct cw_race_candidate *const *)a)->meeting;
    const struct cw_conflict *y = (*(const struct cw_race_candidate *const *)b)->meeting;
    if (x->second_step != y->second_step)
        return x->second_step < y->second_step ? -1 : 1;
    if (x->first_step != y->first_step)
        return x->first_step > y->first_step ? -1 : 1;
    return x->same_warp - y->same_warp;
}

/* One pair of threads in different warps makes it a matter of the block; a read tells more than a write. */
static bool tells_more(const struct cw_race_candidate *candidate, const struct cw_race_candidate *other) {
    if (candidate->definite != other->definite)
        return candidate->definite;
    if (candidate->meeting->unwaited != other->meeting->unwaited)
        return candidate->meeting->unwaited;
    return !candidate->meeting->same_warp && other->meeting->same_warp;
}

static void choose_told(struct cause *cause, const struct cw_fn *fn) {
    cause->told = cause->list.at[0];
    for (uint32_t k = 1; k < cause->list.n; k++)
        if (tells_more(cause->list.at[k], cause->told))
            cause->told = cause->list.at[k];
    cause->is = cw_race_properties_of(cause->told, fn, &cause->between);
}

/* Would a barrier right before the cause's instruction, in whatever iteration, stand between the two? */
static bool is_ordered_at(const struct cw_event_trace *trace, uint32_t stab, const struct cw_conflict *conflict) {
    for (uint32_t k = conflict->first_step + 1; k <= conflict->second_step; k++)
        if (k == stab ||
            (trace->steps.at[k].kind == CW_STEP_ACCESS && trace->steps.at[k].ins == trace->steps.at[stab].ins))
            return true;
    return false;
}

/* The block above both sides of a conflict, at which a barrier between them could stand outside of their branches: the
 * header of the loop in whose iterations they differ, else their nearest common dominator. */
static uint32_t block_above(const struct cw_event_trace *trace, const struct cw_conflict *conflict) {
    const struct cw_fn *fn = trace->roles->fn;
    uint32_t first = fn->ins.at[conflict->first].block, at = fn->ins.at[conflict->second].block, header = CW_NO_BLOCK;
    for (const struct cw_context *a = trace->steps.at[conflict->first_step].context; a; a = a->outer)
        for (const struct cw_context *b = trace->steps.at[conflict->second_step].context; b; b = b->outer)
            if (a->loop == b->loop && a->iteration != b->iteration)
                header = fn->cfg->loops.at[a->loop].header;
    while (header == CW_NO_BLOCK && at != CW_NO_BLOCK && !cw_cfg_dominates(fn->cfg, at, first))
        at = fn->cfg->idom[at];
    return header != CW_NO_BLOCK ? header : at != CW_NO_BLOCK ? at : 0;
}

/* Inside a warp's own section no barrier of the block can stand: do the threads of `conflict` come to where one of
 * `within`, a conflict in one warp, would? */
static bool can_meet(const struct cw_event_trace *trace, const struct cw_conflict *within,
                     const struct cw_conflict *conflict) {
    uint32_t block = block_above(trace, within);
    const struct cw_context *c = cw_context_at(trace->lanes, trace->steps.at[within->first_step].context, block);
    const struct cw_lane_cond *reach = cw_lane_cond_reach(trace->lanes, block, c);
    return cw_lane_cond_at(reach, conflict->first_thread) != CW_BDD_FALSE &&
           cw_lane_cond_at(reach, conflict->second_thread) != CW_BDD_FALSE;
}

/* Stabs the sorted conflicts of one run. */
static void stab_conflicts(struct causes *all, const struct cw_race_candidate **list, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        if (list[k] == NULL)
            continue;
        const struct cw_event_trace *t = list[k]->run->timeline;
        struct cause c = {.stab = list[k]->meeting->second_step};
        bool alone = list[k]->meeting->first_step == c.stab; /* no barrier helps against itself */
        cw_vec_push(all->r->q->arena, &c.list, list[k]);
        for (uint32_t j = k + 1; j < n; j++) {
            const struct cw_conflict *m = list[j] ? list[j]->meeting : NULL;
            if (!m || !(alone ? m->first_step == c.stab && m->second_step == c.stab : is_ordered_at(t, c.stab, m)))
                continue;
            if (list[k]->meeting->same_warp && !m->same_warp && m->second_step != c.stab &&
                !can_meet(t, list[k]->meeting, m))
                continue;
            cw_vec_push(all->r->q->arena, &c.list, list[j]);
            list[j] = NULL;
        }
        choose_told(&c, all->r->q->fn);
        cw_vec_push(all->r->q->arena, &all->at, c);
    }
}

/* Steps that each end with a barrier of the warp in the wrong place are one idea, too. */
static bool nothing_orders(const struct cw_event_trace *trace, const struct cw_race_properties *is, uint32_t from,
                           uint32_t to) {
    for (uint32_t k = from; k < to; k++) {
        bool warp = is->near_syncwarp && op_at(trace, k) == CW_OP_SYNCWARP;
        if ((trace->steps.at[k].kind == CW_STEP_SYNC && !warp) || trace->steps.at[k].kind == CW_STEP_GAP)
            return false;
    }
    return true;
}

static bool shares_instruction(const struct cause *cause, const struct cause *other) {
    for (uint32_t j = 0; j < cause->list.n; j++)
        for (uint32_t k = 0; k < other->list.n; k++) {
            const struct cw_conflict *x = cause->list.at[j]->meeting, *y = other->list.at[k]->meeting;
            if (x->first == y->first || x->first == y->second || x->second == y->first || x->second == y->second)
                return true;
        }
    return false;
}

static bool same_root(const struct cause *cause, const struct cause *other) {
    const struct cw_conflict *x = cause->told->meeting, *y = other->told->meeting;
    return x->root.tag == y->root.tag && x->root.index == y->root.index;
}

/* `s[t] += s[t + k]` in one statement, and in the next one of the same function, with whatever barriers between. */
static bool both_update(const struct cw_fn *fn, const struct cause *cause, const struct cause *other) {
    const struct cw_conflict *x = cause->told->meeting, *y = other->told->meeting;
    return fn->locs.at[fn->ins.at[x->second].loc].site == fn->locs.at[fn->ins.at[y->second].loc].site &&
           is_update(fn, x) && is_update(fn, y);
}

/* An unrolled warp-synchronous tail is one idea, whatever arrays it works on. */
static bool same_idea(const struct cw_fn *fn, const struct cause *cause, const struct cause *other) {
    bool root = same_root(cause, other),
         warp = cause->is.in_warp && !cause->is.crosses_collective && !cause->is.published;
    if (!cw_race_properties_equal(&cause->is, &other->is) || cause->told->unused != other->told->unused ||
        (!root && !warp))
        return false;
    if (root && shares_instruction(cause, other))
        return true;
    if (cause->told->run != other->told->run)
        return false;
    return nothing_orders(cause->told->run->timeline, &cause->is, cause->stab, other->stab) ||
           (root && warp && both_update(fn, cause, other));
}

static void merge_causes(struct causes *all) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < all->at.n; k++) {
        struct cause *c = &all->at.at[k], *into = NULL;
        for (uint32_t j = 0; j < kept && !into; j++)
            into = same_idea(all->r->q->fn, &all->at.at[j], c) ? &all->at.at[j] : NULL;
        if (!into) {
            all->at.at[kept++] = *c;
            continue;
        }
        for (uint32_t j = 0; j < c->list.n; j++)
            cw_vec_push(all->r->q->arena, &into->list, c->list.at[j]);
        if (c->told->definite && !into->told->definite)
            into->told = c->told;
    }
    all->at.n = kept;
}

/* ---- races ---- */

static struct cw_race_side side_of(const struct cw_race_candidate *candidate, bool second) {
    const struct cw_conflict *m = candidate->meeting;
    uint32_t step = second ? m->second_step : m->first_step;
    return (struct cw_race_side){.ins = second ? m->second : m->first,
                                 .context = candidate->run->timeline->steps.at[step].context,
                                 .thread = second ? m->second_thread : m->first_thread,
                                 .writes = second ? m->second_writes : m->first_writes,
                                 .atomic = second ? m->second_atomic : m->first_atomic};
}

static bool rests_on_samples(const struct cw_race_candidate *candidate, const struct cw_race_side *side) {
    const struct cw_fn *fn = candidate->run->timeline->roles->fn;
    struct cw_access acc[2];
    if (cw_memory_accesses(fn, &fn->ins.at[side->ins], acc) == 0)
        return false;
    const struct cw_lane_value *places =
        cw_lanes_places(candidate->run->timeline->lanes, acc[0].pointer, side->context);
    return places && cw_lanes_place(places, side->thread).known != CW_EXACT;
}

/* The documentation of a block's collective asks for a barrier of the block, whatever its threads exchange. */
static bool is_of_block(const struct cw_fn *fn, const struct cw_race *race) {
    const struct cw_collective *a = collective_of(fn, race->first.ins), *b = collective_of(fn, race->second.ins);
    return (a && a->of->scope == CW_SCOPE_BLOCK) || (b && b->of->scope == CW_SCOPE_BLOCK);
}

static bool has_place(const struct cw_race_candidate *candidate, const struct cw_race_side *side) {
    struct cw_access acc[2];
    if (cw_memory_accesses(candidate->run->timeline->roles->fn,
                           &candidate->run->timeline->roles->fn->ins.at[side->ins], acc) == 0)
        return true;
    const struct cw_lane_value *places =
        cw_lanes_places(candidate->run->timeline->lanes, acc[0].pointer, side->context);
    return places && cw_lanes_place(places, side->thread).known <= CW_SAMPLED;
}

static enum cw_race_doubt doubt_of(const struct cw_race_search *race_search, const struct cw_race_candidate *candidate,
                                   const struct cw_race *race) {
    if (race->definite || race->call != UINT32_MAX)
        return CW_DOUBT_NONE;
    if (race->unused)
        return CW_DOUBT_USE;
    if (candidate->meeting->open)
        return has_place(candidate, &race->first) && has_place(candidate, &race->second) ? CW_DOUBT_INPUT
                                                                                         : CW_DOUBT_ELEMENT;
    return race->sampled || race_search->q->launches->from_facts ? CW_DOUBT_SIZES : CW_DOUBT_BLOCK;
}

static bool is_also(const struct cw_race *race, const struct cw_conflict *conflict) {
    for (uint32_t k = 0; k < race->also.n; k++)
        if (race->also.at[k].first == conflict->first && race->also.at[k].second == conflict->second)
            return true;
    return false;
}

/* What races instead where the sizes are others: a barrier has to stand before all of that, too. */
static void add_neighbours(const struct cw_race_search *race_search, const struct cause *cause, struct cw_race *race) {
    const struct cw_conflict *told = cause->told->meeting;
    const struct cw_fn *fn = race_search->q->fn;
    for (uint32_t r = 0; r < race_search->nruns; r++) {
        const struct cw_race_run *run = race_search->runs[r];
        bool is_asked = run && run->launch == race->launch && !cw_race_same_meeting(run->all, told);
        for (uint32_t k = 0; is_asked && k < run->all->meetings.n; k++) {
            const struct cw_conflict *other = &run->all->meetings.at[k];
            if (!cw_race_are_neighbours(fn, other, told) || is_also(race, other))
                continue;
            cw_vec_push(race_search->q->arena, &race->also, ((struct cw_race_pair){other->first, other->second}));
            if (cw_cfg_ins_dominates(fn, other->second, race->place))
                race->place = other->second;
        }
    }
}

static struct cw_race race_of(struct cw_race_search *race_search, const struct cause *cause) {
    const struct cw_conflict *m = cause->told->meeting;
    struct cw_race race = {.is = cause->is, .first = side_of(cause->told, false), .second = side_of(cause->told, true),
                           .base = m->root, .offset = m->offset, .bytes = m->bytes, .same_warp = true,
                           .definite = cause->told->definite, .unused = cause->told->unused, .between = cause->between,
                           .skipped = m->skipped, .chosen = m->chosen, .call = m->call,
                           .place = m->second, .lanes_first = m->first_lanes, .lanes_second = m->second_lanes,
                           .lanes = cause->told->run->timeline->lanes, .launch = cause->told->run->launch,
                           .sample = cause->told->run->sample};
    race.first_block = cause->told->run->sample == CW_RACE_FIRST_BLOCK;
    race.sampled = rests_on_samples(cause->told, &race.first) || rests_on_samples(cause->told, &race.second);
    for (uint32_t k = 0; k < cause->list.n; k++) {
        const struct cw_conflict *other = cause->list.at[k]->meeting;
        race.same_warp &= other->same_warp;
        if (other != m && cause->list.at[k]->definite == race.definite &&
            !(other->first == m->first && other->second == m->second))
            cw_vec_push(race_search->q->arena, &race.also, ((struct cw_race_pair){other->first, other->second}));
    }
    if (race.definite)
        add_neighbours(race_search, cause, &race);
    cw_race_find_remedy(race_search, (const struct cw_race_candidate *const *)cause->list.at, cause->list.n, &race);
    if (race.remedy == CW_REMEDY_WARP && is_of_block(race_search->q->fn, &race))
        race.remedy = CW_REMEDY_BLOCK;
    /* A value that reaches nothing does no harm. Leftovers of other warps are shown all the same, for information. */
    race.definite &= !race.unused || race.is.crosses_syncwarp;
    race.doubt = doubt_of(race_search, cause->told, &race);
    return race;
}

/* Conflicts nobody feels are told only where nothing else is wrong, and stay apart from the others. */
static void find_causes(struct causes *all, const struct cw_race_run *run, bool unused) {
    struct cw_race_search *r = all->r;
    const struct cw_race_candidate **list =
        CW_NEW_ARRAY(r->q->arena, const struct cw_race_candidate *, r->candidates.n);
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->candidates.n; k++)
        if (r->candidates.at[k].run == run && r->candidates.at[k].unused == unused && !r->candidates.at[k].is_idle)
            list[n++] = &r->candidates.at[k];
    if (n)
        qsort(list, n, sizeof *list, by_end);
    stab_conflicts(all, list, n);
}

static bool is_first_of_run(const struct cw_race_search *race_search, uint32_t k) {
    for (uint32_t j = 0; j < k; j++)
        if (race_search->candidates.at[j].run == race_search->candidates.at[k].run)
            return false;
    return true;
}

void cw_race_causes(struct cw_race_search *race_search, struct cw_races *out) {
    struct causes all = {.r = race_search};
    for (uint32_t k = 0; k < race_search->candidates.n; k++)
        if (is_first_of_run(race_search, k))
            find_causes(&all, race_search->candidates.at[k].run, false);
    uint32_t felt = all.at.n;
    for (uint32_t k = 0; k < race_search->candidates.n && felt == 0; k++)
        if (is_first_of_run(race_search, k))
            find_causes(&all, race_search->candidates.at[k].run, true);
    merge_causes(&all);
    for (uint32_t k = 0; k < all.at.n; k++)
        cw_vec_push(race_search->q->arena, &out->at, race_of(race_search, &all.at.at[k]));
}
