/* Integer operations on cells: numbers through cw_fold, unknowns as tokens, i1 unknowns as formulas.
 *
 * A token is a hash of the operation and its operands, so equal computations on equal unknowns stay recognisably equal.
 * Input data decides a value freely only if it comes from memory the kernel did not produce or from a parameter:
 * `sinf(threadIdx.x) > 0` is decided by the code, though not computed here: FIXED, not FREE. */
#include "lanes/lanes_internal.h"
#include "uniformity/warp_forms.h"

#include "ir/algebra.h"

#include <string.h>

enum { OPERANDS_MAX = 3 };

uint32_t cw_cell_formula(struct cw_cell cell) {
    if (cw_cell_numeric(cell))
        return cell.value ? CW_BDD_TRUE : CW_BDD_FALSE;
    return cell.value == CW_NO_TOKEN ? CW_BDD_POISON : (uint32_t)cell.value;
}

struct cw_cell cw_bdd_cell(const struct cw_lanes *lanes, uint32_t f) {
    if (cw_bdd_terminal(f))
        return (struct cw_cell){CW_NUMBER, f == CW_BDD_TRUE};
    if (f == CW_BDD_POISON)
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    return (struct cw_cell){cw_bdd_known(&lanes->f, f), (int64_t)f};
}

/* ---- unknown results ---- */

uint8_t cw_unknown_of(const struct cw_cell *args, uint32_t n) {
    uint8_t known = CW_NUMBER;
    bool sampled = false;
    for (uint32_t k = 0; k < n; k++) {
        known = cw_worse(known, args[k].known);
        sampled |= args[k].known == CW_SAMPLE;
    }
    if (known <= CW_SAMPLE)
        return CW_OPAQUE;
    return known == CW_FIXED && sampled ? CW_FREE : known;
}

static struct cw_cell token_cell(struct cw_lanes *lanes, uint64_t name, enum cw_type result, uint8_t known) {
    if (result == CW_I1)
        return cw_bdd_cell(lanes, cw_bdd_var(&lanes->f, name, known));
    return (struct cw_cell){known, cw_token(name)};
}

static void sort_two(uint64_t hashes[2]) {
    uint64_t least = hashes[0] < hashes[1] ? hashes[0] : hashes[1];
    hashes[1] = hashes[0] < hashes[1] ? hashes[1] : hashes[0];
    hashes[0] = least;
}

static struct cw_cell unknown_op(struct cw_lanes *lanes, enum cw_op op, enum cw_type type, enum cw_type result,
                                 const struct cw_cell *args, uint32_t n) {
    uint64_t name = cw_mix(cw_mix((uint64_t)op, type), result), h[OPERANDS_MAX];
    for (uint32_t k = 0; k < n; k++) {
        if (!cw_cell_numeric(args[k]) && args[k].value == CW_NO_TOKEN)
            return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
        h[k] = cw_cell_hash(17, args[k]);
    }
    if (n == 2 && cw_algebra_commutes(op))
        sort_two(h);
    for (uint32_t k = 0; k < n; k++)
        name = cw_mix(name, h[k]);
    return token_cell(lanes, name, result, cw_unknown_of(args, n));
}

/* ---- results that unknown operands do not reach ---- */

static bool is_number(struct cw_cell cell, int64_t value) {
    return cw_cell_numeric(cell) && cell.value == value;
}

static bool one_sided(enum cw_op op, struct cw_cell cell, struct cw_cell number, struct cw_cell *out) {
    struct cw_cell zero = {number.known, 0};
    switch (op) {
    case CW_OP_MUL:
    case CW_OP_AND:
        *out = is_number(number, 0) ? zero : cell;
        return number.value == 0 || number.value == (op == CW_OP_MUL ? 1 : -1);
    case CW_OP_OR:
        *out = is_number(number, 0) ? cell : number;
        return number.value == 0 || number.value == -1;
    case CW_OP_ADD:
    case CW_OP_XOR:
        *out = cell;
        return number.value == 0;
    default:
        return false;
    }
}

static bool right_number(enum cw_op op, struct cw_cell cell, struct cw_cell number, struct cw_cell *out) {
    switch (op) {
    case CW_OP_SUB:
    case CW_OP_SHL:
    case CW_OP_LSHR:
    case CW_OP_ASHR:
        *out = cell;
        return number.value == 0;
    case CW_OP_UREM:
    case CW_OP_SREM:
        *out = (struct cw_cell){number.known, 0};
        return number.value == 1;
    case CW_OP_UDIV:
    case CW_OP_SDIV:
        *out = cell;
        return number.value == 1;
    default:
        return false;
    }
}

static bool equal_operands(enum cw_op op, struct cw_cell cell, struct cw_cell *out) {
    switch (op) {
    case CW_OP_SUB:
    case CW_OP_XOR:
        *out = (struct cw_cell){CW_NUMBER, 0};
        return true;
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_SMIN:
    case CW_OP_SMAX:
    case CW_OP_UMIN:
    case CW_OP_UMAX:
        *out = cell;
        return true;
    default:
        return false;
    }
}

static bool apply_identity(enum cw_op op, const struct cw_cell *args, struct cw_cell *out) {
    if (cw_cell_same(args[0], args[1]) && equal_operands(op, args[0], out))
        return true;
    if (cw_cell_numeric(args[1]) && (one_sided(op, args[0], args[1], out) || right_number(op, args[0], args[1], out)))
        return true;
    return cw_cell_numeric(args[0]) && one_sided(op, args[1], args[0], out);
}

/* ---- truth values ---- */

/* The formula of a value that is 0 or 1. */
static bool truth_of(const struct cw_lanes *lanes, struct cw_cell cell, uint32_t *f) {
    uint64_t found;
    if (cw_cell_numeric(cell)) {
        *f = cell.value ? CW_BDD_TRUE : CW_BDD_FALSE;
        return cell.value == 0 || cell.value == 1;
    }
    if (cell.value == CW_NO_TOKEN || !cw_map_get(&lanes->memo.bools, (uint64_t)cell.value, &found))
        return false;
    *f = (uint32_t)found;
    return true;
}

bool cw_cell_truth(const struct cw_lanes *lanes, struct cw_cell cell, uint32_t *f) {
    return truth_of(lanes, cell, f);
}

/* 0 or 1 as an integer wider than i1. */
struct cw_cell cw_truth_cell(struct cw_lanes *lanes, uint32_t f) {
    struct cw_cell c = cw_bdd_cell(lanes, f);
    if (cw_cell_numeric(c) || c.value == CW_NO_TOKEN)
        return c;
    c.value = cw_token(cw_mix(CW_OP_ZEXT, (uint64_t)f << 1 | 1));
    cw_map_put(&lanes->memo.bools, (uint64_t)c.value, f);
    return c;
}

static uint8_t sampled_at_least(const struct cw_cell *args, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (args[k].known == CW_SAMPLE)
            return CW_SAMPLE;
    return CW_NUMBER;
}

/* Terminal results keep in mind that a sampled operand helped to decide. */
static struct cw_cell decide_cell(const struct cw_lanes *lanes, uint32_t f, const struct cw_cell *args, uint32_t n) {
    struct cw_cell c = cw_bdd_cell(lanes, f);
    if (cw_cell_numeric(c))
        c.known = sampled_at_least(args, n);
    return c;
}

static bool apply_logic(struct cw_lanes *lanes, enum cw_op op, const struct cw_cell *args, uint32_t n,
                        struct cw_cell *out) {
    uint32_t f = cw_cell_formula(args[0]), g = n > 1 ? cw_cell_formula(args[1]) : CW_BDD_FALSE, r;
    switch (op) {
    case CW_OP_AND:
    case CW_OP_MUL:
    case CW_OP_UMIN:
        r = cw_bdd_and(&lanes->f, f, g);
        break;
    case CW_OP_OR:
    case CW_OP_UMAX:
        r = cw_bdd_or(&lanes->f, f, g);
        break;
    case CW_OP_XOR:
    case CW_OP_ADD:
    case CW_OP_SUB:
        r = cw_bdd_xor(&lanes->f, f, g);
        break;
    case CW_OP_NOT:
        r = cw_bdd_not(f);
        break;
    default:
        return false;
    }
    *out = decide_cell(lanes, r, args, n);
    return true;
}

/* Operations that keep a widened truth value one. */
static bool keeps_truth(struct cw_lanes *lanes, enum cw_op op, enum cw_type type, enum cw_type result,
                        const struct cw_cell *args, uint32_t n, struct cw_cell *out) {
    uint32_t f, g;
    if (type == CW_I1 && op == CW_OP_ZEXT) {
        *out = cw_truth_cell(lanes, cw_cell_formula(args[0]));
        return true;
    }
    if (!truth_of(lanes, args[0], &f))
        return false;
    if (op == CW_OP_ZEXT || op == CW_OP_TRUNC || (op == CW_OP_SEXT && type != CW_I1)) {
        *out = result == CW_I1 ? cw_bdd_cell(lanes, f) : cw_truth_cell(lanes, f);
        return true;
    }
    if (n != 2 || !truth_of(lanes, args[1], &g) || (op != CW_OP_AND && op != CW_OP_OR && op != CW_OP_XOR))
        return false;
    f = op == CW_OP_AND  ? cw_bdd_and(&lanes->f, f, g)
        : op == CW_OP_OR ? cw_bdd_or(&lanes->f, f, g)
                         : cw_bdd_xor(&lanes->f, f, g);
    *out = cw_truth_cell(lanes, f);
    return true;
}

/* ---- one thread ---- */

static bool all_numeric(const struct cw_cell *args, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (!cw_cell_numeric(args[k]))
            return false;
    return true;
}

/* A shift by as many bits as there are, or more. C++ leaves it undefined; PTX clamps the amount (ISA, shl and shr), so
 * that nothing but the sign is left. Constants are not folded so: what the compiler makes of them is its choice. A size
 * that was chosen for a parameter is no amount that anybody means. */
static bool shift_out(enum cw_op op, enum cw_type type, const struct cw_cell *cells, const int64_t *args,
                      int64_t *value) {
    uint64_t width = type == CW_I32 ? 32 : type == CW_I64 ? 64 : 0;
    bool is_shift = op == CW_OP_SHL || op == CW_OP_LSHR || op == CW_OP_ASHR;
    uint64_t by = width == 32 ? (uint32_t)args[1] : (uint64_t)args[1];
    if (!is_shift || width == 0 || cells[1].known != CW_NUMBER || by < width)
        return false;
    *value = op == CW_OP_ASHR && args[0] < 0 ? -1 : 0;
    return true;
}

struct cw_cell cw_cell_op(struct cw_lanes *lanes, enum cw_op op, enum cw_type type, enum cw_type result,
                          const struct cw_cell *args, uint32_t n) {
    struct cw_cell out;
    if (all_numeric(args, n)) {
        int64_t in[OPERANDS_MAX] = {0}, value;
        for (uint32_t k = 0; k < n; k++)
            in[k] = args[k].value;
        if (cw_fold(op, type, result, in, &value) || shift_out(op, type, args, in, &value))
            return (struct cw_cell){sampled_at_least(args, n), value};
        return unknown_op(lanes, op, type, result, args, n);
    }
    if (type == CW_I1 && result == CW_I1 && apply_logic(lanes, op, args, n, &out))
        return out;
    if (keeps_truth(lanes, op, type, result, args, n, &out))
        return out;
    if (n == 2 && apply_identity(op, args, &out))
        return out;
    return unknown_op(lanes, op, type, result, args, n);
}

struct cw_cell cw_lanes_extremum(struct cw_lanes *lanes, bool is_greater, enum cw_type type,
                                 const struct cw_cell two[2]) {
    uint64_t name = cw_mix(cw_mix(CW_OP_SELECT, is_greater), type),
             hashes[2] = {cw_cell_hash(17, two[0]), cw_cell_hash(17, two[1])};
    sort_two(hashes);
    return token_cell(lanes, cw_mix(cw_mix(name, hashes[0]), hashes[1]), type, cw_unknown_of(two, 2));
}

static bool has_token(struct cw_cell cell) {
    return cw_cell_numeric(cell) || cell.value != CW_NO_TOKEN;
}

static struct cw_cell select_cell(struct cw_lanes *lanes, const struct cw_ins *ins, enum cw_extremum which,
                                  const struct cw_cell *args) {
    enum cw_type type = (enum cw_type)ins->type;
    uint32_t f, g, c = cw_cell_formula(args[0]);
    if (cw_cell_numeric(args[0])) {
        struct cw_cell pick = args[args[0].value ? 1 : 2];
        if (cw_cell_numeric(pick))
            pick.known = cw_worse(pick.known, args[0].known);
        return pick;
    }
    if (cw_cell_same(args[1], args[2]))
        return args[1];
    if (type == CW_I1)
        return cw_bdd_cell(lanes, cw_bdd_ite(&lanes->f, c, cw_cell_formula(args[1]), cw_cell_formula(args[2])));
    if (truth_of(lanes, args[1], &f) && truth_of(lanes, args[2], &g))
        return cw_truth_cell(lanes, cw_bdd_ite(&lanes->f, c, f, g));
    if (which != CW_EXTREMUM_NONE && has_token(args[0]) && has_token(args[1]) && has_token(args[2]))
        return cw_lanes_extremum(lanes, which == CW_EXTREMUM_GREATER, type, args + 1);
    return unknown_op(lanes, CW_OP_SELECT, type, type, args, 3);
}

/* ---- all threads ---- */

static uint32_t threads_of(const struct cw_lanes *lanes, const struct cw_lane_value *const *args, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (args[k]->mask)
            return lanes->threads;
    return 1;
}

/* A pointer operand counts by its address token. */
static struct cw_cell operand_cell(const struct cw_lane_value *value, uint32_t t) {
    return value->base ? cw_pointer_token(value, t) : cw_lane_value_cell(value, t);
}

static bool is_numeric_lv(const struct cw_lane_value *const *args, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (args[k]->worst > CW_SAMPLE || args[k]->base)
            return false;
    return true;
}

/* How each thread's number is known: SAMPLE where an operand is. */
static void join_known(struct cw_lanes *lanes, const struct cw_lane_value *const *args, uint32_t n, uint32_t threads) {
    memset(lanes->scratch.known, CW_NUMBER, threads);
    for (uint32_t k = 0; k < n; k++)
        if (args[k]->worst == CW_SAMPLE)
            for (uint32_t t = 0; t < threads; t++)
                lanes->scratch.known[t] |= args[k]->known[t & args[k]->mask];
}

/* The common case without cells: every operand of every thread is a number. False when a fold fails. */
bool cw_lanes_fold(struct cw_lanes *lanes, enum cw_op op, enum cw_type type, enum cw_type result,
                   const struct cw_lane_value *const *args, uint32_t n, uint32_t threads) {
    struct cw_row rows[OPERANDS_MAX];
    join_known(lanes, args, n, threads);
    for (uint32_t k = 0; k < n; k++)
        rows[k] = (struct cw_row){args[k]->value, args[k]->mask};
    lanes->is_row = cw_fold_row(op, type, result, rows, n, threads, lanes->scratch.value);
    if (lanes->is_row)
        return true;
    for (uint32_t t = 0; t < threads; t++) {
        int64_t in[OPERANDS_MAX];
        for (uint32_t k = 0; k < n; k++)
            in[k] = args[k]->value[t & args[k]->mask];
        if (!cw_fold(op, type, result, in, &lanes->scratch.value[t]))
            return false;
    }
    return true;
}

static void put_cell(struct cw_lanes *lanes, uint32_t t, struct cw_cell cell) {
    lanes->scratch.known[t] = cell.known;
    lanes->scratch.value[t] = cell.value;
}

/* A product with zero rests on nothing else: the first row of a matrix begins at its start, however long rows are. */
static bool is_zero_product(const struct cw_ins *ins, const struct cw_lane_value *const *args) {
    for (uint32_t k = 0; ins->op == CW_OP_MUL && k < ins->narg; k++)
        if (!args[k]->base && !args[k]->mask && args[k]->known[0] == CW_NUMBER && args[k]->value[0] == 0)
            return true;
    return false;
}

/* Of a difference of values that begin at one: the numbers, where all threads have one; NULL else. They are asked for
 * before the scratch arrays are filled, as other values are evaluated for them. */
static const struct cw_cell *find_distances(struct cw_lanes *lanes, const struct cw_ins *ins,
                                            const struct cw_context *context, uint32_t threads) {
    struct cw_cell first;
    if (ins->op != CW_OP_SUB || !cw_lanes_distance(lanes, ins, context, 0, &first))
        return NULL;
    struct cw_cell *all = CW_NEW_ARRAY(lanes->a, struct cw_cell, threads);
    all[0] = first;
    for (uint32_t t = 1; t < threads; t++)
        if (!cw_lanes_distance(lanes, ins, context, t, &all[t]))
            return NULL;
    return all;
}

static const struct cw_lane_value *fixed_op(struct cw_lanes *lanes, const struct cw_ins *ins,
                                            const struct cw_context *context) {
    const struct cw_lane_value *args[OPERANDS_MAX] = {0};
    enum cw_type type = cw_ref_type(lanes->fn, cw_arg(lanes->fn, ins, 0));
    for (uint32_t k = 0; k < ins->narg; k++)
        args[k] = cw_lane_value_of(lanes, cw_arg(lanes->fn, ins, k), context);
    if (is_zero_product(ins, args)) {
        put_cell(lanes, 0, (struct cw_cell){CW_NUMBER, 0});
        return cw_lane_value_seal(lanes, 1, false);
    }
    uint32_t threads = threads_of(lanes, args, ins->narg);
    bool pick = ins->op == CW_OP_SELECT;
    cw_ref two[2];
    enum cw_extremum which = pick ? cw_warp_extremum(lanes->fn, ins, two) : CW_EXTREMUM_NONE;
    if (!pick && is_numeric_lv(args, ins->narg) &&
        cw_lanes_fold(lanes, ins->op, type, ins->type, args, ins->narg, threads))
        return cw_lane_value_seal_folded(lanes, threads, false);
    const struct cw_cell *distances = find_distances(lanes, ins, context, threads);
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell in[OPERANDS_MAX];
        for (uint32_t k = 0; k < ins->narg; k++)
            in[k] = operand_cell(args[k], t);
        struct cw_cell cell = pick ? select_cell(lanes, ins, which, in)
                                   : cw_cell_op(lanes, ins->op, type, ins->type, in, ins->narg);
        if (!cw_cell_numeric(cell) && distances)
            cell = distances[t];
        put_cell(lanes, t, cell);
    }
    return cw_lane_value_seal(lanes, threads, false);
}

/* ---- functions without a known meaning ---- */

/* is_symmetric: `a + b` of floats is `b + a`, bit for bit, so that both lanes of a butterfly's step have one sum. */
static struct cw_cell pure_cell(struct cw_lanes *lanes, const struct cw_ins *ins,
                                const struct cw_lane_value *const *args, uint32_t t, bool is_symmetric) {
    uint64_t name = cw_mix(cw_mix(CW_OP_PURE, ins->aux), ins->type), hashes[2];
    uint8_t known = CW_FIXED;
    bool sampled = false;
    for (uint32_t k = 0; k < ins->narg; k++) {
        struct cw_cell c = operand_cell(args[k], t);
        if (!cw_cell_numeric(c) && c.value == CW_NO_TOKEN)
            return c;
        if (is_symmetric)
            hashes[k] = cw_cell_hash(17, c);
        else
            name = cw_cell_hash(name, c);
        known = cw_worse(known, c.known);
        sampled |= c.known == CW_SAMPLE;
    }
    if (is_symmetric) {
        sort_two(hashes);
        name = cw_mix(cw_mix(name, hashes[0]), hashes[1]);
    }
    if (known == CW_FIXED && sampled) /* of a parameter */
        known = CW_FREE;
    return token_cell(lanes, name, ins->type, known);
}

/* Of numbers: `threadIdx.x < blockDim.x / 32.f`. NULL when some operand is no number, or the function is not computed
 * here. */
static const struct cw_lane_value *folded_pure(struct cw_lanes *lanes, const struct cw_ins *ins,
                                               const struct cw_lane_value *const *args, uint32_t threads) {
    const char *name = lanes->fn->texts.at[ins->aux];
    enum cw_type types[2] = {CW_VOID, CW_VOID};
    for (uint32_t k = 0; k < ins->narg; k++) {
        if (ins->narg > 2 || args[k]->base || args[k]->worst > CW_SAMPLE)
            return NULL;
        types[k] = cw_ref_type(lanes->fn, cw_arg(lanes->fn, ins, k));
    }
    for (uint32_t t = 0; t < threads; t++) {
        int64_t in[2] = {0, 0};
        uint8_t known = CW_NUMBER;
        for (uint32_t k = 0; k < ins->narg; k++) {
            in[k] = args[k]->value[t & args[k]->mask];
            known = cw_worse(known, args[k]->known[t & args[k]->mask]);
        }
        if (!cw_fold_pure(name, types, ins->type, in, ins->narg, &lanes->scratch.value[t]))
            return NULL;
        lanes->scratch.known[t] = known;
    }
    return cw_lane_value_seal(lanes, threads, false);
}

int64_t cw_lanes_unknown_size(const struct cw_lanes *lanes) {
    static const int8_t sizes[] = {8, 4, 16};
    return sizes[lanes->sample % (sizeof sizes / sizeof *sizes)];
}

/* The front ends' word for an index times the size of an element that nobody knows, a template's `T` (lvalue.c): the
 * same for all, so one size stands for it, another in each sample. 0: something else. */
static int64_t element_size(const struct cw_lanes *lanes, const struct cw_ins *ins) {
    const char *name = lanes->fn->texts.at[ins->aux];
    if (ins->narg != 1 || ins->type != CW_I64 || !cw_type_is_int(cw_ref_type(lanes->fn, cw_arg(lanes->fn, ins, 0))))
        return 0;
    int64_t size = cw_lanes_unknown_size(lanes);
    return strcmp(name, "scaled") == 0 ? size : strcmp(name, "-scaled") == 0 ? -size : 0;
}

static const struct cw_lane_value *scale_index(struct cw_lanes *lanes, const struct cw_lane_value *index,
                                               int64_t size) {
    uint32_t threads = threads_of(lanes, &index, 1);
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell c = operand_cell(index, t);
        put_cell(lanes, t,
                 (struct cw_cell){cw_worse(c.known, CW_SAMPLE), (int64_t)((uint64_t)c.value * (uint64_t)size)});
    }
    return cw_lane_value_seal(lanes, threads, false);
}

static const struct cw_lane_value *eval_pure(struct cw_lanes *lanes, const struct cw_ins *ins,
                                             const struct cw_context *context) {
    int64_t size = element_size(lanes, ins);
    const struct cw_lane_value *index = size ? cw_lane_value_of(lanes, cw_arg(lanes->fn, ins, 0), context) : NULL;
    if (index && !index->base && index->worst <= CW_SAMPLE)
        return scale_index(lanes, index, size);
    const struct cw_lane_value **args = CW_NEW_ARRAY(lanes->a, const struct cw_lane_value *, ins->narg + 1);
    for (uint32_t k = 0; k < ins->narg; k++)
        args[k] = cw_lane_value_of(lanes, cw_arg(lanes->fn, ins, k), context);
    uint32_t threads = threads_of(lanes, args, ins->narg);
    const struct cw_lane_value *folded = folded_pure(lanes, ins, args, threads);
    if (folded)
        return folded;
    bool is_symmetric = cw_warp_is_symmetric(lanes->fn, ins);
    for (uint32_t t = 0; t < threads; t++)
        put_cell(lanes, t, pure_cell(lanes, ins, args, t, is_symmetric));
    return cw_lane_value_seal(lanes, threads, false);
}

/* The address of a byte as an integer: the same in equal pointers, but no bits of it are known. */
static const struct cw_lane_value *address_bits(struct cw_lanes *lanes, const struct cw_ins *ins,
                                                const struct cw_context *context) {
    const struct cw_lane_value *p = cw_lane_value_of(lanes, cw_arg(lanes->fn, ins, 0), context);
    uint32_t threads = p->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell cell = operand_cell(p, t);
        if (!cw_cell_numeric(cell))
            cell.known = CW_OPAQUE;
        put_cell(lanes, t, cell);
    }
    return cw_lane_value_seal(lanes, threads, false);
}

/* How far the base of p lies behind that of q; false: nobody knows. */
static bool find_offset(struct cw_lanes *lanes, struct cw_lane_base p, struct cw_lane_base q, int64_t *bytes) {
    *bytes = 0;
    return p.token == q.token ||
           (p.token != CW_NO_TOKEN && q.token != CW_NO_TOKEN && cw_lanes_span(lanes, q.root, p.root, bytes));
}

/* `p - q` of two pointers with the same base, or of a range's ends, is a number. */
static const struct cw_lane_value *pointer_difference(struct cw_lanes *lanes, const struct cw_ins *ins,
                                                      const struct cw_context *context) {
    const struct cw_ins *a = cw_ins_of(lanes->fn, cw_arg(lanes->fn, ins, 0)),
                        *b = cw_ins_of(lanes->fn, cw_arg(lanes->fn, ins, 1));
    if (ins->op != CW_OP_SUB || !a || !b || a->op != CW_OP_PTRTOINT || b->op != CW_OP_PTRTOINT)
        return NULL;
    const struct cw_lane_value *p = cw_lane_value_of(lanes, cw_arg(lanes->fn, a, 0), context),
                               *q = cw_lane_value_of(lanes, cw_arg(lanes->fn, b, 0), context);
    const struct cw_lane_value *args[2] = {p, q};
    if (!p->base || !q->base || p->worst > CW_SAMPLE || q->worst > CW_SAMPLE)
        return NULL;
    uint32_t threads = threads_of(lanes, args, 2);
    for (uint32_t t = 0; t < threads; t++) {
        int64_t between;
        struct cw_lane_base from = cw_lane_value_base(p, t), to = cw_lane_value_base(q, t);
        if (!find_offset(lanes, from, to, &between))
            return NULL;
        uint64_t inside = (uint64_t)p->value[t & p->mask] - (uint64_t)q->value[t & q->mask];
        uint8_t known = cw_worse(p->known[t & p->mask], q->known[t & q->mask]);
        lanes->scratch.known[t] = from.token == to.token ? known : cw_worse(known, CW_SAMPLE);
        lanes->scratch.value[t] = (int64_t)(inside + (uint64_t)between);
    }
    return cw_lane_value_seal(lanes, threads, false);
}

const struct cw_lane_value *cw_lanes_op(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    if (i->op == CW_OP_PURE)
        return eval_pure(lanes, i, context);
    if (i->op == CW_OP_PTRTOINT || i->op == CW_OP_CVTA)
        return address_bits(lanes, i, context);
    if (i->narg == 0 || i->narg > OPERANDS_MAX)
        return cw_lane_value_fresh(lanes, cw_ref_ins(ins), context, CW_OPAQUE, CW_UNI_DIVERGENT);
    const struct cw_lane_value *difference = pointer_difference(lanes, i, context);
    return difference ? difference : fixed_op(lanes, i, context);
}
