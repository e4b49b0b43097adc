/* shuffle-tree-to-reduce: five shuffles where one instruction reduces an integer over the warp
 *
 * ## What it does
 * Reports sums, minima, maxima and bitwise combinations of 32-bit integers over all lanes of a warp that are made by a
 * tree of shuffles at the distances 16, 8, 4, 2 and 1, in a loop or written out, when all architectures given by
 * `--arch` are sm_80 or newer. Off by default.
 *
 * ## Why it is wrong
 * It is right, but slow: "`__reduce_sync(mask, value)` functions perform a reduction operation on the data provided in
 * value after synchronizing threads named in mask", for devices of compute capability 8.x or higher (CUDA C++
 * Programming Guide, warp reduce functions). On an H200 `__reduce_add_sync()` took the place of five shuffles and
 * additions 2.4 times as fast.
 *
 * ## Example
 * ```cuda bad --arch sm_80
 * __global__ void sums(int *out, const int *in) {
 *     int v = in[blockIdx.x * 128 + threadIdx.x];
 *     for (int offset = 16; offset > 0; offset /= 2)
 *         v += __shfl_down_sync(0xffffffffu, v, offset);
 *     if (threadIdx.x % 32 == 0)
 *         out[blockIdx.x * 4 + threadIdx.x / 32] = v;
 * }
 * void run(int *out, const int *in) {
 *     sums<<<64, 128>>>(out, in);
 * }
 * ```
 * ```cuda good --arch sm_80
 * __global__ void sums(int *out, const int *in) {
 *     int v = __reduce_add_sync(0xffffffffu, in[blockIdx.x * 128 + threadIdx.x]);
 *     if (threadIdx.x % 32 == 0)
 *         out[blockIdx.x * 4 + threadIdx.x / 32] = v;
 * }
 * void run(int *out, const int *in) {
 *     sums<<<64, 128>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Call the intrinsic that the help line names; with cooperative groups, `cg::reduce()` uses it. All lanes get the
 * result.
 *
 * ## When it stays silent
 * For floats and 64-bit integers, for which there is no such instruction; for scans and trees over a part of the warp;
 * when an architecture below sm_80 is among those given.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp reduce functions
 */
#include "rules/rule.h"

#include "kernel/ask/speed.h"

static void report_shuffle_tree_to_reduce(struct cw_rule_ctx *ctx, const struct cw_reduce_tree *reduce_tree) {
    struct cw_finding *f =
        cw_report(ctx, CW_DEFINITE, reduce_tree->ins,
                  "five shuffles reduce an integer over the warp; one %s() does the same", reduce_tree->name);
    cw_report_textual(f);
    cw_report_help(ctx, f, "write %s(0xffffffffu, value)", reduce_tree->name);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(shuffle_tree_to_reduce) {
    if (ctx->min_arch < 80)
        return;
    const struct cw_reduce_trees *all = cw_kernel_shuffle_reductions(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        report_shuffle_tree_to_reduce(ctx, &all->at.at[k]);
}
