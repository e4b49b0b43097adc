/* How the functions of a unit share its work. */
#include "check.h"

#include "engine/work.h"
#include "rules/analysis.h"

/* What a unit without text or code has. */
#define UNIT_WORK (CW_KERNEL_WORK / 2)

static struct cw_arena arena;
static struct cw_module module;

static struct cw_fn *kernel(const char *key, const char *pattern) {
    struct cw_fn *fn = cw_fn_new(&module, CW_FN_KERNEL, key, key);
    fn->pattern_key = pattern;
    return fn;
}

/* One kernel has what its unit has. */
static void test_alone(void) {
    struct cw_fn *fn = kernel("alone", NULL);
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, &fn, 1, 1);
    CHECK_INT(cw_work_for(s, fn), UNIT_WORK);
}

static uint64_t work_of_one(uint64_t text_bytes, bool is_read_twice) {
    struct cw_fn *fn = kernel("one", NULL);
    module.text_bytes = text_bytes;
    module.is_read_twice = is_read_twice;
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, &fn, 1, 1);
    module.text_bytes = 0;
    module.is_read_twice = false;
    return cw_work_for(s, fn);
}

/* More text, more work, up to some size of it; less where the unit was read twice. */
static void test_text(void) {
    CHECK(work_of_one(10000, false) > UNIT_WORK);
    CHECK(work_of_one(20000, false) > work_of_one(10000, false));
    CHECK_INT(work_of_one(UINT64_C(1) << 40, false), work_of_one(UINT64_C(1) << 41, false));
    CHECK(work_of_one(UINT64_C(1) << 40, false) > work_of_one(20000, false));
    CHECK(work_of_one(UINT64_C(1) << 40, false) <= CW_KERNEL_WORK);
    CHECK(work_of_one(20000, true) < UNIT_WORK);
    CHECK_INT(work_of_one(20000, true), work_of_one(10000, true));
}

/* However much the first ones take, each has its reserved part; the last has all that is left. */
static void test_greedy(void) {
    struct cw_fn *fns[4] = {kernel("a", NULL), kernel("b", NULL), kernel("c", NULL), kernel("d", NULL)};
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    uint64_t all = 0;
    cw_work_shares_add(s, fns, 4, 1);
    for (int k = 0; k < 4; k++) {
        uint64_t may = cw_work_for(s, fns[k]);
        CHECK(may >= UNIT_WORK / 8);
        all += may;
        cw_work_took(s, fns[k], may);
    }
    CHECK_INT(all, UNIT_WORK);
}

/* What the first ones do not need is for the others. */
static void test_modest(void) {
    struct cw_fn *fns[4] = {kernel("e", NULL), kernel("f", NULL), kernel("g", NULL), kernel("h", NULL)};
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, fns, 4, 1);
    for (int k = 0; k < 3; k++) {
        CHECK(cw_work_for(s, fns[k]) >= (UNIT_WORK - 300) / 4);
        cw_work_took(s, fns[k], 100);
    }
    CHECK_INT(cw_work_for(s, fns[3]), UNIT_WORK - 300);
}

/* Thirty instantiations have together what one function would have, and another function is not the poorer for them. */
static void test_family(void) {
    struct cw_fn *fns[31];
    char keys[30][16];
    uint64_t all = 0;
    for (int k = 0; k < 30; k++) {
        snprintf(keys[k], sizeof keys[k], "i%d", k);
        fns[k] = kernel(keys[k], "template");
    }
    fns[30] = kernel("other", NULL);
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, fns, 31, 1);
    for (int k = 0; k < 30; k++) {
        uint64_t may = cw_work_for(s, fns[k]);
        all += may;
        cw_work_took(s, fns[k], may);
    }
    CHECK(all <= UNIT_WORK / 2);
    CHECK(all > UNIT_WORK / 2 - UNIT_WORK / 16);
    CHECK(cw_work_for(s, fns[30]) >= UNIT_WORK / 2);
}

/* Those that come when everything is used up still have something. */
static void test_late(void) {
    struct cw_fn *first = kernel("first", NULL), *late = kernel("late", NULL), *stranger = kernel("stranger", NULL);
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, &first, 1, 1);
    cw_work_took(s, first, cw_work_for(s, first));
    CHECK_INT(cw_work_for(s, first), 0);
    cw_work_shares_add(s, &late, 1, 1);
    CHECK(cw_work_for(s, late) > 0 && cw_work_for(s, late) < UNIT_WORK / 4);
    CHECK_INT(cw_work_for(s, stranger), 0);
}

/* A part of what is left is for those that prove nothing. */
static void test_part(void) {
    struct cw_fn *fn = kernel("proves nothing", NULL);
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, &fn, 1, 4);
    CHECK_INT(cw_work_for(s, fn), UNIT_WORK / 4);
}

/* More code, more work. */
static void test_size(void) {
    struct cw_fn *fns[2] = {kernel("large", NULL), kernel("small", NULL)}; /* two families share */
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, fns, 2, 1);
    uint64_t before = cw_work_for(s, fns[1]);
    cw_fn_add_block(fns[0]);
    for (int k = 0; k < 100000; k++)
        cw_fn_emit(fns[0], 0, CW_OP_COPY, CW_I32, 0, NULL, 0, 0);
    s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, fns, 2, 1);
    CHECK(cw_work_for(s, fns[1]) > before);
}

int main(void) {
    cw_arena_init(&arena);
    cw_module_init(&module, &arena);
    test_alone();
    test_text();
    test_greedy();
    test_modest();
    test_family();
    test_late();
    test_part();
    test_size();
    cw_arena_free(&arena);
    return check_report();
}
