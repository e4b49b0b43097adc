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
 * width cannot be known; for a width of 32, in which a tree that begins at 8 may well be meant for 16 lanes. A tree over
 * part of a tile is possible only. Without a known launch a finding is definite only if every ordinary block of more
 * than one warp shows it.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp shuffle functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.2
 */
#include "rules/rule.h"

enum { MAX_STEPS = 6 /* 32 is halved five times */ };

/* ---- steps as long as the segment ---- */

/* swapped-shuffle-arguments has it: 32, or warpSize, as the distance and less as the width. */
static bool is_told_elsewhere(const struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *s) {
    const struct cw_ins *i = &ctx->fn->ins.at[s->ins];
    cw_ref by = cw_arg(ctx->fn, i, 2);
    int64_t number;
    return s->by == 32 && s->width < 32 && !(i->flags & (CW_INS_DEFAULT_WIDTH | CW_INS_LEGACY)) &&
           cw_ref_type(ctx->fn, cw_arg(ctx->fn, i, 0)) != CW_GROUP &&
           (by.tag == CW_REF_SREG || cw_ref_const(ctx->fn, by, &number));
}

static const char *what_lanes_get(const struct cw_ins *i, const struct cw_shuffle_fault *s) {
    if (s->by > 31 && s->by % 32 != 0)
        return "only its remainder by 32 counts";
    return i->aux == CW_SHFL_XOR && s->by % 32 != 0 ? "each lane gets the value of another segment, or its own"
                                                    : "each lane gets its own value back";
}

static void report_outside(struct cw_rule_ctx *ctx, const struct cw_shuffle_fault *s) {
    const struct cw_ins *i = &ctx->fn->ins.at[s->ins];
    struct cw_finding *f = cw_report(ctx, s->definite ? CW_DEFINITE : CW_POSSIBLE, s->ins,
                                     "a step of %d in segments of %u lane%s: %s", (int)s->by, s->width,
                                     s->width == 1 ? "" : "s", what_lanes_get(i, s));
    cw_report_shuffle_fault(ctx, f, s);
    if (ctx->fn->cfg->loop_of[i->block] != CW_NO_LOOP && s->width > 1)
        cw_report_help(ctx, f, "keep to distances from %u down to 1, or widen the segments", s->width / 2);
    else
        cw_report_help(ctx, f, "the distance must be less than the width%s",
                       s->width < 32 ? "; or widen the segments" : "");
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
static uint32_t halved_from(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_ins *i,
                            const struct cw_context *first) {
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

/* The same in a loop around it: one that begins elsewhere each time, as in a bitonic sort, is no tree. */
static uint32_t tree_begin(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_ins *i) {
    const struct cw_context *first = cw_lanes_first(l, i->block);
    uint32_t begin = halved_from(l, fn, i, first);
    if (begin == 0 || first->outer == NULL)
        return begin;
    const struct cw_context *next =
        cw_lanes_context(l, first->outer->outer, first->outer->loop, first->outer->iteration + 1);
    uint32_t again = halved_from(l, fn, i, cw_lanes_context(l, next, first->loop, 0));
    return again == 0 || again == begin ? begin : 0;
}

/* Somebody whom the tree does not reach comes with a value, and not just with a constant such as zero. */
static bool leaves_out(struct cw_lanes *l, const struct cw_fn *fn, const struct cw_ins *i, uint32_t begin,
                       uint32_t width) {
    const struct cw_context *c = cw_lanes_first(l, i->block);
    const uint8_t *comes = cw_lanes_reach(l, i->block, c);
    const struct cw_lane_values *v = cw_lanes_eval(l, cw_arg(fn, i, 1), c);
    bool some = false;
    for (uint32_t t = 0; t < cw_lanes_count(l); t++) {
        if (t % width < 2 * begin || comes[t] == CW_REACH_NO)
            continue;
        if (v->known[t] == CW_EXACT)
            return false;
        some = true;
    }
    return some;
}

/* A shuffle by itself, before or after the loop, may be the tree's missing step. */
static bool may_complete(struct cw_rule_ctx *ctx, struct cw_lanes *l, const struct cw_ins *tree, uint32_t width) {
    const struct cw_fn *fn = ctx->fn;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            const struct cw_ins *i = &fn->ins.at[b->ins.at[j]];
            if (i->op == CW_OP_SHFL && i != tree && written_width(fn, i) == width && tree_begin(l, fn, i) == 0)
                return true;
        }
    }
    return false;
}

/* Where the tree begins, if that is too low under this launch; or 0. */
static uint32_t low_begin(struct cw_rule_ctx *ctx, struct cw_lanes *l, const struct cw_ins *i, uint32_t width) {
    uint32_t begin = tree_begin(l, ctx->fn, i);
    bool low = begin > 1 && begin < width / 2 && leaves_out(l, ctx->fn, i, begin, width);
    return low && !may_complete(ctx, l, i, width) ? begin : 0;
}

static void check_begin(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    uint32_t width = written_width(ctx->fn, i), begin = 0, shown = 0;
    if (width == 0 || i->aux == CW_SHFL_IDX || i->aux == CW_SHFL_UP || ctx->fn->cfg->loop_of[i->block] == CW_NO_LOOP)
        return;
    for (uint32_t n = 0; n < ctx->launches.n; n++) {
        uint32_t at = low_begin(ctx, cw_rule_lanes(ctx, n, 0), i, width);
        shown += at > 0;
        begin = at > 0 ? at : begin;
    }
    if (shown == 0)
        return;
    /* A tile's size is not chosen for this tree: parts of it may be meant. */
    bool definite = shown == ctx->launches.n && cw_ref_type(ctx->fn, cw_arg(ctx->fn, i, 0)) != CW_GROUP;
    struct cw_finding *f =
        cw_report(ctx, definite ? CW_DEFINITE : CW_POSSIBLE, ins,
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
