/* divergent-group-sync: some members of a cooperative group never come to its sync or collective
 *
 * ## What it does
 * Reports `sync()`, shuffles, votes, `reduce()` and scans of a tile, a coalesced group or a partition when a member of
 * the group that is still running takes another way: a branch on the lane or on data, a loop that the members leave at
 * different times. One finding per branch.
 *
 * ## Why it is wrong
 * "All threads in the group must participate in collective operations, or the behavior is undefined" (CUDA C++
 * Programming Guide, Cooperative Groups). A tile's mask is fixed when the tile is made: it names the lanes that do not
 * come, and the call hangs, or takes what they left in their registers.
 *
 * ## Example
 * ```cuda bad --block 64
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void first_half(int *out, const int *in) {
 *     auto warp = cg::tiled_partition<32>(cg::this_thread_block());
 *     int v = in[threadIdx.x];
 *     if (warp.thread_rank() < 16)
 *         v = warp.shfl_down(v, 1);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * ```cuda good --block 64
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void first_half(int *out, const int *in) {
 *     auto half = cg::tiled_partition<16>(cg::this_thread_block());
 *     int v = in[threadIdx.x];
 *     if (half.meta_group_rank() % 2 == 0)
 *         v = half.shfl_down(v, 1);
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Let all members call it and guard only the use of the result; or use a group of exactly those that come: a smaller
 * tile, `binary_partition()` by the branch's condition, `coalesced_threads()` inside of the branch where any set of
 * lanes will do.
 *
 * ## When it stays silent
 * When the branch is the same for all members (`meta_group_rank()`, a vote of the group); when the others have exited;
 * when the condition or the group cannot be known. Block-wide groups are left to divergent-barrier.
 *
 * ## References
 * - CUDA C++ Programming Guide, Cooperative Groups, group collectives and synchronization
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/masks.h"
#include "rules/report_masks.h"
#include "rules/report_names.h"

static void report_divergent_group_sync(struct cw_rule_ctx *ctx, const struct cw_mask_fault *fault) {
    struct cw_absence absent = cw_absence_of(ctx, fault);
    struct cw_finding *f =
        cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                  "%s in divergent code: members of its group are missing: %s %s", cw_call_text(ctx, fault->ins),
                  absent.who, absent.what);
    cw_report_mask_fault(ctx, f, fault);
    cw_report_help(ctx, f, "call it outside of the branch, or use a group of exactly the threads that reach it");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(divergent_group_sync) {
    const struct cw_mask_faults *faults = cw_kernel_mask_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_mask_fault *fault = &faults->at.at[k];
        if (fault->is_group && fault->is_lane_absent)
            report_divergent_group_sync(ctx, fault);
    }
}
