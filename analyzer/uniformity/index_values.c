/* requires: SSA. computes: one walk over the operands of a condition. preserves: everything. */
#include "uniformity/index_values.h"

#include "base/hash.h"

enum { MAX_DEPTH = 32, MAX_VISITS = 256 };

struct walk {
    const struct cw_fn *fn;
    const struct cw_uniformity *uniformity;
    uint32_t visits;
    bool counts; /* counters of loops are index values, too */
};

static uint64_t hash_of(uint64_t kind, uint64_t value) {
    uint64_t pair[2] = {kind, value};
    return cw_hash(pair, sizeof pair, 0) | 1;
}

static uint64_t value_of(struct walk *w, cw_ref value, uint32_t depth);

/* The counter of a loop, by what it begins with and how it changes. */
static uint64_t counter_of(struct walk *walk, uint32_t phi, uint32_t depth) {
    const struct cw_cfg *cfg = walk->fn->cfg;
    for (uint32_t k = 0; walk->counts && k < cfg->inductions.n; k++) {
        const struct cw_induction *v = &cfg->inductions.at[k];
        uint64_t init = v->phi == phi ? value_of(walk, v->init, depth) : 0,
                 step = init ? value_of(walk, v->step, depth) : 0;
        if (step != 0)
            return hash_of(hash_of(hash_of(CW_REF_INS, v->op), init), step);
    }
    return 0;
}

static uint64_t value_of(struct walk *walk, cw_ref value, uint32_t depth) {
    if (value.tag == CW_REF_CONST)
        return hash_of(CW_REF_CONST, (uint64_t)walk->fn->consts.at[value.index].value);
    if (value.tag == CW_REF_SREG)
        return hash_of(CW_REF_SREG, value.index);
    if (value.tag != CW_REF_INS || depth == 0 || walk->visits == 0)
        return 0;
    walk->visits--;
    const struct cw_ins *ins = &walk->fn->ins.at[value.index];
    if (ins->op == CW_OP_PHI)
        return counter_of(walk, value.index, depth - 1);
    if (cw_op_flags((enum cw_op)ins->op) != CW_OP_P)
        return 0;
    uint64_t hash = hash_of(CW_REF_INS, ins->op);
    for (uint32_t k = 0; k < ins->narg; k++) {
        uint64_t operand = value_of(walk, cw_arg(walk->fn, ins, k), depth - 1);
        if (operand == 0)
            return 0;
        hash = hash_of(hash, operand);
    }
    return hash;
}

static bool is_connective(const struct cw_fn *fn, const struct cw_ins *ins) {
    return (ins->op == CW_OP_AND || ins->op == CW_OP_OR || ins->op == CW_OP_SELECT) && ins->narg > 0 &&
           cw_ref_type(fn, cw_arg(fn, ins, 0)) == CW_I1;
}

static uint64_t condition_of(struct walk *walk, cw_ref value, uint32_t depth) {
    uint64_t whole = value_of(walk, value, MAX_DEPTH);
    if (whole != 0 || value.tag != CW_REF_INS || depth == 0 || !is_connective(walk->fn, &walk->fn->ins.at[value.index]))
        return whole;
    const struct cw_ins *ins = &walk->fn->ins.at[value.index];
    uint64_t hash = hash_of(CW_REF_INS, ins->op);
    bool has_index = false;
    for (uint32_t k = 0; k < ins->narg; k++) {
        cw_ref part = cw_arg(walk->fn, ins, k);
        uint64_t index = part.tag == CW_REF_CONST ? 0 : condition_of(walk, part, depth - 1);
        if (index == 0 && cw_uni_of(walk->uniformity, part) > CW_UNI_BLOCK)
            return 0;
        has_index |= index != 0;
        hash = hash_of(hash, index);
    }
    return has_index ? hash : 0;
}

uint64_t cw_index_condition(const struct cw_fn *fn, const struct cw_uniformity *uniformity, cw_ref value) {
    enum { CONNECTIVES = 6 };
    struct walk w = {fn, uniformity, MAX_VISITS, false};
    return condition_of(&w, value, CONNECTIVES);
}

struct control_walk {
    const struct cw_fn *fn;
    const struct cw_uniformity *uniformity;
    bool holds;
};

static bool see_control(void *ctx, struct cw_edge edge) {
    enum { CONNECTIVES = 6 };
    struct control_walk *c = ctx;
    const struct cw_jump *jump = &c->fn->blocks.at[edge.block].jump;
    struct walk w = {c->fn, c->uniformity, MAX_VISITS, true};
    c->holds = cw_uni_of(c->uniformity, jump->value) <= CW_UNI_WARP || condition_of(&w, jump->value, CONNECTIVES) != 0;
    return c->holds;
}

bool cw_is_index_controlled(const struct cw_fn *fn, const struct cw_uniformity *uniformity, uint32_t block) {
    struct control_walk c = {fn, uniformity, true};
    cw_cfg_live_controls(fn, block, see_control, &c);
    return c.holds;
}
