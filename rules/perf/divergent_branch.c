/* divergent-branch: lanes of one warp take different ways, chosen by their own indices
 *
 * ## What it does
 * Reports branches whose condition follows from thread indices alone and parts the lanes of at least half of the warps:
 * into several arms that all have work to do (`switch (threadIdx.x % 32)`), or so that the working lanes are spread
 * over the warp
 * (`if (t % (2 * stride) == 0)`). The message says how many of the 32 lanes work. Off by default.
 *
 * ## Why it is wrong
 * It is right, but slow: "if threads of a warp diverge via a data-dependent conditional branch, the warp executes each
 * branch path taken, disabling threads that are not on that path" (CUDA C++ Programming Guide, SIMT architecture). On
 * an H200 the same 2, 4 and 8 arms of arithmetic, chosen by lane, took 1.93, 3.71 and 7.28 times as long as chosen by
 * warp.
 *
 * ## Example
 * ```cuda bad
 * __global__ void block_sum(float *out, const float *in) {
 *     __shared__ float part[256];
 *     unsigned t = threadIdx.x;
 *     part[t] = in[blockIdx.x * 256 + t];
 *     __syncthreads();
 *     for (unsigned stride = 1; stride < 256; stride *= 2) {
 *         if (t % (2 * stride) == 0)
 *             part[t] += part[t + stride];
 *         __syncthreads();
 *     }
 *     if (t == 0)
 *         out[blockIdx.x] = part[0];
 * }
 * void run(float *out, const float *in) {
 *     block_sum<<<64, 256>>>(out, in);
 * }
 * ```
 * The working threads stand together, so that whole warps work or rest:
 * ```cuda good
 * __global__ void block_sum(float *out, const float *in) {
 *     __shared__ float part[256];
 *     unsigned t = threadIdx.x;
 *     part[t] = in[blockIdx.x * 256 + t];
 *     __syncthreads();
 *     for (unsigned stride = 128; stride > 0; stride /= 2) {
 *         if (t < stride)
 *             part[t] += part[t + stride];
 *         __syncthreads();
 *     }
 *     if (t == 0)
 *         out[blockIdx.x] = part[0];
 * }
 * void run(float *out, const float *in) {
 *     block_sum<<<64, 256>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Make the choice by warp (`threadIdx.x / 32`), or give each thread another element: the element's index decides the
 * arm, the thread's index the element. Beware of trading divergence for bank conflicts: the tree whose threads stand
 * together while their elements do not took 1.25 times as long as the divergent one above, the tree of the good example
 * 0.97 times.
 *
 * ## When it stays silent
 * For branches by warp, by input data or by parameters; for one lane or a first stretch of lanes (`if (lane == 0)`,
 * `if (t < stride)`), as those who report or have work left; for one to three lanes that do something else at a border;
 * for arms with next to nothing to do; for the ends of loops. Without a known launch it is definite only if every
 * ordinary block of a whole warp shows it.
 *
 * ## References
 * - CUDA C++ Programming Guide, SIMT architecture
 * - CUDA C++ Best Practices Guide, branching and divergence
 */
#include "rules/rule.h"

#include "kernel/ask/speed.h"
#include "rules/report_witness.h"

static const char *message_text(struct cw_rule_ctx *ctx, const struct cw_divergent_arms *arms) {
    unsigned lanes = (unsigned)__builtin_popcount(arms->lanes);
    if (arms->arms > 1)
        return cw_arena_printf(ctx->arena,
                               "divergent branch: a warp serialises %u paths, the smallest with %u of 32 lanes",
                               (unsigned)arms->arms, lanes);
    return cw_arena_printf(
        ctx->arena, "divergent branch: only %u of 32 lanes, spread over the warp, take the path with the work", lanes);
}

static void report_divergent_branch(struct cw_rule_ctx *ctx, const struct cw_divergent_arms *arms) {
    const char *when = cw_iteration_text(arms->evaluator, ctx->fn, arms->context, arms->warp * 32, ctx->arena);
    struct cw_finding *f =
        cw_report_at(ctx, arms->definite ? CW_DEFINITE : CW_POSSIBLE, ctx->fn->blocks.at[arms->block].jump.loc,
                     "%s%s%s", message_text(ctx, arms), when ? " when " : "", when ? when : "");
    cw_report_lanes(ctx, f, arms->evaluator, arms->warp, "work", arms->lanes, "lanes that work while the others wait");
    cw_report_help(ctx, f, "choose by warp, or let neighbouring threads take the elements that need the same work");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(divergent_branch) {
    const struct cw_divergent_branches *all = cw_kernel_divergent_branches(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        report_divergent_branch(ctx, &all->at.at[k]);
}
