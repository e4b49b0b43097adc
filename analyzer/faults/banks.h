/* Bank conflicts: how many passes a warp's access to shared memory takes, by evaluating the address of every lane.
 *
 * Shared memory has 32 banks of 4 bytes; an access takes as many passes as the bank asked most has different words to
 * give (CUDA C++ Programming Guide, compute capability 5.x, shared memory). Accesses of 8 and 16 bytes go by half and
 * quarter warps.
 *
 * requires: SSA, fn->cfg, launches. computes: the worst access to each object, those beside it. preserves:
 * everything. */
#ifndef CW_FAULTS_BANKS_H
#define CW_FAULTS_BANKS_H

#include "lanes/kernel_query.h"
#include "lanes/warp_access.h"

struct cw_bank_conflict {
    uint32_t ins;
    struct cw_vec_u32 also; /* further accesses of the object with conflicts */
    uint32_t object;        /* index in fn->objects */
    uint32_t degree;        /* passes, over the passes without a conflict */
    uint32_t bank;          /* the one asked most */
    uint32_t words;         /* different words asked of it */
    uint32_t lanes;         /* that ask it for them, as a mask */
    uint32_t warp;
    uint32_t comers;        /* lanes of the fullest warp that come to the access at once */
    bool definite;          /* shown from facts, or under every ordinary block of a whole warp */
    const struct cw_context *context;
    struct cw_lanes *evaluator;
};

struct cw_bank_conflicts {
    CW_VEC(struct cw_bank_conflict) at;
};

struct cw_bank_conflicts cw_bank_conflicts_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_bank_conflicts_print(const struct cw_facts_print *to, const struct cw_bank_conflicts *conflicts);

#endif
