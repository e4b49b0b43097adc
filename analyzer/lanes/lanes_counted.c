/* Counted loops: one exit, and that decided by a counter against a bound, so that the number of trips is arithmetic
 * and iteration 900 needs none of the 899 before it. Where the decision compares what is computed from counters, and
 * that only rises or only falls, the iteration in which a thread leaves is found by bisection.
 *
 * requires: inductions. computes: per thread how often the header runs once the thread has entered, or nothing when
 * it cannot be said for every thread (an unknown bound, a counter that would wrap, an exit that is not met in each
 * trip).
 */
#include "lanes/lanes_internal.h"

#include "ir/algebra.h"

enum {
    RUNS_MAX = 1 << 30,
    SEARCHED_MAX = 1 << 20, /* trips of a loop whose end is searched for */
    PROBES_MAX = 160,       /* iterations looked at for that */
    DEPTH = 12              /* operations between a comparison and the counters */
};

/* The decision to stay: `counter + ahead * step  op  bound`. */
struct stay {
    const struct cw_induction *counter;
    cw_ref bound;
    enum cw_op op;
    uint32_t ahead; /* 1: the test sees the next value */
};

/* The same in every iteration: made of what the loop leaves alone, and of loads at such places from memory that nobody
 * writes meanwhile. `first`: the context of the first iteration. */
static bool is_steady(struct cw_lanes *l, uint32_t loop, cw_ref r, const struct cw_context *first, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    if (!i || !cw_cfg_in_loop(l->fn->cfg, loop, i->block))
        return true;
    bool is_load = i->op == CW_OP_LOAD;
    if ((!is_load && !(cw_op_flags(i->op) & CW_OP_P)) || i->op == CW_OP_PHI || i->op == CW_OP_GROUP || depth == 0)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_steady(l, loop, cw_arg(l->fn, i, k), first, depth - 1))
            return false;
    return !is_load || cw_lanes_load_is_steady(l, r.index, first);
}

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

static bool match_stay(struct cw_lanes *l, uint32_t loop, const struct cw_context *first, struct stay *s) {
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
        if (match_counter(l, loop, cw_arg(l->fn, c, side), s) && is_steady(l, loop, s->bound, first, DEPTH))
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
    if (n < 0 || n >= RUNS_MAX || !is_within(first + n * by, type, s->op))
        return -1; /* the last value is the farthest from `init`, so the others are within as well */
    return n + 1;
}

/* The exit is met in every trip: in the header, or in a block that always follows it. */
static bool is_met(struct cw_lanes *l, uint32_t loop) {
    const struct cw_loop *lp = &l->fn->cfg->loops.at[loop];
    uint32_t at = lp->exits.n == 1 ? lp->exits.at[0].block : CW_NO_BLOCK;
    return at != CW_NO_BLOCK && l->fn->cfg->loop_of[at] == loop &&
           (at == lp->header || cw_cfg_always_follows(l->fn, lp->header, at));
}

static const struct cw_lane_value *count(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer) {
    struct stay s;
    const struct cw_context *first = cw_lanes_context(l, outer, loop, 0);
    if (!is_met(l, loop) || !match_stay(l, loop, first, &s))
        return NULL;
    const struct cw_lane_value *args[3] = {cw_lane_value_of(l, s.counter->init, first->outer),
                                           cw_lane_value_of(l, s.counter->step, first),
                                           cw_lane_value_of(l, s.bound, first)};
    enum cw_type type = l->fn->ins.at[s.counter->phi].type;
    uint32_t n = args[0]->mask || args[1]->mask || args[2]->mask ? l->threads : 1;
    for (uint32_t t = 0; t < n; t++) {
        l->value[t] = runs_of(&s, type, cw_lane_value_cell(args[0], t), cw_lane_value_cell(args[1], t),
                              cw_lane_value_cell(args[2], t));
        l->known[t] = CW_NUMBER;
        if (l->value[t] < 0)
            return NULL;
    }
    return cw_lane_value_seal(l, n, false);
}

/* ---- searching for the end ---- */

/* How a value changes from one iteration to the next. */
enum trend { FALLS = -1, STAYS, RISES, ANY };

struct search {
    struct cw_lanes *l;
    uint32_t loop, probes;
    const struct cw_context *outer, *first; /* first: its first iteration */
    cw_ref decides; /* the exit's condition */
    bool stays_if;  /* its value that keeps a thread in the loop */
    int64_t *runs;  /* per thread, 0 while not known */
};

static enum trend sum_of(enum trend a, enum trend b) {
    if (a == ANY || b == ANY || a * b < 0)
        return ANY;
    return a == STAYS ? b : a;
}

static enum trend reversed(enum trend a) {
    return a == ANY ? ANY : (enum trend)-a;
}

/* The sign of a value that is a number for all threads; ANY when it is not, or differs. Zero has the sign of the
 * others. */
static enum trend sign_of(struct cw_lanes *l, cw_ref r, const struct cw_context *c) {
    const struct cw_lane_value *v = cw_lane_value_of(l, r, c);
    enum trend sign = STAYS;
    uint32_t n = v->mask ? l->threads : 1;
    if (v->worst > CW_SAMPLE || v->base)
        return ANY;
    for (uint32_t t = 0; t < n && sign != ANY; t++)
        sign = sum_of(sign, v->value[t] > 0 ? RISES : v->value[t] < 0 ? FALLS : STAYS);
    return sign;
}

static enum trend trend_of(struct search *s, cw_ref r, uint32_t depth);

static enum trend trend_of_counter(struct search *s, uint32_t ins) {
    uint32_t known = s->l->induction[ins];
    const struct cw_induction *v = known ? &s->l->fn->cfg->inductions.at[known - 1] : NULL;
    if (!v || (v->op != CW_OP_ADD && v->op != CW_OP_SUB) || !is_steady(s->l, s->loop, v->step, s->first, DEPTH))
        return ANY;
    enum trend by = sign_of(s->l, v->step, s->first);
    return v->op == CW_OP_SUB ? reversed(by) : by;
}

/* A product or quotient by what the loop leaves alone. */
static enum trend scaled(struct search *s, const struct cw_ins *i, uint32_t depth) {
    cw_ref a = cw_arg(s->l->fn, i, 0), b = cw_arg(s->l->fn, i, 1);
    if (i->op == CW_OP_MUL && is_steady(s->l, s->loop, a, s->first, DEPTH)) {
        cw_ref swap = a;
        a = b;
        b = swap;
    }
    if (!is_steady(s->l, s->loop, b, s->first, DEPTH))
        return ANY;
    enum trend by = sign_of(s->l, b, s->first);
    bool is_shift = i->op == CW_OP_SHL || i->op == CW_OP_LSHR || i->op == CW_OP_ASHR;
    if (is_shift && by != ANY && by != FALLS)
        by = RISES;
    enum trend of = by == RISES || by == FALLS ? trend_of(s, a, depth) : ANY;
    return by == FALLS ? reversed(of) : of;
}

static enum trend trend_of_ins(struct search *s, const struct cw_ins *i, uint32_t depth) {
    const struct cw_fn *fn = s->l->fn;
    switch ((enum cw_op)i->op) {
    case CW_OP_COPY:
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
        return trend_of(s, cw_arg(fn, i, 0), depth);
    case CW_OP_ADD:
        return sum_of(trend_of(s, cw_arg(fn, i, 0), depth), trend_of(s, cw_arg(fn, i, 1), depth));
    case CW_OP_SUB:
        return sum_of(trend_of(s, cw_arg(fn, i, 0), depth), reversed(trend_of(s, cw_arg(fn, i, 1), depth)));
    case CW_OP_MUL:
    case CW_OP_SDIV:
    case CW_OP_UDIV:
    case CW_OP_SHL:
    case CW_OP_LSHR:
    case CW_OP_ASHR:
        return scaled(s, i, depth);
    default:
        return ANY;
    }
}

static enum trend trend_of(struct search *s, cw_ref r, uint32_t depth) {
    const struct cw_fn *fn = s->l->fn;
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (is_steady(s->l, s->loop, r, s->first, DEPTH))
        return STAYS;
    if (!i || depth == 0)
        return ANY;
    if (i->op == CW_OP_PHI)
        return i->block == fn->cfg->loops.at[s->loop].header ? trend_of_counter(s, r.index) : ANY;
    return trend_of_ins(s, i, depth - 1);
}

/* Does the condition to stay hold up to some iteration, and never again? */
static bool ends_once(struct search *s) {
    const struct cw_fn *fn = s->l->fn;
    const struct cw_edge exit = fn->cfg->loops.at[s->loop].exits.at[0];
    const struct cw_jump *j = &fn->blocks.at[exit.block].jump;
    const struct cw_ins *c = j->kind == CW_JUMP_BRANCH ? cw_ins_of(fn, j->value) : NULL;
    if (!c || !cw_is_compare(c->op) || cw_ref_type(fn, cw_arg(fn, c, 0)) == CW_PTR)
        return false;
    s->decides = j->value;
    s->stays_if = exit.which == 1;
    enum cw_op op = s->stays_if ? c->op : cw_algebra_negated(c->op);
    enum trend difference =
        sum_of(trend_of(s, cw_arg(fn, c, 0), DEPTH), reversed(trend_of(s, cw_arg(fn, c, 1), DEPTH)));
    if (op == CW_OP_SLT || op == CW_OP_SLE || op == CW_OP_ULT || op == CW_OP_ULE)
        return difference == RISES;
    return (op == CW_OP_SGT || op == CW_OP_SGE || op == CW_OP_UGT || op == CW_OP_UGE) && difference == FALLS;
}

/* Who stays in iteration k? NULL when that is not a number for all threads, or too much has been asked. */
static const struct cw_lane_value *probe(struct search *s, uint32_t k) {
    if (++s->probes > PROBES_MAX)
        return NULL;
    const struct cw_lane_value *v = cw_lane_value_of(s->l, s->decides, cw_lanes_context(s->l, s->outer, s->loop, k));
    return v->worst <= CW_SAMPLE && !v->base ? v : NULL;
}

static bool stays(const struct search *s, const struct cw_lane_value *v, uint32_t t) {
    return (v->value[t & v->mask] != 0) == s->stays_if;
}

/* Threads that stay in iteration `last` and have left by `gone`: in which one do they leave? */
static bool bisect(struct search *s, uint32_t last, const struct cw_lane_value *at_last, uint32_t gone,
                   const struct cw_lane_value *at_gone) {
    uint32_t n = s->l->threads, open = 0;
    for (uint32_t t = 0; t < n; t++) {
        bool is_between = stays(s, at_last, t) && !stays(s, at_gone, t);
        open += is_between;
        if (is_between && gone == last + 1)
            s->runs[t] = (int64_t)gone + 1;
    }
    if (open == 0 || gone == last + 1)
        return true;
    uint32_t middle = last + (gone - last) / 2;
    const struct cw_lane_value *at_middle = probe(s, middle);
    return at_middle && bisect(s, last, at_last, middle, at_middle) && bisect(s, middle, at_middle, gone, at_gone);
}

/* From the first iteration on in growing steps, each of them bisected. */
static bool find_ends(struct search *s) {
    uint32_t last = 0, left = s->l->threads;
    const struct cw_lane_value *at_last = probe(s, 0);
    for (uint32_t t = 0; at_last && t < s->l->threads; t++)
        s->runs[t] = stays(s, at_last, t) ? 0 : 1;
    for (uint32_t gone = 1; at_last && last < SEARCHED_MAX; last = gone, gone *= 2) {
        const struct cw_lane_value *at_gone = probe(s, gone);
        if (!at_gone || !bisect(s, last, at_last, gone, at_gone))
            return false;
        at_last = at_gone;
        left = 0;
        for (uint32_t t = 0; t < s->l->threads; t++)
            left += s->runs[t] == 0;
        if (left == 0)
            return true;
    }
    return false;
}

static const struct cw_lane_value *search_end(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer) {
    struct search s = {.l = l, .loop = loop, .outer = outer, .first = cw_lanes_context(l, outer, loop, 0)};
    if (!is_met(l, loop) || !ends_once(&s))
        return NULL;
    s.runs = CW_NEW_ARRAY(l->a, int64_t, l->threads);
    if (!find_ends(&s))
        return NULL;
    for (uint32_t t = 0; t < l->threads; t++) {
        l->value[t] = s.runs[t];
        l->known[t] = CW_NUMBER;
    }
    return cw_lane_value_seal(l, l->threads, false);
}

const struct cw_lane_value *cw_lanes_counted(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer) {
    uint64_t key = cw_mix(cw_mix(3, cw_context_id(outer)), loop), found;
    if (l->fn->cfg->is_irreducible || l->exhausted)
        return NULL;
    if (cw_map_get(&l->runs, key, &found))
        return (const struct cw_lane_value *)(uintptr_t)found;
    cw_map_put(&l->runs, key, 0); /* while counting: a bound that depends on the loop itself is not counted */
    const struct cw_lane_value *runs = count(l, loop, outer);
    if (!runs)
        runs = search_end(l, loop, outer);
    cw_map_put(&l->runs, key, (uint64_t)(uintptr_t)runs);
    return runs;
}
