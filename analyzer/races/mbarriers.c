/* See mbarriers.h. */
#include "races/mbarriers.h"

#include "lanes/condition.h"

static bool is_barrier_op(const struct cw_ins *i) {
    return i->op == CW_OP_MBARINIT || i->op == CW_OP_MBARARRIVE || i->op == CW_OP_MBARWAIT;
}

bool cw_mbarrier_arrives(const struct cw_ins *i) {
    return i->op == CW_OP_MBARARRIVE && i->aux != CW_MBAR_BIND && i->aux != CW_MBAR_EXPECT;
}

/* Where the operand points for the thread; false: not known. */
static bool find_place(const struct cw_event_trace *t, const struct cw_step *s, uint32_t k, uint32_t thread,
                       struct cw_mbarrier *out) {
    const struct cw_fn *fn = t->roles->fn;
    cw_ref pointer = cw_arg(fn, &fn->ins.at[s->ins], k);
    if (cw_ref_type(fn, pointer) != CW_PTR)
        return false;
    const struct cw_lane_value *places = cw_lanes_places(t->lanes, pointer, s->context);
    if (!places)
        return false;
    struct cw_lane_place place = cw_lanes_place(places, thread);
    *out = (struct cw_mbarrier){.root = place.base, .token = place.token, .offset = place.offset, .count = -1};
    return place.known <= CW_SAMPLED && place.token != CW_NO_TOKEN && place.base.tag == CW_REF_OBJECT;
}

static bool is_same(const struct cw_mbarrier *a, const struct cw_mbarrier *b) {
    return cw_ref_eq(a->root, b->root) && a->token == b->token && a->offset == b->offset;
}

static int32_t find(const struct cw_mbarriers *m, const struct cw_mbarrier *wanted) {
    for (uint32_t k = 0; k < m->n; k++)
        if (is_same(&m->at[k], wanted))
            return (int32_t)k;
    return -1;
}

int32_t cw_mbarriers_find(const struct cw_mbarriers *m, const struct cw_event_trace *t, const struct cw_step *s,
                          uint32_t k, uint32_t thread) {
    struct cw_mbarrier wanted;
    return find_place(t, s, k, thread, &wanted) ? find(m, &wanted) : -1;
}

static struct cw_mbarrier *find_or_add(struct cw_mbarriers *m, const struct cw_event_trace *t, const struct cw_step *s,
                                       uint32_t thread, struct cw_arena *a) {
    struct cw_mbarrier wanted;
    if (!find_place(t, s, 0, thread, &wanted))
        return NULL;
    int32_t known = find(m, &wanted);
    if (known >= 0)
        return &m->at[known];
    if (m->n == CW_MBARRIERS_MAX)
        return NULL;
    m->at[m->n] = wanted;
    m->at[m->n].arrivals = CW_NEW_ARRAY(a, uint32_t, cw_lanes_count(t->lanes));
    m->at[m->n].first = CW_NEW_ARRAY(a, uint32_t, cw_lanes_count(t->lanes));
    m->at[m->n].blocks = CW_NEW_ARRAY(a, bool, cw_lanes_count(t->lanes));
    return &m->at[m->n++];
}

static struct cw_cell number_at(const struct cw_event_trace *t, const struct cw_step *s, uint32_t k, uint32_t thread) {
    const struct cw_fn *fn = t->roles->fn;
    return cw_lane_value_cell(cw_lane_value_of(t->lanes, cw_arg(fn, &fn->ins.at[s->ins], k), s->context), thread);
}

/* A wait for the odd phase goes through as long as the first one, which is even, is not over. */
static bool waits_for_first(const struct cw_event_trace *t, const struct cw_step *s, uint32_t thread) {
    const struct cw_ins *i = &t->roles->fn->ins.at[s->ins];
    if (i->aux != CW_MBAR_PARITY)
        return i->aux == CW_MBAR_OWN;
    struct cw_cell parity = number_at(t, s, 1, thread);
    return cw_cell_numeric(parity) && (parity.value & 1) == 0;
}

static void note(struct cw_mbarrier *b, const struct cw_event_trace *t, const struct cw_step *s, uint32_t thread) {
    const struct cw_ins *i = &t->roles->fn->ins.at[s->ins];
    if (i->op == CW_OP_MBARINIT) {
        struct cw_cell count = number_at(t, s, 1, thread);
        b->inits++;
        b->count = cw_cell_numeric(count) ? count.value : -1;
    }
    if (i->op == CW_OP_MBARWAIT) {
        b->waits++;
        b->blocks[thread] |= waits_for_first(t, s, thread);
    }
    if (i->op == CW_OP_MBARWAIT && i->aux >= CW_MBAR_NEXT)
        b->is_stage = true;
    if (!cw_mbarrier_arrives(i))
        return;
    b->arrivals[thread]++;
    b->first[thread] += !b->blocks[thread];
    if (i->aux == CW_MBAR_ARRIVE_STAGE) {
        b->is_stage = true;
        return;
    }
    struct cw_cell n = i->narg > 1 ? number_at(t, s, 1, thread) : (struct cw_cell){CW_NUMBER, 1};
    b->is_odd |= !cw_cell_numeric(n) || n.value != 1;
}

static void note_step(struct cw_mbarriers *m, const struct cw_event_trace *t, const struct cw_step *s,
                      struct cw_arena *a) {
    const struct cw_ins *i = &t->roles->fn->ins.at[s->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(t->lanes, i->block, s->context);
    for (uint32_t thread = 0; thread < cw_lanes_count(t->lanes) && !m->is_lost; thread++) {
        if (cw_lane_cond_at(reach, thread) == CW_BDD_FALSE)
            continue;
        struct cw_mbarrier *b = find_or_add(m, t, s, thread, a);
        if (b)
            note(b, t, s, thread);
        else
            m->is_lost = true;
    }
}

/* A call or an asm that has the barrier's address may arrive. */
static bool may_be_used_elsewhere(const struct cw_mbarrier *b, const struct cw_roles *r) {
    return r->has_calls && cw_bitset_has(&r->memory->escaped, b->root.index);
}

static bool is_exact(const struct cw_mbarrier *b, uint32_t threads) {
    int64_t arriving = 0;
    for (uint32_t t = 0; t < threads; t++)
        arriving += b->arrivals[t] > 0;
    return b->is_stage || (b->inits == 1 && !b->is_odd && (b->count == arriving || (arriving == 0 && b->waits == 0)));
}

const struct cw_mbarriers *cw_mbarriers_of(const struct cw_event_trace *t, struct cw_arena *a) {
    struct cw_mbarriers *m = NULL;
    for (uint32_t k = 0; k < t->steps.n; k++) {
        const struct cw_step *s = &t->steps.at[k];
        if ((s->kind != CW_STEP_SYNC && s->kind != CW_STEP_SETUP) || !is_barrier_op(&t->roles->fn->ins.at[s->ins]))
            continue;
        m = m ? m : CW_NEW(a, struct cw_mbarriers);
        note_step(m, t, s, a);
    }
    for (uint32_t k = 0; m && k < m->n; k++) {
        struct cw_mbarrier *b = &m->at[k];
        b->is_seen = !m->is_lost && !may_be_used_elsewhere(b, t->roles);
        b->is_exact = b->is_seen && is_exact(b, cw_lanes_count(t->lanes));
    }
    return m;
}
