/* Findings as data: the JSON form both ways, order, duplicates, fingerprints. */
#include "check.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "diag/fingerprint.h"

#include <stdlib.h>

static struct cw_arena arena;

static struct cw_finding make(const char *file, uint32_t line, const char *rule, const char *kernel) {
    return (struct cw_finding){.rule = rule,
                               .severity = CW_ERROR,
                               .message = "message",
                               .place = {file, line, 5, line, 9},
                               .kernel = kernel,
                               .witness = {.warp = -1, .iteration = -1}};
}

static struct cw_finding make_full(void) {
    struct cw_finding f = make("a.cu", 21, "divergent-barrier", "reduce<256>");
    struct cw_witness *w = &f.witness;
    f.confidence = CW_POSSIBLE;
    f.help = "hoist it";
    f.fingerprint = "0123456789abcdef";
    cw_vec_push(&arena, &f.inlined_at, ((struct cw_remark){{"a.cu", 30, 1, 30, 7}, "helper"}));
    cw_vec_push(&arena, &f.labels, ((struct cw_remark){{"a.cu", 20, 9, 20, 12}, "label"}));
    cw_vec_push(&arena, &f.notes, ((struct cw_remark){{0}, "no place"}));
    cw_vec_push(&arena, &f.also_in, (const char *)"reduce<128>");
    *w = (struct cw_witness){.present = true,
                             .block = {128, 1, 1},
                             .grid = {4, 2, 1},
                             .launch_source = "launch at a.cu:40",
                             .warp = 0,
                             .iteration = 0,
                             .address = "s_y[16]",
                             .has_mask = true,
                             .mask = 0x00ffffff};
    cw_vec_push(&arena, &w->lanes, 0u);
    cw_vec_push(&arena, &w->lanes, 16u);
    cw_vec_push(&arena, &w->threads, 1023u);
    cw_vec_push(&arena, &w->rows, ((struct cw_lane_row){"arrive", 0x80000001u, NULL, 0}));
    cw_vec_push(&arena, &w->facts, ((struct cw_witness_fact){"offset", "16"}));
    struct cw_fix fix = {.message = "replace", .safe = true};
    cw_vec_push(&arena, &fix.edits, ((struct cw_edit){{"a.cu", 21, 5, 21, 9}, "x"}));
    cw_vec_push(&arena, &f.fixes, fix);
    f.macro = "SYNC";
    f.suppression = (struct cw_suppression){"inSource", "known", {"a.cu", 20, 5, 20, 40}};
    return f;
}

static void check_same_place(const struct cw_place *a, const struct cw_place *b) {
    CHECK_STR(a->file, b->file);
    CHECK_INT(a->line, b->line);
    CHECK_INT(a->col, b->col);
    CHECK_INT(a->end_line, b->end_line);
    CHECK_INT(a->end_col, b->end_col);
}

static void check_witness(const struct cw_witness *w) {
    CHECK(w->present && w->has_mask);
    CHECK_INT(w->block[0], 128);
    CHECK_INT(w->grid[1], 2);
    CHECK_STR(w->launch_source, "launch at a.cu:40");
    CHECK_INT(w->warp, 0);
    CHECK_INT(w->iteration, 0);
    CHECK_STR(w->address, "s_y[16]");
    CHECK_INT(w->mask, 0x00ffffff);
    CHECK_INT(w->lanes.n, 2);
    CHECK_INT(w->lanes.at[1], 16);
    CHECK_INT(w->threads.at[0], 1023);
    CHECK_INT(w->rows.n, 1);
    CHECK_INT(w->rows.at[0].lanes, 0x80000001u);
    CHECK_STR(w->rows.at[0].label, "arrive");
    CHECK(w->rows.at[0].meaning == NULL);
    CHECK_STR(w->facts.at[0].value, "16");
}

static void test_round_trip(void) {
    struct cw_finding f = make_full(), g;
    json_t *j = cw_finding_to_json(&f);
    CHECK(cw_finding_from_json(&arena, j, &g));
    CHECK_STR(g.rule, f.rule);
    CHECK_INT(g.confidence, CW_POSSIBLE);
    CHECK_INT(g.severity, CW_ERROR);
    CHECK_STR(g.kernel, f.kernel);
    CHECK_STR(g.help, f.help);
    CHECK_STR(g.fingerprint, f.fingerprint);
    check_same_place(&g.place, &f.place);
    check_same_place(&g.inlined_at.at[0].place, &f.inlined_at.at[0].place);
    CHECK_STR(g.inlined_at.at[0].text, "helper");
    CHECK_STR(g.labels.at[0].text, "label");
    CHECK_INT(g.notes.at[0].place.line, 0);
    CHECK_STR(g.also_in.at[0], "reduce<128>");
    CHECK(g.fixes.at[0].safe);
    CHECK_STR(g.fixes.at[0].edits.at[0].replacement, "x");
    check_witness(&g.witness);
    CHECK_STR(g.macro, "SYNC");
    CHECK_STR(g.suppression.kind, "inSource");
    CHECK_STR(g.suppression.reason, "known");
    check_same_place(&g.suppression.place, &f.suppression.place);
    json_decref(j);
}

/* Fields of the contract, by name: a reader of the JSON may rely on each. */
static void test_contract(void) {
    static const char *const keys[] = {"rule",       "severity", "confidence", "message",    "file",
                                       "line",       "column",   "end_line",   "end_column", "kernel",
                                       "inlined_at", "notes",    "witness",    "fixes",      "fingerprint"};
    struct cw_finding f = make("a.cu", 1, "r", NULL);
    json_t *j = cw_finding_to_json(&f);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        CHECK(json_object_get(j, keys[i]) != NULL);
    CHECK(json_is_null(json_object_get(j, "witness")));
    CHECK(json_object_get(j, "suppression") == NULL && json_object_get(j, "macro") == NULL);
    json_decref(j);
    f = make_full();
    j = cw_finding_to_json(&f);
    const json_t *w = json_object_get(j, "witness");
    CHECK_STR(json_string_value(json_object_get(w, "mask")), "0x00ffffff");
    CHECK_INT(json_integer_value(json_array_get(json_object_get(json_object_get(w, "launch"), "block"), 0)), 128);
    json_decref(j);
}

static void test_bad_text(void) {
    struct cw_finding f = make("a.cu", 1, "r", NULL);
    f.message = "caf\xe9 \xc3\xa9";
    json_t *j = cw_finding_to_json(&f);
    CHECK_STR(json_string_value(json_object_get(j, "message")), "caf\xef\xbf\xbd \xc3\xa9");
    json_decref(j);
}

static void test_malformed(void) {
    struct cw_finding f;
    struct cw_file_result r;
    static const char *const texts[] = {
        "[]",
        "{}",
        "{\"rule\": 3}",
        "{\"rule\":\"r\",\"message\":\"m\"}",
        "{\"rule\":\"r\",\"message\":\"m\",\"severity\":\"bad\",\"confidence\":\"definite\"}",
        ("{\"rule\":\"r\",\"message\":\"m\",\"severity\":\"error\","
         "\"confidence\":\"definite\",\"line\":-1}")};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *j = json_loads(texts[i], 0, NULL);
        CHECK(!cw_finding_from_json(&arena, j, &f));
        json_decref(j);
    }
    json_t *j = json_loads("{\"path\":\"a\",\"findings\":[1]}", 0, NULL);
    CHECK(!cw_result_from_json(&arena, j, &r));
    json_decref(j);
}

static void test_result_round_trip(void) {
    struct cw_file_result r = {.path = "a.cu",
                               .kernels = 3,
                               .analysed = 2,
                               .degraded = 1,
                               .has_device_code = true,
                               .is_hip = true,
                               .possible_hidden = 4,
                               .seconds_parse = 0.25,
                               .peak_bytes = 1u << 30},
                          s;
    cw_vec_push(&arena, &r.skipped, ((struct cw_skipped){"k", {"a.cu", 3, 1, 3, 2}, "why"}));
    struct cw_partial part = {.kernel = "p", .place = {"a.cu", 5, 1, 5, 2}};
    cw_vec_push(&arena, &part.reasons, ((struct cw_part_reason){"masks", "too many", "--block X", 3}));
    cw_vec_push(&arena, &part.reasons, ((struct cw_part_reason){"reading", "broken", NULL, 1}));
    cw_vec_push(&arena, &r.partial, part);
    cw_vec_push(&arena, &r.bails, ((struct cw_bail_count){"reason", 7}));
    cw_vec_push(&arena, &r.findings, make_full());
    json_t *j = cw_result_to_json(&r);
    CHECK(cw_result_from_json(&arena, j, &s));
    CHECK_INT(s.kernels, 3);
    CHECK_INT(s.analysed, 2);
    CHECK_INT(s.degraded, 1);
    CHECK(s.has_device_code && s.is_hip && !s.failed);
    CHECK_STR(s.skipped.at[0].reason, "why");
    CHECK_INT(s.skipped.at[0].place.line, 3);
    CHECK_INT(s.bails.at[0].count, 7);
    CHECK_INT(s.partial.n, 1);
    CHECK_INT(s.partial.at[0].place.line, 5);
    CHECK_INT(s.partial.at[0].reasons.n, 2);
    CHECK_STR(s.partial.at[0].reasons.at[0].option, "--block X");
    CHECK_INT(s.partial.at[0].reasons.at[0].count, 3);
    CHECK(!s.partial.at[0].reasons.at[1].option);
    CHECK_INT(s.findings.n, 1);
    CHECK_INT(s.possible_hidden, 4);
    CHECK(s.seconds_parse > 0.24 && s.seconds_parse < 0.26);
    CHECK(s.peak_bytes == 1u << 30);
    json_decref(j);
}

static void test_order_and_duplicates(void) {
    struct cw_finding at[] = {make("b.cu", 1, "r", "k1"), make("a.cu", 9, "r", "k1"), make("a.cu", 9, "q", "k1"),
                              make("a.cu", 9, "r", "k2"), make("a.cu", 9, "r", "k2"), make("a.cu", 9, "r", "k3"),
                              make("a.cu", 9, "r", "k4"), make("a.cu", 9, "r", "k5"), make("a.cu", 10, "r", "k1")};
    at[1].confidence = CW_POSSIBLE; /* the definite one of k2 must win over it */
    uint32_t n = sizeof at / sizeof at[0];
    cw_findings_sort(&arena, at, n);
    n = cw_findings_dedupe(&arena, at, n);
    CHECK_INT(n, 4);
    CHECK_STR(at[0].rule, "q");
    CHECK_STR(at[1].kernel, "k2");
    CHECK_INT(at[1].confidence, CW_DEFINITE);
    CHECK_INT(at[1].also_in.n, 3);
    CHECK_STR(at[1].also_in.at[0], "k3");
    CHECK_STR(at[1].also_in.at[2], "k5");
    CHECK_INT(at[2].place.line, 10);
    CHECK_STR(at[3].place.file, "b.cu");
}

/* A race of two accesses, from line 5 to line 9. */
static struct cw_finding make_race(const char *rule, const char *kernel, enum cw_orders orders, const char *help) {
    struct cw_finding f = make("a.cu", 9, rule, kernel);
    struct cw_fix fix = {.message = help, .safe = true};
    struct cw_edit edit = {{"a.cu", 9, 1, 9, 1}, help};
    f.orders = orders;
    f.help = help;
    cw_vec_push(&arena, &f.labels, ((struct cw_remark){{"a.cu", 5, 1, 5, 4}, "earlier access"}));
    cw_vec_push(&arena, &fix.edits, edit);
    cw_vec_push(&arena, &f.fixes, fix);
    return f;
}

/* Lanes race in one instantiation and warps in another: a barrier of the warp is advised for neither. */
static void test_advice_of_the_stronger(void) {
    struct cw_finding at[] = {make_race("between-lanes", "k<32>", CW_ORDERS_WARP, "warp"),
                              make_race("between-warps", "k<64>", CW_ORDERS_BLOCK, "block"),
                              make_race("elsewhere", "k<32>", CW_ORDERS_WARP, "warp")};
    at[2].labels.at[0].place.line = 6; /* other accesses */
    cw_findings_sort(&arena, at, 3);
    CHECK_INT(cw_findings_dedupe(&arena, at, 3), 3);
    CHECK_STR(at[0].help, "block");
    CHECK_STR(at[0].fixes.at[0].message, "block");
    CHECK(!at[0].fixes.at[0].safe);
    CHECK_STR(at[1].help, "block");
    CHECK(at[1].fixes.at[0].safe);
    CHECK_STR(at[2].help, "warp");
    CHECK(at[2].fixes.at[0].safe);
    CHECK_INT(at[0].orders, CW_ORDERS_NONE);
}

/* The same for one rule, whose findings are merged. */
static void test_advice_of_the_merged(void) {
    struct cw_finding at[] = {make_race("r", "k<32>", CW_ORDERS_WARP, "warp"),
                              make_race("r", "k<64>", CW_ORDERS_MORE, "no barrier")};
    at[1].fixes.n = 0;
    CHECK_INT(cw_findings_dedupe(&arena, at, 2), 1);
    CHECK_STR(at[0].help, "no barrier");
    CHECK_INT(at[0].fixes.n, 0);
}

static const char *tokens(const char *text, const char *at) {
    struct cw_buf out = {0};
    const char *found = strstr(text, at);
    struct cw_source *s = cw_source_of_text(&arena, "t.cu", text, strlen(text));
    cw_statement_tokens(s, (size_t)(found - text), &out);
    char *copy = cw_arena_strdup(&arena, out.at ? out.at : "");
    cw_buf_free(&out);
    return copy;
}

static void test_statement(void) {
    CHECK_STR(tokens("a(); /* ; */ s[t] +=\n  s[t+1]; // ;\n b();", "s[t+1]"), "s [ t ] + = s [ t + 1 ]");
    CHECK_STR(tokens("{ f(\"a;b\"); g(1); }", "g("), "g ( 1 )");
    CHECK_STR(tokens("if (x) { __syncthreads(); }", "__sync"), "__syncthreads ( )");
    CHECK_STR(tokens("x", "x"), "x");
}

static const struct cw_source *source_of(void *ctx, const char *file) {
    return file[0] == 'a' ? ctx : NULL;
}

static const char *fingerprint_of(const char *text, uint32_t line, const char *kernel) {
    struct cw_finding f = make("a.cu", line, "r", kernel);
    f.place.col = 1;
    struct cw_source *s = cw_source_of_text(&arena, "a.cu", text, strlen(text));
    cw_findings_fingerprint(&arena, &f, 1, source_of, s);
    return f.fingerprint;
}

static void test_fingerprints(void) {
    const char *base = fingerprint_of("f(1);\n", 1, "k<1>");
    CHECK_INT(strlen(base), 16);
    CHECK_STR(fingerprint_of("// added\n\nf( 1 ) ; // why\n", 3, "k<2>"), base);
    CHECK(strcmp(fingerprint_of("f(2);\n", 1, "k<1>"), base) != 0);
    CHECK(strcmp(fingerprint_of("f(1);\n", 1, "other"), base) != 0);
    struct cw_finding twice[] = {make("a.cu", 1, "r", "k"), make("a.cu", 2, "r", "k")};
    struct cw_source *s = cw_source_of_text(&arena, "a.cu", "f(1);\nf(1);\n", 12);
    cw_findings_fingerprint(&arena, twice, 2, source_of, s);
    CHECK(strcmp(twice[0].fingerprint, twice[1].fingerprint) != 0);
}

/* One cause, seen at different first places by three instantiations; another rule and a weaker finding do not count. */
static void test_covered(void) {
    struct cw_file_result r = {0};
    struct cw_finding small = make("a.cu", 30, "r", "k<8>"), large = make("a.cu", 20, "r", "k<512>"),
                      middle = make("a.cu", 25, "r", "k<64>"), other = make("a.cu", 30, "q", "k<8>"),
                      weak = make("a.cu", 10, "r", "k<1>");
    cw_vec_push(&arena, &large.covers, middle.place);
    cw_vec_push(&arena, &large.covers, small.place);
    cw_vec_push(&arena, &weak.covers, large.place);
    weak.confidence = CW_POSSIBLE;
    cw_findings_add(&arena, &r, &small);
    cw_findings_add(&arena, &r, &other);
    cw_findings_add(&arena, &r, &large); /* takes the small one's place */
    cw_findings_add(&arena, &r, &middle); /* is told by it */
    cw_findings_add(&arena, &r, &weak); /* a possible finding covers no definite one */
    CHECK_INT(r.findings.n, 3);
    CHECK_STR(r.findings.at[0].rule, "q");
    CHECK_INT(r.findings.at[1].place.line, 20);
    CHECK_INT(r.findings.at[1].also_in.n, 2);
    CHECK_STR(r.findings.at[1].also_in.at[0], "k<8>");
    CHECK_STR(r.findings.at[1].also_in.at[1], "k<64>");
    CHECK_INT(r.findings.at[2].place.line, 10);
}

/* What is about the file is told once, at the first place in the file itself. */
static void test_once_per_file(void) {
    struct cw_file_result r = {.path = "a.cu"};
    struct cw_finding header = make("a.cuh", 3, "r", "k"), late = make("a.cu", 30, "r", "l"),
                      first = make("a.cu", 10, "r", "m"), other = make("a.cu", 5, "q", "k");
    header.is_once_per_file = late.is_once_per_file = first.is_once_per_file = true;
    cw_findings_add(&arena, &r, &other);
    cw_findings_add(&arena, &r, &header);
    cw_findings_add(&arena, &r, &late);
    cw_findings_add(&arena, &r, &first);
    cw_findings_add(&arena, &r, &late);
    CHECK_INT(r.findings.n, 2);
    CHECK_STR(r.findings.at[0].rule, "q");
    CHECK_INT(r.findings.at[1].place.line, 10);
    CHECK_STR(r.findings.at[1].kernel, "m");
    CHECK_INT(r.findings.at[1].also_in.n, 2);
}

int main(void) {
    cw_arena_init(&arena);
    test_covered();
    test_once_per_file();
    test_round_trip();
    test_contract();
    test_bad_text();
    test_malformed();
    test_result_round_trip();
    test_order_and_duplicates();
    test_advice_of_the_stronger();
    test_advice_of_the_merged();
    test_statement();
    test_fingerprints();
    cw_arena_free(&arena);
    return check_report();
}
