/* Random kernels that share memory, against the search for spare barriers. Each program is really run
 * (support/race_reference.h) as it is, and again with all its spare barriers taken out, or turned into __syncwarp(): no
 * two instructions may race then that did not race before.
 *
 *     test_flow_barrier_use_random             the usual seeds
 *     test_flow_barrier_use_random FROM TO     others; a failing program is printed */
#include "check.h"
#include "support/race_reference.h"
#include "support/race_trial.h"

#include "base/str.h"
#include "faults/barrier_use.h"

#include <stdlib.h>

#ifdef __OPTIMIZE__
enum { PROGRAMS = 3000 };
#else
enum { PROGRAMS = 600 };
#endif

enum { SAMPLES = RACE_RUN, LAUNCHES = RACE_LAUNCHES, DATA = 6 };

static struct tally {
    uint64_t programs, redundant, wide, kept;
} tally;

/* How every two instructions race under one launch, over some samples and inputs; NULL when it could not be run. */
static uint8_t *pairs_of(struct race_trial *t, uint32_t launch) {
    uint32_t n = t->fn->ins.n;
    uint8_t *pairs = cw_arena_alloc(&t->arena, (size_t)n * n);
    memset(pairs, 0, (size_t)n * n);
    for (uint32_t k = 0; k < DATA; k++) {
        struct race_reference r;
        struct race_run what = {.fn = t->fn,
                                .lanes = race_trial_lanes(t, launch, t->p->uses_param ? k % SAMPLES : 0),
                                .data = k,
                                .reversed = k & 1,
                                .extra = UINT32_MAX};
        bool ran = race_reference_run(&r, &what);
        for (uint32_t a = 0; ran && a < n; a++)
            for (uint32_t b = a; b < n && r.number[a]; b++)
                if (r.number[b])
                    pairs[(size_t)a * n + b] |= race_reference_pair(&r, a, b) & (RACE_IN_WARP | RACE_ACROSS);
        race_reference_free(&r);
        if (!ran)
            return NULL;
    }
    return pairs;
}

static void take_out(struct cw_fn *fn, uint32_t ins) {
    struct cw_vec_u32 *list = &fn->blocks.at[fn->ins.at[ins].block].ins;
    uint32_t to = 0;
    for (uint32_t k = 0; k < list->n; k++)
        if (list->at[k] != ins)
            list->at[to++] = list->at[k];
    list->n = to;
    fn->ins.at[ins].op = CW_OP_HOLE;
}

static void make_narrow(struct cw_fn *fn, uint32_t ins) {
    struct cw_ins *i = &fn->ins.at[ins];
    i->op = CW_OP_SYNCWARP;
    i->aux = 0;
    i->narg = 1;
    i->flags |= CW_INS_DEFAULT_MASK;
    fn->args.at[i->arg] = cw_fn_const(fn, CW_I32, -1);
}

static void change(struct race_trial *t, const struct cw_spare_barriers *spare) {
    for (uint32_t k = 0; k < spare->at.n; k++) {
        if (spare->at.at[k].orders_warps)
            make_narrow(t->fn, spare->at.at[k].ins);
        else
            take_out(t->fn, spare->at.at[k].ins);
        tally.wide += spare->at.at[k].orders_warps;
        tally.redundant += !spare->at.at[k].orders_warps;
    }
    t->fn->cfg = cw_cfg_build(t->fn);
    t->uniformity = cw_uniformity(t->fn, cw_shape_facts_of(&t->launches), &t->arena);
    memset(t->lanes, 0, sizeof t->lanes);
}

static void show(const struct race_trial *t, uint64_t seed, uint32_t a, uint32_t b) {
    struct cw_buf words = {0};
    race_program_print(t->p, &words);
    cw_fn_print(t->fn, &words);
    printf("seed %llu: %%%u and %%%u race once the spare barriers are gone\n%s\n", (unsigned long long)seed, a, b,
           words.at);
    cw_buf_free(&words);
}

static uint32_t barriers_in(const struct cw_fn *fn) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < fn->ins.n; k++)
        n += fn->ins.at[k].op == CW_OP_BARRIER;
    return n;
}

static void check_seed(uint64_t seed) {
    struct race_program p;
    struct race_trial t;
    uint8_t *before[LAUNCHES];
    race_program_make(&p, seed);
    race_trial_begin(&t, &p);
    struct cw_kernel_query q = race_trial_query(&t);
    struct cw_spare_barriers spare = cw_spare_barriers_of(&q);
    bool runs = spare.at.n > 0;
    tally.programs++;
    tally.kept += barriers_in(t.fn) - spare.at.n;
    for (uint32_t k = 0; k < t.launches.n && runs; k++)
        runs = (before[k] = pairs_of(&t, k)) != NULL;
    if (runs)
        change(&t, &spare);
    uint32_t n = t.fn->ins.n;
    for (uint32_t k = 0; k < t.launches.n && runs; k++) {
        const uint8_t *after = pairs_of(&t, k);
        CHECK(after != NULL);
        for (uint32_t at = 0; after != NULL && at < n * n; at++)
            if (after[at] & ~before[k][at]) {
                show(&t, seed, at / n, at % n);
                CHECK(false);
                runs = false;
                break;
            }
    }
    cw_arena_free(&t.arena);
}

int main(int argc, char **argv) {
    uint64_t from = argc > 2 ? strtoull(argv[1], NULL, 10) : 1, to = argc > 2 ? strtoull(argv[2], NULL, 10) : PROGRAMS;
    for (uint64_t seed = from; seed <= to; seed++)
        check_seed(seed);
    printf("%llu programs: %llu redundant barriers, %llu too wide, %llu kept\n", (unsigned long long)tally.programs,
           (unsigned long long)tally.redundant, (unsigned long long)tally.wide, (unsigned long long)tally.kept);
    if (argc == 1) /* both answers, and silence, come often enough to mean something */
        CHECK(tally.redundant > PROGRAMS / 60 && tally.wide > PROGRAMS / 400 && tally.kept > PROGRAMS / 4);
    return check_report();
}
