/* partial-warp-shuffle: a shuffle reads lanes beyond the end of a block that does not fill its last warp
 *
 * ## What it does
 * For known block sizes that are not a multiple of 32: reports a shuffle whose mask names lanes that the block does not
 * have, when such a lane is read and what came of it is stored, compared or used as an address. One finding per kernel;
 * the other shuffles of a tree are listed in its notes.
 *
 * ## Why it is wrong
 * "If the target thread is inactive, the retrieved value is undefined" (CUDA C++ Programming Guide, warp shuffle
 * functions). The missing lanes of the last warp never existed. Sums may come out right by chance where their registers
 * hold zero; products, minima and maxima do not.
 *
 * ## Example
 * ```cuda bad --block 48
 * __global__ void warp_max(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1)
 *         v = max(v, __shfl_down_sync(0xffffffff, v, d));
 *     if (threadIdx.x % 32 == 0)
 *         out[threadIdx.x / 32] = v;
 * }
 * ```
 * Nothing is taken from where there is no thread:
 * ```cuda good --block 48
 * __global__ void warp_max(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1) {
 *         int other = __shfl_down_sync(0xffffffff, v, d);
 *         if (threadIdx.x + d < blockDim.x)
 *             v = max(v, other);
 *     }
 *     if (threadIdx.x % 32 == 0)
 *         out[threadIdx.x / 32] = v;
 * }
 * ```
 *
 * ## How to fix
 * Launch whole warps and let the surplus lanes carry the neutral element, or start the tree at half the number of lanes
 * that exist, or drop what comes from beyond the end.
 *
 * ## When it stays silent
 * When no launch is known, or every known one fills its warps; when the lanes beyond the end are not read, as in a tree
 * that starts at 8 in a block of 16; when what they gave is dropped. When the mask leaves those lanes out, the finding
 * is inactive-source-lane's.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rules 2.1 and 2.2
 */
#include "rules/rule.h"

#include "kernel/ask/shuffles.h"
#include "rules/report_shuffles.h"

static void report_partial_warp_shuffle(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *fault) {
    uint32_t threads = cw_lanes_count(fault->lanes);
    struct cw_finding *f =
        cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                  "lane %u of warp %u shuffles from lane %u, which does not exist in a block of %u threads",
                  fault->thread % 32, fault->thread / 32, fault->source % 32, threads);
    cw_report_shuffle_fault(ctx, f, fault);
    cw_report_help(ctx, f, "launch a multiple of 32 threads, the surplus ones with the neutral element as their value");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(partial_warp_shuffle) {
    if (!ctx->launches->from_facts)
        return;
    const struct cw_shuffle_faults *faults = cw_kernel_sources_beyond_block(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_partial_warp_shuffle(ctx, &faults->at.at[k]);
}
