/* See partial_results.h. */
#include "faults/partial_results.h"

#include "lanes/condition.h"
#include "lanes/facts_print.h"
#include "lanes/iterations.h"
#include "launch/for_each_launch.h"
#include "uniformity/reachable_ops.h"

enum {
    SAMPLES = 2,      /* choices of the uniform unknowns tried per launch */
    QUESTION_WORK = 256 /* following a warp's values to their uses, in cells of an evaluator */
};

struct finder {
    const struct cw_kernel_query *q;
    const struct cw_uses *uses;
    uint32_t ins;
    struct cw_partial_use found;
    uint32_t launch, sample;
    struct cw_lanes *lanes;
};

/* The size of the logical warps that have a result each, 0 for one of the block, below zero that of the block's rows
 * for which the class was declared; false: not known. */
static bool find_size(const struct cw_fn *fn, uint32_t ins, int64_t *size) {
    const struct cw_ins *i = &fn->ins.at[ins];
    return i->narg > 0 && cw_ref_const(fn, cw_arg(fn, i, i->narg - 1), size) && *size >= -1024 && *size <= 32;
}

/* CUB numbers the threads of a class for one row by threadIdx.x: each row of a block of several has a result. */
static bool is_valid(const struct cw_lanes *lanes, int64_t size, uint32_t thread) {
    if (size < 0 && cw_lanes_launch(lanes)->block[0] == -size)
        return thread % (uint32_t)-size == 0;
    if (size <= 0)
        return thread == 0;
    bool divides = (size & (size - 1)) == 0; /* of other sizes there is one logical warp in each warp */
    return divides ? thread % 32 % (uint32_t)size == 0 : thread % 32 == 0;
}

static bool is_undefined_in(const struct finder *finder, const struct cw_context *context, uint32_t warp, int64_t size,
                            uint32_t when[32]) {
    const struct cw_lane_cond *reach =
        cw_lane_cond_reach(finder->lanes, finder->q->fn->ins.at[finder->ins].block, context);
    bool some = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t t = warp * 32 + lane;
        bool counts = t < cw_lanes_count(finder->lanes) && !is_valid(finder->lanes, size, t);
        when[lane] = counts ? cw_lane_cond_at(reach, t) : CW_BDD_FALSE;
        if (when[lane] == CW_BDD_POISON)
            when[lane] = CW_BDD_FALSE;
        some |= when[lane] != CW_BDD_FALSE;
    }
    return some;
}

static bool look_at_warps(struct finder *finder, const struct cw_context *context, int64_t size) {
    uint32_t warps = (cw_lanes_count(finder->lanes) + 31) / 32, when[32];
    struct cw_use use;
    bool found = false;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    for (uint32_t warp = 0; warp < warps && !found; warp++) {
        if (!is_undefined_in(finder, context, warp, size, when) || !cw_lanes_charge(finder->lanes, QUESTION_WORK))
            continue;
        struct cw_undef_flow *flow = cw_undef_flow_with(finder->lanes, finder->uses, &scratch);
        found = cw_undef_flow_used(flow, warp, finder->ins, context, when, &use);
        if (found)
            finder->found = (struct cw_partial_use){.ins = finder->ins,
                                                    .use = use,
                                                    .launch = finder->launch,
                                                    .sample = finder->sample,
                                                    .thread = warp * 32 + use.lane,
                                                    .lanes = finder->lanes,
                                                    .context = context};
    }
    cw_arena_free(&scratch);
    return found;
}

static bool under_launch(struct finder *finder, uint32_t launch, int64_t size) {
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        struct cw_iterations it;
        const struct cw_context *c;
        finder->launch = launch;
        finder->sample = sample;
        finder->lanes = finder->q->lanes(finder->q->owner, launch, sample);
        if (!finder->lanes)
            continue;
        cw_iterations_begin(&it, finder->lanes, finder->q->fn, finder->q->fn->ins.at[finder->ins].block);
        while (cw_iterations_next(&it, &c))
            if (look_at_warps(finder, c, size))
                return true;
    }
    return false;
}

static void look_at(struct finder *finder, struct cw_partial_uses *out) {
    struct cw_survey s = cw_survey_of(finder->q->launches, 2);
    struct cw_partial_use first = {0};
    int64_t size;
    if (!find_size(finder->q->fn, finder->ins, &size) || size == 1)
        return;
    bool certain = true;
    while (!(s.shown && s.launches->from_facts) && cw_survey_next(&s)) {
        if (!under_launch(finder, s.launch, size))
            continue;
        certain &= finder->found.use.certain;
        if (cw_survey_shown(&s))
            first = finder->found;
    }
    if (s.shown == 0)
        return;
    first.definite = cw_survey_definite(&s) && certain;
    first.collective = cw_collective_at(finder->q->fn->ins.at[finder->ins].intrinsic);
    cw_vec_push(finder->q->arena, &out->at, first);
}

struct cw_partial_uses cw_partial_uses_of(const struct cw_kernel_query *query) {
    struct cw_partial_uses out = {{0}};
    struct finder f = {.q = query};
    if (query->fn->cfg->is_irreducible)
        return out;
    struct cw_vec_u32 values = cw_reachable_ops(query->fn, CW_OP_OPAQUE, query->arena);
    for (uint32_t k = 0; k < values.n; k++) {
        const struct cw_ins *i = &query->fn->ins.at[values.at[k]];
        const struct cw_collective *row = cw_collective_at(i->intrinsic);
        if (!row || row->valid != CW_VALID_FIRST)
            continue;
        f.uses = f.uses ? f.uses : cw_uses_of(query->fn, query->arena);
        f.ins = values.at[k];
        look_at(&f, &out);
    }
    return out;
}

/* ---- text form ---- */

void cw_partial_uses_print(const struct cw_facts_print *to, const struct cw_partial_uses *uses) {
    for (uint32_t k = 0; k < uses->at.n; k++) {
        const struct cw_partial_use *use = &uses->at.at[k];
        cw_facts_begin(to, use->definite, "use of a partial result");
        cw_facts_ins(to, "", use->ins);
        cw_facts_thread(to, "invalid in", use->thread);
        cw_facts_use(to, use->thread / 32, &use->use);
        cw_facts_context(to, use->context);
        cw_facts_launch(to, use->launch, use->sample);
        cw_facts_end(to);
    }
}
