/* requires: files in their sorted order. computes: one command for each; all in the parent, so that each database is
 * read once. */
#include "engine/commands.h"

#include "base/log.h"
#include "compdb/find_database.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LENDERS = 2000, MAX_LENT = 200000 };

/* A database with what has been asked of it. */
struct source {
    struct cw_database *database;
    const char *path; /* as it is shown */
    bool is_found;
    struct cw_map lenders; /* interned real path of a header -> an entry that includes it plus 1 */
    bool lenders_known;
};

struct cw_commands {
    struct cw_arena *arena;
    struct cw_project *project;
    struct cw_includes *exact;
    struct cw_intern names;
    struct source *named;              /* by the user; NULL: none */
    struct cw_database_search *search; /* NULL: none is looked for */
    struct cw_map sources;             /* struct cw_found_database * -> struct source *, 0: not used */
};

static struct source *new_source(struct cw_commands *commands, struct cw_database *database, const char *path,
                                 bool is_found) {
    struct source *s = CW_NEW(commands->arena, struct source);
    *s = (struct source){.database = database, .path = path, .is_found = is_found};
    cw_map_init(&s->lenders, commands->arena);
    return s;
}

static bool open_named(struct cw_commands *commands, const char *path, const char **error) {
    const char *why = NULL;
    struct cw_database *d = path ? cw_database_load(commands->arena, path, &why) : NULL;
    if (path && !d) {
        *error = cw_arena_printf(commands->arena, "--build: %s: %s", path, why);
        return false;
    }
    if (d) {
        cw_verbose("%s: %u commands, %u entries left out", path, d->entries.n, d->malformed);
        commands->named = new_source(commands, d, path, false);
    }
    return true;
}

struct cw_commands *cw_commands_open(const struct cw_run_options *options, struct cw_project *project,
                                     struct cw_includes *exact, struct cw_arena *a, const char **error) {
    struct cw_commands *c = CW_NEW(a, struct cw_commands);
    *c = (struct cw_commands){.arena = a, .project = project, .exact = exact};
    cw_intern_init(&c->names, a);
    cw_map_init(&c->sources, a);
    if (!open_named(c, options->build, error))
        return NULL;
    if (!options->build && !options->no_compile_commands && !options->no_inference)
        c->search = cw_database_search_new(a);
    return c;
}

/* ---- databases that were found ---- */

/* Directories below the working directory are named from there, as the user would. */
static const char *shown_path(const struct cw_commands *commands, const char *path) {
    size_t n = strlen(commands->project->here);
    return !strncmp(path, commands->project->here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* Says once what becomes of a database. */
static struct source *source_of(struct cw_commands *commands, const struct cw_found_database *found) {
    uint64_t known = 0, key = (uint64_t)(uintptr_t)found;
    if (cw_map_get(&commands->sources, key, &known))
        return (struct source *)(uintptr_t)known;
    const char *shown = shown_path(commands, found->path);
    struct source *s = found->database ? new_source(commands, found->database, shown, true) : NULL;
    if (s)
        cw_verbose("%s: found; %u commands, %u entries left out", shown, s->database->entries.n,
                   s->database->malformed);
    else if (found->refusal)
        cw_note("%s is not used: %s", shown, found->refusal);
    else
        cw_verbose("%s is not used: its commands compile no CUDA", shown);
    cw_map_put(&commands->sources, key, (uint64_t)(uintptr_t)s);
    return s;
}

static const char *directory_of(struct cw_commands *commands, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? cw_intern_n(&commands->names, path, slash > path ? (size_t)(slash - path) : 1) : "/";
}

/* The database that compiles the file, else the first. */
static struct source *search_for(struct cw_commands *commands, const char *full, const char *real) {
    const char *directory = directory_of(commands, full);
    const struct cw_found_databases *list =
        cw_databases_for(commands->search, directory, cw_project_root(commands->project, directory));
    struct source *first = NULL;
    for (uint32_t i = 0; i < list->n; i++) {
        struct source *s = source_of(commands, list->at[i]);
        if (s && cw_database_find(s->database, real))
            return s;
        first = first ? first : s;
    }
    return first;
}

/* ---- the command of a file ---- */

static const char *real_of(struct cw_commands *commands, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) ? cw_intern(&commands->names, full) : path;
}

static uint64_t key_of(struct cw_commands *commands, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&commands->names, text);
}

/* By whom each header is included, for the entries that compile CUDA. */
static void find_lenders(struct cw_commands *commands, struct source *source) {
    uint32_t lenders = 0, files = 0;
    source->lenders_known = true;
    for (uint32_t i = 0; i < source->database->entries.n && lenders < MAX_LENDERS && files < MAX_LENT; i++) {
        struct cw_command_entry *e = &source->database->entries.at[i];
        if (!cw_database_is_cuda(source->database, e))
            continue;
        lenders++;
        const char *path = *cw_database_real(source->database, e) ? cw_database_real(source->database, e) : e->file;
        struct cw_include_unit unit = {.path = path,
                                       .root = cw_project_root(commands->project, directory_of(commands, path)),
                                       .args = &cw_database_compile(source->database, e)->args};
        struct cw_include_result found;
        cw_includes_of(commands->exact, &unit, &found);
        files += found.files.n;
        for (uint32_t k = 0; k < found.files.n; k++) {
            uint64_t key = key_of(commands, real_of(commands, found.files.at[k]));
            if (!cw_map_get(&source->lenders, key, NULL))
                cw_map_put(&source->lenders, key, i + 1);
        }
    }
}

static struct cw_command_entry *lender_of(struct cw_commands *commands, struct source *source, const char *path,
                                          const char *real, enum cw_command_of *whose) {
    uint64_t at = 0;
    if (!source->lenders_known)
        find_lenders(commands, source);
    cw_map_get(&source->lenders, key_of(commands, real), &at);
    struct cw_command_entry *e =
        at ? &source->database->entries.at[at - 1] : cw_database_nearest(source->database, real);
    if (e && !at && source->is_found && !cw_database_is_cuda(source->database, e))
        return NULL;
    *whose = at ? CW_COMMAND_OF_INCLUDER : CW_COMMAND_OF_NEIGHBOUR;
    if (e)
        cw_verbose("%s: not in the compile commands, parsed as %s, %s", path, e->file,
                   at ? "which includes it" : "the nearest file there");
    return e;
}

struct cw_file_command cw_command_of(struct cw_commands *commands, const char *path, const char *full,
                                     const char *real) {
    struct source *s = commands->named ? commands->named : commands->search ? search_for(commands, full, real) : NULL;
    if (!s)
        return (struct cw_file_command){0};
    struct cw_file_command command = {.whose = CW_COMMAND_OWN, .path = s->path, .is_found = s->is_found};
    struct cw_command_entry *e = cw_database_find(s->database, real);
    if (!e)
        e = lender_of(commands, s, path, real, &command.whose);
    if (!e)
        return (struct cw_file_command){0};
    command.compile = cw_database_compile(s->database, e);
    return command;
}

static void add_shown(struct cw_commands *commands, struct cw_words *list, const char *path) {
    for (uint32_t i = 0; i < list->n; i++)
        if (!strcmp(list->at[i], path))
            return;
    cw_vec_push(commands->arena, list, path);
}

struct cw_words cw_commands_in_use(const struct cw_run_options *options, const struct cw_inputs *inputs,
                                   struct cw_arena *a) {
    struct cw_project project;
    struct cw_words list = {0};
    const char *error = NULL;
    cw_project_init(&project, a, options->paths, options->npaths);
    struct cw_commands *c = cw_commands_open(options, &project, NULL, a, &error);
    for (uint32_t i = 0; c && i < inputs->paths.n; i++) {
        const char *full = cw_project_full(&project, inputs->paths.at[i]);
        struct source *s = c->named ? c->named : c->search ? search_for(c, full, real_of(c, full)) : NULL;
        if (s)
            add_shown(c, &list, s->path);
    }
    return list;
}
