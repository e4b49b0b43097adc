/* Updates of memory: a load, and a store of the same thread to the same place that follows from what was loaded,
 * `h[k] += x`, or that a branch on it leads to, `if (d < dist[v]) dist[v] = d`. */
#ifndef CW_RACES_UPDATES_H
#define CW_RACES_UPDATES_H

#include "base/vec.h"
#include "uniformity/alias.h"
#include "uniformity/uniformity.h"

struct cw_update {
    uint32_t load, store;
    bool is_computed; /* what is stored follows from what was loaded; else a branch on that decides about the store */
    bool is_accumulated; /* as the old value and something else: `h[k] += x`, `h[k] = max(h[k], x)` */
    bool is_gathered; /* by operations that may be done twice, `bits[k] |= x`, and choices */
    bool is_repeatable; /* and by one that is the same for the block: `flags[k] |= 1` */
    bool is_probe; /* the load ends a loop that looks at place after place: the update takes the first free one */
};

struct cw_updates {
    CW_VEC(struct cw_update) at;
};

/* What the kernel stores into, but for the shared memory of other blocks of a cluster. */
struct cw_stored {
    CW_VEC(struct cw_base) at;
    uint32_t *private_array; /* of each load and store: 1 + the array of the thread's own that it goes to, 0: none */
};

/* cost: the instructions. */
struct cw_stored cw_stored_of(const struct cw_fn *fn, struct cw_arena *a);
/* Does some store go to what the pointer may lead to? Cost: the arrays that are stored into. */
bool cw_is_stored_into(const struct cw_fn *fn, const struct cw_stored *stored, cw_ref pointer);

/* The updates of shared and device memory by ordinary loads and stores, in the order of the stores. Two places are the
 * same where the same operations lead to both; what is loaded on the way counts as the same where nothing in the kernel
 * stores into that memory.
 * requires: SSA, fn->cfg, uniformity. cost: the instructions, once, and the operations behind each update's value and
 * branches. */
struct cw_updates cw_updates_of(const struct cw_fn *fn, const struct cw_uniformity *u, const struct cw_stored *stored,
                                struct cw_arena *a);

/* The instructions whose results are made from that of `ins`, by operations and through arrays of the thread's own.
 * cost: the instructions, once, and once more for each time that a loop brings something back. */
struct cw_bitset cw_followers_of(const struct cw_fn *fn, const struct cw_stored *stored, uint32_t ins,
                                 struct cw_arena *a);
static inline bool cw_follows(const struct cw_bitset *followers, cw_ref value) {
    return value.tag == CW_REF_INS && cw_bitset_has(followers, value.index);
}

#endif
