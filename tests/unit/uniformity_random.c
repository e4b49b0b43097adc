/* Random structured kernels, run thread by thread, against uniformity: what is called uniform must be equal in all
 * threads that compute it in the same iterations, and where control is called uniform all threads must come, or none.
 *
 * With a number as argument, that seed alone, with words. */
#include "check.h"
#include "support/lane_kernels.h"

#include "base/hash.h"
#include "base/str.h"

enum { KERNELS = 2500, BUDGET = 4000, THREADS = 64 };

/* One value or block in one iteration: what the threads of a scope found. */
struct seen {
    uint32_t index; /* instruction, or block */
    bool is_block;
    const struct cw_context *context;
    uint64_t threads; /* who came */
    int64_t value[THREADS];
};

struct audit {
    struct cw_arena *arena;
    const struct cw_uniformity *u;
    struct cw_map at; /* hash -> struct seen * */
    CW_VEC(struct seen *) all;
    CW_VEC(struct seen *) path[THREADS]; /* blocks in the order in which a thread came */
    uint32_t wrong;
};

static uint64_t claims_of_values[5], claims_of_control[5], claims_of_exits;
static bool verbose;

static struct seen *seen_at(struct audit *a, uint32_t index, bool is_block, const struct cw_context *c) {
    uint64_t key[3] = {index, is_block, (uint64_t)(uintptr_t)c}, hash = cw_hash(key, sizeof key, 0), found;
    if (cw_map_get(&a->at, hash, &found))
        return (struct seen *)(uintptr_t)found;
    struct seen *s = CW_NEW(a->arena, struct seen);
    s->index = index;
    s->is_block = is_block;
    s->context = c;
    cw_map_put(&a->at, hash, (uint64_t)(uintptr_t)s);
    cw_vec_push(a->arena, &a->all, s);
    return s;
}

static void enter(struct run *r, uint32_t block, const struct cw_context *c) {
    struct audit *a = r->self;
    struct seen *s = seen_at(a, block, true, c);
    s->threads |= UINT64_C(1) << r->thread;
    cw_vec_push(a->arena, &a->path[r->thread], s);
}

static void computed(struct run *r, uint32_t ins, const struct cw_context *c) {
    if (r->fn->ins.at[ins].type == CW_VOID)
        return;
    struct seen *s = seen_at(r->self, ins, false, c);
    s->threads |= UINT64_C(1) << r->thread;
    s->value[r->thread] = r->value[ins];
}

static void judge(struct audit *a, bool fine, const char *what, const struct seen *s, uint32_t t, uint32_t u) {
    if (fine)
        return;
    a->wrong++;
    if (!verbose || a->wrong > 10)
        return;
    fprintf(stderr, "%s: %s%u, threads %u and %u", what, s->is_block ? "b" : "%", s->index, t, u);
    for (const struct cw_context *c = s->context; c; c = c->outer)
        fprintf(stderr, ", iteration %u of loop %u", c->iteration, c->loop);
    fprintf(stderr, "\n");
}

static bool came(const struct seen *s, uint32_t t) {
    return s->threads >> t & 1;
}

static void audit_value(struct audit *a, const struct seen *s) {
    enum cw_uni level = (enum cw_uni)a->u->ins[s->index];
    uint32_t scope = level == CW_UNI_WARP ? 32 : THREADS;
    claims_of_values[level]++;
    for (uint32_t first = 0; level != CW_UNI_DIVERGENT && first < THREADS; first += scope) {
        uint32_t t = first;
        while (t < first + scope && !came(s, t))
            t++;
        for (uint32_t u = t + 1; u < first + scope; u++)
            judge(a, !came(s, u) || s->value[u] == s->value[t], "unequal value", s, t, u);
    }
}

static void audit_control(struct audit *a, const struct seen *s) {
    enum cw_uni level = (enum cw_uni)a->u->control[s->index];
    uint32_t scope = level == CW_UNI_WARP ? 32 : THREADS;
    claims_of_control[level]++;
    for (uint32_t t = 0; level != CW_UNI_DIVERGENT && t < THREADS; t++)
        judge(a, came(s, t) == came(s, t / scope * scope), "not all come", s, t, t / scope * scope);
}

static bool has_sync(const struct cw_fn *fn, uint32_t block) {
    for (uint32_t k = 0; k < fn->blocks.at[block].ins.n; k++)
        if (fn->ins.at[fn->blocks.at[block].ins.at[k]].op == CW_OP_SYNCWARP)
            return true;
    return false;
}

/* Does anything from this block on wait for other threads? */
static bool is_over(const struct cw_fn *fn, uint32_t block) {
    bool sync = has_sync(fn, block);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        sync |= has_sync(fn, b) && cw_cfg_reaches(fn, block, b);
    return !sync;
}

/* Who is missing from s, although living threads agree there, must have left for good: it meets none of those who came
 * in any block of theirs from s on, unless nothing is left to do there. */
static void audit_exit(struct audit *a, const struct seen *s, uint32_t t, uint32_t u) {
    bool after = false;
    claims_of_exits++;
    for (uint32_t k = 0; k < a->path[t].n; k++) {
        after |= a->path[t].at[k] == s;
        judge(a, !after || !came(a->path[t].at[k], u) || is_over(a->u->fn, a->path[t].at[k]->index),
              "missing, and not gone", s, t, u);
    }
}

static void audit_exits(struct audit *a, const struct seen *s) {
    enum cw_uni level = (enum cw_uni)a->u->control_live[s->index];
    uint32_t scope = level == CW_UNI_WARP ? 32 : THREADS;
    if (level == CW_UNI_DIVERGENT || level == (enum cw_uni)a->u->control[s->index])
        return;
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t u = t / scope * scope; came(s, t) && u < t / scope * scope + scope; u++)
            if (!came(s, u))
                audit_exit(a, s, t, u);
}

static struct cw_launch launch_of(uint64_t seed) {
    static const uint32_t shapes[4][2] = {{64, 1}, {32, 2}, {16, 4}, {8, 8}};
    struct cw_launch l = {.grid = {4, 1, 1}, .source = CW_LAUNCH_HYPOTHESIS};
    l.block[0] = shapes[seed % 4][0];
    l.block[1] = shapes[seed % 4][1];
    l.block[2] = 1;
    return l;
}

static uint32_t run_kernel(uint64_t seed) {
    struct cw_arena a;
    struct cw_module m;
    struct cw_vec_u32 markers;
    cw_arena_init(&a);
    cw_module_init(&m, &a);
    struct cw_fn *fn = random_kernel(&m, seed, &markers);
    struct cw_launch launch = launch_of(seed);
    struct cw_shape_facts facts = cw_shape_facts_of(&(struct cw_launches){.at = &launch, .n = 1, .from_facts = true});
    struct audit audit = {.arena = &a, .u = cw_uniformity(fn, facts, &a)};
    cw_map_init(&audit.at, &a);
    struct run r = {.fn = fn, .lanes = cw_lanes_new(fn, audit.u, &launch, (uint32_t)(seed % 3), BUDGET, &a),
                    .data = seed, .value = CW_NEW_ARRAY(&a, int64_t, fn->ins.n), .enter = enter,
                    .computed = computed, .self = &audit};
    if (verbose) {
        struct cw_buf out = {0};
        cw_fn_print(fn, &out);
        cw_uniformity_print(audit.u, &out);
        fprintf(stderr, "%s", out.at);
        cw_buf_free(&out);
    }
    for (r.thread = 0; r.thread < THREADS; r.thread++)
        run_thread(&r);
    for (uint32_t k = 0; k < audit.all.n; k++) {
        (audit.all.at[k]->is_block ? audit_control : audit_value)(&audit, audit.all.at[k]);
        if (audit.all.at[k]->is_block)
            audit_exits(&audit, audit.all.at[k]);
    }
    cw_arena_free(&a);
    return audit.wrong;
}

int main(int argc, char **argv) {
    verbose = argc > 1;
    if (verbose)
        return run_kernel(strtoull(argv[1], NULL, 10)) != 0;
    for (uint64_t seed = 1; seed <= KERNELS; seed++) {
        uint32_t wrong = run_kernel(seed);
        if (wrong && check_failures < 5)
            fprintf(stderr, "seed %llu: %u wrong\n", (unsigned long long)seed, wrong);
        CHECK_INT(wrong, 0);
    }
    /* A test of an analysis that calls everything divergent, or nothing, would prove little. */
    for (enum cw_uni u = CW_UNI_CONST; u <= CW_UNI_DIVERGENT; u++) {
        CHECK(claims_of_values[u] > 500);
        CHECK(u == CW_UNI_CONST || claims_of_control[u] > 500);
    }
    CHECK(claims_of_exits > 500);
    return check_report();
}
