/* syncwarp-loop-race: a step reads elements that other lanes write in the same step, and the __syncwarp() comes too
 * late
 *
 * ## What it does
 * Reports a loop whose step reads one element and writes another, ends with a `__syncwarp()`, and in which one lane
 * writes what another lane reads in the same step: `s[t] += s[t + k]; __syncwarp();` run by all lanes.
 *
 * ## Why it is wrong
 * `__syncwarp()` "guarantees memory ordering among threads participating in the barrier" (CUDA C++ Programming Guide):
 * what stands before it comes before what stands behind it. It says nothing about two accesses that both stand before
 * it. Lane 0 reads `s[16]` while lane 16 writes it; on an H200 all blocks of such a sum came out wrong as soon as the
 * lanes were skewed.
 *
 * ## Example
 * ```cuda bad
 * __global__ void sum(int *out, const int *in) {
 *     __shared__ int s[64];
 *     unsigned t = threadIdx.x;
 *     s[t] = in[t];
 *     s[t + 32] = 0;
 *     __syncwarp();
 *     for (unsigned k = 16; k > 0; k >>= 1) {
 *         s[t] += s[t + k];
 *         __syncwarp();
 *     }
 *     if (t == 0) out[0] = s[0];
 * }
 * void run(int *out, const int *in) { sum<<<1, 32>>>(out, in); }
 * ```
 * Only the lower lanes work, so that nobody writes what is read:
 * ```cuda good
 * __global__ void sum(int *out, const int *in) {
 *     __shared__ int s[32];
 *     unsigned t = threadIdx.x;
 *     s[t] = in[t];
 *     __syncwarp();
 *     for (unsigned k = 16; k > 0; k >>= 1) {
 *         if (t < k) s[t] += s[t + k];
 *         __syncwarp();
 *     }
 *     if (t == 0) out[0] = s[0];
 * }
 * void run(int *out, const int *in) { sum<<<1, 32>>>(out, in); }
 * ```
 * Or the sum stays in a register, and reading and writing are a `__syncwarp()` apart:
 * ```cuda good
 * __global__ void sum(int *out, const int *in) {
 *     __shared__ int s[64];
 *     unsigned t = threadIdx.x;
 *     int v = in[t];
 *     s[t] = v;
 *     s[t + 32] = 0;
 *     __syncwarp();
 *     for (unsigned k = 16; k > 0; k >>= 1) {
 *         v += s[t + k];
 *         __syncwarp();
 *         s[t] = v;
 *         __syncwarp();
 *     }
 *     if (t == 0) out[0] = v;
 * }
 * void run(int *out, const int *in) { sum<<<1, 32>>>(out, in); }
 * ```
 *
 * ## How to fix
 * Read into a register, `__syncwarp()`, write, `__syncwarp()`; or guard the step with `if (t < k)`; or use two buffers
 * in turn; or shuffles.
 *
 * ## When it stays silent
 * When the lanes that write and the elements that are read do not meet, or meet a `__syncwarp()` apart.
 *
 * ## References
 * - CUDA C++ Programming Guide, `__syncwarp()`
 * - NVIDIA blog, Using CUDA Warp-Level Primitives (the shared-memory sum with two `__syncwarp()` per step)
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_masks.h"
#include "rules/report_names.h"
#include "rules/report_races.h"

/* It would stand between, had its mask not been mistyped: suspicious-mask-literal tells that. */
static bool has_wrong_mask(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    return race->between != UINT32_MAX && cw_has_odd_mask(ctx, race->between);
}

static void report_syncwarp_loop_race(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    if (has_wrong_mask(ctx, race))
        return;
    const char *call = race->between != UINT32_MAX ? cw_call_text(ctx, race->between) : "__syncwarp()";
    struct cw_finding *f = cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                                     "data race on %s between %s: %s is not between the two accesses",
                                     cw_race_what(ctx, race), cw_race_who(ctx, race), call);
    cw_report_race(ctx, f, race);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->in_warp && is->near_syncwarp;
}

CW_RACE_RULE(syncwarp_loop_race, is_mine, report_syncwarp_loop_race);
