#include "faults/rounded_bounds.h"

#include "uniformity/alias.h"

/* Has a value that is the same for the block, and was read from memory or from a structure of the launch, a part in it?
 */
static bool reads_shared_value(const struct cw_kernel_query *query, cw_ref value, uint32_t depth) {
    const struct cw_ins *ins = cw_ins_of(query->fn, value);
    if (value.tag == CW_REF_PARAM && query->fn->params.at[value.index].part_of)
        return true;
    if (ins == NULL || depth == 0)
        return false;
    if (ins->op == CW_OP_LOAD)
        return cw_uni_of(query->uniformity, value) <= CW_UNI_BLOCK;
    for (uint32_t k = 0; k < ins->narg && cw_op_flags((enum cw_op)ins->op) == CW_OP_P; k++)
        if (ins->op != CW_OP_PHI && reads_shared_value(query, cw_arg(query->fn, ins, k), depth - 1))
            return true;
    return false;
}

bool cw_may_be_rounded(const struct cw_kernel_query *query, uint32_t branch) {
    enum { DEPTH = 12 };
    return !query->launches->from_facts && branch != CW_NO_BLOCK &&
           reads_shared_value(query, query->fn->blocks.at[branch].jump.value, DEPTH);
}

bool cw_is_made_to_fit(const struct cw_kernel_query *query, uint32_t branch) {
    const struct cw_launches *launches = query->launches;
    return launches->n > 0 && launches->at[0].source == CW_LAUNCH_CHOSEN && cw_may_be_rounded(query, branch);
}

/* ---- between two bounds ---- */

/* What must hold, or fail, for a thread to come to a block. */
struct decider {
    uint32_t ins;
    bool fails;
};

struct deciders {
    const struct cw_kernel_query *query;
    struct cw_bitset seen[2];
    CW_VEC(struct decider) comparisons, open; /* open: yet to be looked at */
};

static void add_value(struct deciders *of, cw_ref value, bool fails) {
    if (value.tag != CW_REF_INS || cw_bitset_has(&of->seen[fails], value.index))
        return;
    cw_bitset_add(&of->seen[fails], value.index);
    cw_vec_push(of->query->arena, &of->open, ((struct decider){value.index, fails}));
}

static bool add_decider(void *ctx, struct cw_edge edge) {
    struct deciders *of = ctx;
    const struct cw_jump *jump = &of->query->fn->blocks.at[edge.block].jump;
    if (jump->kind == CW_JUMP_BRANCH)
        add_value(of, jump->value, edge.which == 1);
    return true;
}

/* A flag has its value where threads have come by a way that gives it. */
static void look_through_flag(struct deciders *of, const struct cw_ins *phi, bool fails) {
    const struct cw_fn *fn = of->query->fn;
    for (uint32_t k = 0; k < phi->narg; k++) {
        cw_ref given = cw_arg(fn, phi, k);
        int64_t flag;
        if (cw_ref_const(fn, given, &flag) && (flag != 0) == fails)
            continue;
        add_value(of, given, fails);
        cw_cfg_controls(fn, fn->blocks.at[phi->block].pred.at[k], add_decider, of);
    }
}

static void find_comparisons(struct deciders *of, uint32_t block) {
    const struct cw_fn *fn = of->query->fn;
    cw_cfg_controls(fn, block, add_decider, of);
    while (of->open.n > 0) {
        struct decider next = of->open.at[--of->open.n];
        const struct cw_ins *ins = &fn->ins.at[next.ins];
        if (cw_is_compare((enum cw_op)ins->op))
            cw_vec_push(of->query->arena, &of->comparisons, next);
        else if (ins->op == CW_OP_PHI)
            look_through_flag(of, ins, next.fails);
        for (uint32_t k = 0; ins->op == (next.fails ? CW_OP_OR : CW_OP_AND) && k < ins->narg; k++)
            add_value(of, cw_arg(fn, ins, k), next.fails);
    }
}

static bool is_below(enum cw_op op) {
    return op == CW_OP_SLT || op == CW_OP_SLE || op == CW_OP_ULT || op == CW_OP_ULE;
}

/* Has a value of the launch's structures, or of constant memory, a part in it? */
static bool is_of_structure(const struct cw_kernel_query *query, cw_ref value, uint32_t depth) {
    const struct cw_fn *fn = query->fn;
    const struct cw_ins *ins = cw_ins_of(fn, value);
    if (value.tag == CW_REF_PARAM && fn->params.at[value.index].part_of)
        return true;
    if (ins == NULL || depth == 0 || (ins->op != CW_OP_LOAD && !(cw_op_flags((enum cw_op)ins->op) & CW_OP_P)))
        return false;
    if (ins->op == CW_OP_LOAD) {
        struct cw_bases bases = cw_memory_bases(fn, cw_arg(fn, ins, 0));
        enum cw_space space = bases.n == 1 && bases.at[0].root.tag == CW_REF_OBJECT && !bases.at[0].is_read
                                  ? fn->objects.at[bases.at[0].root.index].space
                                  : CW_SPACE_UNKNOWN;
        return space == CW_SPACE_PARAM || space == CW_SPACE_CONSTANT;
    }
    for (uint32_t k = 0; k < ins->narg && ins->op != CW_OP_PHI; k++)
        if (is_of_structure(query, cw_arg(fn, ins, k), depth - 1))
            return true;
    return false;
}

/* A position that such a bound limits. */
struct bounded {
    cw_ref position;
    bool from_above;
};

static bool find_bounded(const struct cw_kernel_query *query, const struct decider *decider, struct bounded *out) {
    enum { DEPTH = 6 };
    const struct cw_uniformity *uniformity = query->uniformity;
    const struct cw_ins *ins = &query->fn->ins.at[decider->ins];
    for (uint32_t side = 0; side < 2 && ins->op != CW_OP_EQ && ins->op != CW_OP_NE; side++) {
        cw_ref bound = cw_arg(query->fn, ins, !side);
        *out = (struct bounded){cw_arg(query->fn, ins, side),
                                (is_below((enum cw_op)ins->op) == (side == 0)) != decider->fails};
        if (cw_uni_of(uniformity, out->position) > CW_UNI_WARP && cw_uni_of(uniformity, bound) <= CW_UNI_BLOCK &&
            is_of_structure(query, bound, DEPTH))
            return true;
    }
    return false;
}

bool cw_may_be_allotted(const struct cw_kernel_query *query, uint32_t block) {
    struct deciders of = {.query = query};
    CW_VEC(struct bounded) all = {0};
    struct bounded now;
    for (uint32_t k = 0; k < 2; k++)
        of.seen[k] = cw_bitset_new(query->arena, query->fn->ins.n);
    find_comparisons(&of, block);
    for (uint32_t k = 0; k < of.comparisons.n; k++) {
        if (!find_bounded(query, &of.comparisons.at[k], &now))
            continue;
        for (uint32_t n = 0; n < all.n; n++)
            if (cw_ref_eq(all.at[n].position, now.position) && all.at[n].from_above != now.from_above)
                return true;
        cw_vec_push(query->arena, &all, now);
    }
    return false;
}
