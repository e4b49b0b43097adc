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
    POWER_DEPTH = 6,     /* operations between the unknown and its use as one */
    PARTS = 0x5a,        /* mixed into the key of an unknown that divides another one */
    FAR = 64,            /* steps between a block's place and the unknown */
    PLACE_DEPTH = 6,     /* operations between a block's index and its place */
    FEW_PARTS = 2,       /* its value in sample 2 */
    LOGARITHM = 0x71,    /* mixed into the key of an unknown that counts how often a value doubles or halves */
    ELEMENTS = 0x97,     /* mixed into the key of an unknown that indexes an array of known length */
    NOT_INDEX = 0xa9,    /* mixed into the key of an unknown that is compared with more than a thread's index */
    FIRST = 0x83         /* mixed into the key of an unknown that is compared with a block's place */
};

/* A launch whose grid is not known gets about EXTENT threads per dimension in use. */
static uint32_t grid_of(const struct cw_launch *launch, uint32_t d) {
    if (launch->grid_known)
        return launch->grid[d] ? launch->grid[d] : 1;
    uint32_t n = launch->block[d];
    if (launch->grid_single >> d & 1)
        return 1;
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

static void shape_round(struct cw_lanes *lanes) {
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t end = round_end(lanes->launch, d);
        if (end == 0)
            continue;
        lanes->ctaid[d] = end / lanes->launch->block[d];
        lanes->grid[d] = lanes->launch->grid_known ? lanes->grid[d] : lanes->ctaid[d] + 1;
    }
}

/* ---- generic values ---- */

static int64_t extent_of(const struct cw_lanes *lanes, uint32_t d) {
    return (int64_t)lanes->grid[d] * (lanes->launch->block[d] ? lanes->launch->block[d] : 1);
}

/* Ends within the last block of dimension d, at an odd place. */
static int64_t sample_ending(const struct cw_lanes *lanes, uint32_t which, uint32_t d) {
    uint32_t width = lanes->launch->block[d] > 32 ? 32 : lanes->launch->block[d];
    int64_t end = extent_of(lanes, d) - 1 - 2 * (int64_t)(which % (width < 4 ? 1 : width / 2));
    return end > 0 ? end : 1;
}

static int64_t sample_size(const struct cw_lanes *lanes, uint32_t which, uint32_t dim) {
    static const int16_t usual[] = {1021, 1019, 1013, 1009, 997, 991, 983, 977, 971, 967, 953, 947};
    static const int8_t small[] = {37, 41, 43, 47, 53, 59, 61}, tiny[] = {11, 13, 17, 19, 23, 29};
    switch (lanes->sample) {
    case 0:
        return dim ? sample_ending(lanes, which, dim - 1) : usual[which % (sizeof usual / sizeof *usual)];
    case 1:
        return lanes->threads > 32 ? small[which % sizeof small] : tiny[which % sizeof tiny];
    case 2:
        return dim ? extent_of(lanes, dim - 1) : EXTENT + (int64_t)(which % 4) * lanes->threads * 32;
    case CW_SAMPLE_ROUND:
        if (dim && round_end(lanes->launch, dim - 1))
            return round_end(lanes->launch, dim - 1);
        /* fall through */
    default:
        return 101 + 2 * (int64_t)(cw_mix(lanes->sample, which) % 1000);
    }
}

int64_t cw_lanes_generic(const struct cw_lanes *lanes, enum cw_type type, uint32_t which, uint32_t dim) {
    uint32_t d = dim & 3;
    int64_t v = sample_size(lanes, which, d);
    if (dim & STRIDED && (lanes->sample == 0 || lanes->sample == 2))
        v += STRIDES * extent_of(lanes, d - 1);
    return type == CW_I8 ? v % 127 : v;
}

void cw_lanes_chose(struct cw_lanes *lanes, const char *name, int64_t value) {
    for (uint32_t k = 0; k < lanes->scratch.choices.n; k++)
        if (lanes->scratch.choices.at[k].name == name)
            return;
    if (name && lanes->scratch.choices.n < 16)
        cw_vec_push(lanes->a, &lanes->scratch.choices, ((struct cw_lane_choice){name, value}));
}

/* ---- which unknown bounds which dimension's index ---- */

/* Bit d: the expression holds blockIdx in dimension d; bit STRIDE + d: gridDim; TOO_LARGE: it cannot be said. What a
 * loop carries counts where it goes on by a stride of the grid. */
static uint32_t grid_dims(const struct cw_lanes *lanes, cw_ref ref, uint32_t *walk, bool in_loop) {
    if (ref.tag == CW_REF_SREG && ref.index >= CW_CTAID_X && ref.index <= CW_CTAID_Z)
        return 1u << (ref.index - CW_CTAID_X);
    if (ref.tag == CW_REF_SREG && ref.index >= CW_NCTAID_X && ref.index <= CW_NCTAID_Z)
        return 1u << (STRIDE + ref.index - CW_NCTAID_X);
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || i->op == CW_OP_LOAD || !(cw_op_flags(i->op) & CW_OP_P) || (i->op == CW_OP_PHI && in_loop))
        return 0;
    if (++*walk > WALK_MAX)
        return TOO_LARGE;
    uint32_t dims = 0, strides = 7u << STRIDE;
    for (uint32_t k = 0; k < i->narg; k++) {
        uint32_t of = grid_dims(lanes, cw_arg(lanes->fn, i, k), walk, in_loop || i->op == CW_OP_PHI);
        dims |= i->op == CW_OP_SUB && k == 1 && of & strides ? TOO_LARGE : of; /* from the end to the beginning */
    }
    return i->op != CW_OP_PHI || dims & (strides | (uint32_t)TOO_LARGE) ? dims : 0;
}

/* Which dimension's extent bounds the index, from 1, and STRIDED where its threads go over the data in strides of
 * the whole grid; 0: none. */
static uint32_t extent_bounding(const struct cw_lanes *lanes, cw_ref index) {
    uint32_t walk = 0, dims = grid_dims(lanes, index, &walk, false);
    for (uint32_t d = 0; d < 3; d++) {
        if (dims == 1u << d)
            return d + 1;
        if (dims == (1u << d | 1u << (STRIDE + d)))
            return (d + 1) | STRIDED;
    }
    return 0;
}

/* The parameter or load behind casts and constant offsets, else CW_NONE. */
static cw_ref bound_of(const struct cw_lanes *lanes, cw_ref ref) {
    for (uint32_t step = 0; step < 8; step++) {
        const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
        if (!i || i->op == CW_OP_LOAD)
            return ref;
        bool cast = i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_TRUNC || i->op == CW_OP_COPY;
        bool shift =
            (i->op == CW_OP_ADD || i->op == CW_OP_SUB) && cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1), NULL);
        if (!cast && !shift)
            return CW_NONE;
        ref = cw_arg(lanes->fn, i, 0);
    }
    return CW_NONE;
}

/* Where the grid has one block, a thread's index in it is a global one: the dimension, from 1; 0: it is none. */
static uint32_t single_block_index(const struct cw_lanes *lanes, cw_ref index) {
    const struct cw_launch *launch = lanes->launch;
    cw_ref ref = bound_of(lanes, index);
    if (ref.tag != CW_REF_SREG || ref.index < CW_TID_X || ref.index > CW_TID_Z)
        return 0;
    uint32_t d = ref.index - CW_TID_X;
    bool is_single = launch->grid_single >> d & 1 || (launch->grid_known && launch->grid[d] <= 1);
    return is_single ? d + 1 : 0;
}

static bool extent_key(const struct cw_lanes *lanes, cw_ref ref, uint64_t *key) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    *key = cw_ref_bits(ref);
    if (i)
        return i->op == CW_OP_LOAD && cw_lanes_fixed_place(lanes, cw_arg(lanes->fn, i, 0), key);
    return ref.tag == CW_REF_PARAM || ref.tag == CW_REF_TPARAM;
}

static void note_bound(struct cw_lanes *lanes, cw_ref bound, cw_ref index) {
    uint64_t key, old = 0;
    if (!extent_key(lanes, bound_of(lanes, bound), &key))
        return;
    uint32_t extent = extent_bounding(lanes, index);
    if (!single_block_index(lanes, index))
        cw_map_put(&lanes->memo.extents, cw_mix(key, NOT_INDEX), 1);
    if (extent && !(cw_map_get(&lanes->memo.extents, key, &old) && old & STRIDED))
        cw_map_put(&lanes->memo.extents, key, extent);
}

/* `threadIdx.x < n` in a single block; not where n is compared with something else too, as in a loop over the data. */
static void note_single_bound(struct cw_lanes *lanes, cw_ref bound, cw_ref index) {
    uint64_t key;
    uint32_t extent = single_block_index(lanes, index);
    if (extent && extent_key(lanes, bound_of(lanes, bound), &key) && !cw_map_get(&lanes->memo.extents, key, NULL) &&
        !cw_map_get(&lanes->memo.extents, cw_mix(key, NOT_INDEX), NULL))
        cw_map_put(&lanes->memo.extents, key, extent);
}

/* A bound that is a number at this launch. */
static bool known_bound(const struct cw_lanes *lanes, cw_ref bound, int64_t *value) {
    if (cw_ref_const(lanes->fn, bound, value))
        return true;
    bound = bound_of(lanes, bound);
    if (bound.tag != CW_REF_PARAM || bound.index >= lanes->launch->nargs || !lanes->launch->args[bound.index].known)
        return false;
    *value = lanes->launch->args[bound.index].value;
    return true;
}

/* The grid and the size are numbers: the block in which the data end, if they end within one, is the one that parts its
 * threads. */
static void shape_end(struct cw_lanes *lanes, cw_ref bound, cw_ref index) {
    int64_t size;
    uint32_t extent = known_bound(lanes, bound, &size) ? extent_bounding(lanes, index) : 0, d = (extent & 3) - 1;
    if (!extent || size <= 0)
        return;
    int64_t block = lanes->launch->block[d] ? lanes->launch->block[d] : 1, all = block * lanes->grid[d];
    int64_t end = extent & STRIDED ? size % all : size;
    if (end < all && end % block != 0)
        lanes->ctaid[d] = (uint32_t)(end / block);
}

static void shape_ends(struct cw_lanes *lanes) {
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++) {
        const struct cw_ins *i = &lanes->fn->ins.at[k];
        if (!cw_is_compare(i->op))
            continue;
        shape_end(lanes, cw_arg(lanes->fn, i, 0), cw_arg(lanes->fn, i, 1));
        shape_end(lanes, cw_arg(lanes->fn, i, 1), cw_arg(lanes->fn, i, 0));
    }
}

static bool is_grid_size(const struct cw_lanes *lanes, cw_ref ref, uint32_t d) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    while (i && (i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_TRUNC)) {
        ref = cw_arg(lanes->fn, i, 0);
        i = cw_ins_of(lanes->fn, ref);
    }
    return ref.tag == CW_REF_SREG && ref.index == CW_NCTAID_X + d;
}

/* Does the code ask how many blocks there are? Then a single one may go another way. */
static bool asks_grid_size(const struct cw_lanes *lanes, uint32_t d) {
    int64_t number;
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++) {
        const struct cw_ins *i = &lanes->fn->ins.at[k];
        for (uint32_t n = 0; cw_is_compare(i->op) && n < 2; n++)
            if (is_grid_size(lanes, cw_arg(lanes->fn, i, n), d) &&
                cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1 - n), &number))
                return true;
    }
    return false;
}

/* Where nobody knows the grid, it is one block in the sample of small sizes, if that makes a difference. */
static void shape_single(struct cw_lanes *lanes) {
    for (uint32_t d = 0; d < 3; d++)
        if (asks_grid_size(lanes, d))
            lanes->grid[d] = 1;
}

void cw_lanes_shape(struct cw_lanes *lanes) {
    for (uint32_t d = 0; d < 3; d++) {
        lanes->grid[d] = grid_of(lanes->launch, d);
        lanes->ctaid[d] = lanes->sample % 3 == 0   ? lanes->grid[d] - 1
                      : lanes->sample % 3 == 1 ? 0
                      : lanes->grid[d] > 2     ? 1
                                           : lanes->grid[d] / 2;
    }
    if (lanes->sample == 0 && lanes->launch->grid_known)
        shape_ends(lanes);
    if (lanes->sample == CW_SAMPLE_ROUND)
        shape_round(lanes);
    if (lanes->sample == 1 && !lanes->launch->grid_known)
        shape_single(lanes);
}

static void find_extents(struct cw_lanes *l);

/* ---- powers of two ---- */

static bool is_number(const struct cw_lanes *lanes, cw_ref ref, int64_t wanted) {
    int64_t v;
    return cw_ref_const(lanes->fn, ref, &v) && v == wanted;
}

/* The value whose predecessor this is: x of `x - 1`. */
static cw_ref one_above(const struct cw_lanes *lanes, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    bool minus = i && ((i->op == CW_OP_SUB && is_number(lanes, cw_arg(lanes->fn, i, 1), 1)) ||
                       (i->op == CW_OP_ADD && is_number(lanes, cw_arg(lanes->fn, i, 1), -1)));
    return minus ? cw_arg(lanes->fn, i, 0) : CW_NONE;
}

/* Unknowns from which the value is made by shifts: `stride` in a loop that halves it. */
static void note_power(struct cw_lanes *lanes, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    uint64_t key;
    if (extent_key(lanes, ref, &key))
        cw_map_put(&lanes->memo.extents, cw_mix(key, POWER_OF_TWO), 1);
    if (!i || depth == 0)
        return;
    bool scaled = i->op == CW_OP_SHL || i->op == CW_OP_LSHR || i->op == CW_OP_ASHR ||
                  ((i->op == CW_OP_UDIV || i->op == CW_OP_SDIV || i->op == CW_OP_MUL) &&
                   is_number(lanes, cw_arg(lanes->fn, i, 1), 2));
    bool cast = i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_TRUNC || i->op == CW_OP_COPY;
    for (uint32_t k = 0; k < i->narg && (i->op == CW_OP_PHI || ((scaled || cast) && k == 0)); k++)
        note_power(lanes, cw_arg(lanes->fn, i, k), depth - 1);
}

/* `x & (n - 1)` is a remainder for powers of two alone. */
static void note_mask(struct cw_lanes *lanes, const struct cw_ins *ins) {
    for (uint32_t k = 0; k < 2; k++) {
        cw_ref n = one_above(lanes, cw_arg(lanes->fn, ins, k));
        if (n.tag != CW_REF_NONE)
            note_power(lanes, n, POWER_DEPTH);
    }
}

/* The unknown's value where it is used so: the largest power of two that is not above it. */
static int64_t as_it_is_used(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key;
    if (!lanes->memo.has_extents)
        find_extents(lanes);
    if (v < 1 || !extent_key(lanes, ref, &key) || !cw_map_get(&lanes->memo.extents, cw_mix(key, POWER_OF_TWO), NULL))
        return v;
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)v));
}

/* ---- divisors ---- */

static bool is_division(enum cw_op op) {
    return op == CW_OP_UDIV || op == CW_OP_SDIV || op == CW_OP_UREM || op == CW_OP_SREM;
}

/* Is the value, the same for the whole block, computed from another unknown than the one of this key? */
static bool rests_on_other(const struct cw_lanes *lanes, cw_ref ref, uint64_t divisor, uint32_t *walk) {
    uint64_t key;
    if (extent_key(lanes, ref, &key))
        return key != divisor;
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || i->op == CW_OP_LOAD || i->op == CW_OP_PHI || !(cw_op_flags(i->op) & CW_OP_P) || ++*walk > WALK_MAX)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (rests_on_other(lanes, cw_arg(lanes->fn, i, k), divisor, walk))
            return true;
    return false;
}

/* `blockDim.x / rows`, or the number of threads as a constant: how many threads share a row; else 0. */
static int64_t threads_divided(const struct cw_lanes *lanes, cw_ref dividend) {
    int64_t threads = 0;
    cw_ref ref = bound_of(lanes, dividend);
    if (dividend.tag == CW_REF_SREG)
        ref = dividend;
    if (ref.tag == CW_REF_SREG && ref.index >= CW_NTID_X && ref.index <= CW_NTID_Z)
        threads = lanes->launch->block[ref.index - CW_NTID_X];
    else if (!cw_ref_const(lanes->fn, dividend, &threads))
        return 0;
    return threads >= 32 && threads <= 1024 && threads % 32 == 0 ? threads : 0;
}

/* `rows / parts`: with sizes of one order a part has hardly more than one row, and loops over it end at once. An
 * unknown that bounds a global index is a size itself. */
static void note_divisor(struct cw_lanes *lanes, const struct cw_ins *ins) {
    uint64_t key;
    uint32_t walk = 0;
    int64_t threads = threads_divided(lanes, cw_arg(lanes->fn, ins, 0));
    if (threads && extent_key(lanes, bound_of(lanes, cw_arg(lanes->fn, ins, 1)), &key)) {
        cw_map_put(&lanes->memo.extents, cw_mix(key, PARTS), (uint64_t)threads);
        return;
    }
    cw_ref dividend = cw_arg(lanes->fn, ins, 0), divisor = bound_of(lanes, cw_arg(lanes->fn, ins, 1));
    if (!extent_key(lanes, divisor, &key) || cw_map_get(&lanes->memo.extents, key, NULL) ||
        cw_lanes_scope(lanes, dividend) > CW_UNI_BLOCK || !rests_on_other(lanes, dividend, key, &walk))
        return;
    cw_map_put(&lanes->memo.extents, cw_mix(key, PARTS), 1);
}

/* The unknown's value where it divides another: in sample 2 a small one. Where it divides the threads of a block, it
 * does so without a rest. */
static int64_t as_divisor(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key, threads = 0;
    if (!extent_key(lanes, ref, &key) || !cw_map_get(&lanes->memo.extents, cw_mix(key, PARTS), &threads))
        return v;
    if (threads > 1)
        return INT64_C(2) << lanes->sample % 3; /* the number of threads is a multiple of 32 */
    return lanes->sample == 2 && v > FEW_PARTS ? FEW_PARTS : v;
}

/* ---- logarithms ---- */

static bool is_times_two(const struct cw_lanes *lanes, const struct cw_induction *induction) {
    switch (induction->op) {
    case CW_OP_SHL:
    case CW_OP_LSHR:
    case CW_OP_ASHR: return is_number(lanes, induction->step, 1);
    case CW_OP_MUL:
    case CW_OP_UDIV:
    case CW_OP_SDIV: return is_number(lanes, induction->step, 2);
    default: return false;
    }
}

/* The counter of single steps, or what it will be in the next iteration. */
static bool is_counter_of(const struct cw_lanes *lanes, uint32_t loop, cw_ref ref) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    for (uint32_t k = 0; k < cfg->loops.at[loop].inductions.n; k++) {
        const struct cw_induction *i = &cfg->inductions.at[cfg->loops.at[loop].inductions.at[k]];
        bool is_step = (i->op == CW_OP_ADD && (is_number(lanes, i->step, 1) || is_number(lanes, i->step, -1))) ||
                       (i->op == CW_OP_SUB && is_number(lanes, i->step, 1));
        if (is_step && (cw_ref_bits(ref) == cw_ref_bits(cw_ref_ins(i->phi)) ||
                        cw_ref_bits(ref) == cw_ref_bits(i->next)))
            return true;
    }
    return false;
}

/* `for (i = 0; i < rounds; i++) stride *= 2;`: for a size like others the stride would be 0 soon. An unknown that
 * bounds a global index is a size itself. */
static void note_rounds(struct cw_lanes *lanes, uint32_t loop) {
    const struct cw_fn *fn = lanes->fn;
    const struct cw_loop *l = &fn->cfg->loops.at[loop];
    bool doubles = false;
    for (uint32_t k = 0; k < l->inductions.n && !doubles; k++)
        doubles = is_times_two(lanes, &fn->cfg->inductions.at[l->inductions.at[k]]);
    for (uint32_t x = 0; doubles && x < l->exits.n; x++) {
        const struct cw_ins *i = cw_ins_of(fn, fn->blocks.at[l->exits.at[x].block].jump.value);
        for (uint32_t n = 0; i && cw_is_compare(i->op) && n < 2; n++) {
            uint64_t key;
            if (is_counter_of(lanes, loop, cw_arg(fn, i, n)) &&
                extent_key(lanes, bound_of(lanes, cw_arg(fn, i, 1 - n)), &key) &&
                !cw_map_get(&lanes->memo.extents, key, NULL))
                cw_map_put(&lanes->memo.extents, cw_mix(key, LOGARITHM), 1);
        }
    }
}

/* The unknown's value where it is such a number of rounds: the logarithm of the number of threads, or less, as nobody
 * knows whether the host takes that of the threads or of half as many. */
static int64_t as_rounds(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key;
    if (!extent_key(lanes, ref, &key) || !cw_map_get(&lanes->memo.extents, cw_mix(key, LOGARITHM), NULL))
        return v;
    int64_t log = 31 - __builtin_clz(lanes->threads | 2), less = lanes->sample % 3;
    return log > less + 1 ? log - less : 1;
}

/* ---- places of blocks ---- */

static bool rests_on_block(const struct cw_lanes *lanes, cw_ref ref, uint32_t depth) {
    if (ref.tag == CW_REF_SREG && ref.index >= CW_CTAID_X && ref.index <= CW_CTAID_Z)
        return true;
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || depth == 0 || i->op == CW_OP_LOAD || !(cw_op_flags(i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (rests_on_block(lanes, cw_arg(lanes->fn, i, k), depth - 1))
            return true;
    return false;
}

/* `row == step + 1`, where the row is the block's own: in the first block the two are equal for the first step. */
static void note_step(struct cw_lanes *lanes, cw_ref step, cw_ref place) {
    uint64_t key;
    const struct cw_ins *i = cw_ins_of(lanes->fn, step);
    int64_t plus = 0;
    if (i && (i->op == CW_OP_ADD || i->op == CW_OP_SUB) && cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1), &plus) &&
        i->op == CW_OP_SUB)
        plus = -plus;
    if (extent_key(lanes, bound_of(lanes, step), &key) && cw_lanes_scope(lanes, place) == CW_UNI_BLOCK &&
        rests_on_block(lanes, place, PLACE_DEPTH) && plus > -FAR && plus < FAR)
        cw_map_put(&lanes->memo.extents, cw_mix(key, FIRST), plus < 0 ? (uint64_t)-plus : 0);
}

static int64_t as_step(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key, first;
    if (lanes->sample != 1 || !extent_key(lanes, ref, &key) ||
        !cw_map_get(&lanes->memo.extents, cw_mix(key, FIRST), &first))
        return v;
    return (int64_t)first;
}

/* ---- indexes of arrays ---- */

/* How much the index is beyond the unknown behind it; 0 where it is below. */
static int64_t beyond_unknown(const struct cw_lanes *lanes, cw_ref index) {
    int64_t sum = 0, plus;
    for (uint32_t step = 0; step < 8; step++) {
        const struct cw_ins *i = cw_ins_of(lanes->fn, index);
        if (!i || i->op == CW_OP_LOAD || i->narg == 0)
            break;
        if (i->narg == 2 && cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1), &plus) && plus > -FAR && plus < FAR)
            sum += i->op == CW_OP_SUB ? -plus : plus;
        index = cw_arg(lanes->fn, i, 0);
    }
    return sum > 0 ? sum : 0;
}

/* `offsets[first]`: an unknown that is an element's number is less than the number of elements. */
static void note_element(struct cw_lanes *lanes, const struct cw_ins *ins) {
    int64_t size = 0;
    uint64_t key, old;
    const struct cw_ins *scale = cw_ins_of(lanes->fn, cw_arg(lanes->fn, ins, 1));
    if (ins->aux == 0 || !scale || scale->op != CW_OP_MUL ||
        !cw_ref_const(lanes->fn, cw_arg(lanes->fn, scale, 1), &size) || size < 1)
        return;
    cw_ref index = cw_arg(lanes->fn, scale, 0);
    int64_t n = (int64_t)ins->aux / size - beyond_unknown(lanes, index);
    if (n < 2 || !extent_key(lanes, bound_of(lanes, index), &key))
        return;
    key = cw_mix(key, ELEMENTS);
    if (!cw_map_get(&lanes->memo.extents, key, &old) || (uint64_t)n < old)
        cw_map_put(&lanes->memo.extents, key, (uint64_t)n);
}

/* A value for such an unknown: the last element or the one before it, which no long loop skips in the races' trace. */
static int64_t as_element(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key, n;
    if (!extent_key(lanes, ref, &key) || !cw_map_get(&lanes->memo.extents, cw_mix(key, ELEMENTS), &n) || v < (int64_t)n)
        return v;
    return (int64_t)n - 1 - (int64_t)(cw_mix((uint64_t)v, key) % 2);
}

/* A generic value of the unknown that suits what the code does with it. */
static int64_t suitable_value(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    return as_step(lanes, ref, as_element(lanes, ref, as_rounds(lanes, ref, as_divisor(lanes, ref, v))));
}

static void find_extents(struct cw_lanes *lanes) {
    cw_map_init(&lanes->memo.extents, lanes->a);
    lanes->memo.has_extents = true;
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++) {
        const struct cw_ins *i = &lanes->fn->ins.at[k];
        if (i->op == CW_OP_AND)
            note_mask(lanes, i);
        if (i->op == CW_OP_PTRADD)
            note_element(lanes, i);
        if (!cw_is_compare(i->op))
            continue;
        note_bound(lanes, cw_arg(lanes->fn, i, 0), cw_arg(lanes->fn, i, 1));
        note_bound(lanes, cw_arg(lanes->fn, i, 1), cw_arg(lanes->fn, i, 0));
        for (uint32_t n = 0; n < 2 && (i->op == CW_OP_EQ || i->op == CW_OP_NE); n++)
            note_step(lanes, cw_arg(lanes->fn, i, n), cw_arg(lanes->fn, i, 1 - n));
    }
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++)
        for (uint32_t n = 0; n < 2 && cw_is_compare(lanes->fn->ins.at[k].op); n++)
            note_single_bound(lanes, cw_arg(lanes->fn, &lanes->fn->ins.at[k], n),
                              cw_arg(lanes->fn, &lanes->fn->ins.at[k], 1 - n));
    for (uint32_t k = 0; k < lanes->fn->cfg->loops.n; k++)
        note_rounds(lanes, k);
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++)
        if (is_division(lanes->fn->ins.at[k].op))
            note_divisor(lanes, &lanes->fn->ins.at[k]);
}

int64_t cw_lanes_size_in_memory(struct cw_lanes *lanes, uint32_t load, uint32_t which) {
    cw_ref ref = cw_ref_ins(load);
    enum cw_type type = (enum cw_type)lanes->fn->ins.at[load].type;
    return suitable_value(lanes, ref, cw_lanes_generic(lanes, type, which, cw_lanes_extent_of(lanes, ref)));
}

uint32_t cw_lanes_extent_of(struct cw_lanes *lanes, cw_ref ref) {
    uint64_t key, dim = 0;
    if (!lanes->memo.has_extents)
        find_extents(lanes);
    return extent_key(lanes, ref, &key) && cw_map_get(&lanes->memo.extents, key, &dim) ? (uint32_t)dim : 0;
}

/* ---- parameters ---- */

static const struct cw_lane_value *launch_argument(struct cw_lanes *lanes, cw_ref ref, enum cw_type type) {
    const struct cw_launch *launch = lanes->launch;
    if (ref.tag != CW_REF_PARAM || ref.index >= launch->nargs || !launch->args[ref.index].known ||
        !cw_type_is_int(type))
        return NULL;
    return cw_lane_value_one(lanes, (struct cw_cell){CW_NUMBER, cw_type_wrap(type, launch->args[ref.index].value)});
}

/* The largest multiple below, or the first. */
static int64_t multiple_below(int64_t v, int64_t divisor) {
    if (divisor <= 1)
        return v;
    return v < divisor ? divisor : v / divisor * divisor;
}

/* A value like v that the host's checks before the launch let pass: the largest in most samples, one in the middle in
 * sample 1. */
static int64_t clamp_to_checks(const struct cw_lanes *lanes, const struct cw_launch_arg *arg, int64_t v) {
    bool is_low = v < arg->least, is_high = v > arg->most;
    uint64_t room = (uint64_t)arg->most - (uint64_t)arg->least;
    if (is_low && room > (uint64_t)v)
        v = arg->least + v;
    else if (is_high && lanes->sample == 1 && arg->least > INT64_MIN)
        v = arg->least + (int64_t)(room / 2);
    else if (is_low || is_high)
        v = arg->most;
    int64_t round = multiple_below(v, arg->divisor);
    return round >= arg->least && round <= arg->most ? round : v;
}

/* A value like v for which the host computes the grid that was chosen: grid == (value + add) / by. */
static int64_t for_grid(const struct cw_lanes *lanes, int64_t v) {
    int64_t least = (int64_t)lanes->grid[0] * lanes->launch->grid_by - lanes->launch->grid_add,
            most = least + lanes->launch->grid_by - 1;
    if (v >= least && v <= most)
        return v;
    if (lanes->sample == 2) /* multiples */
        return v < least ? least : most;
    return least + (int64_t)((uint64_t)v % (uint64_t)lanes->launch->grid_by);
}

static const struct cw_lane_value *sampled_parameter(struct cw_lanes *lanes, cw_ref ref, enum cw_type type) {
    const struct cw_param *p =
        ref.tag == CW_REF_PARAM ? &lanes->fn->params.at[ref.index] : &lanes->fn->tparams.at[ref.index];
    int64_t v;
    if (ref.tag == CW_REF_PARAM && lanes->launch->exact_cover_param == (uint32_t)ref.index + 1)
        v = extent_of(lanes, 0);
    else
        v = suitable_value(lanes, ref, cw_lanes_generic(lanes, type, ref.index, cw_lanes_extent_of(lanes, ref)));
    if (ref.tag == CW_REF_PARAM && lanes->launch->grid_param == (uint32_t)ref.index + 1)
        v = for_grid(lanes, v);
    if (ref.tag == CW_REF_PARAM && ref.index < lanes->launch->nargs && lanes->launch->args[ref.index].likely)
        v = lanes->launch->args[ref.index].value;
    else if (ref.tag == CW_REF_PARAM && ref.index < lanes->launch->nargs)
        v = clamp_to_checks(lanes, &lanes->launch->args[ref.index],
                            as_it_is_used(lanes, ref, clamp_to_checks(lanes, &lanes->launch->args[ref.index], v)));
    else
        v = as_it_is_used(lanes, ref, v);
    v = cw_type_wrap(type, v);
    cw_lanes_chose(lanes, p->name, v);
    return cw_lane_value_one(lanes, (struct cw_cell){CW_SAMPLE, v});
}

/* Of a device function analysed alone nothing is known of who calls it: an int may be a thread index. */
static const struct cw_lane_value *eval_parameter(struct cw_lanes *lanes, cw_ref ref) {
    enum cw_type type = cw_ref_type(lanes->fn, ref);
    const struct cw_lane_value *fact = launch_argument(lanes, ref, type);
    if (fact)
        return fact;
    if (type == CW_PTR)
        return cw_lane_value_fresh(lanes, ref, NULL, CW_FREE, CW_UNI_GRID);
    if (lanes->fn->kind == CW_FN_DEVICE && ref.tag == CW_REF_PARAM)
        return cw_lane_value_fresh(lanes, ref, NULL, CW_OPAQUE, CW_UNI_DIVERGENT);
    if (cw_type_is_int(type) && type != CW_I1)
        return sampled_parameter(lanes, ref, type);
    return cw_lane_value_fresh(lanes, ref, NULL, CW_FREE, CW_UNI_GRID);
}

/* ---- special registers ---- */

static int64_t thread_register(const struct cw_lanes *lanes, enum cw_sreg sreg, uint32_t t) {
    uint32_t lane = t % 32, bit = 1u << lane;
    uint32_t bx = lanes->launch->block[0] ? lanes->launch->block[0] : 1,
             by = lanes->launch->block[1] ? lanes->launch->block[1] : 1;
    switch (sreg) {
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

static const struct cw_lane_value *block_register(struct cw_lanes *lanes, enum cw_sreg sreg) {
    uint32_t d = ((uint32_t)sreg - CW_TID_X) % 3;
    bool is_known = lanes->launch->grid_known || lanes->launch->grid_single >> d & 1;
    bool single = lanes->is_placed || (is_known && lanes->grid[d] == 1);
    if (sreg == CW_WARPSIZE)
        return cw_lane_value_one(lanes, (struct cw_cell){CW_NUMBER, 32});
    if (sreg >= CW_NTID_X && sreg <= CW_NTID_Z)
        return cw_lane_value_one(lanes,
                                 (struct cw_cell){CW_NUMBER, lanes->launch->block[d] ? lanes->launch->block[d] : 1});
    if (sreg >= CW_NCTAID_X && lanes->sample == 1 && !lanes->launch->grid_known && lanes->grid[d] == 1)
        cw_lanes_chose(lanes, cw_sreg_cuda(sreg), 1);
    if (sreg >= CW_NCTAID_X)
        return cw_lane_value_one(lanes,
                                 (struct cw_cell){is_known ? CW_NUMBER : CW_SAMPLE, lanes->grid[d]});
    if (!single)
        cw_lanes_chose(lanes, cw_sreg_cuda(sreg), lanes->ctaid[d]);
    return cw_lane_value_one(lanes, (struct cw_cell){single ? CW_NUMBER : CW_SAMPLE, lanes->ctaid[d]});
}

static const struct cw_lane_value *eval_sreg(struct cw_lanes *lanes, enum cw_sreg sreg) {
    if (sreg == CW_WARPSIZE || (sreg >= CW_CTAID_X && sreg <= CW_NCTAID_Z))
        return block_register(lanes, sreg);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        lanes->scratch.known[t] = CW_NUMBER;
        lanes->scratch.value[t] = thread_register(lanes, sreg, t);
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}

const struct cw_lane_value *cw_lanes_leaf(struct cw_lanes *lanes, cw_ref ref) {
    switch ((enum cw_ref_tag)ref.tag) {
    case CW_REF_CONST: {
        const struct cw_const *k = &lanes->fn->consts.at[ref.index];
        struct cw_cell c = {CW_NUMBER, k->value};
        return k->type == CW_PTR ? cw_lane_value_pointer(lanes, (struct cw_lane_base){cw_ref_of(CW_REF_CONST, 0), 0}, c)
                                 : cw_lane_value_one(lanes, c);
    }
    case CW_REF_OBJECT:
        return cw_lane_value_fresh(lanes, ref, NULL, CW_NUMBER, CW_UNI_GRID);
    case CW_REF_PARAM:
    case CW_REF_TPARAM:
        return eval_parameter(lanes, ref);
    case CW_REF_SREG:
        return eval_sreg(lanes, (enum cw_sreg)ref.index);
    case CW_REF_UNDEF:
        if (cw_ref_type(lanes->fn, ref) == CW_PTR)
            return cw_lane_value_fresh(lanes, ref, NULL, CW_OPAQUE, CW_UNI_DIVERGENT);
        return cw_lane_value_one(lanes, (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN});
    case CW_REF_INS:
    case CW_REF_NONE:
        break;
    }
    return lanes->memo.nothing;
}
