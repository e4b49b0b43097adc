/* Ordinary block shapes for a kernel that nobody in the unit launches with known dimensions.
 *
 * Shapes that the code itself suggests come first: the extents of shared arrays that it indexes by threadIdx, and the
 * bound of __launch_bounds__. A shape under which some thread surely leaves a shared array is dropped: arrays are
 * declared as large as the block that was meant. */
#include "launch/launch_internal.h"

#include "uniformity/alias.h"
#include "uniformity/polynomial.h"

enum {
    SHAPES_KEPT_MAX = 8,
    ROWS_MAX = 8,
    CONDITION_DEPTH = 8,
    WARP = 32
};

struct shapes {
    const struct cw_fn *kernel;
    uint32_t read;       /* of threadIdx: 1 x, 2 y, 4 z */
    uint32_t dimensions; /* up to the last one read */
    uint32_t at[CW_SHAPES_MAX][3];
    uint32_t n;
    struct { int64_t x, y; } row[ROWS_MAX]; /* bytes per step of threadIdx.x and .y in some array, both nonzero */
    uint32_t nrows;
};

static void add_shape(struct shapes *shapes, int64_t x, int64_t y, int64_t z) {
    uint64_t bound = shapes->kernel->bounds_max_threads ? shapes->kernel->bounds_max_threads : CW_THREADS_MAX;
    if (x < 1 || y < 1 || z < 1 || x > CW_THREADS_MAX || y > CW_THREADS_MAX || z > CW_THREADS_MAX ||
        (uint64_t)(x * y * z) > bound || shapes->n == CW_SHAPES_MAX)
        return;
    for (uint32_t k = 0; k < shapes->n; k++)
        if (shapes->at[k][0] == x && shapes->at[k][1] == y && shapes->at[k][2] == z)
            return;
    shapes->at[shapes->n][0] = (uint32_t)x;
    shapes->at[shapes->n][1] = (uint32_t)y;
    shapes->at[shapes->n++][2] = (uint32_t)z;
}

/* ---- what the kernel looks at ---- */

/* A kernel that only asks how long a dimension is, and never where a thread stands in it, is meant for blocks of one
 * thread there. */
static uint32_t index_bit(cw_ref ref) {
    if (ref.tag != CW_REF_SREG)
        return 0;
    return ref.index == CW_TID_Y                             ? 2
           : ref.index == CW_TID_Z                           ? 4
           : ref.index == CW_TID_X || ref.index >= CW_LANEID ? 1
                                                             : 0;
}

static uint32_t indices_read(const struct cw_fn *fn) {
    uint32_t read = 0;
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const struct cw_block *block = &fn->blocks.at[b];
        for (uint32_t p = 0; p < block->ins.n; p++) {
            const struct cw_ins *i = &fn->ins.at[block->ins.at[p]];
            for (uint32_t k = 0; k < i->narg; k++)
                read |= index_bit(cw_arg(fn, i, k));
        }
        read |= index_bit(block->jump.value);
    }
    return read;
}

uint32_t cw_launch_dimensions_read(const struct cw_fn *fn) {
    uint32_t read = indices_read(fn);
    return read & 4 ? 3 : read & 2 ? 2 : 1;
}

/* Does it leave something behind, but never ask which thread it is nor meet another? Then it is meant for one. */
static bool is_for_one_thread(const struct shapes *shapes) {
    const struct cw_fn *fn = shapes->kernel;
    bool stores = false;
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t p = 0; p < fn->blocks.at[b].ins.n; p++) {
            enum cw_op op = (enum cw_op)fn->ins.at[fn->blocks.at[b].ins.at[p]].op;
            stores |= op == CW_OP_STORE;
            if ((cw_op_flags(op) & (CW_OP_C | CW_OP_B)) || op == CW_OP_GROUPRANK || op == CW_OP_GROUPMETARANK ||
                op == CW_OP_CALL || op == CW_OP_ASM)
                return false;
        }
    return stores && shapes->read == 0 && !fn->bounds_max_threads;
}

/* ---- extents of shared arrays ---- */

static int64_t factor_of(const struct cw_polynomial *polynomial, enum cw_sreg sreg) {
    for (uint32_t k = 0; k < polynomial->n; k++)
        if (polynomial->at[k].n == 1 && polynomial->at[k].atom[0].tag == CW_REF_SREG &&
            polynomial->at[k].atom[0].index == sreg)
            return polynomial->at[k].factor;
    return 0;
}

/* `s[threadIdx.y][threadIdx.x]` of float s[16][16] suggests 16 x 16, of s[16][17], a padded row, the same. */
static void add_tile(struct shapes *shapes, int64_t x, int64_t y, int64_t size) {
    int64_t row = x < y ? y : x, step = x < y ? x : y, width = row / step, height = size / row;
    if (shapes->nrows < ROWS_MAX) {
        shapes->row[shapes->nrows].x = x;
        shapes->row[shapes->nrows++].y = y;
    }
    if (row % step)
        return;
    for (int64_t padding = width > 1 ? width % 2 : 0; padding >= 0; padding--)
        add_shape(shapes, x < y ? width - padding : height, x < y ? height : width - padding, 1);
}

/* Do the rows of threads stay apart, as in a tile they are meant to? */
static bool keeps_rows(const struct shapes *shapes, const uint32_t block[3]) {
    for (uint32_t k = 0; k < shapes->nrows; k++) {
        int64_t x = shapes->row[k].x, y = shapes->row[k].y;
        if (x < y ? x * block[0] > y : y * block[1] > x)
            return false;
    }
    return true;
}

/* A halo before the first thread's element, `s[threadIdx.x + 1]`, is no place of a thread. */
static int64_t constant_of(const struct cw_polynomial *polynomial) {
    for (uint32_t k = 0; k < polynomial->n; k++)
        if (polynomial->at[k].n == 0)
            return polynomial->at[k].factor;
    return 0;
}

/* The size of the row that the pointer's last index is one into, `s[k][threadIdx.x]`; 0 where it is in none. */
static int64_t row_of(const struct cw_fn *fn, cw_ref pointer) {
    const struct cw_ins *element = cw_ins_of(fn, pointer);
    const struct cw_ins *row =
        element && element->op == CW_OP_PTRADD ? cw_ins_of(fn, cw_arg(fn, element, 0)) : NULL;
    return row && row->op == CW_OP_PTRADD && row->aux ? (int64_t)element->aux : 0;
}

static void add_extents(struct shapes *shapes, cw_ref pointer, const struct cw_polynomial *offset, int64_t size) {
    int64_t x = factor_of(offset, CW_TID_X), y = factor_of(offset, CW_TID_Y), halo = constant_of(offset);
    if (x <= 0 || y < 0 || factor_of(offset, CW_TID_Z))
        return;
    if (shapes->dimensions == 1) {
        int64_t row = row_of(shapes->kernel, pointer);
        if (row > x && row % x == 0)
            add_shape(shapes, row / x, 1, 1);
        if (size % x == 0)
            add_shape(shapes, size / x, 1, 1);
        if (halo > 0)
            add_shape(shapes, (size - halo) / x, 1, 1);
        return;
    }
    if (shapes->dimensions == 2 && y > 0)
        add_tile(shapes, x, y, size);
}

/* `s[threadIdx.z]` of float s[8] suggests eight planes; of a bounded block, as near to squares as it gets. */
static void add_planes(struct shapes *shapes, const struct cw_polynomial *offset, int64_t size) {
    int64_t z = factor_of(offset, CW_TID_Z), bound = shapes->kernel->bounds_max_threads;
    if (shapes->dimensions < 3 || z <= 0 || size % z || size / z < 2 || !bound || bound % (size / z))
        return;
    int64_t planes = size / z, rest = bound / planes, x = 1;
    while (rest % (2 * x) == 0 && 4 * x * x <= 2 * rest)
        x *= 2;
    add_shape(shapes, x, rest / x, planes);
    add_shape(shapes, rest, 1, planes);
}

/* Is the value computed from thread indices, or from what is not followed? */
static bool is_of_thread(const struct cw_fn *fn, cw_ref ref, int depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i)
        return index_bit(ref) != 0;
    bool is_followed = cw_op_flags((enum cw_op)i->op) & CW_OP_P && i->op != CW_OP_PHI && i->op != CW_OP_GROUPRANK &&
                       i->op != CW_OP_GROUPMETARANK;
    bool is_it = depth == 0 || !(is_followed || i->op == CW_OP_LOAD);
    for (uint32_t k = 0; k < i->narg && !is_it; k++)
        is_it = is_of_thread(fn, cw_arg(fn, i, k), depth - 1);
    return is_it;
}

bool cw_launch_rests_on_thread(const struct cw_fn *fn, cw_ref value) {
    return is_of_thread(fn, value, CONDITION_DEPTH);
}

struct decided {
    const struct cw_fn *fn;
    bool by_all;
};

static bool see_condition(void *ctx, struct cw_edge edge) {
    struct decided *decided = ctx;
    decided->by_all = !cw_launch_rests_on_thread(decided->fn, decided->fn->blocks.at[edge.block].jump.value);
    return decided->by_all;
}

/* Do all threads of a block get there, or none? Traps aside. */
static bool is_for_all(const struct cw_fn *fn, uint32_t block) {
    struct decided decided = {fn, true};
    cw_cfg_controls(fn, cw_cfg_survivor_equivalent(fn, block), see_condition, &decided);
    return decided.by_all;
}

static void add_suggested(struct shapes *shapes) {
    const struct cw_fn *fn = shapes->kernel;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        uint32_t b = fn->cfg->rpo[k];
        bool counts = fn->blocks.at[b].ins.n && is_for_all(fn, b);
        for (uint32_t p = 0; counts && p < fn->blocks.at[b].ins.n; p++) {
            struct cw_access acc[2];
            struct cw_polynomial offset;
            uint32_t object, n = cw_memory_accesses(fn, &fn->ins.at[fn->blocks.at[b].ins.at[p]], acc);
            while (n-- > 0)
                if (cw_polynomial_of_shared(fn, acc[n].pointer, &object, &offset)) {
                    add_extents(shapes, acc[n].pointer, &offset, (int64_t)fn->objects.at[object].size);
                    add_planes(shapes, &offset, (int64_t)fn->objects.at[object].size);
                }
        }
    }
}

/* A bound is most often the block itself; of two dimensions, with a warp in each row. */
static bool has_bound_of_rows(const struct shapes *shapes) {
    uint32_t bound = shapes->kernel->bounds_max_threads;
    return shapes->dimensions == 2 && bound > WARP && bound % WARP == 0 && (shapes->read & 1);
}

static void add_ordinary(struct shapes *shapes) {
    static const uint16_t ordinary[3][6][3] = {
        {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}, {512, 1, 1}, {1024, 1, 1}},
        {{16, 16, 1}, {32, 8, 1}, {32, 32, 1}, {8, 8, 1}, {64, 4, 1}, {32, 4, 1}},
        {{8, 8, 8}, {4, 4, 4}, {32, 4, 2}, {16, 8, 2}, {8, 8, 4}, {32, 2, 2}}};
    for (uint32_t k = 0; k < 6; k++) {
        const uint16_t *shape = ordinary[shapes->dimensions - 1][k];
        add_shape(shapes, shapes->dimensions == 1 || (shapes->read & 1) ? shape[0] : 1,
                  shapes->dimensions < 3 || (shapes->read & 2) ? shape[1] : 1, shape[2]);
    }
}

/* Rows of several warps: for a kernel that checks its warps in a row (`assert(blockDim.x / 32 >= 4)`). */
static void add_wide(struct shapes *shapes) {
    static const uint16_t wide[][2] = {{128, 2}, {256, 2}, {512, 2}, {256, 1}};
    for (size_t k = 0; k < sizeof wide / sizeof wide[0]; k++)
        add_shape(shapes, wide[k][0], wide[k][1], 1);
}

/* Shapes of all dimensions, whatever the kernel reads: of one warp, of several, with warps that span rows. All of them
 * must show what is wrong in any block, so that large ones would add nothing but work. */
static void add_any(struct shapes *shapes) {
    static const uint16_t any[][3] = {{32, 1, 1}, {64, 1, 1}, {256, 1, 1}, {16, 16, 1}, {32, 8, 1}, {8, 8, 4}};
    for (size_t k = 0; k < sizeof any / sizeof any[0]; k++)
        add_shape(shapes, any[k][0], any[k][1], any[k][2]);
}

static bool has_shared(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->objects.n; k++)
        if (fn->objects.at[k].space == CW_SPACE_SHARED && fn->objects.at[k].size)
            return true;
    return false;
}

static bool has_trap(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++)
        if (fn->blocks.at[fn->cfg->rpo[k]].jump.kind == CW_JUMP_TRAP)
            return true;
    return false;
}

/* Does it compare blockDim.y or blockDim.z with 1? It looks at a dimension that its blocks may not have, then. */
static bool asks_for_one_row(const struct cw_fn *fn) {
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t p = 0; p < fn->blocks.at[b].ins.n; p++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[p]];
            int64_t value;
            bool is_test = i->op == CW_OP_EQ || i->op == CW_OP_NE;
            for (uint32_t k = 0; is_test && k < 2; k++) {
                cw_ref size = cw_arg(fn, i, k);
                if (size.tag == CW_REF_SREG && (size.index == CW_NTID_Y || size.index == CW_NTID_Z) &&
                    cw_ref_const(fn, cw_arg(fn, i, 1 - k), &value) && value == 1)
                    return true;
            }
        }
    return false;
}

/* Those from the k-th on under which the kernel stays in its arrays and passes its own checks; all where `trials` is
 * NULL. */
static void add_fitting(struct cw_launch_list *list, const struct shapes *shapes, uint32_t k,
                        struct cw_launch_trials *trials) {
    for (; k < shapes->n && list->at.n < (list->any_block ? CW_LAUNCHES_MAX : SHAPES_KEPT_MAX); k++) {
        struct cw_launch l = {.block = {shapes->at[k][0], shapes->at[k][1], shapes->at[k][2]}, .grid = {8, 1, 1},
                              .source = CW_LAUNCH_HYPOTHESIS};
        if (!trials || (keeps_rows(shapes, l.block) && list->fits(shapes->kernel, &l, trials)))
            cw_launch_add(list, &l);
    }
}

/* Where the likeliest block fits, blocks that break its rows of a warp each say nothing of the kernel; where it does
 * not, others show little: false. */
static bool keep_rows_of_warps(struct cw_launch_list *list, uint32_t rows) {
    bool fits = false;
    uint32_t kept = 0;
    for (uint32_t n = 0; n < list->at.n; n++)
        fits |= list->at.at[n].block[0] == WARP && list->at.at[n].block[1] == rows;
    for (uint32_t n = 0; fits && n < list->at.n; n++)
        if (list->at.at[n].block[0] % WARP == 0)
            list->at.at[kept++] = list->at.at[n];
    list->at.n = fits ? kept : list->at.n;
    return fits;
}

/* Blocks that the kernel's arrays are too small for, unless all of the block leaves first, are no likely ones where
 * others fit. */
static void prefer_fitting_past_exits(struct cw_launch_list *list, const struct cw_fn *kernel,
                                      struct cw_launch_trials *trials) {
    bool fits[CW_LAUNCHES_MAX], any = false;
    uint32_t kept = 0;
    trials->past_exits = true;
    for (uint32_t n = 0; n < list->at.n; n++) {
        fits[n] = list->fits(kernel, &list->at.at[n], trials);
        any |= fits[n];
    }
    for (uint32_t n = 0; any && n < list->at.n; n++)
        if (fits[n])
            list->at.at[kept++] = list->at.at[n];
    list->at.n = any ? kept : list->at.n;
}

static void add_likely(struct shapes *shapes, bool is_shared, bool any_block) {
    uint32_t bound = shapes->kernel->bounds_max_threads;
    if (is_shared)
        add_suggested(shapes);
    if (shapes->dimensions == 1 || (bound > 1 && bound <= WARP))
        add_shape(shapes, bound, 1, 1);
    if (has_bound_of_rows(shapes))
        add_shape(shapes, WARP, bound / WARP, 1);
    if (is_for_one_thread(shapes))
        add_shape(shapes, 1, 1, 1);
    else
        (any_block ? add_any : add_ordinary)(shapes);
}

/* Where nothing likely fits: fewer dimensions, or longer rows. */
static void add_unlikely(struct cw_launch_list *list, struct shapes *shapes, struct cw_launch_trials *trials) {
    uint32_t tried = shapes->n;
    for (; !list->at.n && shapes->dimensions > 1 && asks_for_one_row(shapes->kernel); tried = shapes->n) {
        shapes->dimensions--;
        add_ordinary(shapes);
        add_fitting(list, shapes, tried, trials);
    }
    if (list->at.n || shapes->dimensions != 2 || !(shapes->read & 1))
        return;
    add_wide(shapes);
    add_fitting(list, shapes, tried, trials);
}

void cw_launch_add_shapes(struct cw_launch_list *list, const struct cw_fn *kernel, uint32_t dimensions) {
    struct shapes s = {.kernel = kernel, .read = indices_read(kernel)};
    s.dimensions = cw_launch_dimensions_read(kernel);
    if (s.dimensions > dimensions)
        s.dimensions = dimensions;
    bool is_shared = kernel->cfg && has_shared(kernel), can_try = is_shared || (kernel->cfg && has_trap(kernel));
    bool is_warp = kernel->bounds_max_threads > 1 && kernel->bounds_max_threads <= WARP;
    list->any_block |= is_warp && !kernel->has_unread_bounds; /* what one warp shows is all there is to show */
    add_likely(&s, is_shared, list->any_block);
    list->any_block &= !is_for_one_thread(&s);
    struct cw_launch_trials trials = {.arena = list->arena};
    add_fitting(list, &s, 0, can_try ? &trials : NULL);
    add_unlikely(list, &s, can_try ? &trials : NULL);
    if (can_try && list->at.n > 1 && !list->any_block)
        prefer_fitting_past_exits(list, kernel, &trials);
    bool is_empty = !list->at.n && s.n;
    bool lacks_rows = has_bound_of_rows(&s) && !keep_rows_of_warps(list, kernel->bounds_max_threads / WARP);
    list->fits_none = is_empty || lacks_rows || kernel->has_unread_bounds;
    list->any_block &= !is_empty;
    if (is_empty) /* something has to stand for the block all the same */
        cw_launch_add(list, &(struct cw_launch){.block = {s.at[0][0], s.at[0][1], s.at[0][2]},
                                                .source = CW_LAUNCH_HYPOTHESIS});
}
