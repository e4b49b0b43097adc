/* narrow-lane-index: threadIdx.x % 32 taken for the lane in a block where it is not
 *
 * ## What it does
 * Reports `threadIdx.x % 32` (or `& 31`) used as a lane: as the source of a shuffle, in a mask, or to choose the leader of a
 * warp after a warp-wide collective, in a kernel whose known launch has rows of threads that are not whole warps.
 *
 * ## Why it is wrong
 * Warps are cut from the linear thread index, `x + y * Dx + z * Dx * Dy` (CUDA C++ Programming Guide, thread hierarchy). In
 * a block of 16 by 16 threads `threadIdx.x % 32` is 0 in lanes 0 and 16 of every warp and never above 15: shuffles read the
 * wrong lane and two threads take themselves for the leader.
 *
 * ## Example
 * ```cuda bad
 * __global__ void rows(float *out, const float *in) {
 *     int t = threadIdx.y * blockDim.x + threadIdx.x;
 *     float v = in[t];
 *     for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x % 32 == 0) atomicAdd(out, v);
 * }
 * void go(float *out, const float *in) { rows<<<1, dim3(16, 16)>>>(out, in); }
 * ```
 * ```cuda good
 * __global__ void rows(float *out, const float *in) {
 *     int t = threadIdx.y * blockDim.x + threadIdx.x;
 *     float v = in[t];
 *     for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
 *     if (t % 32 == 0) atomicAdd(out, v);
 * }
 * void go(float *out, const float *in) { rows<<<1, dim3(16, 16)>>>(out, in); }
 * ```
 *
 * ## How to fix
 * Take the remainder of the linear thread index, read `%laneid`, or ask `cg::tiled_partition<32>(block).thread_rank()`.
 *
 * ## When it stays silent
 * When no launch is known, when rows are whole warps, when shuffles work on segments narrower than a warp, and where the
 * value is an ordinary index and not a lane.
 *
 * ## References
 * - CUDA C++ Programming Guide, thread hierarchy; warp shuffle functions
 */
#include "rules/rule.h"

#define MAX_DEPTH 8 /* operands followed from a use back to the index */

static bool is_thread_x(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    while (i != NULL && (i->op == CW_OP_ZEXT || i->op == CW_OP_SEXT || i->op == CW_OP_TRUNC)) {
        r = cw_arg(fn, i, 0);
        i = cw_ins_of(fn, r);
    }
    return r.tag == CW_REF_SREG && r.index == CW_TID_X;
}

static bool is_narrow_index(const struct cw_fn *fn, const struct cw_ins *i) {
    int64_t by;
    bool remainder = i->op == CW_OP_UREM || i->op == CW_OP_SREM;
    return (remainder || i->op == CW_OP_AND) && cw_ref_const(fn, cw_arg(fn, i, 1), &by) && by == (remainder ? 32 : 31) &&
           is_thread_x(fn, cw_arg(fn, i, 0));
}

static bool depends(const struct cw_fn *fn, cw_ref r, uint32_t on, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (i == NULL || depth == MAX_DEPTH)
        return false;
    if (r.index == on)
        return true;
    if (!(cw_op_flags(i->op) & CW_OP_P) || i->op == CW_OP_PHI)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (depends(fn, cw_arg(fn, i, k), on, depth + 1))
            return true;
    return false;
}

/* A collective of the whole warp (not of narrower segments). */
static bool is_warp_wide(const struct cw_fn *fn, const struct cw_ins *i) {
    int64_t width;
    return (cw_op_flags(i->op) & CW_OP_C) && i->narg > 0 && cw_ref_type(fn, cw_arg(fn, i, 0)) != CW_GROUP &&
           i->op != CW_OP_SYNCWARP &&
           (i->op != CW_OP_SHFL || !cw_ref_const(fn, cw_arg(fn, i, 3), &width) || width == 32);
}

/* Does a branch on `index == constant` pick the leader behind the collective? */
static bool picks_leader(const struct cw_fn *fn, uint32_t collective, uint32_t index) {
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const struct cw_ins *test = cw_ins_of(fn, fn->blocks.at[b].jump.value);
        if (fn->cfg->rpo_index[b] != CW_NO_BLOCK && test != NULL && (test->op == CW_OP_EQ || test->op == CW_OP_NE) &&
            depends(fn, cw_arg(fn, test, 0), index, 0) &&
            (fn->ins.at[collective].block == b || cw_cfg_reaches(fn, fn->ins.at[collective].block, b)))
            return true;
    }
    return false;
}

static bool used_as_lane(const struct cw_fn *fn, uint32_t index, uint32_t *use) {
    for (*use = 0; *use < fn->ins.n; ++*use) {
        const struct cw_ins *i = &fn->ins.at[*use];
        if (i->op == CW_OP_HOLE || !is_warp_wide(fn, i))
            continue;
        if (depends(fn, cw_arg(fn, i, 0), index, 0) || picks_leader(fn, *use, index) ||
            (i->op == CW_OP_SHFL && depends(fn, cw_arg(fn, i, 2), index, 0)))
            return true;
    }
    return false;
}

static void check(struct cw_rule_ctx *ctx, uint32_t index) {
    uint32_t use;
    for (uint32_t k = 0; k < ctx->launches.n; k++) {
        struct cw_lanes *l = cw_rule_lanes(ctx, k, 0);
        const struct cw_lane_values *v = cw_lanes_eval(l, cw_ref_ins(index),
                                                       cw_lanes_first(l, ctx->fn->ins.at[index].block));
        for (uint32_t t = 0; t < cw_lanes_count(l); t++) {
            if (v->known[t] != CW_EXACT || v->value[t] == t % 32)
                continue;
            if (!used_as_lane(ctx->fn, index, &use))
                return;
            struct cw_finding *f = cw_report(ctx, CW_DEFINITE, index, "threadIdx.x %% 32 is not the lane here: it is %d "
                                             "in lane %u", (int)v->value[t], t % 32);
            cw_report_note(ctx, f, ctx->fn->ins.at[use].loc, "it meets this warp-wide operation as a lane");
            cw_report_launch(ctx, f, l);
            cw_report_help(ctx, f, "take the remainder of the linear thread index x + y * blockDim.x + ...");
            cw_fix_narrow_index(ctx, f, index);
            cw_report_submit(ctx, f);
            return;
        }
    }
}

void cw_rule_narrow_lane_index_check(struct cw_rule_ctx *ctx) {
    for (uint32_t k = 0; ctx->launches.from_facts && k < ctx->fn->ins.n; k++)
        if (ctx->fn->ins.at[k].op != CW_OP_HOLE && is_narrow_index(ctx->fn, &ctx->fn->ins.at[k]))
            check(ctx, k);
}
