/* bad-shuffle-width: a shuffle width that is not a power of two between 1 and 32
 *
 * ## What it does
 * Reports `__shfl_*_sync` calls whose width is known and not 1, 2, 4, 8, 16 or 32, as a constant or for a known launch.
 *
 * ## Why it is wrong
 * The width "must have a value which is a power of two in the range [1, warpSize]" (CUDA C++ Programming Guide, warp
 * shuffle functions); anything else is undefined. Hardware computes the segment with bit masks, so a width of 24 reads
 * lanes nobody meant.
 *
 * ## Example
 * ```cuda bad
 * __global__ void k(int *out) {
 *     int v = threadIdx.x;
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 24);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * Segments of eight lanes instead:
 * ```cuda good
 * __global__ void k(int *out) {
 *     int v = threadIdx.x;
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 8);
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Use the next power of two and let the surplus lanes carry the neutral element. A width of 64 or of `blockDim.x` means
 * that data must cross warps: combine the warps' results through shared memory.
 *
 * ## When it stays silent
 * When the width is a parameter or otherwise cannot be known.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.2
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "rules/report_witness.h"

static bool is_valid(int64_t width) {
    return width >= 1 && width <= 32 && (width & (width - 1)) == 0;
}

static struct cw_finding *begin_finding(struct cw_rule_ctx *ctx, enum cw_confidence confidence, uint32_t ins,
                                        int64_t width) {
    struct cw_finding *f = cw_report(ctx, confidence, ins, "shuffle width %lld is not a power of two in 1..32",
                                     (long long)width);
    cw_report_help(ctx, f, "use a width of 1, 2, 4, 8, 16 or 32");
    return f;
}

/* The width of a thread that surely calls, when it is exact and wrong under this launch. */
static bool wrong_under(struct cw_rule_ctx *ctx, struct cw_lanes *lanes, uint32_t ins, int64_t *width) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    const struct cw_context *first = cw_lanes_first(lanes, i->block);
    const struct cw_lane_values *v = cw_lanes_eval(lanes, cw_arg(ctx->fn, i, 3), first);
    const uint8_t *comes = cw_lanes_reach(lanes, i->block, first);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++)
        if (comes[t] == CW_REACH_YES && v->known[t] == CW_EXACT && !is_valid(v->value[t])) {
            *width = v->value[t];
            return true;
        }
    return false;
}

/* A width that follows from the block shape: definite for a known launch, or when every ordinary shape makes it wrong.
 */
static void check_launches(struct cw_rule_ctx *ctx, uint32_t ins) {
    uint32_t wrong = 0, first = 0;
    int64_t width = 0, last;
    for (uint32_t l = 0; l < ctx->launches->n; l++)
        if (wrong_under(ctx, cw_kernel_lanes(ctx->kernel, l, 0), ins, &last) && wrong++ == 0) {
            first = l;
            width = last;
        }
    if (wrong == 0)
        return;
    bool sure = ctx->launches->from_facts || wrong == ctx->launches->n;
    struct cw_finding *f = begin_finding(ctx, sure ? CW_DEFINITE : CW_POSSIBLE, ins, width);
    cw_report_launch(ctx, f, cw_kernel_lanes(ctx->kernel, first, 0));
    cw_report_submit(ctx, f);
}

static void check_shuffle(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    cw_ref width = cw_arg(ctx->fn, i, 3);
    int64_t value;
    if ((i->flags & CW_INS_DEFAULT_WIDTH) || (width.tag != CW_REF_INS && width.tag != CW_REF_CONST &&
                                              width.tag != CW_REF_SREG))
        return;
    if (!cw_ref_const(ctx->fn, width, &value)) {
        check_launches(ctx, ins);
    } else if (!is_valid(value)) {
        struct cw_finding *f = begin_finding(ctx, CW_DEFINITE, ins, value);
        cw_report_textual(f);
        cw_report_submit(ctx, f);
    }
}

CW_RULE_CHECK(bad_shuffle_width) {
    struct cw_vec_u32 shuffles = cw_reachable_ops(ctx->fn, CW_OP_SHFL, ctx->arena);
    for (uint32_t k = 0; k < shuffles.n; k++)
        check_shuffle(ctx, shuffles.at[k]);
}
