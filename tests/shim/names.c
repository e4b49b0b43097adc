/* What a header declares, for std_names.py.
 *
 *     shim_names scope shim|real SPACE HEADER [ARG...]    each name below the namespace SPACE, and the file
 *     shim_names members shim|real TEXT [ARG...]          what may stand behind TEXT: the members of a class
 *
 * "shim" reads the embedded headers, as CUDA; "real" the ones of this machine, as C++ or as ARG says. */
#include "front/shim/shim.h"

#include "base/str.h"

#include <clang-c/Index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 64, SPACE_MAX = 512 };
static const char *const main_file = "/cuwarp-test/main.cu";

struct unit {
    CXIndex index;
    CXTranslationUnit tu;
    const char *args[ARGUMENTS_MAX];
    int nargs;
    struct CXUnsavedFile *files; /* the shim's, and a last one for the main file */
    uint32_t nfiles;
};

static void add(struct unit *u, const char *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n && u->nargs < ARGUMENTS_MAX; i++)
        u->args[u->nargs++] = args[i];
}

static bool parse(struct unit *u, bool shim, const char *text, const char *const *args, uint32_t nargs) {
    static const char *const of_real[] = {"-x", "c++", "-Wno-everything"}, *const arch[] = {"--cuda-gpu-arch=sm_75"};
    uint32_t n = 0;
    const struct cw_shim_file *files = shim ? cw_shim_files(&n) : NULL;
    u->files = calloc(n + 1, sizeof *u->files);
    for (uint32_t i = 0; i < n; i++)
        u->files[i] = (struct CXUnsavedFile){files[i].path, files[i].text, files[i].size};
    u->files[n] = (struct CXUnsavedFile){main_file, text, strlen(text)};
    u->nfiles = n + 1;
    const char *const *own = shim ? cw_shim_args(&n) : of_real;
    add(u, own, shim ? n : sizeof of_real / sizeof *of_real);
    add(u, arch, shim);
    add(u, args, nargs);
    u->index = clang_createIndex(0, 0);
    return clang_parseTranslationUnit2(u->index, main_file, u->args, u->nargs, u->files, u->nfiles,
                                       CXTranslationUnit_KeepGoing, &u->tu) == CXError_Success;
}

static void finish(struct unit *u) {
    clang_disposeTranslationUnit(u->tu);
    clang_disposeIndex(u->index);
    free(u->files);
}

/* ---- names ---- */

struct scope {
    const char *wanted, *at;
};

static bool is_below(const char *space, const char *wanted) {
    size_t n = strlen(wanted);
    return strncmp(space, wanted, n) == 0 && (!space[n] || !n || space[n] == ':');
}

static void show(CXCursor c, const struct scope *s) {
    CXString name = clang_getCursorSpelling(c), path;
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
    path = clang_getFileName(file);
    const char *below = s->at + strlen(s->wanted);
    below += below[0] == ':' ? 2 : 0;
    printf("%s%s%s\t%s\n", below, *below ? "::" : "", clang_getCString(name),
           clang_getCString(path) ? clang_getCString(path) : "");
    clang_disposeString(name);
    clang_disposeString(path);
}

static bool is_record(enum CXCursorKind k) {
    return k == CXCursor_StructDecl || k == CXCursor_ClassDecl || k == CXCursor_UnionDecl || k == CXCursor_EnumDecl ||
           k == CXCursor_ClassTemplate;
}

/* Neither the first mention of a class, nor a specialization, nor a member behind its class. */
static bool is_declared_here(CXCursor c, enum CXCursorKind k) {
    enum CXCursorKind of = clang_getCursorKind(clang_getCursorSemanticParent(c));
    if (k == CXCursor_EnumConstantDecl)
        return true;
    return !is_record(of) && of != CXCursor_ClassTemplatePartialSpecialization &&
           k != CXCursor_ClassTemplatePartialSpecialization && (!is_record(k) || clang_isCursorDefinition(c)) &&
           clang_Cursor_isNull(clang_getSpecializedCursorTemplate(c));
}

static enum CXChildVisitResult visit(CXCursor c, CXCursor parent, CXClientData data) {
    (void)parent;
    const struct scope *outer = data;
    enum CXCursorKind k = clang_getCursorKind(c);
    CXString name = clang_getCursorSpelling(c);
    if (k == CXCursor_LinkageSpec) {
        clang_visitChildren(c, visit, data);
    } else if (k == CXCursor_Namespace) {
        char at[SPACE_MAX];
        bool same = clang_Cursor_isInlineNamespace(c) != 0;
        snprintf(at, sizeof at, "%s%s%s", outer->at, *outer->at && !same ? "::" : "",
                 same ? "" : clang_getCString(name));
        struct scope inner = {outer->wanted, at};
        clang_visitChildren(c, visit, &inner);
    } else if (is_below(outer->at, outer->wanted) && is_declared_here(c, k)) {
        show(c, outer);
        if (k == CXCursor_EnumDecl && !clang_EnumDecl_isScoped(c))
            clang_visitChildren(c, visit, data);
    }
    clang_disposeString(name);
    return CXChildVisit_Continue;
}

static int show_scope(bool shim, int argc, char **argv) {
    struct cw_buf text = {0};
    cw_buf_printf(&text, "#include <%s>\n", argv[1]);
    struct unit u = {0};
    bool ok = parse(&u, shim, text.at, (const char *const *)argv + 2, (uint32_t)(argc - 2));
    struct scope s = {argv[0], ""};
    if (ok)
        clang_visitChildren(clang_getTranslationUnitCursor(u.tu), visit, &s);
    finish(&u);
    cw_buf_free(&text);
    return !ok;
}

/* ---- members ---- */

static void show_completion(const CXCompletionResult *r) {
    unsigned n = clang_getNumCompletionChunks(r->CompletionString);
    if (clang_getCompletionAvailability(r->CompletionString) == CXAvailability_NotAccessible)
        return;
    for (unsigned i = 0; i < n; i++)
        if (clang_getCompletionChunkKind(r->CompletionString, i) == CXCompletionChunk_TypedText) {
            CXString text = clang_getCompletionChunkText(r->CompletionString, i);
            printf("%s\n", clang_getCString(text));
            clang_disposeString(text);
        }
}

static int show_members(bool shim, int argc, char **argv) {
    const char *text = argv[0], *last = strrchr(text, '\n');
    unsigned line = 1, column = (unsigned)strlen(last ? last + 1 : text) + 1;
    for (const char *at = text; *at; at++)
        line += *at == '\n';
    struct unit u = {0};
    bool ok = parse(&u, shim, text, (const char *const *)argv + 1, (uint32_t)(argc - 1));
    CXCodeCompleteResults *all =
        ok ? clang_codeCompleteAt(u.tu, main_file, line, column, u.files, u.nfiles, 0) : NULL;
    for (unsigned i = 0; all && i < all->NumResults; i++)
        show_completion(&all->Results[i]);
    clang_disposeCodeCompleteResults(all);
    finish(&u);
    return !all;
}

int main(int argc, char **argv) {
    bool shim = argc > 2 && strcmp(argv[2], "shim") == 0;
    if (argc > 4 && strcmp(argv[1], "scope") == 0)
        return show_scope(shim, argc - 3, argv + 3);
    if (argc > 3 && strcmp(argv[1], "members") == 0)
        return show_members(shim, argc - 3, argv + 3);
    fputs("usage: shim_names scope|members shim|real ...\n", stderr);
    return 2;
}
