/* compile_commands.json in its documented forms, and such that nobody should write. */
#include "compdb/database.h"

#include "check.h"

#include <stdlib.h>

static struct cw_arena arena;

static bool no_file(void *ctx, const char *path, struct cw_arena *a, cw_str *text) {
    (void)ctx, (void)path, (void)a, (void)text;
    return false;
}

static struct cw_database *parse_n(const char *text, size_t n) {
    const char *error = NULL;
    struct cw_database *d =
        cw_database_parse(&arena, (cw_str){text, n}, "/base", (struct cw_reader){no_file, NULL}, &error);
    CHECK((d == NULL) == (error != NULL));
    return d;
}

static struct cw_database *parse(const char *text) {
    return parse_n(text, strlen(text));
}

static const char *args_of(struct cw_database *d, struct cw_command_entry *e) {
    const char *text = "";
    const struct cw_compile *c = cw_database_compile(d, e);
    for (uint32_t i = 0; i < c->args.n; i++)
        text = cw_arena_printf(&arena, "%s%s%s", text, i ? " " : "", c->args.at[i]);
    return text;
}

static void test_forms(void) {
    struct cw_database *d =
        parse("[{\"directory\": \"/w\", \"command\": \"nvcc -Ii \\\"-DA=a b\\\" -c a.cu\", \"file\": \"a.cu\"},"
              " {\"directory\": \"rel\", \"arguments\": [\"clang++\", \"-x\", \"cuda\", \"-DB=b c\", \"x/b.cc\"], "
              "\"file\": \"x/b.cc\"},"
              " {\"directory\": \"/w\", \"command\": \"g++ -c c.cpp\", \"file\": \"/w/c.cpp\", \"output\": \"c.o\"}]");
    CHECK_INT(d->entries.n, 3);
    CHECK_STR(d->entries.at[0].file, "/w/a.cu");
    CHECK_STR(d->entries.at[1].file, "/base/rel/x/b.cc");
    CHECK_STR(args_of(d, &d->entries.at[0]), "-I/w/i -DA=a b");
    CHECK_STR(args_of(d, &d->entries.at[1]), "-DB=b c");
    CHECK(cw_database_is_cuda(d, &d->entries.at[0]));
    CHECK(cw_database_is_cuda(d, &d->entries.at[1]));
    CHECK(!cw_database_is_cuda(d, &d->entries.at[2]));
    CHECK(cw_database_find(d, "/w/a.cu") == &d->entries.at[0]);
    CHECK(cw_database_find(d, "/v/a.cu") == NULL);
    CHECK(cw_database_find(d, "/w/none.cu") == NULL);
    CHECK(cw_database_nearest(d, "/w/h.cuh") == &d->entries.at[0]);
    CHECK(cw_database_nearest(d, "/base/rel/y/h.cuh") == &d->entries.at[1]);
}

/* One file may be compiled several times; the CUDA one counts, then the first. */
static void test_repeated(void) {
    struct cw_database *d =
        parse("[{\"directory\": \"/w\", \"command\": \"g++ -DHOST a.cpp\", \"file\": \"a.cpp\"},"
              " {\"directory\": \"/w\", \"command\": \"nvcc -x cu -DONE a.cpp\", \"file\": \"a.cpp\"},"
              " {\"directory\": \"/w\", \"command\": \"nvcc -x cu -DTWO a.cpp\", \"file\": \"a.cpp\"},"
              " {\"directory\": \"/v\", \"command\": \"nvcc -DV a.cpp\", \"file\": \"a.cpp\"}]");
    CHECK(cw_database_find(d, "/w/a.cpp") == &d->entries.at[1]);
    CHECK(cw_database_find(d, "/v/a.cpp") == &d->entries.at[3]);
}

static void test_malformed(void) {
    CHECK(parse("") == NULL);
    CHECK(parse("{}") == NULL);
    CHECK(parse("[{\"file\": \"a.cu\", ") == NULL);
    CHECK(parse("\"text\"") == NULL);
    CHECK(parse_n("[]\0garbage", 10) == NULL);
    struct cw_database *d =
        parse("[1, null, [], {}, {\"file\": 3, \"command\": \"x\"}, {\"file\": \"a.cu\"},"
              " {\"file\": \"\", \"command\": \"x\"}, {\"file\": \"a.cu\", \"arguments\": [1]},"
              " {\"file\": \"a.cu\", \"arguments\": []}, {\"file\": \"a.cu\", \"arguments\": \"x\"},"
              " {\"file\": \"ok.cu\", \"command\": \"\"}, {\"file\": \"b\\u0000.cu\", \"command\": \"x\"}]");
    CHECK(d == NULL); /* a NUL in a string is no JSON text for anybody's file names */
    d = parse("[1, null, [], {}, {\"file\": 3, \"command\": \"x\"}, {\"file\": \"a.cu\"},"
              " {\"file\": \"\", \"command\": \"x\"}, {\"file\": \"a.cu\", \"arguments\": [1]},"
              " {\"file\": \"a.cu\", \"arguments\": []}, {\"file\": \"a.cu\", \"arguments\": \"x\"},"
              " {\"file\": \"ok.cu\", \"command\": \"\"}]");
    CHECK_INT(d->entries.n, 1);
    CHECK_INT(d->malformed, 10);
    CHECK_STR(args_of(d, &d->entries.at[0]), "");
    CHECK(cw_database_nearest(parse("[]"), "/x") == NULL);
}

/* A string of ten megabytes, and nesting without end. */
static void test_large(void) {
    size_t n = 10 << 20;
    char *text = malloc(n + 200);
    if (!text)
        return;
    size_t at = (size_t)sprintf(text, "[{\"file\": \"a.cu\", \"command\": \"nvcc -DA ");
    memset(text + at, 'x', n);
    strcpy(text + at + n, " -DB\"}]");
    struct cw_database *d = parse(text);
    CHECK_INT(d->entries.n, 1);
    CHECK_STR(args_of(d, &d->entries.at[0]), "-DA -DB");
    memset(text, '[', n);
    CHECK(parse_n(text, n) == NULL);
    free(text);
}

static void test_files(void) {
    const char *error = NULL;
    CHECK(cw_database_load(&arena, "/no/such/place", &error) == NULL && error);
    error = NULL;
    CHECK(cw_database_load(&arena, "/dev/zero", &error) == NULL && error);
    error = NULL;
    CHECK(cw_database_load(&arena, CW_TEST_DIR, &error) == NULL && error); /* a directory without the file */
}

int main(void) {
    cw_arena_init(&arena);
    test_forms();
    test_repeated();
    test_malformed();
    test_large();
    test_files();
    cw_arena_free(&arena);
    return check_report();
}
