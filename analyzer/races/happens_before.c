/* See happens_before.h. */
#include "races/happens_before.h"

#include "base/map.h"
#include "lanes/condition.h"
#include "races/flag_sync.h"
#include "races/mbarriers.h"
#include "uniformity/unknown_calls.h"

#include <string.h>

enum {
    NAMED = 16,                           /* hardware barriers, 0 … 15, */
    IN_MEMORY = NAMED + 8,                /* groups of 64, 128, … threads, */
    CHANNELS = IN_MEMORY + CW_MBARRIERS_MAX /* and barriers in memory */
};

/* How often a warp has taken part in each channel, and which of its operations waited last. Of a barrier in memory:
 * arrivals of the lane that has come least far of those that arrive again, and phases waited for. */
struct tally {
    uint32_t done[CHANNELS], waited[CHANNELS];
};

struct tallies {
    struct tally *at;
    uint32_t n, cap;
};

struct warp {
    uint32_t known[32][32]; /* [u][t]: the last clock of lane t that lane u is ordered behind */
    uint32_t clock[32];
    struct tallies history;       /* the last one is now */
    uint32_t waited_phase;        /* 1 + phase of the last wait on an mbarrier */
    uint32_t polled_phase[32];    /* 1 + phase of the lane's last wait for memory, or of one it learnt of */
};

struct completion { /* groups up to `groups` of one thread are complete since then */
    uint32_t groups, phase;
    struct cw_stamp stamp;
};

struct completions {
    struct completion *at;
    uint32_t n, cap;
};

struct async {
    uint32_t committed, consumed;
    struct completions done; /* each of more groups than the one before */
};

/* What one thread has started: by cp.async; by the bulk copy engine, that it has read the source, and all; by wgmma. */
enum queue { COPIES, BULK_READS, BULK, MATRIX, QUEUES };

struct passing { /* a thread has seen that so many phases are over */
    uint32_t phases, thread, phase;
    struct cw_stamp stamp;
};

/* How far each thread is with a barrier in memory. */
struct progress {
    uint32_t *done, *waited, *acquired;
    uint32_t *expecting; /* the phase for which bytes are expected, */
    int64_t *bytes;      /* and how many of them no copy has brought yet */
    CW_VEC(struct passing) passed;
};

struct cw_order {
    const struct cw_event_trace *t;
    struct cw_lanes *l;
    const struct cw_fn *fn;
    struct cw_arena *a;
    uint32_t phase, epoch, nwarps, assume;
    const bool *signals;   /* per thread; NULL: all do */
    struct warp *warps;
    struct tally *totals;  /* per warp, of the whole timeline, */
    struct tallies *whole; /* and on the way there; NULL where nothing uses a channel */
    struct cw_map *reaches;/* struct reach by event */
    bool has_channels;
    bool is_skewed;        /* parity does not say which phase is meant */
    uint32_t gaps; /* so far: whatever was under way before one is over */
    bool has_arrive;       /* some warps only arrive at a barrier: what they do next is not ordered by it */
    uint32_t *passed;      /* per thread: block barriers */
    struct async *async[QUEUES]; /* per thread; NULL until the first commit */
    const struct cw_mbarriers *barriers; /* NULL: none */
    struct progress progress[CW_MBARRIERS_MAX];
    struct cw_copy_end *started; /* per thread: of the copy in the step passed last; NULL until there is one */
};

/* ---- channels ---- */

static const struct tally *now_of(const struct cw_order *order, uint32_t warp) {
    return &cw_vec_last(&order->warps[warp].history);
}

static void operate_channel(struct cw_order *order, uint32_t warp, uint32_t channel, bool waits) {
    struct tally next = *now_of(order, warp);
    next.done[channel]++;
    if (waits)
        next.waited[channel] = next.done[channel];
    cw_vec_push(order->a, &order->warps[warp].history, next);
    order->has_channels = true;
}

/* What is ordered behind some event: of each channel, the arrival from which on. A warp that has waited for a later one
 * comes behind the event. */
struct reach {
    uint32_t from[CHANNELS];
};

/* The first version of the warp that has waited for an arrival at or behind the event; UINT32_MAX: none. */
static uint32_t first_behind(const struct cw_order *order, uint32_t x, const struct reach *reach) {
    uint32_t first = UINT32_MAX;
    for (uint32_t c = 0; c < CHANNELS; c++) {
        uint32_t low = 0, high = order->whole[x].n;
        if (order->totals[x].waited[c] <= reach->from[c])
            continue;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (order->whole[x].at[middle].waited[c] > reach->from[c])
                high = middle;
            else
                low = middle + 1;
        }
        first = low < first ? low : first;
    }
    return first;
}

/* Arrivals of warp x from this version on are behind the event, too. */
static bool extend_reach(const struct cw_order *order, uint32_t x, const struct tally *at, struct reach *reach) {
    bool grew = false;
    for (uint32_t c = 0; c < CHANNELS; c++)
        if (order->totals[x].done[c] > at->done[c] && at->done[c] < reach->from[c]) {
            reach->from[c] = at->done[c];
            grew = true;
        }
    return grew;
}

/* To a fixed point: other warps carry the order on. Each round lets at least one warp come behind the event earlier. */
static void spread_reach(const struct cw_order *order, struct reach *reach) {
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t x = 0; x < order->nwarps; x++) {
            uint32_t first = first_behind(order, x, reach);
            grew |= first != UINT32_MAX && extend_reach(order, x, &order->whole[x].at[first], reach);
        }
    }
}

static struct reach *new_reach(const struct cw_order *order) {
    struct reach *r = CW_NEW(order->a, struct reach);
    memset(r->from, 0xff, sizeof r->from);
    return r;
}

/* Of what warp w does at this version. */
static const struct reach *reach_of(const struct cw_order *order, uint32_t w, uint32_t version) {
    uint64_t key = (uint64_t)w << 32 | version, at;
    if (cw_map_get(order->reaches, key, &at))
        return (const struct reach *)(uintptr_t)at;
    struct reach *r = new_reach(order);
    extend_reach(order, w, &order->whole[w].at[version], r);
    spread_reach(order, r);
    cw_map_put(order->reaches, key, (uint64_t)(uintptr_t)r);
    return r;
}

static bool is_behind(const struct reach *reach, const struct tally *now) {
    for (uint32_t c = 0; c < CHANNELS; c++)
        if (now->waited[c] > reach->from[c])
            return true;
    return false;
}

static bool channel_orders(const struct cw_order *order, uint32_t v, uint32_t w, uint32_t version) {
    return is_behind(reach_of(order, w, version), now_of(order, v)) ||
           is_behind(reach_of(order, v, order->warps[v].history.n - 1), &order->warps[w].history.at[version]);
}

/* ---- warps ---- */

static void join_lanes(struct warp *warp, uint32_t lanes) {
    uint32_t all[32] = {0}, polled = 0;
    for (uint32_t u = 0; u < 32; u++) {
        if (!(lanes >> u & 1))
            continue;
        polled = warp->polled_phase[u] > polled ? warp->polled_phase[u] : polled;
        for (uint32_t t = 0; t < 32; t++)
            all[t] = warp->known[u][t] > all[t] ? warp->known[u][t] : all[t];
        all[u] = warp->clock[u] > all[u] ? warp->clock[u] : all[u];
    }
    for (uint32_t u = 0; u < 32; u++)
        if (lanes >> u & 1) {
            memcpy(warp->known[u], all, sizeof all);
            warp->polled_phase[u] = polled;
            warp->clock[u]++;
        }
}

static uint32_t mask_of(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                        uint32_t t) {
    cw_ref r = ins->narg ? cw_arg(order->fn, ins, 0) : CW_NONE;
    if (r.tag == CW_REF_NONE || r.tag == CW_REF_UNDEF)
        return UINT32_MAX;
    if (cw_ref_type(order->fn, r) == CW_GROUP) {
        struct cw_team team = cw_lanes_team(order->l, r, context, t);
        return team.known && team.in_warp ? team.lanes | 1u << t % 32 : UINT32_MAX;
    }
    struct cw_cell m = cw_lane_value_cell(cw_lane_value_of(order->l, r, context), t);
    bool named = cw_cell_numeric(m) && ((uint32_t)m.value >> t % 32 & 1);
    return named ? (uint32_t)m.value : UINT32_MAX; /* a caller that is not in its mask is another finding */
}

/* A caller whose own bit its mask leaves out: that finding is told, and what follows from it is not told again. */
static bool is_stray(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context, uint32_t t) {
    cw_ref r = ins->narg ? cw_arg(order->fn, ins, 0) : CW_NONE;
    if (r.tag == CW_REF_NONE || r.tag == CW_REF_UNDEF || cw_ref_type(order->fn, r) == CW_GROUP)
        return false;
    struct cw_cell m = cw_lane_value_cell(cw_lane_value_of(order->l, r, context), t);
    return cw_cell_numeric(m) && !((uint64_t)m.value >> (t % 32) & 1);
}

/* Each distinct set of lanes that callers name is joined once. */
static void sync_warp(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                      const struct cw_lane_cond *reach, uint32_t warp) {
    uint32_t seen[32], nseen = 0,
                       end = warp * 32 + 32 < cw_lanes_count(order->l) ? warp * 32 + 32 : cw_lanes_count(order->l),
                       strays = 0;
    for (uint32_t t = warp * 32; t < end; t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE && is_stray(order, ins, context, t))
            strays |= 1u << t % 32;
    for (uint32_t t = warp * 32; t < end; t++) {
        if (cw_lane_cond_at(reach, t) == CW_BDD_FALSE)
            continue;
        uint32_t lanes = mask_of(order, ins, context, t) | strays, k = 0;
        while (k < nseen && seen[k] != lanes)
            k++;
        if (k < nseen)
            continue;
        seen[nseen++] = lanes;
        join_lanes(&order->warps[warp], lanes);
    }
}

/* ---- who comes ---- */

/* The lanes of a warp that may come. */
static uint32_t lanes_coming(const struct cw_order *order, const struct cw_lane_cond *reach, uint32_t warp) {
    uint32_t lanes = 0;
    for (uint32_t t = warp * 32; t < warp * 32 + 32 && t < cw_lanes_count(order->l); t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            lanes |= 1u << t % 32;
    return lanes;
}

static bool warp_comes(const struct cw_order *order, const struct cw_lane_cond *reach, uint32_t warp) {
    return lanes_coming(order, reach, warp) != 0;
}

static void use_channel(struct cw_order *order, const struct cw_lane_cond *reach, uint32_t channel, bool waits) {
    for (uint32_t w = 0; w < order->nwarps; w++)
        if (warp_comes(order, reach, w))
            operate_channel(order, w, channel, waits);
}

/* The operand as one number for all threads; false when it is none. */
static bool number_of(struct cw_order *order, cw_ref ref, const struct cw_context *context,
                      const struct cw_lane_cond *reach, int64_t *value) {
    const struct cw_lane_value *v = cw_lane_value_of(order->l, ref, context);
    bool found = false;
    for (uint32_t t = 0; t < cw_lanes_count(order->l); t++) {
        struct cw_cell cell = cw_lane_value_cell(v, t);
        if (cw_lane_cond_at(reach, t) == CW_BDD_FALSE)
            continue;
        if (!cw_cell_numeric(cell) || (found && cell.value != *value))
            return false;
        *value = cell.value;
        found = true;
    }
    return found;
}

/* A barrier of all threads ends the phase; one of some warps is a channel. Warps may give their own id,
 * `bar.sync w, 64`.
 */
static void apply_barrier(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                          const struct cw_lane_cond *reach) {
    int64_t id = 0, count = 0;
    bool whole = number_of(order, cw_arg(order->fn, ins, 1), context, reach, &count) &&
                 (count == 0 || count >= cw_lanes_count(order->l));
    bool met_by_arrival =
        order->has_arrive && !(number_of(order, cw_arg(order->fn, ins, 0), context, reach, &id) && id == 0);
    if (whole && ins->aux != CW_BARRIER_ARRIVE && !met_by_arrival) {
        for (uint32_t t = 0; t < cw_lanes_count(order->l); t++)
            order->passed[t] += cw_lane_cond_at(reach, t) != CW_BDD_FALSE;
        order->phase++;
        return;
    }
    const struct cw_lane_value *ids = cw_lane_value_of(order->l, cw_arg(order->fn, ins, 0), context);
    for (uint32_t w = 0; w < order->nwarps; w++) {
        struct cw_cell cell = cw_lane_value_cell(ids, w * 32);
        id = cell.value;
        if (!warp_comes(order, reach, w))
            continue;
        if (!cw_cell_numeric(cell) || id < 0 || id >= NAMED)
            order->phase++;
        else
            operate_channel(order, w, (uint32_t)id, ins->aux != CW_BARRIER_ARRIVE);
        if (ins->aux != CW_BARRIER_ARRIVE)
            join_lanes(&order->warps[w],
                       lanes_coming(order, reach, w)); /* who waits at a barrier of some warps waits for its own, too */
    }
}

static void sync_group(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                       const struct cw_lane_cond *reach) {
    uint32_t size = 32, first = 0;
    if (ins->narg && cw_ref_type(order->fn, cw_arg(order->fn, ins, 0)) == CW_GROUP) {
        while (first + 1 < cw_lanes_count(order->l) && cw_lane_cond_at(reach, first) == CW_BDD_FALSE)
            first++;
        struct cw_team team = cw_lanes_team(order->l, cw_arg(order->fn, ins, 0), context, first);
        size = team.known && !team.in_warp ? team.size : 32;
    }
    if (size >= cw_lanes_count(order->l) && size > 32) {
        order->phase++;
    } else if (size > 32) {
        uint32_t log = 0;
        while (size >> (log + 6) > 1 && log < CHANNELS - NAMED - 1)
            log++;
        use_channel(order, reach, NAMED + log, true);
    }
    for (uint32_t w = 0; w < order->nwarps; w++) /* also within each warp of a larger group */
        sync_warp(order, ins, context, reach, w);
}

/* ---- asynchronous copies ---- */

static struct async *async_of(struct cw_order *order, enum queue queue) {
    if (!order->async[queue])
        order->async[queue] = CW_NEW_ARRAY(order->a, struct async, cw_lanes_count(order->l));
    return order->async[queue];
}

static void complete_groups(struct cw_order *order, enum queue queue, uint32_t t, uint32_t groups) {
    struct completion done = {groups, order->phase, cw_order_stamp(order, t)};
    struct completions *all = &async_of(order, queue)[t].done;
    if (groups > (all->n ? cw_vec_last(all).groups : 0)) /* else it completes nothing that was not complete */
        cw_vec_push(order->a, all, done);
}

static bool is_closed_by(enum queue queue, uint32_t commit) {
    return commit == CW_COPY_MATRIX ? queue == MATRIX
           : commit == CW_COPY_BULK ? queue == BULK || queue == BULK_READS
                                    : queue == COPIES;
}

static enum queue queue_of_wait(enum cw_wait wait) {
    switch (wait) {
    case CW_WAIT_BULK: return BULK;
    case CW_WAIT_BULK_READ: return BULK_READS;
    case CW_WAIT_MATRIX: return MATRIX;
    case CW_WAIT_GROUPS: case CW_WAIT_OLDEST: break;
    }
    return COPIES;
}

/* The queue in which an operation is counted when it begins. */
static enum queue queue_of_start(uint32_t how) {
    return how == CW_COPY_MATRIX ? MATRIX : how == CW_COPY_BULK ? BULK : COPIES;
}

static void commit_copies(struct cw_order *order, const struct cw_ins *ins, const struct cw_lane_cond *reach) {
    for (uint32_t q = 0; q < QUEUES; q++)
        for (uint32_t t = 0; is_closed_by((enum queue)q, ins->aux) && t < cw_lanes_count(order->l); t++)
            async_of(order, (enum queue)q)[t].committed += cw_lane_cond_at(reach, t) != CW_BDD_FALSE;
}

static void wait_copies(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                        const struct cw_lane_cond *reach) {
    const struct cw_lane_value *pending = cw_lane_value_of(order->l, cw_arg(order->fn, ins, 0), context);
    enum queue q = queue_of_wait((enum cw_wait)ins->aux);
    struct async *all = async_of(order, q);
    for (uint32_t t = 0; t < cw_lanes_count(order->l); t++) {
        struct cw_cell n = cw_lane_value_cell(pending, t);
        uint32_t left = cw_cell_numeric(n) && n.value > 0 ? (uint32_t)n.value : 0, committed = all[t].committed;
        if (cw_lane_cond_at(reach, t) == CW_BDD_FALSE)
            continue;
        if (ins->aux == CW_WAIT_OLDEST)
            complete_groups(order, q, t, committed > all[t].consumed ? ++all[t].consumed : committed);
        else
            complete_groups(order, q, t, committed > left ? committed - left : 0);
        if (q == BULK)
            complete_groups(order, BULK_READS, t, committed > left ? committed - left : 0);
    }
}

/* Copies that an arrival carries with it: who is ordered behind the arrival is ordered behind them. */
static void close_copies(struct cw_order *order, uint32_t t) {
    struct async *own = &async_of(order, COPIES)[t];
    complete_groups(order, COPIES, t, ++own->committed);
}

/* ---- barriers in memory ---- */

static int32_t find_mbarrier(const struct cw_order *order, const struct cw_step *step, uint32_t k, uint32_t t) {
    int32_t b = order->barriers ? cw_mbarriers_find(order->barriers, order->t, step, k, t) : -1;
    return b >= 0 && order->barriers->at[b].is_exact ? b : -1;
}

static int64_t bytes_at(struct cw_order *order, const struct cw_step *step, uint32_t k, uint32_t t) {
    const struct cw_ins *i = &order->fn->ins.at[step->ins];
    if (k >= i->narg)
        return 0;
    struct cw_cell n = cw_lane_value_cell(cw_lane_value_of(order->l, cw_arg(order->fn, i, k), step->context), t);
    return cw_cell_numeric(n) ? n.value : 1;
}

static void arrive_at(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins, uint32_t t) {
    int32_t b = find_mbarrier(order, step, 0, t);
    if (ins->aux == CW_MBAR_ARRIVE_COPIES || ins->aux == CW_MBAR_BIND)
        close_copies(order, t);
    if (b < 0)
        return;
    struct progress *p = &order->progress[b];
    if (ins->aux == CW_MBAR_ARRIVE_TX || ins->aux == CW_MBAR_EXPECT) {
        p->expecting[t] = p->done[t];
        p->bytes[t] += bytes_at(order, step, 2, t);
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
    if (!cw_cell_numeric(parity) || order->is_skewed || (parity.value & 1) == (p->waited[t] & 1))
        p->waited[t]++;
}

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

static void meet_at(struct cw_order *order, uint32_t w, uint32_t touched, uint32_t coming, bool waits) {
    struct tally next = *now_of(order, w);
    uint32_t thread = w * 32 + (uint32_t)__builtin_ctz(coming);
    for (uint32_t b = 0; b < CW_MBARRIERS_MAX; b++) {
        if (!(touched >> b & 1))
            continue;
        tally_barrier(order, w, b, &next);
        if (waits)
            join_lanes(&order->warps[w], lanes_at(order, w, b, coming));
    }
    cw_vec_push(order->a, &order->warps[w].history, next);
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
    join_lanes(&order->warps[w], UINT32_MAX);
}

static void use_barrier(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins,
                        const struct cw_lane_cond *reach) {
    bool waits = ins->op == CW_OP_MBARWAIT;
    for (uint32_t w = 0; w < order->nwarps; w++) {
        uint32_t coming = lanes_coming(order, reach, w), touched = 0;
        for (uint32_t lanes = coming; lanes; lanes &= lanes - 1) {
            uint32_t t = w * 32 + (uint32_t)__builtin_ctz(lanes);
            int32_t b = find_mbarrier(order, step, 0, t);
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

/* ---- copies that begin ---- */

static struct cw_copy_end end_of(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins,
                                 uint32_t t) {
    struct cw_copy_end end = {.how = (uint8_t)ins->aux, .is_known = true, .gaps = order->gaps};
    if (ins->aux != CW_COPY_BARRIER) {
        const struct async *all = order->async[queue_of_start(ins->aux)];
        end.number = all ? all[t].committed : 0;
        return end;
    }
    int32_t b = find_mbarrier(order, step, 3, t);
    end.is_known = b >= 0;
    if (b < 0)
        return end;
    struct progress *p = &order->progress[b];
    end.barrier = (uint8_t)b;
    end.number = p->bytes[t] > 0 ? p->expecting[t] : p->done[t];
    p->bytes[t] -= bytes_at(order, step, 2, t);
    return end;
}

static void start_copies(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(order->l, ins->block, step->context);
    if (!order->started)
        order->started = CW_NEW_ARRAY(order->a, struct cw_copy_end, cw_lanes_count(order->l));
    for (uint32_t t = 0; t < cw_lanes_count(order->l); t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            order->started[t] = end_of(order, step, ins, t);
}

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

/* Iterations were left out: whatever was under way is over, and how many phases there were is not known. Where they
 * order lanes of warps alone, it is over for these. */
static void leave_out(struct cw_order *order, bool is_of_warps) {
    for (uint32_t q = 0; q < QUEUES; q++)
        for (uint32_t t = 0; order->async[q] && t < cw_lanes_count(order->l); t++) {
            order->async[q][t].consumed = ++order->async[q][t].committed;
            complete_groups(order, (enum queue)q, t, order->async[q][t].committed);
        }
    if (is_of_warps) {
        for (uint32_t w = 0; w < order->nwarps; w++)
            join_lanes(&order->warps[w], UINT32_MAX);
        return;
    }
    order->phase++;
    order->gaps++;
    order->is_skewed = true;
}

void cw_order_pass(struct cw_order *order, uint32_t k) {
    const struct cw_step *s = &order->t->steps.at[k];
    if (order->t->absent && cw_bitset_has(order->t->absent, k))
        return;
    if (s->kind == CW_STEP_GAP)
        leave_out(order, s->is_of_warps);
    if (s->kind == CW_STEP_ACCESS && cw_ins_is_asynchronous(&order->fn->ins.at[s->ins]))
        start_copies(order, s, &order->fn->ins.at[s->ins]);
    if (s->kind != CW_STEP_SYNC)
        return;
    const struct cw_ins *i = &order->fn->ins.at[s->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(order->l, i->block, s->context);
    if (order->assume != CW_BDD_TRUE)
        reach = cw_lane_cond_and(order->l, reach, cw_lane_cond_one(order->l, order->assume));
    if (cw_lane_cond_is(order->l, reach, CW_BDD_FALSE))
        return;
    switch (i->op) {
    case CW_OP_BARRIER: apply_barrier(order, i, s->context, reach); return;
    case CW_OP_SYNCWARP: sync_group(order, i, s->context, reach); return;
    case CW_OP_ASYNCCOMMIT: commit_copies(order, i, reach); return;
    case CW_OP_ASYNCWAIT: wait_copies(order, i, s->context, reach); return;
    case CW_OP_MBARARRIVE:
    case CW_OP_MBARWAIT: use_barrier(order, s, i, reach); return;
    default:
        if (cw_bitset_has(&order->t->roles->polls, s->ins))
            wait_for_memory(order, reach);
        else if (!order->t->passes_calls || cw_call_order_of(order->t->roles->memory, i) != CW_CALL_MAY)
            order->phase++;
        return;
    }
}

/* ---- questions ---- */

uint32_t cw_order_phase(const struct cw_order *order) {
    return order->phase;
}

struct cw_stamp cw_order_stamp(const struct cw_order *order, uint32_t t) {
    const struct warp *w = &order->warps[t / 32];
    return (struct cw_stamp){w->clock[t % 32], w->history.n - 1, order->passed[t], order->epoch,
                             w->polled_phase[t % 32] == order->phase + 1, w->waited_phase == order->phase + 1};
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

bool cw_order_knows(const struct cw_order *order, uint32_t u, uint32_t t, struct cw_stamp then, bool is_flag) {
    const struct warp *w = &order->warps[u / 32];
    if (then.passed != order->passed[u])
        return true;
    bool polled = !is_flag && (then.polled || w->polled_phase[u % 32] == order->phase + 1);
    bool waited = polled || then.epoch != order->epoch;
    if (waited && cw_order_signals(order, u) && cw_order_signals(order, t))
        return true;
    if (t / 32 == u / 32)
        return w->known[u % 32][t % 32] >= then.clock;
    return then.waited || w->waited_phase == order->phase + 1 ||
           (order->has_channels && channel_orders(order, u / 32, t / 32, then.version));
}

struct cw_copy_end cw_order_copy_end(const struct cw_order *order, uint32_t t) {
    return order->started ? order->started[t] : (struct cw_copy_end){.is_known = true};
}

/* Does what thread u does now come before what thread t did at `then`, which is laid out earlier? */
static bool comes_before(const struct cw_order *order, uint32_t u, uint32_t t, struct cw_stamp then) {
    return order->has_channels && u / 32 != t / 32 &&
           is_behind(reach_of(order, u / 32, order->warps[u / 32].history.n - 1),
                     &order->warps[t / 32].history.at[then.version]);
}

/* Of the end of a phase. */
static const struct reach *reach_of_phase(const struct cw_order *order, struct cw_copy_end end) {
    uint64_t key = UINT64_C(1) << 63 | (uint64_t)end.barrier << 32 | end.number, at;
    if (cw_map_get(order->reaches, key, &at))
        return (const struct reach *)(uintptr_t)at;
    struct reach *r = new_reach(order);
    r->from[IN_MEMORY + end.barrier] = end.number;
    spread_reach(order, r);
    cw_map_put(order->reaches, key, (uint64_t)(uintptr_t)r);
    return r;
}

static enum cw_copy_state by_phase(const struct cw_order *order, uint32_t u, struct cw_copy_end end) {
    const struct progress *p = &order->progress[end.barrier];
    enum cw_copy_state state = CW_COPY_PENDING;
    if (end.gaps != order->gaps)
        return CW_COPY_OVER;
    if (is_behind(reach_of_phase(order, end), now_of(order, u / 32)))
        return CW_COPY_ORDERED;
    for (uint32_t k = 0; k < p->passed.n; k++) {
        const struct passing *x = &p->passed.at[k];
        if (x->phases <= end.number)
            continue;
        if (x->phase < order->phase || cw_order_knows(order, u, x->thread, x->stamp, false))
            return CW_COPY_ORDERED;
        state = CW_COPY_UNORDERED;
    }
    return state;
}

/* The first completion of the group, by bisection; NULL: none. */
static const struct completion *completion_of(const struct completions *all, uint32_t group) {
    uint32_t low = 0, high = all->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (all->at[middle].groups > group)
            high = middle;
        else
            low = middle + 1;
    }
    return low < all->n ? &all->at[low] : NULL;
}

static enum cw_copy_state by_group(const struct cw_order *order, enum queue queue, uint32_t u, uint32_t t,
                                   uint32_t group) {
    const struct completion *c = order->async[queue] ? completion_of(&order->async[queue][t].done, group) : NULL;
    if (!c)
        return CW_COPY_PENDING;
    if (c->phase < order->phase)
        return CW_COPY_OVER;
    return t == u || cw_order_knows(order, u, t, c->stamp, false) ? CW_COPY_ORDERED : CW_COPY_UNORDERED;
}

enum cw_copy_state cw_order_copy_state(const struct cw_order *order, uint32_t u, uint32_t t, struct cw_copy_end end,
                                       struct cw_stamp start, bool reads) {
    enum queue queue = end.how == CW_COPY_BULK && reads ? BULK_READS : queue_of_start(end.how);
    enum cw_copy_state state =
        end.how == CW_COPY_BARRIER ? by_phase(order, u, end) : by_group(order, queue, u, t, end.number);
    return state < CW_COPY_ORDERED && comes_before(order, u, t, start) ? CW_COPY_ORDERED : state;
}

/* ---- beginning ---- */

static void begin_barrier(const struct cw_order *order, struct progress *progress) {
    uint32_t n = cw_lanes_count(order->l);
    *progress = (struct progress){.done = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .waited = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .acquired = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .expecting = CW_NEW_ARRAY(order->a, uint32_t, n),
                                  .bytes = CW_NEW_ARRAY(order->a, int64_t, n)};
}

static void begin_order(struct cw_order *order) {
    struct tally none = {{0}, {0}};
    order->phase = order->epoch = 0;
    order->is_skewed = false;
    order->warps = CW_NEW_ARRAY(order->a, struct warp, order->nwarps);
    memset(order->async, 0, sizeof order->async);
    order->passed = CW_NEW_ARRAY(order->a, uint32_t, cw_lanes_count(order->l));
    for (uint32_t b = 0; order->barriers && b < order->barriers->n; b++)
        begin_barrier(order, &order->progress[b]);
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
        channels =
            trace->steps.at[k].kind == CW_STEP_SYNC && may_use_channel(o->fn, &o->fn->ins.at[trace->steps.at[k].ins]);
    for (uint32_t k = 0; k < trace->steps.n && !o->has_arrive; k++)
        o->has_arrive = is_arrival(o->fn, &trace->steps.at[k]);
    o->totals = CW_NEW_ARRAY(a, struct tally, o->nwarps);
    for (uint32_t k = 0; k < trace->steps.n && channels; k++)
        cw_order_pass(o, k);
    if (!channels)
        return o;
    o->whole = CW_NEW_ARRAY(a, struct tallies, o->nwarps);
    o->reaches = CW_NEW(a, struct cw_map);
    cw_map_init(o->reaches, a);
    for (uint32_t w = 0; w < o->nwarps; w++) {
        o->totals[w] = *now_of(o, w);
        o->whole[w] = o->warps[w].history;
    }
    begin_order(o);
    return o;
}
