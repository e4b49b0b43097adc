/* See divergent_arms.h. */
#include "faults/divergent_arms.h"

#include "lanes/facts_print.h"
#include "lanes/iterations.h"
#include "launch/for_each_launch.h"

enum {
    WAYS = 40,       /* of a switch */
    WORK = 6,        /* instructions from which on an arm has work to do */
    ACCESS = 4,      /* what a memory access counts for */
    REGION_MAX = 64, /* blocks of an arm that are looked at */
    TRIPS = 32,      /* of an inner loop all of whose iterations are looked at */
    BORDER = 4,      /* fewer lanes than that beside the others are the border of a tile, or a spokesman */
    INNER = 2
};

struct probe {
    const struct cw_kernel_query *q;
    const struct cw_fn *fn;
    uint32_t block;
    uint32_t work[WAYS]; /* per way: instructions of its arm */
};

/* ---- how much there is to do ---- */

static uint32_t weight_of(const struct cw_fn *fn, uint32_t block) {
    const struct cw_block *b = &fn->blocks.at[block];
    uint32_t weight = 0;
    for (uint32_t k = 0; k < b->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[b->ins.at[k]];
        unsigned flags = cw_op_flags((enum cw_op)i->op);
        weight += i->op == CW_OP_PHI ? 0 : flags & (CW_OP_R | CW_OP_W | CW_OP_C) ? ACCESS : 1;
    }
    return weight;
}

/* The blocks from `from` up to where the ways meet again. */
static uint32_t work_until(const struct probe *probe, uint32_t from, uint32_t end) {
    uint32_t queue[REGION_MAX] = {from}, n = from != end, work = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct cw_jump *j = &probe->fn->blocks.at[queue[k]].jump;
        work += weight_of(probe->fn, queue[k]);
        for (uint32_t s = 0; s < j->nsucc; s++) {
            bool seen = j->succ[s] == end || j->succ[s] == probe->block;
            for (uint32_t m = 0; m < n && !seen; m++)
                seen = queue[m] == j->succ[s];
            if (!seen && n < REGION_MAX)
                queue[n++] = j->succ[s];
        }
    }
    return work;
}

/* Does one of the ways leave the loop? That is a question of how often it runs. */
static bool ends_a_loop(const struct cw_fn *fn, uint32_t block) {
    uint32_t loop = fn->cfg->loop_of[block];
    const struct cw_jump *j = &fn->blocks.at[block].jump;
    for (uint32_t k = 0; loop != CW_NO_LOOP && k < j->nsucc; k++)
        if (!cw_cfg_in_loop(fn->cfg, loop, j->succ[k]))
            return true;
    return false;
}

/* False when the branch is none of those that are told. */
static bool measure_branch(struct probe *probe) {
    const struct cw_jump *j = &probe->fn->blocks.at[probe->block].jump;
    uint32_t end = probe->fn->cfg->live_ipdom[probe->block];
    if ((j->kind != CW_JUMP_BRANCH && j->kind != CW_JUMP_SWITCH) || j->nsucc > WAYS || end >= probe->fn->blocks.n ||
        cw_uni_of(probe->q->uniformity, j->value) <= CW_UNI_WARP || ends_a_loop(probe->fn, probe->block))
        return false;
    bool some = false;
    for (uint32_t k = 0; k < j->nsucc; k++) {
        probe->work[k] = work_until(probe, j->succ[k], end);
        some |= probe->work[k] >= WORK;
    }
    return some;
}

/* ---- one warp ---- */

static uint32_t way_of(const struct cw_jump *jump, int64_t value) {
    if (jump->kind == CW_JUMP_BRANCH)
        return value != 0 ? 0 : 1;
    for (uint32_t k = 0; k + 1 < jump->nsucc; k++)
        if (jump->cases[k] == value)
            return k;
    return jump->nsucc - 1;
}

/* The lanes that go each way; false when a lane that comes does not know its way from its index alone. */
static bool lanes_by_way(const struct probe *probe, struct cw_lanes *other, const struct cw_context *context,
                         uint32_t warp, uint32_t *lanes) {
    const struct cw_jump *j = &probe->fn->blocks.at[probe->block].jump;
    const uint8_t *reach = cw_lanes_reach(other, probe->block, context);
    const struct cw_lane_values *v = cw_lanes_eval(other, j->value, context);
    uint32_t end = warp * 32 + 32 < cw_lanes_count(other) ? warp * 32 + 32 : cw_lanes_count(other);
    for (uint32_t k = 0; k < j->nsucc; k++)
        lanes[k] = 0;
    for (uint32_t t = warp * 32; t < end; t++) {
        if (reach[t] == CW_REACH_NO)
            continue;
        if (v == NULL || v->known[t] != CW_EXACT)
            return false;
        lanes[way_of(j, v->value[t])] |= 1u << t % 32;
    }
    return true;
}

/* One run of neighbouring lanes, perhaps around the end: a beginning, an end, a middle, or all but such. */
static bool is_stretch(uint32_t lanes) {
    uint32_t turned = lanes << 1 | lanes >> 31;
    return __builtin_popcount(lanes ^ turned) <= 2;
}

/* How many arms have work, and the one with the fewest lanes; 0 when this warp is none of those told. The cases of a
 * switch that share a target are one arm. */
static uint32_t arms_in(const struct probe *probe, const uint32_t *lanes, uint32_t *fewest) {
    const struct cw_jump *j = &probe->fn->blocks.at[probe->block].jump;
    uint32_t arms = 0, all = 0;
    *fewest = UINT32_MAX;
    for (uint32_t k = 0; k < j->nsucc; k++) {
        uint32_t mine = 0;
        bool first = true;
        for (uint32_t m = 0; m < j->nsucc; m++) {
            mine |= j->succ[m] == j->succ[k] ? lanes[m] : 0;
            first &= m >= k || j->succ[m] != j->succ[k];
        }
        all |= mine;
        if (!first || mine == 0 || probe->work[k] < WORK)
            continue;
        arms++;
        *fewest = __builtin_popcount(mine) < __builtin_popcount(*fewest) ? mine : *fewest;
    }
    if (arms > 2 || (arms == 2 && __builtin_popcount(*fewest) >= BORDER))
        return arms;
    bool spread = arms == 1 && *fewest != all && __builtin_popcount(*fewest) > 1 && __builtin_popcount(*fewest) <= 16 &&
                  !is_stretch(*fewest);
    return spread ? 1 : 0;
}

/* ---- one launch ---- */

/* In one iteration: at least half of the warps that come must part. False when something is not known. */
static bool look_at_iteration(const struct probe *probe, struct cw_lanes *l, const struct cw_context *context,
                              struct cw_divergent_arms *out) {
    struct cw_divergent_arms now = {.block = probe->block, .context = context, .evaluator = l};
    uint32_t warps = (cw_lanes_count(l) + 31) / 32, come = 0;
    for (uint32_t w = 0; w < warps; w++) {
        uint32_t lanes[WAYS], fewest, any = 0, arms;
        if (!lanes_by_way(probe, l, context, w, lanes))
            return false;
        for (uint32_t k = 0; k < probe->fn->blocks.at[probe->block].jump.nsucc; k++)
            any |= lanes[k];
        come += any != 0;
        arms = arms_in(probe, lanes, &fewest);
        if (arms == 0)
            continue;
        if (now.warps++ == 0) {
            now.warp = w;
            now.arms = arms;
            now.lanes = fewest;
        }
    }
    bool better = out->warps == 0 || __builtin_popcount(now.lanes) < __builtin_popcount(out->lanes);
    if (now.warps > 0 && 2 * now.warps >= come && better)
        *out = now;
    return true;
}

static bool probe_launch(const struct probe *probe, uint32_t launch, struct cw_divergent_arms *out) {
    struct cw_lanes *l = probe->q->lanes(probe->q->owner, launch, INNER);
    struct cw_iterations it;
    const struct cw_context *c, *first;
    *out = (struct cw_divergent_arms){.warps = 0};
    if (l == NULL)
        return false;
    cw_iterations_begin(&it, l, probe->fn, probe->block);
    while (cw_iterations_next(&it, &c))
        if (!look_at_iteration(probe, l, c, out))
            return false;
    first = cw_lanes_first(l, probe->block);
    for (uint32_t k = 0, n = cw_inner_trips(l, probe->fn, probe->block, TRIPS); k < n; k++)
        if (!look_at_iteration(probe, l, cw_lanes_context(l, first->outer, first->loop, k), out))
            return false;
    return out->warps > 0;
}

/* ---- the kernel ---- */

struct cw_divergent_branches cw_divergent_branches_of(const struct cw_kernel_query *query) {
    struct cw_divergent_branches all = {{0}};
    for (uint32_t k = 0; k < query->fn->cfg->nrpo; k++) {
        struct probe p = {.q = query, .fn = query->fn, .block = query->fn->cfg->rpo[k]};
        struct cw_divergent_arms best, now;
        struct cw_survey s = cw_survey_of(query->launches, 32);
        if (!measure_branch(&p))
            continue;
        while (cw_survey_next(&s))
            if (probe_launch(&p, s.launch, &now) && cw_survey_shown(&s))
                best = now;
        if (s.shown == 0)
            continue;
        best.definite = cw_survey_definite(&s);
        cw_vec_push(query->arena, &all.at, best);
    }
    return all;
}

/* ---- text form ---- */

void cw_divergent_branches_print(const struct cw_facts_print *to, const struct cw_divergent_branches *branches) {
    for (uint32_t k = 0; k < branches->at.n; k++) {
        const struct cw_divergent_arms *arms = &branches->at.at[k];
        cw_facts_begin(to, arms->definite, "divergent arms");
        cw_facts_branch(to, arms->block);
        cw_facts_part(to, "%u arms with work", arms->arms);
        cw_facts_lanes(to, "smallest", arms->warp, arms->lanes);
        cw_facts_part(to, "%u warps diverge", arms->warps);
        cw_facts_context(to, arms->context);
        cw_facts_evaluator(to, arms->evaluator);
        cw_facts_end(to);
    }
}
