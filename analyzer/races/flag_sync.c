/* See flag_sync.h. */
#include "races/flag_sync.h"

#include "lanes/condition.h"

enum { PLACES_MAX = 8 /* that are waited on or competed for */ };

struct places {
    struct cw_base at[PLACES_MAX];
    uint32_t n;
    bool unknown; /* too many, or one that cannot be found */
};

static bool is_found(const struct cw_base *base) {
    return base->root.tag != CW_REF_NONE;
}

static bool is_same_root(const struct cw_base *base, const struct cw_base *other) {
    return cw_ref_eq(base->root, other->root) && base->is_read == other->is_read && base->field == other->field;
}

static bool has_place(const struct places *places, const struct cw_base *base) {
    for (uint32_t k = 0; k < places->n; k++)
        if (is_same_root(&places->at[k], base))
            return true;
    return false;
}

static void add_places(struct places *places, const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, ins, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++) {
            places->unknown |= !is_found(&bases.at[b]) || places->n == PLACES_MAX;
            if (!places->unknown && !has_place(places, &bases.at[b]))
                places->at[places->n++] = bases.at[b];
        }
    }
}

static bool touches_flag(const struct places *places, const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, ins, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            if (!is_found(&bases.at[b]) || has_place(places, &bases.at[b]))
                return true;
    }
    return false;
}

/* A barrier of the whole block ends the phase, a wait for memory is what is asked about, and of copies only their own
 * thread knows. */
static bool may_carry(const struct cw_roles *roles, const struct cw_step *step) {
    if (step->kind == CW_STEP_GAP)
        return true;
    if (step->kind != CW_STEP_SYNC || cw_bitset_has(&roles->polls, step->ins))
        return false;
    const struct cw_ins *i = &roles->fn->ins.at[step->ins];
    int64_t count;
    if (i->op == CW_OP_BARRIER)
        return i->aux == CW_BARRIER_ARRIVE || !cw_ref_const(roles->fn, cw_arg(roles->fn, i, 1), &count) || count != 0;
    return i->op != CW_OP_ASYNCCOMMIT && i->op != CW_OP_ASYNCWAIT;
}

static bool is_everybody(const struct cw_event_trace *trace) {
    if (trace->is_cut || trace->is_too_long || trace->roles->has_calls)
        return true;
    for (uint32_t k = 0; k < trace->steps.n; k++)
        if (may_carry(trace->roles, &trace->steps.at[k]))
            return true;
    return false;
}

/* Atomics of other memory as well: what they are for is not known. */
static bool is_signal(const struct cw_event_trace *trace, const struct places *places, const struct cw_step *step) {
    if (step->kind != CW_STEP_ACCESS && step->kind != CW_STEP_SYNC && step->kind != CW_STEP_SIGNAL &&
        step->kind != CW_STEP_USE)
        return false;
    const struct cw_ins *i = &trace->roles->fn->ins.at[step->ins];
    return i->op == CW_OP_ATOMIC || touches_flag(places, trace->roles->fn, i);
}

const bool *cw_signals_of(const struct cw_event_trace *trace, struct cw_arena *a) {
    const struct cw_fn *fn = trace->roles->fn;
    struct places p = {.n = 0};
    if (!trace->roles->has_signals || is_everybody(trace))
        return NULL;
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (cw_bitset_has(&trace->roles->polls, k))
            add_places(&p, fn, &fn->ins.at[k]);
    bool *takes_part = CW_NEW_ARRAY(a, bool, cw_lanes_count(trace->lanes)), all = true;
    for (uint32_t k = 0; k < trace->steps.n && !p.unknown; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        if (!is_signal(trace, &p, s))
            continue;
        const struct cw_lane_cond *reach = cw_lane_cond_reach(trace->lanes, fn->ins.at[s->ins].block, s->context);
        for (uint32_t thread = 0; thread < cw_lanes_count(trace->lanes); thread++)
            takes_part[thread] |= cw_lane_cond_at(reach, thread) != CW_BDD_FALSE;
    }
    for (uint32_t thread = 0; thread < cw_lanes_count(trace->lanes); thread++)
        all &= takes_part[thread];
    return all || p.unknown ? NULL : takes_part;
}
