/* tile-size-not-power-of-two: a tile whose size is not a power of two, or too large for a warp
 *
 * ## What it does
 * Reports `tiled_partition()` with a size that is known and not 1, 2, 4, 8, 16 or 32 (as a template argument also 64 to
 * 1024).
 *
 * ## Why it is wrong
 * "The size of the tile must be a power of two"; the run-time form supports sizes up to 32 (CUDA C++ Programming Guide,
 * Cooperative Groups). The template form refuses other sizes when it is compiled; the run-time form makes a group of
 * the wrong threads.
 *
 * ## Example
 * ```cuda bad
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void k(int *out) {
 *     cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 24);
 *     tile.sync();
 *     out[threadIdx.x] = tile.thread_rank();
 * }
 * ```
 * ```cuda good
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void k(int *out) {
 *     cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), 16);
 *     tile.sync();
 *     out[threadIdx.x] = tile.thread_rank();
 * }
 * ```
 *
 * ## How to fix
 * Take the next power of two and let the surplus threads of a tile do nothing.
 *
 * ## When it stays silent
 * When the size cannot be known, or differs between launches.
 *
 * ## References
 * - CUDA C++ Programming Guide, Cooperative Groups, `tiled_partition`
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "rules/report_witness.h"

enum { MAX_TILE = 1024 };

static bool is_power(int64_t size) {
    return size >= 1 && size <= MAX_TILE && (size & (size - 1)) == 0;
}

/* The size for every thread under every launch, which must be facts; a constant needs none. */
static bool size_of(struct cw_rule_ctx *ctx, cw_ref ref, int64_t *size) {
    if (cw_ref_const(ctx->fn, ref, size))
        return true;
    for (uint32_t n = 0; ctx->launches->from_facts && n < ctx->launches->n; n++) {
        struct cw_lanes *l = cw_kernel_lanes(ctx->kernel, n, 0);
        const struct cw_lane_values *v = l ? cw_lanes_eval(l, ref, NULL) : NULL;
        if (v == NULL || v->worst != CW_EXACT)
            return false;
        for (uint32_t t = 0; t < cw_lanes_count(l); t++)
            if (v->value[t] != v->value[0] || (n > 0 && v->value[t] != *size))
                return false;
        *size = v->value[0];
    }
    return ctx->launches->from_facts && ctx->launches->n > 0;
}

static void check_tile(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    int64_t size;
    cw_ref r = cw_arg(ctx->fn, i, 1);
    bool fixed = cw_ref_const(ctx->fn, r, &size), in_loop = ctx->fn->cfg->loop_of[i->block] != CW_NO_LOOP;
    if ((!fixed && in_loop) || !size_of(ctx, r, &size) || is_power(size))
        return;
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, ins, "tile size %lld is not a power of two", (long long)size);
    if (fixed)
        cw_report_textual(f);
    else
        cw_report_launch(ctx, f, cw_kernel_lanes(ctx->kernel, 0, 0));
    cw_report_help(ctx, f, "use a tile of 1, 2, 4, 8, 16 or 32 threads");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(tile_size_not_power_of_two) {
    const struct cw_fn *fn = ctx->fn;
    struct cw_vec_u32 groups = cw_reachable_ops(fn, CW_OP_GROUP, ctx->arena);
    for (uint32_t k = 0; k < groups.n; k++) {
        const struct cw_ins *i = &fn->ins.at[groups.at[k]];
        if (i->aux == CW_GROUP_TILE && i->narg > 1)
            check_tile(ctx, groups.at[k]);
    }
}
