/* A precompiled prelude changes nothing but the time; one that does not fit is as good as none. */
#include "base/str.h"
#include "front/front.h"

#include "check.h"
#include "support/files.h"

#include <stdlib.h>
#include <unistd.h>

static const char source[] =
    "#include <cooperative_groups.h>\n"
    "#include <cooperative_groups/reduce.h>\n"
    "#include <cstdint>\n"
    "#include <cstdio>\n"
    "namespace cg = cooperative_groups;\n"
    "#ifndef SCALE\n#define SCALE 1\n#endif\n"
    "template <int N> __device__ int sum(int v) {\n"
    "    for (int o = N / 2; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);\n"
    "    return v;\n"
    "}\n"
    "__global__ void k(const int *in, int *out, int n) {\n"
    "    __shared__ int s[32];\n"
    "    auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
    "    int v = threadIdx.x < n ? in[threadIdx.x] * SCALE : 0;\n"
    "    v += UINT32_C(3) + (int)INT64_C(4);\n"
    "    s[threadIdx.x / warpSize] = sum<32>(v) + cg::reduce(tile, v, cg::plus<int>());\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x == 0) { atomicAdd(out, s[0] + __mul24(n, 3)); printf(\"%d\\n\", s[0]); }\n"
    "}\n"
    "void run(const int *in, int *out) { k<<<dim3(2, 3), 256>>>(in, out, 100); cudaDeviceSynchronize(); }\n";

static struct cw_buf lower(const char *precompiled, uint32_t arch, const char *const *args, uint32_t nargs,
                           uint32_t *notes) {
    struct cw_arena a;
    struct cw_buf text = {0};
    const char *error = NULL;
    struct cw_front_options o = {.path = "k.cu", .text = source, .size = sizeof source - 1, .args = args,
                                 .nargs = nargs, .arch = arch, .precompiled = precompiled};
    cw_arena_init(&a);
    struct cw_module *m = cw_front_clang(&a, &o, &error);
    CHECK(m != NULL);
    if (m) {
        cw_module_print(m, &text);
        *notes = m->notes.n;
    }
    cw_arena_free(&a);
    return text;
}

static void same(const char *precompiled, uint32_t arch, const char *const *args, uint32_t nargs) {
    uint32_t plain_notes = 1, notes = 2;
    struct cw_buf plain = lower(NULL, arch, args, nargs, &plain_notes);
    struct cw_buf quick = lower(precompiled, arch, args, nargs, &notes);
    CHECK_INT(plain_notes, 0);
    CHECK_INT(notes, 0);
    CHECK(plain.n > 1000 && strstr(plain.at, "shfl"));
    CHECK_STR(quick.at, plain.at);
    cw_buf_free(&plain);
    cw_buf_free(&quick);
}

/* A macro that changes the prelude's own text, whatever comes of it. */
static void same_damage(const char *precompiled, const char *const *args, uint32_t nargs) {
    uint32_t plain_notes, notes;
    struct cw_buf plain = lower(NULL, 75, args, nargs, &plain_notes),
                  quick = lower(precompiled, 75, args, nargs, &notes);
    struct cw_buf whole = lower(NULL, 75, NULL, 0, &notes);
    CHECK_STR(quick.at, plain.at);
    CHECK(strcmp(plain.at, whole.at) != 0);
    cw_buf_free(&plain);
    cw_buf_free(&quick);
    cw_buf_free(&whole);
}

/* ---- headers that units begin with ---- */

static const char header_text[] =
    "#pragma once\n"
    "#include <cstdio>\n"
    "#define KERNEL static __global__\n"
    "#define RUN(k, ...) k<<<1, 64>>>(__VA_ARGS__)\n"
    "static constexpr int THREADS = 192;\n"
    "enum { BLOCKS = 3 };\n"
    "struct pair { int a, b; };\n"
    "template <int N> __device__ int sum(pair p) { __shared__ int s[N]; s[threadIdx.x] = p.a; __syncthreads(); return "
    "s[0] + p.b; }\n"
    "static __device__ int twice(int n) { return sum<4>(pair{n, n}); }\n"
    "template <typename K, typename... A> void launch(K k, int n, A... a) { k<<<n, THREADS>>>(a...); }\n"
    "inline cudaLaunchConfig_t config(int n) { cudaLaunchConfig_t c = {}; c.blockDim = dim3(n); return c; }\n";
static const char unit_text[] =
    "#include \"shared.cuh\"\n"
    "template <int N> KERNEL void k(int *p) { p[threadIdx.x] = twice(N) + sum<N>(pair{1, 2}); }\n"
    "__global__ void __launch_bounds__(THREADS, BLOCKS) bounded(int *p) { p[0] = twice(1); }\n"
    "void run(int *p) { launch(k<8>, 2, p); RUN(k<16>, p); bounded<<<1, config(32).blockDim>>>(p); }\n";


static struct cw_buf lower_unit(const struct cw_front_options *o, uint32_t *reads) {
    struct cw_arena a;
    struct cw_buf text = {0};
    const char *error = NULL;
    cw_arena_init(&a);
    struct cw_module *m = cw_front_clang(&a, o, &error);
    CHECK(m != NULL);
    if (m) {
        CHECK_INT(m->notes.n, 0);
        m->files.n = m->files.n ? 1 : 0; /* a header's path is absolute when it comes precompiled */
        cw_module_print(m, &text);
        *reads = m->reads.n;
    }
    cw_arena_free(&a);
    return text;
}

static void shared_headers(const char *folder) {
    char header[128], unit[128], path[128], notes[128];
    snprintf(header, sizeof header, "%s/shared.cuh", folder);
    snprintf(unit, sizeof unit, "%s/unit.cu", folder);
    snprintf(path, sizeof path, "%s/precompiled", folder);
    snprintf(notes, sizeof notes, "%s/notes", folder);
    write_whole(header, header_text);
    const char *const headers[] = {header};
    struct cw_front_options o = {
        .path = unit, .text = unit_text, .size = sizeof unit_text - 1, .arch = 75, .shared = headers, .nshared = 1};
    struct cw_front_options plain = o;
    uint32_t reads = 0, plain_reads = 0;
    plain.nshared = 0;
    bool refused = true;
    CHECK(cw_front_clang_precompile_shared(&o, path, notes, &refused));
    CHECK(!refused);
    o.precompiled = path;
    o.shared_notes = notes;
    struct cw_buf expected = lower_unit(&plain, &plain_reads);
    struct cw_buf got = lower_unit(&o, &reads);
    CHECK(expected.n > 2000 && strstr(expected.at, "launch"));
    CHECK_STR(got.at, expected.at);
    CHECK(reads >= 2); /* the header counts for whoever keeps the result */
    cw_buf_free(&got);

    struct cw_front_options itself = o, plainly = plain; /* a header that those headers include */
    itself.path = plainly.path = header;
    itself.text = plainly.text = header_text;
    itself.size = plainly.size = sizeof header_text - 1;
    struct cw_buf alone = lower_unit(&plainly, &plain_reads);
    got = lower_unit(&itself, &reads);
    CHECK_STR(got.at, alone.at);
    cw_buf_free(&got);
    cw_buf_free(&alone);

    char changed[sizeof header_text + 32];
    snprintf(changed, sizeof changed, "%sstruct more {};\n", header_text);
    write_whole(header, changed); /* what was made of the old text is left aside */
    got = lower_unit(&o, &reads);
    CHECK_STR(got.at, expected.at);
    cw_buf_free(&got);
    cw_buf_free(&expected);

    write_whole(header, "#pragma once\n__global__ void k() {}\n");
    CHECK(!cw_front_clang_precompile_shared(&o, path, notes, &refused)); /* kernels are each unit's own */
    CHECK(refused);
    write_whole(header, "#pragma once\nstruct broken { missing m; };\n");
    CHECK(!cw_front_clang_precompile_shared(&o, path, notes, &refused)); /* and so are errors */
    CHECK(refused);
    write_whole(header, header_text);
    CHECK(!cw_front_clang_precompile_shared(&o, path, "/nowhere/at/all", &refused)); /* may go better another time */
    CHECK(!refused);
    unlink(header);
    unlink(path);
    unlink(notes);
}

int main(void) {
    char folder[] = "/tmp/cuwarp-test-XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/prelude", folder);

    struct cw_front_options o = {.arch = 75};
    CHECK(cw_front_clang_precompile(&o, path));
    CHECK(access(path, R_OK) == 0);
    const char *const macros[] = {"-DSCALE=4", "-I/nowhere"}, *const standard[] = {"-std=c++20"};
    same(path, 75, NULL, 0);
    same(path, 75, macros, 2);   /* macros and paths may differ */
    const char *const short_names[] = {"-DM=64", "-DT=float", "-DA=1", "-D", "C=2", "-DF(x)=x"}, *const damage[] = {
                                                                                                     "-D",
                                                                                                     "warpSize=7"};
    same(path, 75, short_names, 6); /* the shim leaves them to users */
    same_damage(path, damage, 2);
    same(path, 75, standard, 1); /* made for another language: left aside */
    same(path, 90, NULL, 0);     /* or for another architecture */

    struct cw_front_options twenty = {
        .arch = 90, .args = (const char *const[]){"-DX=1", "-I", "/nowhere", "-std=c++20"}, .nargs = 4};
    CHECK(cw_front_clang_precompile(&twenty, path));
    same(path, 90, standard, 1);

    write_whole(path, "not a precompiled header");
    same(path, 75, NULL, 0);
    unlink(path);
    same(path, 75, NULL, 0); /* nor need it be there */
    shared_headers(folder);
    CHECK(rmdir(folder) == 0);

    struct cw_front_options toolkit = {.arch = 75, .cuda_path = "/nowhere"};
    CHECK(!cw_front_clang_precompile(&toolkit, path));
    CHECK(!cw_front_clang_precompile(&o, "/nowhere/at/all"));
    return check_report();
}
