/* missing-fence: data and then a flag are written with no fence between
 *
 * ## What it does
 * Reports data that one thread writes before it sets a flag, draws a ticket or bumps a counter, and that another thread
 * uses after it has seen that, when the writer has no fence between the data and the signal. A reader that has polled
 * the flag and loads the data by an ordinary load, with neither a fence nor a barrier in between, is reported as
 * possible.
 *
 * ## Why it is wrong
 * "The CUDA programming model assumes a device with a weakly-ordered memory model" (CUDA C++ Programming Guide, memory
 * fence functions): another thread may see the flag before the data. A release needs a fence before the signal (PTX
 * ISA, release patterns), and an acquire one after the load that has seen it. Atomics of the CUDA C++ API are relaxed.
 *
 * ## Example
 * ```cuda bad
 * __global__ void pass(int *data, int *flag, int *out) {
 *     if (blockIdx.x == 0) {
 *         *data = 42;
 *         atomicExch(flag, 1);
 *     } else {
 *         while (atomicAdd(flag, 0) == 0) {}
 *         *out = *(volatile int *)data;
 *     }
 * }
 *
 * void run(int *data, int *flag, int *out) {
 *     pass<<<2, 1>>>(data, flag, out);
 * }
 * ```
 * ```cuda good
 * __global__ void pass(int *data, int *flag, int *out) {
 *     if (blockIdx.x == 0) {
 *         *data = 42;
 *         __threadfence();
 *         atomicExch(flag, 1);
 *     } else {
 *         while (atomicAdd(flag, 0) == 0) {}
 *         *out = *(volatile int *)data;
 *     }
 * }
 *
 * void run(int *data, int *flag, int *out) {
 *     pass<<<2, 1>>>(data, flag, out);
 * }
 * ```
 *
 * ## How to fix
 * Call `__threadfence()` (`__threadfence_block()` within a block) between the data and the signal, or signal with a
 * release: `cuda::atomic_ref`, `st.release`.
 *
 * ## When it stays silent
 * When a fence or a release may stand between, and for operations of libcu++, which are ordered by default.
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

static void report_missing_fence(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *message =
        cw_arena_printf(ctx->arena, "no fence between the data and %s, which announces it: %s",
                        cw_ins_text(ctx, fault->culprit, "the signal"), cw_block_fault_text(ctx, fault));
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "insert __threadfence() between the data and the signal");
    if (fault->culprit != UINT32_MAX)
        cw_fix_fence_before(ctx, f, fault->culprit);
    cw_report_submit(ctx, f);
}

static void report_missing_acquire(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *message =
        cw_arena_printf(ctx->arena, "no fence between the loop that waits for a flag and the ordinary load of %s: %s",
                        cw_ins_text(ctx, fault->culprit, "the data"), cw_block_fault_text(ctx, fault));
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "insert __threadfence() after the loop that polls the flag");
    cw_fix_fence_before(ctx, f, fault->culprit);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(missing_fence) {
    const struct cw_block_faults *faults = cw_kernel_block_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++) {
        if (faults->at.at[k].kind == CW_BLOCK_MISSING_FENCE)
            report_missing_fence(ctx, &faults->at.at[k]);
        if (faults->at.at[k].kind == CW_BLOCK_WAIT_FENCE)
            report_missing_acquire(ctx, &faults->at.at[k]);
    }
}
