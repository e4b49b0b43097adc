/* What is wrong with the masks of a kernel's warp collectives: the one question behind the rules on masks.
 *
 * Every collective whose mask is written (or a group's) is asked about under each launch, a few choices of the uniform
 * unknowns and a few iterations of the loops around it. A fault is one cause: five shuffles of a tree under the same
 * divergent branch are one fault.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: faults in source order. preserves: everything; counts
 * collectives of which nothing could be said. */
#ifndef CW_FAULTS_MASK_FAULTS_H
#define CW_FAULTS_MASK_FAULTS_H

#include "lanes/masks.h"
#include "lanes/kernel_query.h"

struct cw_mask_fault {
    /* what is wrong: one of the three */
    bool is_lane_absent;    /* a lane is named, alive and elsewhere; with `loop`: it left that loop around the call, or
                             * skipped the rest of an iteration */
    bool is_caller_outside; /* a caller's own lane is not in its mask */
    bool is_mask_different; /* lanes that call together hold different masks */
    uint32_t ins;           /* the first collective in source order */
    struct cw_vec_u32 also; /* further collectives with the same cause */
    uint32_t branch, side;  /* lane absent: block whose branch parts the lanes, or CW_NO_BLOCK; the way to the call */
    uint32_t loop;          /* index in cfg->loops, else CW_NO_LOOP */
    bool definite;          /* shown from facts, or under every ordinary shape of more than one warp */
    bool is_allotted;       /* lane absent: by two bounds of a structure, maybe those of whole warps */
    bool is_group;          /* the operand is a cooperative group, not a mask */
    uint32_t partner;       /* lane absent, not in a loop: the same call with the same mask where those lanes are, or
                             * UINT32_MAX */
    /* the witness */
    uint32_t launch, sample;
    struct cw_masks *masks;
    uint32_t guarded;       /* ABSENT: lanes that a branch on positions keeps away, and nothing else is known; or 0 */
    uint32_t thread, lane;  /* thread that calls; lane absent, or with a different mask, or the thread's own */
};

struct cw_mask_faults {
    CW_VEC(struct cw_mask_fault) at;
};

struct cw_mask_faults cw_mask_faults_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_mask_faults_print(const struct cw_facts_print *to, const struct cw_mask_faults *faults);

#endif
