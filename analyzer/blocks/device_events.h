/* What a kernel does with device memory and what may order it between blocks, as static facts of its instructions.
 *
 * A *strong* operation is an atomic or a volatile access: two of them at one address are no data race. A strong
 * operation is *awaited* when a branch depends on its result: a loop that polls a flag, a compare-and-swap that takes a
 * lock, a ticket that tells the last block. An address root that is awaited somewhere is a *synchronisation variable*;
 * every strong write to it is a signal. All other accesses are data.
 *
 * requires: SSA, fn->cfg, uniformity. computes: events in reverse post-order. preserves: everything. Cost: linear
 * in the instructions, and for each branch the instructions its condition is computed from. */
#ifndef CW_BLOCKS_DEVICE_EVENTS_H
#define CW_BLOCKS_DEVICE_EVENTS_H

#include "base/bitset.h"
#include "cfg/cfg.h"
#include "uniformity/alias.h"
#include "uniformity/uniformity.h"

enum { CW_STRONG_MAX = 64 }; /* awaited operations that are told apart */

enum cw_event_kind {
    CW_EVENT_DATA,    /* an access to device memory that no branch waits for */
    CW_EVENT_SIGNAL,  /* a strong write to a synchronisation variable; it may be awaited as well */
    CW_EVENT_WAIT,    /* a strong read of a synchronisation variable that is awaited */
    CW_EVENT_FENCE,
    CW_EVENT_WARP,    /* __syncwarp(), or the barrier of a tile: it counts for all lanes of the warp */
    CW_EVENT_BARRIER, /* of the whole block */
    CW_EVENT_GRID     /* grid.sync() */
};

struct cw_device_event {
    uint32_t ins;
    uint8_t kind;      /* enum cw_event_kind */
    uint8_t scope;     /* enum cw_scope; of a plain access CW_SCOPE_THREAD */
    bool reads, writes, is_atomic, is_volatile;
    bool acquires, releases; /* an atomic with such an order, as those of libcu++ have */
    bool is_exchange;  /* WAIT, SIGNAL: an atomic that reads and writes */
    bool is_spread;    /* another place for each lane: a volatile read of it that ends no loop looks at data */
    bool spins;        /* WAIT: a loop ends by its result */
    bool is_weak;      /* SIGNAL: an ordinary store that gives a lock back */
    uint32_t won;      /* a compare-and-swap: the basic block where it has taken a free lock, else CW_NO_BLOCK */
    uint32_t inside;   /* where these go on behind a join with those that have not, else CW_NO_BLOCK */
    bool polls;        /* an ordinary load whose result alone ends a loop */
    bool asks;         /* WAIT: for what others do: it spins, or a branch asks for one number */
    bool collects;     /* DATA: an atomic that asks what all updates before it have left */
    uint32_t awaited;  /* WAIT: 1 + its number among the awaited operations, else 0 */
    cw_ref pointer;
    uint64_t size;
    struct cw_base base; /* the first of nbases; of SIGNAL and WAIT: the synchronisation variable */
    uint32_t nbases;
};

struct cw_device_events {
    const struct cw_fn *fn;
    CW_VEC(struct cw_device_event) at;
    uint64_t *awaits;     /* per block: bit k: its branch depends on the result of the awaited operation k */
    uint64_t *polls;      /* the same, and the branch's value is computed from that result, not chosen by it */
    uint8_t *open;        /* per block: bit `which`: all but the first few tickets that are drawn take this edge */
    bool has_unknown;     /* a call or asm that may order threads in a way that nobody knows */
    bool has_unmodelled;  /* a barrier with a number or in memory, an asynchronous copy, a wait for shared memory */
    bool has_weak_wait;   /* a loop waits by an ordinary load of what is written: what that orders is not modelled */
    bool has_data, has_sync, has_warp_barriers, has_grid_barriers;
    bool has_tickets;     /* an atomic that counts up */
};

struct cw_device_events cw_device_events_of(const struct cw_fn *fn, const struct cw_uniformity *uniformity,
                                            struct cw_arena *a);

/* Do both name the same variable, as far as its root and a known offset say? */
bool cw_device_same_variable(const struct cw_base *a, const struct cw_base *b);

/* Does it count, up or down or round and round? Two of them that race lose one of both updates, whatever the values. */
bool cw_device_counts(const struct cw_ins *ins);

/* Have all that come to the basic block taken the lock that `take` tries to take? */
bool cw_device_has_won(const struct cw_device_events *d, const struct cw_device_event *take, uint32_t block);

/* Does the strong write give back the lock that the compare-and-swap `take` takes for those who come to take->won? */
bool cw_device_gives_back(const struct cw_device_events *d, const struct cw_device_event *take,
                          const struct cw_device_event *release);

/* The condition under which a spinning WAIT lets its thread go on: 1 the result equals *value, -1 it differs, 0
 * unknown. */
int cw_device_wanted(const struct cw_device_events *d, const struct cw_device_event *wait, int64_t *value);

#endif
