/* Cooperative groups: who is in the group of a thread, and what rank and size are. */
#include "lanes/lanes_internal.h"

enum { NEST_MAX = 6 };

static struct cw_team unknown_team(void) {
    return (struct cw_team){.known = false};
}

static struct cw_team whole_block(const struct cw_lanes *l, uint32_t t) {
    return (struct cw_team){.known = true, .rank = t, .size = l->threads, .siblings = 1, .in_warp = l->threads <= 32,
                            .lanes = l->threads >= 32 ? UINT32_MAX : (1u << l->threads) - 1};
}

/* Tiles cut their parent's ranks into runs of `size`; within a block these are runs of threads. */
static struct cw_team tile_of(const struct cw_lanes *l, struct cw_team parent, uint32_t size, uint32_t t) {
    if (size == 0 || (size & (size - 1)) != 0)
        return unknown_team();
    struct cw_team g = {.known = true, .rank = parent.rank % size, .size = size, .above = parent.rank / size,
                        .siblings = (parent.size + size - 1) / size, .in_warp = size <= 32};
    if (g.in_warp) {
        uint32_t first = (t - g.rank) % 32;
        g.lanes = (size == 32 ? UINT32_MAX : (1u << size) - 1) << first;
        for (uint32_t lane = first; lane < first + size; lane++)
            if (t - t % 32 + lane >= l->threads)
                g.lanes &= ~(1u << lane);
    }
    return g;
}

/* Members of the parent whose label is the same number. */
static struct cw_team labelled(struct cw_lanes *l, struct cw_team parent, const struct cw_lane_value *label,
                               uint32_t t) {
    if (!parent.in_warp || !cw_cell_numeric(cw_lane_value_cell(label, t)))
        return unknown_team();
    struct cw_team g = {.known = true, .in_warp = true, .siblings = 1};
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t u = t - t % 32 + lane;
        if (!(parent.lanes >> lane & 1) || u >= l->threads)
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
static bool all_there(struct cw_lanes *l, uint32_t block, const struct cw_context *c) {
    return cw_lane_cond_is(l, cw_lane_cond_reach(l, block, c), CW_BDD_TRUE);
}

static struct cw_team team_at(struct cw_lanes *l, cw_ref group, const struct cw_context *c, uint32_t t, uint32_t depth);

static struct cw_team made_by(struct cw_lanes *l, const struct cw_ins *i, const struct cw_context *c, uint32_t t,
                              uint32_t depth) {
    if (i->aux == CW_GROUP_BLOCK)
        return whole_block(l, t);
    if (i->aux == CW_GROUP_THREAD)
        return (struct cw_team){.known = true, .size = 1, .siblings = 1, .in_warp = true, .lanes = 1u << t % 32};
    if (i->narg < 2 || (i->aux != CW_GROUP_TILE && i->aux != CW_GROUP_LABELED && i->aux != CW_GROUP_BINARY))
        return unknown_team();
    struct cw_team parent = team_at(l, cw_arg(l->fn, i, 0), c, t, depth - 1);
    const struct cw_lane_value *by = cw_lane_value_of(l, cw_arg(l->fn, i, 1), c);
    if (!parent.known)
        return unknown_team();
    if (i->aux != CW_GROUP_TILE)
        return all_there(l, i->block, c) ? labelled(l, parent, by, t) : unknown_team();
    struct cw_cell size = cw_lane_value_cell(by, t);
    return cw_cell_numeric(size) && size.value > 0 && size.value <= 1024 ? tile_of(l, parent, (uint32_t)size.value, t)
                                                                         : unknown_team();
}

static struct cw_team team_at(struct cw_lanes *l, cw_ref group, const struct cw_context *c, uint32_t t,
                              uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(l->fn, group);
    if (!i || depth == 0)
        return unknown_team();
    c = cw_context_at(l, c, i->block);
    if (i->op == CW_OP_GROUP)
        return made_by(l, i, c, t, depth);
    if (i->op == CW_OP_COPY)
        return team_at(l, cw_arg(l->fn, i, 0), c, t, depth - 1);
    return unknown_team();
}

struct cw_team cw_lanes_team(struct cw_lanes *l, cw_ref group, const struct cw_context *c, uint32_t t) {
    return team_at(l, group, c, t, NEST_MAX);
}

/* Rank and size in the grid follow from the block chosen by the sample. */
static bool in_grid(struct cw_lanes *l, const struct cw_ins *query, uint32_t t, int64_t *value) {
    const struct cw_ins *g = cw_ins_of(l->fn, cw_arg(l->fn, query, 0));
    if (!g || g->op != CW_OP_GROUP || g->aux != CW_GROUP_GRID)
        return false;
    int64_t blocks = (int64_t)l->grid[0] * l->grid[1] * l->grid[2];
    int64_t block = l->ctaid[0] + (int64_t)l->grid[0] * (l->ctaid[1] + (int64_t)l->grid[1] * l->ctaid[2]);
    *value = query->op == CW_OP_GROUPRANK ? block * l->threads + t : blocks * l->threads;
    return query->op == CW_OP_GROUPRANK || query->op == CW_OP_GROUPSIZE;
}

static uint32_t answer(const struct cw_team *g, enum cw_op op) {
    switch (op) {
    case CW_OP_GROUPRANK: return g->rank;
    case CW_OP_GROUPSIZE: return g->size;
    case CW_OP_GROUPMETARANK: return g->above;
    default: return g->siblings;
    }
}

const struct cw_lane_value *cw_lanes_group_query(struct cw_lanes *l, uint32_t ins, const struct cw_context *c) {
    const struct cw_ins *i = &l->fn->ins.at[ins];
    cw_ref self = cw_ref_ins(ins);
    if (i->op == CW_OP_GROUP || i->narg < 1)
        return cw_lane_value_fresh(l, self, c, CW_OPAQUE, CW_UNI_BLOCK);
    struct cw_cell *cells = CW_NEW_ARRAY(l->a, struct cw_cell, l->threads);
    for (uint32_t t = 0; t < l->threads; t++) {
        int64_t value;
        struct cw_team g = cw_lanes_team(l, cw_arg(l->fn, i, 0), c, t);
        if (in_grid(l, i, t, &value))
            cells[t] = (struct cw_cell){CW_SAMPLE, cw_type_wrap(i->type, value)};
        else if (g.known)
            cells[t] = (struct cw_cell){CW_NUMBER, cw_type_wrap(i->type, answer(&g, i->op))};
        else
            cells[t] = (struct cw_cell){CW_OPAQUE, cw_token(cw_mix(cw_lanes_name(self, c), t))};
    }
    for (uint32_t t = 0; t < l->threads; t++) {
        l->known[t] = cells[t].known;
        l->value[t] = cells[t].value;
    }
    return cw_lane_value_seal(l, l->threads, false);
}
