/* Shared by the parts of the shadow memory (shadow_*.c); nobody else includes this. */
#ifndef CW_RACES_SHADOW_INTERNAL_H
#define CW_RACES_SHADOW_INTERNAL_H

#include "races/buffer_parts.h"
#include "races/shadow_memory.h"

enum {
    SIZE_MAX_BYTES = 512, /* of one access that is followed */
    WORK_MAX = 1 << 24    /* records looked at, per launch and choice of unknowns */
};

enum answer { NOT_ASKED, NO, YES };

/* Accesses of one step by lanes of one warp that are alike. */
struct record {
    uint32_t step, lanes;
    uint32_t access; /* the instruction's number, see access_id */
    uint32_t stamp;  /* index in shadow->stamps */
    uint16_t warp;
    uint8_t bytes; /* of the cell, as a mask */
    bool atomic : 1, guarded : 1, unplaced : 1;
};

struct records {
    struct record *at;
    uint16_t n, cap;
    uint16_t plain; /* how many are not atomic */
};

struct copy { /* an asynchronous one */
    struct record of;
    struct cw_copy_end end;
};

struct copies {
    CW_VEC(struct copy) list;     /* whose end nobody has seen yet */
    CW_VEC(struct record) begun;  /* that write here, of the phase */
    uint32_t phase;
};

struct cell {
    uint32_t phase, written_phase; /* written_phase: 1 + shadow->barriers at the first write; 0: none yet */
    struct records reads, writes;
    struct copies *copies; /* NULL: none */
    uint32_t first_read; /* 1 + index in shadow->unwritten of a read before any write */
    uint32_t read_phase; /* shadow->barriers at that read */
    uint8_t now[2], ever[2]; /* bytes read and written at places that are numbers: in this phase, in any */
};

/* An access that was put off (shadow_cells.c): its memory has one thread so far. */
struct deferred;

struct memory { /* what a pointer points into: a root and a token */
    cw_ref root;
    int64_t token;
    bool lost; /* written at places that are not known */
    bool is_flag; /* something in it is waited on */
    bool is_met;  /* more than one thread touches it, or an asynchronous copy does */
    uint32_t owner; /* 1 + the thread that touched it first, 0: none yet */
    struct deferred *deferred; /* the owner's accesses of the phase `deferred_phase`, last first */
    uint32_t deferred_phase;
    struct cell *all, *wide; /* accesses of the phase, wherever; and those at places that are not known; or NULL */
    uint32_t covered;      /* 1 + index in shadow->covered of its last phase, 0: none */
    uint32_t ever[2];      /* bytes that are read, and written, at places that are numbers */
    bool is_read_anywhere; /* some read is at a place that is not known */
    uint8_t unseen;        /* UNSEEN_: is it written in iterations that were left out */
};

enum { UNSEEN_UNASKED, UNSEEN_NONE, UNSEEN_WRITES };

/* How many different bytes of an array a phase reads, and writes, at places that are numbers. */
struct covered {
    uint32_t memory, phase, bytes[2];
};

/* A conflict with an access at a place that is not known, in one phase. */
struct unplaced {
    struct cw_conflict conflict;
    uint32_t meeting, memory, phase; /* meeting: index in shadow->out->meetings */
    bool by_writes;                  /* the other access writes */
    bool in_own_row;                 /* see cw_shadow_is_in_own_row */
};

struct page;       /* shadow_cells.c */
struct pair_state; /* shadow_conflicts.c */
struct extent;     /* shadow_data_places.c */

/* One walk along the timeline. */
struct shadow {
    struct cw_shadow *out;
    const struct cw_event_trace *t;
    const struct cw_liveness *needs;
    struct cw_lanes *l;
    const struct cw_fn *fn;
    struct cw_arena *a, *result; /* of the walk, which ends with it; and of `out` */
    struct cw_order *o;
    uint32_t phase;                 /* of the order, now */
    uint32_t barriers;              /* phases that synchronisation has ended; not iterations that were left out */
    uint32_t assume;                /* a formula that is taken to hold */
    struct cw_map open_loops;       /* loop and outer context -> does input decide its iterations? */
    struct cw_map pages;            /* of cells, by memory and number */
    struct page *page;              /* the one used last, */
    uint64_t page_key;              /* of that name */
    struct cw_map memories;
    struct cw_map matches; /* see cw_match_keeps_apart */
    struct cw_map rows;    /* step -> see cw_own_row */
    struct cw_buffer_parts parts;
    uint64_t memory_key;            /* of the memory used last */
    uint32_t memory_last;
    uint32_t *access_id, naccesses; /* per instruction: its number among the timeline's */
    uint32_t **pair_at;             /* [second][2 * first + same_warp]: 1 + index in pair */
    uint8_t *from_private;          /* per step: enum answer */
    struct cw_value_makers *makers;
    struct extent **extents;        /* [step][thread, then warp], made when first asked for */
    uint32_t nextents;
    CW_VEC(cw_ref) polled;        /* what the kernel waits on */
    bool has_polled;
    uint64_t work, charged;         /* records looked at, and those that the evaluator's work was charged with */
    CW_VEC(struct cell *) cells;    /* chunks of CHUNK */
    uint32_t ncells;
    CW_VEC(struct cw_stamp) stamps;
    CW_VEC(struct pair_state) pair;
    CW_VEC(struct memory) memory;
    CW_VEC(struct covered) covered;
    CW_VEC(struct unplaced) unplaced;
    struct cw_vec_u32 read_from; /* per out->unwritten: index in memory */
    bool wild; /* something was written that may be anywhere */
    /* Also how all accesses to an array meet those that may be anywhere in it: few kernels have any, */
    bool follows_wide;
    bool met_wide; /* as this one does */
    struct cw_bitset stored; /* objects, then parameters, that the kernel stores into; see find_stored() */
    bool has_stored, stored_anywhere;
};

/* One thread's access, being entered. */
struct touch {
    uint32_t step, thread, memory;
    uint32_t access, *pairs; /* the instruction's number, and what pairs it is the second of */
    uint32_t stamp;          /* index in shadow->stamps */
    const struct cw_ins *ins;
    bool writes, atomic;
    bool copies; /* asynchronously; the source where it does not write */
    bool wide; /* somewhere in the object: whether it meets another there is open */
    bool unplaced; /* where in the object is not known */
    bool sure; /* the thread comes there, whatever the input */
    bool guarded; /* in a critical section, which keeps out those who take part in it */
    bool unsized; /* how much it covers is not known, but for its first byte */
    uint8_t bytes;
    int64_t at; /* offset of the cell */
};

/* The step of the timeline with this number. */
static inline const struct cw_step *cw_shadow_step(const struct shadow *shadow, uint32_t step) {
    return &shadow->t->steps.at[step];
}

/* The instruction that the step executes. */
static inline const struct cw_ins *cw_shadow_ins(const struct shadow *shadow, uint32_t step) {
    return &shadow->fn->ins.at[cw_shadow_step(shadow, step)->ins];
}

/* Does it load or store a matrix fragment, whose distribution over the lanes is unknown? */
static inline bool cw_shadow_is_fragment(const struct cw_ins *ins) {
    return ins->op == CW_OP_FRAGLOAD || ins->op == CW_OP_FRAGSTORE;
}

/* Is it an atomic operation on memory? */
static inline bool cw_shadow_is_atomic(const struct cw_ins *ins) {
    return ins->op == CW_OP_ATOMIC;
}

/* Is the root an object in shared memory? */
static inline bool cw_shadow_is_shared(const struct cw_fn *fn, cw_ref root) {
    enum cw_space space = root.tag == CW_REF_OBJECT ? fn->objects.at[root.index].space : CW_SPACE_UNKNOWN;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* Do the bytes lie within the object, as far as its size is known? */
static inline bool cw_shadow_is_inside(const struct cw_fn *fn, cw_ref root, int64_t offset, uint64_t size) {
    if (root.tag != CW_REF_OBJECT)
        return true;
    uint64_t have = fn->objects.at[root.index].size;
    return offset >= 0 && (have == 0 || (uint64_t)offset + size <= have);
}

/* ---- shadow_memory.c ---- */

/* Is the budget of the evaluator or of the walk used up, with the records that were looked at since the last call? */
bool cw_shadow_is_spent(struct shadow *shadow);

/* ---- shadow_cells.c ---- */

/* The index in shadow->memory of what a pointer with this root and token points into; new memory moves the array. */
uint32_t cw_shadow_memory(struct shadow *shadow, cw_ref root, int64_t token);
/* The cell that has been touched at the place, or NULL; is_lost: its memory was written at unknown places. */
const struct cell *cw_shadow_find_cell(const struct shadow *shadow, const struct cw_lane_place *place, bool *is_lost);
/* Enters a thread's access of `size` bytes at the offset; hidden: it is written there, but meets nobody. */
void cw_shadow_touch_or_defer(struct shadow *shadow, struct touch *now, int64_t offset, uint32_t size, bool hidden);
/* Enters the access as one to the object: unplaced ones may meet any other there, and others may meet those. */
void cw_shadow_touch_whole(struct shadow *shadow, struct touch now, bool unplaced);
/* Leaves in out->unwritten the reads of bytes that nothing has written by the end, or only behind a barrier. */
void cw_shadow_settle_unwritten(struct shadow *shadow);

/* ---- shadow_conflicts.c ---- */

/* The pairs of instructions of which this one is the second, as shadow->pair_at has them. */
uint32_t *cw_shadow_pairs(struct shadow *shadow, uint32_t access);
/* Notes the access's conflicts with those in the list, which all write (first_writes) or all read. */
void cw_shadow_check_records(struct shadow *shadow, const struct cell *cell, const struct records *list,
                             bool first_writes, const struct touch *now);
/* Notes the access's conflicts with the asynchronous copies of the cell, which has some, and forgets those that are
 * over. */
void cw_shadow_check_copies(struct shadow *shadow, struct cell *cell, const struct touch *now);

/* ---- shadow_values.c ---- */

/* The offset from its object at which the thread stores in the step; 0: unknown. */
int64_t cw_shadow_offset(struct shadow *shadow, uint32_t step, uint32_t t);
/* Do both leave, or find, the same value in any case? unsure: that is unknown; by_input: they would, but for some
 * input. */
bool cw_shadow_is_harmless(struct shadow *shadow, const struct cell *cell, const struct record *record,
                           bool first_writes, uint32_t t, const struct touch *now, bool *unsure, bool *by_input);

/* ---- shadow_reach.c ---- */

/* The formula under which the thread reaches the step while what is assumed holds. */
uint32_t cw_shadow_reach(struct shadow *shadow, uint32_t step, uint32_t t);
/* Does the formula g hold whenever f does? */
bool cw_shadow_does_imply(struct shadow *shadow, uint32_t f, uint32_t g);
/* Do both threads get there, for one input? open: an invariant of the data may forbid it; is_unknown: nobody knows. */
bool cw_shadow_may_both_happen(struct shadow *shadow, const struct record *record, bool first_writes, uint32_t t,
                               const struct touch *now, bool *open, bool *is_unknown);
/* Do both store their number or a datum in one statement, each led there by its own data? */
bool cw_shadow_is_election(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now);
/* Are the branches that lead the thread there decided, or decided by such data for all threads alike as
 * cw_is_made_of_data() finds? */
bool cw_shadow_is_reached_alike(struct shadow *shadow, uint32_t step, uint32_t t, enum cw_uni like);
/* Do data of the array that chooses the place decide whether the other thread does what meets it? */
bool cw_shadow_is_other_led_by(struct shadow *shadow, uint32_t step, uint32_t t, cw_ref place);

/* ---- shadow_data_places.c ---- */

/* Two accesses at places of which data choose one: they never meet, at no element that was found, at a known one. */
enum meeting { APART, NOWHERE, PLACED };

/* Gives the conflict, of which data choose one side, the offset and bytes of the other side: do data lead there? */
enum meeting cw_shadow_place_conflict(struct shadow *shadow, struct cw_conflict *conflict);
/* Do data choose both places, and never the same? */
bool cw_shadow_keep_apart(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now);
/* Are the bytes of the conflict in the row that the thread has for itself or shares with some, in which a datum chooses
 * the element? */
bool cw_shadow_is_in_own_row(struct shadow *shadow, const struct cw_conflict *conflict);
/* Are the bounds of the two places known, and do these not overlap? */
bool cw_shadow_lie_apart(struct shadow *shadow, const struct record *record, uint32_t t, const struct touch *now);
/* The same of all threads of the record's warp. */
bool cw_shadow_warp_lies_apart(struct shadow *shadow, const struct record *record, const struct touch *now);
/* Replaces open conflicts by those that are sure although nobody knows at which element. */
void cw_shadow_settle_unplaced(struct shadow *shadow);

#endif
