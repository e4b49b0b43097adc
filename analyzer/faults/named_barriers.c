/* See named_barriers.h. */
#include "faults/named_barriers.h"

#include "base/require.h"
#include "lanes/facts_print.h"
#include "lanes/value.h"
#include "uniformity/reachable_ops.h"

#include <inttypes.h>
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
    uint32_t sure[NUMBERS];      /* warps that surely come */
    uint32_t thread[NUMBERS];    /* one that surely comes and gives `count`, or UINT32_MAX */
    int64_t count[NUMBERS];
};

struct search {
    const struct cw_kernel_query *q;
    const struct cw_fn *fn;
    struct call call[CALLS];
    uint32_t ncalls;
    uint32_t moving[CALLS], nmoving; /* calls in loops whose number or count changes */
    uint32_t open;                   /* numbers that these may name, as bits: nothing is said of them */
    uint32_t launch, threads;
    bool told[NUMBERS];
    bool waits_elsewhere;        /* threads wait in other ways, too, which may keep groups apart */
    struct cw_named_faults faults;
};

static bool is_unseen(const struct cw_fn *fn, const struct cw_ins *ins) {
    (void)fn;
    return ins->op == CW_OP_CALL || ins->op == CW_OP_OPCALL || ins->op == CW_OP_ASM;
}

static bool is_arg(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t k, int64_t wanted) {
    int64_t value;
    return cw_ref_const(fn, cw_arg(fn, ins, k), &value) && value == wanted;
}

/* The same in every iteration of the loops around the call. */
static bool is_steady(const struct cw_fn *fn, cw_ref ref) {
    return ref.tag != CW_REF_INS || fn->cfg->loop_of[fn->ins.at[ref.index].block] == CW_NO_LOOP;
}

/* False when the kernel does what cannot be counted. */
static bool find_calls(struct search *search) {
    const struct cw_fn *fn = search->fn;
    struct cw_vec_u32 barriers = cw_reachable_ops(fn, CW_OP_BARRIER, search->q->arena);
    if (cw_reachable_where(fn, is_unseen, search->q->arena).n)
        return false;
    for (uint32_t k = 0; k < barriers.n; k++) {
        const struct cw_ins *i = &fn->ins.at[barriers.at[k]];
        bool in_loop = fn->cfg->loop_of[i->block] != CW_NO_LOOP, waits = i->aux != CW_BARRIER_ARRIVE;
        if (is_arg(fn, i, 0, 0) && is_arg(fn, i, 1, 0)) /* __syncthreads() */
            continue;
        bool counts = !in_loop || (waits && is_steady(fn, cw_arg(fn, i, 0)) && is_steady(fn, cw_arg(fn, i, 1)));
        if (search->ncalls == CALLS || search->nmoving == CALLS)
            return false;
        if (counts)
            search->call[search->ncalls++] = (struct call){.ins = barriers.at[k], .waits = waits, .in_loop = in_loop};
        else
            search->moving[search->nmoving++] = barriers.at[k];
    }
    return search->ncalls > 0;
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
static bool look_at_sample(const struct search *search, struct call *call, struct cw_lanes *lanes, bool first) {
    const struct cw_fn *fn = search->fn;
    const struct cw_ins *i = &fn->ins.at[call->ins];
    const struct cw_context *context = cw_lanes_first(lanes, i->block);
    uint32_t gate = gate_of(fn->cfg, i->block);
    const struct cw_lane_values *number = cw_lanes_eval(lanes, cw_arg(fn, i, 0), context);
    const struct cw_lane_values *count = cw_lanes_eval(lanes, cw_arg(fn, i, 1), context);
    const uint8_t *comes = cw_lanes_reach(lanes, i->block, context);
    const uint8_t *may = gate == i->block ? comes : cw_lanes_reach(lanes, gate, cw_lanes_first(lanes, gate));
    bool here[NUMBERS] = {false};
    uint32_t sure[NUMBERS] = {0};
    for (uint32_t t = 0; t < search->threads; t++) {
        if (may[t] == CW_REACH_NO)
            continue;
        int64_t n = number->value[t];
        if (number->known[t] != CW_EXACT || count->known[t] != CW_EXACT || n < 0 || n >= NUMBERS)
            return false;
        call->may[n] |= 1u << t / 32;
        sure[n] |= comes[t] == CW_REACH_YES ? 1u << t / 32 : 0;
        if (comes[t] != CW_REACH_YES || here[n] ||
            (!first && (call->thread[n] == UINT32_MAX || call->count[n] != count->value[t])))
            continue;
        here[n] = true;
        call->thread[n] = t;
        call->count[n] = count->value[t];
    }
    for (uint32_t n = 0; n < NUMBERS; n++) {
        call->sure[n] = first ? sure[n] : call->sure[n] & sure[n];
        if (!here[n])
            call->thread[n] = UINT32_MAX;
    }
    return true;
}

/* The numbers that calls in loops may name: `1 + stage % 2`. False when one may name any. */
static bool find_open(struct search *search) {
    struct cw_lanes *lanes = search->q->lanes(search->q->owner, search->launch, 0);
    search->open = 0;
    for (uint32_t k = 0; k < search->nmoving; k++) {
        struct cw_range range =
            cw_lanes_range(lanes, cw_arg(search->fn, &search->fn->ins.at[search->moving[k]], 0));
        if (range.hi >= NUMBERS || range.lo < -NUMBERS)
            return false;
        for (int64_t n = range.lo < 0 ? 0 : range.lo; n <= range.hi; n++)
            search->open |= 1u << n;
    }
    return true;
}

static bool look_at_launch(struct search *search, uint32_t launch) {
    search->launch = launch;
    search->threads = cw_launch_threads(&search->q->launches->at[launch]);
    cw_require(search->threads <= WARPS * 32); /* no other block is a launch */
    if (!find_open(search))
        return false;
    for (uint32_t k = 0; k < search->ncalls; k++) {
        memset(search->call[k].may, 0, sizeof search->call[k].may);
        for (uint32_t sample = 0; sample < SAMPLES; sample++) {
            struct cw_lanes *l = search->q->lanes(search->q->owner, launch, sample);
            if (!look_at_sample(search, &search->call[k], l, sample == 0))
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
static uint32_t come_to(const struct search *search, uint32_t number) {
    uint32_t waiting = 0, arriving = 0;
    for (uint32_t k = 0; k < search->ncalls; k++) {
        if (search->call[k].waits)
            waiting |= search->call[k].may[number];
        else
            arriving += warps_in(search->call[k].may[number]);
    }
    return 32 * (warps_in(waiting) + arriving);
}

static uint32_t partner_of(const struct search *search, uint32_t k, uint32_t number) {
    for (uint32_t o = 0; o < search->ncalls; o++)
        if (o != k && search->call[o].may[number])
            return search->call[o].ins;
    return UINT32_MAX;
}

/* A call on another way through the code, neither before nor behind, that gives the same barrier another count. */
static const struct call *find_contradiction(const struct search *search, const struct call *call, uint32_t number) {
    uint32_t block = search->fn->ins.at[call->ins].block;
    for (uint32_t k = 0; k < search->ncalls; k++) {
        const struct call *o = &search->call[k];
        uint32_t there = search->fn->ins.at[o->ins].block;
        if (o->thread[number] != UINT32_MAX && o->count[number] != call->count[number] && block != there &&
            !cw_cfg_reaches(search->fn, block, there) && !cw_cfg_reaches(search->fn, there, block))
            return o;
    }
    return NULL;
}

/* A spin, an mbarrier or a barrier of the cluster may order groups of warps. */
static bool is_other_wait(const struct cw_fn *fn, const struct cw_ins *ins) {
    (void)fn;
    return ins->op == CW_OP_MBARWAIT || ins->op == CW_OP_ATOMIC || ins->op == CW_OP_GRIDSYNC ||
           ins->op == CW_OP_CLUSTERSYNC || (ins->op == CW_OP_LOAD && (ins->flags & CW_INS_VOLATILE));
}

/* Warps that surely wait at the barrier, at calls of which none is before another: nothing says which of them meet.
 * 0 when it is not known that they come at one time. */
static uint32_t crowd_at(const struct search *search, uint32_t number) {
    uint32_t sure = 0;
    for (uint32_t k = 0; k < search->ncalls; k++) {
        const struct call *c = &search->call[k];
        uint32_t block = search->fn->ins.at[c->ins].block;
        for (uint32_t n = 0; n < NUMBERS; n++)
            if (c->may[n] && (n != number || !c->waits || c->in_loop || c->sure[n] != c->may[n]))
                return 0;
        for (uint32_t o = 0; o < k; o++) {
            uint32_t there = search->fn->ins.at[search->call[o].ins].block;
            if (block == there || cw_cfg_reaches(search->fn, block, there) || cw_cfg_reaches(search->fn, there, block))
                return 0;
        }
        sure |= c->sure[number];
    }
    return search->waits_elsewhere ? 0 : warps_in(sure);
}

static void judge_call(struct search *search, uint32_t k, uint32_t number) {
    const struct call *c = &search->call[k];
    if (!c->waits || search->told[number] || search->open >> number & 1 || c->thread[number] == UINT32_MAX ||
        c->count[number] <= 0 ||
        c->count[number] % 32 != 0)
        return;
    const struct call *o = find_contradiction(search, c, number);
    uint32_t come = come_to(search, number);
    struct cw_named_fault f = {.ins = c->ins, .number = number, .count = c->count[number], .launch = search->launch,
                               .thread = c->thread[number], .come = come};
    if (o) {
        f.kind = CW_NAMED_COUNTS;
        f.other = o->ins;
        f.other_count = o->count[number];
    } else if (come < c->count[number]) {
        f.kind = CW_NAMED_STARVED;
        f.other = partner_of(search, k, number);
    } else if ((int64_t)crowd_at(search, number) * 32 > c->count[number]) {
        f.kind = CW_NAMED_CROWDED;
        f.other = partner_of(search, k, number);
        f.come = 32 * crowd_at(search, number);
    } else {
        return;
    }
    search->told[number] = true;
    cw_vec_push(search->q->arena, &search->faults.at, f);
}

struct cw_named_faults cw_named_faults_of(const struct cw_kernel_query *query) {
    struct search *s = CW_NEW(query->arena, struct search);
    s->q = query;
    s->fn = query->fn;
    if (!query->launches->from_facts || !find_calls(s))
        return s->faults;
    s->waits_elsewhere = s->nmoving > 0 || cw_reachable_where(s->fn, is_other_wait, query->arena).n > 0;
    for (uint32_t launch = 0; launch < query->launches->n && look_at_launch(s, launch); launch++)
        for (uint32_t k = 0; k < s->ncalls; k++)
            for (uint32_t number = 1; number < NUMBERS; number++)
                judge_call(s, k, number);
    return s->faults;
}

/* ---- text form ---- */

void cw_named_faults_print(const struct cw_facts_print *to, const struct cw_named_faults *faults) {
    static const char *const kinds[] = {[CW_NAMED_STARVED] = "starved barrier",
                                        [CW_NAMED_COUNTS] = "barrier with two counts",
                                        [CW_NAMED_CROWDED] = "crowded barrier"};
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_named_fault *fault = &faults->at.at[k];
        cw_facts_begin(to, true, kinds[fault->kind]);
        cw_facts_part(to, "number %" PRId64 " for %" PRId64 " threads", fault->number, fault->count);
        cw_facts_ins(to, "", fault->ins);
        cw_facts_ins(to, "other", fault->other);
        if (fault->kind == CW_NAMED_COUNTS)
            cw_facts_part(to, "for %" PRId64 " threads", fault->other_count);
        else
            cw_facts_part(to, "%u threads arrive", fault->come);
        cw_facts_thread(to, "waits", fault->thread);
        cw_facts_launch(to, fault->launch, 0);
        cw_facts_end(to);
    }
}
