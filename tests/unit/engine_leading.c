/* Which units share the headers that they begin with. */
#include "check.h"
#include "support/files.h"

#include "base/str.h"
#include "engine/leading.h"
#include "engine/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNITS = 8 };

static struct cw_arena arena;
static char folder[] = "/tmp/cuwarp-test-XXXXXX";

static const char *path_of(const char *name) {
    return cw_arena_printf(&arena, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text) {
    write_whole(path_of(name), text);
}

/* Enough text that parsing it once pays. */
static void write_header(const char *name, const char *before, const char *after) {
    char *text = cw_arena_printf(&arena, "%s// %0*d\nstruct s_%.2s;\n%s", before, 20000, 0, name, after);
    write_file(name, text);
}

static const struct cw_sources no_texts; /* nothing is overridden */

/* Eight units that begin with `text`; how many headers the last one shares, the name of the last in *last. */
static uint32_t shared(const char *text, const char *const *args, uint32_t nargs, const char **last) {
    struct cw_leading *l = cw_leading_open(&arena, &no_texts);
    uint32_t n = 0;
    const char *const *headers = NULL;
    for (int i = 0; i < UNITS; i++) {
        const char *name = cw_arena_printf(&arena, "unit%d.cu", i);
        write_file(name, cw_arena_printf(&arena, "%s\n__global__ void k%d() {}\n", text, i));
        cw_leading_add(l, path_of(name), args, nargs);
    }
    cw_leading_choose(l);
    headers = cw_leading_of(l, path_of("unit7.cu"), &n);
    *last = n ? strrchr(headers[n - 1], '/') + 1 : "";
    return n;
}

static void expect(const char *text, uint32_t n, const char *last) {
    const char *found;
    const char *const args[] = {"-I", folder, "-DX=1", "-std=c++17"};
    CHECK_INT(shared(text, args, 4, &found), n);
    CHECK_STR(found, last);
}

static void what_is_shared(void) {
    expect("#include \"common.cuh\"", 2, "common.cuh");
    expect("// words\n#include <cstdint>\n#include <common.cuh>\n#include \"common.cuh\"", 2, "common.cuh");
    expect("#include \"base.h\"\n#include \"common.cuh\"", 2, "common.cuh"); /* common.cuh begins with it anyway */
    expect("#include \"own.cuh\"", 2, "common.cuh");                       /* may be read twice: ends the list */
    expect("#include \"kernels.cuh\"", 2, "common.cuh");                   /* holds a kernel */
    expect("#include \"guarded.h\"", 1, "guarded.h");
    expect("#include \"open.h\"", 0, "");    /* text behind the guard */
    expect("#include \"missing.h\"\n#include \"common.cuh\"", 0, "");
    expect("#define SCALE 2\n#include \"common.cuh\"", 0, "");
    expect("#if X\n#include \"common.cuh\"\n#endif", 0, "");
    expect("#include NAME\n#include \"common.cuh\"", 0, "");
    expect("#include \"loop.cuh\"", 1, "loop.cuh");
}

static void who_shares(void) {
    const char *last;
    const char *const odd[] = {"-include", "x.h"};
    CHECK_INT(shared("#include \"common.cuh\"", odd, 2, &last), 0); /* what it does to the search is not followed */
    uint32_t n;
    CHECK(!cw_leading_of(NULL, "a.cu", &n));
    CHECK_INT(n, 0);

    struct cw_leading *l = cw_leading_open(&arena, &no_texts);
    const char *const one[] = {"-DA"}, *const two[] = {"-DB"};
    for (int i = 0; i < UNITS; i++)
        cw_leading_add(l, path_of(cw_arena_printf(&arena, "unit%d.cu", i)), i % 2 ? one : two, 1);
    write_file("host.cpp", "#include \"common.cuh\"\nint main() {}\n");
    cw_leading_add(l, path_of("host.cpp"), one, 1);
    cw_leading_choose(l);
    cw_leading_of(l, path_of("unit1.cu"), &n);
    CHECK_INT(n, 0); /* four with each macro are too few */
    cw_leading_of(l, path_of("host.cpp"), &n);
    CHECK_INT(n, 0); /* without device code it is not parsed */
}

int main(void) {
    cw_arena_init(&arena);
    CHECK(mkdtemp(folder) != NULL);
    write_header("base.h", "#pragma once\n", "");
    write_header("common.cuh", "#pragma once\n#include \"base.h\"\n#include <vector>\n", "__device__ int f();\n");
    write_header("guarded.h", "#ifndef G_H\n#define G_H\n", "#if A\n#else\n#endif\n#endif // G_H\n");
    write_header("open.h", "#ifndef O_H\n#define O_H\n", "#endif\nstruct twice;\n");
    write_header("own.cuh", "#include \"common.cuh\"\n", "");
    write_header("kernels.cuh", "#pragma once\n#include \"common.cuh\"\n", "__global__ void k() {}\n");
    write_header("loop.cuh", "#pragma once\n#include \"loop.cuh\"\n", "");
    what_is_shared();
    who_shares();
    static const char *const names[] = {"base.h",  "common.cuh",  "guarded.h", "open.h",
                                        "own.cuh", "kernels.cuh", "loop.cuh",  "host.cpp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    for (int i = 0; i < UNITS; i++)
        unlink(path_of(cw_arena_printf(&arena, "unit%d.cu", i)));
    CHECK(rmdir(folder) == 0);
    cw_arena_free(&arena);
    return check_report();
}
