/* Coalescing: how many 32-byte sectors of device memory a warp's access moves, and how many its bytes would fill.
 *
 * "The concurrent accesses of the threads of a warp will coalesce into a number of transactions equal to the number of
 * 32-byte transactions necessary to service all of the threads of the warp" (CUDA C++ Best Practices Guide, coalesced
 * access to global memory). Accesses through one pointer that stand in one block of the control flow are taken
 * together: reading x, y and z of a record one after the other uses what was moved.
 *
 * requires: SSA, fn->cfg, launches. computes: accesses that use a quarter or less of what they move; one per pointer's
 * root. preserves: everything. */
#ifndef CW_FAULTS_COALESCING_H
#define CW_FAULTS_COALESCING_H

#include "lanes/kernel_query.h"
#include "lanes/warp_access.h"

struct cw_scattered {
    uint32_t ins;
    struct cw_vec_u32 also; /* further accesses of the root */
    cw_ref base;            /* PARAM, OBJECT or INS */
    uint32_t sectors, needed;
    int64_t distance;       /* bytes between the first two lanes that come */
    uint32_t lanes, warp;
    bool writes, definite;
    const struct cw_context *context;
    struct cw_lanes *evaluator;
};

struct cw_scattered_accesses {
    CW_VEC(struct cw_scattered) at;
};

struct cw_scattered_accesses cw_scattered_accesses_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_scattered_accesses_print(const struct cw_facts_print *to, const struct cw_scattered_accesses *accesses);

#endif
