#include "base/map.h"

#include "base/log.h"

/* Key 0 marks an empty cell; its own value is kept beside the table. */
struct cw_map_cell {
    uint64_t key, value;
};

enum { FIRST_CELLS = 16 };

void cw_map_init(struct cw_map *m, struct cw_arena *a) {
    *m = (struct cw_map){.arena = a};
}

/* Finalizer of MurmurHash3: spreads pointer and counter keys over the table. All of it: after half of it, keys made of two
 * counters that run together, as the ends of source ranges do, still make long chains. */
static uint64_t mix(uint64_t k) {
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ULL;
    k ^= k >> 33;
    return k;
}

static struct cw_map_cell *find_cell(const struct cw_map *m, uint64_t key) {
    uint32_t at = (uint32_t)mix(key) & (m->cap - 1);
    while (m->cells[at].key != 0 && m->cells[at].key != key)
        at = (at + 1) & (m->cap - 1);
    return &m->cells[at];
}

bool cw_map_get(const struct cw_map *m, uint64_t key, uint64_t *value) {
    if (key == 0) {
        if (m->has_zero && value)
            *value = m->of_zero;
        return m->has_zero;
    }
    if (m->cap == 0)
        return false;
    const struct cw_map_cell *cell = find_cell(m, key);
    if (cell->key == key && value)
        *value = cell->value;
    return cell->key == key;
}

static void rehash(struct cw_map *m) {
    if (m->cap > UINT32_MAX / 4)
        cw_die("a hash map outgrew its limit");
    struct cw_map old = *m;
    m->cap = old.cap ? old.cap * 2 : FIRST_CELLS;
    m->cells = cw_arena_take(m->arena, m->cap * sizeof *m->cells);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.cells[i].key != 0)
            *find_cell(m, old.cells[i].key) = old.cells[i];
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
    struct cw_map_cell *cell = find_cell(m, key);
    m->n += cell->key == 0;
    *cell = (struct cw_map_cell){key, value};
}
