/* Fixes of accesses to blocks of a cluster that may not run: the barrier of the cluster that is missing. */
#ifndef CW_FIX_MAKE_INSERT_CLUSTER_BARRIER_H
#define CW_FIX_MAKE_INSERT_CLUSTER_BARRIER_H

#include "rules/rule.h"

/* A barrier of the cluster before (or behind) the outermost statement of the kernel around the access, where all
 * threads of the grid execute that statement. `map`: the instruction that makes the address. */
void cw_fix_cluster_barrier(struct cw_rule_ctx *, struct cw_finding *, uint32_t access, uint32_t map, bool is_behind);

#endif
