/* The shim's headers through libclang.
 *
 *     test_shim headers            each header alone: no diagnostic, with warnings on
 *     test_shim orders             all headers in one unit, forwards, backwards and shuffled, under several standards
 *     test_shim uses FILE [ARG...] code that uses what they declare: no error
 *     test_shim rows               every row of intrinsics.def is declared under its name, and every device function
 *                                  of the shim has a row or a body
 *     test_shim toolkit FILE       the same code against a real toolkit, when there is one (exit status 77 otherwise)
 */
#include "cuda/intrinsics.h"
#include "cuda/models.h"
#include "front/shim/shim.h"

#include "base/str.h"
#include "check.h"

#include <clang-c/Index.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 64, SHOWN_MAX = 20 };

struct test {
    struct cw_arena arena;
    CXIndex index;
    const char *args[ARGUMENTS_MAX];
    int nargs;
    struct CXUnsavedFile *files; /* the shim's, and a last one for the main file */
    uint32_t nshim;
};

static void add(struct test *t, const char *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n && t->nargs < ARGUMENTS_MAX; i++)
        t->args[t->nargs++] = args[i];
}

static void init(struct test *t) {
    uint32_t n;
    cw_arena_init(&t->arena);
    t->index = clang_createIndex(0, 0);
    const char *const *args = cw_shim_args(&n);
    add(t, args, n);
    args = cw_shim_arch_args(&t->arena, 90, &n);
    add(t, args, n);
    const struct cw_shim_file *shim = cw_shim_files(&t->nshim);
    t->files = CW_NEW_ARRAY(&t->arena, struct CXUnsavedFile, t->nshim + 1);
    for (uint32_t i = 0; i < t->nshim; i++)
        t->files[i] = (struct CXUnsavedFile){shim[i].path, shim[i].text, shim[i].size};
}

static void finish(struct test *t) {
    clang_disposeIndex(t->index);
    cw_arena_free(&t->arena);
}

/* Prints the diagnostics from `least` on and returns how many there are. */
static unsigned complain(CXTranslationUnit unit, enum CXDiagnosticSeverity least) {
    unsigned bad = 0, n = clang_getNumDiagnostics(unit);
    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(unit, i);
        if (clang_getDiagnosticSeverity(d) >= least && bad++ < SHOWN_MAX) {
            CXString text = clang_formatDiagnostic(d, clang_defaultDiagnosticDisplayOptions());
            fprintf(stderr, "%s\n", clang_getCString(text));
            clang_disposeString(text);
        }
        clang_disposeDiagnostic(d);
    }
    return bad;
}

static CXTranslationUnit parse(struct test *t, const char *path, unsigned nfiles) {
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(t->index, path, t->args, t->nargs, t->files, nfiles,
                                                        CXTranslationUnit_KeepGoing, &unit);
    CHECK_INT(code, CXError_Success);
    return unit;
}

static CXTranslationUnit parse_text(struct test *t, const struct cw_buf *text) {
    t->files[t->nshim] = (struct CXUnsavedFile){"/cuwarp-test/main.cu", text->at ? text->at : "", text->n};
    return parse(t, "/cuwarp-test/main.cu", t->nshim + 1);
}

static const char *include_name(const struct CXUnsavedFile *f) {
    return f->Filename + strlen(CW_SHIM_ROOT "/");
}

/* A header people include, not one that others are built from. */
static bool is_public(const struct CXUnsavedFile *f) {
    return !strstr(include_name(f), "cuwarp");
}

/* Warnings on again, in system headers too. Declared but unused, or not defined here, is the nature of a shim. */
static void enable_warnings(struct test *t) {
    static const char *const on[] = {"-Wall", "-Wsystem-headers", "-Wno-unused-function", "-Wno-undefined-inline",
                                     "-Wno-unknown-cuda-version", "-Wno-builtin-macro-redefined"};
    add(t, on, sizeof on / sizeof on[0]);
}

/* ---- headers, orders ---- */

static void test_headers(struct test *t) {
    enable_warnings(t);
    for (uint32_t i = 0; i < t->nshim; i++) {
        struct cw_buf text = {0};
        cw_buf_printf(&text, "#include <%s>\n", include_name(&t->files[i]));
        CXTranslationUnit unit = parse_text(t, &text);
        CHECK_INT(complain(unit, CXDiagnostic_Warning), 0);
        clang_disposeTranslationUnit(unit);
        cw_buf_free(&text);
    }
}

static void include_all(struct test *t, const uint32_t *order) {
    struct cw_buf text = {0};
    for (uint32_t i = 0; i < t->nshim; i++)
        if (is_public(&t->files[order[i]]))
            cw_buf_printf(&text, "#include <%s>\n", include_name(&t->files[order[i]]));
    CHECK(text.n > 2000);
    CXTranslationUnit unit = parse_text(t, &text);
    CHECK_INT(complain(unit, CXDiagnostic_Warning), 0);
    clang_disposeTranslationUnit(unit);
    cw_buf_free(&text);
}

/* Any two headers stand in both orders in the first two; the shuffles part neighbours. */
static void test_orders(struct test *t) {
    enable_warnings(t);
    uint32_t *order = CW_NEW_ARRAY(&t->arena, uint32_t, t->nshim), seed = 1;
    for (uint32_t i = 0; i < t->nshim; i++)
        order[i] = i;
    include_all(t, order);
    for (uint32_t i = 0; i < t->nshim; i++)
        order[i] = t->nshim - 1 - i;
    include_all(t, order);
    for (int round = 0; round < 8; round++) {
        for (uint32_t i = t->nshim; i > 1; i--) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t k = (seed >> 8) % i, swap = order[k];
            order[k] = order[i - 1];
            order[i - 1] = swap;
        }
        include_all(t, order);
    }
    static const char *const standards[] = {"-std=c++11", "-std=c++14", "-std=c++20", "-std=gnu++23"};
    for (size_t i = 0; i < sizeof standards / sizeof standards[0]; i++) {
        add(t, &standards[i], 1);
        include_all(t, order);
        t->nargs--;
    }
}

/* ---- uses, toolkit ---- */

static void test_uses(struct test *t, const char *path) {
    CXTranslationUnit unit = parse(t, path, t->nshim);
    CHECK_INT(complain(unit, CXDiagnostic_Error), 0);
    clang_disposeTranslationUnit(unit);
}

static const char *qualified(struct test *t, CXCursor c) {
    CXCursor parent = clang_getCursorSemanticParent(c);
    CXString spelling = clang_getCursorSpelling(c);
    const char *name = cw_arena_strdup(&t->arena, clang_getCString(spelling));
    clang_disposeString(spelling);
    enum CXCursorKind k = clang_getCursorKind(parent);
    if (clang_isInvalid(k) || clang_isTranslationUnit(k) || k == CXCursor_LinkageSpec)
        return name;
    return cw_arena_printf(&t->arena, "%s::%s", qualified(t, parent), name);
}

struct calls {
    struct test *test;
    unsigned known;
};

static enum CXChildVisitResult count_known_calls(CXCursor c, CXCursor parent, CXClientData data) {
    (void)parent;
    struct calls *calls = data;
    CXCursor callee = clang_getCursorReferenced(c);
    if (clang_getCursorKind(c) == CXCursor_CallExpr && !clang_Cursor_isNull(callee))
        calls->known += cw_intrinsic_find(qualified(calls->test, callee)) != NULL;
    return CXChildVisit_Recurse;
}

/* The same file with NVIDIA's headers: the kernel is there and its calls are still known by name. */
static int test_toolkit(struct test *t, const char *path) {
    const char *root = getenv("CUDA_PATH") ? getenv("CUDA_PATH") : "/usr/local/cuda";
    char header[4096];
    snprintf(header, sizeof header, "%s/include/cuda_runtime.h", root);
    if (access(header, R_OK) != 0)
        return 77;
    struct cw_shim_file stub;
    uint32_t n;
    const char *const *args = cw_shim_toolkit_args(&t->arena, root, &n, &stub);
    t->nargs = 0;
    add(t, args, n);
    args = cw_shim_arch_args(&t->arena, 75, &n);
    add(t, args, n);
    t->files[0] = (struct CXUnsavedFile){stub.path, stub.text, stub.size};
    CXTranslationUnit unit = parse(t, path, 1);
    struct calls calls = {.test = t};
    clang_visitChildren(clang_getTranslationUnitCursor(unit), count_known_calls, &calls);
    CHECK(calls.known > 40); /* the file makes more than fifty calls of the device API */
    clang_disposeTranslationUnit(unit);
    return check_report();
}

/* ---- rows ---- */

static const char *const row_sections[] = {
#define CW_SECTION(id) "section " id,
#define CW_INTRINSIC(name, result, params, types, op, aux, roles, min, max, order, scope, flags, replacement) name,
#include "cuda/intrinsics.def"
};

struct names {
    struct test *test;
    struct cw_map seen; /* interned qualified names of functions in the shim */
    struct cw_intern intern;
};

static bool is_function(enum CXCursorKind k) {
    return k == CXCursor_FunctionDecl || k == CXCursor_FunctionTemplate || k == CXCursor_CXXMethod ||
           k == CXCursor_Constructor || k == CXCursor_ConversionFunction || k == CXCursor_Destructor;
}

static enum CXChildVisitResult find_device(CXCursor c, CXCursor parent, CXClientData data) {
    (void)parent;
    *(bool *)data |= clang_getCursorKind(c) == CXCursor_CUDADeviceAttr;
    return CXChildVisit_Continue;
}

/* The runtime's host calls may be made in kernels (dynamic parallelism); nothing is known of them there. */
static bool may_be_unknown(CXCursor c) {
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
    CXString name = clang_getFileName(file);
    bool is_host = strstr(clang_getCString(name), "/cuwarp/host_runtime.h") != NULL;
    clang_disposeString(name);
    return is_host || clang_CXXMethod_isDefaulted(c);
}

static enum CXChildVisitResult note_function(CXCursor c, CXCursor parent, CXClientData data) {
    (void)parent;
    struct names *names = data;
    if (!is_function(clang_getCursorKind(c)))
        return CXChildVisit_Recurse;
    const char *name = qualified(names->test, c);
    cw_map_put(&names->seen, (uint64_t)(uintptr_t)cw_intern(&names->intern, name), 1);
    bool is_device = false;
    clang_visitChildren(c, find_device, &is_device);
    bool is_guide = strstr(name, "<deduction guide") != NULL; /* has no body */
    if (is_device && !is_guide && !clang_isCursorDefinition(c) && clang_Cursor_isNull(clang_getCursorDefinition(c)) &&
        !may_be_unknown(c) && !cw_intrinsic_find(name) && !cw_model_is_syncfree(name)) {
        fprintf(stderr, "%s: a device function without a row, a body and a model\n", name);
        CHECK(false);
    }
    return CXChildVisit_Continue;
}

static void test_rows(struct test *t) {
    struct names names = {.test = t};
    cw_map_init(&names.seen, &t->arena);
    cw_intern_init(&names.intern, &t->arena);
    struct cw_buf text = {0};
    for (uint32_t i = 0; i < t->nshim; i++)
        cw_buf_printf(&text, "#include <%s>\n", include_name(&t->files[i]));
    CXTranslationUnit unit = parse_text(t, &text);
    clang_visitChildren(clang_getTranslationUnitCursor(unit), note_function, &names);
    bool is_declared = true;
    for (size_t i = 0; i < sizeof row_sections / sizeof row_sections[0]; i++) {
        const char *row = row_sections[i];
        if (strncmp(row, "section ", 8) == 0) {
            is_declared = row[8] != '\0';
        } else if (is_declared) {
            bool found = cw_map_get(&names.seen, (uint64_t)(uintptr_t)cw_intern(&names.intern, row), NULL);
            if (!found)
                fprintf(stderr, "%s: declared nowhere under this name\n", row);
            CHECK(found);
        }
    }
    clang_disposeTranslationUnit(unit);
    cw_buf_free(&text);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    struct test t = {0};
    init(&t);
    if (strcmp(what, "toolkit") == 0 && argc > 2) {
        int status = test_toolkit(&t, argv[2]);
        finish(&t);
        return status;
    }
    if (strcmp(what, "headers") == 0)
        test_headers(&t);
    else if (strcmp(what, "orders") == 0)
        test_orders(&t);
    else if (strcmp(what, "uses") == 0 && argc > 2) {
        add(&t, (const char *const *)argv + 3, (uint32_t)argc - 3);
        test_uses(&t, argv[2]);
    } else if (strcmp(what, "rows") == 0)
        test_rows(&t);
    finish(&t);
    return check_report();
}
