/* inter-block-race: threads of two blocks access one element of device memory, one of them writes, and nothing of what
 * synchronises the kernel's blocks orders them
 *
 * ## What it does
 * Reports two threads of different blocks that touch one element of device memory in one launch, at least one of them
 * with a write that is not atomic for both, with no flag, lock, ticket or grid barrier between the two accesses. The
 * kernel synchronises its blocks elsewhere; for all others there is unordered-blocks.
 *
 * ## Why it is wrong
 * Blocks of a grid are scheduled "in any order, in parallel or in series" (CUDA C++ Programming Guide, thread
 * hierarchy). Two such accesses are a data race: which value is read or remains depends on the schedule (PTX ISA,
 * memory consistency model, data races).
 *
 * ## Example
 * ```cuda bad
 * #include <cooperative_groups.h>
 * __global__ void shift(int *x, int *out) {
 *     x[blockIdx.x] *= 2;
 *     cooperative_groups::this_grid().sync();
 *     out[blockIdx.x] = x[blockIdx.x ? blockIdx.x - 1 : 0];
 *     x[blockIdx.x] = 0;
 * }
 *
 * void run(int *x, int *out) {
 *     void *args[] = {&x, &out};
 *     cudaLaunchCooperativeKernel((void *)shift, dim3(8), dim3(1), args);
 * }
 * ```
 * ```cuda good
 * #include <cooperative_groups.h>
 * __global__ void shift(int *x, int *out) {
 *     x[blockIdx.x] *= 2;
 *     cooperative_groups::this_grid().sync();
 *     out[blockIdx.x] = x[blockIdx.x ? blockIdx.x - 1 : 0];
 *     cooperative_groups::this_grid().sync();
 *     x[blockIdx.x] = 0;
 * }
 *
 * void run(int *x, int *out) {
 *     void *args[] = {&x, &out};
 *     cudaLaunchCooperativeKernel((void *)shift, dim3(8), dim3(1), args);
 * }
 * ```
 *
 * ## How to fix
 * Put `grid.sync()`, or the flag, between the two; write to another array, use an atomic, or split the kernel: the end
 * of a launch orders all blocks.
 *
 * ## When it stays silent
 * When addresses depend on loaded data or on unknown sizes (then it is possible at most), when all threads write one
 * value, when the launch has one block, and when a signal, lock or grid barrier may order the two.
 *
 * ## References
 * - PTX ISA, memory consistency model: scope, release and acquire patterns
 * - CUDA C++ Programming Guide, memory fence functions
 */
#include "rules/rule.h"

#include "kernel/ask/blocks.h"
#include "rules/report_blocks.h"

CW_RULE_CHECK(inter_block_race) {
    cw_report_block_races(ctx, cw_kernel_block_faults(ctx->kernel));
}
