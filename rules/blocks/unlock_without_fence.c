/* unlock-without-fence: a lock is released with no fence after the data that it protects
 *
 * ## What it does
 * Reports accesses in a critical section with no fence between the access and the atomic or store that releases the
 * lock.
 *
 * ## Why it is wrong
 * The next owner may see the lock free before it sees the data: a release needs a fence before it (PTX ISA, release
 * patterns). "Memory fence functions only affect the ordering of memory operations by a thread" (CUDA C++ Programming
 * Guide), so the fence of the next owner does not help.
 *
 * ## Example
 * ```cuda bad
 * __device__ int mutex;
 *
 * __global__ void add(volatile int *total) {
 *     while (atomicCAS(&mutex, 0, 1) != 0) {}
 *     __threadfence();
 *     *total += blockIdx.x + 1;
 *     atomicExch(&mutex, 0);
 * }
 *
 * void run(int *total) {
 *     add<<<8, 1>>>(total);
 * }
 * ```
 * ```cuda good
 * __device__ int mutex;
 *
 * __global__ void add(volatile int *total) {
 *     while (atomicCAS(&mutex, 0, 1) != 0) {}
 *     __threadfence();
 *     *total += blockIdx.x + 1;
 *     __threadfence();
 *     atomicExch(&mutex, 0);
 * }
 *
 * void run(int *total) {
 *     add<<<8, 1>>>(total);
 * }
 * ```
 *
 * ## How to fix
 * Call `__threadfence()` (`__threadfence_block()` within a block) right before the lock is released.
 *
 * ## When it stays silent
 * When a fence stands between, or when the lock is an operation of libcu++.
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

static void report_unlock_without_fence(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *message =
        cw_arena_printf(ctx->arena, "no fence before %s, which releases the lock: %s",
                        cw_ins_text(ctx, fault->culprit, "the store"), cw_block_fault_text(ctx, fault));
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "insert __threadfence() before the lock is released");
    if (fault->culprit != UINT32_MAX)
        cw_fix_fence_before(ctx, f, fault->culprit);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(unlock_without_fence) {
    const struct cw_block_faults *faults = cw_kernel_block_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_UNLOCK_FENCE)
            report_unlock_without_fence(ctx, &faults->at.at[k]);
}
