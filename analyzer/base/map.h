/* Hash map from 64-bit keys to 64-bit values, open addressing, in an arena.
 * Pointers go in as (uint64_t)(uintptr_t)p; interned strings make string maps. */
#ifndef CW_BASE_MAP_H
#define CW_BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Key 0 marks an empty cell; its own value is kept beside the table. */
struct cw_map_cell {
    uint64_t key, value;
};

struct cw_map {
    struct cw_arena *arena;
    struct cw_map_cell *cells;
    uint32_t n, cap; /* of the cells: those in use, and all, a power of two or 0 */
    uint64_t of_zero; /* the value of key 0, which has no cell */
    bool has_zero;
};

void cw_map_init(struct cw_map *m, struct cw_arena *a);

/* A product's upper half depends on all bits of the key (Knuth's multiplicative hashing); the shift before it keeps
 * keys made of two counters that run together, as the ends of source ranges do, from making long chains. */
static inline uint32_t cw_map_home(const struct cw_map *map, uint64_t key) {
    uint64_t mixed = (key ^ key >> 32) * 0x9e3779b97f4a7c15ULL;
    return (uint32_t)(mixed >> 32) & (map->cap - 1);
}

/* The cell that holds the key, or the free one where it belongs. The table is not empty; the key is not 0. */
static inline struct cw_map_cell *cw_map_cell_of(const struct cw_map *map, uint64_t key) {
    uint32_t at = cw_map_home(map, key);
    while (map->cells[at].key != 0 && map->cells[at].key != key)
        at = (at + 1) & (map->cap - 1);
    return &map->cells[at];
}

/* True and *value set when the key is present. `value` may be NULL. */
static inline bool cw_map_get(const struct cw_map *map, uint64_t key, uint64_t *value) {
    if (key == 0) {
        if (map->has_zero && value)
            *value = map->of_zero;
        return map->has_zero;
    }
    if (map->cap == 0)
        return false;
    const struct cw_map_cell *cell = cw_map_cell_of(map, key);
    if (cell->key == key && value)
        *value = cell->value;
    return cell->key == key;
}

/* Adds or replaces. */
void cw_map_put(struct cw_map *m, uint64_t key, uint64_t value);

#endif
