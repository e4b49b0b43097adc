/* mbarrier-misuse: a barrier in shared memory that never completes, or that is used before it is made
 *
 * ## What it does
 * Reports waits at a `cuda::barrier` or `mbarrier` that was made for more arrivals than ever come before the threads
 * wait, or that is told to expect more bytes than are copied; arrivals of more threads than it was made for, which all
 * wait for that phase, or arrivals that nothing orders behind the phase before, so that they may count for it; and
 * arrivals and waits of threads that nothing orders behind the thread that makes the barrier.
 *
 * ## Why it is wrong
 * A phase of the barrier completes when as many arrivals have come as `init()` was given. Where fewer arrive, those
 * that wait never go on. Where more arrive, the phase is over before the last ones have come, and these count for the
 * next phase: the wait orders nothing for them. libc++'s precondition, which libcu++ shares, is that `update` "is less
 * than or equal to the expected count for the current barrier phase" (C++ standard, [thread.barrier.class]). A phase
 * that expects bytes also waits for these: it completes when "pending count has reached zero" and "tx-count has reached
 * zero" (PTX ISA, mbarrier, phase completion), so that bytes which nobody copies are waited for for ever.
 * "Initialization must happen before any thread calls bar.arrive()" and "threads must
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
 * one phase: all threads that call `arrive()`, or 1 where one elected thread arrives with the bytes it expects. Expect
 * the sum of the bytes of all copies of the phase.
 *
 * ## When it stays silent
 * When the barrier, its count or who arrives cannot be known; for more than sixteen barriers; where calls that are not
 * known have the barrier's address; for barriers that their constructor makes. Bytes are compared where all copies and
 * all arrivals are for the first phase, and no other block of a cluster may copy; of tensor copies no size is known.
 *
 * ## References
 * - CUDA C++ Programming Guide, asynchronous barrier
 * - PTX ISA 9.0, mbarrier
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "rules/report_barriers.h"
#include "rules/report_names.h"

#include <inttypes.h>

static const char *text_of(struct cw_rule_ctx *ctx, const struct cw_mbarrier_fault *fault) {
    const char *barrier = cw_element_text(ctx, fault->root, fault->offset, 8, 0);
    switch (fault->kind) {
    case CW_MBARRIER_STARVED:
        return cw_arena_printf(ctx->arena,
                               "thread %u waits at barrier %s for ever: it was made for %" PRId64
                               " arrivals, and %" PRId64 " come",
                               fault->thread, barrier, fault->count, fault->arrivals);
    case CW_MBARRIER_SURPLUS:
        return cw_arena_printf(ctx->arena,
                               "thread %u arrives at barrier %s in surplus: it was made for %" PRId64
                               " arrivals, and %" PRId64 " threads arrive and wait for the phase",
                               fault->thread, barrier, fault->count, fault->arrivals);
    case CW_MBARRIER_BYTES:
        return cw_arena_printf(ctx->arena,
                               "thread %u waits at barrier %s for ever: it expects %" PRId64 " bytes, and %" PRId64
                               " are copied",
                               fault->thread, barrier, fault->expected, fault->arrivals);
    case CW_MBARRIER_UNMADE: break;
    }
    return cw_arena_printf(ctx->arena, "thread %u may use barrier %s before thread %u has made it", fault->thread,
                           barrier, fault->init_thread);
}

static const char *const help[] = {
    [CW_MBARRIER_STARVED] = "give init() the number of arrivals of one phase, or let the missing threads arrive",
    [CW_MBARRIER_SURPLUS] = "give init() the number of threads that arrive, or let only as many arrive",
    [CW_MBARRIER_BYTES] = "expect the bytes of the copies that complete with this phase",
    [CW_MBARRIER_UNMADE] = "call __syncthreads() behind init(), before any thread arrives or waits"};

static bool is_told(const struct cw_mbarrier_faults *faults, const struct cw_phase_mix *mix) {
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (cw_ref_eq(faults->at.at[k].root, mix->root) && faults->at.at[k].offset == mix->offset)
            return true;
    return false;
}

CW_RULE_CHECK(mbarrier_misuse) {
    const struct cw_phase_mixes *mixes = cw_kernel_phase_mixes(ctx->kernel);
    const struct cw_mbarrier_faults *faults = cw_kernel_mbarrier_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_mbarrier_fault *fault = &faults->at.at[k];
        struct cw_finding *f =
            cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins, "%s", text_of(ctx, fault));
        cw_report_help(ctx, f, "%s", help[fault->kind]);
        cw_report_mbarrier_fault(ctx, f, fault);
        cw_report_submit(ctx, f);
    }
    for (uint32_t k = 0; k < mixes->at.n; k++) {
        const struct cw_phase_mix *mix = &mixes->at.at[k];
        if (mix->root.tag != CW_REF_NONE && !is_told(faults, mix))
            cw_report_phase_mix(ctx, mix, cw_element_text(ctx, mix->root, mix->offset, 8, 0));
    }
}
