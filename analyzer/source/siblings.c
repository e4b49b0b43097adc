#include "source/siblings.h"

#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>

enum {
    SIDE = 26,         /* symbols looked at on each side */
    LEAST_SIDE = 14,   /* as many must be there: what is shorter is alike by chance */
    MAX_GROUPS = 1 << 14,
    BOUND = 2          /* stands for the beginning or end of the function */
};

struct group { /* of places with the same surroundings */
    struct cw_sibling found;
    uint64_t mark;
    uint32_t lacking;
    bool is_mixed; /* they have different marks */
};

struct search {
    struct cw_arena *arena;
    const struct cw_symbols *functions;
    struct cw_map groups; /* hash of the surroundings -> struct group * */
    CW_VEC(struct group *) list;
};

/* The symbols around a place, names numbered in the order of their first appearance. */
struct surroundings {
    uint64_t at[2 * SIDE + 2], names[2 * SIDE];
    uint32_t n, nnames;
};

static uint64_t number_of(struct surroundings *surroundings, uint64_t name) {
    uint32_t k = 0;
    while (k < surroundings->nnames && surroundings->names[k] != name)
        k++;
    if (k == surroundings->nnames)
        surroundings->names[surroundings->nnames++] = name;
    return k;
}

static void add_symbol(struct surroundings *surroundings, const struct cw_symbol *symbol) {
    bool is_name = symbol->kind == CW_SYMBOL_NAME;
    surroundings->at[surroundings->n++] =
        is_name ? number_of(surroundings, symbol->text) : symbol->text | UINT64_C(1) << 63;
}

/* Of the place between `before` symbols and those from `from` on. False when there is too little to tell. */
static bool hash_around(const struct cw_symbols *symbols, uint32_t before, uint32_t from, uint64_t *hash) {
    struct surroundings s = {.n = 0};
    uint32_t first = before > SIDE ? before - SIDE : 0, end = symbols->n - from > SIDE ? from + SIDE : symbols->n;
    if (before - first < LEAST_SIDE || end - from < LEAST_SIDE)
        return false;
    for (uint32_t k = first; k < before; k++)
        add_symbol(&s, &symbols->at[k]);
    s.at[s.n++] = first == 0 ? BOUND : 0;
    for (uint32_t k = from; k < end; k++)
        add_symbol(&s, &symbols->at[k]);
    s.at[s.n++] = end == symbols->n ? BOUND : 0;
    *hash = cw_hash(s.at, s.n * sizeof s.at[0], before - first);
    return true;
}

static void add_mark(struct search *search, struct cw_sibling_place place) {
    const struct cw_symbols *f = &search->functions[place.function];
    uint64_t hash, known;
    if (!hash_around(f, place.symbol, place.symbol + 1, &hash) || search->list.n >= MAX_GROUPS)
        return;
    if (!cw_map_get(&search->groups, hash, &known)) {
        struct group *g = CW_NEW(search->arena, struct group);
        g->mark = f->at[place.symbol].text;
        known = (uint64_t)(uintptr_t)g;
        cw_map_put(&search->groups, hash, known);
        cw_vec_push(search->arena, &search->list, g);
    }
    struct group *g = (struct group *)(uintptr_t)known;
    g->is_mixed |= g->mark != f->at[place.symbol].text;
    if (g->found.n < CW_SIBLINGS_TOLD)
        g->found.have[g->found.n] = place;
    g->found.n++;
}

/* A place between two statements, neither of them a mark. */
static void add_gap(struct search *search, struct cw_sibling_place place) {
    const struct cw_symbols *f = &search->functions[place.function];
    uint64_t hash, known;
    if (!hash_around(f, place.symbol, place.symbol, &hash) || !cw_map_get(&search->groups, hash, &known))
        return;
    struct group *g = (struct group *)(uintptr_t)known;
    g->found.lacks = place;
    g->lacking++;
}

static void for_each(struct search *search, uint32_t n, bool marks) {
    for (uint32_t f = 0; f < n; f++) {
        const struct cw_symbols *all = &search->functions[f];
        for (uint32_t k = 1; k < all->n; k++) {
            bool is_mark = all->at[k].kind == CW_SYMBOL_MARK;
            if (marks && is_mark)
                add_mark(search, (struct cw_sibling_place){f, k});
            else if (!marks && !is_mark && all->at[k - 1].ends && all->at[k - 1].kind != CW_SYMBOL_MARK)
                add_gap(search, (struct cw_sibling_place){f, k});
        }
    }
}

static int by_place(const void *x, const void *y) {
    const struct cw_sibling_place *a = &((const struct cw_sibling *)x)->lacks,
                                  *b = &((const struct cw_sibling *)y)->lacks;
    int order = (a->function > b->function) - (a->function < b->function);
    return order ? order : (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

struct cw_siblings cw_siblings_of(struct cw_arena *a, const struct cw_symbols *functions, uint32_t n, uint32_t least) {
    struct search s = {.arena = a, .functions = functions};
    struct cw_siblings found = {0};
    cw_map_init(&s.groups, a);
    for_each(&s, n, true);
    for_each(&s, n, false);
    for (uint32_t i = 0; i < s.list.n; i++) {
        const struct group *g = s.list.at[i];
        if (g->found.n >= least && g->lacking == 1 && !g->is_mixed)
            cw_vec_push(a, &found, g->found);
    }
    if (found.n)
        qsort(found.at, found.n, sizeof *found.at, by_place);
    return found;
}
