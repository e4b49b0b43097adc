/* Leaves: constants, parameters, special registers, and the generic values that stand for uniform unknowns.
 *
 * A sample is one choice. 0: the last block, sizes that end within it (so that `i < n` parts its threads), or where
 * grid and sizes are known the block in which they end; 1: the first block, the only one where the code asks for that,
 * and small sizes; 2: a middle block and sizes that are multiples of the block; 3: sizes that end within a block, but
 * at a place that any group of up to eight threads, or half a warp, divides; from 4 on: odd sizes at random. */
#include "lanes/lanes_internal.h"

enum {
    EXTENT = 1024,
    WALK_MAX = 48,
    ROUND = 3 * 5 * 7,
    STRIDE = 4,   /* see grid_dims */
    TOO_LARGE = 1 << 30,
    STRIDED = 4,  /* beside a dimension from 1: the data are longer than the grid, */
    STRIDES = 2,  /* by so many strides, and what a grid of its size would have */
    POWER_OF_TWO = 0x2f, /* mixed into the key of an unknown that is one */
    POWER_DEPTH = 6      /* operations between the unknown and its use as one */
};

/* A launch whose grid is not known gets about EXTENT threads per dimension in use. */
static uint32_t grid_of(const struct cw_launch *launch, uint32_t d) {
    if (launch->grid_known)
        return launch->grid[d] ? launch->grid[d] : 1;
    uint32_t n = launch->block[d];
    if (d > 0 && n <= 1)
        return 3;
    return n >= EXTENT ? 2 : (EXTENT + n - 1) / (n ? n : 1);
}

/* A multiple of 3, 5, 7 and of as many powers of two as it can be without being one of the block; 0 where the grid has
 * none. */
static uint32_t round_end(const struct cw_launch *launch, uint32_t d) {
    uint32_t block = launch->block[d] ? launch->block[d] : 1, twos = (block & -block) / 2;
    for (uint32_t k = twos > 32 ? 32 : twos; k > 0; k /= 2)
        if (ROUND * k % block != 0 && (!launch->grid_known || ROUND * k < block * launch->grid[d]))
            return ROUND * k;
    return 0;
}

static void shape_round(struct cw_lanes *l) {
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t end = round_end(l->launch, d);
        if (end == 0)
            continue;
        l->ctaid[d] = end / l->launch->block[d];
        l->grid[d] = l->launch->grid_known ? l->grid[d] : l->ctaid[d] + 1;
    }
}

/* ---- generic values ---- */

static int64_t extent_of(const struct cw_lanes *l, uint32_t d) {
    return (int64_t)l->grid[d] * (l->launch->block[d] ? l->launch->block[d] : 1);
}

/* Ends within the last block of dimension d, at an odd place. */
static int64_t ending(const struct cw_lanes *l, uint32_t which, uint32_t d) {
    uint32_t width = l->launch->block[d] > 32 ? 32 : l->launch->block[d];
    int64_t end = extent_of(l, d) - 1 - 2 * (int64_t)(which % (width < 4 ? 1 : width / 2));
    return end > 0 ? end : 1;
}

static int64_t generic(const struct cw_lanes *l, uint32_t which, uint32_t dim) {
    static const int16_t usual[] = {1021, 1019, 1013, 1009, 997, 991, 983, 977, 971, 967, 953, 947};
    static const int8_t small[] = {37, 41, 43, 47, 53, 59, 61}, tiny[] = {11, 13, 17, 19, 23, 29};
    switch (l->sample) {
    case 0:
        return dim ? ending(l, which, dim - 1) : usual[which % (sizeof usual / sizeof *usual)];
    case 1:
        return l->threads > 32 ? small[which % sizeof small] : tiny[which % sizeof tiny];
    case 2:
        return dim ? extent_of(l, dim - 1) : EXTENT + (int64_t)(which % 4) * l->threads * 32;
    case CW_SAMPLE_ROUND:
        if (dim && round_end(l->launch, dim - 1))
            return round_end(l->launch, dim - 1);
        /* fall through */
    default:
        return 101 + 2 * (int64_t)(cw_mix(l->sample, which) % 1000);
    }
}

int64_t cw_lanes_generic(const struct cw_lanes *l, enum cw_type type, uint32_t which, uint32_t dim) {
    uint32_t d = dim & 3;
    int64_t v = generic(l, which, d);
    if (dim & STRIDED && (l->sample == 0 || l->sample == 2))
        v += STRIDES * extent_of(l, d - 1);
    return type == CW_I8 ? v % 127 : v;
}

void cw_lanes_chose(struct cw_lanes *l, const char *name, int64_t value) {
    for (uint32_t k = 0; k < l->choices.n; k++)
        if (l->choices.at[k].name == name)
            return;
    if (name && l->choices.n < 16)
        cw_vec_push(l->a, &l->choices, ((struct cw_lane_choice){name, value}));
}

/* ---- which unknown bounds which dimension's index ---- */

/* Bit d: the expression holds blockIdx in dimension d; bit STRIDE + d: gridDim; TOO_LARGE: it cannot be said. What a
 * loop carries counts where it goes on by a stride of the grid. */
static uint32_t grid_dims(const struct cw_lanes *l, cw_ref r, uint32_t *walk, bool in_loop) {
    if (r.tag == CW_REF_SREG && r.index >= CW_CTAID_X && r.index <= CW_CTAID_Z)
        return 1u << (r.index - CW_CTAID_X);
    if (r.tag == CW_REF_SREG && r.index >= CW_NCTAID_X && r.index <= CW_NCTAID_Z)
        return 1u << (STRIDE + r.index - CW_NCTAID_X);
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    if (!i || i->op == CW_OP_LOAD || !(cw_op_flags(i->op) & CW_OP_P) || (i->op == CW_OP_PHI && in_loop))
        return 0;
    if (++*walk > WALK_MAX)
        return TOO_LARGE;
    uint32_t dims = 0, strides = 7u << STRIDE;
    for (uint32_t k = 0; k < i->narg; k++) {
        uint32_t of = grid_dims(l, cw_arg(l->fn, i, k), walk, in_loop || i->op == CW_OP_PHI);
        dims |= i->op == CW_OP_SUB && k == 1 && of & strides ? TOO_LARGE : of; /* from the end to the beginning */
    }
    return i->op != CW_OP_PHI || dims & (strides | (uint32_t)TOO_LARGE) ? dims : 0;
}

/* Which dimension's extent bounds the index, from 1, and STRIDED where its threads go over the data in strides of
 * the whole grid; 0: none. */
static uint32_t extent_bounding(const struct cw_lanes *l, cw_ref index) {
    uint32_t walk = 0, dims = grid_dims(l, index, &walk, false);
    for (uint32_t d = 0; d < 3; d++) {
        if (dims == 1u << d)
            return d + 1;
        if (dims == (1u << d | 1u << (STRIDE + d)))
            return (d + 1) | STRIDED;
    }
    return 0;
}

/* The parameter or load behind casts and constant offsets, else CW_NONE. */
static cw_ref bound_of(const struct cw_lanes *l, cw_ref r) {
    for (uint32_t step = 0; step < 8; step++) {
        const struct cw_ins *i = cw_ins_of(l->fn, r);
        if (!i || i->op == CW_OP_LOAD)
            return r;
        bool cast = i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_TRUNC || i->op == CW_OP_COPY;
        bool shift = (i->op == CW_OP_ADD || i->op == CW_OP_SUB) && cw_ref_const(l->fn, cw_arg(l->fn, i, 1), NULL);
        if (!cast && !shift)
            return CW_NONE;
        r = cw_arg(l->fn, i, 0);
    }
    return CW_NONE;
}

static bool extent_key(const struct cw_lanes *l, cw_ref r, uint64_t *key) {
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    *key = cw_ref_bits(r);
    if (i)
        return i->op == CW_OP_LOAD && cw_lanes_fixed_place(l, cw_arg(l->fn, i, 0), key);
    return r.tag == CW_REF_PARAM || r.tag == CW_REF_TPARAM;
}

static void note_bound(struct cw_lanes *l, cw_ref bound, cw_ref index) {
    uint64_t key, old = 0;
    if (!extent_key(l, bound_of(l, bound), &key))
        return;
    uint32_t extent = extent_bounding(l, index);
    if (extent && !(cw_map_get(&l->extents, key, &old) && old & STRIDED))
        cw_map_put(&l->extents, key, extent);
}

/* A bound that is a number at this launch. */
static bool known_bound(const struct cw_lanes *l, cw_ref bound, int64_t *value) {
    if (cw_ref_const(l->fn, bound, value))
        return true;
    bound = bound_of(l, bound);
    if (bound.tag != CW_REF_PARAM || bound.index >= l->launch->nargs || !l->launch->args[bound.index].known)
        return false;
    *value = l->launch->args[bound.index].value;
    return true;
}

/* The grid and the size are numbers: the block in which the data end, if they end within one, is the one that parts its
 * threads. */
static void shape_end(struct cw_lanes *l, cw_ref bound, cw_ref index) {
    int64_t size;
    uint32_t extent = known_bound(l, bound, &size) ? extent_bounding(l, index) : 0, d = (extent & 3) - 1;
    if (!extent || size <= 0)
        return;
    int64_t block = l->launch->block[d] ? l->launch->block[d] : 1, all = block * l->grid[d];
    int64_t end = extent & STRIDED ? size % all : size;
    if (end < all && end % block != 0)
        l->ctaid[d] = (uint32_t)(end / block);
}

static void shape_ends(struct cw_lanes *l) {
    for (uint32_t k = 0; k < l->fn->ins.n; k++) {
        const struct cw_ins *i = &l->fn->ins.at[k];
        if (!cw_is_compare(i->op))
            continue;
        shape_end(l, cw_arg(l->fn, i, 0), cw_arg(l->fn, i, 1));
        shape_end(l, cw_arg(l->fn, i, 1), cw_arg(l->fn, i, 0));
    }
}

static bool is_grid_size(const struct cw_lanes *l, cw_ref r, uint32_t d) {
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    while (i && (i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_TRUNC)) {
        r = cw_arg(l->fn, i, 0);
        i = cw_ins_of(l->fn, r);
    }
    return r.tag == CW_REF_SREG && r.index == CW_NCTAID_X + d;
}

/* Does the code ask how many blocks there are? Then a single one may go another way. */
static bool asks_grid_size(const struct cw_lanes *l, uint32_t d) {
    int64_t number;
    for (uint32_t k = 0; k < l->fn->ins.n; k++) {
        const struct cw_ins *i = &l->fn->ins.at[k];
        for (uint32_t n = 0; cw_is_compare(i->op) && n < 2; n++)
            if (is_grid_size(l, cw_arg(l->fn, i, n), d) && cw_ref_const(l->fn, cw_arg(l->fn, i, 1 - n), &number))
                return true;
    }
    return false;
}

/* Where nobody knows the grid, it is one block in the sample of small sizes, if that makes a difference. */
static void shape_single(struct cw_lanes *l) {
    for (uint32_t d = 0; d < 3; d++)
        if (asks_grid_size(l, d))
            l->grid[d] = 1;
}

void cw_lanes_shape(struct cw_lanes *l) {
    for (uint32_t d = 0; d < 3; d++) {
        l->grid[d] = grid_of(l->launch, d);
        l->ctaid[d] = l->sample % 3 == 0   ? l->grid[d] - 1
                      : l->sample % 3 == 1 ? 0
                      : l->grid[d] > 2     ? 1
                                           : l->grid[d] / 2;
    }
    if (l->sample == 0 && l->launch->grid_known)
        shape_ends(l);
    if (l->sample == CW_SAMPLE_ROUND)
        shape_round(l);
    if (l->sample == 1 && !l->launch->grid_known)
        shape_single(l);
}

static void find_extents(struct cw_lanes *l);

/* ---- powers of two ---- */

static bool is_number(const struct cw_lanes *l, cw_ref r, int64_t wanted) {
    int64_t v;
    return cw_ref_const(l->fn, r, &v) && v == wanted;
}

/* The value whose predecessor this is: x of `x - 1`. */
static cw_ref one_above(const struct cw_lanes *l, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    bool minus = i && ((i->op == CW_OP_SUB && is_number(l, cw_arg(l->fn, i, 1), 1)) ||
                       (i->op == CW_OP_ADD && is_number(l, cw_arg(l->fn, i, 1), -1)));
    return minus ? cw_arg(l->fn, i, 0) : CW_NONE;
}

/* Unknowns from which the value is made by shifts: `stride` in a loop that halves it. */
static void note_power(struct cw_lanes *l, cw_ref r, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    uint64_t key;
    if (extent_key(l, r, &key))
        cw_map_put(&l->extents, cw_mix(key, POWER_OF_TWO), 1);
    if (!i || depth == 0)
        return;
    bool scaled = i->op == CW_OP_SHL || i->op == CW_OP_LSHR || i->op == CW_OP_ASHR ||
                  ((i->op == CW_OP_UDIV || i->op == CW_OP_SDIV || i->op == CW_OP_MUL) &&
                   is_number(l, cw_arg(l->fn, i, 1), 2));
    bool cast = i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_TRUNC || i->op == CW_OP_COPY;
    for (uint32_t k = 0; k < i->narg && (i->op == CW_OP_PHI || ((scaled || cast) && k == 0)); k++)
        note_power(l, cw_arg(l->fn, i, k), depth - 1);
}

/* `x & (n - 1)` is a remainder for powers of two alone. */
static void note_mask(struct cw_lanes *l, const struct cw_ins *i) {
    for (uint32_t k = 0; k < 2; k++) {
        cw_ref n = one_above(l, cw_arg(l->fn, i, k));
        if (n.tag != CW_REF_NONE)
            note_power(l, n, POWER_DEPTH);
    }
}

/* The unknown's value where it is used so: the largest power of two that is not above it. */
static int64_t as_it_is_used(struct cw_lanes *l, cw_ref r, int64_t v) {
    uint64_t key;
    if (!l->has_extents)
        find_extents(l);
    if (v < 1 || !extent_key(l, r, &key) || !cw_map_get(&l->extents, cw_mix(key, POWER_OF_TWO), NULL))
        return v;
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)v));
}

static void find_extents(struct cw_lanes *l) {
    cw_map_init(&l->extents, l->a);
    l->has_extents = true;
    for (uint32_t k = 0; k < l->fn->ins.n; k++) {
        const struct cw_ins *i = &l->fn->ins.at[k];
        if (i->op == CW_OP_AND)
            note_mask(l, i);
        if (!cw_is_compare(i->op))
            continue;
        note_bound(l, cw_arg(l->fn, i, 0), cw_arg(l->fn, i, 1));
        note_bound(l, cw_arg(l->fn, i, 1), cw_arg(l->fn, i, 0));
    }
}

uint32_t cw_lanes_extent_of(struct cw_lanes *l, cw_ref r) {
    uint64_t key, dim = 0;
    if (!l->has_extents)
        find_extents(l);
    return extent_key(l, r, &key) && cw_map_get(&l->extents, key, &dim) ? (uint32_t)dim : 0;
}

/* ---- parameters ---- */

static const struct cw_lane_value *launch_argument(struct cw_lanes *l, cw_ref r, enum cw_type type) {
    const struct cw_launch *launch = l->launch;
    if (r.tag != CW_REF_PARAM || r.index >= launch->nargs || !launch->args[r.index].known || !cw_type_is_int(type))
        return NULL;
    return cw_lane_value_one(l, (struct cw_cell){CW_NUMBER, cw_type_wrap(type, launch->args[r.index].value)});
}

/* The largest multiple below, or the first. */
static int64_t multiple(int64_t v, int64_t divisor) {
    if (divisor <= 1)
        return v;
    return v < divisor ? divisor : v / divisor * divisor;
}

/* A value like v that the host's checks before the launch let pass: the largest in most samples, one in the middle in
 * sample 1. */
static int64_t checked(const struct cw_lanes *l, const struct cw_launch_arg *arg, int64_t v) {
    bool is_low = v < arg->least, is_high = v > arg->most;
    uint64_t room = (uint64_t)arg->most - (uint64_t)arg->least;
    if (is_low && room > (uint64_t)v)
        v = arg->least + v;
    else if (is_high && l->sample == 1 && arg->least > INT64_MIN)
        v = arg->least + (int64_t)(room / 2);
    else if (is_low || is_high)
        v = arg->most;
    int64_t round = multiple(v, arg->divisor);
    return round >= arg->least && round <= arg->most ? round : v;
}

/* A value like v for which the host computes the grid that was chosen: grid == (value + add) / by. */
static int64_t for_grid(const struct cw_lanes *l, int64_t v) {
    int64_t least = (int64_t)l->grid[0] * l->launch->grid_by - l->launch->grid_add,
            most = least + l->launch->grid_by - 1;
    if (v >= least && v <= most)
        return v;
    if (l->sample == 2) /* multiples */
        return v < least ? least : most;
    return least + (int64_t)((uint64_t)v % (uint64_t)l->launch->grid_by);
}

static const struct cw_lane_value *sampled_parameter(struct cw_lanes *l, cw_ref r, enum cw_type type) {
    const struct cw_param *p = r.tag == CW_REF_PARAM ? &l->fn->params.at[r.index] : &l->fn->tparams.at[r.index];
    int64_t v;
    if (r.tag == CW_REF_PARAM && l->launch->exact_cover_param == (uint32_t)r.index + 1)
        v = extent_of(l, 0);
    else
        v = cw_lanes_generic(l, type, r.index, cw_lanes_extent_of(l, r));
    if (r.tag == CW_REF_PARAM && l->launch->grid_param == (uint32_t)r.index + 1)
        v = for_grid(l, v);
    if (r.tag == CW_REF_PARAM && r.index < l->launch->nargs && l->launch->args[r.index].likely)
        v = l->launch->args[r.index].value;
    else if (r.tag == CW_REF_PARAM && r.index < l->launch->nargs)
        v = checked(l, &l->launch->args[r.index], as_it_is_used(l, r, checked(l, &l->launch->args[r.index], v)));
    else
        v = as_it_is_used(l, r, v);
    v = cw_type_wrap(type, v);
    cw_lanes_chose(l, p->name, v);
    return cw_lane_value_one(l, (struct cw_cell){CW_SAMPLE, v});
}

/* Of a device function analysed alone nothing is known of who calls it: an int may be a thread index. */
static const struct cw_lane_value *parameter(struct cw_lanes *l, cw_ref r) {
    enum cw_type type = cw_ref_type(l->fn, r);
    const struct cw_lane_value *fact = launch_argument(l, r, type);
    if (fact)
        return fact;
    if (type == CW_PTR)
        return cw_lane_value_fresh(l, r, NULL, CW_FREE, CW_UNI_GRID);
    if (l->fn->kind == CW_FN_DEVICE && r.tag == CW_REF_PARAM)
        return cw_lane_value_fresh(l, r, NULL, CW_OPAQUE, CW_UNI_DIVERGENT);
    if (cw_type_is_int(type) && type != CW_I1)
        return sampled_parameter(l, r, type);
    return cw_lane_value_fresh(l, r, NULL, CW_FREE, CW_UNI_GRID);
}

/* ---- special registers ---- */

static int64_t thread_register(const struct cw_lanes *l, enum cw_sreg s, uint32_t t) {
    uint32_t lane = t % 32, bit = 1u << lane;
    uint32_t bx = l->launch->block[0] ? l->launch->block[0] : 1, by = l->launch->block[1] ? l->launch->block[1] : 1;
    switch (s) {
    case CW_TID_X: return t % bx;
    case CW_TID_Y: return t / bx % by;
    case CW_TID_Z: return t / bx / by;
    case CW_LANEID: return lane;
    case CW_LANEMASK_EQ: return (int32_t)bit;
    case CW_LANEMASK_LT: return (int32_t)(bit - 1);
    case CW_LANEMASK_LE: return (int32_t)(bit | (bit - 1));
    case CW_LANEMASK_GT: return (int32_t)~(bit | (bit - 1));
    case CW_LANEMASK_GE: return (int32_t)~(bit - 1);
    default: return 0;
    }
}

static const struct cw_lane_value *block_register(struct cw_lanes *l, enum cw_sreg s) {
    uint32_t d = ((uint32_t)s - CW_TID_X) % 3;
    bool single = l->is_placed || (l->launch->grid_known && l->grid[d] == 1);
    if (s == CW_WARPSIZE)
        return cw_lane_value_one(l, (struct cw_cell){CW_NUMBER, 32});
    if (s >= CW_NTID_X && s <= CW_NTID_Z)
        return cw_lane_value_one(l, (struct cw_cell){CW_NUMBER, l->launch->block[d] ? l->launch->block[d] : 1});
    if (s >= CW_NCTAID_X && l->sample == 1 && !l->launch->grid_known && l->grid[d] == 1)
        cw_lanes_chose(l, cw_sreg_cuda(s), 1);
    if (s >= CW_NCTAID_X)
        return cw_lane_value_one(l, (struct cw_cell){l->launch->grid_known ? CW_NUMBER : CW_SAMPLE, l->grid[d]});
    if (!single)
        cw_lanes_chose(l, cw_sreg_cuda(s), l->ctaid[d]);
    return cw_lane_value_one(l, (struct cw_cell){single ? CW_NUMBER : CW_SAMPLE, l->ctaid[d]});
}

static const struct cw_lane_value *special(struct cw_lanes *l, enum cw_sreg s) {
    if (s == CW_WARPSIZE || (s >= CW_CTAID_X && s <= CW_NCTAID_Z))
        return block_register(l, s);
    for (uint32_t t = 0; t < l->threads; t++) {
        l->known[t] = CW_NUMBER;
        l->value[t] = thread_register(l, s, t);
    }
    return cw_lane_value_seal(l, l->threads, false);
}

const struct cw_lane_value *cw_lanes_leaf(struct cw_lanes *l, cw_ref r) {
    switch ((enum cw_ref_tag)r.tag) {
    case CW_REF_CONST: {
        const struct cw_const *k = &l->fn->consts.at[r.index];
        struct cw_cell c = {CW_NUMBER, k->value};
        return k->type == CW_PTR ? cw_lane_value_pointer(l, (struct cw_lane_base){cw_ref_of(CW_REF_CONST, 0), 0}, c)
                                 : cw_lane_value_one(l, c);
    }
    case CW_REF_OBJECT:
        return cw_lane_value_fresh(l, r, NULL, CW_NUMBER, CW_UNI_GRID);
    case CW_REF_PARAM:
    case CW_REF_TPARAM:
        return parameter(l, r);
    case CW_REF_SREG:
        return special(l, (enum cw_sreg)r.index);
    case CW_REF_UNDEF:
        if (cw_ref_type(l->fn, r) == CW_PTR)
            return cw_lane_value_fresh(l, r, NULL, CW_OPAQUE, CW_UNI_DIVERGENT);
        return cw_lane_value_one(l, (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN});
    case CW_REF_INS:
    case CW_REF_NONE:
        break;
    }
    return l->nothing;
}
