/* Fixed-size sets of small integers. */
#ifndef CW_BASE_BITSET_H
#define CW_BASE_BITSET_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct cw_bitset {
    uint64_t *word;
    uint32_t n; /* members are 0 … n-1 */
};

static inline uint32_t cw_bitset_words(uint32_t n) {
    return (n + 63) / 64;
}

static inline struct cw_bitset cw_bitset_new(struct cw_arena *a, uint32_t n) {
    return (struct cw_bitset){CW_NEW_ARRAY(a, uint64_t, cw_bitset_words(n) + 1), n};
}

static inline bool cw_bitset_has(const struct cw_bitset *bitset, uint32_t i) {
    return bitset->word[i / 64] >> (i % 64) & 1;
}

static inline void cw_bitset_add(struct cw_bitset *bitset, uint32_t i) {
    bitset->word[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void cw_bitset_remove(struct cw_bitset *bitset, uint32_t i) {
    bitset->word[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* Adds all members of `from`; true when the set grew. Both have the same n. */
static inline bool cw_bitset_join(struct cw_bitset *bitset, const struct cw_bitset *from) {
    uint64_t grew = 0;
    for (uint32_t w = 0; w < cw_bitset_words(bitset->n); w++) {
        grew |= from->word[w] & ~bitset->word[w];
        bitset->word[w] |= from->word[w];
    }
    return grew != 0;
}

static inline uint32_t cw_bitset_count(const struct cw_bitset *bitset) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < cw_bitset_words(bitset->n); w++)
        count += (uint32_t)__builtin_popcountll(bitset->word[w]);
    return count;
}

#endif
