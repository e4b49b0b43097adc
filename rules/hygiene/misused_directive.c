/* misused-directive: a comment for this tool that it does not understand or cannot use
 *
 * ## What it does
 * Reports comments that begin with `cuwarp:` and are not well-formed: an unknown word, a missing list of rules, `on[…]`
 * for what was not switched off, a launch shape that no device accepts, an assumption about a variable that is not
 * there. Also `cuwarp-lint: ignore[…]`, and `NOLINT(rule)` with a rule's name that lacks its `cuwarp-`.
 *
 * ## Why it is wrong
 * The comment has no effect, although it looks as if it had.
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *out) {
 *     out[threadIdx.x] = 1; // cuwarp: ignore -- no rule is named
 * }
 * ```
 * ```cuda good
 * // cuwarp: launch block=256 grid=8
 * __global__ void shift(int *out) {
 *     out[threadIdx.x] = 1;
 * }
 * ```
 *
 * ## How to fix
 * Write one of `ignore[rule]`, `ignore-file[rule]`, `off[rule]`, `on[rule]`, `assume uniform(variable)`, `assume
 * converged` or `launch block=256`, each with `-- reason` behind it if you like.
 *
 * ## When it stays silent
 * For comments that mention `cuwarp:` elsewhere than at their beginning.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

#include "kernel/ask/values.h"
#include "rules/hook_text.h"
#include "rules/report_comments.h"
#include "source/lexer.h"

/* NOLINT(divergent-barrier): meant for this program, but read by clang-tidy only. */
static void check_others(struct cw_comments_ctx *ctx, const struct cw_comment *comment) {
    for (uint32_t k = 0; k < comment->directive.names.n; k++) {
        cw_str name = comment->directive.names.at[k];
        const char *text = cw_comment_text(ctx, name), *whole = cw_arena_printf(ctx->arena, "cuwarp-%s", text);
        if (!cw_comment_name_is_rule(name))
            continue;
        struct cw_finding *f = cw_report_comment(
            ctx, name,
            cw_arena_printf(ctx->arena, "NOLINT has no effect on '%s': names of this program begin with 'cuwarp-'",
                            text));
        f->help = cw_arena_printf(ctx->arena, "write 'NOLINT(%s)'", whole);
        cw_report_comment_fix(ctx, f, false, f->help, name, whole);
    }
}

static bool is_launch_wrong(struct cw_comments_ctx *ctx, const struct cw_comment *comment) {
    const char *text = ctx->comments->source->text;
    struct cw_token t = {.at = (uint32_t)(comment->text.at - text), .n = (uint32_t)comment->text.n};
    struct cw_launch_comment ignored = {0};
    return !cw_launch_comment_parse(cw_comment_text(ctx, cw_token_comment(text, t)), &ignored);
}

static bool lacks_statement(const struct cw_comment *comment) {
    bool assumes = comment->directive.kind == CW_DIRECTIVE_ASSUME_UNIFORM ||
                   comment->directive.kind == CW_DIRECTIVE_ASSUME_CONVERGED;
    return assumes && !comment->is_behind && !comment->code.n;
}

static void check_comment(struct cw_comments_ctx *ctx, const struct cw_comment *comment) {
    if (comment->directive.kind == CW_DIRECTIVE_MALFORMED)
        cw_report_comment(ctx, comment->text, comment->directive.wrong);
    if (comment->directive.kind == CW_DIRECTIVE_LAUNCH && is_launch_wrong(ctx, comment))
        cw_report_comment(ctx, comment->text, "'launch' wants a block shape that a device accepts, as in "
                                        "'launch block=256 grid=8 smem=1024'");
    if (comment->directive.kind == CW_DIRECTIVE_NOLINT_OTHERS)
        check_others(ctx, comment);
    if (lacks_statement(comment))
        cw_report_comment(ctx, comment->text, "no statement follows that this could be assumed of");
    for (uint32_t k = 0; k < comment->silences.n; k++) {
        const struct cw_silence *s = &comment->silences.at[k];
        if (s->is_wrong && cw_comment_name_is_known(s->name))
            cw_report_comment(ctx, comment->text, cw_arena_printf(ctx->arena, "'%.*s' was not switched off before",
                                                            (int)s->name.n, s->name.at));
    }
}

static void check_comments(struct cw_comments_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->comments->list.n; i++)
        check_comment(ctx, &ctx->comments->list.at[i]);
}

/* A variable that an `assume` comment names is looked for in the functions that it is about. */
static void check_text(struct cw_text_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->nmissing; i++)
        cw_report_textual(cw_report_text(ctx, CW_DEFINITE, ctx->missing[i].place,
                                         "no variable '%s' here to assume anything about", ctx->missing[i].name));
}

CW_RULE_HOOKS(misused_directive, .comments = check_comments, .text = check_text);
