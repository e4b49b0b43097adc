/* stale-activemask: a mask from `__activemask()` is used after lanes have parted
 *
 * ## What it does
 * Reports a collective whose mask was taken by `__activemask()` in front of a branch or loop at which lanes part, and
 * which only some of them come to.
 *
 * ## Why it is wrong
 * The mask names lanes that have gone elsewhere. "All non-exited threads named in mask must execute" the same intrinsic
 * "with the same mask, or the result is undefined"; and `__activemask()` "only provides an instantaneous snapshot"
 * (CUDA Programming Guide).
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void count(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     unsigned here = __activemask();
 *     if (v > 0)
 *         atomicAdd(out, __popc(__match_any_sync(here, v)));
 * }
 * ```
 * The lanes that go on say so before they part:
 * ```cuda good --block 64
 * __global__ void count(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     unsigned positive = __ballot_sync(0xffffffff, v > 0);
 *     if (v > 0)
 *         atomicAdd(out, __popc(__match_any_sync(positive, v)));
 * }
 * ```
 *
 * ## How to fix
 * Make the mask by `__ballot_sync()` of the branch's own condition; in a loop, renew it by a ballot in each iteration.
 *
 * ## When it stays silent
 * When the lanes that part have exited or meet again before the call; when the branch is the same for all lanes caught;
 * when the mask went through other operations, or the condition cannot be known.
 *
 * ## References
 * - CUDA Programming Guide, warp vote functions, `__activemask()`
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/activemask.h"
#include "fix/make/masks.h"
#include "rules/report_activemask.h"
#include "rules/report_names.h"

static void report_stale_activemask(struct cw_rule_ctx *ctx, const struct cw_snapshot_fault *fault) {
    struct cw_vec_u32 calls = {0};
    cw_vec_push(ctx->arena, &calls, fault->ins);
    for (uint32_t k = 0; k < fault->also.n; k++)
        cw_vec_push(ctx->arena, &calls, fault->also.at[k]);
    const char *mask = cw_argument_text(ctx, fault->ins, 0);
    struct cw_finding *f =
        cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                  "%s%s%s of %s was taken before divergence and still names lanes that do not execute it",
                  mask ? "mask '" : "the mask", mask ? mask : "", mask ? "'" : "", cw_call_text(ctx, fault->ins));
    cw_report_snapshot(ctx, f, fault);
    cw_report_help(ctx, f, "compute the mask by __ballot_sync() of the branch's condition before the branch");
    cw_fix_ballot(ctx, f, calls.at, calls.n, true);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(stale_activemask) {
    const struct cw_snapshots *faults = cw_kernel_stale_uses(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_stale_activemask(ctx, &faults->at.at[k]);
}
