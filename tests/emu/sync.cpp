/* Meeting points: warp collectives, block and named barriers, mbarriers. What each checks is what the programming guide
 * and the PTX manual demand of its callers. */
#include "internal.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace cuemu {

namespace {

const char *const op_names[] = {"a shuffle", "a vote",    "a match",   "a reduction", "__syncwarp()",
                                "a tile's sync", "making a group", "a scan", "an election"};

constexpr unsigned named_barriers = 16, meeting_slot = 16, first_group_slot = 17, slots = first_group_slot + block_threads;
constexpr unsigned gathering_turns = 2000; /* of a lane that spins beside those who gather */

struct slot {
    bool active = false;
    barrier_use use = {};
    place at = {};
    unsigned arrived = 0;
    votes sum = {};
    token order = nullptr;
    std::vector<fiber *> waiters;
    std::vector<bool> came;
};

struct mbarrier {
    bool made = false;
    long expected = 0, pending = 0;
    std::uint64_t phase = 0;
    std::vector<token> order; /* by phase */
    std::vector<fiber *> waiters;
};

slot barriers[slots];
std::vector<std::unique_ptr<exchange>> exchanges;
std::unordered_map<void *, mbarrier> mbarriers;

std::string hex(unsigned mask) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%x", mask);
    return text;
}

fiber *lane_of(const fiber &f, unsigned lane) {
    unsigned count, rank = f.warp * warp_lanes + lane;
    fiber *all = fibers_of_block(&count);
    return rank < count && all[rank].now != state::exited ? &all[rank] : nullptr;
}

bool same_place(place a, place b) { return a.line == b.line && std::strcmp(a.file, b.file) == 0; }

std::string call_of(const fiber &f) {
    return describe(f) + " in " + op_names[static_cast<int>(f.what)] + " at " + describe(f.at) + " with mask " + hex(f.mask);
}

/* Two lanes that wait for each other in different calls will never have what they want. */
void check_partner(const fiber &f, const fiber &other) {
    if (!(f.mask >> other.lane & 1) || !(other.mask >> f.lane & 1))
        return;
    const char *what = f.mask != other.mask ? "masks differ" : f.what != other.what ? "different operations meet"
                       : !same_place(f.at, other.at) ? "different program points meet" : nullptr;
    if (what)
        finish("violation", std::string(what) + ": " + call_of(other) + ", " + call_of(f));
}

bool same_call(const fiber &f, const fiber &other) {
    return other.meeting && !other.met && other.mask == f.mask && other.what == f.what && same_place(other.at, f.at);
}

/* Completes the collective that `f` waits in when all that it names are there. */
void complete_meeting(fiber &f) {
    for (unsigned l = 0; l < warp_lanes; l++)
        if (fiber *other = f.mask >> l & 1 ? lane_of(f, l) : nullptr)
            if (!same_call(f, *other))
                return;
    exchanges.push_back(std::make_unique<exchange>());
    exchange &e = *exchanges.back();
    for (unsigned l = 0; l < warp_lanes; l++) {
        fiber *other = f.mask >> l & 1 ? lane_of(f, l) : nullptr;
        if (!other)
            continue;
        e.lanes |= 1u << l;
        std::memcpy(e.value[l], other->value, value_bytes);
        other->met = &e;
        wake(*other);
    }
}

/* One token for all lanes of one call: whoever is already here has made it. */
token token_of_call(const fiber &f) {
    for (unsigned l = 0; l < warp_lanes; l++)
        if (fiber *other = lane_of(f, l))
            if (other != &f && same_call(f, *other) && other->meeting_token)
                return other->meeting_token;
    return new_token();
}

unsigned bits_set(const std::vector<bool> &came, unsigned warp) {
    unsigned mask = 0;
    for (unsigned l = 0; l < warp_lanes && warp * warp_lanes + l < came.size(); l++)
        mask |= unsigned(came[warp * warp_lanes + l]) << l;
    return mask;
}

void check_aligned(const slot &s) {
    unsigned count;
    fiber *all = fibers_of_block(&count);
    for (unsigned i = 0; i < count; i++)
        if (!s.came[i] && all[i].now != state::exited && bits_set(s.came, i / warp_lanes))
            finish("violation", std::string(s.use.name) + " at " + describe(s.at) + ": a part of warp " +
                                    std::to_string(i / warp_lanes) + " comes, thread " + std::to_string(i) + " does not");
}

bool barrier_is_complete(const slot &s) { return s.arrived >= (s.use.count ? s.use.count : live_threads()); }

void complete_barrier(slot &s) {
    if (s.use.aligned)
        check_aligned(s);
    for (fiber *w : s.waiters) {
        w->result = s.sum;
        wake(*w);
    }
    s = slot();
}

void check_barrier_use(const slot &s, const barrier_use &use, place at) {
    unobserved strings;
    std::string where = std::string(use.name) + " at " + describe(at) + ": ";
    if (use.id >= named_barriers)
        finish("violation", where + "barrier " + std::to_string(use.id) + ", there are 0 to 15");
    if (use.count % warp_lanes)
        finish("violation", where + std::to_string(use.count) + " threads are no whole warps");
    if (use.how == arrival::arrive && !use.count)
        finish("violation", where + "an arrival needs a count");
    if (!s.active)
        return;
    if (s.use.count != use.count)
        finish("violation", where + "counts differ from " + describe(s.at));
    if ((s.use.how == arrival::reduce) != (use.how == arrival::reduce))
        finish("violation", where + "a reduction meets a barrier without one, at " + describe(s.at));
    if (s.use.textual && use.textual && (!same_place(s.at, at) || std::strcmp(s.use.name, use.name) != 0))
        finish("violation", where + "others wait in another barrier, at " + describe(s.at));
}

votes arrive_at(slot &s, const barrier_use &use, bool vote, bool orders, place at) {
    fiber &f = self();
    unsigned count;
    fibers_of_block(&count);
    if (!s.active) {
        s.active = true;
        s.use = use;
        s.at = at;
        s.sum = {0, true, false};
        s.came.assign(count, false);
        s.order = orders ? new_token() : nullptr;
    }
    token order = s.order;
    s.arrived++;
    s.came[f.rank] = true;
    s.sum.count += vote;
    s.sum.all &= vote;
    s.sum.any |= vote;
    if (order)
        __tsan_release(order);
    if (use.how != arrival::arrive)
        s.waiters.push_back(&f);
    if (barrier_is_complete(s))
        complete_barrier(s);
    else if (use.how != arrival::arrive)
        block_until_woken(use.name, at);
    if (order && use.how != arrival::arrive)
        __tsan_acquire(order);
    return f.result;
}

/* Nobody else of the warp is on the way: they wait for something, or for company here. */
bool others_have_stopped(const fiber &f) {
    for (unsigned l = 0; l < warp_lanes; l++)
        if (fiber *other = lane_of(f, l))
            if (other != &f && other->now == state::runnable && !other->gathering)
                return false;
    return true;
}

void gather(fiber &f) {
    unsigned lanes = 0;
    for (unsigned l = 0; l < warp_lanes; l++)
        if (fiber *other = lane_of(f, l))
            lanes |= unsigned(other->gathering && !other->gathered && same_place(other->at, f.at)) << l;
    for (unsigned l = 0; l < warp_lanes; l++)
        if (lanes >> l & 1) {
            lane_of(f, l)->gathered = lanes;
            lane_of(f, l)->gathering = false;
        }
}

mbarrier &made(void *object, const char *what, place at) {
    mbarrier &b = mbarriers[object];
    if (!b.made)
        finish("violation", std::string(what) + " at " + describe(at) + ": the barrier is not initialised");
    return b;
}

void complete_phase(mbarrier &b) {
    b.phase++;
    b.pending = b.expected;
    b.order.push_back(new_token());
    for (fiber *w : b.waiters)
        wake(*w);
    b.waiters.clear();
}

} // namespace

const exchange &meet(op what, unsigned mask, place at, const void *value, std::size_t size, bool orders) {
    fiber &f = self();
    f.what = what;
    f.mask = mask;
    f.at = at;
    f.orders = orders;
    if (!(mask >> f.lane & 1))
        finish("violation", "the caller is not in its mask: " + call_of(f));
    std::memset(f.value, 0, sizeof f.value);
    if (size)
        std::memcpy(f.value, value, size);
    f.met = nullptr;
    for (unsigned l = 0; l < warp_lanes; l++)
        if (fiber *other = lane_of(f, l))
            if (other != &f && other->meeting && !other->met)
                check_partner(f, *other);
    f.meeting_token = orders ? token_of_call(f) : nullptr;
    f.meeting = true;
    if (orders)
        __tsan_release(f.meeting_token);
    complete_meeting(f);
    if (!f.met)
        block_until_woken(op_names[static_cast<int>(what)], at);
    f.meeting = false;
    if (orders)
        __tsan_acquire(f.meeting_token);
    return *f.met;
}

unsigned active_lanes(place at) {
    fiber &f = self();
    if (!lanes_converge())
        return 1u << f.lane;
    f.gathering = true;
    f.gathered = 0;
    f.at = at;
    for (unsigned turns = 0; turns < gathering_turns && !f.gathered && !others_have_stopped(f); turns++)
        yield();
    if (!f.gathered)
        gather(f);
    return f.gathered;
}

votes block_barrier(const barrier_use &use, bool vote, place at) {
    slot &s = barriers[use.id < named_barriers ? use.id : 0];
    check_barrier_use(s, use, at);
    return arrive_at(s, use, vote, true, at);
}

void block_meet(const char *name, place at) {
    barrier_use use = {0, 0, arrival::sync, true, true, name};
    slot &s = barriers[meeting_slot];
    check_barrier_use(s, use, at);
    arrive_at(s, use, false, false, at);
}

void group_barrier(unsigned size, place at) {
    barrier_use use = {0, size, arrival::sync, true, true, "a group's sync"};
    slot &s = barriers[first_group_slot + self().rank / size];
    check_barrier_use(s, use, at);
    arrive_at(s, use, false, true, at);
}

void mbarrier_init(void *object, long expected, place) {
    mbarrier &b = mbarriers[object];
    b = mbarrier();
    b.made = true;
    b.expected = b.pending = expected;
    b.order.push_back(new_token());
}

std::uint64_t mbarrier_arrive(void *object, long update, bool drop, place at) {
    mbarrier &b = made(object, "arrive", at);
    std::uint64_t phase = b.phase;
    if (update > b.pending)
        finish("violation", "arrive at " + describe(at) + ": more arrivals than the barrier expects");
    __tsan_release(b.order[phase]);
    b.expected -= drop;
    b.pending -= update;
    if (b.pending == 0)
        complete_phase(b);
    return phase;
}

bool mbarrier_done(void *object, std::uint64_t phase) {
    mbarrier &b = made(object, "wait", {});
    if (b.phase == phase)
        return false;
    __tsan_acquire(b.order[phase]);
    return true;
}

void mbarrier_wait(void *object, std::uint64_t phase, place at) {
    made(object, "wait", at);
    while (!mbarrier_done(object, phase)) {
        mbarriers[object].waiters.push_back(&self());
        block_until_woken("a barrier's wait", at);
    }
}

unsigned lanes_of(const exchange &e) { return e.lanes; }

void lane_bytes(const exchange &e, unsigned lane, void *to, std::size_t size) {
    if (lane < warp_lanes && (e.lanes >> lane & 1))
        std::memcpy(to, e.value[lane], size);
    else if (usual_filling())
        std::memcpy(to, self().value, size);
    else
        fill_undefined(to, size);
}

unsigned lanes_of_warp() {
    unsigned count, first = current->warp * warp_lanes;
    fibers_of_block(&count);
    unsigned lanes = count - first < warp_lanes ? count - first : warp_lanes;
    return lanes == warp_lanes ? 0xffffffffu : (1u << lanes) - 1;
}

void sync_reset() {
    for (slot &s : barriers)
        s = slot();
    exchanges.clear();
    mbarriers.clear();
}

/* Nobody waits any longer for a thread that has ended. */
void sync_exit(fiber &f) {
    for (unsigned l = 0; l < warp_lanes; l++)
        if (fiber *other = lane_of(f, l))
            if (other->meeting && !other->met)
                complete_meeting(*other);
    for (slot &s : barriers)
        if (s.active && s.use.count == 0 && live_threads() > 0 && barrier_is_complete(s))
            complete_barrier(s);
}

} // namespace cuemu
