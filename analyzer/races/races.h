/* Which two threads of a block touch one byte with nothing that orders them: the one question behind the race rules.
 *
 * The kernel is laid out once per launch as a timeline (races/event_trace.h), what orders threads is followed along it
 * (races/happens_before.h), and a shadow of the memory finds the pairs (races/shadow_memory.h). Pairs with one cause
 * are one race: all pairs that one barrier at one place would order. docs/internals/races.md tells what is claimed and
 * what is not.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: races in source order. preserves: everything; counts kernels
 * whose memory could not be followed. */
#ifndef CW_RACES_RACES_H
#define CW_RACES_RACES_H

#include "lanes/kernel_query.h"

enum cw_race_kind {
    CW_RACE_IMPLICIT,      /* same warp, nothing between: implicit-warp-sync */
    CW_RACE_SYNCWARP_LOOP, /* same warp, read and write of one phase in a loop that has a __syncwarp: syncwarp-loop-race
                            */
    CW_RACE_FENCE,         /* same warp, a collective between that orders no memory: collective-as-fence */
    CW_RACE_PUBLISH,       /* same warp, one lane writes and others read: single-lane-publish */
    CW_RACE_SYNCWARP_WIDE, /* across warps, only __syncwarp or a tile's sync between: syncwarp-across-warps */
    CW_RACE_BLOCK,         /* across warps, nothing between: missing-syncthreads */
    CW_RACE_REUSE,         /* across warps, readers not done when a later iteration or call rewrites: scratch-reuse */
    CW_RACE_UNWAITED,      /* the bytes of an asynchronous copy, before its wait: unwaited-async-copy */
    CW_RACE_STORAGE,       /* one of the two is a collective of a library in its storage: collective-storage-reuse */
    CW_RACE_UNWRITTEN,     /* no race: shared memory is read that no thread has written: uninitialised-shared-read */
    CW_RACE_KINDS
};

/* What orders the accesses of a race, given all conflicts that were found in the function. */
enum cw_race_remedy {
    CW_REMEDY_WARP,  /* a __syncwarp() */
    CW_REMEDY_BLOCK, /* a __syncthreads(): the same two accesses conflict across warps, perhaps in another launch */
    CW_REMEDY_NONE   /* no barrier of a block: threads of other blocks do the same */
};

struct cw_race_side {
    uint32_t ins; /* UINT32_MAX: none (the missing write of UNWRITTEN) */
    const struct cw_context *context;
    uint32_t thread;
    bool writes, atomic;
};

struct cw_race_pair { /* further instructions with the same cause */
    uint32_t first, second;
};

struct cw_race {
    enum cw_race_kind kind;
    struct cw_race_side first, second; /* in program order; may be one instruction */
    cw_ref base;                       /* OBJECT or PARAM */
    int64_t offset;                    /* of the first shared byte, from the base */
    uint32_t bytes;                    /* that both touch */
    bool same_warp;                    /* in every pair of this cause */
    enum cw_race_remedy remedy;
    bool loses_value;                  /* writes only: a barrier decides which of two different values is lost */
    bool is_unsettled;                 /* that, or unordered writes of perhaps different values remain */
    bool definite;
    bool sampled;    /* where they meet rests on the values chosen for unknowns */
    bool first_block; /* seen in block 0 by itself: other blocks touch the place too, which no barrier of a block orders
                       */
    bool unused;     /* the racing value is read but reaches nothing (leftovers of a tail that every warp runs) */
    uint32_t between;/* FENCE: the collective; SYNCWARP_LOOP, SYNCWARP_WIDE: the __syncwarp; else UINT32_MAX */
    uint32_t skipped;/* a barrier between the two that input may skip, UINT32_MAX: none */
    uint32_t chosen; /* the access whose element data chooses, and all elements conflict; UINT32_MAX: none */
    /* an unknown call between the two that may order them: possible only; UINT32_MAX: none */
    uint32_t call;
    /* instruction right before which a barrier would order all pairs (the second's, or an earlier one) */
    uint32_t place;
    uint32_t lanes_first, lanes_second; /* same warp: all lanes of that warp that take part on each side, as masks */
    CW_VEC(struct cw_race_pair) also;
    /* the witness */
    struct cw_lanes *lanes;
    uint32_t launch, sample;
};

struct cw_races {
    CW_VEC(struct cw_race) at;
};

/* The same query as that of masks: fn, facts, evaluators by launch and sample, arena. */
struct cw_races cw_races_of(const struct cw_kernel_query *q);

/* --dump=phases: the timeline of the first launch: accesses, what orders whom, phases. */
struct cw_buf;
void cw_races_print(const struct cw_kernel_query *q, struct cw_buf *out);

#endif
