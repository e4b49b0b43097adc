/* Spins within a warp; see spins.h for requires / computes / preserves. */
#include "faults/spins.h"

#include "lanes/facts_print.h"
#include "lanes/iterations.h"
#include "lanes/condition.h"
#include "lanes/value.h"
#include "uniformity/alias.h"
#include "uniformity/spin_loops.h"
#include "faults/barrier_divergence.h"
#include "uniformity/reachable_ops.h"

#include <string.h>

enum {
    SAMPLES = 2,       /* choices of the uniform unknowns tried per launch */
    MAX_WRITES = 64,   /* looked at per loop */
    POINTER_STEPS = 8, /* sums that lead to a pointer's origin */
    POINTER_DEPTH = 6, /* of how an origin is computed */
    MAX_PAIRS = 1 << 16, /* pairs of lanes asked about per loop, write and launch */
    MAX_DEPTH = 16     /* of a condition that is computed for a released value */
};

/* A write that may let lanes out of a loop. */
struct release {
    uint32_t ins;
    cw_ref pointer, value; /* value: NONE when it depends on what was there */
    bool behind;
};

struct work {
    const struct cw_kernel_query *q;
    const struct cw_fn *fn;
    const struct cw_memory *memory;
    const struct cw_spin_loop *loop;
    struct cw_bitset ahead; /* blocks that follow the loop's exits, in the same iteration of the loops around it */
    CW_VEC(struct release) releases;
    bool is_common;         /* see leave_together */
    struct cw_lanes *l;
    const struct cw_context *context; /* iteration 0 of the loop */
    /* of each thread, for one write; room for the threads of the largest launch so far */
    struct cw_lane_place *waits, *writes;
    uint8_t *class_of;
    uint32_t room;
};

/* ---- which writes may let a lane out ---- */

static bool as_release(const struct cw_fn *fn, uint32_t ins, struct release *out) {
    const struct cw_ins *i = &fn->ins.at[ins];
    enum cw_atomic how = (enum cw_atomic)(i->aux & 0xff);
    if (i->op == CW_OP_STORE) {
        *out = (struct release){ins, cw_arg(fn, i, 1), cw_arg(fn, i, 0), false};
        return true;
    }
    if (i->op != CW_OP_ATOMIC || !cw_memory_atomic_changes(fn, i))
        return false;
    *out = (struct release){ins, cw_arg(fn, i, 0), CW_NONE, false};
    if (how == CW_ATOMIC_EXCH || how == CW_ATOMIC_STORE)
        out->value = cw_arg(fn, i, 1);
    if (how == CW_ATOMIC_CAS)
        out->value = cw_arg(fn, i, 2);
    return true;
}

static const struct cw_ins *behind_offsets(const struct cw_fn *fn, cw_ref *pointer) {
    const struct cw_ins *i = cw_ins_of(fn, *pointer);
    for (int k = 0; k < POINTER_STEPS && i && i->op == CW_OP_PTRADD; k++) {
        *pointer = cw_arg(fn, i, 0);
        i = cw_ins_of(fn, *pointer);
    }
    return i;
}

/* Are the two computed alike, by sums and reads? */
static bool is_computed_alike(const struct cw_fn *fn, cw_ref value, cw_ref other, int depth) {
    const struct cw_ins *i = cw_ins_of(fn, value), *j = cw_ins_of(fn, other);
    int64_t number, same;
    if (cw_ref_eq(value, other))
        return true;
    if (cw_ref_const(fn, value, &number))
        return cw_ref_const(fn, other, &same) && number == same;
    if (depth == 0 || !i || !j || i->op != j->op || (i->op != CW_OP_PTRADD && i->op != CW_OP_LOAD))
        return false;
    return is_computed_alike(fn, cw_arg(fn, i, 0), cw_arg(fn, j, 0), depth - 1) &&
           (i->op == CW_OP_LOAD || is_computed_alike(fn, cw_arg(fn, i, 1), cw_arg(fn, j, 1), depth - 1));
}

/* Are they one pointer, or read from one place, whatever is added to them? */
static bool has_same_origin(const struct cw_fn *fn, cw_ref pointer, cw_ref other) {
    const struct cw_ins *i = behind_offsets(fn, &pointer), *j = behind_offsets(fn, &other);
    return cw_ref_eq(pointer, other) ||
           (i && j && i->op == CW_OP_LOAD && j->op == CW_OP_LOAD &&
            is_computed_alike(fn, pointer, other, POINTER_DEPTH));
}

static bool is_known_base(const struct cw_base *base) {
    return base->root.tag != CW_REF_NONE && base->fields == 0;
}

/* Of two pointers of unknown origin nothing says that they lead to one place, unless they come from one. */
static bool may_meet(const struct work *work, cw_ref ref, cw_ref other) {
    struct cw_bases x = cw_memory_bases(work->fn, ref), y = cw_memory_bases(work->fn, other);
    for (uint32_t k = 0; k < x.n; k++)
        for (uint32_t n = 0; n < y.n; n++)
            if (cw_memory_may_meet(work->memory, &x.at[k], 0, &y.at[n], 0) &&
                ((is_known_base(&x.at[k]) && is_known_base(&y.at[n])) || has_same_origin(work->fn, ref, other)))
                return true;
    return false;
}

static bool is_back_edge(const struct cw_fn *fn, uint32_t from, uint32_t to) {
    return cw_cfg_dominates(fn->cfg, to, from);
}

/* Blocks reached from `block` without going round a loop. */
static struct cw_bitset forward_of(const struct work *work, const uint32_t *from, uint32_t n) {
    struct cw_bitset seen = cw_bitset_new(work->q->arena, work->fn->blocks.n);
    struct cw_vec_u32 todo = {0};
    for (uint32_t k = 0; k < n; k++) {
        cw_bitset_add(&seen, from[k]);
        cw_vec_push(work->q->arena, &todo, from[k]);
    }
    while (todo.n > 0) {
        uint32_t b = todo.at[--todo.n];
        const struct cw_jump *jump = &work->fn->blocks.at[b].jump;
        for (uint32_t k = 0; k < jump->nsucc; k++)
            if (!cw_bitset_has(&seen, jump->succ[k]) && !is_back_edge(work->fn, b, jump->succ[k])) {
                cw_bitset_add(&seen, jump->succ[k]);
                cw_vec_push(work->q->arena, &todo, jump->succ[k]);
            }
    }
    return seen;
}

/* Is the other block in another arm of a branch, neither before nor behind the loop? */
static bool is_beside(const struct work *work, uint32_t block) {
    struct cw_bitset after = forward_of(work, &block, 1);
    return !cw_bitset_has(&after, work->fn->cfg->loops.at[work->loop->loop].header);
}

static cw_ref watched_address(const struct work *work) {
    return cw_arg(work->fn, &work->fn->ins.at[work->loop->watch], 0);
}

/* ---- what a released value does to a waiting lane ---- */

enum answer { NO, MAYBE, YES };

struct given {
    const struct work *w;
    uint32_t waiter;
    bool known;
    int64_t value;
};

static bool compute_given(const struct given *g, cw_ref r, uint32_t depth, int64_t *out);

static bool compute_op(const struct given *given, const struct cw_ins *ins, uint32_t depth, int64_t *out) {
    int64_t args[3];
    if (ins->op == CW_OP_PHI || ins->narg == 0 || ins->narg > 3 || !(cw_op_flags((enum cw_op)ins->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < ins->narg; k++)
        if (!compute_given(given, cw_arg(given->w->fn, ins, k), depth + 1, &args[k]))
            return false;
    enum cw_type type = cw_ref_type(given->w->fn, cw_arg(given->w->fn, ins, ins->op == CW_OP_SELECT ? 1 : 0));
    return cw_fold((enum cw_op)ins->op, type, (enum cw_type)ins->type, args, out);
}

/* `ref` for the waiting lane, had the read returned the given value. */
static bool compute_given(const struct given *given, cw_ref ref, uint32_t depth, int64_t *out) {
    const struct cw_ins *i = cw_ins_of(given->w->fn, ref);
    if (i != NULL && ref.index == given->w->loop->watch) {
        *out = cw_type_wrap((enum cw_type)i->type, given->value);
        return given->known;
    }
    if (!cw_spin_stays(given->w->fn, given->w->loop->loop, ref))
        return i != NULL && depth < MAX_DEPTH && compute_op(given, i, depth, out);
    const struct cw_lane_values *v = cw_lanes_eval(given->w->l, ref, given->w->context);
    *out = v->value[given->waiter];
    return v->known[given->waiter] <= CW_SAMPLED;
}

/* Does the value that `releaser` writes let `waiter` out? */
static enum answer lets_out(const struct work *work, const struct release *release, uint32_t waiter,
                            uint32_t releaser) {
    struct given g = {.w = work, .waiter = waiter};
    uint32_t block = work->fn->ins.at[release->ins].block;
    bool open = false;
    if (release->value.tag != CW_REF_NONE && release->value.tag != CW_REF_UNDEF) {
        const struct cw_context *c = cw_context_complete(work->l, cw_context_at(work->l, work->context, block), block);
        const struct cw_lane_values *v = cw_lanes_eval(work->l, release->value, c);
        g.known = v->known[releaser] <= CW_SAMPLED;
        g.value = v->value[releaser];
    }
    for (uint32_t k = 0; k < work->loop->nexits; k++) {
        struct cw_edge exit = work->loop->exits[k];
        int64_t value;
        if (!compute_given(&g, work->fn->blocks.at[exit.block].jump.value, 0, &value))
            open = true;
        else if ((exit.which == 0) == (value != 0))
            return YES;
    }
    return open ? MAYBE : NO;
}

/* Does the read change what it reads, so that of several lanes only one gets out? */
static bool takes_value(const struct cw_fn *fn, const struct cw_ins *ins) {
    return ins->op == CW_OP_ATOMIC && cw_memory_atomic_changes(fn, ins);
}

/* Is this condition, but for what was read, the same for all lanes of a warp? */
static bool is_shared(const struct work *work, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(work->fn, ref);
    if (cw_spin_stays(work->fn, work->loop->loop, ref))
        return cw_uni_of(work->q->uniformity, ref) <= CW_UNI_WARP;
    if (ref.index == work->loop->watch)
        return true;
    if (i->op == CW_OP_PHI || depth >= MAX_DEPTH)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_shared(work, cw_arg(work->fn, i, k), depth + 1))
            return false;
    return true;
}

/* Lanes that read one place and ask it the same question get out together. */
static bool leave_together(const struct work *work) {
    if (takes_value(work->fn, &work->fn->ins.at[work->loop->watch]))
        return false;
    for (uint32_t k = 0; k < work->loop->nexits; k++)
        if (!is_shared(work, work->fn->blocks.at[work->loop->exits[k].block].jump.value, 0))
            return false;
    return true;
}

/* ---- do two lanes mean one place? ---- */

static enum answer same_place(const struct cw_lane_place *place, const struct cw_lane_place *other) {
    if (place->base.tag == CW_REF_NONE || other->base.tag == CW_REF_NONE || !cw_ref_eq(place->base, other->base))
        return place->base.tag == CW_REF_INS && other->base.tag == CW_REF_INS && place->known <= CW_INPUT &&
                       other->known <= CW_INPUT
                   ? MAYBE
                   : NO;
    bool numbers = place->known <= CW_SAMPLED && other->known <= CW_SAMPLED;
    if (place->token != other->token)
        return MAYBE;
    if (numbers || (place->known == CW_INPUT && other->known == CW_INPUT && place->offset == other->offset))
        return place->offset == other->offset ? YES : NO;
    return place->known <= CW_INPUT && other->known <= CW_INPUT ? MAYBE : NO;
}

/* ---- one write, one launch ---- */

struct pair {
    bool found, sure;
    uint32_t waiter, releaser;
};

enum { MAX_CLASSES = 64 };

/* Who gets where, and what they mean there. In the common case all threads mean one place each time; then threads that
 * come and write under the same conditions are of one class, and the answer is computed once for two classes. */
struct meeting {
    struct work *work;
    const struct release *release;
    const struct cw_context *context; /* of the write */
    const struct cw_lane_cond *come, *releases; /* who comes to the loop, and who to the write; NULL: not asked yet */
    uint32_t classes[MAX_CLASSES]; /* a thread of each */
    uint32_t nclasses;             /* 0: threads are looked at one by one */
    uint8_t answers[MAX_CLASSES * MAX_CLASSES]; /* for two classes: 1 + enum answer; 0: not computed yet */
};

static void ask_who_comes(struct meeting *meeting) {
    struct work *work = meeting->work;
    uint32_t header = work->fn->cfg->loops.at[work->loop->loop].header;
    if (meeting->come != NULL)
        return;
    meeting->come = cw_lane_cond_reach(work->l, header, work->context);
    meeting->releases =
        cw_lane_cond_reach(work->l, work->fn->ins.at[meeting->release->ins].block, meeting->context);
}

static bool is_same_class(const struct meeting *meeting, uint32_t t, uint32_t u) {
    return cw_lane_cond_at(meeting->come, t) == cw_lane_cond_at(meeting->come, u) &&
           cw_lane_cond_at(meeting->releases, t) == cw_lane_cond_at(meeting->releases, u);
}

/* Leaves no classes when there are too many. */
static void find_classes(struct meeting *meeting) {
    uint32_t threads = cw_lanes_count(meeting->work->l);
    uint8_t *class_of = meeting->work->class_of;
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t k = t ? class_of[t - 1] : 0;
        if (!t || !is_same_class(meeting, t, t - 1))
            for (k = 0; k < meeting->nclasses && !is_same_class(meeting, t, meeting->classes[k]);)
                k++;
        if (k == MAX_CLASSES) {
            meeting->nclasses = 0;
            return;
        }
        if (k == meeting->nclasses)
            meeting->classes[meeting->nclasses++] = t;
        class_of[t] = (uint8_t)k;
    }
    memset(meeting->answers, 0, (size_t)meeting->nclasses * meeting->nclasses);
}

/* Do t and u meet at one place, the one in the loop and the other at the write? Not: does what u writes let t out? */
static enum answer meet(struct meeting *meeting, uint32_t t, uint32_t u) {
    struct work *work = meeting->work;
    const struct cw_lane_place *waits = &work->waits[t], *writes = &work->writes[u], *reads = &work->waits[u];
    enum answer same = same_place(waits, writes);
    if (same == NO)
        return NO;
    ask_who_comes(meeting);
    uint32_t comes = cw_lane_cond_at(meeting->come, t);
    enum cw_reach met = cw_lanes_both(work->l, comes, cw_lane_cond_at(meeting->releases, u));
    if (met != CW_REACH_YES && met != CW_REACH_INPUT)
        return NO;
    if (work->is_common &&
        cw_lanes_both(work->l, comes, cw_lane_cond_at(meeting->come, u)) != CW_REACH_NO &&
        same_place(waits, reads) == YES)
        return NO;
    /* A lock of one's own choice is there because others choose it too. */
    bool own = meeting->release->behind && same_place(reads, writes) == YES;
    return own && takes_value(work->fn, &work->fn->ins.at[work->loop->watch]) ? YES : same;
}

static enum answer is_pair(struct meeting *meeting, uint32_t t, uint32_t u) {
    enum answer now;
    if (!meeting->nclasses) {
        now = meet(meeting, t, u);
    } else {
        const uint8_t *class_of = meeting->work->class_of;
        uint8_t *known = &meeting->answers[class_of[t] * meeting->nclasses + class_of[u]];
        if (!*known)
            *known = (uint8_t)(1 + meet(meeting, t, u));
        now = (enum answer)(*known - 1);
    }
    return now != NO && lets_out(meeting->work, meeting->release, t, u) == NO ? NO : now;
}

/* Once it has been asked: nobody is at this place. */
static bool never(const struct cw_lane_cond *cond, uint32_t t) {
    return cond != NULL && cw_lane_cond_at(cond, t) == CW_BDD_FALSE;
}

static void look_at_pairs(struct meeting *meeting, struct pair *out) {
    uint32_t threads = cw_lanes_count(meeting->work->l), asked = 0;
    for (uint32_t t = 0; t < threads && asked < MAX_PAIRS; t++)
        for (uint32_t u = t & ~31u; u <= (t | 31) && u < threads && asked < MAX_PAIRS && !out->sure; u++) {
            enum answer now = NO;
            asked += u != t;
            if (u != t && !never(meeting->come, t) && !never(meeting->releases, u))
                now = is_pair(meeting, t, u);
            if (now == NO || (now == MAYBE && out->found))
                continue;
            *out = (struct pair){true, now == YES, t, u};
        }
}

static void read_places(struct meeting *meeting, const struct cw_lane_value *watch, const struct cw_lane_value *write) {
    struct work *work = meeting->work;
    uint32_t threads = cw_lanes_count(work->l);
    if (work->room < threads) {
        work->waits = CW_NEW_ARRAY(work->q->arena, struct cw_lane_place, threads);
        work->writes = CW_NEW_ARRAY(work->q->arena, struct cw_lane_place, threads);
        work->class_of = CW_NEW_ARRAY(work->q->arena, uint8_t, threads);
        work->room = threads;
    }
    for (uint32_t t = 0; t < threads; t++) {
        work->waits[t] = cw_lanes_place(watch, t);
        work->writes[t] = cw_lanes_place(write, t);
    }
}

static bool is_one(const struct cw_lane_value *places) {
    return !places->mask && !places->base_mask;
}

static void look_for_pair(struct work *work, const struct release *release, struct pair *out) {
    uint32_t block = work->fn->ins.at[release->ins].block;
    const struct cw_context *c = cw_context_complete(work->l, cw_context_at(work->l, work->context, block), block);
    const struct cw_lane_value *watch = cw_lanes_places(work->l, watched_address(work), work->context),
                               *write = cw_lanes_places(work->l, release->pointer, c);
    struct meeting meeting;
    if (watch == NULL || write == NULL)
        return;
    meeting.work = work;
    meeting.release = release;
    meeting.context = c;
    meeting.come = meeting.releases = NULL;
    meeting.nclasses = 0;
    read_places(&meeting, watch, write);
    if (is_one(watch) && is_one(write)) {
        if (same_place(&work->waits[0], &work->writes[0]) == NO)
            return;
        ask_who_comes(&meeting);
        find_classes(&meeting);
    }
    look_at_pairs(&meeting, out);
}

/* ---- a meeting before the release ---- */

/* Does this instruction keep the releasing lane until the waiting one comes? */
static bool needs_waiter(const struct work *work, uint32_t ins, uint32_t waiter) {
    const struct cw_ins *i = &work->fn->ins.at[ins];
    int64_t mask;
    if (cw_is_block_barrier(work->fn, ins))
        return true;
    return (cw_op_flags((enum cw_op)i->op) & CW_OP_C) && i->narg > 0 &&
           cw_ref_const(work->fn, cw_arg(work->fn, i, 0), &mask) && ((uint64_t)mask >> (waiter % 32) & 1);
}

static uint32_t meeting_of(const struct work *work, const struct release *release, uint32_t waiter) {
    const struct cw_cfg *cfg = work->fn->cfg;
    uint32_t header = cfg->loops.at[work->loop->loop].header;
    for (uint32_t k = cfg->rpo_index[header]; release->behind && k < cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &work->fn->blocks.at[cfg->rpo[k]].ins;
        bool between = cw_cfg_dominates(cfg, header, cfg->rpo[k]) &&
                       !cw_cfg_in_loop(cfg, work->loop->loop, cfg->rpo[k]) &&
                       cfg->loop_of[cfg->rpo[k]] == cfg->loops.at[work->loop->loop].parent;
        for (uint32_t n = 0; between && n < list->n; n++)
            if (needs_waiter(work, list->at[n], waiter) && cw_cfg_ins_dominates(work->fn, list->at[n], release->ins))
                return list->at[n];
    }
    return UINT32_MAX;
}

/* ---- one loop ---- */

/* The writes that may let a lane out of the loop and that other lanes may not have reached yet; none when the loop
 * itself contains one: then it waits for nobody. */
static void gather_writes(struct work *work) {
    uint32_t from[CW_SPIN_EXITS];
    for (uint32_t k = 0; k < work->loop->nexits; k++)
        from[k] = cw_cfg_edge_target(work->fn, work->loop->exits[k]);
    work->ahead = forward_of(work, from, work->loop->nexits);
    work->is_common = leave_together(work);
    work->releases.n = 0;
    for (uint32_t k = 0; k < work->fn->cfg->nrpo; k++) {
        uint32_t block = work->fn->cfg->rpo[k];
        for (uint32_t n = 0; n < work->fn->blocks.at[block].ins.n; n++) {
            struct release r;
            if (!as_release(work->fn, work->fn->blocks.at[block].ins.at[n], &r) ||
                !may_meet(work, watched_address(work), r.pointer))
                continue;
            r.behind = cw_bitset_has(&work->ahead, block);
            bool inside = cw_cfg_in_loop(work->fn->cfg, work->loop->loop, block);
            if (inside ? r.ins == work->loop->watch : !r.behind && !is_beside(work, block))
                continue;
            if (work->releases.n >= MAX_WRITES) {
                cw_query_gave_up(work->q, CW_BAIL_SPIN_BUDGET, 1);
                return;
            }
            cw_vec_push(work->q->arena, &work->releases, r);
        }
    }
}

/* A write inside the loop that may let its lanes out: the safe form of a lock, or a state machine. */
static bool frees_itself(const struct work *work) {
    for (uint32_t k = 0; k < work->releases.n; k++) {
        const struct release *r = &work->releases.at[k];
        if (!cw_cfg_in_loop(work->fn->cfg, work->loop->loop, work->fn->ins.at[r->ins].block))
            continue;
        for (uint32_t t = 0; t < cw_lanes_count(work->l) && t < 32; t++)
            if (lets_out(work, r, t, t) != NO)
                return true;
    }
    return false;
}

static bool probe_iteration(struct work *work, const struct cw_context *outer, struct cw_spin *out) {
    bool found = false;
    work->context = cw_lanes_context(work->l, outer, work->loop->loop, 0);
    if (frees_itself(work))
        return false;
    for (uint32_t k = 0; k < work->releases.n && !(found && out->definite); k++) {
        const struct release *r = &work->releases.at[k];
        struct pair p = {0};
        look_for_pair(work, r, &p);
        if (!p.found || (found && !p.sure))
            continue;
        found = true;
        *out = (struct cw_spin){.loop = work->loop->loop,
                                .watch = work->loop->watch,
                                .release = r->ins,
                                .behind = r->behind,
                                .definite = p.sure,
                                .lanes = work->l,
                                .context = work->context,
                                .waiter = p.waiter,
                                .releaser = p.releaser};
        out->is_lock = r->behind && takes_value(work->fn, &work->fn->ins.at[work->loop->watch]);
        out->meeting = meeting_of(work, r, p.waiter);
    }
    return found;
}

/* The iterations of the loops around the waiting one. */
static bool probe_sample(struct work *work, struct cw_spin *out) {
    uint32_t parent = work->fn->cfg->loops.at[work->loop->loop].parent;
    struct cw_iterations it;
    const struct cw_context *c = NULL;
    bool found = false;
    if (parent == CW_NO_LOOP)
        return probe_iteration(work, NULL, out);
    cw_iterations_begin(&it, work->l, work->fn, work->fn->cfg->loops.at[parent].header);
    while (!(found && out->definite) && cw_iterations_next(&it, &c)) {
        struct cw_spin now;
        if (probe_iteration(work, c, &now) && (!found || now.definite)) {
            *out = now;
            found = true;
        }
    }
    return found;
}

/* Facts: one launch that shows it is enough. Ordinary shapes are guesses: all of them must. */
static bool probe_launches(struct work *work, struct cw_spin *out) {
    const struct cw_launches *launches = work->q->launches;
    uint32_t asked = 0, sure = 0;
    bool any = false;
    for (uint32_t n = 0; n < launches->n; n++) {
        bool now_any = false;
        struct cw_spin now;
        asked += cw_launch_threads(&launches->at[n]) > 1;
        for (uint32_t sample = 0; sample < SAMPLES && !(now_any && now.definite); sample++) {
            struct cw_spin one;
            work->l = work->q->lanes(work->q->owner, n, sample);
            if (work->l != NULL && probe_sample(work, &one) && (!now_any || one.definite)) {
                now = one;
                now_any = true;
            }
        }
        sure += now_any && now.definite;
        if (now_any && (!any || (now.definite && !out->definite)))
            *out = now;
        any |= now_any;
    }
    if (any && !launches->from_facts)
        out->definite = asked > 0 && sure == asked;
    return any;
}

/* Test, then test and set: the inner loop waits for the same release as the one around it. */
static bool is_told(const struct work *work, const struct cw_spins *spins) {
    for (uint32_t k = 0; k < spins->at.n; k++)
        for (uint32_t at = work->loop->loop; at != CW_NO_LOOP; at = work->fn->cfg->loops.at[at].parent)
            if (at == spins->at.at[k].loop)
                return true;
    return false;
}

struct cw_spins cw_spins_of(const struct cw_kernel_query *query) {
    struct cw_spins spins = {{0}};
    struct cw_spin_loops loops;
    if (query->fn->cfg->is_irreducible)
        return spins;
    loops = cw_spin_loops_of(query->fn, query->arena);
    cw_query_gave_up(query, CW_BAIL_SPIN_BUDGET, loops.is_cut);
    struct work w = {.q = query, .fn = query->fn};
    if (loops.at.n > 0)
        w.memory = cw_memory_new(query->fn, query->arena);
    for (uint32_t k = 0; k < loops.at.n; k++) {
        struct cw_spin one;
        w.loop = &loops.at.at[k];
        gather_writes(&w);
        if (w.releases.n > 0 && !is_told(&w, &spins) && probe_launches(&w, &one))
            cw_vec_push(query->arena, &spins.at, one);
    }
    return spins;
}

/* ---- text form ---- */

void cw_spins_print(const struct cw_facts_print *to, const struct cw_spins *spins) {
    for (uint32_t k = 0; k < spins->at.n; k++) {
        const struct cw_spin *spin = &spins->at.at[k];
        cw_facts_begin(to, spin->definite, spin->is_lock ? "spin on a lock" : "spin on a flag");
        cw_facts_loop(to, spin->loop);
        cw_facts_ins(to, "watches", spin->watch);
        cw_facts_thread(to, "waits", spin->waiter);
        cw_facts_ins(to, spin->behind ? "released after the loop by" : "released in another arm by", spin->release);
        cw_facts_thread(to, "releases", spin->releaser);
        cw_facts_ins(to, "deadlocks at", spin->meeting);
        cw_facts_context(to, spin->context);
        cw_facts_evaluator(to, spin->lanes);
        cw_facts_end(to);
    }
}
