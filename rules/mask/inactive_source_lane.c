/* inactive-source-lane: a shuffle reads a lane that does not take part, and the result is used
 *
 * ## What it does
 * Follows each shuffle to the lane it reads. Reports when that lane has returned from the kernel before, or is not in
 * the reader's mask, and what was read goes on to be stored, compared or used as an address by some thread. One finding
 * per early return or per mask; the other shuffles of a tree are listed in its notes. When only a bounds check on a
 * parameter lets lanes return (`if (i >= n) return;`) it is a warning: for an `n` that fills whole warps nothing is
 * missing.
 *
 * ## Why it is wrong
 * "If the target thread is inactive, the retrieved value is undefined" (CUDA C++ Programming Guide, warp shuffle
 * functions). Exited threads are not waited for, so nothing hangs: the sum is simply wrong. A full-mask tree after
 * lanes 20 to 31 had returned gave a wrong result in every one of 20 480 blocks on an H200, without a word from
 * racecheck or synccheck.
 *
 * ## Example
 * ```cuda bad --block 32
 * __global__ void sum20(int *out, const int *in) {
 *     if (threadIdx.x >= 20)
 *         return;
 *     int v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1)
 *         v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x == 0)
 *         *out = v;
 * }
 * ```
 * The surplus lanes stay and carry zero:
 * ```cuda good --block 32
 * __global__ void sum20(int *out, const int *in) {
 *     int v = threadIdx.x < 20 ? in[threadIdx.x] : 0;
 *     for (int d = 16; d > 0; d >>= 1)
 *         v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x == 0)
 *         *out = v;
 * }
 * ```
 *
 * ## How to fix
 * Let every lane of the warp come to the shuffle, those without work with the neutral element (0 for sums, 1 for
 * products, the lowest value for maxima), and put the bounds check around the loads and stores alone.
 *
 * ## When it stays silent
 * When nobody uses what the inactive lanes gave: in a tree whose upper half reads past the mask and whose only reader
 * is lane 0; when a select or branch drops it (`lane + d < n ? other : 0`); when whole warps return; when the source
 * lane is data; when the missing lane is named and runs elsewhere (see mask-names-absent-lane). A sum of which only the
 * mask's first lane makes use, and which reads past the mask, is possible only: it is undefined, but may be harmless.
 * Without a known launch it is definite only if every ordinary block of more than one warp shows it.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions; CUDA 13 Programming Guide §5.4.6
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rules 2.1 and 2.2
 */
#include "rules/rule.h"

#include "kernel/ask/shuffles.h"
#include "rules/report_shuffles.h"

static struct cw_finding *begin_finding(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *fault) {
    enum cw_confidence confidence = fault->definite && !fault->sum_of_first ? CW_DEFINITE : CW_POSSIBLE;
    uint32_t lane = fault->thread % 32, source = fault->source % 32;
    if (fault->kind == CW_SOURCE_UNNAMED)
        return cw_report(ctx, confidence, fault->ins,
                         "lane %u shuffles from lane %u, which is not in its mask; the value is undefined and is used",
                         lane, source);
    return cw_report(ctx, confidence, fault->ins,
                     "lane %u shuffles from lane %u, which %s; the value is undefined and is used", lane, source,
                     fault->by_data || fault->by_bound ? "may have exited" : "has exited");
}

static void report_inactive_source_lane(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *fault) {
    struct cw_finding *f = begin_finding(ctx, fault);
    if (fault->kind == CW_SOURCE_EXITED && fault->by_bound)
        cw_report_severity(f, CW_WARNING);
    cw_report_shuffle_fault(ctx, f, fault);
    cw_report_help(ctx, f, "%s",
                   fault->kind == CW_SOURCE_UNNAMED
                       ? "name the lanes that are read, and let them participate with the neutral element"
                       : "keep the lanes until the shuffle is done, with the neutral element as their value");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(inactive_source_lane) {
    const struct cw_shuffle_faults *faults = cw_kernel_inactive_sources(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_inactive_source_lane(ctx, &faults->at.at[k]);
}
