/* mismatched-barriers: threads of one block wait at different barrier calls
 *
 * ## What it does
 * Reports two block barriers on different sides of a branch that the threads of the block take differently.
 *
 * ## Why it is wrong
 * A block barrier is passed when all threads of the block that have not exited "simultaneously reach the same" barrier
 * call (CUDA 13 Programming Guide §5.4.4). Two textually different calls in two arms are two barriers. Today's hardware
 * may pair them up by chance when both arms hold as many; a compiler that moves, merges or duplicates one arm ends that
 * luck, and unequal numbers hang.
 *
 * ## Example
 * ```cuda bad
 * __global__ void stages(int *out) {
 *     __shared__ int box[1024];
 *     if (threadIdx.x % 2 == 0) {
 *         box[threadIdx.x] = 1;
 *         __syncthreads();
 *     } else {
 *         box[threadIdx.x] = 2;
 *         __syncthreads();
 *     }
 *     out[threadIdx.x] = box[threadIdx.x ^ 1];
 * }
 * ```
 * One barrier, behind the branch:
 * ```cuda good
 * __global__ void stages(int *out) {
 *     __shared__ int box[1024];
 *     if (threadIdx.x % 2 == 0)
 *         box[threadIdx.x] = 1;
 *     else
 *         box[threadIdx.x] = 2;
 *     __syncthreads();
 *     out[threadIdx.x] = box[threadIdx.x ^ 1];
 * }
 * ```
 *
 * ## How to fix
 * Merge the barriers into one behind the branch. Warps with different roles meet at named barriers (`bar.sync id,
 * count`, `cuda::barrier`), where every arrival is counted.
 *
 * ## When it stays silent
 * When all threads take the same side, when threads of one side have exited, and for named barriers with a thread
 * count.
 *
 * ## References
 * - CUDA 13 Programming Guide §5.4.4, synchronization functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 1.14
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "rules/report_barriers.h"
#include "rules/report_names.h"

/* Where the other side waits; for a helper called on both sides that is the same line, so the call is told as well. */
static void note_other(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_split *split) {
    uint32_t loc = ctx->fn->ins.at[split->other].loc, site = ctx->fn->locs.at[loc].site;
    cw_report_note(ctx, finding, loc, "the other threads wait here");
    if (site != 0)
        cw_report_note(ctx, finding, ctx->fn->sites.at[site].loc, "through this call");
}

static const char *sides_text(struct cw_rule_ctx *ctx, const struct cw_split *split) {
    const char *call = cw_call_text(ctx, split->ins);
    if (split->by_data)
        return cw_arena_printf(ctx->arena, "input data decides which of them reach this %s", call);
    return cw_arena_printf(ctx->arena, "thread %u at this %s, thread %u at another", split->in, call, split->out);
}

static void report_mismatched_barriers(struct cw_rule_ctx *ctx, const struct cw_split *split) {
    struct cw_finding *f = cw_report(ctx, split->definite ? CW_DEFINITE : CW_POSSIBLE, split->ins,
                                     "threads of the block wait at different barriers: %s", sides_text(ctx, split));
    note_other(ctx, f, split);
    cw_report_split(ctx, f, split);
    cw_report_help(ctx, f, "let all threads wait at one barrier after the branch");
    cw_report_submit(ctx, f);
}

/* Barriers of clusters and grids count arrivals, wherever they are. */
static bool is_mine(const struct cw_rule_ctx *ctx, const struct cw_split *split) {
    return split->is_in_both_arms && ctx->fn->ins.at[split->ins].op == CW_OP_BARRIER &&
           ctx->fn->ins.at[split->other].op == CW_OP_BARRIER;
}

CW_RULE_CHECK(mismatched_barriers) {
    const struct cw_splits *splits = cw_kernel_splits(ctx->kernel);
    for (uint32_t k = 0; k < splits->at.n; k++)
        if (is_mine(ctx, &splits->at.at[k]))
            report_mismatched_barriers(ctx, &splits->at.at[k]);
}
