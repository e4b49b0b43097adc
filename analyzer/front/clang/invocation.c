#include "front/clang/invocation.h"

#include "base/str.h"
#include "front/shim/foreign.h"
#include "front/shim/shim.h"
#include "source/source.h"

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

static uint32_t remade_count(const struct cw_front_options *options) {
    return options->remade ? options->remade->files.n : 0;
}

/* Of files that only a survey reads otherwise than the disk has them. */
static uint32_t body_count(const struct cw_front_options *options) {
    return options->is_survey ? options->assumed->bodies.n : 0;
}

/* What clang's wrapper of the toolkit's headers leaves out: the function that a launch calls first. Its name follows
 * the toolkit's version, which clang knows for versions of its own time only. Cluster groups ask for nvcc, or for this
 * macro: clang has their intrinsics. */
static const char toolkit_path[] = CW_SHIM_ROOT "/toolkit.h";
static const char toolkit_text[] =
    "#define _CG_CLUSTER_INTRINSICS_AVAILABLE\n"
    "extern \"C\" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);\n"
    "extern \"C\" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);\n";

static struct CXUnsavedFile unsaved_file(const struct cw_shim_file *shim_file) {
    return (struct CXUnsavedFile){shim_file->path, shim_file->text, shim_file->size};
}

/* What stands in for headers of libraries that the search for headers did not find. */
static void foreign_files(struct cw_arena *a, const struct cw_front_options *options,
                          struct cw_clang_invocation *invocation) {
    struct cw_shim_file *files = CW_NEW_ARRAY(a, struct cw_shim_file, cw_foreign_count());
    uint32_t n = cw_foreign_files(options->args, options->nargs, files);
    for (uint32_t i = 0; i < n; i++)
        invocation->files[invocation->nfiles++] = unsaved_file(&files[i]);
}

/* The shim's files, with room for `more`. */
static void shim_files(struct cw_arena *a, const struct cw_front_options *options,
                       struct cw_clang_invocation *invocation, uint32_t more) {
    uint32_t n;
    const struct cw_shim_file *shim = cw_shim_files(&n);
    invocation->files = CW_NEW_ARRAY(a, struct CXUnsavedFile, n + cw_foreign_count() + more);
    for (uint32_t i = 0; i < n; i++)
        invocation->files[invocation->nfiles++] = unsaved_file(&shim[i]);
    foreign_files(a, options, invocation);
}

/* ---- arguments ---- */

static void add_target(struct cw_arena *a, const struct cw_front_options *options, struct arguments *to) {
    uint32_t n;
    const char *const *args = cw_shim_arch_args(a, options->arch ? options->arch : DEFAULT_ARCH, &n);
    add_all(a, to, args, n);
    for (uint32_t i = 0; i < options->nargs; i++)
        if (strncmp(options->args[i], "-std=", 5) == 0)
            return;
    cw_vec_push(a, &to->list, "-std=c++17");
}

static void add_toolkit(struct cw_arena *a, const struct cw_front_options *options, struct arguments *to,
                        struct cw_clang_invocation *invocation) {
    struct cw_shim_file stub;
    uint32_t n;
    const char *const *args = cw_shim_toolkit_args(a, options->cuda_path, &n, &stub);
    add_all(a, to, args, n);
    cw_vec_push(a, &to->list, "-include");
    cw_vec_push(a, &to->list, toolkit_path);
    uint32_t more = options->nfiles + remade_count(options) + body_count(options);
    invocation->files = CW_NEW_ARRAY(a, struct CXUnsavedFile, 3 + cw_foreign_count() + more);
    invocation->files[invocation->nfiles++] =
        (struct CXUnsavedFile){toolkit_path, toolkit_text, sizeof toolkit_text - 1};
    invocation->files[invocation->nfiles++] = unsaved_file(&stub);
    foreign_files(a, options, invocation);
}

static void add_shim(struct cw_arena *a, const struct cw_front_options *options, struct arguments *to,
                     struct cw_clang_invocation *invocation) {
    uint32_t n;
    const char *const *args =
        options->precompiled ? cw_shim_precompiled_args(a, options->precompiled, &n) : cw_shim_args(&n);
    add_all(a, to, args, n);
    shim_files(a, options, invocation, 1 + options->nfiles + remade_count(options) + body_count(options));
}

/* A header that includes its includers meets itself. Clang minds `#pragma once` in the main file only of a prefix,
 * whose templates wait for the rest unless told otherwise. */
static void add_instantiate(struct cw_arena *a, struct arguments *to) {
    static const char *const args[] = {"-Xclang", "-fpch-instantiate-templates"};
    add_all(a, to, args, 2);
}

static void add_header_mode(struct cw_arena *a, struct arguments *to, struct cw_clang_invocation *invocation) {
    add_instantiate(a, to);
    invocation->flags |= CXTranslationUnit_Incomplete;
}

/* `#pragma clang __debug crash` and its like would let a file end the process that reads it. */
static void disable_crash_pragma(struct cw_arena *a, struct arguments *to) {
    static const char *const args[] = {"-Xclang", "-disable-pragma-debug-crash"};
    add_all(a, to, args, 2);
}

static const struct cw_remade_file *remade_file(const struct cw_front_options *options, const char *path) {
    for (uint32_t i = 0; i < remade_count(options); i++)
        if (!strcmp(options->remade->files.at[i].path, path))
            return &options->remade->files.at[i];
    return NULL;
}

/* The text without these bodies, of which the lines stay. */
static const char *without_bodies(struct cw_arena *a, const struct cw_assumed *assumed, const char *path,
                                  const char *text, size_t size) {
    char *out = cw_arena_strndup(a, text, size);
    for (uint32_t i = 0; i < assumed->bodies.n; i++) {
        const struct cw_text_range *body = &assumed->bodies.at[i];
        bool is_its = !strcmp(body->path, path) && body->to < size && text[body->from - 1] == '{' &&
                      text[body->to] == '}';
        for (uint32_t at = body->from; is_its && at < body->to; at++)
            out[at] = out[at] == '\n' ? '\n' : ' ';
    }
    return out;
}

static struct CXUnsavedFile parsed_file(struct cw_arena *a, const struct cw_front_options *options, const char *path,
                                        const char *text, size_t size) {
    if (options->is_survey)
        text = without_bodies(a, options->assumed, path, text, size);
    return (struct CXUnsavedFile){path, text, size};
}

/* "-o.cu" would be an option. NULL where only the arguments are asked for. */
static const char *operand(struct cw_arena *a, const char *path) {
    return path && path[0] == '-' ? cw_arena_printf(a, "./%s", path) : path;
}

static struct CXUnsavedFile main_file(struct cw_arena *a, const struct cw_front_options *options, const char *name) {
    const struct cw_remade_file *remade = remade_file(options, options->path);
    const struct cw_assumed *assumed = options->assumed;
    struct CXUnsavedFile file = parsed_file(a, options, options->path, remade ? remade->text : options->text,
                                            options->size);
    file.Filename = name;
    if (!assumed)
        return file;
    const char *more = assumed->declarations
                           ? cw_arena_printf(a, "%s#if __INCLUDE_LEVEL__ == 0\n%s#endif\n", assumed->text,
                                             assumed->declarations)
                           : assumed->text;
    size_t n = strlen(more);
    char *text = cw_arena_alloc(a, file.Length + n + 1);
    memcpy(text, file.Contents, file.Length);
    memcpy(text + file.Length, more, n + 1);
    return (struct CXUnsavedFile){name, text, file.Length + n};
}

/* Is the file one of those that are parsed with another text than the disk has? */
static bool is_given(const struct cw_clang_invocation *v, const char *path) {
    for (unsigned i = 0; i < v->nfiles; i++)
        if (!strcmp(v->files[i].Filename, path))
            return true;
    return false;
}

/* Files of the disk in which a survey leaves bodies out. */
static void add_without_bodies(struct cw_arena *a, const struct cw_front_options *options,
                               struct cw_clang_invocation *v) {
    for (uint32_t i = 0; options->is_survey && i < options->assumed->bodies.n; i++) {
        const char *path = options->assumed->bodies.at[i].path, *error;
        const struct cw_source *source = is_given(v, path) ? NULL : cw_source_load(a, path, &error);
        if (source && !source->is_converted && !source->has_bom)
            v->files[v->nfiles++] = parsed_file(a, options, path, source->text, source->size);
    }
}

/* The main file, those that are read in place of what the disk has, and those that are parsed as they were remade. */
static void other_files(struct cw_arena *a, const struct cw_front_options *options, struct arguments *to,
                        struct cw_clang_invocation *v) {
    if (options->text)
        v->files[v->nfiles++] = main_file(a, options, v->main_file);
    for (uint32_t i = 0; i < options->nfiles; i++)
        if (!remade_file(options, options->files[i].path))
            v->files[v->nfiles++] = parsed_file(a, options, options->files[i].path, options->files[i].text,
                                                options->files[i].size);
    for (uint32_t i = 0; i < remade_count(options); i++) {
        const struct cw_remade_file *file = &options->remade->files.at[i];
        if (strcmp(file->path, options->path) != 0)
            v->files[v->nfiles++] = parsed_file(a, options, file->path, file->text, file->size);
    }
    add_without_bodies(a, options, v);
    if (remade_count(options))
        add_all(a, to, options->remade->macros.at, options->remade->macros.n);
}

struct cw_clang_invocation cw_clang_invocation(struct cw_arena *a, const struct cw_front_options *options) {
    struct cw_clang_invocation v = {.main_file = operand(a, options->path), .flags = CXTranslationUnit_KeepGoing};
    struct arguments to = {0};
    if (cw_str_names_header(options->path))
        add_header_mode(a, &to, &v);
    (options->cuda_path ? add_toolkit : add_shim)(a, options, &to, &v);
    disable_crash_pragma(a, &to);
    add_target(a, options, &to);
    if (options->assumed) /* members are named from outside */
        cw_vec_push(a, &to.list, "-fno-access-control");
    add_all(a, &to, options->args, options->nargs);
    other_files(a, options, &to, &v);
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

static void prelude_arguments(struct cw_arena *a, const struct cw_front_options *options, struct arguments *to) {
    bool takes_next;
    add_target(a, options, to);
    if (options->nshared) { /* users' headers depend on all of them */
        add_all(a, to, options->args, options->nargs);
        return;
    }
    for (uint32_t i = 0; i < options->nargs; i++) {
        if (!is_of_one_unit(options->args[i], &takes_next))
            cw_vec_push(a, &to->list, options->args[i]);
        else
            i += takes_next;
    }
}

static const char *prelude_text(struct cw_arena *a, const struct cw_front_options *options) {
    const char *text = "#include \"" CW_SHIM_PRELUDE "\"\n";
    for (uint32_t i = 0; i < options->nshared; i++)
        text = cw_arena_printf(a, "%s#include \"%s\"\n", text, options->shared[i]);
    return text;
}

struct cw_clang_invocation cw_clang_prelude_invocation(struct cw_arena *a, const struct cw_front_options *options,
                                                       const char *main_path) {
    const char *text = prelude_text(a, options);
    struct cw_clang_invocation v = {0};
    struct arguments to = {0};
    uint32_t n;
    const char *const *args = cw_shim_precompiled_args(a, NULL, &n);
    add_all(a, &to, args, n);
    disable_crash_pragma(a, &to);
    prelude_arguments(a, options, &to);
    if (options->nshared)
        add_instantiate(a, &to);
    shim_files(a, options, &v, 1);
    v.files[v.nfiles++] = (struct CXUnsavedFile){main_path, text, strlen(text)};
    v.args = to.list.at;
    v.nargs = to.list.n;
    return v;
}

const char *cw_front_clang_prelude_key(struct cw_arena *a, const struct cw_front_options *options) {
    struct arguments args = {0};
    struct cw_buf key = {0};
    if (options->cuda_path)
        return NULL;
    prelude_arguments(a, options, &args);
    for (uint32_t i = 0; i < args.list.n; i++) {
        cw_buf_puts(&key, args.list.at[i]);
        cw_buf_putc(&key, '\n');
    }
    for (uint32_t i = 0; i < options->nshared; i++)
        cw_buf_printf(&key, "\nbegins with %s\n", options->shared[i]);
    const char *text = cw_arena_strndup(a, key.at, key.n);
    cw_buf_free(&key);
    return text;
}
