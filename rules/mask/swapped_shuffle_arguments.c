/* swapped-shuffle-arguments: mask and value, or lane and width, in each other's place
 *
 * ## What it does
 * Reports warp collectives whose mask is a comparison or the all-ones constant sits where the value belongs; shuffles
 * by 32 lanes with a smaller width; and `__shfl_sync(mask, v, warpSize / 2)`, which reads lane 16 where a broadcast
 * within each half was meant.
 *
 * ## Why it is wrong
 * "Each calling thread must have its own bit set in the mask" (CUDA C++ Programming Guide): a mask that is thread data
 * names arbitrary lanes. The compiler accepts every order, since all four parameters are integers. A shuffle by
 * `warpSize` lanes leaves every value as it is.
 *
 * ## Example
 * ```cuda bad
 * __global__ void share(int *data) {
 *     int v = data[threadIdx.x];
 *     data[threadIdx.x] = __shfl_sync(v, 0xffffffff, 0);
 * }
 * ```
 * ```cuda good
 * __global__ void share(int *data) {
 *     int v = data[threadIdx.x];
 *     data[threadIdx.x] = __shfl_sync(0xffffffff, v, 0);
 * }
 * ```
 * A broadcast within each half of the warp:
 * ```cuda bad
 * __global__ void halves(int *data) {
 *     int v = data[threadIdx.x];
 *     data[threadIdx.x] = __shfl_sync(0xffffffff, v, warpSize / 2);
 * }
 * ```
 * ```cuda good
 * __global__ void halves(int *data) {
 *     int v = data[threadIdx.x];
 *     data[threadIdx.x] = __shfl_sync(0xffffffff, v, 0, warpSize / 2);
 * }
 * ```
 *
 * ## How to fix
 * The order is: mask, value, lane (or distance), width.
 *
 * ## When it stays silent
 * For masks computed by ballots, `__activemask()`, matches and bit arithmetic, and for lanes written as numbers:
 * `__shfl_sync(mask, v, 16)` reads lane 16 and says so.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions and warp vote functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rules 2.1 and 2.2
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "fix/make/masks.h"
#include "rules/report_names.h"

#include <string.h>
static struct cw_finding *begin_finding(struct cw_rule_ctx *ctx, uint32_t ins, const char *what, const char *help) {
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, ins, "%s", what);
    cw_report_help(ctx, f, "%s", help);
    cw_report_textual(f);
    return f;
}

static const struct cw_ins *through_casts(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    while (i != NULL && (i->op == CW_OP_ZEXT || i->op == CW_OP_SEXT || i->op == CW_OP_TRUNC))
        i = cw_ins_of(fn, cw_arg(fn, i, 0));
    return i;
}

/* Integers that hold data: read from memory, computed from floats, or handed on by a shuffle. */
static bool is_data(const struct cw_ins *ins) {
    return ins->op == CW_OP_LOAD || ins->op == CW_OP_PURE || (ins->op == CW_OP_SHFL && cw_type_is_int(ins->type));
}

static bool is_all_ones(const struct cw_fn *fn, cw_ref ref) {
    int64_t v;
    return cw_ref_const(fn, ref, &v) && (v == -1 || v == UINT32_MAX);
}

static bool mask_is_value(struct cw_rule_ctx *ctx, const struct cw_ins *ins) {
    const struct cw_fn *fn = ctx->fn;
    cw_ref mask = cw_arg(fn, ins, 0);
    const struct cw_ins *source = through_casts(fn, mask);
    if (source == NULL || cw_ref_type(fn, mask) == CW_GROUP || cw_uni_of(ctx->uniformity, mask) <= CW_UNI_WARP)
        return false;
    bool mask_elsewhere =
        is_all_ones(fn, cw_arg(fn, ins, 1)) || (ins->op == CW_OP_SHFL && is_all_ones(fn, cw_arg(fn, ins, 2)));
    return source->type == CW_I1 || (mask_elsewhere && is_data(source));
}

static bool is_warp_size(const struct cw_fn *fn, cw_ref ref) {
    int64_t v;
    return (ref.tag == CW_REF_SREG && ref.index == CW_WARPSIZE) || (cw_ref_const(fn, ref, &v) && v == 32);
}

static bool lane_is_width(struct cw_rule_ctx *ctx, const struct cw_ins *ins) {
    return !(ins->flags & CW_INS_DEFAULT_WIDTH) && is_warp_size(ctx->fn, cw_arg(ctx->fn, ins, 2)) &&
           !is_warp_size(ctx->fn, cw_arg(ctx->fn, ins, 3)) && cw_ref_type(ctx->fn, cw_arg(ctx->fn, ins, 0)) != CW_GROUP;
}

/* A part of warpSize given as the lane, in so many words. */
static bool half_as_lane(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    if (i->aux != CW_SHFL_IDX || !(i->flags & CW_INS_DEFAULT_WIDTH))
        return false;
    const char *text = cw_argument_text(ctx, ins, 2);
    return text != NULL && strncmp(text, "warpSize", 8) == 0 && strpbrk(text, "/>") != NULL &&
           strpbrk(text, "+-*%&|^") == NULL;
}

static void report_value(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    const char *what = cw_arena_printf(ctx->arena, "the mask is per-thread data (%s): mask and value look swapped",
                                       cw_name_of(ctx, cw_arg(ctx->fn, i, 0)));
    struct cw_finding *f = begin_finding(ctx, ins, what, "the first argument is the mask of the participating lanes");
    if (is_all_ones(ctx->fn, cw_arg(ctx->fn, i, 1)))
        cw_fix_swap(ctx, f, ins, 0, 1, true);
    cw_report_submit(ctx, f);
}

static void report_width(struct cw_rule_ctx *ctx, uint32_t ins) {
    const char *help = "the third argument is the lane or distance, the fourth the width";
    struct cw_finding *f = begin_finding(ctx, ins, "source lane 32 is out of range: lane and width look swapped", help);
    cw_fix_swap(ctx, f, ins, 2, 3, false);
    cw_report_submit(ctx, f);
}

static void report_half(struct cw_rule_ctx *ctx, uint32_t ins) {
    const char *lane = cw_argument_text(ctx, ins, 2);
    const char *what = cw_arena_printf(ctx->arena, "%s is the lane to read here, not the width", lane);
    struct cw_finding *f = begin_finding(
        ctx, ins, what, "for a broadcast within each part of the warp write __shfl_sync(mask, value, 0, width)");
    cw_fix_insert_argument(ctx, f, ins, 2, "0");
    cw_report_submit(ctx, f);
}

static void check_call(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    if ((i->op != CW_OP_SHFL && i->op != CW_OP_VOTE) || (i->flags & CW_INS_LEGACY))
        return;
    if (mask_is_value(ctx, i))
        report_value(ctx, ins);
    else if (i->op == CW_OP_SHFL && lane_is_width(ctx, i))
        report_width(ctx, ins);
    else if (i->op == CW_OP_SHFL && half_as_lane(ctx, ins))
        report_half(ctx, ins);
}

CW_RULE_CHECK(swapped_shuffle_arguments) {
    struct cw_vec_u32 calls = cw_reachable_collectives(ctx->fn, ctx->arena);
    for (uint32_t k = 0; k < calls.n; k++)
        check_call(ctx, calls.at[k]);
}
