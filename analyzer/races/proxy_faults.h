/* Stores to shared memory that a bulk copy or wgmma reads although no proxy fence makes them visible to it.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: at most one fault per store. preserves: everything. Cost: an
 * event trace and a walk along it, for kernels with bulk copies from shared memory or wgmma. Source: PTX ISA, memory
 * consistency model, proxy-preserved base causality order: accesses of different proxies are ordered by a proxy fence
 * on the path between them only. */
#ifndef CW_RACES_PROXY_FAULTS_H
#define CW_RACES_PROXY_FAULTS_H

#include "lanes/kernel_query.h"

struct cw_proxy_fault {
    uint32_t store, copy;    /* instructions */
    uint32_t thread, copier; /* who stores, who starts the copy */
    cw_ref root;
    int64_t offset;
    uint64_t size; /* of the store */
    uint32_t launch;
    bool definite;
};

struct cw_proxy_faults {
    CW_VEC(struct cw_proxy_fault) at;
};

struct cw_proxy_faults cw_proxy_faults_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_proxy_faults_print(const struct cw_facts_print *to, const struct cw_proxy_faults *faults);

#endif
