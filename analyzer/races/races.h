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

/* What a race is. The rules on races are predicates over these properties. One that an earlier one makes irrelevant is
 * not computed and false (in the storage of a library nobody asks what is between the two), so that races with equal
 * properties have one nature. */
struct cw_race_properties {
    bool unwritten;          /* no race: shared memory is read that no thread has written */
    bool asynchronous;       /* the bytes of an asynchronous copy, before its wait */
    bool in_product;         /* the bytes that an asynchronous product of matrices reads, before its wait */
    bool in_storage;         /* one of the two is a collective of a library in its storage */
    bool in_warp;            /* the two threads are lanes of one warp; else they are of different warps */
    /* in one warp, the first that holds */
    bool crosses_collective; /* a collective between the two that orders no memory */
    bool published;          /* one lane writes and others read */
    bool near_syncwarp;      /* a __syncwarp() right before, between or right after: read and write of one phase */
    /* across warps, the first that holds */
    bool crosses_syncwarp;   /* a __syncwarp() or a tile's sync between */
    bool reused;             /* a later iteration or call overwrites what may still be read */
};

/* What orders the accesses of a race, given all conflicts that were found in the function. */
enum cw_race_remedy {
    CW_REMEDY_WARP,  /* a __syncwarp() */
    CW_REMEDY_BLOCK, /* a __syncthreads(): the same two accesses conflict across warps, perhaps in another launch */
    CW_REMEDY_NONE   /* no barrier of a block: threads of other blocks do the same */
};

/* What a race that is not sure assumes; one thing, the first of these. */
enum cw_race_doubt {
    CW_DOUBT_NONE,
    CW_DOUBT_USE,     /* that a value which reaches nothing here matters */
    CW_DOUBT_ELEMENT, /* data that lead both threads to one element */
    CW_DOUBT_INPUT,   /* input with which both threads get there */
    CW_DOUBT_SIZES,   /* sizes such as the chosen ones */
    CW_DOUBT_BLOCK    /* a block of the guessed shape */
};

struct cw_race_side {
    uint32_t ins; /* UINT32_MAX: none (the missing write of what is unwritten) */
    const struct cw_context *context;
    uint32_t thread;
    bool writes, atomic;
};

struct cw_race_pair { /* further instructions with the same cause */
    uint32_t first, second;
};

struct cw_race {
    struct cw_race_properties is;
    struct cw_race_side first, second; /* in program order; may be one instruction */
    cw_ref base;                       /* OBJECT or PARAM */
    int64_t offset;                    /* of the first shared byte, from the base */
    uint32_t bytes;                    /* that both touch */
    bool same_warp;                    /* in every pair of this cause */
    enum cw_race_remedy remedy;
    bool loses_value;                  /* writes only: a barrier decides which of two different values is lost */
    bool is_unsettled;                 /* that, or unordered writes of perhaps different values remain */
    bool definite;
    enum cw_race_doubt doubt; /* NONE: definite, or `call` is what it assumes */
    bool sampled;    /* where they meet rests on the values chosen for unknowns */
    bool first_block; /* seen in block 0 by itself: other blocks touch the place too, which no barrier of a block orders
                       */
    bool unused;     /* the racing value is read but reaches nothing (leftovers of a tail that every warp runs) */
    uint32_t between;/* the collective or __syncwarp that a property speaks of; UINT32_MAX: none */
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

bool cw_race_properties_equal(const struct cw_race_properties *, const struct cw_race_properties *);
/* One word for dumps: "implicit", "fence", "publish", … */
const char *cw_race_properties_text(const struct cw_race_properties *);

/* --dump=phases: the timeline of the first launch: accesses, what orders whom, phases. */
struct cw_buf;
void cw_phases_print(const struct cw_kernel_query *query, struct cw_buf *out);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_races_print(const struct cw_facts_print *to, const struct cw_races *races);

#endif
