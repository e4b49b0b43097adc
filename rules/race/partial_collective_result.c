/* partial-collective-result: the result of a block or warp reduction is used in a thread that does not get it
 *
 * ## What it does
 * Reports that a thread other than thread 0 stores, branches on or passes on the result of `cub::BlockReduce`, or a
 * lane other than lane 0 that of `cub::WarpReduce`.
 *
 * ## Why it is wrong
 * "The return value is undefined in threads other than thread 0" (CUB, `BlockReduce::Sum` and `BlockReduce::Reduce`; of
 * `WarpReduce` the result is returned to lane 0 "and is undefined in other threads"). The other threads hold partial
 * sums. A branch on one lets the threads of the block go different ways; a store by all of them keeps whichever comes
 * last.
 *
 * ## Example
 * ```cuda bad
 * #include <cub/cub.cuh>
 * __global__ void normalise(const float *in, float *out) {
 *     using Reduce = cub::BlockReduce<float, 128>;
 *     __shared__ typename Reduce::TempStorage storage;
 *     float own = in[threadIdx.x];
 *     float sum = Reduce(storage).Sum(own);
 *     out[threadIdx.x] = own / sum;
 * }
 * void run(const float *in, float *out) {
 *     normalise<<<1, 128>>>(in, out);
 * }
 * ```
 * Thread 0 hands it on through shared memory:
 * ```cuda good
 * #include <cub/cub.cuh>
 * __global__ void normalise(const float *in, float *out) {
 *     using Reduce = cub::BlockReduce<float, 128>;
 *     __shared__ typename Reduce::TempStorage storage;
 *     __shared__ float total;
 *     float own = in[threadIdx.x];
 *     float sum = Reduce(storage).Sum(own);
 *     if (threadIdx.x == 0)
 *         total = sum;
 *     __syncthreads();
 *     out[threadIdx.x] = own / total;
 * }
 * void run(const float *in, float *out) {
 *     normalise<<<1, 128>>>(in, out);
 * }
 * ```
 *
 * ## How to fix
 * Use the result under `if (threadIdx.x == 0)` only, or let thread 0 store it to shared memory and put a
 * `__syncthreads()` before the others read it. In a warp, broadcast it: `sum = __shfl_sync(0xffffffff, sum, 0);`.
 *
 * ## When it stays silent
 * When the threads without a result only compute with it, and store, branch on and pass on nothing of that; when a
 * shuffle takes it from lane 0; for scans, whose results are valid in all threads, and segmented reductions, whose
 * valid lanes data decide. When input data decide whether such a thread comes to the use, the finding is possible only.
 *
 * ## References
 * - CUB: `BlockReduce`, `WarpReduce`
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_races.h"

static const char *use_text(struct cw_rule_ctx *ctx, const struct cw_partial_use *partial_use) {
    if (partial_use->use.ins == UINT32_MAX)
        return "branches on it";
    switch (ctx->fn->ins.at[partial_use->use.ins].op) {
    case CW_OP_STORE: return "stores it";
    case CW_OP_ATOMIC: return "passes it to an atomic";
    case CW_OP_LOAD: return "uses it as an address";
    default: return "uses it";
    }
}

static void report_partial_collective_result(struct cw_rule_ctx *ctx, const struct cw_partial_use *partial_use) {
    bool is_block = partial_use->collective->of->scope == CW_SCOPE_BLOCK;
    uint32_t loc = partial_use->use.loc != 0 ? partial_use->use.loc : ctx->fn->ins.at[partial_use->ins].loc;
    struct cw_finding *f =
        cw_report_at(ctx, partial_use->definite ? CW_DEFINITE : CW_POSSIBLE, loc,
                     "result of %s::%s() is undefined in %s %u, which %s", partial_use->collective->of->name,
                     partial_use->collective->member, is_block ? "thread" : "lane",
                     is_block ? partial_use->thread : partial_use->thread % 32, use_text(ctx, partial_use));
    cw_report_partial_use(ctx, f, partial_use);
    if (is_block)
        cw_report_help(ctx, f, "use it in thread 0 only, or let thread 0 store it to shared memory before a "
                               "__syncthreads()");
    else
        cw_report_help(ctx, f, "use it in lane 0 only, or broadcast it with __shfl_sync()");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(partial_collective_result) {
    const struct cw_partial_uses *uses = cw_kernel_partial_uses(ctx->kernel);
    for (uint32_t k = 0; k < uses->at.n; k++)
        report_partial_collective_result(ctx, &uses->at.at[k]);
}
