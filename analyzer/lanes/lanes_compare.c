/* Comparisons: decided by numbers, by equal tokens, by ranges; else a formula in a normal form, so that `i < n`, `n >
 * i` and `!(i >= n)` are one unknown. */
#include "lanes/lanes_internal.h"

#include <string.h>

enum { CASES_MAX = 128 };

bool cw_is_compare(enum cw_op op) {
    return op >= CW_OP_EQ && op <= CW_OP_UGE;
}

static bool is_unsigned(enum cw_op op) {
    return op >= CW_OP_ULT;
}

/* ---- a token among numbers ---- */

/* One token's comparisons with numbers, `x < k`, in rising order of k. A new one lies between its neighbours: what is
 * less than the one below is less than k, what is less than k is less than the one above. So `v > 10` implies `v > 0`.
 * Nearly all tokens, one per thread, meet one number or two: most have a small table. */
struct mark {
    int64_t number;
    uint32_t formula;
};

struct scale {
    uint32_t n, cap;
    struct mark *at, few[2];
};

static struct scale *scale_of(struct cw_lanes *l, int64_t token, bool is_unsigned) {
    uint64_t key = cw_mix((uint64_t)token, is_unsigned), found;
    if (cw_map_get(&l->chains, key, &found))
        return (struct scale *)(uintptr_t)found;
    struct scale *scale = CW_NEW(l->a, struct scale);
    scale->at = scale->few;
    scale->cap = sizeof scale->few / sizeof scale->few[0];
    cw_map_put(&l->chains, key, (uint64_t)(uintptr_t)scale);
    return scale;
}

/* Unsigned numbers are ordered as such. */
static bool is_below(int64_t a, int64_t b, bool is_unsigned) {
    return is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

/* Makes room for one more at k. */
static void insert(struct scale *scale, uint32_t k, struct mark mark, struct cw_arena *a) {
    if (scale->n == scale->cap)
        scale->at = cw_vec_grow(a, scale->at, scale->n, &scale->cap, sizeof *scale->at);
    memmove(&scale->at[k + 1], &scale->at[k], (scale->n - k) * sizeof *scale->at);
    scale->at[k] = mark;
    scale->n++;
}

static uint32_t less_than_number(struct cw_lanes *l, int64_t token, int64_t number, bool is_unsigned,
                                 enum cw_state known) {
    struct scale *scale = scale_of(l, token, is_unsigned);
    uint32_t k = 0;
    while (k < scale->n && is_below(scale->at[k].number, number, is_unsigned))
        k++;
    if (k < scale->n && scale->at[k].number == number)
        return scale->at[k].formula;
    if (scale->n == CASES_MAX)
        return CW_BDD_POISON;
    uint64_t name = cw_mix(cw_mix(is_unsigned ? CW_OP_ULT : CW_OP_SLT, (uint64_t)token), (uint64_t)number);
    uint32_t below = k > 0 ? scale->at[k - 1].formula : CW_BDD_FALSE,
             above = k < scale->n ? scale->at[k].formula : CW_BDD_TRUE;
    uint32_t f = cw_bdd_and(&l->f, above, cw_bdd_var(&l->f, name, (uint8_t)known));
    f = cw_bdd_or(&l->f, below, f);
    insert(scale, k, (struct mark){number, f}, l->a);
    return f;
}

/* `x == k` is `x < k + 1` and not `x < k`; there is nothing above the largest number. */
uint32_t cw_lanes_equals(struct cw_lanes *l, int64_t token, int64_t number, enum cw_state known) {
    uint32_t below = less_than_number(l, token, number, false, known), next = CW_BDD_TRUE;
    if (number != INT64_MAX)
        next = less_than_number(l, token, number + 1, false, known);
    return cw_bdd_and(&l->f, next, cw_bdd_not(below));
}

static uint8_t known_of(struct cw_cell a, struct cw_cell b) {
    struct cw_cell both[2] = {a, b};
    return cw_unknown_of(both, 2);
}

static uint32_t equal(struct cw_lanes *l, enum cw_type type, struct cw_cell a, struct cw_cell b) {
    uint32_t f;
    if (type == CW_I1)
        return cw_bdd_not(cw_bdd_xor(&l->f, cw_cell_formula(a), cw_cell_formula(b)));
    if (cw_cell_numeric(a)) {
        struct cw_cell swap = a;
        a = b;
        b = swap;
    }
    if (cw_cell_numeric(b)) {
        if (cw_cell_truth(l, a, &f))
            return b.value == 1 ? f : b.value == 0 ? cw_bdd_not(f) : CW_BDD_FALSE;
        return cw_lanes_equals(l, a.value, b.value, (enum cw_state)known_of(a, b));
    }
    uint64_t x = cw_cell_hash(3, a), y = cw_cell_hash(3, b);
    return cw_bdd_var(&l->f, cw_mix(cw_mix(CW_OP_EQ + 1000, x < y ? x : y), x < y ? y : x), known_of(a, b));
}

/* ---- order ---- */

/* a < b for tokens and at most one number; `x <= k` is kept as `x < k + 1`. */
static uint32_t less(struct cw_lanes *l, enum cw_op op, struct cw_cell a, struct cw_cell b) {
    uint32_t negate = 0;
    int64_t top = op == CW_OP_SLT ? INT64_MAX : -1; /* unsigned: k + 1 would wrap at the largest */
    if (cw_cell_numeric(a) && a.value != top && a.value != INT32_MAX) { /* k < x: not x < k + 1 */
        struct cw_cell next = {a.known, a.value + 1};
        a = b;
        b = next;
        negate = 1;
    }
    uint64_t name = cw_cell_hash(cw_cell_hash((uint64_t)op, a), b);
    uint32_t f = !cw_cell_numeric(a) && cw_cell_numeric(b)
                     ? less_than_number(l, a.value, b.value, op == CW_OP_ULT, (enum cw_state)known_of(a, b))
                     : cw_bdd_var(&l->f, name, known_of(a, b));
    return negate ? cw_bdd_not(f) : f;
}

static uint32_t order(struct cw_lanes *l, enum cw_op op, struct cw_cell a, struct cw_cell b) {
    switch (op) {
    case CW_OP_SLT: return less(l, CW_OP_SLT, a, b);
    case CW_OP_SGT: return less(l, CW_OP_SLT, b, a);
    case CW_OP_SGE: return cw_bdd_not(less(l, CW_OP_SLT, a, b));
    case CW_OP_SLE: return cw_bdd_not(less(l, CW_OP_SLT, b, a));
    case CW_OP_ULT: return less(l, CW_OP_ULT, a, b);
    case CW_OP_UGT: return less(l, CW_OP_ULT, b, a);
    case CW_OP_UGE: return cw_bdd_not(less(l, CW_OP_ULT, a, b));
    case CW_OP_ULE: return cw_bdd_not(less(l, CW_OP_ULT, b, a));
    default: return CW_BDD_POISON;
    }
}

static bool holds_for_equals(enum cw_op op) {
    return op == CW_OP_EQ || op == CW_OP_SLE || op == CW_OP_SGE || op == CW_OP_ULE || op == CW_OP_UGE;
}

struct cw_cell cw_cell_compare(struct cw_lanes *l, enum cw_op op, enum cw_type type, struct cw_cell a,
                               struct cw_cell b) {
    if (cw_cell_numeric(a) && cw_cell_numeric(b)) {
        struct cw_cell args[2] = {a, b};
        return cw_cell_op(l, op, type == CW_PTR ? CW_I64 : type, CW_I1, args, 2);
    }
    if (cw_cell_same(a, b))
        return (struct cw_cell){CW_NUMBER, holds_for_equals(op)};
    if ((!cw_cell_numeric(a) && a.value == CW_NO_TOKEN) || (!cw_cell_numeric(b) && b.value == CW_NO_TOKEN))
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    uint32_t f = op == CW_OP_EQ ? equal(l, type, a, b)
                 : op == CW_OP_NE ? cw_bdd_not(equal(l, type, a, b))
                                  : order(l, op, a, b);
    return cw_bdd_cell(l, f);
}

/* ---- ranges ---- */

static struct cw_range narrowed(struct cw_range r, struct cw_cell c) {
    return cw_cell_numeric(c) ? (struct cw_range){c.value, c.value} : r;
}

/* 1 true, 0 false, -1 the ranges overlap. Unsigned order is that of signed numbers only where none is negative. */
static int by_range(enum cw_op op, struct cw_range a, struct cw_range b) {
    if (is_unsigned(op) && (a.lo < 0 || b.lo < 0))
        return -1;
    switch (op) {
    case CW_OP_EQ: return a.hi < b.lo || b.hi < a.lo ? 0 : -1;
    case CW_OP_NE: return a.hi < b.lo || b.hi < a.lo ? 1 : -1;
    case CW_OP_SLT:
    case CW_OP_ULT: return a.hi < b.lo ? 1 : a.lo >= b.hi ? 0 : -1;
    case CW_OP_SGT:
    case CW_OP_UGT: return a.lo > b.hi ? 1 : a.hi <= b.lo ? 0 : -1;
    case CW_OP_SLE:
    case CW_OP_ULE: return a.hi <= b.lo ? 1 : a.lo > b.hi ? 0 : -1;
    case CW_OP_SGE:
    case CW_OP_UGE: return a.lo >= b.hi ? 1 : a.hi < b.lo ? 0 : -1;
    default: return -1;
    }
}

/* ---- comparisons a sample should not decide ---- */

/* `mode == 2` for a parameter: a generic value never equals anything, yet both sides of the branch are real. Such a
 * comparison is left open, one unknown for the whole block. Those that end loops are decided, or loops would not end.
 */
bool cw_lanes_is_open(const struct cw_lane_value *a, const struct cw_lane_value *b) {
    return !a->mask && !b->mask && a->worst <= CW_SAMPLE && b->worst <= CW_SAMPLE &&
           (a->worst == CW_SAMPLE || b->worst == CW_SAMPLE);
}

static void mark_deciders(struct cw_lanes *l, cw_ref r, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    if (!i || depth == 0 || cw_bitset_has(&l->decides, r.index))
        return;
    cw_bitset_add(&l->decides, r.index);
    if (i->type == CW_I1 && !cw_is_compare(i->op))
        for (uint32_t k = 0; k < i->narg; k++)
            mark_deciders(l, cw_arg(l->fn, i, k), depth - 1);
}

static void find_deciders(struct cw_lanes *l) {
    const struct cw_cfg *cfg = l->fn->cfg;
    l->decides = cw_bitset_new(l->a, l->fn->ins.n);
    for (uint32_t k = 0; k < cfg->loops.n; k++)
        for (uint32_t x = 0; x < cfg->loops.at[k].exits.n; x++)
            mark_deciders(l, l->fn->blocks.at[cfg->loops.at[k].exits.at[x].block].jump.value, 12);
}

/* Two reads of `p.mode` are one unknown: what is sampled was read from a fixed place that nobody writes. */
static uint64_t name_of_unknown(struct cw_lanes *l, cw_ref r, const struct cw_context *c) {
    const struct cw_ins *def = cw_ins_of(l->fn, r);
    uint64_t place;
    if (def && def->op == CW_OP_LOAD && cw_lanes_fixed_place(l, cw_arg(l->fn, def, 0), &place))
        return cw_mix(cw_mix(CW_OP_LOAD, def->type), place);
    return cw_lanes_name(r, def ? cw_context_at(l, c, def->block) : NULL);
}

static const struct cw_lane_value *open_equality(struct cw_lanes *l, const struct cw_ins *i, const struct cw_context *c,
                                         const struct cw_lane_value *const *args) {
    bool first = args[0]->worst == CW_SAMPLE;
    cw_ref unknown = cw_arg(l->fn, i, first ? 0 : 1), other = cw_arg(l->fn, i, first ? 1 : 0);
    const struct cw_lane_value *ov = args[first ? 1 : 0];
    uint64_t name = name_of_unknown(l, unknown, c);
    uint32_t f;
    if (ov->worst == CW_NUMBER)
        f = cw_lanes_equals(l, cw_token(name), ov->value[0], CW_FREE);
    else
        f = cw_bdd_var(&l->f, cw_mix(name, cw_lanes_name(other, c)), CW_FREE);
    return f == CW_BDD_POISON ? NULL : cw_lane_value_one(l, cw_bdd_cell(l, i->op == CW_OP_NE ? cw_bdd_not(f) : f));
}

/* ---- pointers ---- */

static bool is_absolute(struct cw_lane_base b) {
    return b.root.tag == CW_REF_CONST;
}

/* Objects have addresses; whether a parameter is null is one question however far it was advanced. */
static struct cw_cell compare_bases(struct cw_lanes *l, enum cw_op op, struct cw_lane_base a, struct cw_lane_base b) {
    if (a.token == CW_NO_TOKEN || b.token == CW_NO_TOKEN || (op != CW_OP_EQ && op != CW_OP_NE))
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    bool objects = (a.root.tag == CW_REF_OBJECT || is_absolute(a)) && (b.root.tag == CW_REF_OBJECT || is_absolute(b));
    if (objects)
        return (struct cw_cell){CW_NUMBER, op == CW_OP_NE};
    uint64_t x = (uint64_t)a.token, y = (uint64_t)b.token;
    bool input = (a.root.tag == CW_REF_PARAM || is_absolute(a)) && (b.root.tag == CW_REF_PARAM || is_absolute(b));
    uint32_t f = cw_bdd_var(&l->f, cw_mix(cw_mix(CW_OP_EQ + 2000, x < y ? x : y), x < y ? y : x),
                                input ? CW_FREE : CW_OPAQUE);
    return cw_bdd_cell(l, op == CW_OP_NE ? cw_bdd_not(f) : f);
}

static struct cw_cell compare_pointers(struct cw_lanes *l, enum cw_op op, const struct cw_lane_value *p,
                                       const struct cw_lane_value *q, uint32_t t) {
    struct cw_lane_base a = cw_lane_value_base(p, t), b = cw_lane_value_base(q, t);
    if (a.token == b.token && a.token != CW_NO_TOKEN)
        return cw_cell_compare(l, op, CW_I64, cw_lane_value_cell(p, t), cw_lane_value_cell(q, t));
    return compare_bases(l, op, a, b);
}

/* ---- all threads ---- */

static struct cw_cell compare_one(struct cw_lanes *l, const struct cw_ins *i, enum cw_type type,
                                  const struct cw_lane_value *const *args, const struct cw_range *range, uint32_t t) {
    if (args[0]->base && args[1]->base)
        return compare_pointers(l, i->op, args[0], args[1], t);
    struct cw_cell a = cw_lane_value_cell(args[0], t), b = cw_lane_value_cell(args[1], t);
    if (!cw_cell_numeric(a) || !cw_cell_numeric(b)) {
        int r = by_range(i->op, narrowed(range[0], a), narrowed(range[1], b));
        if (r >= 0)
            return (struct cw_cell){CW_NUMBER, r};
    }
    return cw_cell_compare(l, i->op, type, a, b);
}

/* A block's index and the grid's extent in one dimension: unknown both, but never equal. */
static bool is_index_and_extent(cw_ref a, cw_ref b) {
    return a.tag == CW_REF_SREG && b.tag == CW_REF_SREG && a.index >= CW_CTAID_X && a.index <= CW_CTAID_Z &&
           b.index == a.index - CW_CTAID_X + CW_NCTAID_X;
}

const struct cw_lane_value *cw_lanes_compare(struct cw_lanes *l, uint32_t ins, const struct cw_context *c) {
    const struct cw_ins *i = &l->fn->ins.at[ins];
    enum cw_type type = cw_ref_type(l->fn, cw_arg(l->fn, i, 0));
    const struct cw_lane_value *args[2] = {cw_lane_value_of(l, cw_arg(l->fn, i, 0), c),
                                           cw_lane_value_of(l, cw_arg(l->fn, i, 1), c)};
    if (!l->decides.word)
        find_deciders(l);
    bool may_open = (i->op == CW_OP_EQ || i->op == CW_OP_NE) && type != CW_PTR && !cw_bitset_has(&l->decides, ins);
    cw_ref left = cw_arg(l->fn, i, 0), right = cw_arg(l->fn, i, 1);
    may_open &= !is_index_and_extent(left, right) && !is_index_and_extent(right, left);
    const struct cw_lane_value *open =
        may_open && cw_lanes_is_open(args[0], args[1]) ? open_equality(l, i, c, args) : NULL;
    if (open)
        return open;
    uint32_t threads = args[0]->mask || args[1]->mask ? l->threads : 1;
    bool numbers = !args[0]->base && !args[1]->base && args[0]->worst <= CW_SAMPLE && args[1]->worst <= CW_SAMPLE;
    if (numbers && cw_lanes_fold(l, i->op, type, CW_I1, args, 2, threads))
        return cw_lane_value_seal_folded(l, threads, false);
    struct cw_range range[2] = {cw_lanes_range(l, left), cw_lanes_range(l, right)};
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell r = compare_one(l, i, type, args, range, t);
        l->known[t] = r.known;
        l->value[t] = r.value;
    }
    return cw_lane_value_seal(l, threads, false);
}
