/* escaped-coalesced-group: a coalesced group made in a branch is used behind it, in place of an earlier one
 *
 * ## What it does
 * Reports a sync or collective of a group variable which some lanes have assigned anew, by `coalesced_threads()` under
 * a condition that parts lanes, while the others still hold the group from before the branch.
 *
 * ## Why it is wrong
 * The group from before names all lanes, the new one only those of the branch. Those who hold the old one wait for
 * members that call with another group: "all threads in the group must participate in collective operations, or the
 * behavior is undefined" (CUDA C++ Programming Guide, Cooperative Groups).
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
 * When each way makes a group of its own; when the branch is the same for all lanes of the warp; when the group is used
 * only where it was made.
 *
 * ## References
 * - CUDA C++ Programming Guide, Cooperative Groups, coalesced groups
 */
#include "rules/rule.h"

#include "kernel/ask/groups.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_escaped_coalesced_group(struct cw_rule_ctx *ctx, const struct cw_escaped_group *group) {
    const struct cw_ins *made = &ctx->fn->ins.at[group->made], *earlier = &ctx->fn->ins.at[group->earlier];
    struct cw_finding *f =
        cw_report(ctx, group->definite ? CW_DEFINITE : CW_POSSIBLE, group->ins,
                  "%s: some lanes hold a group created in a branch, others the group from before it",
                  cw_call_text(ctx, group->ins));
    cw_report_divergence(ctx, f, ctx->uniformity->control_branch[made->block]);
    cw_report_note(ctx, f, made->loc, "some lanes keep this group");
    cw_report_note(ctx, f, earlier->loc, "the others still hold this one, which has all of them as members");
    cw_report_help(ctx, f, "use the group where it is created, or give every lane its group by binary_partition()");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(escaped_coalesced_group) {
    const struct cw_escaped_groups *groups = cw_kernel_escaped_groups(ctx->kernel);
    for (uint32_t k = 0; k < groups->at.n; k++)
        report_escaped_coalesced_group(ctx, &groups->at.at[k]);
}
