/* See named_barriers.h. */
#include "faults/named_barriers.h"

#include "uniformity/reachable_ops.h"

#include <string.h>

enum {
    CALLS = 24,   /* of named barriers that are looked at; a kernel with more is left alone */
    NUMBERS = 16, /* a block has barriers 0 to 15 */
    WARPS = 32,
    SAMPLES = 4   /* choices of the uniform unknowns */
};

/* One call under one launch, per warp. */
struct call {
    uint32_t ins;
    bool waits, in_loop;
    uint32_t may[NUMBERS];       /* warps that may come, as bits, per barrier number */
    uint32_t thread[NUMBERS];    /* one that surely comes and gives `count`, or UINT32_MAX */
    int64_t count[NUMBERS];
};

struct search {
    const struct cw_kernel_query *q;
    const struct cw_fn *fn;
    struct call call[CALLS];
    uint32_t ncalls;
    uint32_t launch, threads;
    bool told[NUMBERS];
    struct cw_named_faults faults;
};

static bool is_unseen(const struct cw_fn *fn, const struct cw_ins *i) {
    (void)fn;
    return i->op == CW_OP_CALL || i->op == CW_OP_OPCALL || i->op == CW_OP_ASM;
}

static bool is_arg(const struct cw_fn *fn, const struct cw_ins *i, uint32_t k, int64_t wanted) {
    int64_t value;
    return cw_ref_const(fn, cw_arg(fn, i, k), &value) && value == wanted;
}

/* The same in every iteration of the loops around the call. */
static bool is_steady(const struct cw_fn *fn, cw_ref r) {
    return r.tag != CW_REF_INS || fn->cfg->loop_of[fn->ins.at[r.index].block] == CW_NO_LOOP;
}

/* False when the kernel does what cannot be counted. */
static bool find_calls(struct search *s) {
    const struct cw_fn *fn = s->fn;
    struct cw_vec_u32 barriers = cw_reachable_ops(fn, CW_OP_BARRIER, s->q->arena);
    if (cw_reachable_where(fn, is_unseen, s->q->arena).n)
        return false;
    for (uint32_t k = 0; k < barriers.n; k++) {
        const struct cw_ins *i = &fn->ins.at[barriers.at[k]];
        bool in_loop = fn->cfg->loop_of[i->block] != CW_NO_LOOP, waits = i->aux != CW_BARRIER_ARRIVE;
        if (is_arg(fn, i, 0, 0) && is_arg(fn, i, 1, 0)) /* __syncthreads() */
            continue;
        bool counts = !in_loop || (waits && is_steady(fn, cw_arg(fn, i, 0)) && is_steady(fn, cw_arg(fn, i, 1)));
        if (s->ncalls == CALLS || !counts)
            return false;
        s->call[s->ncalls++] = (struct call){.ins = barriers.at[k], .waits = waits, .in_loop = in_loop};
    }
    return s->ncalls > 0;
}

/* Where a thread must have been to come, whatever the iteration: the header of the outermost loop around the call. */
static uint32_t gate_of(const struct cw_cfg *cfg, uint32_t block) {
    uint32_t gate = block;
    for (uint32_t l = cfg->loop_of[block]; l != CW_NO_LOOP; l = cfg->loops.at[l].parent)
        gate = cfg->loops.at[l].header;
    return gate;
}

/* Adds what one sample of the uniform unknowns says of the call: who may come grows, who surely comes shrinks. False
 * when a number or a count cannot be known. */
static bool look_at_sample(const struct search *s, struct call *c, struct cw_lanes *l, bool first) {
    const struct cw_fn *fn = s->fn;
    const struct cw_ins *i = &fn->ins.at[c->ins];
    const struct cw_context *context = cw_lanes_first(l, i->block);
    uint32_t gate = gate_of(fn->cfg, i->block);
    const struct cw_lane_values *number = cw_lanes_eval(l, cw_arg(fn, i, 0), context);
    const struct cw_lane_values *count = cw_lanes_eval(l, cw_arg(fn, i, 1), context);
    const uint8_t *comes = cw_lanes_reach(l, i->block, context);
    const uint8_t *may = gate == i->block ? comes : cw_lanes_reach(l, gate, cw_lanes_first(l, gate));
    bool here[NUMBERS] = {false};
    for (uint32_t t = 0; t < s->threads; t++) {
        if (may[t] == CW_REACH_NO)
            continue;
        int64_t n = number->value[t];
        if (number->known[t] != CW_EXACT || count->known[t] != CW_EXACT || n < 0 || n >= NUMBERS)
            return false;
        c->may[n] |= 1u << t / 32;
        if (comes[t] != CW_REACH_YES || here[n] ||
            (!first && (c->thread[n] == UINT32_MAX || c->count[n] != count->value[t])))
            continue;
        here[n] = true;
        c->thread[n] = t;
        c->count[n] = count->value[t];
    }
    for (uint32_t n = 0; n < NUMBERS; n++)
        if (!here[n])
            c->thread[n] = UINT32_MAX;
    return true;
}

static bool look_at_launch(struct search *s, uint32_t launch) {
    s->launch = launch;
    s->threads = cw_launch_threads(&s->q->launches->at[launch]);
    for (uint32_t k = 0; k < s->ncalls; k++) {
        memset(s->call[k].may, 0, sizeof s->call[k].may);
        for (uint32_t sample = 0; sample < SAMPLES; sample++) {
            struct cw_lanes *l = s->q->lanes(s->q->owner, launch, sample);
            if (s->threads > WARPS * 32 || !look_at_sample(s, &s->call[k], l, sample == 0))
                return false; /* an evaluator without budget knows no number, or lets more threads come */
        }
    }
    return true;
}

static uint32_t warps_in(uint32_t set) {
    uint32_t n = 0;
    for (; set; set &= set - 1)
        n++;
    return n;
}

/* Threads that come to the barrier at most, in whole warps. A warp that waits comes once a phase, one that arrives once
 * a call. */
static uint32_t come_to(const struct search *s, uint32_t number) {
    uint32_t waiting = 0, arriving = 0;
    for (uint32_t k = 0; k < s->ncalls; k++) {
        if (s->call[k].waits)
            waiting |= s->call[k].may[number];
        else
            arriving += warps_in(s->call[k].may[number]);
    }
    return 32 * (warps_in(waiting) + arriving);
}

static uint32_t partner_of(const struct search *s, uint32_t k, uint32_t number) {
    for (uint32_t o = 0; o < s->ncalls; o++)
        if (o != k && s->call[o].may[number])
            return s->call[o].ins;
    return UINT32_MAX;
}

/* A call on another way through the code, neither before nor behind, that gives the same barrier another count. */
static const struct call *contradiction(const struct search *s, const struct call *c, uint32_t number) {
    uint32_t block = s->fn->ins.at[c->ins].block;
    for (uint32_t k = 0; k < s->ncalls; k++) {
        const struct call *o = &s->call[k];
        uint32_t there = s->fn->ins.at[o->ins].block;
        if (o->thread[number] != UINT32_MAX && o->count[number] != c->count[number] && block != there &&
            !cw_cfg_reaches(s->fn, block, there) && !cw_cfg_reaches(s->fn, there, block))
            return o;
    }
    return NULL;
}

static void judge(struct search *s, uint32_t k, uint32_t number) {
    const struct call *c = &s->call[k];
    if (!c->waits || s->told[number] || c->thread[number] == UINT32_MAX || c->count[number] <= 0 ||
        c->count[number] % 32 != 0)
        return;
    const struct call *o = contradiction(s, c, number);
    uint32_t come = come_to(s, number);
    struct cw_named_fault f = {.ins = c->ins, .number = number, .count = c->count[number], .launch = s->launch,
                               .thread = c->thread[number], .come = come};
    if (o) {
        f.kind = CW_NAMED_COUNTS;
        f.other = o->ins;
        f.other_count = o->count[number];
    } else if (come < c->count[number]) {
        f.kind = CW_NAMED_STARVED;
        f.other = partner_of(s, k, number);
    } else {
        return;
    }
    s->told[number] = true;
    cw_vec_push(s->q->arena, &s->faults.at, f);
}

struct cw_named_faults cw_named_faults_of(const struct cw_kernel_query *q) {
    struct search *s = CW_NEW(q->arena, struct search);
    s->q = q;
    s->fn = q->fn;
    if (!q->launches->from_facts || !find_calls(s))
        return s->faults;
    for (uint32_t launch = 0; launch < q->launches->n && look_at_launch(s, launch); launch++)
        for (uint32_t k = 0; k < s->ncalls; k++)
            for (uint32_t number = 1; number < NUMBERS; number++)
                judge(s, k, number);
    return s->faults;
}
