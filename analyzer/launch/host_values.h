/* Values of host code at one place of it, such as a launch: by constant evaluation, by comparisons that dominate the
 * place, and by values assumed for what nobody knows.
 *
 * A value need not be one constant. A phi or a select of constants has one value per alternative; the caller tries
 * each, by adding the decision that an evaluation lacked (`wanted`, with `ways` ways) to `choice`. Where a
 * comparison with a constant dominates the place, as in `switch (threads) { case 512: …`, the compared value is that
 * constant; where all ways to a dominating block say something of it (`assert(n == 64 || n == 128)`), it is one of
 * several.
 *
 * requires: a host function with a cfg (cw_launch_prepare_hosts). preserves: everything. Cost: a bounded walk for
 * each value. */
#ifndef CW_LAUNCH_HOST_VALUES_H
#define CW_LAUNCH_HOST_VALUES_H

#include "ir/ir.h"

enum {
    CW_HOST_CHOICES = 3 + CW_ADDRESS_STEPS,
    CW_HOST_WAYS = 8,
    CW_HOST_EQUALITIES = 32,
    CW_HOST_ALTERNATIVES = 4,
    CW_HOST_BOUNDS = 32,
    CW_HOST_ASSUMED = 2,
    CW_HOST_DIVISOR_MAX = 1 << 16
};

struct cw_host_equality {
    cw_ref value;
    int64_t constant;
};

struct cw_host_equalities {
    struct cw_host_equality at[CW_HOST_EQUALITIES];
    uint32_t n;
};

/* Whenever the place is reached, least <= value <= most. */
struct cw_host_bound {
    cw_ref value;
    int64_t least, most;
};

/* All ways into some dominating block say that the value is one of these. */
struct cw_host_alternatives {
    cw_ref value;
    int64_t constant[CW_HOST_WAYS];
    uint32_t n;
};

/* Adds a constant once. False: there are CW_HOST_WAYS others. */
bool cw_host_add_alternative(struct cw_host_alternatives *out, int64_t constant);

/* A decision left open by the code: which way a join was reached, what a select's condition is, which of its
 * alternatives a value is. */
enum cw_host_choice_kind { CW_HOST_JOIN, CW_HOST_SELECT, CW_HOST_VALUE };

struct cw_host_choice {
    enum cw_host_choice_kind kind;
    uint32_t block; /* the join */
    cw_ref value;   /* the condition, or the value */
    uint32_t way;
};

struct cw_host_point {
    const struct cw_fn *host;
    uint32_t block;                         /* where the place is */
    struct cw_host_equalities equal, unequal; /* what edges that dominate it say */
    struct cw_host_bound bound[CW_HOST_BOUNDS]; /* what comparisons that dominate it leave of a value */
    uint32_t nbound;
    struct cw_host_alternatives oneof[CW_HOST_ALTERNATIVES];
    uint32_t noneof;
    struct cw_host_choice choice[CW_HOST_CHOICES];
    uint32_t nchoice;
    struct cw_host_choice wanted; /* the decision that an evaluation lacked */
    uint32_t ways;                /* how many ways it has, 0 when none is lacking */
    struct cw_host_equality assumed[CW_HOST_ASSUMED]; /* values that the caller chose for what nobody knows */
    uint32_t nassumed;
};

/* What dominating comparisons say of the values at a block of the host function. */
void cw_host_point_init(struct cw_host_point *p, const struct cw_fn *host, uint32_t block);

/* Takes the ways of the path for chosen, and what they say of other values for true. */
void cw_host_point_follow(struct cw_host_point *p, const struct cw_address_path *path);

/* False: not known; p->ways then tells whether a decision would help. */
bool cw_host_value(struct cw_host_point *p, cw_ref r, int64_t *value);

/* The same, through so many operations at most. */
bool cw_host_value_within(struct cw_host_point *p, cw_ref r, int depth, int64_t *value);

/* A number from 1 to CW_HOST_DIVISOR_MAX of which the value is a multiple, as of `n * 32` or after `assert(n % 128
 * == 0)`. */
int64_t cw_host_divisor(const struct cw_host_point *p, cw_ref r);

/* The range that the value's expression has by itself (`min(n, 8)`, `n & 7`), and that dominating comparisons leave. */
struct cw_host_bound cw_host_range(const struct cw_host_point *p, cw_ref r);

/* The values that r is computed from and that cw_host_value() does not know, through arithmetic only; false when
 * there are more than `max` or when something else is among them. */
bool cw_host_unknowns(struct cw_host_point *p, cw_ref r, cw_ref *out, uint32_t *n, uint32_t max);

/* The value behind conversions between integers. */
cw_ref cw_host_without_casts(const struct cw_fn *fn, cw_ref r);

int64_t cw_host_common_divisor(int64_t a, int64_t b);

#endif
