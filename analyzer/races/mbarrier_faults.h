/* Barriers in shared memory (mbarrier, cuda::barrier) that cannot work: made for more arrivals than ever come before
 * the threads wait, or for fewer than there are threads that arrive and wait; told to expect more bytes than are
 * copied; or used by a thread that nothing orders behind the one that makes it.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: at most one fault of each kind per barrier. preserves:
 * everything. Cost: a timeline and a walk along it, for kernels that make such barriers. Source: PTX ISA, mbarrier: a
 * phase is complete when its pending count is zero and its tx-count is zero; an object must be initialised before
 * use. libcu++, barrier::arrive: the number of arrivals is at most the expected count of the phase. */
#ifndef CW_RACES_MBARRIER_FAULTS_H
#define CW_RACES_MBARRIER_FAULTS_H

#include "lanes/kernel_query.h"

enum cw_mbarrier_fault_kind {
    CW_MBARRIER_STARVED, /* fewer threads arrive than it was made for, and a thread waits */
    CW_MBARRIER_SURPLUS, /* more threads arrive, and wait, than it was made for, with no barrier of the block between */
    CW_MBARRIER_BYTES,   /* more bytes are expected than are copied, and a thread waits */
    CW_MBARRIER_UNMADE   /* a thread may use it before it is made */
};

struct cw_mbarrier_fault {
    enum cw_mbarrier_fault_kind kind;
    uint32_t ins, init;           /* the wait, or the first use; where it is made */
    uint32_t thread, init_thread; /* who waits or uses it, who makes it */
    cw_ref root;
    int64_t offset, count;
    int64_t arrivals; /* STARVED: that come at most; SURPLUS: that come; BYTES: that are copied at most */
    int64_t expected; /* BYTES */
    uint32_t launch;
    bool definite;
};

struct cw_mbarrier_faults {
    CW_VEC(struct cw_mbarrier_fault) at;
};

struct cw_mbarrier_faults cw_mbarrier_faults_of(const struct cw_kernel_query *q);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_mbarrier_faults_print(const struct cw_facts_print *to, const struct cw_mbarrier_faults *faults);

#endif
