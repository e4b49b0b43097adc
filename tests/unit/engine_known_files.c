/* What is known of files from earlier runs is never what they no longer are. */
#include "engine/known_files.h"

#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BOUND = 64 << 20, ROUNDS = 400 };

static struct cw_arena arena;
static char folder[] = "/tmp/cuwarp-known-XXXXXX";

static const char *path_of(const char *name) {
    return cw_arena_printf(&arena, "%s/%s", folder, name);
}

static void put(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static void settle(void) {
    struct timespec t = {0, 60000000};
    nanosleep(&t, NULL);
}

static struct cw_known_files *open_with(const char *operand, uint64_t tool) {
    struct cw_cache *c = cw_cache_open(&arena, path_of("kept"), BOUND, (struct cw_hash128){tool, 2});
    return cw_known_files_open(c, &arena, &operand, 1);
}

static struct cw_known_files *open_known(void) {
    return open_with(".", 1);
}

static struct cw_hash128 hash_of(const char *text) {
    return cw_hash_wide(text, strlen(text));
}

/* As compdb/includes.c does: asked, read, told. True when it was known; the content must then be what the file holds.
 */
static bool visit(struct cw_known_files *k, const char *path, const char *text) {
    struct cw_directives d = {0};
    struct cw_hash128 content = {0};
    bool known = cw_known_files_recall(k, path, &d, &content);
    if (known) {
        struct cw_hash128 real = hash_of(text);
        CHECK(content.low == real.low && content.high == real.high);
    } else {
        cw_directives_read(&arena, cw_str_of(text), &d);
        cw_known_files_note(k, path, &d, hash_of(text));
    }
    return known;
}

static bool run(const char *path, const char *text) {
    struct cw_known_files *k = open_known();
    bool known = visit(k, path, text);
    cw_known_files_close(k);
    return known;
}

static void test_what_is_kept(void) {
    static const char text[] = "#include \"a.h\"\n#if __has_include(<b.h>)\n#include NAME\n#if __CUDA_ARCH__ >= 700\n"
                               "__global__ void k();\n";
    const char *path = path_of("kept.cu");
    struct cw_directives d = {0};
    struct cw_hash128 content;
    put(path, text);
    settle();
    CHECK(!run(path, text));
    CHECK(run(path, text));
    CHECK(run(path, text)); /* a run that has no news loses nothing */
    CHECK(cw_known_files_recall(open_known(), path, &d, &content));
    CHECK_INT(d.includes.n, 2);
    CHECK_STR(d.includes.at[0].name, "a.h");
    CHECK(!d.includes.at[0].angled && d.includes.at[1].angled && d.includes.at[1].is_optional);
    CHECK_STR(d.macro_includes.at[0], "NAME");
    CHECK_INT(d.arch_numbers.at[0], 700);
    CHECK(d.has_kernels && !d.has_launches && d.names_arch && !d.computes_arch && !d.is_open);
    CHECK(!visit(open_with("other", 1), path, text)); /* other operands, another tool */
    CHECK(!visit(open_with(".", 9), path, text));
}

static void test_marks(void) {
    const char *path = path_of("marks.h");
    enum cw_file_marks has;
    put(path, "x");
    settle();
    for (enum cw_file_marks has_marks = CW_MARKS_NONE; has_marks <= CW_MARKS_HOST; has_marks++) {
        struct cw_known_files *k = open_known();
        CHECK(!cw_known_files_has_marks(k, path, &has));
        cw_known_files_note_marks(k, path, has_marks);
        cw_known_files_close(k);
        k = open_known();
        CHECK(cw_known_files_has_marks(k, path, &has) && has == has_marks);
        put(path, "y");
        settle();
    }
}

static void keep_time(const char *path, const struct stat *st) {
    struct timespec times[2] = {st->st_atim, st->st_mtim};
    CHECK(!utimensat(AT_FDCWD, path, times, 0));
}

/* Same size and the old time of change put back, as some tools do: the time of the state tells. */
static void test_edit_with_old_time(void) {
    const char *path = path_of("edit.cu");
    struct stat st;
    put(path, "one");
    settle();
    CHECK(!run(path, "one"));
    CHECK(run(path, "one"));
    CHECK(!stat(path, &st));
    put(path, "two");
    keep_time(path, &st);
    CHECK(!run(path, "two"));
}

static void test_replaced(void) {
    const char *path = path_of("replaced.cu"), *other = path_of("other.cu");
    struct stat st;
    put(path, "one");
    put(other, "two");
    settle();
    CHECK(!run(path, "one"));
    CHECK(!stat(path, &st));
    keep_time(other, &st);
    settle();
    CHECK(!rename(other, path));
    CHECK(!run(path, "two"));
    unlink(path);
    CHECK(!run(path, ""));
}

/* Written again at once after it was read, in the same tick of the clock or not: `visit` checks what is recalled. */
static void test_within_a_tick(void) {
    const char *path = path_of("tick.cu");
    for (int i = 0; i < ROUNDS; i++) {
        const char *text = i % 2 ? "one" : "two", *next = i % 2 ? "two" : "one";
        put(path, text);
        run(path, text);
        put(path, next);
        run(path, next);
    }
}

/* A file system whose clock ticks finer than ours cannot show the case above; what the rule is made of can be. */
static bool is_settled(int64_t nanoseconds_ago, bool is_coarse) {
    struct cw_cache *c = cw_cache_open(&arena, folder, BOUND, (struct cw_hash128){1, 2});
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t at = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - nanoseconds_ago;
    struct stat st = {.st_ctim = {.tv_sec = at / 1000000000, .tv_nsec = is_coarse ? 0 : at % 1000000000 | 1}};
    return cw_cache_is_settled(c, &st);
}

static void test_when_settled(void) {
    CHECK(!is_settled(0, false));
    CHECK(!is_settled(5000000, false));
    CHECK(is_settled(100000000, false));
    CHECK(is_settled(90000000000, false));
    CHECK(!is_settled(-90000000000, false)); /* of the future: clocks disagree */
    CHECK(!is_settled(100000000, true));
    CHECK(is_settled(4500000000, true));
}

/* Between the question and the reading: the state is the one before. */
static void test_changed_meanwhile(void) {
    const char *path = path_of("meanwhile.cu");
    struct cw_directives d = {0};
    struct cw_hash128 content;
    put(path, "one");
    settle();
    struct cw_known_files *k = open_known();
    CHECK(!cw_known_files_recall(k, path, &d, &content));
    put(path, "two");
    cw_known_files_note(k, path, &d, hash_of("one"));
    cw_known_files_close(k);
    CHECK(!run(path, "two"));
}

static void test_without_cache(void) {
    struct cw_cache *off = cw_cache_open(&arena, NULL, BOUND, (struct cw_hash128){1, 2});
    const char *operand = ".", *path = path_of("kept.cu");
    struct cw_known_files *k = cw_known_files_open(off, &arena, &operand, 1);
    CHECK(!visit(k, path, "x") && !visit(k, path, "x"));
    cw_known_files_close(k);
}

int main(void) {
    cw_arena_init(&arena);
    CHECK(mkdtemp(folder) != NULL);
    test_what_is_kept();
    test_marks();
    test_edit_with_old_time();
    test_replaced();
    test_within_a_tick();
    test_when_settled();
    test_changed_meanwhile();
    test_without_cache();
    CHECK(!system(cw_arena_printf(&arena, "rm -r %s", folder)));
    cw_arena_free(&arena);
    return check_report();
}
