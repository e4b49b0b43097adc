/* What is wrong with the uses of `__activemask()`: the one question behind the rules on it.
 *
 * `__activemask()` is a snapshot: it names the lanes that the hardware happens to run together, not those that came
 * this way. Code is right when any set of lanes will do (leader election, aggregated atomics); it is wrong when the set
 * is taken for an answer, when a collective over it needs certain lanes, or when lanes part after the snapshot was
 * taken.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: faults in execution order. preserves: everything. */
#ifndef CW_FAULTS_ACTIVEMASK_USES_H
#define CW_FAULTS_ACTIVEMASK_USES_H

#include "lanes/kernel_query.h"

enum cw_snapshot_kind {
    CW_SNAPSHOT_BALLOT,    /* the lanes caught are taken for the lanes that took the branch */
    CW_SNAPSHOT_MASK,      /* a collective over the lanes caught needs more than those */
    CW_SNAPSHOT_STALE,     /* lanes part between the snapshot and the collective that uses it */
    CW_SNAPSHOT_PRECEDENCE /* a comparison or subtraction inside the parentheses of what counts the lanes */
};

struct cw_snapshot_fault {
    enum cw_snapshot_kind kind;
    uint32_t snapshot;      /* the ACTIVEMASK */
    uint32_t ins;           /* BALLOT: the snapshot; MASK, STALE: the collective; PRECEDENCE: the outer operation */
    uint32_t use;           /* BALLOT, MASK: the store that takes the result for the truth, or UINT32_MAX */
    uint32_t decision;      /* the same: block whose branch does so, or CW_NO_BLOCK */
    bool in_both_arms;      /* BALLOT: the other arm of the branch has the complement of its own snapshot */
    uint32_t inner;         /* PRECEDENCE: the operation inside */
    struct cw_vec_u32 also; /* MASK, STALE: further collectives with the same cause */
    bool definite;
    /* the witness; lanes is NULL where none is needed (MASK, PRECEDENCE) */
    struct cw_lanes *lanes;
    const struct cw_context *context;
    uint32_t thread, lane; /* STALE: who calls, who is elsewhere by then; BALLOT: who comes, who does not */
    uint32_t branch;       /* STALE: block whose branch parts them, or CW_NO_BLOCK */
};

struct cw_snapshots {
    CW_VEC(struct cw_snapshot_fault) at;
};

struct cw_snapshots cw_snapshots_of(const struct cw_kernel_query *q, enum cw_snapshot_kind kind);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_snapshots_print(const struct cw_facts_print *to, const struct cw_snapshots *snapshots);

#endif
