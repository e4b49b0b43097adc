/* The module: files and functions of one translation unit. */
#include "ir/ir.h"

#include <string.h>

void cw_module_init(struct cw_module *m, struct cw_arena *a) {
    *m = (struct cw_module){.arena = a};
    cw_intern_init(&m->names, a);
    cw_map_init(&m->fn_by_key, a);
    cw_map_init(&m->call_targets, a);
    cw_map_init(&m->patterns, a);
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

static void reach_callees(const struct cw_module *m, const struct cw_fn *fn, struct cw_map *seen,
                          struct cw_fn_list *reached, struct cw_arena *a) {
    for (uint32_t i = 0; i < fn->callees.n; i++) {
        const struct cw_fn *callee = cw_module_find(m, fn->callees.at[i]);
        if (!callee || cw_map_get(seen, (uint64_t)(uintptr_t)callee, NULL))
            continue;
        cw_map_put(seen, (uint64_t)(uintptr_t)callee, 1);
        cw_vec_push(a, reached, callee);
    }
}

void cw_module_reach(const struct cw_module *m, const struct cw_fn *from, struct cw_map *seen,
                     struct cw_fn_list *reached, struct cw_arena *a) {
    uint32_t next = reached->n;
    reach_callees(m, from, seen, reached, a);
    while (next < reached->n)
        reach_callees(m, reached->at[next++], seen, reached, a);
}

/* Few files have functions in one unit, so the search is linear, newest first (lowering asks for one file in a row). */
uint32_t cw_module_file(struct cw_module *m, const char *path) {
    for (uint32_t i = m->files.n; i-- > 0;)
        if (strcmp(m->files.at[i], path) == 0)
            return i;
    cw_vec_push(m->arena, &m->files, cw_intern(&m->names, path));
    return m->files.n - 1;
}
