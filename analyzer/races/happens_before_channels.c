/* Which warps come behind what a warp did, by the channels between them?
 *
 * Each operation of a warp on a channel makes a new version of its tally: how often it has taken part in each, and
 * which of its operations waited last. What an event reaches is, of each channel, the arrival from which on operations
 * come behind it; other warps carry that on, to a fixed point over the whole history of a first run.
 *
 * requires: for reaches, `whole` and `totals` of the first run. computes: reaches, each once. cost: warps times
 * channels for each round, a bisection of the history for each. preserves: the histories, but for an operation. */
#include "races/happens_before_internal.h"

#include <string.h>

const struct tally *cw_order_tally(const struct cw_order *order, uint32_t warp) {
    return &cw_vec_last(&order->warps[warp].history);
}

void cw_order_operate_channel(struct cw_order *order, uint32_t warp, uint32_t channel, bool waits) {
    struct tally next = *cw_order_tally(order, warp);
    next.done[channel]++;
    if (waits)
        next.waited[channel] = next.done[channel];
    cw_vec_push(order->a, &order->warps[warp].history, next);
    order->has_channels = true;
}

/* ---- what an event reaches ---- */

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

const struct reach *cw_order_reach(const struct cw_order *order, uint32_t w, uint32_t version) {
    uint64_t key = (uint64_t)w << 32 | version, at;
    if (cw_map_get(order->reaches, key, &at))
        return (const struct reach *)(uintptr_t)at;
    struct reach *r = new_reach(order);
    extend_reach(order, w, &order->whole[w].at[version], r);
    spread_reach(order, r);
    cw_map_put(order->reaches, key, (uint64_t)(uintptr_t)r);
    return r;
}

const struct reach *cw_order_reach_of_phase(const struct cw_order *order, struct cw_copy_end end) {
    uint64_t key = UINT64_C(1) << 63 | (uint64_t)end.barrier << 32 | end.number, at;
    if (cw_map_get(order->reaches, key, &at))
        return (const struct reach *)(uintptr_t)at;
    struct reach *r = new_reach(order);
    r->from[IN_MEMORY + end.barrier] = end.number;
    spread_reach(order, r);
    cw_map_put(order->reaches, key, (uint64_t)(uintptr_t)r);
    return r;
}

bool cw_order_is_behind(const struct reach *reach, const struct tally *now) {
    for (uint32_t c = 0; c < CHANNELS; c++)
        if (now->waited[c] > reach->from[c])
            return true;
    return false;
}

/* The version from which on operations of the warp come behind what the thread did: lanes that arrive before they know
 * of it do not count. */
static uint32_t version_behind(const struct cw_order *order, uint32_t t, struct cw_stamp then) {
    const struct coverages *arrivals = &order->arrivals[t / 32];
    uint32_t version = then.version, low = 0, high = arrivals->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (arrivals->at[middle].version > version)
            high = middle;
        else
            low = middle + 1;
    }
    for (uint32_t k = low; k < arrivals->n && arrivals->at[k].version == version + 1 &&
                           arrivals->at[k].clock[t % 32] < then.clock;
         k++)
        version++;
    return version;
}

bool cw_order_channel_orders(const struct cw_order *order, uint32_t v, uint32_t t, struct cw_stamp then) {
    return cw_order_is_behind(cw_order_reach(order, t / 32, version_behind(order, t, then)),
                              cw_order_tally(order, v)) ||
           cw_order_is_behind(cw_order_reach(order, v, order->warps[v].history.n - 1),
                              &order->warps[t / 32].history.at[then.version]);
}
