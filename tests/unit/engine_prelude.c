/* Which preludes are made, for whom, and that nothing is left of them. */
#include "check.h"

#include "engine/prelude.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cw_arena arena;

static int entries(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    CHECK(d != NULL);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n - 2; /* "." and ".." */
}

static const char *const paths_only[] = {"-DX=1", "-I", "/nowhere"}, *const twenty[] = {"-DY", "-std=c++20"};

static struct cw_front_options with(uint32_t arch, const char *const *args, uint32_t n) {
    return (struct cw_front_options){.path = "a.cu", .arch = arch, .args = args, .nargs = n};
}

static void count(struct cw_preludes *p, const struct cw_front_options *o, int n) {
    for (int i = 0; i < n; i++)
        CHECK(!cw_preludes_count(p, o)); /* no headers */
}

static void test_made_when_many_share_it(const char *folder) {
    struct cw_preludes p = {.arena = &arena};
    struct cw_front_options plain = with(75, NULL, 0), paths = with(75, paths_only, 3), newer = with(75, twenty, 2),
                            other = with(90, NULL, 0);
    count(&p, &plain, 10);
    count(&p, &paths, 10);
    count(&p, &newer, 20);
    count(&p, &other, 2);
    CHECK_INT(p.list.n, 3);
    CHECK(!cw_preludes_find(&p, &plain)); /* not yet */
    cw_preludes_make(&p);
    const char *shared = cw_preludes_find(&p, &plain), *second = cw_preludes_find(&p, &newer);
    CHECK(shared && access(shared, R_OK) == 0);
    CHECK(cw_preludes_find(&p, &paths) == shared);
    CHECK(second && second != shared);
    CHECK(!cw_preludes_find(&p, &other)); /* two units do not pay for it */
    CHECK_INT(entries(folder), 0);
    cw_preludes_close(&p);
    CHECK(!cw_preludes_find(&p, &plain));
    CHECK(shared && access(shared, R_OK) != 0);
}

static void test_done_without(void) {
    struct cw_preludes few = {.arena = &arena}, lost = {.arena = &arena}, toolkit = {.arena = &arena};
    struct cw_front_options plain = with(75, NULL, 0), real = plain;
    real.cuda_path = "/nowhere";
    count(&few, &plain, 3);
    cw_preludes_make(&few);
    CHECK(!cw_preludes_find(&few, &plain));

    setenv("TMPDIR", "/nowhere/at/all", 1);
    count(&lost, &plain, 50);
    cw_preludes_make(&lost);
    CHECK(!cw_preludes_find(&lost, &plain));

    count(&toolkit, &real, 50);
    cw_preludes_make(&toolkit);
    CHECK(!cw_preludes_find(&toolkit, &real));
    CHECK(!cw_preludes_find(NULL, &plain));
    cw_preludes_close(&few);
    cw_preludes_close(&lost);
    cw_preludes_close(&toolkit);
}

/* ---- kept for later runs ---- */

static char top[] = "/tmp/cuwarp-kept-XXXXXX";

static const char *path_of(const char *name) {
    return cw_arena_printf(&arena, "%s/%s", top, name);
}

static struct cw_preludes run_with(const char *folder) {
    struct cw_cache *c = cw_cache_open(&arena, folder, 64 << 20, (struct cw_hash128){1, 2});
    return (struct cw_preludes){.arena = &arena, .cache = c};
}

/* A run over one file, which takes its prelude from an earlier one or leaves it to a later one. */
static bool finds_kept(const char *folder, const struct cw_front_options *o, const struct cw_beginning *b) {
    struct cw_preludes p = run_with(folder);
    struct cw_front_options use = *o;
    CHECK_INT(cw_preludes_count(&p, o), o->nshared > 0);
    if (b)
        cw_preludes_rest_on(&p, b);
    CHECK(!cw_preludes_count(&p, o)); /* known now */
    cw_preludes_make(&p);
    bool found = cw_preludes_has_some(&p);
    CHECK_INT(!o->nshared && cw_preludes_find(&p, &use) != NULL, !o->nshared && found);
    CHECK_INT(p.list.at[0].notes != NULL, found && o->nshared);
    cw_preludes_start_later(&p);
    CHECK_INT(p.list.at[0].folder != NULL,
              !found && !p.list.at[0].is_refused && p.list.at[0].is_keepable && strcmp(folder, "/dev/null/x"));
    cw_preludes_finish_later(&p);
    cw_preludes_close(&p);
    cw_cache_close(p.cache);
    return found;
}

static void write_at(const char *name, const char *text, long at) {
    FILE *f = fopen(path_of(name), at < 0 ? "wb" : "r+b");
    CHECK(f != NULL);
    if (f && at > 0)
        CHECK(fseek(f, at, SEEK_SET) == 0);
    if (f)
        fputs(text, f);
    if (f)
        fclose(f);
    usleep(30000); /* settled: a later change can be told from it */
}

/* The only large file of the cache. */
static const char *kept_file(void) {
    const char *found = NULL;
    DIR *d = opendir(path_of("kept/files"));
    CHECK(d != NULL);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') {
            CHECK(!found && strlen(e->d_name) == 32);
            found = cw_arena_printf(&arena, "kept/files/%s", e->d_name);
        }
    if (d)
        closedir(d);
    return found;
}

static void damaged_ones(const struct cw_front_options *o) {
    const char *kept = path_of("kept"), *file = kept_file();
    CHECK(file != NULL);
    if (!file)
        return;
    write_at(file, "X", 5000); /* one byte */
    CHECK(!finds_kept(kept, o, NULL));
    CHECK(finds_kept(kept, o, NULL)); /* made anew */
    CHECK(truncate(path_of(kept_file()), 5000) == 0);
    CHECK(!finds_kept(kept, o, NULL));
    CHECK(finds_kept(kept, o, NULL));
    CHECK(truncate(path_of(kept_file()), 0) == 0);
    CHECK(!finds_kept(kept, o, NULL));
    CHECK(finds_kept(kept, o, NULL));
    unlink(path_of(kept_file()));
    CHECK(!finds_kept(kept, o, NULL));
    CHECK(finds_kept(kept, o, NULL));
}

static void test_kept(void) {
    const char *kept = path_of("kept");
    struct cw_front_options plain = with(75, NULL, 0), paths = with(75, paths_only, 3), newer = with(75, twenty, 2),
                            other = with(90, NULL, 0);
    CHECK(!finds_kept(kept, &plain, NULL));
    CHECK(finds_kept(kept, &plain, NULL));
    CHECK(finds_kept(kept, &paths, NULL)); /* macros and paths may differ */
    damaged_ones(&plain);
    CHECK(!finds_kept(kept, &newer, NULL));
    CHECK(!finds_kept(kept, &other, NULL));
    CHECK(finds_kept(kept, &newer, NULL));
    CHECK(!finds_kept("/dev/null/x", &plain, NULL));
    CHECK(!finds_kept("/dev/null/x", &plain, NULL));
    struct cw_preludes many = run_with(path_of("many")); /* what pays at once is kept too */
    count(&many, &plain, 20);
    cw_preludes_make(&many);
    cw_preludes_close(&many);
    CHECK(finds_kept(path_of("many"), &plain, NULL));
}

/* What has to be the same is in the key, and files are asked for their time, as libclang does. */
static void test_kept_headers(void) {
    const char *kept = path_of("kept"), *header = path_of("h.cuh"), *more = path_of("more.cuh");
    const char *large = cw_arena_printf(&arena, "#pragma once\n#include \"more.cuh\"\n// %020000d\n", 0);
    const char *const headers[] = {header}, *const files[] = {header, more};
    struct cw_front_options o = with(75, NULL, 0), shorter = o;
    struct cw_beginning b = {{1, 2}, files, 2}, changed = {{1, 3}, files, 2}, partly = {{1, 4}, files, 1};
    o.shared = headers;
    o.nshared = 1;
    write_at("h.cuh", large, -1);
    write_at("more.cuh", "#pragma once\nstruct more { int a; };\n", -1);
    CHECK(!finds_kept(kept, &o, NULL)); /* what it rests on is not known */
    CHECK(!finds_kept(kept, &o, NULL));
    CHECK(!finds_kept(kept, &o, &partly)); /* reads more than the key knows */
    CHECK(!finds_kept(kept, &o, &partly));
    CHECK(!finds_kept(kept, &o, &b));
    CHECK(finds_kept(kept, &o, &b));
    CHECK(!finds_kept(kept, &o, &changed));
    CHECK(finds_kept(kept, &o, &changed));
    write_at("more.cuh", "#pragma once\nstruct more { int ab; };\n", -1); /* another size */
    CHECK(!finds_kept(kept, &o, &b));
    write_at("more.cuh", "#pragma once\n__global__ void k() {}\n", -1);
    CHECK(!finds_kept(kept, &o, &b)); /* refused, and that is known then */
    CHECK(!finds_kept(kept, &o, &b));
    write_at("h.cuh", "#pragma once\n", -1);
    b.nfiles = 1;
    CHECK(!finds_kept(kept, &o, &b)); /* too little to be worth a file */
    CHECK(!finds_kept(kept, &o, &b));
    CHECK(finds_kept(kept, &shorter, NULL));
}

static void remove_tree(const char *folder) {
    CHECK(system(cw_arena_printf(&arena, "rm -rf '%s'", folder)) == 0);
}

int main(void) {
    char folder[] = "/tmp/cuwarp-test-XXXXXX";
    cw_arena_init(&arena);
    CHECK(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1);
    test_made_when_many_share_it(folder);
    test_done_without();
    CHECK(mkdtemp(top) != NULL);
    setenv("TMPDIR", folder, 1);
    test_kept();
    test_kept_headers();
    CHECK_INT(entries(folder), 0);
    remove_tree(top);
    rmdir(folder);
    cw_arena_free(&arena);
    return check_report();
}
