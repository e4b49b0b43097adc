/* What is found for one launch and one choice of the unknowns?
 *
 * The kernel is laid out as a timeline, with fewer iterations of its loops as long as that is too much work, and the
 * shadow memory finds the conflicts along it. Each run is made once. Of guessed launches, those whose shape the kernel
 * contradicts have none.
 *
 * requires: roles. computes: runs. cost: one or two shadows for each run, and a few more where barriers may be skipped
 * or calls are unknown. preserves: everything; counts runs that were given up. */
#include "races/races_internal.h"

#include "lanes/condition.h"

/* Choices that go together: blocks of all kinds, or block 0 with different sizes (lanes_leaf.c). */
static const uint8_t any_block[CW_RACE_SAMPLES] = {0, 1, CW_RACE_INNER_BLOCK},
                     first_block[CW_RACE_SAMPLES] = {1, 4, CW_RACE_FIRST_BLOCK},
                     data_sizes[CW_RACE_SAMPLES] = {CW_SAMPLE_DATA, CW_SAMPLE_DATA + 1,
                                                    CW_SAMPLE_DATA + CW_RACE_INNER_BLOCK};

const uint8_t *cw_race_samples_like(uint32_t sample) {
    return sample == CW_RACE_FIRST_BLOCK ? first_block : sample >= CW_SAMPLE_DATA ? data_sizes : any_block;
}

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

struct cw_race_run *cw_race_run_of(struct cw_race_search *race_search, uint32_t launch, uint32_t sample) {
    struct cw_race_run **slot = &race_search->runs[launch * CW_RACE_SLOTS + sample];
    bool *tried = &race_search->tried[launch * CW_RACE_SLOTS + sample];
    if (!*tried)
        *slot = run_once(race_search, launch, sample);
    *tried = true;
    if (*slot && !race_search->q->launches->from_facts &&
        (is_implausible(race_search, *slot) || repeats_rows(race_search, *slot)))
        *slot = NULL;
    return *slot;
}
