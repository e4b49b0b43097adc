/* low-occupancy-launch: blocks too small, or of a size that leaves lanes of their last warp unused
 *
 * ## What it does
 * Reports kernels whose launches in the same file are known and give a block fewer than 64 threads, or a number of
 * threads that leaves an eighth or more of the lanes of its warps empty. In preview, and off by default.
 *
 * ## Why it is wrong
 * It is right, but slow: a multiprocessor holds at most 32 blocks (16 on sm_75), so blocks of 32 threads fill half of
 * its 2048 places at most; and "threads per block should be a multiple of warp size to avoid wasting computation on
 * under-populated warps" (CUDA C++ Best Practices Guide, thread and block heuristics). On an H200 a copy with one
 * element a thread took 6.4 times as long in blocks of 32 as in blocks of 256.
 *
 * ## Example
 * ```cuda bad --preview
 * __global__ void scale(float *data, float by) {
 *     data[blockIdx.x * 32 + threadIdx.x] *= by;
 * }
 * void run(float *data, float by) {
 *     scale<<<4096, 32>>>(data, by);
 * }
 * ```
 * ```cuda good --preview
 * __global__ void scale(float *data, float by) {
 *     data[blockIdx.x * 256 + threadIdx.x] *= by;
 * }
 * void run(float *data, float by) {
 *     scale<<<512, 256>>>(data, by);
 * }
 * ```
 *
 * ## How to fix
 * Use 128 to 256 threads for a block, a multiple of 32, and let each block do the work of several small ones.
 *
 * ## When it stays silent
 * When the launch is not in the file or its shape not constant; when one launch of several is large enough; for a grid
 * of a single block, which is no matter of speed; for a template of which a `switch` over block sizes makes several.
 * Kernels that give all of the shared memory to one warp on purpose are told all the same: suppress it there.
 *
 * ## References
 * - CUDA C++ Best Practices Guide, thread and block heuristics
 */
#include "rules/rule.h"

#include "kernel/ask/values.h"
#include "rules/report_uses.h"

enum { FEW = 64, IDLE_PARTS = 8 };

static uint32_t idle_lanes(uint32_t threads) {
    return (32 - threads % 32) % 32;
}

static bool is_wasteful(uint32_t threads) {
    return threads < FEW || idle_lanes(threads) * IDLE_PARTS >= threads + idle_lanes(threads);
}

static bool is_single_block(const struct cw_launch *launch) {
    return launch->grid_known && (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] == 1;
}

/* The first launch, when all of them waste; NULL otherwise. */
static const struct cw_launch *wasteful_launch(const struct cw_launches *all) {
    const struct cw_launch *first = NULL;
    for (uint32_t k = 0; k < all->n; k++) {
        const struct cw_launch *l = &all->at[k];
        if (l->source != CW_LAUNCH_SITE || is_single_block(l) || !is_wasteful(cw_launch_threads(l)))
            return NULL;
        first = first != NULL ? first : l;
    }
    return first;
}

CW_RULE_CHECK(low_occupancy_launch) {
    bool ask = ctx->launches->from_facts && !ctx->launches->incomplete && !cw_rule_has_siblings(ctx);
    const struct cw_launch *l = ask ? wasteful_launch(ctx->launches) : NULL;
    if (l == NULL)
        return;
    uint32_t threads = cw_launch_threads(l), idle = idle_lanes(threads);
    struct cw_finding *f;
    if (idle != 0)
        f = cw_report_span(ctx, CW_DEFINITE, l->span, "blocks of %u thread%s leave %u of %u lanes unused", threads,
                           threads == 1 ? "" : "s", idle, threads + idle);
    else
        f = cw_report_span(ctx, CW_DEFINITE, l->span, "blocks of %u threads limit occupancy (blocks per SM)", threads);
    cw_report_help(ctx, f, "use 128 to 256 threads for a block, a multiple of 32");
    cw_report_submit(ctx, f);
}
