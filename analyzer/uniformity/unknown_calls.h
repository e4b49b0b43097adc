/* Calls of functions without a body here: may they synchronise?
 *
 * A function without a body is no barrier as such. What is known of it is asked in turn: that it synchronises nothing
 * (CW_INS_SYNCFREE, set by whoever knows the callee), that it does (CW_INS_SYNCS), the words of its name
 * (call_words.def), and what it is passed: only a function that gets hold of shared memory, or of a group of threads,
 * is a plausible synchroniser of the block.
 *
 * requires: a function, its escaped objects. computes: a verdict per call. cost: the operands of the call. */
#ifndef CW_UNIFORMITY_UNKNOWN_CALLS_H
#define CW_UNIFORMITY_UNKNOWN_CALLS_H

#include "uniformity/alias.h"

enum cw_call_order {
    CW_CALL_NOTHING, /* no plausible callee orders two threads */
    CW_CALL_MAY,     /* nobody can say: a race across it is possible, no more */
    CW_CALL_ORDERS   /* its name or body says so, or the code is broken: nothing is claimed across it */
};

/* Of an OPCALL or CALL; NOTHING for all else. */
enum cw_call_order cw_call_order_of(const struct cw_memory *m, const struct cw_ins *i);
/* What the words of a name say; NOTHING for NULL. */
enum cw_call_order cw_call_order_of_name(const char *name);

/* Adds the function's calls to its counts of CW_BAIL_CALL_AS_BARRIER and CW_BAIL_CALL_MAY_SYNC. */
void cw_call_orders_count(const struct cw_fn *fn, struct cw_arena *scratch, uint32_t *reasons);

#endif
