/* Who comes where: a formula per thread for every block and edge of an iteration.
 *
 * A block is reached over one of its incoming edges; an edge is taken by who reaches its block and decides so. Within
 * one iteration that is a walk over an acyclic graph, in reverse post-order. A block that surely follows its dominator
 * in the same iteration (a join) is reached by who reaches the dominator, whatever lies between: conditions and inner
 * loops that do not matter are never evaluated. Loops are taken to end, and data-dependent traps (assert) not to
 * happen. */
#include "lanes/lanes_internal.h"

#include <stdlib.h>
#include <string.h>

enum { NO_SHORTCUT = UINT32_MAX };

/* ---- formulas for all threads ---- */

static const struct cw_lane_cond *constant_lf(const struct cw_lanes *lanes, uint32_t formula) {
    return formula == CW_BDD_TRUE     ? lanes->memo.everybody
           : formula == CW_BDD_FALSE  ? lanes->memo.nobody
           : formula == CW_BDD_POISON ? lanes->memo.poison
                                    : NULL;
}

const struct cw_lane_cond *cw_lane_cond_seal(struct cw_lanes *lanes, uint32_t n) {
    uint32_t same = 1;
    while (same < n && lanes->scratch.formula[same] == lanes->scratch.formula[0])
        same++;
    if (same == n)
        n = 1;
    const struct cw_lane_cond *constant = n == 1 ? constant_lf(lanes, lanes->scratch.formula[0]) : NULL;
    if (constant)
        return constant;
    struct cw_lane_cond *f = CW_NEW(lanes->a, struct cw_lane_cond);
    f->mask = n == 1 ? 0 : UINT32_MAX;
    f->at = CW_NEW_ARRAY(lanes->a, uint32_t, n);
    memcpy(f->at, lanes->scratch.formula, n * sizeof *f->at);
    lanes->cells += n;
    return f;
}

const struct cw_lane_cond *cw_lane_cond_one(struct cw_lanes *lanes, uint32_t formula) {
    lanes->scratch.formula[0] = formula;
    return cw_lane_cond_seal(lanes, 1);
}

static uint32_t width_of(const struct cw_lanes *lanes, const struct cw_lane_cond *cond,
                         const struct cw_lane_cond *other) {
    return cond->mask || other->mask ? lanes->threads : 1;
}

const struct cw_lane_cond *cw_lane_cond_without(struct cw_lanes *lanes, const struct cw_lane_cond *cond,
                                                const struct cw_lane_cond *other) {
    uint32_t n = width_of(lanes, cond, other);
    for (uint32_t t = 0; t < n; t++)
        lanes->scratch.formula[t] =
            cw_bdd_and(&lanes->f, cw_lane_cond_at(cond, t), cw_bdd_not(cw_lane_cond_at(other, t)));
    return cw_lane_cond_seal(lanes, n);
}

bool cw_lane_cond_is(const struct cw_lanes *lanes, const struct cw_lane_cond *cond, uint32_t formula) {
    uint32_t n = cond->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (cond->at[t] != formula)
            return false;
    return true;
}

bool cw_lane_cond_decided(const struct cw_lanes *lanes, const struct cw_lane_cond *cond) {
    uint32_t n = cond->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (!cw_bdd_terminal(cond->at[t]))
            return false;
    return true;
}

const struct cw_lane_cond *cw_lane_cond_or(struct cw_lanes *lanes, const struct cw_lane_cond *cond,
                                           const struct cw_lane_cond *other) {
    if (cond == other || cw_lane_cond_is(lanes, other, CW_BDD_FALSE))
        return cond;
    uint32_t n = width_of(lanes, cond, other);
    for (uint32_t t = 0; t < n; t++)
        lanes->scratch.formula[t] = cw_bdd_or(&lanes->f, cw_lane_cond_at(cond, t), cw_lane_cond_at(other, t));
    return cw_lane_cond_seal(lanes, n);
}

const struct cw_lane_cond *cw_lane_cond_and(struct cw_lanes *lanes, const struct cw_lane_cond *cond,
                                            const struct cw_lane_cond *other) {
    uint32_t n = width_of(lanes, cond, other);
    for (uint32_t t = 0; t < n; t++)
        lanes->scratch.formula[t] = cw_bdd_and(&lanes->f, cw_lane_cond_at(cond, t), cw_lane_cond_at(other, t));
    return cw_lane_cond_seal(lanes, n);
}

/* ---- traps ---- */

/* Blocks from which every way ends in a trap: by the chain of single successors, which is how assert is lowered. */
static void find_doomed(struct cw_lanes *lanes) {
    lanes->memo.doomed = cw_bitset_new(lanes->a, lanes->fn->blocks.n);
    for (uint32_t k = lanes->fn->cfg->nrpo; k-- > 0;) {
        uint32_t b = lanes->fn->cfg->rpo[k];
        const struct cw_jump *j = &lanes->fn->blocks.at[b].jump;
        if (j->kind == CW_JUMP_TRAP || (j->kind == CW_JUMP_GOTO && cw_bitset_has(&lanes->memo.doomed, j->succ[0])))
            cw_bitset_add(&lanes->memo.doomed, b);
    }
}

static bool is_doomed(struct cw_lanes *lanes, uint32_t block) {
    if (!lanes->memo.doomed.word)
        find_doomed(lanes);
    return cw_bitset_has(&lanes->memo.doomed, block);
}

enum { TRAP_DEPTH = 8, REGION_MAX = 512 };

/* Is the value made from loaded data, or from what nobody knows? What a launch passes, a size or a struct of sizes, is
 * neither. */
static bool rests_on_data(const struct cw_fn *fn, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || depth == 0)
        return false;
    if (i->op == CW_OP_OPCALL || i->op == CW_OP_OPAQUE)
        return true;
    if (i->op == CW_OP_LOAD) {
        cw_ref from = cw_arg(fn, i, 0);
        for (const struct cw_ins *p = cw_ins_of(fn, from); p && p->op == CW_OP_PTRADD; p = cw_ins_of(fn, from))
            from = cw_arg(fn, p, 0);
        enum cw_space space = from.tag == CW_REF_OBJECT ? fn->objects.at[from.index].space : CW_SPACE_GLOBAL;
        return space != CW_SPACE_PARAM && space != CW_SPACE_CONSTANT;
    }
    for (uint32_t k = 0; k < i->narg; k++)
        if (rests_on_data(fn, cw_arg(fn, i, k), depth - 1))
            return true;
    return false;
}

/* Do data, or calls that nobody knows, decide all traps on the ways from `first` to `last`? Those are taken not to
 * happen. */
static bool only_data_trap(struct cw_lanes *lanes, uint32_t first, uint32_t last) {
    const struct cw_fn *fn = lanes->fn;
    struct cw_bitset seen = cw_bitset_new(lanes->a, fn->blocks.n);
    uint32_t stack[REGION_MAX], depth = 0;
    stack[depth++] = first;
    while (depth > 0) {
        const struct cw_jump *j = &fn->blocks.at[stack[--depth]].jump;
        for (uint32_t s = 0; s < j->nsucc; s++) {
            uint32_t to = j->succ[s];
            if (fn->cfg->dies[to] && !rests_on_data(fn, j->value, TRAP_DEPTH))
                return false;
            if (to == last || fn->cfg->dies[to] || cw_bitset_has(&seen, to))
                continue;
            cw_bitset_add(&seen, to);
            if (depth == REGION_MAX)
                return false;
            stack[depth++] = to;
        }
    }
    return true;
}

/* A block that is reached by exactly those who reach this one, as far as no trap stops them; or the block itself. */
static uint32_t find_equivalent(struct cw_lanes *lanes, uint32_t block) {
    if (!lanes->memo.equivalent)
        lanes->memo.equivalent = CW_NEW_ARRAY(lanes->a, uint32_t, lanes->fn->blocks.n);
    uint32_t *known = &lanes->memo.equivalent[block];
    if (*known == 0) {
        uint32_t surely = cw_cfg_control_equivalent(lanes->fn, block);
        uint32_t survivor = surely == block ? cw_cfg_survivor_equivalent(lanes->fn, block) : block;
        *known = 1 + (survivor != block && only_data_trap(lanes, survivor, block) ? survivor : surely);
    }
    return *known - 1;
}

struct exactness {
    struct cw_lanes *l;
    bool holds;
};

static bool see_exact(void *ctx, struct cw_edge edge) {
    struct exactness *x = ctx;
    cw_ref value = x->l->fn->blocks.at[edge.block].jump.value;
    x->holds = cw_lanes_eval(x->l, value, cw_lanes_first(x->l, edge.block))->worst == CW_EXACT;
    return x->holds;
}

bool cw_lanes_decided_exactly(struct cw_lanes *lanes, uint32_t block) {
    struct exactness x = {lanes, true};
    cw_cfg_controls(lanes->fn, block, see_exact, &x);
    return x.holds;
}

bool cw_lanes_surely_reached(struct cw_lanes *lanes, uint32_t block) {
    const struct cw_lane_cond *here = cw_lane_cond_reach(lanes, block, cw_lanes_first(lanes, block));
    uint32_t n = here->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (here->at[t] == CW_BDD_TRUE)
            return true;
    return false;
}

/* Does the kernel end in a trap, whatever the launch? An instance for a type that a helper refuses
 * (`assert(false)`). */
static bool never_returns(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        enum cw_jump_kind kind = fn->blocks.at[fn->cfg->rpo[k]].jump.kind;
        if (kind == CW_JUMP_RETURN || kind == CW_JUMP_NONE)
            return false;
    }
    return fn->cfg->endless.n == 0;
}

bool cw_lanes_traps(struct cw_lanes *lanes) {
    if (never_returns(lanes->fn))
        return true;
    for (uint32_t k = 0; k < lanes->fn->cfg->nrpo; k++) {
        uint32_t b = lanes->fn->cfg->rpo[k];
        if (lanes->fn->blocks.at[b].jump.kind == CW_JUMP_TRAP && cw_lanes_surely_reached(lanes, b))
            return true;
    }
    return false;
}

void cw_lanes_abandon_trapped(struct cw_lanes *lanes) {
    cw_lanes_give_up(lanes, CW_BAIL_TRAP);
    lanes->exhausted = lanes->trapped = true;
}

bool cw_lanes_is_trapped(const struct cw_lanes *lanes) {
    return lanes->trapped;
}

/* ---- deciding ---- */

static uint32_t case_formula(struct cw_lanes *lanes, const struct cw_lane_value *value, bool open, int64_t token,
                             uint32_t t, int64_t number) {
    struct cw_cell c = cw_lane_value_cell(value, t);
    if (open)
        return cw_lanes_equals(lanes, token, number, CW_FREE);
    if (cw_cell_numeric(c))
        return c.value == number ? CW_BDD_TRUE : CW_BDD_FALSE;
    return c.value == CW_NO_TOKEN ? CW_BDD_POISON : cw_lanes_equals(lanes, c.value, number, (enum cw_state)c.known);
}

/* `switch` goes to the first case that matches, else to the last successor. Cases are distinct. */
static const struct cw_lane_cond *switch_condition(struct cw_lanes *lanes, uint32_t block, uint32_t which,
                                            const struct cw_context *context) {
    const struct cw_jump *j = &lanes->fn->blocks.at[block].jump;
    const struct cw_lane_value *v = cw_lane_value_of(lanes, j->value, context);
    const struct cw_ins *def = cw_ins_of(lanes->fn, j->value);
    bool open = v->worst == CW_SAMPLE && !v->mask && j->nsucc <= 48;
    int64_t token = cw_token(cw_lanes_name(j->value, def ? cw_context_at(lanes, context, def->block) : NULL));
    uint32_t n = v->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t f = CW_BDD_TRUE;
        if (which + 1 < j->nsucc)
            f = case_formula(lanes, v, open, token, t, j->cases[which]);
        else
            for (uint32_t k = 0; k + 1 < j->nsucc; k++)
                f = cw_bdd_and(&lanes->f, f, cw_bdd_not(case_formula(lanes, v, open, token, t, j->cases[k])));
        lanes->scratch.formula[t] = f;
    }
    return cw_lane_cond_seal(lanes, n);
}

static const struct cw_lane_cond *branch_condition(struct cw_lanes *lanes, uint32_t block, uint32_t which,
                                            const struct cw_context *context) {
    const struct cw_jump *j = &lanes->fn->blocks.at[block].jump;
    const struct cw_lane_value *v = cw_lane_value_of(lanes, j->value, context);
    bool trap[2] = {is_doomed(lanes, j->succ[0]), is_doomed(lanes, j->succ[1])};
    uint32_t n = v->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++) {
        uint32_t f = cw_cell_formula(cw_lane_value_cell(v, t));
        if (trap[0] != trap[1] && !cw_bdd_terminal(f))
            f = trap[0] ? CW_BDD_FALSE : CW_BDD_TRUE;
        lanes->scratch.formula[t] = which ? cw_bdd_not(f) : f;
    }
    return cw_lane_cond_seal(lanes, n);
}

/* ---- edges ---- */

/* In a context that fixes all loops around the edge's block. */
static const struct cw_lane_cond *take_edge(struct cw_lanes *lanes, struct cw_edge edge,
                                            const struct cw_context *context) {
    const struct cw_jump *j = &lanes->fn->blocks.at[edge.block].jump;
    const struct cw_lane_cond *here = cw_lane_cond_reach(lanes, edge.block, context);
    if (j->nsucc == 1 || cw_lane_cond_is(lanes, here, CW_BDD_FALSE))
        return here;
    const struct cw_lane_cond *decides = j->kind == CW_JUMP_SWITCH
                                             ? switch_condition(lanes, edge.block, edge.which, context)
                                             : branch_condition(lanes, edge.block, edge.which, context);
    return cw_lane_cond_and(lanes, here, decides);
}

const struct cw_lane_cond *cw_lane_cond_takes(struct cw_lanes *lanes, struct cw_edge edge,
                                              const struct cw_context *context) {
    if (lanes->fn->cfg->rpo_index[edge.block] == CW_NO_BLOCK ||
        edge.which >= lanes->fn->blocks.at[edge.block].jump.nsucc)
        return cw_lane_cond_one(lanes, CW_BDD_FALSE);
    context = cw_context_at(lanes, context, edge.block);
    uint64_t key = cw_mix(cw_mix(cw_context_id(context) + 1, edge.block), edge.which), found;
    if (cw_map_get(&lanes->memo.takes, key, &found))
        return (const struct cw_lane_cond *)(uintptr_t)found;
    if (lanes->exhausted || lanes->depth >= CW_LANES_DEPTH || !cw_lanes_spend(lanes, 1)) {
        cw_lanes_give_up(lanes, CW_BAIL_ITERATION_BUDGET);
        return cw_lane_cond_one(lanes, CW_BDD_POISON);
    }
    uint32_t missing = cw_context_missing(lanes, context, edge.block);
    lanes->depth++;
    const struct cw_lane_cond *f = missing == CW_NO_LOOP ? take_edge(lanes, edge, context)
                                                         : cw_lanes_some_iteration(lanes, edge, missing, context);
    lanes->depth--;
    cw_map_put(&lanes->memo.takes, key, (uint64_t)(uintptr_t)f);
    return f;
}

/* ---- blocks ---- */

static bool is_header_of(const struct cw_lanes *lanes, uint32_t block, const struct cw_context *context) {
    return context && lanes->fn->cfg->loops.at[context->loop].header == block;
}

static const struct cw_lane_cond *over_edges(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                                             bool inside, uint32_t loop) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    const struct cw_vec_u32 *pred = &lanes->fn->blocks.at[block].pred;
    const struct cw_lane_cond *f = cw_lane_cond_one(lanes, CW_BDD_FALSE);
    for (uint32_t p = 0; p < pred->n; p++) {
        uint32_t from = pred->at[p];
        bool seen = p > 0 && from == pred->at[p - 1];
        if (seen || cfg->rpo_index[from] == CW_NO_BLOCK ||
            (loop != CW_NO_LOOP && cw_cfg_in_loop(cfg, loop, from) != inside))
            continue;
        const struct cw_jump *j = &lanes->fn->blocks.at[from].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            if (j->succ[s] == block)
                f = cw_lane_cond_or(lanes, f, cw_lane_cond_takes(lanes, (struct cw_edge){from, s}, context));
    }
    return f;
}

/* Those who entered a counted loop, as long as their trips last. */
static const struct cw_lane_cond *still_counting(struct cw_lanes *lanes, uint32_t header,
                                                 const struct cw_context *context, const struct cw_lane_value *runs) {
    const struct cw_lane_cond *in =
        cw_lane_cond_reach(lanes, header, cw_lanes_context(lanes, context->outer, context->loop, 0));
    uint32_t n = in->mask || runs->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        lanes->scratch.formula[t] =
            (int64_t)context->iteration < runs->value[t & runs->mask] ? cw_lane_cond_at(in, t) : CW_BDD_FALSE;
    return cw_lane_cond_seal(lanes, n);
}

static const struct cw_lane_cond *reach_header(struct cw_lanes *lanes, uint32_t block,
                                               const struct cw_context *context) {
    const struct cw_lane_value *runs =
        context->iteration > 0 ? cw_lanes_counted(lanes, context->loop, context->outer) : NULL;
    if (runs)
        return still_counting(lanes, block, context, runs);
    if (context->iteration > 0) {
        const struct cw_context *before =
            cw_lanes_context(lanes, context->outer, context->loop, context->iteration - 1);
        return over_edges(lanes, block, before, true, context->loop);
    }
    const struct cw_lane_cond *f = over_edges(lanes, block, context->outer, false, context->loop);
    return block == 0 ? cw_lane_cond_one(lanes, CW_BDD_TRUE) : f;
}

static const struct cw_lane_cond *compute_reach(struct cw_lanes *lanes, uint32_t block,
                                                const struct cw_context *context) {
    if (is_header_of(lanes, block, context))
        return reach_header(lanes, block, context);
    if (block == 0)
        return cw_lane_cond_one(lanes, CW_BDD_TRUE);
    uint32_t d = find_equivalent(lanes, block);
    return d != block ? cw_lane_cond_reach(lanes, d, context)
                      : over_edges(lanes, block, context, true, context ? context->loop : CW_NO_LOOP);
}

static uint64_t reach_key(uint32_t block, const struct cw_context *context) {
    return (uint64_t)cw_context_id(context) << 32 | block;
}

/* Blocks that `compute` will ask for at the same level. An inner loop is asked through the blocks that enter it. */
static void push_needed(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                        struct cw_vec_u32 *stack) {
    const struct cw_cfg *cfg = lanes->fn->cfg;
    uint32_t level = context ? context->loop : CW_NO_LOOP, d;
    if (is_header_of(lanes, block, context) || block == 0)
        return;
    if ((d = find_equivalent(lanes, block)) != block) {
        cw_vec_push(lanes->a, stack, d);
        return;
    }
    const struct cw_vec_u32 *pred = &lanes->fn->blocks.at[block].pred;
    for (uint32_t p = 0; p < pred->n; p++) {
        uint32_t from = pred->at[p];
        if (cfg->rpo_index[from] == CW_NO_BLOCK)
            continue;
        while (cfg->loop_of[from] != level && cfg->idom[from] != CW_NO_BLOCK)
            from = cfg->idom[from];
        if (cfg->loop_of[from] == level)
            cw_vec_push(lanes->a, stack, from);
    }
}

struct order {
    uint32_t rank, block;
};

static int by_rank(const void *a, const void *b) {
    const struct order *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Everything `block` needs at its level in evaluation order, so that evaluation does not recurse along the graph. */
static struct order *order_needed(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                                  uint32_t *n) {
    struct cw_vec_u32 stack = {0};
    CW_VEC(struct order) list = {0};
    uint32_t mark = ++lanes->scratch.now;
    cw_vec_push(lanes->a, &stack, block);
    while (stack.n) {
        uint32_t b = stack.at[--stack.n];
        if (lanes->scratch.stamp[b] == mark || cw_map_get(&lanes->memo.reach, reach_key(b, context), NULL))
            continue;
        lanes->scratch.stamp[b] = mark;
        cw_vec_push(lanes->a, &list, ((struct order){lanes->fn->cfg->rpo_index[b], b}));
        push_needed(lanes, b, context, &stack);
    }
    if (list.n)
        qsort(list.at, list.n, sizeof *list.at, by_rank);
    *n = list.n;
    return list.at;
}

/* Iterations of a header one after the other, not one inside the other. */
static void reach_earlier(struct cw_lanes *lanes, const struct cw_context *context) {
    uint32_t header = lanes->fn->cfg->loops.at[context->loop].header, k = context->iteration;
    while (k > 0 && !cw_map_get(&lanes->memo.reach,
                                reach_key(header, cw_lanes_context(lanes, context->outer, context->loop, k - 1)), NULL))
        k--;
    for (; k < context->iteration && !lanes->exhausted; k++)
        cw_lane_cond_reach(lanes, header, cw_lanes_context(lanes, context->outer, context->loop, k));
}

static const struct cw_lane_cond *reach_fixed(struct cw_lanes *lanes, uint32_t block,
                                              const struct cw_context *context) {
    uint64_t found;
    uint32_t n;
    if (context && context->iteration > 0 && !cw_lanes_counted(lanes, context->loop, context->outer)) {
        if (context->iteration > CW_LANES_ITERATIONS)
            return cw_lane_cond_one(lanes, CW_BDD_POISON);
        reach_earlier(lanes, context);
    }
    struct order *list = order_needed(lanes, block, context, &n);
    for (uint32_t k = 0; k < n; k++) {
        uint64_t key = reach_key(list[k].block, context);
        if (cw_map_get(&lanes->memo.reach, key, NULL))
            continue;
        const struct cw_lane_cond *f = compute_reach(lanes, list[k].block, context);
        cw_map_put(&lanes->memo.reach, key, (uint64_t)(uintptr_t)f);
    }
    return cw_map_get(&lanes->memo.reach, reach_key(block, context), &found)
               ? (const struct cw_lane_cond *)(uintptr_t)found
               : cw_lane_cond_one(lanes, CW_BDD_POISON);
}

/* Who enters the block in some iteration of a loop that the context leaves open. */
static const struct cw_lane_cond *reach_some(struct cw_lanes *lanes, uint32_t block, uint32_t loop,
                                             const struct cw_context *context) {
    const struct cw_lane_cond *f = cw_lane_cond_one(lanes, CW_BDD_FALSE);
    uint32_t most = cw_lanes_most_followed(lanes, loop, context);
    for (uint32_t k = 0; k < most && !lanes->exhausted; k++) {
        const struct cw_context *at = cw_lanes_context(lanes, context, loop, k);
        const struct cw_lane_cond *alive = cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header, at);
        if (cw_lane_cond_is(lanes, alive, CW_BDD_FALSE) ||
            (k >= CW_LANES_PATIENCE && !cw_lane_cond_decided(lanes, alive)))
            break;
        f = cw_lane_cond_or(lanes, f, cw_lane_cond_reach(lanes, block, at));
    }
    return f;
}

/* An irreducible graph has cycles that are no loops: only what follows the entry for certain is known. */
static const struct cw_lane_cond *reach_irreducible(struct cw_lanes *lanes, uint32_t block) {
    return cw_lane_cond_one(lanes, cw_cfg_postdominates(lanes->fn->cfg, block, 0) ? CW_BDD_TRUE : CW_BDD_POISON);
}

const struct cw_lane_cond *cw_lane_cond_reach(struct cw_lanes *lanes, uint32_t block,
                                              const struct cw_context *context) {
    uint64_t found;
    if (lanes->fn->cfg->rpo_index[block] == CW_NO_BLOCK)
        return cw_lane_cond_one(lanes, CW_BDD_FALSE);
    if (lanes->fn->cfg->is_irreducible)
        return reach_irreducible(lanes, block);
    context = cw_context_at(lanes, context, block);
    if (cw_map_get(&lanes->memo.reach, reach_key(block, context), &found))
        return (const struct cw_lane_cond *)(uintptr_t)found;
    if (lanes->exhausted || lanes->depth >= CW_LANES_DEPTH || !cw_lanes_spend(lanes, 1)) {
        cw_lanes_give_up(lanes, CW_BAIL_ITERATION_BUDGET);
        return cw_lane_cond_one(lanes, CW_BDD_POISON);
    }
    uint32_t missing = cw_context_missing(lanes, context, block);
    lanes->depth++;
    const struct cw_lane_cond *f =
        missing == CW_NO_LOOP ? reach_fixed(lanes, block, context) : reach_some(lanes, block, missing, context);
    lanes->depth--;
    return f;
}

/* Is it decided for each thread that enters the loop whether it is still inside? */
static bool is_settled(const struct cw_lanes *lanes, const struct cw_lane_cond *enter,
                       const struct cw_lane_cond *alive) {
    uint32_t n = width_of(lanes, enter, alive);
    for (uint32_t t = 0; t < n; t++) {
        uint32_t f = cw_lane_cond_at(alive, t);
        if (f == CW_BDD_POISON || (f != CW_BDD_FALSE && f != cw_lane_cond_at(enter, t)))
            return false;
    }
    return true;
}

/* `steps` bounds the iterations looked at. */
static enum cw_reach somebody_reaches(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                                      uint32_t *steps) {
    uint32_t loop = cw_context_missing(lanes, context, block);
    if (loop == CW_NO_LOOP) {
        const struct cw_lane_cond *f = cw_lane_cond_reach(lanes, block, context);
        if (lanes->exhausted || cw_lane_cond_is(lanes, f, CW_BDD_POISON))
            return CW_REACH_UNKNOWN;
        return cw_lane_cond_is(lanes, f, CW_BDD_FALSE) ? CW_REACH_NO : CW_REACH_YES;
    }
    const struct cw_lane_cond *enter = NULL;
    for (uint32_t k = 0; *steps > 0; k++, --*steps) {
        const struct cw_context *at = cw_lanes_context(lanes, context, loop, k);
        const struct cw_lane_cond *alive = cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header, at);
        enter = enter ? enter : alive;
        if (lanes->exhausted || cw_lane_cond_is(lanes, alive, CW_BDD_POISON))
            return CW_REACH_UNKNOWN;
        if (cw_lane_cond_is(lanes, alive, CW_BDD_FALSE))
            return CW_REACH_NO;
        enum cw_reach reach =
            is_settled(lanes, enter, alive) ? somebody_reaches(lanes, block, at, steps) : CW_REACH_YES;
        if (reach != CW_REACH_NO)
            return reach;
    }
    return CW_REACH_UNKNOWN;
}

enum cw_reach cw_lanes_somebody_reaches(struct cw_lanes *lanes, uint32_t block) {
    uint32_t steps = 4096;
    return lanes->fn->cfg->is_irreducible ? CW_REACH_UNKNOWN : somebody_reaches(lanes, block, NULL, &steps);
}

static bool may_come(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context, uint32_t t,
                     uint32_t *steps) {
    uint32_t loop = cw_context_missing(lanes, context, block);
    if (loop == CW_NO_LOOP)
        return cw_lane_cond_at(cw_lane_cond_reach(lanes, block, context), t) != CW_BDD_FALSE;
    for (uint32_t k = 0; *steps > 0 && !lanes->exhausted; k++, --*steps) {
        const struct cw_context *at = cw_lanes_context(lanes, context, loop, k);
        const struct cw_lane_cond *alive = cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header, at);
        if (cw_lane_cond_at(alive, t) == CW_BDD_FALSE)
            return false;
        if (may_come(lanes, block, at, t, steps)) /* as deep as the loop nest */
            return true;
    }
    return true;
}

bool cw_lanes_may_come(struct cw_lanes *lanes, uint32_t block, uint32_t t) {
    uint32_t steps = 256;
    return lanes->fn->cfg->is_irreducible || may_come(lanes, block, NULL, t, &steps);
}

enum cw_reach cw_lanes_together(struct cw_lanes *lanes, uint32_t block_a, const struct cw_context *context_a,
                                uint32_t t, uint32_t block_b, const struct cw_context *context_b, uint32_t u) {
    uint32_t f = cw_lane_cond_at(cw_lane_cond_reach(lanes, block_a, context_a), t);
    return cw_lanes_both(lanes, f, cw_lane_cond_at(cw_lane_cond_reach(lanes, block_b, context_b), u));
}

enum cw_reach cw_lanes_both(struct cw_lanes *lanes, uint32_t formula, uint32_t other) {
    uint32_t both = cw_bdd_and(&lanes->f, formula, other);
    if (both == CW_BDD_TRUE)
        return CW_REACH_YES;
    if (both == CW_BDD_FALSE)
        return CW_REACH_NO;
    return cw_bdd_unknown(&lanes->f, both) ? CW_REACH_UNKNOWN : CW_REACH_INPUT;
}

enum cw_reach cw_lanes_reach_given(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context,
                                   uint32_t from, const struct cw_context *from_context, uint32_t t, uint32_t u) {
    uint32_t f = cw_lane_cond_at(cw_lane_cond_reach(lanes, block, context), t),
             given = cw_lane_cond_at(cw_lane_cond_reach(lanes, from, from_context), u);
    if (cw_bdd_and(&lanes->f, given, cw_bdd_not(f)) == CW_BDD_FALSE)
        return CW_REACH_YES;
    if (cw_bdd_and(&lanes->f, given, f) == CW_BDD_FALSE)
        return CW_REACH_NO;
    return cw_bdd_unknown(&lanes->f, cw_bdd_given(&lanes->f, f, given)) ? CW_REACH_UNKNOWN : CW_REACH_INPUT;
}
