/* grid-barrier-by-hand: blocks wait for each other in a loop, and the launch does not make them run at the same time
 *
 * ## What it does
 * Reports loops in which a thread of every block waits until all blocks have counted up a variable in device memory,
 * when the kernel is launched by `<<<>>>` with more than one block.
 *
 * ## Why it is wrong
 * "Thread blocks are required to execute independently. It must be possible to execute blocks in any order, in parallel
 * or in series" (CUDA C++ Programming Guide, thread hierarchy). When not all blocks fit on the GPU at the same time, or
 * something else runs on it, those that run wait for blocks that never begin. Only a cooperative launch promises that
 * all blocks are resident, or fails.
 *
 * ## Example
 * ```cuda bad
 * __global__ void step(unsigned *arrived, int *data) {
 *     data[blockIdx.x] = blockIdx.x;
 *     __threadfence();
 *     atomicAdd(arrived, 1);
 *     while (*(volatile unsigned *)arrived < gridDim.x) {}
 *     __threadfence();
 *     data[gridDim.x + blockIdx.x] = data[gridDim.x - 1 - blockIdx.x];
 * }
 *
 * void run(unsigned *arrived, int *data) {
 *     step<<<64, 1>>>(arrived, data);
 * }
 * ```
 * ```cuda good
 * #include <cooperative_groups.h>
 *
 * __global__ void step(int *data) {
 *     data[blockIdx.x] = blockIdx.x;
 *     cooperative_groups::this_grid().sync();
 *     data[gridDim.x + blockIdx.x] = data[gridDim.x - 1 - blockIdx.x];
 * }
 *
 * void run(int *data) {
 *     void *args[] = {&data};
 *     cudaLaunchCooperativeKernel((void *)step, dim3(64), dim3(1), args);
 * }
 * ```
 *
 * ## How to fix
 * Launch with `cudaLaunchCooperativeKernel()` and call `cooperative_groups::this_grid().sync()`, or split the kernel.
 *
 * ## When it stays silent
 * When the launch is cooperative or has one block; when blocks wait for earlier ones only (decoupled look-back,
 * tickets); when one block waits for the others. When the size of the grid is not known, it is possible at most: the
 * host may ask how many blocks fit.
 *
 * ## References
 * - CUDA C++ Programming Guide, thread hierarchy; cooperative groups, grid synchronization
 */
#include "rules/rule.h"

#include "kernel/ask/blocks.h"
#include "rules/report_blocks.h"
#include "rules/report_names.h"

static void report_grid_barrier_by_hand(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    const char *counter = cw_ins_text(ctx, fault->first.ins, "the counter");
    const char *message = cw_arena_printf(
        ctx->arena, "all blocks wait here for each other after %s, and this launch need not run them at the same time",
        counter);
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, "launch with cudaLaunchCooperativeKernel() and use cooperative_groups::this_grid().sync()");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(grid_barrier_by_hand) {
    const struct cw_block_faults *faults = cw_kernel_block_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_HAND_BARRIER)
            report_grid_barrier_by_hand(ctx, &faults->at.at[k]);
}
