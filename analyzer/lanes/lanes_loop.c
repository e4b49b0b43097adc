/* Values that depend on the way taken: phis, loop-carried values, values of the iteration in which a thread left. */
#include "lanes/lanes_internal.h"

#include "uniformity/warp_forms.h"
#include <stdlib.h>
#include <string.h>

enum { DISTINCT_RUNS_MAX = 128 };

/* ---- choosing by exclusive gates ---- */

/* Does any alternative or gate differ between threads? */
static uint32_t threads_of(const struct cw_lanes *lanes, const struct cw_alternative *alt, uint32_t n,
                           const struct cw_lane_cond *rest) {
    if (rest && (rest->mask || rest->at[0] != CW_BDD_FALSE))
        return lanes->threads;
    for (uint32_t k = 0; k < n; k++)
        if (alt[k].gate->mask || alt[k].value->mask)
            return lanes->threads;
    return 1;
}

/* One thread's alternatives: those it may come by. */
struct ways {
    const struct cw_alternative *alt;
    uint32_t n, possible, first; /* how many gates are open; the first open one */
    uint32_t rest;               /* formula of "by none of them" */
    uint32_t t;
    bool poisoned;
};

static struct ways ways_of(const struct cw_alternative *alt, uint32_t n, const struct cw_lane_cond *rest, uint32_t t) {
    struct ways w = {.alt = alt, .n = n, .rest = rest ? cw_lane_cond_at(rest, t) : CW_BDD_FALSE, .t = t};
    for (uint32_t k = 0; k < n; k++) {
        uint32_t gate = cw_lane_cond_at(alt[k].gate, t);
        w.poisoned |= gate == CW_BDD_POISON;
        if (gate != CW_BDD_FALSE && w.possible++ == 0)
            w.first = k;
    }
    w.poisoned |= w.rest == CW_BDD_POISON;
    return w;
}

static bool is_open(const struct ways *ways, uint32_t k) {
    return cw_lane_cond_at(ways->alt[k].gate, ways->t) != CW_BDD_FALSE;
}

static struct cw_lane_base base_of(const struct cw_lane_value *value, uint32_t t) {
    return value->base ? cw_lane_value_base(value, t) : (struct cw_lane_base){CW_NONE, CW_NO_TOKEN};
}

static bool all_same(const struct ways *ways, bool pointer) {
    struct cw_cell first = cw_lane_value_cell(ways->alt[ways->first].value, ways->t);
    struct cw_lane_base base = base_of(ways->alt[ways->first].value, ways->t);
    for (uint32_t k = ways->first + 1; k < ways->n; k++) {
        if (!is_open(ways, k))
            continue;
        if (!cw_cell_same(first, cw_lane_value_cell(ways->alt[k].value, ways->t)))
            return false;
        if (pointer && (base.token == CW_NO_TOKEN || base.token != base_of(ways->alt[k].value, ways->t).token))
            return false;
    }
    return ways->rest == CW_BDD_FALSE;
}

/* Truth values: the formula "comes by k and k's value holds", simplified by the fact that the thread comes at all. */
static bool choose_truth(struct cw_lanes *lanes, const struct ways *ways, bool wide, struct cw_cell *out) {
    uint32_t f = CW_BDD_FALSE, any = CW_BDD_FALSE;
    for (uint32_t k = 0; k < ways->n; k++) {
        struct cw_cell c = cw_lane_value_cell(ways->alt[k].value, ways->t);
        uint32_t gate = cw_lane_cond_at(ways->alt[k].gate, ways->t), truth;
        if (gate == CW_BDD_FALSE)
            continue;
        if (!wide)
            truth = cw_cell_formula(c);
        else if (!cw_cell_truth(lanes, c, &truth))
            return false;
        f = cw_bdd_or(&lanes->f, f, cw_bdd_and(&lanes->f, gate, truth));
        any = cw_bdd_or(&lanes->f, any, gate);
    }
    f = cw_bdd_given(&lanes->f, f, any);
    *out = wide ? cw_truth_cell(lanes, f) : cw_bdd_cell(lanes, f);
    return true;
}

/* A token that names every way and what it brings. `own` is the name of what is not followed to the end: threads that
 * the same data have brought the same values so far go on to have the same. */
static struct cw_cell choose_token(struct cw_lanes *lanes, const struct ways *ways, uint64_t own, bool pointer) {
    uint64_t name = cw_mix(CW_OP_PHI, 1);
    uint8_t known = ways->rest == CW_BDD_TRUE ? CW_OPAQUE : cw_worse(CW_FREE, cw_bdd_known(&lanes->f, ways->rest));
    if (ways->poisoned)
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    for (uint32_t k = 0; k < ways->n; k++) {
        struct cw_cell c = cw_lane_value_cell(ways->alt[k].value, ways->t);
        uint32_t gate = cw_lane_cond_at(ways->alt[k].gate, ways->t);
        if (gate == CW_BDD_FALSE)
            continue;
        if (!cw_cell_numeric(c) && c.value == CW_NO_TOKEN)
            return c;
        known = cw_worse(known, cw_worse(c.known, cw_bdd_known(&lanes->f, gate)));
        name = cw_cell_hash(cw_mix(name, gate), c);
        if (pointer)
            name = cw_mix(name, (uint64_t)base_of(ways->alt[k].value, ways->t).token);
    }
    if (ways->rest != CW_BDD_FALSE)
        name = cw_mix(cw_mix(name, own), cw_bdd_terminal(ways->rest) ? ways->t : cw_mix(1, ways->rest));
    return (struct cw_cell){known, cw_token(name)};
}

static struct cw_cell choose_cell(struct cw_lanes *lanes, const struct ways *ways, uint64_t own, enum cw_type type) {
    struct cw_cell out;
    if (ways->possible == 0)
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    if (ways->possible == 1 && ways->rest == CW_BDD_FALSE)
        return cw_lane_value_cell(ways->alt[ways->first].value, ways->t);
    if (all_same(ways, false))
        return cw_lane_value_cell(ways->alt[ways->first].value, ways->t);
    if (ways->rest == CW_BDD_FALSE && !ways->poisoned && choose_truth(lanes, ways, type != CW_I1, &out))
        return out;
    out = choose_token(lanes, ways, own, false);
    if (type == CW_I1 && out.value != CW_NO_TOKEN)
        return cw_bdd_cell(lanes, cw_bdd_var(&lanes->f, (uint64_t)out.value, out.known));
    return out;
}

static bool one_base(const struct ways *ways) {
    int64_t token = base_of(ways->alt[ways->first].value, ways->t).token;
    for (uint32_t k = ways->first; k < ways->n; k++)
        if (is_open(ways, k) && base_of(ways->alt[k].value, ways->t).token != token)
            return false;
    return token != CW_NO_TOKEN && ways->rest == CW_BDD_FALSE;
}

/* Pointers: by one way, or the same by all; else a common base with an unknown offset; else an unknown base. */
static void choose_pointer(struct cw_lanes *lanes, cw_ref ref, const struct ways *ways, uint64_t own) {
    uint32_t t = ways->t;
    struct cw_cell c;
    if (ways->possible == 0) {
        lanes->scratch.base[t] = (struct cw_lane_base){CW_NONE, CW_NO_TOKEN};
        c = (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    } else if ((ways->possible == 1 && ways->rest == CW_BDD_FALSE) || all_same(ways, true)) {
        lanes->scratch.base[t] = base_of(ways->alt[ways->first].value, t);
        c = cw_lane_value_cell(ways->alt[ways->first].value, t);
    } else if (one_base(ways)) {
        lanes->scratch.base[t] = base_of(ways->alt[ways->first].value, t);
        c = choose_token(lanes, ways, own, false);
    } else {
        lanes->scratch.base[t] = (struct cw_lane_base){ref, choose_token(lanes, ways, own, true).value};
        c = (struct cw_cell){CW_NUMBER, 0};
    }
    lanes->scratch.known[t] = c.known;
    lanes->scratch.value[t] = c.value;
}

const struct cw_lane_value *cw_lanes_choose(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context,
                                    const struct cw_alternative *alt, uint32_t n, const struct cw_lane_cond *rest) {
    enum cw_type type = cw_ref_type(lanes->fn, ref);
    uint32_t threads = threads_of(lanes, alt, n, rest);
    uint64_t name = cw_lanes_name(ref, context);
    for (uint32_t t = 0; t < threads; t++) {
        struct ways w = ways_of(alt, n, rest, t);
        if (type == CW_PTR) {
            choose_pointer(lanes, ref, &w, name);
            continue;
        }
        struct cw_cell cell = choose_cell(lanes, &w, name, type);
        lanes->scratch.known[t] = cell.known;
        lanes->scratch.value[t] = cell.value;
    }
    return cw_lane_value_seal(lanes, threads, type == CW_PTR);
}

/* ---- phis ---- */

/* Which predecessors count: all, those outside the loop (first iteration), or those inside it. */
static bool does_count(const struct cw_lanes *lanes, uint32_t from, uint32_t loop, bool inside) {
    return lanes->fn->cfg->rpo_index[from] != CW_NO_BLOCK &&
           (loop == CW_NO_LOOP || cw_cfg_in_loop(lanes->fn->cfg, loop, from) == inside);
}

/* Where the phi is the lesser or greater of two values, both lanes that exchange these get one name for it. */
static const struct cw_lane_value *name_extremum(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                                                 const struct cw_lane_value *chosen) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    cw_ref two[2];
    enum cw_extremum which = CW_EXTREMUM_NONE;
    if (chosen->mask && chosen->worst > CW_SAMPLE && !chosen->base && i->type != CW_I1)
        which = cw_warp_extremum(lanes->fn, i, two);
    if (which == CW_EXTREMUM_NONE)
        return chosen;
    const struct cw_lane_value *one = cw_lane_value_of(lanes, two[0], context),
                               *other = cw_lane_value_of(lanes, two[1], context);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        struct cw_cell cell = cw_lane_value_cell(chosen, t), cells[2] = {cw_lane_value_cell(one, t),
                                                                         cw_lane_value_cell(other, t)};
        bool is_named = !cw_cell_numeric(cell) && cell.value != CW_NO_TOKEN && !cw_cell_same(cells[0], cells[1]);
        for (uint32_t k = 0; k < 2; k++)
            is_named &= cw_cell_numeric(cells[k]) || cells[k].value != CW_NO_TOKEN;
        if (is_named)
            cell.value = cw_lanes_extremum(lanes, which == CW_EXTREMUM_GREATER, (enum cw_type)i->type, cells).value;
        lanes->scratch.known[t] = cell.known;
        lanes->scratch.value[t] = cell.value;
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}

/* The phi's value by the counting predecessors; `context` is the context at their ends. */
static const struct cw_lane_value *merge_phi(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                                             uint32_t loop, bool inside) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    const struct cw_vec_u32 *pred = &lanes->fn->blocks.at[i->block].pred;
    uint32_t n = 0, total = i->narg < pred->n ? i->narg : pred->n;
    cw_ref only = CW_NONE;
    bool same = true;
    for (uint32_t k = 0; k < total; k++) {
        if (!does_count(lanes, pred->at[k], loop, inside))
            continue;
        same &= n++ == 0 || cw_ref_eq(only, cw_arg(lanes->fn, i, k));
        only = cw_arg(lanes->fn, i, k);
    }
    if (n > 0 && same)
        return cw_lane_value_of(lanes, only, context);
    struct cw_alternative *alt = CW_NEW_ARRAY(lanes->a, struct cw_alternative, n + 1);
    n = 0;
    for (uint32_t k = 0; k < total; k++) {
        if (!does_count(lanes, pred->at[k], loop, inside))
            continue;
        const struct cw_lane_cond *gate = cw_lane_cond_takes(lanes, cw_cfg_incoming(lanes->fn, i->block, k), context);
        if (cw_lane_cond_is(lanes, gate, CW_BDD_FALSE))
            continue;
        alt[n++] = (struct cw_alternative){gate, cw_lane_value_of(lanes, cw_arg(lanes->fn, i, k), context)};
    }
    const struct cw_lane_value *chosen = cw_lanes_choose(lanes, cw_ref_ins(ins), context, alt, n, NULL);
    return loop == CW_NO_LOOP ? name_extremum(lanes, ins, context, chosen) : chosen;
}

/* The closed form as rows of numbers: init + iteration * step. False when some operand is no number. */
static bool count_row(struct cw_lanes *lanes, enum cw_op op, enum cw_type type, const struct cw_lane_value *init,
                      const struct cw_lane_value *step, uint32_t iteration, uint32_t threads) {
    int64_t times = cw_type_wrap(type, iteration);
    uint32_t steps = step->mask ? threads : 1;
    if (init->worst > CW_SAMPLE || step->worst > CW_SAMPLE)
        return false;
    struct cw_row rows[2] = {{step->value, step->mask}, {&times, 0}};
    int64_t *by = CW_NEW_ARRAY(lanes->a, int64_t, steps);
    if (!cw_fold_row(CW_OP_MUL, type, type, rows, 2, steps, by))
        return false;
    struct cw_row sum[2] = {{init->value, init->mask}, {by, step->mask}};
    if (!cw_fold_row(op, type, type, sum, 2, threads, lanes->scratch.value))
        return false;
    for (uint32_t t = 0; t < threads; t++)
        lanes->scratch.known[t] = cw_worse(init->known[t & init->mask], step->known[t & step->mask]);
    lanes->is_row = true;
    return true;
}

/* Closed form of a counter. */
static const struct cw_lane_value *eval_counter(struct cw_lanes *lanes, const struct cw_induction *induction,
                                                const struct cw_context *context) {
    enum cw_type type = lanes->fn->ins.at[induction->phi].type, step_type = type == CW_PTR ? CW_I64 : type;
    const struct cw_lane_value *init = cw_lane_value_of(lanes, induction->init, context->outer),
                               *step = cw_lane_value_of(lanes, induction->step, context);
    if ((type == CW_PTR) != (init->base != NULL) || step->base)
        return NULL;
    uint32_t threads = init->mask || step->mask ? lanes->threads : 1;
    enum cw_op op = induction->op == CW_OP_PTRADD ? CW_OP_ADD : induction->op;
    for (uint32_t t = 0; type == CW_PTR && t < threads; t++)
        lanes->scratch.base[t] = cw_lane_value_base(init, t);
    if (count_row(lanes, op, step_type, init, step, context->iteration, threads))
        return cw_lane_value_seal_folded(lanes, threads, type == CW_PTR);
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell by[2] = {cw_lane_value_cell(step, t), {CW_NUMBER, cw_type_wrap(step_type, context->iteration)}};
        if (cw_cell_numeric(by[0]))
            by[0].value = cw_type_wrap(step_type, by[0].value);
        struct cw_cell sum[2] = {cw_lane_value_cell(init, t),
                                 cw_cell_op(lanes, CW_OP_MUL, step_type, step_type, by, 2)};
        struct cw_cell r = cw_cell_op(lanes, op, step_type, step_type, sum, 2);
        lanes->scratch.known[t] = r.known;
        lanes->scratch.value[t] = r.value;
    }
    return cw_lane_value_seal(lanes, threads, type == CW_PTR);
}

static bool is_counter(const struct cw_lanes *lanes, uint32_t ins) {
    if (!lanes->memo.induction[ins])
        return false;
    enum cw_op op = lanes->fn->cfg->inductions.at[lanes->memo.induction[ins] - 1].op;
    return (op == CW_OP_ADD || op == CW_OP_SUB || op == CW_OP_PTRADD) && lanes->fn->ins.at[ins].type != CW_I1;
}

static bool has_number(const struct cw_lanes *lanes, const struct cw_lane_value *value) {
    uint32_t n = value->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (value->known[t] <= CW_SAMPLE)
            return true;
    return false;
}

/* The worst of what is known of the value in threads that get there. */
static uint8_t worst_where(const struct cw_lanes *lanes, const struct cw_lane_value *value,
                           const struct cw_lane_cond *reach) {
    uint8_t worst = CW_NUMBER;
    uint32_t n = value->mask || reach->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            worst = cw_worse(worst, cw_lane_value_cell(value, t).known);
    return worst;
}

enum { SETTLED = 3, EXCHANGED = 8 };

/* Iterations in which values that are no numbers are followed: where lanes exchange them, as many as it takes to bring
 * them all together (`for (d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(full, sum, d);`). */
static uint32_t followed_iterations(struct cw_lanes *lanes, uint32_t loop) {
    const struct cw_fn *fn = lanes->fn;
    if (!lanes->memo.exchanges) {
        lanes->memo.exchanges = CW_NEW_ARRAY(lanes->a, uint8_t, fn->cfg->loops.n + 1);
        for (uint32_t k = 0; k < fn->ins.n; k++)
            if (fn->ins.at[k].op == CW_OP_SHFL && fn->cfg->loop_of[fn->ins.at[k].block] != CW_NO_LOOP)
                lanes->memo.exchanges[fn->cfg->loop_of[fn->ins.at[k].block]] = 1;
    }
    return lanes->memo.exchanges[loop] ? EXCHANGED : SETTLED;
}

/* An unknown of each iteration for all threads that have had the same values in two early ones. */
static const struct cw_lane_value *name_by_early(struct cw_lanes *lanes, cw_ref ref, const struct cw_context *context,
                                                 enum cw_state state, const struct cw_lane_value *early[2]) {
    uint64_t name = cw_lanes_name(ref, context);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        struct cw_cell first = cw_lane_value_cell(early[0], t), second = cw_lane_value_cell(early[1], t);
        bool is_named = first.value != CW_NO_TOKEN && second.value != CW_NO_TOKEN;
        uint64_t so_far = cw_cell_hash(cw_cell_hash(name, first), second);
        lanes->scratch.known[t] = (uint8_t)state;
        lanes->scratch.value[t] = cw_token(is_named ? so_far : cw_mix(name, t));
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}

/* A value that is no number in two iterations running stays one unknown per iteration: following a running sum of
 * loaded data through a thousand trips would tell nothing more. */
static const struct cw_lane_value *settle_value(struct cw_lanes *lanes, uint32_t ins,
                                                const struct cw_context *context) {
    enum cw_type type = (enum cw_type)lanes->fn->ins.at[ins].type;
    if (context->iteration < followed_iterations(lanes, context->loop) || type == CW_I1 || type == CW_PTR)
        return NULL;
    cw_ref r = cw_ref_ins(ins);
    const struct cw_lane_value *a =
        cw_lane_value_of(lanes, r, cw_lanes_context(lanes, context->outer, context->loop, 1));
    const struct cw_lane_value *b =
        cw_lane_value_of(lanes, r, cw_lanes_context(lanes, context->outer, context->loop, 2));
    if (has_number(lanes, a) || has_number(lanes, b))
        return NULL;
    const struct cw_lane_cond *inside = cw_lane_cond_reach(
        lanes, lanes->fn->ins.at[ins].block, cw_lanes_context(lanes, context->outer, context->loop, 0));
    uint8_t known = cw_worse(worst_where(lanes, a, inside), worst_where(lanes, b, inside));
    enum cw_state state = known <= CW_SAMPLE ? CW_OPAQUE : (enum cw_state)known;
    enum cw_uni scope = cw_lanes_scope(lanes, r);
    return scope <= CW_UNI_WARP
               ? cw_lane_value_fresh(lanes, r, context, state, scope)
               : name_by_early(lanes, r, context, state, (const struct cw_lane_value *[]){a, b});
}

/* The iterations before one after the other, not one inside the other, from the last on that is known. */
static void carry_earlier(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    uint32_t k = context->iteration;
    while (k > 1 && !cw_lane_value_is_known(lanes, cw_ref_ins(ins),
                                            cw_lanes_context(lanes, context->outer, context->loop, k - 1)))
        k--;
    for (; k < context->iteration && !lanes->exhausted; k++)
        cw_lane_value_of(lanes, cw_ref_ins(ins), cw_lanes_context(lanes, context->outer, context->loop, k));
}

static const struct cw_lane_value *eval_carried(struct cw_lanes *lanes, uint32_t ins,
                                                const struct cw_context *context) {
    if (is_counter(lanes, ins)) {
        const struct cw_lane_value *v =
            eval_counter(lanes, &lanes->fn->cfg->inductions.at[lanes->memo.induction[ins] - 1], context);
        if (v)
            return v;
    }
    if (context->iteration == 0)
        return merge_phi(lanes, ins, context->outer, context->loop, false);
    const struct cw_lane_value *fixed = settle_value(lanes, ins, context);
    if (!fixed)
        fixed = cw_lanes_recurring(lanes, ins, context);
    if (fixed)
        return fixed;
    if (context->iteration > CW_LANES_ITERATIONS)
        return cw_lane_value_fresh(lanes, cw_ref_ins(ins), context, CW_OPAQUE, CW_UNI_DIVERGENT);
    carry_earlier(lanes, ins, context);
    return merge_phi(lanes, ins, cw_lanes_context(lanes, context->outer, context->loop, context->iteration - 1),
                     context->loop, true);
}

const struct cw_lane_value *cw_lanes_phi(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    uint32_t block = lanes->fn->ins.at[ins].block;
    if (lanes->fn->cfg->is_irreducible)
        return cw_lane_value_fresh(lanes, cw_ref_ins(ins), context, CW_OPAQUE, CW_UNI_DIVERGENT);
    if (context && lanes->fn->cfg->loops.at[context->loop].header == block)
        return eval_carried(lanes, ins, context);
    return merge_phi(lanes, ins, context, CW_NO_LOOP, true);
}

/* ---- leaving ---- */

/* How widely threads agree on when to leave the loop, as far as uniformity knows. */
static enum cw_uni leave_scope(const struct cw_lanes *lanes, uint32_t loop) {
    const struct cw_loop *lp = &lanes->fn->cfg->loops.at[loop];
    if (!lanes->u)
        return CW_UNI_DIVERGENT;
    uint8_t scope = lanes->u->control[lp->header];
    for (uint32_t x = 0; x < lp->exits.n; x++) {
        uint32_t b = lp->exits.at[x].block;
        scope = cw_worse(scope, lanes->u->control[b]);
        if (lanes->fn->blocks.at[b].jump.value.tag != CW_REF_NONE)
            scope = cw_worse(scope, (uint8_t)cw_uni_of(lanes->u, lanes->fn->blocks.at[b].jump.value));
    }
    return (enum cw_uni)scope;
}

enum { AWAY_ITERATIONS = 256 }; /* in which a loop's exits are asked who leaves */

/* Following a loop, iteration by iteration, as long as something is learnt. */
struct follow {
    uint32_t loop, k, quiet, most; /* most: iterations that are followed */
    const struct cw_context *outer, *at; /* at: iteration k */
    const struct cw_lane_cond *enter;           /* who enters the loop: what decides that decides nothing more in it */
    const struct cw_lane_cond *alive, *next;    /* who runs the header in iteration k, k + 1 */
};

/* A thread that enters the loop runs the iteration: TRUE, FALSE, or what decides it. */
static uint32_t once_inside(struct cw_lanes *lanes, const struct cw_lane_cond *enter, const struct cw_lane_cond *runs,
                            uint32_t t) {
    uint32_t in = cw_lane_cond_at(enter, t), f = cw_lane_cond_at(runs, t);
    if (cw_bdd_terminal(f) || in == CW_BDD_TRUE || in == CW_BDD_POISON)
        return f;
    return f == in || cw_bdd_and(&lanes->f, in, cw_bdd_not(f)) == CW_BDD_FALSE ? CW_BDD_TRUE : f;
}

/* Some thread surely was in the loop once it had entered it, and surely stays or leaves. */
static bool is_progress(struct cw_lanes *lanes, const struct follow *follow) {
    uint32_t n = follow->alive->mask || follow->next->mask || follow->enter->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (once_inside(lanes, follow->enter, follow->alive, t) == CW_BDD_TRUE &&
            cw_bdd_terminal(once_inside(lanes, follow->enter, follow->next, t)))
            return true;
    return false;
}

static void follow_begin(struct cw_lanes *lanes, struct follow *follow, uint32_t loop, const struct cw_context *outer) {
    *follow = (struct follow){.loop = loop, .outer = outer};
    follow->most = cw_lanes_most_followed(lanes, loop, outer);
    follow->at = cw_lanes_context(lanes, outer, loop, 0);
    follow->alive = lanes->fn->cfg->is_irreducible
                        ? cw_lane_cond_one(lanes, CW_BDD_POISON)
                        : cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header, follow->at);
    follow->enter = follow->next = follow->alive;
}

/* False when all have left, or when nothing more will be learnt (alive is then not FALSE for all). */
static bool follow_step(struct cw_lanes *lanes, struct follow *follow) {
    if (cw_lane_cond_is(lanes, follow->alive, CW_BDD_FALSE) || cw_lane_cond_is(lanes, follow->alive, CW_BDD_POISON) ||
        follow->k >= follow->most || follow->quiet > CW_LANES_PATIENCE || lanes->exhausted)
        return false;
    follow->at = cw_lanes_context(lanes, follow->outer, follow->loop, follow->k);
    follow->next = cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[follow->loop].header,
                                      cw_lanes_context(lanes, follow->outer, follow->loop, follow->k + 1));
    follow->quiet = is_progress(lanes, follow) ? 0 : follow->quiet + 1;
    return true;
}

static void follow_on(struct follow *follow) {
    follow->alive = follow->next;
    follow->k++;
}

static uint8_t worst_of(const struct cw_lanes *lanes, const struct cw_lane_cond *cond) {
    uint8_t known = CW_NUMBER;
    uint32_t n = cond->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        known = cw_worse(known, cw_bdd_known(&lanes->f, cond->at[t]));
    return known;
}

/* A name of the thread's values so far; its own where one of them has no name. */
static uint64_t name_so_far(const struct follow *follow, const struct cw_alternative *alt, uint32_t n, uint64_t name,
                            uint32_t t) {
    uint64_t so_far = cw_mix(name, cw_lane_cond_at(follow->alive, t));
    for (uint32_t k = 0; k < n; k++) {
        struct cw_cell cell = cw_lane_value_cell(alt[k].value, t);
        if (!cw_cell_numeric(cell) && cell.value == CW_NO_TOKEN)
            return cw_mix(name, t);
        so_far = cw_cell_hash(cw_mix(so_far, cw_lane_cond_at(alt[k].gate, t)), cell);
    }
    return n ? so_far : cw_mix(name, t);
}

/* The value where following stopped early: an unknown for all threads that agree, or that have had the same values for
 * the same data so far. */
static const struct cw_lane_value *not_followed(struct cw_lanes *lanes, cw_ref ref, const struct follow *follow,
                                        const struct cw_alternative *alt, uint32_t n) {
    uint8_t known = worst_of(lanes, follow->alive);
    for (uint32_t k = 0; k < n; k++)
        known = cw_worse(known, worst_where(lanes, alt[k].value, follow->enter));
    uint8_t scope = cw_worse((uint8_t)leave_scope(lanes, follow->loop), (uint8_t)cw_lanes_scope(lanes, ref));
    enum cw_state state = known <= CW_SAMPLE ? CW_OPAQUE : (enum cw_state)known;
    enum cw_type type = cw_ref_type(lanes->fn, ref);
    if (scope <= CW_UNI_WARP || type == CW_PTR || type == CW_I1)
        return cw_lane_value_fresh(lanes, ref, follow->outer, state, (enum cw_uni)scope);
    uint64_t name = cw_lanes_name(ref, follow->outer);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        lanes->scratch.known[t] = (uint8_t)state;
        lanes->scratch.value[t] = cw_token(name_so_far(follow, alt, n, name, t));
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}

/* Floats and other values that are never numbers: a few iterations tell all there is to know. */
static const struct cw_lane_value *exit_token(struct cw_lanes *lanes, cw_ref ref, uint32_t loop,
                                              const struct cw_context *outer) {
    struct cw_alternative alt[EXCHANGED];
    uint32_t n = 0, most = followed_iterations(lanes, loop);
    struct follow f;
    for (follow_begin(lanes, &f, loop, outer); n < most && follow_step(lanes, &f); follow_on(&f))
        alt[n++] =
            (struct cw_alternative){cw_lane_cond_without(lanes, f.alive, f.next), cw_lane_value_of(lanes, ref, f.at)};
    if (cw_lane_cond_is(lanes, f.alive, CW_BDD_FALSE))
        return cw_lanes_choose(lanes, ref, outer, alt, n, NULL);
    return not_followed(lanes, ref, &f, alt, n);
}

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The different trip counts of a counted loop in rising order; 0 when they are too many to look at one by one. */
static uint32_t distinct_runs(struct cw_lanes *lanes, const struct cw_lane_value *runs, int64_t *out) {
    uint32_t n = runs->mask ? lanes->threads : 1, kept = 0;
    int64_t *all = CW_NEW_ARRAY(lanes->a, int64_t, n);
    memcpy(all, runs->value, n * sizeof *all);
    qsort(all, n, sizeof *all, by_number);
    for (uint32_t t = 0; t < n; t++) {
        if (t > 0 && all[t] == all[t - 1])
            continue;
        if (kept == DISTINCT_RUNS_MAX)
            return 0;
        out[kept++] = all[t];
    }
    return kept;
}

/* The gates of a counted loop's last iterations are the trip counts themselves. */
static const struct cw_lane_value *exit_counted(struct cw_lanes *lanes, cw_ref ref, uint32_t loop,
                                                const struct cw_context *outer, const struct cw_lane_value *runs) {
    int64_t last[DISTINCT_RUNS_MAX];
    struct cw_alternative alt[DISTINCT_RUNS_MAX];
    uint32_t n = distinct_runs(lanes, runs, last);
    if (n == 0 || last[n - 1] > CW_LANES_ITERATIONS * 1024)
        return NULL;
    const struct cw_lane_cond *in =
        cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header, cw_lanes_context(lanes, outer, loop, 0));
    for (uint32_t k = 0; k < n; k++) {
        alt[k].value = cw_lane_value_of(lanes, ref, cw_lanes_context(lanes, outer, loop, (uint32_t)last[k] - 1));
        if (n == 1 && cw_lane_cond_is(lanes, in, CW_BDD_TRUE))
            return alt[k].value;
        uint32_t width = in->mask || runs->mask ? lanes->threads : 1;
        for (uint32_t t = 0; t < width; t++)
            lanes->scratch.formula[t] = runs->value[t & runs->mask] == last[k] ? cw_lane_cond_at(in, t) : CW_BDD_FALSE;
        alt[k].gate = cw_lane_cond_seal(lanes, width);
    }
    return cw_lanes_choose(lanes, ref, outer, alt, n, NULL);
}

/* A value that needs no earlier iteration to be known in a late one: built of counters, of values
 * that come back, and of what the loop leaves alone.
 */
static bool is_jumpable(struct cw_lanes *lanes, cw_ref ref, uint32_t loop, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(lanes->fn, ref);
    if (!i || !cw_cfg_in_loop(lanes->fn->cfg, loop, i->block))
        return true;
    if (i->op == CW_OP_PHI && i->block == lanes->fn->cfg->loops.at[loop].header)
        return is_counter(lanes, ref.index) || cw_lanes_is_closed(lanes, ref.index);
    if (depth == 0 || i->op == CW_OP_PHI || !(cw_op_flags(i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_jumpable(lanes, cw_arg(lanes->fn, i, k), loop, depth - 1))
            return false;
    return true;
}

/* More iterations, for some thread, than are followed one by one. */
static bool is_long(const struct cw_lanes *lanes, const struct cw_lane_value *runs) {
    uint32_t n = runs->mask ? lanes->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (runs->value[t] > CW_LANES_ITERATIONS)
            return true;
    return false;
}

/* Is the value no number any more after the first iterations, in any thread (settle_value())? Then the last iteration
 * tells no more than these, however many there are. */
static bool is_settled(struct cw_lanes *lanes, cw_ref ref, uint32_t loop, const struct cw_context *outer) {
    for (uint32_t k = 1; k <= 2; k++)
        if (has_number(lanes, cw_lane_value_of(lanes, ref, cw_lanes_context(lanes, outer, loop, k))))
            return false;
    return true;
}

/* Does the schedule that the caller chooses let all leave the loop in its first iteration? */
static bool leaves_at_once(const struct cw_lanes *lanes, uint32_t loop) {
    const struct cw_loop *l = &lanes->fn->cfg->loops.at[loop];
    for (uint32_t x = 0; lanes->waits && x < l->exits.n; x++)
        if (lanes->fn->cfg->loop_of[l->exits.at[x].block] == loop && cw_bitset_has(lanes->waits, l->exits.at[x].block))
            return true;
    return false;
}

const struct cw_lane_value *cw_lanes_exit_value(struct cw_lanes *lanes, cw_ref ref, uint32_t loop,
                                                const struct cw_context *outer) {
    CW_VEC(struct cw_alternative) alt = {0};
    enum cw_type type = cw_ref_type(lanes->fn, ref);
    struct follow f;
    /* Where it is the same in all iterations, which one was the last does not matter. */
    if (cw_cfg_is_invariant(lanes->fn, loop, ref) || leaves_at_once(lanes, loop))
        return cw_lane_value_of(lanes, ref, cw_lanes_context(lanes, outer, loop, 0));
    if (!cw_type_is_int(type) && type != CW_PTR)
        return exit_token(lanes, ref, loop, outer);
    const struct cw_lane_value *runs = cw_lanes_counted(lanes, loop, outer);
    const struct cw_lane_value *jumped =
        runs && is_jumpable(lanes, ref, loop, 6) ? exit_counted(lanes, ref, loop, outer, runs) : NULL;
    if (jumped)
        return jumped;
    if (runs && type != CW_PTR && type != CW_I1 && is_long(lanes, runs) && is_settled(lanes, ref, loop, outer))
        return exit_token(lanes, ref, loop, outer);
    for (follow_begin(lanes, &f, loop, outer); follow_step(lanes, &f); follow_on(&f)) {
        const struct cw_lane_cond *out = cw_lane_cond_without(lanes, f.alive, f.next);
        if (!cw_lane_cond_is(lanes, out, CW_BDD_FALSE))
            cw_vec_push(lanes->a, &alt, ((struct cw_alternative){out, cw_lane_value_of(lanes, ref, f.at)}));
    }
    bool done = cw_lane_cond_is(lanes, f.alive, CW_BDD_FALSE);
    if (!done && cw_worse((uint8_t)leave_scope(lanes, loop), (uint8_t)cw_lanes_scope(lanes, ref)) <= CW_UNI_WARP)
        return not_followed(lanes, ref, &f, alt.at, alt.n);
    return cw_lanes_choose(lanes, ref, outer, alt.at, alt.n, done ? NULL : f.alive);
}

/* ---- edges out of a loop, and trip counts ---- */

static bool is_only_exit(const struct cw_lanes *lanes, struct cw_edge edge, uint32_t loop) {
    struct cw_edge only;
    return cw_cfg_only_exit(lanes->fn, loop, &only) && only.block == edge.block && only.which == edge.which;
}

/* Those still inside when following stops leave over this edge or another: an unknown of its own per edge. Threads that
 * the same data have let stay so far go on to decide as one. What data decide in iterations that are not followed traps
 * nobody. */
static const struct cw_lane_cond *leave_unfollowed(struct cw_lanes *lanes, struct cw_edge edge,
                                                   const struct follow *follow) {
    if (lanes->fn->cfg->dies[cw_cfg_edge_target(lanes->fn, edge)])
        return cw_lane_cond_one(lanes, CW_BDD_FALSE);
    uint64_t name = cw_mix(cw_mix(cw_mix(0x90, edge.block), edge.which), cw_context_id(follow->at));
    enum cw_uni scope = leave_scope(lanes, follow->loop);
    for (uint32_t t = 0; t < lanes->threads; t++) {
        uint32_t alive = cw_lane_cond_at(follow->alive, t);
        uint32_t who = scope <= CW_UNI_BLOCK ? 0 : scope == CW_UNI_WARP ? t / 32 : t;
        uint8_t known = cw_bdd_known(&lanes->f, alive); /* NUMBER: a long way, not the input's choice */
        bool open = known == CW_FREE || known == CW_RACY;
        uint64_t whose = cw_bdd_terminal(alive) ? who : cw_mix(1, alive);
        uint32_t var = cw_bdd_var(&lanes->f, cw_mix(name, whose), open ? known : CW_OPAQUE);
        lanes->scratch.formula[t] = cw_bdd_and(&lanes->f, alive, var);
    }
    return cw_lane_cond_seal(lanes, lanes->threads);
}

/* Who traps in a counted loop: asked of one iteration after the other while numbers decide it, and of the last two,
 * where an index that rises or falls leaves its bounds. What data decide traps nobody. */
static const struct cw_lane_cond *some_trap(struct cw_lanes *lanes, struct cw_edge edge, uint32_t loop,
                                            const struct cw_context *outer, const struct cw_lane_value *runs) {
    const struct cw_lane_cond *all = cw_lane_cond_one(lanes, CW_BDD_FALSE);
    cw_ref decides = lanes->fn->blocks.at[edge.block].jump.value;
    bool is_cheap = is_jumpable(lanes, decides, loop, 6);
    int64_t most = 0;
    for (uint32_t t = 0; t < (runs->mask ? lanes->threads : 1); t++)
        most = runs->value[t] > most ? runs->value[t] : most;
    uint32_t quiet = 0;
    for (int64_t k = 0; k < most && !lanes->exhausted; k++) {
        bool is_followed = k < CW_LANES_ITERATIONS && quiet <= CW_LANES_PATIENCE;
        if (!is_followed && !is_cheap)
            break;
        k = is_followed || k >= most - 2 ? k : most - 2;
        const struct cw_context *at = cw_lanes_context(lanes, outer, loop, (uint32_t)k);
        all = cw_lane_cond_or(lanes, all, cw_lane_cond_takes(lanes, edge, at));
        quiet = cw_lane_value_of(lanes, decides, at)->worst <= CW_SAMPLE ? 0 : quiet + 1;
    }
    return all;
}

const struct cw_lane_cond *cw_lanes_some_iteration(struct cw_lanes *lanes, struct cw_edge edge, uint32_t loop,
                                            const struct cw_context *outer) {
    struct follow f;
    if (is_only_exit(lanes, edge, loop))
        return cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header,
                                  cw_lanes_context(lanes, outer, loop, 0));
    bool dies = lanes->fn->cfg->dies[cw_cfg_edge_target(lanes->fn, edge)];
    const struct cw_lane_value *runs = dies ? cw_lanes_counted(lanes, loop, outer) : NULL;
    if (runs)
        return some_trap(lanes, edge, loop, outer, runs);
    const struct cw_lane_cond *all = cw_lane_cond_one(lanes, CW_BDD_FALSE);
    for (follow_begin(lanes, &f, loop, outer); follow_step(lanes, &f); follow_on(&f))
        all = cw_lane_cond_or(lanes, all, cw_lane_cond_takes(lanes, edge, f.at));
    if (!cw_lane_cond_is(lanes, f.alive, CW_BDD_FALSE))
        all = cw_lane_cond_or(lanes, all, leave_unfollowed(lanes, edge, &f));
    return all;
}

static bool trips_counted(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer, int32_t *trips) {
    const struct cw_lane_value *runs = cw_lanes_counted(lanes, loop, outer);
    if (!runs)
        return false;
    const struct cw_lane_cond *in =
        cw_lane_cond_reach(lanes, lanes->fn->cfg->loops.at[loop].header, cw_lanes_context(lanes, outer, loop, 0));
    for (uint32_t t = 0; t < lanes->threads; t++) {
        uint32_t f = cw_lane_cond_at(in, t);
        trips[t] = f == CW_BDD_FALSE ? 0 : f == CW_BDD_POISON ? -1 : (int32_t)runs->value[t & runs->mask];
    }
    return true;
}

const int32_t *cw_lanes_trips(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    uint64_t key = cw_mix(cw_context_id(outer) + 1, loop), found;
    struct follow f;
    if (cw_map_get(&lanes->memo.trips, key, &found))
        return (const int32_t *)(uintptr_t)found;
    int32_t *trips = CW_NEW_ARRAY(lanes->a, int32_t, lanes->threads);
    if (trips_counted(lanes, loop, outer, trips)) {
        cw_map_put(&lanes->memo.trips, key, (uint64_t)(uintptr_t)trips);
        return trips;
    }
    for (follow_begin(lanes, &f, loop, outer); follow_step(lanes, &f); follow_on(&f))
        for (uint32_t t = 0; t < lanes->threads; t++) {
            uint32_t alive = once_inside(lanes, f.enter, f.alive, t);
            trips[t] = alive == CW_BDD_FALSE || trips[t] < 0 ? trips[t] : alive == CW_BDD_TRUE ? trips[t] + 1 : -1;
        }
    for (uint32_t t = 0; t < lanes->threads; t++)
        if (cw_lane_cond_at(f.alive, t) != CW_BDD_FALSE)
            trips[t] = -1;
    cw_map_put(&lanes->memo.trips, key, (uint64_t)(uintptr_t)trips);
    return trips;
}

static bool is_decided(struct cw_lanes *lanes, const struct follow *follow) {
    for (uint32_t t = 0; t < lanes->threads; t++)
        if (!cw_bdd_terminal(once_inside(lanes, follow->enter, follow->alive, t)))
            return false;
    return true;
}

/* Does some thread that enters the loop leave over the edge in this iteration by what is known, and another does not?
 * *all: all do, or it is not known. */
static bool part_at_exit(struct cw_lanes *lanes, struct cw_edge edge, const struct cw_lane_cond *enter,
                         const struct cw_context *context, bool *all) {
    const struct cw_jump *jump = &lanes->fn->blocks.at[edge.block].jump;
    const struct cw_lane_value *v = cw_lane_value_of(lanes, jump->value, context);
    uint32_t n = v->mask ? lanes->threads : 1, leave = 0;
    for (uint32_t t = 0; v->worst <= CW_SAMPLE && t < n; t++)
        leave += (v->value[t] != 0) == (edge.which == 0) && cw_lane_cond_at(enter, t) != CW_BDD_FALSE;
    *all = leave == n || v->worst > CW_SAMPLE;
    return leave > 0 && leave < n;
}

uint32_t cw_lanes_first_away(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    const struct cw_loop *l = &lanes->fn->cfg->loops.at[loop];
    const struct cw_lane_cond *enter = cw_lane_cond_reach(lanes, l->header, cw_lanes_context(lanes, outer, loop, 0));
    uint32_t first = 0;
    for (uint32_t x = 0; x < l->exits.n; x++) {
        struct cw_edge edge = l->exits.at[x];
        bool all = lanes->fn->blocks.at[edge.block].jump.kind != CW_JUMP_BRANCH ||
                   lanes->fn->cfg->loop_of[edge.block] != loop;
        for (uint32_t k = 0; k < AWAY_ITERATIONS && !all && (!first || k + 1 < first) && !lanes->exhausted; k++)
            if (part_at_exit(lanes, edge, enter, cw_lanes_context(lanes, outer, loop, k), &all))
                first = k + 1;
    }
    return first;
}

int32_t cw_lanes_most_trips(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    struct follow f;
    const struct cw_lane_value *runs = cw_lanes_counted(lanes, loop, outer);
    int32_t most = 0;
    follow_begin(lanes, &f, loop, outer);
    for (uint32_t t = 0; runs && t < lanes->threads; t++) {
        uint32_t in = cw_lane_cond_at(f.alive, t);
        if (in == CW_BDD_POISON)
            return -1;
        if (in != CW_BDD_FALSE && runs->value[t & runs->mask] > most)
            most = (int32_t)runs->value[t & runs->mask];
    }
    for (; !runs && follow_step(lanes, &f); follow_on(&f), most++)
        if (!is_decided(lanes, &f))
            return -1;
    return runs || cw_lane_cond_is(lanes, f.alive, CW_BDD_FALSE) ? most : -1;
}
