/* Which rules run, and what is said of slips. */
#include "check.h"

#include "base/suggest.h"
#include "engine/select.h"
#include "rules/registry.h"

static struct cw_arena arena;

static bool is_on(const struct cw_selection *s, const char *rule) {
    return s->enabled[cw_rule_find(rule) - cw_rules];
}

static struct cw_selection chosen(const char *select, const char *extend, const char *ignore, bool preview) {
    struct cw_selection s = {0};
    struct cw_selection_options o = {select, extend, ignore, preview};
    CHECK(cw_select(&s, &o, &arena) == NULL);
    return s;
}

static void test_default(void) {
    struct cw_selection s = chosen(NULL, NULL, NULL, false);
    for (uint32_t i = 0; i < cw_nrules; i++)
        CHECK_INT(s.enabled[i], !cw_rules[i].off_by_default && !cw_rules[i].preview);
}

static void test_lists(void) {
    struct cw_selection s = chosen("barrier", NULL, NULL, false);
    CHECK(is_on(&s, "divergent-barrier") && !is_on(&s, "bad-shuffle-width"));
    s = chosen("barrier", " bad-shuffle-width ,", "divergent-barrier", false);
    CHECK(!is_on(&s, "divergent-barrier") && is_on(&s, "bad-shuffle-width") && is_on(&s, "mismatched-barriers"));
    s = chosen(NULL, "warp-size-assumption", NULL, false);
    CHECK(is_on(&s, "warp-size-assumption") && is_on(&s, "divergent-barrier"));
    s = chosen("all", NULL, NULL, true);
    for (uint32_t i = 0; i < cw_nrules; i++)
        CHECK(s.enabled[i]);
    s = chosen("all", NULL, "all", true);
    for (uint32_t i = 0; i < cw_nrules; i++)
        CHECK(!s.enabled[i]);
}

static void test_errors(void) {
    struct cw_selection s;
    struct cw_selection_options o = {.select = "barrier,divergent-barier"};
    CHECK_STR(cw_select(&s, &o, &arena),
              "unknown rule or category 'divergent-barier'; did you mean 'divergent-barrier'?");
    o = (struct cw_selection_options){.ignore = "zzzzzzzzzzzz"};
    CHECK_STR(cw_select(&s, &o, &arena), "unknown rule or category 'zzzzzzzzzzzz'; 'cuwarp-lint rules' lists them");
}

static void test_severity(void) {
    struct cw_selection s = {0};
    CHECK(cw_select_severity(&s, "mask=info", &arena) == NULL);
    const struct cw_rule *rule = cw_rule_find("bad-shuffle-width"), *other = cw_rule_find("divergent-barrier");
    CHECK(s.overridden[rule - cw_rules] && !s.overridden[other - cw_rules]);
    CHECK_INT(s.severity[rule - cw_rules], CW_INFO);
    CHECK(cw_select_severity(&s, "mask", &arena) != NULL);
    CHECK(cw_select_severity(&s, "mask=loud", &arena) != NULL);
    CHECK(cw_select_severity(&s, "none=error", &arena) != NULL);
}

static void test_suggestions(void) {
    static const char *const names[] = {"select", "severity", "statistics", "std"};
    CHECK_STR(cw_suggest("selct", names, 4), "select");
    CHECK_STR(cw_suggest("slect", names, 4), "select");
    CHECK_STR(cw_suggest("esverity", names, 4), "severity");
    CHECK_STR(cw_suggest("stat", names, 4), "statistics");
    CHECK(cw_suggest("output", names, 4) == NULL);
    CHECK(cw_suggest("", names, 4) == NULL);
    char longer[200];
    memset(longer, 's', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK(cw_suggest(longer, names, 4) == NULL);
}

static void test_registry(void) {
    for (uint32_t i = 0; i < cw_nrules; i++) {
        CHECK(cw_rule_find(cw_rules[i].name) == &cw_rules[i]);
        CHECK(strstr(cw_rule_doc(&cw_rules[i]), "## What it does\n") != NULL);
        CHECK(strlen(cw_rule_summary(&cw_rules[i])) > 10 && !strchr(cw_rule_summary(&cw_rules[i]), '\n'));
    }
    CHECK(cw_rule_find("divergent") == NULL);
}

int main(void) {
    cw_arena_init(&arena);
    test_default();
    test_lists();
    test_errors();
    test_severity();
    test_suggestions();
    test_registry();
    cw_arena_free(&arena);
    return check_report();
}
