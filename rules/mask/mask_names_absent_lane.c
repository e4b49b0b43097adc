/* mask-names-absent-lane: a lane is named in the mask of a warp collective and never comes to the call
 *
 * ## What it does
 * Reports shuffles, votes, matches, `__reduce_*_sync` and `__syncwarp()` whose mask names a lane that runs elsewhere:
 * a full or constant mask under a condition on the lane or on data, a ballot of some other condition, a mask kept from
 * before the branch. One finding per branch; further calls under the same branch, also in its other arm, are listed in
 * its notes. Also reports a collective of CUB that uses the values of lanes that have exited: `WarpReduce(…).Sum(x)`
 * over a whole logical warp, `WarpExchange`, `WarpScan` with an aggregate or above such a lane.
 *
 * ## Why it is wrong
 * "Each calling thread must have its own bit set in the mask and all non-exited threads named in mask must execute a
 * corresponding" call "with the same mask, or the result is undefined" (CUDA C++ Programming Guide). The CUDA 13 guide
 * demands "the same program point": the same shuffle in both arms of one `if` does not count, and gave wrong results
 * in every block of a test on an H200. Neither racecheck nor synccheck reports it.
 *
 * A lane that has exited need not be there for the barrier, but it has no value either: `WarpReduce::Sum(input)`
 * "computes a warp-wide sum in the calling warp", `WarpScan::InclusiveSum(input, output)` "an inclusive prefix sum
 * across the calling warp", and "if the target thread is inactive, the retrieved value is undefined" (CUDA C++
 * Programming Guide, warp shuffle functions).
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void first_of_half(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     if (threadIdx.x % 32 < 16)
 *         v = __shfl_sync(0xffffffff, v, 0);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * The mask names those who call:
 * ```cuda good --block 64
 * __global__ void first_of_half(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     if (threadIdx.x % 32 < 16)
 *         v = __shfl_sync(0x0000ffff, v, 0);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * Where data decides, a ballot before the branch tells who will be there:
 * ```cuda good --block 64
 * __global__ void count_positive(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     unsigned m = __ballot_sync(0xffffffff, v > 0);
 *     if (v > 0)
 *         out[threadIdx.x] = __reduce_add_sync(m, v);
 * }
 * ```
 *
 * ## How to fix
 * Move the call in front of the branch and guard only the use of its result; or make the mask by `__ballot_sync()` of
 * the branch's own condition, in front of the branch; or name exactly the lanes that call. Keep the lanes until CUB's
 * collective is done, or pass a reduction the number of valid items.
 *
 * ## When it stays silent
 * When the missing lanes have exited, but for CUB's collectives that use their values (for an exchange it is possible
 * at most); when the branch is uniform in the warp (`threadIdx.x / 32`, a ballot's result, a broadcast); when the mask
 * is the ballot of the branch's condition or comes from `__activemask()`; for disjoint masks in two arms; for groups
 * (see divergent-group-sync); when mask or condition cannot be known. With `--semantics cuda12` the same call in both
 * arms of one `if` is a warning only, but for architectures below sm_70. Without a known launch it is definite only if
 * every ordinary block of more than one warp shows it; and between two bounds in a structure of the launch, which
 * the host may have made multiples of the warp (`p.first[k] <= i && i <= p.last[k]`), it is possible at most.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp vote, match, reduce and shuffle functions, `__syncwarp()`
 * - CUDA 13 Programming Guide §5.4.6
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/masks.h"
#include "fix/make/masks.h"
#include "rules/report_masks.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_mask_names_absent_lane(struct cw_rule_ctx *ctx, const struct cw_mask_fault *fault) {
    struct cw_vec_u32 calls = {0};
    cw_vec_push(ctx->arena, &calls, fault->ins);
    for (uint32_t k = 0; k < fault->also.n; k++)
        cw_vec_push(ctx->arena, &calls, fault->also.at[k]);
    bool both_arms = fault->partner != UINT32_MAX;
    struct cw_absence absent = cw_absence_of(ctx, fault);
    struct cw_finding *f =
        cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins, "%s of %s names %s, which %s",
                  cw_mask_text(ctx, fault), cw_call_text(ctx, fault->ins), absent.who, absent.what);
    if (both_arms && ctx->semantics == CW_SEMANTICS_CUDA12 && (cw_arch_flags(ctx->arch) & CW_ARCH_ITS))
        cw_report_severity(f, CW_WARNING);
    if (both_arms)
        cw_report_note(
            ctx, f, ctx->fn->ins.at[fault->partner].loc,
            "the other lanes execute the same call here; since CUDA 13 all must execute the same program point");
    cw_report_mask_fault(ctx, f, fault);
    if (fault->is_allotted)
        cw_report_note(ctx, f, 0,
                       "both bounds are in a structure of the launch: whole warps may lie between them");
    if (cw_arg(ctx->fn, &ctx->fn->ins.at[fault->ins], 0).tag == CW_REF_CONST)
        cw_report_any_caller(ctx, f, fault->branch);
    cw_report_help(ctx, f, "call it before the branch, or compute the participation mask there: "
                           "__ballot_sync(full, condition)");
    cw_fix_ballot(ctx, f, calls.at, calls.n, false);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_mask_fault *fault) {
    return fault->is_lane_absent && fault->loop == CW_NO_LOOP && !fault->is_group;
}

CW_RULE_CHECK(mask_names_absent_lane) {
    const struct cw_mask_faults *faults = cw_kernel_mask_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_mask_fault *fault = &faults->at.at[k];
        if (is_mine(fault) && !cw_has_odd_mask(ctx, fault->ins))
            report_mask_names_absent_lane(ctx, fault);
    }
    const struct cw_gone_list *gone = cw_has_uses_of_all(ctx->fn) ? cw_kernel_gone_lanes(ctx->kernel) : NULL;
    for (uint32_t k = 0; gone && k < gone->at.n; k++)
        cw_report_exited_inputs(ctx, &gone->at.at[k]);
}
