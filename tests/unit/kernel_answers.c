/* The kernel object: answers are computed once, an analysis gets what it needs and no more, reasons for giving up are
 * counted in the kernel. */
#include "check.h"

#include "base/str.h"
#include "kernel/ask/barriers.h"
#include "kernel/ask/values.h"
#include "kernel/dump.h"
#include "kernel/kernel_internal.h"

/* if (threadIdx.x < 40) __syncthreads(); */
static const char text[] = "kernel @k() {\nb0:\n  %c = slt tid.x, 40\n  branch %c, b1, b2 !if\n"
                           "b1:\n  barrier.sync\n  goto b2\nb2:\n  return\n}\n";

static struct cw_kernel *make_kernel(struct cw_arena *a) {
    const char *error = NULL;
    struct cw_module *m = cw_module_parse(a, text, strlen(text), &error);
    if (m == NULL)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && m->fns.n == 1);
    struct cw_launch_options options = {0};
    struct cw_kernel *k = cw_kernel_new(m, m->fns.at[0], 1000, a);
    cw_kernel_launch(k, &options, false, false);
    cw_kernel_allow(k, 1 << 20);
    return k;
}

static void test_once(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_kernel *k = make_kernel(&a);
    const struct cw_splits *first = cw_kernel_splits(k);
    CHECK_INT(first->at.n, 1);
    uint64_t left = k->work_left;
    CHECK(left < 1 << 20);
    CHECK(cw_kernel_splits(k) == first);
    CHECK(k->work_left == left);
    CHECK((const void *)cw_kernel_spare_barriers(k) != (const void *)first);
    CHECK(cw_kernel_lanes(k, 0, 0) == cw_kernel_lanes(k, 0, CW_SAMPLES));
    CHECK(cw_kernel_cells(k).evaluated > 0);
    cw_arena_free(&a);
}

static void test_needs(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_kernel *k = make_kernel(&a);
    struct cw_kernel_query q = cw_kernel_query_for(k, CW_NEEDS_CODE);
    CHECK(q.fn == cw_kernel_fn(k) && !q.uniformity && !q.launches && !q.lanes);
    q = cw_kernel_query_for(k, CW_NEEDS_LAUNCHES);
    CHECK(!q.uniformity && q.launches == cw_kernel_launches(k) && !q.lanes);
    q = cw_kernel_query_for(k, CW_NEEDS_LANES);
    CHECK(q.uniformity && q.launches && q.lanes(q.owner, 0, 0) == cw_kernel_lanes(k, 0, 0));
    q = cw_kernel_query_for(k, CW_NEEDS_OWN_LANES);
    CHECK(q.lanes(q.owner, 0, 0) != cw_kernel_lanes(k, 0, 0));
    CHECK(q.lanes(q.owner, 0, 0) == q.lanes(q.owner, 0, 0));
    cw_arena_free(&a);
}

static void test_reasons(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_kernel *k = make_kernel(&a);
    cw_kernel_allow(k, 1);
    cw_kernel_splits(k);
    CHECK(cw_kernel_reasons(k)[CW_BAIL_ITERATION_BUDGET] > 0);
    CHECK_INT(cw_kernel_fn(k)->bails[CW_BAIL_ITERATION_BUDGET], 0); /* what reading lost is another matter */
    cw_kernel_gave_up(k, CW_BAIL_FINDINGS, 3);
    CHECK_INT(cw_kernel_reasons(k)[CW_BAIL_FINDINGS], 3);
    struct cw_lanes *spent = cw_kernel_lanes(k, 0, 0);
    CHECK(cw_lanes_exhausted(spent));
    cw_kernel_renew_lanes(k);
    CHECK(cw_kernel_lanes(k, 0, 0) != spent);
    cw_arena_free(&a);
}

/* Each line of the table has a name and prints something. */
static void test_dumps(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_kernel *k = make_kernel(&a);
    enum cw_dump what = CW_DUMP_NONE;
    struct cw_buf names = {0};
    cw_dump_names(" ", &names);
    int n = 0;
    for (char *name = strtok(names.at, " "); name; name = strtok(NULL, " "), n++) {
        struct cw_buf out = {0};
        CHECK(cw_dump_parse(name, &what) && what != CW_DUMP_NONE && what != CW_DUMP_FACTS);
        cw_kernel_dump(k, what, &out);
        /* textual IR has no places */
        bool lists_places = what == CW_DUMP_ACCESSES || what == CW_DUMP_SYNCS || what == CW_DUMP_CALLS;
        CHECK(out.n > 0 || lists_places);
        cw_buf_free(&out);
    }
    CHECK_INT(n, CW_DUMP_FACTS - CW_DUMP_NONE - 1);
    CHECK(n > CW_NANALYSES);
    CHECK(!cw_dump_parse("facts", &what) && !cw_dump_parse("grid_splits", &what));
    CHECK(!cw_dump_parse("grid-split", &what) && !cw_dump_parse("grid-splits-", &what) && !cw_dump_parse("", &what));
    cw_buf_free(&names);
    cw_arena_free(&a);
}

static void test_facts(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_kernel *k = make_kernel(&a);
    struct cw_buf out = {0};
    cw_kernel_dump(k, CW_DUMP_NONE, &out);
    CHECK_INT((int64_t)out.n, 0);
    cw_kernel_dump(k, CW_DUMP_splits, &out);
    CHECK_STR(out.at, "splits of k\n"
                      "  definite split, barrier %1, branch b0, waits thread 0 in warp 0 0x00000001, elsewhere thread "
                      "40 in warp 1 0x00000100, warp 0 arrives 0xffffffff, warp 1 arrives 0x000000ff elsewhere "
                      "0xffffff00, block (64,1,1) sample 0\n\n");
    cw_kernel_dump(k, CW_DUMP_mask_faults, &out);
    CHECK(strstr(out.at, "\nmask-faults of k\n  nothing\n\n") != NULL);
    cw_buf_free(&out);
    cw_arena_free(&a);
}

int main(void) {
    test_once();
    test_needs();
    test_reasons();
    test_dumps();
    test_facts();
    return check_report();
}
