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
static bool is_steady(struct cw_lanes *lanes, uint32_t loop, cw_ref ref, const struct cw_context *first,
                      uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || !cw_cfg_in_loop(lanes->fn->cfg, loop, i->block))
        return true;
    bool is_load = i->op == CW_OP_LOAD;
    if ((!is_load && !(cw_op_flags(i->op) & CW_OP_P)) || i->op == CW_OP_PHI || i->op == CW_OP_GROUP || depth == 0)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_steady(lanes, loop, cw_arg(lanes->fn, i, k), first, depth - 1))
            return false;
    return !is_load || cw_lanes_load_is_steady(lanes, ref.index, first);
}

static cw_ref strip_widening(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    return i && (i->op == CW_OP_SEXT || i->op == CW_OP_COPY) ? cw_arg(fn, i, 0) : ref;
}

/* Is `ref` a counter of the loop, or its next value? Steps that go through a narrowing cast have wrapped already. */
static bool match_counter(const struct cw_lanes *lanes, uint32_t loop, cw_ref ref, struct stay *stay) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    ref = strip_widening(lanes->fn, ref);
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || i->op == CW_OP_TRUNC)
        return false;
    for (uint32_t k = 0; k < cfg->loops.at[loop].inductions.n; k++) {
        stay->counter = &cfg->inductions.at[cfg->loops.at[loop].inductions.at[k]];
        stay->ahead = cw_ref_eq(stay->counter->next, ref);
        if ((stay->counter->op == CW_OP_ADD || stay->counter->op == CW_OP_SUB) &&
            (stay->ahead || cw_ref_eq(cw_ref_ins(stay->counter->phi), ref)))
            return true;
    }
    return false;
}

static bool match_stay(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *first, struct stay *stay) {
    struct cw_edge exit = {0};
    if (!cw_cfg_only_exit(lanes->fn, loop, &exit))
        return false;
    const struct cw_jump *j = &lanes->fn->blocks.at[exit.block].jump;
    const struct cw_ins *c = j->kind == CW_JUMP_BRANCH ? cw_ins_of(lanes->fn, j->value) : NULL;
    if (!c || !cw_is_compare(c->op) || cw_ref_type(lanes->fn, cw_arg(lanes->fn, c, 0)) == CW_PTR)
        return false;
    for (uint32_t side = 0; side < 2; side++) {
        stay->bound = cw_arg(lanes->fn, c, 1 - side);
        stay->op = side ? cw_algebra_mirrored(c->op) : c->op;
        if (exit.which == 0)
            stay->op = cw_algebra_negated(stay->op);
        if (match_counter(lanes, loop, cw_arg(lanes->fn, c, side), stay) &&
            is_steady(lanes, loop, stay->bound, first, DEPTH))
            return true;
    }
    return false;
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/* How often `first + k * step op bound` holds from k = 0 on; -1 when it never stops. */
static int64_t count_holding(enum cw_op op, int64_t first, int64_t step, int64_t bound) {
    switch (op) {
    case CW_OP_SLE:
    case CW_OP_ULE:
        return count_holding(CW_OP_SLT, first, step, bound + 1);
    case CW_OP_SGT:
    case CW_OP_UGT:
        return count_holding(CW_OP_SLT, -first, -step, -bound);
    case CW_OP_SGE:
    case CW_OP_UGE:
        return count_holding(CW_OP_SLT, -first, -step, -bound + 1);
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
static int64_t runs_of(const struct stay *stay, enum cw_type type, struct cw_cell init, struct cw_cell step,
                       struct cw_cell bound) {
    if (!cw_cell_numeric(init) || !cw_cell_numeric(step) || !cw_cell_numeric(bound) || cw_type_bits(type) < 8)
        return -1;
    int64_t by = stay->counter->op == CW_OP_SUB ? -step.value : step.value;
    if (!is_within(init.value, type, stay->op) || !is_within(by, CW_I32, CW_OP_SLT) ||
        !is_within(bound.value, CW_I32, stay->op))
        return -1;
    int64_t first = init.value + (stay->ahead ? by : 0), n = count_holding(stay->op, first, by, bound.value);
    if (n < 0 || n >= RUNS_MAX || !is_within(first + n * by, type, stay->op))
        return -1; /* the last value is the farthest from `init`, so the others are within as well */
    return n + 1;
}

/* The exit is met in every trip: in the header, or in a block that always follows it. */
static bool is_met(struct cw_lanes *lanes, uint32_t loop) {
    const struct cw_loop *lp = &lanes->fn->cfg->loops.at[loop];
    struct cw_edge exit = {0};
    uint32_t at = cw_cfg_only_exit(lanes->fn, loop, &exit) ? exit.block : CW_NO_BLOCK;
    return at != CW_NO_BLOCK && lanes->fn->cfg->loop_of[at] == loop &&
           (at == lp->header || cw_cfg_always_follows(lanes->fn, lp->header, at));
}

struct trips {
    struct stay stay;
    enum cw_type type;
    const struct cw_lane_value *init, *step, *bound;
};

static int64_t trips_of(const struct trips *trips, uint32_t t) {
    return runs_of(&trips->stay, trips->type, cw_lane_value_cell(trips->init, t), cw_lane_value_cell(trips->step, t),
                   cw_lane_value_cell(trips->bound, t));
}

/* Are the trips known of each thread that may enter the loop? What others would start from has no meaning. */
static bool is_counted(struct cw_lanes *lanes, const struct trips *trips, uint32_t loop,
                       const struct cw_context *first, uint32_t n) {
    const struct cw_lane_cond *enters = NULL;
    for (uint32_t t = 0; t < n; t++) {
        if (trips_of(trips, t) >= 0)
            continue;
        if (n == 1)
            return false;
        if (!enters)
            enters = cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header, first);
        if (cw_lane_cond_at(enters, t) != CW_BDD_FALSE)
            return false;
    }
    return true;
}

static const struct cw_lane_value *count_trips(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    struct trips trips;
    const struct cw_context *first = cw_lanes_context(lanes, outer, loop, 0);
    if (!is_met(lanes, loop) || !match_stay(lanes, loop, first, &trips.stay))
        return NULL;
    trips.init = cw_lane_value_of(lanes, trips.stay.counter->init, first->outer);
    trips.step = cw_lane_value_of(lanes, trips.stay.counter->step, first);
    trips.bound = cw_lane_value_of(lanes, trips.stay.bound, first);
    trips.type = lanes->fn->ins.at[trips.stay.counter->phi].type;
    uint32_t n = trips.init->mask || trips.step->mask || trips.bound->mask ? lanes->threads : 1;
    if (!is_counted(lanes, &trips, loop, first, n))
        return NULL;
    for (uint32_t t = 0; t < n; t++) {
        int64_t runs = trips_of(&trips, t);
        lanes->scratch.value[t] = runs < 0 ? 1 : runs;
        lanes->scratch.known[t] = CW_NUMBER;
    }
    return cw_lane_value_seal(lanes, n, false);
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
    bool is_unsigned; /* it compares numbers without a sign */
    int64_t *runs;  /* per thread, 0 while not known */
    bool is_endless; /* some thread stays as long as anybody looks */
};

static enum trend sum_of(enum trend trend, enum trend other) {
    if (trend == ANY || other == ANY || trend * other < 0)
        return ANY;
    return trend == STAYS ? other : trend;
}

static enum trend reverse_trend(enum trend trend) {
    return trend == ANY ? ANY : (enum trend)-trend;
}

/* The sign of a value that is a number for all threads; ANY when it is not, or differs. Zero has the sign of the
 * others. */
static enum trend sign_of(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context) {
    const struct cw_lane_value *v = cw_lane_value_of(lanes, ref, context);
    enum trend sign = STAYS;
    uint32_t n = v->mask ? lanes->threads : 1;
    if (v->worst > CW_SAMPLE || v->base)
        return ANY;
    for (uint32_t t = 0; t < n && sign != ANY; t++)
        sign = sum_of(sign, v->value[t] > 0 ? RISES : v->value[t] < 0 ? FALLS : STAYS);
    return sign;
}

static enum trend trend_of(struct search *s, cw_ref r, uint32_t depth);

static enum trend trend_of_counter(struct search *search, uint32_t ins) {
    uint32_t known = search->l->memo.induction[ins];
    const struct cw_induction *v = known ? &search->l->fn->cfg->inductions.at[known - 1] : NULL;
    if (!v || (v->op != CW_OP_ADD && v->op != CW_OP_SUB) ||
        !is_steady(search->l, search->loop, v->step, search->first, DEPTH))
        return ANY;
    enum trend by = sign_of(search->l, v->step, search->first);
    return v->op == CW_OP_SUB ? reverse_trend(by) : by;
}

/* A product or quotient by what the loop leaves alone. */
static enum trend scale_trend(struct search *search, const struct cw_ins *ins, uint32_t depth) {
    cw_ref a = cw_arg(search->l->fn, ins, 0), b = cw_arg(search->l->fn, ins, 1);
    if (ins->op == CW_OP_MUL && is_steady(search->l, search->loop, a, search->first, DEPTH)) {
        cw_ref swap = a;
        a = b;
        b = swap;
    }
    if (!is_steady(search->l, search->loop, b, search->first, DEPTH))
        return ANY;
    enum trend by = sign_of(search->l, b, search->first);
    bool is_shift = ins->op == CW_OP_SHL || ins->op == CW_OP_LSHR || ins->op == CW_OP_ASHR;
    if (is_shift && by != ANY && by != FALLS)
        by = RISES;
    enum trend of = by == RISES || by == FALLS ? trend_of(search, a, depth) : ANY;
    return by == FALLS ? reverse_trend(of) : of;
}

static enum trend trend_of_ins(struct search *search, const struct cw_ins *ins, uint32_t depth) {
    const struct cw_fn *fn = search->l->fn;
    switch ((enum cw_op)ins->op) {
    case CW_OP_COPY:
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
        return trend_of(search, cw_arg(fn, ins, 0), depth);
    case CW_OP_ADD:
        return sum_of(trend_of(search, cw_arg(fn, ins, 0), depth), trend_of(search, cw_arg(fn, ins, 1), depth));
    case CW_OP_SUB:
        return sum_of(trend_of(search, cw_arg(fn, ins, 0), depth),
                      reverse_trend(trend_of(search, cw_arg(fn, ins, 1), depth)));
    case CW_OP_MUL:
    case CW_OP_SDIV:
    case CW_OP_UDIV:
    case CW_OP_SHL:
    case CW_OP_LSHR:
    case CW_OP_ASHR:
        return scale_trend(search, ins, depth);
    default:
        return ANY;
    }
}

static enum trend trend_of(struct search *search, cw_ref ref, uint32_t depth) {
    const struct cw_fn *fn = search->l->fn;
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (is_steady(search->l, search->loop, ref, search->first, DEPTH))
        return STAYS;
    if (!i || depth == 0)
        return ANY;
    if (i->op == CW_OP_PHI)
        return i->block == fn->cfg->loops.at[search->loop].header ? trend_of_counter(search, ref.index) : ANY;
    return trend_of_ins(search, i, depth - 1);
}

/* Does the condition to stay hold up to some iteration, and never again? */
static bool ends_once(struct search *search) {
    const struct cw_fn *fn = search->l->fn;
    struct cw_edge exit = {0};
    if (!cw_cfg_only_exit(fn, search->loop, &exit))
        return false;
    const struct cw_jump *j = &fn->blocks.at[exit.block].jump;
    const struct cw_ins *c = j->kind == CW_JUMP_BRANCH ? cw_ins_of(fn, j->value) : NULL;
    if (!c || !cw_is_compare(c->op) || cw_ref_type(fn, cw_arg(fn, c, 0)) == CW_PTR)
        return false;
    search->decides = j->value;
    search->stays_if = exit.which == 1;
    search->is_unsigned = c->op >= CW_OP_ULT && c->op <= CW_OP_UGE;
    enum cw_op op = search->stays_if ? c->op : cw_algebra_negated(c->op);
    enum trend difference =
        sum_of(trend_of(search, cw_arg(fn, c, 0), DEPTH), reverse_trend(trend_of(search, cw_arg(fn, c, 1), DEPTH)));
    if (op == CW_OP_SLT || op == CW_OP_SLE || op == CW_OP_ULT || op == CW_OP_ULE)
        return difference == RISES;
    return (op == CW_OP_SGT || op == CW_OP_SGE || op == CW_OP_UGT || op == CW_OP_UGE) && difference == FALLS;
}

/* What the exit compares in one iteration. */
struct probe {
    const struct cw_lane_value *decides, *side[2];
};

/* False when the decision is not a number for all threads, or too much has been asked. */
static bool probe_iteration(struct search *search, uint32_t k, struct probe *out) {
    if (++search->probes > PROBES_MAX)
        return false;
    const struct cw_context *at = cw_lanes_context(search->l, search->outer, search->loop, k);
    const struct cw_ins *compare = cw_ins_of(search->l->fn, search->decides);
    out->decides = cw_lane_value_of(search->l, search->decides, at);
    for (uint32_t side = 0; side < 2 && search->is_unsigned; side++)
        out->side[side] = cw_lane_value_of(search->l, cw_arg(search->l->fn, compare, side), at);
    return out->decides->worst <= CW_SAMPLE && !out->decides->base;
}

static bool stays_inside(const struct search *search, const struct probe *probe, uint32_t t) {
    return (probe->decides->value[t & probe->decides->mask] != 0) == search->stays_if;
}

/* Does a side change its sign between the two? As numbers without a sign, what falls below zero rises. */
static bool changes_sign(const struct search *search, const struct probe *last, const struct probe *gone, uint32_t t) {
    for (uint32_t side = 0; side < 2 && search->is_unsigned; side++) {
        struct cw_cell a = cw_lane_value_cell(last->side[side], t), b = cw_lane_value_cell(gone->side[side], t);
        if (!cw_cell_numeric(a) || !cw_cell_numeric(b) || (a.value < 0) != (b.value < 0))
            return true;
    }
    return false;
}

/* Threads that stay in iteration `last` and have left by `gone`, or may have left meanwhile: in which one do they
 * leave? */
static bool bisect_exits(struct search *search, uint32_t last, const struct probe *at_last, uint32_t gone,
                         const struct probe *at_gone) {
    uint32_t n = search->l->threads, open = 0;
    for (uint32_t t = 0; t < n; t++) {
        if (!stays_inside(search, at_last, t) || search->runs[t])
            continue;
        bool has_left = !stays_inside(search, at_gone, t);
        open += has_left || changes_sign(search, at_last, at_gone, t);
        if (has_left && gone == last + 1)
            search->runs[t] = (int64_t)gone + 1;
    }
    if (open == 0 || gone == last + 1)
        return true;
    uint32_t middle = last + (gone - last) / 2;
    struct probe at_middle;
    return probe_iteration(search, middle, &at_middle) && bisect_exits(search, last, at_last, middle, &at_middle) &&
           bisect_exits(search, middle, &at_middle, gone, at_gone);
}

/* May a counter of the loop have wrapped by the iteration? */
static bool may_have_wrapped(struct search *search, uint32_t k) {
    const struct cw_loop *loop = &search->l->fn->cfg->loops.at[search->loop];
    for (uint32_t i = 0; i < loop->inductions.n; i++) {
        const struct cw_induction *v = &search->l->fn->cfg->inductions.at[loop->inductions.at[i]];
        enum cw_type type = search->l->fn->ins.at[v->phi].type;
        if ((v->op != CW_OP_ADD && v->op != CW_OP_SUB) || !cw_type_is_int(type))
            continue;
        const struct cw_lane_value *init = cw_lane_value_of(search->l, v->init, search->first->outer),
                                   *step = cw_lane_value_of(search->l, v->step, search->first);
        for (uint32_t t = 0; t < search->l->threads; t++) {
            struct cw_cell from = cw_lane_value_cell(init, t), by = cw_lane_value_cell(step, t);
            if (!cw_cell_numeric(from) || !cw_cell_numeric(by) || !is_within(from.value, CW_I32, CW_OP_SLT) ||
                !is_within(by.value, CW_I32, CW_OP_SLT) ||
                !is_within(from.value + (v->op == CW_OP_SUB ? -by.value : by.value) * (int64_t)k, type, CW_OP_SLT))
                return true;
        }
    }
    return false;
}

/* From the first iteration on in growing steps, each of them bisected. */
static bool find_ends(struct search *search) {
    uint32_t last = 0, left = search->l->threads;
    struct probe at_last, at_gone;
    if (!probe_iteration(search, 0, &at_last))
        return false;
    for (uint32_t t = 0; t < search->l->threads; t++)
        search->runs[t] = stays_inside(search, &at_last, t) ? 0 : 1;
    for (uint32_t gone = 1; last < SEARCHED_MAX; last = gone, gone *= 2) {
        if (!probe_iteration(search, gone, &at_gone) || !bisect_exits(search, last, &at_last, gone, &at_gone))
            return false;
        at_last = at_gone;
        left = 0;
        for (uint32_t t = 0; t < search->l->threads; t++)
            left += search->runs[t] == 0;
        if (left == 0)
            return true;
    }
    search->is_endless = !may_have_wrapped(search, CW_LANES_ITERATIONS + 1);
    return false;
}

static uint64_t loop_key(uint32_t loop, const struct cw_context *outer) {
    return cw_mix(cw_mix(3, cw_context_id(outer)), loop);
}

static const struct cw_lane_value *search_end(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    struct search s = {.l = lanes, .loop = loop, .outer = outer, .first = cw_lanes_context(lanes, outer, loop, 0)};
    if (!is_met(lanes, loop) || !ends_once(&s))
        return NULL;
    s.runs = CW_NEW_ARRAY(lanes->a, int64_t, lanes->threads);
    bool ends = find_ends(&s);
    if (s.is_endless)
        cw_map_put(&lanes->memo.endless, loop_key(loop, outer), 1);
    if (!ends)
        return NULL;
    for (uint32_t t = 0; t < lanes->threads; t++) {
        lanes->scratch.value[t] = s.runs[t];
        lanes->scratch.known[t] = CW_NUMBER;
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}

const struct cw_lane_value *cw_lanes_counted(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    uint64_t key = loop_key(loop, outer), found;
    if (lanes->fn->cfg->is_irreducible || lanes->exhausted)
        return NULL;
    if (cw_map_get(&lanes->memo.runs, key, &found))
        return (const struct cw_lane_value *)(uintptr_t)found;
    cw_map_put(&lanes->memo.runs, key, 0); /* while counting: a bound that depends on the loop itself is not counted */
    const struct cw_lane_value *runs = count_trips(lanes, loop, outer);
    if (!runs)
        runs = search_end(lanes, loop, outer);
    cw_map_put(&lanes->memo.runs, key, (uint64_t)(uintptr_t)runs);
    return runs;
}

uint32_t cw_lanes_most_followed(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    bool is_endless =
        !cw_lanes_counted(lanes, loop, outer) && cw_map_get(&lanes->memo.endless, loop_key(loop, outer), NULL);
    return is_endless ? CW_LANES_PATIENCE : CW_LANES_ITERATIONS;
}
