/* Loading files, and the way between offsets and places. */
#include "check.h"

#include "source/source.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cw_arena arena;

static struct cw_source *source_of(const char *text) {
    return cw_source_of_text(&arena, "t.cu", text, strlen(text));
}

static void check_place(const struct cw_source *s, size_t offset, uint32_t line, uint32_t col) {
    uint32_t got_line = 0, got_col = 0;
    cw_source_place(s, offset, &got_line, &got_col);
    CHECK_INT(got_line, line);
    CHECK_INT(got_col, col);
}

static void check_line(const struct cw_source *s, uint32_t line, const char *text) {
    CHECK(cw_str_is(cw_source_line(s, line), text));
}

static void test_places(void) {
    struct cw_source *s = source_of("ab\ncd\n\nx");
    CHECK_INT(cw_source_lines(s), 4);
    check_place(s, 0, 1, 1);
    check_place(s, 2, 1, 3); /* the line ending belongs to its line */
    check_place(s, 3, 2, 1);
    check_place(s, 6, 3, 1);
    check_place(s, 7, 4, 1);
    check_place(s, 8, 4, 2);
    check_place(s, 1000, 4, 2);
    check_line(s, 2, "cd");
    check_line(s, 3, "");
    check_line(s, 4, "x");
    check_line(s, 0, "");
    check_line(s, 5, "");
    CHECK_INT(cw_source_offset(s, 2, 2), 4);
    CHECK_INT(cw_source_offset(s, 2, 99), 5); /* stays in its line */
    CHECK_INT(cw_source_offset(s, 99, 1), 8);
    CHECK_INT(cw_source_offset(s, 0, 0), 0);
    CHECK(cw_str_is(cw_source_range(s, 1, 2, 2, 2), "b\nc"));
    CHECK(cw_str_is(cw_source_range(s, 2, 2, 1, 1), ""));
}

static void test_every_offset_returns(void) {
    struct cw_source *s = source_of("\r\na\rb\nc\r\n\r\r\nd");
    for (size_t offset = 0; offset <= s->size; offset++) {
        uint32_t line = 0, col = 0;
        cw_source_place(s, offset, &line, &col);
        bool in_ending = col > cw_source_line(s, line).n + 1;
        CHECK(in_ending || cw_source_offset(s, line, col) == offset);
    }
}

static void test_line_endings(void) {
    struct cw_source *s = source_of("a\r\nb\rc\n");
    CHECK_INT(cw_source_lines(s), 4);
    check_line(s, 1, "a");
    check_line(s, 2, "b");
    check_line(s, 3, "c");
    check_line(s, 4, "");
    check_place(s, 3, 2, 1);
    check_place(s, 5, 3, 1);
}

static void test_empty(void) {
    struct cw_source *s = source_of("");
    CHECK_INT(cw_source_lines(s), 1);
    check_place(s, 0, 1, 1);
    check_line(s, 1, "");
    CHECK(!s->is_binary && !s->has_bom);
}

static void test_marks(void) {
    struct cw_source *s = source_of("\xEF\xBB\xBF#x");
    CHECK(s->has_bom);
    CHECK_STR(s->text, "#x");
    CHECK_INT(s->size, 2);
    check_place(s, 1, 1, 2);
    CHECK(cw_source_of_text(&arena, "t", "a\0b", 3)->is_binary);
    CHECK(!source_of("\xEF\xBB")->has_bom);
}

static void test_cells(void) {
    CHECK_INT(cw_source_cells(CW_STR("\tab"), 2, 4), 5);
    CHECK_INT(cw_source_cells(CW_STR("ab\tc"), 4, 4), 5);
    CHECK_INT(cw_source_cells(CW_STR("\xC3\xA9x"), 3, 8), 2);           /* e acute, two bytes, one cell */
    CHECK_INT(cw_source_cells(CW_STR("\xE4\xB8\xAD"), 3, 8), 2);        /* a Chinese character is wide */
    CHECK_INT(cw_source_cells(CW_STR("e\xCC\x81"), 3, 8), 1);           /* combining accent */
    CHECK_INT(cw_source_cells(CW_STR("\xFF\xC3"), 2, 8), 2);            /* malformed: a cell a byte */
    CHECK_INT(cw_source_cells(CW_STR("\xE4\xB8\xAD"), 99, 8), 2);
    uint32_t code = 0;
    CHECK_INT(cw_utf8_decode(CW_STR("\xF0\x9F\x98\x80"), &code), 4);
    CHECK_INT(code, 0x1F600);
    CHECK_INT(cw_utf8_decode(CW_STR("\xC0\x80"), &code), 1); /* overlong */
    CHECK_INT(code, 0xFFFD);
    CHECK_INT(cw_utf8_decode(CW_STR("\xED\xA0\x80"), &code), 1); /* surrogate */
    CHECK_INT(cw_utf8_decode(CW_STR("\xE2\x82"), &code), 1);     /* cut short */
    CHECK_INT(cw_utf8_decode(CW_STR(""), &code), 0);
}

static void write_file(const char *path, const char *text, size_t n) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0)
        abort();
}

static void check_fails(const char *path, const char *reason) {
    const char *error = NULL;
    CHECK(cw_source_load(&arena, path, &error) == NULL);
    CHECK_STR(error, reason);
}

static void test_load(void) {
    char folder[] = "/tmp/cw-source-XXXXXX", path[64];
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/a.cu", folder);
    write_file(path, "\xEF\xBB\xBFx\r\ny", 7);
    const char *error = NULL;
    struct cw_source *s = cw_source_load(&arena, path, &error);
    CHECK(s && s->has_bom && s->size == 4);
    CHECK_STR(s ? s->path : NULL, path);
    check_fails(folder, "Is a directory");
    if (truncate(path, (off_t)CW_SOURCE_MAX_BYTES + 1) != 0)
        abort();
    check_fails(path, "larger than 64 MB");
    unlink(path);
    check_fails(path, "No such file or directory");
    if (mkfifo(path, 0600) != 0)
        abort();
    check_fails(path, "not a regular file (a FIFO, device or socket)"); /* at once: nobody writes to it */
    unlink(path);
    rmdir(folder);
}

static void test_load_pipe(void) {
    int ends[2];
    char text[10000];
    memset(text, 'x', sizeof text);
    if (pipe(ends) != 0 || write(ends[1], text, sizeof text) != (ssize_t)sizeof text)
        abort();
    close(ends[1]);
    const char *error = NULL;
    struct cw_source *s = cw_source_load_fd(&arena, ends[0], "-", &error);
    CHECK(s && s->size == sizeof text && memcmp(s->text, text, sizeof text) == 0 && s->text[s->size] == '\0');
    close(ends[0]);
}

int main(void) {
    cw_arena_init(&arena);
    test_places();
    test_every_offset_returns();
    test_line_endings();
    test_empty();
    test_marks();
    test_cells();
    test_load();
    test_load_pipe();
    cw_arena_free(&arena);
    return check_report();
}
