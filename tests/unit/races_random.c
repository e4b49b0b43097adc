/* Random kernels that share memory, against the race analysis. Every program is really run (support/race_reference.h):
 *   - a definite race must be one: its two instructions race under every sample, its two threads race in the iterations
 *     and on the bytes that it names, and `same_warp` is said exactly when nothing races across warps;
 *   - where nothing depends on input or on parameters, every two instructions that race must be told, as definite.
 * A failing program is made smaller before it is shown, but for one of many.
 *
 *     test_races_random           the usual seeds
 *     test_races_random SEED      one seed, with words
 *     test_races_random FROM TO   many
 *     test_races_random FROM TO STEP   each fifth, say: seeds of one sort (race_program_make) */
#include "check.h"
#include "support/race_reference.h"
#include "support/race_trial.h"

#include "base/str.h"
#include "races/races.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>

#ifdef __OPTIMIZE__
enum { PROGRAMS = 700 };
#else
enum { PROGRAMS = 400 }; /* the analysis itself takes its time here */
#endif

enum { SAMPLES = RACE_SAMPLES, LAUNCHES = RACE_LAUNCHES, SHOWN = 6, LARGE = 40000,
       SOME_DATA = 2, DATA = 10, MORE_DATA = 400,
       CHOICES = 1200,  /* of the number that data choose */
       CHOSEN_DATA = 5, /* other data around it */
       ELEMENTS = 6,   /* of in[] that are chosen for two threads, each way at once */
       SCHEDULES = 6000, /* other data, with one of the two threads first */
       PAUSES = 6000,  /* the same, with the others in between */
       ORDERS = 40000  /* the same, with the others in some order */ };

enum fault {
    FINE, NO_PAIR, NO_WITNESS, NOT_ONE_WARP, ONE_WARP, NO_FURTHER_PAIR, WRITTEN, FELT, UNTOLD, UNEXPLAINED,
    NOT_SURE, FAULTS
};

static const char *const fault_text[FAULTS] = {
    [NO_PAIR] = "said to race, and do not",
    [NO_WITNESS] = "the two threads do not race there",
    [NOT_ONE_WARP] = "said to be of one warp, and races across warps",
    [ONE_WARP] = "said to race across warps, and does not",
    [NO_FURTHER_PAIR] = "further instructions that do not race",
    [WRITTEN] = "said to be unwritten, and is written",
    [FELT] = "said to be of no use, and is felt",
    [UNTOLD] = "races, and nothing is told",
    [UNEXPLAINED] = "two instructions race, and no race names them",
    [NOT_SURE] = "only called possible",
};

/* What a race may be; no random program calls a collective of a library. */
static const char *const kind_text[] = {"implicit", "syncwarp-loop", "fence",    "publish",   "syncwarp-wide",
                                        "block",    "reuse",         "unwaited", "unwritten", "storage"};
enum { KINDS = sizeof kind_text / sizeof kind_text[0], STORAGE = KINDS - 1 };

struct verdict {
    enum fault fault;
    uint32_t a, b;      /* instructions */
    uint32_t races, definite, unused, real;
    uint32_t kinds[KINDS];
    const char *failed; /* the program could not be run */
};

struct trial {
    struct race_trial on;
    struct cw_races races;
    struct race_reference *truth[LAUNCHES * SAMPLES][MORE_DATA]; /* by launch and sample, as one number */
    uint8_t *pairs[LAUNCHES * SAMPLES]; /* [ins][ins] over all data so far; NULL: not run */
    struct verdict v;
};

/* ---- the truth ---- */

static void note_pairs(struct trial *t, const struct race_reference *r, uint32_t sample) {
    for (uint32_t a = 0; a < t->on.fn->ins.n && !t->v.failed; a++)
        for (uint32_t b = a; b < t->on.fn->ins.n && r->number[a]; b++)
            if (r->number[b])
                t->pairs[sample][(size_t)a * t->on.fn->ins.n + b] |= race_reference_pair(r, a, b);
}

/* How many different numbers in[] holds; 0: as many as usual. */
static uint32_t values_of(const struct trial *t) {
    return t->on.p->by_choice ? RACE_CHOICES : 0;
}

static const struct race_reference *truth(struct trial *t, uint32_t sample, uint64_t data) {
    struct race_reference **slot = &t->truth[sample][data];
    if (*slot)
        return *slot;
    struct race_run what = {.fn = t->on.fn,
                            .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES),
                            .data = data,
                            .reversed = data & 1,
                            .values = values_of(t),
                            .extra = UINT32_MAX};
    *slot = CW_NEW(&t->on.arena, struct race_reference);
    if (!race_reference_run(*slot, &what))
        t->v.failed = (*slot)->machine.failed;
    note_pairs(t, *slot, sample);
    return *slot;
}

static uint8_t pair(const struct trial *t, uint32_t sample, uint32_t a, uint32_t b) {
    return t->pairs[sample][(size_t)(a < b ? a : b) * t->on.fn->ins.n + (a < b ? b : a)];
}

/* Samples differ in parameters only, and in sizes in device memory, which are data in the first ones. */
static bool is_run(const struct trial *t, uint32_t s) {
    uint32_t sample = s % SAMPLES % CW_SAMPLE_DATA;
    return s < t->on.launches.n * SAMPLES && sample < RACE_RUN && (t->on.p->uses_param || sample == 0) &&
           (t->on.p->by_length || s % SAMPLES < CW_SAMPLE_DATA);
}

static uint32_t where(const struct cw_race *r) {
    return r->launch * SAMPLES + r->sample;
}

/* With the first `n` of the data, if they were not run yet. */
static void run_with(struct trial *t, uint32_t s, uint64_t n) {
    if (!t->pairs[s])
        t->pairs[s] = cw_arena_alloc(&t->on.arena, (size_t)t->on.fn->ins.n * t->on.fn->ins.n);
    for (uint64_t d = 0; d < n && !t->v.failed; d++)
        truth(t, s, d);
}

static void run_some(struct trial *t, uint32_t s) {
    run_with(t, s, SOME_DATA);
}

/* For questions that are answered with no as long as nothing is seen. */
static void run_sample(struct trial *t, uint32_t s) {
    run_with(t, s, t->on.p->uses_data ? DATA : SOME_DATA);
}

/* The question asked of one more run; of none where the program fits nothing that can be run. An access that some data
 * lead out of an array is none: the other ones happen all the same. */
static bool holds_in(struct trial *t, const struct race_run *what, uint32_t sample, const struct cw_race *race,
                     bool (*holds)(struct trial *, const struct race_reference *, uint32_t, const struct cw_race *)) {
    struct race_reference r;
    bool found = false;
    if (t->v.failed)
        return false;
    struct race_run run = *what;
    run.goes_on = true;
    if (race_reference_run(&r, &run)) {
        note_pairs(t, &r, sample);
        found = holds(t, &r, sample, race);
    }
    race_reference_free(&r);
    return found;
}

/* The question asked of the runs in which the one or the other thread of the race goes first, which finds what the last
 * barrier left. */
static bool for_some_leader(struct trial *t, uint32_t sample, const struct cw_race *race,
                            bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                          const struct cw_race *)) {
    bool found = false;
    for (uint64_t k = 0; k < 2 * MORE_DATA && t->on.p->by_data && !found; k++) {
        struct race_run what = {.fn = t->on.fn, .data = k / 2, .extra = UINT32_MAX,
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES),
                                .values = values_of(t),
                                .leader = 1 + (k & 1 ? race->second.thread : race->first.thread)};
        found = holds_in(t, &what, sample, race, holds);
    }
    return found;
}

/* The question asked of runs in which the data lead the thread whose element they choose to one after the other. */
static bool for_some_choice(struct trial *t, uint32_t sample, const struct cw_race *race,
                            bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                          const struct cw_race *)) {
    bool found = false, is_first = race->chosen == race->first.ins;
    for (int32_t n = 0; n < CHOICES * CHOSEN_DATA && race->chosen != UINT32_MAX && !found; n++) {
        int32_t k = n % CHOICES;
        struct race_choice choice = {is_first ? race->first.thread : race->second.thread, k & 1 ? -(k / 2) : k / 2};
        struct race_run what = {.fn = t->on.fn, .data = (uint64_t)(n / CHOICES), .extra = UINT32_MAX,
                                .choices = &choice, .nchoices = 1,
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES)};
        found = holds_in(t, &what, sample, race, holds);
    }
    return found;
}

/* The question asked of runs with input below zero: `in[tid] & 3` is 3 where in[tid] is less than 1. */
static bool for_some_signed(struct trial *t, uint32_t sample, const struct cw_race *race,
                            bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                          const struct cw_race *)) {
    bool found = false;
    const uint32_t leaders[] = {0, 1 + race->first.thread, 1 + race->second.thread};
    for (uint64_t d = 0; d < MORE_DATA && t->on.p->uses_data && !found; d++) {
        struct race_run what = {.fn = t->on.fn, .data = d, .reversed = d & 1, .is_signed = true, .extra = UINT32_MAX,
                                .leader = leaders[d % 3],
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES)};
        found = holds_in(t, &what, sample, race, holds);
    }
    return found;
}

/* The question asked of runs in which the threads take turns: what one of them reads twice may change in between. */
static bool for_some_turns(struct trial *t, uint32_t sample, const struct cw_race *race,
                           bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                         const struct cw_race *)) {
    static const uint32_t turns[] = {1, 5, 17};
    bool found = false;
    for (uint64_t k = 0; k < 3 * MORE_DATA && t->on.p->by_data && !found; k++) {
        struct race_run what = {.fn = t->on.fn, .data = k / 3, .turn = turns[k % 3], .reversed = k / 3 & 1,
                                .extra = UINT32_MAX, .values = values_of(t),
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES)};
        found = holds_in(t, &what, sample, race, holds);
    }
    return found;
}

/* Of the thread, in the runs so far. */
static uint32_t most_accesses(const struct trial *t, uint32_t sample, uint32_t thread) {
    uint32_t most = 0;
    for (uint32_t d = 0; d < MORE_DATA; d++)
        if (t->truth[sample][d] && t->truth[sample][d]->machine.thread[thread].accesses > most)
            most = t->truth[sample][d]->machine.thread[thread].accesses;
    return most;
}

/* The question asked of runs in which one of the two threads goes first for a while, and then lets the others go on. A
 * condition that has to come out alike many times mostly does in two thirds of them. */
static bool for_some_pause(struct trial *t, uint32_t sample, const struct cw_race *race,
                           bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                         const struct cw_race *)) {
    uint32_t threads[] = {race->first.thread, race->second.thread};
    bool found = false;
    for (uint32_t k = 0; k < PAUSES && t->on.p->by_data && !t->v.failed && !found; k++) {
        uint32_t thread = threads[k & 1], accesses = most_accesses(t, sample, thread);
        struct race_run what = {.fn = t->on.fn, .data = k, .extra = UINT32_MAX, .values = values_of(t),
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES),
                                .leader = 1 + thread, .bias = k / 2 % 3,
                                .pause = 1 + (k * 7919u >> 1) % (2 * accesses + 16)};
        found = holds_in(t, &what, sample, race, holds);
    }
    return found;
}

/* The question asked of such runs with the other threads in an order that chance draws, one after the other or in
 * turns: two of them may store a condition's datum now in this order and now in that one. */
static bool for_some_order(struct trial *t, uint32_t sample, const struct cw_race *race,
                           bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                         const struct cw_race *)) {
    uint32_t threads[] = {race->first.thread, race->second.thread};
    bool found = false;
    for (uint32_t k = 0; k < ORDERS && t->on.p->by_data && !t->v.failed && !found; k++) {
        uint32_t thread = threads[k & 1], accesses = most_accesses(t, sample, thread);
        struct race_run what = {.fn = t->on.fn, .data = k, .extra = UINT32_MAX, .values = values_of(t),
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES),
                                .leader = k % 7 ? 1 + thread : 0, .bias = k / 2 % 3, .shuffle = k + 1,
                                .turn = k / 6 % 3 * 3, .pause = 1 + (k * 7919u >> 1) % (2 * accesses + 8)};
        found = holds_in(t, &what, sample, race, holds);
    }
    return found;
}

static void add_element(struct race_choice *at, uint32_t *n, int32_t element) {
    for (uint32_t k = 0; k < *n; k++)
        if (at[k].element == (uint32_t)element)
            return;
    if (*n < ELEMENTS)
        at[(*n)++].element = (uint32_t)element;
}

/* The elements of in[] that conditions look at for the two threads. */
static uint32_t chosen_elements(const struct race_program *p, const struct cw_race *race, struct race_choice *at) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        const struct race_condition *c = &p->at[k].condition;
        if (p->at[k].dropped || (p->at[k].kind != RACE_IF && p->at[k].kind != RACE_RETURN) ||
            c->kind != RACE_IF_CHOICE)
            continue;
        for (uint32_t part = 0; part <= (c->join != RACE_ALONE); part++) {
            add_element(at, &n, race_choice_element(&c->part[part], race->first.thread));
            add_element(at, &n, race_choice_element(&c->part[part], race->second.thread));
        }
    }
    return n;
}

/* The question asked of runs with every choice of the elements that conditions look at for the two threads, each of
 * them first, or none. */
static bool for_some_input(struct trial *t, uint32_t sample, const struct cw_race *race,
                           bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                         const struct cw_race *)) {
    struct race_choice choices[ELEMENTS];
    uint32_t n = t->on.p->by_choice ? chosen_elements(t->on.p, race, choices) : 0, all = 1;
    uint32_t nleaders = t->on.p->by_data ? 3 : 1; /* who is first matters where conditions look at what others write */
    const uint32_t leaders[] = {0, 1 + race->first.thread, 1 + race->second.thread};
    bool found = false;
    for (uint32_t k = 0; k < n; k++)
        all *= RACE_CHOICES;
    for (uint32_t which = 0; n && which < nleaders * all && !found; which++) {
        for (uint32_t k = 0, rest = which / nleaders; k < n; k++, rest /= RACE_CHOICES)
            choices[k].value = (int32_t)(rest % RACE_CHOICES);
        struct race_run what = {.fn = t->on.fn, .data = which / nleaders, .extra = UINT32_MAX, .choices = choices,
                                .nchoices = n, .values = RACE_CHOICES, .leader = leaders[which % nleaders],
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES)};
        found = holds_in(t, &what, sample, race, holds);
    }
    for (uint32_t which = 0; t->on.p->by_choice && t->on.p->by_data && which < SCHEDULES && !found; which++) {
        struct race_run what = {.fn = t->on.fn, .data = which + MORE_DATA, .extra = UINT32_MAX,
                                .values = RACE_CHOICES, .leader = leaders[which % 3],
                                .lanes = race_trial_lanes(&t->on, sample / SAMPLES, sample % SAMPLES)};
        found = holds_in(t, &what, sample, race, holds);
    }
    return found;
}

/* Tries more input until the question is answered with yes, then other schedules. */
static bool for_some_data(struct trial *t, uint32_t sample, const struct cw_race *race,
                          bool (*holds)(struct trial *, const struct race_reference *, uint32_t,
                                        const struct cw_race *)) {
    bool found = false;
    for (uint64_t d = 0; d < (t->on.p->uses_data ? MORE_DATA : SOME_DATA) && !found && !t->v.failed; d++) {
        const struct race_reference *r = truth(t, sample, d);
        found = !t->v.failed && holds(t, r, sample, race);
    }
    return found || for_some_leader(t, sample, race, holds) || for_some_choice(t, sample, race, holds) ||
           for_some_input(t, sample, race, holds) || for_some_signed(t, sample, race, holds) ||
           for_some_turns(t, sample, race, holds) || for_some_pause(t, sample, race, holds) ||
           for_some_order(t, sample, race, holds);
}

/* ---- what is claimed ---- */

static void blame(struct trial *t, enum fault f, uint32_t a, uint32_t b) {
    if (t->v.fault == FINE) {
        t->v.fault = f;
        t->v.a = a;
        t->v.b = b;
    }
}

static bool is_pair(struct trial *t, const struct race_reference *r, uint32_t sample, const struct cw_race *race) {
    (void)r;
    return pair(t, sample, race->first.ins, race->second.ins) != 0;
}

static struct race_witness witness(const struct cw_race_side *s) {
    return (struct race_witness){s->ins, s->thread, s->context};
}

static bool is_shown(struct trial *t, const struct race_reference *r, uint32_t sample, const struct cw_race *race) {
    struct race_witness a = witness(&race->first), b = witness(&race->second);
    (void)t;
    (void)sample;
    return race_reference_shows(r, &a, &b, race->base, race->offset, race->bytes);
}

static bool is_unwritten(struct trial *t, const struct race_reference *r, uint32_t sample, const struct cw_race *race) {
    struct race_witness read = witness(&race->second);
    (void)t;
    (void)sample;
    return race_reference_unwritten(r, &read, race->base, race->offset);
}

/* Of all pairs of a race together. */
static uint8_t all_pairs(const struct trial *t, const struct cw_race *r) {
    uint8_t all = pair(t, where(r), r->first.ins, r->second.ins);
    for (uint32_t k = 0; k < r->also.n; k++)
        all |= pair(t, where(r), r->also.at[k].first, r->also.at[k].second);
    return all;
}

static bool tells(const struct cw_race *r, uint32_t a, uint32_t b) {
    bool told = (r->first.ins == a && r->second.ins == b) || (r->first.ins == b && r->second.ins == a);
    for (uint32_t k = 0; k < r->also.n && !told; k++)
        told = (r->also.at[k].first == a && r->also.at[k].second == b) ||
               (r->also.at[k].first == b && r->also.at[k].second == a);
    return told;
}

/* Made from a value that other threads may change, or that nobody follows: two of them may be equal. */
static bool is_made(struct trial *t, cw_ref r, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(t->on.fn, r);
    if (!i || depth == 0)
        return depth == 0;
    if (i->op == CW_OP_LOAD) {
        cw_ref at = cw_arg(t->on.fn, i, 0);
        while (at.tag == CW_REF_INS && t->on.fn->ins.at[at.index].op == CW_OP_PTRADD)
            at = cw_arg(t->on.fn, &t->on.fn->ins.at[at.index], 0);
        return at.tag != CW_REF_PARAM || at.index > 1;
    }
    if (!(cw_op_flags((enum cw_op)i->op) & CW_OP_P) || i->op == CW_OP_PHI)
        return true;
    for (uint32_t k = 0; k < i->narg; k++)
        if (is_made(t, cw_arg(t->on.fn, i, k), depth - 1))
            return true;
    return false;
}

static bool is_made_write(struct trial *t, uint32_t ins) {
    const struct cw_ins *i = &t->on.fn->ins.at[ins];
    return i->op == CW_OP_STORE && is_made(t, cw_arg(t->on.fn, i, 0), 12);
}

/* Made of numbers alone. */
static bool is_one_for_all(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (!i)
        return r.tag == CW_REF_CONST;
    if (!(cw_op_flags((enum cw_op)i->op) & CW_OP_P) || i->op == CW_OP_PHI)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_one_for_all(fn, cw_arg(fn, i, k)))
            return false;
    return true;
}

/* All threads store it, at places that may overlap in part: different bytes of it may be equal as well. */
static bool is_wide_value(const struct trial *t, const struct cw_ins *i) {
    return i->op == CW_OP_STORE && i->aux > t->on.p->element && is_one_for_all(t->on.fn, cw_arg(t->on.fn, i, 0));
}

/* Does the load read where its thread has stored a value that nobody follows, as in `s[k] += s[k + 1]; x = s[k]`? The
 * other thread's store there, of such a value too, may leave the same. */
static bool reads_back(struct trial *t, uint32_t load, uint32_t store) {
    const struct cw_ins *i = &t->on.fn->ins.at[load];
    if (i->op != CW_OP_LOAD || !is_made_write(t, store))
        return false;
    if (pair(t, 0, store, store)) /* its own store may have gone there */
        return true;
    for (uint32_t k = 0; k < t->on.fn->ins.n; k++)
        if (t->on.fn->ins.at[k].op == CW_OP_STORE && is_made_write(t, k) &&
            cw_ref_eq(cw_arg(t->on.fn, &t->on.fn->ins.at[k], 1), cw_arg(t->on.fn, i, 0)) && k < load)
            return true;
    return false;
}

static bool must_be_told(struct trial *t, uint32_t a, uint32_t b) {
    const struct cw_ins *i = &t->on.fn->ins.at[a], *j = &t->on.fn->ins.at[b];
    bool writes = i->op == CW_OP_STORE && j->op == CW_OP_STORE;
    if (i->op == CW_OP_ASYNCCOPY || j->op == CW_OP_ASYNCCOPY || reads_back(t, a, b) || reads_back(t, b, a))
        return false;
    if (writes && a == b && i->aux > t->on.p->element)
        return false;
    if ((is_wide_value(t, i) && j->op == CW_OP_LOAD) || (is_wide_value(t, j) && i->op == CW_OP_LOAD))
        return false;
    if (!(pair(t, 0, a, b) & RACE_SURE) || (writes && (is_made_write(t, a) || is_made_write(t, b))))
        return false;
    return !t->on.p->forgets || (i->op != CW_OP_LOAD && j->op != CW_OP_LOAD);
}

/* The analysis may forget some of many accesses, but not all that is wrong. */
static bool has_many_accesses(const struct trial *t) {
    return t->truth[0][0]->events.n > LARGE;
}

/* What the same instructions do to other warps, in other iterations, must be told too, or be what the advice orders. */
static void check_one_warp(struct trial *t, const struct cw_race *r) {
    run_sample(t, where(r));
    for (uint32_t k = 0; k <= r->also.n; k++) {
        uint32_t a = k ? r->also.at[k - 1].first : r->first.ins, b = k ? r->also.at[k - 1].second : r->second.ins;
        bool told = !(pair(t, where(r), a, b) & RACE_SURE_ACROSS) || !must_be_told(t, a, b) || has_many_accesses(t);
        for (uint32_t n = 0; n < t->races.at.n; n++)
            told |= (!t->races.at.at[n].same_warp || t->races.at.at[n].remedy == CW_REMEDY_BLOCK) &&
                    tells(&t->races.at.at[n], a, b);
        if (!told)
            blame(t, NOT_ONE_WARP, a, b);
    }
}

/* Of guessed launches, under all of more than one warp. A parameter may also be such that the two never follow each
 * other; that one is which they do is enough. */
static bool must_show(const struct trial *t, const struct cw_race *r, uint32_t s) {
    bool other = t->on.p->guessed && !r->unused && cw_launch_threads(&t->on.launch[s / SAMPLES]) > 32;
    return s == where(r) || (is_run(t, s) && other && s % SAMPLES == r->sample);
}

/* Where two writes race, it is open what is left for others to read. */
static bool writes_race(const struct trial *t, uint32_t s) {
    for (uint32_t a = 0; a < t->on.fn->ins.n; a++)
        for (uint32_t b = a; b < t->on.fn->ins.n; b++)
            if (t->on.fn->ins.at[a].op != CW_OP_LOAD && t->on.fn->ins.at[b].op != CW_OP_LOAD && pair(t, s, a, b))
                return true;
    return false;
}

/* Does it reach global memory what one of the two reads? */
static bool is_felt(struct trial *t, const struct cw_race *r) {
    bool felt = false;
    run_sample(t, where(r));
    if (writes_race(t, where(r)))
        return false;
    for (uint32_t side = 0; side < 2 && !felt; side++) {
        struct race_witness w = witness(side ? &r->second : &r->first);
        if (t->on.fn->ins.at[w.ins].op != CW_OP_LOAD)
            continue;
        struct race_run what = {.fn = t->on.fn,
                                .lanes = race_trial_lanes(&t->on, r->launch, r->sample),
                                .values = values_of(t),
                                .extra = UINT32_MAX,
                                .garbled = &w};
        struct race_reference garbled;
        felt = race_reference_run(&garbled, &what) && race_reference_differs(truth(t, where(r), 0), &garbled);
        race_reference_free(&garbled);
    }
    return felt;
}

/* A barrier that input leads to, which some threads never pass: those who have passed different numbers of barriers
 * are taken to be ordered, on the other ways as well. */
static bool may_pass_fewer(const struct race_program *p) {
    bool leaves = false, waits = false;
    for (uint32_t k = 0; k < p->n; k++) {
        leaves |= !p->at[k].dropped && p->at[k].kind == RACE_RETURN;
        waits |= !p->at[k].dropped && p->at[k].kind == RACE_SYNCTHREADS;
    }
    return p->uses_data && leaves && waits;
}

/* Loops with many rounds are laid out in part. */
static bool has_long_loop(const struct race_program *p) {
    for (uint32_t k = 0; k < p->n; k++)
        if (p->at[k].kind == RACE_FOR && !p->at[k].dropped && (p->at[k].loop == RACE_COUNT && p->at[k].number > 8))
            return true;
    return false;
}

static void check_definite(struct trial *t, const struct cw_race *r) {
    uint32_t a = r->first.ins, b = r->second.ins;
    for (uint32_t s = 0; s < t->on.launches.n * SAMPLES; s++) {
        if (!must_show(t, r, s))
            continue;
        run_some(t, s);
        if (!pair(t, s, a, b) && !for_some_data(t, s, r, is_pair))
            blame(t, NO_PAIR, a, b);
    }
    if (!for_some_data(t, where(r), r, is_shown))
        blame(t, NO_WITNESS, a, b);
    if (r->unused && is_felt(t, r))
        blame(t, FELT, a, b);
    for (uint32_t k = 0; k < r->also.n && !t->on.p->uses_data && !t->on.p->uses_param; k++)
        if (!pair(t, where(r), r->also.at[k].first, r->also.at[k].second))
            blame(t, NO_FURTHER_PAIR, r->also.at[k].first, r->also.at[k].second);
    /* Iterations that input decides are laid out in part, and so are many. */
    if (r->same_warp && !t->on.p->forgets && !t->on.p->by_choice && !may_pass_fewer(t->on.p) &&
        !has_long_loop(t->on.p))
        check_one_warp(t, r);
    bool exact = !t->on.p->uses_data && !t->on.p->uses_param && !t->on.p->guessed; /* else other input may show more */
    if (exact && !r->same_warp && !(all_pairs(t, r) & RACE_ACROSS))
        blame(t, ONE_WARP, a, b);
}

static uint32_t kind_of(const struct cw_race *r) {
    const char *text = cw_race_properties_text(&r->is);
    uint32_t kind = 0;
    while (kind < STORAGE && strcmp(kind_text[kind], text) != 0)
        kind++;
    return kind;
}

static void check_races(struct trial *t) {
    for (uint32_t k = 0; k < t->races.at.n; k++) {
        const struct cw_race *r = &t->races.at.at[k];
        t->v.kinds[kind_of(r)]++;
        run_some(t, where(r)); /* its iterations are those of that sample's evaluator */
        t->v.definite += r->definite;
        t->v.unused += r->unused;
        if (r->definite && r->is.unwritten && !for_some_data(t, where(r), r, is_unwritten))
            blame(t, WRITTEN, r->second.ins, r->second.ins);
        else if (r->definite && !r->is.unwritten)
            check_definite(t, r);
    }
    t->v.races = t->races.at.n;
}

/* ---- what is missing ---- */

static void check_told(struct trial *t, uint32_t a, uint32_t b) {
    bool told = false, sure = false;
    for (uint32_t k = 0; k < t->races.at.n; k++) {
        bool tells_it = tells(&t->races.at.at[k], a, b);
        told |= tells_it;
        sure |= tells_it && t->races.at.at[k].definite;
    }
    if (t->races.at.n == 0)
        blame(t, UNTOLD, a, b);
    else if (!told && has_many_accesses(t))
        return;
    else if (!told)
        blame(t, UNEXPLAINED, a, b);
    else if (!sure)
        blame(t, NOT_SURE, a, b);
}

static void check_truth(struct trial *t) {
    for (uint32_t a = 0; a < t->on.fn->ins.n; a++)
        for (uint32_t b = a; b < t->on.fn->ins.n; b++)
            t->v.real += pair(t, 0, a, b) != 0;
    if (t->on.p->uses_data || t->on.p->uses_param || t->on.p->guessed || has_long_loop(t->on.p))
        return;
    for (uint32_t a = 0; a < t->on.fn->ins.n; a++)
        for (uint32_t b = a; b < t->on.fn->ins.n; b++)
            if (must_be_told(t, a, b))
                check_told(t, a, b);
}

/* ---- one program ---- */

static struct verdict judge(const struct race_program *p, struct cw_buf *words) {
    struct trial t = {0};
    race_trial_begin(&t.on, p);
    struct cw_kernel_query q = race_trial_query(&t.on);
    run_sample(&t, 0);
    if (!t.v.failed) {
        t.races = cw_races_of(&q);
        check_races(&t);
        check_truth(&t);
    }
    if (words) {
        cw_fn_print(t.on.fn, words);
        cw_phases_print(&q, words);
        for (uint32_t a = 0; a < t.on.fn->ins.n && !t.v.failed; a++)
            for (uint32_t b = a; b < t.on.fn->ins.n; b++)
                if (pair(&t, 0, a, b))
                    cw_buf_printf(words, "really race: instructions %u (line %u) and %u (line %u)%s%s%s\n", a,
                                  t.on.fn->locs.at[t.on.fn->ins.at[a].loc].span.line, b,
                                  t.on.fn->locs.at[t.on.fn->ins.at[b].loc].span.line,
                                  pair(&t, 0, a, b) & RACE_IN_WARP ? " in a warp" : "",
                                  pair(&t, 0, a, b) & RACE_ACROSS ? " across warps" : "",
                                  pair(&t, 0, a, b) & RACE_SURE ? "" : ", harmless");
    }
    for (uint32_t k = 0; k < LAUNCHES * SAMPLES * MORE_DATA; k++)
        if (t.truth[k / MORE_DATA][k % MORE_DATA])
            race_reference_free(t.truth[k / MORE_DATA][k % MORE_DATA]);
    cw_arena_free(&t.on.arena);
    return t.v;
}

/* ---- making a failing program smaller ---- */

static bool still_fails(const struct race_program *p, enum fault fault) {
    struct verdict v = judge(p, NULL);
    return !v.failed && v.fault == fault;
}

static bool try_change(struct race_program *p, bool *change, enum fault fault) {
    if (*change)
        return false;
    *change = true;
    if (still_fails(p, fault))
        return true;
    *change = false;
    return false;
}

static void shrink(struct race_program *p, enum fault fault) {
    for (bool some = true; some;) {
        some = false;
        for (uint32_t k = 0; k < p->n; k++) {
            struct race_statement *s = &p->at[k];
            some |= try_change(p, &s->dropped, fault);
            if (s->kind == RACE_IF || s->kind == RACE_FOR || s->kind == RACE_TWICE)
                some |= !s->dropped && try_change(p, &s->flat, fault);
        }
        if (p->initialised) {
            p->initialised = false;
            some |= still_fails(p, fault);
            p->initialised = !still_fails(p, fault);
        }
    }
}

static void show(const struct race_program *p, const struct verdict *v, uint64_t seed, bool whole) {
    struct cw_buf text = {0};
    cw_buf_printf(&text, "seed %llu: %s: instructions %u and %u\n", (unsigned long long)seed,
                  v->fault ? fault_text[v->fault] : "fine", v->a, v->b);
    race_program_print(p, &text);
    if (whole)
        judge(p, &text);
    fputs(text.at, stderr);
    cw_buf_free(&text);
}

static struct tally {
    uint64_t programs, unfit, definite, possible, unused, racy, clean, faults[FAULTS], kinds[KINDS];
} tally;

enum detail { LISTED, MADE_SMALL, WHOLE };

static void check_seed(uint64_t seed, enum detail detail) {
    bool verbose = detail == WHOLE;
    struct race_program p;
    race_program_make(&p, seed);
    struct verdict v = judge(&p, NULL);
    tally.programs++;
    tally.unfit += v.failed != NULL;
    if (verbose)
        fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed,
                v.failed ? v.failed : v.fault ? fault_text[v.fault] : "fine");
    if (v.failed) {
        if (verbose)
            show(&p, &v, seed, false);
        return;
    }
    tally.definite += v.definite;
    tally.possible += v.races - v.definite;
    tally.unused += v.unused;
    tally.racy += v.real > 0;
    tally.clean += v.real == 0;
    for (uint32_t k = 0; k < KINDS; k++)
        tally.kinds[k] += v.kinds[k];
    CHECK(v.fault == FINE);
    tally.faults[v.fault]++;
    if (v.fault != FINE && detail == LISTED) {
        show(&p, &v, seed, false);
    } else if (v.fault != FINE && (verbose || tally.faults[v.fault] <= SHOWN)) {
        shrink(&p, v.fault);
        v = judge(&p, NULL);
        show(&p, &v, seed, verbose);
    } else if (verbose) {
        show(&p, &v, seed, true);
    }
}

/* Whose faults are mended. */
static const uint64_t mended[] = {
    20047327, 20091076, 20115614, 40001809, 40003996, 40015448, 40016018, 40031038, 50000334, 50016166,
    50036386, 50036635, 50043427, 50048254, 50099729, 50101403, 50106822, 50139416, 50140878, 50186126,
    60014574, 94002880, 45025,    100003398, 100007584, 100008146, 100008630, 100040435
};

int main(int argc, char **argv) {
    mallopt(M_TRIM_THRESHOLD, INT_MAX); /* memory of one program is that of the next one: half of the time else */
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? from : PROGRAMS;
    uint64_t step = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    for (uint64_t seed = from; seed <= to; seed += step ? step : 1)
        check_seed(seed, argc == 1 ? MADE_SMALL : argc == 2 ? WHOLE : LISTED);
    for (uint32_t k = 0; argc == 1 && k < sizeof mended / sizeof *mended; k++)
        check_seed(mended[k], MADE_SMALL);
    printf("%llu programs (%llu unfit), %llu racy, %llu clean; %llu definite races (%llu unused), %llu possible\n"
           "kinds:",
           (unsigned long long)tally.programs, (unsigned long long)tally.unfit, (unsigned long long)tally.racy,
           (unsigned long long)tally.clean, (unsigned long long)tally.definite, (unsigned long long)tally.unused,
           (unsigned long long)tally.possible);
    for (uint32_t k = 0; k < KINDS; k++)
        printf(" %llu", (unsigned long long)tally.kinds[k]);
    puts("");
    for (uint32_t k = 1; k < FAULTS; k++)
        if (tally.faults[k])
            printf("%llu: %s\n", (unsigned long long)tally.faults[k], fault_text[k]);
    if (argc == 1) { /* both sides of every question are asked often */
        CHECK(tally.racy > PROGRAMS / 4 && tally.clean > PROGRAMS / 6 && tally.definite > PROGRAMS / 2);
        CHECK(tally.possible > 0 && tally.unused > 0);
        for (uint32_t k = 0; k < KINDS; k++)
            CHECK(k == STORAGE ? tally.kinds[k] == 0 : tally.kinds[k] > 0);
    }
    return check_report();
}
