/* Reads of one place by all threads, as for a condition: may another thread write the place in the same phase? Of each
 * load that uniformity calls unstable, the timeline says with its launches what flow alone cannot: which iteration of a
 * double buffer is read and which is written, that a loop with a barrier runs, which of two members it is.
 *
 * requires: SSA, fn->cfg, uniformity, launches. computes: an answer for each unstable load of shared memory at a place
 * that is one for the block. preserves: everything. Cost: a timeline for each launch, and for each of the loads the
 * writes of its phases, by threads of each warp. */
#ifndef CW_RACES_RACY_READS_H
#define CW_RACES_RACY_READS_H

#include "lanes/kernel_query.h"

struct cw_racy_read {
    uint32_t load;
    uint32_t write;  /* one that may come between; UINT32_MAX: none was found */
    bool is_ordered; /* every launch was laid out, has the load, and no write may come between in any of them */
};

struct cw_racy_reads {
    CW_VEC(struct cw_racy_read) at;
};

struct cw_racy_reads cw_racy_reads_of(const struct cw_kernel_query *query);

/* NULL: the load was not looked at. */
const struct cw_racy_read *cw_racy_read_find(const struct cw_racy_reads *reads, uint32_t load);

/* One line for each, for --dump. */
struct cw_facts_print;
void cw_racy_reads_print(const struct cw_facts_print *to, const struct cw_racy_reads *reads);

#endif
