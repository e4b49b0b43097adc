/* plain-spin: a loop polls device memory by an ordinary load, which the compiler may do once
 *
 * ## What it does
 * Reports loops that end only when an ordinary load of one unchanging place returns another value, which another thread
 * writes while the loop runs, where nothing in the loop makes the compiler load again.
 *
 * ## Why it is wrong
 * "The compiler is free to optimize reads and writes to global or shared memory (for example, by caching global reads
 * into registers or L1 cache) as long as it respects the memory ordering semantics of memory fence functions and memory
 * visibility semantics of synchronization functions" (CUDA C++ Programming Guide, volatile qualifier). It may load
 * once, before the loop, which then never ends. Besides, the two accesses are a data race (PTX ISA, memory consistency
 * model).
 *
 * ## Example
 * ```cuda bad
 * __global__ void wait(int *flag) {
 *     if (blockIdx.x == 0)
 *         atomicExch(flag, 1);
 *     else
 *         while (*flag == 0) {}
 * }
 *
 * void run(int *flag) {
 *     wait<<<2, 1>>>(flag);
 * }
 * ```
 * ```cuda good
 * __global__ void wait(int *flag) {
 *     if (blockIdx.x == 0)
 *         atomicExch(flag, 1);
 *     else
 *         while (*(volatile int *)flag == 0) {}
 * }
 *
 * void run(int *flag) {
 *     wait<<<2, 1>>>(flag);
 * }
 * ```
 *
 * ## How to fix
 * Poll with an atomic (`cuda::atomic_ref`, `atomicAdd(flag, 0)`) or a volatile load, and call `__threadfence()` before
 * data that the flag announces is used.
 *
 * ## When it stays silent
 * When the loop holds a fence, a barrier, an atomic, a store or a call; when its address or other values change in it;
 * when no thread of the kernel writes what it polls.
 *
 * ## References
 * - CUDA C++ Programming Guide, volatile qualifier
 * - PTX ISA, memory consistency model: data races
 */
#include "rules/rule.h"

#include "fix/make/insert_fence.h"
#include "kernel/ask/blocks.h"
#include "rules/report_blocks.h"
#include "rules/report_names.h"

static void report_plain_spin(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *message =
        cw_arena_printf(ctx->arena, "the loop polls %s by an ordinary load, which the compiler may do once: %s",
                        cw_ins_text(ctx, fault->culprit, "a flag"), cw_block_fault_text(ctx, fault));
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "poll with an atomic or a volatile load");
    if (fault->culprit != UINT32_MAX)
        cw_fix_poll(ctx, f, fault->culprit);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(plain_spin) {
    const struct cw_block_faults *faults = cw_kernel_block_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_PLAIN_SPIN)
            report_plain_spin(ctx, &faults->at.at[k]);
}
