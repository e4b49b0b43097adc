/* uninitialised-shuffle-source: a shuffle reads a lane that never assigned the variable
 *
 * ## What it does
 * Reports a shuffle of a variable that only some lanes have assigned (under a branch on the lane or on data), when one
 * of the others is read and what came of it is stored, compared or used as an address. One finding per variable.
 *
 * ## Why it is wrong
 * A shuffle "returns the value of var held by the thread whose ID is given by srcLane" (CUDA C++ Programming Guide): a
 * variable without a value in that thread is indeterminate there, and reading it is undefined behaviour in C++. The
 * compiler is free to keep anything in the register, and to drop the branch that would have assigned it.
 *
 * ## Example
 * ```cuda bad --block 32
 * __global__ void sum16(int *out, const int *in) {
 *     int v;
 *     if (threadIdx.x < 16)
 *         v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1)
 *         v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x == 0)
 *         *out = v;
 * }
 * ```
 * ```cuda good --block 32
 * __global__ void sum16(int *out, const int *in) {
 *     int v = 0;
 *     if (threadIdx.x < 16)
 *         v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1)
 *         v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x == 0)
 *         *out = v;
 * }
 * ```
 *
 * ## How to fix
 * Give the variable the neutral element where it is declared.
 *
 * ## When it stays silent
 * For broadcasts from a lane that has assigned it (`if (lane == 0) base = …; base = __shfl_sync(mask, base, 0);`); when
 * what the other lanes gave is dropped; when the source lane is data, or nobody can know which lanes take the branch.
 * Where input data decides whether the source assigned it, the finding is possible only: the same data may decide the
 * use.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.2
 */
#include "rules/rule.h"

#include "kernel/ask/shuffles.h"
#include "rules/report_names.h"
#include "rules/report_shuffles.h"

static void report_uninitialised_shuffle_source(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *fault) {
    struct cw_finding *f =
        cw_report(ctx, fault->definite && !fault->by_data ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                  "lane %u shuffles '%s' from lane %u, where it %s uninitialised", fault->thread % 32,
                  cw_name_of(ctx, cw_arg(ctx->fn, &ctx->fn->ins.at[fault->ins], 1)), fault->source % 32,
                  fault->by_data ? "may be" : "is");
    cw_report_shuffle_fault(ctx, f, fault);
    cw_report_help(ctx, f, "initialise the variable where it is declared, with the neutral element");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(uninitialised_shuffle_source) {
    const struct cw_shuffle_faults *faults = cw_kernel_uninitialised_sources(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_uninitialised_shuffle_source(ctx, &faults->at.at[k]);
}
