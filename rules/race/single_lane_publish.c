/* single-lane-publish: one lane writes what other lanes of its warp use, with no barrier between
 *
 * ## What it does
 * Reports a place that a single lane writes (a leader's result, a base index, a flag, a queue slot) and that other
 * lanes of the same warp read or write before any `__syncwarp()`.
 *
 * ## Why it is wrong
 * Since Volta nothing holds the other lanes back until the writing one is done: they may read what was there before.
 * Only
 * `__syncwarp()` "guarantees memory ordering among threads participating in the barrier" (CUDA C++ Programming Guide).
 * A
 * `__threadfence()` orders the writing lane's own accesses; it makes nobody wait.
 *
 * ## Example
 * ```cuda bad --block 32
 * __global__ void reserve(int *out, int *counter) {
 *     __shared__ int base;
 *     if (threadIdx.x == 0) base = atomicAdd(counter, 32);
 *     out[threadIdx.x] = base + threadIdx.x;
 * }
 * ```
 * ```cuda good --block 32
 * __global__ void reserve(int *out, int *counter) {
 *     __shared__ int base;
 *     if (threadIdx.x == 0) base = atomicAdd(counter, 32);
 *     __syncwarp();
 *     out[threadIdx.x] = base + threadIdx.x;
 * }
 * ```
 * A shuffle needs no memory:
 * ```cuda good --block 32
 * __global__ void reserve(int *out, int *counter) {
 *     int base = 0;
 *     if (threadIdx.x == 0) base = atomicAdd(counter, 32);
 *     base = __shfl_sync(0xffffffff, base, 0);
 *     out[threadIdx.x] = base + threadIdx.x;
 * }
 * ```
 *
 * ## How to fix
 * Put a `__syncwarp()` between the write and the reads, and a further one before the place is written again; or hand
 * the value over with `__shfl_sync()`.
 *
 * ## When it stays silent
 * When only the writing lane reads the place before the barrier; when readers and writers are of different warps
 * (missing-syncthreads tells those); when all lanes write one same value; when the accesses are atomic.
 *
 * ## References
 * - CUDA C++ Programming Guide, `__syncwarp()`; compute capability 7.x, independent thread scheduling
 * - CUDA C++ Programming Guide, memory fence functions
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_races.h"

static void report_single_lane_publish(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    struct cw_finding *f =
        cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                  "data race on %s between %s: one lane %s it for the others without a __syncwarp() between",
                  cw_race_what(ctx, race), cw_race_who(ctx, race), race->first.writes ? "has published" : "publishes");
    cw_report_race(ctx, f, race);
    if (race->remedy == CW_REMEDY_WARP && race->first.writes && !race->second.writes)
        cw_report_help(ctx, f,
                       "insert __syncwarp() between the write and the read, or pass the value with __shfl_sync()");
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->in_warp && is->published;
}

CW_RACE_RULE(single_lane_publish, is_mine, report_single_lane_publish);
