/* Barriers whose phases mix: barriers by number and in shared memory to which more threads come, or to which threads
 * come more often, than their count takes, so that chance decides who completes a phase.
 *
 * The warps' operations on barriers are followed along a timeline, each warp as far as it gets, with vector clocks
 * (Mattern 1989). A phase is complete when as many threads have arrived as the barrier counts. An arrival that counts
 * for the next phase although nothing orders it behind every arrival of the phase before could count for that one in
 * another schedule, and one of those for the next: some thread then goes on, or waits, with the wrong ones. So does a
 * warp that arrives twice in one phase of a barrier by number.
 *
 * A warp is followed up to what cannot be known: whether it comes, the barrier or the count, a wait for memory, an
 * unknown call, a loop of which iterations are left out. What the others do up to there happens all the same.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: at most one mix for each barrier. preserves: everything.
 * Cost: steps with barriers times warps, and times the arrivals of a phase. Source: PTX ISA, bar and mbarrier. */
#ifndef CW_RACES_BARRIER_PHASES_H
#define CW_RACES_BARRIER_PHASES_H

#include "lanes/kernel_query.h"

enum cw_phase_mix_kind {
    CW_MIX_EARLY, /* `ins` may count for the phase for which `other` arrives */
    CW_MIX_TWICE  /* one warp arrives at both, for one phase */
};

struct cw_phase_mix {
    enum cw_phase_mix_kind kind;
    uint32_t ins, thread, iteration; /* the arrival */
    uint32_t other, other_thread;    /* the one before */
    cw_ref root;                     /* the barrier in memory, and where in it; CW_NONE: by number */
    int64_t offset;
    int64_t number;                  /* of a barrier by number */
    int64_t count;                   /* arrivals that a phase takes */
    uint32_t come;                   /* threads of the block that arrive at it at all */
    uint32_t launch;
    bool definite;
};

struct cw_phase_mixes {
    CW_VEC(struct cw_phase_mix) at;
};

struct cw_phase_mixes cw_phase_mixes_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_phase_mixes_print(const struct cw_facts_print *to, const struct cw_phase_mixes *mixes);

#endif
