/* See disjoint.h. */
#include "races/disjoint.h"

enum {
    CONTEXTS = 64, /* iterations of an access that are looked at, all of them */
    SAMPLES = 3,   /* choices of the unknowns under which one pointer must be one to one */
    BLOCK_MAX = 1024,
    ORIGINS = 64   /* values that one is made from, looked at */
};

/* The iterations of an access: all of them, or one that stands for all, where the address is the same in each. */
struct iterations {
    const struct cw_context *at[CONTEXTS];
    uint32_t n;
    bool stands_for_all;
    uint32_t outermost; /* loop around the access, or CW_NO_LOOP */
};

struct meeting {
    const struct cw_fn *fn;
    struct cw_lanes *l;
    struct cw_arena *a;
    bool sampled_too; /* both accesses are through one value: a choice of the unknowns moves both alike */
};

/* ---- what follows from thread indices alone ---- */

/* Values still to be looked at, each once. */
struct origins {
    cw_ref at[ORIGINS];
    uint32_t n;
};

static bool add_origin(struct origins *origins, cw_ref ref) {
    for (uint32_t k = 0; k < origins->n; k++)
        if (cw_ref_eq(origins->at[k], ref))
            return true;
    if (origins->n == ORIGINS)
        return false;
    origins->at[origins->n++] = ref;
    return true;
}

static bool is_leaf(cw_ref ref) {
    if (ref.tag == CW_REF_SREG)
        return ref.index < CW_CTAID_X || (ref.index >= CW_NTID_X && ref.index <= CW_NTID_Z) || ref.index >= CW_LANEID;
    return ref.tag == CW_REF_CONST || ref.tag == CW_REF_OBJECT;
}

/* Which of its values a merge takes is decided by a branch; a loop's counter is known from the iteration. */
static bool add_decision(const struct cw_fn *fn, struct origins *origins, uint32_t block) {
    uint32_t loop = fn->cfg->loop_of[block], branch = fn->cfg->idom[block];
    if (loop != CW_NO_LOOP && fn->cfg->loops.at[loop].header == block)
        return true;
    return branch != CW_NO_BLOCK && fn->blocks.at[branch].jump.kind == CW_JUMP_BRANCH &&
           add_origin(origins, fn->blocks.at[branch].jump.value);
}

/* The evaluator's EXACT can rest on the range of a parameter's sample, as in `flag == n` with a large n; here every
 * value that `ref` is made from must be a constant, a thread index or a shape. */
static bool follows_from_thread(const struct cw_fn *fn, cw_ref ref) {
    struct origins o = {.at = {ref}, .n = 1};
    for (uint32_t k = 0; k < o.n; k++) {
        const struct cw_ins *i = cw_ins_of(fn, o.at[k]);
        if (i == NULL && !is_leaf(o.at[k]))
            return false;
        if (i == NULL)
            continue;
        if (!(cw_op_flags((enum cw_op)i->op) & CW_OP_P) || (i->op == CW_OP_PHI && !add_decision(fn, &o, i->block)))
            return false;
        for (uint32_t a = 0; a < i->narg; a++)
            if (!add_origin(&o, cw_arg(fn, i, a)))
                return false;
    }
    return true;
}

/* ---- iterations ---- */

static uint32_t outermost_loop(const struct cw_fn *fn, uint32_t block) {
    uint32_t loop = fn->cfg->loop_of[block];
    while (loop != CW_NO_LOOP && fn->cfg->loops.at[loop].parent != CW_NO_LOOP)
        loop = fn->cfg->loops.at[loop].parent;
    return loop;
}

static bool is_exact(struct cw_lanes *lanes, const struct cw_fn *fn, cw_ref ref, const struct cw_context *context) {
    const struct cw_lane_values *v = cw_lanes_eval(lanes, ref, context);
    return v != NULL && v->worst == CW_EXACT && follows_from_thread(fn, ref);
}

/* Does it follow from thread indices and constants alone whether the loop ends in this iteration? */
static bool ends_exactly(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t loop,
                         const struct cw_context *context) {
    const struct cw_loop *o = &fn->cfg->loops.at[loop];
    for (uint32_t k = 0; k < o->exits.n; k++) {
        uint32_t block = o->exits.at[k].block;
        if (fn->cfg->loop_of[block] != loop || !is_exact(lanes, fn, fn->blocks.at[block].jump.value, context))
            return false;
    }
    return o->exits.n > 0;
}

/* -1: not known, or some thread does not come to the loop for the chosen block and parameters: for others it may. */
static int32_t most_trips(struct cw_lanes *lanes, uint32_t loop, const struct cw_context *outer) {
    const int32_t *trips = cw_lanes_trips(lanes, loop, outer);
    int32_t most = 0;
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++) {
        if (trips[t] <= 0)
            return -1;
        most = trips[t] > most ? trips[t] : most;
    }
    return most;
}

/* Every iteration of `loop` in each of the given ones; false when they are not known or too many. */
static bool add_loop(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t loop, struct iterations *it) {
    struct iterations outer = *it;
    it->n = 0;
    for (uint32_t k = 0; k < outer.n; k++) {
        int32_t trips = most_trips(lanes, loop, outer.at[k]);
        if (trips < 0 || it->n + (uint32_t)trips > CONTEXTS)
            return false;
        for (int32_t i = 0; i < trips; i++) {
            const struct cw_context *c = cw_lanes_context(lanes, outer.at[k], loop, (uint32_t)i);
            if (!ends_exactly(lanes, fn, loop, c))
                return false;
            it->at[it->n++] = c;
        }
    }
    return true;
}

static bool iterations_of(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_touched *touched,
                          struct iterations *it) {
    uint32_t block = fn->ins.at[touched->ins].block, nest[8], depth = 0;
    *it = (struct iterations){.at = {NULL}, .n = 1, .outermost = outermost_loop(fn, block)};
    if (it->outermost == CW_NO_LOOP)
        return true;
    if (cw_cfg_is_invariant(fn, it->outermost, touched->pointer)) {
        it->at[0] = cw_lanes_first(lanes, block);
        it->stands_for_all = true;
        return true;
    }
    for (uint32_t loop = fn->cfg->loop_of[block]; loop != CW_NO_LOOP; loop = fn->cfg->loops.at[loop].parent) {
        if (depth == 8)
            return false;
        nest[depth++] = loop;
    }
    while (depth-- > 0)
        if (!add_loop(lanes, fn, nest[depth], it))
            return false;
    return true;
}

/* ---- who comes ---- */

/* The way of `branch` that leads to the block, when every path to the block goes by it; else nsucc. */
static uint32_t way_to(const struct cw_fn *fn, uint32_t branch, uint32_t block) {
    const struct cw_jump *j = &fn->blocks.at[branch].jump;
    for (uint32_t k = 0; j->kind == CW_JUMP_BRANCH && k < j->nsucc; k++)
        if (fn->blocks.at[j->succ[k]].pred.n == 1 && cw_cfg_dominates(fn->cfg, j->succ[k], block))
            return k;
    return j->nsucc;
}

/* Clears those of `comes` whom a condition on thread indices surely keeps away. */
static void drop_absent(const struct meeting *meeting, uint32_t block, const struct iterations *it,
                        const struct cw_context *context, bool *comes) {
    const struct cw_fn *fn = meeting->fn;
    for (uint32_t d = fn->cfg->idom[block]; d != CW_NO_BLOCK; d = fn->cfg->idom[d]) {
        const struct cw_jump *j = &fn->blocks.at[d].jump;
        uint32_t way = way_to(fn, d, block), loop = fn->cfg->loop_of[d];
        if (j->kind != CW_JUMP_BRANCH || way == j->nsucc ||
            (loop != CW_NO_LOOP && !cw_cfg_in_loop(fn->cfg, loop, block)))
            continue;
        if ((it->stands_for_all && !cw_cfg_is_invariant(fn, it->outermost, j->value)) ||
            !follows_from_thread(fn, j->value))
            continue;
        const struct cw_lane_values *v = cw_lanes_eval(meeting->l, j->value, context);
        for (uint32_t t = 0; v != NULL && t < cw_lanes_count(meeting->l); t++)
            comes[t] &= v->known[t] != CW_EXACT || (v->value[t] != 0) == (way == 0);
    }
}

/* ---- places ---- */

/* Who touches a byte: two different threads, and two different warps, are enough to know. Numbers plus one; 0: none. */
struct toucher {
    uint32_t first, other, other_warp;
};

struct table {
    struct cw_map index;
    CW_VEC(struct toucher) at;
};

static struct toucher *byte_at(const struct meeting *meeting, struct table *table, cw_ref base, int64_t byte,
                               bool make) {
    uint64_t key = (uint64_t)base.tag << 60 ^ (uint64_t)base.index << 36 ^ ((uint64_t)byte & UINT64_C(0xfffffffff)), at;
    if (!cw_map_get(&table->index, key, &at)) {
        if (!make)
            return NULL;
        cw_vec_push(meeting->a, &table->at, ((struct toucher){0, 0, 0}));
        at = table->at.n - 1;
        cw_map_put(&table->index, key, at);
    }
    return &table->at.at[at];
}

static void touch_by(struct toucher *toucher, uint32_t t) {
    if (toucher->first == 0)
        toucher->first = t + 1;
    else if (toucher->first != t + 1)
        toucher->other = t + 1;
    if (toucher->first - 1 != t && (toucher->first - 1) / 32 != t / 32)
        toucher->other_warp = t + 1;
}

static enum cw_meet judge_meeting(const struct toucher *toucher, uint32_t t) {
    if ((toucher->first - 1) / 32 != t / 32 || toucher->other_warp != 0)
        return CW_MEET_PERHAPS;
    return toucher->first != t + 1 || toucher->other != 0 ? CW_MEET_IN_WARP : CW_MEET_NEVER;
}

/* One access being entered, or asked about. */
struct passage {
    const struct meeting *m;
    struct table *table;
    const struct cw_touched *p;
    bool enter, is_static;
};

static enum cw_meet pass_thread(const struct passage *passage, const struct cw_lane_value *places, uint32_t t) {
    struct cw_lane_place at = cw_lanes_place(places, t), zero = cw_lanes_place(places, 0);
    enum cw_meet worst = CW_MEET_NEVER;
    bool known = passage->is_static && at.known == CW_EXACT && at.base.tag == CW_REF_OBJECT;
    bool alike =
        passage->m->sampled_too && at.known <= CW_SAMPLED && cw_ref_eq(at.base, zero.base) && at.token == zero.token;
    if (!known && !alike)
        return CW_MEET_PERHAPS;
    for (uint64_t k = 0; k < passage->p->size; k++) {
        struct toucher *c = byte_at(passage->m, passage->table, at.base, at.offset + (int64_t)k, passage->enter);
        if (passage->enter)
            touch_by(c, t);
        else if (c != NULL && judge_meeting(c, t) > worst)
            worst = judge_meeting(c, t);
    }
    return worst;
}

static enum cw_meet pass_iterations(const struct passage *passage) {
    const struct meeting *m = passage->m;
    struct iterations it;
    enum cw_meet worst = CW_MEET_NEVER;
    uint32_t threads = cw_lanes_count(m->l);
    bool comes[BLOCK_MAX];
    if (passage->p->size == 0 || passage->p->size > 16 || threads > BLOCK_MAX ||
        !iterations_of(m->l, m->fn, passage->p, &it))
        return CW_MEET_PERHAPS;
    for (uint32_t k = 0; k < it.n; k++) {
        const struct cw_lane_value *places = cw_lanes_places(m->l, passage->p->pointer, it.at[k]);
        if (places == NULL || !cw_lanes_charge(m->l, threads))
            return CW_MEET_PERHAPS;
        for (uint32_t t = 0; t < threads; t++)
            comes[t] = true;
        drop_absent(m, m->fn->ins.at[passage->p->ins].block, &it, it.at[k], comes);
        for (uint32_t t = 0; t < threads && worst != CW_MEET_PERHAPS; t++) {
            enum cw_meet now = comes[t] ? pass_thread(passage, places, t) : CW_MEET_NEVER;
            worst = now > worst ? now : worst;
        }
    }
    return cw_lanes_exhausted(m->l) ? CW_MEET_PERHAPS : worst;
}

static enum cw_meet meet_in_sample(const struct cw_kernel_query *query, uint32_t launch, uint32_t sample,
                                   const struct cw_touched *touched, const struct cw_touched *other, bool sampled_too) {
    struct meeting m = {query->fn, query->lanes(query->owner, launch, sample), query->arena, sampled_too};
    struct table table = {.at = {0}};
    if (m.l == NULL)
        return CW_MEET_PERHAPS;
    cw_map_init(&table.index, query->arena);
    struct passage first = {&m, &table, touched, true, follows_from_thread(query->fn, touched->pointer)};
    struct passage second = {&m, &table, other, false, follows_from_thread(query->fn, other->pointer)};
    return pass_iterations(&first) == CW_MEET_PERHAPS ? CW_MEET_PERHAPS : pass_iterations(&second);
}

/* One value used for both, the same in every iteration: a thread comes back to its own place. */
static bool is_one_pointer(const struct cw_fn *fn, const struct cw_touched *touched, const struct cw_touched *other) {
    uint32_t around_a = outermost_loop(fn, fn->ins.at[touched->ins].block),
             around_b = outermost_loop(fn, fn->ins.at[other->ins].block);
    return cw_ref_eq(touched->pointer, other->pointer) &&
           (around_a == CW_NO_LOOP || cw_cfg_is_invariant(fn, around_a, touched->pointer)) &&
           (around_b == CW_NO_LOOP || cw_cfg_is_invariant(fn, around_b, other->pointer));
}

enum cw_meet cw_disjoint_meet(const struct cw_kernel_query *query, uint32_t launch, const struct cw_touched *touched,
                              const struct cw_touched *other) {
    enum cw_meet worst = meet_in_sample(query, launch, 0, touched, other, false);
    if (worst != CW_MEET_PERHAPS || !is_one_pointer(query->fn, touched, other))
        return worst;
    worst = CW_MEET_NEVER;
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        enum cw_meet now = meet_in_sample(query, launch, sample, touched, other, true);
        worst = now > worst ? now : worst;
    }
    return worst;
}
