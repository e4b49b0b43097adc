/* Paths around barriers: a barrier that input may skip, or in a loop that input may run zero times, orders only those
 * paths on which it is met.
 *
 * The conditions of the timeline's block barriers are formulas. Where one is the same for all threads and rests on
 * loaded data, the input that skips the barrier is a choice of the witness: the shadow is run once more under the
 * opposite of the condition, and conflicts that only that run shows are added. Conditions on parameters are left alone:
 * what the host passes is often known to fit the barrier (`if (warps > 1) __syncthreads();`). */
#include "races/races_internal.h"

#include "lanes/condition.h"

enum {
    SKIPS_MAX = 8,      /* conditions tried per run */
    ANCESTORS_MAX = 64, /* values behind a condition that are looked at */
    EDGES_MAX = 16
};

struct skip {
    uint32_t barrier, assume; /* instruction; formula under which nobody comes to it */
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

static uint32_t find_skips(const struct cw_event_trace *trace, struct skip *out) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < trace->steps.n && n < SKIPS_MAX; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        const struct cw_ins *i = s->kind == CW_STEP_SYNC ? &trace->roles->fn->ins.at[s->ins] : NULL;
        if (!i || i->op != CW_OP_BARRIER)
            continue;
        uint32_t f = cw_bdd_not(condition_of(trace->lanes, i, s->context)), seen = 0;
        while (seen < n && out[seen].assume != f)
            seen++;
        if (f != CW_BDD_FALSE && seen == n)
            out[n++] = (struct skip){s->ins, f};
    }
    return n;
}

static void add_skipped(struct cw_race_search *race_search, struct cw_shadow *to, const struct cw_shadow *from,
                        uint32_t barrier) {
    for (uint32_t k = 0; k < from->meetings.n; k++) {
        struct cw_conflict m = from->meetings.at[k];
        if (cw_race_same_meeting(to, &m))
            continue;
        m.skipped = barrier;
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
    uint32_t n = find_skips(run->timeline, skips);
    for (uint32_t k = 0; k < n && !run->all->is_cut; k++) {
        struct cw_shadow *all = cw_shadow_of(run->timeline, NULL, skips[k].assume, race_search->q->arena),
                         *needed = all;
        if (all->meetings.n == 0)
            continue;
        cw_race_find_needs(race_search, run);
        if (!cw_liveness_all(run->needs))
            needed = cw_shadow_of(run->timeline, run->needs, skips[k].assume, race_search->q->arena);
        if (run->needed != run->all)
            add_skipped(race_search, run->needed, needed, skips[k].barrier);
        add_skipped(race_search, run->all, all, skips[k].barrier);
    }
}
