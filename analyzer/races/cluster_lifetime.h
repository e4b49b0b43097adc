/* Accesses to the shared memory of another block of the cluster at which that block may not have started, or may have
 * exited: no barrier of the cluster is before the access, or none is after it.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: at most one fault of each kind per access; definite where a
 * run (cluster_run.h) shows two blocks: in clusters of the size that the kernel's attribute or the launch gives, or of
 * one that is chosen where neither does. Which block is accessed may be for input to choose.
 * preserves: everything. Cost: a walk of the graph and bounded runs for each such access. Source: CUDA C++ Programming
 * Guide, distributed shared memory: all blocks must exist while their shared memory is accessed (paraphrase). */
#ifndef CW_RACES_CLUSTER_LIFETIME_H
#define CW_RACES_CLUSTER_LIFETIME_H

#include "lanes/kernel_query.h"

enum cw_cluster_fault_kind {
    CW_CLUSTER_NOT_STARTED, /* no barrier of the cluster before the access */
    CW_CLUSTER_EXITED       /* none after it */
};

struct cw_cluster_fault {
    enum cw_cluster_fault_kind kind;
    uint32_t ins, map; /* the access; where its address is made */
    uint32_t launch;
    const struct cw_participation *at; /* who accesses it in the witness */
    uint32_t size;         /* blocks of a cluster in the witness, 0: not known */
    bool is_size_chosen;   /* nothing gives the size */
    uint32_t datum;        /* 1 + the load that chooses the block, 0: none does */
    bool has_ranks;        /* the two blocks of the witness are known */
    uint32_t rank, target; /* the block that accesses, and the one whose memory it accesses */
    bool definite;
};

struct cw_cluster_faults {
    CW_VEC(struct cw_cluster_fault) at;
};

struct cw_cluster_faults cw_cluster_faults_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_cluster_faults_print(const struct cw_facts_print *to, const struct cw_cluster_faults *faults);

#endif
