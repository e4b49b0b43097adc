/* A kernel laid out in time: every access, synchronisation and collective of a few iterations of every loop, in one
 * order that agrees with the program order of each thread.
 *
 * Arms of a branch stand one after the other; what the steps order between threads is another matter
 * (races/happens_before.h). Short loops are laid out whole. Of long ones come the first iterations and the last two,
 * with a gap between; where input decides how often a loop runs, three iterations are shown, since it may end after any
 * of them.
 *
 * requires: lanes of the kernel. computes: steps. preserves: everything. */
#ifndef CW_RACES_EVENT_TRACE_H
#define CW_RACES_EVENT_TRACE_H

#include "lanes/lanes.h"
#include "races/prechecks.h"
#include "uniformity/alias.h"

enum cw_step_kind {
    CW_STEP_ACCESS,     /* of memory that the kernel writes, or of shared memory */
    CW_STEP_SYNC,       /* may order threads */
    CW_STEP_COLLECTIVE, /* warp collective that orders no memory */
    CW_STEP_GAP,        /* iterations with synchronisation were left out: taken to order all that it may order */
    CW_STEP_USE,        /* does something else with a value from shared memory: an atomic, an asm */
    CW_STEP_BRANCH,     /* decides by such a value */
    CW_STEP_SIGNAL,     /* an atomic of memory that cannot race, where some threads wait for memory or compete for it */
    CW_STEP_SETUP,      /* makes a barrier in memory */
    CW_STEP_FENCE,      /* between ordinary accesses and those of the asynchronous proxy */
    CW_STEP_NONE        /* of no interest */
};

struct cw_step {
    uint32_t ins;  /* GAP: UINT32_MAX; BRANCH: the block */
    uint8_t kind;  /* enum cw_step_kind */
    bool is_of_warps; /* GAP: what was left out orders lanes of a warp alone, */
    uint32_t loop;    /* or the warps that execute this loop; CW_NO_LOOP: all threads */
    const struct cw_context *context;
};

/* What the kernel's instructions are to the layout; static facts, the same for all launches. */
struct cw_roles {
    const struct cw_fn *fn;
    uint8_t *kind;             /* per instruction: enum cw_step_kind */
    struct cw_bitset polls;    /* loads and atomics that decide when a loop ends: synchronisation variables */
    struct cw_prechecks prechecks; /* loads that do not race with the atomic that they ask about */
    struct cw_bitset guarded;  /* blocks that only the winner of an atomic reaches: critical sections */
    struct cw_bitset
        claimed, /* of those, the ones of winners at different places: several threads may be there at once, */
        claimed_by_lanes; /* and several of one warp */
    struct cw_bitset loops;    /* loops that hold a step */
    struct cw_bitset sync_loops; /* loops that hold a SYNC step */
    struct cw_vec_u32 *items;  /* per loop + 1 (0: outside all): blocks, or LOOP | inner loop, in execution order */
    struct cw_bitset quiet;      /* blocks whose branch only chooses between values: nothing happens in its arms */
    struct cw_bitset from_shared;/* instructions whose value is made from one in shared memory */
    struct cw_bitset unwritten;  /* shared objects that are read and that nothing in the kernel ever writes */
    struct cw_bitset device;     /* accesses that go to device memory only */
    struct cw_memory *memory;
    bool has_access, has_shared, has_device, has_copies; /* copies: asynchronous ones */
    bool has_barrier_waits; /* for barriers in memory */
    bool has_signals; /* polls or guarded blocks */
    bool has_calls; /* of which nothing is known, or an asm */
    bool has_other_blocks; /* of a cluster, whose shared memory is accessed */
};

struct cw_event_trace {
    struct cw_lanes *lanes;
    const struct cw_roles *roles;
    CW_VEC(struct cw_step) steps;
    struct cw_bitset own; /* accesses left out: to device memory of which each thread touches bytes of its own */
    const struct cw_bitset *absent; /* steps that are taken not to happen, or NULL */
    bool passes_calls;/* unknown calls that may synchronise are taken to order nothing */
    uint32_t level;   /* of detail: 0 the most */
    uint32_t open_trips; /* iterations laid out of a loop whose number input decides */
    bool is_partial;  /* iterations were left out */
    struct cw_bitset partial_loops; /* the loops of which they were, */
    bool is_vague;    /* and some of these ends as input or chosen sizes say */
    bool is_cut;      /* such of a loop that is longer than what is laid out */
    bool is_endless;  /* the last loop is one that no thread leaves */
    bool is_too_long; /* the layout was given up */
};

/* u: which atomics are at one place for the whole block. */
struct cw_roles *cw_roles_of(const struct cw_fn *fn, const struct cw_uniformity *u, struct cw_arena *a);
struct cw_event_trace *cw_event_trace_of(struct cw_lanes *l, const struct cw_roles *roles, struct cw_arena *a);
/* The same with fewer iterations of each loop; NULL when there is no such. */
struct cw_event_trace *cw_event_trace_shorter(const struct cw_event_trace *t, struct cw_arena *a);

struct cw_buf;
void cw_event_trace_print(const struct cw_event_trace *t, struct cw_buf *out);

#endif
