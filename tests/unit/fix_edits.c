/* Edits: sets without overlap, their effect against a plain model, mapping, composing, and the diff. */
#include "check.h"

#include "fix/apply/diff.h"

#include <string.h>

static struct cw_arena arena;

static const char *applied(const struct cw_edits *e, const char *text) {
    struct cw_buf out = {0};
    cw_edits_apply(e, text, strlen(text), &out);
    const char *kept = cw_arena_strdup(&arena, out.at ? out.at : "");
    cw_buf_free(&out);
    return kept;
}

static bool add(struct cw_edits *e, size_t from, size_t to, const char *text) {
    return cw_edits_add(&arena, e, (struct cw_replacement){from, to, text});
}

static void test_sets(void) {
    struct cw_edits e = {0};
    CHECK(add(&e, 4, 6, "XX"));
    CHECK(add(&e, 0, 1, ""));
    CHECK(add(&e, 4, 6, "XX")); /* the very same: one edit */
    CHECK_INT(e.at.n, 2);
    CHECK(!add(&e, 5, 7, "no"));
    CHECK(!add(&e, 6, 6, "touches"));
    CHECK(!add(&e, 4, 4, "touches"));
    CHECK(add(&e, 8, 8, "+"));
    CHECK(!add(&e, 8, 8, "-")); /* two insertions at one place have no order */
    CHECK_INT(e.at.n, 3);
    CHECK_STR(applied(&e, "abcdefghij"), "bcdXXgh+ij");
}

static void test_map(void) {
    struct cw_edits e = {0};
    add(&e, 2, 5, "X"), add(&e, 7, 7, "++");
    CHECK_INT(cw_edits_map(&e, 1).from, 1);
    CHECK_INT(cw_edits_map(&e, 3).from, 2);
    CHECK_INT(cw_edits_map(&e, 3).to, 3);
    CHECK_INT(cw_edits_map(&e, 5).from, 3);
    CHECK_INT(cw_edits_map(&e, 7).from, 5);
    CHECK_INT(cw_edits_map(&e, 7).to, 7);
    CHECK_INT(cw_edits_map(&e, 8).from, 8);
    CHECK_INT(cw_edits_map(&e, 8).to, 8);
}

static const char *line_ending(const char *text, uint32_t line) {
    struct cw_source *s = cw_source_of_text(&arena, "a.cu", text, strlen(text));
    struct cw_edit edit = {{"a.cu", line, 1, line, 1}, "x\ny"};
    return cw_edit_resolve(&arena, s, &edit).text;
}

static void test_line_endings(void) {
    CHECK_STR(line_ending("a\nb\r\n", 1), "x\ny");
    CHECK_STR(line_ending("a\nb\r\n", 2), "x\r\ny");
    CHECK_STR(line_ending("a\r\nb", 2), "x\r\ny"); /* the last line has none: as the first */
    CHECK_STR(line_ending("a\rb\r", 1), "x\ry");
    CHECK_STR(line_ending("", 1), "x\ny");
}

/* ---- random sets: composing two equals doing one after the other ---- */

static uint32_t state;

static uint32_t below(uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static struct cw_edits random_edits(size_t size) {
    static const char *const texts[] = {"", "x", "yy", "z\n", "\n", "long text"};
    struct cw_edits e = {0};
    for (uint32_t n = below(6); n > 0; n--) {
        size_t from = below((uint32_t)size + 1), to = from + below((uint32_t)(size - from < 4 ? size - from : 4) + 1);
        add(&e, from, to, texts[below(6)]);
    }
    return e;
}

static void test_composing(void) {
    static const char text[] = "0123\n567\n\nabcdefghij\nklmno";
    for (state = 1; state < 4000; state += 1) {
        uint32_t kept = state;
        struct cw_edits first = random_edits(strlen(text));
        const char *between = applied(&first, text);
        struct cw_edits second = random_edits(strlen(between));
        struct cw_edits both = cw_edits_compose(&arena, text, &first, &second);
        CHECK_STR(applied(&both, text), applied(&second, between));
        for (uint32_t i = 1; i < both.at.n; i++)
            CHECK(both.at.at[i].from > both.at.at[i - 1].to);
        state = kept;
    }
}

/* ---- the diff ---- */

static const char *diff(const char *text, const struct cw_edits *e) {
    struct cw_buf out = {0};
    cw_diff_print(&arena, "k.cu", text, strlen(text), e, &out);
    const char *kept = cw_arena_strdup(&arena, out.at ? out.at : "");
    cw_buf_free(&out);
    return kept;
}

static void test_diff(void) {
    static const char text[] = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12";
    struct cw_edits e = {0};
    CHECK_STR(diff(text, &e), "");
    add(&e, 8, 8, "new\n");
    CHECK_STR(diff(text, &e), "--- a/k.cu\n+++ b/k.cu\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n");
    add(&e, 24, 26, "twelve\n");
    CHECK_STR(diff(text, &e), "--- a/k.cu\n+++ b/k.cu\n@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n"
                              "@@ -9,4 +10,4 @@\n 9\n 10\n 11\n-12\n\\ No newline at end of file\n+twelve\n");
    struct cw_edits removed = {0};
    add(&removed, 0, 2, "");
    CHECK_STR(diff("1\n2\n", &removed), "--- a/k.cu\n+++ b/k.cu\n@@ -1,2 +1 @@\n-1\n 2\n");
    struct cw_edits inside = {0};
    add(&inside, 1, 1, "+"), add(&inside, 5, 5, "\n");
    CHECK_STR(diff("abc\ndef\n", &inside), "--- a/k.cu\n+++ b/k.cu\n@@ -1,2 +1,3 @@\n-abc\n-def\n+a+bc\n+d\n+ef\n");
    struct cw_edits before = {0}; /* in the line of a statement, whose own line stays */
    add(&before, 4, 4, "sync;\n  ");
    CHECK_STR(diff("a\n  b\n", &before), "--- a/k.cu\n+++ b/k.cu\n@@ -1,2 +1,3 @@\n a\n+  sync;\n   b\n");
    struct cw_edits same = {0};
    add(&same, 0, 1, "a");
    CHECK_STR(diff("a\nb", &same), "");
    struct cw_edits empty = {0};
    add(&empty, 0, 0, "a\n");
    CHECK_STR(diff("", &empty), "--- a/k.cu\n+++ b/k.cu\n@@ -0,0 +1 @@\n+a\n");
}

int main(void) {
    cw_arena_init(&arena);
    test_sets();
    test_map();
    test_line_endings();
    test_composing();
    test_diff();
    cw_arena_free(&arena);
    return check_report();
}
