/* contended-atomic: every lane of a warp does an atomic on the same address
 *
 * ## What it does
 * Reports atomic additions, minima, maxima and bit operations at which 16 lanes or more of a warp name one place. Off
 * by default.
 *
 * ## Why it is wrong
 * It is right, but slow: atomics on one address are done one after the other. On an H200 a sum of 2^22 floats with one
 * `atomicAdd()` for every thread took 7.36 ms, with one for every warp 0.23 ms (32 times faster), with one for every
 * block 0.030 ms (244 times). Integers are better off: there the compiler lets a warp's lanes add first, and only one
 * atomic for every block instead of every warp gained, 6.8 times. "Warp-aggregated atomics … reduce the number of
 * atomics" (NVIDIA Developer Blog, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics).
 *
 * ## Example
 * ```cuda bad
 * __global__ void total(float *sum, const float *in) {
 *     atomicAdd(sum, in[blockIdx.x * 256 + threadIdx.x]);
 * }
 * void run(float *sum, const float *in) {
 *     total<<<64, 256>>>(sum, in);
 * }
 * ```
 * The lanes add among themselves first, and one of them brings the warp's sum:
 * ```cuda good
 * __global__ void total(float *sum, const float *in) {
 *     float v = in[blockIdx.x * 256 + threadIdx.x];
 *     for (int offset = 16; offset > 0; offset /= 2)
 *         v += __shfl_down_sync(0xffffffffu, v, offset);
 *     if (threadIdx.x % 32 == 0)
 *         atomicAdd(sum, v);
 * }
 * void run(float *sum, const float *in) {
 *     total<<<64, 256>>>(sum, in);
 * }
 * ```
 *
 * ## How to fix
 * Reduce within the warp by shuffles (or `__reduce_add_sync()` for integers from sm_80 on), then within the block
 * through shared memory, and let one thread do the atomic. Where each lane needs its own slot, let one lane reserve all
 * of them and number the lanes with `__popc()` of a ballot. Where lanes name a few different places, group them with
 * `__match_any_sync()`.
 *
 * ## When it stays silent
 * When the lanes name different places, or input data chooses the place; when fewer than 16 lanes of each warp come;
 * for exchanges and compare-and-swap, which cannot be combined; and for the addition of a constant to an integer, which
 * the compiler combines by itself (measured: a filter that reserves its slots so is as fast as one that does it by
 * hand).
 *
 * ## References
 * - NVIDIA Developer Blog, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics
 * - CUDA C++ Programming Guide, atomic functions
 */
#include "rules/rule.h"

#include "kernel/ask/speed.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_contended_atomic(struct cw_rule_ctx *ctx, const struct cw_contention *contention) {
    uint32_t lanes = (uint32_t)__builtin_popcount(contention->lanes);
    const char *name = contention->base.tag == CW_REF_INS ? "one address" : cw_name_of(ctx, contention->base);
    struct cw_finding *f = cw_report(ctx, contention->definite ? CW_DEFINITE : CW_POSSIBLE, contention->ins,
                                     "%s%u lanes of a warp do this atomic on the same address (%s)",
                                     contention->by_data ? "up to " : "", lanes, name);
    cw_report_lanes(ctx, f, contention->evaluator, contention->warp, "atomics", contention->lanes,
                    "lanes that access the same address");
    cw_report_help(ctx, f, "%s",
                   contention->uses_result
                       ? "let one lane reserve the places of all, and number the lanes by a ballot"
                       : "combine the values within the warp, then within the block, and let one thread do the atomic");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(contended_atomic) {
    const struct cw_contentions *all = cw_kernel_contentions(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        if (!all->at.at[k].is_constant)
            report_contended_atomic(ctx, &all->at.at[k]);
}
