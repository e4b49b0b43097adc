/* requires: the sorted inputs. computes: a file's options; all in the parent, so that every header of the tree is read
 * for its #include lines once and every directory walked once. */
#include "engine/flags.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/str.h"
#include "compdb/build_files.h"
#include "compdb/folders.h"
#include "compdb/includers.h"
#include "compdb/includes.h"
#include "engine/archs.h"
#include "engine/commands.h"
#include "engine/ignore.h"
#include "engine/includer_index.h"
#include "engine/known_files.h"
#include "engine/launch_index.h"
#include "engine/project.h"
#include "front/shim/foreign.h"
#include "front/shim/shim.h"
#include "source/makers.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How far the walk for headers may go: enough for the neighbourhood of one file, and for most repositories as a whole
 * when a whole one is linted. */
enum { WALK_BASE = 20000, WALK_PER_FILE = 2000, WALK_MOST = 400000 };

/* File-system calls of the search for headers, beside the walk: no worker's limit guards the parent. */
enum { CALLS_BASE = 250000, CALLS_PER_FILE = 250, CALLS_MOST = 4000000 };

/* Of the files that may call the launching functions of one header, so many are read for what they instantiate. */
enum { CALLERS_OF_HEADER = 4 };

/* Files of the tree that may include one file: so many are looked at closely. */
enum { INCLUDERS_TRIED = 4 };

struct cw_flags {
    struct cw_arena *arena;
    const struct cw_run_options *options;
    struct cw_sources *sources;
    struct cw_known_files *known;
    struct cw_project project;
    struct cw_commands *commands;
    struct cw_headers *headers;
    struct cw_folders *folders;
    struct cw_build_files *build_files;
    struct cw_includes *includes; /* with inference */
    struct cw_includes *exact;    /* without: what a compile command names is all there is */
    struct cw_ignore *ignore;
    const char *ignore_root;
    struct cw_intern names;
    const struct cw_inputs *inputs;
    struct cw_map looked_at;    /* interned full path of an input -> 1, 2: named itself; filled when it is asked for */
    struct cw_map instantiated; /* what a unit without kernels includes -> 1 */
    struct cw_map callers;      /* header with kernels -> units without kernels that may call its launching functions;
                                   such a header and the name of a function -> 1 */
    struct cw_launch_index *launches;
    struct cw_includer_index *includers;
    struct cw_words parts; /* named files that may be parts of others */
    bool said_cut; /* that the search for headers stopped early */
};

/* ---- opening ---- */

/* The repository is opened for the first file that is asked about; a run may need none. */
static bool is_ignored(void *ctx, const char *path) {
    struct cw_flags *f = ctx;
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    const char *root = cw_project_root(&f->project, directory);
    if (!f->ignore_root || strcmp(f->ignore_root, root) != 0) {
        cw_ignore_close(f->ignore);
        f->ignore = cw_ignore_open(root);
        f->ignore_root = root;
    }
    return f->ignore && cw_is_ignored(f->ignore, path, false);
}

static struct cw_includes *open_includes(struct cw_flags *flags, struct cw_headers *headers) {
    uint32_t n;
    const struct cw_shim_file *shim = cw_shim_files(&n);
    const char **names = CW_NEW_ARRAY(flags->arena, const char *, n + 1);
    for (uint32_t i = 0; i < n; i++)
        names[i] = shim[i].path + sizeof CW_SHIM_ROOT;
    uint32_t nforeign;
    const struct cw_foreign_name *foreign = cw_foreign_names(&nforeign);
    struct cw_stand_in *stand_ins = CW_NEW_ARRAY(flags->arena, struct cw_stand_in, nforeign + 1);
    for (uint32_t i = 0; i < nforeign; i++)
        stand_ins[i] = (struct cw_stand_in){foreign[i].name, foreign[i].folder, foreign[i].under};
    struct cw_includes_options o = {.headers = headers,
                                    .reader = cw_reader_of_disk(),
                                    .builtin = names,
                                    .nbuiltin = n,
                                    .stand_ins = stand_ins,
                                    .nstand_ins = nforeign,
                                    .memory = {cw_known_files_recall, cw_known_files_note, flags->known},
                                    .folders = flags->folders};
    return cw_includes_new(flags->arena, &o);
}

struct cw_flags *cw_flags_open(const struct cw_run_options *options, const struct cw_inputs *inputs,
                               struct cw_sources *sources, struct cw_known_files *known, struct cw_arena *a,
                               const char **error) {
    struct cw_flags *f = CW_NEW(a, struct cw_flags);
    f->arena = a;
    f->options = options;
    f->sources = sources;
    f->known = known;
    f->inputs = inputs;
    cw_intern_init(&f->names, a);
    cw_map_init(&f->instantiated, a);
    cw_map_init(&f->callers, a);
    cw_map_init(&f->looked_at, a);
    f->launches = cw_launch_index_new(a);
    f->includers = cw_includer_index_new(a);
    uint32_t nfiles = inputs->paths.n;
    cw_project_init(&f->project, a, options->paths, options->npaths);
    uint32_t files = nfiles < WALK_MOST / WALK_PER_FILE ? nfiles : WALK_MOST / WALK_PER_FILE;
    struct cw_headers_options walk = {WALK_BASE + WALK_PER_FILE * files, is_ignored, f};
    if (walk.budget > WALK_MOST)
        walk.budget = WALK_MOST;
    f->headers = cw_headers_new(a, &walk);
    uint64_t calls = CALLS_BASE + (uint64_t)CALLS_PER_FILE * nfiles;
    f->folders = cw_folders_new(a, calls < CALLS_MOST ? calls : CALLS_MOST);
    f->build_files = cw_build_files_new(a, cw_reader_of_disk());
    f->exact = open_includes(f, NULL);
    f->includes = options->no_inference ? f->exact : open_includes(f, f->headers);
    f->commands = cw_commands_open(options, &f->project, f->exact, a, error);
    return f->commands ? f : NULL;
}

void cw_flags_close(struct cw_flags *flags) {
    if (flags)
        cw_ignore_close(flags->ignore);
}

/* ---- the command of a file ---- */

static bool holds_file(const char *directory, const char *name) {
    char path[PATH_MAX];
    struct stat st;
    int n = snprintf(path, sizeof path, "%s/%s", directory, name);
    return n > 0 && (size_t)n < sizeof path && !stat(path, &st);
}

/* The toolkit's and the host's own headers: half of them would be read in place of the built-in ones, and fit
 * nothing. */
static bool is_platform(const char *directory) {
    static const char *const marks[] = {"cuda_runtime.h", "stdio.h", "stddef.h", "cstdlib"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (holds_file(directory, marks[i]))
            return true;
    return false;
}

static bool takes_value(const char *arg) {
    static const char *const names[] = {"-isystem", "-idirafter", "-iquote", "-include"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(arg, names[i]))
            return true;
    return false;
}

void cw_flags_add_compile(struct cw_arena *a, const struct cw_compile *compile, struct cw_words *out) {
    for (uint32_t i = 0; i < compile->args.n; i++) {
        const char *arg = compile->args.at[i],
                   *value = takes_value(arg) && i + 1 < compile->args.n ? compile->args.at[i + 1] : NULL;
        const char *directory = !strncmp(arg, "-I", 2) ? arg + 2 : value && strcmp(arg, "-include") != 0 ? value : NULL;
        i += value != NULL;
        if (directory && is_platform(directory))
            continue;
        cw_vec_push(a, out, arg);
        if (value)
            cw_vec_push(a, out, value);
    }
}

static const char *real_of(struct cw_flags *flags, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) ? cw_intern(&flags->names, full) : path;
}

static const char *directory_of(struct cw_flags *flags, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? cw_intern_n(&flags->names, path, slash > path ? (size_t)(slash - path) : 1) : "/";
}

/* ---- one file ---- */

/* What the search for headers has to know of the options given: the directories, made absolute. */
static struct cw_words absolute_args(struct cw_flags *flags, const struct cw_words *args) {
    struct cw_words out = {0};
    for (uint32_t i = 0; i < args->n; i++) {
        const char *arg = args->at[i];
        bool attached = !strncmp(arg, "-I", 2) && arg[2];
        if (attached)
            arg = cw_arena_printf(flags->arena, "-I%s", cw_project_full(&flags->project, arg + 2));
        cw_vec_push(flags->arena, &out, arg);
        if (!attached && takes_value(arg) && i + 1 < args->n)
            cw_vec_push(flags->arena, &out, cw_project_full(&flags->project, args->at[++i]));
    }
    return out;
}

/* Directories below the working directory are named from there, as the user would. */
static const char *shown_directory(struct cw_flags *flags, const char *path) {
    size_t n = strlen(flags->project.here);
    if (strncmp(path, flags->project.here, n) != 0 || (path[n] != '/' && path[n]))
        return path;
    return path[n] ? path + n + 1 : ".";
}

static void add_inferred(struct cw_flags *flags, const char *path, const struct cw_words *found,
                         struct cw_words *args) {
    for (uint32_t i = 0; i < found->n; i++) {
        const char *arg = found->at[i];
        bool attached = !strncmp(arg, "-I", 2);
        if (attached)
            arg = cw_arena_printf(flags->arena, "-I%s", shown_directory(flags, arg + 2));
        else if (arg[0] == '/')
            arg = shown_directory(flags, arg);
        cw_verbose("%s: inferred %s", path, arg);
        cw_vec_push(flags->arena, args, arg);
    }
}

/* A file without a command is compiled with the macros that the project's build files define for it. Those that the
 * user gives come later and win. */
static void add_build_macros(struct cw_flags *flags, const char *path, const char *full, const char *root,
                             struct cw_words *args) {
    const char *slash = strrchr(full, '/');
    struct cw_build_macros macros =
        cw_build_files_macros(flags->build_files, root, directory_of(flags, full), slash ? slash + 1 : full);
    for (uint32_t i = 0; i < macros.definitions.n; i++) {
        cw_verbose("%s: %s, as %s says", path, macros.definitions.at[i], shown_directory(flags, macros.from));
        cw_vec_push(flags->arena, args, macros.definitions.at[i]);
    }
}

/* Headers that the build makes: the unit is given its own. */
static void add_made(struct cw_flags *flags, const struct cw_made_headers *made, struct cw_unit_options *options,
                     struct cw_words *args) {
    for (uint32_t i = 0; i < made->n; i++) {
        struct cw_made_name one = made->at[i];
        if (one.template)
            one.template = shown_directory(flags, one.template);
        cw_vec_push(flags->arena, &options->made, one);
    }
    if (made->n) {
        cw_vec_push(flags->arena, args, "-idirafter");
        cw_vec_push(flags->arena, args, CW_SHIM_MADE);
    }
}

static cw_str text_of(struct cw_flags *flags, const char *path) {
    bool is_stdin = flags->options->stdin_name && !strcmp(path, flags->options->stdin_name);
    const struct cw_source *s = is_stdin ? cw_sources_get(flags->sources, path, NULL)
                                         : cw_sources_overridden(flags->sources, path);
    return s ? (cw_str){s->text, s->size} : (cw_str){0};
}

/* What is known of the files on the disk does not hold for a unit that reads one of them otherwise. */
static bool reads_override(const struct cw_flags *flags, const struct cw_include_result *unit) {
    for (uint32_t i = 0; i < unit->files.n && flags->sources->overrides.n; i++)
        if (cw_sources_overridden(flags->sources, unit->files.at[i]))
            return true;
    return false;
}

static uint64_t path_key(struct cw_flags *flags, const char *path) {
    return (uint64_t)(uintptr_t)cw_intern(&flags->names, cw_project_full(&flags->project, path));
}

enum { LOOKED_AT_NOT, LOOKED_AT, LOOKED_AT_BY_NAME, LOOKED_AT_WITH_PART };

/* Does the run look at the file for its own sake, and was it named itself? */
static uint64_t looked_at(struct cw_flags *flags, const char *path) {
    uint64_t found = LOOKED_AT_NOT;
    if (!flags->looked_at.n) {
        for (uint32_t i = 0; i < flags->inputs->paths.n; i++)
            cw_map_put(&flags->looked_at, path_key(flags, flags->inputs->paths.at[i]), LOOKED_AT);
        for (uint32_t i = 0; i < flags->options->npaths; i++)
            if (cw_map_get(&flags->looked_at, path_key(flags, flags->options->paths[i]), NULL))
                cw_map_put(&flags->looked_at, path_key(flags, flags->options->paths[i]), LOOKED_AT_BY_NAME);
    }
    return cw_map_get(&flags->looked_at, path_key(flags, path), &found) ? found : LOOKED_AT_NOT;
}

/* A file without device code of its own stands for what it includes: to somebody who names it, and for kernels in files
 * that the run does not look at otherwise ("kernel.ipp", a header outside of the folder). */
static bool stands_for(struct cw_flags *flags, const char *path, const char *header) {
    return looked_at(flags, header) == LOOKED_AT_NOT && !cw_flags_is_foreign(flags, path, header);
}

static bool stands_for_headers(struct cw_flags *flags, const char *path, const struct cw_include_result *unit) {
    bool is_input = flags->options->stdin_name && !strcmp(path, flags->options->stdin_name);
    if (is_input || looked_at(flags, path) == LOOKED_AT_BY_NAME)
        return true;
    for (uint32_t i = 0; i < unit->kernels.n; i++)
        if (stands_for(flags, path, unit->kernels.at[i]))
            return true;
    return false;
}

static uint64_t name_key(const char *name, uint64_t seed) {
    return cw_hash(name, strlen(name), seed);
}

/* Is the unit the first that includes just these files, and calls these functions of them? */
static bool is_first_of(struct cw_flags *flags, const struct cw_include_result *unit) {
    uint64_t key = unit->included.low ^ unit->included.high;
    for (uint32_t i = 0; unit->calls_launchers && i < unit->called.n; i++)
        key ^= name_key(unit->called.at[i], 0); /* in any order */
    bool is_first = !cw_map_get(&flags->instantiated, key, NULL);
    cw_map_put(&flags->instantiated, key, 1);
    return is_first;
}

/* Is the unit the first that calls some function by which the header's kernels are launched? */
static bool is_first_caller(struct cw_flags *flags, uint64_t header, const struct cw_include_result *unit) {
    bool is_first = false;
    for (uint32_t i = 0; i < unit->called.n; i++) {
        uint64_t key = name_key(unit->called.at[i], header);
        is_first |= !cw_map_get(&flags->callers, key, NULL);
        cw_map_put(&flags->callers, key, 1);
    }
    return is_first;
}

/* Is the unit among the first callers of some header of its own? A library's header has as many callers as the library
 * has tests, and most of them make the same instances. */
static bool is_early_caller(struct cw_flags *flags, const char *path, const struct cw_include_result *unit) {
    bool is_early = false;
    for (uint32_t i = 0; unit->calls_launchers && i < unit->kernels.n; i++) {
        uint64_t callers = 0, key = path_key(flags, unit->kernels.at[i]);
        if (cw_flags_is_foreign(flags, path, unit->kernels.at[i]))
            continue;
        cw_map_get(&flags->callers, key, &callers);
        cw_map_put(&flags->callers, key, callers + 1);
        is_early |= is_first_caller(flags, key, unit) || callers < CALLERS_OF_HEADER;
    }
    return is_early;
}

/* A file of nothing but "DECLARE_CASE(128, float);" has no code of its own, but it says with what the kernels of its
 * headers are instantiated, as does one that calls their launching functions. Code bases have hundreds of the former:
 * of the ones that include the same, the first tells most. */
static bool is_instantiating(struct cw_flags *flags, const char *path, bool wants_all,
                             const struct cw_include_result *unit) {
    if (unit->launches_by_macro)
        return is_first_of(flags, unit);
    if (unit->has_kernels || !unit->kernels.n || !cw_str_ends(cw_str_of(path), ".cu") ||
        (!wants_all && !stands_for_headers(flags, path, unit) && !is_early_caller(flags, path, unit)))
        return false;
    return is_first_of(flags, unit);
}

/* Each header is counted with the first unit that stands for it. */
static void add_stands_for(struct cw_flags *flags, const char *path, const struct cw_include_result *unit,
                           struct cw_unit_options *options) {
    struct cw_words headers = {0};
    for (uint32_t i = 0; i < unit->kernels.n; i++) {
        if (!stands_for(flags, path, unit->kernels.at[i]))
            continue;
        cw_vec_push(flags->arena, &headers, cw_project_full(&flags->project, unit->kernels.at[i]));
        cw_map_put(&flags->looked_at, path_key(flags, unit->kernels.at[i]), LOOKED_AT);
    }
    options->stands_for = headers.at;
    options->nstands_for = headers.n;
}

static void use_command(struct cw_flags *flags, const struct cw_file_command *command, bool archs_given,
                        struct cw_unit_options *options, struct cw_words *args) {
    const struct cw_compile *c = command->compile;
    cw_flags_add_compile(flags->arena, c, args);
    options->commands = command->path;
    options->is_cuda |= command->whose == CW_COMMAND_OWN && c->is_cuda;
    if (command->whose != CW_COMMAND_OF_NEIGHBOUR) { /* what a neighbour is compiled for says nothing about this file */
        options->targets = c->targets.at;
        options->ntargets = c->targets.n;
    }
    if (!archs_given)
        cw_archs_of_targets(options, c->targets.at, c->targets.n);
}

/* Once: what one file lacks for this reason others lack too. */
static void tell_cut(struct cw_flags *flags, const char *path, const struct cw_include_result *found) {
    bool is_walk_cut = found->missing.n && cw_headers_is_cut(flags->headers);
    if (flags->said_cut || !(found->is_cut || is_walk_cut))
        return;
    flags->said_cut = true;
    cw_note("%s: the search for headers stopped early, after %llu file-system calls and %u directory entries; "
            "-I or --build says where they are",
            path, (unsigned long long)cw_folders_calls(flags->folders), cw_headers_seen(flags->headers));
}

/* The part of a path that belongs to the project: from its root, or as it was named from the working directory. */
static const char *path_in_project(const char *path, const char *full, const char *root) {
    size_t n = strlen(root);
    const char *within = !strncmp(full, root, n) && full[n] == '/' ? full + n + 1 : full;
    return *path != '/' && *path != '.' && strlen(path) > strlen(within) ? path : within;
}

/* Does the text launch all kernels that it defines? */
static bool launches_all(const struct cw_directives *own) {
    for (uint32_t i = 0; i < own->kernels.n; i++) {
        bool is_launched = false;
        for (uint32_t k = 0; k < own->launched.n && !is_launched; k++)
            is_launched = !strcmp(own->kernels.at[i], own->launched.at[k]);
        if (!is_launched)
            return false;
    }
    return own->kernels.n > 0;
}

/* A file that the build does not compile by itself, and that leaves its kernels to others, may be a part of another
 * one. A header is read with its includers in a run over these: there they only name instances. */
static void ask_includers(struct cw_flags *flags, const char *path, const char *real,
                          const struct cw_file_command *command, const struct cw_include_result *found,
                          struct cw_unit_options *options) {
    bool is_unit = command->compile && command->whose == CW_COMMAND_OWN;
    bool is_stdin = flags->options->stdin_name && !strcmp(path, flags->options->stdin_name);
    bool is_named = is_stdin || looked_at(flags, path) == LOOKED_AT_BY_NAME;
    bool is_wanted = !is_unit && !flags->options->no_inference && found->own && found->own->has_kernels &&
                     !launches_all(found->own) && (is_named || looked_at(flags, path) == LOOKED_AT);
    options->includers_name = !is_named && cw_str_names_header(path);
    cw_includer_index_add(flags->includers, path, real, options, is_wanted);
    if (is_wanted && is_named)
        cw_vec_push(flags->arena, &flags->parts, path);
}

struct cw_unit_options *cw_flags_of(struct cw_flags *flags, const char *path, const char **error) {
    struct cw_unit_options *o = CW_NEW(flags->arena, struct cw_unit_options);
    const char *full = cw_project_full(&flags->project, path), *real = real_of(flags, full);
    struct cw_file_command command = cw_command_of(flags->commands, path, full, real);
    /* A command that the user vouches for names all directories; one that was found may be old. */
    bool is_exact = command.compile && command.whose == CW_COMMAND_OWN && !command.is_found;
    struct cw_words args = {0};
    struct cw_include_result found;
    struct cw_file_options given;
    if (!cw_run_file_options(flags->options, path, &given, error))
        return NULL;
    *o = given.unit;
    const char *root = cw_project_root(&flags->project, directory_of(flags, full));
    if (command.compile)
        use_command(flags, &command, given.archs_given, o, &args);
    else if (!flags->options->no_inference)
        add_build_macros(flags, path, full, root, &args);
    for (uint32_t i = 0; i < given.unit.nargs; i++)
        cw_vec_push(flags->arena, &args, given.unit.args[i]);
    struct cw_words absolute = absolute_args(flags, &args);
    struct cw_include_unit unit = {.path = full,
                                   .text = text_of(flags, path),
                                   .args = &absolute,
                                   .root = root,
                                   .here = flags->project.here};
    cw_includes_of(is_exact ? flags->exact : flags->includes, &unit, &found);
    add_inferred(flags, path, &found.args, &args);
    add_made(flags, &found.made, o, &args);
    if (!is_exact)
        tell_cut(flags, path, &found);
    cw_archs_reduce(o, &found);
    o->adds_archs = !given.archs_given && !o->ntargets;
    o->is_in_hip_folder = cw_path_is_other_makers(path_in_project(path, full, unit.root));
    o->instances = is_instantiating(flags, path, o->instances, &found);
    if (o->instances)
        add_stands_for(flags, path, &found, o);
    o->args = args.at;
    o->nargs = args.n;
    o->contents = found.contents;
    o->is_open = found.is_open || unit.text.at || reads_override(flags, &found);
    o->files = found.files.at;
    o->nfiles = found.files.n;
    if (found.own)
        cw_launch_index_add(flags->launches, path, real, found.own, o);
    ask_includers(flags, path, real, &command, &found, o);
    return o;
}

/* The includers of a named file are seldom named with it: they are looked for in the folders around it. */
static void find_includers(struct cw_flags *flags, const char *part, const char **error) {
    const char *real = real_of(flags, cw_project_full(&flags->project, part));
    struct cw_words near = {0};
    cw_includers_near(flags->includes, flags->arena, cw_project_root(&flags->project, directory_of(flags, real)), real,
                      INCLUDERS_TRIED, &near);
    for (uint32_t i = 0; i < near.n && !*error; i++) {
        const char *path = shown_directory(flags, near.at[i]);
        if (looked_at(flags, path) != LOOKED_AT_NOT || is_ignored(flags, near.at[i]))
            continue;
        (void)cw_flags_of(flags, path, error);
        cw_map_put(&flags->looked_at, path_key(flags, path), LOOKED_AT_WITH_PART);
    }
}

/* Host code that asks modules for kernels is no input: it is read for the launches of files that are. */
static void add_hosts(struct cw_flags *flags, const char **error) {
    for (uint32_t i = 0; i < flags->inputs->hosts.n && !*error; i++)
        (void)cw_flags_of(flags, flags->inputs->hosts.at[i], error);
}

bool cw_flags_link(struct cw_flags *flags, const char **error) {
    add_hosts(flags, error);
    for (uint32_t i = 0; i < flags->parts.n && !*error; i++)
        find_includers(flags, flags->parts.at[i], error);
    cw_includer_index_link(flags->includers);
    cw_launch_index_link(flags->launches);
    return !*error;
}

bool cw_flags_beginning(struct cw_flags *flags, const struct cw_unit_options *options, const char *const *headers,
                        uint32_t n, struct cw_beginning *out) {
    struct cw_buf text = {0};
    struct cw_include_result found;
    struct cw_words args = {0};
    for (uint32_t i = 0; i < n; i++)
        cw_buf_printf(&text, "#include \"%s\"\n", headers[i]);
    for (uint32_t i = 0; i < options->nargs; i++)
        cw_vec_push(flags->arena, &args, options->args[i]);
    struct cw_words absolute = absolute_args(flags, &args);
    /* A name that no file has, one for each text: what is known of a file is kept by its name. */
    const char *name = cw_arena_printf(flags->arena, "/\n%016" PRIx64, cw_hash(text.at, text.n, 0));
    struct cw_include_unit unit = {
        .path = name, .text = {text.at, text.n}, .args = &absolute, .root = "/", .is_exact = true};
    cw_includes_of(flags->includes, &unit, &found);
    cw_buf_free(&text);
    *out = (struct cw_beginning){found.contents, found.files.at + 1, found.files.n - 1};
    return !found.is_open && out->nfiles >= n;
}

bool cw_flags_is_foreign(struct cw_flags *flags, const char *path, const char *header) {
    const char *root = cw_project_root(&flags->project, directory_of(flags, cw_project_full(&flags->project, path)));
    const char *directory = directory_of(flags, real_of(flags, cw_project_full(&flags->project, header)));
    size_t n = strlen(root);
    bool inside = !strncmp(directory, root, n) && (!directory[n] || directory[n] == '/' || root[n - 1] == '/');
    if (!inside)
        return cw_project_is_repository(&flags->project, root);
    return cw_headers_is_foreign(flags->headers, root, directory);
}
