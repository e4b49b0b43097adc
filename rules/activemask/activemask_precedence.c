/* activemask-precedence: a comparison or subtraction binds into the count of `__activemask()`
 *
 * ## What it does
 * Reports `__popc()`, `__ffs()`, `__clz()` and `__brev()` of a comparison of `__activemask()` or of `__activemask() -
 * 1`, and
 * `__activemask() & a == b`, which means `__activemask() & (a == b)`.
 *
 * ## Why it is wrong
 * `==` inside the parentheses turns the mask into 0 or 1, and the count of that is 0 or 1, whoever is active. `&` binds
 * less than `==`: the mask loses all lanes but lane 0.
 *
 * ## Example
 * ```cuda bad
 * __global__ void add(int *total, const int *in) {
 *     if (in[threadIdx.x] > 0 && __popc(__activemask() == 1))
 *         atomicAdd(total, in[threadIdx.x]);
 * }
 * ```
 * ```cuda good
 * __global__ void add(int *total, const int *in) {
 *     if (in[threadIdx.x] > 0 && __popc(__activemask()) == 1)
 *         atomicAdd(total, in[threadIdx.x]);
 * }
 * ```
 *
 * ## How to fix
 * Close the parenthesis after the mask; put `&` and its operands into parentheses.
 *
 * ## When it stays silent
 * When the comparison is of the count, or of the whole mask with nothing around it.
 *
 * ## References
 * - CUDA Programming Guide, warp vote functions, `__activemask()`; integer intrinsics, `__popc()`
 * - ISO C++, [expr.bit.and] and [expr.eq]: equality binds closer than bitwise and
 */
#include "rules/rule.h"

#include "kernel/ask/activemask.h"
#include "fix/make/slips.h"
#include "rules/report_names.h"

static void report_activemask_precedence(struct cw_rule_ctx *ctx, const struct cw_snapshot_fault *fault) {
    const struct cw_ins *i = &ctx->fn->ins.at[fault->ins], *inner = &ctx->fn->ins.at[fault->inner];
    const char *what = cw_source_of(ctx, inner->loc);
    bool arithmetic = inner->op == CW_OP_ADD || inner->op == CW_OP_SUB;
    struct cw_finding *f;
    if (i->op == CW_OP_AND)
        f = cw_report(ctx, CW_DEFINITE, fault->ins, "'%s' binds tighter than '&': the mask is ANDed with 0 or 1",
                      what ? what : "the comparison");
    else if (arithmetic)
        f = cw_report(ctx, CW_DEFINITE, fault->ins,
                      "misplaced parenthesis: %s gets the difference '%s', not the mask",
                      cw_call_text(ctx, fault->ins), what ? what : "a difference");
    else
        f = cw_report(ctx, CW_DEFINITE, fault->ins,
                      "misplaced parenthesis: %s gets the comparison '%s' (0 or 1), not the mask",
                      cw_call_text(ctx, fault->ins), what ? what : "a comparison");
    cw_report_textual(f);
    cw_report_help(ctx, f, i->op == CW_OP_AND ? "put '&' and its operands into parentheses"
                                              : "close the parenthesis after the mask");
    cw_fix_parentheses(ctx, f, fault->ins, fault->inner);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(activemask_precedence) {
    const struct cw_snapshots *faults = cw_kernel_misparenthesised_uses(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_activemask_precedence(ctx, &faults->at.at[k]);
}
