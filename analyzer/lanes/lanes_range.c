/* Ranges of integers, from the operations alone: what is known of a value that input chooses. Interval arithmetic;
 * where a bound may leave the type, nothing is known. */
#include "lanes/lanes_internal.h"

#include "ir/algebra.h"

enum { DEPTH = 6, DEPTH_AT = 12, STEPS_MAX = 64 /* operations looked at for one question */ };

/* One question: of all threads and iterations (`anywhere`), or of thread t in context c. */
struct asked {
    struct cw_lanes *l;
    bool anywhere;
    const struct cw_context *c;
    uint32_t t, steps;
    const struct cw_ins *open; /* the phi of a loop whose next value is looked at, or NULL */
};

static struct cw_range range_of(struct asked *q, cw_ref r, uint32_t depth);

static struct cw_range full_range(enum cw_type type) {
    unsigned bits = cw_type_bits(type);
    if (bits == 0 || bits >= 64)
        return (struct cw_range){INT64_MIN, INT64_MAX};
    if (bits == 1)
        return (struct cw_range){0, 1};
    return (struct cw_range){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
}

static struct cw_range join_ranges(struct cw_range range, struct cw_range other) {
    return (struct cw_range){range.lo < other.lo ? range.lo : other.lo, range.hi > other.hi ? range.hi : other.hi};
}

static struct cw_range clip_range(struct cw_range range, struct cw_range full) {
    return range.lo < full.lo || range.hi > full.hi ? full : range;
}

/* Where operand 1 is a positive constant. */
static bool range_by_constant(const struct cw_ins *ins, int64_t k, unsigned bits, struct cw_range *out) {
    switch (ins->op) {
    case CW_OP_AND:
        *out = (struct cw_range){0, k};
        return k >= 0;
    case CW_OP_UREM:
        *out = (struct cw_range){0, k - 1};
        return k > 0;
    case CW_OP_SREM:
        *out = (struct cw_range){1 - k, k - 1};
        return k > 0;
    case CW_OP_LSHR:
        *out = (struct cw_range){0, (INT64_C(1) << (bits - (unsigned)k)) - 1};
        return k > 0 && k < bits;
    default:
        return false;
    }
}

static struct cw_range range_of_widened(struct asked *asked, const struct cw_ins *ins, uint32_t depth) {
    cw_ref from = cw_arg(asked->l->fn, ins, 0);
    struct cw_range r = range_of(asked, from, depth - 1);
    unsigned bits = cw_type_bits(cw_ref_type(asked->l->fn, from));
    if (ins->op == CW_OP_ZEXT && r.lo < 0)
        return bits < 63 ? (struct cw_range){0, (INT64_C(1) << bits) - 1} : full_range(ins->type);
    return r;
}

static struct cw_range add_ranges(struct cw_range range, struct cw_range other, struct cw_range full) {
    struct cw_range r;
    bool over = __builtin_add_overflow(range.lo, other.lo, &r.lo) || __builtin_add_overflow(range.hi, other.hi, &r.hi);
    return over ? full : clip_range(r, full);
}

static struct cw_range subtract_ranges(struct cw_range range, struct cw_range other, struct cw_range full) {
    struct cw_range r;
    bool over = __builtin_sub_overflow(range.lo, other.hi, &r.lo) || __builtin_sub_overflow(range.hi, other.lo, &r.hi);
    return over ? full : clip_range(r, full);
}

static struct cw_range multiply_range(struct cw_range range, int64_t k, struct cw_range full) {
    struct cw_range r;
    bool over = __builtin_mul_overflow(range.lo, k, &r.lo) || __builtin_mul_overflow(range.hi, k, &r.hi);
    if (over)
        return full;
    return clip_range(k < 0 ? (struct cw_range){r.hi, r.lo} : r, full);
}

/* Of two that are not negative: no bit above the highest of either. */
static struct cw_range mix_ranges(struct cw_range range, struct cw_range other, struct cw_range full) {
    if (range.lo < 0 || other.lo < 0)
        return full;
    uint64_t most = (uint64_t)(range.hi > other.hi ? range.hi : other.hi);
    return (struct cw_range){0, most ? (int64_t)(UINT64_MAX >> __builtin_clzll(most)) : 0};
}

/* Bits that both have, or the smaller one without signs: no more than one of them that is not negative. */
static struct cw_range common_bits(struct cw_range range, struct cw_range other, struct cw_range full) {
    if (range.lo < 0 && other.lo < 0)
        return full;
    int64_t most = range.lo < 0 ? other.hi : other.lo < 0 || range.hi < other.hi ? range.hi : other.hi;
    return (struct cw_range){0, most};
}

/* `(votes & mask) >> first`: of what is not negative so many bits are gone. A number's sign bit counts as a bit. */
static struct cw_range shift_range(struct cw_range range, int64_t by, unsigned bits, struct cw_range full) {
    if (by < 0 || by >= (int64_t)bits || bits > 32)
        return full;
    if (range.lo >= 0)
        return (struct cw_range){range.lo >> by, range.hi >> by};
    return by > 0 ? (struct cw_range){0, (INT64_C(1) << (bits - (unsigned)by)) - 1} : full;
}

static struct cw_range scale_range(struct cw_range range, struct cw_range other, enum cw_op op, struct cw_range full) {
    if (op == CW_OP_MUL && other.lo == other.hi)
        return multiply_range(range, other.lo, full);
    if (op == CW_OP_MUL && range.lo == range.hi)
        return multiply_range(other, range.lo, full);
    return op == CW_OP_SHL && other.lo == other.hi && other.lo >= 0 && other.lo < 62
               ? multiply_range(range, INT64_C(1) << other.lo, full)
               : full;
}

/* Of numbers that are not negative, by numbers that are at least one. Without signs a number's sign bit counts as a
 * bit. */
static struct cw_range divide_ranges(struct cw_range range, struct cw_range other, const struct cw_ins *ins) {
    unsigned bits = cw_type_bits(ins->type);
    if (ins->op == CW_OP_UDIV && range.lo < 0 && other.lo > 1 && bits <= 32)
        return (struct cw_range){0, ((INT64_C(1) << bits) - 1) / other.lo};
    if (range.lo < 0 || other.lo < 1)
        return full_range(ins->type);
    return (struct cw_range){range.lo / other.hi, range.hi / other.lo};
}

static struct cw_range range_of_two(struct asked *asked, const struct cw_ins *ins, uint32_t depth) {
    int64_t k;
    struct cw_range r, full = full_range(ins->type);
    if (cw_ref_const(asked->l->fn, cw_arg(asked->l->fn, ins, 1), &k) &&
        range_by_constant(ins, k, cw_type_bits(ins->type), &r))
        return r;
    struct cw_range a = range_of(asked, cw_arg(asked->l->fn, ins, 0), depth - 1);
    struct cw_range b = range_of(asked, cw_arg(asked->l->fn, ins, 1), depth - 1);
    switch (ins->op) {
    case CW_OP_SDIV:
    case CW_OP_UDIV: return divide_ranges(a, b, ins);
    case CW_OP_ADD: return add_ranges(a, b, full);
    case CW_OP_SUB: return subtract_ranges(a, b, full);
    case CW_OP_MUL:
    case CW_OP_SHL: return scale_range(a, b, ins->op, full);
    case CW_OP_AND:
    case CW_OP_UMIN: return common_bits(a, b, full);
    case CW_OP_LSHR: return b.lo == b.hi ? shift_range(a, b.lo, cw_type_bits(ins->type), full) : full;
    case CW_OP_OR:
    case CW_OP_XOR: return mix_ranges(a, b, full);
    case CW_OP_SMIN: return (struct cw_range){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
    case CW_OP_SMAX: return (struct cw_range){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    default: return full;
    }
}

/* What one way brings. A loop brings back what some earlier iteration made of the value, which there may be anything:
 * `h = (h + 1) & 63` is below 64 all the same. */
static struct cw_range range_by_way(struct asked *asked, const struct cw_ins *phi, uint32_t k, bool is_back,
                                    uint32_t depth) {
    bool was_anywhere = asked->anywhere;
    const struct cw_ins *was_open = asked->open;
    asked->anywhere |= is_back;
    asked->open = is_back ? phi : asked->open;
    struct cw_range r = range_of(asked, cw_arg(asked->l->fn, phi, k), depth - 1);
    asked->anywhere = was_anywhere;
    asked->open = was_open;
    return r;
}

/* ---- counters of loops ---- */

/* What `value op number` leaves of the value, for a number of the range `by`. */
static struct cw_range clip_by(enum cw_op op, struct cw_range value, struct cw_range by) {
    switch (op) {
    case CW_OP_ULT:
    case CW_OP_ULE:
        if (by.lo < 0)
            return value;
        value.lo = value.lo > 0 ? value.lo : 0;
        value.hi = by.hi - (op == CW_OP_ULT) < value.hi ? by.hi - (op == CW_OP_ULT) : value.hi;
        return value;
    case CW_OP_SLT: value.hi = by.hi > INT64_MIN && by.hi - 1 < value.hi ? by.hi - 1 : value.hi; return value;
    case CW_OP_SLE: value.hi = by.hi < value.hi ? by.hi : value.hi; return value;
    case CW_OP_SGT: value.lo = by.lo < INT64_MAX && by.lo + 1 > value.lo ? by.lo + 1 : value.lo; return value;
    case CW_OP_SGE: value.lo = by.lo > value.lo ? by.lo : value.lo; return value;
    default: return value;
    }
}

/* A value of a loop of which conditions are asked what they leave. */
struct limited {
    struct asked *asked;
    uint32_t loop;
    cw_ref value;
};

/* What is left of the value where the condition is true, or false: comparisons with what does not change in the loop,
 * and what is made of them by AND or OR. */
static struct cw_range clip_if(const struct limited *of, cw_ref condition, bool is_true, struct cw_range range,
                               uint32_t depth) {
    const struct cw_fn *fn = of->asked->l->fn;
    const struct cw_ins *i = cw_ins_of(fn, condition);
    if (!i || depth == 0 || i->narg != 2)
        return range;
    cw_ref a = cw_arg(fn, i, 0), b = cw_arg(fn, i, 1);
    if (i->op == (is_true ? CW_OP_AND : CW_OP_OR))
        return clip_if(of, b, is_true, clip_if(of, a, is_true, range, depth - 1), depth - 1);
    bool is_left = cw_ref_eq(a, of->value);
    if (!cw_is_compare(i->op) || (!is_left && !cw_ref_eq(b, of->value)) ||
        !cw_cfg_is_invariant(fn, of->loop, is_left ? b : a))
        return range;
    enum cw_op op = is_true ? (enum cw_op)i->op : cw_algebra_negated((enum cw_op)i->op);
    return is_left ? clip_by(op, range, range_of(of->asked, b, depth - 1))
                   : clip_by(cw_algebra_mirrored(op), range, range_of(of->asked, a, depth - 1));
}

/* Of a counter with a constant step: from its first value on, one step beyond what the conditions let through that the
 * loop's next trip needs. False where they set no limit. */
static bool range_of_counter(struct asked *asked, const struct cw_induction *counter, uint32_t depth,
                             struct cw_range *out) {
    const struct cw_fn *fn = asked->l->fn;
    const struct cw_loop *loop = &fn->cfg->loops.at[counter->loop];
    int64_t step;
    if ((counter->op != CW_OP_ADD && counter->op != CW_OP_SUB) || !cw_ref_const(fn, counter->step, &step) ||
        loop->latches.n != 1 || step < -INT32_MAX || step > INT32_MAX)
        return false;
    step = counter->op == CW_OP_SUB ? -step : step;
    struct cw_range full = full_range(fn->ins.at[counter->phi].type), before = full, after = full;
    struct limited old = {asked, counter->loop, cw_ref_ins(counter->phi)}, next = {asked, counter->loop, counter->next};
    uint32_t latch = loop->latches.at[0];
    for (uint32_t b = latch; b != CW_NO_BLOCK && cw_cfg_in_loop(fn->cfg, counter->loop, b); b = fn->cfg->idom[b]) {
        int way = cw_cfg_way_to(fn, b, latch);
        const struct cw_jump *jump = &fn->blocks.at[b].jump;
        if (way >= 0) {
            before = clip_if(&old, jump->value, way == 0, before, depth - 1);
            after = clip_if(&next, jump->value, way == 0, after, depth - 1);
        }
    }
    struct cw_range first = range_of(asked, counter->init, depth - 1);
    bool is_down = step < 0;
    int64_t limit = is_down ? before.lo : before.hi, open = is_down ? full.lo : full.hi,
            beyond = is_down ? after.lo : after.hi;
    if (limit != open && !__builtin_add_overflow(limit, step, &limit))
        beyond = is_down ? (limit > beyond ? limit : beyond) : (limit < beyond ? limit : beyond);
    *out = is_down ? (struct cw_range){beyond < first.lo ? beyond : first.lo, first.hi}
                   : (struct cw_range){first.lo, beyond > first.hi ? beyond : first.hi};
    return beyond != open && out->lo >= full.lo && out->hi <= full.hi;
}

/* What several ways bring together. */
static struct cw_range range_of_phi(struct asked *asked, const struct cw_ins *ins, uint32_t depth) {
    const struct cw_cfg *cfg = asked->l->fn->cfg;
    uint32_t loop = cfg->loop_of[ins->block];
    bool is_header = loop != CW_NO_LOOP && cfg->loops.at[loop].header == ins->block;
    struct cw_range r = {0, 0};
    uint32_t known = asked->l->memo.induction[ins - asked->l->fn->ins.at];
    const struct cw_induction *counter = known ? &cfg->inductions.at[known - 1] : NULL;
    if (counter && depth > 1 && range_of_counter(asked, counter, depth, &r))
        return r;
    if ((is_header && asked->open) || ins->narg == 0) /* what loops within loops bring back is not followed */
        return full_range(ins->type);
    for (uint32_t k = 0; k < ins->narg; k++) {
        uint32_t from = asked->l->fn->blocks.at[ins->block].pred.at[k];
        struct cw_range way = range_by_way(asked, ins, k, is_header && cw_cfg_in_loop(cfg, loop, from), depth);
        r = k > 0 ? join_ranges(r, way) : way;
    }
    return r;
}

/* The highest bit that a value of the range may have, counted from 1. */
static int64_t bits_used(struct cw_range range, unsigned bits) {
    if (range.lo < 0)
        return bits;
    return range.hi ? 64 - __builtin_clzll((uint64_t)range.hi) : 0;
}

static struct cw_range range_of_ins(struct asked *asked, const struct cw_ins *ins, uint32_t depth) {
    unsigned from = ins->narg ? cw_type_bits(cw_ref_type(asked->l->fn, cw_arg(asked->l->fn, ins, 0))) : 0;
    switch (ins->op) {
    case CW_OP_POPC:
    case CW_OP_FFS:
        return (struct cw_range){0, bits_used(range_of(asked, cw_arg(asked->l->fn, ins, 0), depth - 1), from)};
    case CW_OP_CLZ:
        return (struct cw_range){0, from};
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
        return range_of_widened(asked, ins, depth);
    case CW_OP_SELECT:
        return join_ranges(range_of(asked, cw_arg(asked->l->fn, ins, 1), depth - 1),
                           range_of(asked, cw_arg(asked->l->fn, ins, 2), depth - 1));
    case CW_OP_PHI:
        return range_of_phi(asked, ins, depth);
    default:
        return ins->narg == 2 ? range_of_two(asked, ins, depth) : full_range(ins->type);
    }
}

/* The value in the thread and context that is asked about, when it is a number there. */
static bool number_of(struct asked *asked, cw_ref ref, int64_t *number) {
    const struct cw_ins *i = cw_ins_of(asked->l->fn, ref);
    const struct cw_context *c = i ? cw_context_at(asked->l, asked->c, i->block) : NULL;
    if (asked->anywhere || (i && cw_context_missing(asked->l, c, i->block) != CW_NO_LOOP))
        return false;
    struct cw_cell cell = cw_lane_value_cell(cw_lane_value_of(asked->l, ref, c), asked->t);
    *number = cell.value;
    return cw_cell_numeric(cell);
}

static struct cw_range range_of(struct asked *asked, cw_ref ref, uint32_t depth) {
    int64_t k;
    if (cw_ref_const(asked->l->fn, ref, &k) || number_of(asked, ref, &k))
        return (struct cw_range){k, k};
    const struct cw_ins *i = cw_ins_of(asked->l->fn, ref);
    return i && depth && asked->steps++ < STEPS_MAX ? range_of_ins(asked, i, depth)
                                                    : full_range(cw_ref_type(asked->l->fn, ref));
}

struct cw_range cw_lanes_range(struct cw_lanes *lanes, cw_ref ref) {
    struct asked q = {.l = lanes, .anywhere = true};
    return range_of(&q, ref, DEPTH);
}

struct cw_range cw_lanes_range_at(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context, uint32_t t) {
    struct asked q = {.l = lanes, .c = context, .t = t};
    return range_of(&q, ref, DEPTH_AT);
}

bool cw_lanes_row_at(struct cw_lanes *lanes, cw_ref pointer, const struct cw_context *context, uint32_t t,
                     struct cw_range *row) {
    const struct cw_fn *fn = lanes->fn;
    const struct cw_ins *i = cw_ins_of(fn, pointer);
    const struct cw_context *c = i ? cw_context_at(lanes, context, i->block) : NULL;
    if (i && cw_context_missing(lanes, c, i->block) != CW_NO_LOOP)
        return false;
    const struct cw_lane_value *to = cw_lane_value_of(lanes, pointer, c);
    if (!to->base)
        return false;
    struct cw_lane_base base = cw_lane_value_base(to, t);
    struct cw_cell at = cw_lane_value_cell(to, t);
    int64_t bytes = base.root.tag == CW_REF_OBJECT ? fn->objects.at[base.root.index].row : 0;
    if (bytes == 0 || !cw_cell_numeric(at) || at.value < 0)
        return false;
    *row = (struct cw_range){-(at.value % bytes), bytes - 1 - at.value % bytes};
    return true;
}

/* What the index of an array, or of a row to which a pointer leads, adds. It stays within, unless the code bounds it by
 * more, as `s[k][x & 31]` of rows of 16, or all that is known of it lies outside. */
static struct cw_range range_of_index(struct asked *asked, const struct cw_ins *sum) {
    struct cw_range r = range_of(asked, cw_arg(asked->l->fn, sum, 1), DEPTH_AT), within = {0, (int64_t)sum->aux - 1};
    bool is_bounded = r.lo > INT32_MIN && r.hi < INT32_MAX;
    cw_ref array = cw_arg(asked->l->fn, sum, 0);
    bool is_known = !is_bounded && (sum->aux > 0 || cw_lanes_row_at(asked->l, array, asked->c, asked->t, &within));
    if (!is_known || r.lo > within.hi || r.hi < within.lo)
        return r;
    return (struct cw_range){r.lo > within.lo ? r.lo : within.lo, r.hi < within.hi ? r.hi : within.hi};
}

/* A chain of additions; its beginning is a number, or nothing is known. */
struct cw_range cw_lanes_offsets_at(struct cw_lanes *lanes, cw_ref pointer, const struct cw_context *context,
                                    uint32_t t) {
    struct asked q = {.l = lanes, .c = context, .t = t};
    struct cw_range full = full_range(CW_I64), r = {0, 0};
    int64_t number;
    for (uint32_t depth = DEPTH_AT; depth > 0; depth--) {
        if (pointer.tag == CW_REF_OBJECT)
            return r;
        if (number_of(&q, pointer, &number))
            return add_ranges(r, (struct cw_range){number, number}, full);
        const struct cw_ins *i = cw_ins_of(lanes->fn, pointer);
        if (!i || i->op != CW_OP_PTRADD)
            break;
        r = add_ranges(r, range_of_index(&q, i), full);
        pointer = cw_arg(lanes->fn, i, 0);
    }
    return full;
}
