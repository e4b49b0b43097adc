/* lock-without-fence: a lock is taken with no fence before the data that it protects
 *
 * ## What it does
 * Reports accesses in a critical section with no fence between the atomic that takes the lock and the access.
 *
 * ## Why it is wrong
 * The atomics of the CUDA C++ API are relaxed: they order nothing else. Without an acquire pattern (a fence after the
 * lock is taken, PTX ISA) the access may be performed before the lock is held.
 *
 * ## Example
 * ```cuda bad
 * __device__ int mutex;
 *
 * __global__ void add(volatile int *total) {
 *     while (atomicCAS(&mutex, 0, 1) != 0) {}
 *     *total += blockIdx.x + 1;
 *     __threadfence();
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
 * Call `__threadfence()` (`__threadfence_block()` if all threads that take the lock are in one block) where the
 * lock has been taken, or use `cuda::binary_semaphore` or `cuda::atomic_ref`.
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

static void report_lock_without_fence(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *message =
        cw_arena_printf(ctx->arena, "no fence after %s, which takes the lock: %s",
                        cw_ins_text(ctx, fault->culprit, "the atomic"), cw_block_fault_text(ctx, fault));
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "insert __threadfence() where the lock has been taken");
    if (fault->culprit != UINT32_MAX)
        cw_fix_fence_after_loop(ctx, f, fault->culprit);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(lock_without_fence) {
    const struct cw_block_faults *faults = cw_kernel_block_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_LOCK_FENCE)
            report_lock_without_fence(ctx, &faults->at.at[k]);
}
