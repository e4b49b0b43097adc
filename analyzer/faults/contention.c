/* See contention.h. */
#include "faults/contention.h"

#include "lanes/facts_print.h"
#include "launch/for_each_launch.h"
#include "uniformity/uses.h"

enum {
    COMERS = 16, /* lanes on one address from which on it is told */
    INNER = 2    /* the choice of the unknowns that is looked at: an inner block, whole in every dimension */
};

struct probe {
    const struct cw_kernel_query *q;
    uint32_t ins;
    struct cw_access access;
};

/* Operations that a warp can do among its lanes first. */
static bool can_be_combined(const struct cw_ins *ins) {
    switch ((enum cw_atomic)(ins->aux & 0xff)) {
    case CW_ATOMIC_ADD:
    case CW_ATOMIC_SUB:
    case CW_ATOMIC_MIN:
    case CW_ATOMIC_MAX:
    case CW_ATOMIC_AND:
    case CW_ATOMIC_OR:
    case CW_ATOMIC_XOR:
        return true;
    default:
        return false;
    }
}

static bool on_one_place(const struct cw_warp_access *warp_access) {
    int64_t first = warp_access->lanes ? warp_access->offset[__builtin_ctz(warp_access->lanes)] : 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        if ((warp_access->lanes >> lane & 1) && warp_access->offset[lane] != first)
            return false;
    return warp_access->lanes != 0;
}

/* All warps of the block that come must meet in one place each; a warp that is not known ends it. */
static bool probe_launch(const struct probe *probe, uint32_t launch, struct cw_contention *out) {
    struct cw_lanes *l = probe->q->lanes(probe->q->owner, launch, INNER);
    const struct cw_context *c = l ? cw_lanes_first(l, probe->q->fn->ins.at[probe->ins].block) : NULL;
    uint32_t warps = l ? (cw_lanes_count(l) + 31) / 32 : 0, most = 0;
    *out = (struct cw_contention){.ins = probe->ins, .evaluator = l};
    for (uint32_t w = 0; w < warps; w++) {
        struct cw_warp_access a;
        if (!cw_warp_access_of(l, probe->q->fn, probe->ins, &probe->access, c, w, &a) ||
            (a.lanes != 0 && !on_one_place(&a)))
            return false;
        uint32_t comers = (uint32_t)__builtin_popcount(a.lanes);
        out->warps += comers >= COMERS;
        if (comers <= most)
            continue;
        most = comers;
        out->lanes = a.lanes;
        out->by_data = a.sure != a.lanes;
        out->warp = w;
        out->base = a.base;
    }
    return out->warps > 0;
}

static void describe_atomic(const struct probe *probe, const struct cw_uses *uses, struct cw_contention *contention) {
    const struct cw_fn *fn = probe->q->fn;
    const struct cw_ins *i = &fn->ins.at[probe->ins];
    int64_t value;
    enum cw_space space =
        contention->base.tag == CW_REF_OBJECT ? fn->objects.at[contention->base.index].space : CW_SPACE_GLOBAL;
    contention->uses_result = uses->first[probe->ins + 1] != uses->first[probe->ins];
    contention->is_shared = space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
    contention->is_constant = i->narg > 1 && cw_ref_const(fn, cw_arg(fn, i, 1), &value);
}

static void look_at(const struct cw_kernel_query *query, const struct cw_uses *uses, struct cw_contentions *all,
                    uint32_t ins) {
    struct probe p = {.q = query, .ins = ins};
    struct cw_access acc[2];
    const struct cw_ins *i = &query->fn->ins.at[ins];
    struct cw_survey s = cw_survey_of(query->launches, 32);
    struct cw_contention best, now;
    if (i->op != CW_OP_ATOMIC || !can_be_combined(i) || cw_memory_accesses(query->fn, i, acc) == 0)
        return;
    p.access = acc[0];
    while (cw_survey_next(&s))
        if (probe_launch(&p, s.launch, &now) && cw_survey_shown(&s))
            best = now;
    if (s.shown == 0)
        return;
    best.definite = cw_survey_definite(&s);
    describe_atomic(&p, uses, &best);
    cw_vec_push(query->arena, &all->at, best);
}

struct cw_contentions cw_contentions_of(const struct cw_kernel_query *query) {
    struct cw_contentions all = {{0}};
    const struct cw_uses *uses = cw_uses_of(query->fn, query->arena);
    for (uint32_t k = 0; k < query->fn->cfg->nrpo; k++) {
        const struct cw_block *b = &query->fn->blocks.at[query->fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++)
            look_at(query, uses, &all, b->ins.at[j]);
    }
    return all;
}

/* ---- text form ---- */

void cw_contentions_print(const struct cw_facts_print *to, const struct cw_contentions *contentions) {
    for (uint32_t k = 0; k < contentions->at.n; k++) {
        const struct cw_contention *contention = &contentions->at.at[k];
        cw_facts_begin(to, contention->definite, "contended atomic");
        cw_facts_ins(to, "", contention->ins);
        cw_facts_base(to, contention->base);
        cw_facts_flag(to, contention->is_shared, "in shared memory");
        cw_facts_flag(to, contention->by_data, "by data");
        cw_facts_flag(to, contention->uses_result, "result used");
        cw_facts_flag(to, contention->is_constant, "operand constant");
        cw_facts_lanes(to, "", contention->warp, contention->lanes);
        cw_facts_part(to, "%u warps do it", contention->warps);
        cw_facts_evaluator(to, contention->evaluator);
        cw_facts_end(to);
    }
}
