/* its-opt-out: the build runs pre-Volta code on Volta or later, where its warps go on in lock-step
 *
 * ## What it does
 * Reports files that the build compiles for a virtual architecture below sm_70 and a real one from there on, such as
 * `-arch=compute_60 -code=sm_70`, when lanes of a warp work together in them: at the first collective, `__syncwarp()`
 * or exchange through memory without one. The options come from `compile_commands.json`, from `cuwarp-lint launch`, or
 * stand behind `--`. It is an error unless `--semantics cuda12` says that the project stays with CUDA 12.
 *
 * ## Why it is wrong
 * Code for such a target can "opt-in to the Pascal scheduling" (CUDA C++ Programming Guide, compute capability 7.x):
 * lanes of a warp stay in lock-step, and what relies on that seems to work. It is a way to put off the port, not to do
 * it: the code breaks where it is built for the GPU it runs on, and CUDA 13, whose lowest target is compute_75, builds
 * it no more.
 *
 * ## Example
 * ```cuda bad -- -arch=compute_60 -code=sm_70
 * __global__ void total(int *out) {
 *     int v = out[threadIdx.x];
 *     v += __shfl_xor_sync(0xffffffff, v, 16);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * Compiled for what it runs on:
 * ```cuda good -- -gencode arch=compute_70,code=sm_70
 * __global__ void total(int *out) {
 *     int v = out[threadIdx.x];
 *     v += __shfl_xor_sync(0xffffffff, v, 16);
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Build for the architecture the code runs on, `-gencode arch=compute_70,code=sm_70` or later, once the other rules
 * have nothing left to report. Until then silence this one in the configuration of the folder.
 *
 * ## When it stays silent
 * Where no compile options are known, or they are those of another file nearby; for PTX alone (`-code=compute_60`),
 * which the driver may compile for any GPU; when another option brings the same GPU code of its own; in files in which
 * the lanes of a warp have nothing to do with each other; in code that `__CUDA_ARCH__` leaves out for the old target.
 *
 * ## References
 * - CUDA C++ Programming Guide, compute capability 7.x, independent thread scheduling
 * - NVIDIA Volta Tuning Guide, independent thread scheduling
 * - CUDA 13 release notes, dropped architectures
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/races.h"
#include "rules/report_races.h"

/* Two lanes of one warp and one byte: a tail in lock-step has no collective at all. */
static uint32_t first_exchange(struct cw_rule_ctx *ctx) {
    const struct cw_races *races = cw_kernel_races(ctx->kernel);
    for (uint32_t k = 0; k < races->at.n; k++)
        if (races->at.at[k].same_warp && races->at.at[k].definite && races->at.at[k].is.in_warp)
            return cw_race_ins(&races->at.at[k]);
    return UINT32_MAX;
}

static bool is_gone(uint32_t virtual_sm) {
    const struct cw_arch *a = cw_arch_find(virtual_sm);
    return a == NULL || (a->dropped_by_cuda && a->dropped_by_cuda <= 13);
}

static void report_its_opt_out(struct cw_rule_ctx *ctx, uint32_t ins, bool is_exchange) {
    struct cw_opt_out o = ctx->opt_out;
    bool gone = ctx->semantics != CW_SEMANTICS_CUDA12 && is_gone(o.virtual_sm);
    struct cw_finding *f =
        cw_report(ctx, CW_DEFINITE, ins, "compiled as compute_%u for sm_%u, which keeps warps in lock-step%s",
                  o.virtual_sm, o.real_sm, gone ? "; CUDA 13 has no such target any more" : "");
    cw_report_severity(f, gone ? CW_ERROR : CW_WARNING);
    cw_report_textual(f);
    cw_report_once_per_file(f);
    cw_report_label(ctx, f, ctx->fn->ins.at[ins].loc, "%s", is_exchange ? "lanes of a warp exchange data here"
                                                                         : "lanes of a warp cooperate here");
    cw_report_help(ctx, f, "compile it with -gencode arch=compute_%u,code=sm_%u and fix what is reported then",
                   o.real_sm, o.real_sm);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(its_opt_out) {
    if (ctx->opt_out.real_sm == 0)
        return;
    struct cw_vec_u32 collectives = cw_reachable_collectives(ctx->fn, ctx->arena);
    uint32_t exchange = collectives.n ? UINT32_MAX : first_exchange(ctx);
    if (collectives.n)
        report_its_opt_out(ctx, collectives.at[0], false);
    else if (exchange != UINT32_MAX)
        report_its_opt_out(ctx, exchange, true);
}
