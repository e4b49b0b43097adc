/* computes: whether all threads of a warp or of the block execute a place. requires: see together.h. Cost: one
 * participation for each launch. */
#include "fix/make/together.h"

#include "kernel/ask/values.h"
#include "rules/sink.h"

#include <string.h>

/* What decides who comes to a block. */
struct deciders {
    struct cw_rule_ctx *ctx;
    enum cw_uni level;
    bool known;
};

/* Is the condition the same for all threads of the group, or does it follow from thread indices alone, once? In a loop
 * the evaluator has seen one iteration, and a value that was chosen for a parameter shows one case. */
static bool is_decider_known(void *owner, struct cw_edge edge) {
    struct deciders *d = owner;
    const struct cw_fn *fn = d->ctx->fn;
    cw_ref condition = fn->blocks.at[edge.block].jump.value;
    if (cw_uni_of(d->ctx->uniformity, condition) <= d->level)
        return true;
    d->known = fn->cfg->loop_of[edge.block] == CW_NO_LOOP;
    for (uint32_t k = 0; k < d->ctx->launches->n && d->known; k++) {
        struct cw_lanes *l = cw_kernel_lanes(d->ctx->kernel, k, 0);
        const struct cw_lane_values *v = cw_lanes_eval(l, condition, NULL);
        d->known = v && v->worst == CW_EXACT;
    }
    return d->known;
}

/* Of each group of `size` threads all come, or none; for warps those that have exited do not count. */
static bool comes_whole(const struct cw_participation *participation, uint32_t threads, uint32_t size,
                        bool exits_allowed) {
    for (uint32_t first = 0; first < threads; first += size) {
        uint32_t comes = 0, away = 0;
        for (uint32_t t = first; t < first + size && t < threads; t++) {
            enum cw_presence x = (enum cw_presence)participation->presence[t];
            bool exited = x == CW_EXITED || x == CW_DATA_EXIT;
            if ((exited && !exits_allowed) || x == CW_DATA || x == CW_UNSURE)
                return false;
            comes += x == CW_ARRIVES || x == CW_DATA_EXIT;
            away += x == CW_ELSEWHERE;
        }
        if (comes && away)
            return false;
    }
    return true;
}

static bool is_whole_everywhere(struct cw_rule_ctx *ctx, uint32_t block, enum cw_uni level) {
    const struct cw_block *b = &ctx->fn->blocks.at[block];
    struct deciders d = {ctx, level, true};
    if (!b->ins.n || !ctx->launches->n)
        return false;
    cw_cfg_controls(ctx->fn, block, is_decider_known, &d);
    if (!d.known)
        return false;
    for (uint32_t k = 0; k < ctx->launches->n; k++) {
        struct cw_lanes *l = cw_kernel_lanes(ctx->kernel, k, 0);
        uint32_t threads = cw_lanes_count(l);
        const struct cw_participation *p = cw_participation(l, b->ins.at[0], NULL, ctx->arena);
        if (!comes_whole(p, threads, level == CW_UNI_WARP ? 32 : threads, level == CW_UNI_WARP))
            return false;
    }
    return true;
}

enum cw_together cw_rule_together(struct cw_rule_ctx *ctx, uint32_t block, enum cw_uni level) {
    const struct cw_uniformity *u = ctx->uniformity;
    if (ctx->fn->cfg->rpo_index[block] == CW_NO_BLOCK)
        return CW_APART;
    if (u->control[block] <= level || (level == CW_UNI_WARP && u->control_live[block] <= level))
        return CW_TOGETHER;
    return is_whole_everywhere(ctx, block, level) ? CW_TOGETHER_HERE : CW_APART;
}

bool cw_rule_proves(const struct cw_rule_ctx *ctx, uint32_t loc, enum cw_together together) {
    const struct cw_loc *l = &ctx->fn->locs.at[loc];
    if (ctx->fn->kind != CW_FN_KERNEL || ctx->sink->is_alone || together == CW_APART)
        return false;
    return l->span.file == 0 || (together == CW_TOGETHER && !l->site);
}

static bool is_same_place(const struct cw_fn *fn, const struct cw_ins *ins, const struct cw_ins *other) {
    const struct cw_span *a = &fn->locs.at[ins->loc].span, *b = &fn->locs.at[other->loc].span;
    return ins->op == other->op && a->file == b->file && a->line == b->line && a->col == b->col;
}

enum cw_together cw_rule_warp_calls(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_fn *fn = ctx->fn;
    enum cw_together least = CW_TOGETHER;
    for (uint32_t k = 0; k < fn->ins.n && least != CW_APART; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op == CW_OP_HOLE || !is_same_place(fn, i, &fn->ins.at[ins]) ||
            fn->cfg->rpo_index[i->block] == CW_NO_BLOCK)
            continue;
        enum cw_together here = cw_rule_together(ctx, i->block, CW_UNI_WARP);
        least = here < least ? here : least;
    }
    return least;
}
