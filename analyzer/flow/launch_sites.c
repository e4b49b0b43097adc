/* Launches as the host code of the unit writes them: dimensions and arguments by constant evaluation.
 *
 * A dimension need not be one constant. A phi or a select of constants gives one launch per alternative, chosen alike
 * for all dimensions. Where a comparison with a constant dominates the launch, as in
 * `switch (threads) { case 512: k<512><<<grid, threads>>>(…)`, the compared value is that constant; where all ways to
 * a dominating block say something of it (`assert(n == 64 || n == 128)`), it is one of several. */
#include "flow/launch_internal.h"

#include "cfg/cfg.h"

enum { DEPTH_MAX = 12, CHOICES_MAX = 3, WAYS_MAX = 8, EQUALITIES_MAX = 32, ALTERNATIVES_MAX = 4, DIVISOR_MAX = 512,
       BOUNDS_MAX = 32, RANGE_DEPTH = 4 };

struct equality {
    cw_ref value;
    int64_t constant;
};

struct equalities {
    struct equality at[EQUALITIES_MAX];
    uint32_t n;
};

/* Every launch has least <= value <= most. */
struct bound {
    cw_ref value;
    int64_t least, most;
};

/* All ways into some dominating block say that the value is one of these. */
struct alternatives {
    cw_ref value;
    int64_t constant[WAYS_MAX];
    uint32_t n;
};

/* A decision left open by the code: which way a join was reached, what a select's condition is, which of its
 * alternatives a value is. */
enum choice_kind { OF_JOIN, OF_SELECT, OF_VALUE };

struct choice {
    enum choice_kind kind;
    uint32_t block; /* the join */
    cw_ref value;   /* the condition, or the value */
    uint32_t way;
};

struct site {
    const struct cw_fn *host;
    const struct cw_ins *launch;
    struct equalities equal, unequal; /* what edges that dominate the launch say */
    struct bound bound[BOUNDS_MAX]; /* what comparisons that dominate the launch leave of a value */
    uint32_t nbound;
    struct alternatives oneof[ALTERNATIVES_MAX];
    uint32_t noneof;
    struct choice choice[CHOICES_MAX];
    uint32_t nchoice;
    struct choice wanted; /* the decision that an evaluation lacked */
    uint32_t ways;        /* how many ways it has, 0 when none is lacking */
};

/* ---- values that a dominating comparison fixes ---- */

static cw_ref without_widening(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    for (int hops = 0; i && hops < DEPTH_MAX; hops++, i = cw_ins_of(fn, r)) {
        if (i->op != CW_OP_SEXT && i->op != CW_OP_ZEXT && i->op != CW_OP_COPY)
            break;
        r = cw_arg(fn, i, 0);
    }
    return r;
}

static void add_equality(const struct site *s, struct equalities *list, cw_ref value, int64_t constant) {
    if (list->n < EQUALITIES_MAX)
        list->at[list->n++] = (struct equality){without_widening(s->host, value), constant};
}

static void add_comparison(const struct site *s, cw_ref condition, bool holds, struct equalities *equal,
                           struct equalities *unequal) {
    const struct cw_ins *c = cw_ins_of(s->host, condition);
    int64_t constant;
    if (!c || (c->op != CW_OP_EQ && c->op != CW_OP_NE))
        return;
    struct equalities *list = (c->op == CW_OP_EQ) == holds ? equal : unequal;
    for (uint32_t k = 0; k < 2; k++)
        if (cw_ref_const(s->host, cw_arg(s->host, c, k), &constant))
            add_equality(s, list, cw_arg(s->host, c, 1 - k), constant);
}

/* `c < value` as `value > c`. */
static enum cw_op mirrored(enum cw_op op) {
    switch (op) {
    case CW_OP_SLT: case CW_OP_ULT: return op == CW_OP_SLT ? CW_OP_SGT : CW_OP_UGT;
    case CW_OP_SLE: case CW_OP_ULE: return op == CW_OP_SLE ? CW_OP_SGE : CW_OP_UGE;
    case CW_OP_SGT: case CW_OP_UGT: return op == CW_OP_SGT ? CW_OP_SLT : CW_OP_ULT;
    case CW_OP_SGE: case CW_OP_UGE: return op == CW_OP_SGE ? CW_OP_SLE : CW_OP_ULE;
    default: return op;
    }
}

/* What `value op c` leaves of a value; of an unsigned comparison only where c is small, and only the upper bound, since the
 * value may be a large one that is read as negative. False for other operations. */
static bool range_of_comparison(enum cw_op op, int64_t c, bool holds, struct bound *out) {
    bool is_unsigned = op == CW_OP_ULT || op == CW_OP_ULE || op == CW_OP_UGT || op == CW_OP_UGE;
    if (c == INT64_MIN || c == INT64_MAX || (is_unsigned && c < 0))
        return false;
    switch (op) {
    case CW_OP_SLT: case CW_OP_ULT: holds ? (out->most = c - 1) : (out->least = c); break;
    case CW_OP_SLE: case CW_OP_ULE: holds ? (out->most = c) : (out->least = c + 1); break;
    case CW_OP_SGT: case CW_OP_UGT: holds ? (out->least = c + 1) : (out->most = c); break;
    case CW_OP_SGE: case CW_OP_UGE: holds ? (out->least = c) : (out->most = c - 1); break;
    default: return false;
    }
    if (is_unsigned && out->most < INT64_MAX)
        out->least = 0;
    return true;
}

static void add_bound(struct site *s, cw_ref condition, bool holds) {
    const struct cw_ins *c = cw_ins_of(s->host, condition);
    int64_t constant;
    for (uint32_t k = 0; c && c->narg == 2 && k < 2 && s->nbound < BOUNDS_MAX; k++) {
        struct bound b = {.least = INT64_MIN, .most = INT64_MAX};
        enum cw_op op = k ? mirrored((enum cw_op)c->op) : (enum cw_op)c->op;
        if (!cw_ref_const(s->host, cw_arg(s->host, c, 1 - k), &constant) ||
            !range_of_comparison(op, constant, holds, &b))
            continue;
        b.value = without_widening(s->host, cw_arg(s->host, c, k));
        s->bound[s->nbound++] = b;
    }
}

/* What one edge of the jump says when it is taken. */
static void add_edge_facts(const struct site *s, const struct cw_jump *j, uint32_t which, struct equalities *equal,
                           struct equalities *unequal) {
    if (j->kind == CW_JUMP_BRANCH && j->succ[0] != j->succ[1])
        add_comparison(s, j->value, which == 0, equal, unequal);
    if (j->kind != CW_JUMP_SWITCH)
        return;
    if (which + 1 < j->nsucc)
        add_equality(s, equal, j->value, j->cases[which]);
    for (uint32_t k = 0; which + 1 == j->nsucc && k < which; k++)
        add_equality(s, unequal, j->value, j->cases[k]);
}

/* Keeps the alternatives for a value of the first edge that all other edges speak of, too. */
static void add_alternatives(struct site *s, const struct equalities *edges, uint32_t nedges) {
    for (uint32_t f = 0; f < edges[0].n && s->noneof < ALTERNATIVES_MAX; f++) {
        struct alternatives a = {.value = edges[0].at[f].value};
        for (uint32_t e = 0; e < nedges && a.n == e; e++)
            for (uint32_t k = 0; k < edges[e].n && a.n == e; k++)
                if (cw_ref_eq(edges[e].at[k].value, a.value))
                    a.constant[a.n++] = edges[e].at[k].constant;
        if (a.n == nedges)
            s->oneof[s->noneof++] = a;
    }
}

/* A block that dominates the launch: what must hold for one to be there. */
static void add_block_facts(struct site *s, uint32_t block) {
    const struct cw_vec_u32 *pred = &s->host->blocks.at[block].pred;
    struct equalities edges[WAYS_MAX] = {0}, ignored = {0};
    uint32_t nedges = 0;
    for (uint32_t p = 0; p < pred->n; p++) {
        const struct cw_jump *j = &s->host->blocks.at[pred->at[p]].jump;
        bool seen = s->host->cfg->rpo_index[pred->at[p]] == CW_NO_BLOCK;
        for (uint32_t q = 0; q < p; q++)
            seen |= pred->at[q] == pred->at[p];
        for (uint32_t which = 0; !seen && which < j->nsucc; which++) {
            if (j->succ[which] != block)
                continue;
            if (nedges == WAYS_MAX)
                return;
            add_edge_facts(s, j, which, &edges[nedges++], pred->n == 1 ? &s->unequal : &ignored);
            if (pred->n == 1 && j->kind == CW_JUMP_BRANCH && j->succ[0] != j->succ[1])
                add_bound(s, j->value, which == 0);
        }
    }
    for (uint32_t k = 0; nedges == 1 && k < edges[0].n; k++)
        add_equality(s, &s->equal, edges[0].at[k].value, edges[0].at[k].constant);
    if (nedges > 1)
        add_alternatives(s, edges, nedges);
}

static void find_equalities(struct site *s) {
    const struct cw_cfg *cfg = s->host->cfg;
    for (uint32_t b = s->launch->block; cfg->idom[b] != CW_NO_BLOCK; b = cfg->idom[b])
        add_block_facts(s, b);
}

/* ---- evaluation ---- */

static bool want(struct site *s, struct choice c, uint32_t ways) {
    if (!s->ways && ways <= WAYS_MAX && s->nchoice < CHOICES_MAX) {
        s->wanted = c;
        s->ways = ways;
    }
    return false;
}

static bool is_chosen(const struct site *s, const struct choice *c, uint32_t *way) {
    for (uint32_t k = 0; k < s->nchoice; k++) {
        const struct choice *have = &s->choice[k];
        if (have->kind != c->kind || have->block != c->block || !cw_ref_eq(have->value, c->value))
            continue;
        *way = have->way;
        return true;
    }
    return false;
}

static bool find_equal(const struct equalities *list, cw_ref value, int64_t *constant) {
    for (uint32_t k = 0; k < list->n; k++)
        if (cw_ref_eq(list->at[k].value, value)) {
            *constant = list->at[k].constant;
            return true;
        }
    return false;
}

static bool is_excluded(const struct site *s, cw_ref value, int64_t constant) {
    for (uint32_t k = 0; k < s->unequal.n; k++)
        if (cw_ref_eq(s->unequal.at[k].value, value) && s->unequal.at[k].constant == constant)
            return true;
    return false;
}

static bool value_of_alternatives(struct site *s, const struct alternatives *a, int64_t *value) {
    struct choice c = {.kind = OF_VALUE, .value = a->value};
    uint32_t way;
    if (!is_chosen(s, &c, &way))
        return want(s, c, a->n);
    *value = a->constant[way];
    return !is_excluded(s, a->value, *value);
}

static bool value_of(struct site *s, cw_ref r, int depth, int64_t *value);

/* What a loop changes has, behind the loop, any of its values: the first is no fact about the launch. In the loop
 * itself it is, of one of the launches. */
static bool is_changed_before(const struct site *s, const struct cw_ins *phi) {
    const struct cw_cfg *cfg = s->host->cfg;
    uint32_t loop = cfg->loop_of[phi->block];
    return loop != CW_NO_LOOP && cfg->loops.at[loop].header == phi->block &&
           !cw_cfg_in_loop(cfg, loop, s->launch->block);
}

static bool value_of_phi(struct site *s, const struct cw_ins *i, int depth, int64_t *value) {
    struct choice c = {.kind = OF_JOIN, .block = i->block};
    uint32_t way;
    if (is_changed_before(s, i))
        return false;
    if (!is_chosen(s, &c, &way))
        return want(s, c, i->narg);
    return way < i->narg && value_of(s, cw_arg(s->host, i, way), depth - 1, value);
}

static bool value_of_select(struct site *s, const struct cw_ins *i, int depth, int64_t *value) {
    struct choice c = {.kind = OF_SELECT, .value = cw_arg(s->host, i, 0)};
    int64_t holds;
    uint32_t way;
    if (value_of(s, c.value, depth - 1, &holds))
        way = holds ? 0 : 1;
    else if (!is_chosen(s, &c, &way))
        return want(s, c, 2);
    return value_of(s, cw_arg(s->host, i, 1 + way), depth - 1, value);
}

static bool value_of_ins(struct site *s, const struct cw_ins *i, int depth, int64_t *value) {
    int64_t args[2];
    if (i->op == CW_OP_PHI)
        return value_of_phi(s, i, depth, value);
    if (i->op == CW_OP_SELECT)
        return value_of_select(s, i, depth, value);
    if (!(cw_op_flags(i->op) & CW_OP_P) || i->narg == 0 || i->narg > 2)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!value_of(s, cw_arg(s->host, i, k), depth - 1, &args[k]))
            return false;
    if (i->op == CW_OP_COPY) {
        *value = args[0];
        return true;
    }
    return cw_fold(i->op, cw_ref_type(s->host, cw_arg(s->host, i, 0)), i->type, args, value);
}

static bool value_of(struct site *s, cw_ref r, int depth, int64_t *value) {
    const struct cw_ins *i = cw_ins_of(s->host, r);
    if (cw_ref_const(s->host, r, value))
        return true;
    cw_ref plain = without_widening(s->host, r);
    if (find_equal(&s->equal, plain, value))
        return true;
    for (uint32_t k = 0; k < s->noneof; k++)
        if (cw_ref_eq(s->oneof[k].value, plain))
            return value_of_alternatives(s, &s->oneof[k], value);
    return i && depth > 0 && value_of_ins(s, i, depth, value);
}

/* ---- one launch ---- */

static bool value_of_operand(struct site *s, uint32_t k, int64_t *value) {
    return k < s->launch->narg && value_of(s, cw_arg(s->host, s->launch, k), DEPTH_MAX, value);
}

static bool dimensions(struct site *s, uint32_t first, uint32_t out[3]) {
    bool known = true;
    for (uint32_t d = 0; d < 3; d++) {
        int64_t value = 0;
        known &= value_of_operand(s, first + d, &value) && value > 0 && value <= INT32_MAX;
        out[d] = known ? (uint32_t)value : 0;
    }
    return known;
}

static cw_ref without_casts(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    for (int hops = 0; i && hops < DEPTH_MAX; hops++, i = cw_ins_of(fn, r)) {
        if (i->op != CW_OP_SEXT && i->op != CW_OP_ZEXT && i->op != CW_OP_TRUNC && i->op != CW_OP_COPY)
            break;
        r = cw_arg(fn, i, 0);
    }
    return r;
}

/* The kernel's argument that the value is: its number + 1, or 0. */
static uint32_t argument_that_is(const struct site *s, cw_ref value) {
    value = without_casts(s->host, value);
    for (uint32_t k = CW_LAUNCH_ARGS; value.tag != CW_REF_CONST && k < s->launch->narg; k++)
        if (cw_ref_eq(without_casts(s->host, cw_arg(s->host, s->launch, k)), value))
            return k - CW_LAUNCH_ARGS + 1;
    return 0;
}

/* grid.x is `n / blockDim.x` with the n that is passed as an argument: its number + 1. */
static uint32_t exact_cover(struct site *s, const struct cw_launch *l) {
    const struct cw_fn *fn = s->host;
    const struct cw_ins *i = cw_ins_of(fn, without_casts(fn, cw_arg(fn, s->launch, 0)));
    int64_t by, rows, layers;
    if (!i || l->block[1] != 1 || l->block[2] != 1 || !value_of_operand(s, 1, &rows) || rows != 1 ||
        !value_of_operand(s, 2, &layers) || layers != 1)
        return 0;
    bool is_shift = i->op == CW_OP_LSHR || i->op == CW_OP_ASHR;
    if ((!is_shift && i->op != CW_OP_SDIV && i->op != CW_OP_UDIV) || !value_of(s, cw_arg(fn, i, 1), DEPTH_MAX, &by) ||
        (is_shift && (by < 0 || by > 30)) || (is_shift ? (int64_t)1 << by : by) != l->block[0])
        return 0;
    return argument_that_is(s, cw_arg(fn, i, 0));
}

/* grid.x is `(n + add) / by` or `(n + add) >> k` of an argument n. */
static void read_grid(struct site *s, struct cw_launch *l) {
    const struct cw_fn *fn = s->host;
    cw_ref n = without_casts(fn, cw_arg(fn, s->launch, 0));
    int64_t by = 1, add = 0, shift;
    const struct cw_ins *i = cw_ins_of(fn, n);
    if (i && (i->op == CW_OP_SDIV || i->op == CW_OP_UDIV) && value_of(s, cw_arg(fn, i, 1), DEPTH_MAX, &by))
        n = without_casts(fn, cw_arg(fn, i, 0));
    else if (i && (i->op == CW_OP_LSHR || i->op == CW_OP_ASHR) && cw_ref_const(fn, cw_arg(fn, i, 1), &shift) &&
             shift >= 0 && shift < 31) {
        by = (int64_t)1 << shift;
        n = without_casts(fn, cw_arg(fn, i, 0));
    }
    i = cw_ins_of(fn, n);
    if (i && (i->op == CW_OP_ADD || i->op == CW_OP_SUB) && value_of(s, cw_arg(fn, i, 1), DEPTH_MAX, &add)) {
        add = i->op == CW_OP_SUB ? -add : add;
        n = cw_arg(fn, i, 0);
    }
    uint32_t param = argument_that_is(s, n);
    if (!param || by < 1 || by > INT32_MAX || add < -INT32_MAX || add > INT32_MAX)
        return;
    l->grid_param = param;
    l->grid_add = add;
    l->grid_by = by;
}

/* The value of a variable that is stored to once, as a parameter is that a call gets by reference. */
static cw_ref stored_once(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *load = cw_ins_of(fn, r);
    cw_ref at = load && load->op == CW_OP_LOAD ? cw_arg(fn, load, 0) : CW_NONE, value = CW_NONE;
    uint32_t stores = 0;
    if (at.tag != CW_REF_OBJECT || fn->objects.at[at.index].space != CW_SPACE_LOCAL)
        return r;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op != CW_OP_STORE || !cw_ref_eq(cw_arg(fn, i, 1), at))
            continue;
        value = cw_arg(fn, i, 0);
        stores++;
    }
    return stores == 1 && cw_ref_type(fn, value) == load->type ? value : r;
}

static cw_ref origin_of(const struct cw_fn *fn, cw_ref r) {
    return without_casts(fn, stored_once(fn, without_casts(fn, r)));
}

/* What the value is said to be a multiple of, by a comparison that dominates the launch: `assert(n % 128 == 0)`. */
static int64_t divisor_of(const struct site *s, cw_ref value) {
    for (uint32_t k = 0; k < s->equal.n; k++) {
        const struct cw_ins *i = cw_ins_of(s->host, s->equal.at[k].value);
        int64_t by;
        bool remainder = i && (i->op == CW_OP_SREM || i->op == CW_OP_UREM || i->op == CW_OP_AND);
        if (!remainder || s->equal.at[k].constant != 0 || !cw_ref_const(s->host, cw_arg(s->host, i, 1), &by) ||
            !cw_ref_eq(origin_of(s->host, cw_arg(s->host, i, 0)), value))
            continue;
        bool is_mask = i->op == CW_OP_AND; /* n & 127 */
        if (by < 1 || by > DIVISOR_MAX - is_mask)
            continue;
        by += is_mask;
        if (by > 1 && (!is_mask || (by & (by - 1)) == 0))
            return by;
    }
    return 1;
}

static int64_t magnitude(int64_t value) {
    return value == INT64_MIN ? INT64_MAX / 2 + 1 : value < 0 ? -value : value; /* of 2^63 any lesser power serves */
}

static int64_t common_divisor(int64_t a, int64_t b) {
    for (a = magnitude(a), b = magnitude(b); b != 0;) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* A number, at least 1, of which the host computes a multiple: `n * 1024`, `n << 5`, `n & ~31`, sums of such. */
static int64_t factor_of(const struct site *s, cw_ref r, int depth) {
    r = origin_of(s->host, r);
    const struct cw_ins *i = cw_ins_of(s->host, r);
    int64_t value, told = divisor_of(s, r);
    if (cw_ref_const(s->host, r, &value))
        return value ? magnitude(value) : DIVISOR_MAX;
    if (!i || depth == 0 || i->narg != 2)
        return told;
    bool is_const = cw_ref_const(s->host, cw_arg(s->host, i, 1), &value);
    int64_t a = factor_of(s, cw_arg(s->host, i, 0), depth - 1), b = factor_of(s, cw_arg(s->host, i, 1), depth - 1);
    int64_t made = 1;
    if (i->op == CW_OP_MUL)
        made = a > DIVISOR_MAX || b > DIVISOR_MAX ? larger(a, b) : a * b;
    else if (i->op == CW_OP_SHL && is_const && value >= 0 && value < 31)
        made = a > DIVISOR_MAX ? a : a << value;
    else if (i->op == CW_OP_ADD || i->op == CW_OP_SUB)
        made = common_divisor(a, b);
    else if (i->op == CW_OP_AND && is_const && value)
        made = value & -value;
    return larger(made, told);
}

/* The largest divisor of the factor that samples can be multiples of. */
static int64_t usable(int64_t factor) {
    while (factor > DIVISOR_MAX && factor % 2 == 0)
        factor /= 2;
    return factor > DIVISOR_MAX ? 1 : factor;
}


/* The range that the argument's expression has by itself (`min(n, 8)`, `n & 7`), and that dominating comparisons leave. */
static struct bound range_of(const struct site *s, cw_ref r, int depth) {
    struct bound out = {.least = INT64_MIN, .most = INT64_MAX};
    r = origin_of(s->host, r);
    const struct cw_ins *i = cw_ins_of(s->host, r);
    int64_t constant;
    if (cw_ref_const(s->host, r, &constant))
        return (struct bound){.least = constant, .most = constant};
    if (depth > 0 && i && (i->op == CW_OP_SMIN || i->op == CW_OP_SMAX)) {
        struct bound a = range_of(s, cw_arg(s->host, i, 0), depth - 1);
        struct bound b = range_of(s, cw_arg(s->host, i, 1), depth - 1);
        int64_t (*pick)(int64_t, int64_t) = i->op == CW_OP_SMIN ? smaller : larger;
        out.least = pick(a.least, b.least);
        out.most = pick(a.most, b.most);
    } else if (i && i->op == CW_OP_AND && cw_ref_const(s->host, cw_arg(s->host, i, 1), &constant) && constant >= 0) {
        out.least = 0;
        out.most = constant;
    }
    for (uint32_t k = 0; k < s->nbound; k++) {
        if (!cw_ref_eq(origin_of(s->host, s->bound[k].value), r))
            continue;
        out.least = larger(out.least, s->bound[k].least);
        out.most = smaller(out.most, s->bound[k].most);
    }
    return out;
}

static void read_args(struct site *s, struct cw_launch *l, struct cw_arena *a) {
    l->nargs = s->launch->narg - CW_LAUNCH_ARGS;
    l->args = cw_arena_alloc(a, sizeof *l->args * l->nargs);
    for (uint32_t k = 0; k < l->nargs; k++) {
        cw_ref arg = cw_arg(s->host, s->launch, CW_LAUNCH_ARGS + k);
        bool integer = cw_type_is_int(cw_ref_type(s->host, arg));
        l->args[k].known = integer && value_of_operand(s, CW_LAUNCH_ARGS + k, &l->args[k].value);
        l->args[k].divisor = integer && !l->args[k].known ? usable(factor_of(s, arg, RANGE_DEPTH)) : 1;
        struct bound range = {.least = INT64_MIN, .most = INT64_MAX};
        if (integer && !l->args[k].known)
            range = range_of(s, arg, RANGE_DEPTH);
        bool is_empty = range.least > range.most; /* contradictory checks: the launch never happens */
        l->args[k].likely = false;
        l->args[k].least = is_empty ? INT64_MIN : range.least;
        l->args[k].most = is_empty ? INT64_MAX : range.most;
    }
}

static void add_site(struct site *s, struct cw_launch_list *list) {
    struct cw_launch l = {.source = CW_LAUNCH_SITE, .span = s->host->locs.at[s->launch->loc].span,
                          .cooperative = (s->launch->flags & CW_INS_COOPERATIVE) != 0};
    int64_t bytes;
    s->ways = 0;
    if (dimensions(s, 3, l.block)) {
        s->ways = 0; /* what the rest lacks is left unknown */
        l.grid_known = dimensions(s, 0, l.grid);
        l.dynamic_known = value_of_operand(s, 6, &bytes) && bytes >= 0;
        l.dynamic_shared = l.dynamic_known ? (uint64_t)bytes : 0;
        read_args(s, &l, list->arena);
        l.exact_cover_param = exact_cover(s, &l);
        if (!l.grid_known)
            read_grid(s, &l);
        cw_launch_add(list, &l);
        return;
    }
    struct choice open = s->wanted;
    uint32_t ways = s->ways;
    list->incomplete |= ways == 0;
    for (uint32_t w = 0; w < ways; w++) {
        open.way = w;
        s->choice[s->nchoice++] = open;
        add_site(s, list); /* at most CHOICES_MAX deep */
        s->nchoice--;
    }
}

/* Does a launch of `callee` run this kernel? A pattern is run by the launches of its instantiations. */
static bool is_launch_of(const struct cw_module *m, const char *callee, const struct cw_fn *kernel) {
    if (callee == kernel->key || callee == kernel->pattern_key)
        return true;
    const struct cw_fn *fn = cw_module_find(m, callee);
    return fn && fn->pattern_key && fn->pattern_key == kernel->key;
}

static const struct cw_ins *next_in_block(struct cw_launch_walk *w, const struct cw_fn *host) {
    const struct cw_vec_u32 *list = &host->blocks.at[w->block].ins;
    while (w->at < list->n && host->cfg->rpo_index[w->block] != CW_NO_BLOCK) {
        const struct cw_ins *i = &host->ins.at[list->at[w->at++]];
        if (i->op == CW_OP_LAUNCH && i->narg >= CW_LAUNCH_ARGS && !(i->flags & CW_INS_SUPERSEDED) &&
            is_launch_of(w->module, host->callees.at[i->aux], w->kernel))
            return i;
    }
    return NULL;
}

const struct cw_ins *cw_launch_next(struct cw_launch_walk *w) {
    for (; w->fn < w->module->fns.n; w->fn++, w->block = w->at = 0) {
        w->host = w->module->fns.at[w->fn];
        for (; w->host->cfg && w->block < w->host->blocks.n; w->block++, w->at = 0) {
            const struct cw_ins *launch = next_in_block(w, w->host);
            if (launch)
                return launch;
        }
    }
    return NULL;
}

void cw_launch_add_sites(struct cw_launch_list *list, const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    for (const struct cw_ins *i; (i = cw_launch_next(&w));) {
        struct site s = {.host = w.host, .launch = i};
        find_equalities(&s);
        add_site(&s, list);
    }
}

/* The argument that is the block's extent at this launch, as in `k<<<blocks, n>>>(data, n)`: its number + 1, else 0. */
static uint32_t extent_argument(const struct cw_fn *host, const struct cw_ins *launch) {
    cw_ref x = without_casts(host, cw_arg(host, launch, 3));
    int64_t y, z;
    if (x.tag == CW_REF_CONST || !cw_ref_const(host, cw_arg(host, launch, 4), &y) || y != 1 ||
        !cw_ref_const(host, cw_arg(host, launch, 5), &z) || z != 1)
        return 0;
    for (uint32_t k = CW_LAUNCH_ARGS; k < launch->narg; k++)
        if (cw_ref_eq(without_casts(host, cw_arg(host, launch, k)), x))
            return k - CW_LAUNCH_ARGS + 1;
    return 0;
}

uint32_t cw_launch_dimensions(const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    uint32_t most = 0;
    for (const struct cw_ins *i; (i = cw_launch_next(&w));) {
        struct site s = {.host = w.host, .launch = i};
        find_equalities(&s);
        for (uint32_t d = 3; d > most; d--) {
            int64_t extent;
            if (d == 1 || !value_of_operand(&s, 2 + d, &extent) || extent != 1)
                most = d;
        }
    }
    return most ? most : 3;
}

uint32_t cw_launch_extent_param(const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    const struct cw_ins *i = cw_launch_next(&w);
    uint32_t param = i ? extent_argument(w.host, i) : 0;
    while (param && (i = cw_launch_next(&w)))
        if (extent_argument(w.host, i) != param)
            param = 0;
    return param;
}


static void keep_equal(struct cw_launch *common, const struct cw_launch *other) {
    for (uint32_t k = 0; k < common->nargs; k++) {
        struct cw_launch_arg *c = &common->args[k], o = k < other->nargs ? other->args[k] : cw_launch_arg_unknown;
        int64_t divisor = common_divisor(c->known ? c->value : c->divisor, o.known ? o.value : o.divisor);
        c->least = smaller(c->known ? c->value : c->least, o.known ? o.value : o.least);
        c->most = larger(c->known ? c->value : c->most, o.known ? o.value : o.most);
        bool is_told = c->known || c->likely, is_told_too = o.known || o.likely, is_equal = c->value == o.value;
        c->likely = is_told && is_told_too ? is_equal : is_told || is_told_too;
        c->value = is_told ? c->value : o.value;
        c->known = c->known && o.known && is_equal;
        c->likely &= !c->known;
        c->divisor = c->known || divisor < 1 || divisor > DIVISOR_MAX ? 1 : divisor;
    }
}

static bool says_nothing(const struct cw_launch_arg *a) {
    return !a->known && !a->likely && a->divisor == 1 && a->least == INT64_MIN && a->most == INT64_MAX;
}

/* The arguments of one launch, merged into what all before it have in common. */
static void merge_args(struct cw_launch *common, bool is_first, const struct cw_fn *host, const struct cw_ins *launch,
                       struct cw_arena *a) {
    struct site s = {.host = host, .launch = launch};
    struct cw_launch here = {0};
    find_equalities(&s);
    read_args(&s, &here, a);
    if (is_first)
        *common = here;
    else
        keep_equal(common, &here);
}

void cw_launch_common_args(const struct cw_module *m, const struct cw_fn *kernel, struct cw_arena *a,
                           struct cw_launch *common) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    bool is_first = true;
    for (const struct cw_ins *i; (i = cw_launch_next(&w)); is_first = false)
        merge_args(common, is_first, w.host, i, a);
    while (common->nargs && says_nothing(&common->args[common->nargs - 1]))
        common->nargs--;
}
