/* How the functions of a unit share its work. */
#include "check.h"

#include "engine/work.h"
#include "rules/analysis.h"

static struct cw_arena arena;
static struct cw_module module;

static struct cw_fn *kernel(const char *key, const char *pattern) {
    struct cw_fn *fn = cw_fn_new(&module, CW_FN_KERNEL, key, key);
    fn->pattern_key = pattern;
    return fn;
}

/* One kernel has what a kernel may do, and no more. */
static void test_alone(void) {
    struct cw_fn *fn = kernel("alone", NULL);
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, &fn, 1, 1);
    CHECK_INT(cw_work_for(s, fn), CW_KERNEL_WORK);
}

/* Half for the first of many; what it leaves is for the others; the last has all that is left. */
static void test_order(void) {
    struct cw_fn *fns[4] = {kernel("a", NULL), kernel("b", NULL), kernel("c", NULL), kernel("d", NULL)};
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    uint64_t left = CW_KERNEL_WORK, used[4] = {100, left, 0, 0};
    cw_work_shares_add(s, fns, 4, 1);
    for (int k = 0; k < 4; k++) {
        uint64_t may = cw_work_for(s, fns[k]);
        CHECK_INT(may, k < 3 ? left / 2 : left);
        used[k] = used[k] < may ? used[k] : may;
        left -= used[k];
        cw_work_took(s, fns[k], used[k]);
    }
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
    CHECK(all <= CW_KERNEL_WORK / 2);
    CHECK(all > CW_KERNEL_WORK / 2 - CW_KERNEL_WORK / 16);
    CHECK(cw_work_for(s, fns[30]) >= CW_KERNEL_WORK / 2);
}

/* Those that come when everything is used up still have something. */
static void test_late(void) {
    struct cw_fn *first = kernel("first", NULL), *late = kernel("late", NULL), *stranger = kernel("stranger", NULL);
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, &first, 1, 1);
    cw_work_took(s, first, cw_work_for(s, first));
    CHECK_INT(cw_work_for(s, first), 0);
    cw_work_shares_add(s, &late, 1, 1);
    CHECK(cw_work_for(s, late) > 0 && cw_work_for(s, late) < CW_KERNEL_WORK / 4);
    CHECK_INT(cw_work_for(s, stranger), 0);
}

/* A part of what is left is for those that prove nothing. */
static void test_part(void) {
    struct cw_fn *fn = kernel("proves nothing", NULL);
    struct cw_work_shares *s = cw_work_shares_new(&module, &arena);
    cw_work_shares_add(s, &fn, 1, 4);
    CHECK_INT(cw_work_for(s, fn), CW_KERNEL_WORK / 4);
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
    test_order();
    test_family();
    test_late();
    test_part();
    test_size();
    cw_arena_free(&arena);
    return check_report();
}
