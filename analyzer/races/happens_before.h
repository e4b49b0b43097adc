/* What orders which threads, followed along a timeline: phases of the block, clocks within warps, channels between
 * warps.
 *
 *   block    A block barrier ends a *phase*: everything before it is ordered before everything behind it. Whatever may
 *            synchronise in a way not followed here (an unknown call, iterations left out) ends the phase too: it can
 *            only silence a finding. So does a wait for memory, but not for threads that never touch what is waited on
 *            (races/flag_sync.h): between them and others it is only an *epoch* of those who do. Threads meet at their
 * k-th barrier, wherever that stands: two that
 *            have passed different numbers of them are ordered.
 *   warp     __syncwarp(mask) and the sync of a tile join the vector clocks of the lanes they name (Lamport 1978;
 * Mattern
 *            1989; as in FastTrack, Flanagan and Freund 2009). Lanes that the mask names and that are elsewhere are
 * joined
 *            all the same: that they are missing is another finding.
 *   channel  A named barrier, or the sync of a group of several warps: the k-th operation of one warp meets the k-th of
 *            the others. A barrier in memory whose phases can be followed (races/mbarriers.h): who has waited for
 *            phase k comes behind everybody's arrival for it. Waiting on another one is taken to order everything
 *            that follows in the warp.
 *
 * Shuffles, votes, matches, reductions, __activemask() and fences order nothing. */
#ifndef CW_RACES_HAPPENS_BEFORE_H
#define CW_RACES_HAPPENS_BEFORE_H

#include "races/event_trace.h"

struct cw_order;

/* When a thread did something, within its phase. */
struct cw_stamp {
    uint32_t clock;   /* of the thread within its warp */
    uint32_t version; /* of its warp's channels */
    uint32_t passed;  /* block barriers the thread has passed */
    uint32_t epoch;   /* waits for memory by then */
    bool polled;      /* it had itself waited for memory in this phase, or met a lane that had */
    bool waited;      /* its warp had waited on an mbarrier in this phase */
    uint32_t blurred; /* the warps together with which its warp had left out iterations, bit w; 0: none */
};

/* assume: a formula of the timeline's evaluator that is taken to hold, CW_BDD_TRUE for nothing: synchronisation to
 * which nobody comes then orders nothing. */
struct cw_order *cw_order_new(const struct cw_event_trace *t, uint32_t assume, struct cw_arena *a);
/* Moves on over step `k` (0, 1, …, in turn); only SYNC and GAP steps change anything. */
void cw_order_pass(struct cw_order *o, uint32_t k);
uint32_t cw_order_phase(const struct cw_order *o);
struct cw_stamp cw_order_stamp(const struct cw_order *o, uint32_t t);
/* Are both threads of one warp, and have they the same stamp now? */
bool cw_order_is_like(const struct cw_order *o, uint32_t t, uint32_t u);
/* Thread t did something at `then`, in the present phase; thread u does something now. Does anything order the two?
 * is_flag: in an array that is itself waited on, of which a wait that is over says nothing. */
bool cw_order_knows(const struct cw_order *o, uint32_t u, uint32_t t, struct cw_stamp then, bool is_flag);
/* Have only some warps left out iterations between the two, so that nobody knows how they lie to each other? */
bool cw_order_is_blurred(const struct cw_order *o, uint32_t u, uint32_t t, struct cw_stamp then);
/* Does the thread take part in synchronisation through memory? Only then a critical section keeps it out. */
bool cw_order_signals(const struct cw_order *o, uint32_t t);
/* False: some thread does not. */
bool cw_order_all_signal(const struct cw_order *o);
/* Does whatever orders one lane with a thread of another warp order all lanes of its warp? */
bool cw_order_is_of_warps(const struct cw_order *o);

/* ---- asynchronous copies: complete when their thread has waited for their group, or somebody for their phase ---- */

/* How the end of one thread's copy will be known. */
struct cw_copy_end {
    uint8_t how;     /* enum cw_copy */
    uint8_t barrier; /* BARRIER: which one */
    bool is_known;   /* false: of a barrier that is not followed */
    uint32_t number; /* of the group, or of the phase */
    uint32_t gaps;   /* in the timeline before it */
};

/* Of the copy that thread t starts in the step passed last. */
struct cw_copy_end cw_order_copy_end(const struct cw_order *o, uint32_t t);

/* UNORDERED: complete, which the thread does not know. OVER: ordered before all that any thread does from now on. */
enum cw_copy_state { CW_COPY_PENDING, CW_COPY_UNORDERED, CW_COPY_ORDERED, CW_COPY_OVER };
/* What thread u knows now of a copy that thread t started at `start`. reads: only that its source has been read is
 * asked. */
enum cw_copy_state cw_order_copy_state(const struct cw_order *o, uint32_t u, uint32_t t, struct cw_copy_end end,
                                       struct cw_stamp start, bool reads);

#endif
