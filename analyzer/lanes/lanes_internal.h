/* Shared by the files of lanes/; no other folder includes this.
 *
 * docs/internals/lanes.md explains states, tokens and contexts. */
#ifndef CW_LANES_LANES_INTERNAL_H
#define CW_LANES_LANES_INTERNAL_H

#include "lanes/condition.h"
#include "uniformity/alias.h"

enum {
    CW_LANES_DEPTH = 800,        /* nested evaluations */
    CW_LANES_ITERATIONS = 2048,  /* trips of one loop that are followed */
    CW_LANES_PATIENCE = 6,       /* trips followed without any thread's way being decided */
    CW_LANES_CELLS_PER_STEP = 128, /* storage bound: cells per unit of budget */
    CW_LANES_FOLDED_PER_CELL = 2, /* cells in rows of numbers cost that much less than others */
    CW_LANES_STEP_WORK = 16,      /* work of a value, in cells, whatever it is */
    CW_LANES_FORMULA_WORK = 8     /* and of joining two formulas */
};

struct cw_lane_context {
    struct cw_context pub; /* first */
    uint32_t id;
};

struct cw_lane_choice { /* a generic value that was used, for witnesses */
    const char *name;
    int64_t value;
};

struct cw_lane_writer { /* an instruction that may write memory, and what it stores */
    uint32_t ins;
    cw_ref stored; /* CW_NONE: not one value */
    cw_ref pointer;
};

struct cw_lane_writers {
    struct cw_lane_writer *at;
    uint32_t n, cap;
};

enum { CW_CONTENT_UNASKED, CW_CONTENT_ASKED, CW_CONTENT_INPUT, CW_CONTENT_UNKNOWN };

struct cw_lane_memory { /* per root: objects, then parameters */
    struct cw_lane_writers *writers;
    bool *escapes;    /* something unseen may write it */
    struct cw_map content; /* memo: object and part -> CW_CONTENT_ */
    uint32_t content_asked; /* objects looked at for the present question */
    bool wild;        /* a store through a pointer of which nothing is known */
    bool far;         /* the same, or through one read from a place that has a name */
    bool calls;       /* unknown code runs, which may write any device memory */
};

/* Results that were computed, and static facts of the function that were asked for. */
struct cw_lanes_memo {
    struct cw_map contexts, values, full, addresses, reach, takes, trips, runs;
    struct cw_map endless;     /* loops and outer contexts; see cw_lanes_most_followed() */
    struct cw_map bools;       /* token of a widened i1 -> its formula */
    struct cw_map versions;    /* load and array -> what last changed the array before it (lanes_version.c) */
    struct cw_map machines;    /* header phi -> the phis that its next value is made of (lanes_recurring.c) */
    struct cw_map recurrences; /* phi and outer context -> when its values come back */
    struct cw_map equated;     /* names of sampled unknowns -> how they are compared with numbers */
    struct cw_map chains;      /* token -> cases of equality met so far */
    uint32_t *induction;       /* instruction -> 1 + induction, 0: none */
    struct cw_bitset doomed;   /* blocks from which every way ends in a trap */
    uint32_t *equivalent;      /* block -> 1 + who reaches it, data's traps taken not to happen; 0: not asked for yet */
    struct cw_bitset decides;  /* i1 instructions that a loop exit depends on */
    struct cw_map extents;     /* parameter or place -> 1 + dimension whose global index it bounds */
    bool has_extents;
    uint8_t *exchanges;        /* loop -> does it hold a shuffle? NULL: not asked for yet */
    struct cw_lane_memory *memory;
    struct cw_bitset spread; /* roots from which threads or blocks load at places of their own: cw_lanes_is_spread() */
    struct cw_map *sizes;    /* address -> the size that is chosen there (lanes_data_sizes.c) */
    struct cw_bitset codes;  /* loads that are compared with constants by == */
    struct cw_bitset own, not_own; /* loads of which cw_lanes_loads_own() is known */
    const struct cw_lane_value *nothing;
    const struct cw_lane_cond *everybody, *nobody, *poison; /* the formulas TRUE, FALSE and POISON for all threads */
};

/* One value under construction, and marks of graph walks. */
struct cw_lanes_scratch {
    uint32_t *stamp, now; /* per block: visited marks */
    uint8_t *known;
    int64_t *value;
    struct cw_lane_base *base;
    uint32_t *formula;
    CW_VEC(struct cw_lane_choice) choices;
};

/* An evaluator: what it was made for, what it has spent, what it knows, and what it is about to know. */
struct cw_lanes {
    const struct cw_fn *fn;
    const struct cw_uniformity *u;
    const struct cw_launch *launch;
    struct cw_arena *a;
    uint32_t sample, threads;
    uint32_t grid[3], ctaid[3];
    bool chooses_data; /* CW_SAMPLE_DATA: sizes in device memory are numbers */
    bool is_placed; /* ctaid is one block that the caller chose, not a sample */
    bool is_snapshot; /* see cw_lanes_snapshot */
    bool draws;       /* `ticket` is what the block draws; see cw_lanes_draw */
    uint32_t ticket;
    const struct cw_bitset *waits; /* blocks whose branches the schedule decides, or NULL: cw_lanes_choose_exits */
    struct cw_lanes *snapshot; /* NULL: not asked for */

    uint32_t own_reasons[CW_NBAILS], *reasons; /* why it gave up; the second once they are shared */
    uint64_t steps, budget, cells, max_cells;
    uint64_t *work, drawn; /* the kernel's store, or NULL; how much of it was taken */
    uint64_t reused;       /* cells of results that were asked for again */
    uint64_t folded;       /* of the cells, those computed as rows of numbers, which is cheap */
    bool is_row;           /* what cw_lanes_fold() made last is such a row */
    uint64_t formula_work; /* that the formulas of this evaluator may ever do */
    uint32_t depth, ncontexts;
    bool exhausted, counted, trapped;

    struct cw_bdds f;
    struct cw_lanes_memo memo;
    struct cw_lanes_scratch scratch;
};

/* The number that a subtraction gives where both operands begin at one value that nobody knows (lanes_distance.c). */
bool cw_lanes_distance(struct cw_lanes *l, const struct cw_ins *sub, const struct cw_context *context, uint32_t t,
                       struct cw_cell *out);
/* What an atomic draws where the schedule has been chosen, else NULL (lanes_tickets.c). */
const struct cw_lane_value *cw_lanes_ticket(struct cw_lanes *l, uint32_t ins, const struct cw_context *context);

/* ---- values (lanes.c) ---- */
uint8_t cw_lanes_public(uint8_t state); /* enum cw_state as enum cw_known */
/* The scratch arrays' first n cells (1 or all threads) as a value; one cell when all are equal. */
const struct cw_lane_value *cw_lane_value_seal(struct cw_lanes *l, uint32_t n, bool pointer);
/* The same behind cw_lanes_fold(). */
const struct cw_lane_value *cw_lane_value_seal_folded(struct cw_lanes *l, uint32_t n, bool pointer);
const struct cw_lane_value *cw_lane_value_one(struct cw_lanes *l, struct cw_cell c);
const struct cw_lane_value *cw_lane_value_pointer(struct cw_lanes *l, struct cw_lane_base base, struct cw_cell offset);
/* Was it asked for before? `c`: the context at the instruction's block. */
bool cw_lane_value_is_known(const struct cw_lanes *l, cw_ref r, const struct cw_context *c);
/* A fresh unknown named by (ref, context), one per block, warp or thread as `scope` (enum cw_uni) says. */
const struct cw_lane_value *cw_lane_value_fresh(struct cw_lanes *l, cw_ref r, const struct cw_context *c,
                                                enum cw_state known, enum cw_uni scope);
const struct cw_lane_cond *cw_lane_cond_seal(struct cw_lanes *l, uint32_t n);
bool cw_lanes_spend(struct cw_lanes *l, uint64_t steps);
void cw_lanes_give_up(struct cw_lanes *l, enum cw_bail why);
/* The same, each time. */
void cw_lanes_count_reason(struct cw_lanes *l, enum cw_bail why);
uint64_t cw_lanes_name(cw_ref r, const struct cw_context *c);
/* How widely threads agree on an instruction's value, as far as uniformity knows. */
enum cw_uni cw_lanes_scope(const struct cw_lanes *l, cw_ref r);

/* ---- formulas of cells ---- */
struct cw_cell cw_bdd_cell(const struct cw_lanes *l, uint32_t formula);
/* The formula "token == number"; different numbers exclude each other. */
uint32_t cw_lanes_equals(struct cw_lanes *l, int64_t token, int64_t number, enum cw_state known);

/* ---- leaves (lanes_leaf.c) ---- */
void cw_lanes_shape(struct cw_lanes *l);
const struct cw_lane_value *cw_lanes_leaf(struct cw_lanes *l, cw_ref r);
/* A generic value for a uniform unknown; `which` tells unknowns apart, dim: what cw_lanes_extent_of says of it. */
int64_t cw_lanes_generic(const struct cw_lanes *l, enum cw_type type, uint32_t which, uint32_t dim);
/* The first of the kernel's parameters that every launch gives the same value of the host as this one; else `ref`. */
cw_ref cw_lanes_first_argument(const struct cw_lanes *l, cw_ref ref);
void cw_lanes_chose(struct cw_lanes *l, const char *name, int64_t value);
/* Which dimension's extent bounds the index, from 1, and CW_EXTENT_STRIDED where its threads go over the data in
 * strides of the whole grid; 0: none. Times CW_EXTENT_GROUP: how many threads of a block have one index, as those of a
 * warp in `i / 32`, at most a block's. Times CW_EXTENT_WIDTH: the indices of a block, where these are a number other
 * than that of its threads; with CW_EXTENT_CHUNKS, the elements of those, each of which stands for several. */
enum { CW_EXTENT_STRIDED = 4, CW_EXTENT_GROUP = 8, CW_EXTENT_WIDTH = CW_EXTENT_GROUP << 11 };
#define CW_EXTENT_CHUNKS (UINT32_C(1) << 31)

static inline uint32_t cw_lanes_extent_width(uint32_t extent) {
    return (extent & ~CW_EXTENT_CHUNKS) / CW_EXTENT_WIDTH;
}

static inline uint32_t cw_lanes_extent_group(uint32_t extent) {
    uint32_t group = extent % CW_EXTENT_WIDTH / CW_EXTENT_GROUP;
    return group ? group : 1;
}

uint32_t cw_lanes_extent_bounding(const struct cw_lanes *l, cw_ref index);
/* The parameter or load behind casts and constant offsets, else CW_NONE. */
cw_ref cw_lanes_bound_of(const struct cw_lanes *l, cw_ref r);
/* A generic value of the unknown that suits what the code does with it. */
int64_t cw_lanes_suitable(struct cw_lanes *l, cw_ref r, int64_t v);
/* The unknown's value where it is used as a power of two: the largest one that is not above it. */
int64_t cw_lanes_as_power(struct cw_lanes *l, cw_ref r, int64_t v);
/* The same for a load of an unknown that is kept at a fixed place; it suits what the code does with it. */
int64_t cw_lanes_size_in_memory(struct cw_lanes *lanes, uint32_t load, uint32_t which);

/* The same of an unknown: 1 + the dimension whose extent it is, with flag and group; 0: none. */
uint32_t cw_lanes_extent_of(struct cw_lanes *l, cw_ref r);
/* Are these two pointers that the launch gives the ends of one range, `first + i < last`? Its bytes, a choice. */
bool cw_lanes_span(struct cw_lanes *lanes, cw_ref first, cw_ref last, int64_t *bytes);
/* The number of elements up to a pointer that ends a range: a size, for what the host says of it. */
int64_t cw_lanes_count_to(struct cw_lanes *lanes, cw_ref last, uint32_t which);

/* ---- operations (lanes_ops.c, lanes_compare.c) ---- */
const struct cw_lane_value *cw_lanes_op(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);
/* A value that is 0 or 1 as a formula, and back (wider than i1). */
bool cw_cell_truth(const struct cw_lanes *l, struct cw_cell c, uint32_t *f);
struct cw_cell cw_truth_cell(struct cw_lanes *l, uint32_t f);
struct cw_cell cw_cell_op(struct cw_lanes *l, enum cw_op op, enum cw_type type, enum cw_type result,
                          const struct cw_cell *args, uint32_t n);
/* Numbers only: the scratch arrays' first `threads` cells become the result. False when it is undefined for some
 * thread. */
bool cw_lanes_fold(struct cw_lanes *l, enum cw_op op, enum cw_type type, enum cw_type result,
                   const struct cw_lane_value *const *args, uint32_t n, uint32_t threads);
/* What is known of a result that is no number: OPAQUE when only numbers went in (undefined). */
uint8_t cw_unknown_of(const struct cw_cell *args, uint32_t n);
struct cw_cell cw_cell_compare(struct cw_lanes *l, enum cw_op op, enum cw_type type, struct cw_cell a,
                               struct cw_cell b);
/* A comparison (or switch case) of two values that are the same for the whole block and rest on sampled unknowns. */
bool cw_lanes_is_open(const struct cw_lane_value *a, const struct cw_lane_value *b);
const struct cw_lane_value *cw_lanes_compare(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);

/* The lesser or greater of two values that are not both numbers, named without regard to which one comes first. */
struct cw_cell cw_lanes_extremum(struct cw_lanes *lanes, bool is_greater, enum cw_type type,
                                 const struct cw_cell two[2]);

/* ---- pointers and loads (lanes_memory.c) ---- */
const struct cw_lane_value *cw_lanes_pointer(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);
const struct cw_lane_value *cw_lanes_load(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);
/* The size that device memory holds there, as a number, where such are chosen; else NULL (lanes_data_sizes.c). */
const struct cw_lane_value *cw_lanes_data_size(struct cw_lanes *l, uint32_t ins, const struct cw_lane_value *places);
/* Does the load give the same in every iteration in which it has this address? */
bool cw_lanes_load_is_steady(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);
const struct cw_lane_memory *cw_lanes_memory(struct cw_lanes *l);
uint32_t cw_lanes_root_slot(const struct cw_lanes *l, cw_ref root);
/* May a store through a pointer of which nothing is known reach the object? Not shared memory and variables whose
 * address is nowhere. */
bool cw_lanes_is_exposed(struct cw_lanes *l, uint32_t slot);
/* Does some load from the root go by the thread's index, or by that of the first block? Then it is an array of data,
 * and its first element no size. */
bool cw_lanes_is_spread(struct cw_lanes *l, cw_ref root);
/* Bytes of an object, from the first to the last: a member of a structure. */
struct cw_part {
    int64_t lo, hi;
    struct cw_strided member; /* and of the elements of an array these; stride 0: all of them */
};
/* Where an access of so many bytes lies, as far as its pointer says; 0 bytes: not known. The whole object else. */
struct cw_part cw_lanes_part(const struct cw_lanes *l, cw_ref pointer, uint64_t bytes);
bool cw_lanes_parts_meet(struct cw_part part, struct cw_part other);
bool cw_lanes_holds_input(struct cw_lanes *l, uint32_t slot, struct cw_part part);
/* May two elements of the array hold different values because of what is stored? Not where each thread stores to its
 * own element what all threads of its warp store. */
bool cw_lanes_elements_vary(struct cw_lanes *l, uint32_t slot, struct cw_part part);
/* A load of a shared array whose version is asked for (lanes_version.c). */
struct cw_lanes_reader {
    uint32_t load, slot;
    bool racy; /* other threads may write meanwhile: each thread has a version of its own */
    const struct cw_context *context;
    const struct cw_lane_value *places, **writers; /* of a racy load: where it reads, and where stores go, or NULL */
    const struct cw_lane_value **guards; /* what decides whether a store is executed, or NULL */
    uint64_t guarded_by_true;            /* a bit for each that it has to be true for */
    uint32_t nwriters, first;            /* first: a bit for each loop around it that is in its first iteration */
};
void cw_lanes_version_of(struct cw_lanes *l, uint32_t load, uint32_t slot, bool racy, const struct cw_context *c,
                         const struct cw_lane_value *places, struct cw_lanes_reader *out);
/* A name of what the array holds at the load: between two loads with one name lies no store or barrier. is_late: what
 * the thread finds there is up to others. */
uint64_t cw_lanes_version(struct cw_lanes *l, const struct cw_lanes_reader *reader, uint32_t t, bool *is_late);
/* For each thread what it has stored to the element that a racy load reads, where that is the last change before the
 * load: it finds that if it runs first. NULL: no thread has, or none for this one. */
const struct cw_lane_value **cw_lanes_own_stores(struct cw_lanes *l, const struct cw_lanes_reader *reader);
/* Does every thread of the block load from an element of its own, which no other thread ever writes (lanes_own.c)?
 * `places`: where. */
bool cw_lanes_loads_own(struct cw_lanes *l, uint32_t load, const struct cw_lane_value *places);
/* What all threads find at a place of shared memory that one of them has filled (lanes_broadcast.c); NULL: not known.
 * requires: `places` are of an object. */
const struct cw_lane_value *cw_lanes_find_broadcast(struct cw_lanes *lanes, uint32_t load,
                                                    const struct cw_context *context,
                                                    const struct cw_lane_value *places);
/* What a load from an array of the thread's own finds (lanes_private.c); NULL: not known. `places`: where it reads. */
const struct cw_lane_value *cw_lanes_find_stored(struct cw_lanes *l, uint32_t load, const struct cw_context *c,
                                                 const struct cw_lane_value *places);
/* A pointer to a place that is the same everywhere: root and constant offset, as a key. */
bool cw_lanes_fixed_place(const struct cw_lanes *l, cw_ref pointer, uint64_t *key);
/* ---- collectives and groups (lanes_warp.c, lanes_group.c) ---- */
const struct cw_lane_value *cw_lanes_collective(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);
const struct cw_lane_value *cw_lanes_group_query(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);
/* ---- control (lanes_reach.c, lanes_loop.c) ---- */
/* How often the header of a counted loop runs for each thread that enters it in `outer`; NULL when that is not known
 * for every thread. */
const struct cw_lane_value *cw_lanes_counted(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer);
/* How many iterations are followed one by one. A few, where some thread never leaves the loop for the chosen sizes, as
 * it waits for a counter that moves away: nobody means these sizes. */
uint32_t cw_lanes_most_followed(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer);
/* ---- values that come back (lanes_recurring.c) ---- */
/* Is the header phi's next value made of such phis, constants and what the loop leaves alone? */
bool cw_lanes_is_closed(struct cw_lanes *l, uint32_t phi);
/* Its value in a late iteration, from the early one that has the same; NULL when it is not closed, when no state of the
 * first iterations returns, or when the iteration is an early one itself. */
const struct cw_lane_value *cw_lanes_recurring(struct cw_lanes *l, uint32_t phi, const struct cw_context *c);
const struct cw_lane_value *cw_lanes_phi(struct cw_lanes *l, uint32_t ins, const struct cw_context *c);
/* The value `r` has, per thread, in the last iteration of `loop`. */
const struct cw_lane_value *cw_lanes_exit_value(struct cw_lanes *l, cw_ref r, uint32_t loop,
                                                const struct cw_context *outer);
/* OR over the iterations of `loop` in `outer` of `what(edge or block)`. */
const struct cw_lane_cond *cw_lanes_some_iteration(struct cw_lanes *l, struct cw_edge edge, uint32_t loop,
                                            const struct cw_context *outer);
/* Chooses per thread among alternatives by exclusive gates. */
struct cw_alternative {
    const struct cw_lane_cond *gate;
    const struct cw_lane_value *value;
};
const struct cw_lane_value *cw_lanes_choose(struct cw_lanes *l, cw_ref r, const struct cw_context *c,
                                    const struct cw_alternative *alt, uint32_t n, const struct cw_lane_cond *rest);

#endif
