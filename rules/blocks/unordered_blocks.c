/* unordered-blocks: threads of two blocks access one element of device memory, one of them writes, and the kernel has
 * nothing that synchronises blocks
 *
 * ## What it does
 * Reports two threads of different blocks that touch one element of device memory in one launch, at least one of them
 * with a write that is not atomic for both, in a kernel that has no grid barrier, no wait for other blocks and no
 * atomic of block scope. Kernels that synchronise their blocks are the subject of inter-block-race.
 *
 * ## Why it is wrong
 * Blocks of a grid are scheduled "in any order, in parallel or in series" (CUDA C++ Programming Guide, thread
 * hierarchy). Two such accesses are a data race: which value is read or remains depends on the schedule (PTX ISA,
 * memory consistency model, data races).
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *a) {
 *     int i = blockIdx.x * 128 + threadIdx.x;
 *     int next = a[i + 1];
 *     __syncthreads();
 *     a[i] = next + 1;
 * }
 *
 * void run(int *a) {
 *     shift<<<8, 128>>>(a);
 * }
 * ```
 * ```cuda good
 * __global__ void shift(int *to, const int *from) {
 *     int i = blockIdx.x * 128 + threadIdx.x;
 *     to[i] = from[i + 1] + 1;
 * }
 *
 * void run(int *to, const int *from) {
 *     shift<<<8, 128>>>(to, from);
 * }
 * ```
 *
 * ## How to fix
 * Write to another array, give each block its own elements, use an atomic, or split the kernel: the end of a launch
 * orders all blocks.
 *
 * ## When it stays silent
 * When addresses depend on loaded data or on unknown sizes (then it is possible at most), when all threads write one
 * value, and when the launch has one block.
 *
 * ## References
 * - PTX ISA, memory consistency model: scope, release and acquire patterns
 * - CUDA C++ Programming Guide, memory fence functions
 */
#include "rules/rule.h"

#include "kernel/ask/blocks.h"
#include "rules/report_blocks.h"

CW_RULE_CHECK(unordered_blocks) {
    cw_report_block_races(ctx, cw_kernel_plain_block_races(ctx->kernel));
}
