/* mbarrier-misuse: a barrier in shared memory that never completes, or that is used before it is made
 *
 * ## What it does
 * Reports waits at a `cuda::barrier` or `mbarrier` that was made for more arrivals than ever come before the threads
 * wait, and arrivals and waits of threads that nothing orders behind the thread that makes the barrier.
 *
 * ## Why it is wrong
 * A phase of the barrier completes when as many arrivals have come as `init()` was given. Where fewer arrive, those
 * that wait never go on. "Initialization must happen before any thread calls bar.arrive()" and "threads must
 * synchronize before participating in the cuda::barrier" (CUDA C++ Programming Guide, asynchronous barrier): one
 * thread makes it, and the block calls `__syncthreads()`. An mbarrier, too, must be initialised before any other
 * operation on it (PTX ISA, mbarrier.init).
 *
 * ## Example
 * ```cuda bad
 * #include <cuda/barrier>
 * __global__ void reverse(const int *in, int *out) {
 *     __shared__ int s[128];
 *     __shared__ cuda::barrier<cuda::thread_scope_block> bar;
 *     if (threadIdx.x == 0)
 *         init(&bar, blockDim.x);
 *     s[threadIdx.x] = in[threadIdx.x];
 *     bar.arrive_and_wait();
 *     out[threadIdx.x] = s[127 - threadIdx.x];
 * }
 * void run(const int *in, int *out) {
 *     reverse<<<1, 128>>>(in, out);
 * }
 * ```
 * ```cuda good
 * #include <cuda/barrier>
 * __global__ void reverse(const int *in, int *out) {
 *     __shared__ int s[128];
 *     __shared__ cuda::barrier<cuda::thread_scope_block> bar;
 *     if (threadIdx.x == 0)
 *         init(&bar, blockDim.x);
 *     __syncthreads();
 *     s[threadIdx.x] = in[threadIdx.x];
 *     bar.arrive_and_wait();
 *     out[threadIdx.x] = s[127 - threadIdx.x];
 * }
 * void run(const int *in, int *out) {
 *     reverse<<<1, 128>>>(in, out);
 * }
 * ```
 *
 * ## How to fix
 * Call `__syncthreads()` behind `init()`, before any thread arrives or waits. Give `init()` the number of arrivals of
 * one phase: all threads that call `arrive()`, or 1 where one elected thread arrives with the bytes it expects.
 *
 * ## When it stays silent
 * When the barrier, its count or who arrives cannot be known; for more than sixteen barriers; where calls that are not
 * known have the barrier's address; for barriers that their constructor makes.
 *
 * ## References
 * - CUDA C++ Programming Guide, asynchronous barrier
 * - PTX ISA 9.0, mbarrier
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "rules/report_barriers.h"
#include "rules/report_names.h"

static void report_starved(struct cw_rule_ctx *ctx, const struct cw_mbarrier_fault *fault) {
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                                     "thread %u waits at barrier %s for ever: it was made for %lld arrivals, and %lld "
                                     "come",
                                     fault->thread, cw_element_text(ctx, fault->root, fault->offset, 8, 0),
                                     (long long)fault->count, (long long)fault->arrivals);
    cw_report_help(ctx, f, "give init() the number of arrivals of one phase, or let the missing threads arrive");
    cw_report_mbarrier_fault(ctx, f, fault);
    cw_report_submit(ctx, f);
}

static void report_unmade(struct cw_rule_ctx *ctx, const struct cw_mbarrier_fault *fault) {
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                                     "thread %u may use barrier %s before thread %u has made it", fault->thread,
                                     cw_element_text(ctx, fault->root, fault->offset, 8, 0), fault->init_thread);
    cw_report_help(ctx, f, "call __syncthreads() behind init(), before any thread arrives or waits");
    cw_report_mbarrier_fault(ctx, f, fault);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(mbarrier_misuse) {
    const struct cw_mbarrier_faults *faults = cw_kernel_mbarrier_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++) {
        if (faults->at.at[k].kind == CW_MBARRIER_STARVED)
            report_starved(ctx, &faults->at.at[k]);
        else
            report_unmade(ctx, &faults->at.at[k]);
    }
}
