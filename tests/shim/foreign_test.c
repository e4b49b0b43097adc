/* What stands in for headers of other libraries, through libclang.
 *
 *     test_foreign headers                each file of each library alone: no error
 *     test_foreign uses FILE DIR...       code as projects write it, with all libraries and the headers of DIR: no
 * error
 */
#include "front/shim/foreign.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "check.h"

#include <clang-c/Index.h>
#include <stdlib.h>

enum { ARGUMENTS_MAX = 128, SHOWN_MAX = 100 };

struct test {
    struct cw_arena arena;
    CXIndex index;
    const char *args[ARGUMENTS_MAX];
    uint32_t nargs;
    struct CXUnsavedFile *files;
    uint32_t nfiles;
};

static void add(struct test *t, const char *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n && t->nargs < ARGUMENTS_MAX; i++)
        t->args[t->nargs++] = args[i];
}

static void add_shim(struct test *t) {
    uint32_t n;
    const struct cw_shim_file *shim = cw_shim_files(&n);
    t->files = CW_NEW_ARRAY(&t->arena, struct CXUnsavedFile, n + cw_foreign_count() + 1);
    for (uint32_t i = 0; i < n; i++)
        t->files[t->nfiles++] = (struct CXUnsavedFile){shim[i].path, shim[i].text, shim[i].size};
}

static void add_libraries(struct test *t) {
    uint32_t n;
    const struct cw_foreign_name *names = cw_foreign_names(&n);
    struct cw_shim_file *files = CW_NEW_ARRAY(&t->arena, struct cw_shim_file, cw_foreign_count());
    for (uint32_t i = 0; i < n; i++)
        if (!i || strcmp(names[i].folder, names[i - 1].folder) != 0) {
            const char *const args[] = {"-idirafter", names[i].folder};
            add(t, args, 2);
        }
    uint32_t found = cw_foreign_files(t->args, t->nargs, files);
    CHECK(found > n);
    for (uint32_t i = 0; i < found; i++)
        t->files[t->nfiles++] = (struct CXUnsavedFile){files[i].path, files[i].text, files[i].size};
}

static void init(struct test *t) {
    uint32_t n;
    const char *const standard = "-std=c++17";
    cw_arena_init(&t->arena);
    t->index = clang_createIndex(0, 0);
    const char *const *args = cw_shim_args(&n);
    add(t, args, n);
    args = cw_shim_arch_args(&t->arena, 90, &n);
    add(t, args, n);
    add(t, &standard, 1);
    add_shim(t);
}

/* Prints the errors and returns how many there are. */
static unsigned complain(CXTranslationUnit unit) {
    unsigned bad = 0, n = clang_getNumDiagnostics(unit);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error && bad++ < SHOWN_MAX) {
            CXString text = clang_formatDiagnostic(d, clang_defaultDiagnosticDisplayOptions());
            fprintf(stderr, "%s\n", clang_getCString(text));
            clang_disposeString(text);
        }
        clang_disposeDiagnostic(d);
    }
    return bad;
}

static unsigned parse(struct test *t, const char *path, uint32_t nfiles) {
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(t->index, path, t->args, (int)t->nargs, t->files, nfiles,
                                                        CXTranslationUnit_KeepGoing, &unit);
    CHECK_INT(code, CXError_Success);
    unsigned bad = complain(unit);
    clang_disposeTranslationUnit(unit);
    return bad;
}

/* Names of one file parse alike: the first of each stands for them. */
static void test_headers(struct test *t) {
    struct cw_map texts;
    cw_map_init(&texts, &t->arena);
    add_libraries(t);
    for (uint32_t i = 0; i < t->nfiles; i++) {
        const char *path = t->files[i].Filename;
        uint64_t key = (uint64_t)cw_hash(t->files[i].Contents, t->files[i].Length, 0);
        if (!cw_str_starts(cw_str_of(path), CW_FOREIGN_ROOT "/") || cw_map_get(&texts, key, NULL))
            continue;
        cw_map_put(&texts, key, 1);
        const char *text = cw_arena_printf(&t->arena, "#include \"%s\"\n", path);
        t->files[t->nfiles] = (struct CXUnsavedFile){"/cuwarp-test/main.cu", text, strlen(text)};
        CHECK_INT(parse(t, "/cuwarp-test/main.cu", t->nfiles + 1), 0);
    }
    CHECK(texts.n > 4);
}

static void add_directories(struct test *t, char **directories, int n) {
    for (int i = 0; i < n; i++) {
        const char *const args[] = {"-isystem", directories[i]};
        add(t, args, 2);
    }
}

int main(int argc, char **argv) {
    struct test t = {0};
    init(&t);
    if (argc > 1 && !strcmp(argv[1], "headers")) {
        test_headers(&t);
    } else if (argc > 2 && !strcmp(argv[1], "uses")) {
        add_directories(&t, argv + 3, argc - 3);
        add_libraries(&t);
        CHECK_INT(parse(&t, argv[2], t.nfiles), 0);
    }
    clang_disposeIndex(t.index);
    cw_arena_free(&t.arena);
    return check_report();
}
