/* Induction variables: header phis that change by one operation with an unchanging step.
 *
 * requires: loops, SSA. computes: cfg->inductions. preserves: the function. The next value may be computed in a wider
 * type and cut back (C promotes a `short` counter to int); the operation is then restated in the phi's own type where
 * that is exact. */
#include "cfg/cfg_internal.h"

enum { DEPTH_MAX = 12 };

static bool is_invariant(const struct cw_fn *fn, uint32_t loop, cw_ref ref, int depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || !cw_cfg_in_loop(fn->cfg, loop, i->block))
        return true;
    if (!(cw_op_flags(i->op) & CW_OP_P) || i->op == CW_OP_PHI || i->op == CW_OP_GROUP || depth == 0)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_invariant(fn, loop, cw_arg(fn, i, k), depth - 1))
            return false;
    return true;
}

bool cw_cfg_is_invariant(const struct cw_fn *fn, uint32_t loop, cw_ref ref) {
    return is_invariant(fn, loop, ref, DEPTH_MAX);
}

/* The phi's operand on entry and around the loop; false when either is not one value. */
static bool split_phi(const struct cw_fn *fn, uint32_t loop, const struct cw_ins *phi, cw_ref *init, cw_ref *next) {
    const struct cw_vec_u32 *pred = &fn->blocks.at[phi->block].pred;
    *init = *next = CW_NONE;
    for (uint32_t k = 0; k < phi->narg && k < pred->n; k++) {
        cw_ref *slot = cw_cfg_in_loop(fn->cfg, loop, pred->at[k]) ? next : init, v = cw_arg(fn, phi, k);
        if (fn->cfg->rpo_index[pred->at[k]] == CW_NO_BLOCK)
            continue;
        if (slot->tag != CW_REF_NONE && !cw_ref_eq(*slot, v))
            return false;
        *slot = v;
    }
    return init->tag != CW_REF_NONE && next->tag != CW_REF_NONE;
}

static bool is_widening(enum cw_op op) {
    return op == CW_OP_SEXT || op == CW_OP_ZEXT;
}

/* The widening between phi and `ref`: SEXT, ZEXT, COPY for the phi itself, HOLE when r is something else. */
static enum cw_op widening_of_phi(const struct cw_fn *fn, cw_ref ref, uint32_t phi) {
    if (cw_ref_eq(ref, cw_ref_ins(phi)))
        return CW_OP_COPY;
    const struct cw_ins *i = cw_ins_of(fn, ref);
    return i && is_widening(i->op) && cw_ref_eq(cw_arg(fn, i, 0), cw_ref_ins(phi)) ? (enum cw_op)i->op : CW_OP_HOLE;
}

/* `op` on the widened phi, cut back, as an operation in the phi's type; HOLE when that is not the same. */
static enum cw_op narrow_op(const struct cw_fn *fn, enum cw_op op, enum cw_op wide, cw_ref step) {
    int64_t c;
    bool positive = cw_ref_const(fn, step, &c) && c > 0;
    switch (op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_MUL:
    case CW_OP_SHL:
        return op; /* low bits depend on low bits only */
    case CW_OP_LSHR:
        return wide == CW_OP_SEXT ? CW_OP_HOLE : op;
    case CW_OP_ASHR:
        return wide == CW_OP_ZEXT ? CW_OP_LSHR : op; /* the sign bit of a zero-extended value is clear */
    case CW_OP_UDIV:
        return wide == CW_OP_SEXT ? CW_OP_HOLE : op;
    case CW_OP_SDIV:
        if (wide == CW_OP_COPY)
            return op;
        return !positive ? CW_OP_HOLE : wide == CW_OP_ZEXT ? CW_OP_UDIV : op;
    case CW_OP_PTRADD:
        return wide == CW_OP_COPY ? op : CW_OP_HOLE;
    default:
        return CW_OP_HOLE;
    }
}

static bool is_commutative(enum cw_op op) {
    return op == CW_OP_ADD || op == CW_OP_MUL;
}

/* A wide step must not lose meaning in the narrow type: shifts and divisions need a constant that fits. */
static bool step_fits(const struct cw_fn *fn, enum cw_op op, cw_ref step, enum cw_type narrow, enum cw_op wide) {
    int64_t c;
    if (wide == CW_OP_COPY || op == CW_OP_ADD || op == CW_OP_SUB || op == CW_OP_MUL)
        return true;
    return cw_ref_const(fn, step, &c) && c >= 0 && c < (op == CW_OP_SDIV || op == CW_OP_UDIV ? INT8_MAX
                                                                                          : cw_type_bits(narrow));
}

static bool match_step(const struct cw_fn *fn, uint32_t loop, uint32_t phi, cw_ref next, struct cw_induction *out) {
    const struct cw_ins *i = cw_ins_of(fn, next);
    if (i && i->op == CW_OP_TRUNC)
        i = cw_ins_of(fn, cw_arg(fn, i, 0));
    if (!i || i->narg != 2)
        return false;
    for (uint32_t side = 0; side < (is_commutative(i->op) ? 2u : 1u); side++) {
        enum cw_op wide = widening_of_phi(fn, cw_arg(fn, i, side), phi);
        cw_ref step = cw_arg(fn, i, 1 - side);
        if (wide == CW_OP_HOLE || !cw_cfg_is_invariant(fn, loop, step))
            continue;
        enum cw_op op = narrow_op(fn, i->op, wide, step);
        if (op == CW_OP_HOLE || !step_fits(fn, op, step, fn->ins.at[phi].type, wide))
            continue;
        out->op = op;
        out->step = step;
        return true;
    }
    return false;
}

static void find_in_loop(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a, uint32_t loop) {
    struct cw_loop *l = &cfg->loops.at[loop];
    const struct cw_vec_u32 *list = &fn->blocks.at[l->header].ins;
    for (uint32_t k = 0; k < list->n && fn->ins.at[list->at[k]].op == CW_OP_PHI; k++) {
        struct cw_induction v = {.phi = list->at[k], .loop = loop};
        if (!split_phi(fn, loop, &fn->ins.at[v.phi], &v.init, &v.next) || !match_step(fn, loop, v.phi, v.next, &v))
            continue;
        cw_vec_push(a, &l->inductions, cfg->inductions.n);
        cw_vec_push(a, &cfg->inductions, v);
    }
}

void cw_cfg_find_inductions(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a) {
    for (uint32_t l = 0; l < cfg->loops.n; l++)
        find_in_loop(fn, cfg, a, l);
}
