/* Random structured kernels, run thread by thread, against participation: wherever some lane of a warp comes to a
 * __syncwarp(), no lane may be called present that is absent, or absent that is present, and one said to have exited
 * must never come again. */
#include "check.h"
#include "support/lane_kernels.h"

#include "base/hash.h"
#include "lanes/participation.h"

enum { KERNELS = 1500, BUDGET = 60000 };

struct audit {
    struct cw_arena *arena;
    struct cw_lanes *lanes;
    const struct cw_vec_u32 *markers;
    struct cw_map executed, seen;
    CW_VEC(const struct cw_context *) contexts; /* in which a marker was met, with… */
    CW_VEC(uint32_t) met;                       /* … the marker */
    uint32_t wrong;
};

static uint64_t presence_count[6];

static uint64_t key_of(uint32_t ins, const struct cw_context *c, uint64_t thread) {
    uint64_t parts[3] = {ins, (uint64_t)(uintptr_t)c, thread};
    return cw_hash(parts, sizeof parts, 0);
}

static void enter(struct run *r, uint32_t block, const struct cw_context *c) {
    (void)r;
    (void)block;
    (void)c;
}

static void computed(struct run *r, uint32_t ins, const struct cw_context *c) {
    struct audit *a = r->self;
    if (r->fn->ins.at[ins].op != CW_OP_SYNCWARP)
        return;
    cw_map_put(&a->executed, key_of(ins, c, r->thread), 1);
    if (cw_map_get(&a->seen, key_of(ins, c, UINT64_MAX), NULL))
        return;
    cw_map_put(&a->seen, key_of(ins, c, UINT64_MAX), 1);
    cw_vec_push(a->arena, &a->contexts, c);
    cw_vec_push(a->arena, &a->met, ins);
}

static bool came(const struct audit *a, uint32_t ins, const struct cw_context *c, uint32_t t) {
    return cw_map_get(&a->executed, key_of(ins, c, t), NULL);
}

/* Is iteration `a` of a loop nest after `b`? The outermost loop decides first. */
static int order_of(const struct cw_context *a, const struct cw_context *b) {
    if (!a || !b)
        return 0;
    int outer = order_of(a->outer, b->outer);
    return outer ? outer : (a->iteration > b->iteration) - (a->iteration < b->iteration);
}

static bool comes_later(const struct audit *a, uint32_t ins, const struct cw_context *c, uint32_t t) {
    for (uint32_t k = 0; k < a->contexts.n; k++)
        if (a->met.at[k] == ins && order_of(a->contexts.at[k], c) >= 0 && came(a, ins, a->contexts.at[k], t))
            return true;
    return false;
}

static bool is_right(const struct audit *a, uint32_t ins, const struct cw_context *c, uint32_t t, uint8_t presence) {
    bool here = came(a, ins, c, t);
    switch (presence) {
    case CW_ARRIVES: return here;
    case CW_EXITED: return !here && !comes_later(a, ins, c, t);
    case CW_ELSEWHERE: return !here;
    case CW_DATA_EXIT: return here || !comes_later(a, ins, c, t);
    default: return true;
    }
}

static void check_marker(struct audit *a, uint32_t ins, const struct cw_context *c) {
    const struct cw_participation *p = cw_participation(a->lanes, ins, c, a->arena);
    uint32_t n = cw_lanes_count(a->lanes);
    for (uint32_t w = 0; w < n; w += 32) {
        uint32_t end = w + 32 < n ? w + 32 : n, somebody = 0;
        for (uint32_t t = w; t < end; t++)
            somebody += came(a, ins, c, t);
        for (uint32_t t = w; t < end && somebody; t++) {
            presence_count[p->presence[t]]++;
            a->wrong += !is_right(a, ins, c, t, p->presence[t]);
        }
    }
}

static uint32_t check_data(struct cw_arena *arena, struct cw_fn *fn, struct cw_lanes *lanes, uint64_t data) {
    struct audit a = {.arena = arena, .lanes = lanes};
    cw_map_init(&a.executed, arena);
    cw_map_init(&a.seen, arena);
    struct run r = {.fn = fn, .lanes = lanes, .data = data, .enter = enter, .computed = computed, .self = &a};
    run_threads(&r, arena);
    for (uint32_t k = 0; k < a.met.n; k++)
        check_marker(&a, a.met.at[k], a.contexts.at[k]);
    return a.wrong;
}

static void check_kernel(uint64_t seed) {
    struct cw_arena arena;
    struct cw_module m;
    struct cw_vec_u32 markers;
    cw_arena_init(&arena);
    cw_module_init(&m, &arena);
    struct cw_fn *fn = random_kernel(&m, seed + 100000, &markers);
    struct cw_launch launch = small_launch(seed);
    struct cw_lanes *lanes = cw_lanes_new(fn, NULL, &launch, (uint32_t)(seed % 4), BUDGET, &arena);
    uint32_t wrong = check_data(&arena, fn, lanes, seed) + check_data(&arena, fn, lanes, ~seed);
    if (wrong)
        fprintf(stderr, "seed %llu: %u\n", (unsigned long long)seed, wrong);
    CHECK_INT(wrong, 0);
    cw_arena_free(&arena);
}

int main(int argc, char **argv) {
    has_measured_loops = true;
    if (argc > 1)
        check_kernel(strtoull(argv[1], NULL, 10));
    for (uint64_t seed = 1; argc == 1 && seed <= KERNELS; seed++)
        check_kernel(seed);
    printf("%llu arrive, %llu exited, %llu elsewhere, %llu data, %llu data-exit, %llu unsure\n",
           (unsigned long long)presence_count[CW_ARRIVES], (unsigned long long)presence_count[CW_EXITED],
           (unsigned long long)presence_count[CW_ELSEWHERE], (unsigned long long)presence_count[CW_DATA],
           (unsigned long long)presence_count[CW_DATA_EXIT], (unsigned long long)presence_count[CW_UNSURE]);
    for (int what = 0; argc == 1 && what < CW_UNSURE; what++)
        CHECK(presence_count[what] > 100); /* every answer is given, so every answer is tested */
    return check_report();
}
