/* scratch-reuse: a shared buffer gets new data while threads of other warps may still read the old
 *
 * ## What it does
 * Reports a write to shared memory that comes too early: the next iteration, the next call of the same helper, or the
 * next use of the same storage overwrites elements, and nothing makes it wait for the threads of other warps that read
 * them.
 *
 * ## Why it is wrong
 * A barrier between the write and the reads is only half of the protection: "__syncthreads() is used to coordinate
 * communication between the threads of the same block. When some threads within a block access the same addresses in
 * shared or global memory, there are potential read-after-write, write-after-read, or write-after-write hazards for
 * some of these memory accesses" (CUDA C++ Programming Guide, synchronization functions). This is the write-after-read
 * one: a fast warp goes around the loop and stores the next tile while a slow one still works on this one. It shows
 * rarely, and mostly under load.
 *
 * ## Example
 * ```cuda bad
 * __global__ void mirror(int *out, const int *in, int rounds) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     for (int k = 0; k < rounds; k++) {
 *         s[t] = in[k * 128 + t];
 *         __syncthreads();
 *         out[k * 128 + t] = s[127 - t];
 *     }
 * }
 * void run(int *out, const int *in) {
 *     mirror<<<1, 128>>>(out, in, 10);
 * }
 * ```
 * ```cuda good
 * __global__ void mirror(int *out, const int *in, int rounds) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     for (int k = 0; k < rounds; k++) {
 *         s[t] = in[k * 128 + t];
 *         __syncthreads();
 *         out[k * 128 + t] = s[127 - t];
 *         __syncthreads();
 *     }
 * }
 * void run(int *out, const int *in) {
 *     mirror<<<1, 128>>>(out, in, 10);
 * }
 * ```
 *
 * ## How to fix
 * Put a `__syncthreads()` behind the last read (in a helper: before it returns), or use two buffers in turn, so that
 * the barrier of the iteration between orders the readers of one before its next writers.
 *
 * ## When it stays silent
 * When the only reader of an element is the thread that rewrites it; when two buffers in turn, or a ring of more, put a
 * barrier between; when the helper begins with a barrier; when each warp has its own scratch and `__syncwarp()` orders
 * it.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions
 * - Compute Sanitizer, racecheck tool: write-after-read hazards
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_races.h"

static void report_scratch_reuse(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    bool reads = !race->first.writes;
    struct cw_finding *f = cw_report(
        ctx, cw_race_confidence(race), cw_race_ins(race), "data race on %s between %s: it is overwritten while %s",
        cw_race_what(ctx, race), cw_race_who(ctx, race),
        reads ? "the previous value may still be read" : "its previous write may be pending");
    cw_report_race(ctx, f, race);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->reused;
}

CW_RACE_RULE(scratch_reuse, is_mine, report_scratch_reuse);
