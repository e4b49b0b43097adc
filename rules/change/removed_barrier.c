/* removed-barrier: a change took a barrier away, and nothing takes its place
 *
 * ## What it does
 * Compares each function with what it was before (`--since REF`, `--staged`) and reports barriers and `__syncwarp()`
 * that are gone while the lines around them stayed, in functions that store to shared memory. A barrier for fewer
 * threads does not take its place, and is named.
 *
 * ## Why it is wrong
 * "__syncthreads() is used to coordinate communication between the threads of the same block" (CUDA C++ Programming
 * Guide). Where one was needed the code may go on to give right results for a long time: on the next architecture, with
 * another block size or another compiler it does not. A barrier that went by mistake, or to gain speed in an
 * experiment, is easily missed in a review: the lines that break are not in the diff.
 *
 * ## Example
 * Lines with `-` are from before, those with `+` from now:
 * ```cuda bad --since HEAD --ignore race
 *  __global__ void reverse(int *data) {
 *      __shared__ int s[64];
 *      s[threadIdx.x] = data[threadIdx.x];
 * -    __syncthreads();
 *      data[threadIdx.x] = s[63 - threadIdx.x];
 *  }
 *  void run(int *data) { reverse<<<1, 64>>>(data); }
 * ```
 * A stronger barrier may take its place:
 * ```cuda good --since HEAD
 *  __global__ void reverse(int *data) {
 *      __shared__ int s[32];
 *      s[threadIdx.x] = data[threadIdx.x];
 * -    __syncwarp();
 * +    __syncthreads();
 *      data[threadIdx.x] = s[31 - threadIdx.x];
 *  }
 *  void run(int *data) { reverse<<<1, 32>>>(data); }
 * ```
 *
 * ## How to fix
 * Put it back. If it was not needed, say why in the commit, and silence the finding once with
 * `// cuwarp: ignore[removed-barrier] -- reason`.
 *
 * ## When it stays silent
 * Without a version to compare with; when as many barriers of the kind, or stronger ones, are in the kernel as before,
 * wherever they moved; when the code around the barrier went with it; in functions that do not store to shared memory.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions
 */
#include "rules/rule.h"

#include "rules/hook_versions.h"

static void report_removed_barrier(struct cw_versions_ctx *ctx, const struct cw_lost_barrier *lost) {
    struct cw_finding *f =
        *lost->weaker ? cw_report_change(ctx, lost->sync, lost->next,
                                         "%s was removed before this line; %s, which replaces it, synchronises "
                                         "fewer threads",
                                         lost->call, lost->weaker)
                      : cw_report_change(ctx, lost->sync, lost->next,
                                         "%s was removed before this line and not replaced", lost->call);
    f->help = "restore it, or make sure that no thread reads here what another one writes";
    f->yields_to_race = true;
}

static void check_versions(struct cw_versions_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->changes->lost.n; i++)
        if (!ctx->changes->lost.at[i].is_commented)
            report_removed_barrier(ctx, &ctx->changes->lost.at[i]);
}

CW_RULE_HOOKS(removed_barrier, .versions = check_versions);
