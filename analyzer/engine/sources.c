#include "engine/sources.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void cw_sources_init(struct cw_sources *sources, struct cw_arena *a) {
    *sources = (struct cw_sources){.arena = a};
    cw_intern_init(&sources->names, a);
    cw_map_init(&sources->loaded, a);
}

static uint64_t key_of(struct cw_sources *sources, const char *path) {
    return (uint64_t)(uintptr_t)cw_intern(&sources->names, path);
}

void cw_sources_put(struct cw_sources *sources, const char *path, struct cw_source *source) {
    cw_map_put(&sources->loaded, key_of(sources, path), (uint64_t)(uintptr_t)source);
}

/* ---- overrides: few, and none in most runs ---- */

static struct cw_override *override_of(const struct cw_sources *sources, const char *path) {
    char full[PATH_MAX];
    const char *real = sources->overrides.n && realpath(path, full) ? full : path;
    for (uint32_t i = 0; i < sources->overrides.n; i++)
        if (!strcmp(sources->overrides.at[i].real, real))
            return &sources->overrides.at[i];
    return NULL;
}

void cw_sources_override(struct cw_sources *sources, const char *path, const struct cw_source *source) {
    char full[PATH_MAX];
    struct cw_override *known = override_of(sources, path);
    const char *real = realpath(path, full) ? full : path;
    if (known)
        known->source = source;
    else
        cw_vec_push(sources->arena, &sources->overrides,
                    ((struct cw_override){cw_intern(&sources->names, real), source}));
}

const struct cw_source *cw_sources_overridden(const struct cw_sources *sources, const char *path) {
    const struct cw_override *given = override_of(sources, path);
    return given ? given->source : NULL;
}

const struct cw_source *cw_sources_get(struct cw_sources *sources, const char *path, const char **error) {
    const struct cw_override *given = override_of(sources, path);
    if (given)
        return given->source;
    uint64_t key = key_of(sources, path), found;
    const char *why = "could not be read";
    if (!cw_map_get(&sources->loaded, key, &found)) {
        found = (uint64_t)(uintptr_t)cw_source_load(sources->arena, path, &why);
        cw_map_put(&sources->loaded, key, found);
    }
    if (!found && error)
        *error = why;
    return (const struct cw_source *)(uintptr_t)found;
}

const struct cw_source *cw_sources_callback(void *ctx, const char *path) {
    return cw_sources_get(ctx, path, NULL);
}
