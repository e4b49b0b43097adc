/* inter-block-race: threads of two blocks access one element of device memory, one of them writes, and nothing orders
 * them
 *
 * ## What it does
 * Reports two threads of different blocks that touch one element of device memory in one launch, at least one of them
 * with a write that is not atomic for both, with no flag, lock, ticket or grid barrier between the two accesses.
 *
 * ## Why it is wrong
 * Blocks of a grid are scheduled "in any order, in parallel or in series" (CUDA C++ Programming Guide, thread
 * hierarchy). Two such accesses are a data race: which value is read or remains depends on the schedule (PTX ISA,
 * memory consistency model, data races).
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *a) {
 *     int i = blockIdx.x * 128 + threadIdx.x;
 *     int next = a[i + 1];
 *     __syncthreads();
 *     a[i] = next + 1;
 * }
 *
 * void run(int *a) {
 *     shift<<<8, 128>>>(a);
 * }
 * ```
 * ```cuda good
 * __global__ void shift(int *to, const int *from) {
 *     int i = blockIdx.x * 128 + threadIdx.x;
 *     to[i] = from[i + 1] + 1;
 * }
 *
 * void run(int *to, const int *from) {
 *     shift<<<8, 128>>>(to, from);
 * }
 * ```
 *
 * ## How to fix
 * Write to another array, give each block its own elements, use an atomic, or split the kernel: the end of a launch
 * orders all blocks.
 *
 * ## When it stays silent
 * When addresses depend on loaded data or on unknown sizes (then it is possible at most), when all threads write one
 * value, when the launch has one block, and when a signal, lock or grid barrier may order the two.
 *
 * ## References
 * - PTX ISA, memory consistency model: scope, release and acquire patterns
 * - CUDA C++ Programming Guide, memory fence functions
 */
#include "rules/rule.h"

#include "kernel/ask/blocks.h"
#include "rules/report_blocks.h"
#include "rules/report_names.h"

static void report_inter_block_race(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    bool is_lock = fault->culprit != UINT32_MAX;
    const char *text = cw_block_fault_text(ctx, fault);
    const char *message =
        is_lock ? cw_arena_printf(ctx->arena, "%s gives the lock back by an ordinary store, which orders nothing: %s",
                                  cw_ins_text(ctx, fault->culprit, "this"), text)
                : cw_arena_printf(ctx->arena, "data race between blocks: %s", text);
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, is_lock ? "use __threadfence() and atomicExch()"
                                   : "write to another array, use an atomic, or split the kernel in two launches");
    cw_report_submit(ctx, f);
}

static void report_races_among(struct cw_rule_ctx *ctx, const struct cw_block_faults *faults) {
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_RACE)
            report_inter_block_race(ctx, &faults->at.at[k]);
}

CW_RULE_CHECK(inter_block_race) {
    report_races_among(ctx, cw_kernel_block_faults(ctx->kernel));
    report_races_among(ctx, cw_kernel_plain_block_races(ctx->kernel));
}
