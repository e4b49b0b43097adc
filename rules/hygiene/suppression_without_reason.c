/* suppression-without-reason: a comment silences a rule and does not say why that is fine
 *
 * ## What it does
 * Reports `cuwarp: ignore[…]`, `ignore-file[…]` and `off[…]` without `-- reason`. Off by default.
 *
 * ## Why it is wrong
 * What one person knew about the launch or the data is lost for the next one, who can neither trust the suppression nor
 * dare to remove it.
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 24); // cuwarp: ignore[bad-shuffle-width]
 *     out[threadIdx.x] = v;
 * }
 * ```
 * ```cuda good
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 24); // cuwarp: ignore[bad-shuffle-width] -- the last lanes are not used
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Say it behind two dashes: `// cuwarp: ignore[rule] -- only ever launched with one warp`.
 *
 * ## When it stays silent
 * For `NOLINT(…)`, which has no place for a reason.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

#include "rules/hook_comments.h"

static bool is_wrong(const struct cw_comment *comment) {
    return cw_directive_is_suppression(comment->directive.kind) && !cw_directive_is_nolint(comment->directive.kind) &&
           !comment->directive.reason.n;
}

static void check_comments(struct cw_comments_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->comments->list.n; i++) {
        const struct cw_comment *c = &ctx->comments->list.at[i];
        if (!is_wrong(c))
            continue;
        cw_str name = c->directive.names.at[0];
        struct cw_finding *f = cw_report_comment(
            ctx, c->text,
            cw_arena_printf(ctx->arena, "the suppression of '%.*s' gives no reason", (int)name.n, name.at));
        f->help = "say why it is fine: cuwarp: ignore[rule] -- reason";
    }
}

CW_RULE_HOOKS(suppression_without_reason, .comments = check_comments);
