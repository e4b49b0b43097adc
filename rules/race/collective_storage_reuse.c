/* collective-storage-reuse: the temporary storage of a block or warp collective is used again without a barrier
 *
 * ## What it does
 * Reports that the temporary storage of a collective of CUB (`cub::BlockReduce`, `cub::BlockScan`, `cub::WarpReduce`
 * and the others) is used again while another thread may still be at work in it: by the same call in a loop, by another
 * collective through a union or a cast, or by plain accesses to the same shared memory.
 *
 * ## Why it is wrong
 * "A subsequent __syncthreads() threadblock barrier should be invoked after calling this method if the collective's
 * temporary storage (e.g., temp_storage) is to be reused or repurposed" (CUB, every member of its block collectives;
 * its warp collectives ask for __syncwarp()). The collective returns as soon as the calling thread has its result. A
 * fast warp comes to the next use and overwrites what a slow one has not read: sums and ranks are wrong, rarely and
 * under load.
 *
 * ## Example
 * ```cuda bad
 * #include <cub/cub.cuh>
 * __global__ void running_sums(int *data, int rounds) {
 *     using Scan = cub::BlockScan<int, 128>;
 *     __shared__ typename Scan::TempStorage storage;
 *     for (int round = 0; round < rounds; round++) {
 *         int own = data[round * 128 + threadIdx.x], before;
 *         Scan(storage).ExclusiveSum(own, before);
 *         data[round * 128 + threadIdx.x] = before;
 *     }
 * }
 * void run(int *data) {
 *     running_sums<<<1, 128>>>(data, 16);
 * }
 * ```
 * A barrier at the end of the iteration; two uses with storage of their own need none:
 * ```cuda good
 * #include <cub/cub.cuh>
 * __global__ void running_sums(int *data, int rounds) {
 *     using Scan = cub::BlockScan<int, 128>;
 *     __shared__ typename Scan::TempStorage storage;
 *     for (int round = 0; round < rounds; round++) {
 *         int own = data[round * 128 + threadIdx.x], before;
 *         Scan(storage).ExclusiveSum(own, before);
 *         data[round * 128 + threadIdx.x] = before;
 *         __syncthreads();
 *     }
 * }
 * void run(int *data) {
 *     running_sums<<<1, 128>>>(data, 16);
 * }
 * ```
 *
 * ## How to fix
 * Put a `__syncthreads()` between the two uses (a `__syncwarp()` for a warp collective whose storage belongs to one
 * warp), or give the second use storage of its own. Warps never share one storage: index an array of it by the warp.
 *
 * ## When it stays silent
 * When each use has storage of its own; when a barrier stands on every path between two uses, also one inside another
 * collective; when the storage is used once; when the algorithm needs no storage (`BLOCK_LOAD_DIRECT`); when the calls
 * are in a template that nothing instantiates, or the collective's class is not known.
 *
 * ## References
 * - CUB: block-wide and warp-wide collectives, `@smemreuse` and `@smemwarpreuse`
 * - CUDA C++ Programming Guide, synchronization functions
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_names.h"
#include "rules/report_races.h"

static const struct cw_collective *collective_of(struct cw_rule_ctx *ctx, const struct cw_race_side *side) {
    return cw_collective_at(ctx->fn->ins.at[side->ins].intrinsic);
}

static const char *where_of(struct cw_rule_ctx *ctx, const struct cw_race_side *side) {
    const struct cw_collective *c = collective_of(ctx, side);
    return c ? cw_arena_printf(ctx->arena, " in %s::%s()", c->of->name, c->member) : "";
}

/* Both are collectives of warps, and the threads are in different ones. */
static bool is_shared_by_warps(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    const struct cw_collective *a = collective_of(ctx, &race->first), *b = collective_of(ctx, &race->second);
    return a && b && a->of->scope == CW_SCOPE_WARP && b->of->scope == CW_SCOPE_WARP &&
           race->first.thread / 32 != race->second.thread / 32;
}

/* What the implementation for whole warps exchanges through shuffles never touches the storage. */
static bool is_of_warp(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    const struct cw_collective *a = collective_of(ctx, &race->first), *b = collective_of(ctx, &race->second);
    return a && b && a->of->scope == CW_SCOPE_WARP && b->of->scope == CW_SCOPE_WARP && race->remedy == CW_REMEDY_WARP;
}

static void report_collective_storage_reuse(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    struct cw_finding *f =
        cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                  "temporary storage in '%s' is used again without a barrier: thread %u %s it%s, "
                  "thread %u may still %s it%s",
                  cw_name_of(ctx, race->base), race->second.thread, race->second.writes ? "writes" : "reads",
                  where_of(ctx, &race->second), race->first.thread, race->first.writes ? "write" : "read",
                  where_of(ctx, &race->first));
    cw_report_race(ctx, f, race);
    if (is_shared_by_warps(ctx, race))
        cw_report_help(ctx, f, "give each warp a storage of its own: an array of TempStorage, indexed by the warp");
    if (is_of_warp(ctx, race))
        cw_report_severity(f, CW_WARNING);
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->in_storage;
}

CW_RACE_RULE(collective_storage_reuse, is_mine, report_collective_storage_reuse);
