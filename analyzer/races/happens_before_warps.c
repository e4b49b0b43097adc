/* What do barriers and the sync of a warp or group order?
 *
 * A sync joins the vector clocks of the lanes that its callers name. A barrier of all threads, or a group as large as
 * the block, ends the phase; those of some warps are operations on a channel.
 *
 * requires: who reaches the operation, as a condition. computes: clocks, phases and tallies behind it. cost: the
 * square of a warp's lanes for each distinct set of them. preserves: what lies before. */
#include "races/happens_before_internal.h"

#include <string.h>

/* ---- warps ---- */

void cw_order_join_lanes(struct warp *warp, uint32_t lanes) {
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
        cw_order_join_lanes(&order->warps[warp], lanes);
    }
}

/* ---- who comes ---- */

uint32_t cw_order_lanes_coming(const struct cw_order *order, const struct cw_lane_cond *reach, uint32_t warp) {
    uint32_t lanes = 0;
    for (uint32_t t = warp * 32; t < warp * 32 + 32 && t < cw_lanes_count(order->l); t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            lanes |= 1u << t % 32;
    return lanes;
}

static bool warp_comes(const struct cw_order *order, const struct cw_lane_cond *reach, uint32_t warp) {
    return cw_order_lanes_coming(order, reach, warp) != 0;
}

static void use_channel(struct cw_order *order, const struct cw_lane_cond *reach, uint32_t channel, bool waits) {
    for (uint32_t w = 0; w < order->nwarps; w++)
        if (warp_comes(order, reach, w))
            cw_order_operate_channel(order, w, channel, waits);
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

/* ---- barriers and groups ---- */

void cw_order_apply_barrier(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
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
            cw_order_operate_channel(order, w, (uint32_t)id, ins->aux != CW_BARRIER_ARRIVE);
        if (ins->aux != CW_BARRIER_ARRIVE)
            cw_order_join_lanes(&order->warps[w],
                                cw_order_lanes_coming(
                                    order, reach, w)); /* who waits at a barrier of some warps waits for its own, too */
    }
}

void cw_order_sync_group(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
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
