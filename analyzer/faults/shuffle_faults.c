/* Faults of shuffles' sources; see shuffle_faults.h for requires / computes / preserves. */
#include "faults/shuffle_faults.h"

#include "lanes/facts_print.h"
#include "lanes/masks.h"
#include "lanes/iterations.h"
#include "lanes/condition.h"
#include "uniformity/reachable_ops.h"
#include "launch/for_each_launch.h"

#include <string.h>

enum {
    SAMPLES = 2,         /* choices of the uniform unknowns tried per launch */
    MAX_SHUFFLES = 1 << 14, /* looked at per kernel */
    MAX_WARPS = 4,       /* warps with different faults followed per shuffle and iteration */
    MAX_QUESTIONS = 1 << 14, /* values followed to their uses, per kernel */
    THREADS_PER_CELL = 2, /* asked what they read, as many as a cell of an evaluator costs, */
    QUESTION_WORK = 256   /* and following what a warp reads to its uses, in such cells */
};

struct finder {
    const struct cw_kernel_query *q;
    enum cw_source_fault kind;
    uint32_t questions;
    const struct cw_uses **uses; /* of the kernel, made when first needed */
    struct cw_shuffle_faults *out;
    /* the present shuffle */
    uint32_t ins;
    struct cw_shuffle_fault first;
    /* the present launch and sample */
    struct cw_lanes *l;
    struct cw_arena scratch;  /* of one look at one shuffle */
    struct cw_undef_flow *demand; /* in scratch; NULL until something must be followed */
    uint32_t launch, sample;
    bool is_cut; /* more questions than are asked */
};

/* ---- the branch over which the source left ---- */

struct leaving {
    struct cw_lanes *l;
    const struct cw_context *context;
    uint32_t t, u, order, block;
};

static bool leaves_here(void *ctx, struct cw_edge edge) {
    struct leaving *p = ctx;
    struct cw_lanes *l = p->l;
    const struct cw_context *c = cw_context_at(l, p->context, edge.block);
    uint32_t order = cw_lanes_fn(l)->cfg->rpo_index[edge.block];
    if (order >= p->order || cw_context_missing(l, c, edge.block) != CW_NO_LOOP)
        return true;
    const struct cw_lane_cond *takes = cw_lane_cond_takes(l, edge, c);
    uint32_t f = cw_bdd_and(cw_lanes_bdds(l), cw_lane_cond_at(takes, p->t),
                            cw_bdd_and(cw_lanes_bdds(l), cw_lane_cond_at(cw_lane_cond_reach(l, edge.block, c), p->u),
                                       cw_bdd_not(cw_lane_cond_at(takes, p->u))));
    if (f != CW_BDD_FALSE && f != CW_BDD_POISON) {
        p->order = order;
        p->block = edge.block;
    }
    return true;
}

static void blame_branch(struct finder *finder, struct cw_shuffle_fault *fault) {
    const struct cw_fn *fn = finder->q->fn;
    struct leaving p = {finder->l, fault->context, fault->thread, fault->source, UINT32_MAX, CW_NO_BLOCK};
    cw_cfg_controls(fn, fn->ins.at[fault->ins].block, leaves_here, &p);
    fault->branch = p.block;
    if (p.block == CW_NO_BLOCK)
        return;
    const struct cw_context *c = cw_context_at(finder->l, fault->context, p.block);
    const struct cw_lane_value *v = cw_lane_value_of(finder->l, fn->blocks.at[p.block].jump.value, c);
    fault->by_bound = cw_lane_value_cell(v, fault->source).known == CW_SAMPLE;
}

/* ---- one shuffle, one iteration ---- */

/* Most shuffles have no fault, so nothing is made for them. */
static struct cw_undef_flow *demand_of(struct finder *finder) {
    if (!*finder->uses)
        *finder->uses = cw_uses_of(finder->q->fn, finder->q->arena);
    if (!finder->demand)
        finder->demand = cw_undef_flow_with(finder->l, *finder->uses, &finder->scratch);
    return finder->demand;
}

static bool faults_of_warp(struct finder *finder, struct cw_shuffle *shuffle, uint32_t warp, uint32_t when[32]) {
    bool some = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t t = warp * 32 + lane;
        when[lane] = t < cw_lanes_count(finder->l) ? cw_shuffle_fault(shuffle, t, finder->kind) : CW_BDD_FALSE;
        some |= when[lane] != CW_BDD_FALSE;
    }
    return some;
}

static bool is_sum_of_first(struct finder *finder, const struct cw_shuffle_fault *fault) {
    if (fault->kind != CW_SOURCE_UNNAMED && fault->kind != CW_SOURCE_EXITED)
        return false;
    struct cw_masks *m = cw_masks_new(finder->l, finder->ins, fault->context, &finder->scratch);
    uint32_t lanes = cw_masks_sure_lanes(m, fault->thread);
    return cw_masks_names(m, fault->thread, fault->source % 32) == CW_REACH_NO &&
           fault->use.lanes == (lanes & -lanes) && cw_undef_flow_only_added(demand_of(finder), finder->ins);
}

static struct cw_shuffle_fault fault_at(struct finder *finder, struct cw_shuffle *shuffle, uint32_t warp,
                                        const uint32_t when[32], struct cw_use use) {
    struct cw_shuffle_fault fault = {.kind = finder->kind,
                                     .ins = finder->ins,
                                     .branch = CW_NO_BLOCK,
                                     .launch = finder->launch,
                                     .sample = finder->sample,
                                     .lanes = finder->l,
                                     .context = cw_shuffle_context(shuffle),
                                     .use = use};
    uint32_t lane = use.lane;
    while (when[lane % 32] == CW_BDD_FALSE) /* the user's own read, or the next one */
        lane++;
    fault.thread = warp * 32 + lane % 32;
    if (!cw_shuffle_source(shuffle, fault.thread, &fault.source))
        cw_shuffle_some_source(shuffle, fault.thread, &fault.source);
    cw_shuffle_distance(shuffle, fault.thread, &fault.by, &fault.width);
    fault.by_data = when[lane % 32] != CW_BDD_TRUE;
    if (finder->kind == CW_SOURCE_EXITED)
        blame_branch(finder, &fault);
    fault.sum_of_first = is_sum_of_first(finder, &fault);
    return fault;
}

static bool look_at_shuffle(struct finder *finder, const struct cw_context *context, struct cw_shuffle_fault *fault) {
    struct cw_shuffle *s = cw_shuffle_new(finder->l, finder->ins, context, &finder->scratch);
    uint32_t when[32], last[32], followed = 0;
    struct cw_use use;
    for (uint32_t warp = 0; warp < (cw_lanes_count(finder->l) + 31) / 32 && followed < MAX_WARPS; warp++) {
        if (!faults_of_warp(finder, s, warp, when) ||
            (warp > 1 && followed > 1 && memcmp(when, last, sizeof when) == 0))
            continue;
        if (finder->questions++ >= MAX_QUESTIONS) {
            finder->is_cut = true;
            return false;
        }
        if (!cw_lanes_charge(finder->l, QUESTION_WORK))
            return false;
        followed++;
        memcpy(last, when, sizeof when);
        if (cw_undef_flow_used(demand_of(finder), warp, finder->ins, cw_shuffle_context(s), when, &use)) {
            *fault = fault_at(finder, s, warp, when, use);
            return true;
        }
    }
    return false;
}

static bool look_everywhere(struct finder *finder, struct cw_shuffle_fault *fault) {
    struct cw_iterations it;
    const struct cw_context *c;
    cw_iterations_begin(&it, finder->l, finder->q->fn, finder->q->fn->ins.at[finder->ins].block);
    for (bool found = false; !found && cw_iterations_next(&it, &c);) {
        if (!cw_lanes_charge(finder->l, cw_lanes_count(finder->l) / THREADS_PER_CELL))
            return false;
        found = look_at_shuffle(finder, c, fault);
        finder->demand = NULL;
        cw_arena_reset(&finder->scratch);
        if (found)
            return true;
    }
    return false;
}

/* ---- all launches ---- */

static bool under_launch(struct finder *finder, uint32_t launch, struct cw_shuffle_fault *found) {
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        finder->launch = launch;
        finder->sample = sample;
        finder->l = finder->q->lanes(finder->q->owner, launch, sample);
        if (finder->l && cw_shuffle_may_fault_under(finder->l, finder->kind) && look_everywhere(finder, found))
            return true;
    }
    return false;
}

static bool same_cause(const struct cw_fn *fn, const struct cw_shuffle_fault *fault,
                       const struct cw_shuffle_fault *other) {
    if (fault->kind != other->kind)
        return false;
    switch (fault->kind) {
    case CW_SOURCE_EXITED: return fault->branch == other->branch;
    case CW_SOURCE_UNNAMED:
        return cw_ref_eq(cw_arg(fn, &fn->ins.at[fault->ins], 0), cw_arg(fn, &fn->ins.at[other->ins], 0));
    case CW_SOURCE_OUTSIDE: return false; /* every loop or step is a slip of its own */
    case CW_SOURCE_UNDEF:
        return cw_ref_eq(cw_arg(fn, &fn->ins.at[fault->ins], 1), cw_arg(fn, &fn->ins.at[other->ins], 1));
    default: return true; /* one block, one end */
    }
}

static void keep_fault(struct finder *finder) {
    for (uint32_t k = 0; k < finder->out->at.n; k++) {
        struct cw_shuffle_fault *old = &finder->out->at.at[k];
        if (!same_cause(finder->q->fn, old, &finder->first))
            continue;
        if (finder->first.definite && !old->definite) { /* the one that is proved is told */
            finder->first.also = old->also;
            cw_vec_push(finder->q->arena, &finder->first.also, old->ins);
            *old = finder->first;
        } else {
            cw_vec_push(finder->q->arena, &old->also, finder->ins);
        }
        return;
    }
    cw_vec_push(finder->q->arena, &finder->out->at, finder->first);
}

static void look_at(struct finder *finder, uint32_t ins) {
    struct cw_survey s = cw_survey_of_warps(finder->q->launches);
    if (!cw_shuffle_may_fault(finder->q->fn, ins, finder->kind))
        return;
    finder->ins = ins;
    while (!(s.shown && s.launches->from_facts) && cw_survey_next(&s)) {
        struct cw_shuffle_fault now;
        if (under_launch(finder, s.launch, &now) && cw_survey_shown(&s))
            finder->first = now;
    }
    finder->first.definite = cw_survey_definite(&s);
    if (s.shown)
        keep_fault(finder);
}

struct cw_shuffle_faults cw_shuffle_faults_of(const struct cw_kernel_query *query, uint32_t kinds) {
    struct cw_shuffle_faults faults = {{0}};
    const struct cw_uses *uses = NULL;
    if (query->fn->cfg->is_irreducible)
        return faults;
    struct cw_vec_u32 shuffles = cw_reachable_ops(query->fn, CW_OP_SHFL, query->arena);
    for (uint32_t kind = 0; kind < CW_SOURCE_FAULTS; kind++) {
        if (!(kinds >> kind & 1))
            continue;
        struct finder f = {.q = query, .kind = (enum cw_source_fault)kind, .uses = &uses, .out = &faults};
        cw_arena_init(&f.scratch);
        f.is_cut = shuffles.n > MAX_SHUFFLES;
        for (uint32_t k = 0; k < shuffles.n && k < MAX_SHUFFLES; k++)
            look_at(&f, shuffles.at[k]);
        cw_query_gave_up(query, CW_BAIL_SHUFFLE_BUDGET, f.is_cut);
        cw_arena_free(&f.scratch);
    }
    return faults;
}

/* ---- text form ---- */

void cw_shuffle_faults_print(const struct cw_facts_print *to, const struct cw_shuffle_faults *faults) {
    static const char *const kinds[] = {[CW_SOURCE_UNNAMED] = "source outside the mask",
                                        [CW_SOURCE_EXITED] = "source that has exited",
                                        [CW_SOURCE_BEYOND] = "source beyond the block",
                                        [CW_SOURCE_UNDEF] = "source without a value",
                                        [CW_SOURCE_OUTSIDE] = "source outside the segment"};
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_shuffle_fault *fault = &faults->at.at[k];
        cw_facts_begin(to, fault->definite, kinds[fault->kind]);
        cw_facts_ins(to, "", fault->ins);
        cw_facts_also(to, &fault->also);
        cw_facts_branch(to, fault->kind == CW_SOURCE_EXITED ? fault->branch : CW_NO_BLOCK);
        if (fault->kind == CW_SOURCE_OUTSIDE)
            cw_facts_part(to, "distance %d in segments of %u", (int32_t)fault->by, fault->width);
        cw_facts_flag(to, fault->by_data, "by data");
        cw_facts_flag(to, fault->by_bound, "by a bound");
        cw_facts_flag(to, fault->sum_of_first, "sum of the first lane");
        cw_facts_thread(to, "reader", fault->thread);
        cw_facts_thread(to, "source", fault->source);
        cw_facts_use(to, fault->thread / 32, &fault->use);
        cw_facts_context(to, fault->context);
        cw_facts_launch(to, fault->launch, fault->sample);
        cw_facts_end(to);
    }
}
