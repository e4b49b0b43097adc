/* syncwarp-across-warps: only __syncwarp() orders accesses of threads in different warps
 *
 * ## What it does
 * Reports accesses to the same bytes by threads of different warps where the only synchronisation between is
 * `__syncwarp()` or the `sync()` of a tile. When the value that races is never used, as in the upper lanes of a
 * warp-level tail that every warp of the block runs, it is an information only.
 *
 * ## Why it is wrong
 * `__syncwarp()` "will cause the executing thread to wait until all warp lanes named in mask have executed a
 * __syncwarp() (with the same mask) before resuming execution" and "guarantees memory ordering among threads
 * participating in the barrier" (CUDA C++ Programming Guide, warp synchronization). Threads of other warps do not
 * participate: neither waits for the other, and their accesses are as unordered as without it.
 *
 * ## Example
 * ```cuda bad
 * __global__ void mirror(int *out, const int *in) {
 *     __shared__ int s[64];
 *     int t = threadIdx.x;
 *     s[t] = in[t];
 *     __syncwarp();
 *     out[t] = s[63 - t];
 * }
 * void run(int *out, const int *in) {
 *     mirror<<<1, 64>>>(out, in);
 * }
 * ```
 * Within each warp's own half it is right:
 * ```cuda good
 * __global__ void mirror(int *out, const int *in) {
 *     __shared__ int s[64];
 *     int t = threadIdx.x;
 *     s[t] = in[t];
 *     __syncwarp();
 *     out[t] = s[t ^ 31];
 * }
 * void run(int *out, const int *in) {
 *     mirror<<<1, 64>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Use `__syncthreads()` (or `block.sync()`) where data crosses warps. For the leftovers of a tail let only the first
 * warp run it (`if (threadIdx.x < 32)`), or let the lanes that would read past their warp keep their value.
 *
 * ## When it stays silent
 * When the block is one warp; when each warp works on its own slice, row or line; when a block barrier stands between
 * as well; when a tile's sync orders threads of that tile.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp synchronization; CUDA 13 Programming Guide §5.4.4
 * - Cooperative Groups, thread block tiles
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_names.h"
#include "rules/report_races.h"

static void report_syncwarp_across_warps(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    const char *call = race->between != UINT32_MAX ? cw_call_text(ctx, race->between) : "__syncwarp()";
    struct cw_finding *f = cw_report(
        ctx, cw_race_confidence(race), cw_race_ins(race),
        "data race on %s between %s%s: they are in different warps, which %s does not synchronise",
        cw_race_what(ctx, race), cw_race_who(ctx, race), race->unused ? " (the value is not used)" : "", call);
    cw_report_race(ctx, f, race);
    if (race->unused)
        cw_report_severity(f, CW_INFO);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return !is->in_warp && is->crosses_syncwarp;
}

CW_RACE_RULE(syncwarp_across_warps, is_mine, report_syncwarp_across_warps);
