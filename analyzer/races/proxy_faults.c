/* See proxy_faults.h. Silent where a fence may be that is not seen: in kernels with unknown calls or assembly, and with
 * synchronisation through memory that is polled. */
#include "races/proxy_faults.h"

#include "lanes/condition.h"
#include "lanes/facts_print.h"
#include "launch/for_each_launch.h"
#include "races/happens_before.h"
#include "uniformity/reachable_ops.h"

enum { STORES_MAX = 1 << 14 };

/* What one thread has stored, and whether a fence may have made it visible since. */
struct stored {
    uint32_t ins, thread, phase;
    struct cw_lane_place place;
    uint64_t size;
    struct cw_stamp stamp;
    bool is_fenced;
    bool is_behind_fence; /* of its phase, perhaps of a thread that in fact comes later: arms are laid out in turn */
};

struct walk {
    const struct cw_kernel_query *query;
    const struct cw_event_trace *trace;
    struct cw_order *order;
    CW_VEC(struct stored) stores;
    uint32_t launch;
    uint32_t fence_phase; /* + 1, of the last fence; 0: none yet */
    struct cw_proxy_faults *out;
};

static const struct cw_ins *ins_of(const struct walk *walk, const struct cw_step *step) {
    return &walk->trace->roles->fn->ins.at[step->ins];
}

static uint32_t find_reach(const struct walk *walk, const struct cw_step *step, uint32_t thread) {
    return cw_lane_cond_at(cw_lane_cond_reach(walk->trace->lanes, ins_of(walk, step)->block, step->context), thread);
}

/* Where operand k points for a thread; false: not known, or not to shared memory. */
static bool find_place(const struct walk *walk, cw_ref pointer, const struct cw_step *step, uint32_t thread,
                       struct cw_lane_place *out) {
    const struct cw_lane_value *places = cw_lanes_places(walk->trace->lanes, pointer, step->context);
    if (!places)
        return false;
    *out = cw_lanes_place(places, thread);
    if (out->known > CW_SAMPLED || out->token == CW_NO_TOKEN || out->base.tag != CW_REF_OBJECT)
        return false;
    enum cw_space space = walk->trace->roles->fn->objects.at[out->base.index].space;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* ---- stores ---- */

static void note_store(struct walk *walk, const struct cw_step *step) {
    const struct cw_ins *store = ins_of(walk, step);
    struct stored s = {.ins = step->ins, .phase = cw_order_phase(walk->order), .size = store->aux};
    s.is_behind_fence = walk->fence_phase == s.phase + 1;
    for (uint32_t t = 0; t < cw_lanes_count(walk->trace->lanes) && walk->stores.n < STORES_MAX; t++) {
        if (find_reach(walk, step, t) != CW_BDD_TRUE ||
            !find_place(walk, cw_arg(walk->trace->roles->fn, store, 1), step, t, &s.place))
            continue;
        s.thread = t;
        s.stamp = cw_order_stamp(walk->order, t);
        cw_vec_push(walk->query->arena, &walk->stores, s);
    }
}

/* Does the thread do something now that comes after the store? */
static bool is_after(const struct walk *walk, const struct stored *stored, uint32_t thread) {
    return stored->thread == thread || stored->phase < cw_order_phase(walk->order) ||
           cw_order_knows(walk->order, thread, stored->thread, stored->stamp, false);
}

/* ---- fences: also the end of a copy, behind which an implicit one stands ---- */

static bool is_fence(const struct cw_step *step, const struct cw_ins *ins) {
    return step->kind == CW_STEP_FENCE || ins->op == CW_OP_MBARWAIT ||
           (ins->op == CW_OP_ASYNCWAIT && (ins->aux == CW_WAIT_BULK || ins->aux == CW_WAIT_BULK_READ));
}

static void pass_fence(struct walk *walk, const struct cw_step *step) {
    walk->fence_phase = cw_order_phase(walk->order) + 1;
    for (uint32_t t = 0; t < cw_lanes_count(walk->trace->lanes); t++)
        for (uint32_t k = 0; find_reach(walk, step, t) != CW_BDD_FALSE && k < walk->stores.n; k++) {
            struct stored *s = &walk->stores.at[k];
            s->is_fenced = s->is_fenced || is_after(walk, s, t);
        }
}

/* Lets others within the phase go on: those that were laid out before, and their fences, may come after the store. */
static bool is_release(const struct walk *walk, const struct cw_ins *ins) {
    const struct cw_fn *fn = walk->trace->roles->fn;
    int64_t id;
    if (ins->op != CW_OP_BARRIER)
        return ins->op == CW_OP_MBARARRIVE;
    return !cw_ref_const(fn, cw_arg(fn, ins, 0), &id) || id != 0;
}

static void pass_release(struct walk *walk, const struct cw_step *step) {
    for (uint32_t k = 0; k < walk->stores.n; k++) {
        struct stored *s = &walk->stores.at[k];
        if (s->is_behind_fence && s->phase == cw_order_phase(walk->order) &&
            find_reach(walk, step, s->thread) != CW_BDD_FALSE)
            s->is_fenced = true;
    }
}

/* ---- copies ---- */

static bool is_read_by(const struct stored *stored, const struct cw_lane_place *source, int64_t size) {
    return cw_ref_eq(stored->place.base, source->base) && stored->place.token == source->token &&
           stored->place.offset < source->offset + size &&
           source->offset < stored->place.offset + (int64_t)stored->size;
}

static void add_fault(struct walk *walk, const struct cw_step *copy, uint32_t copier, const struct stored *stored) {
    for (uint32_t k = 0; k < walk->out->at.n; k++)
        if (walk->out->at.at[k].store == stored->ins)
            return;
    cw_vec_push(walk->query->arena, &walk->out->at,
                ((struct cw_proxy_fault){.store = stored->ins, .copy = copy->ins, .thread = stored->thread,
                                         .copier = copier, .root = stored->place.base,
                                         .offset = stored->place.offset, .size = stored->size,
                                         .launch = walk->launch}));
}

/* Bytes that the copy surely reads: one where its size is in a map that the host fills. */
static int64_t find_size(const struct walk *walk, const struct cw_step *step, uint32_t thread) {
    if (ins_of(walk, step)->op == CW_OP_WGMMA)
        return CW_WGMMA_BYTES;
    cw_ref bytes = cw_arg(walk->trace->roles->fn, ins_of(walk, step), 2);
    struct cw_cell size = cw_lane_value_cell(cw_lane_value_of(walk->trace->lanes, bytes, step->context), thread);
    return cw_cell_numeric(size) ? size.value : 1;
}

/* What the engine reads from there on. */
static void check_source(struct walk *walk, const struct cw_step *step, cw_ref from) {
    struct cw_lane_place source;
    for (uint32_t t = 0; t < cw_lanes_count(walk->trace->lanes); t++) {
        if (find_reach(walk, step, t) != CW_BDD_TRUE || !find_place(walk, from, step, t, &source))
            continue;
        int64_t size = find_size(walk, step, t);
        for (uint32_t k = 0; k < walk->stores.n; k++) {
            const struct stored *s = &walk->stores.at[k];
            if (!s->is_fenced && is_read_by(s, &source, size) && is_after(walk, s, t))
                add_fault(walk, step, t, s);
        }
    }
}

/* A bulk copy has a source, a product of matrices up to two. */
static void check_reads(struct walk *walk, const struct cw_step *step, const struct cw_ins *ins) {
    struct cw_access access[2];
    uint32_t n = cw_memory_accesses(walk->trace->roles->fn, ins, access);
    for (uint32_t k = 0; k < n; k++)
        if (access[k].reads)
            check_source(walk, step, access[k].pointer);
}

/* ---- a launch ---- */

static void take_step(struct walk *walk, const struct cw_step *step) {
    if (step->kind == CW_STEP_GAP) { /* what was left out may hold fences */
        walk->stores.n = 0;
        return;
    }
    if (step->kind == CW_STEP_BRANCH)
        return;
    const struct cw_ins *ins = ins_of(walk, step);
    if (is_fence(step, ins))
        pass_fence(walk, step);
    else if (is_release(walk, ins))
        pass_release(walk, step);
    else if (ins->op == CW_OP_STORE && step->kind == CW_STEP_ACCESS)
        note_store(walk, step);
    else if (cw_ins_reads_later(ins))
        check_reads(walk, step, ins);
}

static bool has_reads(const struct cw_kernel_query *query) {
    struct cw_vec_u32 copies = cw_reachable_ops(query->fn, CW_OP_ASYNCCOPY, query->arena);
    for (uint32_t k = 0; k < copies.n; k++)
        if (cw_ins_reads_later(&query->fn->ins.at[copies.at[k]]))
            return true;
    return cw_reachable_ops(query->fn, CW_OP_WGMMA, query->arena).n > 0;
}

static void walk_launch(const struct cw_kernel_query *query, const struct cw_event_trace *trace, uint32_t launch,
                        struct cw_proxy_faults *out) {
    struct walk w = {.query = query, .trace = trace, .launch = launch, .out = out,
                     .order = cw_order_new(trace, CW_BDD_TRUE, query->arena)};
    for (uint32_t k = 0; k < trace->steps.n; k++) {
        take_step(&w, &trace->steps.at[k]);
        cw_order_pass(w.order, k);
    }
}

struct cw_proxy_faults cw_proxy_faults_of(const struct cw_kernel_query *query) {
    struct cw_proxy_faults out = {{0}}, now = {{0}};
    if (query->fn->cfg->is_irreducible || !has_reads(query))
        return out;
    const struct cw_roles *roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    struct cw_survey survey = cw_survey_of(query->launches, 32);
    while (!roles->has_calls && !roles->has_signals && cw_survey_next(&survey)) {
        struct cw_lanes *lanes = query->lanes(query->owner, survey.launch, 0);
        const struct cw_event_trace *trace = lanes ? cw_event_trace_of(lanes, roles, query->arena) : NULL;
        now.at.n = 0;
        if (trace && !trace->is_too_long)
            walk_launch(query, trace, survey.launch, &now);
        if (now.at.n && cw_survey_shown(&survey)) {
            out = now;
            now = (struct cw_proxy_faults){{0}};
        }
    }
    for (uint32_t k = 0; k < out.at.n; k++)
        out.at.at[k].definite = cw_survey_definite(&survey);
    return out;
}

/* ---- text form ---- */

void cw_proxy_faults_print(const struct cw_facts_print *to, const struct cw_proxy_faults *faults) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_proxy_fault *fault = &faults->at.at[k];
        cw_facts_begin(to, fault->definite, "store without proxy fence");
        cw_facts_ins(to, "", fault->store);
        cw_facts_memory(to, fault->root, fault->offset, fault->size);
        cw_facts_thread(to, "by", fault->thread);
        cw_facts_ins(to, "read by", fault->copy);
        cw_facts_thread(to, "by", fault->copier);
        cw_facts_launch(to, fault->launch, 0);
        cw_facts_end(to);
    }
}
