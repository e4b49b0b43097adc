/* Which reads of shared memory find what nobody wrote?
 *
 * requires: a run. computes: races that are `unwritten`, one for each array: of arrays that nothing in the kernel
 * writes, and of bytes that are read before any write, where something rests on them. cost: the steps of the timeline;
 * guessed launches are all run. preserves: everything. */
#include "races/races_internal.h"

#include "lanes/condition.h"
#include "lanes/participation.h"
#include "races/used_values.h"

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

cw_ref cw_race_object_of(const struct cw_fn *fn, const struct cw_ins *ins) {
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
        cw_ref root = cw_race_object_of(race_search->q->fn, i);
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
        if (!cw_race_shows_unwritten(race_search, k, CW_RACE_INNER_BLOCK, ins))
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
                     (cw_race_place_of(lanes, fn, unwritten->ins, context, t, &place, &size) &&
                      place.offset <= unwritten->offset && unwritten->offset < place.offset + (int64_t)size);
        if (reads && cw_comes_to_some(lanes, &blocks, t))
            return true;
    }
    return false;
}

void cw_race_collect_unwritten(struct cw_race_search *race_search, struct cw_races *out,
                               const struct cw_race_run *run) {
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
            cw_race_rests_on_choice(run->timeline->lanes, race_search->q->fn, u->ins, &run->timeline->steps.at[u->step],
                                    u->thread))
            continue;
        bool definite =
            u->sure && race_search->q->launches->from_facts && cw_race_holds_in_samples(race_search, run, NULL, u->ins);
        if (!is_told(out, u->root) && !has_exited(run, u) && holds_in_guesses(race_search, u->ins) &&
            is_used_by_some(race_search, run, u))
            add_unwritten(race_search, out, run, u, definite);
    }
}
