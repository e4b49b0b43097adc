/* Loop-carried values that come back: a toggle, a ring of buffers, two pointers that are swapped in each iteration.
 *
 * A header phi is closed when its next value is a pure function of closed header phis of the same loop and of what the
 * loop leaves alone. A set of closed phis is a deterministic machine: when all of them have in iteration k the values
 * of iteration j, every later iteration repeats one of those between, with the period k - j. */
#include "lanes/lanes_internal.h"

enum {
    CLOSED_MAX = 6,   /* phis of one machine */
    CLOSED_DEPTH = 12, /* operations between a phi and its next value */
    PERIOD_MAX = 64,  /* iterations looked at for a state that was there before */
    REGION_MAX = 32   /* blocks of a conditional update */
};

/* The phis of one machine, in the order in which they were met. */
struct machine {
    const struct cw_lanes *l;
    uint32_t loop, n;
    uint32_t phi[CLOSED_MAX];
};

struct recurrence {
    uint32_t start, period; /* 0: none was found */
};

static bool close_over(struct machine *m, cw_ref r, uint32_t depth);

static bool close_over_phi(struct machine *m, uint32_t phi) {
    if (!cw_type_is_int((enum cw_type)m->l->fn->ins.at[phi].type) && m->l->fn->ins.at[phi].type != CW_PTR)
        return false;
    for (uint32_t k = 0; k < m->n; k++)
        if (m->phi[k] == phi)
            return true;
    if (m->n == CLOSED_MAX || m->l->induction[phi])
        return false;
    m->phi[m->n++] = phi;
    return true;
}

static bool close_over_branch(struct machine *m, uint32_t block, uint32_t depth) {
    const struct cw_jump *j = &m->l->fn->blocks.at[block].jump;
    return j->nsucc < 2 || close_over(m, j->value, depth);
}

/* The branches that choose among the phi's operands: those between the block's dominator and the block itself. */
static bool close_over_choice(struct machine *m, uint32_t block, uint32_t depth) {
    const struct cw_fn *fn = m->l->fn;
    uint32_t region[REGION_MAX], n = 0, from = fn->cfg->idom[block];
    if (from == CW_NO_BLOCK || !close_over_branch(m, from, depth))
        return false;
    region[n++] = block;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t p = 0; p < fn->blocks.at[region[k]].pred.n; p++) {
            uint32_t pred = fn->blocks.at[region[k]].pred.at[p], seen = 0;
            while (seen < n && region[seen] != pred)
                seen++;
            if (pred == from || seen < n)
                continue;
            if (n == REGION_MAX || fn->cfg->loop_of[pred] != m->loop || !close_over_branch(m, pred, depth))
                return false;
            region[n++] = pred;
        }
    return true;
}

/* Is the value a function of closed phis and of what the loop leaves alone? Adds the phis that it meets. */
static bool close_over(struct machine *m, cw_ref r, uint32_t depth) {
    const struct cw_fn *fn = m->l->fn;
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (!i || cw_cfg_is_invariant(fn, m->loop, r))
        return true;
    bool is_phi = i->op == CW_OP_PHI;
    if (is_phi && i->block == fn->cfg->loops.at[m->loop].header)
        return close_over_phi(m, r.index);
    if (depth == 0 || fn->cfg->loop_of[i->block] != m->loop || (!is_phi && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P)))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!close_over(m, cw_arg(fn, i, k), depth - 1))
            return false;
    return !is_phi || close_over_choice(m, i->block, depth - 1);
}

/* The phi's value behind one iteration: one operand, whichever latch the thread comes by. */
static bool close_over_next(struct machine *m, uint32_t phi) {
    const struct cw_fn *fn = m->l->fn;
    const struct cw_ins *i = &fn->ins.at[phi];
    const struct cw_vec_u32 *pred = &fn->blocks.at[i->block].pred;
    cw_ref next = CW_NONE;
    for (uint32_t k = 0; k < i->narg && k < pred->n; k++) {
        if (fn->cfg->rpo_index[pred->at[k]] == CW_NO_BLOCK || !cw_cfg_in_loop(fn->cfg, m->loop, pred->at[k]))
            continue;
        if (next.tag != CW_REF_NONE && !cw_ref_eq(next, cw_arg(fn, i, k)))
            return false;
        next = cw_arg(fn, i, k);
    }
    return next.tag != CW_REF_NONE && close_over(m, next, CLOSED_DEPTH);
}

static const struct machine *machine_of(struct cw_lanes *l, uint32_t phi) {
    uint64_t known;
    if (cw_map_get(&l->machines, phi, &known))
        return (const struct machine *)(uintptr_t)known;
    struct machine m = {.l = l, .loop = l->fn->cfg->loop_of[l->fn->ins.at[phi].block]};
    bool is_closed = m.loop != CW_NO_LOOP && !l->fn->cfg->is_irreducible &&
                     l->fn->cfg->loops.at[m.loop].header == l->fn->ins.at[phi].block && close_over_phi(&m, phi);
    for (uint32_t k = 0; is_closed && k < m.n; k++)
        is_closed = close_over_next(&m, m.phi[k]);
    struct machine *kept = NULL;
    if (is_closed) {
        kept = CW_NEW(l->a, struct machine);
        *kept = m;
    }
    cw_map_put(&l->machines, phi, (uint64_t)(uintptr_t)kept);
    return kept;
}

bool cw_lanes_is_closed(struct cw_lanes *l, uint32_t phi) {
    return machine_of(l, phi) != NULL;
}

/* ---- when a state comes back ---- */

/* An unknown without a name is the same as another one: what follows from it is just as unknown. */
static bool is_same_cell(struct cw_cell a, struct cw_cell b) {
    return cw_cell_numeric(a) == cw_cell_numeric(b) && a.value == b.value;
}

static bool is_same_value(const struct cw_lanes *l, const struct cw_lane_value *v, const struct cw_lane_value *w) {
    uint32_t n = v->mask || w->mask || v->base_mask || w->base_mask ? l->threads : 1;
    if ((v->base != NULL) != (w->base != NULL))
        return false;
    for (uint32_t t = 0; t < n; t++)
        if (!is_same_cell(cw_lane_value_cell(v, t), cw_lane_value_cell(w, t)) ||
            (v->base && cw_lane_value_base(v, t).token != cw_lane_value_base(w, t).token))
            return false;
    return true;
}

static bool is_same_state(struct cw_lanes *l, const struct machine *m, const struct cw_context *outer, uint32_t j,
                          uint32_t k) {
    const struct cw_context *a = cw_lanes_context(l, outer, m->loop, j), *b = cw_lanes_context(l, outer, m->loop, k);
    for (uint32_t p = 0; p < m->n; p++)
        if (!is_same_value(l, cw_lane_value_of(l, cw_ref_ins(m->phi[p]), a),
                           cw_lane_value_of(l, cw_ref_ins(m->phi[p]), b)))
            return false;
    return true;
}

static struct recurrence find_recurrence(struct cw_lanes *l, const struct machine *m, const struct cw_context *outer) {
    for (uint32_t k = 1; k <= PERIOD_MAX && !l->exhausted; k++)
        for (uint32_t j = k; j-- > 0;)
            if (is_same_state(l, m, outer, j, k) && !l->exhausted)
                return (struct recurrence){j, k - j};
    return (struct recurrence){0, 0};
}

const struct cw_lane_value *cw_lanes_recurring(struct cw_lanes *l, uint32_t phi, const struct cw_context *c) {
    const struct machine *m = c->iteration > PERIOD_MAX ? machine_of(l, phi) : NULL;
    uint64_t known, key = cw_mix(cw_context_id(c->outer) + 1, phi);
    if (!m)
        return NULL;
    if (!cw_map_get(&l->recurrences, key, &known)) {
        struct recurrence r = find_recurrence(l, m, c->outer);
        known = (uint64_t)r.start << 32 | r.period;
        cw_map_put(&l->recurrences, key, known);
    }
    uint32_t start = (uint32_t)(known >> 32), period = (uint32_t)known;
    if (!period)
        return NULL;
    uint32_t like = start + (c->iteration - start) % period;
    return cw_lane_value_of(l, cw_ref_ins(phi), cw_lanes_context(l, c->outer, c->loop, like));
}
