/* What is missing between two accesses that conflict?
 *
 * The order is asked for as it stands, then with one requirement after the other left out: scopes, fences, barriers
 * before a signal. The first answer that orders the two names the fault and its culprit. Two accesses within critical
 * sections of one lock are judged by what these sections lack.
 *
 * requires: an order. computes: whether two touches conflict, and which fault that is. cost: a few searches of the
 * order for each pair. preserves: everything. */
#include "blocks/inter_block_internal.h"

static bool is_wide_enough(const struct inter *inter, const struct cw_device_event *device_event,
                           struct cw_block_thread block_thread, struct cw_block_thread other) {
    return device_event->is_atomic && device_event->scope >= cw_block_order_scope(inter->order, block_thread, other);
}

/* Does one of the two ask what all updates have left, of which the other one is one? No data race, but whoever is told
 * that the updates are over reckons with all of them. */
static bool are_collected(const struct cw_device_event *event, const struct cw_device_event *other) {
    return event->is_atomic && other->is_atomic &&
           ((event->collects && other->writes && !other->collects) ||
            (other->collects && event->writes && !event->collects));
}

bool cw_inter_is_conflict(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    if (!a->writes && !b->writes)
        return false;
    return !is_wide_enough(inter, a, touch->at, other->at) || !is_wide_enough(inter, b, touch->at, other->at) ||
           are_collected(a, b);
}

bool cw_inter_is_relaxed_read(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    return (a->is_volatile && !a->writes && is_wide_enough(inter, b, touch->at, other->at)) ||
           (b->is_volatile && !b->writes && is_wide_enough(inter, a, touch->at, other->at));
}

/* Is the first ordered before the other, in the iterations that they are in? */
static bool is_before(const struct inter *inter, const struct touch *touch, const struct touch *other,
                      struct cw_order_slack slack, uint32_t *signal) {
    const struct cw_cfg *cfg = inter->q->fn->cfg;
    bool is_first = touch->turn == CW_NO_LOOP, is_other_first = other->turn == CW_NO_LOOP;
    slack.turn = is_first ? other->turn : touch->turn;
    bool is_one_loop = slack.turn != CW_NO_LOOP && cw_cfg_in_loop(cfg, slack.turn, cw_inter_block(inter, touch)) &&
                       cw_cfg_in_loop(cfg, slack.turn, cw_inter_block(inter, other));
    slack.comes_first = is_other_first;
    slack.same_trip = touch->by_data != other->by_data; /* what is waited for is the announcement of that element */
    slack.comes_next = is_one_loop && is_first && !is_other_first;
    slack.is_past = is_one_loop && !is_first && is_other_first;
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

/* ---- locks ---- */

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

bool cw_inter_has_common_lock(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    return common_lock(inter, touch, other).found;
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

/* A lock that is tried decides who goes on, as a flag does; but only its section says which fence stands in the turn
 * that took it, and which in an earlier turn of the loop. */
static bool is_tried(const struct inter *inter, const struct sections *lock) {
    const struct cw_device_event *take = &inter->d.at.at[lock->first.take];
    return lock->found && !take->spins && take->won != CW_NO_BLOCK;
}

/* ---- the fault ---- */

bool cw_inter_is_polled(const struct inter *inter, const struct touch *touch, const struct touch *other) {
    const struct cw_device_event *a = &inter->d.at.at[touch->event], *b = &inter->d.at.at[other->event];
    return (a->polls && b->writes) || (b->polls && a->writes);
}

/* What is left out of account, one after the other, and what its lack is called. */
enum { ANY_SCOPE, ANY_FENCE, ANY_SIGNAL, STEPS };
static const struct { struct cw_order_slack slack; enum cw_block_fault_kind kind; } steps[STEPS] = {
    [ANY_SCOPE] = {{.any_scope = true}, CW_BLOCK_NARROW_SCOPE},
    [ANY_FENCE] = {{.any_scope = true, .no_fence = true}, CW_BLOCK_MISSING_FENCE},
    [ANY_SIGNAL] = {{.any_signal = true}, CW_BLOCK_EARLY_SIGNAL}};

/* Is an update announced by another thread of its block, before a barrier, to who collects the updates? */
static bool is_announced_early(const struct inter *inter, const struct touch *touch, const struct touch *other,
                               uint32_t *culprit) {
    uint32_t signal = UINT32_MAX;
    if (is_ordered(inter, touch, other, steps[ANY_FENCE].slack, &signal) ||
        !is_ordered(inter, touch, other, steps[ANY_SIGNAL].slack, &signal))
        return false;
    *culprit = signal != UINT32_MAX ? inter->d.at.at[signal].ins : UINT32_MAX;
    return true;
}

bool cw_inter_find_missing(const struct inter *inter, const struct touch *touch, const struct touch *other,
                           enum cw_block_fault_kind *kind, uint32_t *culprit) {
    struct sections lock = common_lock(inter, touch, other);
    uint32_t signal = UINT32_MAX;
    uint8_t scope = cw_block_order_scope(inter->order, touch->at, other->at);
    *kind = CW_BLOCK_RACE;
    *culprit = UINT32_MAX;
    if (is_wide_enough(inter, &inter->d.at.at[touch->event], touch->at, other->at) &&
        is_wide_enough(inter, &inter->d.at.at[other->event], touch->at, other->at)) {
        *kind = CW_BLOCK_EARLY_SIGNAL;
        return is_announced_early(inter, touch, other, culprit);
    }
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
    for (uint32_t k = 0; k < STEPS && !are_tickets; k++)
        if (is_ordered(inter, touch, other, steps[k].slack, &signal)) {
            *kind = steps[k].kind;
            *culprit = signal != UINT32_MAX ? inter->d.at.at[signal].ins : UINT32_MAX;
            return true;
        }
    if (cw_inter_is_polled(inter, touch, other)) {
        *kind = CW_BLOCK_PLAIN_SPIN;
        *culprit = a->polls ? a->ins : b->ins;
    }
    if (a->is_atomic && b->is_atomic) {
        *kind = CW_BLOCK_NARROW_SCOPE;
        *culprit = is_wide_enough(inter, a, touch->at, other->at) ? b->ins : a->ins;
    }
    return true;
}
