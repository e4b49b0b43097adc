/* unwaited-async-copy: the bytes of an asynchronous copy are used before the copy has been waited for
 *
 * ## What it does
 * Reports accesses to shared memory that is the destination of an asynchronous copy (`__pipeline_memcpy_async`,
 * `cooperative_groups::memcpy_async`, `cuda::memcpy_async`, `cp.async`, `cp.async.bulk`) by the copying thread or
 * another one, before the wait that covers it; and writes to shared memory that a bulk copy may still read.
 *
 * ## Why it is wrong
 * Asynchronous copies run "as if performed by another thread which, on completion of the copy, can be synchronized
 * through cuda::pipeline, cuda::barrier, or cooperative_groups::wait" (CUDA C++ Programming Guide, asynchronous data
 * copies): until then an access to the same bytes is a data race. `__syncthreads()` does not wait for copies in flight,
 * and a wait covers the copies of the thread that waits: other threads need a barrier behind it.
 *
 * ## Example
 * ```cuda bad
 * #include <cuda_pipeline.h>
 * __global__ void twice(int *out, const int *in) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));
 *     __pipeline_commit();
 *     out[t] = 2 * s[t];
 * }
 * void run(int *out, const int *in) {
 *     twice<<<1, 128>>>(out, in);
 * }
 * ```
 * ```cuda good
 * #include <cuda_pipeline.h>
 * __global__ void twice(int *out, const int *in) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     __pipeline_memcpy_async(&s[t], &in[t], sizeof(int));
 *     __pipeline_commit();
 *     __pipeline_wait_prior(0);
 *     out[t] = 2 * s[t];
 * }
 * void run(int *out, const int *in) {
 *     twice<<<1, 128>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Wait first (`__pipeline_wait_prior(0)`, `cooperative_groups::wait(group)`, `cp.async.wait_group`), then
 * `__syncthreads()` when other threads read. `wait_prior(n)` leaves the last n committed batches in flight: count the
 * batches, including those committed in this iteration.
 *
 * ## When it stays silent
 * When the wait covers the batch that is used, also across the iterations of a pipeline; when the copy's size or place
 * cannot be followed; when the barrier's phases cannot be followed (its place, its count or who arrives is not
 * known); behind iterations of a loop that were left out.
 *
 * ## References
 * - CUDA C++ Programming Guide, asynchronous data copies; memcpy_async pipeline primitives
 * - PTX ISA, cp.async.wait_group
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_races.h"

/* How the end of the copy is known. */
static const char *help_of(const struct cw_ins *copy) {
    switch ((enum cw_copy)copy->aux) {
    case CW_COPY_BARRIER: return "wait for the phase of the barrier, or the stage of the pipeline, that the copy "
                                 "ends with";
    case CW_COPY_BULK: return "let the thread that started the copy wait for it (cp.async.bulk.wait_group.read), then "
                              "__syncthreads() before the data is overwritten";
    default: return "wait for the copy first (__pipeline_wait_prior, cg::wait, cp.async.wait_group), then "
                    "__syncthreads() when other threads use the data";
    }
}

static void report_unwaited_async_copy(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    const struct cw_ins *copy = &ctx->fn->ins.at[race->first.ins];
    bool is_source = copy->op == CW_OP_ASYNCCOPY && copy->aux == CW_COPY_BULK;
    struct cw_finding *f = cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                                     is_source ? "%s is overwritten before the asynchronous copy from it has read it"
                                               : "%s is used before the asynchronous copy of it has completed",
                                     cw_race_what(ctx, race));
    cw_report_race(ctx, f, race);
    cw_report_help(ctx, f, "%s", help_of(copy));
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->asynchronous;
}

CW_RACE_RULE(unwaited_async_copy, is_mine, report_unwaited_async_copy);
