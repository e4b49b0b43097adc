/* redundant-barrier: a block barrier that orders nothing
 *
 * ## What it does
 * Reports `__syncthreads()` and `block.sync()` that could go: between the barrier before it and the one behind it,
 * around loops as well, no two threads touch the same bytes with one of them writing. All barriers that are reported in
 * one kernel can go together. Off by default.
 *
 * ## Why it is wrong
 * It is right, but slow: all warps of the block wait for the last one, "`__syncthreads()` can impact performance by
 * forcing the multiprocessor to idle" (CUDA C++ Programming Guide, synchronization functions). On an H200 a stencil
 * with two barriers for each step where one would do took 1.23 times as long in blocks of 128, 1.14 times in blocks of
 * 256 and 1.42 times in blocks of 1024.
 *
 * ## Example
 * Two buffers take turns, so that one barrier for each step is enough:
 * ```cuda bad
 * __global__ void smooth(float *out, const float *in) {
 *     __shared__ float now[256], next[256];
 *     int t = threadIdx.x;
 *     now[t] = in[t];
 *     __syncthreads();
 *     next[t] = 0.5f * (now[t] + now[(t + 1) % 256]);
 *     __syncthreads();
 *     __syncthreads();
 *     out[t] = next[(t + 1) % 256];
 * }
 * void run(float *out, const float *in) {
 *     smooth<<<1, 256>>>(out, in);
 * }
 * ```
 * ```cuda good
 * __global__ void smooth(float *out, const float *in) {
 *     __shared__ float now[256], next[256];
 *     int t = threadIdx.x;
 *     now[t] = in[t];
 *     __syncthreads();
 *     next[t] = 0.5f * (now[t] + now[(t + 1) % 256]);
 *     __syncthreads();
 *     out[t] = next[(t + 1) % 256];
 * }
 * void run(float *out, const float *in) {
 *     smooth<<<1, 256>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Remove it. Keep it, with a comment, where it is there for something that is no memory access, such as keeping the
 * warps in step for a cache.
 *
 * ## When it stays silent
 * Whenever it cannot be proved: an address that depends on input or parameters, loops whose number of iterations is not
 * known, code that is not seen, fences, volatile and asynchronous accesses, named barriers, clocks, atomics that may
 * tell other blocks of what was written, two pointers without `__restrict__` that may lead to one array; in device
 * functions without their kernel; and for barriers whose result is used. Possible only, where the line belongs to
 * several kernels: a template's instantiations, a function that is called more than once.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"
#include "rules/report_uses.h"
#include "rules/report_witness.h"

static void report_redundant_barrier(struct cw_rule_ctx *ctx, const struct cw_spare_barrier *barrier) {
    struct cw_finding *f = cw_report(ctx, cw_rule_for_all_uses(ctx, barrier->ins), barrier->ins,
                                     "%s is redundant: no thread depends on another's accesses across it",
                                     cw_call_text(ctx, barrier->ins));
    cw_report_shape(ctx, f, cw_kernel_lanes(ctx->kernel, barrier->launch, 0));
    cw_report_help(ctx, f, "remove it");
    cw_report_submit(ctx, f);
}

static void check_kernel(struct cw_rule_ctx *ctx) {
    const struct cw_spare_barriers *all = cw_kernel_spare_barriers(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        if (!all->at.at[k].orders_warps)
            report_redundant_barrier(ctx, &all->at.at[k]);
}

CW_RULE_HOOKS(redundant_barrier, .kernel = check_kernel, .tag = CW_TAG_UNNECESSARY);
