/* Shared by the parts of the analysis between blocks (inter_block*.c); nobody else includes this. */
#ifndef CW_BLOCKS_INTER_BLOCK_INTERNAL_H
#define CW_BLOCKS_INTER_BLOCK_INTERNAL_H

#include "base/map.h"
#include "blocks/inter_block.h"

enum {
    CW_INTER_EVALUATIONS = 1 << 16, /* budget of one evaluator */
    CW_INTER_FAULTS_MAX = 32
};

/* One thread's access to a byte. */
struct touch {
    uint32_t event;
    struct cw_block_thread at;
    bool exact;
    bool by_data;  /* data choose the element: threads with equal data choose the same one */
    uint32_t turn; /* in the second iteration of this loop and the first of the others; CW_NO_LOOP: the first of all.
                    * Short loops in which nothing synchronises count as if they were unrolled */
    const struct cw_context *context;
    bool somewhere; /* kept as an access to some element of the array */
    uint32_t next; /* 1 + the touch of the same byte before, 0: none */
};

/* Two events within one block or in two. */
struct pair {
    uint32_t first, second;
    bool one_block;
    uint8_t tried;
    bool reported;
};

/* One kernel; of its launches, blocks, sizes and tickets, the present look. */
struct inter {
    const struct cw_kernel_query *q;
    struct cw_device_events d;
    uint32_t launch, sample;
    struct cw_lanes *lanes[2];
    uint32_t first[3], second[3]; /* blockIdx of the two blocks */
    bool is_first_out;       /* an access that the first block does not come to */
    struct cw_block_order *order; /* NULL until two accesses ask for it, or when there are too many roles */
    bool has_asked, keeps_a_lock;
    uint8_t indexed;         /* dimensions of the grid along which the kernel asks for its block */
    struct cw_bitset waits;  /* basic blocks whose branch depends on what other threads do to device memory */
    struct cw_bitset met;    /* data events to whose memory some event writes */
    struct cw_bitset busy;   /* loops in which something synchronises */
    uint64_t grain;          /* bytes that an entry of `bytes` stands for; all accesses begin and end between grains */
    bool is_misaligned;      /* one does not */
    bool has_unplaced;       /* places of data that are no numbers */
    bool draws;              /* the blocks have drawn tickets: the first one 0, the other one 1 */
    struct cw_map bytes; /* root, token and grain -> 1 + touch */
    CW_VEC(struct touch) touches;
    CW_VEC(struct pair) pairs;
    struct cw_block_faults *out;
};

/* ---- inter_block_touches.c ---- */

/* Finds the data events to whose memory some event writes, and the grain. requires: events. */
void cw_inter_find_met(struct inter *inter);
/* Enters the touches of both blocks, or of the first alone. requires: the evaluators. */
void cw_inter_enter_touches(struct inter *inter, bool is_one_block);
/* What all blocks know the place's memory by; 0 where it may be another one for each block, or is none of the device.
 * A pointer in a field of a parameter is one for the grid: it goes by the field, however often it is read. */
uint64_t cw_inter_root(const struct inter *inter, const struct cw_device_event *event, struct cw_lanes *lanes,
                       struct cw_lane_place place, const struct cw_context *context, uint32_t thread);
/* The basic block that holds the access. */
uint32_t cw_inter_block(const struct inter *inter, const struct touch *touch);
/* The iteration in which the touch is. */
const struct cw_context *cw_inter_context(const struct inter *inter, struct cw_lanes *lanes, const struct touch *touch);

/* ---- inter_block_missing.c: requires an order ---- */

/* Does one of the two write, and are they not both atomics whose scopes include both threads? */
bool cw_inter_is_conflict(const struct inter *inter, const struct touch *touch, const struct touch *other);
/* A volatile read of what others update by wide enough atomics: both are strong, so it is no data race (PTX ISA,
 * morally strong operations), but it may read an old value. */
bool cw_inter_is_relaxed_read(const struct inter *inter, const struct touch *touch, const struct touch *other);
/* Does one of the two poll what the other one writes? */
bool cw_inter_is_polled(const struct inter *inter, const struct touch *touch, const struct touch *other);
/* Do critical sections of one lock hold the two? */
bool cw_inter_has_common_lock(const struct inter *inter, const struct touch *touch, const struct touch *other);
/* What the two lack, and the instruction that is to blame for it, UINT32_MAX: none. False when they are ordered,
 * or when one lock holds both. */
bool cw_inter_find_missing(const struct inter *inter, const struct touch *touch, const struct touch *other,
                           enum cw_block_fault_kind *kind, uint32_t *culprit);

/* ---- inter_block_values.c ---- */

enum cw_agreement { CW_VALUES_EQUAL, CW_VALUES_DIFFERENT, CW_VALUES_UNKNOWN };

/* What two writes leave at the common bytes. */
enum cw_agreement cw_inter_compare_values(const struct inter *inter, const struct touch *touch,
                                          const struct touch *other);

/* ---- inter_block_grid.c ---- */

/* How many blocks the grid has. requires: a grid that is known. */
uint64_t cw_inter_count_blocks(const struct cw_launch *launch);
/* Is the grid known to have more than one block? */
bool cw_inter_has_many_blocks(const struct cw_launch *launch);
/* Dimensions of the grid in which the kernel looks at its block's index: bit d. */
uint8_t cw_inter_indexed_dimensions(const struct cw_fn *fn);
/* May the grid have more than one block along the dimension, as far as nobody knows it? A kernel that asks which block
 * it is in, that draws tickets or that waits is launched with more than one of them. */
bool cw_inter_is_chosen_dimension(const struct inter *inter, uint32_t dimension);
/* Has the launch both blocks? Where nobody knows its grid, the second block is one that the witness chooses. */
bool cw_inter_has_both_blocks(const struct inter *inter);
/* May a cluster hold the two blocks, and are there others? Of a cluster only the number of its blocks is kept:
 * neighbours may be in one wherever there are clusters. */
struct cw_block_pair cw_inter_pair_in_grid(const struct cw_launch *launch, const uint32_t first[3],
                                           const uint32_t second[3]);

/* ---- inter_block_faults.c ---- */

/* What a fault says of one of its accesses. */
struct cw_block_side cw_inter_side(const struct inter *inter, const struct touch *touch);
/* Adds the fault of two touches where it is to be reported, as a definite or a possible one. requires: an order. */
void cw_inter_add_fault(struct inter *inter, const struct touch *touch, const struct touch *other,
                        enum cw_block_fault_kind kind, uint32_t culprit);

/* ---- inter_block_judge.c ---- */

/* Finds the order of the two blocks' accesses, once. It is only asked for where two blocks touch one element, or
 * one polls: most kernels' blocks have their own, and the order asks of every block of the code who gets there.
 * False also where the launch traps. */
bool cw_inter_find_order(struct inter *inter);
/* Judges all pairs of touches, and adds their faults. */
void cw_inter_judge_touches(struct inter *inter);

/* ---- inter_block_looks.c ---- */

/* Looks at the neighbour in each dimension of the grid, and at the last block: an index that is mirrored, that
 * wraps, or that leaves a dimension out meets there. */
void cw_inter_look_at_launch(struct inter *inter, uint32_t launch);

#endif
