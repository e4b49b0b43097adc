/* grid-sync-plain-launch: `grid.sync()` in a kernel that is launched with `<<<>>>`
 *
 * ## What it does
 * Reports a grid-wide synchronisation in a kernel which the same file launches with `<<<>>>`, not with
 * `cudaLaunchCooperativeKernel()`.
 *
 * ## Why it is wrong
 * To synchronize across the grid "it is necessary to use the CUDA runtime cooperative launch API"; otherwise
 * `is_valid()` is false and the synchronisation is undefined (CUDA C++ Programming Guide, Cooperative Groups): blocks
 * that are not resident are waited for by those that are.
 *
 * ## Example
 * ```cuda bad
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void step(float *x) {
 *     x[blockIdx.x * 256 + threadIdx.x] *= 2;
 *     cg::this_grid().sync();
 *     x[blockIdx.x * 256 + 255 - threadIdx.x] += 1;
 * }
 * void run(float *x) { step<<<80, 256>>>(x); }
 * ```
 * ```cuda good
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void step(float *x) {
 *     x[blockIdx.x * 256 + threadIdx.x] *= 2;
 *     cg::this_grid().sync();
 *     x[blockIdx.x * 256 + 255 - threadIdx.x] += 1;
 * }
 * void run(float *x) {
 *     void *args[] = {&x};
 *     cudaLaunchCooperativeKernel((void *)step, dim3(80), dim3(256), args, 0, 0);
 * }
 * ```
 *
 * ## How to fix
 * Launch it with `cudaLaunchCooperativeKernel()` and no more blocks than are resident at once; or split the kernel in
 * two.
 *
 * ## When it stays silent
 * When the file has no plain launch of the kernel, also where the attributes of `cudaLaunchKernelEx()` may make it a
 * cooperative one; when the kernel asks `grid.is_valid()`; when the grid is a single
 * block.
 *
 * ## References
 * - CUDA C++ Programming Guide, Cooperative Groups, grid synchronization
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"

#include <string.h>

/* A launch of one block has nobody to wait for. */
static bool has_one_block(const struct cw_fn *host, const struct cw_ins *launch) {
    int64_t n;
    for (uint32_t d = 0; d < 3; d++)
        if (!cw_ref_const(host, cw_arg(host, launch, d), &n) || n != 1)
            return false;
    return true;
}

static const struct cw_ins *plain_launch(struct cw_launch_walk *launch_walk) {
    const struct cw_ins *i;
    while ((i = cw_launch_next(launch_walk)))
        if (!cw_launch_may_be_cooperative(launch_walk, i) && !has_one_block(launch_walk->host, i))
            break;
    return i;
}

static bool asks_first(struct cw_rule_ctx *ctx) {
    struct cw_vec_u32 pure = cw_reachable_ops(ctx->fn, CW_OP_PURE, ctx->arena);
    for (uint32_t k = 0; k < pure.n; k++) {
        const struct cw_intrinsic *row = cw_intrinsic_at(ctx->fn->ins.at[pure.at[k]].intrinsic);
        if (row && strstr(row->name, "is_valid"))
            return true;
    }
    return false;
}

/* The first grid-wide synchronisation, unless the kernel asks whether it may. */
static uint32_t grid_sync(struct cw_rule_ctx *ctx) {
    struct cw_vec_u32 syncs = cw_reachable_ops(ctx->fn, CW_OP_GRIDSYNC, ctx->arena);
    return syncs.n && !asks_first(ctx) ? syncs.at[0] : UINT32_MAX;
}

CW_RULE_CHECK(grid_sync_plain_launch) {
    uint32_t ins = ctx->fn->kind == CW_FN_KERNEL ? grid_sync(ctx) : UINT32_MAX;
    struct cw_launch_walk w = {.module = ctx->module, .kernel = ctx->fn};
    const struct cw_ins *launch = ins != UINT32_MAX ? plain_launch(&w) : NULL;
    if (launch == NULL)
        return;
    const char *how = launch->flags & CW_INS_ATTRIBUTES ? "without that attribute" : "with <<<>>>";
    uint32_t line = w.host->locs.at[launch->loc].span.line;
    struct cw_finding *f =
        cw_report(ctx, CW_DEFINITE, ins, "%s requires a cooperative launch; '%s' is launched %s at line %u",
                  cw_call_text(ctx, ins), ctx->fn->name, how, line);
    cw_report_help(ctx, f, "launch it with cudaLaunchCooperativeKernel(), or split the kernel at this place");
    cw_report_submit(ctx, f);
}
