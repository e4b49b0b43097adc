/* Carriers and what follows from them; see warp_forms.h. Sums are compared as polynomials in the index registers, so
 * that any way of writing the linear thread index is known. */
#include "uniformity/warp_forms.h"

#include "ir/algebra.h"
#include "uniformity/polynomial.h"

enum {
    DEPTH_MAX = 8,
    FULL_ALIGNMENT = 31, /* of zero */
    WARP_BITS = 5
};

static bool is_lane_multiple(int64_t c) {
    return (c & 31) == 0;
}

static bool is_warp_uniform(const struct cw_uniformity *uniformity, cw_ref ref) {
    return cw_uni_of(uniformity, ref) <= CW_UNI_WARP;
}

enum cw_uni cw_warp_sreg(const struct cw_shape_facts *facts, enum cw_sreg sreg) {
    switch (sreg) {
    case CW_TID_X:
        return facts->block[0] == 1 ? CW_UNI_CONST : CW_UNI_DIVERGENT;
    case CW_TID_Y:
        if (facts->one_dimensional || facts->block[1] == 1)
            return CW_UNI_CONST;
        return facts->x_multiple_of_32 ? CW_UNI_WARP : CW_UNI_DIVERGENT;
    case CW_TID_Z:
        if (facts->one_dimensional || facts->two_dimensional || facts->block[2] == 1)
            return CW_UNI_CONST;
        if (facts->x_multiple_of_32 || (facts->block[0] && facts->block[1] &&
                                        is_lane_multiple((int64_t)facts->block[0] * facts->block[1])))
            return CW_UNI_WARP;
        return CW_UNI_DIVERGENT;
    case CW_CTAID_X:
    case CW_CTAID_Y:
    case CW_CTAID_Z:
        return CW_UNI_BLOCK;
    case CW_WARPSIZE:
        return CW_UNI_CONST;
    case CW_NTID_X:
    case CW_NTID_Y:
    case CW_NTID_Z:
    case CW_NCTAID_X:
    case CW_NCTAID_Y:
    case CW_NCTAID_Z:
        return CW_UNI_GRID;
    default:
        return CW_UNI_DIVERGENT; /* lane and lane mask registers */
    }
}

/* ---- multiples of powers of two ---- */

static uint32_t trailing_zeros(int64_t c) {
    uint32_t n = c ? (uint32_t)__builtin_ctzll((uint64_t)c) : FULL_ALIGNMENT;
    return n < FULL_ALIGNMENT ? n : FULL_ALIGNMENT;
}

static uint32_t sreg_alignment(const struct cw_shape_facts *facts, uint32_t r) {
    if (r == CW_WARPSIZE)
        return WARP_BITS;
    if (r < CW_NTID_X || r > CW_NTID_Z)
        return 0;
    if (facts->block[r - CW_NTID_X])
        return trailing_zeros(facts->block[r - CW_NTID_X]);
    return r == CW_NTID_X && facts->x_multiple_of_32 ? WARP_BITS : 0;
}

static uint32_t min_u32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t alignment_of(const struct cw_uniformity *u, cw_ref r, int depth);

static uint32_t ins_alignment(const struct cw_uniformity *uniformity, const struct cw_ins *ins, int depth) {
    uint32_t arg[3] = {0};
    int64_t c;
    for (uint32_t k = 0; k < ins->narg && k < 3; k++)
        arg[k] = alignment_of(uniformity, cw_arg(uniformity->fn, ins, k), depth - 1);
    switch (ins->op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_OR:
    case CW_OP_XOR:
        return min_u32(arg[0], arg[1]);
    case CW_OP_SELECT:
        return min_u32(arg[1], arg[2]);
    case CW_OP_AND:
        return arg[0] > arg[1] ? arg[0] : arg[1];
    case CW_OP_MUL:
        return min_u32(arg[0] + arg[1], FULL_ALIGNMENT);
    case CW_OP_SHL:
        return cw_ref_const(uniformity->fn, cw_arg(uniformity->fn, ins, 1), &c) && c >= 0 && c < 64
                   ? min_u32(arg[0] + (uint32_t)c, FULL_ALIGNMENT) : 0;
    case CW_OP_NEG:
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_TRUNC:
    case CW_OP_COPY:
        return arg[0];
    default:
        return 0;
    }
}

/* How many low bits of the value are zero, at least. */
static uint32_t alignment_of(const struct cw_uniformity *uniformity, cw_ref ref, int depth) {
    int64_t c;
    if (cw_ref_const(uniformity->fn, ref, &c))
        return trailing_zeros(c);
    if (ref.tag == CW_REF_SREG)
        return sreg_alignment(&uniformity->facts, ref.index);
    const struct cw_ins *i = cw_ins_of(uniformity->fn, ref);
    return i && depth > 0 ? ins_alignment(uniformity, i, depth) : 0;
}

/* Warp-uniform and a multiple of 32. */
static bool is_step(const struct cw_uniformity *uniformity, cw_ref ref) {
    return is_warp_uniform(uniformity, ref) && alignment_of(uniformity, ref, DEPTH_MAX) >= WARP_BITS;
}

/* ---- the linear thread index ---- */

static cw_ref sreg_ref(uint32_t r) {
    return (cw_ref){CW_REF_SREG, r & 0xff};
}

/* Takes tid.z * ntid.y * ntid.x, or the like, out of the polynomial; false when it is not there. */
static bool take_term(struct cw_polynomial *polynomial, const struct cw_shape_facts *facts, uint32_t dimension) {
    struct cw_monomial want = {.factor = 1};
    bool is_lost = false;
    cw_polynomial_add_atom(&want, sreg_ref(CW_TID_X + dimension), &is_lost);
    for (uint32_t d = 0; d < dimension; d++) {
        if (facts->block[d])
            want.factor *= facts->block[d];
        else
            cw_polynomial_add_atom(&want, sreg_ref(CW_NTID_X + d), &is_lost);
    }
    for (uint32_t k = 0; k < polynomial->n; k++)
        if (cw_polynomial_same_atoms(&polynomial->at[k], &want) && polynomial->at[k].factor == want.factor) {
            polynomial->at[k] = polynomial->at[--polynomial->n];
            return true;
        }
    return false;
}

static bool is_step_term(const struct cw_uniformity *uniformity, const struct cw_monomial *monomial) {
    uint32_t zeros = trailing_zeros(monomial->factor);
    for (uint32_t k = 0; k < monomial->n; k++) {
        if (!is_warp_uniform(uniformity, monomial->atom[k]))
            return false;
        zeros += alignment_of(uniformity, monomial->atom[k], DEPTH_MAX);
    }
    return zeros >= WARP_BITS;
}

/* The linear thread index, tid.x + ntid.x * (tid.y + ntid.y * tid.z), plus warp-uniform multiples of 32. A term may be
 * left out when its index is warp-uniform and its stride a multiple of 32 (or it is always 0). */
static bool is_linear(const struct cw_uniformity *uniformity, cw_ref ref) {
    struct cw_polynomial p = cw_polynomial_of(uniformity->fn, &uniformity->facts, ref);
    if (p.is_lost || !take_term(&p, &uniformity->facts, 0))
        return false;
    for (uint32_t d = 1; d < 3; d++)
        if (!take_term(&p, &uniformity->facts, d) && cw_warp_sreg(&uniformity->facts, CW_TID_X + d) > CW_UNI_WARP)
            return false;
    for (uint32_t k = 0; k < p.n; k++)
        if (!is_step_term(uniformity, &p.at[k]))
            return false;
    return true;
}

/* ---- carriers ---- */

static int64_t tile_size(const struct cw_uniformity *uniformity, const struct cw_ins *group) {
    int64_t size;
    return group && group->op == CW_OP_GROUP && group->aux == CW_GROUP_TILE && group->narg == 2 &&
                   cw_ref_const(uniformity->fn, cw_arg(uniformity->fn, group, 1), &size) ? size : 0;
}

static bool is_rank_carrier(const struct cw_uniformity *uniformity, const struct cw_ins *rank) {
    const struct cw_ins *group = cw_ins_of(uniformity->fn, cw_arg(uniformity->fn, rank, 0));
    if (!group || group->op != CW_OP_GROUP)
        return false;
    return group->aux == CW_GROUP_BLOCK || tile_size(uniformity, group) >= 32;
}

static bool is_indexed(const struct cw_bitset *indexed, cw_ref ref) {
    if (ref.tag == CW_REF_SREG)
        return ref.index == CW_TID_X || ref.index == CW_LANEID;
    return ref.tag == CW_REF_INS && cw_bitset_has(indexed, ref.index);
}

/* One of the operations that is_carrier and polynomials look through. */
static bool is_plain(enum cw_op op) {
    switch (op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_MUL:
    case CW_OP_SHL:
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_TRUNC:
    case CW_OP_COPY:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_AND:
    case CW_OP_UREM:
        return true;
    default:
        return false;
    }
}

struct cw_bitset cw_warp_indexed(const struct cw_fn *fn, struct cw_arena *a) {
    struct cw_bitset indexed = cw_bitset_new(a, fn->ins.n);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t p = 0; p < b->ins.n; p++) {
            const struct cw_ins *i = &fn->ins.at[b->ins.at[p]];
            bool is = i->op == CW_OP_GROUPRANK;
            for (uint32_t n = 0; n < i->narg && is_plain(i->op); n++)
                is |= is_indexed(&indexed, cw_arg(fn, i, n));
            if (is)
                cw_bitset_add(&indexed, b->ins.at[p]);
        }
    }
    return indexed;
}

/* Steps are looked for first: they are found or refused without following a sum's both sides. */
static bool is_carrier(const struct cw_uniformity *uniformity, cw_ref ref, int depth) {
    const struct cw_ins *i = cw_ins_of(uniformity->fn, ref);
    int64_t c;
    if (!is_indexed(&uniformity->indexed, ref))
        return false;
    if (ref.tag == CW_REF_SREG && ref.index == CW_LANEID)
        return true;
    if (ref.tag == CW_REF_SREG && ref.index == CW_TID_X)
        return is_linear(uniformity, ref);
    if (!i || depth == 0)
        return false;
    cw_ref a = i->narg > 0 ? cw_arg(uniformity->fn, i, 0) : CW_NONE,
           b = i->narg > 1 ? cw_arg(uniformity->fn, i, 1) : CW_NONE;
    switch (i->op) {
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_COPY:
        return is_carrier(uniformity, a, depth - 1);
    case CW_OP_TRUNC:
        return cw_type_bits(i->type) > WARP_BITS && is_carrier(uniformity, a, depth - 1);
    case CW_OP_GROUPRANK:
        return is_rank_carrier(uniformity, i);
    case CW_OP_ADD:
        if (is_linear(uniformity, ref))
            return true;
        return (is_step(uniformity, b) && is_carrier(uniformity, a, depth - 1)) ||
               (is_step(uniformity, a) && is_carrier(uniformity, b, depth - 1));
    case CW_OP_OR:
    case CW_OP_XOR:
        return (is_step(uniformity, b) && is_carrier(uniformity, a, depth - 1)) ||
               (is_step(uniformity, a) && is_carrier(uniformity, b, depth - 1));
    case CW_OP_SUB:
        return is_step(uniformity, b) && is_carrier(uniformity, a, depth - 1);
    case CW_OP_AND:
        return cw_ref_const(uniformity->fn, b, &c) && (c & 31) == 31 && is_carrier(uniformity, a, depth - 1);
    case CW_OP_UREM:
        return is_step(uniformity, b) && is_carrier(uniformity, a, depth - 1);
    default:
        return false;
    }
}

/* Never negative, as far as it is built from index registers; wrapping is left aside. */
static bool is_never_negative(const struct cw_uniformity *uniformity, cw_ref ref, int depth) {
    const struct cw_ins *i = cw_ins_of(uniformity->fn, ref);
    int64_t c;
    if (cw_ref_const(uniformity->fn, ref, &c))
        return c >= 0;
    if (ref.tag == CW_REF_SREG)
        return ref.index < CW_LANEMASK_EQ;
    if (!i || depth == 0)
        return false;
    switch (i->op) {
    case CW_OP_ADD:
    case CW_OP_MUL:
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_COPY:
    case CW_OP_SHL:
    case CW_OP_OR:
    case CW_OP_AND:
        for (uint32_t k = 0; k < i->narg; k++)
            if (!is_never_negative(uniformity, cw_arg(uniformity->fn, i, k), depth - 1))
                return false;
        return true;
    default:
        return i->op == CW_OP_GROUPRANK;
    }
}

/* Exactly the lane number: the low five bits of a carrier. */
static bool is_lane(const struct cw_uniformity *uniformity, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(uniformity->fn, ref);
    int64_t c;
    if (ref.tag == CW_REF_SREG)
        return ref.index == CW_LANEID;
    while (i && (i->op == CW_OP_SEXT || i->op == CW_OP_ZEXT || i->op == CW_OP_COPY))
        i = cw_ins_of(uniformity->fn, cw_arg(uniformity->fn, i, 0));
    if (!i || i->narg != 2)
        return false;
    cw_ref a = cw_arg(uniformity->fn, i, 0), b = cw_arg(uniformity->fn, i, 1);
    bool is_32 = (b.tag == CW_REF_SREG && b.index == CW_WARPSIZE) || (cw_ref_const(uniformity->fn, b, &c) && c == 32);
    if (i->op == CW_OP_AND)
        return cw_ref_const(uniformity->fn, b, &c) && c == 31 && is_carrier(uniformity, a, DEPTH_MAX);
    return is_32 && is_carrier(uniformity, a, DEPTH_MAX) &&
           (i->op == CW_OP_UREM || (i->op == CW_OP_SREM && is_never_negative(uniformity, a, DEPTH_MAX)));
}

/* ---- warp-uniform results ---- */

/* carrier < 32*k and the like. */
static bool is_uniform_compare(const struct cw_uniformity *uniformity, enum cw_op op, cw_ref left, cw_ref right) {
    int64_t c;
    if (is_carrier(uniformity, right, DEPTH_MAX) && !is_carrier(uniformity, left, DEPTH_MAX)) {
        enum cw_op turned = cw_algebra_mirrored(op);
        return turned != op && is_uniform_compare(uniformity, turned, right, left);
    }
    if (!is_carrier(uniformity, left, DEPTH_MAX))
        return false;
    if (op == CW_OP_SLT || op == CW_OP_SGE || op == CW_OP_ULT || op == CW_OP_UGE)
        return is_step(uniformity, right);
    if (op == CW_OP_SLE || op == CW_OP_SGT || op == CW_OP_ULE || op == CW_OP_UGT)
        return cw_ref_const(uniformity->fn, right, &c) && (c & 31) == 31;
    return false;
}

bool cw_warp_form(const struct cw_uniformity *uniformity, const struct cw_ins *ins) {
    int64_t c;
    if (ins->narg != 2)
        return false;
    cw_ref a = cw_arg(uniformity->fn, ins, 0), b = cw_arg(uniformity->fn, ins, 1);
    switch (ins->op) {
    case CW_OP_LSHR:
    case CW_OP_ASHR:
        return cw_ref_const(uniformity->fn, b, &c) && c >= WARP_BITS && is_carrier(uniformity, a, DEPTH_MAX);
    case CW_OP_UDIV:
        return is_step(uniformity, b) && is_carrier(uniformity, a, DEPTH_MAX);
    case CW_OP_SDIV:
        return is_step(uniformity, b) && is_never_negative(uniformity, a, DEPTH_MAX) &&
               is_never_negative(uniformity, b, DEPTH_MAX) && is_carrier(uniformity, a, DEPTH_MAX);
    case CW_OP_AND:
        return (is_step(uniformity, b) && is_carrier(uniformity, a, DEPTH_MAX)) ||
               (is_step(uniformity, a) && is_carrier(uniformity, b, DEPTH_MAX));
    case CW_OP_SUB:
        return is_lane(uniformity, b) && is_carrier(uniformity, a, DEPTH_MAX);
    default:
        return is_uniform_compare(uniformity, ins->op, a, b);
    }
}

/* ---- masks ---- */

enum cw_reach_of_mask cw_warp_mask(const struct cw_uniformity *uniformity, cw_ref mask) {
    const struct cw_ins *i = cw_ins_of(uniformity->fn, mask);
    int64_t c;
    if (mask.tag == CW_REF_UNDEF)
        return CW_MASK_WHOLE;
    if (cw_ref_const(uniformity->fn, mask, &c))
        return (uint32_t)c == UINT32_MAX ? CW_MASK_WHOLE : CW_MASK_UNIFORM;
    if (cw_ref_type(uniformity->fn, mask) == CW_GROUP)
        return tile_size(uniformity, i) >= 32 ? CW_MASK_WHOLE : CW_MASK_OTHER;
    return is_warp_uniform(uniformity, mask) ? CW_MASK_UNIFORM : CW_MASK_OTHER;
}
