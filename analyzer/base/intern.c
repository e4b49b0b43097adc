#include "base/intern.h"

#include "base/hash.h"

#include <string.h>

struct entry {
    struct entry *next;
    size_t n;
    char text[];
};

void cw_intern_init(struct cw_intern *in, struct cw_arena *a) {
    in->arena = a;
    cw_map_init(&in->chains, a);
}

static struct entry *chain_of(const struct cw_intern *in, uint64_t hash) {
    uint64_t found = 0;
    cw_map_get(&in->chains, hash, &found);
    return (struct entry *)(uintptr_t)found;
}

static const char *find_in_chain(const struct entry *entry, const char *text, size_t n) {
    for (; entry; entry = entry->next)
        if (entry->n == n && memcmp(entry->text, text, n) == 0)
            return entry->text;
    return NULL;
}

const char *cw_intern_n(struct cw_intern *in, const char *text, size_t n) {
    uint64_t hash = cw_hash(text, n, 0);
    struct entry *head = chain_of(in, hash);
    const char *known = find_in_chain(head, text, n);
    if (known)
        return known;
    struct entry *e = cw_arena_alloc(in->arena, sizeof *e + n + 1);
    e->next = head;
    e->n = n;
    memcpy(e->text, text, n);
    cw_map_put(&in->chains, hash, (uint64_t)(uintptr_t)e);
    return e->text;
}

const char *cw_intern(struct cw_intern *in, const char *text) {
    return cw_intern_n(in, text, strlen(text));
}

const char *cw_intern_find_n(const struct cw_intern *in, const char *text, size_t n) {
    return find_in_chain(chain_of(in, cw_hash(text, n, 0)), text, n);
}

const char *cw_intern_find(const struct cw_intern *in, const char *text) {
    return cw_intern_find_n(in, text, strlen(text));
}
