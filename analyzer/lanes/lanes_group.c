/* Cooperative groups: who is in the group of a thread, and what rank and size are. */
#include "lanes/lanes_internal.h"

enum { NEST_MAX = 6 };

static struct cw_team unknown_team(void) {
    return (struct cw_team){.known = false};
}

static struct cw_team whole_block(const struct cw_lanes *lanes, uint32_t t) {
    return (struct cw_team){.known = true,
                            .rank = t,
                            .size = lanes->threads,
                            .siblings = 1,
                            .in_warp = lanes->threads <= 32,
                            .lanes = lanes->threads >= 32 ? UINT32_MAX : (1u << lanes->threads) - 1};
}

/* Tiles cut their parent's ranks into runs of `size`; within a block these are runs of threads. */
static struct cw_team tile_of(const struct cw_lanes *lanes, struct cw_team parent, uint32_t size, uint32_t t) {
    if (size == 0 || (size & (size - 1)) != 0)
        return unknown_team();
    struct cw_team g = {.known = true, .rank = parent.rank % size, .size = size, .above = parent.rank / size,
                        .siblings = (parent.size + size - 1) / size, .in_warp = size <= 32};
    if (g.in_warp) {
        uint32_t first = (t - g.rank) % 32;
        g.lanes = (size == 32 ? UINT32_MAX : (1u << size) - 1) << first;
        for (uint32_t lane = first; lane < first + size; lane++)
            if (t - t % 32 + lane >= lanes->threads)
                g.lanes &= ~(1u << lane);
    }
    return g;
}

/* Members of the parent whose label is the same number. */
static struct cw_team split_by_label(struct cw_lanes *lanes, struct cw_team parent, const struct cw_lane_value *label,
                                     uint32_t t) {
    if (!parent.in_warp || !cw_cell_numeric(cw_lane_value_cell(label, t)))
        return unknown_team();
    struct cw_team g = {.known = true, .in_warp = true, .siblings = 1};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t u = t - t % 32 + lane;
        if (!(parent.lanes >> lane & 1) || u >= lanes->threads)
            continue;
        struct cw_cell c = cw_lane_value_cell(label, u);
        if (!cw_cell_numeric(c))
            return unknown_team();
        if (c.value != cw_lane_value_cell(label, t).value)
            continue;
        g.lanes |= 1u << lane;
        g.rank += u < t;
        g.size++;
    }
    return g;
}

/* All threads of the parent must be there to tell who joins a labelled group. */
static bool all_there(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context) {
    return cw_lane_cond_is(lanes, cw_lane_cond_reach(lanes, block, context), CW_BDD_TRUE);
}

static struct cw_team team_at(struct cw_lanes *l, cw_ref group, const struct cw_context *c, uint32_t t, uint32_t depth);

static struct cw_team made_by(struct cw_lanes *lanes, const struct cw_ins *ins, const struct cw_context *context,
                              uint32_t t, uint32_t depth) {
    if (ins->aux == CW_GROUP_BLOCK)
        return whole_block(lanes, t);
    if (ins->aux == CW_GROUP_THREAD)
        return (struct cw_team){.known = true, .size = 1, .siblings = 1, .in_warp = true, .lanes = 1u << t % 32};
    if (ins->narg < 2 || (ins->aux != CW_GROUP_TILE && ins->aux != CW_GROUP_LABELED && ins->aux != CW_GROUP_BINARY))
        return unknown_team();
    struct cw_team parent = team_at(lanes, cw_arg(lanes->fn, ins, 0), context, t, depth - 1);
    const struct cw_lane_value *by = cw_lane_value_of(lanes, cw_arg(lanes->fn, ins, 1), context);
    if (!parent.known)
        return unknown_team();
    if (ins->aux != CW_GROUP_TILE)
        return all_there(lanes, ins->block, context) ? split_by_label(lanes, parent, by, t) : unknown_team();
    struct cw_cell size = cw_lane_value_cell(by, t);
    return cw_cell_numeric(size) && size.value > 0 && size.value <= 1024
               ? tile_of(lanes, parent, (uint32_t)size.value, t)
               : unknown_team();
}

static struct cw_team team_at(struct cw_lanes *lanes, cw_ref group, const struct cw_context *context, uint32_t t,
                              uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, group);
    if (!i || depth == 0)
        return unknown_team();
    context = cw_context_at(lanes, context, i->block);
    if (i->op == CW_OP_GROUP)
        return made_by(lanes, i, context, t, depth);
    if (i->op == CW_OP_COPY)
        return team_at(lanes, cw_arg(lanes->fn, i, 0), context, t, depth - 1);
    return unknown_team();
}

struct cw_team cw_lanes_team(struct cw_lanes *lanes, cw_ref group, const struct cw_context *context, uint32_t t) {
    return team_at(lanes, group, context, t, NEST_MAX);
}

/* Rank and size in the grid follow from the block chosen by the sample. */
static bool in_grid(struct cw_lanes *lanes, const struct cw_ins *query, uint32_t t, int64_t *value) {
    const struct cw_ins *g = cw_ins_of(lanes->fn, cw_arg(lanes->fn, query, 0));
    if (!g || g->op != CW_OP_GROUP || g->aux != CW_GROUP_GRID)
        return false;
    int64_t blocks = (int64_t)lanes->grid[0] * lanes->grid[1] * lanes->grid[2];
    int64_t block =
        lanes->ctaid[0] + (int64_t)lanes->grid[0] * (lanes->ctaid[1] + (int64_t)lanes->grid[1] * lanes->ctaid[2]);
    *value = query->op == CW_OP_GROUPRANK ? block * lanes->threads + t : blocks * lanes->threads;
    return query->op == CW_OP_GROUPRANK || query->op == CW_OP_GROUPSIZE;
}

static uint32_t answer_query(const struct cw_team *team, enum cw_op op) {
    switch (op) {
    case CW_OP_GROUPRANK: return team->rank;
    case CW_OP_GROUPSIZE: return team->size;
    case CW_OP_GROUPMETARANK: return team->above;
    default: return team->siblings;
    }
}

const struct cw_lane_value *cw_lanes_group_query(struct cw_lanes *lanes, uint32_t ins,
                                                 const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    cw_ref self = cw_ref_ins(ins);
    if (i->op == CW_OP_GROUP || i->narg < 1)
        return cw_lane_value_fresh(lanes, self, context, CW_OPAQUE, CW_UNI_BLOCK);
    struct cw_cell *cells = CW_NEW_ARRAY(lanes->a, struct cw_cell, lanes->threads);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        int64_t value;
        struct cw_team g = cw_lanes_team(lanes, cw_arg(lanes->fn, i, 0), context, t);
        if (in_grid(lanes, i, t, &value))
            cells[t] = (struct cw_cell){CW_SAMPLE, cw_type_wrap(i->type, value)};
        else if (g.known)
            cells[t] = (struct cw_cell){CW_NUMBER, cw_type_wrap(i->type, answer_query(&g, i->op))};
        else
            cells[t] = (struct cw_cell){CW_OPAQUE, cw_token(cw_mix(cw_lanes_name(self, context), t))};
    }
    for (uint32_t t = 0; t < lanes->threads; t++) {
        lanes->scratch.known[t] = cells[t].known;
        lanes->scratch.value[t] = cells[t].value;
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}
