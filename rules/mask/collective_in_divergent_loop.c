/* collective-in-divergent-loop: a warp collective in a loop that its lanes leave at different times
 *
 * ## What it does
 * Reports warp collectives with a mask that stays the same from round to round, in a loop whose number of rounds
 * differs between lanes, or behind a `break` or `continue` that only some lanes take. One finding per loop and cause.
 *
 * ## Why it is wrong
 * "All non-exited threads named in mask must execute a corresponding" call "with the same mask, or the result is
 * undefined" (CUDA C++ Programming Guide). Lanes that have left the loop are named in the mask still, and do not come:
 * in the last rounds shuffles give undefined values, and the warp may hang.
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void sum_rows(float *out, const float *in, int n) {
 *     float total = 0;
 *     for (int i = threadIdx.x; i < n; i += 64) {
 *         float v = in[i];
 *         for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
 *         total += v;
 *     }
 *     out[threadIdx.x] = total;
 * }
 * ```
 * All lanes go round equally often, surplus ones with a neutral value:
 * ```cuda good --block 64
 * __global__ void sum_rows(float *out, const float *in, int n) {
 *     float total = 0;
 *     for (int base = 0; base < n; base += 64) {
 *         int i = base + threadIdx.x;
 *         float v = i < n ? in[i] : 0;
 *         for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
 *         total += v;
 *     }
 *     out[threadIdx.x] = total;
 * }
 * ```
 *
 * ## How to fix
 * Round the bound up to one that all lanes share and guard the work inside; or make the mask anew in each round, by
 * `__ballot_sync()` over the mask of the round before.
 *
 * ## When it stays silent
 * When all lanes of each warp go round equally often; when lanes that are missing have exited; when the mask is made
 * by a ballot in the same round; when the number of rounds cannot be known.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp vote, match, reduce and shuffle functions, `__syncwarp()`
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rules 2.1 and 2.3
 */
#include "rules/rule.h"

#include "kernel/ask/masks.h"
#include "rules/report_masks.h"
#include "rules/report_names.h"

static void report_collective_in_divergent_loop(struct cw_rule_ctx *ctx, const struct cw_mask_fault *fault) {
    struct cw_absence absent = cw_absence_of(ctx, fault);
    struct cw_finding *f =
        cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                  "%s in a loop with a divergent trip count: %s names %s, which %s", cw_call_text(ctx, fault->ins),
                  cw_mask_text(ctx, fault), absent.who, absent.what);
    cw_report_mask_fault(ctx, f, fault);
    cw_report_help(ctx, f, "make the trip count warp-uniform and guard the work inside the loop");
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_mask_fault *fault) {
    return fault->is_lane_absent && fault->loop != CW_NO_LOOP && !fault->is_group;
}

CW_RULE_CHECK(collective_in_divergent_loop) {
    const struct cw_mask_faults *faults = cw_kernel_mask_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (is_mine(&faults->at.at[k]))
            report_collective_in_divergent_loop(ctx, &faults->at.at[k]);
}
