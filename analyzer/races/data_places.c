/* See data_places.h. */
#include "races/data_places.h"

#include "lanes/value.h"
#include "uniformity/alias.h"

struct origin {
    const struct cw_uniformity *u;
    const struct cw_fn *fn;
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
static bool holds_data(struct origin *o, cw_ref object) {
    for (uint32_t k = 0; k < o->fn->ins.n; k++) {
        const struct cw_ins *i = &o->fn->ins.at[k];
        struct cw_access access[2];
        uint32_t n = cw_memory_accesses(o->fn, i, access);
        for (uint32_t j = 0; j < n; j++)
            if (stores_into(o->fn, &access[j], object) && i->op != CW_OP_ATOMIC &&
                (i->op != CW_OP_STORE || !is_from_data(o, cw_arg(o->fn, i, 0))))
                return false;
    }
    return true;
}

static bool loads_data(struct origin *o, const struct cw_ins *load) {
    struct cw_bases from = cw_memory_bases(o->fn, cw_arg(o->fn, load, 0));
    for (uint32_t k = 0; k < from.n; k++) {
        cw_ref root = from.at[k].root;
        enum cw_space space = root.tag == CW_REF_OBJECT && !from.at[k].is_read
                                  ? (enum cw_space)o->fn->objects.at[root.index].space
                                  : CW_SPACE_UNKNOWN;
        bool is_of_block = space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
        if (space == CW_SPACE_LOCAL || (is_of_block && !holds_data(o, root)))
            return false;
    }
    return true;
}

static bool is_from_data(struct origin *o, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(o->fn, r);
    if (cw_uni_of(o->u, r) <= CW_UNI_BLOCK)
        return true;
    if (!i)
        return false;
    if (cw_bitset_has(&o->seen, r.index))
        return true;
    cw_bitset_add(&o->seen, r.index);
    if (i->op == CW_OP_LOAD)
        return loads_data(o, i);
    if (i->op == CW_OP_ATOMIC)
        return true;
    if (i->op != CW_OP_PHI && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
        return false;
    for (uint32_t k = i->op == CW_OP_SELECT; k < i->narg; k++) /* what decides is no part of what is chosen */
        if (!is_from_data(o, cw_arg(o->fn, i, k)))
            return false;
    return i->narg > 0;
}

bool cw_is_made_of_data(const struct cw_uniformity *u, cw_ref value, struct cw_arena *a) {
    struct origin o = {.u = u, .fn = u->fn, .seen = cw_bitset_new(a, u->fn->ins.n)};
    return is_from_data(&o, value);
}

/* ---- steps between places ---- */

enum { STRIDE_DEPTH = 16 };

static const struct cw_stride any_number = {1, 0};

static uint64_t divisor_of_both(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Of one thread in one iteration. */
struct view {
    const struct cw_fn *fn;
    struct cw_lanes *l;
    const struct cw_context *context;
    uint32_t thread;
};

static bool is_number(const struct view *v, cw_ref r, int64_t *number) {
    if (cw_ref_const(v->fn, r, number))
        return true;
    if (!cw_type_is_int(cw_ref_type(v->fn, r)))
        return false;
    struct cw_cell c = cw_lane_value_cell(cw_lane_value_of(v->l, r, v->context), v->thread);
    *number = c.value;
    return cw_cell_numeric(c);
}

static struct cw_stride stride_of(const struct view *v, cw_ref r, uint32_t depth);

static struct cw_stride scaled(struct cw_stride s, int64_t by) {
    uint64_t step = by < 0 ? (uint64_t)0 - (uint64_t)by : (uint64_t)by;
    struct cw_stride out;
    if (__builtin_mul_overflow(s.step, step, &out.step) || __builtin_mul_overflow(s.rest, by, &out.rest))
        return any_number;
    return out;
}

static struct cw_stride sum_of(struct cw_stride a, struct cw_stride b) {
    struct cw_stride out = {divisor_of_both(a.step, b.step), 0};
    return __builtin_add_overflow(a.rest, b.rest, &out.rest) ? any_number : out;
}

static struct cw_stride product_of(const struct view *v, const struct cw_ins *i, uint32_t depth) {
    int64_t by;
    if (is_number(v, cw_arg(v->fn, i, 1), &by))
        return scaled(stride_of(v, cw_arg(v->fn, i, 0), depth), by);
    if (is_number(v, cw_arg(v->fn, i, 0), &by))
        return scaled(stride_of(v, cw_arg(v->fn, i, 1), depth), by);
    return any_number;
}

static struct cw_stride stride_of(const struct view *v, cw_ref r, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(v->fn, r);
    int64_t number;
    if (is_number(v, r, &number))
        return (struct cw_stride){0, number};
    if (r.tag == CW_REF_OBJECT)
        return (struct cw_stride){0, 0};
    if (!i || depth == 0)
        return any_number;
    switch (i->op) {
    case CW_OP_SEXT: case CW_OP_ZEXT: case CW_OP_COPY:
        return stride_of(v, cw_arg(v->fn, i, 0), depth - 1);
    case CW_OP_ADD: case CW_OP_PTRADD:
        return sum_of(stride_of(v, cw_arg(v->fn, i, 0), depth - 1), stride_of(v, cw_arg(v->fn, i, 1), depth - 1));
    case CW_OP_SUB:
        return sum_of(stride_of(v, cw_arg(v->fn, i, 0), depth - 1),
                      scaled(stride_of(v, cw_arg(v->fn, i, 1), depth - 1), -1));
    case CW_OP_MUL:
        return product_of(v, i, depth - 1);
    case CW_OP_SHL:
        return is_number(v, cw_arg(v->fn, i, 1), &number) && number >= 0 && number < 32
                   ? scaled(stride_of(v, cw_arg(v->fn, i, 0), depth - 1), INT64_C(1) << number)
                   : any_number;
    default:
        return any_number;
    }
}

struct cw_stride cw_stride_of(struct cw_lanes *l, cw_ref value, const struct cw_context *context, uint32_t thread) {
    struct view v = {cw_lanes_fn(l), l, context, thread};
    return stride_of(&v, value, STRIDE_DEPTH);
}

bool cw_stride_meets(struct cw_stride s, uint64_t size, int64_t offset, uint64_t other_size) {
    int64_t after = offset - s.rest; /* of the nearest number at or before it */
    if (s.step == 0)
        return after < (int64_t)size && -after < (int64_t)other_size;
    uint64_t into = (uint64_t)((after % (int64_t)s.step + (int64_t)s.step) % (int64_t)s.step);
    return into < size || s.step - into < other_size;
}
