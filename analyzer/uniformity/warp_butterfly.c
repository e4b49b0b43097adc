/* Butterfly sums: `v += __shfl_xor_sync(~0u, v, m)` for m = 16, 8, 4, 2, 1 gives all lanes the same value, bit for bit
 * also on floats: both partners add the same two numbers. Unrolled steps are followed one by one (uniformity.c keeps
 * for each value the lane bits that no longer matter); a loop of steps is known as a whole. */
#include "uniformity/warp_forms.h"

#include "ir/algebra.h"

#include <string.h>

static bool is_symmetric_name(const char *name) {
    static const char *const names[] = {"+", "*", "fadd", "fmul", "fmax", "fmin", "fmaxf", "fminf", "max", "min",
                                        "__fadd_rn", "__fmul_rn", "__dadd_rn", "__dmul_rn", "__hadd", "__hmul",
                                        "__hadd2", "__hmul2", "__hmax", "__hmin", "__hmax2", "__hmin2"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

static bool is_ordering(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op >= CW_OP_SLT && ins->op <= CW_OP_UGE)
        return true;
    const char *name = ins->op == CW_OP_PURE ? fn->texts.at[ins->aux] : "";
    return strcmp(name, "<") == 0 || strcmp(name, ">") == 0 || strcmp(name, "<=") == 0 || strcmp(name, ">=") == 0;
}

static bool asks_for_lesser(const struct cw_fn *fn, const struct cw_ins *ins) {
    return ins->op == CW_OP_PURE ? fn->texts.at[ins->aux][0] == '<'
                                 : ins->op == CW_OP_SLT || ins->op == CW_OP_SLE || ins->op == CW_OP_ULT ||
                                       ins->op == CW_OP_ULE;
}

static bool is_equality(const struct cw_fn *fn, const struct cw_ins *ins) {
    return ins->op == CW_OP_EQ || (ins->op == CW_OP_PURE && strcmp(fn->texts.at[ins->aux], "==") == 0);
}

/* Does the comparison ask about the two values, in this order or the other one? */
static bool compares(const struct cw_fn *fn, const struct cw_ins *compare, const cw_ref two[2], bool *is_swapped) {
    if (!compare || compare->narg != 2)
        return false;
    cw_ref x = cw_arg(fn, compare, 0), y = cw_arg(fn, compare, 1);
    *is_swapped = cw_ref_eq(two[0], y) && cw_ref_eq(two[1], x);
    return *is_swapped || (cw_ref_eq(two[0], x) && cw_ref_eq(two[1], y));
}

/* What the first value is where the comparison holds. */
static enum cw_extremum first_where_true(const struct cw_fn *fn, const struct cw_ins *compare, const cw_ref two[2]) {
    bool is_swapped;
    if (!compares(fn, compare, two, &is_swapped) || !is_ordering(fn, compare))
        return CW_EXTREMUM_NONE;
    return asks_for_lesser(fn, compare) != is_swapped ? CW_EXTREMUM_LESSER : CW_EXTREMUM_GREATER;
}

/* A join of two values behind an ordering of them. */
struct joined {
    const struct cw_fn *fn;
    cw_ref two[2];     /* where the ordering holds, the first one is `first` */
    uint32_t ordering; /* the block that ends with it */
    bool is_first;     /* of which value the ways are asked about */
};

enum { WAYS_DEPTH = 6 };

/* Is the way into the block one on which the value is right: where the ordering says so, or both are equal? */
static bool is_right_edge(const struct joined *joined, uint32_t from, uint32_t to, uint32_t depth);

static bool is_right_block(const struct joined *joined, uint32_t block, uint32_t depth) {
    const struct cw_vec_u32 *pred = &joined->fn->blocks.at[block].pred;
    if (depth == 0 || pred->n == 0 || block == joined->ordering)
        return false;
    for (uint32_t k = 0; k < pred->n; k++)
        if (!is_right_edge(joined, pred->at[k], block, depth - 1))
            return false;
    return true;
}

static bool is_right_edge(const struct joined *joined, uint32_t from, uint32_t to, uint32_t depth) {
    const struct cw_jump *jump = &joined->fn->blocks.at[from].jump;
    bool is_branch = jump->kind == CW_JUMP_BRANCH && jump->succ[0] != jump->succ[1], is_swapped;
    const struct cw_ins *compare = is_branch ? cw_ins_of(joined->fn, jump->value) : NULL;
    if (from == joined->ordering && is_branch)
        return jump->succ[joined->is_first ? 0 : 1] == to;
    if (compare && is_equality(joined->fn, compare) && compares(joined->fn, compare, joined->two, &is_swapped) &&
        jump->succ[0] == to)
        return true;
    return is_right_block(joined, from, depth);
}

static enum cw_extremum extremum_of_phi(const struct cw_fn *fn, const struct cw_ins *phi, cw_ref two[2]) {
    uint32_t above = fn->cfg && phi->narg > 1 ? fn->cfg->idom[phi->block] : CW_NO_BLOCK;
    const struct cw_vec_u32 *pred = &fn->blocks.at[phi->block].pred;
    if (above == CW_NO_BLOCK || fn->blocks.at[above].jump.kind != CW_JUMP_BRANCH || pred->n != phi->narg)
        return CW_EXTREMUM_NONE;
    const struct cw_ins *compare = cw_ins_of(fn, fn->blocks.at[above].jump.value);
    if (!compare || compare->narg != 2 || !is_ordering(fn, compare))
        return CW_EXTREMUM_NONE;
    two[0] = cw_arg(fn, compare, 0);
    two[1] = cw_arg(fn, compare, 1);
    for (uint32_t swap = 0; swap < 2; swap++) {
        struct joined joined = {fn, {two[swap], two[1 - swap]}, above, false};
        bool is_right = true;
        for (uint32_t k = 0; k < phi->narg && is_right; k++) {
            cw_ref value = cw_arg(fn, phi, k);
            joined.is_first = cw_ref_eq(value, joined.two[0]);
            is_right = (joined.is_first || cw_ref_eq(value, joined.two[1])) &&
                       is_right_edge(&joined, pred->at[k], phi->block, WAYS_DEPTH);
        }
        if (is_right)
            return first_where_true(fn, compare, joined.two);
    }
    return CW_EXTREMUM_NONE;
}

enum cw_extremum cw_warp_extremum(const struct cw_fn *fn, const struct cw_ins *ins, cw_ref two[2]) {
    if (ins->op == CW_OP_PHI)
        return extremum_of_phi(fn, ins, two);
    if (ins->op != CW_OP_SELECT)
        return CW_EXTREMUM_NONE;
    two[0] = cw_arg(fn, ins, 1);
    two[1] = cw_arg(fn, ins, 2);
    return first_where_true(fn, cw_ins_of(fn, cw_arg(fn, ins, 0)), two);
}

/* The operands of a symmetric operation. */
static bool symmetric_operands(const struct cw_fn *fn, const struct cw_ins *ins, cw_ref two[2]) {
    if (ins->op == CW_OP_SELECT || ins->op == CW_OP_PHI)
        return cw_warp_extremum(fn, ins, two) != CW_EXTREMUM_NONE;
    if (ins->narg != 2)
        return false;
    two[0] = cw_arg(fn, ins, 0);
    two[1] = cw_arg(fn, ins, 1);
    return ins->op == CW_OP_PURE ? is_symmetric_name(fn->texts.at[ins->aux]) : cw_algebra_commutes((enum cw_op)ins->op);
}

bool cw_warp_is_symmetric(const struct cw_fn *fn, const struct cw_ins *ins) {
    cw_ref two[2];
    return symmetric_operands(fn, ins, two);
}

/* A shuffle in which every lane of the warp takes part, over the whole warp. */
static bool is_whole_xor(const struct cw_uniformity *uniformity, const struct cw_ins *ins) {
    int64_t width;
    return ins->op == CW_OP_SHFL && ins->aux == CW_SHFL_XOR &&
           cw_warp_mask(uniformity, cw_arg(uniformity->fn, ins, 0)) == CW_MASK_WHOLE &&
           uniformity->control_live[ins->block] <= CW_UNI_WARP &&
           (!cw_ref_const(uniformity->fn, cw_arg(uniformity->fn, ins, 3), &width) || width == 32 ||
            (ins->flags & CW_INS_DEFAULT_WIDTH));
}

const struct cw_ins *cw_warp_butterfly(const struct cw_uniformity *uniformity, const struct cw_ins *ins, cw_ref *ref) {
    cw_ref two[2];
    if (!symmetric_operands(uniformity->fn, ins, two))
        return NULL;
    for (uint32_t k = 0; k < 2; k++) {
        const struct cw_ins *s = cw_ins_of(uniformity->fn, two[k]);
        *ref = two[1 - k];
        if (s && is_whole_xor(uniformity, s) && cw_ref_eq(cw_arg(uniformity->fn, s, 1), *ref))
            return s;
    }
    return NULL;
}

/* The loop's counter `offset`, run through its values. */
struct counter {
    const struct cw_fn *fn;
    const struct cw_induction *v;
    enum cw_type type;
    const struct cw_jump *exit;
    bool tests_next; /* the condition is about the next value, at the end of the body */
    bool at_header;
};

/* The value of a constant expression in which `warpSize` may occur: `warpSize / 2`. */
static bool constant_of(const struct cw_fn *fn, cw_ref ref, int depth, int64_t *value) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    int64_t args[2];
    if (cw_ref_const(fn, ref, value))
        return true;
    if (ref.tag == CW_REF_SREG && ref.index == CW_WARPSIZE) {
        *value = 32;
        return true;
    }
    if (!i || depth == 0 || i->narg == 0 || i->narg > 2 || i->op == CW_OP_PHI || !(cw_op_flags(i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!constant_of(fn, cw_arg(fn, i, k), depth - 1, &args[k]))
            return false;
    return cw_fold(i->op, cw_ref_type(fn, cw_arg(fn, i, 0)), i->type, args, value);
}

static bool step_counter(const struct counter *counter, int64_t *value) {
    int64_t args[2] = {*value, 0};
    return constant_of(counter->fn, counter->v->step, 2, &args[1]) &&
           cw_fold(counter->v->op, counter->type, counter->type, args, value);
}

static bool test_counter(const struct counter *counter, int64_t value, bool *holds) {
    const struct cw_ins *cmp = cw_ins_of(counter->fn, counter->exit->value);
    int64_t args[2], result;
    for (uint32_t k = 0; k < 2; k++) {
        cw_ref r = cw_arg(counter->fn, cmp, k);
        cw_ref counted = counter->tests_next ? counter->v->next : cw_ref_ins(counter->v->phi);
        if (cw_ref_eq(r, counted))
            args[k] = value;
        else if (!constant_of(counter->fn, r, 2, &args[k]))
            return false;
    }
    if (!cw_fold(cmp->op, counter->type, CW_I1, args, &result))
        return false;
    *holds = result != 0;
    return true;
}

/* The set of lane bits that the counter names while the body runs; 0 when it takes other values or cannot be run.
 * stay: the successor of the exit branch that stays in the loop. */
static uint32_t run_counter(const struct counter *counter, uint32_t stay) {
    int64_t value;
    uint32_t bits = 0;
    if (!constant_of(counter->fn, counter->v->init, 3, &value))
        return 0;
    for (int round = 0; round < 40; round++) {
        bool holds;
        int64_t next = value;
        if (counter->at_header && (!test_counter(counter, value, &holds) || holds != (stay == 0)))
            return test_counter(counter, value, &holds) ? bits : 0;
        if (value <= 0 || value > 16 || (value & (value - 1)))
            return 0;
        bits |= (uint32_t)value;
        if (!step_counter(counter, &next))
            return 0;
        if (!counter->at_header &&
            (!test_counter(counter, counter->tests_next ? next : value, &holds) || holds != (stay == 0)))
            return test_counter(counter, counter->tests_next ? next : value, &holds) ? bits : 0;
        value = next;
    }
    return 0;
}

/* All lane bits that `offset` takes on in the loop, which must have one exit, at its header or its only latch. */
static uint32_t counted_bits(const struct cw_uniformity *uniformity, uint32_t loop, cw_ref offset, bool *at_header) {
    const struct cw_loop *l = &uniformity->fn->cfg->loops.at[loop];
    if (l->exits.n != 1 || l->latches.n != 1)
        return 0;
    struct cw_edge e = l->exits.at[0];
    struct counter c = {.fn = uniformity->fn, .exit = &uniformity->fn->blocks.at[e.block].jump};
    const struct cw_ins *cmp = cw_ins_of(uniformity->fn, c.exit->value);
    *at_header = c.at_header = e.block == l->header && e.block != l->latches.at[0];
    if ((e.block != l->header && e.block != l->latches.at[0]) || c.exit->nsucc != 2 || !cmp || cmp->narg != 2)
        return 0;
    for (uint32_t k = 0; k < l->inductions.n; k++) {
        c.v = &uniformity->fn->cfg->inductions.at[l->inductions.at[k]];
        if (!cw_ref_eq(cw_ref_ins(c.v->phi), offset))
            continue;
        c.type = uniformity->fn->ins.at[c.v->phi].type;
        c.tests_next = cw_ref_eq(cw_arg(uniformity->fn, cmp, 0), c.v->next) ||
                       cw_ref_eq(cw_arg(uniformity->fn, cmp, 1), c.v->next);
        return run_counter(&c, 1 - e.which);
    }
    return 0;
}

/* The header phi that `next` goes back into. */
static uint32_t phi_of_next(const struct cw_fn *fn, uint32_t loop, uint32_t next) {
    const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->loops.at[loop].header].ins;
    for (uint32_t k = 0; k < list->n && fn->ins.at[list->at[k]].op == CW_OP_PHI; k++) {
        const struct cw_ins *phi = &fn->ins.at[list->at[k]];
        const struct cw_vec_u32 *pred = &fn->blocks.at[phi->block].pred;
        for (uint32_t p = 0; p < pred->n && p < phi->narg; p++)
            if (cw_cfg_in_loop(fn->cfg, loop, pred->at[p]) && cw_ref_eq(cw_arg(fn, phi, p), cw_ref_ins(next)))
                return list->at[k];
    }
    return UINT32_MAX;
}

/* The operand of a header phi that comes around the loop. */
static cw_ref next_of_phi(const struct cw_fn *fn, uint32_t loop, const struct cw_ins *phi) {
    const struct cw_vec_u32 *pred = &fn->blocks.at[phi->block].pred;
    cw_ref next = CW_NONE;
    for (uint32_t p = 0; p < pred->n && p < phi->narg; p++)
        if (cw_cfg_in_loop(fn->cfg, loop, pred->at[p])) {
            if (next.tag != CW_REF_NONE && !cw_ref_eq(next, cw_arg(fn, phi, p)))
                return CW_NONE;
            next = cw_arg(fn, phi, p);
        }
    return next;
}

uint32_t cw_warp_butterfly_loop(const struct cw_uniformity *uniformity, uint32_t ins) {
    const struct cw_fn *fn = uniformity->fn;
    const struct cw_ins *i = &fn->ins.at[ins];
    uint32_t loop = fn->cfg->loop_of[i->block];
    if (loop == CW_NO_LOOP)
        return CW_NO_LOOP;
    bool is_phi = i->op == CW_OP_PHI && i->block == fn->cfg->loops.at[loop].header, at_header;
    uint32_t phi = is_phi ? ins : phi_of_next(fn, loop, ins);
    if (phi == UINT32_MAX || fn->ins.at[phi].block != fn->cfg->loops.at[loop].header)
        return CW_NO_LOOP;
    const struct cw_ins *next = cw_ins_of(fn, next_of_phi(fn, loop, &fn->ins.at[phi]));
    cw_ref r;
    const struct cw_ins *s = next ? cw_warp_butterfly(uniformity, next, &r) : NULL;
    if (!s || !cw_ref_eq(r, cw_ref_ins(phi)))
        return CW_NO_LOOP;
    if (counted_bits(uniformity, loop, cw_arg(fn, s, 2), &at_header) != 31 || at_header != is_phi)
        return CW_NO_LOOP;
    return loop;
}
