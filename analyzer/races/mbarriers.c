/* See mbarriers.h. */
#include "races/mbarriers.h"

#include "lanes/condition.h"

enum { STAGE_BARRIER_BYTES = 8 };

static bool is_barrier_op(const struct cw_ins *ins) {
    return ins->op == CW_OP_MBARINIT || ins->op == CW_OP_MBARARRIVE || ins->op == CW_OP_MBARWAIT;
}

bool cw_mbarrier_arrives(const struct cw_ins *ins) {
    return ins->op == CW_OP_MBARARRIVE && ins->aux != CW_MBAR_BIND && ins->aux != CW_MBAR_EXPECT;
}

/* Where the operand points for the thread; false: not known. */
static bool find_place(const struct cw_event_trace *trace, const struct cw_step *step, uint32_t k, uint32_t thread,
                       struct cw_mbarrier *out) {
    const struct cw_fn *fn = trace->roles->fn;
    cw_ref pointer = cw_arg(fn, &fn->ins.at[step->ins], k);
    if (cw_ref_type(fn, pointer) != CW_PTR)
        return false;
    const struct cw_lane_value *places = cw_lanes_places(trace->lanes, pointer, step->context);
    if (!places)
        return false;
    struct cw_lane_place place = cw_lanes_place(places, thread);
    *out = (struct cw_mbarrier){.root = place.base, .token = place.token, .offset = place.offset, .count = -1};
    return place.known <= CW_SAMPLED && place.token != CW_NO_TOKEN && place.base.tag == CW_REF_OBJECT;
}

static bool is_same(const struct cw_mbarrier *mbarrier, const struct cw_mbarrier *other) {
    return cw_ref_eq(mbarrier->root, other->root) && mbarrier->token == other->token &&
           mbarrier->offset == other->offset;
}

static int32_t find_mbarrier(const struct cw_mbarriers *mbarriers, const struct cw_mbarrier *wanted) {
    for (uint32_t k = 0; k < mbarriers->n; k++)
        if (is_same(&mbarriers->at[k], wanted))
            return (int32_t)k;
    return -1;
}

int32_t cw_mbarriers_find(const struct cw_mbarriers *mbarriers, const struct cw_event_trace *trace,
                          const struct cw_step *step, uint32_t k, uint32_t thread) {
    struct cw_mbarrier wanted;
    return find_place(trace, step, k, thread, &wanted) ? find_mbarrier(mbarriers, &wanted) : -1;
}

static struct cw_mbarrier *find_or_add(struct cw_mbarriers *mbarriers, const struct cw_event_trace *trace,
                                       const struct cw_step *step, uint32_t thread, struct cw_arena *a) {
    struct cw_mbarrier wanted;
    if (!find_place(trace, step, 0, thread, &wanted))
        return NULL;
    int32_t known = find_mbarrier(mbarriers, &wanted);
    if (known >= 0)
        return &mbarriers->at[known];
    if (mbarriers->n == CW_MBARRIERS_MAX)
        return NULL;
    mbarriers->at[mbarriers->n] = wanted;
    mbarriers->at[mbarriers->n].arrivals = CW_NEW_ARRAY(a, uint32_t, cw_lanes_count(trace->lanes));
    mbarriers->at[mbarriers->n].first = CW_NEW_ARRAY(a, uint32_t, cw_lanes_count(trace->lanes));
    mbarriers->at[mbarriers->n].blocks = CW_NEW_ARRAY(a, bool, cw_lanes_count(trace->lanes));
    return &mbarriers->at[mbarriers->n++];
}

static struct cw_cell number_at(const struct cw_event_trace *trace, const struct cw_step *step, uint32_t k,
                                uint32_t thread) {
    const struct cw_fn *fn = trace->roles->fn;
    return cw_lane_value_cell(cw_lane_value_of(trace->lanes, cw_arg(fn, &fn->ins.at[step->ins], k), step->context),
                              thread);
}

/* A wait for the odd phase goes through as long as the first one, which is even, is not over. */
static bool waits_for_first(const struct cw_event_trace *trace, const struct cw_step *step, uint32_t thread) {
    const struct cw_ins *i = &trace->roles->fn->ins.at[step->ins];
    if (i->aux != CW_MBAR_PARITY)
        return i->aux == CW_MBAR_OWN;
    struct cw_cell parity = number_at(trace, step, 1, thread);
    return cw_cell_numeric(parity) && (parity.value & 1) == 0;
}

static void note_use(struct cw_mbarrier *mbarrier, const struct cw_event_trace *trace, const struct cw_step *step,
                     uint32_t thread) {
    const struct cw_ins *i = &trace->roles->fn->ins.at[step->ins];
    if (i->op == CW_OP_MBARINIT) {
        struct cw_cell count = number_at(trace, step, 1, thread);
        mbarrier->inits++;
        mbarrier->count = cw_cell_numeric(count) ? count.value : -1;
    }
    if (i->op == CW_OP_MBARWAIT) {
        mbarrier->waits++;
        mbarrier->blocks[thread] |= waits_for_first(trace, step, thread);
    }
    if (i->op == CW_OP_MBARWAIT && i->aux >= CW_MBAR_NEXT)
        mbarrier->is_stage = true;
    if (!cw_mbarrier_arrives(i))
        return;
    mbarrier->arrivals[thread]++;
    mbarrier->first[thread] += !mbarrier->blocks[thread];
    if (i->aux == CW_MBAR_ARRIVE_STAGE) {
        mbarrier->is_stage = true;
        return;
    }
    struct cw_cell n = i->narg > 1 ? number_at(trace, step, 1, thread) : (struct cw_cell){CW_NUMBER, 1};
    mbarrier->is_odd |= !cw_cell_numeric(n) || n.value != 1;
}

/* Bytes that the thread surely tells the barrier to expect. */
static void note_expected(struct cw_mbarrier *mbarrier, const struct cw_event_trace *trace, const struct cw_step *step,
                          uint32_t thread, bool is_sure) {
    const struct cw_ins *i = &trace->roles->fn->ins.at[step->ins];
    if (i->op != CW_OP_MBARARRIVE || i->narg < 3 || !is_sure)
        return;
    struct cw_cell bytes = number_at(trace, step, 2, thread);
    mbarrier->expected += cw_cell_numeric(bytes) && bytes.value > 0 ? bytes.value : 0;
}

/* Copies that complete with a barrier; of one whose barrier or size is not known, nothing is known of any barrier. */
static void note_copy(struct cw_mbarriers *mbarriers, const struct cw_event_trace *trace, const struct cw_step *step) {
    const struct cw_ins *i = &trace->roles->fn->ins.at[step->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(trace->lanes, i->block, step->context);
    for (uint32_t thread = 0; thread < cw_lanes_count(trace->lanes); thread++) {
        if (cw_lane_cond_at(reach, thread) == CW_BDD_FALSE)
            continue;
        struct cw_cell bytes = number_at(trace, step, 2, thread);
        int32_t b = cw_mbarriers_find(mbarriers, trace, step, 3, thread);
        for (uint32_t k = 0; k < mbarriers->n; k++)
            if (b < 0 || !cw_cell_numeric(bytes))
                mbarriers->at[k].copied = -1;
        if (b >= 0 && mbarriers->at[b].copied >= 0)
            mbarriers->at[b].copied += bytes.value;
    }
}

/* A copy into memory that cannot race is no step. */
static void note_unseen_copies(struct cw_mbarriers *mbarriers, const struct cw_roles *roles) {
    for (uint32_t k = 0; mbarriers && k < roles->fn->ins.n; k++) {
        const struct cw_ins *i = &roles->fn->ins.at[k];
        bool is_unseen = i->op == CW_OP_ASYNCCOPY && i->narg > 3 && roles->kind[k] == CW_STEP_NONE;
        for (uint32_t b = 0; is_unseen && b < mbarriers->n; b++)
            mbarriers->at[b].copied = -1;
    }
}

static void note_step(struct cw_mbarriers *mbarriers, const struct cw_event_trace *trace, const struct cw_step *step,
                      struct cw_arena *a) {
    const struct cw_ins *i = &trace->roles->fn->ins.at[step->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(trace->lanes, i->block, step->context);
    for (uint32_t thread = 0; thread < cw_lanes_count(trace->lanes) && !mbarriers->is_lost; thread++) {
        if (cw_lane_cond_at(reach, thread) == CW_BDD_FALSE)
            continue;
        struct cw_mbarrier *b = find_or_add(mbarriers, trace, step, thread, a);
        if (!b) {
            mbarriers->is_lost = true;
            continue;
        }
        note_use(b, trace, step, thread);
        note_expected(b, trace, step, thread, cw_lane_cond_at(reach, thread) == CW_BDD_TRUE);
    }
}

/* A call or an asm that has the barrier's address may arrive. */
static bool may_be_used_elsewhere(const struct cw_mbarrier *mbarrier, const struct cw_roles *roles) {
    return roles->has_calls && cw_bitset_has(&roles->memory->escaped, mbarrier->root.index);
}

static bool is_exact(const struct cw_mbarrier *mbarrier, uint32_t threads) {
    int64_t arriving = 0;
    for (uint32_t t = 0; t < threads; t++)
        arriving += mbarrier->arrivals[t] > 0;
    return mbarrier->is_stage || (mbarrier->inits == 1 && !mbarrier->is_odd &&
                                  (mbarrier->count == arriving || (arriving == 0 && mbarrier->waits == 0)));
}

/* The stages of a pipeline that is made once, of a state in shared memory: two barriers of eight bytes for each stage,
 * and what counts its users. */
static uint32_t find_stages(const struct cw_fn *fn, cw_ref pipeline) {
    uint32_t stages = 0, stores = 0;
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t p = 0; p < fn->blocks.at[b].ins.n; p++) {
            const struct cw_ins *store = &fn->ins.at[fn->blocks.at[b].ins.at[p]];
            if (store->op != CW_OP_STORE || !cw_ref_eq(cw_arg(fn, store, 1), pipeline))
                continue;
            const struct cw_ins *made = cw_ins_of(fn, cw_arg(fn, store, 0));
            cw_ref state = made && made->op == CW_OP_OPAQUE && made->narg > 1 ? cw_arg(fn, made, 1) : CW_NONE;
            bool is_state = state.tag == CW_REF_OBJECT && fn->objects.at[state.index].space == CW_SPACE_SHARED;
            stores++;
            stages = is_state ? (uint32_t)fn->objects.at[state.index].size / (2 * STAGE_BARRIER_BYTES) : 0;
        }
    return stores == 1 && stages > 0 ? stages : 1;
}

const struct cw_mbarriers *cw_mbarriers_of(const struct cw_event_trace *trace, struct cw_arena *a) {
    struct cw_mbarriers *m = NULL;
    for (uint32_t k = 0; k < trace->steps.n; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        if ((s->kind != CW_STEP_SYNC && s->kind != CW_STEP_SETUP) || !is_barrier_op(&trace->roles->fn->ins.at[s->ins]))
            continue;
        m = m ? m : CW_NEW(a, struct cw_mbarriers);
        note_step(m, trace, s, a);
    }
    note_unseen_copies(m, trace->roles);
    for (uint32_t k = 0; m && k < trace->steps.n; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        const struct cw_ins *i = s->kind == CW_STEP_GAP ? NULL : &trace->roles->fn->ins.at[s->ins];
        if (i && i->op == CW_OP_ASYNCCOPY && i->narg > 3)
            note_copy(m, trace, s);
    }
    for (uint32_t k = 0; m && k < m->n; k++) {
        struct cw_mbarrier *b = &m->at[k];
        b->stages = b->is_stage ? find_stages(trace->roles->fn, b->root) : 1;
        b->is_seen = !m->is_lost && !may_be_used_elsewhere(b, trace->roles);
        b->is_exact = b->is_seen && is_exact(b, cw_lanes_count(trace->lanes));
    }
    return m;
}
