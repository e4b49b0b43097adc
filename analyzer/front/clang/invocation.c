#include "front/clang/invocation.h"

#include "base/str.h"
#include "front/shim/foreign.h"
#include "front/shim/shim.h"

#include <string.h>

enum { DEFAULT_ARCH = 75 };

struct arguments {
    CW_VEC(const char *) list;
};

static void add_all(struct cw_arena *a, struct arguments *to, const char *const *args, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        cw_vec_push(a, &to->list, args[i]);
}

/* ---- files ---- */

/* What clang's wrapper of the toolkit's headers leaves out: the function that a launch calls first. Its name follows
 * the toolkit's version, which clang knows for versions of its own time only. */
static const char toolkit_path[] = CW_SHIM_ROOT "/toolkit.h";
static const char toolkit_text[] =
    "extern \"C\" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);\n"
    "extern \"C\" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);\n";

static struct CXUnsavedFile unsaved(const struct cw_shim_file *f) {
    return (struct CXUnsavedFile){f->path, f->text, f->size};
}

/* What stands in for headers of libraries that the search for headers did not find. */
static void foreign_files(struct cw_arena *a, const struct cw_front_options *o, struct cw_clang_invocation *v) {
    struct cw_shim_file *files = CW_NEW_ARRAY(a, struct cw_shim_file, cw_foreign_count());
    uint32_t n = cw_foreign_files(o->args, o->nargs, files);
    for (uint32_t i = 0; i < n; i++)
        v->files[v->nfiles++] = unsaved(&files[i]);
}

/* The shim's files, with room for `more`. */
static void shim_files(struct cw_arena *a, const struct cw_front_options *o, struct cw_clang_invocation *v,
                       uint32_t more) {
    uint32_t n;
    const struct cw_shim_file *shim = cw_shim_files(&n);
    v->files = CW_NEW_ARRAY(a, struct CXUnsavedFile, n + cw_foreign_count() + more);
    for (uint32_t i = 0; i < n; i++)
        v->files[v->nfiles++] = unsaved(&shim[i]);
    foreign_files(a, o, v);
}

/* ---- arguments ---- */

static void target(struct cw_arena *a, const struct cw_front_options *o, struct arguments *to) {
    uint32_t n;
    const char *const *args = cw_shim_arch_args(a, o->arch ? o->arch : DEFAULT_ARCH, &n);
    add_all(a, to, args, n);
    for (uint32_t i = 0; i < o->nargs; i++)
        if (strncmp(o->args[i], "-std=", 5) == 0)
            return;
    cw_vec_push(a, &to->list, "-std=c++17");
}

static void toolkit(struct cw_arena *a, const struct cw_front_options *o, struct arguments *to,
                    struct cw_clang_invocation *v) {
    struct cw_shim_file stub;
    uint32_t n;
    const char *const *args = cw_shim_toolkit_args(a, o->cuda_path, &n, &stub);
    add_all(a, to, args, n);
    cw_vec_push(a, &to->list, "-include");
    cw_vec_push(a, &to->list, toolkit_path);
    v->files = CW_NEW_ARRAY(a, struct CXUnsavedFile, 3 + cw_foreign_count() + o->nfiles);
    v->files[v->nfiles++] = (struct CXUnsavedFile){toolkit_path, toolkit_text, sizeof toolkit_text - 1};
    v->files[v->nfiles++] = unsaved(&stub);
    foreign_files(a, o, v);
}

static void shim(struct cw_arena *a, const struct cw_front_options *o, struct arguments *to,
                 struct cw_clang_invocation *v) {
    uint32_t n;
    const char *const *args = o->precompiled ? cw_shim_precompiled_args(a, o->precompiled, &n) : cw_shim_args(&n);
    add_all(a, to, args, n);
    shim_files(a, o, v, 1 + o->nfiles);
}

/* A header that includes its includers meets itself. Clang minds `#pragma once` in the main file only of a prefix,
 * whose templates wait for the rest unless told otherwise. */
static void instantiate(struct cw_arena *a, struct arguments *to) {
    static const char *const args[] = {"-Xclang", "-fpch-instantiate-templates"};
    add_all(a, to, args, 2);
}

static void header(struct cw_arena *a, struct arguments *to, struct cw_clang_invocation *v) {
    instantiate(a, to);
    v->flags |= CXTranslationUnit_Incomplete;
}

/* `#pragma clang __debug crash` and its like would let a file end the process that reads it. */
static void survive(struct cw_arena *a, struct arguments *to) {
    static const char *const args[] = {"-Xclang", "-disable-pragma-debug-crash"};
    add_all(a, to, args, 2);
}

static struct CXUnsavedFile main_file(struct cw_arena *a, const struct cw_front_options *o) {
    size_t more = o->assumed ? strlen(o->assumed->text) : 0;
    if (!more)
        return (struct CXUnsavedFile){o->path, o->text, o->size};
    char *text = cw_arena_alloc(a, o->size + more + 1);
    memcpy(text, o->text, o->size);
    memcpy(text + o->size, o->assumed->text, more + 1);
    return (struct CXUnsavedFile){o->path, text, o->size + more};
}

struct cw_clang_invocation cw_clang_invocation(struct cw_arena *a, const struct cw_front_options *o) {
    struct cw_clang_invocation v = {.flags = CXTranslationUnit_KeepGoing};
    struct arguments to = {0};
    if (cw_str_names_header(o->path))
        header(a, &to, &v);
    (o->cuda_path ? toolkit : shim)(a, o, &to, &v);
    survive(a, &to);
    target(a, o, &to);
    add_all(a, &to, o->args, o->nargs);
    if (o->text)
        v.files[v.nfiles++] = main_file(a, o);
    for (uint32_t i = 0; i < o->nfiles; i++)
        v.files[v.nfiles++] = (struct CXUnsavedFile){o->files[i].path, o->files[i].text, o->files[i].size};
    v.args = to.list.at;
    v.nargs = to.list.n;
    return v;
}

/* ---- the prelude ---- */

/* Macros and search paths may differ between the units that share one prelude. */
static bool is_of_one_unit(const char *arg, bool *takes_next) {
    static const char *const attached[] = {"-D", "-U", "-I"};
    static const char *const separate[] = {"-isystem", "-iquote", "-include", "-idirafter"};
    *takes_next = false;
    for (size_t i = 0; i < sizeof attached / sizeof *attached; i++)
        if (strncmp(arg, attached[i], 2) == 0) {
            *takes_next = arg[2] == '\0';
            return true;
        }
    for (size_t i = 0; i < sizeof separate / sizeof *separate; i++)
        if (strncmp(arg, separate[i], strlen(separate[i])) == 0) {
            *takes_next = strcmp(arg, separate[i]) == 0;
            return true;
        }
    return false;
}

static void prelude_arguments(struct cw_arena *a, const struct cw_front_options *o, struct arguments *to) {
    bool takes_next;
    target(a, o, to);
    if (o->nshared) { /* users' headers depend on all of them */
        add_all(a, to, o->args, o->nargs);
        return;
    }
    for (uint32_t i = 0; i < o->nargs; i++) {
        if (!is_of_one_unit(o->args[i], &takes_next))
            cw_vec_push(a, &to->list, o->args[i]);
        else
            i += takes_next;
    }
}

static const char *prelude_text(struct cw_arena *a, const struct cw_front_options *o) {
    const char *text = "#include \"" CW_SHIM_PRELUDE "\"\n";
    for (uint32_t i = 0; i < o->nshared; i++)
        text = cw_arena_printf(a, "%s#include \"%s\"\n", text, o->shared[i]);
    return text;
}

struct cw_clang_invocation cw_clang_prelude_invocation(struct cw_arena *a, const struct cw_front_options *o,
                                                       const char *main_path) {
    const char *text = prelude_text(a, o);
    struct cw_clang_invocation v = {0};
    struct arguments to = {0};
    uint32_t n;
    const char *const *args = cw_shim_precompiled_args(a, NULL, &n);
    add_all(a, &to, args, n);
    survive(a, &to);
    prelude_arguments(a, o, &to);
    if (o->nshared)
        instantiate(a, &to);
    shim_files(a, o, &v, 1);
    v.files[v.nfiles++] = (struct CXUnsavedFile){main_path, text, strlen(text)};
    v.args = to.list.at;
    v.nargs = to.list.n;
    return v;
}

const char *cw_front_clang_prelude_key(struct cw_arena *a, const struct cw_front_options *o) {
    struct arguments args = {0};
    struct cw_buf key = {0};
    if (o->cuda_path)
        return NULL;
    prelude_arguments(a, o, &args);
    for (uint32_t i = 0; i < args.list.n; i++) {
        cw_buf_puts(&key, args.list.at[i]);
        cw_buf_putc(&key, '\n');
    }
    for (uint32_t i = 0; i < o->nshared; i++)
        cw_buf_printf(&key, "\nbegins with %s\n", o->shared[i]);
    const char *text = cw_arena_strndup(a, key.at, key.n);
    cw_buf_free(&key);
    return text;
}
