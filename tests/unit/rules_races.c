/* Each race is the finding of one rule: the predicates of the rules on races, over all that a race can be. */
#include "check.h"

#include "races/races.h"
#include "rules/registry.h"

static uint32_t count_claims(const struct cw_race_properties *is, const char **name) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < cw_nrules; i++)
        if (cw_rules[i].hooks->is_my_race && cw_rules[i].hooks->is_my_race(is)) {
            *name = cw_rules[i].name;
            n++;
        }
    return n;
}

/* One property decides; what it makes irrelevant is false (races/races.h). */
static const struct {
    struct cw_race_properties is;
    const char *rule;
} cases[] = {
    {{.unwritten = true}, "uninitialised-shared-read"},
    {{.asynchronous = true}, "unwaited-async-copy"},
    {{.in_product = true}, "unordered-wgmma"},
    {{.in_storage = true}, "collective-storage-reuse"},
    {{.in_warp = true}, "implicit-warp-sync"},
    {{.in_warp = true, .crosses_collective = true}, "collective-as-fence"},
    {{.in_warp = true, .published = true}, "single-lane-publish"},
    {{.in_warp = true, .near_syncwarp = true}, "syncwarp-loop-race"},
    {{.in_warp = false}, "missing-syncthreads"},
    {{.crosses_syncwarp = true}, "syncwarp-across-warps"},
    {{.reused = true}, "scratch-reuse"},
};

static void test_each_race_has_one_rule(void) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *name = "";
        CHECK_INT(count_claims(&cases[i].is, &name), 1);
        CHECK_STR(name, cases[i].rule);
    }
}

static void test_each_rule_has_a_race(void) {
    for (uint32_t i = 0; i < cw_nrules; i++) {
        uint32_t n = 0;
        for (size_t k = 0; k < sizeof cases / sizeof cases[0] && cw_rules[i].hooks->is_my_race; k++)
            n += cw_rules[i].hooks->is_my_race(&cases[k].is);
        CHECK_INT(n, cw_rules[i].hooks->is_my_race != NULL);
    }
}

static void test_natures_are_told_apart(void) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
            CHECK(cw_race_properties_equal(&cases[i].is, &cases[k].is) == (i == k));
}

int main(void) {
    test_each_race_has_one_rule();
    test_each_rule_has_a_race();
    test_natures_are_told_apart();
    return check_report();
}
