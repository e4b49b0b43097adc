/* implicit-warp-sync: lanes of a warp exchange data through memory with nothing that orders them
 *
 * ## What it does
 * Reports a write and another access of one byte by two lanes of a warp with no barrier between: unrolled or looped
 * tails of reductions written for warps in lock-step, with or without `volatile`, and `if (tid < 32)` sections of code
 * made before Volta. A tail of six such statements is one finding.
 *
 * ## Why it is wrong
 * Lanes of a warp no longer run in lock-step. The guide's advice for such code is to "insert the new `__syncwarp()`
 * warp-wide barrier synchronization instruction between any steps where data is exchanged between threads via global or
 * shared memory" (CUDA C++ Programming Guide, compute capability 7.x). `volatile` makes every access go to memory; it
 * orders nothing between lanes. Whether it goes wrong depends on how the compiler and the scheduler happen to place the
 * lanes.
 *
 * ## Example
 * ```cuda bad
 * __global__ void sum(int *out, const int *in) {
 *     __shared__ volatile int s[64];
 *     unsigned t = threadIdx.x;
 *     s[t] = in[blockIdx.x * 64 + t];
 *     __syncthreads();
 *     if (t < 32) {
 *         s[t] += s[t + 32];
 *         s[t] += s[t + 16];
 *         s[t] += s[t + 8];
 *         s[t] += s[t + 4];
 *         s[t] += s[t + 2];
 *         s[t] += s[t + 1];
 *     }
 *     if (t == 0) out[blockIdx.x] = s[0];
 * }
 * void run(int *out, const int *in) { sum<<<100, 64>>>(out, in); }
 * ```
 * Each step adds elements that no lane writes in it, and a `__syncwarp()` ends it:
 * ```cuda good
 * __global__ void sum(int *out, const int *in) {
 *     __shared__ int s[64];
 *     unsigned t = threadIdx.x;
 *     s[t] = in[blockIdx.x * 64 + t];
 *     __syncthreads();
 *     if (t < 32) {
 *         for (unsigned k = 32; k > 0; k >>= 1) {
 *             if (t < k) s[t] += s[t + k];
 *             __syncwarp();
 *         }
 *     }
 *     if (t == 0) out[blockIdx.x] = s[0];
 * }
 * void run(int *out, const int *in) { sum<<<100, 64>>>(out, in); }
 * ```
 *
 * ## How to fix
 * Put a `__syncwarp()` between the steps, and keep what one step reads apart from what it writes: a guard `if (t < k)`,
 * or read, `__syncwarp()`, write, `__syncwarp()`. For sums, shuffles or `__reduce_add_sync()` need no memory at all.
 *
 * ## When it stays silent
 * When each lane touches its own elements; when all lanes write one same value; when guards keep readers and writers
 * apart; when the accesses are atomic; when block or warp size leaves only one of the two lanes. Accesses whose places
 * input data decides are possible findings at most.
 *
 * ## References
 * - CUDA C++ Programming Guide, compute capability 7.x, independent thread scheduling
 * - Compute Sanitizer, racecheck: warp-synchronous hazards "must be fixed"
 * - NVIDIA blog, Using CUDA Warp-Level Primitives
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_races.h"

static void report_implicit_warp_sync(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    struct cw_finding *f = cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                                     "data race on %s between %s: nothing orders the accesses", cw_race_what(ctx, race),
                                     cw_race_who(ctx, race));
    cw_report_race(ctx, f, race);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->in_warp && !is->crosses_collective && !is->published && !is->near_syncwarp;
}

CW_RACE_RULE(implicit_warp_sync, is_mine, report_implicit_warp_sync);
