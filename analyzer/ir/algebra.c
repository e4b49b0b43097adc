#include "ir/algebra.h"

#include <stddef.h>

/* One instruction under the lens: `c[k]` is operand k when `is_const[k]`. */
struct lens {
    struct cw_fn *fn;
    struct cw_ins *i;
    enum cw_op op;
    enum cw_type type; /* of the result */
    cw_ref a, b;
    enum cw_type of;   /* type of operand 0 */
    bool a_const, b_const;
    int64_t av, bv;
    cw_ref *value;
};

static struct lens look_at(struct cw_fn *fn, uint32_t index, cw_ref *value) {
    struct lens l = {.fn = fn, .i = &fn->ins.at[index], .value = value};
    l.op = (enum cw_op)l.i->op;
    l.type = (enum cw_type)l.i->type;
    l.a = l.i->narg > 0 ? cw_arg(fn, l.i, 0) : CW_NONE;
    l.b = l.i->narg > 1 ? cw_arg(fn, l.i, 1) : CW_NONE;
    l.of = l.i->narg ? cw_ref_type(fn, l.a) : CW_VOID;
    l.a_const = cw_ref_const(fn, l.a, &l.av);
    l.b_const = cw_ref_const(fn, l.b, &l.bv);
    return l;
}

static enum cw_algebra become_value(struct lens *lens, cw_ref value) {
    *lens->value = value;
    return CW_ALGEBRA_REPLACED;
}

static enum cw_algebra becomes_int(struct lens *lens, int64_t value) {
    return become_value(lens, cw_fn_const(lens->fn, lens->type, value));
}

static enum cw_algebra turns_into(struct lens *lens, enum cw_op op, uint32_t narg, cw_ref left, cw_ref right) {
    struct cw_ins *i = lens->i;
    if (narg > i->narg) {
        i->arg = lens->fn->args.n;
        for (uint32_t k = 0; k < narg; k++)
            cw_vec_push(lens->fn->arena, &lens->fn->args, CW_NONE);
    }
    i->op = (uint8_t)op;
    i->aux = 0;
    i->narg = narg;
    lens->fn->args.at[i->arg] = left;
    if (narg > 1)
        lens->fn->args.at[i->arg + 1] = right;
    return CW_ALGEBRA_CHANGED;
}

/* The instruction that made operand r, when it is an `op`. */
static const struct cw_ins *made_by(const struct lens *lens, cw_ref ref, enum cw_op op) {
    const struct cw_ins *i = cw_ins_of(lens->fn, ref);
    return i && i->op == op ? i : NULL;
}

uint64_t cw_algebra_common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

bool cw_algebra_commutes(enum cw_op op) {
    switch (op) {
    case CW_OP_ADD: case CW_OP_MUL: case CW_OP_AND: case CW_OP_OR: case CW_OP_XOR: case CW_OP_SMIN: case CW_OP_SMAX:
    case CW_OP_UMIN: case CW_OP_UMAX: case CW_OP_EQ: case CW_OP_NE: return true;
    default: return false;
    }
}

enum cw_op cw_algebra_mirrored(enum cw_op op) {
    switch (op) {
    case CW_OP_SLT: return CW_OP_SGT;
    case CW_OP_SLE: return CW_OP_SGE;
    case CW_OP_SGT: return CW_OP_SLT;
    case CW_OP_SGE: return CW_OP_SLE;
    case CW_OP_ULT: return CW_OP_UGT;
    case CW_OP_ULE: return CW_OP_UGE;
    case CW_OP_UGT: return CW_OP_ULT;
    case CW_OP_UGE: return CW_OP_ULE;
    default: return op;
    }
}

enum cw_op cw_algebra_negated(enum cw_op op) {
    switch (op) {
    case CW_OP_EQ: return CW_OP_NE;
    case CW_OP_NE: return CW_OP_EQ;
    case CW_OP_SLT: return CW_OP_SGE;
    case CW_OP_SLE: return CW_OP_SGT;
    case CW_OP_SGT: return CW_OP_SLE;
    case CW_OP_SGE: return CW_OP_SLT;
    case CW_OP_ULT: return CW_OP_UGE;
    case CW_OP_ULE: return CW_OP_UGT;
    case CW_OP_UGT: return CW_OP_ULE;
    default: return CW_OP_ULT; /* UGE */
    }
}

/* ---- constants ---- */

static enum cw_algebra fold_constants(struct lens *lens) {
    int64_t args[] = {lens->av, lens->bv}, out;
    int want = cw_op_operands(lens->op);
    if ((want == 1 && !lens->a_const) || (want == 2 && !(lens->a_const && lens->b_const)) || (want != 1 && want != 2))
        return CW_ALGEBRA_NONE;
    if (lens->op == CW_OP_COPY || !cw_fold(lens->op, lens->of, lens->type, args, &out))
        return CW_ALGEBRA_NONE;
    return becomes_int(lens, out);
}

/* Constants stand on the right. */
static enum cw_algebra mirror_operands(struct lens *lens) {
    bool a_fixed = lens->a_const || lens->a.tag == CW_REF_CONST, b_fixed = lens->b_const || lens->b.tag == CW_REF_CONST;
    if (!a_fixed || b_fixed || (!cw_algebra_commutes(lens->op) && !cw_is_compare(lens->op)))
        return CW_ALGEBRA_NONE;
    return turns_into(lens, cw_algebra_mirrored(lens->op), 2, lens->b, lens->a);
}

/* ---- arithmetic ---- */

/* x OP x. */
static enum cw_algebra same_operands(struct lens *lens) {
    switch (lens->op) {
    case CW_OP_SUB: case CW_OP_XOR: return becomes_int(lens, 0);
    case CW_OP_AND: case CW_OP_OR: case CW_OP_SMIN: case CW_OP_SMAX: case CW_OP_UMIN: case CW_OP_UMAX:
        return become_value(lens, lens->a);
    case CW_OP_EQ: case CW_OP_SLE: case CW_OP_SGE: case CW_OP_ULE: case CW_OP_UGE: return becomes_int(lens, 1);
    case CW_OP_NE: case CW_OP_SLT: case CW_OP_SGT: case CW_OP_ULT: case CW_OP_UGT: return becomes_int(lens, 0);
    default: return CW_ALGEBRA_NONE;
    }
}

/* x OP 0. */
static enum cw_algebra with_zero(struct lens *lens) {
    switch (lens->op) {
    case CW_OP_ADD: case CW_OP_SUB: case CW_OP_OR: case CW_OP_XOR: case CW_OP_SHL: case CW_OP_LSHR: case CW_OP_ASHR:
    case CW_OP_UMAX: return become_value(lens, lens->a);
    case CW_OP_MUL: case CW_OP_AND: case CW_OP_UMIN: case CW_OP_ULT: return becomes_int(lens, 0);
    case CW_OP_UGE: return becomes_int(lens, 1);
    default: return CW_ALGEBRA_NONE;
    }
}

/* x OP 1. */
static enum cw_algebra with_one(struct lens *lens) {
    switch (lens->op) {
    case CW_OP_MUL: case CW_OP_SDIV: case CW_OP_UDIV: return become_value(lens, lens->a);
    case CW_OP_SREM: case CW_OP_UREM: return becomes_int(lens, 0);
    default: return CW_ALGEBRA_NONE;
    }
}

/* x OP (all bits set). */
static enum cw_algebra with_ones(struct lens *lens) {
    switch (lens->op) {
    case CW_OP_AND: case CW_OP_UMIN: return become_value(lens, lens->a);
    case CW_OP_OR: case CW_OP_UMAX: return become_value(lens, lens->b);
    case CW_OP_XOR: return turns_into(lens, CW_OP_NOT, 1, lens->a, CW_NONE);
    case CW_OP_UGT: return becomes_int(lens, 0);
    case CW_OP_ULE: return becomes_int(lens, 1);
    default: return CW_ALGEBRA_NONE;
    }
}

/* x OP c for the ends of the signed range. */
static enum cw_algebra with_signed_end(struct lens *lens) {
    unsigned bits = cw_type_bits(lens->of);
    int64_t least = (int64_t)(UINT64_MAX << (bits - 1)), most = ~least;
    if (lens->of == CW_I1)
        return CW_ALGEBRA_NONE;
    if (lens->bv == least && (lens->op == CW_OP_SLT || lens->op == CW_OP_SGE))
        return becomes_int(lens, lens->op == CW_OP_SGE);
    if (lens->bv == most && (lens->op == CW_OP_SGT || lens->op == CW_OP_SLE))
        return becomes_int(lens, lens->op == CW_OP_SLE);
    return CW_ALGEBRA_NONE;
}

/* (x OP c1) OP c2 as x OP (c1 OP c2). */
static enum cw_algebra associate_constants(struct lens *lens) {
    const struct cw_ins *inner = made_by(lens, lens->a, lens->op);
    bool associates = lens->op == CW_OP_ADD || lens->op == CW_OP_MUL || lens->op == CW_OP_AND || lens->op == CW_OP_OR ||
                      lens->op == CW_OP_XOR || lens->op == CW_OP_SMIN || lens->op == CW_OP_SMAX ||
                      lens->op == CW_OP_UMIN || lens->op == CW_OP_UMAX;
    int64_t args[2] = {0, lens->bv}, both;
    if (!inner || !associates || !cw_ref_const(lens->fn, cw_arg(lens->fn, inner, 1), &args[0]) ||
        !cw_fold(lens->op, lens->type, lens->type, args, &both))
        return CW_ALGEBRA_NONE;
    return turns_into(lens, lens->op, 2, cw_arg(lens->fn, inner, 0), cw_fn_const(lens->fn, lens->type, both));
}

static enum cw_algebra with_const(struct lens *lens) {
    enum cw_algebra done = CW_ALGEBRA_NONE;
    if (lens->bv == 0)
        done = with_zero(lens);
    if (!done && lens->bv == 1)
        done = with_one(lens);
    if (!done && lens->bv == (lens->of == CW_I1 ? 1 : -1))
        done = with_ones(lens);
    if (!done)
        done = with_signed_end(lens);
    if (!done && lens->op == CW_OP_SUB && lens->bv)
        done = turns_into(lens, CW_OP_ADD, 2, lens->a,
                          cw_fn_const(lens->fn, lens->type, (int64_t)(0 - (uint64_t)lens->bv)));
    return done ? done : associate_constants(lens);
}

/* ---- truth values ---- */

/* x == c and x != c where x is i1, or an i1 or smaller integer made wider. */
static enum cw_algebra simplify_equality(struct lens *lens) {
    bool equal = lens->op == CW_OP_EQ;
    if ((!equal && lens->op != CW_OP_NE) || !lens->b_const)
        return CW_ALGEBRA_NONE;
    if (lens->of == CW_I1)
        return (lens->bv != 0) == equal ? become_value(lens, lens->a)
                                        : turns_into(lens, CW_OP_NOT, 1, lens->a, CW_NONE);
    const struct cw_ins *wide = made_by(lens, lens->a, CW_OP_ZEXT);
    if (!wide)
        return CW_ALGEBRA_NONE;
    cw_ref x = cw_arg(lens->fn, wide, 0);
    enum cw_type small = cw_ref_type(lens->fn, x);
    int64_t back, narrow = cw_type_wrap(small, lens->bv);
    if (!cw_fold(CW_OP_ZEXT, small, lens->of, &narrow, &back) || back != lens->bv)
        return becomes_int(lens, !equal); /* the wide value never gets there */
    return turns_into(lens, lens->op, 2, x, cw_fn_const(lens->fn, small, narrow));
}

static enum cw_algebra simplify_negation(struct lens *lens) {
    const struct cw_ins *inner = made_by(lens, lens->a, lens->op);
    if (inner)
        return become_value(lens, cw_arg(lens->fn, inner, 0));
    const struct cw_ins *compare = cw_ins_of(lens->fn, lens->a);
    if (lens->op == CW_OP_NOT && lens->type == CW_I1 && compare && cw_is_compare((enum cw_op)compare->op))
        return turns_into(lens, cw_algebra_negated((enum cw_op)compare->op), 2, cw_arg(lens->fn, compare, 0),
                          cw_arg(lens->fn, compare, 1));
    return CW_ALGEBRA_NONE;
}

static enum cw_algebra simplify_selection(struct lens *lens) {
    cw_ref c = cw_arg(lens->fn, lens->i, 2);
    int64_t yes, no;
    if (lens->a_const)
        return become_value(lens, lens->av ? lens->b : c);
    if (cw_ref_eq(lens->b, c))
        return become_value(lens, c);
    const struct cw_ins *inner = made_by(lens, lens->a, CW_OP_NOT);
    if (inner) {
        lens->fn->args.at[lens->i->arg] = cw_arg(lens->fn, inner, 0);
        lens->fn->args.at[lens->i->arg + 1] = c;
        lens->fn->args.at[lens->i->arg + 2] = lens->b;
        return CW_ALGEBRA_CHANGED;
    }
    if (lens->type != CW_I1 || !cw_ref_const(lens->fn, lens->b, &yes) || !cw_ref_const(lens->fn, c, &no))
        return CW_ALGEBRA_NONE;
    return yes ? become_value(lens, lens->a) : turns_into(lens, CW_OP_NOT, 1, lens->a, CW_NONE);
}

/* ---- casts and pointers ---- */

/* trunc(ext x): x itself, or less of it, or less of the extension. */
static enum cw_algebra simplify_truncation(struct lens *lens, const struct cw_ins *inner) {
    cw_ref x = cw_arg(lens->fn, inner, 0);
    unsigned from = cw_type_bits(cw_ref_type(lens->fn, x)), to = cw_type_bits(lens->type);
    if (inner->op == CW_OP_TRUNC)
        return turns_into(lens, CW_OP_TRUNC, 1, x, CW_NONE);
    if (from == to)
        return become_value(lens, x);
    return turns_into(lens, from > to ? CW_OP_TRUNC : (enum cw_op)inner->op, 1, x, CW_NONE);
}

static enum cw_algebra simplify_extension(struct lens *lens, const struct cw_ins *inner) {
    cw_ref x = cw_arg(lens->fn, inner, 0);
    if (inner->op == CW_OP_ZEXT || inner->op == lens->op) /* sext(zext x): the sign bit is 0 */
        return turns_into(lens, (enum cw_op)inner->op, 1, x, CW_NONE);
    if (lens->op == CW_OP_ZEXT && inner->op == CW_OP_TRUNC && cw_ref_type(lens->fn, x) == lens->type) {
        uint64_t mask = (UINT64_C(1) << cw_type_bits((enum cw_type)inner->type)) - 1;
        return turns_into(lens, CW_OP_AND, 2, x, cw_fn_const(lens->fn, lens->type, (int64_t)mask));
    }
    return CW_ALGEBRA_NONE;
}

static enum cw_algebra simplify_cast(struct lens *lens) {
    const struct cw_ins *inner = cw_ins_of(lens->fn, lens->a);
    if (!inner || (inner->op != CW_OP_SEXT && inner->op != CW_OP_ZEXT && inner->op != CW_OP_TRUNC))
        return CW_ALGEBRA_NONE;
    return lens->op == CW_OP_TRUNC ? simplify_truncation(lens, inner) : simplify_extension(lens, inner);
}

static enum cw_algebra simplify_address(struct lens *lens) {
    const struct cw_ins *inner = cw_ins_of(lens->fn, lens->a);
    if (!inner)
        return CW_ALGEBRA_NONE;
    enum cw_op back = lens->op == CW_OP_INTTOPTR ? CW_OP_PTRTOINT : CW_OP_INTTOPTR;
    if (inner->op == back)
        return become_value(lens, cw_arg(lens->fn, inner, 0));
    if (lens->op != CW_OP_INTTOPTR || inner->op != CW_OP_ADD)
        return CW_ALGEBRA_NONE;
    const struct cw_ins *base = made_by(lens, cw_arg(lens->fn, inner, 0), CW_OP_PTRTOINT); /* (T *)((size_t)p + n) */
    return base ? turns_into(lens, CW_OP_PTRADD, 2, cw_arg(lens->fn, base, 0), cw_arg(lens->fn, inner, 1))
                : CW_ALGEBRA_NONE;
}

static enum cw_algebra simplify_offset(struct lens *lens) {
    int64_t first, both;
    if (!lens->b_const)
        return CW_ALGEBRA_NONE;
    if (lens->bv == 0)
        return become_value(lens, lens->a);
    const struct cw_ins *inner = made_by(lens, lens->a, CW_OP_PTRADD);
    if (!inner || !cw_ref_const(lens->fn, cw_arg(lens->fn, inner, 1), &first) ||
        __builtin_add_overflow(first, lens->bv, &both))
        return CW_ALGEBRA_NONE;
    return turns_into(lens, CW_OP_PTRADD, 2, cw_arg(lens->fn, inner, 0), cw_fn_const(lens->fn, CW_I64, both));
}

/* `&variable == nullptr`. */
static enum cw_algebra null_test(struct lens *lens) {
    bool null = lens->b.tag == CW_REF_CONST && lens->fn->consts.at[lens->b.index].value == 0;
    if (lens->of != CW_PTR || lens->a.tag != CW_REF_OBJECT || !null || (lens->op != CW_OP_EQ && lens->op != CW_OP_NE))
        return CW_ALGEBRA_NONE;
    return becomes_int(lens, lens->op == CW_OP_NE);
}

/* ---- the rest ---- */

/* One value over every edge, but for the PHI's own. */
static enum cw_algebra simplify_phi(struct lens *lens, uint32_t index) {
    cw_ref one = CW_NONE;
    for (uint32_t k = 0; k < lens->i->narg; k++) {
        cw_ref r = cw_arg(lens->fn, lens->i, k);
        if (cw_ref_eq(r, cw_ref_ins(index)) || cw_ref_eq(r, one))
            continue;
        if (one.tag != CW_REF_NONE)
            return CW_ALGEBRA_NONE;
        one = r;
    }
    return one.tag == CW_REF_NONE ? CW_ALGEBRA_NONE : become_value(lens, one);
}

/* The size of a tile is written in its type. */
static enum cw_algebra group_size(struct lens *lens) {
    const struct cw_ins *group = made_by(lens, lens->a, CW_OP_GROUP);
    int64_t size;
    bool tile = group && group->aux == CW_GROUP_TILE && group->narg >= 2;
    if (!tile || !cw_ref_const(lens->fn, cw_arg(lens->fn, group, 1), &size))
        return CW_ALGEBRA_NONE;
    return becomes_int(lens, size);
}

static enum cw_algebra simplify_binary(struct lens *lens) {
    enum cw_algebra done = mirror_operands(lens);
    if (!done && cw_ref_eq(lens->a, lens->b) && lens->a.tag != CW_REF_UNDEF)
        done = same_operands(lens);
    if (!done)
        done = null_test(lens);
    if (!done)
        done = simplify_equality(lens);
    return !done && lens->b_const ? with_const(lens) : done;
}

enum cw_algebra cw_algebra_simplify(struct cw_fn *fn, uint32_t index, cw_ref *value) {
    struct lens l = look_at(fn, index, value);
    if (l.op == CW_OP_COPY)
        return become_value(&l, l.a);
    enum cw_algebra done = fold_constants(&l);
    if (done)
        return done;
    switch (l.op) {
    case CW_OP_PHI: return simplify_phi(&l, index);
    case CW_OP_SELECT: return simplify_selection(&l);
    case CW_OP_NEG: case CW_OP_NOT: return simplify_negation(&l);
    case CW_OP_SEXT: case CW_OP_ZEXT: case CW_OP_TRUNC: return simplify_cast(&l);
    case CW_OP_PTRTOINT: case CW_OP_INTTOPTR: return simplify_address(&l);
    case CW_OP_PTRADD: return simplify_offset(&l);
    case CW_OP_GROUPSIZE: return group_size(&l);
    default: break;
    }
    bool two = (l.op >= CW_OP_ADD && l.op <= CW_OP_UMAX && cw_op_operands(l.op) == 2) || cw_is_compare(l.op);
    return two ? simplify_binary(&l) : CW_ALGEBRA_NONE;
}
