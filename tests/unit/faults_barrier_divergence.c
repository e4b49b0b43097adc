/* Split barriers and lost stores, on textual IR with concrete launches. Expectations are reasoned from the CUDA code in
 * each title. */
#include "check.h"

#include "faults/unwritten_by_exited.h"
#include "faults/barrier_divergence.h"
#include "uniformity/reachable_ops.h"

struct owner {
    struct cw_fn *fn;
    const struct cw_uniformity *u;
    const struct cw_launches *launches;
    struct cw_arena *arena;
};

struct world {
    struct cw_arena arena;
    struct owner owner;
    struct cw_launches launches;
    struct cw_splits splits;
};

static struct cw_lanes *lanes_of(void *owner, uint32_t launch, uint32_t sample) {
    struct owner *o = owner;
    return cw_lanes_new(o->fn, o->u, &o->launches->at[launch], sample, 200000, o->arena);
}

/* Analyses the only function of `text` for one-dimensional blocks of these sizes (0 ends the list). */
static void setup(struct world *w, const char *text, bool facts, const uint32_t *sizes) {
    const char *error = NULL;
    *w = (struct world){0};
    cw_arena_init(&w->arena);
    struct cw_module *m = cw_module_parse(&w->arena, text, strlen(text), &error);
    if (m == NULL)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && m->fns.n == 1);
    w->launches.from_facts = facts;
    w->launches.at = CW_NEW_ARRAY(&w->arena, struct cw_launch, 8);
    for (; sizes[w->launches.n] != 0; w->launches.n++)
        w->launches.at[w->launches.n] = (struct cw_launch){.block = {sizes[w->launches.n], 1, 1}, .grid = {4, 1, 1},
            .source = facts ? CW_LAUNCH_SITE : CW_LAUNCH_HYPOTHESIS};
    struct cw_fn *fn = m->fns.at[0];
    cw_cfg_build(fn);
    const struct cw_uniformity *u = cw_uniformity(fn, cw_shape_facts_of(&w->launches), &w->arena);
    w->owner = (struct owner){fn, u, &w->launches, &w->arena};
    struct cw_kernel_query q = {fn, u, &w->launches, lanes_of, &w->owner, &w->arena, NULL};
    w->splits = cw_splits_of(&q);
}

enum kind { BRANCH, LOOP, ARMS };

static void split(const char *text, bool facts, const uint32_t *sizes, uint32_t n, enum kind kind,
                  bool definite, uint32_t also) {
    struct world w;
    int before = check_failures;
    setup(&w, text, facts, sizes);
    CHECK_INT(w.splits.at.n, n);
    if (n == 1 && w.splits.at.n == 1) {
        CHECK_INT(w.splits.at.at[0].is_in_both_arms, kind == ARMS);
        CHECK_INT(w.splits.at.at[0].definite, definite);
        CHECK_INT(w.splits.at.at[0].also.n, also);
        CHECK(w.splits.at.at[0].branch != CW_NO_BLOCK);
        CHECK((w.splits.at.at[0].loop != CW_NO_LOOP) == (kind == LOOP));
    }
    if (check_failures != before)
        fprintf(stderr, "in:\n%s\n", text);
    cw_arena_free(&w.arena);
}

#define SIZES(...) ((const uint32_t[]){__VA_ARGS__, 0})
#define NONE(text, facts, sizes) split(text, facts, sizes, 0, BRANCH, false, 0)

/* if (threadIdx.x < 64) { __syncthreads(); ... __syncthreads(); } */
static const char *const HALF =
    "kernel @k() {\nb0:\n  %c = slt i32 tid.x, 64\n  branch %c, b1, b2 !if\n"
    "b1:\n  barrier.sync 0, 0, undef\n  barrier.sync 0, 0, undef\n  goto b2\nb2:\n  return\n}\n";

/* if (threadIdx.x >= 64) return; __syncthreads(); */
static const char *const EARLY_RETURN =
    "kernel @k() {\nb0:\n  %c = sge i32 tid.x, 64\n  branch %c, b1, b2 !if\n"
    "b1:\n  return\nb2:\n  barrier.sync 0, 0, undef\n  return\n}\n";

static void guards(void) {
    split(HALF, true, SIZES(128), 1, BRANCH, true, 1);
    NONE(HALF, true, SIZES(64));
    split(HALF, true, SIZES(64, 128), 1, BRANCH, true, 1);
    /* without facts: a block of 64 would make the guard redundant, so it is only possible */
    split(HALF, false, SIZES(32, 64, 128), 1, BRANCH, false, 1);
    split(HALF, false, SIZES(32, 96, 128), 1, BRANCH, true, 1);
    NONE(EARLY_RETURN, true, SIZES(128));
}

/* if (in[threadIdx.x] > 0) __syncthreads(); against if (flag) with a parameter */
static void data(void) {
    split("kernel @k(ptr %in) {\nb0:\n  %t = sext i64 tid.x\n  %o = mul i64 %t, 4\n  %p = ptradd %in, %o\n"
          "  %v = load i32 %p\n  %c = sgt i32 %v, 0\n  branch %c, b1, b2 !if\n"
          "b1:\n  barrier.sync 0, 0, undef\n  goto b2\nb2:\n  return\n}\n",
          true, SIZES(32), 1, BRANCH, true, 0);
    NONE("kernel @k(i32 %flag) {\nb0:\n  %c = sgt i32 %flag, 0\n  branch %c, b1, b2 !if\n"
         "b1:\n  barrier.sync 0, 0, undef\n  goto b2\nb2:\n  return\n}\n",
         true, SIZES(128));
}

/* if (__any_sync(~0u, in[threadIdx.x] > 0)) __syncthreads(): one decision per warp */
static void votes(void) {
    const char *text = "kernel @k(ptr %in) {\nb0:\n  %t = sext i64 tid.x\n  %o = mul i64 %t, 4\n  %p = ptradd %in, %o\n"
                       "  %v = load i32 %p\n  %c = sgt i32 %v, 0\n  %any = vote.any i1 0xffffffff, %c\n"
                       "  branch %any, b1, b2 !if\n"
                       "b1:\n  barrier.sync 0, 0, undef\n  goto b2\nb2:\n  return\n}\n";
    NONE(text, true, SIZES(32));
    split(text, true, SIZES(64), 1, BRANCH, true, 0);
}

/* for (i = threadIdx.x; i < 100; i += 64) __syncthreads(); */
static const char *const STRIDED =
    "kernel @k() {\nb0:\n  goto b1\n"
    "b1:\n  %i = phi i32 b0: tid.x, b2: %next\n  %c = slt i32 %i, 100\n  branch %c, b2, b3 !for\n"
    "b2:\n  barrier.sync 0, 0, undef\n  %next = add i32 %i, 64\n  goto b1\nb3:\n  return\n}\n";

static void loops(void) {
    split(STRIDED, true, SIZES(64), 1, LOOP, true, 0);
    NONE(STRIDED, true, SIZES(32)); /* two rounds for all of threads 0 to 31 */
    /* for (r = 0; r < n; r++) { if (threadIdx.x > 5) continue; __syncthreads(); } */
    split("kernel @k(i32 %n) {\nb0:\n  goto b1\n"
          "b1:\n  %r = phi i32 b0: 0, b4: %next\n  %c = slt i32 %r, %n\n  branch %c, b2, b5 !for\n"
          "b2:\n  %s = sgt i32 tid.x, 5\n  branch %s, b6, b3 !if\n"
          "b6:\n  goto b4 !continue\n"
          "b3:\n  barrier.sync 0, 0, undef\n  goto b4\n"
          "b4:\n  %next = add i32 %r, 1\n  goto b1\nb5:\n  return\n}\n",
          true, SIZES(64), 1, LOOP, true, 0);
    /* for (k = 0; k < threadIdx.x; k++) for (j = 0; j < 3; j++) __syncthreads(); */
    split("kernel @k() {\nb0:\n  goto b1\n"
          "b1:\n  %k = phi i32 b0: 0, b5: %kn\n  %c = slt i32 %k, tid.x\n  branch %c, b2, b6 !for\n"
          "b2:\n  goto b3\n"
          "b3:\n  %j = phi i32 b2: 0, b4: %jn\n  %d = slt i32 %j, 3\n  branch %d, b4, b5 !for\n"
          "b4:\n  barrier.sync 0, 0, undef\n  %jn = add i32 %j, 1\n  goto b3\n"
          "b5:\n  %kn = add i32 %k, 1\n  goto b1\nb6:\n  return\n}\n",
          true, SIZES(64), 1, LOOP, true, 0);
}

/* while (unknown()) { if (threadIdx.x == 0) __syncthreads(); }: split if anybody gets there. With an unknown that may
 * differ between threads in front of it, or as the condition itself, nothing is claimed. */
static void unknowns(void) {
    split("kernel @k() {\nb0:\n  goto b1\n"
          "b1:\n  %u = opcall.unknown_call i32\n  %x = barrier.or i32 0, 0, %u\n  %c = ne %x, 0\n  branch %c, b2, b5 "
          "!while\n"
          "b2:\n  %d = eq tid.x, 0\n  branch %d, b3, b4 !if\n"
          "b3:\n  barrier.sync 0, 0, undef\n  goto b4\nb4:\n  goto b1\nb5:\n  return\n}\n",
          true, SIZES(64), 1, BRANCH, true, 0);
    NONE("kernel @k() {\nb0:\n  %u = opcall.unknown_call i32\n  %c = ne %u, 0\n  branch %c, b1, b2 !if\n"
         "b1:\n  barrier.sync 0, 0, undef\n  goto b2\nb2:\n  return\n}\n",
         true, SIZES(64));
}

/* A helper with `if (threadIdx.x >= 9) return; __syncthreads();`, inlined as the kernel's last call and before a store.
 */
static void helper_returns(void) {
    const char *text = "kernel @k(ptr %%out) {\n  site ~1 \"help\" @9:3\nb0:\n  %%c = sge i32 tid.x, 9\n"
                       "  branch %%c, b1, b2 !if @2:7~1\nb1:\n  goto b3 !return @3:5~1\n"
                       "b2:\n  barrier.sync 0, 0, undef @4:3~1\n  goto b3 !return @9:3\nb3:\n%s  return\n}\n";
    char ends[600], goes_on[600];
    snprintf(ends, sizeof ends, text, "");
    snprintf(goes_on, sizeof goes_on, text, "  store 1, %out\n");
    NONE(ends, true, SIZES(64));
    split(goes_on, true, SIZES(64), 1, BRANCH, true, 0);
}

/* Two arms with a barrier each, by thread and by block. */
static void arms(void) {
    split("kernel @k() {\nb0:\n  %c = slt i32 tid.x, 32\n  branch %c, b1, b2 !if\n"
          "b1:\n  barrier.sync 0, 0, undef\n  goto b3\nb2:\n  barrier.sync 0, 0, undef\n  goto b3\nb3:\n  return\n}\n",
          true, SIZES(64), 1, ARMS, true, 0);
    NONE("kernel @k() {\nb0:\n  %c = slt i32 ctaid.x, 1\n  branch %c, b1, b2 !if\n"
         "b1:\n  barrier.sync 0, 0, undef\n  goto b3\nb2:\n  barrier.sync 0, 0, undef\n  goto b3\nb3:\n  return\n}\n",
         true, SIZES(64));
    /* named barriers with counts are none of ours */
    NONE("kernel @k() {\nb0:\n  %c = slt i32 tid.x, 32\n  branch %c, b1, b2 !if\n"
         "b1:\n  barrier.sync 1, 64, undef\n  goto b3\nb2:\n  barrier.arrive 1, 64, undef\n  goto b3\nb3:\n  "
         "return\n}\n",
         true, SIZES(64));
}

/* if (t >= limit) return; s[t] = 1; __syncthreads(); use s[last - t]; */
static bool lost(uint32_t limit, uint32_t last, struct cw_lost *out) {
    char text[900];
    struct world w;
    snprintf(
        text, sizeof text,
        "kernel @k(ptr %%out) {\n  shared $s[512] elem=4\nb0:\n  %%c = sge i32 tid.x, %u\n  branch %%c, b1, b2 !if\n"
        "b1:\n  return\n"
        "b2:\n  %%t = sext i64 tid.x\n  %%o = mul i64 %%t, 4\n  %%p = ptradd $s, %%o\n  store 1, %%p\n"
        "  barrier.sync 0, 0, undef\n  %%m = sub i32 %u, tid.x\n  %%n = sext i64 %%m\n  %%q = mul i64 %%n, 4\n"
        "  %%r = ptradd $s, %%q\n  %%v = load i32 %%r\n  store %%v, %%out\n  return\n}\n",
        limit, last);
    setup(&w, text, true, SIZES(128));
    bool found = false;
    for (uint32_t k = 0; k < w.owner.fn->ins.n; k++)
        if (cw_is_block_barrier(w.owner.fn, k)) {
            struct cw_lanes *l = lanes_of(&w.owner, 0, 0);
            found = cw_lost_find(l, w.owner.fn, cw_participation(l, k, NULL, &w.arena), &w.arena, out);
        }
    cw_arena_free(&w.arena);
    return found;
}

static void lost_stores(void) {
    struct cw_lost l;
    CHECK(lost(100, 127, &l)); /* thread 0 reads s[127]; thread 127 has exited */
    CHECK_INT(l.reader, 0);
    CHECK_INT(l.writer, 127);
    CHECK_INT(l.offset, 127 * 4);
    CHECK(!lost(100, 99, &l));  /* all reads fall on threads that are there */
    CHECK(!lost(128, 127, &l)); /* nobody has exited */
}

int main(void) {
    guards();
    data();
    votes();
    loops();
    unknowns();
    helper_returns();
    arms();
    lost_stores();
    return check_report();
}
