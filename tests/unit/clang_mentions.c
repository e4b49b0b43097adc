/* Words in text: whole names, parts of the text, and the empty word, which an unnamed variable brings along. */
#include "check.h"
#include "front/clang/lower.h"

#include <string.h>
#include <unistd.h>

static cw_str str_of(const char *text) {
    return (cw_str){text, strlen(text)};
}

static void test_names(void) {
    CHECK(cw_clang_mentions(str_of("run(k)"), "k", true));
    CHECK(!cw_clang_mentions(str_of("kk _k k1"), "k", true));
    CHECK(cw_clang_mentions(str_of("kk k"), "k", true));
    CHECK(!cw_clang_mentions(str_of(""), "k", true));
}

static void test_parts(void) {
    CHECK(cw_clang_mentions(str_of("k<<<1, 2>>>()"), "<<<", false));
    CHECK(cw_clang_mentions(str_of("cudaLaunchKernel"), "cudaLaunch", false));
    CHECK(!cw_clang_mentions(str_of("a << b"), "<<<", false));
}

/* Before there was a guard, the search found the empty word at the first character again and again. */
static void test_empty_word(void) {
    static const char *const texts[] = {"", "name", "int x = k(1);", " "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK(!cw_clang_mentions(str_of(texts[i]), "", true));
        CHECK(!cw_clang_mentions(str_of(texts[i]), "", false));
    }
}

int main(void) {
    alarm(20);
    test_names();
    test_parts();
    test_empty_word();
    return check_report();
}
