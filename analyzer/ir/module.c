/* The module: files and functions of one translation unit. */
#include "ir/ir.h"

#include <string.h>

void cw_module_init(struct cw_module *m, struct cw_arena *a) {
    *m = (struct cw_module){.arena = a};
    cw_intern_init(&m->names, a);
    cw_map_init(&m->fn_by_key, a);
}

struct cw_fn *cw_module_find(const struct cw_module *m, const char *key) {
    if (!key)
        return NULL;
    uint64_t found;
    if (!cw_map_get(&m->fn_by_key, (uint64_t)(uintptr_t)key, &found)) {
        const char *interned = cw_intern_find(&m->names, key);
        if (!interned || interned == key || !cw_map_get(&m->fn_by_key, (uint64_t)(uintptr_t)interned, &found))
            return NULL;
    }
    return (struct cw_fn *)(uintptr_t)found;
}

/* Few files have functions in one unit, so the search is linear, newest first (lowering asks for one file in a row). */
uint32_t cw_module_file(struct cw_module *m, const char *path) {
    for (uint32_t i = m->files.n; i-- > 0;)
        if (strcmp(m->files.at[i], path) == 0)
            return i;
    cw_vec_push(m->arena, &m->files, cw_intern(&m->names, path));
    return m->files.n - 1;
}
