/* Memory of host code: which values an element of a table of constants may have, and what a variable holds. */
#ifndef CW_LAUNCH_HOST_ARRAYS_H
#define CW_LAUNCH_HOST_ARRAYS_H

#include "launch/host_values.h"

/* Finds the local objects of a host function into which constants are stored and from which values are loaded, and
 * which nothing else uses. requires: fn->cfg. cost: one pass over the instructions. */
void cw_host_find_tables(struct cw_fn *host);

/* Finds, of each local variable, the value that one store alone gives it: as a parameter has, if its address goes
 * nowhere but to loads and stores, or if it is constant; fn->only_stored, CW_NONE where there is none. cost: one pass
 * over the instructions. */
void cw_host_find_stored_once(struct cw_fn *fn);

/* When `value` is loaded from a local array that only constants are stored to, and whose address goes nowhere: these
 * constants, each once. False for anything else, and for more than CW_HOST_WAYS. requires: a host function with a cfg.
 * Cost: one walk over the function. */
bool cw_host_elements(const struct cw_fn *host, cw_ref value, struct cw_host_alternatives *out);

#endif
