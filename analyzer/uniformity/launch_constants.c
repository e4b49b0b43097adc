#include "uniformity/launch_constants.h"

#include "base/hash.h"

enum { DEPTH_MAX = 12 };

static bool is_launch_register(uint32_t sreg) {
    return (sreg >= CW_NTID_X && sreg <= CW_NCTAID_Z) || sreg == CW_WARPSIZE;
}

static bool is_computation(enum cw_op op) {
    switch (op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_MUL:
    case CW_OP_SDIV:
    case CW_OP_UDIV:
    case CW_OP_SREM:
    case CW_OP_UREM:
    case CW_OP_AND:
    case CW_OP_OR:
    case CW_OP_XOR:
    case CW_OP_SHL:
    case CW_OP_LSHR:
    case CW_OP_ASHR:
    case CW_OP_NEG:
    case CW_OP_NOT:
    case CW_OP_SMIN:
    case CW_OP_SMAX:
    case CW_OP_UMIN:
    case CW_OP_UMAX:
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_TRUNC:
    case CW_OP_COPY: return true;
    default: return false;
    }
}

/* The addition of an offset in bytes to a by-value parameter. */
static bool is_field_of_parameter(const struct cw_fn *fn, cw_ref at, uint64_t *hash) {
    const struct cw_ins *i = cw_ins_of(fn, at);
    int64_t offset = 0;
    if (i && i->op == CW_OP_PTRADD) {
        if (!cw_ref_const(fn, cw_arg(fn, i, 1), &offset))
            return false;
        at = cw_arg(fn, i, 0);
    }
    *hash = cw_mix(cw_mix(CW_REF_OBJECT, at.index), (uint64_t)offset);
    return at.tag == CW_REF_OBJECT && fn->objects.at[at.index].space == CW_SPACE_PARAM;
}

static bool hash_value(const struct cw_fn *fn, cw_ref value, int depth, uint64_t *hash) {
    int64_t number;
    if (cw_ref_const(fn, value, &number)) {
        *hash = cw_mix(CW_REF_CONST, (uint64_t)number);
        return true;
    }
    *hash = cw_mix(value.tag, value.index);
    if (value.tag == CW_REF_PARAM || value.tag == CW_REF_TPARAM)
        return true;
    if (value.tag == CW_REF_SREG)
        return is_launch_register(value.index);
    const struct cw_ins *i = cw_ins_of(fn, value);
    if (!i || depth == 0)
        return false;
    if (i->op == CW_OP_LOAD)
        return is_field_of_parameter(fn, cw_arg(fn, i, 0), hash);
    if (!is_computation((enum cw_op)i->op))
        return false;
    *hash = cw_mix(i->op, i->type);
    for (uint32_t k = 0; k < i->narg; k++) {
        uint64_t part;
        if (!hash_value(fn, cw_arg(fn, i, k), depth - 1, &part))
            return false;
        *hash = cw_mix(*hash, part);
    }
    return true;
}

bool cw_launch_constant(const struct cw_fn *fn, cw_ref value, uint64_t *hash) {
    return hash_value(fn, value, DEPTH_MAX, hash);
}

/* What multiplies a sum by a constant, or only changes its width, leaves its terms. */
static bool keeps_terms(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t factor;
    if (cw_is_cast((enum cw_op)ins->op))
        return true;
    return (ins->op == CW_OP_MUL || ins->op == CW_OP_SHL) && cw_ref_const(fn, cw_arg(fn, ins, 1), &factor);
}

static bool has_term(const struct cw_fn *fn, cw_ref sum, int depth) {
    int64_t number;
    uint64_t hash;
    if (cw_ref_const(fn, sum, &number))
        return false;
    if (depth == 0 || hash_value(fn, sum, depth, &hash))
        return true;
    const struct cw_ins *i = cw_ins_of(fn, sum);
    if (!i)
        return false;
    if (i->op == CW_OP_ADD || i->op == CW_OP_SUB)
        return has_term(fn, cw_arg(fn, i, 0), depth - 1) || has_term(fn, cw_arg(fn, i, 1), depth - 1);
    return keeps_terms(fn, i) && has_term(fn, cw_arg(fn, i, 0), depth - 1);
}

bool cw_has_launch_term(const struct cw_fn *fn, cw_ref sum) {
    return has_term(fn, sum, DEPTH_MAX);
}
