/* signal-before-barrier: one thread announces the block's data before a barrier has ordered the other threads' stores
 *
 * ## What it does
 * Reports a ticket, flag or counter that one thread of a block updates for all of them, when other threads of the block
 * have stored data before and no block barrier stands between their stores and the announcement.
 *
 * ## Why it is wrong
 * A fence orders the accesses of its own thread only: "Memory fence functions only affect the ordering of memory
 * operations by a thread" (CUDA C++ Programming Guide). The thread that announces may be far ahead of the others, and
 * the block that sees the announcement reads what they have not stored yet.
 *
 * ## Example
 * ```cuda bad
 * __global__ void sum(const int *in, int *part, int *out, unsigned *ticket) {
 *     __shared__ bool last;
 *     int t = threadIdx.x;
 *     part[blockIdx.x * 128 + t] = in[blockIdx.x * 128 + t];
 *     __threadfence();
 *     if (t == 0)
 *         last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
 *     __syncthreads();
 *     if (last)
 *         for (unsigned b = 0; b < gridDim.x; b++)
 *             out[t] += part[b * 128 + 127 - t];
 * }
 *
 * void run(const int *in, int *part, int *out, unsigned *ticket) {
 *     sum<<<8, 128>>>(in, part, out, ticket);
 * }
 * ```
 * ```cuda good
 * __global__ void sum(const int *in, int *part, int *out, unsigned *ticket) {
 *     __shared__ bool last;
 *     int t = threadIdx.x;
 *     part[blockIdx.x * 128 + t] = in[blockIdx.x * 128 + t];
 *     __threadfence();
 *     __syncthreads();
 *     if (t == 0)
 *         last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
 *     __syncthreads();
 *     if (last)
 *         for (unsigned b = 0; b < gridDim.x; b++)
 *             out[t] += part[b * 128 + 127 - t];
 * }
 *
 * void run(const int *in, int *part, int *out, unsigned *ticket) {
 *     sum<<<8, 128>>>(in, part, out, ticket);
 * }
 * ```
 *
 * ## How to fix
 * Put a `__syncthreads()` between the stores and the announcement, or let each thread announce its own data.
 *
 * ## When it stays silent
 * When the announcing thread wrote all of the data, or when a barrier may stand between.
 *
 * ## References
 * - PTX ISA, memory consistency model: scope, release and acquire patterns
 * - CUDA C++ Programming Guide, memory fence functions
 */
#include "rules/rule.h"

#include "fix/make/insert_fence.h"
#include "kernel/ask/blocks.h"
#include "rules/report_blocks.h"
#include "rules/report_names.h"

static void report_signal_before_barrier(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *message =
        cw_arena_printf(ctx->arena, "%s announces data that other threads of the block may not have stored yet: %s",
                        cw_ins_text(ctx, fault->culprit, "this signal"), cw_block_fault_text(ctx, fault));
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "insert __syncthreads() before the announcement");
    if (fault->culprit != UINT32_MAX)
        cw_fix_collective_before(ctx, f, fault->culprit, CW_UNI_BLOCK, "__syncthreads();", "__syncthreads()");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(signal_before_barrier) {
    const struct cw_block_faults *faults = cw_kernel_block_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_EARLY_SIGNAL)
            report_signal_before_barrier(ctx, &faults->at.at[k]);
}
