#include "engine/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(struct cw_paths *p, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&p->names, text);
}

void cw_paths_init(struct cw_paths *p, struct cw_arena *a) {
    char full[PATH_MAX];
    p->arena = a;
    p->has_relative = false;
    cw_intern_init(&p->names, a);
    cw_map_init(&p->known, a);
    cw_map_init(&p->shown, a);
    p->here = realpath(".", full) ? cw_arena_strdup(a, full) : NULL;
}

void cw_paths_add_input(struct cw_paths *p, const char *path) {
    char full[PATH_MAX];
    uint64_t name = key_of(p, path);
    p->has_relative |= path[0] != '/';
    cw_map_put(&p->shown, name, name);
    if (realpath(path, full) && !cw_map_get(&p->known, key_of(p, full), NULL))
        cw_map_put(&p->known, key_of(p, full), name);
}

bool cw_paths_is_input(struct cw_paths *p, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) && cw_map_get(&p->known, key_of(p, full), NULL);
}

/* Files below the working directory are shown relative to it, as the user would name them. */
static const char *shown_name(struct cw_paths *p, const char *path) {
    char full[PATH_MAX];
    uint64_t input;
    if (!realpath(path, full))
        return path;
    if (cw_map_get(&p->known, key_of(p, full), &input))
        return (const char *)(uintptr_t)input;
    size_t n = p->here ? strlen(p->here) : 0;
    if ((path[0] != '/' || p->has_relative) && n && !strncmp(full, p->here, n) && full[n] == '/')
        return cw_arena_strdup(p->arena, full + n + 1);
    return cw_arena_strdup(p->arena, full);
}

const char *cw_paths_name(struct cw_paths *p, const char *path) {
    uint64_t found, key = key_of(p, path);
    if (!cw_map_get(&p->shown, key, &found)) {
        found = (uint64_t)(uintptr_t)shown_name(p, path);
        cw_map_put(&p->shown, key, found);
    }
    return (const char *)(uintptr_t)found;
}

static void rename_place(struct cw_paths *p, struct cw_place *place) {
    if (place->file)
        place->file = cw_paths_name(p, place->file);
}

static void rename_remarks(struct cw_paths *p, struct cw_remark *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        rename_place(p, &at[i].place);
}

void cw_paths_apply(struct cw_paths *p, struct cw_finding *f) {
    rename_place(p, &f->place);
    rename_remarks(p, f->inlined_at.at, f->inlined_at.n);
    rename_remarks(p, f->labels.at, f->labels.n);
    rename_remarks(p, f->notes.at, f->notes.n);
    for (uint32_t i = 0; i < f->fixes.n; i++)
        for (uint32_t k = 0; k < f->fixes.at[i].edits.n; k++)
            rename_place(p, &f->fixes.at[i].edits.at[k].place);
}
