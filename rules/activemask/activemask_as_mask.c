/* activemask-as-mask: a collective over `__activemask()` needs lanes that the snapshot may not have caught
 *
 * ## What it does
 * Reports shuffles from fixed lanes (trees, scans, a broadcast of lane 0), and reductions, votes and ballots whose
 * result is stored, when their mask comes from `__activemask()`: the result depends on which lanes were caught. A
 * result that only decides a branch is reported as `possible`. One finding for all calls of a tree.
 *
 * ## Why it is wrong
 * `__activemask()` "only provides an instantaneous snapshot"; lanes are "not guaranteed to remain convergent at
 * subsequent instructions" (CUDA Programming Guide). A lane that is late is not in the mask: its value is missing in
 * the sum, and "if the target thread is inactive, the retrieved value is undefined". On an H200 such a reduction was
 * wrong in every block as soon as the lanes' timing differed; neither racecheck nor synccheck reports it.
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void sum(float *out, const float *in) {
 *     float v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d /= 2)
 *         v += __shfl_down_sync(__activemask(), v, d);
 *     if (threadIdx.x % 32 == 0)
 *         out[threadIdx.x / 32] = v;
 * }
 * ```
 * ```cuda good --block 64
 * __global__ void sum(float *out, const float *in) {
 *     float v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d /= 2)
 *         v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x % 32 == 0)
 *         out[threadIdx.x / 32] = v;
 * }
 * ```
 *
 * ## How to fix
 * Name the lanes that must take part: the full mask where the whole warp comes, else a `__ballot_sync()` of the
 * branch's condition, in front of the branch.
 *
 * ## When it stays silent
 * When any set of lanes will do: leader election, aggregated atomics (the shuffle's source is an elected lane, the sum
 * goes into an atomic), `__match_any_sync()` peers; when the code asks the mask before it relies on a lane; for a mask
 * kept from before a branch (see stale-activemask).
 *
 * ## References
 * - CUDA Programming Guide, warp vote and warp shuffle functions, `__activemask()`
 * - NVIDIA Technical Blog, "Using CUDA Warp-Level Primitives"
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/activemask.h"
#include "fix/make/masks.h"
#include "rules/report_activemask.h"
#include "rules/report_names.h"

static const char *consequence_text(const struct cw_fn *fn, const struct cw_snapshot_fault *fault) {
    switch (fn->ins.at[fault->ins].op) {
    case CW_OP_SHFL: return "a source lane that has not reconverged is not in the mask";
    case CW_OP_SYNCWARP: return "it does not wait for lanes that have not reconverged";
    default: return "lanes that have not reconverged are left out of the result";
    }
}

static void report_activemask_as_mask(struct cw_rule_ctx *ctx, const struct cw_snapshot_fault *fault) {
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                                     "%s with mask __activemask(): %s",
                                     cw_call_text(ctx, fault->ins), consequence_text(ctx->fn, fault));
    cw_report_snapshot(ctx, f, fault);
    cw_report_help(ctx, f,
                   "name the lanes that must participate: the full mask, or a __ballot_sync() before the branch");
    cw_fix_snapshot(ctx, f, fault->snapshot);
    cw_fix_ballot(ctx, f, &fault->snapshot, 1, true);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(activemask_as_mask) {
    const struct cw_snapshots *faults = cw_kernel_mask_uses(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_activemask_as_mask(ctx, &faults->at.at[k]);
}
