/* Findings in instances that nobody wrote: what holds in all of them is definite. */
#ifndef CW_ENGINE_ASSUMED_H
#define CW_ENGINE_ASSUMED_H

#include "engine/kernel.h"

/* Keeps the findings of an assumed instance until all instances have been analysed. `whole` is the instance as it was
 * analysed, with its callees and without what its arguments exclude. requires: fn->assumed, whole->cfg. */
void cw_assumed_note(struct cw_unit *u, const struct cw_fn *fn, const struct cw_fn *whole,
                     const struct cw_rule_sink *sink);

/* Moves what was noted to the unit's result. A finding is definite when each instance of its template has it (or, where
 * the threads' positions alone decide, lacks the barrier) and the
 * instances differ in every argument that was chosen; else it is possible and names the arguments. The instances of a
 * template give one finding for each place. Cost: findings times instances of one template. */
void cw_assumed_settle(struct cw_unit *u);

#endif
