/* Cooperative groups that do not hold whom they stand for, by where they are made.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: groups in execution order. preserves: everything. */
#ifndef CW_FAULTS_GROUPS_H
#define CW_FAULTS_GROUPS_H

#include "lanes/kernel_query.h"

/* A group that stands for the block, the grid or a part of them, made where some of its threads do not come. */
struct cw_parted_group {
    uint32_t ins;         /* the GROUP */
    bool definite;        /* shown from facts, or under every ordinary shape of more than one warp */
    /* the witness; lanes: NULL when whole tiles or warps part */
    struct cw_lanes *lanes;
    const struct cw_participation *at;
    uint32_t warp;
};

struct cw_parted_groups {
    CW_VEC(struct cw_parted_group) at;
};

struct cw_parted_groups cw_parted_groups_of(const struct cw_kernel_query *q);

/* A coalesced group made in a branch that takes an earlier group's place behind it, for the lanes of the branch
 * only. */
struct cw_escaped_group {
    uint32_t ins;             /* the first collective of it */
    uint32_t made, earlier;   /* the two GROUPs */
    bool definite;            /* lanes of one warp part where it is made */
};

struct cw_escaped_groups {
    CW_VEC(struct cw_escaped_group) at;
};

struct cw_escaped_groups cw_escaped_groups_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_parted_groups_print(const struct cw_facts_print *to, const struct cw_parted_groups *groups);
void cw_escaped_groups_print(const struct cw_facts_print *to, const struct cw_escaped_groups *groups);

#endif
