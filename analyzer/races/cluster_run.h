/* A run of the kernel by one thread of one block of a cluster: whose shared memory does an access reach, and does the
 * thread wait for the cluster before or after it?
 *
 * requires: SSA, fn->cfg. computes: the run with the rank of the block, the size of the cluster, thread and block
 * indices as constants. What depends on data is skipped: of a branch that is not known the join is next, and what the
 * skipped blocks define is unknown; where the thread arrives at the access, the way that leads there is taken.
 * preserves: everything. Cost: a bounded number of instructions. */
#ifndef CW_RACES_CLUSTER_RUN_H
#define CW_RACES_CLUSTER_RUN_H

#include "launch/launch.h"

struct cw_cluster_place {
    const struct cw_fn *fn;
    const struct cw_launch *launch;
    uint32_t size, rank, thread; /* blocks of the cluster; the block; linear thread index */
    uint32_t access;             /* instruction */
    cw_ref target;               /* the rank whose memory it reaches */
    bool is_target_chosen;       /* where it is not known, data say that it is the next block's */
    const bool *is_barrier;      /* by instruction: all threads of the cluster wait there */
    bool arrives;                /* the thread executes the access, whatever else it does not know */
};

struct cw_cluster_run {
    bool is_known;     /* at each arrival the target was known, and no skipped block held the access */
    bool is_complete;  /* ran to the end of the kernel */
    bool reaches_other; /* some arrival has a target that is another block of the cluster; the rest is of those */
    uint32_t target;   /* of the first such arrival */
    bool waits_before, waits_after; /* surely or perhaps: before the first, after the last one */
};

struct cw_cluster_run cw_cluster_run_of(const struct cw_cluster_place *place);

/* The value is made by an operation of that meaning: the block's rank in its cluster, the blocks of a cluster. */
bool cw_is_cluster_rank(const struct cw_fn *fn, const struct cw_ins *ins);
bool cw_is_cluster_size(const struct cw_fn *fn, const struct cw_ins *ins);
/* It makes the address of the same place in the shared memory of another block, whose rank is the last operand. */
bool cw_is_cluster_map(const struct cw_fn *fn, const struct cw_ins *ins);

#endif
