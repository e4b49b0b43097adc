/* See mbarrier_faults.h. */
#include "races/mbarrier_faults.h"

#include "lanes/condition.h"
#include "lanes/facts_print.h"
#include "launch/for_each_launch.h"
#include "races/happens_before.h"
#include "races/mbarriers.h"
#include "uniformity/reachable_ops.h"

#include <inttypes.h>

enum { ARRIVALS_MAX = 3 /* of one thread before it waits: more may come from iterations that are left out */ };

struct search {
    const struct cw_kernel_query *q;
    const struct cw_event_trace *t;
    const struct cw_mbarriers *barriers;
    uint32_t launch;
    struct cw_mbarrier_faults *out;
};

/* Who makes a barrier, and when. */
struct making {
    uint32_t ins, thread, phase;
    struct cw_stamp stamp;
    bool is_made, is_told;
};

static uint32_t reach_of(const struct search *search, const struct cw_step *step, uint32_t thread) {
    const struct cw_ins *i = &search->t->roles->fn->ins.at[step->ins];
    return cw_lane_cond_at(cw_lane_cond_reach(search->t->lanes, i->block, step->context), thread);
}

static bool is_use(const struct search *search, const struct cw_step *step) {
    const struct cw_ins *i = &search->t->roles->fn->ins.at[step->ins];
    return step->kind == CW_STEP_SYNC && (i->op == CW_OP_MBARARRIVE || i->op == CW_OP_MBARWAIT);
}

static void add_fault(struct search *search, enum cw_mbarrier_fault_kind kind, uint32_t b, const struct cw_step *use,
                      uint32_t thread, const struct making *made) {
    const struct cw_mbarrier *at = &search->barriers->at[b];
    struct cw_mbarrier_fault f = {.kind = kind, .ins = use->ins, .init = made->ins, .thread = thread,
                                  .init_thread = made->thread, .root = at->root, .offset = at->offset,
                                  .count = at->count, .launch = search->launch};
    for (uint32_t t = 0; t < cw_lanes_count(search->t->lanes); t++)
        f.arrivals += kind == CW_MBARRIER_SURPLUS ? at->blocks[t] && at->first[t] : at->first[t];
    if (kind == CW_MBARRIER_BYTES) {
        f.arrivals = at->copied;
        f.expected = at->expected;
    }
    cw_vec_push(search->q->arena, &search->out->at, f);
}

/* ---- too few arrivals ---- */

static bool is_starved(const struct search *search, const struct cw_mbarrier *mbarrier) {
    int64_t arrivals = 0;
    for (uint32_t t = 0; t < cw_lanes_count(search->t->lanes); t++) {
        bool may_arrive_again = search->t->is_partial && mbarrier->first[t] > 0 && !mbarrier->blocks[t];
        if (may_arrive_again || mbarrier->first[t] > ARRIVALS_MAX)
            return false;
        arrivals += mbarrier->first[t];
    }
    return mbarrier->is_seen && mbarrier->inits == 1 && !mbarrier->is_odd && !mbarrier->is_stage &&
           mbarrier->count > arrivals;
}

/* ---- more bytes than are copied ---- */

/* Another block of the cluster may copy for this one, once both wait for each other. */
static bool is_of_cluster(const struct cw_fn *fn, const struct cw_ins *ins) {
    (void)fn;
    return ins->op == CW_OP_CLUSTERSYNC || (ins->op == CW_OP_GROUP && ins->aux == CW_GROUP_CLUSTER);
}

static bool reaches_other_blocks(const struct cw_fn *fn, struct cw_arena *a) {
    return cw_reachable_where(fn, is_of_cluster, a).n > 0;
}

/* All arrivals are for the first phase, all iterations are there, and no other block copies for this one. */
static bool is_short_of_bytes(const struct search *search, const struct cw_mbarrier *mbarrier) {
    int64_t arrivals = 0;
    for (uint32_t t = 0; t < cw_lanes_count(search->t->lanes); t++)
        arrivals += mbarrier->arrivals[t];
    return mbarrier->is_seen && mbarrier->inits == 1 && !mbarrier->is_odd && !mbarrier->is_stage &&
           !search->t->is_partial && arrivals <= mbarrier->count && mbarrier->copied >= 0 &&
           mbarrier->expected > mbarrier->copied && !reaches_other_blocks(search->q->fn, search->q->arena);
}

/* The wait that never ends, in a thread that surely gets there. */
static void find_starved(struct search *search, uint32_t b, const struct making *made) {
    bool starved = is_starved(search, &search->barriers->at[b]);
    if (!made->is_made || (!starved && !is_short_of_bytes(search, &search->barriers->at[b])))
        return;
    for (uint32_t k = 0; k < search->t->steps.n; k++) {
        const struct cw_step *step = &search->t->steps.at[k];
        if (!is_use(search, step) || search->t->roles->fn->ins.at[step->ins].op != CW_OP_MBARWAIT)
            continue;
        for (uint32_t t = 0; t < cw_lanes_count(search->t->lanes); t++)
            if (search->barriers->at[b].blocks[t] && reach_of(search, step, t) == CW_BDD_TRUE &&
                cw_mbarriers_find(search->barriers, search->t, step, 0, t) == (int32_t)b) {
                add_fault(search, starved ? CW_MBARRIER_STARVED : CW_MBARRIER_BYTES, b, step, t, made);
                return;
            }
    }
}

/* ---- more arrivals than a phase has ---- */

struct arriving {
    bool *has_arrived; /* per thread */
    int64_t threads; /* that have arrived and will wait, since the last barrier of the block */
    uint32_t phase; /* of the block */
    bool is_told, is_spread;
};

/* Whoever has waited in memory before may arrive for a later phase: producers and consumers may use the phases of one
 * barrier in turn. */
static void check_surplus(struct search *search, struct cw_order *order, const struct cw_step *step,
                          struct arriving *arriving, const struct making *made) {
    if (!cw_mbarrier_arrives(&search->t->roles->fn->ins.at[step->ins]))
        return;
    for (uint32_t t = 0; t < cw_lanes_count(search->t->lanes); t++) {
        int32_t k =
            reach_of(search, step, t) == CW_BDD_TRUE ? cw_mbarriers_find(search->barriers, search->t, step, 0, t) : -1;
        const struct cw_mbarrier *b = k >= 0 ? &search->barriers->at[k] : NULL;
        struct arriving *now = k >= 0 ? &arriving[k] : NULL;
        if (!b || !made[k].is_made || now->is_told || now->has_arrived[t] || !b->blocks[t] || !b->first[t] ||
            cw_order_stamp(order, t).waited || !b->is_seen || b->inits != 1 || b->is_odd || b->is_stage ||
            b->count <= 0)
            continue;
        now->is_spread |= now->threads > 0 && now->phase != cw_order_phase(order);
        now->has_arrived[t] = true;
        now->phase = cw_order_phase(order);
        if (++now->threads <= b->count || now->is_spread)
            continue;
        now->is_told = true;
        add_fault(search, CW_MBARRIER_SURPLUS, (uint32_t)k, step, t, &made[k]);
    }
}

static void init_arriving(const struct search *search, struct arriving *arriving, struct cw_arena *a) {
    for (uint32_t k = 0; k < search->barriers->n; k++)
        arriving[k] = (struct arriving){.has_arrived = CW_NEW_ARRAY(a, bool, cw_lanes_count(search->t->lanes))};
}

/* ---- use before making ---- */

static void note_making(struct search *search, struct cw_order *order, const struct cw_step *step,
                        struct making *made) {
    for (uint32_t t = 0; t < cw_lanes_count(search->t->lanes); t++) {
        int32_t b =
            reach_of(search, step, t) == CW_BDD_TRUE ? cw_mbarriers_find(search->barriers, search->t, step, 0, t) : -1;
        if (b >= 0 && !made[b].is_made)
            made[b] = (struct making){step->ins, t, cw_order_phase(order), cw_order_stamp(order, t), true, false};
    }
}

static void check_use(struct search *search, struct cw_order *order, const struct cw_step *step, struct making *made) {
    for (uint32_t t = 0; t < cw_lanes_count(search->t->lanes); t++) {
        int32_t b =
            reach_of(search, step, t) == CW_BDD_TRUE ? cw_mbarriers_find(search->barriers, search->t, step, 0, t) : -1;
        struct making *m = b >= 0 ? &made[b] : NULL;
        if (!m || !m->is_made || m->is_told || m->thread == t || m->phase != cw_order_phase(order) ||
            search->barriers->at[b].inits != 1 || cw_order_knows(order, t, m->thread, m->stamp, false))
            continue;
        m->is_told = true;
        add_fault(search, CW_MBARRIER_UNMADE, (uint32_t)b, step, t, m);
    }
}

static bool look_at_launch(struct search *search, struct cw_arena *a) {
    struct making made[CW_MBARRIERS_MAX] = {{0}};
    struct arriving arriving[CW_MBARRIERS_MAX] = {{0}};
    uint32_t before = search->out->at.n;
    struct cw_order *o = cw_order_new(search->t, CW_BDD_TRUE, a);
    init_arriving(search, arriving, a);
    for (uint32_t k = 0; k < search->t->steps.n; k++) {
        const struct cw_step *step = &search->t->steps.at[k];
        if (is_use(search, step)) {
            check_use(search, o, step, made);
            check_surplus(search, o, step, arriving, made);
        }
        cw_order_pass(o, k);
        if (step->kind == CW_STEP_SETUP)
            note_making(search, o, step, made);
    }
    for (uint32_t b = 0; b < search->barriers->n; b++)
        find_starved(search, b, &made[b]);
    return search->out->at.n > before;
}

struct cw_mbarrier_faults cw_mbarrier_faults_of(const struct cw_kernel_query *query) {
    struct cw_mbarrier_faults out = {{0}}, now = {{0}};
    if (query->fn->cfg->is_irreducible || !cw_reachable_ops(query->fn, CW_OP_MBARINIT, query->arena).n)
        return out;
    const struct cw_roles *roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    struct cw_survey survey = cw_survey_of(query->launches, 32);
    while (cw_survey_next(&survey)) {
        struct cw_lanes *lanes = query->lanes(query->owner, survey.launch, 0);
        const struct cw_event_trace *t = lanes ? cw_event_trace_of(lanes, roles, query->arena) : NULL;
        const struct cw_mbarriers *barriers = t && !t->is_too_long ? cw_mbarriers_of(t, query->arena) : NULL;
        now.at.n = 0;
        struct search s = {query, t, barriers, survey.launch, &now};
        if (barriers && !barriers->is_lost && look_at_launch(&s, query->arena) && cw_survey_shown(&survey)) {
            out = now;
            now = (struct cw_mbarrier_faults){{0}};
        }
    }
    for (uint32_t k = 0; k < out.at.n; k++)
        out.at.at[k].definite = cw_survey_definite(&survey);
    return out;
}

/* ---- text form ---- */

void cw_mbarrier_faults_print(const struct cw_facts_print *to, const struct cw_mbarrier_faults *faults) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_mbarrier_fault *fault = &faults->at.at[k];
        static const char *const names[] = {[CW_MBARRIER_STARVED] = "starved mbarrier",
                                            [CW_MBARRIER_SURPLUS] = "mbarrier with too many arrivals",
                                            [CW_MBARRIER_BYTES] = "mbarrier short of bytes",
                                            [CW_MBARRIER_UNMADE] = "mbarrier before its initialisation"};
        cw_facts_begin(to, fault->definite, names[fault->kind]);
        cw_facts_ins(to, "", fault->ins);
        cw_facts_thread(to, "by", fault->thread);
        cw_facts_memory(to, fault->root, fault->offset, sizeof(uint64_t));
        cw_facts_ins(to, "initialised by", fault->init);
        cw_facts_thread(to, "by", fault->init_thread);
        if (fault->kind == CW_MBARRIER_BYTES)
            cw_facts_part(to, "expects %" PRId64 " bytes of which %" PRId64 " are copied", fault->expected,
                          fault->arrivals);
        else if (fault->kind != CW_MBARRIER_UNMADE)
            cw_facts_part(to, "for %" PRId64 " arrivals of which %" PRId64 " happen", fault->count, fault->arrivals);
        cw_facts_launch(to, fault->launch, 0);
        cw_facts_end(to);
    }
}
