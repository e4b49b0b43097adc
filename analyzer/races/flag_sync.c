/* See flag_sync.h. */
#include "races/flag_sync.h"

#include "lanes/condition.h"

enum { PLACES_MAX = 8 /* that are waited on or competed for */ };

struct places {
    struct cw_base at[PLACES_MAX];
    uint32_t n;
    bool unknown; /* too many, or one that cannot be found */
};

static bool is_found(const struct cw_base *b) {
    return b->root.tag != CW_REF_NONE;
}

static bool is_same_root(const struct cw_base *a, const struct cw_base *b) {
    return cw_ref_eq(a->root, b->root) && a->is_read == b->is_read && a->field == b->field;
}

static bool has_place(const struct places *p, const struct cw_base *b) {
    for (uint32_t k = 0; k < p->n; k++)
        if (is_same_root(&p->at[k], b))
            return true;
    return false;
}

static void add_places(struct places *p, const struct cw_fn *fn, const struct cw_ins *i) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, i, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++) {
            p->unknown |= !is_found(&bases.at[b]) || p->n == PLACES_MAX;
            if (!p->unknown && !has_place(p, &bases.at[b]))
                p->at[p->n++] = bases.at[b];
        }
    }
}

static bool touches(const struct places *p, const struct cw_fn *fn, const struct cw_ins *i) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, i, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            if (!is_found(&bases.at[b]) || has_place(p, &bases.at[b]))
                return true;
    }
    return false;
}

/* A barrier of the whole block ends the phase, a wait for memory is what is asked about, and of copies only their own
 * thread knows. */
static bool may_carry(const struct cw_roles *r, const struct cw_step *s) {
    if (s->kind == CW_STEP_GAP)
        return true;
    if (s->kind != CW_STEP_SYNC || cw_bitset_has(&r->polls, s->ins))
        return false;
    const struct cw_ins *i = &r->fn->ins.at[s->ins];
    int64_t count;
    if (i->op == CW_OP_BARRIER)
        return i->aux == CW_BARRIER_ARRIVE || !cw_ref_const(r->fn, cw_arg(r->fn, i, 1), &count) || count != 0;
    return i->op != CW_OP_ASYNCCOMMIT && i->op != CW_OP_ASYNCWAIT;
}

static bool is_everybody(const struct cw_event_trace *t) {
    if (t->is_cut || t->is_too_long || t->roles->has_calls)
        return true;
    for (uint32_t k = 0; k < t->steps.n; k++)
        if (may_carry(t->roles, &t->steps.at[k]))
            return true;
    return false;
}

/* Atomics of other memory as well: what they are for is not known. */
static bool is_signal(const struct cw_event_trace *t, const struct places *p, const struct cw_step *s) {
    if (s->kind != CW_STEP_ACCESS && s->kind != CW_STEP_SYNC && s->kind != CW_STEP_SIGNAL && s->kind != CW_STEP_USE)
        return false;
    const struct cw_ins *i = &t->roles->fn->ins.at[s->ins];
    return i->op == CW_OP_ATOMIC || touches(p, t->roles->fn, i);
}

const bool *cw_signals_of(const struct cw_event_trace *t, struct cw_arena *a) {
    const struct cw_fn *fn = t->roles->fn;
    struct places p = {.n = 0};
    if (!t->roles->has_signals || is_everybody(t))
        return NULL;
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (cw_bitset_has(&t->roles->polls, k))
            add_places(&p, fn, &fn->ins.at[k]);
    bool *takes_part = CW_NEW_ARRAY(a, bool, cw_lanes_count(t->lanes)), all = true;
    for (uint32_t k = 0; k < t->steps.n && !p.unknown; k++) {
        const struct cw_step *s = &t->steps.at[k];
        if (!is_signal(t, &p, s))
            continue;
        const struct cw_lane_cond *reach = cw_lane_cond_reach(t->lanes, fn->ins.at[s->ins].block, s->context);
        for (uint32_t thread = 0; thread < cw_lanes_count(t->lanes); thread++)
            takes_part[thread] |= cw_lane_cond_at(reach, thread) != CW_BDD_FALSE;
    }
    for (uint32_t thread = 0; thread < cw_lanes_count(t->lanes); thread++)
        all &= takes_part[thread];
    return all || p.unknown ? NULL : takes_part;
}
