/* Boolean formulas over unknown conditions, for "which threads come here, under which input".
 *
 * Reduced ordered binary decision diagrams with complemented edges (Bryant 1986; Brace, Rudell, Bryant 1990): equal
 * formulas are equal numbers, so a condition and its opposite, or two ways that join again, are recognised for free.
 * A variable is one unknown i1 value, named by its token. Beyond the size cap results are POISON: unknown, without
 * identity. */
#ifndef CW_LANES_BDD_H
#define CW_LANES_BDD_H

#include "base/map.h"
#include "base/vec.h"

/* What is known of a value, from best to worst. Others see FIXED, RACY and OPAQUE as CW_UNKNOWN (lanes/lanes.h):
 * nothing may be claimed of them; but what is computed from a FIXED value and input data is up to the input,
 * `in[i] > sqrtf(2)`, and the race search knows what a RACY value is in the schedule in which its thread runs first. */
enum cw_state {
    CW_NUMBER, /* an integer, from thread indices and constants */
    CW_SAMPLE, /* an integer, for the sampled choice of the uniform unknowns */
    CW_FIXED,  /* not computed here, but decided by the code alone: `sinf(threadIdx.x)` */
    CW_FREE,   /* decided by input data */
    CW_RACY,   /* read while others may write: decided by input data if this thread runs first */
    CW_OPAQUE  /* anything */
};

enum { CW_BDD_TRUE = 0, CW_BDD_FALSE = 1 };
#define CW_BDD_POISON UINT32_MAX

struct cw_bdd_node {
    uint32_t var, hi, lo;
    uint8_t known; /* worst enum cw_state of the variables in it */
};

struct cw_bdds {
    struct cw_arena *arena;
    CW_VEC(struct cw_bdd_node) nodes; /* formula = 2 * node + negated; node 0 is "true" */
    struct cw_map unique, vars, ands, givens, whatevers;
    CW_VEC(uint8_t) var_known;
    CW_VEC(uint64_t) var_names;
    uint32_t max_nodes, depth, nopaque, nracy;
    uint64_t work, max_work;
};

void cw_bdds_init(struct cw_bdds *fs, struct cw_arena *a, uint32_t max_nodes);

/* The variable of that name. FREE, RACY or OPAQUE: a FIXED condition is not up to the input, however it is combined. */
uint32_t cw_bdd_var(struct cw_bdds *fs, uint64_t name, uint8_t known);
/* A formula of that name, of which nothing else is known than that `below` implies it and that it implies `above`. The
 * same name always comes with the same two. */
uint32_t cw_bdd_between(struct cw_bdds *fs, uint64_t name, uint8_t known, uint32_t below, uint32_t above);
/* Is there no room for a new variable of that kind? Stays so: each one asked for will be POISON. */
bool cw_bdd_is_full(const struct cw_bdds *fs, uint8_t known);
uint32_t cw_bdd_and(struct cw_bdds *fs, uint32_t f, uint32_t g);

enum cw_overlap { CW_OVERLAP_NONE, CW_OVERLAP_SOME, CW_OVERLAP_UNDECIDED };

/* Is there input for which both hold? Makes no formula, and so decides where cw_bdd_and has no room for its result.
 * UNDECIDED when the work is used up. Costs at most one visit of each pair of their nodes. */
enum cw_overlap cw_bdd_overlap(struct cw_bdds *fs, uint32_t f, uint32_t g);

/* Does a variable of one name take part in both formulas, each of its own evaluator? True where that is too much to
 * find out. Cost: their nodes. */
bool cw_bdd_share_names(const struct cw_bdds *fs, uint32_t f, const struct cw_bdds *gs, uint32_t g);

static inline uint32_t cw_bdd_not(uint32_t f) {
    return f == CW_BDD_POISON ? f : f ^ 1;
}

static inline uint32_t cw_bdd_or(struct cw_bdds *fs, uint32_t f, uint32_t g) {
    return cw_bdd_not(cw_bdd_and(fs, cw_bdd_not(f), cw_bdd_not(g)));
}

static inline bool cw_bdd_terminal(uint32_t f) {
    return f <= CW_BDD_FALSE;
}

uint32_t cw_bdd_ite(struct cw_bdds *fs, uint32_t c, uint32_t f, uint32_t g);
uint32_t cw_bdd_xor(struct cw_bdds *fs, uint32_t f, uint32_t g);

/* The input for which f holds, whatever the RACY and OPAQUE variables are: they are quantified over, so none is in the
 * result. Costs a conjunction for each node with one of them. */
uint32_t cw_bdd_whatever(struct cw_bdds *fs, uint32_t f);

/* A simpler formula that agrees with f wherever `care` holds (the restrict operator of Coudert and Madre 1990). */
uint32_t cw_bdd_given(struct cw_bdds *fs, uint32_t f, uint32_t care);

/* CW_NUMBER (0) for true and false, else the worst of its variables; POISON is CW_OPAQUE. */
uint8_t cw_bdd_known(const struct cw_bdds *fs, uint32_t f);

/* May nothing be claimed of the formula? RACY ones count: their values depend on the schedule. */
static inline bool cw_bdd_unknown(const struct cw_bdds *fs, uint32_t f) {
    return cw_bdd_known(fs, f) >= CW_RACY;
}

#endif
