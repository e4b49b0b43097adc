/* Which launches and which choices of the unknowns are searched?
 *
 * An inner block of each launch, with the choice that is whole in every dimension; other choices where that one leaves
 * accesses without a thread; numbers for sizes in device memory where they lead to places; the last block where sizes
 * end in it, and block 0 where it does what others do not. Of guessed launches the first that is plausible.
 *
 * requires: roles. computes: candidates, and reads of what nobody wrote. cost: one run for each launch, as a rule, and
 * those that confirm what it shows. preserves: everything. */
#include "races/races_internal.h"

#include "lanes/condition.h"

enum {
    FACTS_TRIED = 12, /* known launches looked at */
    FACTS_FAR = 12,   /* the same for a kernel without shared memory */
    LAST_BLOCK = 0    /* the sample of the last block, in which sizes end */
};

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
        if ((run->sample == CW_RACE_FIRST_BLOCK && !cw_race_is_device_memory(race_search->q->fn, m->root)) ||
            cw_race_leaves_stage(run, m))
            continue;
        struct cw_race_candidate *old = known_candidate(race_search, m),
                                 c = {.meeting = m, .run = run, .unused = needed == NULL};
        if (old && (old->definite || (!old->unused && run->sample < CW_SAMPLE_DATA)) && (!old->unused || c.unused))
            continue;
        c.definite = c.unused ? !m->open : cw_race_is_sure(race_search, run, m);
        if (old && !c.definite && (!old->unused || c.unused))
            continue;
        if ((!c.definite || run->sample >= CW_SAMPLE_DATA) && cw_race_rests_on_mishap(race_search, run, m))
            continue;
        if (old) /* another choice of the unknowns has a use for it */
            *old = c;
        else
            cw_vec_push(race_search->q->arena, &race_search->candidates, c);
    }
}

/* ---- what one choice leaves out ---- */

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
        if (s->kind == CW_STEP_ACCESS && !cw_bitset_has(&seen, s->ins) && cw_race_does_happen(run, k))
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
        if (i && i->op == CW_OP_STORE && cw_race_object_of(fn, i).tag == CW_REF_OBJECT &&
            depends_on_size(run, i->block, s->context))
            return true;
    }
    return false;
}

/* ---- sizes in device memory ---- */

/* Do the two come to places that are numbers, once sizes in device memory are, and meet nowhere? */
static bool is_denied_by_sizes(struct cw_race_search *race_search, uint32_t launch,
                               const struct cw_conflict *conflict) {
    const uint8_t *samples = cw_race_samples_like(CW_SAMPLE_DATA);
    for (uint32_t k = 0; k < CW_RACE_SAMPLES; k++) {
        const struct cw_race_run *sized = cw_race_run_of(race_search, launch, samples[k]);
        if (!sized || cw_race_same_meeting(sized->all, conflict) ||
            cw_bitset_has(&sized->all->unplaced, conflict->first) ||
            cw_bitset_has(&sized->all->unplaced, conflict->second) ||
            !cw_race_says_something(sized, conflict->first, conflict->second, true))
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
    struct cw_race_run *sized = cw_race_run_of(race_search, launch, CW_SAMPLE_DATA + CW_RACE_INNER_BLOCK);
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

/* ---- all launches ---- */

static bool look_at_launch(struct cw_race_search *race_search, struct cw_races *out, uint32_t launch) {
    struct cw_race_run *run = cw_race_run_of(race_search, launch, CW_RACE_INNER_BLOCK);
    if (run == NULL)
        return false;
    collect_conflicts(race_search, run);
    cw_race_collect_unwritten(race_search, out, run);
    for (uint32_t sample = 0;
         race_search->roles->has_shared && sample < CW_RACE_INNER_BLOCK && is_poor(race_search, run); sample++) {
        struct cw_race_run *other = cw_race_run_of(race_search, launch, sample);
        if (other == NULL)
            continue;
        collect_conflicts(race_search, other);
        cw_race_collect_unwritten(race_search, out, other);
    }
    look_at_data_sizes(race_search, launch, run);
    const struct cw_launch *l = &race_search->q->launches->at[launch];
    bool single = l->grid_known && l->grid[0] * l->grid[1] * l->grid[2] == 1; /* its block has been looked at */
    bool may_end_within = race_search->roles->has_shared && (single || rounds_up(l)) && fills_up_to_size(run);
    struct cw_race_run *last = may_end_within ? cw_race_run_of(race_search, launch, LAST_BLOCK) : NULL;
    if (last)
        cw_race_collect_unwritten(race_search, out, last);
    struct cw_race_run *first =
        race_search->looks_at_first && !single ? cw_race_run_of(race_search, launch, CW_RACE_FIRST_BLOCK) : NULL;
    if (first)
        collect_conflicts(race_search, first);
    return true;
}

/* Ordinary shapes are guesses: the first plausible one of several warps is looked at, the others only confirm. */
static void look_at_guesses(struct cw_race_search *race_search, struct cw_races *out) {
    bool looked = false;
    for (uint32_t n = 0; n < race_search->q->launches->n && !looked; n++)
        looked = cw_race_is_block_wide(race_search, n) && look_at_launch(race_search, out, n);
    for (uint32_t n = 0; n < race_search->q->launches->n && !looked; n++)
        looked = !cw_race_is_block_wide(race_search, n) && look_at_launch(race_search, out, n);
    race_search->unknown |= !looked;
}

static uint32_t launches_tried(const struct cw_race_search *race_search) {
    return race_search->roles->has_shared ? FACTS_TRIED : FACTS_FAR;
}

bool cw_race_search_launches(struct cw_race_search *race_search, struct cw_races *out) {
    const struct cw_launches *launches = race_search->q->launches;
    if (!launches->from_facts)
        look_at_guesses(race_search, out);
    for (uint32_t n = 0; launches->from_facts && n < launches->n && n < launches_tried(race_search); n++)
        look_at_launch(race_search, out, n);
    return launches->from_facts && launches->n > launches_tried(race_search);
}
