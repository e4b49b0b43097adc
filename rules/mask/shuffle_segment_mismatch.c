/* shuffle-segment-mismatch: the steps of a shuffle tree do not fit the width of its segments
 *
 * ## What it does
 * Reports `__shfl_down_sync`, `__shfl_up_sync` and `__shfl_xor_sync`, and tile shuffles, by a distance that is not less
 * than the width of the segments, when the result is used; and loops that halve the distance down to 1 but begin below
 * half of a width below 32 that was written, or of a tile.
 *
 * ## Why it is wrong
 * With a width below 32 "each subsection of the warp behaves as a separate entity" (CUDA C++ Programming Guide, warp
 * shuffle functions). A step as long as the segment finds nobody: down and up give every lane its own value back, so
 * that a sum counts it twice, and xor gives some lanes the value of another segment. A tree that begins too low leaves
 * part of the segment out.
 *
 * ## Example
 * ```cuda bad
 * __global__ void octets(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1)
 *         v += __shfl_down_sync(0xffffffff, v, d, 8);
 *     if (threadIdx.x % 8 == 0)
 *         out[threadIdx.x / 8] = v;
 * }
 * ```
 * ```cuda good
 * __global__ void octets(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     for (int d = 4; d > 0; d >>= 1)
 *         v += __shfl_down_sync(0xffffffff, v, d, 8);
 *     if (threadIdx.x % 8 == 0)
 *         out[threadIdx.x / 8] = v;
 * }
 * ```
 * Half of each segment is left out:
 * ```cuda bad
 * __global__ void halves(int *out, const int *in) {
 *     int v = in[threadIdx.x];
 *     for (int d = 4; d > 0; d >>= 1)
 *         v += __shfl_xor_sync(0xffffffff, v, d, 16);
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Begin at half the width: `for (int d = width / 2; d > 0; d >>= 1)`, with one constant for both.
 *
 * ## When it stays silent
 * When what the step gave is dropped (`lane % 8 + d < 8 ? other : 0`); when another shuffle of that width, before or
 * after the loop, may do the missing step; when the lanes that a tree leaves out carry a constant; when distance or
 * width cannot be known; for a width of 32, in which a tree that begins at 8 may well be meant for 16 lanes. A tree
 * over part of a tile is possible only. Without a known launch a finding is definite only if every ordinary block of
 * more than one warp shows it.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.2
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/shuffles.h"
#include "kernel/ask/values.h"
#include "rules/report_shuffles.h"

/* ---- steps as long as the segment ---- */

/* swapped-shuffle-arguments has it: 32, or warpSize, as the distance and less as the width. */
static bool is_told_elsewhere(const struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *fault) {
    const struct cw_ins *i = &ctx->fn->ins.at[fault->ins];
    cw_ref by = cw_arg(ctx->fn, i, 2);
    int64_t number;
    return fault->by == 32 && fault->width < 32 && !(i->flags & (CW_INS_DEFAULT_WIDTH | CW_INS_LEGACY)) &&
           cw_ref_type(ctx->fn, cw_arg(ctx->fn, i, 0)) != CW_GROUP &&
           (by.tag == CW_REF_SREG || cw_ref_const(ctx->fn, by, &number));
}

static const char *what_lanes_get(const struct cw_ins *ins, const struct cw_shuffle_fault *fault) {
    if (fault->by > 31 && fault->by % 32 != 0)
        return "taken modulo 32";
    return ins->aux == CW_SHFL_XOR && fault->by % 32 != 0 ? "each lane gets the value of another segment, or its own"
                                                    : "each lane gets its own value back";
}

static void report_outside(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *fault) {
    const struct cw_ins *i = &ctx->fn->ins.at[fault->ins];
    struct cw_finding *f =
        cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins, "delta %d with width %u%s: %s",
                  (int)fault->by, fault->width, "", what_lanes_get(i, fault));
    cw_report_shuffle_fault(ctx, f, fault);
    if (ctx->fn->cfg->loop_of[i->block] != CW_NO_LOOP && fault->width > 1)
        cw_report_help(ctx, f, "use offsets from %u down to 1, or a larger width", fault->width / 2);
    else
        cw_report_help(ctx, f, "the offset must be less than the width%s",
                       fault->width < 32 ? "; or use a larger width" : "");
    cw_report_submit(ctx, f);
}

/* ---- trees that begin too low ---- */

static void check_begin(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    uint32_t width = cw_shuffle_written_width(ctx->fn, i), begin = 0, shown = 0;
    if (width == 0 || i->aux == CW_SHFL_IDX || i->aux == CW_SHFL_UP || ctx->fn->cfg->loop_of[i->block] == CW_NO_LOOP)
        return;
    for (uint32_t n = 0; n < ctx->launches->n; n++) {
        uint32_t at = cw_shuffle_low_begin(cw_kernel_lanes(ctx->kernel, n, 0), ctx->fn, ins);
        shown += at > 0;
        begin = at > 0 ? at : begin;
    }
    if (shown == 0)
        return;
    /* A tile's size is not chosen for this tree: parts of it may be meant. */
    bool definite = shown == ctx->launches->n && cw_ref_type(ctx->fn, cw_arg(ctx->fn, i, 0)) != CW_GROUP;
    struct cw_finding *f =
        cw_report(ctx, definite ? CW_DEFINITE : CW_POSSIBLE, ins,
                  "the reduction starts at offset %u with width %u: it covers only %u of the %u lanes", begin, width,
                  2 * begin, width);
    cw_report_help(ctx, f, "start at half the width, %u, or use width %u", width / 2, 2 * begin);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(shuffle_segment_mismatch) {
    const struct cw_shuffle_faults *faults = cw_kernel_sources_outside_tree(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (!is_told_elsewhere(ctx, &faults->at.at[k]))
            report_outside(ctx, &faults->at.at[k]);
    struct cw_vec_u32 shuffles = cw_reachable_ops(ctx->fn, CW_OP_SHFL, ctx->arena);
    for (uint32_t k = 0; k < shuffles.n; k++)
        check_begin(ctx, shuffles.at[k]);
}
