#include "engine/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(struct cw_paths *paths, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&paths->names, text);
}

void cw_paths_init(struct cw_paths *paths, struct cw_arena *a) {
    char full[PATH_MAX];
    paths->arena = a;
    paths->has_relative = false;
    cw_intern_init(&paths->names, a);
    cw_map_init(&paths->known, a);
    cw_map_init(&paths->shown, a);
    paths->here = realpath(".", full) ? cw_arena_strdup(a, full) : NULL;
}

void cw_paths_add_input(struct cw_paths *paths, const char *path) {
    char full[PATH_MAX];
    uint64_t name = key_of(paths, path);
    paths->has_relative |= path[0] != '/';
    cw_map_put(&paths->shown, name, name);
    if (realpath(path, full) && !cw_map_get(&paths->known, key_of(paths, full), NULL))
        cw_map_put(&paths->known, key_of(paths, full), name);
}

bool cw_paths_is_input(struct cw_paths *paths, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) && cw_map_get(&paths->known, key_of(paths, full), NULL);
}

/* Files below the working directory are shown relative to it, as the user would name them. */
static const char *shown_name(struct cw_paths *paths, const char *path) {
    char full[PATH_MAX];
    uint64_t input;
    if (!realpath(path, full))
        return path;
    if (cw_map_get(&paths->known, key_of(paths, full), &input))
        return (const char *)(uintptr_t)input;
    size_t n = paths->here ? strlen(paths->here) : 0;
    if ((path[0] != '/' || paths->has_relative) && n && !strncmp(full, paths->here, n) && full[n] == '/')
        return cw_arena_strdup(paths->arena, full + n + 1);
    return cw_arena_strdup(paths->arena, full);
}

const char *cw_paths_name(struct cw_paths *paths, const char *path) {
    uint64_t found, key = key_of(paths, path);
    if (!cw_map_get(&paths->shown, key, &found)) {
        found = (uint64_t)(uintptr_t)shown_name(paths, path);
        cw_map_put(&paths->shown, key, found);
    }
    return (const char *)(uintptr_t)found;
}

static void rename_place(struct cw_paths *paths, struct cw_place *place) {
    if (place->file)
        place->file = cw_paths_name(paths, place->file);
}

static void rename_remarks(struct cw_paths *paths, struct cw_remark *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        rename_place(paths, &at[i].place);
}

void cw_paths_apply(struct cw_paths *paths, struct cw_finding *finding) {
    rename_place(paths, &finding->place);
    rename_remarks(paths, finding->inlined_at.at, finding->inlined_at.n);
    rename_remarks(paths, finding->labels.at, finding->labels.n);
    rename_remarks(paths, finding->notes.at, finding->notes.n);
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        for (uint32_t k = 0; k < finding->fixes.at[i].edits.n; k++)
            rename_place(paths, &finding->fixes.at[i].edits.at[k].place);
}
