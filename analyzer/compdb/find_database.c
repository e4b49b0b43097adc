/* requires: a tree that does not change during the run. computes: one list of databases for each directory asked about.
 * cost: one look at the disk for each folder above a file, and one listing of each build folder. */
#include "compdb/find_database.h"

#include "base/str.h"
#include "compdb/folders.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Folders of a build that are looked into, how deep, and how many of its entries say whether it is about this tree. */
enum { MAX_FOLDERS = 64, MAX_LISTED = 4096, MAX_DEPTH = 2, MAX_ENTRIES_ASKED = 20000, MAX_REAL = 2000 };

static const char database_name[] = "compile_commands.json";

struct cw_database_search {
    struct cw_arena *arena;
    struct cw_intern names;
    struct cw_map files;       /* interned path of a database -> struct cw_found_database *, 0: there is none */
    struct cw_map builds;      /* interned root -> struct cw_found_databases * of its build folders */
    struct cw_map directories; /* interned directory -> struct cw_found_databases * */
};

struct cw_database_search *cw_database_search_new(struct cw_arena *a) {
    struct cw_database_search *s = CW_NEW(a, struct cw_database_search);
    s->arena = a;
    cw_intern_init(&s->names, a);
    cw_map_init(&s->files, a);
    cw_map_init(&s->builds, a);
    cw_map_init(&s->directories, a);
    return s;
}

static uint64_t key_of(struct cw_database_search *search, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&search->names, text);
}

/* ---- one database ---- */

static bool is_below(const char *path, const char *root) {
    size_t n = strlen(root);
    return !strncmp(path, root, n) && (path[n] == '/' || (n && root[n - 1] == '/'));
}

/* Does one of its files exist in this project? Names are compared first: to ask the disk about all would be slow. */
static bool is_of_project(struct cw_database *database, const char *root) {
    uint32_t asked = 0;
    for (uint32_t i = 0; i < database->entries.n && asked < MAX_REAL; i++) {
        struct cw_command_entry *e = &database->entries.at[i];
        if (!is_below(e->file, root) && i >= MAX_REAL)
            continue;
        asked++;
        if (is_below(cw_database_real(database, e), root))
            return true;
    }
    return false;
}

static bool compiles_cuda(struct cw_database *database) {
    for (uint32_t i = 0; i < database->entries.n && i < MAX_ENTRIES_ASKED; i++)
        if (cw_database_is_cuda(database, &database->entries.at[i]))
            return true;
    return false;
}

static void load_database(struct cw_database_search *search, struct cw_found_database *found, const char *root) {
    const char *why = NULL;
    char real[PATH_MAX];
    struct cw_database *d = cw_database_load(search->arena, found->path, &why);
    if (!d)
        found->refusal = why;
    else if (!d->entries.n)
        found->refusal = "it has no commands";
    else if (!is_of_project(d, realpath(root, real) ? real : root))
        found->refusal = "its files are not those of this project";
    else if (compiles_cuda(d))
        found->database = d;
}

/* NULL: there is none in the folder. */
static struct cw_found_database *database_in(struct cw_database_search *search, const char *folder, const char *root) {
    char path[PATH_MAX];
    struct stat st;
    uint64_t known = 0;
    int n = snprintf(path, sizeof path, "%s/%s", strcmp(folder, "/") ? folder : "", database_name);
    if (n < 0 || (size_t)n >= sizeof path)
        return NULL;
    uint64_t key = key_of(search, path);
    if (cw_map_get(&search->files, key, &known))
        return (struct cw_found_database *)(uintptr_t)known;
    struct cw_found_database *found = NULL;
    if (!stat(path, &st)) {
        found = CW_NEW(search->arena, struct cw_found_database);
        found->path = cw_arena_strdup(search->arena, path);
        load_database(search, found, root);
    }
    cw_map_put(&search->files, key, (uint64_t)(uintptr_t)found);
    return found;
}

static void add_database(struct cw_database_search *search, struct cw_found_databases *list,
                         struct cw_found_database *found) {
    for (uint32_t i = 0; i < list->n; i++)
        if (list->at[i] == found)
            return;
    if (found)
        cw_vec_push(search->arena, list, found);
}

/* ---- folders of builds ---- */

static bool is_build_folder(const char *name) {
    static const char *const starts[] = {"build", "out", "cmake-build-"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(name, starts[i], strlen(starts[i])))
            return true;
    return false;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct names { const char **at; uint32_t n, cap; };

/* The folders in a folder, sorted: of a project's root, those that builds are made in. Links are not followed. */
static struct names list_folders(struct cw_database_search *search, const char *folder, bool is_root) {
    struct names names = {0};
    DIR *d = opendir(folder);
    uint32_t n = 0;
    for (struct dirent *e; d && n++ < MAX_LISTED && (e = readdir(d));) {
        bool may_be = e->d_name[0] != '.' && (!is_root || is_build_folder(e->d_name)) &&
                      cw_is_directory_entry(folder, e);
        if (may_be)
            cw_vec_push(search->arena, &names, cw_intern(&search->names, e->d_name));
    }
    if (d)
        closedir(d);
    if (names.n)
        qsort(names.at, names.n, sizeof *names.at, by_name);
    return names;
}

static void search_build(struct cw_database_search *search, const char *folder, const char *root, uint32_t depth,
                         struct cw_found_databases *list) {
    bool is_root = !strcmp(folder, root);
    struct names names = list_folders(search, folder, is_root);
    for (uint32_t i = 0; i < names.n && i < MAX_FOLDERS; i++) {
        const char *path = cw_arena_printf(search->arena, "%s/%s", folder, names.at[i]);
        struct cw_found_database *found = database_in(search, path, root);
        add_database(search, list, found);
        if (!found && depth < MAX_DEPTH)
            search_build(search, path, root, depth + 1, list);
    }
}

static const struct cw_found_databases *builds_of(struct cw_database_search *search, const char *root) {
    uint64_t known = 0, key = key_of(search, root);
    if (cw_map_get(&search->builds, key, &known))
        return (const struct cw_found_databases *)(uintptr_t)known;
    struct cw_found_databases *list = CW_NEW(search->arena, struct cw_found_databases);
    if (strcmp(root, "/") != 0)
        search_build(search, root, root, 0, list);
    cw_map_put(&search->builds, key, (uint64_t)(uintptr_t)list);
    return list;
}

/* ---- a directory ---- */

const struct cw_found_databases *cw_databases_for(struct cw_database_search *search, const char *directory,
                                                  const char *root) {
    uint64_t known = 0, key = key_of(search, directory);
    char at[PATH_MAX];
    if (cw_map_get(&search->directories, key, &known))
        return (const struct cw_found_databases *)(uintptr_t)known;
    struct cw_found_databases *list = CW_NEW(search->arena, struct cw_found_databases);
    bool fits = snprintf(at, sizeof at, "%s", directory) < (int)sizeof at;
    while (fits) {
        char *slash = strrchr(at, '/');
        add_database(search, list, database_in(search, at, root));
        if (!strcmp(at, root) || !slash || slash == at)
            break;
        *slash = '\0';
    }
    const struct cw_found_databases *builds = builds_of(search, root);
    for (uint32_t i = 0; i < builds->n; i++)
        add_database(search, list, builds->at[i]);
    cw_map_put(&search->directories, key, (uint64_t)(uintptr_t)list);
    return list;
}
