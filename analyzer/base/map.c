#include "base/map.h"

#include "base/log.h"

enum { FIRST_CELLS = 16 };

void cw_map_init(struct cw_map *m, struct cw_arena *a) {
    *m = (struct cw_map){.arena = a};
}

static void rehash(struct cw_map *m) {
    if (m->cap > UINT32_MAX / 4)
        cw_die("a hash map outgrew its limit");
    struct cw_map old = *m;
    m->cap = old.cap ? old.cap * 2 : FIRST_CELLS;
    m->cells = cw_arena_take(m->arena, m->cap * sizeof *m->cells);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.cells[i].key != 0)
            *cw_map_cell_of(m, old.cells[i].key) = old.cells[i];
    if (old.cap)
        cw_arena_give(m->arena, old.cells, old.cap * sizeof *old.cells);
}

void cw_map_put(struct cw_map *m, uint64_t key, uint64_t value) {
    if (key == 0) {
        m->has_zero = true;
        m->of_zero = value;
        return;
    }
    if (m->n * 4 >= m->cap * 3)
        rehash(m);
    struct cw_map_cell *cell = cw_map_cell_of(m, key);
    m->n += cell->key == 0;
    *cell = (struct cw_map_cell){key, value};
}
