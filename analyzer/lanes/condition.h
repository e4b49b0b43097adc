/* Path conditions of the lane evaluator: for every thread a formula (bdd.h) under which it reaches a place. */
#ifndef CW_LANES_CONDITION_H
#define CW_LANES_CONDITION_H

#include "lanes/value.h"

/* The formulas of an evaluator; it owns them. */
struct cw_bdds *cw_lanes_bdds(struct cw_lanes *l);

/* A condition for all threads: formulas. */
struct cw_lane_cond {
    uint32_t mask;
    uint32_t *at;
};

static inline uint32_t cw_lane_cond_at(const struct cw_lane_cond *cond, uint32_t t) {
    return cond->at[t & cond->mask];
}

const struct cw_lane_cond *cw_lane_cond_one(struct cw_lanes *l, uint32_t formula);
/* The formula of an i1 value. */
uint32_t cw_cell_formula(struct cw_cell c);

/* The formula under which thread t's integer value is the number, as far as comparisons with the value say; CW_BDD_TRUE
 * where nothing is known of it. `context` fixes the loops around the value. */
uint32_t cw_lane_cond_equals(struct cw_lanes *l, cw_ref value, const struct cw_context *context, uint32_t t,
                             int64_t number);

const struct cw_lane_cond *cw_lane_cond_reach(struct cw_lanes *l, uint32_t block, const struct cw_context *c);
const struct cw_lane_cond *cw_lane_cond_takes(struct cw_lanes *l, struct cw_edge edge, const struct cw_context *c);
const struct cw_lane_cond *cw_lane_cond_or(struct cw_lanes *l, const struct cw_lane_cond *a,
                                           const struct cw_lane_cond *b);
const struct cw_lane_cond *cw_lane_cond_and(struct cw_lanes *l, const struct cw_lane_cond *a,
                                            const struct cw_lane_cond *b);
const struct cw_lane_cond *cw_lane_cond_without(struct cw_lanes *l, const struct cw_lane_cond *a,
                                                const struct cw_lane_cond *b); /* a and not b */
/* Can both formulas hold for the same input? YES: they always do. */
enum cw_reach cw_lanes_both(struct cw_lanes *l, uint32_t formula, uint32_t other);
bool cw_lane_cond_is(const struct cw_lanes *l, const struct cw_lane_cond *f, uint32_t formula);
bool cw_lane_cond_decided(const struct cw_lanes *l, const struct cw_lane_cond *f); /* terminal for every thread */

#endif
