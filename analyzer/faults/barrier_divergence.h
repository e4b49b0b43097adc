/* Where the threads of a block part before a block barrier, or one of its cluster or of the grid: the one question
 * behind the barrier rules.
 *
 * A barrier is *split* when, under some launch, one thread of the block waits at it while another one runs elsewhere
 * and will not come in the same iteration. Threads that have exited do not count (SEMANTICS.md). Every split names the
 * branch that parts the threads; barriers that the same branch splits on the same side are one split, with one cause.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: splits in source order. preserves: everything. */
#ifndef CW_FAULTS_BARRIER_DIVERGENCE_H
#define CW_FAULTS_BARRIER_DIVERGENCE_H

#include "lanes/participation.h"
#include "lanes/kernel_query.h"

struct cw_split {
    uint32_t ins;            /* the first split barrier in source order */
    bool is_in_both_arms;    /* both sides of the branch have barriers, not the same ones; else one side has it */
    uint32_t other;          /* first barrier of another side; else ins */
    struct cw_vec_u32 also;  /* further barriers with the same cause */
    uint32_t branch;         /* block whose branch parts the threads, or CW_NO_BLOCK */
    uint32_t loop;           /* index in cfg->loops: threads leave it, or skip the rest of an iteration, at different
                              * times; else CW_NO_LOOP */
    bool definite;           /* shown from facts, or under every ordinary shape of more than one warp */
    bool is_rounded;         /* of a loop: its bound is in memory, maybe a multiple of the unknown block */
    bool is_allotted;        /* not of a loop: by two bounds of a structure, maybe of whole blocks */
    uint32_t launch, sample; /* of the witness */
    const struct cw_participation *witness; /* at ins */
    uint32_t in, out;        /* threads of the witness: `in` can wait here while `out` is elsewhere */
    bool by_data;            /* input data must be chosen so that they part; else they always do */
};

struct cw_splits {
    CW_VEC(struct cw_split) at;
};

struct cw_splits cw_splits_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_splits_print(const struct cw_facts_print *to, const struct cw_splits *splits);

#endif
