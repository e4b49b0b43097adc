/* nvcc's and clang's command lines: what comes through, what is dropped with its value, what is read for architectures.
 */
#include "compdb/options.h"

#include "check.h"

static struct cw_arena arena;

/* Response files of the tests: name and text in turn. */
static const char *const *files;

static bool read_test_file(void *ctx, const char *path, struct cw_arena *a, cw_str *text) {
    (void)ctx;
    for (const char *const *f = files; f && *f; f += 2)
        if (!strcmp(f[0], path)) {
            *text = cw_str_of(cw_arena_strdup(a, f[1]));
            return true;
        }
    return false;
}

static struct cw_compile compile(const char *line) {
    struct cw_words words = {0};
    struct cw_compile c;
    cw_words_split(&arena, cw_str_of(line), CW_QUOTING_SHELL, &words);
    cw_compile_read(&arena, &words, "/b", (struct cw_reader){read_test_file, NULL}, &c);
    return c;
}

static const char *joined(const struct cw_words *w) {
    const char *text = "";
    for (uint32_t i = 0; i < w->n; i++)
        text = cw_arena_printf(&arena, "%s%s%s", text, i ? "|" : "", w->at[i]);
    return text;
}

static const char *args(const char *line) {
    struct cw_compile c = compile(line);
    return joined(&c.args);
}

/* "70:70 80:0 90:90a" – virtual, real, suffix of the virtual one */
static const char *targets(const char *line) {
    struct cw_compile c = compile(line);
    const char *text = "";
    for (uint32_t i = 0; i < c.targets.n; i++) {
        char suffix[2] = {c.targets.at[i].suffix, '\0'};
        text = cw_arena_printf(&arena, "%s%s%u:%u%s", text, i ? " " : "", c.targets.at[i].virtual_sm,
                               c.targets.at[i].real_sm, suffix);
    }
    return text;
}

static void test_kept(void) {
    CHECK_STR(args("nvcc -Iinc -I ../x -I=y --include-path z,w -isystem s -isystem=t --system-include u -c a.cu"),
              "-I/b/inc|-I/b/../x|-I/b/y|-I/b/z|-I/b/w|-isystem|/b/s|-isystem|/b/t|-isystem|/b/u");
    CHECK_STR(args("nvcc -DA -D B=2 -D=C --define-macro D=4,E -UF -U G --undefine-macro=H"),
              "-DA|-DB=2|-DC|-DD=4|-DE|-UF|-UG|-UH");
    CHECK_STR(args("nvcc -DLIST=\\\"1,2\\\" a.cu"), "-DLIST=\"1,2\"");
    CHECK_STR(args("g++ -DF(x,y)=x -iquote q -idirafter r -isysteminc"),
              "-DF(x,y)=x|-iquote|/b/q|-idirafter|/b/r|-isystem|/b/inc");
    CHECK_STR(args("nvcc -std=c++17"), "-std=c++17");
    CHECK_STR(args("nvcc -std c++20 --std=c++11"), "-std=c++20|-std=c++14");
    CHECK_STR(args("g++ -std=gnu++2a -std=c11 -std=weird"), "-std=gnu++20");
    CHECK_STR(args("nvcc -I/abs//x -I. -I./y"), "-I/abs//x|-I/b|-I/b/y");
}

static void test_macros_of_options(void) {
    CHECK_STR(args("nvcc --expt-relaxed-constexpr --extended-lambda -rdc=true -G"),
              "-D__CUDACC_RELAXED_CONSTEXPR__|-D__CUDACC_EXTENDED_LAMBDA__|-D__CUDACC_RDC__|-D__CUDACC_DEBUG__");
    CHECK_STR(args("nvcc -expt-extended-lambda -rdc false -dc"), "-D__CUDACC_EXTENDED_LAMBDA__|-D__CUDACC_RDC__");
    CHECK_STR(args("nvcc -Xcompiler -fopenmp,-DA=1 -Xcompiler=-Wall -Xcompiler -isystem -Xcompiler /s"),
              "-D_OPENMP=201511|-DA=1|-isystem|/s");
}

/* The values of dropped options must not be taken for anything else. */
static void test_dropped(void) {
    CHECK_STR(
        args("nvcc -ccbin g++ --compiler-bindir=/x -t 4 --threads 4 -cudart static -Xptxas -v -Xptxas=-O3 -O 3 -O2 "
             "-m 64 -m64 -MD -MF a.d -MT a.o -o a.o -lineinfo -use_fast_math -maxrregcount 32 -diag-suppress 20012 "
             "-Werror all-warnings -ftz true -Xcudafe --display_error_number -odir out -L/l -lfoo -w -res-usage a.cu"),
        "");
    struct cw_compile c = compile("nvcc -ccbin g++ -t 4 -MF a.d -o a.o --options-file missing -c a.cu");
    CHECK_STR(joined(&c.inputs), "/b/a.cu");
    CHECK_INT(c.unread, 1);
    CHECK(c.is_nvcc && c.is_compile && !c.is_cuda);
    CHECK_STR(args("nvcc -I"), "");
    CHECK_STR(args("nvcc -D -I -isystem"), "");
    CHECK_STR(args("nvcc"), "");
    CHECK_STR(args(""), "");
}

/* Nothing that loads or runs code comes through, however it is spelt. */
static void test_code_is_never_loaded(void) {
    CHECK_STR(
        args("clang++ -fplugin=/x.so -Xclang -load -Xclang /x.so -Xclang -add-plugin -Xclang p -fpass-plugin=/x.so "
             "-wrapper /bin/sh -B/x -B /y -specs=/z --config=/c -mllvm -load=/x.so -load /x.so -plugin p a.cpp"),
        "");
    CHECK_STR(
        args("nvcc --compiler-bindir /x -ccbin=/x -Xcompiler -fplugin=/x.so,-B/x,-wrapper,/bin/sh -Xlinker -plugin "
             "--run --run-args x"),
        "");
    CHECK_STR(args("nvcc --options-file evil.rsp"), "");
    static const char *const evil[] = {"/b/evil.rsp", "-fplugin=/x.so -Xclang -load -Xclang /x.so -DOK", NULL};
    files = evil;
    CHECK_STR(args("nvcc --options-file evil.rsp"), "-DOK");
    files = NULL;
    /* A value that looks like an option stays the value it is: it is a path or a macro. */
    CHECK_STR(args("nvcc -isystem -fplugin=/x.so -include -load"), "-isystem|/b/-fplugin=/x.so|-include|-load");
    CHECK_STR(args("nvcc -D -fplugin=/x.so -U-load"), "");
}

static void test_response_files(void) {
    static const char *const some[] = {"/b/i.rsp", "-I\"/p q\" -isystem=/s\n--options-file deep/j.rsp,k.rsp",
                                       "/b/deep/j.rsp", "-DJ @k.rsp", "/b/k.rsp", "-DK",
                                       "/b/loop.rsp", "-DL --options-file loop.rsp --options-file loop.rsp",
                                       "/abs.rsp", "-DABS", NULL};
    files = some;
    CHECK_STR(args("nvcc --options-file i.rsp -DZ"), "-I/p q|-isystem|/s|-DJ|-DK|-DK|-DZ");
    CHECK_STR(args("nvcc -optf=/abs.rsp --options-file=k.rsp -optf k.rsp"), "-DABS|-DK|-DK");
    CHECK_STR(args("clang @k.rsp @missing"), "-DK");
    struct cw_compile c = compile("nvcc --options-file loop.rsp");
    CHECK(c.args.n >= 8 && c.args.n <= 300); /* ends, at the bound on depth and files */
    CHECK(c.unread > 0);
    files = NULL;
}

static void test_architectures(void) {
    CHECK_STR(targets("nvcc -arch=sm_70"), "70:70");
    CHECK_STR(targets("nvcc -arch compute_75"), "75:0");
    CHECK_STR(targets("nvcc -arch=compute_60 -code=sm_70"), "60:70");
    CHECK_STR(targets("nvcc --generate-code=arch=compute_75,code=[compute_75,sm_75]"), "75:0 75:75");
    CHECK_STR(targets("nvcc -gencode arch=compute_60,code=sm_70 -gencode arch=compute_90a,code=sm_90a"),
              "60:70 90:90a");
    CHECK_STR(targets("nvcc -gencode=arch=compute_80,code=\\\"sm_80,sm_86,compute_80\\\""), "80:80 80:86 80:0");
    CHECK_STR(targets("nvcc -gencode arch=compute_100a,code=sm_100a -gencode arch=compute_120,code=sm_120"),
              "100:100a 120:120");
    CHECK_STR(targets("nvcc -arch=native"), "");
    CHECK_STR(targets("nvcc -arch=all-major"), "75:75 80:80 90:90 100:100 110:110 120:120");
    CHECK_STR(targets("clang++ -x cuda --cuda-gpu-arch=sm_70 --offload-arch=sm_80,sm_90a"), "70:70 80:80 90:90a");
    CHECK_STR(targets("nvcc -gencode code=sm_70 -gencode arch=nonsense -arch="), "");
    CHECK_STR(targets("nvcc -arch=sm_70 -arch=sm_80"), "80:80");
}

static void test_compilers(void) {
    struct cw_compile c = compile("ccache /usr/local/cuda/bin/nvcc -t 4 -x cu -c a.cpp");
    CHECK(c.is_nvcc && c.is_cuda);
    CHECK_STR(joined(&c.inputs), "/b/a.cpp");
    c = compile("env A=1 B=2 nvcc_wrapper -t 4 a.cu");
    CHECK(c.is_nvcc);
    CHECK_STR(joined(&c.inputs), "/b/a.cu");
    c = compile("/opt/cuwarp-lint launch --fail-on error -- nvcc -ccbin g++ a.cu");
    CHECK(c.is_nvcc);
    CHECK_STR(joined(&c.inputs), "/b/a.cu");
    c = compile("clang++ -x cuda -target x86_64-linux-gnu -arch arm64 -c a.cc -MF d -MJ e");
    CHECK(!c.is_nvcc && c.is_cuda);
    CHECK_STR(joined(&c.inputs), "/b/a.cc");
    CHECK(!compile("nvcc -dlink a.o -o b.o").is_compile);
    CHECK(!compile("nvcc -E a.cu").is_compile);
    CHECK(!compile("nvcc -M a.cu").is_compile);
    CHECK(compile("nvcc -MD -MF x a.cu").is_compile);
    CHECK(compile("nvcc a.cu -o app").is_compile);
}

/* Ours or the compiler's own directory: a file that is there is meant, else what an #include would find. */
static void test_pre_includes(void) {
    static const char *const some[] = {"/b/config.h", "", NULL};
    files = some;
    CHECK_STR(args("nvcc -include config.h,cuda_fp16.h"), "-include|/b/config.h|-include|cuda_fp16.h");
    CHECK_STR(args("g++ -includeconfig.h --include x.h -imacros m.h"),
              "-include|/b/config.h|-include|x.h|-include|m.h");
    files = NULL;
}

int main(void) {
    cw_arena_init(&arena);
    test_kept();
    test_macros_of_options();
    test_dropped();
    test_code_is_never_loaded();
    test_response_files();
    test_architectures();
    test_compilers();
    test_pre_includes();
    cw_arena_free(&arena);
    return check_report();
}
