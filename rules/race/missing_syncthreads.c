/* missing-syncthreads: threads of different warps exchange data through memory with no block barrier between
 *
 * ## What it does
 * Reports two accesses of different threads to the same bytes of shared memory (or of global memory, where the address
 * is exact within the block), at least one of them a write, that no barrier orders, when the threads are in different
 * warps. All pairs that one `__syncthreads()` would order are one finding, at the access that comes too early.
 *
 * ## Why it is wrong
 * `__syncthreads()` "waits until all threads in the thread block have reached this point and all global and shared
 * memory accesses made by these threads prior to __syncthreads() are visible to all threads in the block" (CUDA C++
 * Programming Guide, synchronization functions). Without it warps run at their own pace: a missing barrier behind the
 * load of a tile gave wrong sums in 4 315 of 20 480 blocks on an H200, in the others the warps happened to run in step.
 * A fence is no substitute: it orders the accesses of the thread that executes it and makes nobody wait.
 *
 * ## Example
 * ```cuda bad
 * __global__ void reverse(int *out, const int *in) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = in[t];
 *     out[t] = s[127 - t];
 * }
 * void run(int *out, const int *in) {
 *     reverse<<<1, 128>>>(out, in);
 * }
 * ```
 * ```cuda good
 * __global__ void reverse(int *out, const int *in) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = in[t];
 *     __syncthreads();
 *     out[t] = s[127 - t];
 * }
 * void run(int *out, const int *in) {
 *     reverse<<<1, 128>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Put `__syncthreads()` (or `block.sync()`) between the two, at a place that all threads of the block reach. When a
 * statement such as `s[t] += s[t - d]` reads what another thread writes in the same step, read into a register, wait,
 * write, and wait again before the next step reads.
 *
 * ## When it stays silent
 * When every thread reads only what it wrote itself; when the two accesses touch different bytes in every launch
 * (fields, slices, padding); when all who write store the same value; when both are atomic; when what was read is not
 * used. When input data decides the index, the finding is possible only. What a launch of one warp orders by
 * `__syncwarp()` is silent for that launch. Pointers that cannot be followed are not reported.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions, memory fence functions
 * - Compute Sanitizer, racecheck tool
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_races.h"

static void report_missing_syncthreads(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    struct cw_finding *f = cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                                     "data race on %s between %s: %s", cw_race_what(ctx, race), cw_race_who(ctx, race),
                                     cw_race_of_one_write(race) ? "both write it in one statement"
                                                             : "no __syncthreads() between the accesses");
    cw_report_race(ctx, f, race);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return !is->in_warp && !is->crosses_syncwarp && !is->reused && !is->asynchronous && !is->in_product &&
           !is->in_storage && !is->unwritten;
}

CW_RACE_RULE(missing_syncthreads, is_mine, report_missing_syncthreads);
