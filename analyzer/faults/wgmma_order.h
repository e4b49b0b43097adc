/* Registers of asynchronous products of a warp group (wgmma.mma_async) that the thread touches at a wrong time.
 *
 * Between a product and a wgmma.wait_group that covers its group, its accumulators and the registers of matrix A belong
 * to it; before it, wgmma.fence orders the thread's own accesses to them (PTX ISA, wgmma.mma_async, wgmma.fence,
 * wgmma.wait_group). Shared memory that a product reads is a matter of the races (races/races.h), and of the proxy
 * faults. Followed are values of registers and local arrays; a copy of a register is no access, as compilers remove it.
 *
 * requires: SSA, fn->cfg. computes: at most one fault of each kind for a product, from the last product on. preserves:
 * everything. cost: one forward data flow over the blocks for each product, and one for each place that writes one of
 * its registers. */
#ifndef CW_FAULTS_WGMMA_ORDER_H
#define CW_FAULTS_WGMMA_ORDER_H

#include "cfg/cfg.h"

enum cw_wgmma_fault_kind {
    CW_WGMMA_UNFENCED,   /* no wgmma.fence comes before it */
    CW_WGMMA_WRITTEN,    /* nor between an access that writes one of its registers and the product */
    CW_WGMMA_INCOMPLETE, /* a register is accessed before the product is complete */
};

struct cw_wgmma_fault {
    enum cw_wgmma_fault_kind kind;
    uint32_t product;  /* instruction */
    uint32_t access;   /* instruction; UNFENCED: the product again */
    bool writes;       /* INCOMPLETE: the access changes the register */
    bool is_committed; /* INCOMPLETE: a wgmma.commit_group comes between */
    uint32_t wait;     /* INCOMPLETE: a wgmma.wait_group between that leaves the group pending; UINT32_MAX: none */
    bool definite;     /* on every path */
};

struct cw_wgmma_faults {
    CW_VEC(struct cw_wgmma_fault) at;
};

struct cw_wgmma_faults cw_wgmma_faults_of(const struct cw_fn *fn, struct cw_arena *a);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_wgmma_faults_print(const struct cw_facts_print *to, const struct cw_wgmma_faults *faults);

#endif
