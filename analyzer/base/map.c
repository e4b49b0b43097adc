#include "base/map.h"

#include "base/log.h"

enum { FIRST_CELLS = 16 };

void cw_map_init(struct cw_map *map, struct cw_arena *a) {
    *map = (struct cw_map){.arena = a};
}

static void grow_cells(struct cw_map *map) {
    if (map->cap > UINT32_MAX / 4)
        cw_die("a hash map outgrew its limit");
    struct cw_map old = *map;
    map->cap = old.cap ? old.cap * 2 : FIRST_CELLS;
    map->cells = cw_arena_take(map->arena, map->cap * sizeof *map->cells);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.cells[i].key != 0)
            *cw_map_cell_of(map, old.cells[i].key) = old.cells[i];
    if (old.cap)
        cw_arena_give(map->arena, old.cells, old.cap * sizeof *old.cells);
}

void cw_map_put(struct cw_map *map, uint64_t key, uint64_t value) {
    if (key == 0) {
        map->has_zero = true;
        map->of_zero = value;
        return;
    }
    if (map->n * 4 >= map->cap * 3)
        grow_cells(map);
    struct cw_map_cell *cell = cw_map_cell_of(map, key);
    map->n += cell->key == 0;
    *cell = (struct cw_map_cell){key, value};
}
