/* Values that depend on the way taken: phis, loop-carried values, values of the iteration in which a thread left. */
#include "lanes/lanes_internal.h"

#include <stdlib.h>
#include <string.h>

enum { DISTINCT_RUNS_MAX = 128 };

/* ---- choosing by exclusive gates ---- */

/* Does any alternative or gate differ between threads? */
static uint32_t threads_of(const struct cw_lanes *l, const struct cw_alternative *alt, uint32_t n,
                           const struct cw_lane_cond *rest) {
    if (rest && (rest->mask || rest->at[0] != CW_BDD_FALSE))
        return l->threads;
    for (uint32_t k = 0; k < n; k++)
        if (alt[k].gate->mask || alt[k].value->mask)
            return l->threads;
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

static bool is_open(const struct ways *w, uint32_t k) {
    return cw_lane_cond_at(w->alt[k].gate, w->t) != CW_BDD_FALSE;
}

static struct cw_lane_base base_of(const struct cw_lane_value *v, uint32_t t) {
    return v->base ? cw_lane_value_base(v, t) : (struct cw_lane_base){CW_NONE, CW_NO_TOKEN};
}

static bool all_same(const struct ways *w, bool pointer) {
    struct cw_cell first = cw_lane_value_cell(w->alt[w->first].value, w->t);
    struct cw_lane_base base = base_of(w->alt[w->first].value, w->t);
    for (uint32_t k = w->first + 1; k < w->n; k++) {
        if (!is_open(w, k))
            continue;
        if (!cw_cell_same(first, cw_lane_value_cell(w->alt[k].value, w->t)))
            return false;
        if (pointer && (base.token == CW_NO_TOKEN || base.token != base_of(w->alt[k].value, w->t).token))
            return false;
    }
    return w->rest == CW_BDD_FALSE;
}

/* Truth values: the formula "comes by k and k's value holds", simplified by the fact that the thread comes at all. */
static bool choose_truth(struct cw_lanes *l, const struct ways *w, bool wide, struct cw_cell *out) {
    uint32_t f = CW_BDD_FALSE, any = CW_BDD_FALSE;
    for (uint32_t k = 0; k < w->n; k++) {
        struct cw_cell c = cw_lane_value_cell(w->alt[k].value, w->t);
        uint32_t gate = cw_lane_cond_at(w->alt[k].gate, w->t), truth;
        if (gate == CW_BDD_FALSE)
            continue;
        if (!wide)
            truth = cw_cell_formula(c);
        else if (!cw_cell_truth(l, c, &truth))
            return false;
        f = cw_bdd_or(&l->f, f, cw_bdd_and(&l->f, gate, truth));
        any = cw_bdd_or(&l->f, any, gate);
    }
    f = cw_bdd_given(&l->f, f, any);
    *out = wide ? cw_truth_cell(l, f) : cw_bdd_cell(l, f);
    return true;
}

/* A token that names every way and what it brings; `own` tells apart what is not followed to the end. */
static struct cw_cell choose_token(struct cw_lanes *l, const struct ways *w, uint64_t own, bool pointer) {
    uint64_t name = cw_mix(CW_OP_PHI, 1);
    uint8_t known = w->rest == CW_BDD_TRUE ? CW_OPAQUE : cw_worse(CW_FREE, cw_bdd_known(&l->f, w->rest));
    if (w->poisoned)
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    for (uint32_t k = 0; k < w->n; k++) {
        struct cw_cell c = cw_lane_value_cell(w->alt[k].value, w->t);
        uint32_t gate = cw_lane_cond_at(w->alt[k].gate, w->t);
        if (gate == CW_BDD_FALSE)
            continue;
        if (!cw_cell_numeric(c) && c.value == CW_NO_TOKEN)
            return c;
        known = cw_worse(known, cw_worse(c.known, cw_bdd_known(&l->f, gate)));
        name = cw_cell_hash(cw_mix(name, gate), c);
        if (pointer)
            name = cw_mix(name, (uint64_t)base_of(w->alt[k].value, w->t).token);
    }
    return (struct cw_cell){known, cw_token(w->rest == CW_BDD_FALSE ? name : cw_mix(name, own))};
}

static struct cw_cell choose_cell(struct cw_lanes *l, const struct ways *w, uint64_t own, enum cw_type type) {
    struct cw_cell out;
    if (w->possible == 0)
        return (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    if (w->possible == 1 && w->rest == CW_BDD_FALSE)
        return cw_lane_value_cell(w->alt[w->first].value, w->t);
    if (all_same(w, false))
        return cw_lane_value_cell(w->alt[w->first].value, w->t);
    if (w->rest == CW_BDD_FALSE && !w->poisoned && choose_truth(l, w, type != CW_I1, &out))
        return out;
    out = choose_token(l, w, own, false);
    if (type == CW_I1 && out.value != CW_NO_TOKEN)
        return cw_bdd_cell(l, cw_bdd_var(&l->f, (uint64_t)out.value, out.known));
    return out;
}

static bool one_base(const struct ways *w) {
    int64_t token = base_of(w->alt[w->first].value, w->t).token;
    for (uint32_t k = w->first; k < w->n; k++)
        if (is_open(w, k) && base_of(w->alt[k].value, w->t).token != token)
            return false;
    return token != CW_NO_TOKEN && w->rest == CW_BDD_FALSE;
}

/* Pointers: by one way, or the same by all; else a common base with an unknown offset; else an unknown base. */
static void choose_pointer(struct cw_lanes *l, cw_ref r, const struct ways *w, uint64_t own) {
    uint32_t t = w->t;
    struct cw_cell c;
    if (w->possible == 0) {
        l->base[t] = (struct cw_lane_base){CW_NONE, CW_NO_TOKEN};
        c = (struct cw_cell){CW_OPAQUE, CW_NO_TOKEN};
    } else if ((w->possible == 1 && w->rest == CW_BDD_FALSE) || all_same(w, true)) {
        l->base[t] = base_of(w->alt[w->first].value, t);
        c = cw_lane_value_cell(w->alt[w->first].value, t);
    } else if (one_base(w)) {
        l->base[t] = base_of(w->alt[w->first].value, t);
        c = choose_token(l, w, own, false);
    } else {
        l->base[t] = (struct cw_lane_base){r, choose_token(l, w, own, true).value};
        c = (struct cw_cell){CW_NUMBER, 0};
    }
    l->known[t] = c.known;
    l->value[t] = c.value;
}

const struct cw_lane_value *cw_lanes_choose(struct cw_lanes *l, cw_ref r, const struct cw_context *c,
                                    const struct cw_alternative *alt, uint32_t n, const struct cw_lane_cond *rest) {
    enum cw_type type = cw_ref_type(l->fn, r);
    uint32_t threads = threads_of(l, alt, n, rest);
    uint64_t name = cw_lanes_name(r, c);
    for (uint32_t t = 0; t < threads; t++) {
        struct ways w = ways_of(alt, n, rest, t);
        if (type == CW_PTR) {
            choose_pointer(l, r, &w, cw_mix(name, t));
            continue;
        }
        struct cw_cell cell = choose_cell(l, &w, cw_mix(name, t), type);
        l->known[t] = cell.known;
        l->value[t] = cell.value;
    }
    return cw_lane_value_seal(l, threads, type == CW_PTR);
}

/* ---- phis ---- */

struct cw_edge cw_lanes_incoming(const struct cw_fn *fn, uint32_t block, uint32_t k) {
    const struct cw_vec_u32 *pred = &fn->blocks.at[block].pred;
    uint32_t from = pred->at[k], nth = 0;
    for (uint32_t p = 0; p < k; p++)
        nth += pred->at[p] == from;
    const struct cw_jump *j = &fn->blocks.at[from].jump;
    for (uint32_t s = 0; s < j->nsucc; s++)
        if (j->succ[s] == block && nth-- == 0)
            return (struct cw_edge){from, s};
    return (struct cw_edge){from, UINT32_MAX};
}

/* Which predecessors count: all, those outside the loop (first iteration), or those inside it. */
static bool counts(const struct cw_lanes *l, uint32_t from, uint32_t loop, bool inside) {
    return l->fn->cfg->rpo_index[from] != CW_NO_BLOCK &&
           (loop == CW_NO_LOOP || cw_cfg_in_loop(l->fn->cfg, loop, from) == inside);
}

/* The phi's value by the counting predecessors; `c` is the context at their ends. */
static const struct cw_lane_value *merge(struct cw_lanes *l, uint32_t ins, const struct cw_context *c, uint32_t loop,
                                 bool inside) {
    const struct cw_ins *i = &l->fn->ins.at[ins];
    const struct cw_vec_u32 *pred = &l->fn->blocks.at[i->block].pred;
    uint32_t n = 0, total = i->narg < pred->n ? i->narg : pred->n;
    cw_ref only = CW_NONE;
    bool same = true;
    for (uint32_t k = 0; k < total; k++) {
        if (!counts(l, pred->at[k], loop, inside))
            continue;
        same &= n++ == 0 || cw_ref_eq(only, cw_arg(l->fn, i, k));
        only = cw_arg(l->fn, i, k);
    }
    if (n > 0 && same)
        return cw_lane_value_of(l, only, c);
    struct cw_alternative *alt = CW_NEW_ARRAY(l->a, struct cw_alternative, n + 1);
    n = 0;
    for (uint32_t k = 0; k < total; k++) {
        if (!counts(l, pred->at[k], loop, inside))
            continue;
        const struct cw_lane_cond *gate = cw_lane_cond_takes(l, cw_lanes_incoming(l->fn, i->block, k), c);
        if (cw_lane_cond_is(l, gate, CW_BDD_FALSE))
            continue;
        alt[n++] = (struct cw_alternative){gate, cw_lane_value_of(l, cw_arg(l->fn, i, k), c)};
    }
    return cw_lanes_choose(l, cw_ref_ins(ins), c, alt, n, NULL);
}

/* The closed form as rows of numbers: init + iteration * step. False when some operand is no number. */
static bool count_row(struct cw_lanes *l, enum cw_op op, enum cw_type type, const struct cw_lane_value *init,
                      const struct cw_lane_value *step, uint32_t iteration, uint32_t threads) {
    int64_t times = cw_type_wrap(type, iteration);
    uint32_t steps = step->mask ? threads : 1;
    if (init->worst > CW_SAMPLE || step->worst > CW_SAMPLE)
        return false;
    struct cw_row rows[2] = {{step->value, step->mask}, {&times, 0}};
    int64_t *by = CW_NEW_ARRAY(l->a, int64_t, steps);
    if (!cw_fold_row(CW_OP_MUL, type, type, rows, 2, steps, by))
        return false;
    struct cw_row sum[2] = {{init->value, init->mask}, {by, step->mask}};
    if (!cw_fold_row(op, type, type, sum, 2, threads, l->value))
        return false;
    for (uint32_t t = 0; t < threads; t++)
        l->known[t] = cw_worse(init->known[t & init->mask], step->known[t & step->mask]);
    l->is_row = true;
    return true;
}

/* Closed form of a counter. */
static const struct cw_lane_value *counter(struct cw_lanes *l, const struct cw_induction *v,
                                           const struct cw_context *c) {
    enum cw_type type = l->fn->ins.at[v->phi].type, step_type = type == CW_PTR ? CW_I64 : type;
    const struct cw_lane_value *init = cw_lane_value_of(l, v->init, c->outer), *step = cw_lane_value_of(l, v->step, c);
    if ((type == CW_PTR) != (init->base != NULL) || step->base)
        return NULL;
    uint32_t threads = init->mask || step->mask ? l->threads : 1;
    enum cw_op op = v->op == CW_OP_PTRADD ? CW_OP_ADD : v->op;
    for (uint32_t t = 0; type == CW_PTR && t < threads; t++)
        l->base[t] = cw_lane_value_base(init, t);
    if (count_row(l, op, step_type, init, step, c->iteration, threads))
        return cw_lane_value_seal_folded(l, threads, type == CW_PTR);
    for (uint32_t t = 0; t < threads; t++) {
        struct cw_cell by[2] = {cw_lane_value_cell(step, t), {CW_NUMBER, cw_type_wrap(step_type, c->iteration)}};
        if (cw_cell_numeric(by[0]))
            by[0].value = cw_type_wrap(step_type, by[0].value);
        struct cw_cell sum[2] = {cw_lane_value_cell(init, t), cw_cell_op(l, CW_OP_MUL, step_type, step_type, by, 2)};
        struct cw_cell r = cw_cell_op(l, op, step_type, step_type, sum, 2);
        l->known[t] = r.known;
        l->value[t] = r.value;
    }
    return cw_lane_value_seal(l, threads, type == CW_PTR);
}

static bool is_counter(const struct cw_lanes *l, uint32_t ins) {
    if (!l->induction[ins])
        return false;
    enum cw_op op = l->fn->cfg->inductions.at[l->induction[ins] - 1].op;
    return (op == CW_OP_ADD || op == CW_OP_SUB || op == CW_OP_PTRADD) && l->fn->ins.at[ins].type != CW_I1;
}

static bool has_number(const struct cw_lanes *l, const struct cw_lane_value *v) {
    uint32_t n = v->mask ? l->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (v->known[t] <= CW_SAMPLE)
            return true;
    return false;
}

/* A value that is no number in two iterations running stays one unknown per iteration: following a running sum of
 * loaded data through a thousand trips would tell nothing more. */
static const struct cw_lane_value *settled(struct cw_lanes *l, uint32_t ins, const struct cw_context *c) {
    if (c->iteration < 3 || l->fn->ins.at[ins].type == CW_I1 || l->fn->ins.at[ins].type == CW_PTR)
        return NULL;
    cw_ref r = cw_ref_ins(ins);
    const struct cw_lane_value *a = cw_lane_value_of(l, r, cw_lanes_context(l, c->outer, c->loop, 1));
    const struct cw_lane_value *b = cw_lane_value_of(l, r, cw_lanes_context(l, c->outer, c->loop, 2));
    if (has_number(l, a) || has_number(l, b))
        return NULL;
    return cw_lane_value_fresh(l, r, c, (enum cw_state)cw_worse(a->worst, b->worst), cw_lanes_scope(l, r));
}

/* The iterations before one after the other, not one inside the other, from the last on that is known. */
static void carry_earlier(struct cw_lanes *l, uint32_t ins, const struct cw_context *c) {
    uint32_t k = c->iteration;
    while (k > 1 && !cw_lane_value_is_known(l, cw_ref_ins(ins), cw_lanes_context(l, c->outer, c->loop, k - 1)))
        k--;
    for (; k < c->iteration && !l->exhausted; k++)
        cw_lane_value_of(l, cw_ref_ins(ins), cw_lanes_context(l, c->outer, c->loop, k));
}

static const struct cw_lane_value *carried(struct cw_lanes *l, uint32_t ins, const struct cw_context *c) {
    if (is_counter(l, ins)) {
        const struct cw_lane_value *v = counter(l, &l->fn->cfg->inductions.at[l->induction[ins] - 1], c);
        if (v)
            return v;
    }
    if (c->iteration == 0)
        return merge(l, ins, c->outer, c->loop, false);
    const struct cw_lane_value *fixed = settled(l, ins, c);
    if (!fixed)
        fixed = cw_lanes_recurring(l, ins, c);
    if (fixed)
        return fixed;
    if (c->iteration > CW_LANES_ITERATIONS)
        return cw_lane_value_fresh(l, cw_ref_ins(ins), c, CW_OPAQUE, CW_UNI_DIVERGENT);
    carry_earlier(l, ins, c);
    return merge(l, ins, cw_lanes_context(l, c->outer, c->loop, c->iteration - 1), c->loop, true);
}

const struct cw_lane_value *cw_lanes_phi(struct cw_lanes *l, uint32_t ins, const struct cw_context *c) {
    uint32_t block = l->fn->ins.at[ins].block;
    if (l->fn->cfg->is_irreducible)
        return cw_lane_value_fresh(l, cw_ref_ins(ins), c, CW_OPAQUE, CW_UNI_DIVERGENT);
    if (c && l->fn->cfg->loops.at[c->loop].header == block)
        return carried(l, ins, c);
    return merge(l, ins, c, CW_NO_LOOP, true);
}

/* ---- leaving ---- */

/* How widely threads agree on when to leave the loop, as far as uniformity knows. */
static enum cw_uni leave_scope(const struct cw_lanes *l, uint32_t loop) {
    const struct cw_loop *lp = &l->fn->cfg->loops.at[loop];
    if (!l->u)
        return CW_UNI_DIVERGENT;
    uint8_t scope = l->u->control[lp->header];
    for (uint32_t x = 0; x < lp->exits.n; x++) {
        uint32_t b = lp->exits.at[x].block;
        scope = cw_worse(scope, l->u->control[b]);
        if (l->fn->blocks.at[b].jump.value.tag != CW_REF_NONE)
            scope = cw_worse(scope, (uint8_t)cw_uni_of(l->u, l->fn->blocks.at[b].jump.value));
    }
    return (enum cw_uni)scope;
}

/* Following a loop, iteration by iteration, as long as something is learnt. */
struct follow {
    uint32_t loop, k, quiet;
    const struct cw_context *outer, *at; /* at: iteration k */
    const struct cw_lane_cond *enter;           /* who enters the loop: what decides that decides nothing more in it */
    const struct cw_lane_cond *alive, *next;    /* who runs the header in iteration k, k + 1 */
};

/* A thread that enters the loop runs the iteration: TRUE, FALSE, or what decides it. */
static uint32_t once_inside(struct cw_lanes *l, const struct cw_lane_cond *enter, const struct cw_lane_cond *runs,
                            uint32_t t) {
    uint32_t in = cw_lane_cond_at(enter, t), f = cw_lane_cond_at(runs, t);
    if (cw_bdd_terminal(f) || in == CW_BDD_TRUE || in == CW_BDD_POISON)
        return f;
    return f == in || cw_bdd_and(&l->f, in, cw_bdd_not(f)) == CW_BDD_FALSE ? CW_BDD_TRUE : f;
}

/* Some thread surely was in the loop once it had entered it, and surely stays or leaves. */
static bool is_progress(struct cw_lanes *l, const struct follow *f) {
    uint32_t n = f->alive->mask || f->next->mask || f->enter->mask ? l->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        if (once_inside(l, f->enter, f->alive, t) == CW_BDD_TRUE &&
            cw_bdd_terminal(once_inside(l, f->enter, f->next, t)))
            return true;
    return false;
}

static void follow_begin(struct cw_lanes *l, struct follow *f, uint32_t loop, const struct cw_context *outer) {
    *f = (struct follow){.loop = loop, .outer = outer};
    f->at = cw_lanes_context(l, outer, loop, 0);
    f->alive = l->fn->cfg->is_irreducible ? cw_lane_cond_one(l, CW_BDD_POISON)
                                          : cw_lane_cond_reach(l, l->fn->cfg->loops.at[loop].header, f->at);
    f->enter = f->next = f->alive;
}

/* False when all have left, or when nothing more will be learnt (alive is then not FALSE for all). */
static bool follow_step(struct cw_lanes *l, struct follow *f) {
    if (cw_lane_cond_is(l, f->alive, CW_BDD_FALSE) || cw_lane_cond_is(l, f->alive, CW_BDD_POISON) ||
        f->k >= CW_LANES_ITERATIONS || f->quiet > CW_LANES_PATIENCE || l->exhausted)
        return false;
    f->at = cw_lanes_context(l, f->outer, f->loop, f->k);
    f->next =
        cw_lane_cond_reach(l, l->fn->cfg->loops.at[f->loop].header, cw_lanes_context(l, f->outer, f->loop, f->k + 1));
    f->quiet = is_progress(l, f) ? 0 : f->quiet + 1;
    return true;
}

static void follow_on(struct follow *f) {
    f->alive = f->next;
    f->k++;
}

static uint8_t worst_of(const struct cw_lanes *l, const struct cw_lane_cond *f) {
    uint8_t known = CW_NUMBER;
    uint32_t n = f->mask ? l->threads : 1;
    for (uint32_t t = 0; t < n; t++)
        known = cw_worse(known, cw_bdd_known(&l->f, f->at[t]));
    return known;
}

/* The value where following stopped early: one unknown, as wide as threads agree. */
static const struct cw_lane_value *not_followed(struct cw_lanes *l, cw_ref r, const struct follow *f,
                                        const struct cw_alternative *alt, uint32_t n) {
    uint8_t known = worst_of(l, f->alive);
    for (uint32_t k = 0; k < n; k++)
        known = cw_worse(known, alt[k].value->worst);
    uint8_t scope = cw_worse((uint8_t)leave_scope(l, f->loop), (uint8_t)cw_lanes_scope(l, r));
    return cw_lane_value_fresh(l, r, f->outer, known <= CW_SAMPLE ? CW_OPAQUE : (enum cw_state)known,
                               (enum cw_uni)scope);
}

/* Floats and other values that are never numbers: a few iterations tell all there is to know. */
static const struct cw_lane_value *exit_token(struct cw_lanes *l, cw_ref r, uint32_t loop,
                                              const struct cw_context *outer) {
    struct cw_alternative alt[3];
    uint32_t n = 0;
    struct follow f;
    for (follow_begin(l, &f, loop, outer); n < 3 && follow_step(l, &f); follow_on(&f))
        alt[n++] = (struct cw_alternative){cw_lane_cond_without(l, f.alive, f.next), cw_lane_value_of(l, r, f.at)};
    if (cw_lane_cond_is(l, f.alive, CW_BDD_FALSE))
        return cw_lanes_choose(l, r, outer, alt, n, NULL);
    return not_followed(l, r, &f, alt, n);
}

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The different trip counts of a counted loop in rising order; 0 when they are too many to look at one by one. */
static uint32_t distinct_runs(struct cw_lanes *l, const struct cw_lane_value *runs, int64_t *out) {
    uint32_t n = runs->mask ? l->threads : 1, kept = 0;
    int64_t *all = CW_NEW_ARRAY(l->a, int64_t, n);
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
static const struct cw_lane_value *exit_counted(struct cw_lanes *l, cw_ref r, uint32_t loop,
                                                const struct cw_context *outer, const struct cw_lane_value *runs) {
    int64_t last[DISTINCT_RUNS_MAX];
    struct cw_alternative alt[DISTINCT_RUNS_MAX];
    uint32_t n = distinct_runs(l, runs, last);
    if (n == 0 || last[n - 1] > CW_LANES_ITERATIONS * 1024)
        return NULL;
    const struct cw_lane_cond *in =
        cw_lane_cond_reach(l, l->fn->cfg->loops.at[loop].header, cw_lanes_context(l, outer, loop, 0));
    for (uint32_t k = 0; k < n; k++) {
        alt[k].value = cw_lane_value_of(l, r, cw_lanes_context(l, outer, loop, (uint32_t)last[k] - 1));
        if (n == 1 && cw_lane_cond_is(l, in, CW_BDD_TRUE))
            return alt[k].value;
        uint32_t width = in->mask || runs->mask ? l->threads : 1;
        for (uint32_t t = 0; t < width; t++)
            l->formula[t] = runs->value[t & runs->mask] == last[k] ? cw_lane_cond_at(in, t) : CW_BDD_FALSE;
        alt[k].gate = cw_lane_cond_seal(l, width);
    }
    return cw_lanes_choose(l, r, outer, alt, n, NULL);
}

/* A value that needs no earlier iteration to be known in a late one: built of counters, of values
 * that come back, and of what the loop leaves alone.
 */
static bool is_jumpable(struct cw_lanes *l, cw_ref r, uint32_t loop, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(l->fn, r);
    if (!i || !cw_cfg_in_loop(l->fn->cfg, loop, i->block))
        return true;
    if (i->op == CW_OP_PHI && i->block == l->fn->cfg->loops.at[loop].header)
        return is_counter(l, r.index) || cw_lanes_is_closed(l, r.index);
    if (depth == 0 || i->op == CW_OP_PHI || !(cw_op_flags(i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_jumpable(l, cw_arg(l->fn, i, k), loop, depth - 1))
            return false;
    return true;
}

const struct cw_lane_value *cw_lanes_exit_value(struct cw_lanes *l, cw_ref r, uint32_t loop,
                                                const struct cw_context *outer) {
    CW_VEC(struct cw_alternative) alt = {0};
    enum cw_type type = cw_ref_type(l->fn, r);
    struct follow f;
    if (cw_cfg_is_invariant(l->fn, loop, r)) /* the same in all iterations: which one was the last does not matter */
        return cw_lane_value_of(l, r, cw_lanes_context(l, outer, loop, 0));
    if (!cw_type_is_int(type) && type != CW_PTR)
        return exit_token(l, r, loop, outer);
    const struct cw_lane_value *runs = is_jumpable(l, r, loop, 6) ? cw_lanes_counted(l, loop, outer) : NULL;
    const struct cw_lane_value *jumped = runs ? exit_counted(l, r, loop, outer, runs) : NULL;
    if (jumped)
        return jumped;
    for (follow_begin(l, &f, loop, outer); follow_step(l, &f); follow_on(&f)) {
        const struct cw_lane_cond *out = cw_lane_cond_without(l, f.alive, f.next);
        if (!cw_lane_cond_is(l, out, CW_BDD_FALSE))
            cw_vec_push(l->a, &alt, ((struct cw_alternative){out, cw_lane_value_of(l, r, f.at)}));
    }
    bool done = cw_lane_cond_is(l, f.alive, CW_BDD_FALSE);
    if (!done && cw_worse((uint8_t)leave_scope(l, loop), (uint8_t)cw_lanes_scope(l, r)) <= CW_UNI_WARP)
        return not_followed(l, r, &f, alt.at, alt.n);
    return cw_lanes_choose(l, r, outer, alt.at, alt.n, done ? NULL : f.alive);
}

/* ---- edges out of a loop, and trip counts ---- */

static bool is_only_exit(const struct cw_lanes *l, struct cw_edge edge, uint32_t loop) {
    const struct cw_loop *lp = &l->fn->cfg->loops.at[loop];
    return lp->exits.n == 1 && lp->exits.at[0].block == edge.block && lp->exits.at[0].which == edge.which;
}

/* Those still inside when following stops leave over this edge or another: an unknown of its own per edge. */
static const struct cw_lane_cond *unfollowed(struct cw_lanes *l, struct cw_edge edge, const struct follow *f) {
    uint64_t name = cw_mix(cw_mix(cw_mix(0x90, edge.block), edge.which), cw_context_id(f->at));
    enum cw_uni scope = leave_scope(l, f->loop);
    for (uint32_t t = 0; t < l->threads; t++) {
        uint32_t who = scope <= CW_UNI_BLOCK ? 0 : scope == CW_UNI_WARP ? t / 32 : t;
        uint8_t known =
            cw_bdd_known(&l->f, cw_lane_cond_at(f->alive, t)); /* NUMBER: a long way, not the input's choice */
        bool open = known == CW_FREE || known == CW_RACY;
        uint32_t var = cw_bdd_var(&l->f, cw_mix(name, who), open ? known : CW_OPAQUE);
        l->formula[t] = cw_bdd_and(&l->f, cw_lane_cond_at(f->alive, t), var);
    }
    return cw_lane_cond_seal(l, l->threads);
}

const struct cw_lane_cond *cw_lanes_some_iteration(struct cw_lanes *l, struct cw_edge edge, uint32_t loop,
                                            const struct cw_context *outer) {
    struct follow f;
    if (is_only_exit(l, edge, loop))
        return cw_lane_cond_reach(l, l->fn->cfg->loops.at[loop].header, cw_lanes_context(l, outer, loop, 0));
    const struct cw_lane_cond *all = cw_lane_cond_one(l, CW_BDD_FALSE);
    for (follow_begin(l, &f, loop, outer); follow_step(l, &f); follow_on(&f))
        all = cw_lane_cond_or(l, all, cw_lane_cond_takes(l, edge, f.at));
    if (!cw_lane_cond_is(l, f.alive, CW_BDD_FALSE))
        all = cw_lane_cond_or(l, all, unfollowed(l, edge, &f));
    return all;
}

static bool trips_counted(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer, int32_t *trips) {
    const struct cw_lane_value *runs = cw_lanes_counted(l, loop, outer);
    if (!runs)
        return false;
    const struct cw_lane_cond *in =
        cw_lane_cond_reach(l, l->fn->cfg->loops.at[loop].header, cw_lanes_context(l, outer, loop, 0));
    for (uint32_t t = 0; t < l->threads; t++) {
        uint32_t f = cw_lane_cond_at(in, t);
        trips[t] = f == CW_BDD_FALSE ? 0 : f == CW_BDD_POISON ? -1 : (int32_t)runs->value[t & runs->mask];
    }
    return true;
}

const int32_t *cw_lanes_trips(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer) {
    uint64_t key = cw_mix(cw_context_id(outer) + 1, loop), found;
    struct follow f;
    if (cw_map_get(&l->trips, key, &found))
        return (const int32_t *)(uintptr_t)found;
    int32_t *trips = CW_NEW_ARRAY(l->a, int32_t, l->threads);
    if (trips_counted(l, loop, outer, trips)) {
        cw_map_put(&l->trips, key, (uint64_t)(uintptr_t)trips);
        return trips;
    }
    for (follow_begin(l, &f, loop, outer); follow_step(l, &f); follow_on(&f))
        for (uint32_t t = 0; t < l->threads; t++) {
            uint32_t alive = once_inside(l, f.enter, f.alive, t);
            trips[t] = alive == CW_BDD_FALSE || trips[t] < 0 ? trips[t] : alive == CW_BDD_TRUE ? trips[t] + 1 : -1;
        }
    for (uint32_t t = 0; t < l->threads; t++)
        if (cw_lane_cond_at(f.alive, t) != CW_BDD_FALSE)
            trips[t] = -1;
    cw_map_put(&l->trips, key, (uint64_t)(uintptr_t)trips);
    return trips;
}

static bool is_decided(struct cw_lanes *l, const struct follow *f) {
    for (uint32_t t = 0; t < l->threads; t++)
        if (!cw_bdd_terminal(once_inside(l, f->enter, f->alive, t)))
            return false;
    return true;
}

int32_t cw_lanes_most_trips(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer) {
    struct follow f;
    const struct cw_lane_value *runs = cw_lanes_counted(l, loop, outer);
    int32_t most = 0;
    follow_begin(l, &f, loop, outer);
    for (uint32_t t = 0; runs && t < l->threads; t++) {
        uint32_t in = cw_lane_cond_at(f.alive, t);
        if (in == CW_BDD_POISON)
            return -1;
        if (in != CW_BDD_FALSE && runs->value[t & runs->mask] > most)
            most = (int32_t)runs->value[t & runs->mask];
    }
    for (; !runs && follow_step(l, &f); follow_on(&f), most++)
        if (!is_decided(l, &f))
            return -1;
    return runs || cw_lane_cond_is(l, f.alive, CW_BDD_FALSE) ? most : -1;
}
