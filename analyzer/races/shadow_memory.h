/* The memory's shadow: who touched which bytes since the last ordering, and which two threads meet there unordered.
 *
 * Every access of the timeline is entered for every thread whose address is a number. Bytes are kept in cells of four;
 * a cell remembers its readers and writers of the present phase (races/happens_before.h), as lanes of warps. Two
 * accesses by different threads to one byte conflict when one of them writes, not both are atomic, and nothing orders
 * them (the definition of the C++ and PTX memory models). No conflict is
 *   - two writes of the same value, and a read beside a write of the very value that the reader itself wrote before;
 *   - what the code shows to exclude each other, by formulas of lanes/lanes.h;
 *   - what only the winner of an atomic does, and what waits for memory to change (roles->guarded).
 *
 * An access somewhere in an array, at a place that is no number, may conflict with any other access to the array. It
 * surely does where the threads' accesses on the other side cover all that the kernel uses of the array, and data alone
 * chooses the place (races/data_places.h): whichever element that is, another thread touches it.
 *
 * requires: a timeline. computes: conflicting pairs of instructions, each with one witness; reads of unwritten
 * bytes. */
#ifndef CW_RACES_SHADOW_MEMORY_H
#define CW_RACES_SHADOW_MEMORY_H

#include "races/happens_before.h"

struct cw_conflict { /* a conflict: two instructions, in one relation */
    uint32_t first, second; /* instructions, in the timeline's order */
    bool same_warp;
    bool unwaited;          /* the first is an asynchronous copy that its thread has not waited for */
    bool open;              /* input decides for both whether they happen: an invariant of the data may forbid it */
    bool first_writes, second_writes, first_atomic, second_atomic;
    uint32_t first_step, second_step, first_thread, second_thread;
    uint32_t first_lanes, second_lanes; /* same warp: lanes that meet at these two steps, as masks */
    cw_ref root;
    int64_t offset;         /* of the first byte that both touch, from the root */
    uint32_t bytes;
    uint32_t skipped;       /* a barrier between the two that input skips here; UINT32_MAX: none */
    uint32_t chosen;        /* the one of the two whose element data chooses, whichever it is; UINT32_MAX: none */
    uint32_t call;          /* an unknown call between the two that may order them; UINT32_MAX: none */
};

struct cw_harmless { /* two instructions that would conflict, were not the values the same */
    uint32_t first, second;
    bool same_warp;
    bool unsure; /* whether they are the same is unknown */
    uint32_t first_step, second_step; /* of the first such two accesses */
};

struct cw_undecided { /* two instructions that would conflict across warps, if both threads get there: nobody knows */
    uint32_t first, second;
};

struct cw_unwritten {
    bool sure; /* the thread reaches the read whatever the input */
    uint32_t ins, step, thread;
    cw_ref root;
    int64_t offset;
};

struct cw_shadow {
    CW_VEC(struct cw_conflict) meetings;
    CW_VEC(struct cw_unwritten) unwritten;
    CW_VEC(struct cw_harmless) harmless;
    CW_VEC(struct cw_undecided) undecided;
    struct cw_bitset unplaced; /* instructions that touch shared memory, in some iteration, nobody knows where */
    bool unknown; /* some access or condition could not be followed */
    bool is_cut;  /* the walk ended early: budget exhausted */
    bool leaves;  /* some thread leaves a shared array, whatever the input: it was not meant to be there */
    bool strays;  /* the same, perhaps for the chosen sizes or on a way that input decides */
};

struct cw_liveness;

/* needs: loads whose value reaches nothing are passed over; NULL: all count. assume: see cw_order_new. */
struct cw_shadow *cw_shadow_of(const struct cw_event_trace *t, const struct cw_liveness *needs, uint32_t assume,
                               struct cw_arena *a);

#endif
