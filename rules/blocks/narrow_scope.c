/* narrow-scope: a block-scoped atomic or fence on data that another block accesses
 *
 * ## What it does
 * Reports atomics with the suffix `_block` and `__threadfence_block()` where the thread on the other side is in another
 * block, and operations of cluster scope where it may be in another cluster.
 *
 * ## Why it is wrong
 * "atomicAdd_block() is atomic only with respect to other threads in the same thread block" (CUDA C++ Programming
 * Guide, atomic functions). Two operations are morally strong only if "each operation specifies a scope that includes
 * the thread executing the other operation" (PTX ISA); otherwise they race.
 *
 * ## Example
 * ```cuda bad
 * __global__ void count(int *total) {
 *     if (threadIdx.x == 0)
 *         atomicExch_block(total, blockIdx.x);
 * }
 *
 * void run(int *total) {
 *     count<<<8, 128>>>(total);
 * }
 * ```
 * ```cuda good
 * __global__ void count(int *total) {
 *     if (threadIdx.x == 0)
 *         atomicExch(total, blockIdx.x);
 * }
 *
 * void run(int *total) {
 *     count<<<8, 128>>>(total);
 * }
 * ```
 *
 * ## How to fix
 * Use the operation without `_block`, `__threadfence()`, or `cuda::thread_scope_device`.
 *
 * ## When it stays silent
 * When both threads are in one block or, for cluster scope, in one cluster, or when the launch has one block.
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

static const char *scope_text(const struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = ins != UINT32_MAX ? &ctx->fn->ins.at[ins] : NULL;
    bool is_cluster = i && (i->op == CW_OP_FENCE    ? i->aux == CW_SCOPE_CLUSTER
                            : i->op == CW_OP_ATOMIC ? cw_atomic_scope(i) == CW_SCOPE_CLUSTER
                                                    : false);
    return is_cluster ? "cluster" : "block";
}

/* The finding stands at the culprit; the narrow fence may be another line. */
static const char *narrow_text(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *culprit = cw_ins_text(ctx, fault->culprit, "this operation");
    if (fault->narrow == fault->culprit || fault->narrow == UINT32_MAX)
        return culprit;
    const struct cw_ins *i = &ctx->fn->ins.at[fault->narrow];
    const char *what = i->op == CW_OP_FENCE ? "fence" : "operation";
    const char *otherwise =
        cw_arena_printf(ctx->arena, "the %s at line %u", what, ctx->fn->locs.at[i->loc].span.line);
    return cw_arena_printf(ctx->arena, "%s, which goes with %s,", cw_ins_text(ctx, fault->narrow, otherwise), culprit);
}

static void report_narrow_scope(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *message =
        cw_arena_printf(ctx->arena, "%s has %s scope, which leaves out the other thread: %s", narrow_text(ctx, fault),
                        scope_text(ctx, fault->narrow), cw_block_fault_text(ctx, fault));
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "use device scope: the operation without _block, __threadfence(), thread_scope_device");
    cw_fix_narrow_scopes(ctx, f);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(narrow_scope) {
    const struct cw_block_faults *faults = cw_kernel_block_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_NARROW_SCOPE)
            report_narrow_scope(ctx, &faults->at.at[k]);
}
