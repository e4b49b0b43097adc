/* Questions about data races in a block; each is answered once per kernel. */
#ifndef CW_KERNEL_ASK_RACES_H
#define CW_KERNEL_ASK_RACES_H

#include "faults/partial_results.h"
#include "faults/unwritten_by_exited.h"
#include "faults/wgmma_order.h"
#include "races/cluster_lifetime.h"
#include "races/lost_updates.h"
#include "races/proxy_faults.h"
#include "races/races.h"
#include "races/racy_reads.h"

struct cw_kernel;

/* Which two threads access one byte with nothing that orders them. */
const struct cw_races *cw_kernel_races(struct cw_kernel *k);
/* Updates of one element by two threads, neither of which is atomic. */
const struct cw_lost_updates *cw_kernel_lost_updates(struct cw_kernel *k);
/* Whether a value that all threads read may be written meanwhile. */
const struct cw_racy_reads *cw_kernel_racy_reads(struct cw_kernel *k);
/* Stores that a copy engine may not see. */
const struct cw_proxy_faults *cw_kernel_proxy_faults(struct cw_kernel *k);
/* Registers of wgmma that are touched without its fence, or before its wait. */
const struct cw_wgmma_faults *cw_kernel_wgmma_faults(struct cw_kernel *k);
/* Accesses to the shared memory of blocks that may not run. */
const struct cw_cluster_faults *cw_kernel_cluster_faults(struct cw_kernel *k);
/* Results of library collectives that are used where they are not valid. */
const struct cw_partial_uses *cw_kernel_partial_uses(struct cw_kernel *k);

#endif
