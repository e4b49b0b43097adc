/* Which threads of the two blocks touch which bytes?
 *
 * Each access that may race is evaluated in the first iteration of the loops around it and in the second of the
 * innermost, for both blocks. The touches of one byte are chained, and so are those of an element that data choose in
 * the same way, and those of some element of an array.
 *
 * requires: events; for touches, the evaluators of the two blocks. computes: the data events to ask about, and the
 * chains. cost: each thread's bytes of each event, of which a few touches are kept. preserves: the events. */
#include "blocks/inter_block_internal.h"

#include "lanes/value.h"

enum {
    TOUCHES_MAX = 1 << 19, /* bytes entered for a launch */
    ACCESS_MAX_BYTES = 64,
    KEPT = 3,              /* touches of one byte that are kept for an event and a block */
    NEST_MAX = 8,          /* loops around an access of which iterations are looked at */
    SHORT_LOOP = 4,        /* iterations of a loop that are looked at one by one */
    CONTEXTS_MAX = 16,     /* of one access with one loop in its second iteration */
    BY_DATA = 7,           /* in the key of an element that data choose */
    SOME_ELEMENT = 11      /* in the key of a whole array */
};

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

/* Which of the pointers in an array of them does the thread read (`p.row[step & 1]`)? Bytes from the root's
 * beginning. */
static bool find_field(struct cw_lanes *lanes, const struct cw_base *from, cw_ref pointer,
                       const struct cw_context *context, uint32_t thread, int64_t *field) {
    const struct cw_fn *fn = cw_lanes_fn(lanes);
    const struct cw_ins *load = cw_ins_of(fn, pointer);
    *field = from->field;
    if (from->fields == 0)
        return true;
    const struct cw_context *at = load && load->op == CW_OP_LOAD ? cw_context_at(lanes, context, load->block) : NULL;
    const struct cw_lane_value *places = load && load->op == CW_OP_LOAD &&
                                                 cw_context_missing(lanes, at, load->block) == CW_NO_LOOP
                                             ? cw_lanes_places(lanes, cw_arg(fn, load, 0), at)
                                             : NULL;
    if (places == NULL)
        return false;
    struct cw_lane_place place = cw_lanes_place(places, thread);
    *field = place.offset;
    return place.known == CW_EXACT && cw_ref_eq(place.base, from->root);
}

uint64_t cw_inter_root(const struct inter *inter, const struct cw_device_event *event, struct cw_lanes *lanes,
                       struct cw_lane_place place, const struct cw_context *context, uint32_t thread) {
    const struct cw_base *from = &event->base;
    int64_t field;
    if (place.base.tag == CW_REF_PARAM || place.base.tag == CW_REF_OBJECT)
        return mix_hash(mix_hash((uint64_t)place.base.tag << 32 | place.base.index, (uint64_t)place.token), 0);
    if (place.base.tag != CW_REF_INS || from->root.tag == CW_REF_NONE || event->nbases != 1 || !from->is_read ||
        cw_uni_of(inter->q->uniformity, place.base) > CW_UNI_GRID ||
        !find_field(lanes, from, place.base, context, thread, &field))
        return 0;
    return mix_hash(mix_hash((uint64_t)from->root.tag << 32 | from->root.index, (uint64_t)field), 1);
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

/* Data may lead the reader to what the other one writes, and an atomic update to what the other one reads: whoever
 * updates atomically reckons with others. */
static bool leads_by_data(const struct cw_device_event *event) {
    return !event->writes || (event->is_atomic && !event->collects);
}

static void enter_places(struct inter *inter, uint32_t event, uint32_t block, const struct cw_context *context,
                         uint32_t turn) {
    const struct cw_device_event *e = &inter->d.at.at[event];
    struct cw_lanes *l = inter->lanes[block];
    uint32_t at = inter->q->fn->ins.at[e->ins].block;
    const struct cw_lane_value *places = cw_lanes_places(l, e->pointer, context);
    const uint8_t *reach = cw_lanes_reach(l, at, context);
    bool is_reached = false, is_first = turn == CW_NO_LOOP;
    for (uint32_t t = 0; places != NULL && t < cw_lanes_count(l); t++) {
        struct cw_lane_place p = cw_lanes_place(places, t);
        /* Of an element that nobody knows, as the slot that a search finds: two threads that hold its lock mean one. */
        bool is_input = p.known == CW_INPUT && is_first, by_data = is_input || (p.known == CW_UNKNOWN && is_first);
        struct touch now = {event, {block, t}, p.known == CW_EXACT || by_data, by_data, turn, context, false, 0};
        is_reached |= reach[t] != CW_REACH_NO;
        inter->has_unplaced |= reach[t] != CW_REACH_NO && p.known > CW_SAMPLED;
        bool is_out = reach[t] == CW_REACH_NO || (p.known > CW_SAMPLED && !by_data);
        uint64_t root = is_out ? 0 : cw_inter_root(inter, e, l, p, context, t);
        if (root == 0)
            continue;
        if (inter->d.has_sync && (!by_data || (is_input && leads_by_data(e)))) {
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

/* An access in one of the iterations that are looked at. */
struct entering {
    struct inter *inter;
    struct cw_lanes *lanes;
    uint32_t event, block, turn;
    uint32_t loops[NEST_MAX], nloops; /* around the access, from the outermost on */
    uint32_t entered;
};

/* How many iterations of the loop are looked at one by one. */
static uint32_t short_trips(const struct entering *entering, uint32_t loop, const struct cw_context *outer) {
    if (cw_bitset_has(&entering->inter->busy, loop))
        return 0;
    int32_t trips = cw_lanes_most_trips(entering->lanes, loop, outer); /* the header runs once more than the body */
    return trips > 1 && trips <= SHORT_LOOP + 1 ? (uint32_t)trips - 1 : 0;
}

static void enter_iterations(struct entering *entering, uint32_t depth, const struct cw_context *outer) {
    if (depth == entering->nloops) {
        if (entering->entered++ < CONTEXTS_MAX)
            enter_places(entering->inter, entering->event, entering->block, outer, entering->turn);
        return;
    }
    uint32_t loop = entering->loops[depth], trips = short_trips(entering, loop, outer);
    uint32_t from = loop == entering->turn, to = trips > 0 && loop != entering->turn ? trips : from + 1;
    for (uint32_t k = from; k < to; k++)
        enter_iterations(entering, depth + 1, cw_lanes_context(entering->lanes, outer, loop, k));
}

/* The first iteration of the loops around the access, and the second of the innermost; in a kernel whose blocks
 * synchronise, of each of them: steps of a persistent kernel follow each other in an outer loop. */
static void enter_event(struct inter *inter, uint32_t event, uint32_t block) {
    const struct cw_device_event *e = &inter->d.at.at[event];
    struct cw_lanes *l = inter->lanes[block];
    struct entering entering = {.inter = inter, .lanes = l, .event = event, .block = block, .turn = CW_NO_LOOP};
    const struct cw_context *first = cw_lanes_first(l, inter->q->fn->ins.at[e->ins].block);
    bool has_steps = inter->d.has_sync || inter->d.has_grid_barriers;
    for (const struct cw_context *c = first; c != NULL; c = c->outer)
        entering.nloops++;
    if (entering.nloops > NEST_MAX) {
        enter_places(inter, event, block, first, CW_NO_LOOP);
        return;
    }
    uint32_t at = entering.nloops;
    for (const struct cw_context *c = first; c != NULL; c = c->outer)
        entering.loops[--at] = c->loop;
    enter_iterations(&entering, 0, NULL);
    for (uint32_t k = entering.nloops; k-- > 0 && !e->spins && (k + 1 == entering.nloops || has_steps);) {
        entering.turn = entering.loops[k];
        entering.entered = 0;
        enter_iterations(&entering, 0, NULL);
    }
}

void cw_inter_enter_touches(struct inter *inter, bool is_one_block) {
    inter->touches.n = 0;
    inter->is_misaligned = false;
    cw_map_init(&inter->bytes, inter->q->arena);
    for (uint32_t k = 0; k < inter->d.at.n; k++)
        for (uint32_t b = 0; cw_bitset_has(&inter->met, k) && b < (is_one_block ? 1 : 2); b++)
            enter_event(inter, k, b);
}

uint32_t cw_inter_block(const struct inter *inter, const struct touch *touch) {
    return inter->q->fn->ins.at[inter->d.at.at[touch->event].ins].block;
}

static const struct cw_context *context_again(struct cw_lanes *lanes, const struct cw_context *context) {
    return context ? cw_lanes_context(lanes, context_again(lanes, context->outer), context->loop, context->iteration)
                   : NULL;
}

const struct cw_context *cw_inter_context(const struct inter *inter, struct cw_lanes *lanes,
                                          const struct touch *touch) {
    return lanes == inter->lanes[touch->at.block] ? touch->context : context_again(lanes, touch->context);
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
    return (event->kind == CW_EVENT_DATA || is_narrow_ticket) && event->size <= ACCESS_MAX_BYTES;
}

void cw_inter_find_met(struct inter *inter) {
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
