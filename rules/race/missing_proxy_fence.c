/* missing-proxy-fence: a bulk copy reads shared memory that was stored to with no proxy fence between
 *
 * ## What it does
 * Reports ordinary stores to shared memory that a bulk copy (`cp.async.bulk`, `cp.reduce.async.bulk`, a TMA store)
 * reads afterwards, when no `fence.proxy.async` stands between the store and the copy.
 *
 * ## Why it is wrong
 * The copy engine reaches memory through another path, the asynchronous proxy. "A proxy fence is required to
 * synchronize across different proxies" (PTX ISA, memory consistency model): a barrier orders the threads, but not what
 * the engine sees, so that it may copy what was in shared memory before. The programming guide lets each thread that
 * writes call `fence_proxy_async()` and then the block `__syncthreads()`, before one thread starts the copy.
 *
 * ## Example
 * ```cuda bad --preview --arch 90
 * #include <cuda/ptx>
 * __global__ void twice(const int *in, int *out) {
 *     __shared__ alignas(128) int s[128];
 *     s[threadIdx.x] = 2 * in[threadIdx.x];
 *     __syncthreads();
 *     if (threadIdx.x == 0) {
 *         cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, s, sizeof s);
 *         cuda::ptx::cp_async_bulk_commit_group();
 *         cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
 *     }
 * }
 * void run(const int *in, int *out) { twice<<<1, 128>>>(in, out); }
 * ```
 * ```cuda good --preview --arch 90
 * #include <cuda/ptx>
 * __global__ void twice(const int *in, int *out) {
 *     __shared__ alignas(128) int s[128];
 *     s[threadIdx.x] = 2 * in[threadIdx.x];
 *     cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
 *     __syncthreads();
 *     if (threadIdx.x == 0) {
 *         cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, out, s, sizeof s);
 *         cuda::ptx::cp_async_bulk_commit_group();
 *         cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
 *     }
 * }
 * void run(const int *in, int *out) { twice<<<1, 128>>>(in, out); }
 * ```
 *
 * ## How to fix
 * Call `cuda::ptx::fence_proxy_async(cuda::ptx::space_shared)`, or `fence.proxy.async.shared::cta` in PTX, in each
 * thread that writes, behind its stores and before the barrier. `__threadfence_block()` is no proxy fence.
 *
 * ## When it stays silent
 * When a proxy fence of any thread stands between, also behind the barrier; when a copy has been waited for in between,
 * whose end is such a fence; in kernels with calls or assembly that are not understood, or that wait for memory.
 *
 * ## References
 * - PTX ISA, memory consistency model: proxies, causality order; membar/fence
 * - CUDA C++ Programming Guide, asynchronous data copies using the tensor memory accelerator
 */
#include "rules/rule.h"

#include "fix/make/insert_proxy_fence.h"
#include "kernel/ask/races.h"
#include "rules/report_names.h"
#include "rules/report_races.h"

static void report_fault(struct cw_rule_ctx *ctx, const struct cw_proxy_fault *fault) {
    bool is_copy = ctx->fn->ins.at[fault->copy].op == CW_OP_ASYNCCOPY;
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->store,
                                     "what thread %u stores to %s may be missed by the %s that thread %u "
                                     "starts: no proxy fence is between the two",
                                     fault->thread, cw_element_text(ctx, fault->root, fault->offset, fault->size, 0),
                                     is_copy ? "bulk copy" : "wgmma", fault->copier);
    cw_report_proxy_fault(ctx, f, fault);
    cw_report_help(ctx, f, "let each thread that stores call cuda::ptx::fence_proxy_async(cuda::ptx::space_shared) "
                           "before the barrier");
    cw_fix_proxy_fence(ctx, f, fault->store, fault->copy);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(missing_proxy_fence) {
    const struct cw_proxy_faults *faults = cw_kernel_proxy_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_fault(ctx, &faults->at.at[k]);
}
