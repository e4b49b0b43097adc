/* See early_exits.h. */
#include "faults/early_exits.h"

#include "lanes/facts_print.h"
#include "uniformity/reachable_ops.h"
#include "launch/for_each_launch.h"

enum { SAMPLES = 3 };

struct proof {
    const struct cw_participation *at;
    struct cw_lanes *lanes;
    struct cw_lost lost;
    bool shown, is_lost, sure, hopeless, undecided; /* undecided: the evaluator's budget ended first */
};

/* Looks for threads that have returned before the barrier, best for a read of what they left out. */
static void probe_launch(const struct cw_kernel_query *query, uint32_t barrier, uint32_t launch, struct proof *proof) {
    for (uint32_t s = 0; s < SAMPLES && !proof->is_lost && !proof->hopeless; s++) {
        struct cw_lanes *l = query->lanes(query->owner, launch, s);
        const struct cw_participation *at = cw_participation(l, barrier, NULL, query->arena);
        proof->hopeless = s == 0 && at->count[CW_UNSURE] == cw_lanes_count(l);
        if (proof->hopeless || at->count[CW_EXITED] == 0 || at->count[CW_ARRIVES] == 0)
            continue;
        proof->is_lost = cw_lost_find(l, query->fn, at, query->arena, &proof->lost);
        proof->undecided = !proof->is_lost && cw_lanes_exhausted(l);
        if (!proof->shown || proof->is_lost) {
            proof->at = at;
            proof->lanes = l;
        }
        proof->shown = true;
    }
}

static struct proof probe_barrier(const struct cw_kernel_query *query, uint32_t barrier) {
    struct proof best = {0};
    struct cw_survey s = cw_survey_of_warps(query->launches);
    uint32_t asked = 0, lost = 0, shown = 0;
    while (cw_survey_next(&s)) {
        struct proof now = {0};
        probe_launch(query, barrier, s.launch, &now);
        if (now.hopeless)
            break;
        asked += s.counts && !now.undecided;
        lost +=
            s.counts && now.is_lost &&
            !cw_lost_denied(query->lanes(query->owner, s.launch, CW_SAMPLE_ROUND), query->fn, barrier, query->arena);
        shown += s.counts && now.shown;
        if ((now.is_lost && !best.is_lost) || (now.shown && !best.shown))
            best = now;
    }
    uint32_t proved = best.is_lost ? lost : shown;
    best.sure = proved > 0 && (query->launches->from_facts || proved == asked);
    return best;
}

struct search {
    const struct cw_kernel_query *q;
    uint32_t branch;
};

/* The first branch that threads take differently and of which one side never comes back. */
static bool visit_edge(void *context, struct cw_edge edge) {
    struct search *v = context;
    const struct cw_fn *fn = v->q->fn;
    if (fn->cfg->live_ipdom[edge.block] == fn->cfg->nblocks &&
        cw_uni_of(v->q->uniformity, fn->blocks.at[edge.block].jump.value) > CW_UNI_BLOCK &&
        (v->branch == CW_NO_BLOCK || fn->cfg->rpo_index[edge.block] < fn->cfg->rpo_index[v->branch]))
        v->branch = edge.block;
    return true;
}

struct cw_early_exits cw_exits_of(const struct cw_kernel_query *query, bool all) {
    struct cw_early_exits found = {{0}};
    struct cw_vec_u32 barriers = cw_reachable_block_barriers(query->fn, query->arena);
    uint32_t told = CW_NO_BLOCK;
    for (uint32_t k = 0; k < barriers.n; k++) {
        struct search v = {query, CW_NO_BLOCK};
        cw_cfg_live_controls(query->fn, query->fn->ins.at[barriers.at[k]].block, visit_edge, &v);
        if (v.branch == CW_NO_BLOCK || v.branch == told)
            continue;
        struct proof p = probe_barrier(query, barriers.at[k]);
        if (!p.is_lost && !(p.shown && all))
            continue;
        struct cw_early_exit exit = {.barrier = barriers.at[k],
                                     .branch = v.branch,
                                     .is_lost = p.is_lost,
                                     .definite = p.sure,
                                     .lost = p.lost,
                                     .lanes = p.lanes,
                                     .at = p.at};
        cw_vec_push(query->arena, &found.at, exit);
        told = v.branch;
    }
    return found;
}

/* ---- text form ---- */

/* The first warp of which a thread has exited. */
static uint32_t warp_with_exits(const struct cw_participation *participation, uint32_t threads) {
    for (uint32_t t = 0; t < threads; t++)
        if (participation->presence[t] == CW_EXITED || participation->presence[t] == CW_DATA_EXIT)
            return t / 32;
    return 0;
}

void cw_early_exits_print(const struct cw_facts_print *to, const struct cw_early_exits *exits) {
    for (uint32_t k = 0; k < exits->at.n; k++) {
        const struct cw_early_exit *exit = &exits->at.at[k];
        cw_facts_begin(to, exit->definite, "early exit");
        cw_facts_ins(to, "before", exit->barrier);
        cw_facts_branch(to, exit->branch);
        if (exit->is_lost) {
            cw_facts_ins(to, "lost", exit->lost.store);
            cw_facts_thread(to, "exited", exit->lost.writer);
            cw_facts_ins(to, "read by", exit->lost.load);
            cw_facts_thread(to, "waits", exit->lost.reader);
            cw_facts_memory(to, cw_ref_of(CW_REF_OBJECT, exit->lost.object), exit->lost.offset, 1);
        }
        cw_facts_presence(to, exit->at, warp_with_exits(exit->at, cw_lanes_count(exit->lanes)));
        cw_facts_context(to, exit->at->context);
        cw_facts_evaluator(to, exit->lanes);
        cw_facts_end(to);
    }
}
