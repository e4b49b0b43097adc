/* Random structured kernels, run thread by thread, against the lane evaluator: it must never say that a thread comes
 * where it does not, or the reverse; numbers must be the thread's numbers, and equal tokens equal values. */
#include "check.h"
#include "support/lane_kernels.h"

#include "base/hash.h"
#include "base/str.h"

enum { KERNELS = 2400, BUDGET = 60000 };

struct visit {
    uint32_t block;
    const struct cw_context *context;
};

struct audit {
    struct cw_arena *arena;
    struct cw_lanes *lanes;
    struct cw_map executed, known_visits, tokens;
    struct cw_map entered; /* blocks that some thread executes */
    CW_VEC(struct visit) visits;
    uint32_t wrong;
};

/* How often the evaluator committed itself: a test that only ever hears "unknown" proves nothing. */
static uint64_t reach_count[4], known_count[4], left_loop, deserted;

static bool verbose; /* a seed was given: say what is wrong, and where */

static void judge(struct audit *a, bool fine, const char *what, uint32_t where, const struct cw_context *c,
                  uint32_t t) {
    if (fine)
        return;
    if (verbose && a->wrong < 12) {
        fprintf(stderr, "%s: %u, thread %u, iterations", what, where, t);
        for (; c; c = c->outer)
            fprintf(stderr, " %u of loop %u", c->iteration, c->loop);
        fprintf(stderr, "\n");
    }
    a->wrong++;
}

static uint64_t mixed(uint64_t a, uint64_t b) {
    uint64_t pair[2] = {a, b};
    return cw_hash(pair, sizeof pair, 0);
}

static uint64_t visit_key(uint32_t block, const struct cw_context *c) {
    return mixed((uint64_t)(uintptr_t)c, block);
}

static void add_visit(struct audit *a, uint32_t block, const struct cw_context *c) {
    if (cw_map_get(&a->known_visits, visit_key(block, c), NULL))
        return;
    cw_map_put(&a->known_visits, visit_key(block, c), 1);
    cw_vec_push(a->arena, &a->visits, ((struct visit){block, c}));
}

static void enter(struct run *r, uint32_t block, const struct cw_context *c) {
    struct audit *a = r->self;
    add_visit(a, block, c);
    cw_map_put(&a->executed, mixed(visit_key(block, c), r->thread), 1);
    cw_map_put(&a->entered, block, 1);
    judge(a, cw_lanes_reach(a->lanes, block, c)[r->thread] != CW_REACH_NO, "said not to reach", block, c, r->thread);
}

/* The evaluator's view of `ref` where the thread now holds `value`. */
static void compare(struct run *r, cw_ref ref, const struct cw_context *c) {
    struct audit *a = r->self;
    int64_t value = run_value(r, ref);
    const struct cw_lane_values *v = cw_lanes_eval(a->lanes, ref, c);
    uint64_t seen, key;
    if (cw_ref_type(r->fn, ref) == CW_PTR)
        return;
    known_count[v->known[r->thread]]++;
    if (v->known[r->thread] <= CW_SAMPLED) {
        judge(a, v->value[r->thread] == value, "number of value", ref.index, c, r->thread);
        return;
    }
    key = mixed((uint64_t)v->value[r->thread], cw_ref_type(r->fn, ref));
    if (cw_map_get(&a->tokens, key, &seen))
        judge(a, seen == (uint64_t)value, "equal tokens, not values", ref.index, c, r->thread);
    else
        cw_map_put(&a->tokens, key, (uint64_t)value);
}

static void computed(struct run *r, uint32_t ins, const struct cw_context *c) {
    const struct cw_ins *i = &r->fn->ins.at[ins];
    if (i->type != CW_VOID)
        compare(r, cw_ref_ins(ins), c);
    for (uint32_t k = 0; k < i->narg && i->op != CW_OP_PHI; k++)
        compare(r, cw_arg(r->fn, i, k), c);
}

/* Nobody is said to come surely where it was not seen; also one iteration past the last. */
static void check_absent(struct audit *a) {
    for (uint32_t k = 0, n = a->visits.n; k < n; k++) {
        struct visit v = a->visits.at[k];
        if (v.context)
            add_visit(a, v.block,
                      cw_lanes_context(a->lanes, v.context->outer, v.context->loop, v.context->iteration + 1));
    }
    for (uint32_t k = 0; k < a->visits.n; k++) {
        struct visit v = a->visits.at[k];
        left_loop += v.context && v.context->iteration > 2;
        const uint8_t *reach = cw_lanes_reach(a->lanes, v.block, v.context);
        for (uint32_t t = 0; t < cw_lanes_count(a->lanes); t++) {
            reach_count[reach[t]]++;
            judge(a,
                  reach[t] != CW_REACH_YES || cw_map_get(&a->executed, mixed(visit_key(v.block, v.context), t), NULL),
                  "said to reach", v.block, v.context, t);
        }
    }
}

/* A block that nobody executes in any iteration, as it is said, is executed by nobody. */
static void check_deserted(struct audit *a, const struct cw_fn *fn) {
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        bool is_deserted = cw_lanes_somebody_reaches(a->lanes, b) == CW_REACH_NO;
        deserted += is_deserted;
        judge(a, !is_deserted || !cw_map_get(&a->entered, b, NULL), "said to be reached by nobody", b, NULL, 0);
    }
}

/* Trips are those of a thread that enters the loop. */
static bool may_stay_out(struct audit *a, struct cw_fn *fn, const struct cw_context *c, uint32_t t) {
    return cw_lanes_reach(a->lanes, fn->cfg->loops.at[c->loop].header, c)[t] != CW_REACH_YES;
}

static void check_trips(struct audit *a, struct cw_fn *fn) {
    for (uint32_t k = 0; k < a->visits.n; k++) {
        const struct cw_context *c = a->visits.at[k].context;
        if (!c || a->visits.at[k].block != fn->cfg->loops.at[c->loop].header || c->iteration != 0)
            continue;
        const int32_t *trips = cw_lanes_trips(a->lanes, c->loop, c->outer);
        for (uint32_t t = 0; t < cw_lanes_count(a->lanes); t++) {
            int32_t n = 0;
            while (cw_map_get(
                &a->executed,
                mixed(visit_key(a->visits.at[k].block, cw_lanes_context(a->lanes, c->outer, c->loop, (uint32_t)n)), t),
                NULL))
                n++;
            bool stays_out = n == 0 && may_stay_out(a, fn, c, t);
            judge(a, trips[t] < 0 || trips[t] == n || stays_out, "trips of loop", c->loop, c, t);
        }
    }
}

static uint32_t check_data(struct cw_arena *arena, struct cw_fn *fn, struct cw_lanes *lanes, uint64_t data) {
    struct audit a = {.arena = arena, .lanes = lanes};
    cw_map_init(&a.executed, arena);
    cw_map_init(&a.known_visits, arena);
    cw_map_init(&a.tokens, arena);
    cw_map_init(&a.entered, arena);
    struct run r = {.fn = fn, .lanes = lanes, .data = data, .enter = enter, .computed = computed, .self = &a};
    run_threads(&r, arena);
    check_trips(&a, fn);
    check_absent(&a);
    check_deserted(&a, fn);
    return a.wrong;
}

static void check_kernel(uint64_t seed) {
    struct cw_arena arena;
    struct cw_module m;
    struct cw_vec_u32 markers;
    cw_arena_init(&arena);
    cw_module_init(&m, &arena);
    struct cw_fn *fn = random_kernel(&m, seed, &markers);
    struct cw_launch launch = small_launch(seed);
    if (verbose) {
        struct cw_buf text = {0};
        cw_fn_print(fn, &text);
        fputs(text.at, stderr);
        cw_buf_free(&text);
    }
    struct cw_lanes *lanes = cw_lanes_new(fn, NULL, &launch, (uint32_t)(seed % 4), BUDGET, &arena);
    uint32_t wrong = check_data(&arena, fn, lanes, seed) + check_data(&arena, fn, lanes, ~seed);
    if (wrong)
        fprintf(stderr, "seed %llu: %u\n", (unsigned long long)seed, wrong);
    CHECK_INT(wrong, 0);
    cw_arena_free(&arena);
}

int main(int argc, char **argv) {
    verbose = argc > 1;
    if (argc > 1)
        check_kernel(strtoull(argv[1], NULL, 10));
    for (uint64_t seed = 1; argc == 1 && seed <= KERNELS; seed++)
        check_kernel(seed);
    printf("reach: %llu no, %llu yes, %llu input, %llu unknown; values: %llu exact, %llu sampled, %llu input, %llu "
           "unknown; "
           "%llu late iterations, %llu blocks that nobody executes\n",
           (unsigned long long)reach_count[0], (unsigned long long)reach_count[1], (unsigned long long)reach_count[2],
           (unsigned long long)reach_count[3], (unsigned long long)known_count[0], (unsigned long long)known_count[1],
           (unsigned long long)known_count[2], (unsigned long long)known_count[3], (unsigned long long)left_loop,
           (unsigned long long)deserted);
    CHECK(argc > 1 || reach_count[0] + reach_count[1] > 2 * (reach_count[2] + reach_count[3]));
    CHECK(argc > 1 || deserted > KERNELS / 4);
    CHECK(argc > 1 || known_count[0] + known_count[1] > 4 * (known_count[2] + known_count[3]));
    return check_report();
}
