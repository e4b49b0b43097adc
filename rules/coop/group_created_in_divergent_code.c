/* group-created-in-divergent-code: a cooperative group is made where some of its threads do not come
 *
 * ## What it does
 * Reports `this_thread_block()`, `this_grid()`, `this_cluster()`, and partitions of them, under a condition that parts the
 * lanes of a warp; as `possible` where only whole warps or whole tiles part. A group made from one that is reported is not told
 * again, nor one whose barrier or collective is reported by another rule.
 *
 * ## Why it is wrong
 * "Creating a handle for an implicit group is a collective operation; all threads in the group must participate. If the group
 * was created in a conditional branch that not all threads reach, this can lead to deadlocks or data corruption" (CUDA C++
 * Programming Guide, Cooperative Groups). The same holds for partitions, which are collective over their parent.
 *
 * ## Example
 * ```cuda bad --block 64
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void scale(float *x) {
 *     if (x[threadIdx.x] > 0) {
 *         cg::thread_block block = cg::this_thread_block();
 *         x[block.thread_rank()] *= 2;
 *     }
 * }
 * ```
 * ```cuda good --block 64
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void scale(float *x) {
 *     cg::thread_block block = cg::this_thread_block();
 *     if (x[threadIdx.x] > 0)
 *         x[block.thread_rank()] *= 2;
 * }
 * ```
 *
 * ## How to fix
 * Make groups at the start of the kernel and hand them to functions as parameters.
 *
 * ## When it stays silent
 * For `coalesced_threads()` and its partitions; when the other threads have exited; when the condition is uniform or unknown.
 *
 * ## References
 * - CUDA C++ Programming Guide, Cooperative Groups, implicit groups and explicit partitions
 */
#include "rules/rule.h"

enum { SAMPLES = 2, MAX_NEST = 8 };

static const struct cw_ins *parent_of(const struct cw_fn *fn, const struct cw_ins *i) {
    const struct cw_ins *p = i->narg > 0 ? cw_ins_of(fn, cw_arg(fn, i, 0)) : NULL;
    return p && p->op == CW_OP_GROUP ? p : NULL;
}

static bool is_collective_making(const struct cw_fn *fn, const struct cw_ins *i) {
    for (uint32_t depth = 0; depth < MAX_NEST && i && i->aux != CW_GROUP_COALESCED && i->aux != CW_GROUP_THREAD; depth++) {
        if (i->aux == CW_GROUP_BLOCK || i->aux == CW_GROUP_GRID || i->aux == CW_GROUP_CLUSTER)
            return true;
        i = parent_of(fn, i);
    }
    return false;
}

/* Do some of `size` neighbouring lanes come and others not? *warp: of the witness. */
static bool parts_lanes(const struct cw_lanes *l, const struct cw_participation *p, uint32_t size, uint32_t *warp) {
    uint32_t tile = size < 32 ? (1u << size) - 1 : UINT32_MAX;
    for (*warp = 0; *warp * 32 < cw_lanes_count(l); ++*warp) {
        uint32_t data = cw_participation_lanes(p, l, *warp, CW_DATA);
        uint32_t in = cw_participation_lanes(p, l, *warp, CW_ARRIVES) | data;
        uint32_t out = cw_participation_lanes(p, l, *warp, CW_ELSEWHERE) | data;
        for (uint32_t at = 0; at < 32; at += size)
            if ((in >> at & tile) != 0 && (out >> at & tile) != 0 && __builtin_popcount((in | out) >> at & tile) > 1)
                return true;
    }
    return false;
}

static uint32_t tile_size(const struct cw_fn *fn, const struct cw_ins *i) {
    int64_t size;
    bool known = i->aux == CW_GROUP_TILE && i->narg > 1 && cw_ref_const(fn, cw_arg(fn, i, 1), &size);
    return known && size >= 1 && size < 32 ? (uint32_t)size : 32;
}

struct parting {
    struct cw_lanes *lanes;
    const struct cw_participation *at;
    uint32_t warp;
    bool definite;
};

static bool is_parted(struct cw_rule_ctx *ctx, uint32_t ins, uint32_t size, struct parting *out) {
    uint32_t asked = 0, shown = 0;
    for (uint32_t n = 0; n < ctx->launches.n; n++) {
        bool counts = ctx->launches.from_facts || cw_launch_threads(&ctx->launches.at[n]) > 32, found = false;
        for (uint32_t sample = 0; sample < SAMPLES && !found; sample++) {
            struct cw_lanes *l = cw_rule_lanes(ctx, n, sample);
            const struct cw_participation *p = l ? cw_participation(l, ins, NULL, ctx->arena) : NULL;
            uint32_t warp;
            found = p != NULL && parts_lanes(l, p, size, &warp);
            if (found && out->lanes == NULL)
                *out = (struct parting){l, p, warp, false};
        }
        asked += counts;
        shown += counts && found;
    }
    out->definite = ctx->launches.from_facts ? out->lanes != NULL : asked > 0 && shown == asked;
    return out->lanes != NULL;
}

/* Is a barrier or collective reported that stands where the group was made? */
static bool is_told(struct cw_rule_ctx *ctx, const struct cw_ins *i) {
    const struct cw_mask_faults *faults = cw_rule_mask_faults(ctx);
    const struct cw_splits *splits = cw_rule_splits(ctx);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].is_group && cw_cfg_dominates(ctx->fn->cfg, i->block, ctx->fn->ins.at[faults->at.at[k].ins].block))
            return true;
    for (uint32_t k = 0; k < splits->at.n; k++)
        if (cw_cfg_dominates(ctx->fn->cfg, i->block, ctx->fn->ins.at[splits->at.at[k].ins].block))
            return true;
    return false;
}

static void check(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins], *parent = parent_of(ctx->fn, i);
    const uint8_t *live = ctx->uniformity->control_live;
    struct parting p = {0};
    if (live[i->block] <= CW_UNI_BLOCK || !is_collective_making(ctx->fn, i) ||
        (parent && live[parent->block] > CW_UNI_BLOCK) || is_told(ctx, i))
        return;
    bool missed = live[i->block] > CW_UNI_WARP && is_parted(ctx, ins, tile_size(ctx->fn, i), &p);
    if (live[i->block] > CW_UNI_WARP && !missed && !is_parted(ctx, ins, 32, &p)) /* else whole tiles or warps part */
        return;
    struct cw_finding *f = cw_report(ctx, missed && p.definite ? CW_DEFINITE : CW_POSSIBLE, ins,
                                     "%s is made where only some of the threads come that it stands for",
                                     cw_call_text(ctx, ins));
    cw_report_divergence(ctx, f, ctx->uniformity->control_branch[i->block]);
    if (p.lanes != NULL) {
        cw_report_launch(ctx, f, p.lanes);
        cw_report_participation(ctx, f, p.lanes, p.at, p.warp);
    }
    cw_report_help(ctx, f, "make the group at the start of the kernel, where all threads come, and pass it on");
    cw_report_submit(ctx, f);
}

void cw_rule_group_created_in_divergent_code_check(struct cw_rule_ctx *ctx) {
    const struct cw_fn *fn = ctx->fn;
    for (uint32_t k = 0; k < fn->cfg->nrpo && !fn->cfg->is_irreducible; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++)
            if (fn->ins.at[b->ins.at[j]].op == CW_OP_GROUP)
                check(ctx, b->ins.at[j]);
    }
}
