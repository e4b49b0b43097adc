/* loop-start-comparison: a halving or doubling loop that starts from the result of a comparison
 *
 * ## What it does
 * Reports loops whose variable starts as a comparison (0 or 1) and is then shifted, halved or doubled, such as
 * `for (int offset = blockDim.x > 1; offset >= 32; offset >>= 1)`.
 *
 * ## Why it is wrong
 * The comparison compiles silently, starts the loop at 1 or 0, and the loop body never runs: a reduction then returns
 * the elements of one thread instead of the block's sum. `blockDim.x >> 1` was meant.
 *
 * ## Example
 * ```cuda bad
 * __global__ void reduce(float *s) {
 *     int t = threadIdx.x;
 *     for (int offset = blockDim.x > 1; offset >= 32; offset >>= 1) {
 *         if (t < offset) s[t] += s[t + offset];
 *         __syncthreads();
 *     }
 * }
 * ```
 * ```cuda good
 * __global__ void reduce(float *s) {
 *     int t = threadIdx.x;
 *     for (int offset = blockDim.x >> 1; offset >= 32; offset >>= 1) {
 *         if (t < offset) s[t] += s[t + offset];
 *         __syncthreads();
 *     }
 * }
 * ```
 *
 * ## How to fix
 * Write the shift: `blockDim.x >> 1`, or `blockDim.x / 2`.
 *
 * ## When it stays silent
 * For counting loops, where starting at 0 or 1 makes sense (`for (int i = skip == 0; i < n; i++)`), and for starts
 * chosen with `?:`.
 *
 * ## References
 * - ISO C++, [conv.integral]: a bool converts to 0 or 1
 */
#include "rules/rule.h"

#include "kernel/ask/values.h"
#include "fix/make/slips.h"
#include "rules/report_names.h"

static bool is_comparison(const struct cw_ins *ins) {
    return ins != NULL && ins->op >= CW_OP_EQ && ins->op <= CW_OP_UGE;
}

static bool is_scaling(enum cw_op op) {
    return op == CW_OP_ASHR || op == CW_OP_LSHR || op == CW_OP_SHL || op == CW_OP_SDIV || op == CW_OP_UDIV ||
           op == CW_OP_MUL;
}

/* The comparison that a start value is made of, or NULL. */
static const struct cw_ins *start_comparison(const struct cw_fn *fn, cw_ref init) {
    const struct cw_ins *i = cw_ins_of(fn, init);
    while (i != NULL && i->type != CW_I1 && (i->op == CW_OP_ZEXT || i->op == CW_OP_SEXT || i->op == CW_OP_TRUNC))
        i = cw_ins_of(fn, cw_arg(fn, i, 0));
    return is_comparison(i) ? i : NULL;
}

CW_RULE_CHECK(loop_start_comparison) {
    const struct cw_fn *fn = ctx->fn;
    for (uint32_t k = 0; k < fn->cfg->inductions.n; k++) {
        const struct cw_induction *v = &fn->cfg->inductions.at[k];
        const struct cw_ins *start = start_comparison(fn, v->init);
        if (start == NULL || !is_scaling(v->op))
            continue;
        const char *name = cw_name_of(ctx, cw_ref_ins(v->phi));
        struct cw_finding *f = cw_report_at(
            ctx, CW_DEFINITE, start->loc,
            "'%s' is initialised with a comparison (0 or 1) in a loop that scales it; a shift was probably meant",
            name);
        cw_report_textual(f);
        cw_report_label(ctx, f, fn->ins.at[v->next.index].loc, "it is scaled here");
        cw_report_help(ctx, f, "write >> instead of > if a shift was meant");
        cw_fix_shift(ctx, f, start->loc);
        cw_report_submit(ctx, f);
    }
}
