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

static bool close_over_phi(struct machine *machine, uint32_t phi) {
    if (!cw_type_is_int((enum cw_type)machine->l->fn->ins.at[phi].type) && machine->l->fn->ins.at[phi].type != CW_PTR)
        return false;
    for (uint32_t k = 0; k < machine->n; k++)
        if (machine->phi[k] == phi)
            return true;
    if (machine->n == CLOSED_MAX || machine->l->memo.induction[phi])
        return false;
    machine->phi[machine->n++] = phi;
    return true;
}

static bool close_over_branch(struct machine *machine, uint32_t block, uint32_t depth) {
    const struct cw_jump *j = &machine->l->fn->blocks.at[block].jump;
    return j->nsucc < 2 || close_over(machine, j->value, depth);
}

/* The branches that choose among the phi's operands: those between the block's dominator and the block itself. */
static bool close_over_choice(struct machine *machine, uint32_t block, uint32_t depth) {
    const struct cw_fn *fn = machine->l->fn;
    uint32_t region[REGION_MAX], n = 0, from = fn->cfg->idom[block];
    if (from == CW_NO_BLOCK || !close_over_branch(machine, from, depth))
        return false;
    region[n++] = block;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t p = 0; p < fn->blocks.at[region[k]].pred.n; p++) {
            uint32_t pred = fn->blocks.at[region[k]].pred.at[p], seen = 0;
            while (seen < n && region[seen] != pred)
                seen++;
            if (pred == from || seen < n)
                continue;
            if (n == REGION_MAX || fn->cfg->loop_of[pred] != machine->loop || !close_over_branch(machine, pred, depth))
                return false;
            region[n++] = pred;
        }
    return true;
}

/* Is the value a function of closed phis and of what the loop leaves alone? Adds the phis that it meets. */
static bool close_over(struct machine *machine, cw_ref ref, uint32_t depth) {
    const struct cw_fn *fn = machine->l->fn;
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || cw_cfg_is_invariant(fn, machine->loop, ref))
        return true;
    bool is_phi = i->op == CW_OP_PHI;
    if (is_phi && i->block == fn->cfg->loops.at[machine->loop].header)
        return close_over_phi(machine, ref.index);
    if (depth == 0 || fn->cfg->loop_of[i->block] != machine->loop ||
        (!is_phi && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P)))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!close_over(machine, cw_arg(fn, i, k), depth - 1))
            return false;
    return !is_phi || close_over_choice(machine, i->block, depth - 1);
}

/* The phi's value behind one iteration: one operand, whichever latch the thread comes by. */
static bool close_over_next(struct machine *machine, uint32_t phi) {
    const struct cw_fn *fn = machine->l->fn;
    const struct cw_ins *i = &fn->ins.at[phi];
    const struct cw_vec_u32 *pred = &fn->blocks.at[i->block].pred;
    cw_ref next = CW_NONE;
    for (uint32_t k = 0; k < i->narg && k < pred->n; k++) {
        if (fn->cfg->rpo_index[pred->at[k]] == CW_NO_BLOCK || !cw_cfg_in_loop(fn->cfg, machine->loop, pred->at[k]))
            continue;
        if (next.tag != CW_REF_NONE && !cw_ref_eq(next, cw_arg(fn, i, k)))
            return false;
        next = cw_arg(fn, i, k);
    }
    return next.tag != CW_REF_NONE && close_over(machine, next, CLOSED_DEPTH);
}

static const struct machine *machine_of(struct cw_lanes *lanes, uint32_t phi) {
    uint64_t known;
    if (cw_map_get(&lanes->memo.machines, phi, &known))
        return (const struct machine *)(uintptr_t)known;
    struct machine m = {.l = lanes, .loop = lanes->fn->cfg->loop_of[lanes->fn->ins.at[phi].block]};
    bool is_closed = m.loop != CW_NO_LOOP && !lanes->fn->cfg->is_irreducible &&
                     lanes->fn->cfg->loops.at[m.loop].header == lanes->fn->ins.at[phi].block && close_over_phi(&m, phi);
    for (uint32_t k = 0; is_closed && k < m.n; k++)
        is_closed = close_over_next(&m, m.phi[k]);
    struct machine *kept = NULL;
    if (is_closed) {
        kept = CW_NEW(lanes->a, struct machine);
        *kept = m;
    }
    cw_map_put(&lanes->memo.machines, phi, (uint64_t)(uintptr_t)kept);
    return kept;
}

bool cw_lanes_is_closed(struct cw_lanes *lanes, uint32_t phi) {
    return machine_of(lanes, phi) != NULL;
}

/* ---- when a state comes back ---- */

/* An unknown without a name is the same as another one: what follows from it is just as unknown. */
static bool is_same_cell(struct cw_cell cell, struct cw_cell other) {
    return cw_cell_numeric(cell) == cw_cell_numeric(other) && cell.value == other.value;
}

static bool is_same_value(const struct cw_lanes *lanes, const struct cw_lane_value *value,
                          const struct cw_lane_value *other) {
    uint32_t n = value->mask || other->mask || value->base_mask || other->base_mask ? lanes->threads : 1;
    if ((value->base != NULL) != (other->base != NULL))
        return false;
    for (uint32_t t = 0; t < n; t++)
        if (!is_same_cell(cw_lane_value_cell(value, t), cw_lane_value_cell(other, t)) ||
            (value->base && cw_lane_value_base(value, t).token != cw_lane_value_base(other, t).token))
            return false;
    return true;
}

static bool is_same_state(struct cw_lanes *lanes, const struct machine *machine, const struct cw_context *outer,
                          uint32_t j, uint32_t k) {
    const struct cw_context *a = cw_lanes_context(lanes, outer, machine->loop, j),
                            *b = cw_lanes_context(lanes, outer, machine->loop, k);
    for (uint32_t p = 0; p < machine->n; p++)
        if (!is_same_value(lanes, cw_lane_value_of(lanes, cw_ref_ins(machine->phi[p]), a),
                           cw_lane_value_of(lanes, cw_ref_ins(machine->phi[p]), b)))
            return false;
    return true;
}

static struct recurrence find_recurrence(struct cw_lanes *lanes, const struct machine *machine,
                                         const struct cw_context *outer) {
    for (uint32_t k = 1; k <= PERIOD_MAX && !lanes->exhausted; k++)
        for (uint32_t j = k; j-- > 0;)
            if (is_same_state(lanes, machine, outer, j, k) && !lanes->exhausted)
                return (struct recurrence){j, k - j};
    return (struct recurrence){0, 0};
}

const struct cw_lane_value *cw_lanes_recurring(struct cw_lanes *lanes, uint32_t phi, const struct cw_context *context) {
    const struct machine *m = context->iteration > PERIOD_MAX ? machine_of(lanes, phi) : NULL;
    uint64_t known, key = cw_mix(cw_context_id(context->outer) + 1, phi);
    if (!m)
        return NULL;
    if (!cw_map_get(&lanes->memo.recurrences, key, &known)) {
        struct recurrence r = find_recurrence(lanes, m, context->outer);
        known = (uint64_t)r.start << 32 | r.period;
        cw_map_put(&lanes->memo.recurrences, key, known);
    }
    uint32_t start = (uint32_t)(known >> 32), period = (uint32_t)known;
    if (!period)
        return NULL;
    uint32_t like = start + (context->iteration - start) % period;
    return cw_lane_value_of(lanes, cw_ref_ins(phi), cw_lanes_context(lanes, context->outer, context->loop, like));
}
