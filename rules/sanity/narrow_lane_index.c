/* narrow-lane-index: threadIdx.x % 32 taken for the lane in a block where it is not
 *
 * ## What it does
 * Reports `threadIdx.x % 32` (or `& 31`) used as a lane: as the source of a shuffle, in a mask, or to choose the leader
 * of a warp after a warp-wide collective, in a kernel whose known launch has rows of threads that are not whole warps.
 *
 * ## Why it is wrong
 * Warps are cut from the linear thread index, `x + y * Dx + z * Dx * Dy` (CUDA C++ Programming Guide, thread
 * hierarchy). In a block of 16 by 16 threads `threadIdx.x % 32` is 0 in lanes 0 and 16 of every warp and never above
 * 15: shuffles read the wrong lane and two threads take themselves for the leader.
 *
 * ## Example
 * ```cuda bad
 * __global__ void rows(float *out, const float *in) {
 *     int t = threadIdx.y * blockDim.x + threadIdx.x;
 *     float v = in[t];
 *     for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x % 32 == 0) atomicAdd(out, v);
 * }
 * void go(float *out, const float *in) { rows<<<1, dim3(16, 16)>>>(out, in); }
 * ```
 * ```cuda good
 * __global__ void rows(float *out, const float *in) {
 *     int t = threadIdx.y * blockDim.x + threadIdx.x;
 *     float v = in[t];
 *     for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
 *     if (t % 32 == 0) atomicAdd(out, v);
 * }
 * void go(float *out, const float *in) { rows<<<1, dim3(16, 16)>>>(out, in); }
 * ```
 *
 * ## How to fix
 * Take the remainder of the linear thread index, read `%laneid`, or ask `cg::tiled_partition<32>(block).thread_rank()`.
 *
 * ## When it stays silent
 * When no launch is known, when rows are whole warps, when shuffles work on segments narrower than a warp, and where
 * the value is an ordinary index and not a lane.
 *
 * ## References
 * - CUDA C++ Programming Guide, thread hierarchy; warp shuffle functions
 */
#include "rules/rule.h"

#include "kernel/ask/masks.h"
#include "fix/make/slips.h"
#include "rules/report_witness.h"

static void report_narrow_lane_index(struct cw_rule_ctx *ctx, const struct cw_narrow_index *narrow_index) {
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, narrow_index->ins,
                                     "threadIdx.x %% 32 is not the lane ID in this block shape: it is %d in lane %u",
                                     (int)narrow_index->value, narrow_index->lane);
    cw_report_note(ctx, f, ctx->fn->ins.at[narrow_index->use].loc, "this warp-wide operation uses it as a lane ID");
    cw_report_launch(ctx, f, narrow_index->lanes);
    cw_report_help(ctx, f, "take the remainder of the linear thread index x + y * blockDim.x + ...");
    cw_fix_narrow_index(ctx, f, narrow_index->ins);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(narrow_lane_index) {
    const struct cw_narrow_indices *found = cw_kernel_narrow_indices(ctx->kernel);
    for (uint32_t k = 0; k < found->at.n; k++)
        report_narrow_lane_index(ctx, &found->at.at[k]);
}
