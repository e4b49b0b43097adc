/* See reduce_trees.h. */
#include "faults/reduce_trees.h"

#include "lanes/facts_print.h"
#include "launch/for_each_launch.h"
#include "uniformity/warp_forms.h"

enum {
    STEPS = 5,     /* 16, 8, 4, 2, 1 */
    TRIPS = 16,    /* steps of a tree over one block, at most */
    INNER = 2,     /* the choice of the unknowns that is looked at */
    DEPTH = 4,     /* operations between a stored value and the loads that it is made of */
    OPERANDS = 24
};

/* ---- trees of shuffles ---- */

static const char *intrinsic_for(const struct cw_ins *ins) {
    switch ((enum cw_op)ins->op) {
    case CW_OP_ADD: return "__reduce_add_sync";
    case CW_OP_SMIN: case CW_OP_UMIN: return "__reduce_min_sync";
    case CW_OP_SMAX: case CW_OP_UMAX: return "__reduce_max_sync";
    case CW_OP_AND: return "__reduce_and_sync";
    case CW_OP_OR: return "__reduce_or_sync";
    case CW_OP_XOR: return "__reduce_xor_sync";
    default: return NULL;
    }
}

static bool is_whole_shuffle(const struct cw_uniformity *uniformity, const struct cw_ins *ins) {
    int64_t width;
    return ins != NULL && ins->op == CW_OP_SHFL && ins->type == CW_I32 &&
           (ins->aux == CW_SHFL_DOWN || ins->aux == CW_SHFL_XOR) &&
           cw_warp_mask(uniformity, cw_arg(uniformity->fn, ins, 0)) == CW_MASK_WHOLE &&
           uniformity->control_live[ins->block] <= CW_UNI_WARP &&
           (!cw_ref_const(uniformity->fn, cw_arg(uniformity->fn, ins, 3), &width) || width == 32 ||
            (ins->flags & CW_INS_DEFAULT_WIDTH));
}

/* `v op shfl(v, d)`: the shuffle, and v; UINT32_MAX when the instruction is something else. */
static uint32_t shuffle_of_step(const struct cw_uniformity *uniformity, const struct cw_ins *ins, cw_ref *ref) {
    for (uint32_t k = 0; intrinsic_for(ins) != NULL && k < 2; k++) {
        cw_ref s = cw_arg(uniformity->fn, ins, k);
        *ref = cw_arg(uniformity->fn, ins, 1 - k);
        if (is_whole_shuffle(uniformity, cw_ins_of(uniformity->fn, s)) &&
            cw_ref_eq(cw_arg(uniformity->fn, cw_ins_of(uniformity->fn, s), 1), *ref))
            return s.index;
    }
    return UINT32_MAX;
}

static int64_t written_distance(const struct cw_fn *fn, uint32_t shuffle) {
    int64_t d;
    return cw_ref_const(fn, cw_arg(fn, &fn->ins.at[shuffle], 2), &d) ? d : 0;
}

/* Written out: the step at distance 1, before it 2, 4, 8 and 16 of the same operation. The first shuffle, or
 * UINT32_MAX. */
static uint32_t first_of_chain(const struct cw_uniformity *uniformity, const struct cw_ins *last) {
    const struct cw_ins *i = last;
    for (int64_t d = 1; d <= 16; d *= 2) {
        cw_ref v;
        uint32_t s = i != NULL && i->op == last->op ? shuffle_of_step(uniformity, i, &v) : UINT32_MAX;
        if (s == UINT32_MAX || written_distance(uniformity->fn, s) != d)
            return UINT32_MAX;
        if (d == 16)
            return s;
        i = cw_ins_of(uniformity->fn, v);
    }
    return UINT32_MAX;
}

/* The distance in that iteration, the same for all who come; 0: unknown. */
static int64_t distance_in(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_ins *ins,
                           const struct cw_context *context) {
    const struct cw_lane_values *v = cw_lanes_eval(lanes, cw_arg(fn, ins, 2), context);
    for (uint32_t t = 0; v != NULL && t < cw_lanes_count(lanes); t++)
        if (v->known[t] != CW_EXACT || v->value[t] != v->value[0])
            return 0;
    return v != NULL ? v->value[0] : 0;
}

/* In a loop of its own: five trips, the value carried from one to the next. */
static bool is_loop_tree(const struct cw_kernel_query *query, struct cw_lanes *lanes, uint32_t combine,
                         uint32_t shuffle, cw_ref ref) {
    const struct cw_fn *fn = query->fn;
    const struct cw_ins *s = &fn->ins.at[shuffle], *phi = cw_ins_of(fn, ref);
    uint32_t loop = fn->cfg->loop_of[s->block];
    const struct cw_context *first = cw_lanes_first(lanes, s->block);
    bool carried = false;
    if (loop == CW_NO_LOOP || phi == NULL || phi->op != CW_OP_PHI || phi->block != fn->cfg->loops.at[loop].header)
        return false;
    for (uint32_t k = 0; k < phi->narg; k++)
        carried |= cw_ref_eq(cw_arg(fn, phi, k), cw_ref_ins(combine));
    if (!carried || cw_inner_runs(lanes, fn, s->block, STEPS) != STEPS)
        return false;
    for (uint32_t k = 0; k < STEPS; k++)
        if (distance_in(lanes, fn, s, cw_lanes_context(lanes, first->outer, loop, k)) != 16 >> k)
            return false;
    return true;
}

static void look_for_shuffles(const struct cw_kernel_query *query, struct cw_reduce_trees *all, uint32_t ins) {
    const struct cw_ins *i = &query->fn->ins.at[ins];
    cw_ref v;
    uint32_t shuffle = shuffle_of_step(query->uniformity, i, &v), first;
    struct cw_lanes *l = shuffle != UINT32_MAX && query->launches->n > 0 ? query->lanes(query->owner, 0, INNER) : NULL;
    if (l == NULL)
        return;
    first = first_of_chain(query->uniformity, i);
    if (first == UINT32_MAX && !is_loop_tree(query, l, ins, shuffle, v))
        return;
    struct cw_reduce_tree t = {.ins = first != UINT32_MAX ? first : shuffle, .name = intrinsic_for(i),
                               .barrier = UINT32_MAX, .definite = true, .evaluator = l};
    cw_vec_push(query->arena, &all->at, t);
}

static void each_instruction(const struct cw_kernel_query *query, struct cw_reduce_trees *all,
                             void (*visit)(const struct cw_kernel_query *, struct cw_reduce_trees *, uint32_t)) {
    for (uint32_t k = 0; k < query->fn->cfg->nrpo; k++) {
        const struct cw_block *b = &query->fn->blocks.at[query->fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++)
            visit(query, all, b->ins.at[j]);
    }
}

struct cw_reduce_trees cw_shuffle_reductions_of(const struct cw_kernel_query *query) {
    struct cw_reduce_trees all = {{0}};
    each_instruction(query, &all, look_for_shuffles);
    return all;
}

/* ---- trees in shared memory ---- */

static uint32_t barrier_in(const struct cw_fn *fn, uint32_t loop) {
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        uint32_t block = fn->cfg->rpo[k];
        for (uint32_t j = 0; fn->cfg->loop_of[block] == loop && j < fn->blocks.at[block].ins.n; j++)
            if (fn->ins.at[fn->blocks.at[block].ins.at[j]].op == CW_OP_BARRIER)
                return fn->blocks.at[block].ins.at[j];
    }
    return UINT32_MAX;
}

/* The loads of the loop that a value is made of. */
static uint32_t loads_of(const struct cw_fn *fn, cw_ref value, uint32_t loop, uint32_t *loads) {
    cw_ref at[OPERANDS] = {value};
    uint32_t n = 1, found = 0, level_end = 1, depth = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct cw_ins *i = cw_ins_of(fn, at[k]);
        depth += k == level_end;
        level_end = k == level_end ? n : level_end;
        if (i == NULL || depth > DEPTH || fn->cfg->loop_of[i->block] != loop || i->op == CW_OP_PHI)
            continue;
        if (i->op == CW_OP_LOAD && found < OPERANDS)
            loads[found++] = at[k].index;
        for (uint32_t a = 0; (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && a < i->narg && n < OPERANDS; a++)
            at[n++] = cw_arg(fn, i, a);
    }
    return found;
}

static bool is_shared(const struct cw_fn *fn, cw_ref base) {
    enum cw_space space = base.tag == CW_REF_OBJECT ? fn->objects.at[base.index].space : CW_SPACE_UNKNOWN;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* How many elements beyond its own each storing thread reads with that load, the same for all of them and within its
 * warp's
 * 32; 0: not so. */
static int64_t reach_of(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t store, uint32_t load,
                        const struct cw_context *context) {
    struct cw_access to[2], from[2];
    struct cw_warp_access a, b;
    int64_t all = 0;
    cw_memory_accesses(fn, &fn->ins.at[store], to);
    cw_memory_accesses(fn, &fn->ins.at[load], from);
    if (!cw_warp_access_of(lanes, fn, store, &to[0], context, 0, &a) ||
        !cw_warp_access_of(lanes, fn, load, &from[0], context, 0, &b) || a.lanes == 0 || (a.lanes & ~b.lanes) ||
        !cw_ref_eq(a.base, b.base) || !is_shared(fn, a.base))
        return 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        int64_t by = (b.offset[lane] - a.offset[lane]) / a.size;
        if (!(a.lanes >> lane & 1))
            continue;
        if (by <= 0 || by > 16 || lane + by >= 32 || (all != 0 && all != by))
            return 0;
        all = by;
    }
    return all;
}

/* Do its last five steps stay within a warp, as a tree's do? */
static bool ends_in_warp(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t store, uint32_t load) {
    uint32_t block = fn->ins.at[store].block, runs = cw_inner_runs(lanes, fn, block, TRIPS);
    const struct cw_context *first = cw_lanes_first(lanes, block);
    if (runs <= STEPS)
        return false;
    for (uint32_t k = 0; k < STEPS; k++) {
        const struct cw_context *c = cw_lanes_context(lanes, first->outer, first->loop, runs - STEPS + k);
        if (reach_of(lanes, fn, store, load, c) != 16 >> k)
            return false;
    }
    return true;
}

static bool has_tail(const struct cw_fn *fn, struct cw_lanes *lanes, uint32_t store, const uint32_t *loads,
                     uint32_t n) {
    for (uint32_t k = 0; lanes != NULL && k < n; k++)
        if (ends_in_warp(lanes, fn, store, loads[k]))
            return true;
    return false;
}

static void look_for_tail(const struct cw_kernel_query *query, struct cw_reduce_trees *all, uint32_t ins) {
    const struct cw_fn *fn = query->fn;
    const struct cw_ins *i = &fn->ins.at[ins];
    uint32_t loop = i->op == CW_OP_STORE ? fn->cfg->loop_of[i->block] : CW_NO_LOOP, loads[OPERANDS], n;
    uint32_t barrier = loop != CW_NO_LOOP ? barrier_in(fn, loop) : UINT32_MAX;
    struct cw_bases bases = i->op == CW_OP_STORE ? cw_memory_bases(fn, cw_arg(fn, i, 1)) : (struct cw_bases){.n = 0};
    if (barrier == UINT32_MAX || bases.n != 1 || !is_shared(fn, bases.at[0].root))
        return;
    n = loads_of(fn, cw_arg(fn, i, 0), loop, loads);
    struct cw_reduce_tree t = {.ins = ins, .barrier = barrier, .object = bases.at[0].root.index};
    struct cw_survey s = cw_survey_of(query->launches, 64); /* with fewer threads the whole tree is within a warp */
    while (cw_survey_next(&s)) {
        struct cw_lanes *l = query->lanes(query->owner, s.launch, INNER);
        if (has_tail(fn, l, ins, loads, n) && cw_survey_shown(&s))
            t.evaluator = l;
    }
    t.definite = cw_survey_definite(&s);
    if (s.shown > 0)
        cw_vec_push(query->arena, &all->at, t);
}

struct cw_reduce_trees cw_shared_tails_of(const struct cw_kernel_query *query) {
    struct cw_reduce_trees all = {{0}};
    each_instruction(query, &all, look_for_tail);
    return all;
}

/* ---- text form ---- */

void cw_reduce_trees_print(const struct cw_facts_print *to, const struct cw_reduce_trees *trees) {
    for (uint32_t k = 0; k < trees->at.n; k++) {
        const struct cw_reduce_tree *tree = &trees->at.at[k];
        cw_facts_begin(to, tree->definite, tree->name ? "tree of shuffles" : "tree in shared memory");
        cw_facts_ins(to, "", tree->ins);
        if (tree->name) {
            cw_facts_part(to, "done by %s", tree->name);
        } else {
            cw_facts_ins(to, "step ends with", tree->barrier);
            cw_facts_base(to, cw_ref_of(CW_REF_OBJECT, tree->object));
        }
        cw_facts_evaluator(to, tree->evaluator);
        cw_facts_end(to);
    }
}
