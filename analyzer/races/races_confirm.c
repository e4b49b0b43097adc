/* Does a conflict hold for other choices of the unknowns too, and in blocks of other shapes?
 *
 * Sizes and other unknowns were given values. A conflict is sure where the other choices show it as well, or say
 * nothing of its two accesses because nobody comes to them. In device memory the very same two threads have to meet,
 * since extents have relations that nobody sees.
 *
 * requires: a run that has the conflict. computes: whether it is sure. cost: runs for the other choices, which are
 * kept. preserves: everything. */
#include "races/races_internal.h"

#include "lanes/condition.h"

bool cw_race_is_block_wide(const struct cw_race_search *race_search, uint32_t launch) {
    return cw_launch_threads(&race_search->q->launches->at[launch]) > 32;
}

/* ---- what another run shows ---- */

/* Whether the value is needed has been seen once; elsewhere the conflict itself is enough. */
static bool shows_conflict(struct cw_race_search *race_search, uint32_t launch, uint32_t sample,
                           const struct cw_conflict *conflict) {
    const struct cw_race_run *run = cw_race_run_of(race_search, launch, sample);
    const struct cw_conflict *found = run ? cw_race_same_meeting(run->all, conflict) : NULL;
    return found && !found->open;
}

bool cw_race_shows_unwritten(struct cw_race_search *race_search, uint32_t launch, uint32_t sample, uint32_t ins) {
    const struct cw_race_run *run = cw_race_run_of(race_search, launch, sample);
    for (uint32_t k = 0; run && k < run->all->unwritten.n; k++)
        if (run->all->unwritten.at[k].ins == ins)
            return true;
    return false;
}

/* The next thread from t on that comes there, and needs what it reads; the number of threads where there is none. */
static uint32_t next_at(const struct cw_race_run *run, uint32_t step, uint32_t t) {
    const struct cw_step *s = &run->timeline->steps.at[step];
    const struct cw_ins *i = &run->timeline->roles->fn->ins.at[s->ins];
    const uint8_t *reach = cw_lanes_reach(run->timeline->lanes, i->block, s->context);
    uint32_t n = cw_lanes_count(run->timeline->lanes);
    while (t < n && (reach[t] == CW_REACH_NO ||
                     (i->op == CW_OP_LOAD && run->needs && !cw_liveness_has(run->needs, step, t))))
        t++;
    return t;
}

bool cw_race_does_happen(const struct cw_race_run *run, uint32_t step) {
    return next_at(run, step, 0) < cw_lanes_count(run->timeline->lanes);
}

bool cw_race_says_something(const struct cw_race_run *run, uint32_t first, uint32_t second, bool needs_two) {
    uint32_t none = cw_lanes_count(run->timeline->lanes), before = none;
    bool several = !needs_two;
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        bool is_one = s->kind == CW_STEP_ACCESS && (s->ins == first || s->ins == second);
        uint32_t thread = is_one ? next_at(run, k, 0) : none;
        if (thread == none)
            continue;
        several |= (before != none && thread != before) || next_at(run, k, thread + 1) < none;
        if (s->ins == first)
            before = thread;
        if (before != none && s->ins == second && several)
            return true;
    }
    return false;
}

/* That nobody uses the value, or that both are the zeros stored past the end, may be a matter of the chosen sizes. */
static bool is_not_felt(const struct cw_race_run *run, const struct cw_conflict *conflict) {
    if (cw_race_same_meeting(run->all, conflict) && !cw_race_same_meeting(run->needed, conflict))
        return true;
    for (uint32_t k = 0; k < run->all->harmless.n; k++) {
        const struct cw_harmless *h = &run->all->harmless.at[k];
        if (h->first == conflict->first && h->second == conflict->second && h->same_warp == conflict->same_warp)
            return true;
    }
    return false;
}

static bool shows_neighbour(const struct cw_race_run *run, const struct cw_conflict *conflict) {
    for (uint32_t k = 0; k < run->all->meetings.n; k++)
        if (cw_race_are_neighbours(run->timeline->roles->fn, &run->all->meetings.at[k], conflict))
            return true;
    return false;
}

/* What another choice of the unknowns says of two accesses. */
enum word { DENIES, SAYS_NOTHING, SHOWS };

/* conflict: NULL for a read of what nobody wrote. is_chosen: its places are computed from unknowns, and where one
 * thread alone comes to them, more threads might well find places of their own. */
static enum word word_of(struct cw_race_search *race_search, uint32_t launch, uint32_t sample,
                         const struct cw_conflict *conflict, bool is_chosen, uint32_t ins) {
    const struct cw_race_run *run = cw_race_run_of(race_search, launch, sample);
    if (run == NULL || (conflict && cw_bitset_has(&run->timeline->own, conflict->first)))
        return DENIES;
    bool shown = conflict ? shows_conflict(race_search, launch, sample, conflict)
                          : cw_race_shows_unwritten(race_search, launch, sample, ins);
    if (shown || (conflict && (shows_neighbour(run, conflict) || is_not_felt(run, conflict))))
        return SHOWS;
    uint32_t first = conflict ? conflict->first : ins, second = conflict ? conflict->second : ins;
    return cw_race_says_something(run, first, second, conflict && !is_chosen) ? DENIES : SAYS_NOTHING;
}

/* ---- whether the same two threads meet ---- */

/* The same iteration, for another evaluator. */
static const struct cw_context *translate_context(struct cw_lanes *lanes, const struct cw_context *context) {
    return context
               ? cw_lanes_context(lanes, translate_context(lanes, context->outer), context->loop, context->iteration)
               : NULL;
}

/* The iteration of a loop outside of others that is as far from the end of thread t's, which may run longer there. */
static const struct cw_context *from_the_end(struct cw_lanes *lanes, struct cw_lanes *from,
                                             const struct cw_context *context, uint32_t t) {
    if (!context || context->outer)
        return translate_context(lanes, context);
    int32_t now = cw_lanes_trips(from, context->loop, NULL)[t], then = cw_lanes_trips(lanes, context->loop, NULL)[t];
    if (now < 0 || then < 0 || (uint32_t)now < context->iteration ||
        (uint32_t)now - context->iteration > (uint32_t)then)
        return translate_context(lanes, context);
    return cw_lanes_context(lanes, NULL, context->loop, (uint32_t)then - ((uint32_t)now - context->iteration));
}

bool cw_race_place_of(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins, const struct cw_context *context,
                      uint32_t t, struct cw_lane_place *place, uint64_t *size) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, &fn->ins.at[ins], acc);
    const struct cw_lane_value *places = n ? cw_lanes_places(lanes, acc[0].pointer, context) : NULL;
    if (!places || cw_lanes_reach(lanes, fn->ins.at[ins].block, context)[t] == CW_REACH_NO)
        return false;
    *place = cw_lanes_place(places, t);
    bool is_scalar = fn->ins.at[ins].op == CW_OP_LOAD || fn->ins.at[ins].op == CW_OP_STORE;
    *size = acc[0].size || !is_scalar ? acc[0].size : 1; /* an element of unknown size has a first byte; a tile of
                                                            several lanes has none that is known to be this lane's */
    return place->known <= CW_SAMPLED;
}

static bool meet_in(const struct cw_race_search *race_search, struct cw_lanes *lanes,
                    const struct cw_conflict *conflict, const struct cw_context *one, const struct cw_context *two) {
    struct cw_lane_place a, b;
    uint64_t na, nb;
    if (!cw_race_place_of(lanes, race_search->q->fn, conflict->first, one, conflict->first_thread, &a, &na) ||
        !cw_race_place_of(lanes, race_search->q->fn, conflict->second, two, conflict->second_thread, &b, &nb))
        return false;
    return a.token == b.token && a.offset < b.offset + (int64_t)nb && b.offset < a.offset + (int64_t)na;
}

/* Do the very same two threads meet for other values of the unknowns? Of device memory this is asked, since its extents
 * are unknowns with relations that nobody sees: a row is no longer than the pitch. */
static bool meets_again(struct cw_race_search *race_search, const struct cw_race_run *run,
                        const struct cw_conflict *conflict, uint32_t sample) {
    struct cw_lanes *l = race_search->q->lanes(race_search->q->owner, run->launch, sample);
    const struct cw_step *steps = run->timeline->steps.at;
    const struct cw_context *one = steps[conflict->first_step].context, *two = steps[conflict->second_step].context;
    struct cw_lanes *here = run->timeline->lanes;
    return meet_in(race_search, l, conflict, translate_context(l, one), translate_context(l, two)) ||
           meet_in(race_search, l, conflict, from_the_end(l, here, one, conflict->first_thread),
                   from_the_end(l, here, two, conflict->second_thread));
}

bool cw_race_is_device_memory(const struct cw_fn *fn, cw_ref root) {
    return root.tag != CW_REF_OBJECT || fn->objects.at[root.index].space == CW_SPACE_GLOBAL;
}

bool cw_race_rests_on_choice(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins, const struct cw_step *step,
                             uint32_t t) {
    struct cw_lane_place place;
    uint64_t size;
    return !cw_race_place_of(lanes, fn, ins, step->context, t, &place, &size) || place.known != CW_EXACT;
}

/* Are the places of the two computed from unknowns? */
static bool has_chosen_places(const struct cw_race_search *race_search, const struct cw_race_run *run,
                              const struct cw_conflict *conflict) {
    const struct cw_fn *fn = race_search->q->fn;
    const struct cw_step *steps = run->timeline->steps.at;
    struct cw_lanes *lanes = run->timeline->lanes;
    return cw_race_rests_on_choice(lanes, fn, conflict->first, &steps[conflict->first_step], conflict->first_thread) ||
           cw_race_rests_on_choice(lanes, fn, conflict->second, &steps[conflict->second_step], conflict->second_thread);
}

/* ---- whether it is sure ---- */

/* Do the samples choose alike? What ends in a trap is replaced by another sample's choice, so that one may be left.
 * Relations that nobody sees may exclude it: a border is no wider than the filter. */
static bool is_only_choice(const struct cw_race_search *race_search, const struct cw_race_run *run) {
    const uint8_t *samples = cw_race_samples_like(run->sample);
    for (uint32_t k = 0; k < CW_RACE_SAMPLES; k++) {
        const struct cw_lanes *lanes = race_search->q->lanes(race_search->q->owner, run->launch, samples[k]);
        if (cw_lanes_sample(lanes) != cw_lanes_sample(run->timeline->lanes))
            return false;
    }
    return true;
}

/* Does a further choice deny what rests on the others? One under which a thread leaves an array is that of no program.
 */
static bool is_denied_further(struct cw_race_search *race_search, const struct cw_race_run *from,
                              const struct cw_conflict *conflict) {
    static const uint8_t further[] = {CW_SAMPLE_ROUND, 4, 6};
    uint32_t data = from->sample - from->sample % CW_SAMPLE_DATA;
    for (uint32_t k = 0; k < sizeof further; k++) {
        const struct cw_race_run *run = cw_race_run_of(race_search, from->launch, data + further[k]);
        if (run && !run->all->strays &&
            word_of(race_search, from->launch, data + further[k], conflict, true, conflict->first) == DENIES)
            return true;
    }
    return false;
}

bool cw_race_holds_in_samples(struct cw_race_search *race_search, const struct cw_race_run *run,
                              const struct cw_conflict *conflict, uint32_t ins) {
    if (cw_lanes_sample_text(run->timeline->lanes, race_search->q->arena) == NULL)
        return true;
    bool is_chosen = conflict && has_chosen_places(race_search, run, conflict), is_open = false;
    if (is_chosen && is_only_choice(race_search, run))
        return false;
    const uint8_t *samples = cw_race_samples_like(run->sample);
    for (uint32_t k = 0; k < CW_RACE_SAMPLES; k++) {
        if (samples[k] == run->sample)
            continue;
        enum word word = word_of(race_search, run->launch, samples[k], conflict, is_chosen, ins);
        if (word == DENIES || (conflict && cw_race_is_device_memory(race_search->q->fn, conflict->root) &&
                               !meets_again(race_search, run, conflict, samples[k])))
            return false;
        is_open |= word == SAYS_NOTHING;
    }
    return !(is_chosen && is_open && is_denied_further(race_search, run, conflict));
}

/* Without known launches: under every ordinary shape of more than one warp. Where no other shape fits the kernel, the
 * one that is left is a guess that happened not to be excluded. */
static bool holds_in_shapes(struct cw_race_search *race_search, const struct cw_race_run *run,
                            const struct cw_conflict *conflict) {
    bool is_tried = false, is_confirmed = false;
    for (uint32_t n = 0; n < race_search->q->launches->n && !race_search->q->launches->from_facts; n++) {
        if (n == run->launch ||
            (!cw_race_is_block_wide(race_search, n) && cw_race_is_block_wide(race_search, run->launch)))
            continue;
        is_tried = true;
        if (cw_race_run_of(race_search, n, run->sample) == NULL)
            continue;
        if (!shows_conflict(race_search, n, run->sample, conflict))
            return false;
        is_confirmed = true;
    }
    return is_confirmed || !is_tried;
}

bool cw_race_is_sure(struct cw_race_search *race_search, const struct cw_race_run *run,
                     const struct cw_conflict *conflict) {
    return !conflict->open && cw_race_holds_in_samples(race_search, run, conflict, conflict->first) &&
           holds_in_shapes(race_search, run, conflict);
}
