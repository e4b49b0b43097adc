/* The barriers in shared memory (mbarrier, cuda::barrier, the stages of a cuda::pipeline) that a timeline uses, and
 * whether their phases can be followed.
 *
 * A phase ends when as many arrivals have come as the barrier was made for. Where that number is the number of
 * threads that ever arrive, each of them arrives once in each phase, so that a thread's k-th arrival is one for phase
 * k (PTX ISA, mbarrier; CUDA C++ Programming Guide, asynchronous barrier). Others are not followed.
 *
 * requires: a timeline. computes: barriers, by address. preserves: everything. Cost: steps with barriers times
 * threads. */
#ifndef CW_RACES_MBARRIERS_H
#define CW_RACES_MBARRIERS_H

#include "races/event_trace.h"

enum { CW_MBARRIERS_MAX = 16 };

struct cw_mbarrier {
    cw_ref root;
    int64_t token, offset;
    int64_t count;      /* arrivals that it was made for; -1 unknown */
    uint32_t inits;     /* how often it is made */
    uint32_t *arrivals; /* per thread, in the whole timeline */
    uint32_t *first;    /* the same, before the thread waits for the first phase */
    bool *blocks;       /* per thread: it waits for the first phase */
    uint32_t waits;     /* of all threads */
    int64_t expected;   /* bytes of all threads that surely expect them */
    int64_t copied;     /* bytes of all copies that may complete with it; -1 unknown */
    bool is_stage;      /* of a pipeline: nobody makes it */
    uint32_t stages;    /* that the pipeline has, where they are known; else 1, which orders more than there may be */
    bool is_odd;        /* several arrivals at once, or of an unknown number */
    bool is_seen;       /* everything that is done with it is in the timeline */
    bool is_exact;      /* its phases can be followed */
};

struct cw_mbarriers {
    struct cw_mbarrier at[CW_MBARRIERS_MAX];
    uint32_t n;
    bool is_lost; /* some operation's barrier is not known: none can be followed */
};

/* NULL: the timeline uses none. */
const struct cw_mbarriers *cw_mbarriers_of(const struct cw_event_trace *t, struct cw_arena *a);

/* Which barrier operand k of the step's instruction means in thread t; its number, or -1: unknown. */
int32_t cw_mbarriers_find(const struct cw_mbarriers *m, const struct cw_event_trace *t, const struct cw_step *s,
                          uint32_t k, uint32_t thread);

/* Does the operation arrive? */
bool cw_mbarrier_arrives(const struct cw_ins *i);

#endif
