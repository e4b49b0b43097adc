/* Path patterns, as .gitignore has them. */
#include "check.h"

#include "config/glob.h"

#include <stdlib.h>

static void test_names(void) {
    CHECK(cw_glob_matches("a.cu", "a.cu", false));
    CHECK(cw_glob_matches("a.cu", "x/y/a.cu", false));
    CHECK(!cw_glob_matches("a.cu", "x/ba.cu", false));
    CHECK(cw_glob_matches("*.cu", "x/ba.cu", false));
    CHECK(!cw_glob_matches("*.cu", "x/ba.cuh", false));
    CHECK(cw_glob_matches("a?c", "abc", false) && !cw_glob_matches("a?c", "ac", false));
    CHECK(cw_glob_matches("*a*b*", "xxaxxbxx", false) && !cw_glob_matches("*a*b", "xxbxxa", false));
    CHECK(cw_glob_matches("*", "anything", false));
}

static void test_sets(void) {
    CHECK(cw_glob_matches("[abc].h", "b.h", false) && !cw_glob_matches("[abc].h", "d.h", false));
    CHECK(cw_glob_matches("v[0-9]", "v7", false) && !cw_glob_matches("v[0-9]", "vx", false));
    CHECK(cw_glob_matches("v[!0-9]", "vx", false) && !cw_glob_matches("v[!0-9]", "v7", false));
    CHECK(cw_glob_matches("v[]]", "v]", false));
    CHECK(cw_glob_matches("v[^0-9]", "vx", false) && !cw_glob_matches("v[^0-9]", "v7", false));
    CHECK(!cw_glob_matches("v[!]]", "v]", false) && cw_glob_matches("v[!]]", "vx", false));
    CHECK(!cw_glob_matches("v[05]", "v3", false)); /* no range */
    CHECK(cw_glob_matches("v[", "v[", false)); /* not closed: itself */
    CHECK(cw_glob_matches("a\\*b", "a*b", false) && !cw_glob_matches("a\\*b", "axb", false));
}

static void test_directories(void) {
    CHECK(cw_glob_matches("src/*.cu", "src/a.cu", false));
    CHECK(!cw_glob_matches("src/*.cu", "src/x/a.cu", false));
    CHECK(!cw_glob_matches("src/*.cu", "lib/src/a.cu", false)); /* with a slash: from the top */
    CHECK(cw_glob_matches("/a.cu", "a.cu", false) && !cw_glob_matches("/a.cu", "x/a.cu", false));
    CHECK(cw_glob_matches("./src/a.cu", "src/a.cu", false));
    CHECK(cw_glob_matches("src", "src/x/a.cu", false)); /* what is in it too */
    CHECK(cw_glob_matches("src/x", "src/x/y/a.cu", false));
    CHECK(cw_glob_matches("build/", "x/build/a.cu", false));
    CHECK(cw_glob_matches("build/", "x/build", true) && !cw_glob_matches("build/", "x/build", false));
    CHECK(cw_glob_matches("/build/", "build", true) && !cw_glob_matches("/build/", "build", false));
    CHECK(cw_glob_matches("x/build/", "x/build", true) && !cw_glob_matches("x/build/", "x/build", false));
    CHECK(cw_glob_matches("x/build/", "x/build/a.cu", false)); /* what lies above the last name is a directory */
    CHECK(cw_glob_matches("x/build", "x/build", false));
}

static void test_double_stars(void) {
    CHECK(cw_glob_matches("**/a.cu", "a.cu", false) && cw_glob_matches("**/a.cu", "x/y/a.cu", false));
    CHECK(cw_glob_matches("src/**", "src/x/y.cu", false) && !cw_glob_matches("src/**", "src", true));
    CHECK(cw_glob_matches("src/**/t/*.cu", "src/t/a.cu", false));
    CHECK(cw_glob_matches("src/**/t/*.cu", "src/x/t/y/t/a.cu", false));
    CHECK(!cw_glob_matches("src/**/t/*.cu", "src/x/u/a.cu", false));
    CHECK(cw_glob_matches("**", "x/y", false));
}

/* Two stars that could share their text in many ways: the last alone is tried again. */
static void test_hostile(void) {
    char *path = malloc(4001);
    memset(path, 'a', 4000);
    path[4000] = '\0';
    CHECK(!cw_glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path, false));
    for (int i = 1; i < 4000; i += 2)
        path[i] = '/';
    CHECK(!cw_glob_matches("**/a/**/a/**/a/**/a/**/a/**/b", path, false));
    free(path);
    CHECK(!cw_glob_matches("", "a", false));
    CHECK(!cw_glob_matches("/", "a", false));
}

static void test_wrong(void) {
    CHECK(cw_glob_check("a/**") == NULL);
    CHECK_STR(cw_glob_check(""), "an empty pattern");
    CHECK(cw_glob_check("!a") && cw_glob_check("../a") && cw_glob_check("a/../b"));
}

int main(void) {
    test_names();
    test_sets();
    test_directories();
    test_double_stars();
    test_hostile();
    test_wrong();
    return check_report();
}
