/* Which two blocks of a launch are compared, and with which sizes and tickets?
 *
 * The first block with its neighbour in each dimension of the grid and with the last one; neighbours inside of the grid
 * where the first block has nothing to do; once more with tickets drawn where places may follow from them; and with
 * other sizes where a fault rests on the chosen ones. Each look also searches for a grid barrier by hand.
 *
 * requires: events, and those of them to ask about. computes: the faults of the launch. cost: two evaluators for each
 * look, at most three times as many where sizes matter. preserves: all but the faults and the state of the look. */
#include "blocks/inter_block_internal.h"

#include "blocks/hand_barriers.h"

#include <string.h>

/* ---- a grid barrier by hand ---- */

static bool has_spin(const struct inter *inter) {
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        if (inter->d.at.at[k].spins)
            return true;
    return false;
}

/* A cooperative launch makes all blocks run at the same time. */
static void look_for_hand_barrier(struct inter *inter) {
    const struct cw_kernel_query *q = inter->q;
    const struct cw_launch *l = &q->launches->at[inter->launch];
    struct cw_hand_barrier found;
    bool one = l->grid_known && !cw_inter_has_many_blocks(l);
    if (l->cooperative || one || inter->out->at.n == CW_INTER_FAULTS_MAX || !has_spin(inter) ||
        !cw_inter_find_order(inter) || !cw_hand_barrier_find(&inter->d, inter->order, inter->lanes, &found))
        return;
    struct touch first = {.event = found.arrival, .at = {1, found.thread.thread}, .turn = CW_NO_LOOP},
                 second = {.event = found.wait, .at = found.thread, .turn = CW_NO_LOOP};
    const struct cw_device_event *w = &inter->d.at.at[found.wait];
    struct cw_lane_place p = cw_lanes_place(
        cw_lanes_places(inter->lanes[0], w->pointer,
                        cw_lanes_first(inter->lanes[0], inter->q->fn->ins.at[w->ins].block)),
        found.thread.thread);
    struct cw_block_fault f = {.kind = CW_BLOCK_HAND_BARRIER,
                               .first = cw_inter_side(inter, &first),
                               .second = cw_inter_side(inter, &second),
                               .culprit = w->ins,
                               .base = p.base,
                               .offset = p.offset,
                               .bytes = (uint32_t)w->size,
                               .definite = q->launches->from_facts && cw_inter_has_many_blocks(l) && found.sure,
                               .launch = inter->launch,
                               .lanes = inter->lanes[0]};
    memcpy(f.first_block, inter->first, sizeof f.first_block);
    memcpy(f.second_block, inter->second, sizeof f.second_block);
    cw_vec_push(q->arena, &inter->out->at, f);
}

/* ---- two blocks ---- */

/* The two blocks that are compared: that of inter->first and another one. */
static void look_at_pair(struct inter *inter, const uint32_t second[3]) {
    const struct cw_kernel_query *q = inter->q;
    const struct cw_launch *l = &q->launches->at[inter->launch];
    bool one = l->grid_known && !cw_inter_has_many_blocks(l);
    for (uint32_t d = 0; d < 3; d++)
        inter->second[d] = second[d];
    inter->lanes[0] =
        cw_lanes_new_in_block(q->fn, q->uniformity, l, inter->sample, CW_INTER_EVALUATIONS, inter->first, q->arena);
    cw_lanes_share_reasons(inter->lanes[0], q->reasons);
    inter->lanes[1] =
        one ? inter->lanes[0]
            : cw_lanes_new_in_block(q->fn, q->uniformity, l, inter->sample, CW_INTER_EVALUATIONS, second, q->arena);
    cw_lanes_share_reasons(inter->lanes[1], q->reasons);
    for (uint32_t b = 0; b < 2; b++)
        cw_lanes_choose_exits(inter->lanes[b], &inter->waits);
    for (uint32_t b = 0; b < 2 && inter->draws; b++)
        cw_lanes_draw(inter->lanes[b], b);
    inter->order = NULL;
    inter->has_asked = false;
    inter->pairs.n = 0;
    cw_inter_enter_touches(inter, one);
    if (inter->is_misaligned) {
        inter->grain = 1;
        cw_inter_enter_touches(inter, one);
    }
    if (cw_lanes_exhausted(inter->lanes[0]) || cw_lanes_exhausted(inter->lanes[1]))
        return;
    cw_inter_judge_touches(inter);
    look_for_hand_barrier(inter);
}

static bool has_fault(const struct cw_block_faults *faults, const struct cw_block_fault *fault) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_block_fault *f = &faults->at.at[k];
        bool is_same = fault->rests_on_sizes ? cw_ref_eq(f->base, fault->base)
                                             : f->first.ins == fault->first.ins && f->second.ins == fault->second.ins;
        if (f->kind == fault->kind && f->culprit == fault->culprit && is_same && (f->definite || f->by_sizes))
            return true;
    }
    return false;
}

/* Where two places are one because of sizes that were chosen, the blocks are looked at with other sizes, too: what has
 * no order there either is definite. `2 * C * block + i` is one place for all C. */
static void look_at_sizes(struct inter *inter, const uint32_t second[3]) {
    static const uint32_t samples[] = {2, 4};
    struct cw_block_faults *out = inter->out;
    uint32_t from = out->at.n;
    bool some = false;
    look_at_pair(inter, second);
    for (uint32_t k = from; k < out->at.n; k++)
        some |= out->at.at[k].by_sizes;
    for (uint32_t s = 0; some && s < sizeof samples / sizeof *samples; s++) {
        struct cw_block_faults other = {.at = {0}};
        inter->out = &other;
        inter->sample = samples[s];
        look_at_pair(inter, second);
        for (uint32_t k = from; k < out->at.n; k++)
            out->at.at[k].by_sizes &= has_fault(&other, &out->at.at[k]);
    }
    inter->out = out;
    inter->sample = 0;
    for (uint32_t k = from; k < out->at.n; k++)
        out->at.at[k].definite |= out->at.at[k].by_sizes;
}

/* ---- the blocks of a launch ---- */

/* The same two blocks once more, with tickets drawn, where places of data may follow from them. */
static void look_at_tickets(struct inter *inter) {
    if (!inter->has_unplaced || !inter->d.has_tickets || inter->lanes[0] == inter->lanes[1])
        return;
    const uint32_t second[3] = {inter->second[0], inter->second[1], inter->second[2]};
    inter->draws = true;
    look_at_sizes(inter, second);
    inter->draws = false;
}

/* Neighbours inside of the grid, where the first block is one of the border that has nothing to do, as in
 * `if (y < 1) return;`. */
static void look_inside(struct inter *inter) {
    const struct cw_launch *l = &inter->q->launches->at[inter->launch];
    bool is_wide[3];
    for (uint32_t d = 0; d < 3; d++) {
        is_wide[d] = l->grid_known ? l->grid[d] > 3 : cw_inter_is_chosen_dimension(inter, d);
        inter->first[d] = is_wide[d];
    }
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t second[3] = {inter->first[0], inter->first[1], inter->first[2]};
        second[d]++;
        if (is_wide[d])
            look_at_sizes(inter, second);
    }
    memset(inter->first, 0, sizeof inter->first);
}

void cw_inter_look_at_launch(struct inter *inter, uint32_t launch) {
    const struct cw_launch *l = &inter->q->launches->at[launch];
    uint32_t seen = 0;
    inter->launch = launch;
    inter->has_unplaced = inter->is_first_out = false;
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t second[3] = {0, 0, 0};
        second[d] = 1;
        bool is_first = seen == 0 && !(l->grid_single >> d & 1);
        if (l->grid_known ? l->grid[d] < 2 : !is_first && !cw_inter_is_chosen_dimension(inter, d))
            continue;
        look_at_sizes(inter, second);
        if (seen == 0)
            look_at_tickets(inter);
        seen++;
    }
    if (!seen)
        look_at_sizes(inter, (const uint32_t[3]){0, 0, 0});
    if (inter->is_first_out)
        look_inside(inter);
    if (cw_inter_has_many_blocks(l) && cw_inter_count_blocks(l) > 2) {
        const uint32_t last[3] = {l->grid[0] - 1, l->grid[1] - 1, l->grid[2] - 1};
        look_at_sizes(inter, last);
    }
}
