/* See own_parts.h. Each place is a sum: what positions of threads decide, constants, and what is chosen. */
#include "races/own_parts.h"

#include "ir/algebra.h"

enum {
    SUM_DEPTH = 20,
    ROWS_MAX = 3,
    WALK_MAX = 16, /* operations between a pointer that moves in a loop and where it was in the round before */
    TERMS_MAX = 12,
    CHOSEN_MAX = 8,
    FRAGMENT_LEAST = 16 /* bytes of a matrix fragment that a thread surely touches */
};

struct term { /* a number for each thread */
    const struct cw_lane_value *value;
    int64_t factor;
    uint64_t step; /* between two threads with different values, at least */
};

struct chosen { /* by data, or as a size */
    cw_ref ref;
    int64_t factor;
    bool is_common; /* one value for the block, made outside of all loops */
};

struct row { /* a number for each thread, times a length that nobody knows and that is one for the block */
    const struct cw_lane_value *value;
    int64_t factor;
};

struct stage { /* a number for all threads, times a size: `buffers + (i % 2) * window` */
    int64_t number;
    cw_ref length; /* CW_NONE: the place has no such step */
};

struct sum {
    struct cw_lanes *l;
    const struct cw_context *context;
    struct term terms[TERMS_MAX];
    uint32_t n;
    int64_t constant, counted; /* what is written there, and what counters of loops add in this iteration */
    struct chosen chosen[CHOSEN_MAX];
    uint32_t nchosen;
    struct row rows[ROWS_MAX];
    uint32_t nrows;
    cw_ref length; /* of the rows */
    struct stage stage;
    bool is_sized; /* sizes decide more than the stage */
    cw_ref root;
    bool is_lost;
};

static void add_operand(struct sum *sum, cw_ref ref, int64_t factor, uint32_t depth);

static uint64_t size_of_number(int64_t number) {
    return number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
}

static void add_term(struct sum *sum, const struct cw_lane_value *value, int64_t factor) {
    uint64_t step = 0;
    int64_t first = cw_lane_value_cell(value, 0).value;
    if (sum->n == TERMS_MAX) {
        sum->is_lost = true;
        return;
    }
    for (uint32_t t = 1; t < cw_lanes_count(sum->l); t++)
        step = cw_algebra_common_divisor(
            step, size_of_number((int64_t)((uint64_t)cw_lane_value_cell(value, t).value - (uint64_t)first)));
    sum->is_lost |= __builtin_mul_overflow(step, size_of_number(factor), &step);
    sum->is_sized |= value->worst == CW_SAMPLE;
    sum->terms[sum->n++] = (struct term){value, factor, step};
}

static void add_chosen(struct sum *sum, cw_ref ref, int64_t factor) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (sum->nchosen == CHOSEN_MAX) {
        sum->is_lost = true;
        return;
    }
    bool is_common = cw_uni_of(cw_lanes_uniformity(sum->l), ref) <= CW_UNI_BLOCK &&
                     (!i || fn->cfg->loop_of[i->block] == CW_NO_LOOP);
    sum->is_sized = true;
    sum->chosen[sum->nchosen++] = (struct chosen){ref, factor, is_common};
}

static void add_number(struct sum *sum, int64_t *to, int64_t number, int64_t factor) {
    int64_t product;
    sum->is_lost |= __builtin_mul_overflow(number, factor, &product) || __builtin_add_overflow(*to, product, to);
}

static void add_leaf(struct sum *sum, cw_ref ref, int64_t factor) {
    const struct cw_lane_value *value = cw_lane_value_of(sum->l, ref, sum->context);
    if (value->worst > CW_SAMPLE)
        add_chosen(sum, ref, factor);
    else if (value->mask)
        add_term(sum, value, factor);
    else if (value->worst == CW_SAMPLE)
        add_chosen(sum, ref, factor);
    else
        add_number(sum, &sum->counted, value->value[0], factor);
}

static bool is_in_loop(const struct cw_fn *fn, cw_ref value) {
    const struct cw_ins *i = cw_ins_of(fn, value);
    return i && fn->cfg->loop_of[i->block] != CW_NO_LOOP;
}

/* A position times a length that is loaded, the same for the whole block; the position of no loop, which may lead to
 * other rows in other iterations. */
static void add_row(struct sum *sum, const struct cw_ins *ins, cw_ref whole, int64_t factor) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    if (cw_uni_of(cw_lanes_uniformity(sum->l), whole) <= CW_UNI_BLOCK &&
        fn->cfg->loop_of[ins->block] == CW_NO_LOOP) { /* where an array begins, or a row that all threads look at */
        add_chosen(sum, whole, factor);
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        cw_ref length = cw_arg(fn, ins, side);
        const struct cw_lane_value *position = cw_lane_value_of(sum->l, cw_arg(fn, ins, !side), sum->context);
        if (position->worst > CW_SAMPLE || is_in_loop(fn, cw_arg(fn, ins, !side)) ||
            cw_uni_of(cw_lanes_uniformity(sum->l), length) > CW_UNI_BLOCK ||
            (sum->nrows > 0 && !cw_ref_eq(sum->length, length)) || sum->nrows == ROWS_MAX)
            continue;
        sum->length = length;
        sum->rows[sum->nrows++] = (struct row){position, factor};
        return;
    }
    sum->is_lost = true;
}

static bool is_size(const struct sum *sum, cw_ref ref) {
    const struct cw_lane_value *value = cw_lane_value_of(sum->l, ref, sum->context);
    return value->worst == CW_SAMPLE && !value->mask && !is_in_loop(cw_lanes_fn(sum->l), ref);
}

/* The stage of a ring of buffers, whose length is a size. */
static bool add_stage(struct sum *sum, const struct cw_ins *product, int64_t factor) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    for (uint32_t side = 0; side < 2; side++) {
        const struct cw_lane_value *number = cw_lane_value_of(sum->l, cw_arg(fn, product, !side), sum->context);
        int64_t stage;
        if (number->worst != CW_NUMBER || number->mask || !is_size(sum, cw_arg(fn, product, side)) ||
            sum->stage.length.tag != CW_REF_NONE)
            continue;
        sum->is_lost |= __builtin_mul_overflow(number->value[0], factor, &stage);
        sum->stage = (struct stage){stage, cw_arg(fn, product, side)};
        return true;
    }
    return false;
}

/* Of a product with a size, the other factor's step is the size; the step of a product of two sizes is not known. */
static void add_product(struct sum *sum, const struct cw_ins *ins, cw_ref whole, int64_t factor, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    const struct cw_lane_value *value = cw_lane_value_of(sum->l, whole, sum->context);
    int64_t by;
    for (uint32_t side = 0; side < 2; side++)
        if (cw_ref_const(fn, cw_arg(fn, ins, side), &by)) {
            sum->is_lost |= __builtin_mul_overflow(factor, by, &factor);
            add_operand(sum, cw_arg(fn, ins, !side), factor, depth);
            return;
        }
    if (add_stage(sum, ins, factor))
        return;
    if (value->worst == CW_NUMBER || (value->worst == CW_SAMPLE && value->mask)) {
        add_leaf(sum, whole, factor);
        return;
    }
    for (uint32_t side = 0; side < 2; side++) {
        const struct cw_lane_value *size = cw_lane_value_of(sum->l, cw_arg(fn, ins, side), sum->context);
        if (value->worst > CW_SAMPLE && size->worst <= CW_SAMPLE && !size->mask) {
            sum->is_lost |= __builtin_mul_overflow(factor, size->value[0], &factor);
            add_operand(sum, cw_arg(fn, ins, !side), factor, depth);
            return;
        }
    }
    add_row(sum, ins, whole, factor);
}

/* A step of a pointer in a loop that says nothing of parts: to a neighbour, or as far as data of the thread say. */
static void add_walked(struct sum *sum, cw_ref step) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    int64_t number;
    if (cw_ref_const(fn, step, &number))
        sum->is_lost |= size_of_number(number) > FRAGMENT_LEAST;
    else if (cw_uni_of(cw_lanes_uniformity(sum->l), step) <= CW_UNI_BLOCK)
        sum->is_lost = true; /* to another part, as far as one can see */
    else
        add_chosen(sum, step, 1);
}

/* From where a pointer is at the end of a round back to the phi of the loop. */
static void walk_back(struct sum *sum, cw_ref at, cw_ref phi, uint32_t *left) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    const struct cw_ins *i = cw_ins_of(fn, at);
    if (cw_ref_eq(at, phi) || sum->is_lost)
        return;
    bool moves = i && (i->op == CW_OP_PTRADD || i->op == CW_OP_PHI || i->op == CW_OP_SELECT || i->op == CW_OP_COPY);
    if (!moves || *left == 0) {
        sum->is_lost = true;
        return;
    }
    --*left;
    if (i->op == CW_OP_PTRADD)
        add_walked(sum, cw_arg(fn, i, 1));
    for (uint32_t k = i->op == CW_OP_SELECT; k < (i->op == CW_OP_PTRADD ? 1 : i->narg); k++)
        walk_back(sum, cw_arg(fn, i, k), phi, left); /* as often as WALK_MAX says */
}

/* A pointer that moves in a loop, as data say: from where it was before the loop. */
static void add_moving(struct sum *sum, const struct cw_ins *ins, cw_ref ref, int64_t factor, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    const struct cw_vec_u32 *pred = &fn->blocks.at[ins->block].pred;
    uint32_t loop = fn->cfg->loop_of[ins->block], left = WALK_MAX;
    cw_ref start = CW_NONE;
    sum->is_lost |= loop == CW_NO_LOOP || fn->cfg->loops.at[loop].header != ins->block;
    for (uint32_t k = 0; k < pred->n && !sum->is_lost; k++) {
        if (cw_cfg_in_loop(fn->cfg, loop, pred->at[k])) {
            walk_back(sum, cw_arg(fn, ins, k), ref, &left);
        } else {
            sum->is_lost |= start.tag != CW_REF_NONE && !cw_ref_eq(start, cw_arg(fn, ins, k));
            start = cw_arg(fn, ins, k);
        }
    }
    if (!sum->is_lost)
        add_operand(sum, start, factor, depth);
}

static void add_instruction(struct sum *sum, const struct cw_ins *ins, cw_ref ref, int64_t factor, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(sum->l);
    int64_t bits;
    switch (ins->op) {
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_COPY: add_operand(sum, cw_arg(fn, ins, 0), factor, depth); return;
    case CW_OP_ADD:
    case CW_OP_PTRADD:
        add_operand(sum, cw_arg(fn, ins, 0), factor, depth);
        add_operand(sum, cw_arg(fn, ins, 1), factor, depth);
        return;
    case CW_OP_SUB:
        add_operand(sum, cw_arg(fn, ins, 0), factor, depth);
        sum->is_lost |= __builtin_sub_overflow(0, factor, &factor);
        add_operand(sum, cw_arg(fn, ins, 1), factor, depth);
        return;
    case CW_OP_MUL: add_product(sum, ins, ref, factor, depth); return;
    case CW_OP_SHL:
        if (cw_ref_const(fn, cw_arg(fn, ins, 1), &bits) && bits >= 0 && bits < 32) {
            sum->is_lost |= __builtin_mul_overflow(factor, INT64_C(1) << bits, &factor);
            add_operand(sum, cw_arg(fn, ins, 0), factor, depth);
            return;
        }
        break;
    case CW_OP_PHI:
        if (!cw_type_is_int(cw_ref_type(fn, ref)) && factor == 1) {
            add_moving(sum, ins, ref, factor, depth);
            return;
        }
        break;
    default: break;
    }
    if (cw_type_is_int(cw_ref_type(fn, ref)))
        add_leaf(sum, ref, factor);
    else
        sum->root = ref;
}

static void add_operand(struct sum *sum, cw_ref ref, int64_t factor, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(cw_lanes_fn(sum->l), ref);
    int64_t number;
    if (sum->is_lost || depth == 0)
        sum->is_lost = true;
    else if (i)
        add_instruction(sum, i, ref, factor, depth - 1);
    else if (cw_ref_const(cw_lanes_fn(sum->l), ref, &number))
        add_number(sum, &sum->constant, number, factor);
    else if (cw_type_is_int(cw_ref_type(cw_lanes_fn(sum->l), ref)))
        add_leaf(sum, ref, factor);
    else
        sum->root = ref;
}

static struct sum sum_of_place(struct cw_lanes *l, const struct cw_place_of *place) {
    struct sum sum = {.l = l, .context = place->context, .stage = {.length = CW_NONE}};
    add_operand(&sum, place->pointer, 1, SUM_DEPTH);
    return sum;
}

static int64_t quotient_below(int64_t number, int64_t by) {
    return number / by - (number % by < 0);
}

/* The number of the part that the position and the constants lead to. A constant step is one to a neighbour, as the -1
 * in `row[i - 1]`, or to another part: to the nearest one. */
static bool find_part(const struct sum *sum, uint32_t thread, uint64_t step, int64_t *part) {
    int64_t position = sum->counted, constant, product;
    for (uint32_t k = 0; k < sum->n; k++)
        if (__builtin_mul_overflow(sum->terms[k].factor, cw_lane_value_cell(sum->terms[k].value, thread).value,
                                   &product) ||
            __builtin_add_overflow(position, product, &position))
            return false;
    if (__builtin_add_overflow(sum->constant, (int64_t)step / 2, &constant))
        return false;
    return !__builtin_add_overflow(quotient_below(position, (int64_t)step), quotient_below(constant, (int64_t)step),
                                   part);
}

static bool are_other_parts(const struct sum *x, uint32_t thread, const struct sum *y, uint32_t other, uint64_t step) {
    int64_t one, two;
    return find_part(x, thread, step, &one) && find_part(y, other, step, &two) && one != two;
}

/* Where the array begins is a number that is in both places: it says nothing of the two. */
static bool is_in_both(const struct chosen *chosen, const struct sum *other) {
    for (uint32_t k = 0; k < other->nchosen && chosen->is_common; k++)
        if (cw_ref_eq(other->chosen[k].ref, chosen->ref) && other->chosen[k].factor == chosen->factor)
            return true;
    return false;
}

/* Is all that is chosen meant to stay within a part? *n counts it. What the code bounds by more, as `digit & 31` beside
 * rows of 16, is meant to leave its part. */
static bool stays_in_part(const struct sum *sum, const struct sum *other, uint64_t step, uint32_t *n) {
    for (uint32_t k = 0; k < sum->nchosen; k++) {
        const struct chosen *c = &sum->chosen[k];
        struct cw_range range = cw_lanes_range(sum->l, c->ref);
        uint64_t factor = size_of_number(c->factor), reach;
        if (is_in_both(c, other))
            continue;
        ++*n;
        unsigned bits = cw_type_bits(cw_ref_type(cw_lanes_fn(sum->l), c->ref));
        bool is_of_type = bits > 1 && bits < 64 && range.hi == (INT64_C(1) << (bits - 1)) - 1;
        bool is_bounded = range.lo > INT32_MIN && range.hi < INT32_MAX && range.hi > 0 && !is_of_type;
        if (factor >= step ||
            (is_bounded && (__builtin_mul_overflow(factor, (uint64_t)range.hi, &reach) || reach >= step)))
            return false;
    }
    return true;
}

/* `step`: the bytes of a part. */
static bool are_in_own_parts(const struct sum *x, uint32_t thread, const struct sum *y, uint32_t other, uint64_t step,
                             uint64_t size) {
    uint32_t chosen = 0;
    return step <= INT32_MAX && step >= 2 * (size ? size : FRAGMENT_LEAST) && stays_in_part(x, y, step, &chosen) &&
           stays_in_part(y, x, step, &chosen) && chosen > 0 && are_other_parts(x, thread, y, other, step);
}

/* The number of the row that a thread's place begins in; the length is the factor. */
static int64_t find_row(const struct sum *sum, uint32_t thread) {
    uint64_t row = 0;
    for (uint32_t k = 0; k < sum->nrows; k++)
        row += (uint64_t)sum->rows[k].factor * (uint64_t)cw_lane_value_cell(sum->rows[k].value, thread).value;
    return (int64_t)row;
}

/* Rows of one length that nobody knows: no two threads have the same one, and nothing else differs between threads. */
static bool are_in_own_rows(const struct sum *x, const struct sum *y) {
    if (x->nrows == 0 || y->nrows == 0 || !cw_ref_eq(x->length, y->length) || x->n + y->n > 0)
        return false;
    for (uint32_t t = 0; t < cw_lanes_count(x->l); t++)
        for (uint32_t u = 0; u < cw_lanes_count(x->l); u++)
            if (t != u && find_row(x, t) == find_row(y, u))
                return false;
    return true;
}

bool cw_have_own_parts(struct cw_lanes *lanes, const struct cw_place_of *a, const struct cw_place_of *b) {
    struct sum x = sum_of_place(lanes, a), y = sum_of_place(lanes, b);
    const struct sum *sums[] = {&x, &y};
    uint64_t size = a->size > b->size ? a->size : b->size;
    if (x.is_lost || y.is_lost || !cw_ref_eq(x.root, y.root))
        return false;
    if (x.stage.number != 0 || y.stage.number != 0)
        return false;
    if (x.nrows > 0 || y.nrows > 0)
        return are_in_own_rows(&x, &y);
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t k = 0; k < sums[side]->n; k++)
            if (are_in_own_parts(&x, a->thread, &y, b->thread, sums[side]->terms[k].step, size))
                return true;
    return false;
}

bool cw_are_in_own_stages(struct cw_lanes *lanes, const struct cw_place_of *a, const struct cw_place_of *b) {
    struct sum x = sum_of_place(lanes, a), y = sum_of_place(lanes, b);
    return !x.is_lost && !y.is_lost && cw_ref_eq(x.root, y.root) && x.stage.length.tag != CW_REF_NONE &&
           cw_ref_eq(x.stage.length, y.stage.length) && x.stage.number != y.stage.number &&
           (x.is_sized || y.is_sized);
}
