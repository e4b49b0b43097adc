/* Macros that Makefiles and CMakeLists.txt files define, as make and CMake would pass them. */
#include "compdb/build_files.h"

#include "check.h"

static struct cw_arena arena;

struct file {
    const char *path, *text;
};

/* A project in memory; path NULL behind the last. */
static bool read_file(void *ctx, const char *path, struct cw_arena *a, cw_str *text) {
    (void)a;
    for (const struct file *f = ctx; f->path; f++)
        if (!strcmp(f->path, path)) {
            *text = cw_str_of(f->text);
            return true;
        }
    return false;
}

/* For /p/DIRECTORY/NAME, with spaces between. */
static const char *macros(const struct file *files, const char *directory, const char *name) {
    struct cw_build_files *b = cw_build_files_new(&arena, (struct cw_reader){read_file, (void *)files});
    struct cw_build_macros found = cw_build_files_macros(b, "/p", directory, name);
    const char *text = "";
    for (uint32_t i = 0; i < found.definitions.n; i++)
        text = cw_arena_printf(&arena, "%s%s%s", text, i ? " " : "", found.definitions.at[i]);
    return text;
}

static const char *made(const char *makefile, const char *name) {
    struct file files[] = {{"/p/Makefile", makefile}, {NULL, NULL}};
    return macros(files, "/p", name);
}

static const char *cmade(const char *lists, const char *name) {
    struct file files[] = {{"/p/CMakeLists.txt", lists}, {NULL, NULL}};
    return macros(files, "/p", name);
}

static void test_makefile_variables(void) {
    static const char text[] = "CC = nvcc\nDEBUG ?= no\nSIZE := 4\n"
                               "CFLAGS = -DN=$(SIZE) \\\n  -DREAL=$(TYPE) # -DCOMMENT\n"
                               "TYPE = float\nCFLAGS += -std=c++17\n"
                               "ifeq ($(DEBUG),yes)\nCFLAGS += -DDEBUG\nelse\nCFLAGS += -DFAST\nendif\n"
                               "ifdef UNSET\nCFLAGS += -DUNSET\nendif\n"
                               "%.o: %.cu Makefile\n\t$(CC) $(CFLAGS) -c $< -o $@\n";
    CHECK_STR(made(text, "a.cu"), "-DN=4 -DREAL=float -DFAST");
    CHECK_STR(made(text, "a.cuh"), "-DN=4 -DREAL=float -DFAST");
}

/* What the user, the shell or a function gives is not known, and a guess would be worse than nothing. */
static void test_makefile_unknown(void) {
    CHECK_STR(made("k: k.cu\n\tnvcc -DN=$(N) -DW=$(shell nproc) -DR=$$X -DB=2 k.cu -o k\n", "k.cu"), "-DB=2");
    CHECK_STR(made("ifeq ($(shell uname),Linux)\nF = -DLINUX\nelse\nF = -DOTHER\nendif\n"
                   "k: k.cu\n\tnvcc $(F) -DB=2 k.cu -o k\n",
                   "k.cu"),
              "-DB=2");
    CHECK_STR(made("N = 2\nF = -DA\nifeq ($(shell uname),Linux)\nN = 4\nF += -DLINUX\nendif\n"
                   "k: k.cu\n\tnvcc $(F) -DN=$(N) -DB=2 k.cu -o k\n",
                   "k.cu"),
              "-DA -DB=2");
    CHECK_STR(made("define F\n-DX\nendef\nk: k.cu\n\tnvcc -D Y=3 k.cu -o k\n", "k.cu"), "-DY=3");
    CHECK_STR(made("A = $(B)\nB = $(A)\nk: k.cu\n\tnvcc $(A) -DY k.cu -o k\n", "k.cu"), "-DY");
}

/* The line that compiles the file counts, not one beside it. */
static void test_makefile_rules(void) {
    static const char text[] = "all: a b\n"
                               "a: a.cu\n\tnvcc -DFOR_A=1 -o $@ $<\n"
                               "b: FLAGS = -DOWN\n"
                               "b: b.cu c.cpp\n\t@echo b.cu\n\tnvcc -DFOR_B=\"2\" b.cu -o b ; strip b\n"
                               "%.o: %.cpp\n\tg++ -DHOST -c $<\n";
    CHECK_STR(made(text, "a.cu"), "-DFOR_A=1");
    CHECK_STR(made(text, "b.cu"), "-DFOR_B=2");
    CHECK_STR(made(text, "d.cpp"), "-DHOST");
    CHECK_STR(made("k: k.cu ; nvcc -DONE k.cu -o k\n", "k.cu"), "-DONE");
}

/* Names of the compiler, assertions, other makers, and lists of nvcc are left out. */
static void test_left_out(void) {
    CHECK_STR(
        made("k: k.cu\n\tnvcc -D__CUDA_ARCH__=600 -DNDEBUG -DUSE_ROCM -DA=f(1,2) -D3 -DB -DB=2 k.cu -o k\n", "k.cu"),
        "-DB");
}

static void test_makefile_includes(void) {
    struct file files[] = {
        {"/p/x/Makefile", "include ../common.mk\nFLAGS += -DX\nk: k.cu\n\tnvcc $(FLAGS) k.cu -o k\n"},
        {"/p/x/../common.mk", "FLAGS = -DCOMMON\n"},
        {"/p/y/Makefile", "NVCCFLAGS = -DFROM_FLAGS\ninclude $(ROOT)/rules.mk # nvcc\n"},
        {"/p/z/Makefile", "all:\n\thipcc -DHIP k.cu -o k\n"},
        {"/p/Makefile", "k: k.cu\n\tnvcc -DABOVE k.cu -o k\n"},
        {NULL, NULL},
    };
    CHECK_STR(macros(files, "/p/x", "k.cu"), "-DCOMMON -DX");
    CHECK_STR(macros(files, "/p/y", "k.cu"), "-DFROM_FLAGS");
    CHECK_STR(macros(files, "/p/z", "k.cu"), "-DABOVE"); /* another maker's is passed over */
}

static void test_cmake(void) {
    CHECK_STR(cmade("set(N 8)\noption(FAST \"quick\" ON)\nadd_definitions(-DN=${N} -DU=${NOBODY})\n"
                    "if(FAST AND NOT SLOW_)\n add_compile_definitions(UNKNOWN)\nelseif(FAST)\n"
                    "endif()\nif(FAST)\n add_compile_definitions(QUICK=1)\nelse()\n add_definitions(-DSLOW)\nendif()\n",
                    "a.cu"),
              "-DN=8 -DQUICK=1");
    CHECK_STR(
        cmade("option(USE_CUDA \"\" OFF)\nif (USE_CUDA) # on for us\nadd_compile_options(-O3 -DUSE_CUDA)\nendif()\n",
              "a.cu"),
        "-DUSE_CUDA");
    CHECK_STR(cmade("set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -DW=32 -O2\")\n"
                    "#[[ add_definitions(-DCOMMENT) ]]\nfunction(f)\nadd_definitions(-DUNCALLED)\nendfunction()\n"
                    "add_definitions([==[-DBRACKET=1]==] -DPATH=\\\"x\\\")\n",
                    "a.cu"),
              "-DW=32 -DBRACKET=1 -DPATH=\"x\"");
}

/* What a loop, a function or an arm that may be taken sets is not known. */
static void test_cmake_unknown(void) {
    CHECK_STR(cmade("set(A 0)\nset(B 0)\nset(C 0)\nset(D 4)\nforeach(x 1 2)\n set(A ${x})\nendforeach()\n"
                    "if(SOMETHING)\n set(B 1)\nendif()\nfind_least(C)\nset(E 1 2)\nlist(LENGTH E D)\n"
                    "add_definitions(-DA=${A} -DB=${B} -DC=${C} -DD=${D} -DF=6)\n",
                    "a.cu"),
              "-DF=6");
}

static void test_cmake_targets(void) {
    static const char text[] =
        "add_executable(a src/a.cu)\nadd_library(b STATIC b.cu ${MORE})\n"
        "target_compile_definitions(a PRIVATE FOR_A=1 -DTWO=2 -DFEATURE)\n"
        "target_compile_options(b PUBLIC $<$<COMPILE_LANGUAGE:CUDA>:-DFOR_B=1> $<$<CONFIG:X>:-DNO>)\n";
    CHECK_STR(cmade(text, "a.cu"), "-DFOR_A=1 -DTWO=2");
    CHECK_STR(cmade(text, "b.cu"), "-DFOR_B=1");
    CHECK_STR(cmade(text, "c.cu"), "-DFOR_B=1"); /* only this target has sources that nobody lists */
}

static void test_cmake_folders(void) {
    struct file files[] = {
        {"/p/CMakeLists.txt", "set(W 32)\nadd_definitions(-DTOP=1)\ninclude(more.cmake)\nadd_subdirectory(x)\n"},
        {"/p/more.cmake", "add_definitions(-DMORE=1)\n"},
        {"/p/x/CMakeLists.txt", "add_definitions(-DW=${W})\n"},
        {NULL, NULL},
    };
    CHECK_STR(macros(files, "/p/x/y", "k.cu"), "-DW=32 -DTOP=1 -DMORE=1");
    CHECK_STR(macros(files, "/p", "k.cu"), "-DTOP=1 -DMORE=1");
}

static void test_malformed(void) {
    static const char *const texts[] = {"",
                                        "\n\t",
                                        "=",
                                        "a",
                                        "ifeq",
                                        "ifeq (",
                                        "endif\nelse\n",
                                        "$(",
                                        "a: $(\n\tnvcc $(",
                                        "include",
                                        "(",
                                        ")",
                                        "f(",
                                        "set()",
                                        "if()\n",
                                        "set(A",
                                        "#[[",
                                        "[==[",
                                        "\"",
                                        "add_definitions(\"",
                                        "else()",
                                        "endfunction()",
                                        "set(A ${A})\nadd_definitions(${A})"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        CHECK_STR(made(texts[i], "nvcc.cu"), "");
        CHECK_STR(cmade(texts[i], "a.cu"), "");
    }
}

int main(void) {
    cw_arena_init(&arena);
    test_makefile_variables();
    test_makefile_unknown();
    test_makefile_rules();
    test_left_out();
    test_makefile_includes();
    test_cmake();
    test_cmake_unknown();
    test_cmake_targets();
    test_cmake_folders();
    test_malformed();
    cw_arena_free(&arena);
    return check_report();
}
