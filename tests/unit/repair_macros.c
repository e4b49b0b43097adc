/* When a unit is read once more: only for an error beside a name that may be a macro; headers that
 * meet themselves, and headers for builds with CUDA. */
#include "front/front.h"
#include "source/source.h"

#include "check.h"
#include "support/files.h"

#include <stdlib.h>
#include <unistd.h>

static bool suspects(const char *text, uint32_t line) {
    struct cw_arena a;
    cw_arena_init(&a);
    bool is = cw_repair_suspects_macro(&a, cw_source_of_text(&a, "k.cu", text, strlen(text)), &line, 1);
    cw_arena_free(&a);
    return is;
}

static void names_beside_errors(void) {
    static const char text[] = "CV_EXPORTS\n"
                               "__global__ void k(int *p) { *p = 1; }\n"
                               "// nothing\n"
                               "__global__ void f(float *RESTRICT q) { *q = missing; }\n"
                               "__global__ void g(float *q) {\n"
                               "    *q = missing;\n"
                               "}\n"
                               "#define API __device__\n";
    CHECK(suspects(text, 1));
    CHECK(suspects(text, 2)); /* what follows the name may be what the parser cannot place */
    CHECK(suspects(text, 4));
    CHECK(!suspects(text, 5));
    CHECK(!suspects(text, 6)); /* a name in a statement is none */
    CHECK(!suspects(text, 8)); /* nor one in a directive */
    CHECK(!suspects("", 1));
    CHECK(!suspects("CV_EXPORTS", 7));
}

static struct cw_module *read_unit(struct cw_arena *a, const char *path, const char *text) {
    const char *error = NULL;
    struct cw_front_options o = {.path = path, .text = text, .size = strlen(text), .arch = 75};
    return cw_front_read(a, &o, cw_scan_text(a, text, strlen(text)), &error);
}

static const char outer_text[] = "#pragma once\n"
                                 "struct shape { int n; };\n"
                                 "#include \"inner.cuh\"\n"
                                 "template <int N> __global__ void k(int *p) { p[threadIdx.x] = twice(N); }\n"
                                 "inline void run(int *p) { k<4><<<1, 32>>>(p); }\n";
static const char inner_text[] = "#pragma once\n"
                                 "#include \"outer.cuh\"\n"
                                 "__device__ inline int twice(int n) { shape s = {n}; return 2 * s.n; }\n";

/* As in mmq.cuh and its parts of ggml: nobody compiles them, so nobody minds. Templates are instantiated all the same.
 */
static void headers_that_meet_themselves(void) {
    char folder[] = "/tmp/cuwarp-test-XXXXXX", outer[64], inner[64];
    struct cw_arena a;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(outer, sizeof outer, "%s/outer.cuh", folder);
    snprintf(inner, sizeof inner, "%s/inner.cuh", folder);
    write_whole(outer, outer_text);
    write_whole(inner, inner_text);
    cw_arena_init(&a);
    const struct cw_module *m = read_unit(&a, outer, outer_text);
    CHECK(m != NULL);
    CHECK_INT(m ? m->notes.n : 1, 0);
    uint32_t instances = 0;
    for (uint32_t i = 0; m && i < m->fns.n; i++)
        instances += m->fns.at[i]->kind == CW_FN_KERNEL && !m->fns.at[i]->is_pattern && !m->fns.at[i]->is_degraded;
    CHECK_INT(instances, 1);
    cw_arena_free(&a);
    unlink(outer);
    unlink(inner);
    rmdir(folder);
}

static bool has_launch_in_main_file(const struct cw_module *m) {
    for (uint32_t i = 0; m && i < m->fns.n; i++)
        for (uint32_t k = 0; k < m->fns.at[i]->ins.n; k++) {
            const struct cw_ins *ins = &m->fns.at[i]->ins.at[k];
            if (ins->op == CW_OP_LAUNCH && !m->fns.at[i]->locs.at[ins->loc].span.file)
                return true;
        }
    return false;
}

static const char device_text[] = "#pragma once\n"
                                  "#ifdef WITH_GPU\n"
                                  "#define SITE_DEVICE __device__\n"
                                  "#else\n"
                                  "#define SITE_DEVICE\n"
                                  "#endif\n";
static const char user_text[] = "#include \"device.h\"\n"
                                "SITE_DEVICE inline void wait_all() { __syncthreads(); }\n"
                                "__global__ void k(int *p) { p[threadIdx.x] = 1; wait_all(); }\n";

/* A header's macro is a specifier in builds with CUDA alone: the unit is read as in one. */
static void headers_for_builds_with_cuda(void) {
    char folder[] = "/tmp/cuwarp-test-XXXXXX", header[64], path[64];
    struct cw_arena a;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(header, sizeof header, "%s/device.h", folder);
    snprintf(path, sizeof path, "%s/k.cu", folder);
    write_whole(header, device_text);
    cw_arena_init(&a);
    struct cw_module *m = read_unit(&a, path, user_text);
    bool is_device = false;
    for (uint32_t i = 0; m && i < m->fns.n; i++)
        is_device |= m->fns.at[i]->kind == CW_FN_DEVICE && !strcmp(m->fns.at[i]->name, "wait_all");
    CHECK(is_device);
    for (uint32_t i = 0; m && i < m->notes.n; i++)
        CHECK(!m->notes.at[i].is_error);
    cw_arena_free(&a);
    unlink(header);
    rmdir(folder);
}

/* A launch that clang lost is missed, although a header has one on a line of the same number. */
static void launches_on_lines_of_one_number(void) {
    static const char header_text[] = "#pragma once\n"
                                      "__global__ void other(int *p) { p[threadIdx.x] = 1; }\n"
                                      "inline void start(int *p) { other<<<1, 32>>>(p); }\n";
    static const char text[] = "#include \"other.cuh\"\n"
                               "__global__ void k(int *p) { p[threadIdx.x] = 2; }\n"
                               "void run(int *p) { missing(x, [&] { k<<<1, 64>>>(p); }); }\n";
    char folder[] = "/tmp/cuwarp-test-XXXXXX", header[64], path[64];
    struct cw_arena a;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(header, sizeof header, "%s/other.cuh", folder);
    snprintf(path, sizeof path, "%s/main.cu", folder);
    write_whole(header, header_text);
    cw_arena_init(&a);
    CHECK(has_launch_in_main_file(read_unit(&a, path, text)));
    cw_arena_free(&a);
    unlink(header);
    rmdir(folder);
}

/* Only the side of an #if that is compiled counts, and that costs no second look. */
static void other_branches(void) {
    static const char text[] = "#if __CUDA_ARCH__ >= 900\n"
                               "__global__ void k(int *p) { *p = 9; }\n"
                               "#else\n"
                               "__global__ void k(int *p) { *p = 7; }\n"
                               "#endif\n";
    struct cw_arena a;
    cw_arena_init(&a);
    const struct cw_module *m = read_unit(&a, "k.cu", text);
    CHECK(m != NULL);
    CHECK_INT(m ? m->fns.n : 0, 1);
    CHECK_INT(m && m->fns.n ? m->fns.at[0]->name_span.line : 0, 4);
    cw_arena_free(&a);
}

int main(void) {
    names_beside_errors();
    headers_that_meet_themselves();
    headers_for_builds_with_cuda();
    launches_on_lines_of_one_number();
    other_branches();
    return check_report();
}
