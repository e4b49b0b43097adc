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
 * When what the step gave is dropped (`lane % 8 + d < 8 ? other : 0`); when a step before the loop did the first half;
 * when distance or width cannot be known; for a width of 32, in which a tree that begins at 8 may well be meant for 16
 * lanes. Without a known launch it is definite only if every ordinary block of more than one warp shows it.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.2
 */
#include "rules/rule.h"

enum { MAX_STEPS = 6, SEARCH_DEPTH = 4 };

/* ---- steps as long as the segment ---- */

static bool is_told_elsewhere(const struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *s) {
    const struct cw_ins *i = &ctx->fn->ins.at[s->ins];
    int64_t by;
    return s->by == 32 && !(i->flags & CW_INS_DEFAULT_WIDTH) && cw_ref_const(ctx->fn, cw_arg(ctx->fn, i, 2), &by);
}

static void report_outside(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *s) {
    const char *gets = ctx->fn->ins.at[s->ins].aux == CW_SHFL_XOR ? "the value of another segment, or its own"
                                                                  : "its own value back";
    struct cw_finding *f = cw_report(ctx, s->definite ? CW_DEFINITE : CW_POSSIBLE, s->ins,
                                     "a step of %u in segments of %u lanes: each lane gets %s", s->by, s->width, gets);
    cw_report_shuffle_fault(ctx, f, s);
    cw_report_help(ctx, f, "begin at half the width, %u, or widen the segments", s->width / 2);
    cw_report_submit(ctx, f);
}

/* ---- trees that begin too low ---- */

/* The width that somebody wrote, or a tile's size; 0: none below 32. */
static uint32_t written_width(const struct cw_fn *fn, const struct cw_ins *i) {
    const struct cw_ins *group = cw_ins_of(fn, cw_arg(fn, i, 0));
    int64_t width = 0;
    if (group != NULL && group->op == CW_OP_GROUP)
        cw_ref_const(fn, group->aux == CW_GROUP_TILE ? cw_arg(fn, group, 1) : CW_NONE, &width);
    else if (!(i->flags & CW_INS_DEFAULT_WIDTH))
        cw_ref_const(fn, cw_arg(fn, i, 3), &width);
    return width > 1 && width < 32 && (width & (width - 1)) == 0 ? (uint32_t)width : 0;
}

/* Does the value come from a shuffle other than `self`? */
static bool comes_shuffled(const struct cw_fn *fn, cw_ref r, uint32_t self, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (i == NULL || depth == 0 || r.index == self)
        return false;
    for (uint32_t k = 0; k < i->narg && i->op != CW_OP_SHFL; k++)
        if (comes_shuffled(fn, cw_arg(fn, i, k), self, depth - 1))
            return true;
    return i->op == CW_OP_SHFL;
}

/* The distance in an iteration of the innermost loop, of the first thread that comes; 0: unknown. */
static uint32_t distance_in(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_ins *i,
                            const struct cw_context *c) {
    const uint8_t *comes = cw_lanes_reach(l, i->block, c);
    const struct cw_lane_values *v = cw_lanes_eval(l, cw_arg(fn, i, 2), c);
    for (uint32_t t = 0; t < cw_lanes_count(l); t++)
        if (comes[t] == CW_REACH_YES)
            return v->known[t] == CW_EXACT && v->value[t] > 0 && v->value[t] < 32 ? (uint32_t)v->value[t] : 0;
    return 0;
}

/* Where a loop that halves the distance down to 1 begins; 0: it is no such loop. */
static uint32_t tree_begin(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_ins *i) {
    const struct cw_context *first = cw_lanes_first(l, i->block);
    uint32_t begin = 0, expected = 0;
    for (uint32_t k = 0; first != NULL && k < MAX_STEPS; k++) {
        uint32_t by = distance_in(l, fn, i, cw_lanes_context(l, first->outer, first->loop, k));
        if (by == 0 || (k > 0 && by != expected))
            return 0;
        begin = k == 0 ? by : begin;
        expected = by / 2;
        if (by == 1)
            return begin;
    }
    return 0;
}

static void check_begin(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    uint32_t width = written_width(ctx->fn, i), begin = 0, low = 0;
    if (width == 0 || i->aux == CW_SHFL_IDX || i->aux == CW_SHFL_UP || ctx->fn->cfg->loop_of[i->block] == CW_NO_LOOP ||
        comes_shuffled(ctx->fn, cw_arg(ctx->fn, i, 1), ins, SEARCH_DEPTH))
        return;
    for (uint32_t n = 0; n < ctx->launches.n; n++) {
        uint32_t at = tree_begin(cw_rule_lanes(ctx, n, 0), ctx->fn, i);
        low += at > 1 && at < width / 2;
        begin = at > 1 && at < width / 2 ? at : begin;
    }
    if (low == 0)
        return;
    struct cw_finding *f =
        cw_report(ctx, low == ctx->launches.n ? CW_DEFINITE : CW_POSSIBLE, ins,
                  "the tree begins at %u in segments of %u lanes: it covers %u of them", begin, width, 2 * begin);
    cw_report_help(ctx, f, "begin at half the width, %u, or make the segments %u lanes wide", width / 2, 2 * begin);
    cw_report_submit(ctx, f);
}

void cw_rule_shuffle_segment_mismatch_check(struct cw_rule_ctx *ctx) {
    struct cw_shuffle_faults faults = cw_rule_shuffle_faults(ctx, 1u << CW_SOURCE_OUTSIDE);
    for (uint32_t k = 0; k < faults.at.n; k++)
        if (!is_told_elsewhere(ctx, &faults.at.at[k]))
            report_outside(ctx, &faults.at.at[k]);
    for (uint32_t k = 0; k < ctx->fn->cfg->nrpo; k++) {
        const struct cw_block *b = &ctx->fn->blocks.at[ctx->fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++)
            if (ctx->fn->ins.at[b->ins.at[j]].op == CW_OP_SHFL)
                check_begin(ctx, b->ins.at[j]);
    }
}
