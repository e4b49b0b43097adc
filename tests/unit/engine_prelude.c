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
        cw_preludes_count(p, o);
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

int main(void) {
    char folder[] = "/tmp/cuwarp-test-XXXXXX";
    cw_arena_init(&arena);
    CHECK(mkdtemp(folder) != NULL);
    setenv("TMPDIR", folder, 1);
    test_made_when_many_share_it(folder);
    test_done_without();
    rmdir(folder);
    cw_arena_free(&arena);
    return check_report();
}
