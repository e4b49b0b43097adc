/* collective-as-fence: a shuffle, vote or other warp collective is taken for a barrier that orders memory
 *
 * ## What it does
 * Reports two lanes of a warp that touch one byte, one of them writing, with nothing between but a collective that
 * orders no memory: a shuffle, vote, match, reduction or `__activemask()`.
 *
 * ## Why it is wrong
 * Collectives with `_sync` make lanes meet, they do not make their memory accesses visible to each other: shuffles,
 * votes, match and reduce functions "do not guarantee any memory ordering" (CUDA 13 Programming Guide §5.4.6). Only
 * `__syncwarp()` "guarantees memory ordering among threads participating in the barrier". The compiler may move the
 * load above the collective, or the store below it.
 *
 * ## Example
 * ```cuda bad --block 32
 * __global__ void mirror(int *out, const int *in) {
 *     __shared__ int box[32];
 *     unsigned lane = threadIdx.x;
 *     box[lane] = in[lane];
 *     int any = __any_sync(0xffffffff, in[lane] != 0);
 *     out[lane] = any + box[31 - lane];
 * }
 * ```
 * ```cuda good --block 32
 * __global__ void mirror(int *out, const int *in) {
 *     __shared__ int box[32];
 *     unsigned lane = threadIdx.x;
 *     box[lane] = in[lane];
 *     int any = __any_sync(0xffffffff, in[lane] != 0);
 *     __syncwarp();
 *     out[lane] = any + box[31 - lane];
 * }
 * ```
 *
 * ## How to fix
 * Add a `__syncwarp()` with the same mask beside the collective, or move the data itself with the shuffle.
 *
 * ## When it stays silent
 * When a `__syncwarp()`, tile `sync()` or block barrier also stands between; when the collective moves the data (what
 * one lane passes to another by a shuffle is no memory); when each lane reads back what it wrote itself.
 *
 * ## References
 * - CUDA 13 Programming Guide §5.4.6, warp vote, match, reduce and shuffle functions
 * - CUDA C++ Programming Guide, `__syncwarp()`
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_names.h"
#include "rules/report_races.h"

static void report_collective_as_fence(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    const char *call = race->between != UINT32_MAX ? cw_call_text(ctx, race->between) : "the collective";
    struct cw_finding *f = cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                                     "data race on %s between %s: %s is not a memory barrier", cw_race_what(ctx, race),
                                     cw_race_who(ctx, race), call);
    cw_report_race(ctx, f, race);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->in_warp && is->crosses_collective;
}

CW_RACE_RULE(collective_as_fence, is_mine, report_collective_as_fence);
