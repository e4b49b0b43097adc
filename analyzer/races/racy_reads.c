/* See racy_reads.h. One walk along the timeline. An access of thread t is ordered before a later one of thread u by a
 * barrier of the block between the two that u reaches whenever it comes to its access: u waits there until t, which is
 * still before it, has come to a barrier as well. */
#include "races/racy_reads.h"

#include "lanes/condition.h"
#include "lanes/facts_print.h"
#include "races/event_trace.h"
#include "races/filled.h"
#include "uniformity/stability.h"

enum {
    SAMPLES = 2,        /* choices of unknown sizes: loops that all threads leave alike, and others */
    LAUNCHES_MAX = 6,
    LOADS_MAX = 32,
    FIRST_THREADS = 2,  /* that stand for all at an access, with the first of another warp, */
    THREADS_MAX = 3,    /* and the last */
    WORK_MAX = 1 << 21  /* pairs of threads, and barriers of one, in all */
};

/* A thread's access, and the formula under which it happens. */
struct event {
    uint32_t step, thread, formula;
};

/* Where one of the loads reads in one iteration, the same for all threads. */
struct read_place {
    int64_t token, offset;
    uint64_t size;
    bool is_anywhere; /* it is not known where */
};

struct walk {
    const struct cw_kernel_query *q;
    const struct cw_event_trace *trace;
    struct cw_lanes *lanes;
    struct cw_racy_reads *out;
    const struct cw_roles *roles;
    struct cw_bitset writes; /* instructions that may write what one of the loads reads, */
    struct cw_bitset *writes_of; /* and those of each */
    CW_VEC(struct event) events;
    CW_VEC(struct read_place) places;
    struct cw_filled_list filled;
    struct cw_vec_u32 barriers; /* steps, since the oldest of the events */
    struct cw_bitset seen; /* loads */
    uint64_t work;
    bool is_cut;
};

static const struct cw_ins *ins_of_step(const struct walk *walk, uint32_t step) {
    return &walk->q->fn->ins.at[walk->trace->steps.at[step].ins];
}

static struct cw_racy_read *read_of(const struct walk *walk, uint32_t ins) {
    for (uint32_t k = 0; k < walk->out->at.n; k++)
        if (walk->out->at.at[k].load == ins)
            return &walk->out->at.at[k];
    return NULL;
}

/* ---- which instructions ---- */

static bool is_in_shared(const struct cw_fn *fn, const struct cw_bases *bases) {
    for (uint32_t k = 0; k < bases->n; k++) {
        cw_ref root = bases->at[k].root;
        if (root.tag != CW_REF_OBJECT || bases->at[k].is_read ||
            (fn->objects.at[root.index].space != CW_SPACE_SHARED &&
             fn->objects.at[root.index].space != CW_SPACE_DYNSHARED))
            return false;
    }
    return true;
}

static void find_loads(const struct cw_kernel_query *query, struct cw_racy_reads *out) {
    const struct cw_fn *fn = query->fn;
    for (uint32_t k = 0; k < fn->ins.n && out->at.n < LOADS_MAX; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op != CW_OP_LOAD || !cw_bitset_has(&query->uniformity->unstable, k) ||
            cw_uni_of(query->uniformity, cw_arg(fn, i, 0)) > CW_UNI_BLOCK)
            continue;
        struct cw_bases bases = cw_memory_bases(fn, cw_arg(fn, i, 0));
        if (is_in_shared(fn, &bases))
            cw_vec_push(query->arena, &out->at, ((struct cw_racy_read){.load = k, .write = UINT32_MAX}));
    }
}

static bool may_write(const struct cw_roles *roles, const struct cw_ins *ins, uint32_t load) {
    const struct cw_fn *fn = roles->fn;
    struct cw_access access[2];
    struct cw_bases from = cw_memory_bases(fn, cw_arg(fn, &fn->ins.at[load], 0));
    struct cw_base unknown = {.root = CW_NONE};
    for (uint32_t f = 0; cw_memory_is_call(ins) && f < from.n; f++)
        if (cw_memory_may_meet(roles->memory, &unknown, 0, &from.at[f], 0))
            return true;
    for (uint32_t n = cw_memory_accesses(fn, ins, access); n-- > 0;) {
        struct cw_bases to = cw_memory_bases(fn, access[n].pointer);
        for (uint32_t t = 0; access[n].writes && t < to.n; t++)
            for (uint32_t f = 0; f < from.n; f++)
                if (cw_memory_may_meet(roles->memory, &to.at[t], access[n].size, &from.at[f], fn->ins.at[load].aux))
                    return true;
    }
    return false;
}

/* Blocks that the block leads to. */
static struct cw_bitset blocks_behind(const struct walk *walk, uint32_t block) {
    const struct cw_fn *fn = walk->q->fn;
    struct cw_bitset behind = cw_bitset_new(walk->q->arena, fn->blocks.n);
    struct cw_vec_u32 todo = {0};
    for (cw_vec_push(walk->q->arena, &todo, block); todo.n > 0;) {
        const struct cw_jump *jump = &fn->blocks.at[todo.at[--todo.n]].jump;
        for (uint32_t k = 0; k < jump->nsucc; k++)
            if (!cw_bitset_has(&behind, jump->succ[k])) {
                cw_bitset_add(&behind, jump->succ[k]);
                cw_vec_push(walk->q->arena, &todo, jump->succ[k]);
            }
    }
    return behind;
}

/* Are the two in different arms of a branch that the whole block takes alike? */
static bool are_exclusive(const struct walk *walk, const struct cw_bitset *behind, uint32_t one, uint32_t other) {
    const uint8_t *control = walk->q->uniformity->control;
    return one != other && !cw_bitset_has(&behind[one], other) && !cw_bitset_has(&behind[other], one) &&
           (control[one] <= CW_UNI_BLOCK || control[other] <= CW_UNI_BLOCK);
}

static void find_writes(struct walk *walk) {
    const struct cw_fn *fn = walk->q->fn;
    struct cw_bitset *behind = CW_NEW_ARRAY(walk->q->arena, struct cw_bitset, fn->blocks.n);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++)
        behind[fn->cfg->rpo[k]] = blocks_behind(walk, fn->cfg->rpo[k]);
    walk->writes = cw_bitset_new(walk->q->arena, fn->ins.n);
    walk->writes_of = CW_NEW_ARRAY(walk->q->arena, struct cw_bitset, walk->out->at.n);
    for (uint32_t r = 0; r < walk->out->at.n; r++) {
        walk->writes_of[r] = cw_bitset_new(walk->q->arena, fn->ins.n);
        for (uint32_t k = 0; k < fn->ins.n; k++)
            if (fn->cfg->rpo_index[fn->ins.at[k].block] != CW_NO_BLOCK &&
                !are_exclusive(walk, behind, fn->ins.at[walk->out->at.at[r].load].block, fn->ins.at[k].block) &&
                may_write(walk->roles, &fn->ins.at[k], walk->out->at.at[r].load)) {
                cw_bitset_add(&walk->writes, k);
                cw_bitset_add(&walk->writes_of[r], k);
            }
    }
}

/* ---- two accesses ---- */

static bool find_place(const struct walk *walk, uint32_t step, uint32_t thread, bool writes, struct cw_lane_base *base,
                       struct cw_cell *offset, uint64_t *size) {
    struct cw_access access[2];
    uint32_t n = cw_memory_accesses(walk->q->fn, ins_of_step(walk, step), access);
    while (n > 0 && access[n - 1].writes != writes)
        n--;
    const struct cw_lane_value *places =
        n ? cw_lanes_places(walk->lanes, access[n - 1].pointer, walk->trace->steps.at[step].context) : NULL;
    if (!places)
        return false;
    *base = cw_lane_value_base(places, thread);
    *offset = cw_lane_value_cell(places, thread);
    *size = access[n - 1].size;
    return base->token != CW_NO_TOKEN;
}

/* May the write be to what the load reads? */
static bool may_meet(const struct walk *walk, const struct event *load, const struct event *write) {
    struct cw_lane_base from, to;
    struct cw_cell a, b;
    uint64_t read, written;
    if (!find_place(walk, load->step, load->thread, false, &from, &a, &read) ||
        !find_place(walk, write->step, write->thread, true, &to, &b, &written))
        return true;
    if (from.token != to.token)
        return from.root.tag != CW_REF_OBJECT || to.root.tag != CW_REF_OBJECT;
    if (!cw_cell_numeric(a) && cw_cell_numeric(b))
        return !cw_filled_excludes(&walk->filled, walk->lanes, cw_arg(walk->q->fn, ins_of_step(walk, load->step), 0),
                                   walk->trace->steps.at[load->step].context, load->thread, to.token, b.value);
    if (!cw_cell_numeric(a) || !cw_cell_numeric(b) || !read || !written)
        return true;
    return a.value < b.value + (int64_t)written && b.value < a.value + (int64_t)read;
}

/* The formula under which the thread comes to the barrier. */
static uint32_t reach_of(const struct walk *walk, uint32_t barrier, uint32_t thread) {
    const struct cw_step *at = &walk->trace->steps.at[barrier];
    return cw_lane_cond_at(cw_lane_cond_reach(walk->lanes, ins_of_step(walk, barrier)->block, at->context), thread);
}

/* Whenever both come, does the later one come by a barrier between the two? An arm that writes and ends with a barrier,
 * and that the whole block takes alike, orders its writes with all that follows. */
static bool are_ordered_together(struct walk *walk, const struct event *event, const struct event *now) {
    struct cw_bdds *bdds = cw_lanes_bdds(walk->lanes);
    uint32_t both = cw_bdd_and(bdds, event->formula, now->formula);
    for (uint32_t k = walk->barriers.n; k-- > 0 && walk->barriers.at[k] > event->step;) {
        walk->is_cut |= ++walk->work > WORK_MAX;
        if (cw_bdd_and(bdds, both, cw_bdd_not(reach_of(walk, walk->barriers.at[k], now->thread))) == CW_BDD_FALSE)
            return true;
    }
    return false;
}

static void meet_event(struct walk *walk, const struct event *event, const struct event *now, bool reads) {
    const struct event *load = reads ? now : event, *write = reads ? event : now;
    struct cw_racy_read *read = read_of(walk, walk->trace->steps.at[load->step].ins);
    if (event->thread == now->thread || !read || read->write != UINT32_MAX ||
        !cw_bitset_has(&walk->writes_of[read - walk->out->at.at], walk->trace->steps.at[write->step].ins))
        return;
    walk->is_cut |= ++walk->work > WORK_MAX;
    if (walk->is_cut ||
        cw_bdd_and(cw_lanes_bdds(walk->lanes), event->formula, now->formula) == CW_BDD_FALSE ||
        !may_meet(walk, load, write) || are_ordered_together(walk, event, now))
        return;
    read->write = walk->trace->steps.at[write->step].ins;
    read->is_ordered = false;
}

/* ---- the walk ---- */

static uint32_t depth_of(const struct cw_context *context) {
    uint32_t depth = 0;
    for (; context; context = context->outer)
        depth++;
    return depth;
}

/* Does each way to the step lead through the barrier, as the graph alone says? A barrier of an earlier iteration that
 * all ways round the loop lead through, or one before in the same iterations. */
static bool lies_on_all_ways(const struct walk *walk, const struct cw_step *barrier, uint32_t block,
                             const struct cw_step *then, uint32_t behind) {
    const struct cw_cfg *cfg = walk->q->fn->cfg;
    const struct cw_context *own = barrier->context, *around = then->context;
    for (uint32_t depth = depth_of(around); depth > depth_of(own); depth--)
        around = around->outer;
    if (own == around)
        return cw_cfg_dominates(cfg, block, behind);
    if (!own || !around || own->outer != around->outer || own->loop != around->loop ||
        own->iteration >= around->iteration)
        return false;
    const struct cw_vec_u32 *latches = &cfg->loops.at[own->loop].latches;
    for (uint32_t k = 0; k < latches->n; k++)
        if (!cw_cfg_dominates(cfg, block, latches->at[k]))
            return false;
    return true;
}

/* Does the thread come by the barrier whenever it comes to the step behind it? */
static bool passes_barrier(const struct walk *walk, uint32_t barrier, const struct event *now) {
    const struct cw_step *at = &walk->trace->steps.at[barrier], *then = &walk->trace->steps.at[now->step];
    uint32_t block = ins_of_step(walk, barrier)->block, behind = ins_of_step(walk, now->step)->block;
    uint32_t reach = reach_of(walk, barrier, now->thread);
    if (cw_bdd_and(cw_lanes_bdds(walk->lanes), now->formula, cw_bdd_not(reach)) == CW_BDD_FALSE)
        return true;
    return lies_on_all_ways(walk, at, block, then, behind);
}

/* The first event that no barrier orders before the thread's access. */
static uint32_t first_unordered(struct walk *walk, const struct event *now) {
    uint32_t k = walk->barriers.n, first = 0;
    while (k > 0 && !passes_barrier(walk, walk->barriers.at[k - 1], now)) {
        walk->is_cut |= ++walk->work > WORK_MAX;
        k--;
    }
    while (k > 0 && first < walk->events.n && walk->events.at[first].step < walk->barriers.at[k - 1])
        first++;
    return first;
}

/* Of the threads that come, a few do: the first ones, one of another warp, and the last one. */
static bool stands_for_others(const struct cw_lane_cond *reach, uint32_t t, uint32_t threads, uint32_t taken,
                              uint32_t last_taken) {
    if (taken < FIRST_THREADS || (taken < THREADS_MAX && t / 32 != last_taken / 32))
        return true;
    for (uint32_t after = t + 1; after < threads; after++)
        if (cw_lane_cond_at(reach, after) != CW_BDD_FALSE)
            return false;
    return true;
}

/* Does the thread write what is known not to be one of the places that are read? */
static bool writes_elsewhere(const struct walk *walk, const struct event *now) {
    struct cw_lane_base base;
    struct cw_cell offset;
    uint64_t size;
    if (!find_place(walk, now->step, now->thread, true, &base, &offset, &size) || !cw_cell_numeric(offset) || !size)
        return false;
    for (uint32_t k = 0; k < walk->places.n; k++) {
        const struct read_place *p = &walk->places.at[k];
        if (p->is_anywhere || (p->token == base.token && p->offset < offset.value + (int64_t)size &&
                               offset.value < p->offset + (int64_t)p->size))
            return false;
    }
    return true;
}

static void meet_events(struct walk *walk, const struct event *now, uint32_t known, bool reads) {
    for (uint32_t k = first_unordered(walk, now); k < known && !walk->is_cut; k++)
        if ((read_of(walk, walk->trace->steps.at[walk->events.at[k].step].ins) == NULL) == reads)
            meet_event(walk, &walk->events.at[k], now, reads);
}

static void enter_access(struct walk *walk, uint32_t step, bool reads) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(walk->lanes, ins_of_step(walk, step)->block,
                                                          walk->trace->steps.at[step].context);
    uint32_t known = walk->events.n, taken = 0, last = 0, threads = cw_lanes_count(walk->lanes);
    for (uint32_t t = 0; t < threads && !walk->is_cut; t++) {
        struct event now = {step, t, cw_lane_cond_at(reach, t)};
        if (now.formula == CW_BDD_FALSE || (!reads && writes_elsewhere(walk, &now)) ||
            !stands_for_others(reach, t, threads, taken, last))
            continue;
        taken++;
        last = t;
        meet_events(walk, &now, known, reads);
        cw_vec_push(walk->q->arena, &walk->events, now);
    }
}

static void forget_all(struct walk *walk) {
    walk->events.n = 0;
    walk->barriers.n = 0;
}

static void pass_barrier(struct walk *walk, uint32_t step) {
    const struct cw_lane_cond *reach =
        cw_lane_cond_reach(walk->lanes, ins_of_step(walk, step)->block, walk->trace->steps.at[step].context);
    if (cw_lane_cond_is(walk->lanes, reach, CW_BDD_TRUE))
        forget_all(walk);
    else
        cw_vec_push(walk->q->arena, &walk->barriers, step);
}

static void pass_step(struct walk *walk, uint32_t step) {
    const struct cw_step *s = &walk->trace->steps.at[step];
    if (s->kind == CW_STEP_GAP) {
        forget_all(walk);
    } else if (s->kind == CW_STEP_SYNC && cw_starts_phase(walk->q->fn, ins_of_step(walk, step))) {
        pass_barrier(walk, step);
    } else if (s->kind == CW_STEP_ACCESS) {
        bool reads = read_of(walk, s->ins) != NULL;
        if (reads)
            cw_bitset_add(&walk->seen, s->ins);
        if (reads || cw_bitset_has(&walk->writes, s->ins))
            enter_access(walk, step, reads);
    }
}

static void find_places(struct walk *walk) {
    walk->places.n = 0;
    for (uint32_t k = 0; k < walk->trace->steps.n; k++) {
        struct cw_lane_base base;
        struct cw_cell offset;
        struct read_place place = {.is_anywhere = true};
        if (walk->trace->steps.at[k].kind != CW_STEP_ACCESS || !read_of(walk, walk->trace->steps.at[k].ins))
            continue;
        if (find_place(walk, k, 0, false, &base, &offset, &place.size) && cw_cell_numeric(offset) && place.size)
            place = (struct read_place){base.token, offset.value, place.size, false};
        cw_vec_push(walk->q->arena, &walk->places, place);
    }
}

/* Writes that are no accesses of the timeline (a collective of a library, an asm) are not looked at: no answer. */
static bool has_all_writes(const struct walk *walk) {
    const struct cw_cfg *cfg = walk->q->fn->cfg;
    for (uint32_t b = 0; b < cfg->nrpo; b++) {
        const struct cw_vec_u32 *list = &walk->q->fn->blocks.at[cfg->rpo[b]].ins;
        for (uint32_t k = 0; k < list->n; k++)
            if (cw_bitset_has(&walk->writes, list->at[k]) &&
                walk->roles->kind[list->at[k]] != CW_STEP_ACCESS)
                return false;
    }
    return true;
}

static bool look_at_sample(struct walk *walk, uint32_t launch, uint32_t sample) {
    walk->lanes = walk->q->lanes(walk->q->owner, launch, sample);
    walk->trace = walk->lanes && !cw_lanes_is_trapped(walk->lanes)
                      ? cw_event_trace_of(walk->lanes, walk->roles, walk->q->arena)
                      : NULL;
    if (!walk->trace || walk->trace->is_too_long)
        return false;
    forget_all(walk);
    walk->seen = cw_bitset_new(walk->q->arena, walk->q->fn->ins.n);
    find_places(walk);
    walk->filled = cw_filled_of(walk->trace, walk->q->arena);
    for (uint32_t k = 0; k < walk->trace->steps.n && !walk->is_cut; k++)
        pass_step(walk, k);
    for (uint32_t k = 0; k < walk->out->at.n; k++)
        walk->out->at.at[k].is_ordered &= cw_bitset_has(&walk->seen, walk->out->at.at[k].load);
    return has_all_writes(walk) && !walk->is_cut && !cw_lanes_exhausted(walk->lanes);
}

/* An inner block, which sizes fill, and one in which they end. */
static bool look_at_launch(struct walk *walk, uint32_t launch) {
    static const uint8_t samples[SAMPLES] = {2, 0};
    bool is_complete = true;
    for (uint32_t k = 0; k < SAMPLES && is_complete; k++)
        is_complete = look_at_sample(walk, launch, samples[k]);
    return is_complete;
}

struct cw_racy_reads cw_racy_reads_of(const struct cw_kernel_query *query) {
    struct cw_racy_reads out = {{0}};
    struct walk walk = {.q = query, .out = &out};
    bool is_complete = query->launches->n > 0 && !query->fn->cfg->is_irreducible;
    if (!is_complete)
        return out;
    find_loads(query, &out);
    if (out.at.n == 0)
        return out;
    walk.roles = cw_roles_of(query->fn, query->uniformity, query->arena);
    find_writes(&walk);
    for (uint32_t k = 0; k < out.at.n; k++)
        out.at.at[k].is_ordered = true;
    for (uint32_t n = 0; n < query->launches->n && n < LAUNCHES_MAX && is_complete; n++)
        is_complete = look_at_launch(&walk, n);
    for (uint32_t k = 0; k < out.at.n; k++) {
        struct cw_racy_read *read = &out.at.at[k];
        read->is_ordered &= is_complete;
        cw_query_gave_up(query, CW_BAIL_RACY_READ, !read->is_ordered && read->write == UINT32_MAX);
    }
    return out;
}

const struct cw_racy_read *cw_racy_read_find(const struct cw_racy_reads *reads, uint32_t load) {
    for (uint32_t k = 0; k < reads->at.n; k++)
        if (reads->at.at[k].load == load)
            return &reads->at.at[k];
    return NULL;
}

/* ---- text form ---- */

void cw_racy_reads_print(const struct cw_facts_print *to, const struct cw_racy_reads *reads) {
    for (uint32_t k = 0; k < reads->at.n; k++) {
        const struct cw_racy_read *read = &reads->at.at[k];
        cw_facts_begin(to, false, "read by all");
        cw_facts_ins(to, "", read->load);
        cw_facts_ins(to, "perhaps beside", read->write);
        cw_facts_flag(to, read->is_ordered, "ordered with all writes");
        cw_facts_end(to);
    }
}
