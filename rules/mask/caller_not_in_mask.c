/* caller-not-in-mask: a lane calls a warp collective with a mask that does not name it
 *
 * ## What it does
 * Reports warp collectives that are called by a lane whose own bit is not set in the mask it passes: a half-warp mask
 * in code that the whole warp runs, a mask for other lanes, a ballot that the caller said no to.
 *
 * ## Why it is wrong
 * "Each calling thread must have its own bit set in the mask", or "the result is undefined" (CUDA C++ Programming
 * Guide). On an H200 such a kernel gives right results as long as its lanes stay together, and stops with an illegal
 * instruction once they drift apart.
 *
 * ## Example
 * ```cuda bad --block 64
 * __global__ void half_sums(float *out, const float *in) {
 *     float v = in[threadIdx.x];
 *     for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(0xffff, v, d, 16);
 *     if (threadIdx.x % 16 == 0) out[threadIdx.x / 16] = v;
 * }
 * ```
 * ```cuda good --block 64
 * __global__ void half_sums(float *out, const float *in) {
 *     float v = in[threadIdx.x];
 *     for (int d = 8; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d, 16);
 *     if (threadIdx.x % 16 == 0) out[threadIdx.x / 16] = v;
 * }
 * ```
 *
 * ## How to fix
 * Name all lanes that make the call; `width` keeps halves apart. Or let only the named lanes call.
 *
 * ## When it stays silent
 * When exactly the named lanes call; when the mask cannot be known (a parameter, `__activemask()`); for masks that
 * suspicious-mask-literal reports. Without a known launch it is definite only if every ordinary block of more than one
 * warp shows it.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp vote, match, reduce and shuffle functions, `__syncwarp()`
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/masks.h"
#include "fix/make/masks.h"
#include "kernel/ask/values.h"
#include "rules/report_masks.h"
#include "rules/report_names.h"
#include "source/lexer.h"

#include <string.h>

/* The lanes of the fault's warp that surely call without being named. */
static uint32_t outside_lanes(const struct cw_mask_fault *fault) {
    uint32_t lanes = 0, first = fault->thread & ~31u, n = cw_lanes_count(cw_masks_lanes(fault->masks));
    for (uint32_t lane = 0; lane < 32 && first + lane < n; lane++)
        lanes |= (uint32_t)(cw_masks_outside(fault->masks, first + lane) == CW_REACH_YES) << lane;
    return lanes;
}

/* What a vote or a reduction of a part of the warp was meant to give, nobody can tell from here. */
static void fix_mask(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_mask_fault *fault) {
    struct cw_vec_u32 calls = {0};
    bool certain = true;
    for (uint32_t k = 0; k <= fault->also.n; k++) {
        uint32_t ins = k ? fault->also.at[k - 1] : fault->ins;
        enum cw_op op = (enum cw_op)ctx->fn->ins.at[ins].op;
        certain &= op == CW_OP_SHFL || op == CW_OP_SYNCWARP;
        cw_vec_push(ctx->arena, &calls, ins);
    }
    cw_fix_full_mask(ctx, finding, calls.at, calls.n, certain);
}

/* Is the mask a number that is written at the call? Then no argument of a template decides what it names. */
static bool is_written_there(struct cw_rule_ctx *ctx, uint32_t ins) {
    const char *mask = cw_argument_text(ctx, ins, 0);
    struct cw_lexer lexer;
    if (!mask)
        return false;
    cw_lexer_init(&lexer, mask, strlen(mask));
    return cw_lexer_next(&lexer).kind == CW_TOKEN_NUMBER && cw_lexer_next(&lexer).kind == CW_TOKEN_END;
}

/* A constant mask where positions alone say who of a warp calls: no size, assumed argument or unread bound decides, as
 * long as the block has a lane more than the mask. A function without its callers may be meant for the named lanes. */
static void settle_constant(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_mask_fault *fault) {
    const struct cw_ins *call = &ctx->fn->ins.at[fault->ins];
    cw_ref mask = cw_arg(ctx->fn, call, 0);
    bool is_by_position = ctx->uniformity->control_live[call->block] <= CW_UNI_WARP ||
                          cw_is_index_controlled(ctx->fn, ctx->uniformity, call->block);
    if (!is_by_position || ctx->fn->kind != CW_FN_KERNEL || mask.tag != CW_REF_CONST ||
        finding->confidence != CW_DEFINITE || (!ctx->launches->any_block && !ctx->launches->from_facts))
        return;
    finding->is_of_any_warp = is_written_there(ctx, fault->ins);
    finding->decision = cw_index_condition(ctx->fn, ctx->uniformity, mask);
    cw_report_textual(finding);
}

static void report_fault(struct cw_rule_ctx *ctx, const struct cw_mask_fault *fault) {
    uint32_t lanes = outside_lanes(fault);
    bool one = lanes != 0 && (lanes & (lanes - 1)) == 0;
    const char *who = "depending on the data, lanes";
    if (lanes != 0)
        who = cw_arena_printf(ctx->arena, "%s of warp %u", cw_lanes_text(ctx, lanes), fault->thread / 32);
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                                     "%s execute%s %s but %s not in its %s (undefined behaviour)", who,
                                     one ? "s" : "", cw_call_text(ctx, fault->ins), one ? "is" : "are",
                                     cw_mask_text(ctx, fault));
    cw_report_mask_fault(ctx, f, fault);
    settle_constant(ctx, f, fault);
    cw_report_help(ctx, f,
                   "name every lane that executes the call in its mask, or let only the named lanes execute it");
    fix_mask(ctx, f, fault);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(caller_not_in_mask) {
    const struct cw_mask_faults *faults = cw_kernel_mask_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_mask_fault *fault = &faults->at.at[k];
        if (fault->is_caller_outside && !cw_has_odd_mask(ctx, fault->ins))
            report_fault(ctx, fault);
    }
}
