/* Fixes of data races: the barrier that is missing. */
#ifndef CW_FIX_MAKE_INSERT_BARRIER_H
#define CW_FIX_MAKE_INSERT_BARRIER_H

#include "rules/rule.h"

struct cw_race;

/* Edits that order the two accesses of a race with the barrier it lacks. The call of that barrier as they write it,
 * "block.sync()"; NULL: no barrier is inserted. */
const char *cw_fix_race(struct cw_rule_ctx *, struct cw_finding *, const struct cw_race *);

#endif
