/* Branches at which lanes of one warp go different ways because of their indices alone: the arms run one after the
 * other, and in each the other lanes wait.
 *
 * Told are two kinds: several arms with work to do in one warp, and one arm whose lanes are spread over the warp, so
 * that other indices would have packed them into fewer warps. A first or last stretch of the lanes, or a single one, is
 * how a warp chooses who reports, and is left alone.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: branches, in source order. preserves: everything. */
#ifndef CW_FAULTS_DIVERGENT_ARMS_H
#define CW_FAULTS_DIVERGENT_ARMS_H

#include "lanes/kernel_query.h"
#include "lanes/warp_access.h"

struct cw_divergent_arms {
    uint32_t block;   /* whose jump it is */
    uint32_t arms;    /* with work, in the warp shown */
    uint32_t lanes;   /* of the arm shown: the one with the fewest lanes */
    uint32_t warp, warps; /* the warp shown; how many of the block part so */
    bool definite;
    const struct cw_context *context;
    struct cw_lanes *evaluator;
};

struct cw_divergent_branches {
    CW_VEC(struct cw_divergent_arms) at;
};

struct cw_divergent_branches cw_divergent_branches_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_divergent_branches_print(const struct cw_facts_print *to, const struct cw_divergent_branches *branches);

#endif
