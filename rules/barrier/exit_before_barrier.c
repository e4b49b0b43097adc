/* exit-before-barrier: threads return before a barrier although others rely on them
 *
 * ## What it does
 * Reports a block barrier before which some threads of the block have returned: an error when a thread behind the
 * barrier reads shared memory that only a returned thread would have written; a warning in all cases with `--semantics
 * portable`.
 *
 * ## Why it is wrong
 * Since Volta a barrier waits for all "non-exited" threads of the block (CUDA C++ Programming Guide), so the return by
 * itself is legal on NVIDIA hardware. What the returned threads should have stored is missing, though: their elements
 * of the shared array hold whatever was there before. Elsewhere (ROCm, SYCL, MUSA) the barrier itself may hang.
 *
 * ## Example
 * ```cuda bad
 * __global__ void reduce(float *out, const float *in, int n) {
 *     __shared__ float part[128];
 *     int t = threadIdx.x, i = blockIdx.x * 128 + t;
 *     if (i >= n) return;
 *     part[t] = in[i];
 *     __syncthreads();
 *     if (t < 64) out[i] = part[t] + part[t + 64];
 * }
 * void go(float *out, const float *in, int n) { reduce<<<(n + 127) / 128, 128>>>(out, in, n); }
 * ```
 * ```cuda good
 * __global__ void reduce(float *out, const float *in, int n) {
 *     __shared__ float part[128];
 *     int t = threadIdx.x, i = blockIdx.x * 128 + t;
 *     part[t] = i < n ? in[i] : 0.0f;
 *     __syncthreads();
 *     if (i < n && t < 64) out[i] = part[t] + part[t + 64];
 * }
 * void go(float *out, const float *in, int n) { reduce<<<(n + 127) / 128, 128>>>(out, in, n); }
 * ```
 *
 * ## How to fix
 * Let every thread stay, store the neutral element for what is out of range, and guard the global accesses alone.
 *
 * ## When it stays silent
 * When the whole block returns, when nobody reads what is missing, when addresses or exits depend on data, and when
 * sizes that are multiples of small numbers leave nothing out (threads that work in groups of eight, say).
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions; NVIDIA guidelines for safety-critical programming, rule 1.14
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void note_lost(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lost *lost) {
    const struct cw_object *o = &ctx->fn->objects.at[lost->object];
    cw_report_note(ctx, finding, ctx->fn->ins.at[lost->load].loc, "thread %u reads %s[%lld] here", lost->reader,
                   o->name, (long long)lost->offset / (o->element > 0 ? o->element : 1));
    cw_report_note(ctx, finding, ctx->fn->ins.at[lost->store].loc,
                   "thread %u would have written it here, but has exited", lost->writer);
}

static void report_exit_before_barrier(struct cw_rule_ctx *ctx, const struct cw_early_exit *early_exit) {
    struct cw_finding *f = cw_report(
        ctx, early_exit->definite ? CW_DEFINITE : CW_POSSIBLE, early_exit->barrier,
        early_exit->is_lost ? "threads exit before %s although others later read what they should have written"
                            : "threads exit before %s, which waits for them on some platforms",
        cw_call_text(ctx, early_exit->barrier));
    cw_report_severity(f, early_exit->is_lost ? CW_ERROR : CW_WARNING);
    if (early_exit->is_lost)
        note_lost(ctx, f, &early_exit->lost);
    cw_report_divergence(ctx, f, early_exit->branch);
    cw_report_launch(ctx, f, early_exit->lanes);
    cw_report_block_participation(ctx, f, early_exit->lanes, early_exit->at);
    cw_report_help(ctx, f, "keep all threads until the last barrier and guard their memory accesses instead");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(exit_before_barrier) {
    const struct cw_early_exits *exits = ctx->semantics == CW_SEMANTICS_PORTABLE ? cw_kernel_early_exits(ctx->kernel)
                                                                                 : cw_kernel_harmful_exits(ctx->kernel);
    for (uint32_t k = 0; k < exits->at.n; k++)
        report_exit_before_barrier(ctx, &exits->at.at[k]);
}
