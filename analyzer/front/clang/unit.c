/* The clang front end: parse with libclang against the shim (or a real toolkit), then lower. */
#include "front/clang/lower.h"
#include "front/shim/shim.h"

#include <string.h>

enum { MAX_NOTES = 500, MAX_ERRORS = 100000 };

struct arguments {
    CW_VEC(const char *) list;
};

static void add(struct cw_unit *u, struct arguments *to, const char *arg) {
    cw_vec_push(&u->scratch, &to->list, arg);
}

static void add_all(struct cw_unit *u, struct arguments *to, const char *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        add(u, to, args[i]);
}

/* What clang's wrapper of the toolkit's headers leaves out: the function that a launch calls first. Its name follows the
 * toolkit's version, which clang knows for versions of its own time only. */
static const char toolkit_path[] = CW_SHIM_ROOT "/toolkit.h";
static const char toolkit_text[] =
    "extern \"C\" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);\n"
    "extern \"C\" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);\n";

/* The real headers: CUDA 13's need an include folder that clang 19 does not know. */
static void toolkit_arguments(struct cw_unit *u, struct arguments *to) {
    static const char *const fixed[] = {"-x", "cuda", "--cuda-device-only", "-nocudalib", "-nogpulib", "-w",
                                        "-ferror-limit=0", "-fno-spell-checking", "-ftemplate-depth=256"};
    add_all(u, to, fixed, sizeof fixed / sizeof *fixed);
    add(u, to, cw_arena_printf(&u->scratch, "--cuda-path=%s", u->options->cuda_path));
    add(u, to, "-isystem");
    add(u, to, cw_arena_printf(&u->scratch, "%s/include/cccl", u->options->cuda_path));
    add(u, to, "-include");
    add(u, to, toolkit_path);
}

static bool sets_standard(const struct cw_front_options *o) {
    for (uint32_t i = 0; i < o->nargs; i++)
        if (strncmp(o->args[i], "-std=", 5) == 0)
            return true;
    return false;
}

static struct arguments arguments(struct cw_unit *u) {
    struct arguments to = {0};
    uint32_t n;
    const char *const *args;
    if (u->options->cuda_path) {
        toolkit_arguments(u, &to);
    } else {
        args = u->options->precompiled ? cw_shim_precompiled_args(&u->scratch, u->options->precompiled, &n)
                                       : cw_shim_args(&n);
        add_all(u, &to, args, n);
    }
    args = cw_shim_arch_args(&u->scratch, u->options->arch ? u->options->arch : 75, &n);
    add_all(u, &to, args, n);
    if (!sets_standard(u->options))
        add(u, &to, "-std=c++17");
    add_all(u, &to, u->options->args, u->options->nargs);
    return to;
}

/* The shim's files and the main file's text, none of which is read from disk. */
static struct CXUnsavedFile *unsaved(struct cw_unit *u, uint32_t *n) {
    uint32_t shims = 0;
    const struct cw_shim_file *shim = u->options->cuda_path ? NULL : cw_shim_files(&shims);
    struct CXUnsavedFile *files = CW_NEW_ARRAY(&u->scratch, struct CXUnsavedFile, shims + 3);
    *n = 0;
    for (uint32_t i = 0; i < shims; i++)
        files[(*n)++] = (struct CXUnsavedFile){shim[i].path, shim[i].text, shim[i].size};
    if (u->options->cuda_path)
        files[(*n)++] = (struct CXUnsavedFile){toolkit_path, toolkit_text, sizeof toolkit_text - 1};
    if (u->options->cuda_path) /* clang 19 cannot parse CUDA 13's, and nobody uses what it declares */
        files[(*n)++] = (struct CXUnsavedFile){
            cw_arena_printf(&u->scratch, "%s/include/texture_fetch_functions.h", u->options->cuda_path), "", 0};
    files[(*n)++] = (struct CXUnsavedFile){u->options->path, u->options->text ? u->options->text : "", u->options->size};
    return files;
}

static void note(struct cw_unit *u, CXDiagnostic d) {
    CXFile f = NULL;
    unsigned line = 0, col = 0;
    clang_getFileLocation(clang_getDiagnosticLocation(d), &f, &line, &col, NULL);
    bool is_error = clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error;
    struct cw_span span = {cw_clang_file(u, f)->index, line, col, line, col};
    const char *text = cw_clang_text(u, clang_getDiagnosticSpelling(d));
    cw_vec_push(u->arena, &u->module->notes, ((struct cw_parse_note){span, is_error, text}));
}

/* An error there says what the shim leaves out (a body for a template on a local type), nothing about the user's code. */
static bool is_in_shim(CXDiagnostic d) {
    CXFile f = NULL;
    clang_getFileLocation(clang_getDiagnosticLocation(d), &f, NULL, NULL, NULL);
    CXString name = clang_getFileName(f);
    const char *text = clang_getCString(name);
    bool is = text && strncmp(text, CW_SHIM_ROOT "/", sizeof CW_SHIM_ROOT) == 0;
    clang_disposeString(name);
    return is;
}

static void notes(struct cw_unit *u) {
    unsigned n = clang_getNumDiagnostics(u->tu);
    for (unsigned i = 0; i < n && i < MAX_ERRORS; i++) {
        CXDiagnostic d = clang_getDiagnostic(u->tu, i);
        bool is_users = !is_in_shim(d);
        if (is_users && clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error)
            cw_clang_note_error(u, clang_getDiagnosticLocation(d));
        if (is_users && i < MAX_NOTES)
            note(u, d);
        clang_disposeDiagnostic(d);
    }
    cw_clang_sort_errors(u);
}

static void init_maps(struct cw_unit *u) {
    struct cw_map *maps[] = {&u->types, &u->leaves, &u->callees, &u->closures,
                             &u->files, &u->spans,  &u->globals, &u->names,  &u->destructors,
                             &u->instances, &u->places, &u->decayed};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        cw_map_init(maps[i], &u->scratch);
}

static void read_unit(struct cw_unit *u) {
    struct cw_file_text main_file = {.file = clang_getFile(u->tu, u->options->path), .is_main = true};
    u->main_file = &main_file;
    u->main_file = cw_clang_file(u, main_file.file);
    notes(u);
    cw_clang_collect(u);
}

static const char *parse(struct cw_unit *u, CXIndex index) {
    static const char *const why[] = {[CXError_Failure] = "libclang could not parse it", [CXError_Crashed] = "libclang crashed",
                                      [CXError_InvalidArguments] = "libclang refused its arguments",
                                      [CXError_ASTReadError] = "libclang could not read the tree"};
    uint32_t nfiles;
    struct arguments args = arguments(u);
    struct CXUnsavedFile *files = unsaved(u, &nfiles);
    enum CXErrorCode e = clang_parseTranslationUnit2(index, u->options->path, args.list.at, (int)args.list.n, files, nfiles,
                                                     CXTranslationUnit_KeepGoing, &u->tu);
    if (e == CXError_Success && u->tu)
        return NULL;
    return (size_t)e < sizeof why / sizeof *why && why[e] ? why[e] : why[CXError_Failure];
}

struct cw_module *cw_front_clang(struct cw_arena *a, const struct cw_front_options *o, const char **error) {
    struct cw_unit u = {.arena = a, .options = o};
    cw_arena_init(&u.scratch);
    init_maps(&u);
    u.module = CW_NEW(a, struct cw_module);
    cw_module_init(u.module, a);
    u.module->frontend = "clang";
    cw_module_file(u.module, o->path);
    /* "Without declarations of a precompiled header": there is none, but this list also has every instantiation. */
    CXIndex index = clang_createIndex(1, 0);
    *error = parse(&u, index);
    if (*error && o->precompiled) { /* made for other options, or damaged */
        struct cw_front_options plain = *o;
        plain.precompiled = NULL;
        u.options = &plain;
        *error = parse(&u, index);
        u.options = o;
    }
    if (!*error) {
        read_unit(&u);
        clang_disposeTranslationUnit(u.tu);
    }
    clang_disposeIndex(index);
    cw_arena_free(&u.scratch);
    return *error ? NULL : u.module;
}
