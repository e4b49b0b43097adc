/* Conditions that input data decide for one thread, and may decide for another one alike.
 *
 * `if (valid[t]) s[t] = 1;` beside `if (valid[t]) v = s[t + 1];`: each thread has a condition of its own. Input that
 * lets both accesses happen is a witness, unless the data obey a rule that the code does not show. Only one element may
 * hold a certain rank, and neighbours may never have one colour; no such rule is known for flags, signs and
 * thresholds. */
#ifndef CW_RACES_DATA_CONDITIONS_H
#define CW_RACES_DATA_CONDITIONS_H

#include "lanes/value.h"

/* Are the undecided branches that lead the thread to the block comparisons of data by order, or with zero? given: a
 * formula under which branches are decided as well. Cost: the branches that control the block. */
bool cw_has_plain_conditions(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                             uint32_t thread, uint32_t given);

#endif
