/* Shared by the parts of the order of threads (happens_before*.c); nobody else includes this. */
#ifndef CW_RACES_HAPPENS_BEFORE_INTERNAL_H
#define CW_RACES_HAPPENS_BEFORE_INTERNAL_H

#include "base/map.h"
#include "lanes/condition.h"
#include "races/happens_before.h"
#include "races/mbarriers.h"

enum {
    NAMED = 16,                           /* hardware barriers, 0 … 15, */
    IN_MEMORY = NAMED + 8,                /* groups of 64, 128, … threads, */
    GAPS = IN_MEMORY + CW_MBARRIERS_MAX,  /* barriers in memory, and iterations that some warps leave out */
    CHANNELS
};

/* How often a warp has taken part in each channel, and which of its operations waited last. Of a barrier in memory:
 * arrivals of the lane that has come least far of those that arrive again, and phases waited for. */
struct tally {
    uint32_t done[CHANNELS], waited[CHANNELS];
};

struct tallies {
    struct tally *at;
    uint32_t n, cap;
};

/* What some lanes' arrival at a barrier in memory comes behind: of each lane of the warp the last clock. */
struct coverage {
    uint32_t version; /* of the tally that the arrival has made */
    uint32_t clock[32];
};

struct coverages {
    struct coverage *at;
    uint32_t n, cap;
};

struct warp {
    uint32_t known[32][32]; /* [u][t]: the last clock of lane t that lane u is ordered behind */
    uint32_t clock[32];
    struct tallies history;       /* the last one is now */
    struct coverages arrivals;    /* of some lanes alone; all other operations count for the whole warp */
    uint32_t blurred;             /* it has left out iterations together with these warps, bit w; 0: none */
    uint32_t waited_phase;        /* 1 + phase of the last wait on an mbarrier */
    uint32_t polled_phase[32];    /* 1 + phase of the lane's last wait for memory, or of one it learnt of */
};

struct completion { /* groups up to `groups` of one thread are complete since then */
    uint32_t groups, phase;
    struct cw_stamp stamp;
};

struct completions {
    struct completion *at;
    uint32_t n, cap;
};

struct async {
    uint32_t committed, consumed;
    struct completions done; /* each of more groups than the one before */
};

/* What one thread has started: by cp.async; by the bulk copy engine, that it has read the source, and all; by wgmma. */
enum queue { COPIES, BULK_READS, BULK, MATRIX, QUEUES };

struct passing { /* a thread has seen that so many phases are over */
    uint32_t phases, thread, phase;
    struct cw_stamp stamp;
};

/* How far each thread is with a barrier in memory. */
struct progress {
    uint32_t *done, *waited, *acquired;
    uint32_t *expecting; /* the phase for which bytes are expected, */
    int64_t *bytes;      /* and how many of them no copy has brought yet */
    CW_VEC(struct passing) passed;
};

struct cw_order {
    const struct cw_event_trace *t;
    struct cw_lanes *l;
    const struct cw_fn *fn;
    struct cw_arena *a;
    uint32_t phase, epoch, nwarps, assume;
    const bool *signals;   /* per thread; NULL: all do */
    struct warp *warps;
    struct tally *totals;  /* per warp, of the whole timeline, */
    struct tallies *whole; /* and on the way there; NULL where nothing uses a channel */
    struct coverages *arrivals; /* per warp, of the whole timeline */
    struct cw_map *reaches;/* struct reach by event */
    bool has_channels, has_lane_arrivals;
    bool is_skewed;        /* parity does not say which phase is meant */
    uint32_t gaps; /* so far: whatever was under way before one is over */
    bool has_arrive;       /* some warps only arrive at a barrier: what they do next is not ordered by it */
    uint32_t *passed;      /* per thread: block barriers */
    struct async *async[QUEUES]; /* per thread; NULL until the first commit */
    const struct cw_mbarriers *barriers; /* NULL: none */
    struct progress progress[CW_MBARRIERS_MAX];
    struct cw_copy_end *started; /* per thread: of the copy in the step passed last; NULL until there is one */
};

/* What is ordered behind some event: of each channel, the arrival from which on. A warp that has waited for a later one
 * comes behind the event. */
struct reach {
    uint32_t from[CHANNELS];
};

/* ---- happens_before_channels.c ---- */

/* How far the warp is now with each channel. */
const struct tally *cw_order_tally(const struct cw_order *order, uint32_t warp);
/* Lets the warp take part in the channel once more. waits: it comes behind the others' operations. */
void cw_order_operate_channel(struct cw_order *order, uint32_t warp, uint32_t channel, bool waits);
/* What is ordered behind what warp w does at this version. */
const struct reach *cw_order_reach(const struct cw_order *order, uint32_t w, uint32_t version);
/* The same of the end of a phase of a barrier in memory. */
const struct reach *cw_order_reach_of_phase(const struct cw_order *order, struct cw_copy_end end);
/* Has a warp that is so far with the channels waited for something behind the event? */
bool cw_order_is_behind(const struct reach *reach, const struct tally *now);
/* Do channels order what thread t did then and what warp v does now? */
bool cw_order_channel_orders(const struct cw_order *order, uint32_t v, uint32_t t, struct cw_stamp then);

/* ---- happens_before_warps.c: `reach` says who comes ---- */

/* Lets each of the lanes know what any of them knows, and begins a new clock of each. */
void cw_order_join_lanes(struct warp *warp, uint32_t lanes);
/* The lanes of a warp that may come. */
uint32_t cw_order_lanes_coming(const struct cw_order *order, const struct cw_lane_cond *reach, uint32_t warp);
/* A barrier of all threads ends the phase; one of some warps is a channel. Warps may give their own id,
 * `bar.sync w, 64`.
 */
void cw_order_apply_barrier(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                            const struct cw_lane_cond *reach);
/* Applies the sync of a warp, a tile or a larger group. */
void cw_order_sync_group(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                         const struct cw_lane_cond *reach);

/* ---- happens_before_copies.c ---- */

/* So many groups of the thread's queue are complete from now on. */
void cw_order_complete_groups(struct cw_order *order, enum queue queue, uint32_t t, uint32_t groups);
/* Closes a group of each thread that comes. */
void cw_order_commit_copies(struct cw_order *order, const struct cw_ins *ins, const struct cw_lane_cond *reach);
/* Completes the groups of each thread that comes, but for those that it leaves pending. */
void cw_order_wait_copies(struct cw_order *order, const struct cw_ins *ins, const struct cw_context *context,
                          const struct cw_lane_cond *reach);
/* Completes the copies that an arrival of the thread carries with it: who is ordered behind the arrival is ordered
 * behind them. */
void cw_order_close_copies(struct cw_order *order, uint32_t t);
/* Notes, for each thread that comes to the step, how the end of its copy will be known. */
void cw_order_start_copies(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins);

/* ---- happens_before_mbarriers.c ---- */

/* The barrier that operand k of the step is for the thread; -1: one that is not followed. */
int32_t cw_order_find_mbarrier(const struct cw_order *order, const struct cw_step *step, uint32_t k, uint32_t t);
/* Operand k of the step as a number of bytes: 0 where there is none, 1 where it is not known. */
int64_t cw_order_bytes(struct cw_order *order, const struct cw_step *step, uint32_t k, uint32_t t);
/* Applies an arrival or a wait of those who come. */
void cw_order_use_mbarrier(struct cw_order *order, const struct cw_step *step, const struct cw_ins *ins,
                           const struct cw_lane_cond *reach);
/* Begins the progress of all threads with a barrier: nobody has arrived or waited. */
void cw_order_begin_mbarrier(const struct cw_order *order, struct progress *progress);

#endif
