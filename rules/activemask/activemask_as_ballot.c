/* activemask-as-ballot: `__activemask()` under a branch is taken for the set of lanes that took the branch
 *
 * ## What it does
 * Reports `__activemask()` in code that only some lanes of a warp come to, when the mask, its count, or a comparison of
 * it is stored as a result. What only decides a branch is reported as `possible`.
 *
 * ## Why it is wrong
 * `__activemask()` "cannot be used to determine which warp lanes execute a given branch"; it "only provides an
 * instantaneous snapshot" (CUDA Programming Guide). Lanes of one branch may come to it one after the other; then each
 * group sees only itself, and the last one's answer stays. With a timing skew between lanes this happens on every run.
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void count_positive(int *count, const int *in) {
 *     if (in[threadIdx.x] > 0)
 *         count[threadIdx.x / 32] = __popc(__activemask());
 * }
 * ```
 * The ballot is asked of all lanes, in front of the branch:
 * ```cuda good --block 64
 * __global__ void count_positive(int *count, const int *in) {
 *     unsigned positive = __ballot_sync(0xffffffff, in[threadIdx.x] > 0);
 *     if (threadIdx.x % 32 == 0)
 *         count[threadIdx.x / 32] = __popc(positive);
 * }
 * ```
 * Each set of lanes that happens to be together may add its own count:
 * ```cuda good --block 64
 * __global__ void count_positive(int *count, const int *in) {
 *     if (in[threadIdx.x] > 0) {
 *         unsigned together = __activemask();
 *         if (threadIdx.x % 32 == __ffs(together) - 1)
 *             atomicAdd(count, __popc(together));
 *     }
 * }
 * ```
 *
 * ## How to fix
 * Take `__ballot_sync(mask, condition)` in front of the branch, called by every lane of `mask`.
 *
 * ## When it stays silent
 * Where the whole warp comes; for leader election and ranks (`__ffs()`, `__popc(m & lanes_below)`); when the count goes
 * into an atomic or a running total, or to a place got by an atomic; when the lanes that come cannot be known.
 *
 * ## References
 * - CUDA Programming Guide, warp vote functions, `__activemask()`
 * - NVIDIA Technical Blog, "Using CUDA Warp-Level Primitives", opportunistic warp-level programming
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/activemask.h"
#include "fix/make/masks.h"
#include "rules/report_activemask.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_activemask_as_ballot(struct cw_rule_ctx *ctx, const struct cw_snapshot_fault *fault) {
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                                     "%s is not a ballot: it returns the lanes that happen to be converged, not all "
                                     "that took the branch", cw_call_text(ctx, fault->ins));
    cw_report_divergence(ctx, f, ctx->uniformity->control_branch[ctx->fn->ins.at[fault->ins].block]);
    cw_report_snapshot(ctx, f, fault);
    cw_report_help(ctx, f, "use __ballot_sync() of the branch's condition before the branch");
    if (!fault->in_both_arms) /* one edit would leave the complement, which rests on convergence as well */
        cw_fix_ballot(ctx, f, &fault->ins, 1, true);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(activemask_as_ballot) {
    const struct cw_snapshots *faults = cw_kernel_ballot_uses(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_activemask_as_ballot(ctx, &faults->at.at[k]);
}
