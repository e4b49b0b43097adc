/* See partial_results.h. */
#include "faults/partial_results.h"

#include "lanes/condition.h"
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

/* The size of the logical warps that have a result each, 0 for one of the block; false: not known. */
static bool find_size(const struct cw_fn *fn, uint32_t ins, int64_t *size) {
    const struct cw_ins *i = &fn->ins.at[ins];
    return i->narg > 0 && cw_ref_const(fn, cw_arg(fn, i, i->narg - 1), size) && *size >= 0 && *size <= 32;
}

static bool is_valid(int64_t size, uint32_t thread) {
    if (size == 0)
        return thread == 0;
    bool divides = (size & (size - 1)) == 0; /* of other sizes there is one logical warp in each warp */
    return divides ? thread % 32 % (uint32_t)size == 0 : thread % 32 == 0;
}

static bool is_undefined_in(const struct finder *f, const struct cw_context *c, uint32_t warp, int64_t size,
                            uint32_t when[32]) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(f->lanes, f->q->fn->ins.at[f->ins].block, c);
    bool some = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t t = warp * 32 + lane;
        bool counts = t < cw_lanes_count(f->lanes) && !is_valid(size, t);
        when[lane] = counts ? cw_lane_cond_at(reach, t) : CW_BDD_FALSE;
        if (when[lane] == CW_BDD_POISON)
            when[lane] = CW_BDD_FALSE;
        some |= when[lane] != CW_BDD_FALSE;
    }
    return some;
}

static bool look(struct finder *f, const struct cw_context *c, int64_t size) {
    uint32_t warps = (cw_lanes_count(f->lanes) + 31) / 32, when[32];
    struct cw_use use;
    bool found = false;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    for (uint32_t warp = 0; warp < warps && !found; warp++) {
        if (!is_undefined_in(f, c, warp, size, when) || !cw_lanes_charge(f->lanes, QUESTION_WORK))
            continue;
        struct cw_undef_flow *flow = cw_undef_flow_with(f->lanes, f->uses, &scratch);
        found = cw_undef_flow_used(flow, warp, f->ins, c, when, &use);
        if (found)
            f->found = (struct cw_partial_use){.ins = f->ins, .use = use, .launch = f->launch, .sample = f->sample,
                                               .thread = warp * 32 + use.lane, .lanes = f->lanes, .context = c};
    }
    cw_arena_free(&scratch);
    return found;
}

static bool under_launch(struct finder *f, uint32_t launch, int64_t size) {
    for (uint32_t sample = 0; sample < SAMPLES; sample++) {
        struct cw_iterations it;
        const struct cw_context *c;
        f->launch = launch;
        f->sample = sample;
        f->lanes = f->q->lanes(f->q->owner, launch, sample);
        if (!f->lanes)
            continue;
        cw_iterations_begin(&it, f->lanes, f->q->fn, f->q->fn->ins.at[f->ins].block);
        while (cw_iterations_next(&it, &c))
            if (look(f, c, size))
                return true;
    }
    return false;
}

static void look_at(struct finder *f, struct cw_partial_uses *out) {
    struct cw_survey s = cw_survey_of(f->q->launches, 2);
    struct cw_partial_use first = {0};
    int64_t size;
    if (!find_size(f->q->fn, f->ins, &size) || size == 1)
        return;
    bool certain = true;
    while (!(s.shown && s.launches->from_facts) && cw_survey_next(&s)) {
        if (!under_launch(f, s.launch, size))
            continue;
        certain &= f->found.use.certain;
        if (cw_survey_shown(&s))
            first = f->found;
    }
    if (s.shown == 0)
        return;
    first.definite = cw_survey_definite(&s) && certain;
    first.collective = cw_collective_at(f->q->fn->ins.at[f->ins].intrinsic);
    cw_vec_push(f->q->arena, &out->at, first);
}

struct cw_partial_uses cw_partial_uses_of(const struct cw_kernel_query *q) {
    struct cw_partial_uses out = {{0}};
    struct finder f = {.q = q};
    if (q->fn->cfg->is_irreducible)
        return out;
    struct cw_vec_u32 values = cw_reachable_ops(q->fn, CW_OP_OPAQUE, q->arena);
    for (uint32_t k = 0; k < values.n; k++) {
        const struct cw_ins *i = &q->fn->ins.at[values.at[k]];
        const struct cw_collective *row = cw_collective_at(i->intrinsic);
        if (!row || row->valid != CW_VALID_FIRST)
            continue;
        f.uses = f.uses ? f.uses : cw_uses_of(q->fn, q->arena);
        f.ins = values.at[k];
        look_at(&f, &out);
    }
    return out;
}
