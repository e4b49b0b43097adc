/* Values of the lane evaluator with what is known of each, for analyses that combine them themselves: data races,
 * masks, spins. lanes/lanes.h is enough for a question whose answer is numbers.
 *
 * docs/internals/lanes.md explains states, tokens and contexts. */
#ifndef CW_LANES_VALUE_H
#define CW_LANES_VALUE_H

#include "base/hash.h"
#include "lanes/bdd.h"
#include "lanes/lanes.h"

/* An unknown without identity: equal to nothing, not even to itself. */
#define CW_NO_TOKEN INT64_MIN

/* One thread's value. Of type i1 and not a number: the formula (bdd.h) that decides it. */
struct cw_cell {
    uint8_t known; /* enum cw_state */
    int64_t value;
};

/* What a pointer points into: an object, a pointer parameter, or a value (CW_REF_INS: where it was loaded or made;
 * CW_REF_CONST: an absolute address, null above all). Equal tokens are equal base addresses. */
struct cw_lane_base {
    cw_ref root;
    int64_t token;
};

/* A value for all threads of the block; thread t's cell is number (t & mask), so that one cell may stand for all.
 * A pointer's value is its byte offset from the base. */
struct cw_lane_value {
    uint32_t mask; /* 0 or ~0 */
    uint32_t base_mask; /* the same for the bases, most of which are one for all threads */
    uint8_t worst;
    uint8_t *known;
    int64_t *value;
    struct cw_lane_base *base; /* pointers only */
};

static inline int64_t cw_token(uint64_t h) {
    return (int64_t)h == CW_NO_TOKEN ? 1 : (int64_t)h;
}

static inline bool cw_cell_numeric(struct cw_cell cell) {
    return cell.known <= CW_SAMPLE;
}

static inline bool cw_cell_same(struct cw_cell cell, struct cw_cell other) {
    return cw_cell_numeric(cell) == cw_cell_numeric(other) && cell.value == other.value &&
           (cw_cell_numeric(cell) || cell.value != CW_NO_TOKEN);
}

static inline uint8_t cw_worse(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

static inline uint64_t cw_cell_hash(uint64_t h, struct cw_cell cell) {
    return cw_mix(cw_mix(h, (uint64_t)cell.value), cw_cell_numeric(cell));
}

static inline uint32_t cw_ref_bits(cw_ref ref) {
    return (uint32_t)ref.tag << 28 | ref.index;
}

static inline struct cw_cell cw_lane_value_cell(const struct cw_lane_value *value, uint32_t t) {
    return (struct cw_cell){value->known[t & value->mask], value->value[t & value->mask]};
}

static inline struct cw_lane_base cw_lane_value_base(const struct cw_lane_value *value, uint32_t t) {
    return value->base[t & value->base_mask];
}

/* The value of `r` in that context, for all threads. The evaluator owns it. */
const struct cw_lane_value *cw_lane_value_of(struct cw_lanes *l, cw_ref r, const struct cw_context *c);
struct cw_cell cw_pointer_token(const struct cw_lane_value *p, uint32_t t);


/* Is the load's value the one that each thread has stored into an array of its own before? */
bool cw_lanes_finds_stored(struct cw_lanes *l, uint32_t load, const struct cw_context *c);

/* ---- contexts ---- */

uint32_t cw_context_id(const struct cw_context *c);

/* The part of `c` that concerns `block`: its loops around the block. */
const struct cw_context *cw_context_at(const struct cw_lanes *l, const struct cw_context *c, uint32_t block);
/* `c` (aligned) with the loops around the block that it does not fix at iteration 0. */
const struct cw_context *cw_context_complete(struct cw_lanes *l, const struct cw_context *c, uint32_t block);
/* The outermost loop around `block` that `c` (aligned) does not fix, or CW_NO_LOOP. */
uint32_t cw_context_missing(const struct cw_lanes *l, const struct cw_context *c, uint32_t block);

/* ---- ranges ---- */

struct cw_range {
    int64_t lo, hi; /* both may be reached; signed, whatever the type */
};
/* What the expression itself says of its value, in any thread and iteration: `x & 15` lies within 0 and 15. */
struct cw_range cw_lanes_range(struct cw_lanes *l, cw_ref r);
/* The same for one thread in one context, where parts that are numbers are those numbers. */
struct cw_range cw_lanes_range_at(struct cw_lanes *l, cw_ref r, const struct cw_context *c, uint32_t t);
/* What the expression itself says of a pointer's byte offset from its base (cw_lanes_places), for one thread in one
 * context, where parts that are numbers are those numbers. */
struct cw_range cw_lanes_offsets_at(struct cw_lanes *l, cw_ref pointer, const struct cw_context *c, uint32_t t);

/* May the block read a size from device memory that the samples with CW_SAMPLE_DATA choose? Where not, these are as
 * those without. Cost: once through the instructions. */
bool cw_lanes_reads_data_sizes(struct cw_lanes *l);
/* The row of an array of arrays that the pointer points into, as offsets from there, for one thread in one context.
 * False: it points into none, or that is not known. */
bool cw_lanes_row_at(struct cw_lanes *l, cw_ref pointer, const struct cw_context *c, uint32_t t, struct cw_range *row);

/* ---- groups ---- */

/* The group thread t belongs to. */
struct cw_team {
    bool known;
    uint32_t rank, size, above, siblings; /* above: rank of the group in its parent; siblings: groups of the parent */
    uint32_t lanes;                       /* members as lanes of t's warp, when in_warp */
    bool in_warp;
};
struct cw_team cw_lanes_team(struct cw_lanes *l, cw_ref group, const struct cw_context *c, uint32_t t);

#endif
