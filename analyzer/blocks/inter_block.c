/* See inter_block.h. */
#include "blocks/inter_block.h"

#include "base/map.h"
#include "blocks/hand_barriers.h"
#include "lanes/facts_print.h"

#include <string.h>

enum {
    EVALUATIONS = 1 << 16,    /* budget of one evaluator */
    TOUCHES_MAX = 1 << 19,    /* bytes entered for a launch */
    SIZE_MAX_BYTES = 64,
    PAIRS_MAX = 512,          /* pairs of instructions and roles that are judged */
    FAULTS_MAX = 32,
    LAUNCHES_MAX = 3,
    CLUSTER_MAX = 16,         /* blocks of the largest cluster of any device */
    KEPT = 3,                 /* touches of one byte that are kept for an event and a block */
    BY_DATA = 7,              /* in the key of an element that data choose */
    SOME_ELEMENT = 11         /* in the key of a whole array */
};

/* One thread's access to a byte. */
struct touch {
    uint32_t event;
    struct cw_block_thread at;
    bool exact;
    bool by_data;  /* data choose the element: threads with equal data choose the same one */
    bool is_first; /* in the first iteration of all loops around it */
    bool somewhere; /* kept as an access to some element of the array */
    uint32_t next; /* 1 + the touch of the same byte before, 0: none */
};

struct pair {
    uint32_t first, second;
    bool one_block;
    uint8_t tried;
    bool reported;
};

struct inter {
    const struct cw_kernel_query *q;
    struct cw_device_events d;
    uint32_t launch, sample;
    struct cw_lanes *lanes[2];
    uint32_t first[3], second[3]; /* blockIdx of the two blocks */
    bool is_first_out;       /* an access that the first block does not come to */
    struct cw_block_order *order; /* NULL until two accesses ask for it, or when there are too many roles */
    bool has_asked, keeps_a_lock;
    uint8_t indexed;         /* dimensions of the grid along which the kernel asks for its block */
    struct cw_bitset waits;  /* basic blocks whose branch depends on what other threads do to device memory */
    struct cw_bitset met;    /* data events to whose memory some event writes */
    uint64_t grain;          /* bytes that an entry of `bytes` stands for; all accesses begin and end between grains */
    bool is_misaligned;      /* one does not */
    bool has_unplaced;       /* places of data that are no numbers */
    bool draws;              /* the blocks have drawn tickets: the first one 0, the other one 1 */
    struct cw_map bytes; /* root, token and grain -> 1 + touch */
    CW_VEC(struct touch) touches;
    CW_VEC(struct pair) pairs;
    struct cw_block_faults *out;
};

/* ---- which threads touch which bytes ---- */

static uint64_t mix_hash(uint64_t h, uint64_t x) {
    h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* Of the threads that touch a byte by one event, the first few are enough: others have the same role or differ in the
 * warp. */
static void enter_byte(struct inter *inter, uint64_t key, const struct touch *touch) {
    uint64_t first = 0;
    uint32_t kept = 0;
    cw_map_get(&inter->bytes, key, &first);
    for (uint32_t k = (uint32_t)first; k != 0; k = inter->touches.at[k - 1].next)
        kept += inter->touches.at[k - 1].event == touch->event && inter->touches.at[k - 1].at.block == touch->at.block;
    if (kept == KEPT || inter->touches.n == TOUCHES_MAX)
        return;
    struct touch now = *touch;
    now.next = (uint32_t)first;
    cw_vec_push(inter->q->arena, &inter->touches, now);
    cw_map_put(&inter->bytes, key, inter->touches.n);
}

/* What all blocks know the place's memory by; 0 where it may be another one for each block, or is none of the device.
 * A pointer in a field of a parameter is one for the grid: it goes by the field, however often it is read. */
static uint64_t root_of(const struct inter *inter, const struct cw_device_event *event, struct cw_lane_place place) {
    const struct cw_base *from = &event->base;
    if (place.base.tag == CW_REF_PARAM || place.base.tag == CW_REF_OBJECT)
        return mix_hash(mix_hash((uint64_t)place.base.tag << 32 | place.base.index, (uint64_t)place.token), 0);
    if (place.base.tag != CW_REF_INS || from->root.tag == CW_REF_NONE || event->nbases != 1 || !from->is_read ||
        from->fields || cw_uni_of(inter->q->uniformity, place.base) > CW_UNI_GRID)
        return 0;
    return mix_hash(mix_hash((uint64_t)from->root.tag << 32 | from->root.index, (uint64_t)from->field), 1);
}

/* The values that lead from the base to an element that data choose: `energy[v]`, however often the pointer is read. */
static uint64_t steps_to(const struct cw_fn *fn, cw_ref pointer) {
    uint64_t steps = BY_DATA;
    const struct cw_ins *i = cw_ins_of(fn, pointer);
    for (; i && i->op == CW_OP_PTRADD; i = cw_ins_of(fn, cw_arg(fn, i, 0))) {
        cw_ref by = cw_arg(fn, i, 1);
        steps = mix_hash(steps, (uint64_t)by.tag << 32 | by.index);
    }
    return steps;
}

static void enter_places(struct inter *inter, uint32_t event, uint32_t block, const struct cw_context *context,
                         bool is_first) {
    const struct cw_device_event *e = &inter->d.at.at[event];
    struct cw_lanes *l = inter->lanes[block];
    uint32_t at = inter->q->fn->ins.at[e->ins].block;
    const struct cw_lane_value *places = cw_lanes_places(l, e->pointer, context);
    const uint8_t *reach = cw_lanes_reach(l, at, context);
    bool is_reached = false;
    for (uint32_t t = 0; places != NULL && t < cw_lanes_count(l); t++) {
        struct cw_lane_place p = cw_lanes_place(places, t);
        bool by_data = p.known == CW_INPUT && is_first;
        struct touch now = {event, {block, t}, p.known == CW_EXACT || by_data, by_data, is_first, false, 0};
        is_reached |= reach[t] != CW_REACH_NO;
        inter->has_unplaced |= reach[t] != CW_REACH_NO && p.known > CW_SAMPLED;
        uint64_t root = reach[t] == CW_REACH_NO || (p.known > CW_SAMPLED && !by_data) ? 0 : root_of(inter, e, p);
        if (root == 0)
            continue;
        if (inter->d.has_sync && by_data != e->writes) { /* data may lead the reader to what the other one writes */
            now.somewhere = true;
            enter_byte(inter, mix_hash(root, SOME_ELEMENT), &now);
            now.somewhere = false;
        }
        if (by_data) {
            enter_byte(inter, mix_hash(root, steps_to(inter->q->fn, e->pointer)), &now);
            continue;
        }
        inter->is_misaligned |= (uint64_t)p.offset % inter->grain != 0;
        for (uint64_t byte = 0; byte < e->size; byte += inter->grain)
            enter_byte(inter, mix_hash(root, (uint64_t)p.offset + byte), &now);
    }
    inter->is_first_out |= block == 0 && is_first && !is_reached;
}

/* The first iteration of the loops around the access, and the second of the innermost. */
static void enter_event(struct inter *inter, uint32_t event, uint32_t block) {
    const struct cw_device_event *e = &inter->d.at.at[event];
    uint32_t at = inter->q->fn->ins.at[e->ins].block;
    const struct cw_context *first = cw_lanes_first(inter->lanes[block], at);
    enter_places(inter, event, block, first, true);
    if (first != NULL && !e->spins)
        enter_places(inter, event, block, cw_lanes_context(inter->lanes[block], first->outer, first->loop, 1), false);
}

static void enter_all(struct inter *inter, bool is_one_block) {
    inter->touches.n = 0;
    inter->is_misaligned = false;
    cw_map_init(&inter->bytes, inter->q->arena);
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        for (uint32_t b = 0; cw_bitset_has(&inter->met, k) && b < (is_one_block ? 1 : 2); b++)
            enter_event(inter, k, b);
}

/* The iteration in which the touch is. */
static const struct cw_context *context_of_touch(const struct inter *inter, const struct touch *touch) {
    struct cw_lanes *l = inter->lanes[touch->at.block];
    const struct cw_context *first =
        cw_lanes_first(l, inter->q->fn->ins.at[inter->d.at.at[touch->event].ins].block);
    return touch->is_first ? first : cw_lanes_context(l, first->outer, first->loop, 1);
}

/* ---- which accesses there is something to ask about ---- */

/* May one of the objects that the event accesses be one that the other writes? */
static bool may_meet(const struct cw_fn *fn, const struct cw_device_event *event, const struct cw_device_event *other) {
    struct cw_bases to = cw_memory_bases(fn, event->pointer), from = cw_memory_bases(fn, other->pointer);
    for (uint32_t k = 0; k < to.n; k++)
        for (uint32_t n = 0; n < from.n; n++) {
            cw_ref a = to.at[k].root, b = from.at[n].root;
            if (a.tag == CW_REF_NONE || b.tag == CW_REF_NONE || to.at[k].is_read || from.at[n].is_read ||
                cw_ref_eq(a, b))
                return true;
        }
    return false;
}

/* May it race? What synchronises does not, but for a ticket of which a block alone sees that it is atomic. */
static bool may_race(const struct cw_fn *fn, const struct cw_device_event *event) {
    bool is_narrow_ticket = event->is_atomic && event->awaited && !event->spins && event->scope < CW_SCOPE_CLUSTER &&
                            cw_device_counts(&fn->ins.at[event->ins]);
    return (event->kind == CW_EVENT_DATA || is_narrow_ticket) && event->size <= SIZE_MAX_BYTES;
}

/* Accesses to what the kernel only reads meet nothing; those left set the grain. */
static void find_met(struct inter *inter) {
    uint64_t bits = 0;
    inter->met = cw_bitset_new(inter->q->arena, inter->d.at.n + 1);
    for (uint32_t k = 0; k < inter->d.at.n; k++) {
        const struct cw_device_event *e = &inter->d.at.at[k];
        bool is_met = may_race(inter->q->fn, e) && e->writes;
        for (uint32_t n = 0; n < inter->d.at.n && !is_met && may_race(inter->q->fn, e); n++)
            is_met = may_race(inter->q->fn, &inter->d.at.at[n]) && inter->d.at.at[n].writes &&
                     may_meet(inter->q->fn, e, &inter->d.at.at[n]);
        if (!is_met)
            continue;
        cw_bitset_add(&inter->met, k);
        bits |= e->size;
    }
    inter->grain = bits ? bits & -bits : 1;
}

/* ---- what is missing between two accesses ---- */

static uint32_t block_of_touch(const struct inter *inter, const struct touch *touch) {
    return inter->q->fn->ins.at[inter->d.at.at[touch->event].ins].block;
}

static bool is_wide_enough(const struct inter *inter, const struct cw_device_event *device_event,
                           struct cw_block_thread block_thread, struct cw_block_thread other) {
    return device_event->is_atomic && device_event->scope >= cw_block_order_scope(inter->order, block_thread, other);
}

static bool is_conflict(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    if (!a->writes && !b->writes)
        return false;
    return !is_wide_enough(inter, a, touch->at, other->at) || !is_wide_enough(inter, b, touch->at, other->at);
}

/* A volatile read of what others update by wide enough atomics: both are strong, so it is no data race (PTX ISA,
 * morally strong operations), but it may read an old value. */
static bool is_relaxed_read(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    return (a->is_volatile && !a->writes && is_wide_enough(inter, b, touch->at, other->at)) ||
           (b->is_volatile && !b->writes && is_wide_enough(inter, a, touch->at, other->at));
}

/* Is the first ordered before the other, in the iterations that they are in? */
static bool is_before(const struct inter *inter, const struct touch *touch, const struct touch *other,
                      struct cw_order_slack slack, uint32_t *signal) {
    const struct cw_cfg *cfg = inter->q->fn->cfg;
    bool is_one_loop = cfg->loop_of[block_of_touch(inter, touch)] == cfg->loop_of[block_of_touch(inter, other)];
    slack.comes_first = other->is_first;
    slack.same_trip = touch->by_data != other->by_data; /* what is waited for is the announcement of that element */
    slack.comes_next = is_one_loop && touch->is_first && !other->is_first;
    slack.is_past = is_one_loop && !touch->is_first && other->is_first;
    return cw_block_order_before(inter->order, touch->at, touch->event, other->at, other->event, slack, signal);
}

static bool is_ordered(const struct inter *inter, const struct touch *touch, const struct touch *other,
                       struct cw_order_slack slack, uint32_t *signal) {
    return is_before(inter, touch, other, slack, signal) || is_before(inter, other, touch, slack, signal);
}

static bool is_plain_load(const struct inter *inter, const struct touch *touch) {
    const struct cw_device_event *e = &inter->d.at.at[touch->event];
    return !e->writes && !e->is_volatile && !e->is_atomic;
}

/* Is the reader of two ordered accesses told by a flag alone, with nothing that keeps an ordinary load after it? */
static bool lacks_acquire(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    uint32_t signal;
    return (is_plain_load(inter, touch) || is_plain_load(inter, other)) && touch->at.block != other->at.block &&
           !is_ordered(inter, touch, other, (struct cw_order_slack){.acquires = true}, &signal);
}

/* The two critical sections of one lock that hold the accesses. */
struct sections {
    bool found;
    struct cw_critical_section first, second;
};

static struct sections common_lock(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    struct sections found = {.found = false};
    uint8_t scope = cw_block_order_scope(inter->order, touch->at, other->at);
    for (uint32_t k = 0; k < inter->d.at.n && !found.found; k++) {
        const struct cw_device_event *take = &inter->d.at.at[k];
        if ((!take->spins && take->won == CW_NO_BLOCK) || !take->is_exchange)
            continue;
        found.first = cw_block_order_section(inter->order, touch->at, touch->event, &take->base, scope);
        found.second = cw_block_order_section(inter->order, other->at, other->event, &take->base, scope);
        found.found = found.first.found && found.second.found;
    }
    return found;
}

/* What one critical section lacks for threads of that scope; CW_BLOCK_RACE: nothing. */
static enum cw_block_fault_kind section_fault(const struct inter *inter, const struct cw_critical_section *section,
                                              uint8_t scope, uint32_t *culprit) {
    const struct cw_device_event *take = &inter->d.at.at[section->take], *release = &inter->d.at.at[section->release];
    bool narrow_take = take->scope < scope, narrow_release = release->scope < scope;
    bool after = section->fence_after_take >= scope, before = section->fence_before_release >= scope;
    *culprit = narrow_take ? take->ins : narrow_release ? release->ins : !after ? take->ins : release->ins;
    if (narrow_take || narrow_release)
        return CW_BLOCK_NARROW_SCOPE;
    if (!after)
        return section->fence_after_take > CW_SCOPE_THREAD ? CW_BLOCK_NARROW_SCOPE : CW_BLOCK_LOCK_FENCE;
    if (!before)
        return section->fence_before_release > CW_SCOPE_THREAD ? CW_BLOCK_NARROW_SCOPE : CW_BLOCK_UNLOCK_FENCE;
    return CW_BLOCK_RACE;
}

/* Does one of the two poll what the other one writes? */
static bool is_polled(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    return (a->polls && b->writes) || (b->polls && a->writes);
}

/* A lock that is tried decides who goes on, as a flag does; but only its section says which fence stands in the turn
 * that took it, and which in an earlier turn of the loop. */
static bool is_tried(const struct inter *inter, const struct sections *lock) {
    const struct cw_device_event *take = &inter->d.at.at[lock->first.take];
    return lock->found && !take->spins && take->won != CW_NO_BLOCK;
}

/* False when the two are ordered, or when one lock holds both. */
static bool find_missing(const struct inter *inter, const struct touch *touch, const struct touch *other,
                         enum cw_block_fault_kind *kind, uint32_t *culprit) {
    static const struct { struct cw_order_slack slack; enum cw_block_fault_kind kind; } steps[] = {
        {{.any_scope = true}, CW_BLOCK_NARROW_SCOPE},
        {{.any_scope = true, .no_fence = true}, CW_BLOCK_MISSING_FENCE},
        {{.any_signal = true}, CW_BLOCK_EARLY_SIGNAL}};
    struct sections lock = common_lock(inter, touch, other);
    uint32_t signal = UINT32_MAX;
    uint8_t scope = cw_block_order_scope(inter->order, touch->at, other->at);
    *kind = CW_BLOCK_RACE;
    *culprit = UINT32_MAX;
    if (!is_tried(inter, &lock) && is_ordered(inter, touch, other, (struct cw_order_slack){0}, &signal)) {
        *kind = CW_BLOCK_WAIT_FENCE;
        *culprit = inter->d.at.at[(is_plain_load(inter, touch) ? touch : other)->event].ins;
        return lacks_acquire(inter, touch, other);
    }
    if (lock.found && (inter->d.at.at[lock.first.release].is_weak || inter->d.at.at[lock.second.release].is_weak)) {
        bool is_first = inter->d.at.at[lock.first.release].is_weak;
        *culprit = inter->d.at.at[(is_first ? lock.first : lock.second).release].ins;
        return true;
    }
    if (lock.found) {
        *kind = section_fault(inter, &lock.first, scope, culprit);
        if (*kind == CW_BLOCK_RACE)
            *kind = section_fault(inter, &lock.second, scope, culprit);
        return *kind != CW_BLOCK_RACE;
    }
    if (cw_block_order_both_hold(inter->order, touch->at, touch->event, other->at, other->event))
        return false; /* one of them keeps the lock for good */
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    bool are_tickets = a->awaited && b->awaited; /* nothing is to come before a draw */
    for (uint32_t k = 0; k < sizeof steps / sizeof *steps && !are_tickets; k++)
        if (is_ordered(inter, touch, other, steps[k].slack, &signal)) {
            *kind = steps[k].kind;
            *culprit = signal != UINT32_MAX ? inter->d.at.at[signal].ins : UINT32_MAX;
            return true;
        }
    if (is_polled(inter, touch, other)) {
        *kind = CW_BLOCK_PLAIN_SPIN;
        *culprit = a->polls ? a->ins : b->ins;
    }
    if (a->is_atomic && b->is_atomic) {
        *kind = CW_BLOCK_NARROW_SCOPE;
        *culprit = is_wide_enough(inter, a, touch->at, other->at) ? b->ins : a->ins;
    }
    return true;
}

/* ---- values ---- */

/* The operand that an event stores, CW_NONE when it is not one value. */
static cw_ref stored_value(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op == CW_OP_STORE)
        return cw_arg(fn, ins, 0);
    bool plain = ins->op == CW_OP_ATOMIC && (ins->aux & 0xff) == CW_ATOMIC_EXCH;
    return plain && ins->narg > 1 ? cw_arg(fn, ins, 1) : CW_NONE;
}

enum agreement { EQUAL, DIFFERENT, NOBODY_KNOWS };

/* An atomic that computes the new value from the old one: a plain write before it or after it gives another result. */
static bool is_update(const struct cw_ins *ins) {
    return ins->op == CW_OP_ATOMIC && (ins->aux & 0xff) != CW_ATOMIC_EXCH && (ins->aux & 0xff) != CW_ATOMIC_STORE;
}

static enum agreement compare_values(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    const struct touch *side[2] = {touch, other};
    const struct cw_fn *fn = inter->q->fn;
    int64_t value[2];
    bool exact[2];
    const struct cw_ins *a = &fn->ins.at[inter->d.at.at[touch->event].ins],
                        *b = &fn->ins.at[inter->d.at.at[other->event].ins];
    if (is_update(a) != is_update(b) || (cw_device_counts(a) && cw_device_counts(b)))
        return DIFFERENT;
    for (int k = 0; k < 2; k++) {
        const struct cw_ins *i = &fn->ins.at[inter->d.at.at[side[k]->event].ins];
        cw_ref r = stored_value(fn, i);
        struct cw_lanes *l = inter->lanes[side[k]->at.block];
        if (r.tag == CW_REF_NONE || r.tag == CW_REF_UNDEF)
            return NOBODY_KNOWS;
        const struct cw_lane_values *v = cw_lanes_eval(l, r, context_of_touch(inter, side[k]));
        exact[k] = v->known[side[k]->at.thread] <= CW_SAMPLED;
        value[k] = v->value[side[k]->at.thread];
    }
    if (exact[0] && exact[1])
        return value[0] == value[1] ? EQUAL : DIFFERENT;
    return exact[0] == exact[1] && value[0] == value[1] ? EQUAL : NOBODY_KNOWS;
}

/* ---- faults ---- */

static uint64_t blocks_of(const struct cw_launch *launch) {
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static bool has_many_blocks(const struct cw_launch *launch) {
    return launch->grid_known && blocks_of(launch) > 1;
}

/* Dimensions of the grid in which the kernel looks at its block's index: bit d. */
static uint8_t indexed_dimensions(const struct cw_fn *fn) {
    uint8_t found = 0;
    for (uint32_t k = 0; k < fn->ins.n; k++)
        for (uint32_t n = 0; n < fn->ins.at[k].narg; n++) {
            cw_ref arg = cw_arg(fn, &fn->ins.at[k], n);
            if (arg.tag == CW_REF_SREG && arg.index >= CW_CTAID_X && arg.index <= CW_CTAID_Z)
                found |= (uint8_t)(1u << (arg.index - CW_CTAID_X));
        }
    return found;
}

/* May the grid have more than one block along the dimension, as far as nobody knows it? A kernel that asks which block
 * it is in, that draws tickets or that waits is launched with more than one of them. */
static bool is_chosen_dimension(const struct inter *inter, uint32_t dimension) {
    const struct cw_kernel_query *q = inter->q;
    return !(q->launches->at[inter->launch].grid_single >> dimension & 1) &&
           (inter->indexed >> dimension & 1 || (inter->d.has_sync && q->launches->from_facts));
}

/* Has the launch both blocks? Where nobody knows its grid, the second block is one that the witness chooses. */
static bool has_both_blocks(const struct inter *inter) {
    const struct cw_launch *launch = &inter->q->launches->at[inter->launch];
    if (launch->grid_known)
        return has_many_blocks(launch);
    for (uint32_t d = 0; d < 3; d++)
        if ((inter->first[d] > 0 || inter->second[d] > 0) && !is_chosen_dimension(inter, d))
            return false;
    return true;
}

/* Of a cluster only the number of its blocks is kept: neighbours may be in one wherever there are clusters. */
static struct cw_block_pair pair_in_grid(const struct cw_launch *launch, const uint32_t first[3],
                                         const uint32_t second[3]) {
    uint32_t in_cluster = launch->cluster ? launch->cluster : CLUSTER_MAX;
    uint64_t apart = (uint64_t)second[0] - first[0] + second[1] - first[1] + second[2] - first[2];
    return (struct cw_block_pair){.in_cluster = apart < in_cluster,
                                  .has_third = !launch->grid_known || blocks_of(launch) > 2,
                                  .third_in_cluster = in_cluster > 1};
}

static struct cw_block_side side_of(const struct inter *inter, const struct touch *touch) {
    const struct cw_device_event *e = &inter->d.at.at[touch->event];
    return (struct cw_block_side){e->ins, touch->at, e->writes, e->is_atomic};
}

/* Does input decide whether the thread executes the access? */
static bool is_open(const struct inter *inter, const struct touch *touch) {
    return !cw_block_order_executes(inter->order, touch->at, block_of_touch(inter, touch));
}

/* Do both threads execute their accesses on one input, and does no ticket or lock leave one of them out? */
static bool happen_together(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    uint32_t first = block_of_touch(inter, touch), second = block_of_touch(inter, other);
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
    bool blocks = touch->at.block == other->at.block || has_both_blocks(inter);
    return inter->q->launches->from_facts && blocks && kind != CW_BLOCK_WAIT_FENCE &&
           !is_relaxed_read(inter, touch, other) && happen_together(inter, touch, other);
}

/* Where the access of the touch lies with other sizes; false: the thread does not come there, or nobody knows. */
static bool place_with_sizes(const struct inter *inter, const struct touch *touch, uint32_t sample,
                             struct cw_lane_place *place) {
    const struct cw_kernel_query *q = inter->q;
    const struct cw_device_event *e = &inter->d.at.at[touch->event];
    const uint32_t *block = touch->at.block ? inter->second : inter->first;
    uint32_t at = q->fn->ins.at[e->ins].block;
    struct cw_lanes *l = cw_lanes_new_in_block(q->fn, q->uniformity, &q->launches->at[inter->launch], sample,
                                               EVALUATIONS, block, q->arena);
    const struct cw_context *first = cw_lanes_first(l, at);
    const struct cw_lane_value *places = touch->is_first ? cw_lanes_places(l, e->pointer, first) : NULL;
    if (!places || cw_lanes_reach(l, at, first)[touch->at.thread] == CW_REACH_NO)
        return false;
    *place = cw_lanes_place(places, touch->at.thread);
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
        if (!place_with_sizes(inter, touch, samples[k], &one) || !place_with_sizes(inter, other, samples[k], &two))
            continue;
        uint64_t root = root_of(inter, a, one);
        if (root == 0 || root != root_of(inter, b, two) || one.offset >= two.offset + (int64_t)b->size ||
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
    /* so do guessed shapes, and a condition on sizes may leave out all blocks but one */
    return inter->q->launches->from_facts && !is_open(inter, touch) && !is_open(inter, other);
}

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

static void add_fault(struct inter *inter, const struct touch *touch, const struct touch *other,
                      enum cw_block_fault_kind kind, uint32_t culprit) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    enum agreement values = a->writes && b->writes ? compare_values(inter, touch, other) : DIFFERENT;
    if (values == EQUAL || inter->out->at.n == FAULTS_MAX || !is_reportable(inter, touch, other, kind))
        return;
    struct cw_block_fault f = {.kind = kind,
                               .first = side_of(inter, touch),
                               .second = side_of(inter, other),
                               .culprit = culprit,
                               .launch = inter->launch,
                               .is_one_block = touch->at.block == other->at.block,
                               .lanes = inter->lanes[touch->at.block]};
    struct cw_lane_place p = cw_lanes_place(
        cw_lanes_places(inter->lanes[touch->at.block], a->pointer, context_of_touch(inter, touch)), touch->at.thread);
    f.narrow = kind == CW_BLOCK_NARROW_SCOPE ? narrow_operation(inter, touch, other, culprit) : UINT32_MAX;
    memcpy(f.first_block, inter->first, sizeof f.first_block);
    memcpy(f.second_block, inter->second, sizeof f.second_block);
    f.base = p.base;
    f.offset = p.offset;
    f.by_data = touch->by_data || other->by_data;
    f.bytes = (uint32_t)(a->size < b->size ? a->size : b->size);
    bool is_sure = values == DIFFERENT && is_definite(inter, touch, other, kind);
    f.definite = is_sure && touch->exact && other->exact;
    f.by_sizes = is_sure && !f.definite;
    f.rests_on_sizes = kind == CW_BLOCK_RACE && !(touch->exact && other->exact);
    put_fault(inter, &f);
}

static struct pair *pair_of(struct inter *inter, uint32_t a, uint32_t b, bool one_block) {
    for (uint32_t k = 0; k < inter->pairs.n; k++)
        if (inter->pairs.at[k].first == a && inter->pairs.at[k].second == b &&
            inter->pairs.at[k].one_block == one_block)
            return &inter->pairs.at[k];
    if (inter->pairs.n == PAIRS_MAX)
        return NULL;
    cw_vec_push(inter->q->arena, &inter->pairs, ((struct pair){a, b, one_block, 0, false}));
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
           (inter->d.has_sync || is_polled(inter, touch, other));
}

/* Does one ticket let one of the two in? */
static bool is_of_one_ticket(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    return (cw_block_order_decided_by(inter->order, block_of_touch(inter, touch)) &
            cw_block_order_decided_by(inter->order, block_of_touch(inter, other))) != 0;
}

/* What is ordered is only asked for where two blocks touch one element, or one polls: most kernels' blocks have their
 * own, and the order asks of every block of the code who gets there. False also where the launch traps. */
static bool find_order(struct inter *inter) {
    const struct cw_kernel_query *q = inter->q;
    if (!inter->has_asked && !cw_lanes_traps(inter->lanes[0])) {
        inter->order = cw_block_order_new(&inter->d, q->uniformity, inter->lanes,
                                          pair_in_grid(&q->launches->at[inter->launch], inter->first, inter->second),
                                          q->arena);
        inter->keeps_a_lock = inter->order && cw_block_order_keeps_a_lock(inter->order);
    }
    inter->has_asked = true;
    return inter->order && !cw_lanes_exhausted(inter->lanes[0]) && !cw_lanes_exhausted(inter->lanes[1]);
}

static void judge_touches(struct inter *inter, const struct touch *touch, const struct touch *other) {
    enum cw_block_fault_kind kind;
    uint32_t culprit;
    if (touch->event > other->event) {
        const struct touch *swap = touch;
        touch = other;
        other = swap;
    }
    if (!is_asked(inter, touch, other) || !find_order(inter) || is_of_one_ticket(inter, touch, other) ||
        !is_conflict(inter, touch, other))
        return;
    bool is_led = touch->by_data != other->by_data;
    if (touch->somewhere && !is_led)
        return; /* each at its own element */
    if (touch->by_data && !is_led && !common_lock(inter, touch, other).found)
        return; /* the host may see to it that the elements differ; who takes a lock says that they need not */
    struct pair *p = pair_of(inter, touch->event, other->event, touch->at.block == other->at.block);
    if (p == NULL || p->reported || p->tried == UINT8_MAX)
        return;
    p->tried++;
    if (!find_missing(inter, touch, other, &kind, &culprit))
        return;
    if (is_led && kind != CW_BLOCK_MISSING_FENCE && kind != CW_BLOCK_NARROW_SCOPE && kind != CW_BLOCK_EARLY_SIGNAL)
        return; /* who waits for a signal reckons with being led to what is announced; others need not be */
    p->reported = true;
    if (touch->at.block == other->at.block && kind == CW_BLOCK_RACE)
        return; /* races/ reports what nothing orders within a block */
    add_fault(inter, touch, other, kind, culprit);
}

static void judge_all(struct inter *inter) {
    for (uint32_t k = 0; k < inter->touches.n; k++)
        for (uint32_t n = inter->touches.at[k].next; n != 0; n = inter->touches.at[n - 1].next)
            judge_touches(inter, &inter->touches.at[k], &inter->touches.at[n - 1]);
}

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
    bool one = l->grid_known && !has_many_blocks(l);
    if (l->cooperative || one || inter->out->at.n == FAULTS_MAX || !has_spin(inter) || !find_order(inter) ||
        !cw_hand_barrier_find(&inter->d, inter->order, inter->lanes, &found))
        return;
    struct touch first = {found.arrival, {1, found.thread.thread}, true, false, true, false, 0},
                 second = {found.wait, found.thread, true, false, true, false, 0};
    const struct cw_device_event *w = &inter->d.at.at[found.wait];
    struct cw_lane_place p = cw_lanes_place(
        cw_lanes_places(inter->lanes[0], w->pointer,
                        cw_lanes_first(inter->lanes[0], inter->q->fn->ins.at[w->ins].block)),
        found.thread.thread);
    struct cw_block_fault f = {.kind = CW_BLOCK_HAND_BARRIER,
                               .first = side_of(inter, &first),
                               .second = side_of(inter, &second),
                               .culprit = w->ins,
                               .base = p.base,
                               .offset = p.offset,
                               .bytes = (uint32_t)w->size,
                               .definite = q->launches->from_facts && has_many_blocks(l) && found.sure,
                               .launch = inter->launch,
                               .lanes = inter->lanes[0]};
    memcpy(f.first_block, inter->first, sizeof f.first_block);
    memcpy(f.second_block, inter->second, sizeof f.second_block);
    cw_vec_push(q->arena, &inter->out->at, f);
}

/* The two blocks that are compared: that of inter->first and another one. */
static void look_at_pair(struct inter *inter, const uint32_t second[3]) {
    const struct cw_kernel_query *q = inter->q;
    const struct cw_launch *l = &q->launches->at[inter->launch];
    bool one = l->grid_known && !has_many_blocks(l);
    for (uint32_t d = 0; d < 3; d++)
        inter->second[d] = second[d];
    inter->lanes[0] =
        cw_lanes_new_in_block(q->fn, q->uniformity, l, inter->sample, EVALUATIONS, inter->first, q->arena);
    cw_lanes_share_reasons(inter->lanes[0], q->reasons);
    inter->lanes[1] =
        one ? inter->lanes[0]
            : cw_lanes_new_in_block(q->fn, q->uniformity, l, inter->sample, EVALUATIONS, second, q->arena);
    cw_lanes_share_reasons(inter->lanes[1], q->reasons);
    for (uint32_t b = 0; b < 2; b++)
        cw_lanes_choose_exits(inter->lanes[b], &inter->waits);
    for (uint32_t b = 0; b < 2 && inter->draws; b++)
        cw_lanes_draw(inter->lanes[b], b);
    inter->order = NULL;
    inter->has_asked = false;
    inter->pairs.n = 0;
    enter_all(inter, one);
    if (inter->is_misaligned) {
        inter->grain = 1;
        enter_all(inter, one);
    }
    if (cw_lanes_exhausted(inter->lanes[0]) || cw_lanes_exhausted(inter->lanes[1]))
        return;
    judge_all(inter);
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
        is_wide[d] = l->grid_known ? l->grid[d] > 3 : is_chosen_dimension(inter, d);
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

/* The neighbour in each dimension of the grid, and the last block: an index that is mirrored, that wraps, or that
 * leaves a dimension out meets there. */
static void look_at_launch(struct inter *inter, uint32_t launch) {
    const struct cw_launch *l = &inter->q->launches->at[launch];
    uint32_t seen = 0;
    inter->launch = launch;
    inter->has_unplaced = inter->is_first_out = false;
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t second[3] = {0, 0, 0};
        second[d] = 1;
        bool is_first = seen == 0 && !(l->grid_single >> d & 1);
        if (l->grid_known ? l->grid[d] < 2 : !is_first && !is_chosen_dimension(inter, d))
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
    if (has_many_blocks(l) && blocks_of(l) > 2) {
        const uint32_t last[3] = {l->grid[0] - 1, l->grid[1] - 1, l->grid[2] - 1};
        look_at_sizes(inter, last);
    }
}

static bool is_same_lack(const struct cw_block_fault *fault, const struct cw_block_fault *other) {
    if (fault->rests_on_sizes && other->rests_on_sizes && cw_ref_eq(fault->base, other->base))
        return true;
    return fault->kind == other->kind && (fault->culprit != UINT32_MAX ? other->culprit == fault->culprit
                                                                       : other->second.ins == fault->second.ins);
}

/* One fault for each missing thing at one place: of a conflict's many pairs the first is told, or the first one that is
 * sure. */
static void drop_repeated(struct cw_block_faults *out) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < out->at.n; k++) {
        const struct cw_block_fault *f = &out->at.at[k];
        uint32_t n = 0;
        while (n < kept && !is_same_lack(f, &out->at.at[n]))
            n++;
        if (n == kept)
            out->at.at[kept++] = *f;
        else if (f->definite && !out->at.at[n].definite)
            out->at.at[n] = *f;
    }
    out->at.n = kept;
}

/* Of two accesses one writes, and a grid barrier counts up a variable: without a write there is nothing to find.
 * Without a wait, a loop that polls or an atomic of block scope, only plain races can be found, which are reported for
 * launches from the source alone. */
static bool may_have_faults(const struct inter *inter) {
    bool some = inter->d.has_sync || inter->q->launches->from_facts, writes = false;
    for (uint32_t k = 0; k < inter->d.at.n && !writes; k++)
        writes = inter->d.at.at[k].writes;
    if (!writes)
        return false;
    for (uint32_t k = 0; k < inter->d.at.n && !some; k++) {
        const struct cw_device_event *e = &inter->d.at.at[k];
        some = e->polls || (e->is_atomic && e->scope < CW_SCOPE_DEVICE);
    }
    return some;
}

struct cw_block_faults cw_block_faults_of(const struct cw_kernel_query *query) {
    struct cw_block_faults out = {.at = {0}};
    struct inter s = {.q = query, .out = &out};
    if (query->fn->kind != CW_FN_KERNEL || query->fn->cfg->is_irreducible)
        return out;
    s.d = cw_device_events_of(query->fn, query->arena);
    cw_query_gave_up(query, CW_BAIL_WEAK_WAIT, s.d.has_weak_wait);
    if ((!s.d.has_data && !s.d.has_sync) || s.d.has_unknown || s.d.has_weak_wait || !may_have_faults(&s))
        return out;
    find_met(&s);
    s.indexed = indexed_dimensions(query->fn);
    s.waits = cw_bitset_new(query->arena, query->fn->blocks.n);
    for (uint32_t b = 0; b < query->fn->blocks.n; b++)
        if (s.d.polls[b] != 0)
            cw_bitset_add(&s.waits, b);
    for (uint32_t n = 0; n < query->launches->n && n < LAUNCHES_MAX; n++)
        look_at_launch(&s, n);
    drop_repeated(&out);
    return out;
}

/* ---- text form ---- */

static void print_block_side(const struct cw_facts_print *to, const struct cw_block_side *side) {
    cw_facts_access(to, side->writes, side->is_atomic, side->ins);
    cw_facts_part(to, "block %u", side->at.block);
    cw_facts_thread(to, "", side->at.thread);
}

void cw_block_faults_print(const struct cw_facts_print *to, const struct cw_block_faults *faults) {
    static const char *const kinds[] = {[CW_BLOCK_RACE] = "race",
                                        [CW_BLOCK_NARROW_SCOPE] = "narrow scope",
                                        [CW_BLOCK_MISSING_FENCE] = "missing fence",
                                        [CW_BLOCK_WAIT_FENCE] = "missing fence after a wait",
                                        [CW_BLOCK_LOCK_FENCE] = "missing fence after taking a lock",
                                        [CW_BLOCK_UNLOCK_FENCE] = "missing fence before releasing a lock",
                                        [CW_BLOCK_EARLY_SIGNAL] = "early signal",
                                        [CW_BLOCK_PLAIN_SPIN] = "plain spin",
                                        [CW_BLOCK_HAND_BARRIER] = "barrier by hand"};
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_block_fault *fault = &faults->at.at[k];
        cw_facts_begin(to, fault->definite, kinds[fault->kind]);
        cw_facts_flag(to, fault->is_one_block, "within a block");
        print_block_side(to, &fault->first);
        print_block_side(to, &fault->second);
        cw_facts_ins(to, "because of", fault->culprit);
        cw_facts_memory(to, fault->base, fault->offset, fault->bytes);
        cw_facts_evaluator(to, fault->lanes);
        cw_facts_end(to);
    }
}
