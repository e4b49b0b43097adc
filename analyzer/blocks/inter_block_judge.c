/* Which pairs of touches are judged?
 *
 * Two touches of one byte, or of the element that data choose for both, are a pair; so is a reader that data lead and a
 * writer of its array, for what it waits for may be the announcement of that element. One pair of instructions is tried
 * a few times, with other threads, until it has a fault. The order is built when the first pair asks for it.
 *
 * requires: touches. computes: faults, through inter_block_missing.c and inter_block_faults.c. cost: all pairs of
 * touches within a chain; the order, once for two blocks. preserves: the touches. */
#include "blocks/inter_block_internal.h"

enum { PAIRS_MAX = 512 /* pairs of instructions and roles that are judged */ };

static struct pair *pair_of(struct inter *inter, uint32_t first, uint32_t second, bool one_block) {
    for (uint32_t k = 0; k < inter->pairs.n; k++)
        if (inter->pairs.at[k].first == first && inter->pairs.at[k].second == second &&
            inter->pairs.at[k].one_block == one_block)
            return &inter->pairs.at[k];
    if (inter->pairs.n == PAIRS_MAX)
        return NULL;
    cw_vec_push(inter->q->arena, &inter->pairs, ((struct pair){first, second, one_block, 0, false}));
    return &inter->pairs.at[inter->pairs.n - 1];
}

/* Within a block the barriers' own analysis (races/) finds what has to do with barriers; here it is synchronisation
 * through device memory. */
static bool is_asked(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    if (!inter->d.at.at[touch->event].writes && !inter->d.at.at[other->event].writes)
        return false;
    if (touch->at.block != other->at.block)
        return true;
    return touch->at.thread / 32 != other->at.thread / 32 &&
           (inter->d.has_sync || cw_inter_is_polled(inter, touch, other));
}

/* Does one ticket let one of the two in? */
static bool is_of_one_ticket(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    return (cw_block_order_decided_by(inter->order, cw_inter_block(inter, touch)) &
            cw_block_order_decided_by(inter->order, cw_inter_block(inter, other))) != 0;
}

bool cw_inter_find_order(struct inter *inter) {
    const struct cw_kernel_query *q = inter->q;
    if (!inter->has_asked && !cw_lanes_traps(inter->lanes[0])) {
        inter->order = cw_block_order_new(
            &inter->d, q->uniformity, inter->lanes,
            cw_inter_pair_in_grid(&q->launches->at[inter->launch], inter->first, inter->second), q->arena);
        inter->keeps_a_lock = inter->order && cw_block_order_keeps_a_lock(inter->order);
    }
    inter->has_asked = true;
    return inter->order && !cw_lanes_exhausted(inter->lanes[0]) && !cw_lanes_exhausted(inter->lanes[1]);
}

static void judge_pair(struct inter *inter, const struct touch *touch, const struct touch *other) {
    enum cw_block_fault_kind kind;
    uint32_t culprit;
    if (touch->event > other->event) {
        const struct touch *swap = touch;
        touch = other;
        other = swap;
    }
    if (!is_asked(inter, touch, other) || !cw_inter_find_order(inter) || is_of_one_ticket(inter, touch, other) ||
        !cw_inter_is_conflict(inter, touch, other))
        return;
    bool is_led = touch->by_data != other->by_data;
    if (touch->somewhere && !is_led)
        return; /* each at its own element */
    if (touch->by_data && !is_led && !cw_inter_has_common_lock(inter, touch, other))
        return; /* the host may see to it that the elements differ; who takes a lock says that they need not */
    struct pair *p = pair_of(inter, touch->event, other->event, touch->at.block == other->at.block);
    if (p == NULL || p->reported || p->tried == UINT8_MAX)
        return;
    p->tried++;
    if (!cw_inter_find_missing(inter, touch, other, &kind, &culprit))
        return;
    if (is_led && kind != CW_BLOCK_MISSING_FENCE && kind != CW_BLOCK_NARROW_SCOPE && kind != CW_BLOCK_EARLY_SIGNAL)
        return; /* who waits for a signal reckons with being led to what is announced; others need not be */
    p->reported = true;
    if (touch->at.block == other->at.block && kind == CW_BLOCK_RACE)
        return; /* races/ reports what nothing orders within a block */
    cw_inter_add_fault(inter, touch, other, kind, culprit);
}

void cw_inter_judge_touches(struct inter *inter) {
    for (uint32_t k = 0; k < inter->touches.n; k++)
        for (uint32_t n = inter->touches.at[k].next; n != 0; n = inter->touches.at[n - 1].next)
            judge_pair(inter, &inter->touches.at[k], &inter->touches.at[n - 1]);
}
