/* Ranges of integers, from the operations alone: what is known of a value that input chooses. Interval arithmetic;
 * where a bound may leave the type, nothing is known. */
#include "lanes/lanes_internal.h"

enum { DEPTH = 6, DEPTH_AT = 12, STEPS_MAX = 64 /* operations looked at for one question */ };

/* One question: of all threads and iterations (`anywhere`), or of thread t in context c. */
struct asked {
    struct cw_lanes *l;
    bool anywhere;
    const struct cw_context *c;
    uint32_t t, steps;
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

static struct cw_range join(struct cw_range a, struct cw_range b) {
    return (struct cw_range){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static struct cw_range within(struct cw_range r, struct cw_range full) {
    return r.lo < full.lo || r.hi > full.hi ? full : r;
}

/* Where operand 1 is a positive constant. */
static bool range_by_constant(const struct cw_ins *i, int64_t k, unsigned bits, struct cw_range *out) {
    switch (i->op) {
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

static struct cw_range range_of_widened(struct asked *q, const struct cw_ins *i, uint32_t depth) {
    cw_ref from = cw_arg(q->l->fn, i, 0);
    struct cw_range r = range_of(q, from, depth - 1);
    unsigned bits = cw_type_bits(cw_ref_type(q->l->fn, from));
    if (i->op == CW_OP_ZEXT && r.lo < 0)
        return bits < 63 ? (struct cw_range){0, (INT64_C(1) << bits) - 1} : full_range(i->type);
    return r;
}

static struct cw_range sum(struct cw_range a, struct cw_range b, struct cw_range full) {
    struct cw_range r;
    bool over = __builtin_add_overflow(a.lo, b.lo, &r.lo) || __builtin_add_overflow(a.hi, b.hi, &r.hi);
    return over ? full : within(r, full);
}

static struct cw_range difference(struct cw_range a, struct cw_range b, struct cw_range full) {
    struct cw_range r;
    bool over = __builtin_sub_overflow(a.lo, b.hi, &r.lo) || __builtin_sub_overflow(a.hi, b.lo, &r.hi);
    return over ? full : within(r, full);
}

static struct cw_range multiple(struct cw_range a, int64_t k, struct cw_range full) {
    struct cw_range r;
    bool over = __builtin_mul_overflow(a.lo, k, &r.lo) || __builtin_mul_overflow(a.hi, k, &r.hi);
    if (over)
        return full;
    return within(k < 0 ? (struct cw_range){r.hi, r.lo} : r, full);
}

/* Of two that are not negative: no bit above the highest of either. */
static struct cw_range mixed(struct cw_range a, struct cw_range b, struct cw_range full) {
    if (a.lo < 0 || b.lo < 0)
        return full;
    uint64_t most = (uint64_t)(a.hi > b.hi ? a.hi : b.hi);
    return (struct cw_range){0, most ? (int64_t)(UINT64_MAX >> __builtin_clzll(most)) : 0};
}

static struct cw_range scaled(struct cw_range a, struct cw_range b, enum cw_op op, struct cw_range full) {
    if (op == CW_OP_MUL && b.lo == b.hi)
        return multiple(a, b.lo, full);
    if (op == CW_OP_MUL && a.lo == a.hi)
        return multiple(b, a.lo, full);
    return op == CW_OP_SHL && b.lo == b.hi && b.lo >= 0 && b.lo < 62 ? multiple(a, INT64_C(1) << b.lo, full) : full;
}

static struct cw_range range_of_two(struct asked *q, const struct cw_ins *i, uint32_t depth) {
    int64_t k;
    struct cw_range r, full = full_range(i->type);
    if (cw_ref_const(q->l->fn, cw_arg(q->l->fn, i, 1), &k) && range_by_constant(i, k, cw_type_bits(i->type), &r))
        return r;
    struct cw_range a = range_of(q, cw_arg(q->l->fn, i, 0), depth - 1);
    struct cw_range b = range_of(q, cw_arg(q->l->fn, i, 1), depth - 1);
    switch (i->op) {
    case CW_OP_ADD: return sum(a, b, full);
    case CW_OP_SUB: return difference(a, b, full);
    case CW_OP_MUL:
    case CW_OP_SHL: return scaled(a, b, i->op, full);
    case CW_OP_OR:
    case CW_OP_XOR: return mixed(a, b, full);
    case CW_OP_SMIN: return (struct cw_range){a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
    case CW_OP_SMAX: return (struct cw_range){a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    default: return full;
    }
}

/* What several ways bring together; what a loop brings back is not followed. */
static struct cw_range range_of_phi(struct asked *q, const struct cw_ins *i, uint32_t depth) {
    const struct cw_cfg *cfg = q->l->fn->cfg;
    uint32_t loop = cfg->loop_of[i->block];
    if ((loop != CW_NO_LOOP && cfg->loops.at[loop].header == i->block) || i->narg == 0)
        return full_range(i->type);
    struct cw_range r = range_of(q, cw_arg(q->l->fn, i, 0), depth - 1);
    for (uint32_t k = 1; k < i->narg; k++)
        r = join(r, range_of(q, cw_arg(q->l->fn, i, k), depth - 1));
    return r;
}

static struct cw_range range_of_ins(struct asked *q, const struct cw_ins *i, uint32_t depth) {
    unsigned from = i->narg ? cw_type_bits(cw_ref_type(q->l->fn, cw_arg(q->l->fn, i, 0))) : 0;
    switch (i->op) {
    case CW_OP_POPC:
    case CW_OP_CLZ:
    case CW_OP_FFS:
        return (struct cw_range){0, from};
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
        return range_of_widened(q, i, depth);
    case CW_OP_SELECT:
        return join(range_of(q, cw_arg(q->l->fn, i, 1), depth - 1), range_of(q, cw_arg(q->l->fn, i, 2), depth - 1));
    case CW_OP_PHI:
        return range_of_phi(q, i, depth);
    default:
        return i->narg == 2 ? range_of_two(q, i, depth) : full_range(i->type);
    }
}

/* The value in the thread and context that is asked about, when it is a number there. */
static bool number_of(struct asked *q, cw_ref r, int64_t *number) {
    const struct cw_ins *i = cw_ins_of(q->l->fn, r);
    const struct cw_context *c = i ? cw_context_at(q->l, q->c, i->block) : NULL;
    if (q->anywhere || (i && cw_context_missing(q->l, c, i->block) != CW_NO_LOOP))
        return false;
    struct cw_cell cell = cw_lane_value_cell(cw_lane_value_of(q->l, r, c), q->t);
    *number = cell.value;
    return cw_cell_numeric(cell);
}

static struct cw_range range_of(struct asked *q, cw_ref r, uint32_t depth) {
    int64_t k;
    if (cw_ref_const(q->l->fn, r, &k) || number_of(q, r, &k))
        return (struct cw_range){k, k};
    const struct cw_ins *i = cw_ins_of(q->l->fn, r);
    return i && depth && q->steps++ < STEPS_MAX ? range_of_ins(q, i, depth) : full_range(cw_ref_type(q->l->fn, r));
}

struct cw_range cw_lanes_range(struct cw_lanes *l, cw_ref r) {
    struct asked q = {.l = l, .anywhere = true};
    return range_of(&q, r, DEPTH);
}

/* A chain of additions; its beginning is a number, or nothing is known. */
struct cw_range cw_lanes_offsets_at(struct cw_lanes *l, cw_ref pointer, const struct cw_context *c, uint32_t t) {
    struct asked q = {.l = l, .c = c, .t = t};
    struct cw_range full = full_range(CW_I64), r = {0, 0};
    int64_t number;
    for (uint32_t depth = DEPTH_AT; depth > 0; depth--) {
        if (pointer.tag == CW_REF_OBJECT)
            return r;
        if (number_of(&q, pointer, &number))
            return sum(r, (struct cw_range){number, number}, full);
        const struct cw_ins *i = cw_ins_of(l->fn, pointer);
        if (!i || i->op != CW_OP_PTRADD)
            break;
        r = sum(r, range_of(&q, cw_arg(l->fn, i, 1), DEPTH_AT), full);
        pointer = cw_arg(l->fn, i, 0);
    }
    return full;
}
