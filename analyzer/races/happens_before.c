/* See happens_before.h: one step of the timeline, questions between two threads, and the beginning. */
#include "races/happens_before_internal.h"

#include "races/flag_sync.h"
#include "uniformity/unknown_calls.h"

#include <string.h>

/* ---- one step ---- */

/* What is laid out behind it comes behind it; what is laid out before may come later, but meets who has waited. */
static void wait_for_memory(struct cw_order *order, const struct cw_lane_cond *reach) {
    if (order->signals)
        order->epoch++;
    else
        order->phase++;
    for (uint32_t t = 0; t < cw_lanes_count(order->l); t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            order->warps[t / 32].polled_phase[t % 32] = order->phase + 1;
}

/* The warps that execute the loop whose iterations were left out, bit w; all of them where it is not of some alone. */
static uint32_t warps_at_gap(const struct cw_order *order, const struct cw_step *gap) {
    uint32_t warps = 0, all = order->nwarps < 32 ? (1u << order->nwarps) - 1 : UINT32_MAX;
    if (gap->loop == CW_NO_LOOP)
        return all;
    const struct cw_lane_cond *enters = cw_lane_cond_reach(order->l, order->fn->cfg->loops.at[gap->loop].header,
                                                           cw_lanes_context(order->l, gap->context, gap->loop, 0));
    for (uint32_t w = 0; w < order->nwarps; w++)
        warps |= (uint32_t)(cw_order_lanes_coming(order, enters, w) != 0) << w;
    return warps ? warps : all;
}

static bool is_of_some_warps(const struct cw_order *order, const struct cw_step *gap) {
    return gap->kind == CW_STEP_GAP && gap->loop != CW_NO_LOOP && order->nwarps <= 32 &&
           warps_at_gap(order, gap) != (order->nwarps < 32 ? (1u << order->nwarps) - 1 : UINT32_MAX);
}

/* For these warps alone whatever was under way is over. How many phases others have seen meanwhile is not known: what
 * they do from now on is compared with each other's alone. */
static void leave_out_warps(struct cw_order *order, uint32_t warps) {
    for (uint32_t w = 0; w < order->nwarps; w++)
        if (warps >> w & 1) {
            cw_order_join_lanes(&order->warps[w], UINT32_MAX);
            cw_order_operate_channel(order, w, GAPS, true);
            order->warps[w].blurred = warps;
        }
}

/* Iterations were left out: whatever was under way is over, and how many phases there were is not known. Where they
 * order lanes of warps alone, it is over for these. */
static void leave_out(struct cw_order *order, const struct cw_step *gap) {
    uint32_t warps = warps_at_gap(order, gap);
    for (uint32_t q = 0; q < QUEUES; q++)
        for (uint32_t t = 0; order->async[q] && t < cw_lanes_count(order->l); t++) {
            if (!(warps >> t / 32 & 1))
                continue;
            order->async[q][t].consumed = ++order->async[q][t].committed;
            cw_order_complete_groups(order, (enum queue)q, t, order->async[q][t].committed);
        }
    if (is_of_some_warps(order, gap)) {
        leave_out_warps(order, warps);
        return;
    }
    if (gap->is_of_warps) {
        for (uint32_t w = 0; w < order->nwarps; w++)
            cw_order_join_lanes(&order->warps[w], UINT32_MAX);
        return;
    }
    order->phase++;
    order->gaps++;
    order->is_skewed = true;
}

static void pass_step(struct cw_order *order, uint32_t k) {
    const struct cw_step *s = &order->t->steps.at[k];
    if (order->t->absent && cw_bitset_has(order->t->absent, k))
        return;
    if (s->kind == CW_STEP_GAP)
        leave_out(order, s);
    if (s->kind == CW_STEP_ACCESS && cw_ins_is_asynchronous(&order->fn->ins.at[s->ins]))
        cw_order_start_copies(order, s, &order->fn->ins.at[s->ins]);
    if (s->kind != CW_STEP_SYNC)
        return;
    const struct cw_ins *i = &order->fn->ins.at[s->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(order->l, i->block, s->context);
    if (order->assume != CW_BDD_TRUE)
        reach = cw_lane_cond_and(order->l, reach, cw_lane_cond_one(order->l, order->assume));
    if (cw_lane_cond_is(order->l, reach, CW_BDD_FALSE))
        return;
    switch (i->op) {
    case CW_OP_BARRIER: cw_order_apply_barrier(order, i, s->context, reach); return;
    case CW_OP_SYNCWARP: cw_order_sync_group(order, i, s->context, reach); return;
    case CW_OP_ASYNCCOMMIT: cw_order_commit_copies(order, i, reach); return;
    case CW_OP_ASYNCWAIT: cw_order_wait_copies(order, i, s->context, reach); return;
    case CW_OP_MBARARRIVE:
    case CW_OP_MBARWAIT: cw_order_use_mbarrier(order, s, i, reach); return;
    default:
        if (cw_bitset_has(&order->t->roles->polls, s->ins))
            wait_for_memory(order, reach);
        else if (!order->t->passes_calls || cw_call_order_of(order->t->roles->memory, i) != CW_CALL_MAY)
            order->phase++;
        return;
    }
}

void cw_order_pass(struct cw_order *order, uint32_t k) {
    uint32_t phase = order->phase;
    pass_step(order, k);
    for (uint32_t w = 0; w < order->nwarps && order->phase != phase; w++)
        order->warps[w].blurred = 0;
}

/* ---- questions ---- */

uint32_t cw_order_phase(const struct cw_order *order) {
    return order->phase;
}

struct cw_stamp cw_order_stamp(const struct cw_order *order, uint32_t t) {
    const struct warp *w = &order->warps[t / 32];
    return (struct cw_stamp){.clock = w->clock[t % 32],
                             .version = w->history.n - 1,
                             .passed = order->passed[t],
                             .epoch = order->epoch,
                             .polled = w->polled_phase[t % 32] == order->phase + 1,
                             .waited = w->waited_phase == order->phase + 1,
                             .blurred = w->blurred};
}

bool cw_order_is_blurred(const struct cw_order *order, uint32_t u, uint32_t t, struct cw_stamp then) {
    return t / 32 != u / 32 && then.blurred != order->warps[u / 32].blurred;
}

bool cw_order_is_like(const struct cw_order *order, uint32_t t, uint32_t u) {
    const struct warp *w = &order->warps[t / 32];
    uint32_t now = order->phase + 1;
    return t / 32 == u / 32 && w->clock[t % 32] == w->clock[u % 32] && order->passed[t] == order->passed[u] &&
           (w->polled_phase[t % 32] == now) == (w->polled_phase[u % 32] == now);
}

bool cw_order_signals(const struct cw_order *order, uint32_t t) {
    return !order->signals || order->signals[t];
}

bool cw_order_all_signal(const struct cw_order *order) {
    return !order->signals;
}

bool cw_order_is_of_warps(const struct cw_order *order) {
    return !order->signals && !order->has_lane_arrivals;
}

bool cw_order_knows(const struct cw_order *order, uint32_t u, uint32_t t, struct cw_stamp then, bool is_flag) {
    const struct warp *w = &order->warps[u / 32];
    if (then.passed != order->passed[u])
        return true;
    bool polled = !is_flag && (then.polled || w->polled_phase[u % 32] == order->phase + 1);
    bool waited = polled || then.epoch != order->epoch;
    if (waited && cw_order_signals(order, u) && cw_order_signals(order, t))
        return true;
    if (cw_order_is_blurred(order, u, t, then))
        return true;
    if (t / 32 == u / 32)
        return w->known[u % 32][t % 32] >= then.clock;
    return then.waited || w->waited_phase == order->phase + 1 ||
           (order->has_channels && cw_order_channel_orders(order, u / 32, t, then));
}

/* ---- beginning ---- */

static void begin_order(struct cw_order *order) {
    struct tally none = {{0}, {0}};
    order->phase = order->epoch = 0;
    order->is_skewed = false;
    order->warps = CW_NEW_ARRAY(order->a, struct warp, order->nwarps);
    memset(order->async, 0, sizeof order->async);
    order->passed = CW_NEW_ARRAY(order->a, uint32_t, cw_lanes_count(order->l));
    for (uint32_t b = 0; order->barriers && b < order->barriers->n; b++)
        cw_order_begin_mbarrier(order, &order->progress[b]);
    for (uint32_t w = 0; w < order->nwarps; w++) {
        cw_vec_push(order->a, &order->warps[w].history, none);
        for (uint32_t t = 0; t < 32; t++)
            order->warps[w].clock[t] = 1;
    }
}

/* A barrier with a count of its own, or a group that may be larger than a warp. */
static bool may_use_channel(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t count = 1;
    if (ins->op == CW_OP_BARRIER)
        return !cw_ref_const(fn, cw_arg(fn, ins, 1), &count) || count != 0 || ins->aux == CW_BARRIER_ARRIVE;
    return ins->op == CW_OP_SYNCWARP && ins->narg && cw_ref_type(fn, cw_arg(fn, ins, 0)) == CW_GROUP;
}

static bool is_arrival(const struct cw_fn *fn, const struct cw_step *step) {
    return step->kind == CW_STEP_SYNC && fn->ins.at[step->ins].op == CW_OP_BARRIER &&
           fn->ins.at[step->ins].aux == CW_BARRIER_ARRIVE;
}

/* A first run counts the operations on channels: who takes part at all is known only at the end. What warps have at a
 * barrier in memory by then is that of the lane that arrives most often. */
struct cw_order *cw_order_new(const struct cw_event_trace *trace, uint32_t assume, struct cw_arena *a) {
    struct cw_order *o = CW_NEW(a, struct cw_order);
    o->t = trace;
    o->l = trace->lanes;
    o->fn = trace->roles->fn;
    o->assume = assume;
    o->a = a;
    o->nwarps = (cw_lanes_count(o->l) + 31) / 32;
    o->signals = cw_signals_of(trace, a);
    o->barriers = cw_mbarriers_of(trace, a);
    begin_order(o);
    bool channels = o->barriers != NULL;
    for (uint32_t k = 0; k < trace->steps.n && !channels; k++)
        channels = is_of_some_warps(o, &trace->steps.at[k]) ||
                   (trace->steps.at[k].kind == CW_STEP_SYNC &&
                    may_use_channel(o->fn, &o->fn->ins.at[trace->steps.at[k].ins]));
    for (uint32_t k = 0; k < trace->steps.n && !o->has_arrive; k++)
        o->has_arrive = is_arrival(o->fn, &trace->steps.at[k]);
    o->totals = CW_NEW_ARRAY(a, struct tally, o->nwarps);
    for (uint32_t k = 0; k < trace->steps.n && channels; k++)
        cw_order_pass(o, k);
    if (!channels)
        return o;
    o->whole = CW_NEW_ARRAY(a, struct tallies, o->nwarps);
    o->arrivals = CW_NEW_ARRAY(a, struct coverages, o->nwarps);
    o->reaches = CW_NEW(a, struct cw_map);
    cw_map_init(o->reaches, a);
    for (uint32_t w = 0; w < o->nwarps; w++) {
        o->totals[w] = *cw_order_tally(o, w);
        o->whole[w] = o->warps[w].history;
        o->arrivals[w] = o->warps[w].arrivals;
        o->has_lane_arrivals |= o->arrivals[w].n > 0;
    }
    begin_order(o);
    return o;
}
