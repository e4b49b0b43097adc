/* Shuffles whose result is indeterminate and used: the one question behind the rules on sources.
 *
 * Every shuffle is asked about under each launch, a few choices of the uniform unknowns and a few iterations of the
 * loops around it. A fault is one cause: the five shuffles of a tree behind one early return are one fault.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: faults of the kinds asked for, in execution order. preserves:
 * everything. */
#ifndef CW_FAULTS_SHUFFLE_FAULTS_H
#define CW_FAULTS_SHUFFLE_FAULTS_H

#include "lanes/undef_flow.h"
#include "lanes/kernel_query.h"
#include "lanes/shuffle_sources.h"

struct cw_shuffle_fault {
    enum cw_source_fault kind;
    uint32_t ins;           /* the first shuffle */
    struct cw_vec_u32 also; /* further shuffles with the same cause */
    uint32_t branch;        /* EXITED: block whose branch let the source leave, or CW_NO_BLOCK */
    bool definite;          /* shown from facts, or under every ordinary shape of more than one warp */
    bool by_data;           /* input data must be chosen so that it happens */
    uint32_t by, width;     /* OUTSIDE: the distance, and the segments' width */
    bool by_bound;          /* EXITED: a sampled parameter decides who leaves, as in `if (i >= n) return;` */
    /* The source is outside the mask, what is read is only added, and only the mask's first lane uses the sum:
     * undefined all the same, but it may be harmless (SEMANTICS.md). */
    bool sum_of_first;
    /* the witness */
    uint32_t launch, sample;
    struct cw_lanes *lanes;
    const struct cw_context *context;
    uint32_t thread, source; /* who reads, and whom; the source may lie beyond the block's end */
    struct cw_use use;
};

struct cw_shuffle_faults {
    CW_VEC(struct cw_shuffle_fault) at;
};

/* kinds: a bit per enum cw_source_fault. */
struct cw_shuffle_faults cw_shuffle_faults_of(const struct cw_kernel_query *q, uint32_t kinds);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_shuffle_faults_print(const struct cw_facts_print *to, const struct cw_shuffle_faults *faults);

#endif
