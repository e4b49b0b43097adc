/* What the code does with unknown sizes, and the values that suit it: bounds of indices, powers of two, divisors,
 * logarithms, steps of blocks, elements of arrays.
 *
 * requires: inductions. computes: lanes->memo.extents, once; a value for each unknown and sample. cost: one pass over
 * the instructions, with bounded walks. */
#include "lanes/lanes_internal.h"

enum {
    WALK_MAX = 48,
    STRIDE = 4, /* see grid_dims */
    TOO_LARGE = 1 << 30,
    THREADS_MAX = 1024,
    UNIT_MAX = 4096,
    FAR = 64,         /* steps between a block's place and the unknown */
    PLACE_DEPTH = 6,  /* operations between a block's index and its place */
    POWER_DEPTH = 6,  /* operations between the unknown and its use as a power of two */
    BLOCK_WIDTH_MAX = 1 << 16,
    FEW_PARTS = 2,    /* the value in sample 2 of an unknown that divides another one */
    TIMES = 32,       /* how often a whole holds the product that divides it */
    CHUNKS = 4,       /* that an unknown has which is counted in chunks, besides the last one */
    CHUNK_MAX = 1 << 14,
    /* mixed into the key of an unknown that */
    POWER_OF_TWO = 0x2f, /* is one */
    PARTS = 0x5a,        /* divides another one */
    WHOLE = 0x6b,        /* is divided by a product of others */
    LOGARITHM = 0x71,    /* counts how often a value doubles or halves */
    ELEMENTS = 0x97,     /* indexes an array of known length */
    NOT_INDEX = 0xa9,    /* is compared with more than a thread's index */
    BEGINNING = 0xb3,    /* is the end of a range: where that begins */
    ELEMENT = 0xc5,      /* is the end of a range: bytes of an element */
    NAME = 0xd3,         /* is the end of a range: what messages call its size */
    OFFSET = 0xe9,       /* is added to an index that another unknown bounds */
    SHARE = 0xf7,        /* is the number of elements that each thread of the grid has */
    CHUNKED = 0x1d,      /* is counted in chunks of so many elements */
    FIRST = 0x83         /* is compared with a block's place */
};

static void find_extents(struct cw_lanes *lanes);

/* ---- which unknown bounds which dimension's index ---- */

/* Bit d: the expression holds blockIdx in dimension d; bit STRIDE + d: gridDim; TOO_LARGE: it cannot be said. What a
 * loop carries counts where it goes on by a stride of the grid. */
struct index_walk {
    uint32_t steps, divisor; /* divisor: the largest number by which it divides what holds blockIdx */
    bool in_loop;
};

static bool is_division(enum cw_op op) {
    return op == CW_OP_UDIV || op == CW_OP_SDIV;
}

/* The number that the value is divided by, up to `most`; 1: it is no such division. */
static uint32_t divided_by(const struct cw_lanes *lanes, const struct cw_ins *ins, uint32_t most) {
    bool shifts = ins->op == CW_OP_LSHR || ins->op == CW_OP_ASHR;
    int64_t by;
    if ((!shifts && !is_division((enum cw_op)ins->op)) ||
        !cw_ref_const(lanes->fn, cw_arg(lanes->fn, ins, 1), &by) || by < 1 || (shifts && by > 30))
        return 1;
    int64_t divisor = shifts ? INT64_C(1) << by : by;
    return divisor <= most ? (uint32_t)divisor : 1;
}

static uint32_t grid_dims(const struct cw_lanes *lanes, cw_ref ref, struct index_walk *walk);

/* Of what another loop has counted: where it began. */
static uint32_t grid_dims_on_entry(const struct cw_lanes *lanes, const struct cw_ins *phi, struct index_walk *walk) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    const struct cw_block *block = &lanes->fn->blocks.at[phi->block];
    uint32_t loop = cfg->loop_of[phi->block], dims = 0;
    if (loop == CW_NO_LOOP || cfg->loops.at[loop].header != phi->block)
        return 0;
    for (uint32_t k = 0; k < phi->narg; k++)
        if (!cw_bitset_has(&cfg->loops.at[loop].blocks, block->pred.at[k]))
            dims |= grid_dims(lanes, cw_arg(lanes->fn, phi, k), walk);
    return dims;
}

static uint32_t grid_dims(const struct cw_lanes *lanes, cw_ref ref, struct index_walk *walk) {
    if (cw_is_block_index(ref))
        return 1u << (ref.index - CW_CTAID_X);
    if (ref.tag == CW_REF_SREG && ref.index >= CW_NCTAID_X && ref.index <= CW_NCTAID_Z)
        return 1u << (STRIDE + ref.index - CW_NCTAID_X);
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || i->op == CW_OP_LOAD || !(cw_op_flags(i->op) & CW_OP_P))
        return 0;
    if (++walk->steps > WALK_MAX)
        return TOO_LARGE;
    if (i->op == CW_OP_PHI && walk->in_loop)
        return grid_dims_on_entry(lanes, i, walk);
    uint32_t dims = 0, strides = 7u << STRIDE, divisor = divided_by(lanes, i, THREADS_MAX);
    bool was_in_loop = walk->in_loop;
    for (uint32_t k = 0; k < i->narg; k++) {
        walk->in_loop = was_in_loop || i->op == CW_OP_PHI;
        uint32_t of = grid_dims(lanes, cw_arg(lanes->fn, i, k), walk);
        dims |= i->op == CW_OP_SUB && k == 1 && of & strides ? TOO_LARGE : of; /* from the end to the beginning */
    }
    walk->in_loop = was_in_loop;
    if (dims & 7 && divisor > walk->divisor)
        walk->divisor = divisor;
    return i->op != CW_OP_PHI || dims & (strides | (uint32_t)TOO_LARGE) ? dims : 0;
}

/* Threads that have one index, where several groups of them are in a block; else 1. */
static uint32_t group_of(const struct cw_lanes *lanes, uint32_t d, uint32_t divisor) {
    uint32_t block = lanes->launch->block[d];
    return block > divisor && block % divisor == 0 ? divisor : 1;
}

static bool extent_key(const struct cw_lanes *lanes, cw_ref ref, uint64_t *key);

/* ---- elements of each thread ---- */

static bool is_smaller_of(enum cw_op op) {
    return op == CW_OP_SMIN || op == CW_OP_UMIN;
}

/* Does the value hold the thread's index and the block's, as a place in the grid does? */
static bool is_place_in_grid(const struct cw_lanes *lanes, cw_ref ref, uint32_t depth, uint32_t *seen) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (cw_is_block_index(ref))
        *seen |= 1;
    if (ref.tag == CW_REF_SREG && ref.index >= CW_TID_X && ref.index <= CW_TID_Z)
        *seen |= 2;
    bool goes_on = i && depth > 0 &&
                   (i->op == CW_OP_ADD || i->op == CW_OP_MUL || i->op == CW_OP_SHL || cw_is_cast((enum cw_op)i->op));
    for (uint32_t k = 0; goes_on && k < i->narg; k++)
        is_place_in_grid(lanes, cw_arg(lanes->fn, i, k), depth - 1, seen);
    return *seen == 3;
}

/* per_thread of `first = thread * per_thread`, from which a bounded index begins. */
static void note_shares(struct cw_lanes *lanes, cw_ref index, uint32_t *walk) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, index);
    uint64_t key;
    if (!i || i->op == CW_OP_LOAD || ++*walk > WALK_MAX)
        return;
    for (uint32_t k = 0; i->op == CW_OP_MUL && k < 2; k++) {
        uint32_t seen = 0;
        cw_ref share = cw_lanes_bound_of(lanes, cw_arg(lanes->fn, i, k));
        if (extent_key(lanes, share, &key) && cw_type_is_int(cw_ref_type(lanes->fn, share)) &&
            is_place_in_grid(lanes, cw_arg(lanes->fn, i, 1 - k), PLACE_DEPTH, &seen))
            cw_map_put(&lanes->memo.extents, cw_mix(key, SHARE), 1);
    }
    bool goes_on = i->op == CW_OP_ADD || i->op == CW_OP_PHI || is_smaller_of((enum cw_op)i->op) ||
                   cw_is_cast((enum cw_op)i->op);
    for (uint32_t k = 0; goes_on && k < i->narg; k++)
        note_shares(lanes, cw_arg(lanes->fn, i, k), walk);
}

/* A few: with a size like others the share of the first block's threads would be more than all. 0: it is no share. */
static int64_t share_of(const struct cw_lanes *lanes, cw_ref ref) {
    static const int8_t few[] = {4, 3, 2};
    uint64_t key;
    bool is_share =
        extent_key(lanes, ref, &key) && cw_map_get(&lanes->memo.extents, cw_mix(key, SHARE), NULL);
    return is_share ? few[lanes->sample % sizeof few] : 0;
}

/* ---- how far blocks lie apart ---- */

enum { NO_NUMBER = -1 };

struct factor_walk {
    uint32_t steps, d; /* of blockIdx in dimension d */
};

/* A number under this launch: constants, dimensions of the block, and what is made of them. */
static int64_t number_of(const struct cw_lanes *lanes, cw_ref ref, struct factor_walk *walk) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    int64_t number, other;
    if (cw_ref_const(lanes->fn, ref, &number))
        return number >= 0 && number <= BLOCK_WIDTH_MAX ? number : NO_NUMBER;
    if (ref.tag == CW_REF_SREG && ref.index >= CW_NTID_X && ref.index <= CW_NTID_Z)
        return lanes->launch->block[ref.index - CW_NTID_X];
    number = share_of(lanes, ref);
    if (number)
        return number;
    if (ref.tag == CW_REF_PARAM && ref.index < lanes->launch->nargs && lanes->launch->args[ref.index].known) {
        number = lanes->launch->args[ref.index].value;
        return number >= 0 && number <= BLOCK_WIDTH_MAX ? number : NO_NUMBER;
    }
    if (!i || ++walk->steps > WALK_MAX)
        return NO_NUMBER;
    if (cw_is_cast((enum cw_op)i->op))
        return number_of(lanes, cw_arg(lanes->fn, i, 0), walk);
    if (i->op != CW_OP_MUL && i->op != CW_OP_SHL)
        return NO_NUMBER;
    number = number_of(lanes, cw_arg(lanes->fn, i, 0), walk);
    other = number_of(lanes, cw_arg(lanes->fn, i, 1), walk);
    if (number < 0 || other < 0 || (i->op == CW_OP_SHL && other > 16))
        return NO_NUMBER;
    number = i->op == CW_OP_MUL ? number * other : number << other;
    return number <= BLOCK_WIDTH_MAX ? number : NO_NUMBER;
}

static int64_t block_factor(const struct cw_lanes *lanes, cw_ref ref, struct factor_walk *walk);

/* Of a loop's counter: where it began. */
static int64_t factor_on_entry(const struct cw_lanes *lanes, const struct cw_ins *phi, struct factor_walk *walk) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    const struct cw_block *block = &lanes->fn->blocks.at[phi->block];
    uint32_t loop = cfg->loop_of[phi->block];
    bool is_counter = loop != CW_NO_LOOP && cfg->loops.at[loop].header == phi->block;
    int64_t factor = 0;
    for (uint32_t k = 0; k < phi->narg; k++)
        if (!is_counter || !cw_bitset_has(&cfg->loops.at[loop].blocks, block->pred.at[k])) {
            int64_t of = block_factor(lanes, cw_arg(lanes->fn, phi, k), walk);
            factor = factor == 0 || factor == of ? of : NO_NUMBER;
        }
    return factor;
}

/* Of a product: one factor holds blockIdx, the other one is a number. */
static int64_t factor_of_product(const struct cw_lanes *lanes, const struct cw_ins *product,
                                 struct factor_walk *walk) {
    int64_t left = block_factor(lanes, cw_arg(lanes->fn, product, 0), walk);
    int64_t right = block_factor(lanes, cw_arg(lanes->fn, product, 1), walk);
    if (left <= 0 && right <= 0)
        return left == 0 && right == 0 ? 0 : NO_NUMBER;
    if (left != 0 && right != 0)
        return NO_NUMBER;
    int64_t by = number_of(lanes, cw_arg(lanes->fn, product, left != 0), walk);
    if (by < 0 || (product->op == CW_OP_SHL && (left == 0 || by > 16)))
        return NO_NUMBER;
    int64_t factor = product->op == CW_OP_SHL ? left << by : (left + right) * by;
    return factor <= BLOCK_WIDTH_MAX ? factor : NO_NUMBER;
}

/* The factor of blockIdx in the index: how much it grows from one block to the next. */
static int64_t block_factor(const struct cw_lanes *lanes, cw_ref ref, struct factor_walk *walk) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (ref.tag == CW_REF_SREG)
        return ref.index == CW_CTAID_X + walk->d;
    if (!i || i->op == CW_OP_LOAD || !(cw_op_flags(i->op) & CW_OP_P))
        return 0;
    if (++walk->steps > WALK_MAX)
        return NO_NUMBER;
    if (cw_is_cast((enum cw_op)i->op))
        return block_factor(lanes, cw_arg(lanes->fn, i, 0), walk);
    if (i->op == CW_OP_PHI)
        return factor_on_entry(lanes, i, walk);
    if (i->op == CW_OP_MUL || i->op == CW_OP_SHL)
        return factor_of_product(lanes, i, walk);
    int64_t sum = 0;
    for (uint32_t k = 0; k < i->narg && sum >= 0; k++) {
        int64_t of = block_factor(lanes, cw_arg(lanes->fn, i, k), walk);
        bool adds = i->op == CW_OP_ADD || (i->op == CW_OP_SUB && k == 0);
        sum = of == 0 ? sum : of > 0 && adds ? sum + of : NO_NUMBER;
    }
    return sum;
}

/* Indices of a block where they are not as many as its threads in that dimension; else 0. Where a block has one index,
 * it comes as a whole, and any size will do. */
static uint32_t width_of_block(const struct cw_lanes *lanes, cw_ref index, uint32_t d) {
    struct factor_walk walk = {.d = d};
    int64_t factor = block_factor(lanes, index, &walk);
    return factor > 1 && factor <= BLOCK_WIDTH_MAX && factor != lanes->launch->block[d] ? (uint32_t)factor : 0;
}

uint32_t cw_lanes_extent_bounding(const struct cw_lanes *lanes, cw_ref index) {
    struct index_walk walk = {.divisor = 1};
    uint32_t dims = grid_dims(lanes, index, &walk);
    for (uint32_t d = 0; d < 3; d++) {
        uint32_t group = group_of(lanes, d, walk.divisor);
        bool is_strided = dims == (1u << d | 1u << (STRIDE + d));
        if (dims != 1u << d && !is_strided)
            continue;
        uint32_t width = group == 1 ? width_of_block(lanes, index, d) : 0;
        return (d + 1) | (is_strided ? CW_EXTENT_STRIDED : 0) | group * CW_EXTENT_GROUP | width * CW_EXTENT_WIDTH;
    }
    return 0;
}

static const struct cw_ins *below_casts(const struct cw_lanes *lanes, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    while (i && cw_is_cast((enum cw_op)i->op))
        i = cw_ins_of(lanes->fn, cw_arg(lanes->fn, i, 0));
    return i;
}

cw_ref cw_lanes_bound_of(const struct cw_lanes *lanes, cw_ref ref) {
    for (uint32_t step = 0; step < 8; step++) {
        const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
        if (!i || i->op == CW_OP_LOAD)
            return ref;
        bool cast = cw_is_cast((enum cw_op)i->op) || i->op == CW_OP_PTRTOINT;
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
    cw_ref ref = cw_lanes_bound_of(lanes, index);
    if (ref.tag != CW_REF_SREG || ref.index < CW_TID_X || ref.index > CW_TID_Z)
        return 0;
    uint32_t d = ref.index - CW_TID_X;
    bool is_single = launch->grid_single >> d & 1 || (launch->grid_known && launch->grid[d] <= 1);
    return is_single ? d + 1 : 0;
}

static bool extent_key(const struct cw_lanes *lanes, cw_ref ref, uint64_t *key) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    *key = cw_ref_bits(ref);
    if (i && i->op == CW_OP_LOAD && lanes->chooses_data &&
        cw_lanes_scope(lanes, cw_arg(lanes->fn, i, 0)) == CW_UNI_BLOCK) {
        *key = cw_mix(31, cw_ref_bits(cw_arg(lanes->fn, i, 0)));
        return true;
    }
    if (i)
        return i->op == CW_OP_LOAD && cw_lanes_fixed_place(lanes, cw_arg(lanes->fn, i, 0), key);
    return ref.tag == CW_REF_PARAM || ref.tag == CW_REF_TPARAM;
}

/* ---- ranges between two pointers ---- */

/* Bytes by which the offset counts. */
static int64_t unit_of(const struct cw_lanes *lanes, cw_ref offset) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, offset);
    int64_t by = 1;
    bool is_scaled =
        i && (i->op == CW_OP_MUL || i->op == CW_OP_SHL) && cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1), &by);
    if (!is_scaled || by < 1 || by > (i->op == CW_OP_SHL ? 10 : UNIT_MAX))
        return 1;
    return i->op == CW_OP_SHL ? INT64_C(1) << by : by;
}

/* The pointer parameter, or load from a fixed place, from which `first + i` counts, and the bytes of an element. */
static cw_ref beginning_of(const struct cw_lanes *lanes, cw_ref pointer, int64_t *element) {
    *element = 1;
    for (uint32_t step = 0; step < 8; step++) {
        const struct cw_ins *i = cw_ins_of(lanes->fn, pointer);
        if (!i || i->op == CW_OP_LOAD)
            return pointer;
        if (i->op == CW_OP_PTRADD && *element == 1)
            *element = unit_of(lanes, cw_arg(lanes->fn, i, 1));
        else if (i->op != CW_OP_PTRADD && i->op != CW_OP_PHI && i->op != CW_OP_COPY && i->op != CW_OP_PTRTOINT)
            break;
        pointer = cw_arg(lanes->fn, i, 0);
    }
    return CW_NONE;
}

/* The parameter of which a pointer of the launch is a member; CW_NONE: it is none. */
static cw_ref holder_of(const struct cw_lanes *lanes, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, pointer);
    cw_ref from = i && i->op == CW_OP_LOAD ? cw_arg(lanes->fn, i, 0) : CW_NONE;
    for (i = cw_ins_of(lanes->fn, from); i && i->op == CW_OP_PTRADD; i = cw_ins_of(lanes->fn, from))
        from = cw_arg(lanes->fn, i, 0);
    return from.tag == CW_REF_OBJECT && lanes->fn->objects.at[from.index].space == CW_SPACE_PARAM ? from : CW_NONE;
}

/* Is the pointer one that the launch gives: a parameter, or a member of one? */
static bool is_given(const struct cw_lanes *lanes, cw_ref pointer, uint64_t *key) {
    return lanes->fn->kind == CW_FN_KERNEL &&
           (pointer.tag == CW_REF_PARAM || holder_of(lanes, pointer).tag != CW_REF_NONE) &&
           cw_ref_type(lanes->fn, pointer) == CW_PTR && extent_key(lanes, pointer, key);
}

static const char *name_of_given(const struct cw_lanes *lanes, cw_ref pointer) {
    return pointer.tag == CW_REF_PARAM ? lanes->fn->params.at[pointer.index].name
                                       : lanes->fn->objects.at[holder_of(lanes, pointer).index].name;
}

/* `first + i < last`, with i a thread's index in the grid: the range has a size like others. */
static void note_range(struct cw_lanes *lanes, cw_ref last, cw_ref index) {
    int64_t element;
    uint64_t key, begins;
    last = cw_lanes_bound_of(lanes, last);
    if (!is_given(lanes, last, &key) || !cw_lanes_extent_bounding(lanes, index))
        return;
    cw_ref first = beginning_of(lanes, index, &element);
    if (!is_given(lanes, first, &begins) || begins == key)
        return;
    const char *name = cw_arena_printf(lanes->a, "%s - %s", name_of_given(lanes, last), name_of_given(lanes, first));
    cw_map_put(&lanes->memo.extents, cw_mix(key, BEGINNING), begins);
    cw_map_put(&lanes->memo.extents, cw_mix(key, ELEMENT), (uint64_t)element);
    cw_map_put(&lanes->memo.extents, cw_mix(key, NAME), (uint64_t)(uintptr_t)name);
}

bool cw_lanes_span(struct cw_lanes *lanes, cw_ref first, cw_ref last, int64_t *bytes) {
    uint64_t key, begins, beginning, element, name;
    if (!cw_lanes_extent_of(lanes, last) || !is_given(lanes, last, &key) || !is_given(lanes, first, &begins) ||
        !cw_map_get(&lanes->memo.extents, cw_mix(key, BEGINNING), &beginning) || beginning != begins ||
        !cw_map_get(&lanes->memo.extents, cw_mix(key, ELEMENT), &element) ||
        !cw_map_get(&lanes->memo.extents, cw_mix(key, NAME), &name))
        return false;
    int64_t count = cw_lanes_count_to(lanes, last, (uint32_t)(key % 97));
    cw_lanes_chose(lanes, (const char *)(uintptr_t)name, count);
    *bytes = count * (int64_t)element;
    return true;
}

/* The unknown behind the bound, and how many of its elements an index stands for: n and 512 of `(n + 511) / 512`. */
static cw_ref counted_by(const struct cw_lanes *lanes, cw_ref bound, uint32_t *elements) {
    const struct cw_ins *i = below_casts(lanes, bound);
    *elements = i ? divided_by(lanes, i, BLOCK_WIDTH_MAX) : 1;
    return cw_lanes_bound_of(lanes, *elements > 1 ? cw_arg(lanes->fn, i, 0) : bound);
}

/* Of whichever dimensions, `blockIdx.y * gridDim.x + blockIdx.x` among them. */
static bool holds_block_index(const struct cw_lanes *lanes, cw_ref index) {
    struct index_walk walk = {.divisor = 1};
    uint32_t dims = grid_dims(lanes, index, &walk);
    return dims & 7 && !(dims & TOO_LARGE);
}

/* Unknowns that a bounded index begins at: `first + blockIdx.x * 256 < n`. */
static void note_offsets(struct cw_lanes *lanes, cw_ref index, uint64_t bound, uint32_t *walk) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, index);
    uint64_t key;
    if (++*walk > WALK_MAX)
        return;
    if (extent_key(lanes, index, &key)) {
        if (key != bound && cw_type_is_int(cw_ref_type(lanes->fn, index)))
            cw_map_put(&lanes->memo.extents, cw_mix(key, OFFSET), 1);
        return;
    }
    for (uint32_t k = 0; i && (i->op == CW_OP_ADD || cw_is_cast((enum cw_op)i->op)) && k < i->narg; k++)
        note_offsets(lanes, cw_arg(lanes->fn, i, k), bound, walk);
}

/* Where each block has some chunks of so many elements, and no more: the extent of the elements; 0: nobody knows. */
static uint32_t extent_in_chunks(const struct cw_lanes *lanes, cw_ref index, uint32_t extent, uint32_t elements) {
    if (!extent)
        return 0;
    struct factor_walk walk = {.d = (extent & 3) - 1};
    int64_t chunks = block_factor(lanes, index, &walk);
    bool is_known = chunks > 0 && chunks * elements <= BLOCK_WIDTH_MAX;
    return is_known ? extent % CW_EXTENT_WIDTH | (uint32_t)(chunks * elements) * CW_EXTENT_WIDTH : 0;
}

/* `for (c = 0; c < (n + 511) / 512; c++)`: a size like others would have one or two chunks. */
static void note_chunks(struct cw_lanes *lanes, uint64_t key, uint32_t elements) {
    uint64_t old = 0;
    cw_map_get(&lanes->memo.extents, cw_mix(key, CHUNKED), &old);
    if (elements <= CHUNK_MAX && elements > old)
        cw_map_put(&lanes->memo.extents, cw_mix(key, CHUNKED), elements);
}

/* is_end: the index is `first + width` of `min(first + width, n)`, which begins at no unknown. */
static void note_bound(struct cw_lanes *lanes, cw_ref bound, cw_ref index, bool is_end) {
    uint64_t key, old = 0;
    uint32_t elements, walk = 0;
    if (!extent_key(lanes, counted_by(lanes, bound, &elements), &key))
        return;
    uint32_t extent = cw_lanes_extent_bounding(lanes, index);
    if (elements > 1 && !(extent & CW_EXTENT_STRIDED))
        extent = extent_in_chunks(lanes, index, extent, elements);
    else if (elements > 1) {
        uint64_t width = cw_lanes_extent_width(extent), all = (width ? width : 1) * elements;
        extent = extent % CW_EXTENT_WIDTH | CW_EXTENT_CHUNKS |
                 (uint32_t)(all <= BLOCK_WIDTH_MAX ? all : BLOCK_WIDTH_MAX) * CW_EXTENT_WIDTH;
    }
    if (elements > 1 && !extent) {
        note_chunks(lanes, key, elements);
        return;
    }
    if (!single_block_index(lanes, index))
        cw_map_put(&lanes->memo.extents, cw_mix(key, NOT_INDEX), 1);
    bool has_old = cw_map_get(&lanes->memo.extents, key, &old);
    bool is_larger = has_old && (old & CW_EXTENT_STRIDED ||
                                 cw_lanes_extent_group((uint32_t)old) < cw_lanes_extent_group(extent));
    if (!is_end && (extent || holds_block_index(lanes, index)))
        note_offsets(lanes, index, key, &walk);
    if (extent && !is_larger)
        cw_map_put(&lanes->memo.extents, key, extent);
}

/* `threadIdx.x < n` in a single block; not where n is compared with something else too, as in a loop over the data. */
static void note_single_bound(struct cw_lanes *lanes, cw_ref bound, cw_ref index) {
    uint64_t key;
    uint32_t extent = single_block_index(lanes, index);
    if (extent && extent_key(lanes, cw_lanes_bound_of(lanes, bound), &key) &&
        !cw_map_get(&lanes->memo.extents, key, NULL) &&
        !cw_map_get(&lanes->memo.extents, cw_mix(key, NOT_INDEX), NULL))
        cw_map_put(&lanes->memo.extents, key, extent);
}

/* ---- powers of two ---- */

static bool is_number(const struct cw_lanes *lanes, cw_ref ref, int64_t wanted) {
    int64_t v;
    return cw_ref_const(lanes->fn, ref, &v) && v == wanted;
}

static bool is_power_of_two(const struct cw_lanes *lanes, cw_ref ref) {
    int64_t v;
    return cw_ref_const(lanes->fn, ref, &v) && v > 0 && (v & (v - 1)) == 0;
}

/* The value whose predecessor this is: x of `x - 1`. */
static cw_ref one_above(const struct cw_lanes *lanes, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    bool minus = i && ((i->op == CW_OP_SUB && is_number(lanes, cw_arg(lanes->fn, i, 1), 1)) ||
                       (i->op == CW_OP_ADD && is_number(lanes, cw_arg(lanes->fn, i, 1), -1)));
    return minus ? cw_arg(lanes->fn, i, 0) : CW_NONE;
}

/* Unknowns from which the value is made by shifts: `stride` in a loop that halves it, or `stride / 128`. */
static void note_power(struct cw_lanes *lanes, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    uint64_t key;
    if (extent_key(lanes, ref, &key))
        cw_map_put(&lanes->memo.extents, cw_mix(key, POWER_OF_TWO), 1);
    if (!i || depth == 0)
        return;
    bool scaled = i->op == CW_OP_SHL || i->op == CW_OP_LSHR || i->op == CW_OP_ASHR ||
                  ((i->op == CW_OP_UDIV || i->op == CW_OP_SDIV || i->op == CW_OP_MUL) &&
                   is_power_of_two(lanes, cw_arg(lanes->fn, i, 1)));
    bool cast = cw_is_cast((enum cw_op)i->op);
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

int64_t cw_lanes_as_power(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key;
    if (!lanes->memo.has_extents)
        find_extents(lanes);
    if (v < 1 || !extent_key(lanes, ref, &key) || !cw_map_get(&lanes->memo.extents, cw_mix(key, POWER_OF_TWO), NULL))
        return v;
    return INT64_C(1) << (63 - __builtin_clzll((uint64_t)v));
}

/* ---- divisors ---- */

static bool is_remainder(enum cw_op op) {
    return op == CW_OP_UREM || op == CW_OP_SREM;
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
    cw_ref ref = cw_lanes_bound_of(lanes, dividend);
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
    if (threads && extent_key(lanes, cw_lanes_bound_of(lanes, cw_arg(lanes->fn, ins, 1)), &key)) {
        cw_map_put(&lanes->memo.extents, cw_mix(key, PARTS), (uint64_t)threads);
        return;
    }
    cw_ref dividend = cw_arg(lanes->fn, ins, 0), divisor = cw_lanes_bound_of(lanes, cw_arg(lanes->fn, ins, 1));
    if (!extent_key(lanes, divisor, &key) || cw_map_get(&lanes->memo.extents, key, NULL) ||
        cw_lanes_scope(lanes, dividend) > CW_UNI_BLOCK || !rests_on_other(lanes, dividend, key, &walk))
        return;
    cw_map_put(&lanes->memo.extents, cw_mix(key, PARTS), 1);
}

/* `all / (rows * columns)`, of two parameters that bound indices: with sizes of one order nothing is left. */
static void note_whole(struct cw_lanes *lanes, const struct cw_ins *ins) {
    const struct cw_ins *product = below_casts(lanes, cw_arg(lanes->fn, ins, 1));
    cw_ref whole = cw_lanes_bound_of(lanes, cw_arg(lanes->fn, ins, 0));
    uint64_t key;
    if (!product || product->op != CW_OP_MUL || whole.tag != CW_REF_PARAM || !extent_key(lanes, whole, &key) ||
        cw_map_get(&lanes->memo.extents, key, NULL))
        return;
    enum cw_type type = cw_ref_type(lanes->fn, whole);
    if (type != CW_I32 && type != CW_I64)
        return;
    for (uint32_t k = 0; k < 2; k++) {
        cw_ref factor = cw_lanes_bound_of(lanes, cw_arg(lanes->fn, product, k));
        if (factor.tag != CW_REF_PARAM || cw_ref_eq(factor, whole))
            return;
    }
    cw_map_put(&lanes->memo.extents, cw_mix(key, WHOLE), (uint64_t)(product - lanes->fn->ins.at));
}

/* The unknown's value where a product divides it: about so many times the product of their values. */
static int64_t as_whole(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key, at;
    if (!extent_key(lanes, ref, &key) || !cw_map_get(&lanes->memo.extents, cw_mix(key, WHOLE), &at))
        return v;
    int64_t product = TIMES;
    for (uint32_t k = 0; k < 2; k++) {
        cw_ref factor = cw_lanes_bound_of(lanes, cw_arg(lanes->fn, &lanes->fn->ins.at[at], k));
        int64_t one = cw_lanes_generic(lanes, cw_ref_type(lanes->fn, factor), factor.index,
                                       cw_lanes_extent_of(lanes, factor));
        if (one < 1 || one > TOO_LARGE / product)
            return v;
        product *= one;
    }
    return product;
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
                extent_key(lanes, cw_lanes_bound_of(lanes, cw_arg(fn, i, 1 - n)), &key) &&
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

/* `row == step + 1`, where the row is the block's own: in the first block the two are equal for the first step. */
static void note_step(struct cw_lanes *lanes, cw_ref step, cw_ref place) {
    uint64_t key;
    const struct cw_ins *i = cw_ins_of(lanes->fn, step);
    int64_t plus = 0;
    if (i && (i->op == CW_OP_ADD || i->op == CW_OP_SUB) && cw_ref_const(lanes->fn, cw_arg(lanes->fn, i, 1), &plus) &&
        i->op == CW_OP_SUB)
        plus = -plus;
    if (extent_key(lanes, cw_lanes_bound_of(lanes, step), &key) && cw_lanes_scope(lanes, place) == CW_UNI_BLOCK &&
        cw_rests_on_block_index(lanes->fn, place, PLACE_DEPTH) && plus > -FAR && plus < FAR)
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
    if (n < 2 || !extent_key(lanes, cw_lanes_bound_of(lanes, index), &key))
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

/* A size like others would leave nothing of what the index is bounded by. One that bounds an index is a size. */
static int64_t as_offset(const struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    static const int8_t few[] = {5, 3, 0, 8, 7};
    uint64_t key;
    if (!extent_key(lanes, ref, &key) || cw_map_get(&lanes->memo.extents, key, NULL) ||
        !cw_map_get(&lanes->memo.extents, cw_mix(key, OFFSET), NULL))
        return v;
    return few[lanes->sample % sizeof few];
}

/* The unknown's value where it is counted in chunks: a few whole ones, and an odd part of one but in sample 2. */
static int64_t as_chunks(const struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    uint64_t key, elements;
    if (!extent_key(lanes, ref, &key) || cw_map_get(&lanes->memo.extents, key, NULL) ||
        !cw_map_get(&lanes->memo.extents, cw_mix(key, CHUNKED), &elements) || v >= CHUNKS * (int64_t)elements)
        return v;
    return CHUNKS * (int64_t)elements + (lanes->sample == 2 ? 0 : v % (int64_t)elements);
}

int64_t cw_lanes_suitable(struct cw_lanes *lanes, cw_ref ref, int64_t v) {
    if (!lanes->memo.has_extents)
        find_extents(lanes);
    int64_t share = share_of(lanes, ref);
    if (share)
        return share;
    v = as_offset(lanes, ref, as_chunks(lanes, ref, v));
    v = as_whole(lanes, ref, as_divisor(lanes, ref, v));
    return as_step(lanes, ref, as_element(lanes, ref, as_rounds(lanes, ref, v)));
}

static void find_extents(struct cw_lanes *lanes) {
    cw_map_init(&lanes->memo.extents, lanes->a);
    lanes->memo.has_extents = true;
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++)
        for (uint32_t n = 0, walk = 0; n < 2 && cw_is_compare(lanes->fn->ins.at[k].op); n++)
            note_shares(lanes, cw_arg(lanes->fn, &lanes->fn->ins.at[k], n), &walk);
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++) {
        const struct cw_ins *i = &lanes->fn->ins.at[k];
        if (i->op == CW_OP_AND)
            note_mask(lanes, i);
        if (i->op == CW_OP_PTRADD)
            note_element(lanes, i);
        if (!cw_is_compare(i->op) && !is_smaller_of((enum cw_op)i->op))
            continue;
        bool is_end = !cw_is_compare(i->op);
        note_bound(lanes, cw_arg(lanes->fn, i, 0), cw_arg(lanes->fn, i, 1), is_end);
        note_bound(lanes, cw_arg(lanes->fn, i, 1), cw_arg(lanes->fn, i, 0), is_end);
        if (is_end)
            continue;
        bool is_equality = i->op == CW_OP_EQ || i->op == CW_OP_NE;
        for (uint32_t n = 0; n < 2; n++)
            (is_equality ? note_step : note_range)(lanes, cw_arg(lanes->fn, i, n), cw_arg(lanes->fn, i, 1 - n));
    }
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++)
        for (uint32_t n = 0; n < 2 && cw_is_compare(lanes->fn->ins.at[k].op); n++)
            note_single_bound(lanes, cw_arg(lanes->fn, &lanes->fn->ins.at[k], n),
                              cw_arg(lanes->fn, &lanes->fn->ins.at[k], 1 - n));
    for (uint32_t k = 0; k < lanes->fn->cfg->loops.n; k++)
        note_rounds(lanes, k);
    for (uint32_t k = 0; k < lanes->fn->ins.n; k++)
        if (is_division(lanes->fn->ins.at[k].op) || is_remainder(lanes->fn->ins.at[k].op)) {
            note_divisor(lanes, &lanes->fn->ins.at[k]);
            note_whole(lanes, &lanes->fn->ins.at[k]);
        }
}

int64_t cw_lanes_size_in_memory(struct cw_lanes *lanes, uint32_t load, uint32_t which) {
    cw_ref ref = cw_ref_ins(load);
    enum cw_type type = (enum cw_type)lanes->fn->ins.at[load].type;
    return cw_lanes_suitable(lanes, ref, cw_lanes_generic(lanes, type, which, cw_lanes_extent_of(lanes, ref)));
}

uint32_t cw_lanes_extent_of(struct cw_lanes *lanes, cw_ref ref) {
    uint64_t key, dim = 0;
    if (!lanes->memo.has_extents)
        find_extents(lanes);
    return extent_key(lanes, ref, &key) && cw_map_get(&lanes->memo.extents, key, &dim) ? (uint32_t)dim : 0;
}
