/* requires: directories that may change under us. computes: a bounded list of files. Cost: a look at some folders. */
#include "compdb/neighbours.h"

#include "base/map.h"
#include "base/intern.h"
#include "base/str.h"
#include "compdb/folders.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 250, MAX_ENTRIES = 3000, MAX_FOLDERS = 150, MAX_UP = 4, MAX_DOWN = 2 };

struct neighbours {
    struct cw_arena *arena;
    struct cw_words *out;
    struct cw_map walked; /* interned path of a folder -> 1 */
    struct cw_intern names;
    uint32_t entries, folders;
};

static bool is_source(const char *name) {
    static const char *const endings[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hh", ".inl"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (cw_str_ends(cw_str_of(name), endings[i]))
            return true;
    return false;
}

static bool has_room(const struct neighbours *near) {
    return near->out->n < MAX_FILES && near->entries < MAX_ENTRIES && near->folders < MAX_FOLDERS;
}

/* Files first, then the folders: what lies higher is nearer. */
static void list_folder(struct neighbours *near, const char *path, int depth) {
    struct dirent **entries;
    struct cw_words folders = {0};
    uint64_t key = (uint64_t)(uintptr_t)cw_intern(&near->names, path);
    if (!has_room(near) || cw_map_get(&near->walked, key, NULL))
        return;
    cw_map_put(&near->walked, key, 1);
    near->folders++;
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *slash = strcmp(path, "/") ? "/" : "";
        const char *full = name[0] == '.' ? NULL : cw_arena_printf(near->arena, "%s%s%s", path, slash, name);
        near->entries++;
        if (full && cw_is_directory_entry(path, entries[i]))
            cw_vec_push(near->arena, &folders, full);
        else if (full && near->out->n < MAX_FILES && is_source(name))
            cw_vec_push(near->arena, near->out, full);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    for (uint32_t i = 0; depth && i < folders.n; i++)
        list_folder(near, folders.at[i], depth - 1);
}

static bool is_within(const char *path, const char *root) {
    size_t n = strlen(root);
    return !strncmp(path, root, n) && (!path[n] || path[n] == '/' || (n && root[n - 1] == '/'));
}

void cw_neighbours_of(struct cw_arena *a, const char *root, const char *directory, struct cw_words *out) {
    struct neighbours near = {.arena = a, .out = out};
    const char *up = directory;
    cw_map_init(&near.walked, a);
    cw_intern_init(&near.names, a);
    for (int i = 0; i < MAX_UP && is_within(up, root) && strcmp(up, "/") != 0; i++) {
        const char *slash = strrchr(up, '/');
        list_folder(&near, up, MAX_DOWN);
        if (!slash || !strcmp(up, root))
            break;
        up = slash > up ? cw_arena_strndup(a, up, (size_t)(slash - up)) : "/";
    }
}
