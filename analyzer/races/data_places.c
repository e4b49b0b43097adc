/* See data_places.h. */
#include "races/data_places.h"

#include "ir/algebra.h"
#include "lanes/condition.h"
#include "lanes/value.h"
#include "uniformity/alias.h"

#include <stdlib.h>

struct origin {
    const struct cw_uniformity *u;
    const struct cw_fn *fn;
    enum cw_uni like;
    struct cw_bitset seen;
};

static bool is_from_data(struct origin *o, cw_ref r);

static bool stores_into(const struct cw_fn *fn, const struct cw_access *access, cw_ref object) {
    struct cw_bases to = cw_memory_bases(fn, access->pointer);
    for (uint32_t k = 0; access->writes && k < to.n; k++)
        if (to.at[k].root.tag == CW_REF_NONE || cw_ref_eq(to.at[k].root, object))
            return true;
    return false;
}

/* Does the array hold data alone, whoever stores into it? */
static bool holds_data(struct origin *origin, cw_ref object) {
    for (uint32_t k = 0; k < origin->fn->ins.n; k++) {
        const struct cw_ins *i = &origin->fn->ins.at[k];
        struct cw_access access[2];
        uint32_t n = cw_memory_accesses(origin->fn, i, access);
        for (uint32_t j = 0; j < n; j++)
            if (stores_into(origin->fn, &access[j], object) && i->op != CW_OP_ATOMIC &&
                (i->op != CW_OP_STORE || !is_from_data(origin, cw_arg(origin->fn, i, 0))))
                return false;
    }
    return true;
}

static bool loads_data(struct origin *origin, const struct cw_ins *load) {
    struct cw_bases from = cw_memory_bases(origin->fn, cw_arg(origin->fn, load, 0));
    for (uint32_t k = 0; k < from.n; k++) {
        cw_ref root = from.at[k].root;
        enum cw_space space = root.tag == CW_REF_OBJECT && !from.at[k].is_read
                                  ? (enum cw_space)origin->fn->objects.at[root.index].space
                                  : CW_SPACE_UNKNOWN;
        bool is_of_block = space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
        if (space == CW_SPACE_LOCAL || (is_of_block && !holds_data(origin, root)))
            return false;
    }
    return true;
}

static bool is_from_data(struct origin *origin, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(origin->fn, ref);
    if (cw_uni_of(origin->u, ref) <= origin->like)
        return true;
    if (!i)
        return false;
    if (cw_bitset_has(&origin->seen, ref.index))
        return true;
    cw_bitset_add(&origin->seen, ref.index);
    if (i->op == CW_OP_LOAD)
        return loads_data(origin, i);
    if (i->op == CW_OP_ATOMIC)
        return true;
    if (i->op != CW_OP_PHI && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
        return false;
    for (uint32_t k = i->op == CW_OP_SELECT; k < i->narg; k++) /* what decides is no part of what is chosen */
        if (!is_from_data(origin, cw_arg(origin->fn, i, k)))
            return false;
    return i->narg > 0;
}

bool cw_is_made_of_data(const struct cw_uniformity *uniformity, cw_ref value, enum cw_uni like, struct cw_arena *a) {
    struct origin o = {.u = uniformity, .fn = uniformity->fn, .like = like,
                       .seen = cw_bitset_new(a, uniformity->fn->ins.n)};
    return is_from_data(&o, value);
}

/* A sum of positions of threads and of what is the same for them, some of it loaded. */
static bool is_sum_of_common(struct origin *origin, cw_ref ref, bool *has_data) {
    const struct cw_ins *i = cw_ins_of(origin->fn, ref);
    if (!i)
        return true;
    if (cw_bitset_has(&origin->seen, ref.index))
        return true;
    cw_bitset_add(&origin->seen, ref.index);
    if (i->op == CW_OP_LOAD) {
        *has_data = true;
        return cw_uni_of(origin->u, ref) <= origin->like && loads_data(origin, i);
    }
    if (i->op != CW_OP_PHI && !(cw_op_flags(i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_sum_of_common(origin, cw_arg(origin->fn, i, k), has_data))
            return false;
    return true;
}

bool cw_is_bounded_by_data(const struct cw_uniformity *uniformity, cw_ref value, enum cw_uni like,
                           struct cw_arena *a) {
    struct origin o = {.u = uniformity, .fn = uniformity->fn, .like = like,
                       .seen = cw_bitset_new(a, uniformity->fn->ins.n)};
    const struct cw_ins *i = cw_ins_of(uniformity->fn, value);
    bool has_data = false;
    return i && cw_is_compare((enum cw_op)i->op) && i->op != CW_OP_EQ && i->op != CW_OP_NE &&
           is_sum_of_common(&o, cw_arg(uniformity->fn, i, 0), &has_data) &&
           is_sum_of_common(&o, cw_arg(uniformity->fn, i, 1), &has_data) && has_data;
}

struct loads {
    const struct cw_fn *fn;
    struct cw_arena *a;
    struct cw_bitset seen;
    struct cw_vec_u32 at;
};

static void find_loads(struct loads *loads, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(loads->fn, ref);
    if (!i || cw_bitset_has(&loads->seen, ref.index))
        return;
    cw_bitset_add(&loads->seen, ref.index);
    if (i->op == CW_OP_LOAD)
        cw_vec_push(loads->a, &loads->at, ref.index);
    for (uint32_t k = 0; k < i->narg; k++)
        find_loads(loads, cw_arg(loads->fn, i, k));
}

static struct loads loads_of(const struct cw_fn *fn, cw_ref value, struct cw_arena *a) {
    struct loads loads = {.fn = fn, .a = a, .seen = cw_bitset_new(a, fn->ins.n)};
    find_loads(&loads, value);
    return loads;
}

static bool may_load_one(const struct cw_fn *fn, uint32_t load, uint32_t other) {
    struct cw_bases of = cw_memory_bases(fn, cw_arg(fn, &fn->ins.at[load], 0)),
                    to = cw_memory_bases(fn, cw_arg(fn, &fn->ins.at[other], 0));
    for (uint32_t k = 0; k < of.n; k++)
        for (uint32_t n = 0; n < to.n; n++)
            if (cw_base_is_one_memory(&of.at[k], &to.at[n]))
                return true;
    return false;
}

bool cw_share_data(const struct cw_fn *fn, cw_ref value, cw_ref other, struct cw_arena *a) {
    struct loads of = loads_of(fn, value, a), to = loads_of(fn, other, a);
    for (uint32_t k = 0; k < of.at.n; k++)
        for (uint32_t n = 0; n < to.at.n; n++)
            if (may_load_one(fn, of.at.at[k], to.at.at[n]))
                return true;
    return false;
}

/* ---- steps between places ---- */

enum { STRIDE_DEPTH = 16 };

static const struct cw_stride any_number = {1, 0, {CW_REF_NONE, 0}, 0};

/* Of one thread in one iteration. */
struct view {
    const struct cw_fn *fn;
    struct cw_lanes *l;
    const struct cw_context *context;
    uint32_t thread;
    cw_ref leaf; /* taken for a datum, whatever makes it; or none */
};

/* The number that it is in the thread and context; of a pointer, the bytes from its base. */
static bool is_number(const struct view *view, cw_ref ref, int64_t *number) {
    if (cw_ref_const(view->fn, ref, number))
        return true;
    enum cw_type type = cw_ref_type(view->fn, ref);
    if (!cw_type_is_int(type) && type != CW_PTR)
        return false;
    const struct cw_lane_value *value = cw_lane_value_of(view->l, ref, view->context);
    struct cw_cell c = cw_lane_value_cell(value, view->thread);
    *number = c.value;
    return cw_cell_numeric(c) &&
           (type != CW_PTR || (value->base && cw_lane_value_base(value, view->thread).token != CW_NO_TOKEN));
}

static struct cw_stride stride_of(const struct view *v, cw_ref r, uint32_t depth);

static struct cw_stride scale_stride(struct cw_stride stride, int64_t by) {
    uint64_t step = by < 0 ? (uint64_t)0 - (uint64_t)by : (uint64_t)by;
    struct cw_stride out = {.datum = stride.datum};
    if (__builtin_mul_overflow(stride.step, step, &out.step) || __builtin_mul_overflow(stride.rest, by, &out.rest) ||
        __builtin_mul_overflow(stride.factor, by, &out.factor))
        return any_number;
    return out;
}

static struct cw_stride sum_of(struct cw_stride stride, struct cw_stride other) {
    bool is_one = stride.step == 0 || other.step == 0; /* the other one is a number */
    struct cw_stride out = {.step = cw_algebra_common_divisor(stride.step, other.step),
                            .datum = !is_one       ? CW_NONE
                                     : stride.step ? stride.datum
                                                   : other.datum,
                            .factor = stride.step ? stride.factor : other.factor};
    return __builtin_add_overflow(stride.rest, other.rest, &out.rest) ? any_number : out;
}

/* A counter of a loop, in any iteration. */
static struct cw_stride counter_of(const struct view *view, uint32_t phi, uint32_t depth) {
    const struct cw_cfg *cfg = view->fn->cfg;
    int64_t step = 0;
    for (uint32_t k = 0; k < cfg->inductions.n; k++) {
        const struct cw_induction *v = &cfg->inductions.at[k];
        if (v->phi != phi)
            continue;
        bool counts =
            (v->op == CW_OP_ADD || v->op == CW_OP_SUB || v->op == CW_OP_PTRADD) && is_number(view, v->step, &step);
        struct cw_stride by = {.step = step < 0 ? (uint64_t)0 - (uint64_t)step : (uint64_t)step};
        return counts ? sum_of(stride_of(view, v->init, depth), by) : any_number;
    }
    return any_number;
}

static struct cw_stride product_of(const struct view *view, const struct cw_ins *ins, uint32_t depth) {
    int64_t by;
    if (is_number(view, cw_arg(view->fn, ins, 1), &by))
        return scale_stride(stride_of(view, cw_arg(view->fn, ins, 0), depth), by);
    if (is_number(view, cw_arg(view->fn, ins, 0), &by))
        return scale_stride(stride_of(view, cw_arg(view->fn, ins, 1), depth), by);
    return any_number;
}

/* The low bits of `value op number`: of a number of a stride, those below the lowest bit of the step are known; an
 * `and` makes those below the lowest bit of its mask zero. */
static struct cw_stride low_bits_of(struct cw_stride stride, enum cw_op op, int64_t number) {
    uint64_t step = stride.step & (0 - stride.step), mask = (uint64_t)number & (0 - (uint64_t)number);
    uint64_t rest = op == CW_OP_AND  ? (uint64_t)stride.rest & (uint64_t)number
                    : op == CW_OP_OR ? (uint64_t)stride.rest | (uint64_t)number
                                     : (uint64_t)stride.rest ^ (uint64_t)number;
    if (op == CW_OP_AND && mask > step)
        return (struct cw_stride){.step = mask, .datum = CW_NONE};
    return (struct cw_stride){.step = step, .rest = (int64_t)(rest & (step - 1)), .datum = CW_NONE};
}

static struct cw_stride bits_of(const struct view *view, const struct cw_ins *ins, uint32_t depth) {
    int64_t number;
    for (uint32_t side = 0; side < 2; side++)
        if (is_number(view, cw_arg(view->fn, ins, side), &number))
            return low_bits_of(stride_of(view, cw_arg(view->fn, ins, !side), depth), (enum cw_op)ins->op, number);
    return any_number;
}

/* A remainder differs from the number by multiples of the divisor; an unsigned one, of numbers that may be below zero,
 * by multiples of the divisor's power of two. */
static struct cw_stride remainder_of(const struct view *view, const struct cw_ins *ins, uint32_t depth) {
    int64_t by;
    if (!is_number(view, cw_arg(view->fn, ins, 1), &by) || by <= 0)
        return any_number;
    struct cw_stride stride = stride_of(view, cw_arg(view->fn, ins, 0), depth);
    uint64_t step = cw_algebra_common_divisor(stride.step, (uint64_t)by);
    if (ins->op == CW_OP_UREM)
        step &= 0 - step;
    return (struct cw_stride){.step = step, .rest = stride.rest, .datum = CW_NONE};
}

static struct cw_stride stride_of(const struct view *view, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(view->fn, ref);
    int64_t number;
    if (is_number(view, ref, &number))
        return (struct cw_stride){.rest = number};
    if (ref.tag == CW_REF_OBJECT)
        return (struct cw_stride){0};
    if (i && cw_ref_eq(ref, view->leaf))
        return (struct cw_stride){1, 0, ref, 1};
    if (!i || depth == 0)
        return any_number;
    switch (i->op) {
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_COPY: return stride_of(view, cw_arg(view->fn, i, 0), depth - 1);
    case CW_OP_ADD:
    case CW_OP_PTRADD:
        return sum_of(stride_of(view, cw_arg(view->fn, i, 0), depth - 1),
                      stride_of(view, cw_arg(view->fn, i, 1), depth - 1));
    case CW_OP_SUB:
        return sum_of(stride_of(view, cw_arg(view->fn, i, 0), depth - 1),
                      scale_stride(stride_of(view, cw_arg(view->fn, i, 1), depth - 1), -1));
    case CW_OP_MUL: return product_of(view, i, depth - 1);
    case CW_OP_SHL:
        return is_number(view, cw_arg(view->fn, i, 1), &number) && number >= 0 && number < 32
                   ? scale_stride(stride_of(view, cw_arg(view->fn, i, 0), depth - 1), INT64_C(1) << number)
                   : any_number;
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_XOR: return bits_of(view, i, depth - 1);
    case CW_OP_SREM:
    case CW_OP_UREM: return remainder_of(view, i, depth - 1);
    case CW_OP_LOAD:
    case CW_OP_ATOMIC: return (struct cw_stride){1, 0, ref, 1};
    case CW_OP_PHI: return counter_of(view, ref.index, depth - 1);
    default: return any_number;
    }
}

struct cw_stride cw_stride_of(struct cw_lanes *lanes, cw_ref value, const struct cw_context *context, uint32_t thread) {
    struct view v = {cw_lanes_fn(lanes), lanes, context, thread, CW_NONE};
    return stride_of(&v, value, STRIDE_DEPTH);
}

static int by_number(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return a < b ? -1 : a > b;
}

uint64_t cw_own_row(struct cw_lanes *lanes, cw_ref pointer, const struct cw_context *context, struct cw_arena *a) {
    uint32_t n = cw_lanes_count(lanes);
    int64_t *begin = CW_NEW_ARRAY(a, int64_t, n + 1);
    struct cw_stride first = cw_stride_of(lanes, pointer, context, 0);
    uint64_t row = 0;
    for (uint32_t t = 0; t < n; t++) {
        struct cw_stride s = cw_stride_of(lanes, pointer, context, t);
        if (s.datum.tag == CW_REF_NONE || !cw_ref_eq(s.datum, first.datum) || s.factor <= 0 || s.factor != first.factor)
            return 0;
        begin[t] = s.rest;
    }
    qsort(begin, n, sizeof *begin, by_number);
    for (uint32_t t = 1; t < n; t++) {
        uint64_t distance = (uint64_t)begin[t] - (uint64_t)begin[t - 1];
        if (distance > 0 && (row == 0 || distance < row))
            row = distance;
    }
    return row;
}

bool cw_stride_meets(struct cw_stride stride, uint64_t size, int64_t offset, uint64_t other_size) {
    int64_t after = offset - stride.rest; /* of the nearest number at or before it */
    if (stride.step == 0)
        return after < (int64_t)size && -after < (int64_t)other_size;
    uint64_t into = (uint64_t)((after % (int64_t)stride.step + (int64_t)stride.step) % (int64_t)stride.step);
    return into < size || stride.step - into < other_size;
}

struct cw_range cw_stride_within(struct cw_stride stride, struct cw_range range) {
    int64_t step = (int64_t)stride.step, far = INT64_MAX / 4;
    if (step <= 1 || step > far || range.lo < -far || range.hi > far || stride.rest < -far || stride.rest > far)
        return range;
    int64_t before = ((stride.rest - range.lo) % step + step) % step; /* of the first number, from the beginning */
    int64_t after = ((range.hi - stride.rest) % step + step) % step;  /* of the last one, to the end */
    struct cw_range out = {range.lo + before, range.hi - after};
    return out.lo <= out.hi ? out : range;
}

bool cw_strides_meet(struct cw_stride stride, uint64_t size, struct cw_stride other, uint64_t other_size) {
    struct cw_stride both = {.step = cw_algebra_common_divisor(stride.step, other.step), .rest = stride.rest};
    return cw_stride_meets(both, size, other.rest, other_size);
}

/* ---- products of chosen sizes ---- */

enum { WRAP_DEPTH = 10 /* operations between a place and the product of sizes in it */ };

/* Of one thread that is there. */
static bool wraps(const struct cw_lane_value *a, const struct cw_lane_value *b, const struct cw_lane_cond *reach,
                  uint32_t threads) {
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell x = cw_lane_value_cell(a, t), y = cw_lane_value_cell(b, t);
        int64_t product;
        if (cw_cell_numeric(x) && cw_cell_numeric(y) && cw_lane_cond_at(reach, t) != CW_BDD_FALSE &&
            (__builtin_mul_overflow(x.value, y.value, &product) || product != (int32_t)product))
            return true;
    }
    return false;
}

static bool has_wrapped_product(struct cw_lanes *l, cw_ref ref, const struct cw_context *context, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(l);
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || !depth || i->op == CW_OP_PHI || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
        return false;
    context = cw_context_at(l, context, i->block);
    if (cw_context_missing(l, context, i->block) != CW_NO_LOOP)
        return false;
    if (i->op == CW_OP_MUL && i->type == CW_I32) {
        const struct cw_lane_value *a = cw_lane_value_of(l, cw_arg(fn, i, 0), context),
                                   *b = cw_lane_value_of(l, cw_arg(fn, i, 1), context);
        if ((a->worst == CW_SAMPLE || b->worst == CW_SAMPLE) &&
            wraps(a, b, cw_lane_cond_reach(l, i->block, context), cw_lanes_count(l)))
            return true;
    }
    for (uint32_t k = 0; k < i->narg; k++)
        if (has_wrapped_product(l, cw_arg(fn, i, k), context, depth - 1))
            return true;
    return false;
}

bool cw_place_wraps_sizes(struct cw_lanes *lanes, cw_ref pointer, const struct cw_context *context) {
    return has_wrapped_product(lanes, pointer, context, WRAP_DEPTH);
}

/* ---- what a chosen datum decides ---- */

/* A datum of one thread that is taken to be a number. */
struct taken {
    struct view view;
    struct cw_cell named;
    int64_t number;
};

/* The value under the choice, as far as numbers and the datum make it. */
static bool value_under(const struct taken *taken, cw_ref ref, uint32_t depth, int64_t *value) {
    const struct view *v = &taken->view;
    const struct cw_ins *i = cw_ins_of(v->fn, ref);
    enum cw_type type = cw_ref_type(v->fn, ref);
    int64_t args[3];
    if (!cw_type_is_int(type))
        return false;
    if (i && cw_context_missing(v->l, cw_context_at(v->l, v->context, i->block), i->block) != CW_NO_LOOP)
        return false;
    if (is_number(v, ref, value))
        return true;
    if (cw_ref_eq(ref, v->leaf) ||
        cw_cell_same(cw_lane_value_cell(cw_lane_value_of(v->l, ref, v->context), v->thread), taken->named)) {
        *value = taken->number;
        return true;
    }
    if (!i || !depth || i->op == CW_OP_PHI || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P) || i->narg == 0 ||
        i->narg > 3)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!value_under(taken, cw_arg(v->fn, i, k), depth - 1, &args[k]))
            return false;
    return cw_fold((enum cw_op)i->op, cw_ref_type(v->fn, cw_arg(v->fn, i, 0)), type, args, value);
}

static bool offset_under(const struct taken *taken, cw_ref pointer, uint32_t depth, int64_t *offset) {
    const struct cw_ins *i = cw_ins_of(taken->view.fn, pointer);
    int64_t index;
    *offset = 0;
    if (pointer.tag == CW_REF_OBJECT || pointer.tag == CW_REF_PARAM)
        return true;
    if (!i || !depth || (i->op != CW_OP_PTRADD && i->op != CW_OP_COPY) ||
        !offset_under(taken, cw_arg(taken->view.fn, i, 0), depth - 1, offset))
        return false;
    return i->op == CW_OP_COPY || (value_under(taken, cw_arg(taken->view.fn, i, 1), STRIDE_DEPTH, &index) &&
                                   !__builtin_add_overflow(*offset, index, offset));
}

bool cw_offset_under(struct cw_lanes *lanes, cw_ref pointer, const struct cw_context *context, uint32_t thread,
                     struct cw_cell named, int64_t number, int64_t *offset) {
    struct taken taken = {{cw_lanes_fn(lanes), lanes, context, thread, CW_NONE}, named, number};
    return offset_under(&taken, pointer, STRIDE_DEPTH, offset);
}

/* ---- what a datum has to be ---- */

static struct cw_leads leads_of(const struct view *view, cw_ref ref, int64_t target, uint32_t depth);

static struct cw_leads led(enum cw_leading how) {
    return (struct cw_leads){.how = how, .datum = CW_NONE};
}

static struct cw_leads add_leads(struct cw_leads all, struct cw_leads more) {
    if (more.how == CW_LED_OPEN || (all.n && more.n && !cw_ref_eq(all.datum, more.datum)))
        return led(CW_LED_OPEN);
    for (uint32_t k = 0; k < more.n && all.n < CW_LEADS_MAX; k++)
        all.number[all.n++] = more.number[k];
    all.datum = more.n ? more.datum : all.datum;
    all.how = all.n ? CW_LED_BY : all.how;
    return all;
}

/* Every `target + k * step` of the operand leads there; the first few are tried, on both sides of zero. Where none of
 * these can be, it is open. */
static struct cw_leads leads_by_steps(const struct view *view, cw_ref operand, int64_t target, int64_t step,
                                      uint32_t depth) {
    struct cw_leads all = led(CW_LED_NEVER);
    for (int64_t k = 0, next; k < CW_LEADS_MAX && all.how != CW_LED_OPEN; k++) {
        int64_t steps = k % 2 ? -(k / 2 + 1) : k / 2; /* 0, -1, 1, -2, 2, … */
        if (!__builtin_mul_overflow(steps, step, &next) && !__builtin_add_overflow(target, next, &next))
            all = add_leads(all, leads_of(view, operand, next, depth));
    }
    all.are_some = true;
    return all.n ? all : led(CW_LED_OPEN);
}

/* `operand op number` is to be the target. */
static struct cw_leads leads_through(const struct view *view, enum cw_op op, cw_ref operand, int64_t number,
                                     int64_t target, uint32_t depth) {
    int64_t next;
    bool fits = true;
    switch (op) {
    case CW_OP_ADD:
    case CW_OP_PTRADD: fits = !__builtin_sub_overflow(target, number, &next); break;
    case CW_OP_SUB: fits = !__builtin_add_overflow(target, number, &next); break;
    case CW_OP_XOR: next = target ^ number; break;
    case CW_OP_SHL:
        if (number < 0 || number > 31)
            return led(CW_LED_OPEN);
        number = INT64_C(1) << number; /* fallthrough */
    case CW_OP_MUL:
        if (number == 0)
            return led(target == 0 ? CW_LED_OPEN : CW_LED_NEVER);
        if (target % number != 0)
            return led(CW_LED_NEVER);
        next = target / number;
        break;
    case CW_OP_AND:
        if (target & ~number)
            return led(CW_LED_NEVER);
        return number > 0 && (number & (number + 1)) == 0 ? leads_by_steps(view, operand, target, number + 1, depth)
                                                          : led(CW_LED_OPEN);
    case CW_OP_UREM:
        if (number > 0 && (target < 0 || target >= number))
            return led(CW_LED_NEVER);
        return number > 0 ? leads_by_steps(view, operand, target, number, depth) : led(CW_LED_OPEN);
    default: return led(CW_LED_OPEN);
    }
    return fits ? leads_of(view, operand, next, depth) : led(CW_LED_OPEN);
}

static struct cw_leads leads_through_ins(const struct view *view, const struct cw_ins *ins, int64_t target,
                                         uint32_t depth) {
    cw_ref a = cw_arg(view->fn, ins, 0), b = cw_arg(view->fn, ins, 1);
    bool swaps = ins->op == CW_OP_ADD || ins->op == CW_OP_MUL || ins->op == CW_OP_XOR || ins->op == CW_OP_AND;
    int64_t number, next;
    if (is_number(view, b, &number))
        return leads_through(view, (enum cw_op)ins->op, a, number, target, depth);
    if (ins->op == CW_OP_PTRADD && a.tag == CW_REF_OBJECT)
        return leads_of(view, b, target, depth);
    if (!is_number(view, a, &number))
        return led(CW_LED_OPEN);
    if (swaps)
        return leads_through(view, (enum cw_op)ins->op, b, number, target, depth);
    if (ins->op == CW_OP_PTRADD && !__builtin_sub_overflow(target, number, &next))
        return leads_of(view, b, next, depth);
    return ins->op == CW_OP_SUB && !__builtin_sub_overflow(number, target, &next) ? leads_of(view, b, next, depth)
                                                                                 : led(CW_LED_OPEN);
}

static struct cw_leads leads_of(const struct view *view, cw_ref ref, int64_t target, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(view->fn, ref);
    int64_t number;
    if (is_number(view, ref, &number) || ref.tag == CW_REF_OBJECT)
        return led((ref.tag == CW_REF_OBJECT ? 0 : number) == target ? CW_LED_OPEN : CW_LED_NEVER);
    if (!i || depth == 0)
        return led(CW_LED_OPEN);
    switch (i->op) {
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_COPY: return leads_of(view, cw_arg(view->fn, i, 0), target, depth - 1);
    case CW_OP_LOAD:
    case CW_OP_ATOMIC: return (struct cw_leads){.how = CW_LED_BY, .datum = ref, .number = {target}, .n = 1};
    case CW_OP_PHI: return led(CW_LED_OPEN);
    default: return i->narg == 2 ? leads_through_ins(view, i, target, depth - 1) : led(CW_LED_OPEN);
    }
}

struct cw_leads cw_leads_to(struct cw_lanes *lanes, cw_ref pointer, const struct cw_context *context, uint32_t thread,
                            int64_t offset) {
    struct view v = {cw_lanes_fn(lanes), lanes, context, thread, CW_NONE};
    return leads_of(&v, pointer, offset, STRIDE_DEPTH);
}

/* ---- conditions under a choice ---- */

bool cw_datum_forbids(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context, uint32_t thread,
                      struct cw_cell named, int64_t number) {
    const struct cw_fn *fn = cw_lanes_fn(lanes);
    for (uint32_t b = fn->cfg->idom[block]; b != CW_NO_BLOCK; b = fn->cfg->idom[b]) {
        const struct cw_jump *jump = &fn->blocks.at[b].jump;
        struct taken taken = {{fn, lanes, cw_context_at(lanes, context, b), thread, CW_NONE}, named, number};
        int64_t value;
        int way = cw_cfg_way_to(fn, b, block);
        if (way >= 0 && cw_context_missing(lanes, taken.view.context, b) == CW_NO_LOOP &&
            value_under(&taken, jump->value, STRIDE_DEPTH, &value) && (value != 0) != (way == 0))
            return true;
    }
    return false;
}

/* ---- one lane of each group with equal values ---- */

enum { GROUPS_TRIED = 64 };

static const struct cw_ins *match_in(const struct view *view, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(view->fn, ref), *found = NULL;
    if (!i || (i->op == CW_OP_MATCH && i->aux == CW_VOTE_ANY))
        return i;
    for (uint32_t k = 0; k < i->narg && depth && !found && (cw_op_flags((enum cw_op)i->op) & CW_OP_P); k++)
        found = match_in(view, cw_arg(view->fn, i, k), depth - 1);
    return found;
}

/* The k-th of some sets of lanes: all, each lane alone, and some that a generator of pseudo-random numbers makes. */
static uint32_t group_of_lanes(uint32_t k) {
    uint64_t mixed = cw_mix(cw_mix(0, k), k);
    return k == 0 ? UINT32_MAX : k <= 32 ? UINT32_C(1) << (k - 1) : (uint32_t)mixed & (uint32_t)(mixed >> 32);
}

/* Is the condition true (or false, as `wanted` says) for one lane of a group at most, whatever the group? It is made of
 * the lane and of the group alone. Tried with GROUPS_TRIED groups. */
static bool chooses_one_lane(const struct view *view, cw_ref condition, bool wanted, cw_ref group) {
    for (uint32_t k = 0; k < GROUPS_TRIED; k++) {
        uint32_t lanes = group_of_lanes(k), chosen = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            struct taken taken = {*view, {CW_OPAQUE, CW_NO_TOKEN}, (int32_t)lanes};
            int64_t value;
            taken.view.thread = (view->thread & ~31u) + lane;
            taken.view.leaf = group;
            if (!(lanes >> lane & 1) || taken.view.thread >= cw_lanes_count(view->l))
                continue;
            if (!value_under(&taken, condition, STRIDE_DEPTH, &value))
                return false;
            chosen += (value != 0) == wanted;
        }
        if (chosen > 1)
            return false;
    }
    return true;
}

/* The match whose groups send one lane each to the block, or NULL. */
static const struct cw_ins *match_led_by(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                                         uint32_t thread) {
    const struct cw_fn *fn = cw_lanes_fn(lanes);
    for (uint32_t b = fn->cfg->idom[block]; b != CW_NO_BLOCK; b = fn->cfg->idom[b]) {
        const struct cw_jump *jump = &fn->blocks.at[b].jump;
        struct view view = {fn, lanes, cw_context_at(lanes, context, b), thread, CW_NONE};
        int way = cw_cfg_way_to(fn, b, block);
        if (way < 0 || cw_context_missing(lanes, view.context, b) != CW_NO_LOOP)
            continue;
        const struct cw_ins *match = match_in(&view, jump->value, STRIDE_DEPTH);
        if (match && match->op == CW_OP_MATCH &&
            chooses_one_lane(&view, jump->value, way == 0, cw_ref_of(CW_REF_INS, (uint32_t)(match - fn->ins.at))))
            return match;
    }
    return NULL;
}

/* The same, asked once for a warp. */
static const struct cw_ins *known_match(struct cw_lanes *lanes, struct cw_map *known, const struct cw_place_of *place) {
    uint64_t key = cw_mix(cw_mix(place->block, cw_context_id(place->context)), place->thread / 32), found;
    if (!cw_map_get(known, key, &found)) {
        found = (uint64_t)(uintptr_t)match_led_by(lanes, place->block, place->context, place->thread);
        cw_map_put(known, key, found);
    }
    return (const struct cw_ins *)(uintptr_t)found;
}

/* Are both lanes in one mask? Lanes of different masks are in different groups whatever their values. */
static bool ask_together(const struct view *a, const struct view *b, cw_ref mask) {
    struct view at_a = *a, at_b = *b;
    const struct cw_ins *i = cw_ins_of(a->fn, mask);
    int64_t of_a, of_b;
    at_a.context = i ? cw_context_at(a->l, a->context, i->block) : NULL;
    at_b.context = i ? cw_context_at(b->l, b->context, i->block) : NULL;
    return is_number(&at_a, mask, &of_a) && is_number(&at_b, mask, &of_b) && of_a == of_b;
}

bool cw_match_keeps_apart(struct cw_lanes *lanes, struct cw_map *known, const struct cw_place_of *a,
                          const struct cw_place_of *b) {
    const struct cw_fn *fn = cw_lanes_fn(lanes);
    if (a->thread / 32 != b->thread / 32)
        return false;
    const struct cw_ins *match = known_match(lanes, known, a);
    if (!match || match != known_match(lanes, known, b) ||
        cw_context_at(lanes, a->context, match->block) != cw_context_at(lanes, b->context, match->block))
        return false;
    struct view of_a = {fn, lanes, a->context, a->thread, cw_arg(fn, match, 1)},
                of_b = {fn, lanes, b->context, b->thread, cw_arg(fn, match, 1)};
    if (!ask_together(&of_a, &of_b, cw_arg(fn, match, 0)))
        return false;
    struct cw_stride x = stride_of(&of_a, a->pointer, STRIDE_DEPTH), y = stride_of(&of_b, b->pointer, STRIDE_DEPTH);
    uint64_t factor = x.factor < 0 ? (uint64_t)0 - (uint64_t)x.factor : (uint64_t)x.factor;
    return cw_ref_eq(x.datum, of_a.leaf) && cw_ref_eq(y.datum, of_a.leaf) && x.factor == y.factor && x.rest == y.rest &&
           a->size <= factor && b->size <= factor;
}
