/* See array_starts.h. A pointer is a chain of steps, each a sum of terms. */
#include "races/array_starts.h"

#include "base/hash.h"
#include "uniformity/launch_constants.h"

enum { STEPS_MAX = 24, TERM_DEPTH = 10, TERMS_MAX = 8, ARRAY_LEAST = 256 /* bytes of an array before another one */ };

struct term { /* of indices: a number of the block */
    uint64_t name;
    int64_t factor;
};

struct start {
    const struct cw_uniformity *u;
    cw_ref root;
    uint64_t name; /* 0: at the beginning of the object */
    int64_t near, far; /* constants that are added to an element's place, and to the array's before an index is */
    bool has_index;
    struct term terms[TERMS_MAX];
    uint32_t n;
    bool is_unknown;
};

static uint64_t name_of(const struct cw_fn *fn, cw_ref value) {
    uint64_t hash;
    return cw_launch_constant(fn, value, &hash) ? hash | 1 : cw_mix(value.tag, value.index) | 1;
}

static bool is_number_of_block(const struct cw_uniformity *u, cw_ref value) {
    const struct cw_ins *i = cw_ins_of(u->fn, value);
    return cw_uni_of(u, value) <= CW_UNI_BLOCK && (!i || u->fn->cfg->loop_of[i->block] == CW_NO_LOOP);
}

/* Is something taken off in the sum? `shared - first` is no array that begins there. */
static bool takes_off(const struct cw_fn *fn, cw_ref sum, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, sum);
    int64_t number;
    if (!i || depth == 0)
        return i != NULL;
    if (i->op == CW_OP_SUB || i->op == CW_OP_NEG)
        return true;
    bool is_sum = i->op == CW_OP_ADD || i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_TRUNC ||
                  i->op == CW_OP_COPY || i->op == CW_OP_MUL || i->op == CW_OP_SHL;
    for (uint32_t k = 0; k < i->narg && is_sum; k++)
        if (cw_ref_const(fn, cw_arg(fn, i, k), &number) ? number < 0 : takes_off(fn, cw_arg(fn, i, k), depth - 1))
            return true;
    return false;
}

static void add_term(struct start *start, cw_ref value, int64_t factor) {
    uint64_t name = name_of(start->u->fn, value);
    uint32_t k = 0;
    while (k < start->n && start->terms[k].name != name)
        k++;
    if (k == TERMS_MAX) {
        start->is_unknown = true;
        return;
    }
    if (k == start->n)
        start->terms[start->n++] = (struct term){name, 0};
    start->is_unknown |= __builtin_add_overflow(start->terms[k].factor, factor, &start->terms[k].factor);
}

/* The numbers of the block among the terms of an index. */
static void add_index(struct start *start, cw_ref sum, int64_t factor, uint32_t depth) {
    const struct cw_fn *fn = start->u->fn;
    const struct cw_ins *i = cw_ins_of(fn, sum);
    int64_t number;
    start->is_unknown |= depth == 0;
    if (start->is_unknown || cw_ref_const(fn, sum, &number))
        return;
    if (i && (i->op == CW_OP_ADD || i->op == CW_OP_SUB)) {
        add_index(start, cw_arg(fn, i, 0), factor, depth - 1);
        add_index(start, cw_arg(fn, i, 1), i->op == CW_OP_SUB ? -factor : factor, depth - 1);
    } else if (i && cw_is_cast((enum cw_op)i->op)) {
        add_index(start, cw_arg(fn, i, 0), factor, depth - 1);
    } else if (i && (i->op == CW_OP_MUL || i->op == CW_OP_SHL) && cw_ref_const(fn, cw_arg(fn, i, 1), &number)) {
        number = i->op == CW_OP_SHL ? INT64_C(1) << (number & 31) : number;
        start->is_unknown |= __builtin_mul_overflow(factor, number, &factor);
        add_index(start, cw_arg(fn, i, 0), factor, depth - 1);
    } else if (is_number_of_block(start->u, sum)) {
        add_term(start, sum, factor);
    }
}

static struct start start_of(const struct cw_uniformity *u, cw_ref pointer) {
    const struct cw_fn *fn = u->fn;
    struct start start = {.u = u, .root = CW_NONE};
    int64_t number;
    for (uint32_t k = 0; k < STEPS_MAX && !start.is_unknown; k++) {
        const struct cw_ins *i = cw_ins_of(fn, pointer);
        if (!i || (i->op != CW_OP_PTRADD && i->op != CW_OP_COPY))
            break;
        cw_ref step = i->op == CW_OP_PTRADD ? cw_arg(fn, i, 1) : CW_NONE;
        pointer = cw_arg(fn, i, 0);
        if (step.tag == CW_REF_NONE) {
            continue;
        } else if (cw_ref_const(fn, step, &number)) {
            int64_t *sum = start.has_index || start.name ? &start.far : &start.near;
            start.is_unknown |= __builtin_add_overflow(*sum, number, sum);
        } else if (is_number_of_block(u, step)) {
            start.name += name_of(fn, step);
            start.is_unknown |= takes_off(fn, step, TERM_DEPTH);
        } else {
            start.has_index = true;
            add_index(&start, step, 1, TERM_DEPTH);
        }
    }
    start.root = pointer;
    for (uint32_t k = 0; k < start.n; k++)
        start.is_unknown |= start.terms[k].factor != 0;
    return start;
}

/* Behind one number of the block, arrays of constant lengths lie behind each other. */
static bool are_arrays_of(const struct start *one, const struct start *two) {
    int64_t between;
    if (one->name == 0 || !one->has_index || !two->has_index ||
        __builtin_sub_overflow(one->far, two->far, &between))
        return false;
    return (between >= ARRAY_LEAST || between <= -ARRAY_LEAST) && one->near >= 0 && two->near >= 0 &&
           one->near < ARRAY_LEAST && two->near < ARRAY_LEAST;
}

bool cw_start_apart(const struct cw_uniformity *u, cw_ref pointer, cw_ref other) {
    struct start one = start_of(u, pointer), two = start_of(u, other);
    if (one.is_unknown || two.is_unknown || one.root.tag != CW_REF_OBJECT || !cw_ref_eq(one.root, two.root))
        return false;
    enum cw_space space = u->fn->objects.at[one.root.index].space;
    return (space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED) &&
           (one.name != two.name || are_arrays_of(&one, &two));
}
