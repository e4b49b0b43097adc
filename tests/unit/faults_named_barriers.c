/* Arrivals at named barriers, on textual IR with concrete launches. Expectations are reasoned from the CUDA code in
 * each title. */
#include "check.h"

#include "faults/named_barriers.h"

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

/* The faults of the only function of `text` for a block of `threads`. */
static struct cw_named_faults faults_of(const char *text, uint32_t threads, bool fact, struct cw_arena *a) {
    const char *error = NULL;
    struct cw_module *m = cw_module_parse(a, text, strlen(text), &error);
    if (m == NULL)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && m->fns.n == 1);
    struct cw_launch launch = {.block = {threads, 1, 1}, .grid = {4, 1, 1},
                               .source = fact ? CW_LAUNCH_SITE : CW_LAUNCH_HYPOTHESIS};
    struct cw_launches launches = {.at = &launch, .n = 1, .from_facts = fact};
    struct cw_fn *fn = m->fns.at[0];
    cw_cfg_build(fn);
    struct owner owner = {fn, cw_uniformity(fn, cw_shape_facts_of(&launches), a), &launches, a};
    struct cw_kernel_query q = {fn, owner.u, &launches, lanes_of, &owner, a, NULL};
    return cw_named_faults_of(&q);
}

static void starved(const char *text, uint32_t threads, int64_t number, int64_t count, uint32_t come) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_named_faults f = faults_of(text, threads, true, &a);
    CHECK_INT(f.at.n, 1);
    if (f.at.n == 1) {
        CHECK_INT(f.at.at[0].kind, CW_NAMED_STARVED);
        CHECK_INT(f.at.at[0].number, number);
        CHECK_INT(f.at.at[0].count, count);
        CHECK_INT(f.at.at[0].come, come);
        CHECK_INT(f.at.at[0].launch, 0);
    }
    cw_arena_free(&a);
}

static void fine(const char *text, uint32_t threads, bool fact) {
    struct cw_arena a;
    cw_arena_init(&a);
    CHECK_INT(faults_of(text, threads, fact, &a).at.n, 0);
    cw_arena_free(&a);
}

/* if (threadIdx.x < 40) bar.sync 1, COUNT */
#define GUARDED(count)                                                                                                 \
    "kernel @k() {\nb0:\n  %c = slt i32 tid.x, 40\n  branch %c, b1, b2 !if\n"                                          \
    "b1:\n  barrier.sync 1, " #count ", undef\n  goto b2\nb2:\n  return\n}\n"

static void one_call(void) {
    fine(GUARDED(64), 128, true); /* a warp counts whole */
    starved(GUARDED(96), 128, 1, 96, 64);
    fine(GUARDED(96), 128, false); /* a guessed block proves nothing */
    starved(GUARDED(64), 32, 1, 64, 32);
    fine(GUARDED(48), 128, true); /* no whole warps: told by the count alone */
}

/* The first warp does OP in a loop, the others wait once. */
#define LOOPED(op, count)                                                                                              \
    "kernel @k(i32 %n) {\nb0:\n  %c = slt i32 tid.x, 32\n  branch %c, b1, b4 !if\n"                                    \
    "b1:\n  %i = phi i32 b0: 0, b2: %next\n  %d = slt i32 %i, %n\n  branch %d, b2, b3 !for\n"                          \
    "b2:\n  barrier." op " 2, " count ", undef\n  %next = add i32 %i, 1\n  goto b1\nb3:\n  return\n"                   \
    "b4:\n  barrier.sync 2, " count ", undef\n  goto b3\n}\n"

static void loops(void) {
    starved(LOOPED("sync", "128"), 96, 2, 128, 96); /* a warp that waits is there once, however often it comes */
    fine(LOOPED("arrive", "128"), 96, true);        /* the first warp's arrivals may fill it */
    fine(LOOPED("sync", "96"), 96, true);
}

/* if (threadIdx.x < 32) bar.arrive 3, 64; else bar.sync 3, COUNT */
#define ARMS(count)                                                                                                    \
    "kernel @k() {\nb0:\n  %c = slt i32 tid.x, 32\n  branch %c, b1, b2 !if\n"                                          \
    "b1:\n  barrier.arrive 3, 64, undef\n  goto b3\nb2:\n  barrier.sync 3, " #count                                    \
    ", undef\n  goto b3\nb3:\n  return\n}\n"

static void arms(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    fine(ARMS(64), 64, true);
    struct cw_named_faults f = faults_of(ARMS(96), 64, true, &a);
    CHECK_INT(f.at.n, 1);
    if (f.at.n == 1) {
        CHECK_INT(f.at.at[0].kind, CW_NAMED_COUNTS);
        CHECK_INT(f.at.at[0].count, 96);
        CHECK_INT(f.at.at[0].other_count, 64);
    }
    cw_arena_free(&a);
}

/* What is not seen may arrive: an unknown call, a parameter as number, arrivals that an argument decides. */
static void unknowns(void) {
    fine("kernel @k() {\nb0:\n  %u = opcall.unknown_call i32\n  barrier.sync 1, 96, undef\n  return\n}\n", 64, true);
    fine("kernel @k(i32 %id) {\nb0:\n  barrier.sync %id, 96, undef\n  return\n}\n", 64, true);
    fine("kernel @k(i32 %n) {\nb0:\n  %c = slt i32 tid.x, 32\n  branch %c, b1, b3 !if\n"
         "b1:\n  barrier.sync 1, 64, undef\n  return\n"
         "b3:\n  %d = sgt i32 %n, 0\n  branch %d, b4, b5 !if\nb4:\n  barrier.arrive 1, 64, undef\n  goto b5\nb5:\n  "
         "return\n}\n",
         64, true);
}

int main(void) {
    one_call();
    loops();
    arms();
    unknowns();
    return check_report();
}
