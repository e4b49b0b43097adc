/* legacy-warp-intrinsic: a warp intrinsic without a mask, removed for sm_70 and later
 *
 * ## What it does
 * Reports `__shfl`, `__shfl_up`, `__shfl_down`, `__shfl_xor`, `__any`, `__all`, `__ballot` and the PTX instructions
 * behind them when the lowest target (`--arch`) is sm_70 or later, and names the `_sync` form that took over. Where the
 * whole warp provably makes the call, a safe fix writes it with the full mask. Where a launch shows lanes that do not
 * make the call, a note says that the mask is not obvious.
 *
 * ## Why it is wrong
 * The forms without a mask "have been deprecated" with CUDA 9 and are "no longer available" for compute capability 7.x
 * and later (CUDA C++ Programming Guide). They meant "whichever lanes happen to be together", which independent thread
 * scheduling no longer defines.
 *
 * ## Example
 * ```cuda bad
 * __global__ void total(int *out) {
 *     int v = out[threadIdx.x];
 *     v += __shfl_xor(v, 16);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * ```cuda good
 * __global__ void total(int *out) {
 *     int v = out[threadIdx.x];
 *     v += __shfl_xor_sync(0xffffffff, v, 16);
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Add `_sync` and, as first argument, the mask of the lanes that make the call: 0xffffffff when the whole warp does.
 * Inside a branch compute it before the branch, `unsigned mask = __ballot_sync(0xffffffff, condition);`. Do not take
 * `__activemask()` for it: that is a snapshot, not the set of lanes on this path.
 *
 * ## When it stays silent
 * For targets below sm_70, in code that `__CUDA_ARCH__` leaves out, and for functions and macros of your own with these
 * names, also when only the files that include a header define them. On the old side of a version switch: another
 * branch of the `#if` around the call, or another definition of the macro that it comes from, uses a form with a mask.
 * In HIP code.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp vote functions, warp shuffle functions
 * - NVIDIA Volta Tuning Guide, independent thread scheduling
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "fix/make/drafts.h"
#include "fix/make/masks.h"
#include "fix/make/together.h"
#include "rules/report_uses.h"

static void add_fix(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins, const struct cw_intrinsic *row,
                    enum cw_together comes) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text name, first;
    if (!cw_rule_callee(ctx, ins, &name) || !cw_span_text_is(&name, row->name) ||
        !cw_rule_argument(ctx, ins, 0, &first))
        return; /* not spelt out here */
    cw_draft_edit(&d, &name, name.from, name.to, row->replacement);
    cw_draft_edit(&d, &first, first.from, first.from, "0xffffffff, ");
    cw_draft_offer(&d, finding, cw_rule_proves(ctx, ctx->fn->ins.at[ins].loc, comes), "use %s with the full mask",
                   row->replacement);
}

static void check_call(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    const struct cw_intrinsic *row = cw_intrinsic_at(i->intrinsic);
    bool is_ptx = row == NULL || row->replacement == NULL; /* inline assembly */
    const char *old = is_ptx ? (i->op == CW_OP_SHFL ? "PTX shfl" : "PTX vote") : row->name;
    const char *now = is_ptx ? (i->op == CW_OP_SHFL ? "shfl.sync" : "vote.sync") : row->replacement;
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, ins,
                                     "%s was removed for sm_70 and later; use %s with the mask of the "
                                     "participating lanes",
                                     old, now);
    cw_report_textual(f);
    if (!is_ptx)
        cw_report_rests_on(f, old);
    enum cw_together comes =
        ctx->fn->kind == CW_FN_KERNEL ? cw_rule_warp_calls(ctx, ins) : CW_APART; /* else callers decide */
    if (comes == CW_APART && ctx->fn->kind == CW_FN_KERNEL && cw_rule_leaves_lanes_out(ctx, ins))
        cw_report_note(ctx, f, 0, "not all lanes of a warp make this call, so the mask must be "
                       "computed before the branch");
    if (comes == CW_APART && !is_ptx)
        cw_fix_ballot(ctx, f, &ins, 1, true);
    if (comes != CW_APART && !is_ptx && ctx->fn->locs.at[i->loc].macro == NULL)
        add_fix(ctx, f, ins, row, comes);
    cw_report_help(ctx, f, "write %s with 0xffffffff as the mask where the whole warp calls", now);
    cw_report_submit(ctx, f);
}

static void check_kernel(struct cw_rule_ctx *ctx) {
    if (ctx->min_arch < 70)
        return;
    struct cw_vec_u32 calls = cw_reachable_collectives(ctx->fn, ctx->arena);
    for (uint32_t k = 0; k < calls.n; k++)
        if ((ctx->fn->ins.at[calls.at[k]].flags & CW_INS_LEGACY) && !cw_rule_is_version_switch(ctx, calls.at[k]))
            check_call(ctx, calls.at[k]);
}

CW_RULE_HOOKS(legacy_warp_intrinsic, .kernel = check_kernel, .tag = CW_TAG_DEPRECATED);
