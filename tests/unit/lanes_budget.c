/* The store of work that the evaluators of one kernel share: counted, not timed, and its end is told. */
#include "check.h"

#include "lanes/lanes.h"

#include <string.h>

static const char text[] = "kernel @k() {\n"
                           "b0:\n"
                           "  %a = mul i32 tid.x, 3\n"
                           "  %b = add i32 %a, 7\n"
                           "  %c = xor i32 %b, tid.x\n"
                           "  %d = mul i32 %c, %b\n"
                           "  return\n"
                           "}\n";

enum { THREADS = 256, BUDGET = 10000, LAST = 3 /* index of %d */ };

static struct cw_arena arena;
static struct cw_fn *fn;
static const struct cw_launch launch = {.block = {THREADS, 1, 1}, .grid = {8, 1, 1}};

static struct cw_lanes *evaluator(uint64_t *left) {
    struct cw_lanes *l = cw_lanes_new(fn, NULL, &launch, 0, BUDGET, &arena);
    if (left)
        cw_lanes_share_work(l, left);
    return l;
}

static uint32_t last_ins(void) {
    const struct cw_vec_u32 *list = &fn->blocks.at[0].ins;
    return list->at[LAST];
}

/* A value's cells are taken from the store with the next question. */
static uint8_t worst(struct cw_lanes *l) {
    uint8_t known = cw_lanes_eval(l, cw_ref_ins(last_ins()), NULL)->worst;
    cw_lanes_charge(l, 0);
    return known;
}

/* What one evaluation of everything takes. */
static uint64_t cost(void) {
    uint64_t left = UINT64_C(1) << 40;
    struct cw_lanes *l = evaluator(&left);
    CHECK_INT(worst(l), CW_EXACT);
    CHECK(!cw_lanes_exhausted(l));
    return (UINT64_C(1) << 40) - left;
}

static void test_shared(uint64_t once) {
    uint64_t left = once * 2 + 64;
    uint32_t reasons[CW_NBAILS] = {0};
    struct cw_lanes *first = evaluator(&left), *second = evaluator(&left), *third = evaluator(&left);
    cw_lanes_share_reasons(third, reasons);
    CHECK_INT(worst(first), CW_EXACT);
    CHECK(left > 0 && left < once + 64 + THREADS);
    CHECK_INT(worst(first), CW_EXACT); /* known: costs nothing more */
    CHECK_INT(worst(second), CW_EXACT);
    CHECK_INT(worst(third), CW_UNKNOWN);
    CHECK(cw_lanes_exhausted(third));
    CHECK_INT(left, 0);
    CHECK_INT(reasons[CW_BAIL_ITERATION_BUDGET], 1);
    CHECK_INT(fn->bails[CW_BAIL_ITERATION_BUDGET], 0); /* what the analyses give up is not the reader's business */
    struct cw_lanes *late = evaluator(&left);
    CHECK_INT(worst(late), CW_UNKNOWN);
    CHECK_INT(worst(evaluator(NULL)), CW_EXACT); /* others have work of their own */
}

static void test_charge(void) {
    uint64_t left = 1000;
    struct cw_lanes *l = evaluator(&left);
    CHECK(cw_lanes_charge(l, 400));
    CHECK(left <= 600);
    CHECK(!cw_lanes_charge(l, 5000));
    CHECK_INT(left, 0);
    CHECK(cw_lanes_exhausted(l));
    CHECK(cw_lanes_charge(evaluator(NULL), UINT64_MAX));
}

int main(void) {
    const char *error = NULL;
    cw_arena_init(&arena);
    struct cw_module *m = cw_module_parse(&arena, text, sizeof text - 1, &error);
    CHECK(m != NULL);
    if (m) {
        fn = m->fns.at[0];
        fn->cfg = cw_cfg_build(fn);
        uint64_t once = cost();
        CHECK(once >= 3 * THREADS && once < 4 * THREADS); /* the threads, and four rows, each half of their number */
        CHECK(once == cost());      /* the same each time */
        test_shared(once);
        test_charge();
    }
    cw_arena_free(&arena);
    return check_report();
}
