/* divergent-barrier: a block barrier that only some threads of the block reach
 *
 * ## What it does
 * Reports `__syncthreads()` (and `_count`, `_and`, `_or`), `block.sync()` and `bar.sync 0` under a condition that is
 * not the same for all threads of the block: `if`, `?:`, `&&`, `||`, `switch`, also through calls. One finding per
 * branch; other barriers under the same branch are listed in its notes. The same for `cluster.sync()` and
 * `grid.sync()`, which all threads of the block have to reach as well; and `grid.sync()` that some blocks of the grid
 * never reach, or less often than others: by the block's index, or by data that only this block reads.
 *
 * ## Why it is wrong
 * `__syncthreads()` "is allowed in conditional code but only if the conditional evaluates identically across the entire
 * thread block, otherwise the code execution is likely to hang or produce unintended side effects" (CUDA C++
 * Programming Guide). Since Volta the barrier is enforced per thread and waits for every thread of the block that has
 * not exited: the threads inside wait, the others run on and meet some other barrier, or none.
 *
 * ## Example
 * ```cuda bad
 * __global__ void half_sum(float *out, const float *in) {
 *     __shared__ float part[256];
 *     part[threadIdx.x] = in[threadIdx.x];
 *     __syncthreads();
 *     if (threadIdx.x < 16) {
 *         part[threadIdx.x] += part[threadIdx.x + 16];
 *         __syncthreads();
 *     }
 *     out[threadIdx.x] = part[0];
 * }
 * ```
 * The work stays conditional, the barrier does not:
 * ```cuda good
 * __global__ void half_sum(float *out, const float *in) {
 *     __shared__ float part[256];
 *     part[threadIdx.x] = in[threadIdx.x];
 *     __syncthreads();
 *     if (threadIdx.x < 16)
 *         part[threadIdx.x] += part[threadIdx.x + 16];
 *     __syncthreads();
 *     out[threadIdx.x] = part[0];
 * }
 * ```
 *
 * ## How to fix
 * Close the `if` before the barrier and open it again behind it. Where only one warp works, use `__syncwarp()`. Where a
 * bounds check guards the whole body, turn it into a flag and guard the memory accesses alone.
 *
 * ## When it stays silent
 * When the condition depends on `blockIdx` (but for `grid.sync()`), kernel or template parameters, the result of
 * `__syncthreads_or()`, or a shared flag read behind a barrier; when the launch makes it true for all threads; when the
 * missing threads have exited (see exit-before-barrier); for named barriers with a thread count; and when a condition
 * cannot be known. Without a known launch it is definite only if every ordinary block of more than one warp shows it;
 * where the block may be any, and in functions without callers, only if blocks of every shape show it, one warp
 * included. Between two bounds in a structure of the launch, which the host may have made multiples of the block
 * (`p.first[k] <= i && i <= p.last[k]`), it is possible at most.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions; CUDA 13 Programming Guide §5.4.4
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 1.14
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "rules/report_barriers.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_divergent_barrier(struct cw_rule_ctx *ctx, const struct cw_split *split) {
    struct cw_finding *f = cw_report(ctx, split->definite ? CW_DEFINITE : CW_POSSIBLE, split->ins,
                                     "%s in divergent code: %s", cw_call_text(ctx, split->ins),
                                     cw_split_text(ctx, split));
    cw_report_split(ctx, f, split);
    if (split->is_allotted)
        cw_report_note(ctx, f, 0,
                       "both bounds are in a structure of the launch: whole blocks may lie between them");
    cw_report_help(ctx, f, "move the barrier out of the condition; guard only the work, not the barrier");
    cw_report_submit(ctx, f);
}

static const char *block_text(struct cw_rule_ctx *ctx, const uint32_t index[3]) {
    if (index[1] == 0 && index[2] == 0)
        return cw_arena_printf(ctx->arena, "block %u", index[0]);
    return cw_arena_printf(ctx->arena, "block (%u,%u,%u)", index[0], index[1], index[2]);
}

/* The data of one block let it come, those of another one do not. */
static void report_grid_by_input(struct cw_rule_ctx *ctx, const struct cw_grid_split *split) {
    const char *here = block_text(ctx, split->here), *away = block_text(ctx, split->away);
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, split->ins,
                                     "%s in divergent code: which blocks reach it depends on input data, and the "
                                     "others wait at it for ever",
                                     cw_call_text(ctx, split->ins));
    if (split->branch != CW_NO_BLOCK)
        cw_report_note(ctx, f, ctx->fn->blocks.at[split->branch].jump.loc,
                       "data that each block reads for itself decide here: %s may go on to the barrier while %s does "
                       "not",
                       here, away);
    cw_report_launch(ctx, f, split->lanes);
    cw_report_help(ctx, f, "let every block of the grid reach the barrier: decide by a value that all blocks read "
                           "behind the barrier before");
    cw_report_submit(ctx, f);
}

static void report_divergent_grid(struct cw_rule_ctx *ctx, const struct cw_grid_split *split) {
    const char *here = block_text(ctx, split->here), *away = block_text(ctx, split->away);
    if (split->by_data) {
        report_grid_by_input(ctx, split);
        return;
    }
    const char *often = split->passes[1] == 0 ? "never reaches it"
                                              : cw_arena_printf(ctx->arena, "executes it %u times, not %u",
                                                                split->passes[1], split->passes[0]);
    struct cw_finding *f =
        cw_report(ctx, split->definite ? CW_DEFINITE : CW_POSSIBLE, split->ins,
                  "%s in divergent code: %s waits at it for ever, %s %s", cw_call_text(ctx, split->ins), here, away,
                  often);
    if (!split->definite)
        cw_report_note(ctx, f, 0, "this assumes a grid that does not fit the sizes given here");
    if (split->branch != CW_NO_BLOCK)
        cw_report_note(ctx, f, ctx->fn->blocks.at[split->branch].jump.loc, "the two blocks diverge here");
    cw_report_launch(ctx, f, split->lanes);
    cw_report_help(ctx, f, "let every block of the grid reach the barrier; guard only the work, not the barrier");
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_split *split) {
    return split->loop == CW_NO_LOOP && !split->is_in_both_arms;
}

CW_RULE_CHECK(divergent_barrier) {
    const struct cw_splits *splits = cw_kernel_splits(ctx->kernel);
    for (uint32_t k = 0; k < splits->at.n; k++)
        if (is_mine(&splits->at.at[k]))
            report_divergent_barrier(ctx, &splits->at.at[k]);
    const struct cw_grid_splits *blocks = cw_kernel_grid_splits(ctx->kernel);
    for (uint32_t k = 0; k < blocks->at.n; k++)
        report_divergent_grid(ctx, &blocks->at.at[k]);
}
