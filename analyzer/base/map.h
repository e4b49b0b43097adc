/* Hash map from 64-bit keys to 64-bit values, open addressing, in an arena.
 * Pointers go in as (uint64_t)(uintptr_t)p; interned strings make string maps. */
#ifndef CW_BASE_MAP_H
#define CW_BASE_MAP_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cw_map_cell;

struct cw_map {
    struct cw_arena *arena;
    struct cw_map_cell *cells;
    uint32_t n, cap; /* of the cells: those in use, and all, a power of two or 0 */
    uint64_t of_zero; /* the value of key 0, which has no cell */
    bool has_zero;
};

void cw_map_init(struct cw_map *m, struct cw_arena *a);
/* True and *value set when the key is present. `value` may be NULL. */
bool cw_map_get(const struct cw_map *m, uint64_t key, uint64_t *value);
/* Adds or replaces. */
void cw_map_put(struct cw_map *m, uint64_t key, uint64_t value);

#endif
