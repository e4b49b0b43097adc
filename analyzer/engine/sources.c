#include "engine/sources.h"

void cw_sources_init(struct cw_sources *s, struct cw_arena *a) {
    s->arena = a;
    cw_intern_init(&s->names, a);
    cw_map_init(&s->loaded, a);
}

static uint64_t key_of(struct cw_sources *s, const char *path) {
    return (uint64_t)(uintptr_t)cw_intern(&s->names, path);
}

void cw_sources_put(struct cw_sources *s, const char *path, struct cw_source *source) {
    cw_map_put(&s->loaded, key_of(s, path), (uint64_t)(uintptr_t)source);
}

const struct cw_source *cw_sources_get(struct cw_sources *s, const char *path, const char **error) {
    uint64_t key = key_of(s, path), found;
    const char *why = "could not be read";
    if (!cw_map_get(&s->loaded, key, &found)) {
        found = (uint64_t)(uintptr_t)cw_source_load(s->arena, path, &why);
        cw_map_put(&s->loaded, key, found);
    }
    if (!found && error)
        *error = why;
    return (const struct cw_source *)(uintptr_t)found;
}

const struct cw_source *cw_sources_callback(void *ctx, const char *path) {
    return cw_sources_get(ctx, path, NULL);
}
