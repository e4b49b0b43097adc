/* group-created-in-divergent-code: a cooperative group is made where some of its threads do not come
 *
 * ## What it does
 * Reports `this_thread_block()`, `this_grid()`, `this_cluster()`, and partitions of them, under a condition that parts
 * the lanes of a warp; as `possible` where only whole warps or whole tiles part. A group made from one that is reported
 * is not told again, nor one whose barrier or collective is reported by another rule.
 *
 * ## Why it is wrong
 * "Creating a handle for an implicit group is a collective operation; all threads in the group must participate. If the
 * group was created in a conditional branch that not all threads reach, this can lead to deadlocks or data corruption"
 * (CUDA C++ Programming Guide, Cooperative Groups). The same holds for partitions, which are collective over their
 * parent.
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
 * For `coalesced_threads()` and its partitions; when the other threads have exited; when the condition is uniform or
 * unknown; for `this_thread_block()`, `this_grid()` and `this_cluster()` that all threads have called before
 * (`i += cg::this_grid().size()` in a loop that begins with `cg::this_grid().thread_rank()`).
 *
 * ## References
 * - CUDA C++ Programming Guide, Cooperative Groups, implicit groups and explicit partitions
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "kernel/ask/groups.h"
#include "kernel/ask/masks.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

/* Is a barrier or collective reported that stands where the group was made? */
static bool is_told(struct cw_rule_ctx *ctx, const struct cw_ins *ins) {
    const struct cw_mask_faults *faults = cw_kernel_mask_faults(ctx->kernel);
    const struct cw_splits *splits = cw_kernel_splits(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].is_group &&
            cw_cfg_dominates(ctx->fn->cfg, ins->block, ctx->fn->ins.at[faults->at.at[k].ins].block))
            return true;
    for (uint32_t k = 0; k < splits->at.n; k++)
        if (cw_cfg_dominates(ctx->fn->cfg, ins->block, ctx->fn->ins.at[splits->at.at[k].ins].block))
            return true;
    return false;
}

static void report_group(struct cw_rule_ctx *ctx, const struct cw_parted_group *parted_group) {
    struct cw_finding *f = cw_report(ctx, parted_group->definite ? CW_DEFINITE : CW_POSSIBLE, parted_group->ins,
                                     "%s is created in divergent code: some of its threads never reach it",
                                     cw_call_text(ctx, parted_group->ins));
    cw_report_divergence(ctx, f, ctx->uniformity->control_branch[ctx->fn->ins.at[parted_group->ins].block]);
    if (parted_group->lanes != NULL) {
        cw_report_launch(ctx, f, parted_group->lanes);
        cw_report_participation(ctx, f, parted_group->lanes, parted_group->at, parted_group->warp);
    }
    cw_report_help(ctx, f, "create the group at the start of the kernel, which all threads reach, and pass it on");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(group_created_in_divergent_code) {
    const struct cw_parted_groups *groups = cw_kernel_parted_groups(ctx->kernel);
    for (uint32_t k = 0; k < groups->at.n; k++)
        if (!is_told(ctx, &ctx->fn->ins.at[groups->at.at[k].ins]))
            report_group(ctx, &groups->at.at[k]);
}
