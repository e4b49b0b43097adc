/* See races.h: launches and samples tried, conflicts confirmed, one race per cause. */
#include "races/races.h"

#include "lanes/participation.h"
#include "lanes/condition.h"
#include "races/races_internal.h"

#include <stdlib.h>

enum {
    SAMPLES = 3,      /* choices of the uniform unknowns that must all show a conflict */
    SLOTS = 8,        /* numbers of such choices */
    FACTS_TRIED = 12, /* known launches looked at */
    FACTS_FAR = 12,   /* the same for a kernel without shared memory */
    INNER = 2,        /* the sample looked at first: an inner block, whole in every dimension */
    FIRST = CW_RACE_FIRST_BLOCK
};

/* Choices that go together: blocks of all kinds, or block 0 with different sizes (lanes_leaf.c). */
static const uint8_t any_block[SAMPLES] = {0, 1, INNER}, first_block[SAMPLES] = {1, 4, FIRST};

static const uint8_t *samples_like(uint32_t sample) {
    return sample == FIRST ? first_block : any_block;
}

/* ---- one launch and sample ---- */

static bool reads_matter(const struct cw_shadow *s) {
    for (uint32_t k = 0; k < s->meetings.n; k++)
        if (!s->meetings.at[k].first_writes || !s->meetings.at[k].second_writes)
            return true;
    return s->unwritten.n > 0;
}

const struct cw_conflict *cw_race_same_meeting(const struct cw_shadow *s, const struct cw_conflict *m) {
    for (uint32_t k = 0; k < s->meetings.n; k++)
        if (s->meetings.at[k].first == m->first && s->meetings.at[k].second == m->second &&
            s->meetings.at[k].same_warp == m->same_warp && s->meetings.at[k].unwaited == m->unwaited)
            return &s->meetings.at[k];
    return NULL;
}

/* What following the timeline costs, in cells of an evaluator: a warp's lanes are looked at one by one. */
static uint64_t work_of(const struct cw_event_trace *t, const struct cw_lanes *l) {
    return (uint64_t)t->steps.n * cw_lanes_count(l);
}

/* Lays the kernel out, as long as that is too much work with fewer iterations of its loops. */
static bool find_conflicts(const struct cw_race_search *r, struct cw_race_run *run, struct cw_lanes *l) {
    struct cw_event_trace *t = cw_event_trace_of(l, r->roles, r->q->arena);
    while (t && !t->is_too_long && cw_lanes_charge(l, work_of(t, l))) {
        run->timeline = t;
        run->all = cw_shadow_of(t, NULL, CW_BDD_TRUE, r->q->arena);
        t = run->all->is_cut && !cw_lanes_exhausted(l) ? cw_event_trace_shorter(t, r->q->arena) : NULL;
    }
    return run->all != NULL;
}

static struct cw_race_run *run_once(struct cw_race_search *r, uint32_t launch, uint32_t sample) {
    struct cw_lanes *l = r->q->lanes(r->q->owner, launch, sample);
    struct cw_race_run *run = CW_NEW(r->q->arena, struct cw_race_run);
    *run = (struct cw_race_run){.launch = launch, .sample = sample};
    if (cw_lanes_is_trapped(l)) /* counted as such */
        return NULL;
    if (!find_conflicts(r, run, l)) {
        r->gave_up = true;
        return NULL;
    }
    run->needed = run->all;
    if (reads_matter(run->all)) {
        run->needs = cw_liveness_of(run->timeline, r->q->arena);
        if (!cw_liveness_all(run->needs))
            run->needed = cw_shadow_of(run->timeline, run->needs, CW_BDD_TRUE, r->q->arena);
    }
    r->gave_up |= run->all->is_cut;
    r->unknown |= run->all->unknown && !run->all->is_cut;
    if (r->q->launches->from_facts)
        cw_race_add_skips(r, run);
    cw_race_add_calls(r, run);
    return run;
}

/* Does a thread outside of an array, or one store by two threads to one element, show that the block was not meant to
 * have this shape? A fill is one to one in the shape it was written for. A place that is the same for all threads says
 * nothing of the shape. */
static bool is_implausible(const struct cw_race_search *r, const struct cw_race_run *run) {
    struct cw_access acc[2];
    if (run->all->leaves)
        return true;
    for (uint32_t k = 0; k < run->all->meetings.n; k++) {
        const struct cw_conflict *m = &run->all->meetings.at[k];
        if (m->first != m->second || !cw_memory_accesses(r->q->fn, &r->q->fn->ins.at[m->first], acc))
            continue;
        const struct cw_lane_value *places = cw_lanes_places(run->timeline->lanes, acc[0].pointer,
                                                     run->timeline->steps.at[m->first_step].context);
        if (places && !cw_lanes_one_place(places))
            return true;
    }
    return false;
}

static struct cw_race_run *run_of(struct cw_race_search *r, uint32_t launch, uint32_t sample) {
    struct cw_race_run **slot = &r->runs[launch * SLOTS + sample];
    bool *tried = &r->tried[launch * SLOTS + sample];
    if (!*tried)
        *slot = run_once(r, launch, sample);
    *tried = true;
    if (*slot && !r->q->launches->from_facts && is_implausible(r, *slot))
        *slot = NULL;
    return *slot;
}

/* ---- confirming ---- */

static bool is_block_wide(const struct cw_race_search *r, uint32_t launch) {
    return cw_launch_threads(&r->q->launches->at[launch]) > 32;
}

/* Whether the value is needed has been seen once; elsewhere the conflict itself is enough. */
static bool shows(struct cw_race_search *r, uint32_t launch, uint32_t sample, const struct cw_conflict *m) {
    const struct cw_race_run *run = run_of(r, launch, sample);
    const struct cw_conflict *found = run ? cw_race_same_meeting(run->all, m) : NULL;
    return found && !found->open;
}

static bool shows_unwritten(struct cw_race_search *r, uint32_t launch, uint32_t sample, uint32_t ins) {
    const struct cw_race_run *run = run_of(r, launch, sample);
    for (uint32_t k = 0; run && k < run->all->unwritten.n; k++)
        if (run->all->unwritten.at[k].ins == ins)
            return true;
    return false;
}

/* Does some thread come there, and does it need what it reads? */
static bool happens(const struct cw_race_run *run, uint32_t step) {
    const struct cw_step *s = &run->timeline->steps.at[step];
    const struct cw_ins *i = &run->timeline->roles->fn->ins.at[s->ins];
    const uint8_t *reach = cw_lanes_reach(run->timeline->lanes, i->block, s->context);
    for (uint32_t t = 0; t < cw_lanes_count(run->timeline->lanes); t++)
        if (reach[t] != CW_REACH_NO && (i->op != CW_OP_LOAD || !run->needs || cw_liveness_has(run->needs, step, t)))
            return true;
    return false;
}

/* Where the one never comes behind the other (a loop of one iteration, a block outside of the data), the choice of the
 * unknowns says nothing of the two. */
static bool says_something(const struct cw_race_run *run, uint32_t first, uint32_t second) {
    bool before = false;
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        bool is_one = s->kind == CW_STEP_ACCESS && (s->ins == first || s->ins == second);
        if (!is_one || !happens(run, k))
            continue;
        before |= s->ins == first;
        if (before && s->ins == second)
            return true;
    }
    return false;
}

/* That nobody uses the value, or that both are the zeros stored past the end, may be a matter of the chosen sizes. */
static bool is_not_felt(const struct cw_race_run *run, const struct cw_conflict *m) {
    if (cw_race_same_meeting(run->all, m) && !cw_race_same_meeting(run->needed, m))
        return true;
    for (uint32_t k = 0; k < run->all->harmless.n; k++) {
        const struct cw_harmless *h = &run->all->harmless.at[k];
        if (h->first == m->first && h->second == m->second && h->same_warp == m->same_warp)
            return true;
    }
    return false;
}

/* m: a conflict, or NULL for a read of what nobody wrote. */
static bool agrees(struct cw_race_search *r, uint32_t launch, uint32_t sample, const struct cw_conflict *m,
                   uint32_t ins) {
    const struct cw_race_run *run = run_of(r, launch, sample);
    if (run == NULL || (m && cw_bitset_has(&run->timeline->own, m->first)))
        return false;
    bool shown = m ? shows(r, launch, sample, m) : shows_unwritten(r, launch, sample, ins);
    return shown || (m && is_not_felt(run, m)) || !says_something(run, m ? m->first : ins, m ? m->second : ins);
}

/* The same iteration, for another evaluator. */
static const struct cw_context *translated(struct cw_lanes *l, const struct cw_context *c) {
    return c ? cw_lanes_context(l, translated(l, c->outer), c->loop, c->iteration) : NULL;
}

/* The iteration of a loop outside of others that is as far from the end of thread t's, which may run longer there. */
static const struct cw_context *from_the_end(struct cw_lanes *l, struct cw_lanes *from, const struct cw_context *c,
                                             uint32_t t) {
    if (!c || c->outer)
        return translated(l, c);
    int32_t now = cw_lanes_trips(from, c->loop, NULL)[t], then = cw_lanes_trips(l, c->loop, NULL)[t];
    if (now < 0 || then < 0 || (uint32_t)now < c->iteration || (uint32_t)now - c->iteration > (uint32_t)then)
        return translated(l, c);
    return cw_lanes_context(l, NULL, c->loop, (uint32_t)then - ((uint32_t)now - c->iteration));
}

static bool place_of(struct cw_lanes *l, const struct cw_fn *fn, uint32_t ins, const struct cw_context *c, uint32_t t,
                     struct cw_lane_place *place, uint64_t *size) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, &fn->ins.at[ins], acc);
    const struct cw_lane_value *places = n ? cw_lanes_places(l, acc[0].pointer, c) : NULL;
    if (!places || cw_lanes_reach(l, fn->ins.at[ins].block, c)[t] == CW_REACH_NO)
        return false;
    *place = cw_lanes_place(places, t);
    bool scalar = fn->ins.at[ins].op == CW_OP_LOAD || fn->ins.at[ins].op == CW_OP_STORE;
    *size = acc[0].size || !scalar ? acc[0].size : 1; /* an element of unknown size has a first byte */
    return place->known <= CW_SAMPLED;
}

static bool meet_in(const struct cw_race_search *r, struct cw_lanes *l, const struct cw_conflict *m,
                    const struct cw_context *one, const struct cw_context *two) {
    struct cw_lane_place a, b;
    uint64_t na, nb;
    if (!place_of(l, r->q->fn, m->first, one, m->first_thread, &a, &na) ||
        !place_of(l, r->q->fn, m->second, two, m->second_thread, &b, &nb))
        return false;
    return a.token == b.token && a.offset < b.offset + (int64_t)nb && b.offset < a.offset + (int64_t)na;
}

/* Do the very same two threads meet for other values of the unknowns? Of device memory this is asked, since its extents
 * are unknowns with relations that nobody sees: a row is no longer than the pitch. */
static bool meets_again(struct cw_race_search *r, const struct cw_race_run *run, const struct cw_conflict *m,
                        uint32_t sample) {
    struct cw_lanes *l = r->q->lanes(r->q->owner, run->launch, sample);
    const struct cw_step *steps = run->timeline->steps.at;
    const struct cw_context *one = steps[m->first_step].context, *two = steps[m->second_step].context;
    struct cw_lanes *here = run->timeline->lanes;
    return meet_in(r, l, m, translated(l, one), translated(l, two)) ||
           meet_in(r, l, m, from_the_end(l, here, one, m->first_thread), from_the_end(l, here, two, m->second_thread));
}

static bool is_device_memory(const struct cw_fn *fn, cw_ref root) {
    return root.tag != CW_REF_OBJECT || fn->objects.at[root.index].space == CW_SPACE_GLOBAL;
}

/* Uniform unknowns were given values: does it hold for others too? */
static bool holds_in_samples(struct cw_race_search *r, const struct cw_race_run *run, const struct cw_conflict *m,
                             uint32_t ins) {
    if (cw_lanes_sample_text(run->timeline->lanes, r->q->arena) == NULL)
        return true;
    const uint8_t *samples = samples_like(run->sample);
    for (uint32_t k = 0; k < SAMPLES; k++) {
        uint32_t sample = samples[k];
        if (sample != run->sample && (!agrees(r, run->launch, sample, m, ins) ||
                                      (m && is_device_memory(r->q->fn, m->root) && !meets_again(r, run, m, sample))))
            return false;
    }
    return true;
}

/* Without known launches: under every ordinary shape of more than one warp. */
static bool holds_in_shapes(struct cw_race_search *r, const struct cw_race_run *run, const struct cw_conflict *m) {
    for (uint32_t n = 0; n < r->q->launches->n && !r->q->launches->from_facts; n++)
        if (n != run->launch && (is_block_wide(r, n) || !is_block_wide(r, run->launch)) &&
            run_of(r, n, run->sample) != NULL && !shows(r, n, run->sample, m))
            return false;
    return true;
}

static bool is_sure(struct cw_race_search *r, const struct cw_race_run *run, const struct cw_conflict *m) {
    return !m->open && holds_in_samples(r, run, m, m->first) && holds_in_shapes(r, run, m);
}

/* ---- candidates ---- */

static struct cw_race_candidate *known(const struct cw_race_search *r, const struct cw_conflict *m) {
    for (uint32_t k = 0; k < r->candidates.n; k++) {
        const struct cw_conflict *old = r->candidates.at[k].meeting;
        if (old->first == m->first && old->second == m->second && old->same_warp == m->same_warp)
            return &r->candidates.at[k];
    }
    return NULL;
}

static void collect(struct cw_race_search *r, struct cw_race_run *run) {
    for (uint32_t k = 0; k < run->all->meetings.n; k++) {
        const struct cw_conflict *all = &run->all->meetings.at[k], *needed = cw_race_same_meeting(run->needed, all);
        const struct cw_conflict *m = needed ? needed : all;
        if (run->sample == FIRST && !is_device_memory(r->q->fn, m->root))
            continue;
        struct cw_race_candidate *old = known(r, m), c = {.meeting = m, .run = run, .unused = needed == NULL};
        if (old && (!old->unused || c.unused))
            continue;
        c.definite = c.unused ? !m->open : is_sure(r, run, m);
        if (old) /* another choice of the unknowns has a use for it */
            *old = c;
        else
            cw_vec_push(r->q->arena, &r->candidates, c);
    }
}

/* ---- reads of what nobody wrote ---- */

static bool is_told(const struct cw_races *out, cw_ref root) {
    for (uint32_t k = 0; k < out->at.n; k++)
        if (out->at.at[k].is.unwritten && cw_ref_eq(out->at.at[k].base, root))
            return true;
    return false;
}

static void add_unwritten(struct cw_race_search *r, struct cw_races *out, const struct cw_race_run *run,
                          const struct cw_unwritten *u, bool definite) {
    const struct cw_step *s = &run->timeline->steps.at[u->step];
    struct cw_race race = {.is = {.unwritten = true}, .base = u->root, .offset = u->offset, .bytes = 4,
                           .definite = definite, .between = UINT32_MAX, .skipped = UINT32_MAX,
                           .chosen = UINT32_MAX, .call = UINT32_MAX, .place = u->ins,
                           .lanes = run->timeline->lanes, .launch = run->launch, .sample = run->sample};
    race.first = (struct cw_race_side){.ins = UINT32_MAX};
    race.second = (struct cw_race_side){.ins = u->ins, .context = s->context, .thread = u->thread};
    cw_vec_push(r->q->arena, &out->at, race);
}

static cw_ref object_of(const struct cw_fn *fn, const struct cw_ins *i) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, i, acc);
    struct cw_bases bases = n ? cw_memory_bases(fn, acc[n - 1].pointer) : (struct cw_bases){.n = 1};
    return bases.n == 1 && bases.at[0].root.tag == CW_REF_OBJECT && !bases.at[0].is_read ? bases.at[0].root : CW_NONE;
}

static uint32_t first_thread(struct cw_lanes *l, uint32_t block, const struct cw_context *c) {
    const uint8_t *reach = cw_lanes_reach(l, block, c);
    for (uint32_t t = 0; t < cw_lanes_count(l); t++)
        if (reach[t] == CW_REACH_YES || reach[t] == CW_REACH_INPUT)
            return t;
    return UINT32_MAX;
}

/* Arrays that nothing in the kernel ever writes: their first use in time. */
static void collect_never_written(struct cw_race_search *r, struct cw_races *out, const struct cw_race_run *run) {
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        if (s->kind != CW_STEP_ACCESS)
            continue;
        const struct cw_ins *i = &r->q->fn->ins.at[s->ins];
        cw_ref root = object_of(r->q->fn, i);
        uint32_t t = first_thread(run->timeline->lanes, i->block, s->context);
        if (root.tag != CW_REF_OBJECT || !cw_bitset_has(&r->roles->unwritten, root.index) || t == UINT32_MAX ||
            is_told(out, root))
            continue;
        struct cw_unwritten u = {.ins = s->ins, .step = k, .thread = t, .root = root};
        add_unwritten(r, out, run, &u, true);
    }
}

/* Had a thread returned by then? What it leaves unwritten is a finding about its return. */
static bool has_exited(const struct cw_race_run *run, const struct cw_unwritten *u) {
    const struct cw_step *s = &run->timeline->steps.at[u->step];
    const struct cw_lane_cond *gone = cw_participation_exited(run->timeline->lanes, s->ins, s->context);
    return !cw_lane_cond_is(run->timeline->lanes, gone, CW_BDD_FALSE);
}

/* A block of another shape may leave other bytes unwritten: only known launches prove anything. */
static void collect_unwritten(struct cw_race_search *r, struct cw_races *out, const struct cw_race_run *run) {
    if (r->q->fn->kind != CW_FN_KERNEL)
        return;
    collect_never_written(r, out, run);
    for (uint32_t k = 0; k < run->needed->unwritten.n; k++) {
        const struct cw_unwritten *u = &run->needed->unwritten.at[k];
        bool definite = u->sure && r->q->launches->from_facts && holds_in_samples(r, run, NULL, u->ins);
        if (!is_told(out, u->root) && !has_exited(run, u))
            add_unwritten(r, out, run, u, definite);
    }
}

/* ---- all launches ---- */

/* Are there accesses to which nobody comes, or conflicts nobody feels? Perhaps for these values only. What threads have
 * for themselves is not in the timeline, whoever comes there. */
static bool is_poor(const struct cw_race_search *r, const struct cw_race_run *run) {
    const struct cw_fn *fn = r->q->fn;
    struct cw_bitset seen = cw_bitset_new(r->q->arena, fn->ins.n);
    if (cw_lanes_sample_text(run->timeline->lanes, r->q->arena) == NULL)
        return false;
    for (uint32_t k = 0; k < run->all->meetings.n; k++)
        if (!cw_race_same_meeting(run->needed, &run->all->meetings.at[k]))
            return true;
    for (uint32_t k = 0; k < run->timeline->steps.n; k++) {
        const struct cw_step *s = &run->timeline->steps.at[k];
        if (s->kind == CW_STEP_ACCESS && !cw_bitset_has(&seen, s->ins) && happens(run, k))
            cw_bitset_add(&seen, s->ins);
    }
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++)
            if (r->roles->kind[b->ins.at[j]] == CW_STEP_ACCESS && !cw_bitset_has(&seen, b->ins.at[j]) &&
                !cw_bitset_has(&run->timeline->own, b->ins.at[j]))
                return true;
    }
    return false;
}

static bool look_at_launch(struct cw_race_search *r, struct cw_races *out, uint32_t launch) {
    struct cw_race_run *run = run_of(r, launch, INNER);
    if (run == NULL)
        return false;
    collect(r, run);
    collect_unwritten(r, out, run);
    for (uint32_t sample = 0; r->roles->has_shared && sample < INNER && is_poor(r, run); sample++) {
        struct cw_race_run *other = run_of(r, launch, sample);
        if (other == NULL)
            continue;
        collect(r, other);
        collect_unwritten(r, out, other);
    }
    const struct cw_launch *l = &r->q->launches->at[launch];
    bool single = l->grid_known && l->grid[0] * l->grid[1] * l->grid[2] == 1; /* its block has been looked at */
    struct cw_race_run *first = r->looks_at_first && !single ? run_of(r, launch, FIRST) : NULL;
    if (first)
        collect(r, first);
    return true;
}

/* Ordinary shapes are guesses: the first plausible one of several warps is looked at, the others only confirm. */
static void look_at_guesses(struct cw_race_search *r, struct cw_races *out) {
    bool looked = false;
    for (uint32_t n = 0; n < r->q->launches->n && !looked; n++)
        looked = is_block_wide(r, n) && look_at_launch(r, out, n);
    for (uint32_t n = 0; n < r->q->launches->n && !looked; n++)
        looked = !is_block_wide(r, n) && look_at_launch(r, out, n);
    r->unknown |= !looked;
}

static uint32_t launches_tried(const struct cw_race_search *r) {
    return r->roles->has_shared ? FACTS_TRIED : FACTS_FAR;
}

static int in_source_order(const void *a, const void *b) {
    const struct cw_race *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

struct cw_races cw_races_of(const struct cw_kernel_query *q) {
    struct cw_races out = {{0}};
    struct cw_race_search r = {.q = q};
    if (q->fn->cfg->is_irreducible || q->launches->n == 0)
        return out;
    r.roles = cw_roles_of(q->fn, q->uniformity, q->arena);
    if (!r.roles->has_access)
        return out;
    r.looks_at_first = cw_races_first_block(q->fn, r.roles, q->arena);
    r.nruns = q->launches->n * SLOTS;
    r.runs = CW_NEW_ARRAY(q->arena, struct cw_race_run *, r.nruns);
    r.tried = CW_NEW_ARRAY(q->arena, bool, q->launches->n * SLOTS);
    if (q->launches->from_facts)
        for (uint32_t n = 0; n < q->launches->n && n < launches_tried(&r); n++)
            look_at_launch(&r, &out, n);
    else
        look_at_guesses(&r, &out);
    cw_race_causes(&r, &out);
    cw_query_gave_up(q, CW_BAIL_RACE_BUDGET, r.gave_up);
    cw_query_gave_up(q, CW_BAIL_RACE_LAUNCHES, q->launches->from_facts && q->launches->n > launches_tried(&r));
    cw_query_gave_up(q, CW_BAIL_RACE_UNKNOWN, r.unknown && out.at.n == 0);
    if (out.at.n)
        qsort(out.at.at, out.at.n, sizeof *out.at.at, in_source_order);
    return out;
}

/* ---- text form ---- */

const char *cw_race_properties_text(const struct cw_race_properties *is) {
    if (is->unwritten || is->asynchronous || is->in_storage)
        return is->unwritten ? "unwritten" : is->asynchronous ? "unwaited" : "storage";
    if (is->in_warp)
        return is->crosses_collective ? "fence"
               : is->published        ? "publish"
               : is->near_syncwarp    ? "syncwarp-loop"
                                      : "implicit";
    return is->crosses_syncwarp ? "syncwarp-wide" : is->reused ? "reuse" : "block";
}

static const struct cw_span *span_of(const struct cw_fn *fn, uint32_t ins) {
    return &fn->locs.at[fn->ins.at[ins].loc].span;
}

static void print_side(const struct cw_fn *fn, const char *who, const struct cw_race_side *side, struct cw_buf *out) {
    if (side->ins == UINT32_MAX)
        return;
    const struct cw_span *span = span_of(fn, side->ins);
    cw_buf_printf(out, "    %s thread %u%s%s at %u:%u: ", who, side->thread, side->writes ? " writes" : " reads",
                  side->atomic ? " atomically" : "", span->line, span->col);
    cw_ins_print(fn, side->ins, out);
    for (const struct cw_context *c = side->context; c; c = c->outer)
        cw_buf_printf(out, "%s%u", c == side->context ? " ; iteration " : " of ", c->iteration);
    cw_buf_putc(out, '\n');
}

static void print_race(const struct cw_fn *fn, const struct cw_race *r, struct cw_buf *out) {
    cw_buf_printf(out, "  %s %s%s%s on ", r->definite ? "definite" : "possible", cw_race_properties_text(&r->is),
                  r->same_warp ? " in one warp" : "", r->unused ? " unused" : "");
    cw_ref_print(fn, r->base, out);
    cw_buf_printf(out, "+%lld, %u bytes, %u more\n", (long long)r->offset, r->bytes, r->also.n);
    for (uint32_t k = 0; k < r->also.n; k++) {
        const struct cw_span *first = span_of(fn, r->also.at[k].first), *second = span_of(fn, r->also.at[k].second);
        cw_buf_printf(out, "    also %%%u at %u:%u, %%%u at %u:%u\n", r->also.at[k].first, first->line, first->col,
                      r->also.at[k].second, second->line, second->col);
    }
    print_side(fn, "first", &r->first, out);
    print_side(fn, "second", &r->second, out);
}

void cw_races_print(const struct cw_kernel_query *q, struct cw_buf *out) {
    if (q->fn->cfg->is_irreducible || q->launches->n == 0)
        return;
    struct cw_roles *roles = cw_roles_of(q->fn, q->uniformity, q->arena);
    struct cw_event_trace *t = cw_event_trace_of(q->lanes(q->owner, 0, 0), roles, q->arena);
    struct cw_races races = cw_races_of(q);
    cw_buf_printf(out, "phases of %s, %s\n", q->fn->name, cw_launch_text(&q->launches->at[0], q->arena));
    cw_event_trace_print(t, out);
    for (uint32_t k = 0; k < races.at.n; k++)
        print_race(q->fn, &races.at.at[k], out);
}
