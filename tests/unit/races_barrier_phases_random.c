/* Random programs of warps that arrive and wait at barriers, against all their schedules: a mix of phases is told
 * exactly when some arrival counts for one phase in one schedule and for another in another one, or when a warp arrives
 * twice in one phase of a barrier by number.
 *
 *     test_races_barrier_phases_random             the usual seeds
 *     test_races_barrier_phases_random FROM TO     others; a failing program is printed */
#include "check.h"

#include "base/str.h"
#include "ir/ir.h"
#include "races/barrier_phases.h"

#include <stdlib.h>

#ifdef __OPTIMIZE__
enum { PROGRAMS = 10000 };
#else
enum { PROGRAMS = 1000 };
#endif

/* Barriers 0 and 1 stand for numbers 1 and 2, barriers 2 and 3 are in memory. */
enum { MAX_WARPS = 4, MAX_OPS = 4, NUMBERED = 2, BARRIERS = 4, MAX_STATES = 60000, NOT_YET = 255 };

struct op {
    bool waits, is_whole; /* whole: __syncthreads() */
    uint32_t barrier;
};

struct program {
    uint64_t random;
    uint32_t nwarps, n[MAX_WARPS], count[BARRIERS];
    struct op op[MAX_WARPS][MAX_OPS];
    struct cw_buf text;
    uint32_t nblocks, nvalues;
};

static struct tally {
    uint64_t mixes, clean, spent;
} tally;

static uint32_t draw(struct program *p, uint32_t below) {
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->random >> 33) % below;
}

static void make_program(struct program *p, uint64_t seed) {
    *p = (struct program){.random = seed};
    p->nwarps = 2 + draw(p, MAX_WARPS - 1);
    for (uint32_t b = 0; b < BARRIERS; b++)
        p->count[b] = 1 + draw(p, p->nwarps);
    uint32_t used = 1 + draw(p, BARRIERS);
    for (uint32_t w = 0; w < p->nwarps; w++) {
        p->n[w] = draw(p, MAX_OPS + 1);
        for (uint32_t k = 0; k < p->n[w]; k++)
            p->op[w][k] = (struct op){draw(p, 3) > 0, draw(p, 8) == 0, (draw(p, used) + (uint32_t)seed) % BARRIERS};
    }
}

/* ---- the text ---- */

static void put_op(struct program *p, const struct op *op) {
    struct cw_buf *t = &p->text;
    if (op->is_whole) {
        cw_buf_puts(t, "  barrier.sync 0, 0, undef\n");
    } else if (op->barrier < NUMBERED) {
        cw_buf_printf(t, "  barrier.%s %u, %u, undef\n", op->waits ? "sync" : "arrive", 1 + op->barrier,
                      32 * p->count[op->barrier]);
    } else { /* one lane arrives */
        uint32_t in = p->nblocks++, out = p->nblocks++;
        cw_buf_printf(t, "  branch %%leader, b%u, b%u !if\nb%u:\n  %%t%u = mbararrive $m%u\n", in, out, in,
                      p->nvalues++, op->barrier);
        if (op->waits)
            cw_buf_printf(t, "  mbarwait $m%u\n", op->barrier);
        cw_buf_printf(t, "  goto b%u\nb%u:\n", out, out);
    }
}

static void put_text(struct program *p) {
    struct cw_buf *t = &p->text;
    t->n = 0;
    p->nblocks = 4 + 2 * p->nwarps;
    cw_buf_puts(t, "kernel @k() {\n");
    for (uint32_t b = NUMBERED; b < BARRIERS; b++)
        cw_buf_printf(t, "  shared $m%u[8] align=8 elem=8 key=\"m%u\"\n", b, b);
    cw_buf_puts(t, "  shared $s[4] align=4 elem=4 key=\"s\"\n"); /* without accesses nobody asks for an order */
    cw_buf_puts(t, "b0:\n  %first = eq i32 tid.x, 0\n  branch %first, b1, b2 !if\nb1:\n");
    for (uint32_t b = NUMBERED; b < BARRIERS; b++)
        cw_buf_printf(t, "  mbarinit $m%u, %u\n", b, p->count[b]);
    cw_buf_puts(t, "  goto b2\nb2:\n  barrier.sync 0, 0, undef\n  %w = udiv i32 tid.x, 32\n"
                   "  %lane = urem i32 tid.x, 32\n  %leader = eq i32 %lane, 0\n  goto b4\n");
    for (uint32_t w = 0; w < p->nwarps; w++) { /* bN: is it the warp? bN+1: what it does */
        cw_buf_printf(t, "b%u:\n  %%is%u = eq i32 %%w, %u\n  branch %%is%u, b%u, b%u !if\nb%u:\n", 4 + 2 * w, w, w, w,
                      5 + 2 * w, w + 1 < p->nwarps ? 6 + 2 * w : 3, 5 + 2 * w);
        for (uint32_t k = 0; k < p->n[w]; k++)
            put_op(p, &p->op[w][k]);
        cw_buf_puts(t, "  store 1, $s\n  return\n");
    }
    cw_buf_puts(t, "b3:\n  return\n}\n");
}

/* ---- all schedules ---- */

struct state {
    uint8_t next[MAX_WARPS], own[MAX_WARPS]; /* the operation; the phase of its arrival, NOT_YET before it */
    uint8_t phase[BARRIERS], pending[BARRIERS], came[BARRIERS]; /* came: warps in the open phase */
    uint8_t whole, waiting; /* block barriers passed; warps at the next one */
};

struct run {
    const struct program *p;
    uint8_t counted[MAX_WARPS][MAX_OPS]; /* the phase in the first schedule that came there */
    uint32_t states;
    bool mixes, is_spent;
};

static void note_arrival(struct run *run, struct state *s, uint32_t w, uint32_t barrier) {
    uint8_t *counted = &run->counted[w][s->next[w]];
    run->mixes |= *counted != NOT_YET && *counted != s->phase[barrier];
    run->mixes |= barrier < NUMBERED && (s->came[barrier] >> w & 1);
    *counted = s->phase[barrier];
    s->own[w] = s->phase[barrier];
    s->came[barrier] |= (uint8_t)(1u << w);
    if (++s->pending[barrier] == run->p->count[barrier]) {
        s->phase[barrier]++;
        s->pending[barrier] = s->came[barrier] = 0;
    }
}

static bool is_at_end(const struct run *run, const struct state *s, uint32_t w) {
    return s->next[w] == run->p->n[w];
}

static void complete_whole(const struct run *run, struct state *s) {
    for (uint32_t w = 0; w < run->p->nwarps; w++)
        if (!is_at_end(run, s, w) && !(s->waiting >> w & 1))
            return;
    for (uint32_t w = 0; w < run->p->nwarps; w++)
        s->next[w] += s->waiting >> w & 1;
    s->waiting = 0;
}

/* One step of the warp: it arrives, or goes on. False: it waits, or is over. */
static bool step(struct run *run, struct state *s, uint32_t w) {
    if (is_at_end(run, s, w) || (s->waiting >> w & 1))
        return false;
    const struct op *op = &run->p->op[w][s->next[w]];
    if (op->is_whole) {
        s->waiting |= (uint8_t)(1u << w);
    } else if (s->own[w] == NOT_YET) {
        note_arrival(run, s, w, op->barrier);
        if (op->waits)
            return true;
        s->own[w] = NOT_YET;
        s->next[w]++;
    } else if (s->phase[op->barrier] > s->own[w]) {
        s->own[w] = NOT_YET;
        s->next[w]++;
    } else {
        return false;
    }
    if (s->waiting || is_at_end(run, s, w))
        complete_whole(run, s);
    return true;
}

static void explore(struct run *run, const struct state *at) {
    run->is_spent |= ++run->states > MAX_STATES;
    for (uint32_t w = 0; w < run->p->nwarps && !run->mixes && !run->is_spent; w++) {
        struct state s = *at;
        if (step(run, &s, w))
            explore(run, &s);
    }
}

/* ---- the answer ---- */

struct owner {
    struct cw_fn *fn;
    const struct cw_uniformity *u;
    const struct cw_launches *launches;
    struct cw_arena *arena;
};

static struct cw_lanes *lanes_of(void *owner, uint32_t launch, uint32_t sample) {
    struct owner *o = owner;
    return cw_lanes_new(o->fn, o->u, &o->launches->at[launch], sample, 200000, o->arena);
}

static uint32_t count_told(const struct program *p, struct cw_arena *a) {
    const char *error = NULL;
    struct cw_module *m = cw_module_parse(a, p->text.at, p->text.n, &error);
    if (!m)
        fprintf(stderr, "%s\n%s\n", error, p->text.at);
    CHECK(m != NULL);
    struct cw_launch launch = {.block = {32 * p->nwarps, 1, 1}, .grid = {2, 1, 1}, .source = CW_LAUNCH_SITE};
    struct cw_launches launches = {.at = &launch, .n = 1, .from_facts = true};
    struct cw_fn *fn = m->fns.at[0];
    cw_cfg_build(fn);
    struct owner owner = {fn, cw_uniformity(fn, cw_shape_facts_of(&launches), a), &launches, a};
    struct cw_kernel_query q = {fn, owner.u, &launches, lanes_of, &owner, a, NULL};
    struct cw_phase_mixes mixes = cw_phase_mixes_of(&q);
    for (uint32_t k = 0; k < mixes.at.n; k++)
        CHECK(mixes.at.at[k].definite);
    return mixes.at.n;
}

static bool try_program(struct program *p, uint64_t seed) {
    struct cw_arena a;
    cw_arena_init(&a);
    make_program(p, seed);
    put_text(p);
    struct run run = {.p = p};
    struct state begin = {.whole = 0};
    memset(run.counted, NOT_YET, sizeof run.counted);
    memset(begin.own, NOT_YET, sizeof begin.own);
    explore(&run, &begin);
    bool told = count_told(p, &a) > 0;
    bool good = told == run.mixes || (run.is_spent && told);
    tally.mixes += run.mixes;
    tally.clean += !run.mixes && !run.is_spent;
    tally.spent += run.is_spent;
    if (!good)
        fprintf(stderr, "seed %llu: %s, schedules say %s\n%s\n", (unsigned long long)seed, told ? "told" : "silent",
                run.mixes ? "mix" : "none", p->text.at);
    cw_buf_free(&p->text);
    cw_arena_free(&a);
    return good;
}

int main(int argc, char **argv) {
    uint64_t from = argc > 2 ? strtoull(argv[1], NULL, 10) : 1, to = argc > 2 ? strtoull(argv[2], NULL, 10) : PROGRAMS;
    struct program *p = calloc(1, sizeof *p);
    CHECK(p != NULL);
    for (uint64_t seed = from; seed <= to; seed++)
        CHECK(try_program(p, seed));
    free(p);
    fprintf(stderr, "%llu programs with a mix, %llu without, %llu with too many schedules\n",
            (unsigned long long)tally.mixes, (unsigned long long)tally.clean, (unsigned long long)tally.spent);
    return check_report();
}
