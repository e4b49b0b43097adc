/* sm6x-partial-mask: a mask names lanes that have exited or never were, which GPUs before Volta do not allow
 *
 * ## What it does
 * When the code is compiled for an architecture below sm_70 as well (`--arch`, or the build's options), reports
 * collectives whose mask names lanes that are not there: threads that have returned before, or lanes behind the end of
 * a block that does not fill its last warp. One finding tells all calls of a kernel with that cause.
 *
 * ## Why it is wrong
 * "For .target sm_6x or below, all threads in mask must execute the same __syncwarp() in convergence, and the union of
 * all values in mask must be equal to the active mask. Otherwise, the behavior is undefined" (CUDA C++ Programming
 * Guide; the PTX ISA says the same of `shfl.sync` and `vote.sync`). Volta and later ask for the "non-exited threads"
 * only, so code that was written and tested there may be undefined on the older GPUs that it is built for too.
 *
 * ## Example
 * ```cuda bad --arch sm_60,sm_70
 * __global__ void any(int *out, const int *in) {
 *     if (threadIdx.x >= 40) return;
 *     out[threadIdx.x] = __any_sync(0xffffffff, in[threadIdx.x] > 0);
 * }
 * void run(int *out, const int *in) { any<<<1, 64>>>(out, in); }
 * ```
 * The mask is taken while all lanes are there:
 * ```cuda good --arch sm_60,sm_70
 * __global__ void any(int *out, const int *in) {
 *     unsigned lanes = __ballot_sync(0xffffffff, threadIdx.x < 40);
 *     if (threadIdx.x >= 40) return;
 *     out[threadIdx.x] = __any_sync(lanes, in[threadIdx.x] > 0);
 * }
 * void run(int *out, const int *in) { any<<<1, 64>>>(out, in); }
 * ```
 *
 * ## How to fix
 * Make the mask by a `__ballot_sync()` of the condition in front of the return, or keep all lanes to the last
 * collective and guard only their memory accesses; fill the last warp of the block. Or give up the old targets: CUDA 13
 * has none of them.
 *
 * ## When it stays silent
 * When every architecture of the run is sm_70 or later, which is the default; in code that `__CUDA_ARCH__` keeps for
 * those; when whole warps return; for groups and for `__activemask()`; when inactive-source-lane or
 * partial-warp-shuffle reports the same shuffle, because the missing lane's value is even used.
 *
 * ## References
 * - CUDA C++ Programming Guide, `__syncwarp()`, warp vote and warp shuffle functions
 * - PTX ISA, `bar.warp.sync`, `shfl.sync`, `vote.sync`
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/masks.h"
#include "kernel/ask/shuffles.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static bool is_in(const struct cw_vec_u32 *list, uint32_t ins) {
    for (uint32_t k = 0; k < list->n; k++)
        if (list->at[k] == ins)
            return true;
    return false;
}

/* Another rule has more to say about it. */
static bool is_told(const struct cw_shuffle_faults *faults, const struct cw_gone_lanes *gone_lanes) {
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].definite &&
            (faults->at.at[k].ins == gone_lanes->ins || is_in(&faults->at.at[k].also, gone_lanes->ins)))
            return true;
    return false;
}

static void report_sm6x_partial_mask(struct cw_rule_ctx *ctx, const struct cw_gone_lanes *gone_lanes) {
    struct cw_lanes *l = cw_masks_lanes(gone_lanes->masks);
    const char *lanes = cw_lanes_text(ctx, gone_lanes->lanes);
    bool one = (gone_lanes->lanes & (gone_lanes->lanes - 1)) == 0,
         open = gone_lanes->by_data || cw_lanes_sample_text(l, ctx->arena) != NULL;
    struct cw_finding *f =
        cw_report(ctx, gone_lanes->definite ? CW_DEFINITE : CW_POSSIBLE, gone_lanes->ins,
                  "%s names %s, which %s; sm_%u needs them at the call", cw_call_text(ctx, gone_lanes->ins), lanes,
                  gone_lanes->beyond ? "are beyond the end of the block"
                  : open    ? "may have exited"
                  : one     ? "has exited"
                            : "have exited",
                  ctx->arch);
    cw_report_also(ctx, f, &gone_lanes->also, "this call names such lanes too");
    cw_report_launch(ctx, f, l);
    cw_report_participation(ctx, f, l,
                            cw_participation(l, gone_lanes->ins, cw_masks_context(gone_lanes->masks), ctx->arena),
                            gone_lanes->thread / 32);
    cw_report_help(ctx, f, "%s", gone_lanes->beyond ? "let the block fill its last warp, or name the lanes that it has"
                                           : "compute the mask by __ballot_sync() before the return");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(sm6x_partial_mask) {
    if (cw_arch_flags(ctx->arch) & CW_ARCH_ITS)
        return;
    const struct cw_gone_list *gone = cw_kernel_gone_lanes(ctx->kernel);
    const struct cw_shuffle_faults *faults = gone->at.n ? cw_kernel_gone_sources(ctx->kernel) : NULL;
    for (uint32_t k = 0; k < gone->at.n; k++)
        if (!is_told(faults, &gone->at.at[k]))
            report_sm6x_partial_mask(ctx, &gone->at.at[k]);
}
