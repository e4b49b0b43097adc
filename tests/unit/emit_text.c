/* Output formats on hand-made findings. */
#include "check.h"

#include "emit/emit.h"

#include <jansson.h>
#include <stdlib.h>

static struct cw_arena arena;

static const char source_text[] = "line one\n"
                                  "for (;;) {\n"
                                  "    s_y[tid] += s_y[tid + offset];\n"
                                  "\t/* \xc3\xa9\xe4\xb8\xad */ g(x);\n"
                                  "    if (tid < 16) {\n"
                                  "        helper();\n"
                                  "bad \x1b[31m byte \xff f();\n";

static const struct cw_source *source_of(void *ctx, const char *file) {
    return strcmp(file, "race.cu") ? NULL : ctx;
}

static char *run(struct cw_run_report *report, const char *format, bool unicode, bool color) {
    struct cw_buf out = {0};
    struct cw_source *s = cw_source_of_text(&arena, "race.cu", source_text, sizeof source_text - 1);
    struct cw_emit e = {.report = report, .arena = &arena, .source_of = source_of, .ctx = s, .unicode = unicode,
                        .color = color, .out = &out};
    cw_format_find(format)->emit(&e);
    char *copy = cw_arena_strndup(&arena, out.at, out.n);
    cw_buf_free(&out);
    return copy;
}

static struct cw_finding race(void) {
    struct cw_finding f = {.rule = "syncwarp-loop-race", .severity = CW_ERROR,
                           .message = "lanes 0 and 16 of a warp race on s_y[16]",
                           .place = {"race.cu", 3, 5, 3, 13}, .kernel = "reduce",
                           .help = "keep the running sum in a register: read, __syncwarp(), write, __syncwarp()"};
    struct cw_witness *w = &f.witness;
    cw_vec_push(&arena, &f.labels, ((struct cw_remark){{"race.cu", 3, 5, 3, 13}, "thread 16 writes s_y[16]"}));
    cw_vec_push(&arena, &f.labels, ((struct cw_remark){{"race.cu", 3, 17, 3, 34}, "thread 0 reads s_y[16]"}));
    *w = (struct cw_witness){.present = true, .block = {128, 1, 1}, .warp = 0, .iteration = -1};
    cw_vec_push(&arena, &w->facts, ((struct cw_witness_fact){"offset", "16"}));
    cw_vec_push(&arena, &w->rows,
                ((struct cw_lane_row){"reads", 0x0000ffffu, "lanes that read what another lane writes", 0}));
    cw_vec_push(&arena, &w->rows, ((struct cw_lane_row){"writes", 0xffff0000u, NULL, 0}));
    return f;
}

static struct cw_run_report report_of(struct cw_finding f) {
    struct cw_run_report r = {.version = "1.2.3", .kernels = 12, .analysed = 12};
    cw_vec_push(&arena, &r.findings, f);
    for (int i = 0; i < 3; i++)
        cw_vec_push(&arena, &r.files, ((struct cw_file_result){.path = "race.cu"}));
    return r;
}

static void test_picture(void) {
    struct cw_run_report r = report_of(race());
    CHECK_STR(run(&r, "text", true, false),
              "race.cu:3:5: error: lanes 0 and 16 of a warp race on s_y[16] [syncwarp-loop-race]\n"
              "    3 |     s_y[tid] += s_y[tid + offset];\n"
              "      |     ^~~~~~~~    ~~~~~~~~~~~~~~~~~ thread 0 reads s_y[16]\n"
              "      |     thread 16 writes s_y[16]\n"
              "   with block (128,1,1), warp 0, offset = 16\n"
              "   reads  ████████████████················   (lanes that read what another lane writes)\n"
              "   writes ················████████████████\n"
              "   help: keep the running sum in a register: read, __syncwarp(), write, __syncwarp()\n"
              "\n"
              "1 error in 3 files; 12 of 12 kernels analysed\n");
    CHECK(strstr(run(&r, "text", false, false), "   reads  ################................   (lanes") != NULL);
    CHECK(strstr(run(&r, "text", false, false), "·") == NULL);
    CHECK(strstr(run(&r, "text", false, true), "\x1b[1;31merror:\x1b[0m") != NULL);
}

/* A block of 40 threads has 8 lanes in its second warp. */
static void test_partial_warp(void) {
    struct cw_finding f = race();
    f.witness.block[0] = 40;
    f.witness.warp = 1;
    f.witness.rows.at[0].lanes = 0x0f;
    struct cw_run_report r = report_of(f);
    CHECK(strstr(run(&r, "text", false, false), "   reads  ####....   (lanes") != NULL);
}

/* Tabs become four columns, a wide character two; marks must stand under what they mark. */
static void test_columns(void) {
    struct cw_finding f = {.rule = "r", .message = "m", .severity = CW_INFO, .place = {"race.cu", 4, 14, 4, 18}};
    struct cw_run_report r = report_of(f);
    const char *text = run(&r, "text", true, false);
    CHECK(strstr(text, "    4 |     /* \xc3\xa9\xe4\xb8\xad */ g(x);\n"
                       "      |               ^~~~\n") != NULL);
}

static void test_unsafe_bytes(void) {
    struct cw_finding f = {.rule = "r", .message = "esc \x1b]0;x\x07", .place = {"race.cu", 7, 20, 7, 23}};
    struct cw_run_report r = report_of(f);
    const char *text = run(&r, "text", true, false);
    CHECK(strchr(text, '\x1b') == NULL);
    CHECK(strchr(text, '\xff') == NULL);
    CHECK(strstr(text, "    7 | bad ?[31m byte ? f();\n") != NULL);
}

static void test_where_and_notes(void) {
    struct cw_finding f = {.rule = "r", .message = "m", .severity = CW_WARNING, .confidence = CW_POSSIBLE,
                           .place = {"race.cu", 6, 9, 6, 17}, .kernel = "k<2>"};
    cw_vec_push(&arena, &f.inlined_at, ((struct cw_remark){{"race.cu", 6, 9, 6, 17}, "helper"}));
    cw_vec_push(&arena, &f.notes, ((struct cw_remark){{"race.cu", 5, 9, 5, 17}, "the branch differs"}));
    cw_vec_push(&arena, &f.notes, ((struct cw_remark){{0}, "no place"}));
    cw_vec_push(&arena, &f.also_in, (const char *)"k<3>");
    struct cw_run_report r = report_of(f);
    CHECK_STR(run(&r, "text", true, false),
              "race.cu:6:9: warning: possible: m [r]\n"
              "    6 |         helper();\n"
              "      |         ^~~~~~~~\n"
              "   in helper, called at race.cu:6:9\n"
              "   in k<2>, also in k<3>\n"
              "   note: race.cu:5:9: the branch differs\n"
              "    5 |     if (tid < 16) {\n"
              "      |         ^~~~~~~~\n"
              "   note: no place\n"
              "\n"
              "1 warning in 3 files; 12 of 12 kernels analysed\n");
}

static void test_odd_places(void) {
    static const struct cw_place places[] = {{"race.cu", 99, 1, 99, 2}, {"gone.cu", 1, 1, 1, 2}, {NULL, 0, 0, 0, 0},
                                             {"race.cu", 3, 500, 3, 600}, {"race.cu", 3, 30, 3, 3},
                                             {"race.cu", 3, 5, 6, 2}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct cw_finding f = {.rule = "r", .message = "m", .place = places[i]};
        struct cw_run_report r = report_of(f);
        CHECK(strstr(run(&r, "text", true, false), "info: m [r]\n") != NULL);
    }
}

static void test_concise_and_json(void) {
    struct cw_run_report r = report_of(race());
    CHECK_STR(run(&r, "concise", true, false),
              "race.cu:3:5: error: lanes 0 and 16 of a warp race on s_y[16] [syncwarp-loop-race]\n");
    json_t *j = json_loads(run(&r, "json", true, false), 0, NULL);
    CHECK_STR(json_string_value(json_object_get(j, "version")), "1.2.3");
    CHECK_STR(json_string_value(json_object_get(j, "tool")), "cuwarp-lint");
    CHECK_INT(json_array_size(json_object_get(j, "findings")), 1);
    const json_t *coverage = json_object_get(j, "coverage");
    CHECK_INT(json_integer_value(json_object_get(coverage, "files")), 3);
    CHECK_INT(json_integer_value(json_object_get(coverage, "kernels")), 12);
    CHECK(json_is_array(json_object_get(coverage, "skipped")));
    json_decref(j);
}

static void test_summary(void) {
    struct cw_run_report r = {.kernels = 12, .analysed = 9, .degraded = 2, .failed = 1};
    CHECK_STR(cw_summary_text(&arena, &r),
              "no findings in 0 files; 9 of 12 kernels analysed, 2 in part; 1 file could not be analysed");
}

int main(void) {
    cw_arena_init(&arena);
    test_picture();
    test_partial_warp();
    test_columns();
    test_unsafe_bytes();
    test_where_and_notes();
    test_odd_places();
    test_concise_and_json();
    test_summary();
    cw_arena_free(&arena);
    return check_report();
}
