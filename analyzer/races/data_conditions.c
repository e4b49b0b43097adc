/* See data_conditions.h. */
#include "races/data_conditions.h"

#include "lanes/condition.h"

#include <string.h>

enum { CONDITION_DEPTH = 6 };

struct conditions {
    struct cw_lanes *lanes;
    const struct cw_fn *fn;
    const struct cw_context *context;
    uint32_t block, thread, given;
    bool are_plain;
};

static bool is_plain(const struct cw_fn *fn, cw_ref value, uint32_t depth);

/* `a && b`, `!a`, and what both arms of a branch bring together outside of loops. */
static bool is_made_of_plain(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t depth) {
    bool is_formula = ins->op == CW_OP_AND || ins->op == CW_OP_OR || ins->op == CW_OP_XOR || ins->op == CW_OP_SELECT ||
                      (ins->op == CW_OP_PHI && fn->cfg->loop_of[ins->block] == CW_NO_LOOP);
    for (uint32_t k = 0; is_formula && k < ins->narg; k++)
        if (!is_plain(fn, cw_arg(fn, ins, k), depth - 1))
            return false;
    return is_formula;
}

static bool is_zero(const struct cw_fn *fn, cw_ref value) {
    return value.tag == CW_REF_CONST && fn->consts.at[value.index].value == 0; /* of integers, and the null pointer */
}

static bool is_plain(const struct cw_fn *fn, cw_ref value, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, value);
    int64_t number;
    if (!i || depth == 0)
        return value.tag == CW_REF_PARAM || cw_ref_const(fn, value, &number);
    if (i->op == CW_OP_EQ || i->op == CW_OP_NE)
        return is_zero(fn, cw_arg(fn, i, 1));
    bool is_order = i->op > CW_OP_EQ && i->op <= CW_OP_UGE;
    bool is_equality = i->op == CW_OP_PURE && i->aux < fn->texts.n && strcmp(fn->texts.at[i->aux], "==") == 0;
    return i->op == CW_OP_LOAD || (i->op == CW_OP_PURE && !is_equality) || is_order || is_made_of_plain(fn, i, depth);
}

/* The iteration in which the branch led on: one that stands behind the block in a loop did in the iteration before.
 * False where there is none. */
static bool find_iteration(const struct conditions *conditions, uint32_t branch, const struct cw_context **context) {
    const struct cw_context *at = cw_context_at(conditions->lanes, conditions->context, branch);
    bool is_behind = at && !cw_cfg_dominates(conditions->fn->cfg, branch, conditions->block) &&
                     cw_cfg_in_loop(conditions->fn->cfg, at->loop, conditions->block);
    *context = is_behind && at->iteration > 0
                   ? cw_lanes_context(conditions->lanes, at->outer, at->loop, at->iteration - 1)
                   : at;
    return !is_behind || at->iteration > 0;
}

static bool see_branch(void *conditions, struct cw_edge edge) {
    struct conditions *c = conditions;
    const struct cw_context *context;
    if (!find_iteration(c, edge.block, &context))
        return true;
    uint32_t taken = cw_lane_cond_at(cw_lane_cond_takes(c->lanes, edge, context), c->thread);
    c->are_plain = cw_bdd_terminal(taken) ||
                   cw_bdd_and(cw_lanes_bdds(c->lanes), c->given, cw_bdd_not(taken)) == CW_BDD_FALSE ||
                   is_plain(c->fn, c->fn->blocks.at[edge.block].jump.value, CONDITION_DEPTH);
    return c->are_plain;
}

bool cw_has_plain_conditions(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                             uint32_t thread, uint32_t given) {
    struct conditions c = {lanes, cw_lanes_fn(lanes), context, block, thread, given, true};
    cw_cfg_controls(c.fn, block, see_branch, &c);
    return c.are_plain;
}
