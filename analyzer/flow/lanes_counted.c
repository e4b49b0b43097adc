/* Counted loops: one exit, and that decided by a counter against a bound, so that the number of trips is arithmetic and
 * iteration 900 needs none of the 899 before it.
 *
 * requires: inductions. computes: per thread how often the header runs once the thread has entered, or nothing when it
 * cannot be said for every thread (an unknown bound, a counter that would wrap, an exit that is not met in each trip).
 */
#include "flow/lanes_internal.h"

#include "ir/algebra.h"

enum { RUNS_MAX = 1 << 30 };

/* The decision to stay: `counter + ahead * step  op  bound`. */
struct stay {
    const struct cw_induction *counter;
    cw_ref bound;
    enum cw_op op;
    uint32_t ahead; /* 1: the test sees the next value */
};

static cw_ref unwidened(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    return i && (i->op == CW_OP_SEXT || i->op == CW_OP_COPY) ? cw_arg(fn, i, 0) : r;
}

/* Is `r` a counter of the loop, or its next value? Steps that go through a narrowing cast have wrapped already. */
static bool match_counter(const struct cw_lanes *l, uint32_t loop, cw_ref r, struct stay *s) {
    const struct cw_cfg *cfg = l->fn->cfg;
    r = unwidened(l->fn, r);
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    if (!i || i->op == CW_OP_TRUNC)
        return false;
    for (uint32_t k = 0; k < cfg->loops.at[loop].inductions.n; k++) {
        s->counter = &cfg->inductions.at[cfg->loops.at[loop].inductions.at[k]];
        s->ahead = cw_ref_eq(s->counter->next, r);
        if ((s->counter->op == CW_OP_ADD || s->counter->op == CW_OP_SUB) &&
            (s->ahead || cw_ref_eq(cw_ref_ins(s->counter->phi), r)))
            return true;
    }
    return false;
}

static bool match_stay(const struct cw_lanes *l, uint32_t loop, struct stay *s) {
    const struct cw_edge exit = l->fn->cfg->loops.at[loop].exits.at[0];
    const struct cw_jump *j = &l->fn->blocks.at[exit.block].jump;
    const struct cw_ins *c = j->kind == CW_JUMP_BRANCH ? cw_ins_of(l->fn, j->value) : NULL;
    if (!c || !cw_is_compare(c->op) || cw_ref_type(l->fn, cw_arg(l->fn, c, 0)) == CW_PTR)
        return false;
    for (uint32_t side = 0; side < 2; side++) {
        s->bound = cw_arg(l->fn, c, 1 - side);
        s->op = side ? cw_algebra_mirrored(c->op) : c->op;
        if (exit.which == 0)
            s->op = cw_algebra_negated(s->op);
        if (match_counter(l, loop, cw_arg(l->fn, c, side), s) && cw_cfg_is_invariant(l->fn, loop, s->bound))
            return true;
    }
    return false;
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* How often `first + k * step op bound` holds from k = 0 on; -1 when it never stops. */
static int64_t holds(enum cw_op op, int64_t first, int64_t step, int64_t bound) {
    switch (op) {
    case CW_OP_SLE:
    case CW_OP_ULE:
        return holds(CW_OP_SLT, first, step, bound + 1);
    case CW_OP_SGT:
    case CW_OP_UGT:
        return holds(CW_OP_SLT, -first, -step, -bound);
    case CW_OP_SGE:
    case CW_OP_UGE:
        return holds(CW_OP_SLT, -first, -step, -bound + 1);
    case CW_OP_EQ:
        return first != bound ? 0 : step ? 1 : -1;
    case CW_OP_NE:
        if (first == bound)
            return 0;
        return step && (bound - first) % step == 0 && (bound - first) / step > 0 ? (bound - first) / step : -1;
    default:
        return first >= bound ? 0 : step > 0 ? ceil_div(bound - first, step) : -1;
    }
}

static bool is_within(int64_t v, enum cw_type type, enum cw_op op) {
    unsigned bits = cw_type_bits(type);
    int64_t top = bits >= 32 ? INT32_MAX : (INT64_C(1) << (bits - 1)) - 1;
    bool is_unsigned = op >= CW_OP_ULT && op <= CW_OP_UGE;
    return v <= top && v >= (is_unsigned ? 0 : -top - 1);
}

/* Header runs of one thread, or -1. Numbers are small enough that nothing wraps, in either reading of the sign. */
static int64_t runs_of(const struct stay *s, enum cw_type type, struct cw_cell init, struct cw_cell step,
                       struct cw_cell bound) {
    if (!cw_cell_numeric(init) || !cw_cell_numeric(step) || !cw_cell_numeric(bound) || cw_type_bits(type) < 8)
        return -1;
    int64_t by = s->counter->op == CW_OP_SUB ? -step.value : step.value;
    if (!is_within(init.value, type, s->op) || !is_within(by, CW_I32, CW_OP_SLT) ||
        !is_within(bound.value, CW_I32, s->op))
        return -1;
    int64_t first = init.value + (s->ahead ? by : 0), n = holds(s->op, first, by, bound.value);
    if (n < 0 || n >= RUNS_MAX || !is_within(first + n * by, type, s->op) || !is_within(first, type, s->op))
        return -1;
    return n + 1;
}

/* The exit is met in every trip: in the header, or in a block that always follows it. */
static bool is_met(struct cw_lanes *l, uint32_t loop) {
    const struct cw_loop *lp = &l->fn->cfg->loops.at[loop];
    uint32_t at = lp->exits.n == 1 ? lp->exits.at[0].block : CW_NO_BLOCK;
    return at != CW_NO_BLOCK && l->fn->cfg->loop_of[at] == loop &&
           (at == lp->header || cw_lanes_always_follows(l, lp->header, at));
}

static const struct cw_lv *count(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer) {
    struct stay s;
    if (!is_met(l, loop) || !match_stay(l, loop, &s))
        return NULL;
    const struct cw_context *first = cw_lanes_context(l, outer, loop, 0);
    const struct cw_lv *args[3] = {cw_lv_of(l, s.counter->init, first->outer), cw_lv_of(l, s.counter->step, first),
                                   cw_lv_of(l, s.bound, first)};
    enum cw_type type = l->fn->ins.at[s.counter->phi].type;
    uint32_t n = args[0]->mask || args[1]->mask || args[2]->mask ? l->threads : 1;
    for (uint32_t t = 0; t < n; t++) {
        l->value[t] = runs_of(&s, type, cw_lv_cell(args[0], t), cw_lv_cell(args[1], t), cw_lv_cell(args[2], t));
        l->known[t] = CW_NUMBER;
        if (l->value[t] < 0)
            return NULL;
    }
    return cw_lv_seal(l, n, false);
}

const struct cw_lv *cw_lanes_counted(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer) {
    uint64_t key = cw_mix(cw_mix(3, cw_context_id(outer)), loop), found;
    if (l->fn->cfg->is_irreducible || l->exhausted)
        return NULL;
    if (cw_map_get(&l->runs, key, &found))
        return (const struct cw_lv *)(uintptr_t)found;
    cw_map_put(&l->runs, key, 0); /* while counting: a bound that depends on the loop itself is not counted */
    const struct cw_lv *runs = count(l, loop, outer);
    cw_map_put(&l->runs, key, (uint64_t)(uintptr_t)runs);
    return runs;
}
