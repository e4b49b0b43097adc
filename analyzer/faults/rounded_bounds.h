/* Bounds that the host may have made a multiple of the block. */
#ifndef CW_FAULTS_ROUNDED_BOUNDS_H
#define CW_FAULTS_ROUNDED_BOUNDS_H

#include "lanes/kernel_query.h"

/* Does a bound that the host put into memory decide at this block's branch, in a kernel whose block nobody knows?
 * The host may have rounded one to the other. CW_NO_BLOCK: no. */
bool cw_may_be_rounded(const struct cw_kernel_query *q, uint32_t branch);

/* Does the basic block run for threads whose position lies between two bounds that the host passes in a structure,
 * perhaps for one part of several (`p.first[k] <= i && i <= p.last[k]`)? The host may have given each part whole warps,
 * or whole blocks of threads. What lies in device memory is data, and of any length. Cost: the conditions that decide
 * whether the block runs, and the operations behind them. */
bool cw_may_be_allotted(const struct cw_kernel_query *q, uint32_t block);

/* And does the host compute the block from a size of the data, as one that is as long as a row? A size and a bound that
 * are chosen without each other then say nothing. */
bool cw_is_made_to_fit(const struct cw_kernel_query *q, uint32_t branch);

#endif
