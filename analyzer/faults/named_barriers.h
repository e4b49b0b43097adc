/* Named barriers that cannot complete: a barrier waits for a number of threads, counted in whole warps, and under a
 * launch that is a fact too few ever come to it; or two arms of the code give one barrier different counts; or more
 * come than it takes, at calls that nothing orders, so that groups of warps mix.
 *
 * A warp counts when any of its threads may come, so the number that comes is an upper bound and a barrier is called
 * starved only when no input can fill it. Barrier 0, numbers that change within a loop, arrivals in loops (they may
 * come again and again) and kernels with unseen code are left alone.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: at most one fault per barrier number. preserves: everything.
 * Source: PTX ISA, bar/barrier: "the barrier's arrival count is incremented by the warp size". */
#ifndef CW_FAULTS_NAMED_BARRIERS_H
#define CW_FAULTS_NAMED_BARRIERS_H

#include "lanes/kernel_query.h"

enum cw_named_fault_kind {
    CW_NAMED_STARVED, /* fewer threads come than the barrier waits for */
    CW_NAMED_COUNTS,  /* `other` gives another count */
    CW_NAMED_CROWDED  /* more threads come than it takes at a time, and nothing says which of them meet */
};

struct cw_named_fault {
    enum cw_named_fault_kind kind;
    uint32_t ins;            /* a thread waits here */
    uint32_t other;          /* COUNTS: the other call; otherwise: another call that arrives, or UINT32_MAX */
    int64_t number, count;
    int64_t other_count;     /* COUNTS */
    uint32_t come;           /* threads that come, in whole warps; STARVED: at most */
    uint32_t launch, thread; /* the witness: this thread waits */
};

struct cw_named_faults {
    CW_VEC(struct cw_named_fault) at;
};

struct cw_named_faults cw_named_faults_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_named_faults_print(const struct cw_facts_print *to, const struct cw_named_faults *faults);

#endif
