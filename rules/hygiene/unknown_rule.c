/* unknown-rule: a comment names a rule that does not exist
 *
 * ## What it does
 * Reports names in `cuwarp: ignore[…]` and the like, and behind `cuwarp-` in `NOLINT(…)`, that are neither a rule nor a
 * category.
 *
 * ## Why it is wrong
 * The comment silences nothing, although it looks as if it did.
 *
 * ## Example
 * ```cuda bad
 * __global__ void fill(int *out) {
 *     out[threadIdx.x] = 1; // cuwarp: ignore[scratch-reus] -- one block only
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
 * Write the name as `cuwarp-lint rules` lists it: `--fix --unsafe-fixes` does when one is near (what the comment then
 * silences was told of before).
 *
 * ## When it stays silent
 * For names in `NOLINT(…)` that do not begin with `cuwarp-`: those are other tools'.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

#include "rules/report_comments.h"

/* No safe fix: the near name is a guess, and what it silences was reported until now. */
static void report_unknown_rule(struct cw_comments_ctx *ctx, const struct cw_comment *comment, cw_str name) {
    const char *text = cw_comment_text(ctx, name), *near = cw_comment_name_near(text);
    struct cw_finding *f =
        cw_report_comment(ctx, name, cw_arena_printf(ctx->arena, "unknown rule or category '%s'", text));
    bool is_all = cw_str_is(name, "all") || cw_str_is(name, "ALL");
    f->help = is_all ? "name the rules or categories; 'exclude' in the configuration leaves out whole files"
              : near ? cw_arena_printf(ctx->arena, "did you mean '%s'?", near)
                     : "'cuwarp-lint rules' lists them";
    if (near && !is_all && comment->directive.kind != CW_DIRECTIVE_MALFORMED)
        cw_report_comment_fix(ctx, f, false, cw_arena_printf(ctx->arena, "write '%s'", near), name, near);
}

static void check_comments(struct cw_comments_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->comments->list.n; i++) {
        const struct cw_comment *c = &ctx->comments->list.at[i];
        for (uint32_t k = 0; k < c->silences.n; k++)
            if (!cw_comment_name_is_known(c->silences.at[k].name))
                report_unknown_rule(ctx, c, c->silences.at[k].name);
    }
}

CW_RULE_HOOKS(unknown_rule, .comments = check_comments);
