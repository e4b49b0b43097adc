#include "base/map.h"

#include "base/log.h"

struct cw_map_cell {
    uint64_t key, value;
    bool used;
};

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
    while (m->cells[at].used && m->cells[at].key != key)
        at = (at + 1) & (m->cap - 1);
    return &m->cells[at];
}

bool cw_map_get(const struct cw_map *m, uint64_t key, uint64_t *value) {
    if (m->cap == 0)
        return false;
    const struct cw_map_cell *cell = find_cell(m, key);
    if (cell->used && value)
        *value = cell->value;
    return cell->used;
}

static void rehash(struct cw_map *m) {
    if (m->cap > UINT32_MAX / 4)
        cw_die("a hash map outgrew its limit");
    struct cw_map old = *m;
    m->cap = old.cap ? old.cap * 2 : 16;
    m->cells = CW_NEW_ARRAY(m->arena, struct cw_map_cell, m->cap);
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.cells[i].used)
            *find_cell(m, old.cells[i].key) = old.cells[i];
}

void cw_map_put(struct cw_map *m, uint64_t key, uint64_t value) {
    if (m->n * 4 >= m->cap * 3)
        rehash(m);
    struct cw_map_cell *cell = find_cell(m, key);
    if (!cell->used)
        m->n++;
    *cell = (struct cw_map_cell){key, value, true};
}
