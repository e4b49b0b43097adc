/* Atomics on one address by many lanes of a warp.
 *
 * requires: SSA, fn->cfg, launches. computes: additions, minima, maxima and bit operations whose lanes all name one
 * place. preserves: everything. */
#ifndef CW_FAULTS_CONTENTION_H
#define CW_FAULTS_CONTENTION_H

#include "lanes/kernel_query.h"
#include "lanes/warp_access.h"

struct cw_contention {
    uint32_t ins;
    uint32_t lanes;    /* of the warp shown that come, or may come as input decides */
    bool by_data;      /* input decides who comes */
    bool uses_result;  /* somebody uses what the place held before: a reserved slot */
    bool is_shared;    /* the place is in shared memory */
    bool is_constant;  /* every lane adds the same number */
    bool definite;
    uint32_t warp, warps; /* the warp shown; how many of the block do it */
    cw_ref base;
    struct cw_lanes *evaluator;
};

struct cw_contentions {
    CW_VEC(struct cw_contention) at;
};

struct cw_contentions cw_contentions_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_contentions_print(const struct cw_facts_print *to, const struct cw_contentions *contentions);

#endif
