/* Accesses whose element data chooses: `table[key[i]]`, `atomicAdd(&bins[digit], 1)`, `slot[atomicAdd(&n, 1)] = x`. */
#ifndef CW_RACES_DATA_PLACES_H
#define CW_RACES_DATA_PLACES_H

#include "base/map.h"
#include "lanes/value.h"

/* Is the value, a place or a condition, made of data (loads, results of atomics) and of what is the same for the whole
 * block (`like` CW_UNI_BLOCK) or warp alone? Then each of its threads may have any value that another one may have. An
 * index in which a thread's position has a part, as `row * 32 + key[i]`, may stay within the thread's own part of the
 * array.
 * requires: SSA, uniformity. cost: the operations behind the value, each once. */
bool cw_is_made_of_data(const struct cw_uniformity *u, cw_ref value, enum cw_uni like, struct cw_arena *a);

/* Does the condition compare positions of threads with data that are the same for all of the block, or warp, as in
 * `first[row] + lane < first[row + 1]`? Data exist for which all threads go there. requires, cost: as above. */
bool cw_is_bounded_by_data(const struct cw_uniformity *u, cw_ref value, enum cw_uni like, struct cw_arena *a);
/* May both rest on one datum: are they computed from loads of one array? Cost: the operations behind them. */
bool cw_share_data(const struct cw_fn *fn, cw_ref value, cw_ref other, struct cw_arena *a);

/* The numbers rest + k * step, for whole k; step 0: rest alone; step 1: any number. Where `datum` is a value, the
 * number is rest + factor * datum. */
struct cw_stride {
    uint64_t step;
    int64_t rest;
    cw_ref datum;
    int64_t factor;
};

/* What the expression says of a value, or of a pointer's offset from its object, for one thread in one iteration,
 * whatever the data are: `2 * key + i` is an odd number where i is one. `context` fixes the loops around the value. */
struct cw_stride cw_stride_of(struct cw_lanes *l, cw_ref value, const struct cw_context *context, uint32_t thread);
/* Rows of one array, each for some of the threads, in which one datum chooses the element (`bins[copy * 257 + digit]`):
 * the least distance between where rows begin, in bytes. 0 where threads have no such rows: all share one, or what
 * leads to the element is not known. cost: the operations behind the place, for each thread. */
uint64_t cw_own_row(struct cw_lanes *l, cw_ref pointer, const struct cw_context *context, struct cw_arena *a);

/* The numbers of one datum that lead an access to an offset. */
enum cw_leading {
    CW_LED_OPEN, /* no single datum decides, or nobody knows how */
    CW_LED_NEVER,
    CW_LED_BY    /* these numbers, and perhaps others */
};
enum { CW_LEADS_MAX = 16 };
struct cw_leads {
    enum cw_leading how;
    cw_ref datum;
    int64_t number[CW_LEADS_MAX];
    uint32_t n;
    bool are_some; /* there are more numbers than these, behind a mask or a remainder */
};

/* What the datum has to be, so that the pointer's offset from its object is `offset`: the operations between the two
 * are undone one by one. cost: the operations, times CW_LEADS_MAX for each remainder or mask. */
struct cw_leads cw_leads_to(struct cw_lanes *l, cw_ref pointer, const struct cw_context *context, uint32_t thread,
                            int64_t offset);
/* The pointer's offset when the thread's datum, which `named` names, is the number; false: other data decide, too. */
bool cw_offset_under(struct cw_lanes *l, cw_ref pointer, const struct cw_context *context, uint32_t thread,
                     struct cw_cell named, int64_t number, int64_t *offset);

/* Is in the place of some thread a product of chosen sizes that no 32 bits hold? Nobody calls the kernel with such
 * sizes. cost: the operations behind the place, to a small depth, for each thread. */
bool cw_place_wraps_sizes(struct cw_lanes *l, cw_ref pointer, const struct cw_context *context);
/* May bytes at `offset` and at one of the numbers overlap? Sizes in bytes. */
bool cw_stride_meets(struct cw_stride s, uint64_t size, int64_t offset, uint64_t other_size);
/* The same for one number of each of the two. */
bool cw_strides_meet(struct cw_stride stride, uint64_t size, struct cw_stride other, uint64_t other_size);
/* The range from the first to the last of the numbers in it; the range itself where none is, or any may be. */
struct cw_range cw_stride_within(struct cw_stride stride, struct cw_range range);

/* Does the thread never come to the block when its datum, which `named` names, is the number? `if (key % 2) table[key]`
 * reads no even element. Conditions that are made of the datum and of numbers are looked at, in blocks through which
 * every way to the block leads. cost: the operations behind each of them. */
bool cw_datum_forbids(struct cw_lanes *l, uint32_t block, const struct cw_context *context, uint32_t thread,
                      struct cw_cell named, int64_t number);

/* One thread's access. */
struct cw_place_of {
    cw_ref pointer;
    uint64_t size; /* bytes */
    uint32_t block, thread;
    const struct cw_context *context;
};

/* Do two lanes of a warp never access common bytes, because `__match_any_sync()` sends one lane of each group of equal
 * values there, and the value chooses the element? `if (lane == __ffs(peers) - 1) count[digit] += __popc(peers)`.
 * `known`: what was found for blocks, a map of the caller's for these lanes. cost: once for a block and a warp, the
 * operations behind the conditions on the way, for each lane of some groups. */
bool cw_match_keeps_apart(struct cw_lanes *l, struct cw_map *known, const struct cw_place_of *a,
                          const struct cw_place_of *b);

#endif
