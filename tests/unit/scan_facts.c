/* Launches, includes, directive comments, and the stop before files without device code. */
#include "check.h"

#include "base/str.h"
#include "front/front.h"

#include <stdlib.h>

static struct cw_arena arena;

static struct cw_scan *scan(const char *text) {
    return cw_scan_text(&arena, text, strlen(text));
}

static void check_launches(const char *text, const char *expected) {
    const struct cw_scan *s = scan(text);
    struct cw_buf got = {0};
    for (uint32_t i = 0; i < s->launches.n; i++)
        cw_buf_printf(&got, "%s%s@%u:%u-%u", i ? " " : "", s->launches.at[i].callee, s->launches.at[i].span.line,
                      s->launches.at[i].span.col, s->launches.at[i].span.end_col);
    cw_buf_add(&got, "", 0);
    CHECK_STR(got.at, expected);
    cw_buf_free(&got);
}

static void test_launches(void) {
    check_launches("void h() { k<<<1, 2>>>(a, f(b)); }", "k@1:12-32");
    check_launches("void h() { ns::k<float, (N > 2), v[1]><<<g(1), dim3{2, 3}, 0, s>>>(a); }", "k@1:12-70");
    check_launches("void h() { (*p)<<<1, 2>>>(); k <<< 1, 2 >>> (); }", "(*p)@1:12-28 k@1:30-47");
    check_launches("void h() { k<<<1, n >> 3>>>(a); }", "k@1:12-31");
    check_launches("<<<<<<< HEAD\nint a;\n=======\nint b;\n>>>>>>> other\n__device__ int x;", "");
    check_launches("// k<<<1, 2>>>(a)\nconst char *s = \"k<<<1, 2>>>(a)\"; __device__ int x;", "");
    check_launches("k<<<1, 2", "");
    check_launches("<<<1, 2>>>(a)", "");
}

static void test_includes(void) {
    const struct cw_scan *s = scan("#include <a/b.h>\n# include \"c.cuh\" // x\n#if 0\n#include \"no.h\"\n#endif\n"
                                   "#include MACRO\n#include\n__device__ int x;\n");
    CHECK_INT(s->includes.n, 2);
    CHECK_STR(s->includes.at[0].path, "a/b.h");
    CHECK(s->includes.at[0].angled && s->includes.at[0].line == 1);
    CHECK_STR(s->includes.at[1].path, "c.cuh");
    CHECK(!s->includes.at[1].angled && s->includes.at[1].line == 2);
}

static void test_directives(void) {
    const struct cw_scan *s = scan("__device__ int x; // cuwarp: assume uniform(x)\n/* cuwarp: launch block=256 */\n"
                                   "#define M f() // NOLINT(cuwarp-a)\n// about cuwarp: nothing\n"
                                   "const char *s = \"// cuwarp: no\";\nint y; // plain, NOLINT here\n");
    CHECK_INT(s->directives.n, 4);
    CHECK_STR(s->directives.at[0].text, "cuwarp: assume uniform(x)");
    CHECK(s->directives.at[0].span.line == 1 && s->directives.at[0].span.col == 19);
    CHECK_STR(s->directives.at[1].text, "cuwarp: launch block=256");
    CHECK_STR(s->directives.at[2].text, "NOLINT(cuwarp-a)");
    CHECK_STR(s->directives.at[3].text, "plain, NOLINT here");
}

static void test_device_code(void) {
    CHECK(!scan("int main() { return 0; }")->has_device_code);
    CHECK(!scan("// uses __global__ and threadIdx.x\nint x;")->has_device_code);
    CHECK(!scan("std::cout << \"k<<<1, 2>>>()\";")->has_device_code);
    CHECK(scan("__device__ int v;")->has_device_code);
    CHECK(scan("HD int f() { return threadIdx.x; }")->has_device_code);
    CHECK(scan("#define TID threadIdx.x\n")->has_device_code);
    CHECK(scan("void f() { k<<<1, 2>>>(); }")->has_device_code);
    CHECK(!scan("")->has_device_code);
    CHECK(cw_scan_text(&arena, "__device__\0x", 12)->is_binary);
    CHECK(!cw_scan_text(&arena, "__device__\0x", 12)->has_device_code);
}

static void test_line_endings_and_mark(void) {
    const struct cw_scan *s = scan("\xEF\xBB\xBF#include \"a.h\"\r\n__global__ void k() {}\r\n");
    CHECK_INT(s->includes.n, 1);
    CHECK_INT(s->functions.n, 1);
    CHECK_INT(s->functions.at[0].span.line, 2);
    CHECK_INT(s->functions.at[0].span.end_col, 23);
}

/* Text of one repeated piece: time and memory must stay in proportion, whatever the piece. */
static void test_repetition(void) {
    static const char *const pieces[] = {"(",  "{",  "[",          "<",          "__device__ ",       "__device__ (",
                                         "a<", "#if A\n", "#else\n", "__device__ #else\n", "k<<<", "template <",
                                         "operator ", "] ) }", "__global__ a b(c) ", "f<", "::", "__device__ {",
                                         "#if A\n__device__\n#else\n"};
    enum { SIZE = 100 * 1000 };
    char *text = malloc(SIZE);
    for (size_t p = 0; text && p < sizeof pieces / sizeof pieces[0]; p++) {
        size_t n = strlen(pieces[p]);
        for (size_t i = 0; i < SIZE; i++)
            text[i] = pieces[p][i % n];
        memcpy(text, "__device__ ", 11);
        struct cw_arena a;
        cw_arena_init(&a);
        CHECK(cw_scan_text(&a, text, SIZE)->has_device_code);
        CHECK(a.total < 400u * SIZE);
        cw_arena_free(&a);
    }
    free(text);
}

int main(void) {
    cw_arena_init(&arena);
    test_launches();
    test_includes();
    test_directives();
    test_device_code();
    test_line_endings_and_mark();
    test_repetition();
    cw_arena_free(&arena);
    return check_report();
}
