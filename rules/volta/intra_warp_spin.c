/* intra-warp-spin: a lane waits in a loop for a lane of its own warp
 *
 * ## What it does
 * Reports a loop that only a volatile or atomic read of one place can end, when the write that ends it is still ahead
 * of another lane of the same warp: a lock whose release follows the spin loop, a turn or ticket that is passed on
 * behind it, a flag that is set in the other arm of a branch. Where the releasing lane must first pass a barrier or
 * collective together with the waiting one, no GPU gets through, and the finding is an error.
 *
 * ## Why it is wrong
 * Before Volta the lanes of a warp share one program counter: while some spin, the one that could let them out does not
 * run. "Threads from the same warp in divergent regions or different states of execution cannot signal each other or
 * exchange data, and algorithms requiring fine-grained sharing of data guarded by locks or mutexes can easily lead to
 * deadlock" (CUDA C++ Programming Guide, SIMT architecture).
 *
 * What is true where:
 * - Volta and later: each thread has its own program counter and makes progress, so the loop ends. It costs: the warp
 * is run in pieces, once per lane that waits.
 * - Earlier GPUs, and newer ones that run code built for compute_60 (`-arch=compute_60 -code=sm_70`, which opts out of
 *   independent thread scheduling): the kernel hangs.
 * - A `__syncwarp()`, `__syncthreads()` or warp collective that the lanes are to meet at between taking and giving
 * back: hangs everywhere. The waiting lanes cannot come.
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void total(int *lock, double *sum, const double *in) {
 *     while (atomicCAS(lock, 0, 1) != 0)
 *         ;
 *     __threadfence();
 *     *(volatile double *)sum += in[blockIdx.x * blockDim.x + threadIdx.x];
 *     __threadfence();
 *     atomicExch(lock, 0);
 * }
 * ```
 * The lock is given back inside the loop, so that no lane that holds it waits for one that wants it:
 * ```cuda good --block 64
 * __global__ void total(int *lock, double *sum, const double *in) {
 *     for (bool done = false; !done;) {
 *         if (atomicCAS(lock, 0, 1) == 0) {
 *             __threadfence();
 *             *(volatile double *)sum += in[blockIdx.x * blockDim.x + threadIdx.x];
 *             __threadfence();
 *             atomicExch(lock, 0);
 *             done = true;
 *         }
 *     }
 * }
 * ```
 *
 * ## How to fix
 * Put the critical section and the release into the loop; or let one lane per warp (or thread per block) take the lock
 * for all; or do without a lock: an atomic operation, a warp reduction first, one turn of the warp per lane.
 *
 * ## When it stays silent
 * When one lane per warp waits; when the write belongs to other warps or blocks (grid barriers, chained scans, producer
 * and consumer warps); when the loop gives back what it takes; in retry loops that compare with a value read anew; when
 * a counter or other data also ends the loop; when the lanes leave together; when places or lanes cannot be known.
 *
 * ## References
 * - CUDA C++ Programming Guide, SIMT architecture, independent thread scheduling
 * - CUDA C++ Best Practices Guide and Volta Tuning Guide, independent thread scheduling
 */
#include "rules/rule.h"

#include "kernel/ask/waits.h"
#include "rules/report_names.h"
#include "rules/report_waits.h"

static struct cw_finding *begin_finding(struct cw_rule_ctx *ctx, const struct cw_spin *spin) {
    uint32_t waiter = spin->waiter % 32, releaser = spin->releaser % 32;
    enum cw_confidence confidence = spin->definite ? CW_DEFINITE : CW_POSSIBLE;
    if (spin->meeting != UINT32_MAX)
        return cw_report(
            ctx, confidence, spin->watch,
            "lane %u spins here until lane %u of the same warp releases it, and lane %u waits for it at %s first",
            waiter, releaser, releaser, cw_call_text(ctx, spin->meeting));
    if (spin->is_lock)
        return cw_report(
            ctx, confidence, spin->watch,
            "lane %u spins on a lock held by lane %u of the same warp, which releases it only after the loop", waiter,
            releaser);
    return cw_report(ctx, confidence, spin->watch,
                     "lane %u spins on a value that lane %u of the same warp writes only %s", waiter, releaser,
                     spin->behind ? "after the loop" : "in another arm of the branch");
}

static void report_intra_warp_spin(struct cw_rule_ctx *ctx, const struct cw_spin *spin) {
    struct cw_finding *f = begin_finding(ctx, spin);
    cw_report_note(ctx, f, ctx->fn->ins.at[spin->release].loc, "lane %u releases it here", spin->releaser % 32);
    if (spin->meeting != UINT32_MAX) {
        cw_report_note(ctx, f, ctx->fn->ins.at[spin->meeting].loc, "but waits here for lane %u, which still spins",
                       spin->waiter % 32);
        cw_report_severity(f, CW_ERROR);
    } else {
        cw_report_note(ctx, f, 0,
                       "independent thread scheduling makes progress; pre-Volta GPUs and compute_60 code deadlock");
    }
    cw_report_help(
        ctx, f, "%s",
        spin->is_lock ? "put the critical section and the release into the loop, or let one lane per warp take the lock"
                   : "let one lane per warp wait, or let the lanes exchange the value with a shuffle");
    cw_report_spin(ctx, f, spin);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(intra_warp_spin) {
    const struct cw_spins *spins = cw_kernel_spins(ctx->kernel);
    for (uint32_t k = 0; k < spins->at.n; k++)
        report_intra_warp_spin(ctx, &spins->at.at[k]);
}
