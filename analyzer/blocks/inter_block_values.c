/* Do two writes store the same value? Then their conflict is harmless.
 *
 * requires: the evaluators of the two blocks. computes: whether the values are equal, different or unknown; an atomic
 * update beside a plain write leaves another value than either alone. cost: two evaluations. preserves: everything. */
#include "blocks/inter_block_internal.h"

/* The operand that an event stores, CW_NONE when it is not one value. */
static cw_ref stored_value(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op == CW_OP_STORE)
        return cw_arg(fn, ins, 0);
    bool plain = ins->op == CW_OP_ATOMIC && (ins->aux & 0xff) == CW_ATOMIC_EXCH;
    return plain && ins->narg > 1 ? cw_arg(fn, ins, 1) : CW_NONE;
}

/* An atomic that computes the new value from the old one: a plain write before it or after it gives another result. */
static bool is_update(const struct cw_ins *ins) {
    return ins->op == CW_OP_ATOMIC && (ins->aux & 0xff) != CW_ATOMIC_EXCH && (ins->aux & 0xff) != CW_ATOMIC_STORE;
}

enum cw_agreement cw_inter_compare_values(const struct inter *inter, const struct touch *touch,
                                          const struct touch *other) {
    const struct touch *side[2] = {touch, other};
    const struct cw_fn *fn = inter->q->fn;
    int64_t value[2];
    bool exact[2];
    const struct cw_ins *a = &fn->ins.at[inter->d.at.at[touch->event].ins],
                        *b = &fn->ins.at[inter->d.at.at[other->event].ins];
    if (is_update(a) != is_update(b) || (cw_device_counts(a) && cw_device_counts(b)))
        return CW_VALUES_DIFFERENT;
    for (int k = 0; k < 2; k++) {
        const struct cw_ins *i = &fn->ins.at[inter->d.at.at[side[k]->event].ins];
        cw_ref r = stored_value(fn, i);
        struct cw_lanes *l = inter->lanes[side[k]->at.block];
        if (r.tag == CW_REF_NONE || r.tag == CW_REF_UNDEF)
            return CW_VALUES_UNKNOWN;
        const struct cw_lane_values *v = cw_lanes_eval(l, r, cw_inter_context(inter, l, side[k]));
        exact[k] = v->known[side[k]->at.thread] <= CW_SAMPLED;
        value[k] = v->value[side[k]->at.thread];
    }
    if (exact[0] && exact[1])
        return value[0] == value[1] ? CW_VALUES_EQUAL : CW_VALUES_DIFFERENT;
    return exact[0] == exact[1] && value[0] == value[1] ? CW_VALUES_EQUAL : CW_VALUES_UNKNOWN;
}
