/* uninitialised-shared-read: shared memory is read that no thread has written
 *
 * ## What it does
 * Reports a read of shared memory whose bytes no thread of the block has written before, when the value read is used:
 * an array that is never filled, a halo or a part of a tile that nobody loads, bins or counters that are never cleared.
 *
 * ## Why it is wrong
 * A `__shared__` variable cannot be given a value in its declaration (CUDA C++ Programming Guide, variable memory space
 * specifiers), and nothing clears shared memory when a block starts: it holds what an earlier block on the same
 * multiprocessor left there. Tests often run on memory that happens to be zero.
 *
 * ## Example
 * ```cuda bad
 * __global__ void sum(int *out, const int *in) {
 *     __shared__ int sums[32];
 *     int lane = threadIdx.x % 32, v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d /= 2)
 *         v += __shfl_xor_sync(0xffffffff, v, d);
 *     if (lane == 0)
 *         sums[threadIdx.x / 32] = v;
 *     __syncthreads();
 *     v = sums[lane];
 *     for (int d = 16; d > 0; d /= 2)
 *         v += __shfl_xor_sync(0xffffffff, v, d);
 *     out[threadIdx.x] = v;
 * }
 * void run(int *out, const int *in) {
 *     sum<<<1, 256>>>(out, in);
 * }
 * ```
 * Eight warps have stored a sum, so eight are read:
 * ```cuda good
 * __global__ void sum(int *out, const int *in) {
 *     __shared__ int sums[32];
 *     int lane = threadIdx.x % 32, v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d /= 2)
 *         v += __shfl_xor_sync(0xffffffff, v, d);
 *     if (lane == 0)
 *         sums[threadIdx.x / 32] = v;
 *     __syncthreads();
 *     v = lane < blockDim.x / 32 ? sums[lane] : 0;
 *     for (int d = 16; d > 0; d /= 2)
 *         v += __shfl_xor_sync(0xffffffff, v, d);
 *     out[threadIdx.x] = v;
 * }
 * void run(int *out, const int *in) {
 *     sum<<<1, 256>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Let the block write every element that is read: clear it first (`for (i = t; i < n; i += blockDim.x) s[i] = 0;`),
 * load the halo, store the neutral element where a bounds check skips the load. Then `__syncthreads()`.
 *
 * ## When it stays silent
 * When something that cannot be followed may have written the memory (an unknown call, inline assembly, an index that
 * input data decides); when what was read is dropped (`lane < warps ? sums[lane] : 0`) or reaches nothing; in device
 * functions that are analysed without their callers; when exit-before-barrier tells that the writers have returned.
 * When a write exists but is not ordered before the read, that is missing-syncthreads.
 *
 * ## References
 * - CUDA C++ Programming Guide, variable memory space specifiers
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, directive 1.3
 * - Compute Sanitizer, initcheck tool (global memory only)
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/races.h"
#include "kernel/ask/values.h"
#include "rules/report_races.h"

/* The writer has returned before the barrier: exit-before-barrier tells that. */
static bool is_lost_by_exit(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    struct cw_vec_u32 barriers = cw_reachable_block_barriers(ctx->fn, ctx->arena);
    for (uint32_t k = 0; k < barriers.n && race->base.tag == CW_REF_OBJECT; k++) {
        struct cw_lost lost;
        const struct cw_participation *p = cw_participation(race->lanes, barriers.at[k], NULL, ctx->arena);
        if (p->count[CW_EXITED] > 0 && p->count[CW_ARRIVES] > 0 &&
            cw_lost_find(race->lanes, ctx->fn, p, ctx->arena, &lost) && lost.object == race->base.index)
            return true;
    }
    return false;
}

static void report_uninitialised_shared_read(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    if (is_lost_by_exit(ctx, race))
        return;
    struct cw_finding *f =
        cw_report(ctx, cw_race_confidence(race), cw_race_ins(race), "%s reads %s, which no thread has written",
                  cw_race_who(ctx, race), cw_race_what(ctx, race));
    cw_report_race(ctx, f, race);
    cw_report_help(ctx, f,
                   "let the block write every element that is read, and wait with __syncthreads() before reading");
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->unwritten;
}

CW_RACE_RULE(uninitialised_shared_read, is_mine, report_uninitialised_shared_read);
