/* Leaves: constants, parameters, special registers, and the generic values that stand for uniform unknowns.
 *
 * A sample is one choice. 0: the last block, sizes that end within it (so that `i < n` parts its threads), or where
 * grid and sizes are known the block in which they end; 1: the first block, the only one where the code asks for that,
 * and small sizes; 2: a middle block and sizes that are multiples of the block; 3: sizes that end within a block, but
 * at a place that any group of up to eight threads, or half a warp, divides; from 4 on: odd sizes at random. */
#include "lanes/lanes_internal.h"

enum {
    EXTENT = 1024,
    ROUND = 3 * 5 * 7,
    STRIDES = 2, /* so many more strides than a grid of its size would need, where it goes over the data in strides, */
    NARROW_STRIDES = 8 /* and where a block has fewer elements than threads: a ring of stages goes round twice */
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

/* Indices of one block. */
static int64_t width_of(const struct cw_lanes *lanes, uint32_t extent) {
    uint32_t block = lanes->launch->block[(extent & 3) - 1], width = cw_lanes_extent_width(extent);
    if (width && !(extent & CW_EXTENT_CHUNKS))
        return width;
    return block > cw_lanes_extent_group(extent) ? block / cw_lanes_extent_group(extent) : 1;
}

static int64_t extent_of(const struct cw_lanes *lanes, uint32_t extent) {
    return lanes->grid[(extent & 3) - 1] * width_of(lanes, extent);
}

/* Ends within the last block, at an odd place. */
static int64_t sample_ending(const struct cw_lanes *lanes, uint32_t which, uint32_t extent) {
    int64_t block = width_of(lanes, extent), width = block > 32 ? 32 : block;
    int64_t end = extent_of(lanes, extent) - 1 - 2 * (int64_t)(which % (width < 4 ? 1 : width / 2));
    return end > 0 ? end : 1;
}

/* Ends within a block, at no odd place; of groups, in the middle of the block. 0 where the grid has none. */
static int64_t sample_round(const struct cw_lanes *lanes, uint32_t extent) {
    uint32_t d = (extent & 3) - 1;
    int64_t end = round_end(lanes->launch, d), block = width_of(lanes, extent);
    return cw_lanes_extent_group(extent) == 1 || end == 0 ? end : lanes->ctaid[d] * block + block / 2;
}

static int64_t sample_size(const struct cw_lanes *lanes, uint32_t which, uint32_t dim) {
    static const int16_t usual[] = {1021, 1019, 1013, 1009, 997, 991, 983, 977, 971, 967, 953, 947};
    static const int8_t small[] = {37, 41, 43, 47, 53, 59, 61}, tiny[] = {11, 13, 17, 19, 23, 29};
    switch (lanes->sample) {
    case 0:
        return dim ? sample_ending(lanes, which, dim) : usual[which % (sizeof usual / sizeof *usual)];
    case 1:
        return lanes->threads > 32 ? small[which % sizeof small] : tiny[which % sizeof tiny];
    case 2:
        return dim ? extent_of(lanes, dim) : EXTENT + (int64_t)(which % 4) * lanes->threads;
    case CW_SAMPLE_ROUND:
        if (dim && sample_round(lanes, dim))
            return sample_round(lanes, dim);
        /* fall through */
    default:
        if (dim && lanes->sample == CW_SAMPLE_WHOLE)
            return extent_of(lanes, dim);
        return 101 + 2 * (int64_t)(cw_mix(lanes->sample, which) % 1000);
    }
}

/* From one element of a block to its next one, where the grid goes over the data in strides: a block may have more
 * elements than threads. */
static int64_t stride_of_grid(const struct cw_lanes *lanes, uint32_t extent) {
    uint32_t d = (extent & 3) - 1, width = cw_lanes_extent_width(extent);
    return width > lanes->launch->block[d] ? (int64_t)lanes->grid[d] * width : extent_of(lanes, extent);
}

static int64_t strides_of(const struct cw_lanes *lanes, uint32_t extent) {
    uint32_t width = cw_lanes_extent_width(extent);
    return width && width < lanes->launch->block[(extent & 3) - 1] ? NARROW_STRIDES : STRIDES;
}

int64_t cw_lanes_generic(const struct cw_lanes *lanes, enum cw_type type, uint32_t which, uint32_t dim) {
    int64_t v = sample_size(lanes, which, dim);
    if (dim & CW_EXTENT_STRIDED && (lanes->sample == 0 || lanes->sample == 2))
        v += strides_of(lanes, dim) * stride_of_grid(lanes, dim);
    return type == CW_I8 ? v % 127 : v;
}

void cw_lanes_chose(struct cw_lanes *lanes, const char *name, int64_t value) {
    for (uint32_t k = 0; k < lanes->scratch.choices.n; k++)
        if (lanes->scratch.choices.at[k].name == name)
            return;
    if (name && lanes->scratch.choices.n < 16)
        cw_vec_push(lanes->a, &lanes->scratch.choices, ((struct cw_lane_choice){name, value}));
}

/* ---- the block ---- */

/* A bound that is a number at this launch. */
static bool known_bound(const struct cw_lanes *lanes, cw_ref bound, int64_t *value) {
    if (cw_ref_const(lanes->fn, bound, value))
        return true;
    bound = cw_lanes_bound_of(lanes, bound);
    if (bound.tag != CW_REF_PARAM || bound.index >= lanes->launch->nargs || !lanes->launch->args[bound.index].known)
        return false;
    *value = lanes->launch->args[bound.index].value;
    return true;
}

/* The grid and the size are numbers: the block in which the data end, if they end within one, is the one that parts its
 * threads. Where the grid goes over the data in strides, any grid may be the launch's. */
static void shape_end(struct cw_lanes *lanes, cw_ref bound, cw_ref index) {
    int64_t size;
    uint32_t extent = known_bound(lanes, bound, &size) ? cw_lanes_extent_bounding(lanes, index) : 0;
    uint32_t d = (extent & 3) - 1;
    if (!extent || size <= 0 || (!lanes->launch->grid_known && !(extent & CW_EXTENT_STRIDED)))
        return;
    int64_t block = width_of(lanes, extent), all = block * lanes->grid[d];
    int64_t end = extent & CW_EXTENT_STRIDED ? size % all : size;
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
    if (lanes->sample == 0)
        shape_ends(lanes);
    if (lanes->sample == CW_SAMPLE_ROUND)
        shape_round(lanes);
    if (lanes->sample == 1 && !lanes->launch->grid_known)
        shape_single(lanes);
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
    v = least + (int64_t)((uint64_t)v % (uint64_t)lanes->launch->grid_by);
    if (most - least > 1 && v % 2 == 0 && lanes->sample != CW_SAMPLE_ROUND) /* rows of one warp part at odd ends */
        return v > least ? v - 1 : v + 1;
    return v == most && most > least ? v - 1 : v; /* in no other sample do all blocks have work for all threads */
}

static int64_t sample_of_parameter(struct cw_lanes *lanes, cw_ref ref, enum cw_type type) {
    int64_t v;
    if (ref.tag == CW_REF_PARAM && lanes->launch->exact_cover_param == (uint32_t)ref.index + 1)
        v = extent_of(lanes, 1);
    else
        v = cw_lanes_suitable(lanes, ref, cw_lanes_generic(lanes, type, ref.index, cw_lanes_extent_of(lanes, ref)));
    if (ref.tag == CW_REF_PARAM && lanes->launch->grid_param == (uint32_t)ref.index + 1)
        v = for_grid(lanes, v);
    if (ref.tag == CW_REF_PARAM && ref.index < lanes->launch->nargs && lanes->launch->args[ref.index].likely)
        v = lanes->launch->args[ref.index].value;
    else if (ref.tag == CW_REF_PARAM && ref.index < lanes->launch->nargs)
        v = clamp_to_checks(lanes, &lanes->launch->args[ref.index],
                            cw_lanes_as_power(lanes, ref, clamp_to_checks(lanes, &lanes->launch->args[ref.index], v)));
    else
        v = cw_lanes_as_power(lanes, ref, v);
    return cw_type_wrap(type, v);
}

cw_ref cw_lanes_first_argument(const struct cw_lanes *lanes, cw_ref ref) {
    bool is_told = ref.tag == CW_REF_PARAM && ref.index < lanes->launch->nargs;
    uint32_t same = is_told ? lanes->launch->args[ref.index].same_as : 0;
    return same ? cw_ref_of(CW_REF_PARAM, same - 1) : ref;
}

int64_t cw_lanes_count_to(struct cw_lanes *lanes, cw_ref last, uint32_t which) {
    cw_ref same = cw_lanes_first_argument(lanes, last);
    const struct cw_launch *launch = lanes->launch;
    if (same.tag != CW_REF_PARAM)
        return cw_lanes_size_in_memory(lanes, last.index, which);
    if (same.index < launch->nargs && launch->args[same.index].known)
        return launch->args[same.index].value;
    enum cw_type type = cw_ref_type(lanes->fn, same);
    return sample_of_parameter(lanes, same, type == CW_PTR ? CW_I64 : type);
}

static const struct cw_lane_value *sampled_parameter(struct cw_lanes *lanes, cw_ref ref, enum cw_type type) {
    const struct cw_param *p =
        ref.tag == CW_REF_PARAM ? &lanes->fn->params.at[ref.index] : &lanes->fn->tparams.at[ref.index];
    cw_ref first = cw_lanes_first_argument(lanes, ref);
    int64_t v = cw_type_wrap(type, sample_of_parameter(lanes, first, cw_ref_type(lanes->fn, first)));
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
