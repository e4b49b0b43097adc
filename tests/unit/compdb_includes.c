/* Directives of a text, and the directories that a unit in a tree of files needs. */
#include "compdb/includes.h"

#include "compdb/folders.h"
#include "compdb/made_header.h"

#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cw_arena arena;
static char root[64] = "/tmp/cuwarp-test-XXXXXX";

static void put(const char *name, const char *text) {
    char *path = cw_arena_printf(&arena, "%s/%s", root, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static bool ignores_build(void *ctx, const char *path) {
    (void)ctx;
    return strstr(path, "/build/") != NULL;
}

static struct cw_include_result ask_with(const char *file, const char *given, uint32_t budget) {
    static const char *const builtin[] = {"cuda_runtime.h", "string.h", "vector"};
    struct cw_headers_options h = {budget, ignores_build, NULL};
    static const struct cw_stand_in stand_ins[] = {
        {"lib/a.h", "/stand/lib", NULL},
        {"lib/b.h", "/stand/lib", NULL},
        {"other/c.h", "/stand/other", NULL},
        {"over/d.h", "/stand/over", "lib/a.h"}};
    struct cw_includes_options o = {.headers = cw_headers_new(&arena, &h), .reader = cw_reader_of_disk(),
                                    .builtin = builtin, .nbuiltin = 3, .stand_ins = stand_ins, .nstand_ins = 4};
    struct cw_words args = {0};
    if (given)
        cw_vec_push(&arena, &args, (const char *)cw_arena_printf(&arena, "-I%s/%s", root, given));
    struct cw_include_unit unit = {.path = cw_arena_printf(&arena, "%s/%s", root, file), .root = root, .args = &args};
    struct cw_include_result r;
    cw_includes_of(cw_includes_new(&arena, &o), &unit, &r);
    return r;
}

static const char *below_root(const struct cw_words *w) {
    const char *text = "";
    for (uint32_t i = 0; i < w->n; i++) {
        const char *at = strstr(w->at[i], root);
        text = cw_arena_printf(&arena, "%s%s%.*s%s", text, i ? " " : "", at ? (int)(at - w->at[i]) : 0, w->at[i],
                               at ? at + strlen(root) : w->at[i]);
    }
    return text;
}

static const char *dirs(const char *file) {
    struct cw_include_result r = ask_with(file, NULL, 1000);
    return below_root(&r.args);
}

static const char *missing(const char *file) {
    struct cw_include_result r = ask_with(file, NULL, 1000);
    return below_root(&r.missing);
}

static const char *made_text(const char *template) {
    cw_str made = cw_made_header_text(&arena, cw_str_of(template));
    const char *newline = memchr(made.at, '\n', made.n); /* behind the name of unknown values */
    return newline ? newline + 1 : "";
}

static void test_made_headers(void) {
    CHECK(cw_made_header_is_template(cw_str_of("config.h.in")));
    CHECK(cw_made_header_is_template(cw_str_of("a.hpp.cmake.in")));
    CHECK(!cw_made_header_is_template(cw_str_of("lib.pc.in")));
    CHECK(!cw_made_header_is_template(cw_str_of("h.in")));
    CHECK_STR(cw_made_header_template(&arena, "a/config.h", 0), "a/config.h.in");
    CHECK_STR(cw_made_header_template(&arena, "a/config.h", 5), "a/config.in.h");
    CHECK(cw_made_header_template(&arena, "a/config.h", 6) == NULL);
    CHECK_STR(made_text("#cmakedefine01 A\n"), "#ifndef A\n#define A 0\n#endif\n");
    CHECK_STR(made_text("#cmakedefine01 WITH_CUDA\n"), "#ifndef WITH_CUDA\n#define WITH_CUDA 1\n#endif\n");
    CHECK_STR(made_text("#  cmakedefine A @A@\n#undef B\nint i;"), "\n\nint i;\n");
    CHECK_STR(made_text("#undef USE_GPU\n"), "#ifndef USE_GPU\n#define USE_GPU 1\n#endif\n");
    CHECK_STR(made_text("#cmakedefine01 GPU_SYCL\n"), "#ifndef GPU_SYCL\n#define GPU_SYCL 0\n#endif\n");
    CHECK_STR(made_text("#cmakedefine01 NO_CUDA\n"), "#ifndef NO_CUDA\n#define NO_CUDA 0\n#endif\n");
    CHECK_STR(made_text("#define N \"@N@ x\"\n"), "#define N \" x\"\n");
    CHECK_STR(made_text("#define CALL @CALL@\n"), "#define CALL \n");
    CHECK_STR(made_text("#define V ${V_VERSION}\n"), "#define V 0\n");
    CHECK_STR(made_text("#define MAX_DIM @MAX_DIM@\n"), "#define MAX_DIM cuwarp_value_of_the_build\n");
    CHECK_STR(made_text("#if @HAS@\ntypedef @INT_TYPE@ t;\n"), "#if 0\ntypedef int t;\n");
    CHECK_STR(made_text("#include <@H@>\n#include \"b.h\"\n"), "\n#include \"b.h\"\n");
    CHECK_STR(made_text("#cmakedefine SIZEOF_LONG @SIZEOF_LONG@\n"),
              "#ifndef SIZEOF_LONG\n#define SIZEOF_LONG 8\n#endif\n");
    CHECK(strstr(cw_made_export_header(&arena, "lib/my-lib_export.h").at, "#define MY_LIB_EXPORT\n") != NULL);
    CHECK(cw_made_export_header(&arena, "_export.h").at == NULL);
    CHECK(cw_made_export_header(&arena, "export.h").at == NULL);
}

static void test_made_headers_of_a_tree(void) {
    put("made/src/a.cu", "#include \"config.h\"\n#include <lib/version.h>\n#include \"none.h\"\n");
    put("made/src/config.h.in", "#include \"more.h\"\n");
    put("made/include/more.h", "");
    put("made/cmake/version.h.cmake.in", "");
    struct cw_include_result r = ask_with("made/src/a.cu", NULL, 1000);
    CHECK_INT(r.made.n, 2);
    CHECK_STR(r.made.at[0].name, "config.h");
    CHECK(r.made.n == 2 && strstr(r.made.at[1].template, "made/cmake/version.h.cmake.in") != NULL);
    CHECK_STR(below_root(&r.missing), "none.h");
    CHECK_STR(below_root(&r.args), "-I/made/include");
    put("made/include/config.h", "");
    r = ask_with("made/src/a.cu", NULL, 1000);
    CHECK_INT(r.made.n, 1);
}

static void test_directives(void) {
    static const char text[] = "#include \"a.h\"\n  #  include <b/c.h> // d\n#include MACRO\n#define CC_VOLTA 700\n"
                               "x # include \"no.h\"\n#if __CUDA_ARCH__ >= 800u || \\\n __CUDA_ARCH__ < 530\n"
                               "#import \"i.h\"\n#include \"unclosed\nint sm_900, n = 1234;\n#include \"\"\n";
    struct cw_directives d;
    cw_directives_read(&arena, (cw_str){text, sizeof text - 1}, &d);
    CHECK_INT(d.includes.n, 3);
    CHECK_STR(d.includes.at[0].name, "a.h");
    CHECK_STR(d.includes.at[1].name, "b/c.h");
    CHECK(!d.includes.at[0].angled && d.includes.at[1].angled);
    CHECK_STR(d.includes.at[2].name, "i.h");
    CHECK_INT(d.arch_numbers.n, 3);
    CHECK(d.names_arch && !d.computes_arch);
    CHECK_INT(d.macro_includes.n, 1);
    CHECK_STR(d.macro_includes.at[0], "MACRO");
    cw_directives_read(&arena, CW_STR("#include <x>\nif constexpr (__CUDA_ARCH__ >= kVolta) {}"), &d);
    CHECK(d.names_arch && d.computes_arch);
    cw_directives_read(&arena, CW_STR("int f() { return __CUDA_ARCH__; }\n#if 1\n#endif"), &d);
    CHECK(d.names_arch && d.computes_arch);
    cw_directives_read(&arena, CW_STR(""), &d);
    CHECK(!d.names_arch && !d.includes.n);
}

static bool is_open_text(const char *text) {
    struct cw_directives d;
    cw_directives_read(&arena, cw_str_of(text), &d);
    return d.is_open;
}

static void test_what_cannot_be_told(void) {
    CHECK(is_open_text("#include F(x)\n"));
    CHECK(is_open_text("#include_next <x.h>\n"));
    CHECK(is_open_text("#define HAS(x) __has_include(x)\n"));
    CHECK(is_open_text("#if __has_include_next(<x.h>)\n"));
    CHECK(!is_open_text("#ifdef __has_include\n#if __has_include(<x.h>) && defined(__has_include)\n"));
    CHECK(!is_open_text("#include NAME // comment\n#include OTHER\r\n"));
}

static void test_literal_lines(void) {
    struct cw_directives d;
    cw_directives_read(&arena,
                       cw_str_of("s = R\"(#include <a.h>\n)\"; t = \"#include \\\"b.h\\\"\\n # include <c.h>\\n\";"
                                 "// \\n#include <d.h>\n// #include \"no.h\"\n f(#include)"),
                       &d);
    CHECK_INT(d.includes.n, 4);
    CHECK_STR(d.includes.n > 1 ? d.includes.at[1].name : "", "b.h");
    CHECK(!d.is_open);
}

static const char *files(const char *file) {
    struct cw_include_result r = ask_with(file, NULL, 1000);
    return cw_arena_printf(&arena, "%s%s", below_root(&r.files), r.is_open ? " open" : "");
}

/* #include NAME reads every header that NAME is defined as in the unit's files; one that is defined as something else
 * can be any. */
static void test_macro_includes(void) {
    put("macro/a.cu", "#include \"names.h\"\n#include PREFIX\n");
    put("macro/names.h",
        "#ifdef X\n#  define PREFIX \"one.h\"\n#else\n#define PREFIX \"two.h\"\n#endif\n#define PREFIXED f(x)\n");
    put("macro/one.h", "");
    put("macro/two.h", "#include LATER\n#include \"three.h\"\n");
    put("macro/three.h", "// define LATER as needed\n// #define LATER f\n#define LATER <four.h>\n");
    put("macro/four.h", "");
    CHECK_STR(files("macro/a.cu"), "/macro/a.cu /macro/names.h /macro/one.h /macro/two.h /macro/three.h /macro/four.h");
    put("macro/b.cu", "#define NAME STRING(x.h)\n#include NAME\n");
    CHECK_STR(files("macro/b.cu"), "/macro/b.cu open");
}

/* The answer of __has_include rests on whether the header is there; the tree is not searched for it. */
static void test_optional_includes(void) {
    put("optional/src/a.cu", "#if __has_include(\"there.h\")\n#endif\n#if __has_include(<far.h>)\n#endif\n");
    put("optional/lib/far.h", "");
    CHECK_STR(files("optional/src/a.cu"), "/optional/src/a.cu");
    CHECK_STR(missing("optional/src/a.cu"), "");
    put("optional/src/there.h", "");
    CHECK_STR(files("optional/src/a.cu"), "/optional/src/a.cu /optional/src/there.h");
}

static void test_resolution(void) {
    put("src/a.cu", "#include \"beside.h\"\n#include \"util/x.cuh\"\n#include <proj/deep.h>\n#include \"nowhere.h\"\n"
                    "#include <cuda_runtime.h>\n#include <vector>\n");
    put("src/beside.h", "");
    put("lib/common/util/x.cuh", "#include \"y.h\"\n#include <z.h>\n");
    put("lib/common/util/y.h", "");
    put("other/headers/z.h", "");
    put("include/proj/deep.h", "");
    CHECK_STR(dirs("src/a.cu"), "-I/lib/common -I/include -I/other/headers");
    CHECK_STR(missing("src/a.cu"), "nowhere.h");
    struct cw_include_result r = ask_with("src/a.cu", "lib/common", 1000);
    CHECK_STR(below_root(&r.args), "-I/include -I/other/headers");
    CHECK_INT(r.files.n, 6);
}

/* The nearest of several, by folders shared; none when that does not tell; others' trees last, but not for their own.
 */
static void test_choice(void) {
    put("m/p/k/a.cu", "#include \"u/n.h\"\n");
    put("m/p/q/u/n.h", "");
    put("m/r/q/u/n.h", "");
    CHECK_STR(dirs("m/p/k/a.cu"), "-I/m/p/q");
    put("m/s/a.cu", "#include \"u/n.h\"\n");
    CHECK_STR(dirs("m/s/a.cu"), "");
    CHECK_STR(missing("m/s/a.cu"), "u/n.h");
    put("v/third_party/lib/api/n2.h", "");
    put("v/third_party/lib/t/a.cu", "#include \"api/n2.h\"\n");
    put("v/far/away/api/n2.h", "");
    put("v/k/a.cu", "#include \"api/n2.h\"\n");
    CHECK_STR(dirs("v/k/a.cu"), "-I/v/far/away");
    CHECK_STR(dirs("v/third_party/lib/t/a.cu"), "-I/v/third_party/lib");
    put("w/mod/.git", "gitdir: elsewhere\n");
    put("w/mod/inc2/sub.h", "");
    put("w/own/deep/er/inc2/sub.h", "");
    put("w/k/a.cu", "#include \"inc2/sub.h\"\n");
    CHECK_STR(dirs("w/k/a.cu"), "-I/w/own/deep/er");
    put("b/build/gen/g.h", "");
    put("b/k/a.cu", "#include \"gen/g.h\"\n");
    CHECK_STR(dirs("b/k/a.cu"), "");
}

/* A toolkit's copy is left alone, and no directory may stand before the built-in headers. */
static void test_builtin_headers_stay(void) {
    put("t/toolkit/include/cuda_runtime.h", "");
    put("t/toolkit/include/only_there.h", "");
    put("t/k/a.cu", "#include <only_there.h>\n#include <cuda_runtime.h>\n");
    CHECK_STR(dirs("t/k/a.cu"), "");
    put("s/helpers/string.h", "");
    put("s/helpers/mine.h", "");
    put("s/k/a.cu", "#include \"mine.h\"\n");
    put("s/k/b.cu", "#include <mine.h>\n");
    CHECK_STR(dirs("s/k/a.cu"), "-iquote /s/helpers");
    CHECK_STR(dirs("s/k/b.cu"), "-idirafter /s/helpers --no-system-header-prefix=mine.h");
    put("x/include/own/a.h", "#include <far/b.h>\n#include <string.h>\n");
    put("x/include/far/b.h", "");
    put("x/include/string.h", "");
    put("x/k/a.cu", "#include <own/a.h>\n#include <own/none.h>\n");
    CHECK_STR(dirs("x/k/a.cu"),
              "-idirafter /x/include --no-system-header-prefix=own/ --no-system-header-prefix=far/");
    CHECK_STR(missing("x/k/a.cu"), "own/none.h");
}

static void test_hostile_trees(void) {
    char *link = cw_arena_printf(&arena, "%s/l/loop", root);
    put("l/k/a.cu", "#include \"l.h\"\n#include \"../../../../../../../../etc/passwd\"\n#include \"/etc/hostname\"\n"
                    "#include \"x/../l2.h\"\n");
    put("l/real/l.h", "#include \"l.h\"\n#include \"m.h\"\n");
    put("l/real/m.h", "#include \"l.h\"\n");
    CHECK_INT(symlink("..", link), 0);
    CHECK_STR(dirs("l/k/a.cu"), "-I/l/real");
    struct cw_include_result r = ask_with("l/k/a.cu", NULL, 3); /* not enough to see everything: ends all the same */
    CHECK(r.files.n >= 1);
    r = ask_with("l/none.cu", NULL, 1000);
    CHECK_INT(r.files.n, 1);
}

/* Headers that name each other through ".." are as many as the disk holds, however long the names could become. */
static void test_cycles_through_parents(void) {
    enum { HEADERS = 6 };
    put("cycle/src/k.cu", "#include \"../util/u0.h\"\n");
    for (int i = 0; i < HEADERS; i++) {
        char *text = cw_arena_printf(&arena, "#include \"elsewhere/x%d.h\"\n", i);
        for (int k = 0; k < HEADERS; k++)
            text = cw_arena_printf(&arena, "%s#include \"../util/u%d.h\"\n", text, k);
        put(cw_arena_printf(&arena, "cycle/util/u%d.h", i), text);
    }
    CHECK_STR(files("cycle/src/k.cu"),
              "/cycle/src/k.cu /cycle/util/u0.h /cycle/util/u1.h /cycle/util/u2.h /cycle/util/u3.h "
              "/cycle/util/u4.h /cycle/util/u5.h");
}

/* Two links that lead upwards give each header 2^n names. It is one file. */
static void test_cycles_through_links(void) {
    put("links/a.cu", "#include \"h.h\"\n");
    put("links/h.h", "#include \"one/h.h\"\n#include \"two/h.h\"\n#include \"one/../links/h.h\"\n");
    CHECK_INT(symlink(".", cw_arena_printf(&arena, "%s/links/one", root)), 0);
    CHECK_INT(symlink("../links", cw_arena_printf(&arena, "%s/links/two", root)), 0);
    CHECK_STR(files("links/a.cu"), "/links/a.cu /links/h.h");
}

/* The kernel's "..": beside what the link names, not beside the link. */
static void test_parent_of_a_link(void) {
    put("parent/src/a.cu", "#include \"to/../beside.h\"\n");
    put("parent/real/inner/x.h", "");
    put("parent/real/beside.h", "");
    put("parent/src/beside.h", "");
    CHECK_INT(symlink("../real/inner", cw_arena_printf(&arena, "%s/parent/src/to", root)), 0);
    CHECK_STR(files("parent/src/a.cu"), "/parent/src/a.cu /parent/real/beside.h");
}

/* A unit that reads a few headers of a tree of thousands: what is asked of the file system grows with the folders that
 * are searched (listings), not with the names that each of them is asked about. */
static void test_calls_are_counted(void) {
    enum { FOLDERS = 10, NAMES = 200 };
    char *text = cw_arena_printf(&arena, "%s", "");
    for (int i = 0; i < NAMES; i++)
        text = cw_arena_printf(&arena, "%s#include \"none%d.h\"\n", text, i);
    for (int i = 0; i < FOLDERS; i++) {
        put(cw_arena_printf(&arena, "many/f%d/only%d.h", i, i), text);
        text = cw_arena_printf(&arena, "#include \"only%d.h\"\n%s", i, text);
    }
    put("many/src/a.cu", text);
    struct cw_headers_options h = {1000, NULL, NULL};
    struct cw_folders *folders = cw_folders_new(&arena, 100000);
    struct cw_includes_options o = {
        .headers = cw_headers_new(&arena, &h), .reader = cw_reader_of_disk(), .folders = folders};
    struct cw_include_unit unit = {.path = cw_arena_printf(&arena, "%s/many/src/a.cu", root), .root = root};
    struct cw_include_result r;
    cw_includes_of(cw_includes_new(&arena, &o), &unit, &r);
    CHECK_INT(r.files.n, FOLDERS + 1);
    CHECK(!r.is_cut);
    CHECK(cw_folders_calls(folders) > FOLDERS && cw_folders_calls(folders) < 40 * FOLDERS);

    folders = cw_folders_new(&arena, 20);
    o.folders = folders;
    cw_includes_of(cw_includes_new(&arena, &o), &unit, &r);
    CHECK(r.is_cut && r.is_open);
    CHECK_INT(cw_folders_calls(folders) <= 20, 1);
}

static void test_ownership(void) {
    struct cw_headers_options o = {10, NULL, NULL};
    struct cw_headers *h = cw_headers_new(&arena, &o);
    const char *third = cw_arena_printf(&arena, "%s/v/third_party/lib/api", root);
    CHECK(cw_headers_is_foreign(h, root, third));
    CHECK(cw_headers_is_foreign(h, root, third));
    CHECK(!cw_headers_is_foreign(h, third, third));
    CHECK(!cw_headers_is_foreign(h, root, cw_arena_printf(&arena, "%s/src", root)));
    CHECK(cw_headers_is_foreign(h, root, cw_arena_printf(&arena, "%s/w/mod/inc2", root)));
    CHECK(cw_headers_is_foreign(h, root, cw_arena_printf(&arena, "%s/t/toolkit/include/crt", root)));
    CHECK(!cw_headers_is_foreign(h, root, "/elsewhere/third_party"));
}

/* Last, and for a library as a whole: a real header of it anywhere in the unit turns them off. */
static void test_stand_ins(void) {
    put("s/main.cu", "#include <lib/a.h>\n#include \"lib/b.h\"\n#include <none.h>\n");
    struct cw_include_result r = ask_with("s/main.cu", NULL, 1000);
    CHECK_INT(r.args.n, 2);
    CHECK(r.args.n == 2 && !strcmp(r.args.at[0], "-idirafter") && !strcmp(r.args.at[1], "/stand/lib"));
    CHECK_INT(r.missing.n, 1);
    put("s/uses.h", "#include <other/c.h>\n");
    put("s/more.cu", "#include \"uses.h\"\n#include <lib/b.h>\n");
    r = ask_with("s/more.cu", NULL, 1000);
    CHECK_INT(r.args.n, 4);
    put("s/optional.cu", "#if __has_include(<lib/a.h>)\n#endif\n");
    CHECK_INT(ask_with("s/optional.cu", NULL, 1000).args.n, 0);
    put("s/over.cu", "#include <over/d.h>\n"); /* stands on another library, the real one where it is found */
    r = ask_with("s/over.cu", NULL, 1000);
    CHECK_INT(r.args.n, 4);
    CHECK(r.args.n == 4 && !strcmp(r.args.at[1], "/stand/over") && !strcmp(r.args.at[3], "/stand/lib"));
    put("s/deps/lib/b.h", "");
    put("s/over_real.cu", "#include <lib/b.h>\n#include <over/d.h>\n");
    r = ask_with("s/over_real.cu", NULL, 1000);
    CHECK_INT(r.args.n, 3);
    r = ask_with("s/main.cu", NULL, 1000);
    CHECK_INT(r.args.n, 1);
    CHECK(r.args.n == 1 && strstr(r.args.at[0], "s/deps"));
    CHECK_INT(r.missing.n, 2);
    r = ask_with("s/main.cu", "s/deps", 1000);
    CHECK_INT(r.args.n, 0);
}

/* Kernels behind a macro of another library's header show by their launches; a macro may make what calls. */
static void test_launching_headers(void) {
    put("l/kernels.cuh", "LIB_KERNEL scale(float *x) { *x *= 2; }\n"
                         "template <class T> void run(T *x) { scale<<<1, 64>>>(x); }\n"
                         "#define REGISTER(T) \\\n    void run_##T(T *x) \\\n    { run<T>(x); }\n"
                         "#define PLAIN(T) void plain_##T(T *x);\n");
    put("l/uses.cu", "#include \"kernels.cuh\"\nREGISTER(float)\n");
    put("l/plain.cu", "#include \"kernels.cuh\"\nPLAIN(float)\n");
    struct cw_include_result r = ask_with("l/uses.cu", NULL, 1000);
    CHECK_INT(r.kernels.n, 1);
    CHECK(!r.has_kernels && r.launches_by_macro);
    CHECK(!ask_with("l/plain.cu", NULL, 1000).launches_by_macro);
}

int main(void) {
    cw_arena_init(&arena);
    if (!mkdtemp(root)) {
        perror(root);
        return 1;
    }
    test_directives();
    test_made_headers();
    test_made_headers_of_a_tree();
    test_what_cannot_be_told();
    test_literal_lines();
    test_macro_includes();
    test_optional_includes();
    test_resolution();
    test_choice();
    test_builtin_headers_stay();
    test_hostile_trees();
    test_cycles_through_parents();
    test_cycles_through_links();
    test_parent_of_a_link();
    test_calls_are_counted();
    test_stand_ins();
    test_launching_headers();
    test_ownership();
    if (system(cw_arena_printf(&arena, "rm -rf '%s'", root)))
        perror(root);
    cw_arena_free(&arena);
    return check_report();
}
