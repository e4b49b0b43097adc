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

static struct source *new_source(struct cw_commands *c, struct cw_database *d, const char *path, bool is_found) {
    struct source *s = CW_NEW(c->arena, struct source);
    *s = (struct source){.database = d, .path = path, .is_found = is_found};
    cw_map_init(&s->lenders, c->arena);
    return s;
}

static bool open_named(struct cw_commands *c, const char *path, const char **error) {
    const char *why = NULL;
    struct cw_database *d = path ? cw_database_load(c->arena, path, &why) : NULL;
    if (path && !d) {
        *error = cw_arena_printf(c->arena, "--build: %s: %s", path, why);
        return false;
    }
    if (d) {
        cw_verbose("%s: %u commands, %u entries left out", path, d->entries.n, d->malformed);
        c->named = new_source(c, d, path, false);
    }
    return true;
}

struct cw_commands *cw_commands_open(const struct cw_run_options *o, struct cw_project *project,
                                     struct cw_includes *exact, struct cw_arena *a, const char **error) {
    struct cw_commands *c = CW_NEW(a, struct cw_commands);
    *c = (struct cw_commands){.arena = a, .project = project, .exact = exact};
    cw_intern_init(&c->names, a);
    cw_map_init(&c->sources, a);
    if (!open_named(c, o->build, error))
        return NULL;
    if (!o->build && !o->no_compile_commands && !o->no_inference)
        c->search = cw_database_search_new(a);
    return c;
}

/* ---- databases that were found ---- */

/* Directories below the working directory are named from there, as the user would. */
static const char *shown_path(const struct cw_commands *c, const char *path) {
    size_t n = strlen(c->project->here);
    return !strncmp(path, c->project->here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* Says once what becomes of a database. */
static struct source *source_of(struct cw_commands *c, const struct cw_found_database *found) {
    uint64_t known = 0, key = (uint64_t)(uintptr_t)found;
    if (cw_map_get(&c->sources, key, &known))
        return (struct source *)(uintptr_t)known;
    const char *shown = shown_path(c, found->path);
    struct source *s = found->database ? new_source(c, found->database, shown, true) : NULL;
    if (s)
        cw_verbose("%s: found; %u commands, %u entries left out", shown, s->database->entries.n,
                   s->database->malformed);
    else if (found->refusal)
        cw_note("%s is not used: %s", shown, found->refusal);
    else
        cw_verbose("%s is not used: its commands compile no CUDA", shown);
    cw_map_put(&c->sources, key, (uint64_t)(uintptr_t)s);
    return s;
}

static const char *directory_of(struct cw_commands *c, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? cw_intern_n(&c->names, path, slash > path ? (size_t)(slash - path) : 1) : "/";
}

/* The database that compiles the file, else the first. */
static struct source *search_for(struct cw_commands *c, const char *full, const char *real) {
    const char *directory = directory_of(c, full);
    const struct cw_found_databases *list =
        cw_databases_for(c->search, directory, cw_project_root(c->project, directory));
    struct source *first = NULL;
    for (uint32_t i = 0; i < list->n; i++) {
        struct source *s = source_of(c, list->at[i]);
        if (s && cw_database_find(s->database, real))
            return s;
        first = first ? first : s;
    }
    return first;
}

/* ---- the command of a file ---- */

static const char *real_of(struct cw_commands *c, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) ? cw_intern(&c->names, full) : path;
}

static uint64_t key_of(struct cw_commands *c, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&c->names, text);
}

/* By whom each header is included, for the entries that compile CUDA. */
static void find_lenders(struct cw_commands *c, struct source *s) {
    uint32_t lenders = 0, files = 0;
    s->lenders_known = true;
    for (uint32_t i = 0; i < s->database->entries.n && lenders < MAX_LENDERS && files < MAX_LENT; i++) {
        struct cw_command_entry *e = &s->database->entries.at[i];
        if (!cw_database_is_cuda(s->database, e))
            continue;
        lenders++;
        const char *path = *cw_database_real(s->database, e) ? cw_database_real(s->database, e) : e->file;
        struct cw_include_unit unit = {.path = path, .root = cw_project_root(c->project, directory_of(c, path)),
                                       .args = &cw_database_compile(s->database, e)->args};
        struct cw_include_result found;
        cw_includes_of(c->exact, &unit, &found);
        files += found.files.n;
        for (uint32_t k = 0; k < found.files.n; k++) {
            uint64_t key = key_of(c, real_of(c, found.files.at[k]));
            if (!cw_map_get(&s->lenders, key, NULL))
                cw_map_put(&s->lenders, key, i + 1);
        }
    }
}

static struct cw_command_entry *lender_of(struct cw_commands *c, struct source *s, const char *path, const char *real,
                                          enum cw_command_of *whose) {
    uint64_t at = 0;
    if (!s->lenders_known)
        find_lenders(c, s);
    cw_map_get(&s->lenders, key_of(c, real), &at);
    struct cw_command_entry *e = at ? &s->database->entries.at[at - 1] : cw_database_nearest(s->database, real);
    if (e && !at && s->is_found && !cw_database_is_cuda(s->database, e))
        return NULL;
    *whose = at ? CW_COMMAND_OF_INCLUDER : CW_COMMAND_OF_NEIGHBOUR;
    if (e)
        cw_verbose("%s: not in the compile commands, parsed as %s, %s", path, e->file,
                   at ? "which includes it" : "the nearest file there");
    return e;
}

struct cw_file_command cw_command_of(struct cw_commands *c, const char *path, const char *full, const char *real) {
    struct source *s = c->named ? c->named : c->search ? search_for(c, full, real) : NULL;
    if (!s)
        return (struct cw_file_command){0};
    struct cw_file_command command = {.whose = CW_COMMAND_OWN, .path = s->path, .is_found = s->is_found};
    struct cw_command_entry *e = cw_database_find(s->database, real);
    if (!e)
        e = lender_of(c, s, path, real, &command.whose);
    if (!e)
        return (struct cw_file_command){0};
    command.compile = cw_database_compile(s->database, e);
    return command;
}

static void add_shown(struct cw_commands *c, struct cw_words *list, const char *path) {
    for (uint32_t i = 0; i < list->n; i++)
        if (!strcmp(list->at[i], path))
            return;
    cw_vec_push(c->arena, list, path);
}

struct cw_words cw_commands_in_use(const struct cw_run_options *o, const struct cw_inputs *inputs, struct cw_arena *a) {
    struct cw_project project;
    struct cw_words list = {0};
    const char *error = NULL;
    cw_project_init(&project, a, o->paths, o->npaths);
    struct cw_commands *c = cw_commands_open(o, &project, NULL, a, &error);
    for (uint32_t i = 0; c && i < inputs->paths.n; i++) {
        const char *full = cw_project_full(&project, inputs->paths.at[i]);
        struct source *s = c->named ? c->named : c->search ? search_for(c, full, real_of(c, full)) : NULL;
        if (s)
            add_shown(c, &list, s->path);
    }
    return list;
}
