/* overlapping-masks: lanes that call a warp collective together pass different masks
 *
 * ## What it does
 * Reports warp collectives at which one lane's mask names another lane that comes to the same call with a different
 * mask.
 *
 * ## Why it is wrong
 * "All non-exited threads named in mask must execute" the same intrinsic "with the same mask, or the result is
 * undefined" (CUDA C++ Programming Guide). The CUDA 13 guide lists `__all_sync(tid == 0 ? 1 : 0xFFFFFFFF, p)` as
 * wrong.
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void prefix_any(int *out, const int *in) {
 *     unsigned lane = threadIdx.x % 32;
 *     unsigned upto = 0xffffffffu >> (31 - lane);
 *     out[threadIdx.x] = __any_sync(upto, in[threadIdx.x] > 0);
 * }
 * ```
 * One mask for all, and each lane looks at its part of the result:
 * ```cuda good --block 64
 * __global__ void prefix_any(int *out, const int *in) {
 *     unsigned lane = threadIdx.x % 32;
 *     unsigned upto = 0xffffffffu >> (31 - lane);
 *     out[threadIdx.x] = (__ballot_sync(0xffffffff, in[threadIdx.x] > 0) & upto) != 0;
 * }
 * ```
 *
 * ## How to fix
 * Pass one mask in all lanes that act together; take the lanes of interest out of the result.
 *
 * ## When it stays silent
 * When different masks share no lane (one mask per half warp, `__match_any_sync()` groups); when a mask cannot be
 * known.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp vote, match, reduce and shuffle functions, `__syncwarp()`
 * - CUDA 13 Programming Guide §5.4.6
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/masks.h"
#include "rules/report_masks.h"
#include "rules/report_names.h"

static bool is_known(const struct cw_mask_fault *fault, uint32_t t) {
    return cw_masks_open_lanes(fault->masks, t) == 0;
}

static const char *mask_of(struct cw_rule_ctx *ctx, const struct cw_mask_fault *fault, uint32_t t) {
    return is_known(fault, t)
               ? cw_arena_printf(ctx->arena, "mask 0x%08x", (unsigned)cw_masks_sure_lanes(fault->masks, t))
               : "a mask of its own";
}

static const char *both_masks(struct cw_rule_ctx *ctx, const struct cw_mask_fault *fault, uint32_t other) {
    if (!is_known(fault, fault->thread) && !is_known(fault, other))
        return " (each lane passes its own)";
    return cw_arena_printf(ctx->arena, ": %s and %s", mask_of(ctx, fault, fault->thread), mask_of(ctx, fault, other));
}

static void report_overlapping_masks(struct cw_rule_ctx *ctx, const struct cw_mask_fault *fault) {
    uint32_t other = (fault->thread & ~31u) + fault->lane;
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                                     "lanes %u and %u execute %s together with different masks%s", fault->thread % 32,
                                     fault->lane, cw_call_text(ctx, fault->ins), both_masks(ctx, fault, other));
    cw_report_mask_fault(ctx, f, fault);
    cw_report_help(ctx, f, "pass the same mask in all participating lanes");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(overlapping_masks) {
    const struct cw_mask_faults *faults = cw_kernel_mask_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].is_mask_different)
            report_overlapping_masks(ctx, &faults->at.at[k]);
}
