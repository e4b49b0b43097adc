/* See races.h: launches and samples tried, conflicts confirmed, one race per cause. */
#include "races/races.h"

#include "lanes/facts_print.h"
#include "lanes/participation.h"
#include "lanes/condition.h"
#include "races/array_starts.h"
#include "races/own_parts.h"
#include "races/races_internal.h"
#include "races/size_forms.h"
#include "races/used_values.h"

#include <stdlib.h>

enum {
    SAMPLES = 3,      /* choices of the uniform unknowns that must all show a conflict */
    SLOTS = 2 * CW_SAMPLE_DATA, /* numbers of such choices */
    FACTS_TRIED = 12, /* known launches looked at */
    FACTS_FAR = 12,   /* the same for a kernel without shared memory */
    LAST = 0,         /* the sample of the last block, in which sizes end */
    INNER = 2,        /* the sample looked at first: an inner block, whole in every dimension */
    FIRST = CW_RACE_FIRST_BLOCK
};

/* Choices that go together: blocks of all kinds, or block 0 with different sizes (lanes_leaf.c). */
static const uint8_t any_block[SAMPLES] = {0, 1, INNER}, first_block[SAMPLES] = {1, 4, FIRST},
                     data_sizes[SAMPLES] = {CW_SAMPLE_DATA, CW_SAMPLE_DATA + 1, CW_SAMPLE_DATA + INNER};

static const uint8_t *samples_like(uint32_t sample) {
    return sample == FIRST ? first_block : sample >= CW_SAMPLE_DATA ? data_sizes : any_block;
}

/* ---- one launch and sample ---- */

static bool reads_matter(const struct cw_shadow *shadow) {
    for (uint32_t k = 0; k < shadow->meetings.n; k++)
        if (!shadow->meetings.at[k].first_writes || !shadow->meetings.at[k].second_writes)
            return true;
    return shadow->unwritten.n > 0;
}

const struct cw_conflict *cw_race_same_meeting(const struct cw_shadow *shadow, const struct cw_conflict *conflict) {
    for (uint32_t k = 0; k < shadow->meetings.n; k++)
        if (shadow->meetings.at[k].first == conflict->first && shadow->meetings.at[k].second == conflict->second &&
            shadow->meetings.at[k].same_warp == conflict->same_warp &&
            shadow->meetings.at[k].unwaited == conflict->unwaited)
            return &shadow->meetings.at[k];
    return NULL;
}

bool cw_race_are_neighbours(const struct cw_fn *fn, const struct cw_conflict *one, const struct cw_conflict *other) {
    const struct cw_ins *ins = fn->ins.at;
    return ((one->first == other->first && ins[one->second].block == ins[other->second].block) ||
            (one->second == other->second && ins[one->first].block == ins[other->first].block)) &&
           !one->open && one->same_warp == other->same_warp && one->unwaited == other->unwaited &&
           one->skipped == other->skipped;
}

/* What following the timeline costs, in cells of an evaluator: a warp's lanes are looked at one by one. */
static uint64_t work_of(const struct cw_event_trace *trace, const struct cw_lanes *lanes) {
    return (uint64_t)trace->steps.n * cw_lanes_count(lanes);
}

/* Lays the kernel out, as long as that is too much work with fewer iterations of its loops. */
static bool find_conflicts(const struct cw_race_search *race_search, struct cw_race_run *run, struct cw_lanes *lanes) {
    struct cw_event_trace *t = cw_event_trace_of(lanes, race_search->roles, race_search->q->arena);
    while (t && !t->is_too_long && cw_lanes_charge(lanes, work_of(t, lanes))) {
        run->timeline = t;
        run->all = cw_shadow_of(t, NULL, CW_BDD_TRUE, race_search->q->arena);
        t = run->all->is_cut && !cw_lanes_exhausted(lanes) ? cw_event_trace_shorter(t, race_search->q->arena) : NULL;
    }
    return run->all != NULL;
}

static struct cw_race_run *run_once(struct cw_race_search *race_search, uint32_t launch, uint32_t sample) {
    struct cw_lanes *l = race_search->q->lanes(race_search->q->owner, launch, sample);
    struct cw_race_run *run = CW_NEW(race_search->q->arena, struct cw_race_run);
    *run = (struct cw_race_run){.launch = launch, .sample = sample};
    if (cw_lanes_is_trapped(l)) /* counted as such */
        return NULL;
    if (!find_conflicts(race_search, run, l)) {
        race_search->gave_up = true;
        return NULL;
    }
    run->needed = run->all;
    if (reads_matter(run->all)) {
        run->needs = cw_liveness_of(run->timeline, race_search->q->arena);
        if (!cw_liveness_all(run->needs))
            run->needed = cw_shadow_of(run->timeline, run->needs, CW_BDD_TRUE, race_search->q->arena);
    }
    race_search->gave_up |= run->all->is_cut;
    race_search->unknown |= run->all->unknown && !run->all->is_cut;
    if (race_search->q->launches->from_facts)
        cw_race_add_skips(race_search, run);
    cw_race_add_calls(race_search, run);
    return run;
}

/* Does a thread outside of an array, or one store by two threads to one element, show that the block was not meant to
 * have this shape? A fill is one to one in the shape it was written for. A place that is the same for all threads says
 * nothing of the shape. */
static bool is_implausible(const struct cw_race_search *race_search, const struct cw_race_run *run) {
    struct cw_access acc[2];
    if (run->all->leaves)
        return true;
    for (uint32_t k = 0; k < run->all->meetings.n; k++) {
        const struct cw_conflict *m = &run->all->meetings.at[k];
        if (m->first != m->second ||
            !cw_memory_accesses(race_search->q->fn, &race_search->q->fn->ins.at[m->first], acc))
            continue;
        const struct cw_lane_value *places = cw_lanes_places(run->timeline->lanes, acc[0].pointer,
                                                     run->timeline->steps.at[m->first_step].context);
        if (places && !cw_lanes_one_place(places))
            return true;
    }
    return false;
}

/* Rows of threads that nothing in the kernel tells apart would do everything twice, stores of their own included. */
static bool repeats_rows(const struct cw_race_search *race_search, const struct cw_race_run *run) {
    const struct cw_fn *fn = race_search->q->fn;
    const uint32_t *block = race_search->q->launches->at[run->launch].block;
    struct cw_access acc[2];
    if (block[1] * block[2] == 1 || cw_launch_dimensions_read(fn) > 1)
        return false;
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        const struct cw_ins *i = s->kind == CW_STEP_ACCESS ? &fn->ins.at[s->ins] : NULL;
        if (!i || i->op != CW_OP_STORE || !cw_memory_accesses(fn, i, acc))
            continue;
        const struct cw_lane_value *places = cw_lanes_places(run->timeline->lanes, acc[0].pointer, s->context);
        if (places && !cw_lanes_one_place(places))
            return true;
    }
    return false;
}

static struct cw_race_run *run_of(struct cw_race_search *race_search, uint32_t launch, uint32_t sample) {
    struct cw_race_run **slot = &race_search->runs[launch * SLOTS + sample];
    bool *tried = &race_search->tried[launch * SLOTS + sample];
    if (!*tried)
        *slot = run_once(race_search, launch, sample);
    *tried = true;
    if (*slot && !race_search->q->launches->from_facts &&
        (is_implausible(race_search, *slot) || repeats_rows(race_search, *slot)))
        *slot = NULL;
    return *slot;
}

/* ---- confirming ---- */

static bool is_block_wide(const struct cw_race_search *race_search, uint32_t launch) {
    return cw_launch_threads(&race_search->q->launches->at[launch]) > 32;
}

/* Whether the value is needed has been seen once; elsewhere the conflict itself is enough. */
static bool shows_conflict(struct cw_race_search *race_search, uint32_t launch, uint32_t sample,
                           const struct cw_conflict *conflict) {
    const struct cw_race_run *run = run_of(race_search, launch, sample);
    const struct cw_conflict *found = run ? cw_race_same_meeting(run->all, conflict) : NULL;
    return found && !found->open;
}

static bool shows_unwritten(struct cw_race_search *race_search, uint32_t launch, uint32_t sample, uint32_t ins) {
    const struct cw_race_run *run = run_of(race_search, launch, sample);
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

/* Does some thread come there, and does it need what it reads? */
static bool does_happen(const struct cw_race_run *run, uint32_t step) {
    return next_at(run, step, 0) < cw_lanes_count(run->timeline->lanes);
}

/* Where the one never comes behind the other (a loop of one iteration, a block outside of the data), or where two
 * threads are needed and one alone comes to both, the choice of the unknowns says nothing of the two. */
static bool says_something(const struct cw_race_run *run, uint32_t first, uint32_t second, bool needs_two) {
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
    const struct cw_race_run *run = run_of(race_search, launch, sample);
    if (run == NULL || (conflict && cw_bitset_has(&run->timeline->own, conflict->first)))
        return DENIES;
    bool shown = conflict ? shows_conflict(race_search, launch, sample, conflict)
                          : shows_unwritten(race_search, launch, sample, ins);
    if (shown || (conflict && (shows_neighbour(run, conflict) || is_not_felt(run, conflict))))
        return SHOWS;
    uint32_t first = conflict ? conflict->first : ins, second = conflict ? conflict->second : ins;
    return says_something(run, first, second, conflict && !is_chosen) ? DENIES : SAYS_NOTHING;
}

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

static bool place_of(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins, const struct cw_context *context,
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
    if (!place_of(lanes, race_search->q->fn, conflict->first, one, conflict->first_thread, &a, &na) ||
        !place_of(lanes, race_search->q->fn, conflict->second, two, conflict->second_thread, &b, &nb))
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

static bool is_device_memory(const struct cw_fn *fn, cw_ref root) {
    return root.tag != CW_REF_OBJECT || fn->objects.at[root.index].space == CW_SPACE_GLOBAL;
}

static bool rests_on_choice(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins, const struct cw_step *step,
                            uint32_t t) {
    struct cw_lane_place place;
    uint64_t size;
    return !place_of(lanes, fn, ins, step->context, t, &place, &size) || place.known != CW_EXACT;
}

/* Are the places of the two computed from unknowns? */
static bool has_chosen_places(const struct cw_race_search *race_search, const struct cw_race_run *run,
                              const struct cw_conflict *conflict) {
    const struct cw_fn *fn = race_search->q->fn;
    const struct cw_step *steps = run->timeline->steps.at;
    struct cw_lanes *lanes = run->timeline->lanes;
    return rests_on_choice(lanes, fn, conflict->first, &steps[conflict->first_step], conflict->first_thread) ||
           rests_on_choice(lanes, fn, conflict->second, &steps[conflict->second_step], conflict->second_thread);
}

/* Do the samples choose alike? What ends in a trap is replaced by another sample's choice, so that one may be left.
 * Relations that nobody sees may exclude it: a border is no wider than the filter. */
static bool is_only_choice(const struct cw_race_search *race_search, const struct cw_race_run *run) {
    const uint8_t *samples = samples_like(run->sample);
    for (uint32_t k = 0; k < SAMPLES; k++) {
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
        const struct cw_race_run *run = run_of(race_search, from->launch, data + further[k]);
        if (run && !run->all->strays &&
            word_of(race_search, from->launch, data + further[k], conflict, true, conflict->first) == DENIES)
            return true;
    }
    return false;
}

/* Uniform unknowns were given values: does it hold for others too? The samples order the unknowns differently, since a
 * row may be no longer than the pitch. Where one of them says nothing, further ones are asked. */
static bool holds_in_samples(struct cw_race_search *race_search, const struct cw_race_run *run,
                             const struct cw_conflict *conflict, uint32_t ins) {
    if (cw_lanes_sample_text(run->timeline->lanes, race_search->q->arena) == NULL)
        return true;
    bool is_chosen = conflict && has_chosen_places(race_search, run, conflict), is_open = false;
    if (is_chosen && is_only_choice(race_search, run))
        return false;
    const uint8_t *samples = samples_like(run->sample);
    for (uint32_t k = 0; k < SAMPLES; k++) {
        if (samples[k] == run->sample)
            continue;
        enum word word = word_of(race_search, run->launch, samples[k], conflict, is_chosen, ins);
        if (word == DENIES || (conflict && is_device_memory(race_search->q->fn, conflict->root) &&
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
        if (n == run->launch || (!is_block_wide(race_search, n) && is_block_wide(race_search, run->launch)))
            continue;
        is_tried = true;
        if (run_of(race_search, n, run->sample) == NULL)
            continue;
        if (!shows_conflict(race_search, n, run->sample, conflict))
            return false;
        is_confirmed = true;
    }
    return is_confirmed || !is_tried;
}

static bool is_sure(struct cw_race_search *race_search, const struct cw_race_run *run,
                    const struct cw_conflict *conflict) {
    return !conflict->open && holds_in_samples(race_search, run, conflict, conflict->first) &&
           holds_in_shapes(race_search, run, conflict);
}

/* ---- what is worth telling although it is not sure ---- */

static bool find_place(const struct cw_race_run *run, uint32_t ins, uint32_t step, uint32_t thread,
                       struct cw_place_of *place) {
    const struct cw_fn *fn = run->timeline->roles->fn;
    struct cw_access acc[2];
    if (cw_memory_accesses(fn, &fn->ins.at[ins], acc) != 1)
        return false;
    *place = (struct cw_place_of){acc[0].pointer, acc[0].size, fn->ins.at[ins].block, thread,
                                  run->timeline->steps.at[step].context};
    return true;
}

/* Are they accesses to two arrays, as far as pointers tell: to two that dynamic shared memory is divided into, or to
 * two members of a structure? */
static bool are_in_two_arrays(const struct cw_race_run *run, const struct cw_place_of *a, const struct cw_place_of *b) {
    const struct cw_roles *roles = run->timeline->roles;
    struct cw_bases x = cw_memory_bases(roles->fn, a->pointer), y = cw_memory_bases(roles->fn, b->pointer);
    return (x.n == 1 && y.n == 1 && !cw_memory_may_meet(roles->memory, &x.at[0], a->size, &y.at[0], b->size)) ||
           cw_start_apart(cw_lanes_uniformity(run->timeline->lanes), a->pointer, b->pointer);
}

/* Does a datum have to be below 0 for the one to be where the other one is? */
static bool is_below_zero(const struct cw_race_run *run, const struct cw_place_of *chosen,
                          const struct cw_place_of *placed) {
    const struct cw_fn *fn = run->timeline->roles->fn;
    struct cw_bases from = cw_memory_bases(fn, chosen->pointer), to = cw_memory_bases(fn, placed->pointer);
    const struct cw_lane_value *places = cw_lanes_places(run->timeline->lanes, chosen->pointer, chosen->context);
    if (places && cw_cell_numeric(cw_lane_value_cell(places, chosen->thread)))
        return false;
    return from.n == 1 && to.n == 1 && cw_ref_eq(from.at[0].root, to.at[0].root) &&
           from.at[0].array == to.at[0].array && !from.at[0].is_read && !to.at[0].is_read &&
           cw_memory_ends_before(&to.at[0], placed->size, &from.at[0]);
}

/* Does a datum lead the one out of what is filled, to where the other one is? */
static bool is_led_out(struct cw_race_search *race_search, struct cw_race_run *run, const struct cw_place_of *chosen,
                       const struct cw_place_of *placed) {
    struct cw_lanes *lanes = run->timeline->lanes;
    const struct cw_lane_value *to = cw_lanes_places(lanes, placed->pointer, placed->context);
    const struct cw_lane_value *from = cw_lanes_places(lanes, chosen->pointer, chosen->context);
    if (!to || !cw_cell_numeric(cw_lane_value_cell(to, placed->thread)) ||
        (from && cw_cell_numeric(cw_lane_value_cell(from, chosen->thread))))
        return false;
    if (!run->filled) {
        run->filled = CW_NEW(race_search->q->arena, struct cw_filled_list);
        *run->filled = cw_filled_of(run->timeline, race_search->q->arena);
    }
    return cw_filled_excludes(run->filled, lanes, chosen->pointer, chosen->context, chosen->thread,
                              cw_lane_value_base(to, placed->thread).token,
                              cw_lane_value_cell(to, placed->thread).value);
}

/* Do the two meet only if one of them leaves its array, or the part of it that is its own, or if chosen sizes make two
 * elements of one layout one? */
static bool rests_on_mishap(struct cw_race_search *race_search, struct cw_race_run *run,
                            const struct cw_conflict *conflict) {
    struct cw_lanes *lanes = run->timeline->lanes;
    struct cw_place_of first, second;
    if (!find_place(run, conflict->first, conflict->first_step, conflict->first_thread, &first) ||
        !find_place(run, conflict->second, conflict->second_step, conflict->second_thread, &second))
        return false;
    return are_in_two_arrays(run, &first, &second) || is_below_zero(run, &first, &second) ||
           is_below_zero(run, &second, &first) || cw_have_own_parts(lanes, &first, &second) ||
           cw_differ_in_sizes(lanes, &first, &second) || is_led_out(race_search, run, &first, &second) ||
           is_led_out(race_search, run, &second, &first);
}

/* Do the two meet only if sizes lead one of them out of its stage of a ring? */
static bool leaves_stage(const struct cw_race_run *run, const struct cw_conflict *conflict) {
    struct cw_place_of first, second;
    return find_place(run, conflict->first, conflict->first_step, conflict->first_thread, &first) &&
           find_place(run, conflict->second, conflict->second_step, conflict->second_thread, &second) &&
           cw_are_in_own_stages(run->timeline->lanes, &first, &second);
}

/* ---- candidates ---- */

static struct cw_race_candidate *known_candidate(const struct cw_race_search *race_search,
                                                 const struct cw_conflict *conflict) {
    for (uint32_t k = 0; k < race_search->candidates.n; k++) {
        const struct cw_conflict *old = race_search->candidates.at[k].meeting;
        if (!race_search->candidates.at[k].is_idle && old->first == conflict->first &&
            old->second == conflict->second && old->same_warp == conflict->same_warp)
            return &race_search->candidates.at[k];
    }
    return NULL;
}

static void collect_conflicts(struct cw_race_search *race_search, struct cw_race_run *run) {
    for (uint32_t k = 0; k < run->all->meetings.n; k++) {
        const struct cw_conflict *all = &run->all->meetings.at[k], *needed = cw_race_same_meeting(run->needed, all);
        const struct cw_conflict *m = needed ? needed : all;
        if ((run->sample == FIRST && !is_device_memory(race_search->q->fn, m->root)) || leaves_stage(run, m))
            continue;
        struct cw_race_candidate *old = known_candidate(race_search, m),
                                 c = {.meeting = m, .run = run, .unused = needed == NULL};
        if (old && (old->definite || (!old->unused && run->sample < CW_SAMPLE_DATA)) && (!old->unused || c.unused))
            continue;
        c.definite = c.unused ? !m->open : is_sure(race_search, run, m);
        if (old && !c.definite && (!old->unused || c.unused))
            continue;
        if ((!c.definite || run->sample >= CW_SAMPLE_DATA) && rests_on_mishap(race_search, run, m))
            continue;
        if (old) /* another choice of the unknowns has a use for it */
            *old = c;
        else
            cw_vec_push(race_search->q->arena, &race_search->candidates, c);
    }
}

/* ---- reads of what nobody wrote ---- */

static bool is_told(const struct cw_races *out, cw_ref root) {
    for (uint32_t k = 0; k < out->at.n; k++)
        if (out->at.at[k].is.unwritten && cw_ref_eq(out->at.at[k].base, root))
            return true;
    return false;
}

static void add_unwritten(struct cw_race_search *race_search, struct cw_races *out, const struct cw_race_run *run,
                          const struct cw_unwritten *unwritten, bool definite) {
    const struct cw_step *s = &run->timeline->steps.at[unwritten->step];
    struct cw_race race = {.is = {.unwritten = true}, .base = unwritten->root, .offset = unwritten->offset, .bytes = 4,
                           .definite = definite, .sampled = !definite,
                           .doubt = definite ? CW_DOUBT_NONE : CW_DOUBT_SIZES, .between = UINT32_MAX,
                           .skipped = UINT32_MAX, .chosen = UINT32_MAX, .call = UINT32_MAX, .place = unwritten->ins,
                           .lanes = run->timeline->lanes, .launch = run->launch, .sample = run->sample};
    race.first = (struct cw_race_side){.ins = UINT32_MAX};
    race.second = (struct cw_race_side){.ins = unwritten->ins, .context = s->context, .thread = unwritten->thread};
    cw_vec_push(race_search->q->arena, &out->at, race);
}

static cw_ref object_of(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, ins, acc);
    struct cw_bases bases = n ? cw_memory_bases(fn, acc[n - 1].pointer) : (struct cw_bases){.n = 1};
    return bases.n == 1 && bases.at[0].root.tag == CW_REF_OBJECT && !bases.at[0].is_read ? bases.at[0].root : CW_NONE;
}

static uint32_t first_thread(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context) {
    const uint8_t *reach = cw_lanes_reach(lanes, block, context);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++)
        if (reach[t] == CW_REACH_YES || reach[t] == CW_REACH_INPUT)
            return t;
    return UINT32_MAX;
}

/* Arrays that nothing in the kernel ever writes: their first use in time. */
static void collect_never_written(struct cw_race_search *race_search, struct cw_races *out,
                                  const struct cw_race_run *run) {
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        if (s->kind != CW_STEP_ACCESS)
            continue;
        const struct cw_ins *i = &race_search->q->fn->ins.at[s->ins];
        cw_ref root = object_of(race_search->q->fn, i);
        uint32_t t = first_thread(run->timeline->lanes, i->block, s->context);
        if (root.tag != CW_REF_OBJECT || !cw_bitset_has(&race_search->roles->unwritten, root.index) ||
            t == UINT32_MAX || is_told(out, root))
            continue;
        struct cw_unwritten u = {.ins = s->ins, .step = k, .thread = t, .root = root};
        add_unwritten(race_search, out, run, &u, true);
    }
}

/* Had a thread returned by then? What it leaves unwritten is a finding about its return. */
static bool has_exited(const struct cw_race_run *run, const struct cw_unwritten *unwritten) {
    const struct cw_step *s = &run->timeline->steps.at[unwritten->step];
    const struct cw_lane_cond *gone = cw_participation_exited(run->timeline->lanes, s->ins, s->context);
    return !cw_lane_cond_is(run->timeline->lanes, gone, CW_BDD_FALSE);
}

/* A block of another shape may leave other bytes unwritten: only known launches prove anything, and of guessed ones, a
 * single one that fills what is read says that the kernel is launched so (`s[threadIdx.x]` of an array of 128). */
static bool holds_in_guesses(struct cw_race_search *race_search, uint32_t ins) {
    const struct cw_launches *launches = race_search->q->launches;
    for (uint32_t k = 0; !launches->from_facts && k < launches->n; k++)
        if (!shows_unwritten(race_search, k, INNER, ins))
            return false;
    return true;
}

/* Does a thread that reads those bytes there let anything out that rests on them? */
static bool is_used_by_some(struct cw_race_search *race_search, const struct cw_race_run *run,
                            const struct cw_unwritten *unwritten) {
    const struct cw_fn *fn = race_search->q->fn;
    struct cw_lanes *lanes = run->timeline->lanes;
    const struct cw_context *context = run->timeline->steps.at[unwritten->step].context;
    struct cw_lane_place place;
    uint64_t size;
    if (!race_search->uses)
        race_search->uses = cw_uses_of(fn, race_search->q->arena);
    struct cw_bitset blocks = cw_blocks_that_use(fn, race_search->uses, unwritten->ins, race_search->q->arena);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++) {
        bool reads = t == unwritten->thread ||
                     (place_of(lanes, fn, unwritten->ins, context, t, &place, &size) &&
                      place.offset <= unwritten->offset && unwritten->offset < place.offset + (int64_t)size);
        if (reads && cw_comes_to_some(lanes, &blocks, t))
            return true;
    }
    return false;
}

static void collect_unwritten(struct cw_race_search *race_search, struct cw_races *out, const struct cw_race_run *run) {
    if (race_search->q->fn->kind != CW_FN_KERNEL)
        return;
    collect_never_written(race_search, out, run);
    for (uint32_t k = 0; k < run->needed->unwritten.n; k++) {
        const struct cw_unwritten *u = &run->needed->unwritten.at[k];
        /* Of an instance with assumed arguments, the array's size and a guessed block need not go together. */
        if (race_search->q->fn->assumed && !race_search->q->launches->from_facts)
            continue;
        /* Nor need a guessed block and a chosen size that the place rests on. */
        if (!race_search->q->launches->from_facts &&
            rests_on_choice(run->timeline->lanes, race_search->q->fn, u->ins, &run->timeline->steps.at[u->step],
                            u->thread))
            continue;
        bool definite =
            u->sure && race_search->q->launches->from_facts && holds_in_samples(race_search, run, NULL, u->ins);
        if (!is_told(out, u->root) && !has_exited(run, u) && holds_in_guesses(race_search, u->ins) &&
            is_used_by_some(race_search, run, u))
            add_unwritten(race_search, out, run, u, definite);
    }
}

/* ---- all launches ---- */

/* Are there accesses to which nobody comes, or conflicts nobody feels? Perhaps for these values only. What threads have
 * for themselves is not in the timeline, whoever comes there. */
static bool is_poor(const struct cw_race_search *race_search, const struct cw_race_run *run) {
    const struct cw_fn *fn = race_search->q->fn;
    struct cw_bitset seen = cw_bitset_new(race_search->q->arena, fn->ins.n);
    if (cw_lanes_sample_text(run->timeline->lanes, race_search->q->arena) == NULL)
        return false;
    for (uint32_t k = 0; k < run->all->meetings.n; k++)
        if (!cw_race_same_meeting(run->needed, &run->all->meetings.at[k]))
            return true;
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        if (s->kind == CW_STEP_ACCESS && !cw_bitset_has(&seen, s->ins) && does_happen(run, k))
            cw_bitset_add(&seen, s->ins);
    }
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++)
            if (race_search->roles->kind[b->ins.at[j]] == CW_STEP_ACCESS && !cw_bitset_has(&seen, b->ins.at[j]) &&
                !cw_bitset_has(&run->timeline->own, b->ins.at[j]))
                return true;
    }
    return false;
}

/* Is the block entered as a comparison with a size says? */
static bool depends_on_size(const struct cw_race_run *run, uint32_t block, const struct cw_context *context) {
    struct cw_lanes *lanes = run->timeline->lanes;
    const struct cw_fn *fn = run->timeline->roles->fn;
    for (uint32_t b = fn->cfg->idom[block]; b != CW_NO_BLOCK; b = fn->cfg->idom[b]) {
        const struct cw_context *here = cw_context_at(lanes, context, b);
        if (fn->blocks.at[b].jump.kind != CW_JUMP_BRANCH || cw_context_missing(lanes, here, b) != CW_NO_LOOP)
            continue;
        if (cw_lane_value_of(lanes, fn->blocks.at[b].jump.value, here)->worst == CW_SAMPLE)
            return true;
    }
    return false;
}

/* Does the host round the grid up, as in `(n + 255) / 256`? Then it expects a last block that is not full. */
static bool rounds_up(const struct cw_launch *launch) {
    uint32_t param = launch->grid_param;
    const struct cw_launch_arg *arg = param && param <= launch->nargs ? &launch->args[param - 1] : NULL;
    return param && launch->grid_add > 0 && launch->grid_by > 1 &&
           !(arg && (arg->known || (arg->divisor > 0 && arg->divisor % launch->grid_by == 0)));
}

/* Is an array filled as far as a size goes? */
static bool fills_up_to_size(const struct cw_race_run *run) {
    const struct cw_fn *fn = run->timeline->roles->fn;
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        const struct cw_ins *i = s->kind == CW_STEP_ACCESS ? &fn->ins.at[s->ins] : NULL;
        if (i && i->op == CW_OP_STORE && object_of(fn, i).tag == CW_REF_OBJECT &&
            depends_on_size(run, i->block, s->context))
            return true;
    }
    return false;
}

/* Do the two come to places that are numbers, once sizes in device memory are, and meet nowhere? */
static bool is_denied_by_sizes(struct cw_race_search *race_search, uint32_t launch,
                               const struct cw_conflict *conflict) {
    for (uint32_t k = 0; k < SAMPLES; k++) {
        const struct cw_race_run *sized = run_of(race_search, launch, data_sizes[k]);
        if (!sized || cw_race_same_meeting(sized->all, conflict) ||
            cw_bitset_has(&sized->all->unplaced, conflict->first) ||
            cw_bitset_has(&sized->all->unplaced, conflict->second) ||
            !says_something(sized, conflict->first, conflict->second, true))
            return false;
    }
    return true;
}

/* Is it sure in the other run that the two instructions race, within a warp or across warps? */
static bool is_told_by(const struct cw_race_search *race_search, const struct cw_race_run *run,
                       const struct cw_conflict *conflict) {
    for (uint32_t k = 0; k < race_search->candidates.n; k++) {
        const struct cw_race_candidate *c = &race_search->candidates.at[k];
        if (c->run == run && c->definite && c->meeting->first == conflict->first &&
            c->meeting->second == conflict->second)
            return true;
    }
    return false;
}

/* Conflicts at places that are no numbers, perhaps since sizes in device memory lead there: with numbers for these they
 * are sure, or none. */
static void look_at_data_sizes(struct cw_race_search *race_search, uint32_t launch, const struct cw_race_run *run) {
    bool is_open = run->all->unknown;
    for (uint32_t k = 0; k < run->all->meetings.n && !is_open; k++)
        is_open = run->all->meetings.at[k].open;
    if (!is_open || !cw_lanes_reads_data_sizes(run->timeline->lanes))
        return;
    struct cw_race_run *sized = run_of(race_search, launch, CW_SAMPLE_DATA + INNER);
    if (!sized)
        return;
    collect_conflicts(race_search, sized);
    for (uint32_t k = 0; k < race_search->candidates.n; k++) {
        struct cw_race_candidate *c = &race_search->candidates.at[k];
        if (c->run == run && c->meeting->open)
            c->is_idle |= is_told_by(race_search, sized, c->meeting) ||
                          is_denied_by_sizes(race_search, launch, c->meeting);
        else if (c->run == sized)
            c->is_idle |= is_told_by(race_search, run, c->meeting);
    }
}

static bool look_at_launch(struct cw_race_search *race_search, struct cw_races *out, uint32_t launch) {
    struct cw_race_run *run = run_of(race_search, launch, INNER);
    if (run == NULL)
        return false;
    collect_conflicts(race_search, run);
    collect_unwritten(race_search, out, run);
    for (uint32_t sample = 0; race_search->roles->has_shared && sample < INNER && is_poor(race_search, run); sample++) {
        struct cw_race_run *other = run_of(race_search, launch, sample);
        if (other == NULL)
            continue;
        collect_conflicts(race_search, other);
        collect_unwritten(race_search, out, other);
    }
    look_at_data_sizes(race_search, launch, run);
    const struct cw_launch *l = &race_search->q->launches->at[launch];
    bool single = l->grid_known && l->grid[0] * l->grid[1] * l->grid[2] == 1; /* its block has been looked at */
    bool may_end_within = race_search->roles->has_shared && (single || rounds_up(l)) && fills_up_to_size(run);
    struct cw_race_run *last = may_end_within ? run_of(race_search, launch, LAST) : NULL;
    if (last)
        collect_unwritten(race_search, out, last);
    struct cw_race_run *first = race_search->looks_at_first && !single ? run_of(race_search, launch, FIRST) : NULL;
    if (first)
        collect_conflicts(race_search, first);
    return true;
}

/* Ordinary shapes are guesses: the first plausible one of several warps is looked at, the others only confirm. */
static void look_at_guesses(struct cw_race_search *race_search, struct cw_races *out) {
    bool looked = false;
    for (uint32_t n = 0; n < race_search->q->launches->n && !looked; n++)
        looked = is_block_wide(race_search, n) && look_at_launch(race_search, out, n);
    for (uint32_t n = 0; n < race_search->q->launches->n && !looked; n++)
        looked = !is_block_wide(race_search, n) && look_at_launch(race_search, out, n);
    race_search->unknown |= !looked;
}

static uint32_t launches_tried(const struct cw_race_search *race_search) {
    return race_search->roles->has_shared ? FACTS_TRIED : FACTS_FAR;
}

static int in_source_order(const void *a, const void *b) {
    const struct cw_race *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

struct cw_races cw_races_of(const struct cw_kernel_query *query) {
    struct cw_races out = {{0}};
    struct cw_race_search r = {.q = query};
    if (query->fn->cfg->is_irreducible || query->launches->n == 0)
        return out;
    r.roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    if (!r.roles->has_access)
        return out;
    r.looks_at_first = cw_races_first_block(query->fn, r.roles, query->arena);
    r.nruns = query->launches->n * SLOTS;
    r.runs = CW_NEW_ARRAY(query->arena, struct cw_race_run *, r.nruns);
    r.tried = CW_NEW_ARRAY(query->arena, bool, query->launches->n * SLOTS);
    if (query->launches->from_facts)
        for (uint32_t n = 0; n < query->launches->n && n < launches_tried(&r); n++)
            look_at_launch(&r, &out, n);
    else
        look_at_guesses(&r, &out);
    cw_race_causes(&r, &out);
    cw_query_gave_up(query, CW_BAIL_RACE_BUDGET, r.gave_up);
    cw_query_gave_up(query, CW_BAIL_RACE_LAUNCHES,
                     query->launches->from_facts && query->launches->n > launches_tried(&r));
    cw_query_gave_up(query, CW_BAIL_RACE_UNKNOWN, r.unknown && out.at.n == 0);
    if (out.at.n)
        qsort(out.at.at, out.at.n, sizeof *out.at.at, in_source_order);
    return out;
}

/* ---- text form ---- */

const char *cw_race_properties_text(const struct cw_race_properties *is) {
    if (is->unwritten || is->asynchronous || is->in_product || is->in_storage)
        return is->unwritten      ? "unwritten"
               : is->asynchronous ? "unwaited"
               : is->in_product   ? "product"
                                  : "storage";
    if (is->in_warp)
        return is->crosses_collective ? "fence"
               : is->published        ? "publish"
               : is->near_syncwarp    ? "syncwarp-loop"
                                      : "implicit";
    return is->crosses_syncwarp ? "syncwarp-wide" : is->reused ? "reuse" : "block";
}

/* ---- text form ---- */

static void print_race_side(const struct cw_facts_print *to, const struct cw_race_side *side) {
    if (side->ins == UINT32_MAX)
        return;
    cw_facts_access(to, side->writes, side->atomic, side->ins);
    cw_facts_thread(to, "by", side->thread);
    cw_facts_context(to, side->context);
}

static void print_race(const struct cw_facts_print *to, const struct cw_race *race) {
    static const char *const remedies[] = {[CW_REMEDY_WARP] = "ordered by a warp barrier",
                                           [CW_REMEDY_BLOCK] = "ordered by a block barrier",
                                           [CW_REMEDY_NONE] = "ordered by no barrier"};
    cw_facts_begin(to, race->definite, cw_race_properties_text(&race->is));
    cw_facts_flag(to, race->same_warp, "in one warp");
    cw_facts_flag(to, race->unused, "unused");
    cw_facts_memory(to, race->base, race->offset, race->bytes);
    print_race_side(to, &race->first);
    print_race_side(to, &race->second);
    if (race->same_warp) {
        cw_facts_lanes(to, "first by", race->first.thread / 32, race->lanes_first);
        cw_facts_lanes(to, "second by", race->second.thread / 32, race->lanes_second);
    }
    for (uint32_t k = 0; k < race->also.n; k++) {
        cw_facts_ins(to, "also", race->also.at[k].first);
        cw_facts_ins(to, "with", race->also.at[k].second);
    }
    cw_facts_ins(to, "between", race->between);
    cw_facts_ins(to, "skipped", race->skipped);
    cw_facts_ins(to, "element chosen by data at", race->chosen);
    cw_facts_ins(to, "unknown call between", race->call);
    cw_facts_flag(to, race->loses_value, "one value is lost");
    cw_facts_flag(to, race->sampled, "for chosen values");
    cw_facts_flag(to, race->first_block, "seen in block 0");
    cw_facts_part(to, "%s", remedies[race->remedy]);
    cw_facts_ins(to, "before", race->is.unwritten ? UINT32_MAX : race->place);
    cw_facts_launch(to, race->launch, race->sample);
    cw_facts_end(to);
}

void cw_races_print(const struct cw_facts_print *to, const struct cw_races *races) {
    for (uint32_t k = 0; k < races->at.n; k++)
        print_race(to, &races->at.at[k]);
}

void cw_phases_print(const struct cw_kernel_query *query, struct cw_buf *out) {
    if (query->fn->cfg->is_irreducible || query->launches->n == 0)
        return;
    struct cw_roles *roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    struct cw_event_trace *trace = cw_event_trace_of(query->lanes(query->owner, 0, 0), roles, query->arena);
    struct cw_races races = cw_races_of(query);
    cw_buf_printf(out, "phases of %s, %s\n", query->fn->name, cw_launch_text(&query->launches->at[0], query->arena));
    cw_event_trace_print(trace, out);
    cw_races_print(&(struct cw_facts_print){query->fn, query->launches, out}, &races);
}
