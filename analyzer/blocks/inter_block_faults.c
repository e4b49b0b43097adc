/* Which conflicts are reported, and which of them are definite?
 *
 * A fault is definite where both threads surely execute their accesses on one input, the launch is in the source and
 * has both blocks, and the values differ. Places that rest on chosen sizes are tried with other sizes.
 *
 * requires: the evaluators, an order, and the fault's kind and culprit (inter_block_missing.c). computes: faults, added
 * to those of the kernel. cost: for places that rest on sizes, six more evaluators. preserves: all but the faults. */
#include "blocks/inter_block_internal.h"

#include <string.h>

/* ---- what is definite ---- */

/* Does input decide whether the thread executes the access? */
static bool is_open(const struct inter *inter, const struct touch *touch) {
    return !cw_block_order_executes(inter->order, touch->at, cw_inter_block(inter, touch));
}

/* Do both threads execute their accesses on one input, and does no ticket or lock leave one of them out? */
static bool happen_together(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    uint32_t first = cw_inter_block(inter, touch), second = cw_inter_block(inter, other);
    if (inter->keeps_a_lock || cw_block_order_same_ticket(inter->order, first, second))
        return false;
    bool are_atomic = inter->d.at.at[touch->event].is_atomic && inter->d.at.at[other->event].is_atomic;
    if ((touch->by_data && other->by_data) || are_atomic) /* who updates atomically reckons with the other one */
        return cw_block_order_executes_by_data(inter->order, touch->at, first) &&
               cw_block_order_executes_by_data(inter->order, other->at, second);
    return !(is_open(inter, touch) || is_open(inter, other)) ||
           cw_block_order_execute_together(inter->order, touch->at, first, other->at, second);
}

/* But for places that rest on chosen sizes. */
static bool is_definite(const struct inter *inter, const struct touch *touch, const struct touch *other,
                        enum cw_block_fault_kind kind) {
    bool blocks = touch->at.block == other->at.block || cw_inter_has_both_blocks(inter);
    return inter->q->launches->from_facts && blocks && kind != CW_BLOCK_WAIT_FENCE &&
           !cw_inter_is_relaxed_read(inter, touch, other) && happen_together(inter, touch, other);
}

/* ---- what is reportable ---- */

/* Where the access of the touch lies with other sizes, and in which memory; false: the thread does not come there, or
 * nobody knows. */
static bool place_with_sizes(const struct inter *inter, const struct touch *touch, uint32_t sample,
                             struct cw_lane_place *place, uint64_t *root) {
    const struct cw_kernel_query *q = inter->q;
    const struct cw_device_event *e = &inter->d.at.at[touch->event];
    const uint32_t *block = touch->at.block ? inter->second : inter->first;
    uint32_t at = q->fn->ins.at[e->ins].block;
    struct cw_lanes *l = cw_lanes_new_in_block(q->fn, q->uniformity, &q->launches->at[inter->launch], sample,
                                               CW_INTER_EVALUATIONS, block, q->arena);
    const struct cw_context *context = cw_inter_context(inter, l, touch);
    const struct cw_lane_value *places = cw_lanes_places(l, e->pointer, context);
    if (!places || cw_lanes_reach(l, at, context)[touch->at.thread] == CW_REACH_NO)
        return false;
    *place = cw_lanes_place(places, touch->at.thread);
    *root = cw_inter_root(inter, e, l, *place, context, touch->at.thread);
    return place->known <= CW_SAMPLED;
}

/* Do the very same two threads meet for other sizes too? `u[(y + 1) * pitch + x]` of one row is `u[y * pitch + x]` of
 * the next, whatever the pitch; elsewhere chosen sizes make elements collide that real ones keep apart. */
static bool meets_for_all_sizes(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    static const uint32_t samples[] = {1, 2, 4};
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    uint32_t met = 0;
    for (uint32_t k = 0; k < sizeof samples / sizeof *samples; k++) {
        struct cw_lane_place one, two;
        uint64_t root, other_root;
        if (!place_with_sizes(inter, touch, samples[k], &one, &root) ||
            !place_with_sizes(inter, other, samples[k], &two, &other_root))
            continue;
        if (root == 0 || root != other_root || one.offset >= two.offset + (int64_t)b->size ||
            two.offset >= one.offset + (int64_t)a->size)
            return false;
        met++;
    }
    return met > 1;
}

/* Is there a signal, a wait, or a fence that other blocks see? Then blocks synchronise, perhaps in a way that is not
 * modelled: by `ld.global.cg` in a loop. */
static bool synchronises_blocks(const struct inter *inter) {
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        if (inter->d.at.at[k].kind == CW_EVENT_FENCE && inter->d.at.at[k].scope > CW_SCOPE_BLOCK)
            return true;
    return inter->d.has_sync;
}

static bool is_reportable(const struct inter *inter, const struct touch *touch, const struct touch *other,
                          enum cw_block_fault_kind kind) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    bool is_race = kind == CW_BLOCK_RACE || (a->writes && b->writes);
    if (!(touch->exact && other->exact) && is_race &&
        (synchronises_blocks(inter) || !meets_for_all_sizes(inter, touch, other)))
        return false;
    if (kind != CW_BLOCK_RACE)
        return true;
    /* so do guessed shapes, and a condition on sizes may leave out all blocks but one; not in a kernel whose blocks
     * step together, if the places are sure */
    bool is_stepping = inter->d.has_grid_barriers && touch->exact && other->exact;
    return inter->q->launches->from_facts && (is_stepping || (!is_open(inter, touch) && !is_open(inter, other)));
}

/* ---- what the fault says ---- */

static bool is_narrow(const struct cw_device_event *event, uint8_t scope) {
    bool counts = event->kind == CW_EVENT_FENCE || event->is_atomic;
    return counts && event->scope > CW_SCOPE_THREAD && event->scope < scope;
}

/* The operation whose scope leaves the other thread out: the culprit itself, else a fence on one of both ways to it or
 * from it, else an atomic of the same variable. */
static uint32_t narrow_operation(const struct inter *inter, const struct touch *touch, const struct touch *other,
                                 uint32_t culprit) {
    const struct cw_device_event *at = inter->d.at.at;
    uint8_t scope = cw_block_order_scope(inter->order, touch->at, other->at);
    uint32_t self = 0;
    while (self < inter->d.at.n && at[self].ins != culprit)
        self++;
    if (self == inter->d.at.n || is_narrow(&at[self], scope))
        return culprit;
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        for (uint32_t side = 0; at[k].kind == CW_EVENT_FENCE && is_narrow(&at[k], scope) && side < 2; side++) {
            struct cw_block_thread t = side ? other->at : touch->at;
            if (cw_block_order_may_follow(inter->order, t, k, self) ||
                cw_block_order_may_follow(inter->order, t, self, k))
                return at[k].ins;
        }
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        if (is_narrow(&at[k], scope) && at[k].is_atomic && cw_device_same_variable(&at[k].base, &at[self].base))
            return at[k].ins;
    return UINT32_MAX;
}

struct cw_block_side cw_inter_side(const struct inter *inter, const struct touch *touch) {
    const struct cw_device_event *e = &inter->d.at.at[touch->event];
    return (struct cw_block_side){e->ins, touch->at, e->writes, e->is_atomic};
}

static bool is_of_look(const struct cw_block_fault *fault, const struct cw_block_fault *other) {
    return fault->launch == other->launch &&
           memcmp(fault->first_block, other->first_block, sizeof other->first_block) == 0 &&
           memcmp(fault->second_block, other->second_block, sizeof other->second_block) == 0;
}

/* Of races on parts of one array, which the host divides by sizes, one is enough: the first, or the first that is sure.
 * Another look at other blocks may be sure of what this one is not; drop_repeated() leaves one of both. */
static void put_fault(struct inter *inter, const struct cw_block_fault *fault) {
    for (uint32_t k = 0; k < inter->out->at.n && fault->rests_on_sizes; k++) {
        struct cw_block_fault *known = &inter->out->at.at[k];
        if (known->kind != CW_BLOCK_RACE || !cw_ref_eq(known->base, fault->base))
            continue;
        if (!fault->by_sizes || known->by_sizes || known->definite)
            return;
        if (is_of_look(known, fault)) {
            *known = *fault;
            return;
        }
    }
    cw_vec_push(inter->q->arena, &inter->out->at, *fault);
}

void cw_inter_add_fault(struct inter *inter, const struct touch *touch, const struct touch *other,
                        enum cw_block_fault_kind kind, uint32_t culprit) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    enum cw_agreement values =
        a->writes && b->writes ? cw_inter_compare_values(inter, touch, other) : CW_VALUES_DIFFERENT;
    if (values == CW_VALUES_EQUAL || inter->out->at.n == CW_INTER_FAULTS_MAX ||
        !is_reportable(inter, touch, other, kind))
        return;
    struct cw_block_fault f = {.kind = kind,
                               .first = cw_inter_side(inter, touch),
                               .second = cw_inter_side(inter, other),
                               .culprit = culprit,
                               .launch = inter->launch,
                               .is_one_block = touch->at.block == other->at.block,
                               .lanes = inter->lanes[touch->at.block]};
    const struct cw_context *context = cw_inter_context(inter, inter->lanes[touch->at.block], touch);
    struct cw_lane_place p = cw_lanes_place(cw_lanes_places(inter->lanes[touch->at.block], a->pointer, context),
                                            touch->at.thread);
    f.narrow = kind == CW_BLOCK_NARROW_SCOPE ? narrow_operation(inter, touch, other, culprit) : UINT32_MAX;
    memcpy(f.first_block, inter->first, sizeof f.first_block);
    memcpy(f.second_block, inter->second, sizeof f.second_block);
    f.base = p.base;
    f.offset = p.offset;
    f.by_data = touch->by_data || other->by_data;
    f.bytes = (uint32_t)(a->size < b->size ? a->size : b->size);
    bool is_sure = values == CW_VALUES_DIFFERENT && is_definite(inter, touch, other, kind);
    f.definite = is_sure && touch->exact && other->exact;
    f.by_sizes = is_sure && !f.definite;
    f.rests_on_sizes = kind == CW_BLOCK_RACE && !(touch->exact && other->exact);
    put_fault(inter, &f);
}
