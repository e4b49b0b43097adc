/* The folder of results: what goes in comes out, what is damaged does not, and the bound holds. */
#include "check.h"

#include "engine/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SHARE_COUNT = 64, BOUND = 64 << 20, SMALL_BOUND = SHARE_COUNT * 40960, ENTRY_BYTES = 3000, ENTRIES = 64 };

static struct cw_arena arena;
static char folder[64];

static struct cw_cache *open_bounded(uint64_t bytes) {
    return cw_cache_open(&arena, folder, bytes, (struct cw_hash128){1, 2});
}

static struct cw_unit_options unit(uint64_t contents) {
    static const char *const args[] = {"-DX", "-I", "a b"};
    struct cw_unit_options o = {.args = args, .nargs = 3, .archs = {75, 90}, .narchs = 2, .contents = {contents, 7}};
    return o;
}

static bool has(struct cw_cache *c, struct cw_hash128 key, const char *text) {
    struct cw_buf out = {0};
    bool found = cw_cache_load(c, key, &out);
    bool same = found && out.n == strlen(text) && !memcmp(out.at, text, out.n);
    CHECK(!found || same);
    cw_buf_free(&out);
    return same;
}

static bool same_key(const struct cw_unit_options *a, const char *a_path, const struct cw_unit_options *b,
                     const char *b_path) {
    struct cw_cache *c = open_bounded(BOUND);
    struct cw_hash128 x = {0}, y = {0};
    CHECK(cw_cache_key(c, a_path, a, &x));
    CHECK(cw_cache_key(c, b_path, b, &y));
    return x.low == y.low && x.high == y.high;
}

static void test_keys(void) {
    static const char *const joined[] = {"-DX", "-Ia b"}, *const spaced[] = {"-DX-I", "a b", ""};
    struct cw_unit_options a = unit(1), b = unit(1), off = unit(1);
    struct cw_hash128 key;
    CHECK(same_key(&a, "a.cu", &b, "a.cu"));
    CHECK(!same_key(&a, "a.cu", &b, "./a.cu"));
    b.contents.high++;
    CHECK(!same_key(&a, "a.cu", &b, "a.cu"));
    b = unit(1), b.narchs = 1;
    CHECK(!same_key(&a, "a.cu", &b, "a.cu"));
    b = unit(1), b.args = joined, b.nargs = 2;
    CHECK(!same_key(&a, "a.cu", &b, "a.cu"));
    b = unit(1), b.args = spaced;
    CHECK(!same_key(&a, "a.cu", &b, "a.cu"));
    b = unit(1), b.selection.enabled[3] = true;
    CHECK(!same_key(&a, "a.cu", &b, "a.cu"));
    b = unit(1), b.launch.block[0] = 32;
    CHECK(!same_key(&a, "a.cu", &b, "a.cu"));
    off.is_open = true;
    CHECK(!cw_cache_key(open_bounded(BOUND), "a.cu", &off, &key));
    off.is_open = false, off.cuda_path = "/usr/local/cuda";
    CHECK(!cw_cache_key(open_bounded(BOUND), "a.cu", &off, &key));
    CHECK(!cw_cache_key(cw_cache_open(&arena, NULL, BOUND, (struct cw_hash128){1, 2}), "a.cu", &a, &key));
    struct cw_cache *other = cw_cache_open(&arena, folder, BOUND, (struct cw_hash128){1, 3});
    struct cw_hash128 ours, theirs;
    CHECK(cw_cache_key(open_bounded(BOUND), "a.cu", &a, &ours) && cw_cache_key(other, "a.cu", &a, &theirs));
    CHECK(ours.low != theirs.low);
}

static void test_store(void) {
    struct cw_cache *c = open_bounded(BOUND);
    struct cw_hash128 key = {0x1234, 0x99}, other = {0x1235, 0x99};
    CHECK(!has(c, key, ""));
    cw_cache_store(c, key, "first", 5);
    CHECK(has(c, key, "first"));
    CHECK(!has(c, other, ""));
    cw_cache_store(c, key, "second", 6);
    CHECK(has(open_bounded(BOUND), key, "second"));
    cw_cache_store(c, other, "", 0);
    CHECK(has(c, other, ""));
    cw_cache_close(c);
    CHECK(has(c, key, "second"));
}

static void test_covers(void) {
    struct cw_cache *c = open_bounded(BOUND);
    struct cw_unit_options o = unit(1);
    const char *const files[] = {"/etc", "/usr/lib"}, *const reads[] = {"/usr/../etc", "/usr/./lib", "/etc"};
    const char *const more[] = {"/etc", "/usr"};
    o.files = files;
    o.nfiles = 2;
    CHECK(cw_cache_covers(c, &o, reads, 3));
    CHECK(cw_cache_covers(c, &o, NULL, 0));
    CHECK(!cw_cache_covers(c, &o, more, 2));
    char path[100];
    const char *const changing[] = {path};
    snprintf(path, sizeof path, "%s/read", folder);
    o.files = changing;
    o.nfiles = 1;
    CHECK(!cw_cache_covers(c, &o, changing, 1)); /* gone meanwhile */
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    CHECK(fd >= 0);
    close(fd);
    CHECK(!cw_cache_covers(c, &o, changing, 1)); /* written meanwhile */
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    CHECK(cw_cache_covers(open_bounded(BOUND), &o, changing, 1));
}

/* Entries of one share, the first of which are the oldest. */
static struct cw_hash128 nth(uint64_t i) {
    return (struct cw_hash128){i * 7919, 5 + i * SHARE_COUNT};
}

static void set_age(uint64_t i, time_t seconds) {
    char path[200];
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    struct cw_hash128 k = nth(i);
    snprintf(path, sizeof path, "%s/05/%016llx%016llx", folder, (unsigned long long)k.high, (unsigned long long)k.low);
    CHECK(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void test_bound(void) {
    char text[ENTRY_BYTES];
    struct cw_buf out = {0};
    struct cw_cache *c = open_bounded(SMALL_BOUND);
    uint32_t left = 0;
    memset(text, 'x', sizeof text);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        cw_cache_store(c, nth(i), text, sizeof text);
        set_age(i, (time_t)(100000 - i * 1000));
    }
    CHECK(cw_cache_load(c, nth(2), &out)); /* used now: young again */
    cw_cache_close(c);
    for (uint64_t i = 0; i < ENTRIES; i++)
        left += cw_cache_load(c, nth(i), &out);
    CHECK(left > 3 && left <= 40960 / ENTRY_BYTES);
    CHECK(cw_cache_load(c, nth(ENTRIES - 1), &out));
    CHECK(cw_cache_load(c, nth(2), &out));
    CHECK(!cw_cache_load(c, nth(1), &out));
    cw_cache_store(c, nth(1), text, 40960); /* too large for its share */
    CHECK(!cw_cache_load(c, nth(1), &out));
    cw_buf_free(&out);
}

/* ---- large files ---- */

static int file_with(size_t n, int c) {
    static char text[1 << 20];
    char path[100];
    snprintf(path, sizeof path, "%s/made", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    memset(text, c, sizeof text);
    CHECK(fd >= 0 && write(fd, text, n) == (ssize_t)n);
    return fd;
}

/* A file of so many bytes goes in; its hash. */
static bool store_file(struct cw_cache *c, size_t n, int with, struct cw_hash128 *content) {
    int fd = file_with(n, with);
    bool stored = cw_cache_store_file(c, fd, content);
    close(fd);
    return stored;
}

static bool has_file(struct cw_cache *c, struct cw_hash128 content, size_t n, char with) {
    int fd = cw_cache_open_file(c, content);
    char first = 0;
    if (fd < 0)
        return false;
    CHECK(pread(fd, &first, 1, 0) == 1 && first == with);
    CHECK(pread(fd, &first, 1, (off_t)n - 1) == 1 && first == with);
    CHECK(pread(fd, &first, 1, (off_t)n) == 0);
    close(fd);
    return true;
}

static const char *path_of_file(struct cw_hash128 content) {
    return cw_arena_printf(&arena, "%s/files/%016llx%016llx", folder, (unsigned long long)content.high,
                           (unsigned long long)content.low);
}

static void test_files(void) {
    struct cw_cache *c = open_bounded(BOUND), *off = cw_cache_open(&arena, NULL, BOUND, (struct cw_hash128){1, 2});
    struct cw_hash128 one, two, empty;
    CHECK(cw_cache_takes_files(c));
    CHECK(!cw_cache_takes_files(off));
    CHECK(!cw_cache_takes_files(cw_cache_open(&arena, "/dev/null/x", BOUND, (struct cw_hash128){1, 2})));
    CHECK(store_file(c, 100000, 'a', &one));
    CHECK(store_file(c, 100000, 'b', &two));
    CHECK(one.low != two.low);
    CHECK(has_file(c, one, 100000, 'a'));
    CHECK(has_file(open_bounded(BOUND), two, 100000, 'b'));
    CHECK(!store_file(off, 10, 'a', &empty));
    CHECK(!store_file(c, 0, 'a', &empty));
    CHECK(!has_file(off, one, 0, 'a'));
    CHECK(truncate(path_of_file(one), 99999) == 0);
    CHECK(!has_file(c, one, 0, 'a'));
    CHECK(rename(path_of_file(two), path_of_file(one)) == 0); /* whole, but another */
    CHECK(!has_file(c, one, 0, 'b'));
    CHECK(!has_file(c, two, 0, 'b'));
    CHECK(store_file(c, 100000, 'a', &one)); /* in place of what is there */
    CHECK(has_file(c, one, 100000, 'a'));
    unlink(path_of_file(one));
    CHECK(symlink("/etc/passwd", path_of_file(one)) == 0);
    CHECK(!has_file(c, one, 0, 'a'));
    unlink(path_of_file(one));
}

/* A quarter of the bound is theirs; what was used longest ago goes. */
static void test_bound_of_files(void) {
    enum { SIZE = 60000, N = 20 };
    struct cw_cache *c = open_bounded(SMALL_BOUND);
    struct cw_hash128 content[N];
    uint32_t left = 0;
    for (int i = 0; i < N; i++) {
        struct timespec times[2] = {{.tv_sec = time(NULL) - 100000 + i * 1000},
                                    {.tv_sec = time(NULL) - 100000 + i * 1000}};
        CHECK(store_file(c, SIZE, 'a' + i, &content[i]));
        CHECK(utimensat(AT_FDCWD, path_of_file(content[i]), times, 0) == 0);
    }
    CHECK(has_file(c, content[2], SIZE, 'c')); /* used now: young again */
    cw_cache_close(c);
    for (int i = 0; i < N; i++)
        left += has_file(c, content[i], SIZE, (char)('a' + i));
    CHECK(left > 3 && left <= SMALL_BOUND / 4 / SIZE);
    CHECK(has_file(c, content[N - 1], SIZE, 'a' + N - 1));
    CHECK(has_file(c, content[2], SIZE, 'c'));
    CHECK(!has_file(c, content[1], SIZE, 'b'));
    CHECK(!store_file(c, SMALL_BOUND / 4, 'x', &content[0])); /* too large for its share */
}

static void fill(int seed) {
    char text[100];
    struct cw_cache *c = open_bounded(SMALL_BOUND);
    struct cw_buf out = {0};
    for (int round = 0; round < 300; round++) {
        uint64_t i = (uint64_t)((round * 31 + seed * 17) % 40);
        int n = snprintf(text, sizeof text, "content of entry %d, and nothing else", (int)i);
        if (cw_cache_load(c, nth(i + 1000), &out) && (out.n != (size_t)n || memcmp(out.at, text, out.n) != 0))
            _exit(1);
        cw_cache_store(c, nth(i + 1000), text, (size_t)n);
        if (round % 50 == 0)
            cw_cache_close(c);
    }
    _exit(0);
}

static void test_processes(void) {
    pid_t child[4];
    for (int i = 0; i < 4; i++) {
        child[i] = fork();
        if (child[i] == 0)
            fill(i);
    }
    for (int i = 0; i < 4; i++) {
        int status = -1;
        CHECK(waitpid(child[i], &status, 0) == child[i]);
        CHECK_INT(status, 0);
    }
}

static void test_tool(void) {
    struct cw_hash128 a = cw_cache_tool(), b = cw_cache_tool();
    CHECK(a.low == b.low && a.high == b.high && a.low != 0);
    setenv("XDG_CACHE_HOME", "/x", 1);
    CHECK_STR(cw_cache_default_folder(&arena), "/x/cuwarp-lint");
    setenv("XDG_CACHE_HOME", "relative", 1); /* the specification: to be ignored */
    setenv("HOME", "/h", 1);
    CHECK_STR(cw_cache_default_folder(&arena), "/h/.cache/cuwarp-lint");
    unsetenv("HOME");
    CHECK(cw_cache_default_folder(&arena) == NULL);
}

static void remove_all(const char *path) {
    char inner[400];
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));) {
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(inner))
            remove_all(inner);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

int main(void) {
    cw_arena_init(&arena);
    snprintf(folder, sizeof folder, "/tmp/cuwarp-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    test_keys();
    test_store();
    test_covers();
    test_bound();
    test_files();
    test_bound_of_files();
    test_processes();
    test_tool();
    remove_all(folder);
    cw_arena_free(&arena);
    return check_report();
}
