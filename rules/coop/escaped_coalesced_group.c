/* escaped-coalesced-group: a coalesced group made in a branch is used behind it, in place of an earlier one
 *
 * ## What it does
 * Reports a sync or collective of a group variable which some lanes have assigned anew, by `coalesced_threads()` under a
 * condition that parts lanes, while the others still hold the group from before the branch.
 *
 * ## Why it is wrong
 * The group from before names all lanes, the new one only those of the branch. Those who hold the old one wait for members that
 * call with another group: "all threads in the group must participate in collective operations, or the behavior is undefined"
 * (CUDA C++ Programming Guide, Cooperative Groups).
 *
 * ## Example
 * ```cuda bad --block 64
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void k(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     cg::coalesced_group g = cg::coalesced_threads();
 *     if (v > 0)
 *         g = cg::coalesced_threads();
 *     out[threadIdx.x] = g.shfl(v, 0);
 * }
 * ```
 * ```cuda good --block 64
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void k(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     if (v > 0) {
 *         cg::coalesced_group g = cg::coalesced_threads();
 *         out[threadIdx.x] = g.shfl(v, 0);
 *     }
 * }
 * ```
 *
 * ## How to fix
 * Use the group inside of the branch in which it is made; or partition the lanes in front of the branch with
 * `binary_partition()` or `labeled_partition()`, so that every lane gets the group that it belongs to.
 *
 * ## When it stays silent
 * When each way makes a group of its own; when the branch is the same for all lanes of the warp; when the group is used only
 * where it was made.
 *
 * ## References
 * - CUDA C++ Programming Guide, Cooperative Groups, coalesced groups
 */
#include "rules/rule.h"

/* Under the same branch: did the first group's lanes include those that made the second one? */
static bool replaces(const struct cw_fn *fn, const struct cw_uniformity *u, const struct cw_ins *old, const struct cw_ins *made,
                     uint32_t join) {
    return old != made && made->op == CW_OP_GROUP && made->aux == CW_GROUP_COALESCED && old->op == CW_OP_GROUP &&
           old->aux != CW_GROUP_THREAD && cw_cfg_dominates(fn->cfg, old->block, made->block) &&
           cw_cfg_dominates(fn->cfg, old->block, join) && !cw_cfg_dominates(fn->cfg, made->block, join) &&
           u->control_live[made->block] > CW_UNI_WARP && fn->cfg->loop_of[made->block] == fn->cfg->loop_of[join];
}

/* The group that was made in the branch, if `phi` is it or an earlier one; *old: the earlier one. */
static const struct cw_ins *escaped(struct cw_rule_ctx *ctx, const struct cw_ins *phi, const struct cw_ins **old) {
    const struct cw_fn *fn = ctx->fn;
    for (uint32_t k = 0; k < phi->narg; k++)
        for (uint32_t j = 0; j < phi->narg; j++) {
            const struct cw_ins *made = cw_ins_of(fn, cw_arg(fn, phi, k));
            *old = cw_ins_of(fn, cw_arg(fn, phi, j));
            if (made && *old && replaces(fn, ctx->uniformity, *old, made, phi->block))
                return made;
        }
    return NULL;
}

/* Do lanes of one warp part at the place where the group is made? First iteration. */
static bool lanes_part(struct cw_rule_ctx *ctx, uint32_t ins) {
    uint32_t asked = 0, shown = 0;
    for (uint32_t n = 0; n < ctx->launches.n; n++) {
        struct cw_lanes *l = cw_rule_lanes(ctx, n, 0);
        const struct cw_participation *p = l ? cw_participation(l, ins, NULL, ctx->arena) : NULL;
        bool found = p && (p->count[CW_DATA] > 0 || (p->count[CW_ARRIVES] > 0 && p->count[CW_ELSEWHERE] > 0));
        bool counts = ctx->launches.from_facts || cw_launch_threads(&ctx->launches.at[n]) > 32;
        asked += counts;
        shown += counts && found;
    }
    return ctx->launches.from_facts ? shown > 0 : asked > 0 && shown == asked;
}

static void check(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins], *phi = cw_ins_of(ctx->fn, cw_arg(ctx->fn, i, 0)), *old, *made;
    if (!phi || phi->op != CW_OP_PHI || phi->type != CW_GROUP || (made = escaped(ctx, phi, &old)) == NULL)
        return;
    bool definite = lanes_part(ctx, (uint32_t)(made - ctx->fn->ins.at));
    struct cw_finding *f = cw_report(ctx, definite ? CW_DEFINITE : CW_POSSIBLE, ins,
                                     "%s is called by some lanes with a group made in a branch, by others with an earlier one",
                                     cw_call_text(ctx, ins));
    cw_report_divergence(ctx, f, ctx->uniformity->control_branch[made->block]);
    cw_report_note(ctx, f, made->loc, "some lanes take this group along");
    cw_report_note(ctx, f, old->loc, "the others still hold this one, which names all of them");
    cw_report_help(ctx, f, "use the group where it is made, or give every lane its group by binary_partition()");
    cw_report_submit(ctx, f);
}

/* Of several calls of one escaped group, the first is told. */
void cw_rule_escaped_coalesced_group_check(struct cw_rule_ctx *ctx) {
    const struct cw_fn *fn = ctx->fn;
    struct cw_bitset told = cw_bitset_new(ctx->arena, fn->ins.n);
    for (uint32_t k = 0; k < fn->cfg->nrpo && !fn->cfg->is_irreducible; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            const struct cw_ins *i = &fn->ins.at[b->ins.at[j]];
            cw_ref group = (cw_op_flags((enum cw_op)i->op) & CW_OP_C) && i->narg > 0 ? cw_arg(fn, i, 0) : CW_NONE;
            if (group.tag != CW_REF_INS || cw_bitset_has(&told, group.index))
                continue;
            cw_bitset_add(&told, group.index);
            check(ctx, b->ins.at[j]);
        }
    }
}
