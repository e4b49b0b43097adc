/* divergent-loop-barrier: a block barrier in a loop that the threads of the block leave at different times
 *
 * ## What it does
 * Reports a block barrier inside a loop whose trip count, `break` or `continue` differs between threads of the block.
 *
 * ## Why it is wrong
 * In the last rounds some threads wait at the barrier while others have left the loop (or have skipped to the next
 * round), so the condition of the barrier does not evaluate "identically across the entire thread block" and the code
 * "is likely to hang or produce unintended side effects" (CUDA C++ Programming Guide). It often passes for sizes that
 * are a multiple of the stride.
 *
 * ## Example
 * ```cuda bad
 * __global__ void smooth(float *data, int n) {
 *     __shared__ float tile[256];
 *     for (int i = threadIdx.x; i < n; i += blockDim.x) {
 *         tile[threadIdx.x % 256] = data[i];
 *         __syncthreads();
 *         data[i] = tile[0];
 *         __syncthreads();
 *     }
 * }
 * ```
 * All threads make the same number of rounds:
 * ```cuda good
 * __global__ void smooth(float *data, int n) {
 *     __shared__ float tile[256];
 *     for (int base = 0; base < n; base += blockDim.x) {
 *         int i = base + threadIdx.x;
 *         if (i < n) tile[threadIdx.x % 256] = data[i];
 *         __syncthreads();
 *         if (i < n) data[i] = tile[0];
 *         __syncthreads();
 *     }
 * }
 * ```
 *
 * ## How to fix
 * Let the loop run over a bound that is the same for all threads (round the count up to the block size) and guard the
 * element inside. A data-dependent end becomes uniform through `while (__syncthreads_or(unfinished))`.
 *
 * ## When it stays silent
 * When all threads provably make the same number of trips, when threads leave the loop by ending (`return`), and when
 * the trip count cannot be known.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 1.14
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "rules/report_barriers.h"
#include "rules/report_names.h"

/* Who waits in which iteration, counted from 0, and who has left the loop by then. */
static const char *loop_text(struct cw_rule_ctx *ctx, const struct cw_split *split) {
    const struct cw_context *c = split->witness->context;
    while (c != NULL && c->loop != split->loop)
        c = c->outer;
    if (split->by_data)
        return "which threads have left the loop depends on input data";
    return c == NULL ? cw_split_text(ctx, split)
                     : cw_arena_printf(ctx->arena,
                                       "thread %u waits in iteration %u (counting from 0), thread %u has left "
                                       "the loop",
                                       split->in, c->iteration, split->out);
}

static void report_split(struct cw_rule_ctx *ctx, const struct cw_split *split) {
    struct cw_finding *f = cw_report(ctx, split->definite ? CW_DEFINITE : CW_POSSIBLE, split->ins,
                                     "%s in a loop with a divergent trip count: %s", cw_call_text(ctx, split->ins),
                                     loop_text(ctx, split));
    cw_report_split(ctx, f, split);
    if (split->is_rounded)
        cw_report_note(ctx, f, 0,
                       "the bound is in memory and the block is not known: the host may make one fit the other");
    cw_report_help(ctx, f, "make the trip count block-uniform and guard the work inside the loop");
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_split *split) {
    return split->loop != CW_NO_LOOP;
}

CW_RULE_CHECK(divergent_loop_barrier) {
    const struct cw_splits *splits = cw_kernel_splits(ctx->kernel);
    for (uint32_t k = 0; k < splits->at.n; k++)
        if (is_mine(&splits->at.at[k]))
            report_split(ctx, &splits->at.at[k]);
}
