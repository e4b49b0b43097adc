/* Branches of conditionals: where they reach, which exclude each other, what makes them active, which are
 * for builds with CUDA. */
#include "source/branches.h"
#include "source/device_branches.h"

#include "check.h"

static struct cw_arena arena;

static uint32_t at(const struct cw_branches *b, const char *text, const char *mark) {
    return cw_branch_at(b, (uint32_t)(strstr(text, mark) - text));
}

static struct cw_branches read(const char *text) {
    return cw_branches_read(&arena, text, strlen(text));
}

static void test_places(void) {
    static const char text[] =
        "zero\n#if A // x\none\n# ifdef B\ntwo\n# endif\nthree\n#elif C\nfour\n#else\nfive\n#endif\nsix\n"
        "#ifndef D\nseven";
    struct cw_branches b = read(text);
    CHECK_INT(b.n, 5);
    CHECK_INT(at(&b, text, "zero"), 0);
    CHECK_INT(at(&b, text, "six"), 0);
    CHECK_INT(at(&b, text, "one"), at(&b, text, "three"));
    CHECK_INT(b.at[at(&b, text, "two") - 1].outer, at(&b, text, "one"));
    CHECK(cw_str_is(b.at[0].condition, "A"));
    CHECK(at(&b, text, "seven") != 0);
    CHECK(cw_branches_exclude(&b, at(&b, text, "two"), at(&b, text, "five")));
    CHECK(cw_branches_exclude(&b, at(&b, text, "four"), at(&b, text, "five")));
    CHECK(!cw_branches_exclude(&b, at(&b, text, "one"), at(&b, text, "two")));
    CHECK(!cw_branches_exclude(&b, at(&b, text, "one"), at(&b, text, "seven")));
    CHECK(!cw_branches_exclude(&b, 0, at(&b, text, "one")));
}

static bool may_define(const char *name) {
    return name[0] != '_';
}

static const char *wants(const char *text) {
    struct cw_branches b = read(text);
    struct cw_definitions d = {0};
    const char *all = "";
    if (!cw_branch_wants(&arena, &b, at(&b, text, "here"), may_define, &d))
        return "?";
    for (uint32_t i = 0; i < d.n; i++)
        all = cw_arena_printf(&arena, "%s%s=%d ", all, d.at[i].name, (int)d.at[i].value);
    return all;
}

static void test_wants(void) {
    CHECK_STR(wants("#ifdef A\nhere\n#endif"), "A=1 ");
    CHECK_STR(wants("#if A && defined(B) && defined C\nhere"), "A=1 B=1 C=1 ");
    CHECK_STR(wants("#ifdef A\n#if B\nhere"), "B=1 A=1 ");
    CHECK_STR(wants("#ifndef A\n#else\nhere"), "A=1 ");
    CHECK_STR(wants("#ifndef A\nhere"), "");
    CHECK_STR(wants("#if !A\nhere"), "");
    CHECK_STR(wants("#if A || B\nhere"), "A=1 ");
    CHECK_STR(wants("#if _A || B\nhere"), "B=1 ");
    CHECK_STR(wants("#if _A && B\nhere"), "?");
    CHECK_STR(wants("#if A > 1\nhere"), "A=2 ");
    CHECK_STR(wants("#if HAVE_A == 1\nhere"), "HAVE_A=1 ");
    CHECK_STR(wants("#if A >= 900 && A != 900\nhere"), "?"); /* the first value that serves is kept */
    CHECK_STR(wants("#if 5 < A\nhere"), "A=6 ");
    CHECK_STR(wants("#if A == 0\nhere"), "");
    CHECK_STR(wants("#if A == -1\nhere"), "?");
    CHECK_STR(wants("#if !(defined(A) || B == 2)\nhere"), "");
    CHECK_STR(wants("#if !(A < 3)\nhere"), "A=3 ");
    CHECK_STR(wants("#if A\n#elif B\nhere"), "B=1 ");
    CHECK_STR(wants("#if A\n#elif A == 2\nhere"), "?");
    CHECK_STR(wants("#if A == 1\n#elif A == 2\nhere"), "A=2 ");
    CHECK_STR(wants("#if A\n#else\nhere"), "");
    CHECK_STR(wants("#if !defined(A)\n#else\nhere"), "A=1 ");
    CHECK_STR(wants("#if VERSION(A, 2)\nhere"), "?");
    CHECK_STR(wants("#if A + 1\nhere"), "?");
    CHECK_STR(wants("#if\nhere"), "?");
}

static void test_broken(void) {
    CHECK_INT(read("#endif\n#else\n#elif A\n").n, 0);
    CHECK_INT(read("").n, 0);
    struct cw_buf deep = {0};
    for (int i = 0; i < 300; i++)
        cw_buf_puts(&deep, "#if A\n");
    for (int i = 0; i < 300; i++)
        cw_buf_puts(&deep, "#else\n#endif\n");
    cw_buf_puts(&deep, "#if B\nlast\n");
    struct cw_branches b = read(deep.at);
    CHECK(cw_str_is(b.at[at(&b, deep.at, "last") - 1].condition, "B"));
    CHECK_INT(b.at[at(&b, deep.at, "last") - 1].outer, 0);
    cw_buf_free(&deep);
}

/* The lines of the branches' directives. */
static const char *device_branches(const char *text) {
    struct cw_branches b = read(text);
    struct cw_vec_u32 found = cw_device_branches(&arena, &b, text, strlen(text));
    const char *out = "";
    for (uint32_t i = 0; i < found.n; i++) {
        cw_str condition = b.at[found.at[i] - 1].condition;
        out = cw_arena_printf(&arena, "%s%.*s;", out, (int)condition.n, condition.at);
    }
    return out;
}

static void test_device_branches(void) {
    CHECK_STR(device_branches("#ifdef GPU\n#define HD __host__ __device__\n#define D __device__\n#else\n#define HD\n"
                              "#define D\n#endif\n"), "GPU;");
    CHECK_STR(device_branches("#if N\n#define F(x) x\n#elif GPU\n# define F(x) __device__ x\n#endif\n"), "GPU;");
    CHECK_STR(device_branches("#ifdef GPU\n#define D __device__\n#endif\n"), ""); /* means nothing otherwise */
    CHECK_STR(device_branches("#ifdef GPU\n#define D __device__\n#else\n#define E\n#endif\n"), "");
    CHECK_STR(device_branches("#ifdef A\n#define D __device__\n#else\n#define D __device__ inline\n#endif\n"), "");
    CHECK_STR(device_branches("#ifdef GPU\n#include <cuda_runtime.h>\n#endif\n"), "GPU;");
    CHECK_STR(device_branches("#if defined(GPU)\n# include  \"cuda.h\"\n#else\n#include <cmath>\n#endif\n"),
              "defined(GPU);");
    CHECK_STR(device_branches("#ifdef GPU\n#include <cuda_helpers.h>\n#include <cuda.hpp>\n#endif\n"), "");
    CHECK_STR(device_branches("#include <cuda_runtime.h>\n#ifdef GPU\n#include"), "");
    CHECK_STR(device_branches("#ifdef GPU\n__device__ int d;\n#else\n#define d 1\n#endif\n#define __device__\n"), "");
}

int main(void) {
    cw_arena_init(&arena);
    test_places();
    test_wants();
    test_broken();
    test_device_branches();
    cw_arena_free(&arena);
    return check_report();
}
