/* warp-size-assumption: the number 32 in index arithmetic where warpSize is meant
 *
 * ## What it does
 * Reports thread indices divided by 32, taken modulo 32, shifted by 5 or masked with 31. One finding per kernel, at the
 * first place; off by default.
 *
 * ## Why it is wrong
 * Warps have 32 lanes on every NVIDIA GPU so far, but the guide asks for `warpSize`: it is "the warp size in threads"
 * (CUDA C++ Programming Guide, built-in variables), and the same source built for other vendors meets 64 lanes.
 *
 * ## Example
 * ```cuda bad
 * __global__ void ids(int *out) {
 *     out[threadIdx.x] = threadIdx.x / 32;
 * }
 * ```
 * ```cuda good
 * __global__ void ids(int *out) {
 *     out[threadIdx.x] = threadIdx.x / warpSize;
 * }
 * ```
 *
 * ## How to fix
 * Use `warpSize`, a named constant for the whole project, or cooperative groups (`meta_group_rank()`, `thread_rank()`).
 *
 * ## When it stays silent
 * For 32 in other roles: tile widths, loop bounds, data layouts that have nothing to do with the thread index.
 *
 * ## References
 * - CUDA C++ Programming Guide, built-in variables
 */
#include "rules/rule.h"

#include "kernel/ask/masks.h"

CW_RULE_CHECK(warp_size_assumption) {
    struct cw_vec_u32 uses = cw_warp_size_uses(ctx->fn, ctx->arena);
    if (uses.n == 0)
        return;
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, uses.at[0], "index arithmetic hard-codes a warp size of 32");
    cw_report_textual(f);
    if (uses.n > 1)
        cw_report_note(ctx, f, 0, "%u further place%s in this kernel", uses.n - 1, uses.n == 2 ? "" : "s");
    cw_report_help(ctx, f, "write warpSize");
    cw_report_submit(ctx, f);
}
