#include "cuda/arch.h"

#include "check.h"

static void parses_what_compilers_accept(void) {
    CHECK_INT(cw_arch_parse("sm_75"), 75);
    CHECK_INT(cw_arch_parse("sm_90a"), 90);
    CHECK_INT(cw_arch_parse("sm_100f"), 100);
    CHECK_INT(cw_arch_parse("compute_80"), 80);
    CHECK_INT(cw_arch_parse("lto_86"), 86);
    CHECK_INT(cw_arch_parse("70"), 70);
    CHECK_INT(cw_arch_parse("7.5"), 75);
    CHECK_INT(cw_arch_parse("12.1"), 121);
    CHECK_INT(cw_arch_parse("sm_130"), 130); /* newer than the table */
}

static void refuses_the_rest(void) {
    const char *const bad[] = {"",      "sm_",    "sm_x",    "native", "all-major", "sm_7",     "sm_75b",
                               "sm75",  "7.",     "sm_75 ",  "-75",    "sm_1000",   "99999999999999999999", "7.55"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_INT(cw_arch_parse(bad[i]), 0);
}

static void the_table_is_ordered(void) {
    const struct cw_arch *a, *before = NULL;
    for (uint32_t i = 0; (a = cw_arch_at(i)) != NULL; i++) {
        CHECK(!before || before->sm < a->sm);
        CHECK(!before || (a->flags & before->flags) == before->flags); /* features only grow */
        CHECK(cw_arch_find(a->sm) == a);
        before = a;
    }
    CHECK(before == cw_arch_latest());
    CHECK(cw_arch_find(71) == NULL);
}

static void independent_scheduling_begins_with_volta(void) {
    CHECK(!(cw_arch_flags(62) & CW_ARCH_ITS));
    CHECK(cw_arch_flags(70) & CW_ARCH_ITS);
    CHECK(cw_arch_flags(999) & CW_ARCH_CLUSTER);
    CHECK(!(cw_arch_flags(75) & CW_ARCH_REDUX));
    CHECK(cw_arch_flags(80) & CW_ARCH_REDUX);
    CHECK_INT(cw_arch_flags(13), 0);
}

/* CUDA 13 begins at compute capability 7.5. */
static void cuda_13_dropped_everything_before_turing(void) {
    const struct cw_arch *a;
    for (uint32_t i = 0; (a = cw_arch_at(i)) != NULL; i++)
        if (a->sm < 75)
            CHECK(a->dropped_by_cuda && a->dropped_by_cuda <= 13);
    CHECK_INT(cw_arch_find(75)->dropped_by_cuda, 0);
    CHECK_INT(cw_arch_find(90)->dropped_by_cuda, 0);
}

int main(void) {
    parses_what_compilers_accept();
    refuses_the_rest();
    the_table_is_ordered();
    independent_scheduling_begins_with_volta();
    cuda_13_dropped_everything_before_turing();
    return check_report();
}
