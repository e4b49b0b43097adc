/* See liveness.h.
 *
 * The timeline is walked backwards with the set of live bytes of shared memory, as in the liveness of registers. Within
 * a thread, need goes from a value to its operands; a value in an iteration is another one than in the next. */
#include "races/liveness.h"

#include "lanes/condition.h"
#include "lanes/shuffle_sources.h"

#include <string.h>

enum { WORDS = 1024 / 64, CELL = 4, WORK_MAX = 1 << 18 };

struct threads {
    uint64_t word[WORDS];
};

struct value { /* an instruction in a context */
    uint32_t ins;
    const struct cw_context *context;
    struct threads need;
};

struct todo {
    uint32_t value;
    struct threads fresh;
};

struct cw_liveness {
    const struct cw_event_trace *t;
    struct cw_lanes *l;
    const struct cw_fn *fn;
    struct cw_arena *a;
    struct cw_map steps;   /* (ins, context) -> step of a load */
    struct threads *loads; /* per step */
    struct cw_map index;   /* (ins, context) -> value */
    CW_VEC(struct value) values;
    CW_VEC(struct todo) todo;
    struct cw_map live;    /* cell -> 0 or 1 */
    bool all_live, gave_up;
    uint32_t work;
};

static bool has_thread(const struct threads *threads, uint32_t t) {
    return threads->word[t / 64] >> (t % 64) & 1;
}

static void add_thread(struct threads *threads, uint32_t t) {
    threads->word[t / 64] |= UINT64_C(1) << (t % 64);
}

static uint64_t key_of(uint32_t ins, const struct cw_context *context) {
    return (uint64_t)ins << 32 | cw_context_id(context);
}

/* ---- within a thread ---- */

static uint32_t value_of(struct cw_liveness *liveness, uint32_t ins, const struct cw_context *context) {
    uint64_t at;
    if (cw_map_get(&liveness->index, key_of(ins, context), &at))
        return (uint32_t)at;
    cw_map_put(&liveness->index, key_of(ins, context), liveness->values.n);
    cw_vec_push(liveness->a, &liveness->values, ((struct value){.ins = ins, .context = context}));
    return liveness->values.n - 1;
}

static void need_here(struct cw_liveness *liveness, uint32_t ins, const struct cw_context *context,
                      const struct threads *who) {
    uint32_t v = value_of(liveness, ins, context);
    struct todo task = {.value = v};
    uint64_t any = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        task.fresh.word[w] = who->word[w] & ~liveness->values.at[v].need.word[w];
        liveness->values.at[v].need.word[w] |= task.fresh.word[w];
        any |= task.fresh.word[w];
    }
    if (any)
        cw_vec_push(liveness->a, &liveness->todo, task);
}

/* Outside its loop a value is that of each thread's last iteration. */
static void need_last(struct cw_liveness *liveness, uint32_t ins, uint32_t loop, const struct cw_context *context,
                      const struct threads *who) {
    const int32_t *trips = cw_lanes_trips(liveness->l, loop, context);
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++) {
        struct threads same = {{0}};
        bool first = has_thread(who, t);
        for (uint32_t u = 0; u < t && first; u++)
            first = !(has_thread(who, u) && trips[u] == trips[t]);
        if (!first)
            continue;
        for (uint32_t u = t; u < cw_lanes_count(liveness->l); u++)
            if (has_thread(who, u) && trips[u] == trips[t])
                add_thread(&same, u);
        liveness->gave_up |= trips[t] < 0;
        if (trips[t] > 0)
            need_here(liveness, ins, cw_lanes_context(liveness->l, context, loop, (uint32_t)trips[t] - 1), &same);
    }
}

static void need_value(struct cw_liveness *liveness, cw_ref ref, const struct cw_context *context,
                       const struct threads *who) {
    if (ref.tag != CW_REF_INS || liveness->gave_up)
        return;
    uint32_t block = liveness->fn->ins.at[ref.index].block;
    context = cw_context_at(liveness->l, context, block);
    uint32_t missing = cw_context_missing(liveness->l, context, block);
    if (missing != CW_NO_LOOP && cw_bitset_has(&liveness->t->roles->loops, missing)) {
        if (cw_context_missing(liveness->l, cw_lanes_context(liveness->l, context, missing, 0), block) != CW_NO_LOOP)
            liveness->gave_up = true; /* a value carried out of two loops at once */
        else
            need_last(liveness, ref.index, missing, context, who);
        return;
    }
    need_here(liveness, ref.index, context, who);
}

/* Those of `who` that may take an edge from `pred` to the block. */
static struct threads takers_of(struct cw_liveness *liveness, uint32_t pred, uint32_t block,
                                const struct cw_context *context, const struct threads *who) {
    const struct cw_jump *jump = &liveness->fn->blocks.at[pred].jump;
    struct threads some = {{0}};
    context = cw_context_at(liveness->l, context, pred);
    if (jump->nsucc < 2 || cw_context_missing(liveness->l, context, pred) != CW_NO_LOOP)
        return *who;
    for (uint32_t k = 0; k < jump->nsucc; k++) {
        if (jump->succ[k] != block)
            continue;
        const uint8_t *takes = cw_lanes_takes(liveness->l, (struct cw_edge){pred, k}, context);
        for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++)
            if (has_thread(who, t) && takes[t] != CW_REACH_NO)
                add_thread(&some, t);
    }
    return some;
}

/* A block with one way out: the threads that come to it. */
static struct threads arrivals_of(struct cw_liveness *liveness, uint32_t pred, uint32_t block,
                                  const struct cw_context *context, const struct threads *who) {
    struct threads some = takers_of(liveness, pred, block, context, who), here = {{0}};
    const struct cw_context *at = cw_context_at(liveness->l, context, pred);
    if (cw_context_missing(liveness->l, at, pred) != CW_NO_LOOP)
        return some;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(liveness->l, pred, at);
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++)
        if (has_thread(&some, t) && cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            add_thread(&here, t);
    return here;
}

/* A choice needs the side that the thread takes. */
static void need_select(struct cw_liveness *liveness, const struct cw_ins *ins, const struct cw_context *context,
                        const struct threads *who) {
    const struct cw_lane_value *condition = cw_lane_value_of(liveness->l, cw_arg(liveness->fn, ins, 0), context);
    struct threads side[2] = {{{0}}, {{0}}};
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++) {
        uint32_t f = has_thread(who, t) ? cw_cell_formula(cw_lane_value_cell(condition, t)) : CW_BDD_FALSE;
        if (has_thread(who, t) && f != CW_BDD_FALSE)
            add_thread(&side[0], t);
        if (has_thread(who, t) && f != CW_BDD_TRUE)
            add_thread(&side[1], t);
    }
    need_value(liveness, cw_arg(liveness->fn, ins, 0), context, who);
    need_value(liveness, cw_arg(liveness->fn, ins, 1), context, &side[0]);
    need_value(liveness, cw_arg(liveness->fn, ins, 2), context, &side[1]);
}

/* A phi needs what came over the edges that the thread may have taken. */
static void need_phi(struct cw_liveness *liveness, const struct cw_ins *ins, const struct cw_context *context,
                     const struct threads *who) {
    const struct cw_block *b = &liveness->fn->blocks.at[ins->block];
    uint32_t loop = liveness->fn->cfg->loop_of[ins->block];
    bool header = loop != CW_NO_LOOP && liveness->fn->cfg->loops.at[loop].header == ins->block && context &&
                  context->loop == loop;
    for (uint32_t k = 0; k < b->pred.n; k++) {
        bool latch = header && cw_cfg_in_loop(liveness->fn->cfg, loop, b->pred.at[k]);
        const struct cw_context *from = context;
        if (header && latch != (context->iteration > 0))
            continue;
        if (header)
            from = latch ? cw_lanes_context(liveness->l, context->outer, loop, context->iteration - 1) : context->outer;
        struct threads came = header ? *who : arrivals_of(liveness, b->pred.at[k], ins->block, context, who);
        need_value(liveness, cw_arg(liveness->fn, ins, k), from, &came);
    }
    uint32_t above = liveness->fn->cfg->idom[ins->block];
    if (above != CW_NO_BLOCK && cw_bitset_has(&liveness->t->roles->quiet, above)) /* what chose between the values */
        need_value(liveness, liveness->fn->blocks.at[above].jump.value, header ? context->outer : context, who);
}

/* All lanes of the warps of `who`. */
static struct threads widen_to_warps(const struct cw_liveness *liveness, const struct threads *who) {
    struct threads all = {{0}};
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t += 32)
        if (who->word[t / 64] >> (t % 64) & UINT32_MAX)
            all.word[t / 64] |= (uint64_t)UINT32_MAX << (t % 64);
    return all;
}

/* Of a shuffle, the value of the lanes that are read; of a source that is not known, that of all lanes. */
static void need_shuffle(struct cw_liveness *liveness, uint32_t ins, const struct cw_context *context,
                         const struct threads *who) {
    const struct cw_ins *i = &liveness->fn->ins.at[ins];
    const struct cw_shuffle *shuffle = cw_shuffle_new(liveness->l, ins, context, liveness->a);
    struct threads sources = {{0}}, warps = widen_to_warps(liveness, who);
    uint32_t from;
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++) {
        if (!has_thread(who, t))
            continue;
        if (!cw_shuffle_source(shuffle, t, &from)) {
            sources = warps;
            break;
        }
        if (from < cw_lanes_count(liveness->l))
            add_thread(&sources, from);
    }
    for (uint32_t k = 0; k < i->narg; k++)
        need_value(liveness, cw_arg(liveness->fn, i, k), context, k == 1 ? &sources : &warps);
}

static void need_operands(struct cw_liveness *liveness, const struct cw_ins *ins, const struct cw_context *context,
                          const struct threads *who) {
    struct threads all = cw_op_flags(ins->op) & (CW_OP_C | CW_OP_B) ? widen_to_warps(liveness, who) : *who;
    if (ins->op == CW_OP_PHI || ins->op == CW_OP_SELECT) {
        (ins->op == CW_OP_PHI ? need_phi : need_select)(liveness, ins, context, who);
        return;
    }
    if (ins->op == CW_OP_SHFL) {
        need_shuffle(liveness, (uint32_t)(ins - liveness->fn->ins.at), context, who);
        return;
    }
    for (uint32_t k = 0; k < ins->narg; k++)
        need_value(liveness, cw_arg(liveness->fn, ins, k), context, &all);
}

static void mark_load(struct cw_liveness *liveness, const struct value *value, const struct threads *who) {
    uint64_t step;
    if (cw_map_get(&liveness->steps, key_of(value->ins, value->context), &step))
        for (uint32_t w = 0; w < WORDS; w++)
            liveness->loads[step].word[w] |= who->word[w];
}

static void settle_tasks(struct cw_liveness *liveness) {
    while (liveness->todo.n && !liveness->gave_up) {
        struct todo task = liveness->todo.at[--liveness->todo.n];
        struct value v = liveness->values.at[task.value];
        liveness->gave_up |= ++liveness->work > WORK_MAX;
        if (liveness->fn->ins.at[v.ins].op == CW_OP_LOAD)
            mark_load(liveness, &v, &task.fresh);
        need_operands(liveness, &liveness->fn->ins.at[v.ins], v.context, &task.fresh);
    }
}

/* ---- through memory ---- */

static bool is_shared(const struct cw_fn *fn, cw_ref root) {
    return root.tag == CW_REF_OBJECT && (fn->objects.at[root.index].space == CW_SPACE_SHARED ||
                                         fn->objects.at[root.index].space == CW_SPACE_DYNSHARED);
}

static uint64_t cell_key(struct cw_lane_base base, int64_t at) {
    return cw_mix(cw_mix((uint64_t)at, cw_ref_bits(base.root)), (uint64_t)base.token);
}

static int64_t cell_start(int64_t offset) {
    return offset - (offset % CELL + CELL) % CELL;
}

/* A thread's access to shared memory at a known place; false when it is another one. */
static bool shared_place(const struct cw_liveness *liveness, const struct cw_lane_value *places, uint32_t t,
                         struct cw_lane_base *base, int64_t *offset) {
    if (!places)
        return false;
    struct cw_cell o = cw_lane_value_cell(places, t);
    *base = cw_lane_value_base(places, t);
    *offset = o.value;
    return is_shared(liveness->fn, base->root) && cw_cell_numeric(o);
}

/* Cells are kept one by one; what covers more is taken for all memory by a load, for none by a store. */
enum { MAX_CELL_BYTES = 4096 };

static bool is_live(const struct cw_liveness *liveness, struct cw_lane_base base, int64_t offset, uint64_t size) {
    uint64_t yes = 0;
    if (size > MAX_CELL_BYTES)
        return true;
    for (int64_t at = cell_start(offset); at < offset + (int64_t)size; at += CELL)
        if (cw_map_get(&liveness->live, cell_key(base, at), &yes) && yes)
            return true;
    return liveness->all_live || size == 0;
}

static void set_live(struct cw_liveness *liveness, struct cw_lane_base base, int64_t offset, uint64_t size, bool live) {
    for (int64_t at = cell_start(offset); at < offset + (int64_t)size; at += CELL)
        if (live || (at >= offset && at + CELL <= offset + (int64_t)size))
            cw_map_put(&liveness->live, cell_key(base, at), live);
}

static void pass_store(struct cw_liveness *liveness, const struct cw_step *step, const struct cw_access *acc) {
    const struct cw_ins *i = &liveness->fn->ins.at[step->ins];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(liveness->l, i->block, step->context);
    const struct cw_lane_value *places = cw_lanes_places(liveness->l, acc->pointer, step->context);
    struct threads who = {{0}};
    struct cw_lane_base base;
    int64_t offset;
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE &&
            (!shared_place(liveness, places, t, &base, &offset) || is_live(liveness, base, offset, acc->size)))
            add_thread(&who, t);
    need_operands(liveness, i, step->context, &who);
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++)
        if (cw_lane_cond_at(reach, t) == CW_BDD_TRUE && shared_place(liveness, places, t, &base, &offset) &&
            acc->size <= MAX_CELL_BYTES)
            set_live(liveness, base, offset, acc->size, false);
}

static void pass_load(struct cw_liveness *liveness, uint32_t step, const struct cw_access *acc) {
    const struct cw_step *s = &liveness->t->steps.at[step];
    const struct cw_lane_value *places = cw_lanes_places(liveness->l, acc->pointer, s->context);
    struct cw_lane_base base;
    int64_t offset;
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++) {
        if (!has_thread(&liveness->loads[step], t))
            continue;
        if (shared_place(liveness, places, t, &base, &offset) && acc->size && acc->size <= MAX_CELL_BYTES)
            set_live(liveness, base, offset, acc->size, true);
        else
            liveness->all_live |=
                !places || !cw_cell_numeric(cw_lane_value_cell(places, t)) || acc->size > MAX_CELL_BYTES;
    }
}

static struct threads who_comes(const struct cw_liveness *liveness, uint32_t block, const struct cw_context *context) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(liveness->l, block, context);
    struct threads who = {{0}};
    for (uint32_t t = 0; t < cw_lanes_count(liveness->l); t++)
        if (cw_lane_cond_at(reach, t) != CW_BDD_FALSE)
            add_thread(&who, t);
    return who;
}

/* Anything else that looks at values or memory: all of it is needed. */
static void pass_other(struct cw_liveness *liveness, uint32_t step) {
    const struct cw_step *s = &liveness->t->steps.at[step];
    const struct cw_ins *i = &liveness->fn->ins.at[s->ins];
    struct cw_access acc[2];
    uint32_t count = cw_memory_accesses(liveness->fn, i, acc);
    struct threads who = who_comes(liveness, i->block, s->context);
    need_operands(liveness, i, s->context, &who);
    liveness->loads[step] = who;
    for (uint32_t k = 0; k < count; k++)
        if (acc[k].reads)
            pass_load(liveness, step, &acc[k]);
    liveness->all_live |= i->op == CW_OP_FRAGLOAD || cw_memory_is_call(i);
}

static void pass_step(struct cw_liveness *liveness, uint32_t step) {
    const struct cw_step *s = &liveness->t->steps.at[step];
    struct cw_access acc[2];
    if (s->kind == CW_STEP_BRANCH) {
        struct threads who = who_comes(liveness, s->ins, s->context);
        need_value(liveness, liveness->fn->blocks.at[s->ins].jump.value, s->context, &who);
    } else if (s->kind == CW_STEP_ACCESS && liveness->fn->ins.at[s->ins].op == CW_OP_STORE) {
        cw_memory_accesses(liveness->fn, &liveness->fn->ins.at[s->ins], acc);
        pass_store(liveness, s, &acc[0]);
    } else if (s->kind == CW_STEP_ACCESS && liveness->fn->ins.at[s->ins].op == CW_OP_LOAD) {
        cw_memory_accesses(liveness->fn, &liveness->fn->ins.at[s->ins], acc);
        pass_load(liveness, step, &acc[0]);
    } else if (s->kind == CW_STEP_ACCESS || s->kind == CW_STEP_USE || s->kind == CW_STEP_SYNC) {
        pass_other(liveness, step);
    }
    settle_tasks(liveness);
}

static bool is_shared_access(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_access acc[2];
    if ((ins->op != CW_OP_LOAD && ins->op != CW_OP_STORE) || cw_memory_accesses(fn, ins, acc) != 1)
        return false;
    struct cw_bases bases = cw_memory_bases(fn, acc[0].pointer);
    return bases.n == 1 && !bases.at[0].is_read && is_shared(fn, bases.at[0].root);
}

/* A loop without a way out: what its further iterations do matters only if they show something to the outside. */
static bool shows_something_for_ever(const struct cw_event_trace *trace) {
    for (uint32_t k = 0; k < trace->steps.n && trace->is_endless; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        const struct cw_context *c = s->context;
        while (c && trace->roles->fn->cfg->loops.at[c->loop].exits.n > 0)
            c = c->outer;
        bool quiet = s->kind == CW_STEP_ACCESS ? is_shared_access(trace->roles->fn, &trace->roles->fn->ins.at[s->ins])
                                               : s->kind == CW_STEP_SYNC || s->kind == CW_STEP_GAP;
        if (c && !quiet)
            return true;
    }
    return false;
}

struct cw_liveness *cw_liveness_of(const struct cw_event_trace *trace, struct cw_arena *a) {
    struct cw_liveness *n = CW_NEW(a, struct cw_liveness);
    *n = (struct cw_liveness){.t = trace,
                              .l = trace->lanes,
                              .fn = trace->roles->fn,
                              .a = a,
                              .gave_up = trace->is_partial || shows_something_for_ever(trace)};
    n->loads = CW_NEW_ARRAY(a, struct threads, trace->steps.n);
    cw_map_init(&n->steps, a);
    cw_map_init(&n->index, a);
    cw_map_init(&n->live, a);
    for (uint32_t k = 0; k < trace->steps.n; k++)
        if (trace->steps.at[k].kind == CW_STEP_ACCESS)
            cw_map_put(&n->steps, key_of(trace->steps.at[k].ins, trace->steps.at[k].context), k);
    for (uint32_t k = trace->steps.n; k-- > 0 && !n->gave_up;)
        pass_step(n, k);
    return n;
}

bool cw_liveness_has(const struct cw_liveness *liveness, uint32_t step, uint32_t thread) {
    return liveness->gave_up || has_thread(&liveness->loads[step], thread);
}

bool cw_liveness_all(const struct cw_liveness *liveness) {
    for (uint32_t k = 0; k < liveness->t->steps.n && !liveness->gave_up; k++) {
        const struct cw_step *s = &liveness->t->steps.at[k];
        if (s->kind != CW_STEP_ACCESS || liveness->fn->ins.at[s->ins].op != CW_OP_LOAD)
            continue;
        struct threads come = who_comes(liveness, liveness->fn->ins.at[s->ins].block, s->context);
        for (uint32_t w = 0; w < WORDS; w++)
            if (come.word[w] & ~liveness->loads[k].word[w])
                return false;
    }
    return true;
}
