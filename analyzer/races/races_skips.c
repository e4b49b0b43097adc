/* Paths around barriers: a barrier that input may skip, or in a loop that input may run zero times, orders only those
 * paths on which it is met.
 *
 * The conditions of the timeline's block barriers are formulas. Where one is the same for all threads and rests on
 * loaded data, the input that skips the barrier is a choice of the witness: the shadow is run once more under the
 * opposite of the condition, and conflicts that only that run shows are added. Conditions on parameters are left alone:
 * what the host passes is often known to fit the barrier (`if (warps > 1) __syncthreads();`).
 *
 * The arm with the barrier may also be left out by what each thread, or each warp by a vote, finds in shared memory:
 * `if (__all_sync(full, s[lane] < 0)) continue;`, while the next round fills s anew. All threads leave it out or none
 * does, and data that let all leave it out are a choice. The shadow is run once more without the steps of the arm. What
 * all threads read at one place is a matter of racy-uniform-barrier. */
#include "races/races_internal.h"

#include "lanes/condition.h"
#include "races/data_places.h"

enum {
    SKIPS_MAX = 8,      /* conditions tried per run */
    ANCESTORS_MAX = 64, /* values behind a condition that are looked at */
    EDGES_MAX = 16
};

struct skip {
    uint32_t barrier, assume;       /* instruction; formula under which nobody comes to it */
    const struct cw_bitset *absent; /* steps to which nobody comes then besides, or NULL */
};

/* Does the value rest on loaded data, and on no parameter? Constants and registers beside it do not count. */
static bool rests_on_data(const struct cw_fn *fn, cw_ref value) {
    cw_ref at[ANCESTORS_MAX] = {value};
    uint32_t n = 1;
    bool data = false;
    for (uint32_t next = 0; next < n; next++) {
        const struct cw_ins *i = cw_ins_of(fn, at[next]);
        if (at[next].tag == CW_REF_PARAM || at[next].tag == CW_REF_TPARAM)
            return false;
        data |= i && i->op == CW_OP_LOAD;
        if (!i || i->op == CW_OP_LOAD)
            continue;
        if (!(cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->op != CW_OP_PHI)
            return false;
        for (uint32_t k = 0; k < i->narg; k++) {
            cw_ref a = cw_arg(fn, i, k);
            uint32_t seen = 0;
            while (seen < n && !cw_ref_eq(at[seen], a))
                seen++;
            if (seen == n && n == ANCESTORS_MAX)
                return false;
            if (seen == n)
                at[n++] = a;
        }
    }
    return data;
}

struct deciders {
    struct cw_lanes *l;
    const struct cw_context *context;
    uint32_t n;
    bool by_data; /* all conditions that are not decided rest on data */
};

static bool see_decider(void *ctx, struct cw_edge edge) {
    struct deciders *d = ctx;
    const struct cw_context *c = cw_context_complete(d->l, cw_context_at(d->l, d->context, edge.block), edge.block);
    cw_ref value = cw_lanes_fn(d->l)->blocks.at[edge.block].jump.value;
    if (++d->n > EDGES_MAX)
        d->by_data = false;
    else if (cw_lane_value_of(d->l, value, c)->worst > CW_SAMPLE)
        d->by_data &= rests_on_data(cw_lanes_fn(d->l), value);
    return d->by_data;
}

/* The condition of the barrier, one for all threads and up to the input; CW_BDD_TRUE where it is none. */
static uint32_t condition_of(struct cw_lanes *lanes, const struct cw_ins *ins, const struct cw_context *context) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(lanes, ins->block, context);
    struct deciders d = {.l = lanes, .context = context, .by_data = true};
    if (reach->mask || cw_bdd_terminal(reach->at[0]) || cw_bdd_known(cw_lanes_bdds(lanes), reach->at[0]) != CW_FREE)
        return CW_BDD_TRUE;
    cw_cfg_controls(cw_lanes_fn(lanes), ins->block, see_decider, &d);
    return d.by_data ? reach->at[0] : CW_BDD_TRUE;
}

/* ---- arms that data in shared memory decide ---- */

/* Values that a condition is made of, each once. */
struct ancestry {
    const struct cw_uniformity *uniformity;
    cw_ref at[ANCESTORS_MAX];
    uint32_t n;
    bool is_full;
};

static void add_ancestor(struct ancestry *ancestry, cw_ref value) {
    for (uint32_t k = 0; k < ancestry->n; k++)
        if (cw_ref_eq(ancestry->at[k], value))
            return;
    ancestry->is_full |= ancestry->n == ANCESTORS_MAX;
    if (ancestry->n < ANCESTORS_MAX)
        ancestry->at[ancestry->n++] = value;
}

/* What decides by which way a join is reached: `a && b` is a join of two numbers. */
static void add_deciders_of_join(struct ancestry *ancestry, uint32_t block) {
    const struct cw_fn *fn = ancestry->uniformity->fn;
    uint32_t top = fn->cfg->idom[block];
    for (uint32_t k = 0; k < fn->blocks.at[block].pred.n; k++)
        for (uint32_t b = fn->blocks.at[block].pred.at[k]; b != CW_NO_BLOCK && b != top; b = fn->cfg->idom[b])
            if (fn->blocks.at[b].jump.kind == CW_JUMP_BRANCH && b != block)
                add_ancestor(ancestry, fn->blocks.at[b].jump.value);
    if (top != CW_NO_BLOCK && fn->blocks.at[top].jump.kind == CW_JUMP_BRANCH)
        add_ancestor(ancestry, fn->blocks.at[top].jump.value);
}

static bool is_at_own_place(const struct cw_uniformity *uniformity, const struct cw_ins *load) {
    return cw_uni_of(uniformity, cw_arg(uniformity->fn, load, 0)) > CW_UNI_BLOCK;
}

/* Does the value rest on data alone, some of it at places of the thread's own that others may overwrite meanwhile? */
static bool rests_on_racy_data(const struct cw_uniformity *uniformity, cw_ref value, struct cw_arena *a) {
    struct ancestry all = {.uniformity = uniformity, .at = {value}, .n = 1};
    bool is_racy = false;
    for (uint32_t next = 0; next < all.n && !all.is_full; next++) {
        const struct cw_ins *i = cw_ins_of(uniformity->fn, all.at[next]);
        if (all.at[next].tag == CW_REF_PARAM || all.at[next].tag == CW_REF_TPARAM)
            return false;
        if (i && i->op == CW_OP_LOAD) {
            bool is_unstable = cw_bitset_has(&uniformity->unstable, all.at[next].index);
            if (!cw_is_made_of_data(uniformity, all.at[next], CW_UNI_BLOCK, a) ||
                (is_unstable && !is_at_own_place(uniformity, i)))
                return false;
            is_racy |= is_unstable;
        } else if (i) {
            bool is_vote = i->op == CW_OP_VOTE && (i->aux == CW_VOTE_ANY || i->aux == CW_VOTE_ALL);
            if (!(cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->op != CW_OP_PHI && !is_vote)
                return false;
            if (i->op == CW_OP_PHI)
                add_deciders_of_join(&all, i->block);
            for (uint32_t k = 0; k < i->narg; k++)
                add_ancestor(&all, cw_arg(uniformity->fn, i, k));
        }
    }
    return is_racy && !all.is_full;
}

struct arm {
    struct cw_lanes *lanes;
    const struct cw_context *context;
    struct cw_arena *arena;
    struct cw_edge edge; /* into it; block: CW_NO_BLOCK where there is none */
};

static bool see_edge(void *ctx, struct cw_edge edge) {
    struct arm *arm = ctx;
    const struct cw_jump *jump = &cw_lanes_fn(arm->lanes)->blocks.at[edge.block].jump;
    const struct cw_lane_cond *takes =
        cw_lane_cond_takes(arm->lanes, edge, cw_context_at(arm->lanes, arm->context, edge.block));
    if (jump->kind != CW_JUMP_BRANCH || cw_lane_cond_is(arm->lanes, takes, CW_BDD_TRUE) ||
        !rests_on_racy_data(cw_lanes_uniformity(arm->lanes), jump->value, arm->arena))
        return true;
    arm->edge = edge;
    return false;
}

/* Blocks to which a thread comes from `entry` in the same iteration of the loop, which is that of the branch. *goes_on:
 * it may come to the next one, or there is no loop. */
static struct cw_bitset blocks_from(const struct cw_fn *fn, uint32_t entry, uint32_t loop, struct cw_arena *a,
                                    bool *goes_on) {
    *goes_on = loop == CW_NO_LOOP;
    struct cw_bitset seen = cw_bitset_new(a, fn->blocks.n);
    struct cw_vec_u32 todo = {0};
    for (cw_vec_push(a, &todo, entry); todo.n > 0;) {
        uint32_t block = todo.at[--todo.n];
        const struct cw_jump *jump = &fn->blocks.at[block].jump;
        bool is_next = loop != CW_NO_LOOP && block == fn->cfg->loops.at[loop].header;
        *goes_on |= is_next;
        if (is_next || (loop != CW_NO_LOOP && !cw_cfg_in_loop(fn->cfg, loop, block)) || cw_bitset_has(&seen, block))
            continue;
        cw_bitset_add(&seen, block);
        for (uint32_t k = 0; k < jump->nsucc; k++)
            cw_vec_push(a, &todo, jump->succ[k]);
    }
    return seen;
}

/* The steps to which nobody comes who takes the other edge, in the iteration of the branch. NULL where that edge leaves
 * the loop: nobody comes to the next iteration either. */
static const struct cw_bitset *steps_missed(const struct cw_event_trace *trace, const struct arm *arm) {
    const struct cw_fn *fn = trace->roles->fn;
    const struct cw_jump *jump = &fn->blocks.at[arm->edge.block].jump;
    const struct cw_context *around = cw_context_at(trace->lanes, arm->context, arm->edge.block);
    uint32_t loop = fn->cfg->loop_of[arm->edge.block];
    bool goes_on;
    struct cw_bitset in = blocks_from(fn, jump->succ[arm->edge.which], loop, arm->arena, &goes_on),
                     other = blocks_from(fn, jump->succ[!arm->edge.which], loop, arm->arena, &goes_on),
                     *missed = CW_NEW(arm->arena, struct cw_bitset);
    if (!goes_on)
        return NULL;
    *missed = cw_bitset_new(arm->arena, trace->steps.n);
    for (uint32_t s = 0; s < trace->steps.n; s++) {
        const struct cw_step *step = &trace->steps.at[s];
        bool is_gap = step->ins == UINT32_MAX;
        uint32_t at = is_gap ? 0 : step->kind == CW_STEP_BRANCH ? step->ins : fn->ins.at[step->ins].block;
        if (!is_gap && cw_bitset_has(&in, at) && !cw_bitset_has(&other, at) &&
            cw_context_at(trace->lanes, step->context, arm->edge.block) == around)
            cw_bitset_add(missed, s);
    }
    return missed;
}

/* The arm that the barrier of step k is in, if racy data decide whether threads come to it. All threads come to the
 * branch, or none does. */
static bool find_arm(const struct cw_event_trace *trace, uint32_t k, struct skip *out, struct cw_arena *a) {
    uint32_t ins = trace->steps.at[k].ins, block = trace->roles->fn->ins.at[ins].block;
    struct arm arm = {trace->lanes, trace->steps.at[k].context, a, {.block = CW_NO_BLOCK}};
    cw_cfg_controls(trace->roles->fn, block, see_edge, &arm);
    if (arm.edge.block == CW_NO_BLOCK)
        return false;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(
        trace->lanes, arm.edge.block, cw_context_at(trace->lanes, arm.context, arm.edge.block));
    *out = (struct skip){ins, reach->at[0], steps_missed(trace, &arm)};
    return !reach->mask && cw_bdd_known(cw_lanes_bdds(trace->lanes), reach->at[0]) <= CW_FREE &&
           out->absent && cw_bitset_has(out->absent, k);
}

/* ---- runs without the barriers ---- */

static bool is_left_out(const struct skip *skips, uint32_t n, uint32_t step) {
    for (uint32_t k = 0; k < n; k++)
        if (skips[k].absent && cw_bitset_has(skips[k].absent, step))
            return true;
    return false;
}

static uint32_t find_skips(const struct cw_event_trace *trace, struct skip *out, struct cw_arena *a) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < trace->steps.n && n < SKIPS_MAX; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        const struct cw_ins *i = s->kind == CW_STEP_SYNC ? &trace->roles->fn->ins.at[s->ins] : NULL;
        if (!i || i->op != CW_OP_BARRIER)
            continue;
        uint32_t f = cw_bdd_not(condition_of(trace->lanes, i, s->context)), seen = 0;
        while (seen < n && (out[seen].absent || out[seen].assume != f))
            seen++;
        if (f != CW_BDD_FALSE && seen == n)
            out[n++] = (struct skip){s->ins, f, NULL};
        else if (f == CW_BDD_FALSE && !is_left_out(out, n, k))
            n += find_arm(trace, k, &out[n], a);
    }
    return n;
}

/* What meets in a run in which nobody comes to what is skipped. */
static struct cw_shadow *run_without(struct cw_event_trace *trace, const struct cw_liveness *needs,
                                     const struct skip *skip, struct cw_arena *a) {
    trace->absent = skip->absent;
    struct cw_shadow *shadow = cw_shadow_of(trace, needs, skip->assume, a);
    trace->absent = NULL;
    return shadow;
}

/* Does the thread come there whenever it comes to the branch? Other conditions may contradict the data that leave the
 * arm out, or rest on what the arm would have changed. */
static bool comes_anyway(const struct cw_event_trace *trace, uint32_t assume, uint32_t step, uint32_t thread) {
    const struct cw_step *s = &trace->steps.at[step];
    const struct cw_lane_cond *reach =
        cw_lane_cond_reach(trace->lanes, trace->roles->fn->ins.at[s->ins].block, s->context);
    return cw_bdd_and(cw_lanes_bdds(trace->lanes), assume, cw_bdd_not(cw_lane_cond_at(reach, thread))) ==
           CW_BDD_FALSE;
}

static bool is_shown(const struct cw_event_trace *trace, const struct skip *skip, const struct cw_conflict *conflict) {
    return !skip->absent ||
           (conflict->chosen == UINT32_MAX &&
            comes_anyway(trace, skip->assume, conflict->first_step, conflict->first_thread) &&
            comes_anyway(trace, skip->assume, conflict->second_step, conflict->second_thread));
}

static void add_skipped(struct cw_race_search *race_search, const struct cw_event_trace *trace, struct cw_shadow *to,
                        const struct cw_shadow *from, const struct skip *skip) {
    for (uint32_t k = 0; k < from->meetings.n; k++) {
        struct cw_conflict m = from->meetings.at[k];
        if (cw_race_same_meeting(to, &m) || !is_shown(trace, skip, &m))
            continue;
        m.skipped = skip->barrier;
        cw_vec_push(race_search->q->arena, &to->meetings, m);
    }
}

void cw_race_find_needs(struct cw_race_search *race_search, struct cw_race_run *run) {
    if (run->needs)
        return;
    run->needs = cw_liveness_of(run->timeline, race_search->q->arena);
    if (cw_liveness_all(run->needs))
        return;
    run->needed = CW_NEW(race_search->q->arena, struct cw_shadow);
    *run->needed = *run->all;
    run->needed->meetings.cap = run->needed->meetings.n; /* what is added goes to an array of its own */
}

void cw_race_add_skips(struct cw_race_search *race_search, struct cw_race_run *run) {
    struct skip skips[SKIPS_MAX];
    uint32_t n = find_skips(run->timeline, skips, race_search->q->arena);
    for (uint32_t k = 0; k < n && !run->all->is_cut; k++) {
        struct cw_shadow *all = run_without(run->timeline, NULL, &skips[k], race_search->q->arena), *needed = all;
        if (all->meetings.n == 0)
            continue;
        cw_race_find_needs(race_search, run);
        if (!cw_liveness_all(run->needs))
            needed = run_without(run->timeline, run->needs, &skips[k], race_search->q->arena);
        if (run->needed != run->all)
            add_skipped(race_search, run->timeline, run->needed, needed, &skips[k]);
        add_skipped(race_search, run->timeline, run->all, all, &skips[k]);
    }
}
