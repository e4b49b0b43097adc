/* See hand_barriers.h. */
#include "blocks/hand_barriers.h"

struct barrier_search {
    const struct cw_device_events *d;
    const struct cw_block_order *o;
    struct cw_lanes *const *lanes;
};

static uint32_t block_of_event(const struct barrier_search *search, uint32_t event) {
    return search->d->fn->ins.at[search->d->at.at[event].ins].block;
}

static bool is_arrival(const struct barrier_search *search, uint32_t event) {
    const struct cw_device_event *e = &search->d->at.at[event];
    const struct cw_ins *i = &search->d->fn->ins.at[e->ins];
    if (!e->is_atomic || !e->is_exchange || e->spins)
        return false;
    switch ((enum cw_atomic)(i->aux & 0xff)) {
    case CW_ATOMIC_ADD: case CW_ATOMIC_SUB: case CW_ATOMIC_INC: case CW_ATOMIC_DEC:
        return true;
    default:
        return false;
    }
}

/* Does whoever draws a certain number at the arrival set what the loop waits for, and nobody else? Where each thread
 * sets it for the one that has drawn the next number, those that wait are let in one after the other. */
static bool sets_flag(const struct barrier_search *search, uint32_t arrival, uint32_t wait) {
    const struct cw_device_event *a = &search->d->at.at[arrival], *w = &search->d->at.at[wait];
    bool found = false;
    for (uint32_t k = 0; k < search->d->at.n && a->awaited != 0; k++) {
        const struct cw_device_event *s = &search->d->at.at[k];
        if (s->kind != CW_EVENT_SIGNAL || !cw_device_same_variable(&s->base, &w->base))
            continue;
        if (!(cw_block_order_decided_by(search->o, block_of_event(search, k)) >> (a->awaited - 1) & 1))
            return false;
        found = true;
    }
    return found;
}

/* May the thread's own arrival end the loop? */
static bool ends_own_wait(const struct barrier_search *search, uint32_t wait) {
    int64_t value;
    int want = cw_device_wanted(search->d, &search->d->at.at[wait], &value);
    return want < 0 || (want > 0 && value <= 1);
}

static bool is_pair(const struct barrier_search *search, uint32_t arrival, uint32_t wait) {
    const struct cw_device_event *a = &search->d->at.at[arrival], *w = &search->d->at.at[wait];
    if (!w->spins || w->is_exchange || !is_arrival(search, arrival))
        return false;
    if (cw_device_same_variable(&a->base, &w->base))
        return !ends_own_wait(search, wait);
    return sets_flag(search, arrival, wait);
}

/* Is the place the same in both blocks? */
static bool is_common(const struct barrier_search *search, uint32_t event, uint32_t thread) {
    uint32_t at = block_of_event(search, event);
    struct cw_lane_place place[2];
    for (uint32_t b = 0; b < 2; b++) {
        const struct cw_lane_value *places = cw_lanes_places(search->lanes[b], search->d->at.at[event].pointer,
                                                             cw_lanes_first(search->lanes[b], at));
        if (places == NULL)
            return false;
        place[b] = cw_lanes_place(places, thread);
    }
    return place[0].known == CW_EXACT && place[1].known == CW_EXACT && cw_ref_eq(place[0].base, place[1].base) &&
           place[0].token == place[1].token && place[0].offset == place[1].offset;
}

/* Does the thread with that number count up and then wait, in both blocks? */
static bool waits_in_both(const struct barrier_search *search, uint32_t arrival, uint32_t wait, uint32_t thread) {
    for (uint32_t b = 0; b < 2; b++)
        if (!cw_block_order_may_follow(search->o, (struct cw_block_thread){b, thread}, arrival, wait))
            return false;
    return is_common(search, arrival, thread) && is_common(search, wait, thread);
}

static bool is_sure(const struct barrier_search *search, uint32_t event, uint32_t thread) {
    uint32_t at = block_of_event(search, event);
    return cw_block_order_executes(search->o, (struct cw_block_thread){0, thread}, at) &&
           cw_block_order_executes(search->o, (struct cw_block_thread){1, thread}, at);
}

bool cw_hand_barrier_find(const struct cw_device_events *d, const struct cw_block_order *o,
                          struct cw_lanes *const lanes[2], struct cw_hand_barrier *out) {
    struct barrier_search search = {d, o, lanes};
    uint32_t threads = cw_lanes_count(lanes[0]);
    for (uint32_t wait = 0; wait < d->at.n; wait++)
        for (uint32_t arrival = 0; arrival < d->at.n; arrival++) {
            if (!is_pair(&search, arrival, wait))
                continue;
            for (uint32_t t = 0; t < threads; t++)
                if (waits_in_both(&search, arrival, wait, t)) {
                    *out = (struct cw_hand_barrier){arrival, wait, {0, t},
                                                    is_sure(&search, arrival, t) && is_sure(&search, wait, t)};
                    return true;
                }
        }
    return false;
}
