/* shared-tail-to-shuffle: the last steps of a block's reduction tree go through shared memory and block barriers
 *
 * ## What it does
 * Reports loops in which threads combine their own element of a shared array with one farther on, at distances that end
 * with 16, 8, 4, 2 and 1, with a block barrier in each step: in the last five steps only lanes of one warp exchange
 * values. Off by default.
 *
 * ## Why it is wrong
 * It is right, but slow: "the `__shfl_sync()` intrinsics permit exchanging of a variable between threads within a warp
 * without use of shared memory" (CUDA C++ Programming Guide, warp shuffle functions), and five barriers of the whole
 * block go with the memory. On an H200 the sums of blocks of 256 were 2.0 times as fast with the last 32 values added
 * by shuffles, those of blocks of 1024 1.6 times; with shuffles in every warp first, and once more over the warps'
 * sums, 2.3 and 2.8 times.
 *
 * ## Example
 * ```cuda bad
 * __global__ void block_sum(float *out, const float *in) {
 *     __shared__ float part[256];
 *     unsigned t = threadIdx.x;
 *     part[t] = in[blockIdx.x * 256 + t];
 *     __syncthreads();
 *     for (unsigned stride = 128; stride > 0; stride /= 2) {
 *         if (t < stride)
 *             part[t] += part[t + stride];
 *         __syncthreads();
 *     }
 *     if (t == 0)
 *         out[blockIdx.x] = part[0];
 * }
 * void run(float *out, const float *in) {
 *     block_sum<<<64, 256>>>(out, in);
 * }
 * ```
 * ```cuda good
 * __global__ void block_sum(float *out, const float *in) {
 *     __shared__ float part[256];
 *     unsigned t = threadIdx.x;
 *     part[t] = in[blockIdx.x * 256 + t];
 *     __syncthreads();
 *     for (unsigned stride = 128; stride >= 32; stride /= 2) {
 *         if (t < stride)
 *             part[t] += part[t + stride];
 *         __syncthreads();
 *     }
 *     if (t < 32) {
 *         float v = part[t];
 *         for (int offset = 16; offset > 0; offset /= 2)
 *             v += __shfl_down_sync(0xffffffffu, v, offset);
 *         if (t == 0)
 *             out[blockIdx.x] = v;
 *     }
 * }
 * void run(float *out, const float *in) {
 *     block_sum<<<64, 256>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * End the loop at 32 elements and let the first warp add them by shuffles; or reduce within every warp by shuffles
 * first and share only the warps' sums. Libraries have both: `cub::BlockReduce`, `cg::reduce()`.
 *
 * ## When it stays silent
 * For trees that end at a warp already; in blocks of one warp; for trees that are written out step by step, and for
 * scans, where every thread goes on to the end. When the number of steps or an address is not known.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions
 * - NVIDIA Developer Blog, Faster Parallel Reductions on Kepler
 */
#include "rules/rule.h"

#include "kernel/ask/speed.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_shared_tail_to_shuffle(struct cw_rule_ctx *ctx, const struct cw_reduce_tree *reduce_tree) {
    struct cw_finding *f = cw_report(
        ctx, reduce_tree->definite ? CW_DEFINITE : CW_POSSIBLE, reduce_tree->ins,
        "the last five steps of this reduction involve one warp only, but use shared memory ('%s') and block barriers",
        cw_name_of(ctx, cw_ref_of(CW_REF_OBJECT, reduce_tree->object)));
    cw_report_label(ctx, f, ctx->fn->ins.at[reduce_tree->barrier].loc, "all warps wait here in each of them");
    cw_report_shape(ctx, f, reduce_tree->evaluator);
    cw_report_help(ctx, f, "stop the loop at 32 elements and reduce those by shuffles");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(shared_tail_to_shuffle) {
    const struct cw_reduce_trees *all = cw_kernel_shared_tails(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        report_shared_tail_to_shuffle(ctx, &all->at.at[k]);
}
