/* Masks that name lanes which are not there any more: threads that have exited, or that the block never had.
 *
 * Since Volta such lanes are ignored; for .target sm_6x and below PTX wants all lanes of a mask to execute the
 * instruction in convergence (SEMANTICS.md). Of a kernel the first collective of each cause is told: an early exit, or
 * the block's end.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: faults in execution order. preserves: everything. */
#ifndef CW_FAULTS_EXITED_LANES_H
#define CW_FAULTS_EXITED_LANES_H

#include "lanes/kernel_query.h"

/* What a collective of CUB does with values of lanes that are gone. */
enum cw_gone_use { CW_GONE_UNUSED, CW_GONE_REDUCED, CW_GONE_SCANNED, CW_GONE_EXCHANGED };

struct cw_gone_lanes {
    uint32_t ins;           /* the first collective */
    struct cw_vec_u32 also; /* further ones with the same cause */
    uint32_t user;          /* of these, the first with the mask of `ins` that uses values of lanes that are gone: a
                               reduction of CUB over the whole logical warp, a scan above such a lane or with an
                               aggregate, an exchange; UINT32_MAX: none */
    uint32_t used;          /* the lanes whose values it uses */
    enum cw_gone_use use;   /* and what for */
    bool beyond;            /* the lanes are behind the end of the block; else they have exited */
    bool by_data;           /* input data decides whether they have */
    bool definite;          /* shown from facts, or under every ordinary shape of more than one warp */
    /* the witness */
    struct cw_masks *masks;
    uint32_t thread, lanes; /* who calls; the lanes that it names and that are gone */
};

struct cw_gone_list {
    CW_VEC(struct cw_gone_lanes) at;
};

/* Does the kernel call a collective of CUB that uses the values of all lanes, or of those below? Else no fault has a
 * `user`. Cost: instructions times such collectives. */
bool cw_has_uses_of_all(const struct cw_fn *fn);

struct cw_gone_list cw_gone_lanes_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_gone_list_print(const struct cw_facts_print *to, const struct cw_gone_list *list);

#endif
