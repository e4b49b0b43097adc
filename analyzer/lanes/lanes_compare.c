/* Comparisons: decided by numbers, by equal tokens, by ranges; else a formula in a normal form, so that `i < n`, `n >
 * i` and `!(i >= n)` are one unknown. */
#include "lanes/lanes_internal.h"

#include <string.h>

enum {
    CASES_MAX = 4096,
    EXTENT_DEPTH = 6, /* operations between a size and what is compared */
    NAME_DEPTH = 5    /* and those that an unknown is named by */
};

static bool is_unsigned(enum cw_op op) {
    return op >= CW_OP_ULT;
}

/* ---- a token among numbers ---- */

/* One token's comparisons with numbers, `x < k`, in rising order of k. A new one lies between its neighbours: what is
 * less than the one below is less than k, what is less than k is less than the one above. So `v > 10` implies `v > 0`.
 * Nearly all tokens, one per thread, meet one number or two: most have a small table. Where all threads compare one
 * token with numbers of their own, `threadIdx.x < length`, the middle ones come first, so that a formula has no more
 * variables than a search by bisection has steps (mark_numbers). */
struct mark {
    int64_t number;
    uint32_t formula;
};

struct scale {
    uint32_t n, cap;
    struct mark *at, few[2];
};

/* NULL where it would be a new one, and no formula can be made that it could hold: of opaque tokens, one for each
 * thread and iteration, only the first few are compared. */
static struct scale *scale_of(struct cw_lanes *lanes, int64_t token, enum cw_state known) {
    uint64_t key = (uint64_t)token, found;
    if (cw_map_get(&lanes->memo.chains, key, &found))
        return (struct scale *)(uintptr_t)found;
    if (cw_bdd_is_full(&lanes->f, (uint8_t)known))
        return NULL;
    struct scale *scale = CW_NEW(lanes->a, struct scale);
    scale->at = scale->few;
    scale->cap = sizeof scale->few / sizeof scale->few[0];
    cw_map_put(&lanes->memo.chains, key, (uint64_t)(uintptr_t)scale);
    return scale;
}

/* The first mark that is not below the number. */
static uint32_t find_mark(const struct scale *scale, int64_t number) {
    uint32_t from = 0, to = scale->n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (scale->at[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Makes room for one more at k. */
static void insert_mark(struct scale *scale, uint32_t k, struct mark mark, struct cw_arena *a) {
    if (scale->n == scale->cap)
        scale->at = cw_vec_grow(a, scale->at, scale->n, &scale->cap, sizeof *scale->at);
    memmove(&scale->at[k + 1], &scale->at[k], (scale->n - k) * sizeof *scale->at);
    scale->at[k] = mark;
    scale->n++;
}

static uint32_t below_number(struct cw_lanes *lanes, int64_t token, int64_t number, enum cw_state known) {
    struct scale *scale = scale_of(lanes, token, known);
    if (!scale)
        return CW_BDD_POISON;
    uint32_t k = find_mark(scale, number);
    if (k < scale->n && scale->at[k].number == number)
        return scale->at[k].formula;
    if (scale->n == CASES_MAX)
        return CW_BDD_POISON;
    uint64_t name = cw_mix(cw_mix(CW_OP_SLT, (uint64_t)token), (uint64_t)number);
    uint32_t below = k > 0 ? scale->at[k - 1].formula : CW_BDD_FALSE,
             above = k < scale->n ? scale->at[k].formula : CW_BDD_TRUE;
    uint32_t f = cw_bdd_between(&lanes->f, name, (uint8_t)known, below, above);
    insert_mark(scale, k, (struct mark){number, f}, lanes->a);
    return f;
}

/* As unsigned numbers those with the highest bit, which are below 0 as signed ones, come after all others: one scale
 * knows of both orders. */
static uint32_t less_than_number(struct cw_lanes *lanes, int64_t token, int64_t number, bool is_unsigned,
                                 enum cw_state known) {
    if (!is_unsigned)
        return below_number(lanes, token, number, known);
    if (number == 0)
        return CW_BDD_FALSE;
    uint32_t from_zero = cw_bdd_not(below_number(lanes, token, 0, known)),
             below = below_number(lanes, token, number, known);
    return number > 0 ? cw_bdd_and(&lanes->f, from_zero, below) : cw_bdd_or(&lanes->f, from_zero, below);
}

/* `x == k` is `x < k + 1` and not `x < k`; there is nothing above the largest number. */
uint32_t cw_lanes_equals(struct cw_lanes *lanes, int64_t token, int64_t number, enum cw_state known) {
    uint32_t below = less_than_number(lanes, token, number, false, known), next = CW_BDD_TRUE;
    if (number != INT64_MAX)
        next = less_than_number(lanes, token, number + 1, false, known);
    return cw_bdd_and(&lanes->f, next, cw_bdd_not(below));
}

static uint8_t known_of(struct cw_cell cell, struct cw_cell other) {
    struct cw_cell both[2] = {cell, other};
    return cw_unknown_of(both, 2);
}

static uint32_t compare_equal(struct cw_lanes *lanes, enum cw_type type, struct cw_cell cell, struct cw_cell other) {
    uint32_t f;
    if (type == CW_I1)
        return cw_bdd_not(cw_bdd_xor(&lanes->f, cw_cell_formula(cell), cw_cell_formula(other)));
    if (cw_cell_numeric(cell)) {
        struct cw_cell swap = cell;
        cell = other;
        other = swap;
    }
    if (cw_cell_numeric(other)) {
        if (cw_cell_truth(lanes, cell, &f))
            return other.value == 1 ? f : other.value == 0 ? cw_bdd_not(f) : CW_BDD_FALSE;
        return cw_lanes_equals(lanes, cell.value, other.value, (enum cw_state)known_of(cell, other));
    }
    uint64_t x = cw_cell_hash(3, cell), y = cw_cell_hash(3, other);
    return cw_bdd_var(&lanes->f, cw_mix(cw_mix(CW_OP_EQ + 1000, x < y ? x : y), x < y ? y : x), known_of(cell, other));
}

/* ---- order ---- */

/* a < b for tokens and at most one number; `x <= k` is kept as `x < k + 1`. */
static uint32_t compare_less(struct cw_lanes *lanes, enum cw_op op, struct cw_cell cell, struct cw_cell other) {
    uint32_t negate = 0;
    int64_t top = op == CW_OP_SLT ? INT64_MAX : -1; /* unsigned: k + 1 would wrap at the largest */
    if (cw_cell_numeric(cell) && cell.value != top && cell.value != INT32_MAX) { /* k < x: not x < k + 1 */
        struct cw_cell next = {cell.known, cell.value + 1};
        cell = other;
        other = next;
        negate = 1;
    }
    uint32_t f =
        !cw_cell_numeric(cell) && cw_cell_numeric(other)
            ? less_than_number(lanes, cell.value, other.value, op == CW_OP_ULT, (enum cw_state)known_of(cell, other))
            : cw_bdd_var(&lanes->f, cw_cell_hash(cw_cell_hash((uint64_t)op, cell), other), known_of(cell, other));
    return negate ? cw_bdd_not(f) : f;
}

static uint32_t compare_order(struct cw_lanes *lanes, enum cw_op op, struct cw_cell cell, struct cw_cell other) {
    switch (op) {
    case CW_OP_SLT: return compare_less(lanes, CW_OP_SLT, cell, other);
    case CW_OP_SGT: return compare_less(lanes, CW_OP_SLT, other, cell);
    case CW_OP_SGE: return cw_bdd_not(compare_less(lanes, CW_OP_SLT, cell, other));
    case CW_OP_SLE: return cw_bdd_not(compare_less(lanes, CW_OP_SLT, other, cell));
    case CW_OP_ULT: return compare_less(lanes, CW_OP_ULT, cell, other);
    case CW_OP_UGT: return compare_less(lanes, CW_OP_ULT, other, cell);
    case CW_OP_UGE: return cw_bdd_not(compare_less(lanes, CW_OP_ULT, cell, other));
    case CW_OP_ULE: return cw_bdd_not(compare_less(lanes, CW_OP_ULT, other, cell));
    default: return CW_BDD_POISON;
    }
}

static bool holds_for_equals(enum cw_op op) {
    return op == CW_OP_EQ || op == CW_OP_SLE || op == CW_OP_SGE || op == CW_OP_ULE || op == CW_OP_UGE;
}

struct cw_cell cw_cell_compare(struct cw_lanes *lanes, enum cw_op op, enum cw_type type, struct cw_cell cell,
                               struct cw_cell other) {
    if (cw_cell_numeric(cell) && cw_cell_numeric(other)) {
        struct cw_cell args[2] = {cell, other};
        return cw_cell_op(lanes, op, type == CW_PTR ? CW_I64 : type, CW_I1, args, 2);
    }
    if (cw_cell_same(cell, other))
        return (struct cw_cell){CW_NUMBER, holds_for_equals(op)};
    if ((!cw_cell_numeric(cell) && cell.value == CW_NO_TOKEN) ||
        (!cw_cell_numeric(other) && other.value == CW_NO_TOKEN))
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    uint32_t f = op == CW_OP_EQ ? compare_equal(lanes, type, cell, other)
                 : op == CW_OP_NE ? cw_bdd_not(compare_equal(lanes, type, cell, other))
                                  : compare_order(lanes, op, cell, other);
    return cw_bdd_cell(lanes, f);
}

uint32_t cw_lane_cond_equals(struct cw_lanes *lanes, cw_ref value, const struct cw_context *context, uint32_t t,
                             int64_t number) {
    enum cw_type type = cw_ref_type(lanes->fn, value);
    struct cw_cell cell = cw_lane_value_cell(cw_lane_value_of(lanes, value, context), t);
    if (!cw_type_is_int(type) || type == CW_I1 || (!cw_cell_numeric(cell) && cell.value == CW_NO_TOKEN))
        return CW_BDD_TRUE;
    struct cw_cell is = cw_cell_compare(lanes, CW_OP_EQ, type, cell, (struct cw_cell){CW_NUMBER, number});
    return cw_cell_formula(is);
}

/* ---- ranges ---- */

static struct cw_range narrow_range(struct cw_range range, struct cw_cell cell) {
    return cw_cell_numeric(cell) ? (struct cw_range){cell.value, cell.value} : range;
}

/* 1 true, 0 false, -1 the ranges overlap. Unsigned order is that of signed numbers only where none is negative. */
static int by_range(enum cw_op op, struct cw_range range, struct cw_range other) {
    if (is_unsigned(op) && (range.lo < 0 || other.lo < 0))
        return -1;
    switch (op) {
    case CW_OP_EQ: return range.hi < other.lo || other.hi < range.lo ? 0 : -1;
    case CW_OP_NE: return range.hi < other.lo || other.hi < range.lo ? 1 : -1;
    case CW_OP_SLT:
    case CW_OP_ULT: return range.hi < other.lo ? 1 : range.lo >= other.hi ? 0 : -1;
    case CW_OP_SGT:
    case CW_OP_UGT: return range.lo > other.hi ? 1 : range.hi <= other.lo ? 0 : -1;
    case CW_OP_SLE:
    case CW_OP_ULE: return range.hi <= other.lo ? 1 : range.lo > other.hi ? 0 : -1;
    case CW_OP_SGE:
    case CW_OP_UGE: return range.lo >= other.hi ? 1 : range.hi < other.lo ? 0 : -1;
    default: return -1;
    }
}

/* ---- comparisons a sample should not decide ---- */

/* `mode == 2` for a parameter: a generic value never equals anything, yet both sides of the branch are real. Such a
 * comparison is left open, one unknown for the whole block, and so is `mode > 2` where the same value is compared like
 * that: the two exclude each other. Those that end loops are decided, or loops would not end. */
bool cw_lanes_is_open(const struct cw_lane_value *value, const struct cw_lane_value *other) {
    return !value->mask && !other->mask && value->worst <= CW_SAMPLE && other->worst <= CW_SAMPLE &&
           (value->worst == CW_SAMPLE || other->worst == CW_SAMPLE);
}

/* Does the size that bounds an index go into the value? `i < n` takes it for its number, so `n % 256 == 0` must do so
 * too: else the witness would have an n for which the two do not hold together. */
static bool rests_on_extent(struct cw_lanes *lanes, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || i->op == CW_OP_LOAD)
        return cw_lanes_extent_of(lanes, ref) != 0;
    for (uint32_t k = 0; depth > 0 && k < i->narg && i->op != CW_OP_PHI && cw_op_flags(i->op) & CW_OP_P; k++)
        if (rests_on_extent(lanes, cw_arg(lanes->fn, i, k), depth - 1))
            return true;
    return false;
}

static void mark_deciders(struct cw_lanes *lanes, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || depth == 0 || cw_bitset_has(&lanes->memo.decides, ref.index))
        return;
    cw_bitset_add(&lanes->memo.decides, ref.index);
    if (i->type == CW_I1 && !cw_is_compare(i->op))
        for (uint32_t k = 0; k < i->narg; k++)
            mark_deciders(lanes, cw_arg(lanes->fn, i, k), depth - 1);
}

/* From here on, does nothing happen but that a value is computed before the ways meet? The block where they meet, or
 * CW_NO_BLOCK. */
static uint32_t end_of_arm(const struct cw_fn *fn, uint32_t arm) {
    const struct cw_block *b = &fn->blocks.at[arm];
    for (uint32_t k = 0; k < b->ins.n; k++)
        if (fn->ins.at[b->ins.at[k]].op == CW_OP_PHI || !(cw_op_flags(fn->ins.at[b->ins.at[k]].op) & CW_OP_P))
            return CW_NO_BLOCK;
    return b->jump.kind == CW_JUMP_GOTO ? b->jump.succ[0] : CW_NO_BLOCK;
}

/* Does the branch only choose a number, as `mode == 2 ? 16 : n` does? */
static bool is_choice(const struct cw_fn *fn, const struct cw_jump *jump) {
    if (jump->kind != CW_JUMP_BRANCH)
        return false;
    uint32_t one = jump->succ[0], other = jump->succ[1], end = end_of_arm(fn, one), other_end = end_of_arm(fn, other);
    uint32_t join = end == CW_NO_BLOCK ? one : end;
    bool meets = join == (end == CW_NO_BLOCK ? other_end : other) || (end != CW_NO_BLOCK && join == other_end);
    const struct cw_block *b = &fn->blocks.at[join];
    for (uint32_t k = 0; meets && k < b->ins.n && fn->ins.at[b->ins.at[k]].op == CW_OP_PHI; k++)
        meets = cw_type_is_int((enum cw_type)fn->ins.at[b->ins.at[k]].type) &&
                fn->ins.at[b->ins.at[k]].type != CW_I1;
    return meets && b->ins.n > 0 && fn->ins.at[b->ins.at[0]].op == CW_OP_PHI;
}

/* `row == column`, but not `mode == 2`: of a number that the code names both answers are to be expected. */
static bool compares_unknowns(const struct cw_fn *fn, const struct cw_ins *ins) {
    return cw_is_compare(ins->op) && !cw_ref_const(fn, cw_arg(fn, ins, 0), NULL) &&
           !cw_ref_const(fn, cw_arg(fn, ins, 1), NULL);
}

/* Comparisons that are used only to choose between numbers: left open, all that is computed of these would be unknown,
 * and no code goes unseen when they are decided. */
static void find_choices(struct cw_lanes *lanes) {
    const struct cw_fn *fn = lanes->fn;
    struct cw_bitset chooses = cw_bitset_new(lanes->a, fn->ins.n), other_use = cw_bitset_new(lanes->a, fn->ins.n);
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const struct cw_jump *jump = &fn->blocks.at[b].jump;
        if (jump->value.tag == CW_REF_INS)
            cw_bitset_add(is_choice(fn, jump) ? &chooses : &other_use, jump->value.index);
    }
    for (uint32_t i = 0; i < fn->ins.n; i++)
        for (uint32_t k = 0; fn->ins.at[i].op != CW_OP_HOLE && k < fn->ins.at[i].narg; k++) {
            cw_ref arg = cw_arg(fn, &fn->ins.at[i], k);
            bool selects = fn->ins.at[i].op == CW_OP_SELECT && k == 0 && fn->ins.at[i].type != CW_I1;
            if (arg.tag == CW_REF_INS)
                cw_bitset_add(selects ? &chooses : &other_use, arg.index);
        }
    for (uint32_t i = 0; i < fn->ins.n; i++)
        if (cw_bitset_has(&chooses, i) && !cw_bitset_has(&other_use, i) && compares_unknowns(fn, &fn->ins.at[i]))
            cw_bitset_add(&lanes->memo.decides, i);
}

static void find_deciders(struct cw_lanes *lanes) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    lanes->memo.decides = cw_bitset_new(lanes->a, lanes->fn->ins.n);
    find_choices(lanes);
    for (uint32_t k = 0; k < cfg->loops.n; k++)
        for (uint32_t x = 0; x < cfg->loops.at[k].exits.n; x++)
            mark_deciders(lanes, lanes->fn->blocks.at[cfg->loops.at[k].exits.at[x].block].jump.value, 12);
}

static bool is_equality(enum cw_op op) {
    return op == CW_OP_EQ || op == CW_OP_NE;
}

/* Two reads of `p.mode` are one unknown: what is sampled was read from a fixed place that nobody writes. So are two
 * computations of `flags & 4`. */
static uint64_t name_of_unknown(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context, uint32_t depth) {
    ref = cw_lanes_first_argument(lanes, ref);
    const struct cw_ins *def = cw_ins_of(lanes->fn, ref);
    uint64_t place;
    if (def && def->op == CW_OP_LOAD && cw_lanes_fixed_place(lanes, cw_arg(lanes->fn, def, 0), &place))
        return cw_mix(cw_mix(CW_OP_LOAD, def->type), place);
    if (def && depth > 0 && def->op != CW_OP_PHI && def->narg > 0 && cw_op_flags((enum cw_op)def->op) & CW_OP_P) {
        uint64_t name = cw_mix(cw_mix(def->op, def->type), def->aux);
        for (uint32_t k = 0; k < def->narg; k++)
            name = cw_mix(name, name_of_unknown(lanes, cw_arg(lanes->fn, def, k), context, depth - 1));
        return name;
    }
    return cw_lanes_name(ref, def ? cw_context_at(lanes, context, def->block) : NULL);
}

/* How an unknown is compared with numbers: for equality, or where it decides when a loop ends. */
enum { EQUATED = 1, DECIDING = 2 };

static void find_equated(struct cw_lanes *lanes) {
    const struct cw_fn *fn = lanes->fn;
    cw_map_init(&lanes->memo.equated, lanes->a);
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        bool decides = cw_bitset_has(&lanes->memo.decides, k);
        if (i->op == CW_OP_HOLE || !cw_is_compare(i->op) || (!decides && !is_equality((enum cw_op)i->op)))
            continue;
        bool is_right = cw_ref_const(fn, cw_arg(fn, i, 1), NULL);
        if (!is_right && !cw_ref_const(fn, cw_arg(fn, i, 0), NULL))
            continue;
        uint64_t name = name_of_unknown(lanes, cw_arg(fn, i, !is_right), NULL, NAME_DEPTH), how = 0;
        cw_map_get(&lanes->memo.equated, name, &how);
        cw_map_put(&lanes->memo.equated, name, how | (decides ? DECIDING : EQUATED));
    }
}

/* May the comparison with a number be left open? One for equality, and `x > 2` where x is also asked whether it is 2;
 * not where another comparison of x is decided. */
static bool may_stay_open(struct cw_lanes *lanes, const struct cw_ins *ins, const struct cw_lane_value *const *args) {
    bool first = args[0]->worst == CW_SAMPLE;
    uint64_t how = 0;
    cw_map_get(&lanes->memo.equated, name_of_unknown(lanes, cw_arg(lanes->fn, ins, first ? 0 : 1), NULL, NAME_DEPTH),
               &how);
    if (args[first]->worst != CW_NUMBER)
        return is_equality((enum cw_op)ins->op);
    return !(how & DECIDING) && (is_equality((enum cw_op)ins->op) || how & EQUATED);
}

static const struct cw_lane_value *open_comparison(struct cw_lanes *lanes, const struct cw_ins *ins,
                                                   const struct cw_context *context,
                                                   const struct cw_lane_value *const *args) {
    bool first = args[0]->worst == CW_SAMPLE;
    cw_ref unknown = cw_arg(lanes->fn, ins, first ? 0 : 1), other = cw_arg(lanes->fn, ins, first ? 1 : 0);
    const struct cw_lane_value *ov = args[first ? 1 : 0];
    uint64_t name = name_of_unknown(lanes, unknown, context, NAME_DEPTH);
    if (ov->worst == CW_SAMPLE && name_of_unknown(lanes, other, context, NAME_DEPTH) == name)
        return NULL; /* one number, compared with itself */
    uint32_t f;
    if (!is_equality((enum cw_op)ins->op)) {
        struct cw_cell cell = {CW_FREE, cw_token(name)}, number = cw_lane_value_cell(ov, 0);
        f = cw_cell_formula(cw_cell_compare(lanes, (enum cw_op)ins->op, cw_ref_type(lanes->fn, unknown),
                                            first ? cell : number, first ? number : cell));
    } else if (ov->worst == CW_NUMBER)
        f = cw_lanes_equals(lanes, cw_token(name), ov->value[0], CW_FREE);
    else
        f = cw_bdd_var(&lanes->f, cw_mix(name, cw_lanes_name(other, context)), CW_FREE);
    return f == CW_BDD_POISON ? NULL
                              : cw_lane_value_one(lanes, cw_bdd_cell(lanes, ins->op == CW_OP_NE ? cw_bdd_not(f) : f));
}

/* ---- pointers ---- */

static bool is_absolute(struct cw_lane_base base) {
    return base.root.tag == CW_REF_CONST;
}

/* Objects have addresses; whether a parameter is null is one question however far it was advanced. */
static struct cw_cell compare_bases(struct cw_lanes *lanes, enum cw_op op, struct cw_lane_base base,
                                    struct cw_lane_base other) {
    if (base.token == CW_NO_TOKEN || other.token == CW_NO_TOKEN || (op != CW_OP_EQ && op != CW_OP_NE))
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    bool objects = (base.root.tag == CW_REF_OBJECT || is_absolute(base)) &&
                   (other.root.tag == CW_REF_OBJECT || is_absolute(other));
    if (objects)
        return (struct cw_cell){CW_NUMBER, op == CW_OP_NE};
    uint64_t x = (uint64_t)base.token, y = (uint64_t)other.token;
    bool input =
        (base.root.tag == CW_REF_PARAM || is_absolute(base)) && (other.root.tag == CW_REF_PARAM || is_absolute(other));
    uint32_t f = cw_bdd_var(&lanes->f, cw_mix(cw_mix(CW_OP_EQ + 2000, x < y ? x : y), x < y ? y : x),
                                input ? CW_FREE : CW_OPAQUE);
    return cw_bdd_cell(lanes, op == CW_OP_NE ? cw_bdd_not(f) : f);
}

/* Places in one range: addresses are numbers without a sign, distances from its beginning are not. */
static enum cw_op signed_order(enum cw_op op) {
    switch (op) {
    case CW_OP_ULT: return CW_OP_SLT;
    case CW_OP_ULE: return CW_OP_SLE;
    case CW_OP_UGT: return CW_OP_SGT;
    case CW_OP_UGE: return CW_OP_SGE;
    default: return op;
    }
}

static struct cw_cell behind(struct cw_cell cell, int64_t bytes) {
    return (struct cw_cell){cw_worse(cell.known, CW_SAMPLE), cell.value + bytes};
}

static struct cw_cell compare_pointers(struct cw_lanes *lanes, enum cw_op op, const struct cw_lane_value *value,
                                       const struct cw_lane_value *other, uint32_t t) {
    struct cw_lane_base a = cw_lane_value_base(value, t), b = cw_lane_value_base(other, t);
    struct cw_cell x = cw_lane_value_cell(value, t), y = cw_lane_value_cell(other, t);
    int64_t bytes;
    if (a.token == b.token && a.token != CW_NO_TOKEN)
        return cw_cell_compare(lanes, op, CW_I64, x, y);
    if (a.token == CW_NO_TOKEN || b.token == CW_NO_TOKEN)
        return compare_bases(lanes, op, a, b);
    if (cw_cell_numeric(y) && cw_lanes_span(lanes, a.root, b.root, &bytes))
        return cw_cell_compare(lanes, signed_order(op), CW_I64, x, behind(y, bytes));
    if (cw_cell_numeric(x) && cw_lanes_span(lanes, b.root, a.root, &bytes))
        return cw_cell_compare(lanes, signed_order(op), CW_I64, behind(x, bytes), y);
    return compare_bases(lanes, op, a, b);
}

/* ---- one token among numbers of all threads ---- */

struct marking {
    struct cw_cell token;
    const struct cw_lane_value *numbers;
    int64_t step; /* `x <= k` is kept as `x < k + 1` */
    bool is_unsigned;
};

static void mark_between(struct cw_lanes *lanes, const struct marking *marking, uint32_t from, uint32_t to) {
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        struct cw_cell number = cw_lane_value_cell(marking->numbers, middle);
        if (number.value != INT64_MAX)
            less_than_number(lanes, marking->token.value, number.value + marking->step, marking->is_unsigned,
                             (enum cw_state)known_of(marking->token, number));
        mark_between(lanes, marking, from, middle);
        from = middle + 1;
    }
}

/* All threads compare one token with numbers of their own, which as a rule rise from thread to thread: the middle ones
 * are marked first. In rising order each formula would name all numbers below its own. */
static void mark_numbers(struct cw_lanes *lanes, enum cw_op op, const struct cw_lane_value *left,
                         const struct cw_lane_value *right) {
    bool is_left = left->mask == 0, adds_one = op == CW_OP_SLE || op == CW_OP_ULE || op == CW_OP_SGT || op == CW_OP_UGT;
    struct marking m = {.token = cw_lane_value_cell(is_left ? left : right, 0),
                        .numbers = is_left ? right : left,
                        .step = !is_equality(op) && is_left == adds_one,
                        .is_unsigned = is_unsigned(op)};
    uint32_t truth;
    if ((left->mask != 0) == (right->mask != 0) || left->base || right->base || m.numbers->worst > CW_SAMPLE ||
        cw_cell_numeric(m.token) || m.token.value == CW_NO_TOKEN ||
        (is_equality(op) && cw_cell_truth(lanes, m.token, &truth)))
        return;
    mark_between(lanes, &m, 0, lanes->threads);
}

/* ---- all threads ---- */

static struct cw_cell compare_one(struct cw_lanes *lanes, const struct cw_ins *ins, enum cw_type type,
                                  const struct cw_lane_value *const *args, const struct cw_range *range, uint32_t t) {
    if (args[0]->base && args[1]->base)
        return compare_pointers(lanes, ins->op, args[0], args[1], t);
    struct cw_cell a = cw_lane_value_cell(args[0], t), b = cw_lane_value_cell(args[1], t);
    if (!cw_cell_numeric(a) || !cw_cell_numeric(b)) {
        int r = by_range(ins->op, narrow_range(range[0], a), narrow_range(range[1], b));
        if (r >= 0)
            return (struct cw_cell){CW_NUMBER, r};
    }
    return cw_cell_compare(lanes, ins->op, type, a, b);
}

/* A block's index and the grid's extent in one dimension: unknown both, but never equal. */
static bool is_index_and_extent(cw_ref ref, cw_ref other) {
    return cw_is_block_index(ref) && other.tag == CW_REF_SREG &&
           other.index == ref.index - CW_CTAID_X + CW_NCTAID_X;
}

/* The two operands; of addresses as numbers, as the order of pointers is lowered, the pointers. */
static void find_operands(const struct cw_fn *fn, const struct cw_ins *ins, cw_ref operands[2]) {
    const struct cw_ins *def[2];
    for (uint32_t k = 0; k < 2; k++) {
        operands[k] = cw_arg(fn, ins, k);
        def[k] = cw_ins_of(fn, operands[k]);
    }
    bool are_addresses = def[0] && def[1] && def[0]->op == CW_OP_PTRTOINT && def[1]->op == CW_OP_PTRTOINT &&
                         def[0]->type == CW_I64 && def[1]->type == CW_I64;
    for (uint32_t k = 0; are_addresses && k < 2; k++)
        operands[k] = cw_arg(fn, def[k], 0);
}

const struct cw_lane_value *cw_lanes_compare(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    cw_ref operands[2];
    find_operands(lanes->fn, i, operands);
    cw_ref left = operands[0], right = operands[1];
    enum cw_type type = cw_ref_type(lanes->fn, left);
    const struct cw_lane_value *args[2] = {cw_lane_value_of(lanes, left, context),
                                           cw_lane_value_of(lanes, right, context)};
    if (!lanes->memo.decides.word) {
        find_deciders(lanes);
        find_equated(lanes);
    }
    bool may_open = type != CW_PTR && !cw_bitset_has(&lanes->memo.decides, ins);
    may_open &= !is_index_and_extent(left, right) && !is_index_and_extent(right, left);
    const struct cw_lane_value *open =
        may_open && cw_lanes_is_open(args[0], args[1]) && may_stay_open(lanes, i, args) &&
                !rests_on_extent(lanes, left, EXTENT_DEPTH) && !rests_on_extent(lanes, right, EXTENT_DEPTH)
            ? open_comparison(lanes, i, context, args)
            : NULL;
    if (open)
        return open;
    uint32_t threads = args[0]->mask || args[1]->mask ? lanes->threads : 1;
    bool numbers = !args[0]->base && !args[1]->base && args[0]->worst <= CW_SAMPLE && args[1]->worst <= CW_SAMPLE;
    if (numbers && cw_lanes_fold(lanes, i->op, type, CW_I1, args, 2, threads))
        return cw_lane_value_seal_folded(lanes, threads, false);
    struct cw_range range[2] = {cw_lanes_range(lanes, left), cw_lanes_range(lanes, right)};
    if (cw_type_is_int(type) && type != CW_I1)
        mark_numbers(lanes, i->op, args[0], args[1]);
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell r = compare_one(lanes, i, type, args, range, t);
        lanes->scratch.known[t] = r.known;
        lanes->scratch.value[t] = r.value;
    }
    return cw_lane_value_seal(lanes, threads, false);
}
