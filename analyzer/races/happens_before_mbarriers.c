/* How far is each thread, and each warp, with the barriers in memory?
 *
 * A thread's k-th arrival is one for phase k, and its waits are counted likewise; parity says which of two phases is
 * meant. The warp's place in the channel of a barrier is that of the lane that has come least far.
 *
 * requires: barriers whose phases can be followed (races/mbarriers.h). computes: arrivals, waits and tallies. cost: the
 * lanes that reach the operation, and the lanes of a warp for each barrier that they use. preserves: phases. */
#include "races/happens_before_internal.h"

int32_t cw_order_find_mbarrier(const struct cw_order *order, const struct cw_step *step, uint32_t k, uint32_t t) {
    int32_t b = order->barriers ? cw_mbarriers_find(order->barriers, order->t, step, k, t) : -1;
    return b >= 0 && order->barriers->at[b].is_exact ? b : -1;
}

int64_t cw_order_bytes(struct cw_order *order, const struct cw_step *step, uint32_t k, uint32_t t) {
    const struct cw_ins *i = &order->fn->ins.at[step->ins];
    if (k >= i->narg)
        return 0;
    struct cw_cell n = cw_lane_value_cell(cw_lane_value_of(order->l, cw_arg(order->fn, i, k), step->context), t);
    return cw_cell_numeric(n) ? n.value : 1;
}

void cw_order_begin_mbarrier(const struct cw_order *order, struct progress *progress) {
    uint32_t n = cw_lanes_count(order->l);
    *progress = (struct progress){.done = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .waited = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .acquired = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .expecting = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .bytes = CW_NEW_ARRAY(order->a, int64_t, n)};
}

/* ---- arrivals and waits ---- */

static void arrive_at(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins, uint32_t t) {
    int32_t b = cw_order_find_mbarrier(order, step, 0, t);
    if (ins->aux == CW_MBAR_ARRIVE_COPIES || ins->aux == CW_MBAR_BIND)
        cw_order_close_copies(order, t);
    if (b < 0)
        return;
    struct progress *p = &order->progress[b];
    if (ins->aux == CW_MBAR_ARRIVE_TX || ins->aux == CW_MBAR_EXPECT) {
        p->expecting[t] = p->done[t];
        p->bytes[t] += cw_order_bytes(order, step, 2, t);
    }
    p->done[t] += cw_mbarrier_arrives(ins);
}

/* Parity says which of two phases is waited for; the one that is over already lets through at once. */
static void wait_phase(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins, uint32_t b,
                       uint32_t t) {
    struct progress *p = &order->progress[b];
    uint32_t stages = order->barriers->at[b].stages;
    switch ((enum cw_mbar_wait)ins->aux) {
    case CW_MBAR_OWN: p->waited[t] = p->done[t]; return;
    case CW_MBAR_NEXT: p->waited[t]++; return;
    case CW_MBAR_BEFORE: /* the first ones find free stages */
        p->waited[t] = ++p->acquired[t] > stages ? p->acquired[t] - stages : 0;
        return;
    case CW_MBAR_PARITY: break;
    }
    struct cw_cell parity = cw_lane_value_cell(cw_lane_value_of(order->l, cw_arg(order->fn, ins, 1), step->context), t);
    if (!cw_cell_numeric(parity) || order->is_skewed || order->warps[t / 32].blurred ||
        (parity.value & 1) == (p->waited[t] & 1))
        p->waited[t]++;
}

/* ---- warps ---- */

/* The warp's place in the channel of a barrier, for the clocks between warps. */
static void tally_barrier(const struct cw_order *order, uint32_t w, uint32_t b, struct tally *out) {
    const struct progress *p = &order->progress[b];
    const uint32_t *totals = order->barriers->at[b].arrivals;
    uint32_t least = UINT32_MAX, most = 0, waited = 0;
    for (uint32_t t = w * 32; t < w * 32 + 32 && t < cw_lanes_count(order->l); t++) {
        if (totals[t] > p->done[t] && p->done[t] < least)
            least = p->done[t];
        most = totals[t] > most ? totals[t] : most;
        waited = p->waited[t] > waited ? p->waited[t] : waited;
    }
    out->done[IN_MEMORY + b] = least != UINT32_MAX ? least : most;
    out->waited[IN_MEMORY + b] = waited;
}

/* Lanes of the warp that have arrived at the barrier, or wait there. */
static uint32_t lanes_at(const struct cw_order *order, uint32_t w, uint32_t b, uint32_t waiting) {
    uint32_t lanes = waiting;
    for (uint32_t t = w * 32; t < w * 32 + 32 && t < cw_lanes_count(order->l); t++)
        lanes |= (uint32_t)(order->progress[b].done[t] > 0) << t % 32;
    return lanes;
}

/* A lane's arrival comes behind what the lane did and what it knows of. All arrivals of a phase are needed to end
 * it. */
static void note_coverage(const struct cw_order *order, uint32_t w, uint32_t coming) {
    struct warp *warp = &order->warps[w];
    uint32_t threads = cw_lanes_count(order->l), last = threads - w * 32;
    uint32_t lanes = last < 32 ? (1u << last) - 1 : UINT32_MAX;
    if ((coming & lanes) == lanes)
        return;
    struct coverage coverage = {.version = warp->history.n - 1};
    for (uint32_t rest = coming; rest; rest &= rest - 1) {
        uint32_t u = (uint32_t)__builtin_ctz(rest);
        for (uint32_t t = 0; t < 32; t++)
            if (warp->known[u][t] > coverage.clock[t])
                coverage.clock[t] = warp->known[u][t];
        if (warp->clock[u] > coverage.clock[u])
            coverage.clock[u] = warp->clock[u];
    }
    cw_vec_push(order->a, &warp->arrivals, coverage);
}

static void meet_at(struct cw_order *order, uint32_t w, uint32_t touched, uint32_t coming, bool waits) {
    struct tally next = *cw_order_tally(order, w);
    uint32_t thread = w * 32 + (uint32_t)__builtin_ctz(coming);
    for (uint32_t b = 0; b < CW_MBARRIERS_MAX; b++) {
        if (!(touched >> b & 1))
            continue;
        tally_barrier(order, w, b, &next);
        if (waits)
            cw_order_join_lanes(&order->warps[w], lanes_at(order, w, b, coming));
    }
    cw_vec_push(order->a, &order->warps[w].history, next);
    if (!waits)
        note_coverage(order, w, coming);
    order->has_channels = true;
    for (uint32_t b = 0; waits && b < CW_MBARRIERS_MAX; b++)
        if (touched >> b & 1) {
            struct passing p = {next.waited[IN_MEMORY + b], thread, order->phase, cw_order_stamp(order, thread)};
            cw_vec_push(order->a, &order->progress[b].passed, p);
        }
}

/* At a barrier that is not followed. */
static void wait_somewhere(struct cw_order *order, uint32_t w) {
    order->warps[w].waited_phase = order->phase + 1;
    cw_order_join_lanes(&order->warps[w], UINT32_MAX);
}

void cw_order_use_mbarrier(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins,
                           const struct cw_lane_cond *reach) {
    bool waits = ins->op == CW_OP_MBARWAIT;
    for (uint32_t w = 0; w < order->nwarps; w++) {
        uint32_t coming = cw_order_lanes_coming(order, reach, w), touched = 0;
        for (uint32_t lanes = coming; lanes; lanes &= lanes - 1) {
            uint32_t t = w * 32 + (uint32_t)__builtin_ctz(lanes);
            int32_t b = cw_order_find_mbarrier(order, step, 0, t);
            if (!waits)
                arrive_at(order, step, ins, t);
            else if (b < 0)
                wait_somewhere(order, w);
            else
                wait_phase(order, step, ins, (uint32_t)b, t);
            touched |= b >= 0 ? 1u << b : 0;
        }
        if (touched)
            meet_at(order, w, touched, coming, waits);
    }
}
