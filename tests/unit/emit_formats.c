/* Every format on places that are not there, missing texts and random bytes: no crash, and JSON stays JSON. */
#include "check.h"

#include "emit/emit.h"
#include "emit/places.h"
#include "emit/xml.h"

#include <jansson.h>
#include <stdlib.h>

static struct cw_arena arena;

static const char source_text[] = "one\n\xff\xfe\xc3\n\r\n\t\xf0\x9f\x98\x80 ab\n\n   \nlast line without an end";

static const struct cw_source *source_of(void *ctx, const char *file) {
    return strcmp(file, "a.cu") ? NULL : ctx;
}

/* What the format prints (malloc'd). */
static char *print(const struct cw_format *format, const struct cw_run_report *report) {
    struct cw_buf out = {0};
    struct cw_source *s = cw_source_of_text(&arena, "a.cu", source_text, sizeof source_text - 1);
    struct cw_emit e = {.report = report, .arena = &arena, .source_of = source_of, .ctx = s, .width = 60, .out = &out};
    format->emit(&e);
    cw_buf_putc(&out, '\0');
    return out.at;
}

static bool is_json(const char *name) {
    static const char *const names[] = {"json", "sarif", "gitlab", "rdjson"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void try_all(const struct cw_run_report *report) {
    for (uint32_t i = 0; i < cw_nformats; i++) {
        char *text = print(&cw_formats[i], report);
        if (is_json(cw_formats[i].name)) {
            json_t *j = json_loads(text, 0, NULL);
            CHECK(j != NULL);
            json_decref(j);
        } else {
            uint32_t code, n;
            for (cw_str s = cw_str_of(text); (n = cw_utf8_decode(s, &code)); s = (cw_str){s.at + n, s.n - n})
                if (code == 0xfffd && n == 1) {
                    CHECK_STR("a byte that is not UTF-8", cw_formats[i].name);
                    break;
                }
        }
        free(text);
    }
}

/* ---- random findings ---- */

static uint32_t random_state;

static uint32_t next(uint32_t below) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* Mostly near the text, sometimes far from it. */
static uint32_t number(void) {
    static const uint32_t odd[] = {0, 1, 7, 8, 9, 100, 4096, UINT32_MAX - 1, UINT32_MAX};
    return next(3) ? next(10) : odd[next(sizeof odd / sizeof odd[0])];
}

static const char *any_text(void) {
    char bytes[24];
    uint32_t n = next(sizeof bytes);
    for (uint32_t i = 0; i < n; i++)
        bytes[i] = (char)(1 + next(255));
    return cw_arena_strndup(&arena, bytes, n);
}

static struct cw_place place(void) {
    static const char *const files[] = {"a.cu", "a.cu", "b.cu", "", "/", NULL};
    return (struct cw_place){files[next(6)], number(), number(), number(), number()};
}

static struct cw_fix fix(void) {
    struct cw_fix x = {.message = any_text(), .safe = next(2)};
    for (uint32_t k = next(4); k--;)
        cw_vec_push(&arena, &x.edits, ((struct cw_edit){place(), any_text()}));
    return x;
}

static void add_witness(struct cw_witness *w) {
    *w = (struct cw_witness){.present = true,
                             .block = {number(), number(), number()},
                             .grid = {number(), 1, 1},
                             .warp = (int32_t)number(),
                             .iteration = (int64_t)number() - 1,
                             .has_mask = next(2),
                             .mask = number()};
    for (uint32_t k = next(3); k--;) {
        cw_vec_push(&arena, &w->rows, ((struct cw_lane_row){"arrive", number(), next(2) ? any_text() : NULL, 0}));
        cw_vec_push(&arena, &w->facts, ((struct cw_witness_fact){any_text(), any_text()}));
        cw_vec_push(&arena, &w->lanes, number());
    }
}

static struct cw_finding finding(void) {
    struct cw_finding f = {.rule = next(4) ? "rule" : "other-rule",
                           .severity = (enum cw_severity)next(3),
                           .confidence = (enum cw_confidence)next(2),
                           .message = any_text(),
                           .place = place(),
                           .kernel = next(2) ? any_text() : NULL,
                           .help = next(2) ? any_text() : NULL};
    for (uint32_t k = next(4); k--;) {
        cw_vec_push(&arena, &f.notes, ((struct cw_remark){place(), any_text()}));
        cw_vec_push(&arena, &f.labels, ((struct cw_remark){place(), any_text()}));
        cw_vec_push(&arena, &f.fixes, fix());
    }
    f.nsteps = f.notes.n ? next(f.notes.n + 1) : 0;
    if (next(3) == 0)
        cw_vec_push(&arena, &f.inlined_at, ((struct cw_remark){place(), any_text()}));
    if (next(3))
        add_witness(&f.witness);
    return f;
}

static void test_random_reports(void) {
    for (uint32_t seed = 1; seed <= 150; seed++) {
        struct cw_run_report r = {.version = "1", .fail_on = CW_WARNING};
        random_state = seed;
        for (uint32_t k = next(4); k--;) {
            cw_vec_push(&arena, &r.findings, finding());
            cw_vec_push(&arena, &r.suppressed, finding());
            cw_vec_push(&arena, &r.files,
                        ((struct cw_file_result){.path = any_text(), .failed = next(2), .failure = any_text()}));
            cw_vec_push(
                &arena, &r.rules,
                ((struct cw_rule_info){.name = "rule", .category = "mask", .summary = any_text(), .doc = any_text()}));
        }
        try_all(&r);
    }
}

/* ---- columns ---- */

static struct cw_place utf16(struct cw_emit *e, uint32_t line, uint32_t col, uint32_t end_line, uint32_t end_col) {
    struct cw_place p = {"a.cu", line, col, end_line, end_col};
    return cw_emit_utf16(e, &p);
}

static void test_utf16_columns(void) {
    struct cw_run_report r = {0};
    struct cw_source *s = cw_source_of_text(&arena, "a.cu", source_text, sizeof source_text - 1);
    struct cw_emit e = {.report = &r, .arena = &arena, .source_of = source_of, .ctx = s};
    struct cw_place p = utf16(&e, 4, 7, 4, 9); /* tab, four bytes that are two units, blank, "ab" */
    CHECK_INT(p.col, 5);
    CHECK_INT(p.end_col, 7);
    p = utf16(&e, 2, 2, 2, 4); /* three bytes that are no text count one each */
    CHECK_INT(p.col, 2);
    CHECK_INT(p.end_col, 4);
    p = utf16(&e, 1, 9, 1, 2); /* the end is never before the start */
    CHECK_INT(p.end_col, p.col);
    p = utf16(&e, 99, 3, 99, 5); /* no such line: as they are */
    CHECK_INT(p.col, 3);
    CHECK_INT(p.end_col, 5);
}

static void test_xml_text(void) {
    struct cw_buf b = {0};
    cw_xml_puts(&b, "<a b='c'>\"&\t\n\r\x01\x7f\xff\xef\xbf\xbe\xed\xa0\x80 \xc3\xa9");
    CHECK_STR(b.at, "&lt;a b=&#39;c&#39;&gt;&quot;&amp;&#9;&#10;&#13;\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xc3\xa9");
    cw_buf_free(&b);
}

int main(void) {
    cw_arena_init(&arena);
    test_random_reports();
    test_utf16_columns();
    test_xml_text();
    cw_arena_free(&arena);
    return check_report();
}
