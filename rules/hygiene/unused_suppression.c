/* unused-suppression: a comment that silences a rule where the rule finds nothing
 *
 * ## What it does
 * Reports `cuwarp: ignore[…]`, `ignore-file[…]`, `off[…]` and `NOLINT(cuwarp-…)` comments whose rules report nothing in
 * what they cover. The fix takes the name out of the list, or the whole comment.
 *
 * ## Why it is wrong
 * A suppression that silences nothing today silences what somebody writes there tomorrow. It also tells the reader of a
 * problem that the code no longer has.
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     // cuwarp: ignore[bad-shuffle-width] -- the last lanes are not used
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 16);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * ```cuda good
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     // cuwarp: ignore[bad-shuffle-width] -- the last lanes are not used
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 24);
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Remove the comment, or the rule from its list: `--fix` does.
 *
 * ## When it stays silent
 * When the rule did not run on the file, when a kernel of the file could be analysed in part only or not at all, and in
 * headers unless files that include them were looked at in the same run.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

#include "rules/report_comments.h"

#include <string.h>

static bool is_superfluous(const struct cw_comments_ctx *ctx, const struct cw_silence *silence) {
    return !silence->is_used && cw_comment_name_has_run(ctx, silence->name);
}

/* The comment, with its line when it has that for itself, else with the blanks before it. */
static cw_str whole_comment(const struct cw_comments_ctx *ctx, const struct cw_comment *comment) {
    const char *text = ctx->comments->source->text, *end = text + ctx->comments->source->size;
    const char *from = comment->text.at, *to = comment->text.at + comment->text.n;
    while (from > text && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    if (comment->is_alone) {
        while (to < end && (*to == ' ' || *to == '\t'))
            to++;
        to += to < end && *to == '\r';
        to += to < end && *to == '\n';
    } else if (!comment->is_behind) {
        from = comment->text.at;
        while (to < end && (*to == ' ' || *to == '\t'))
            to++;
    }
    return (cw_str){from, (size_t)(to - from)};
}

/* The list without the names that are superfluous. Others' names stay as they are written. */
static const char *shorter_list(struct cw_comments_ctx *ctx, const struct cw_comment *comment) {
    const char *text = "";
    cw_str list = comment->directive.list;
    while (list.n) {
        const char *comma = memchr(list.at, ',', list.n);
        size_t n = comma ? (size_t)(comma - list.at) : list.n;
        cw_str name = cw_str_trim((cw_str){list.at, n});
        bool goes = false;
        for (uint32_t k = 0; k < comment->silences.n; k++) {
            const struct cw_silence *s = &comment->silences.at[k];
            goes |= s->name.at >= list.at && s->name.at < list.at + n && is_superfluous(ctx, s);
        }
        if (!goes && name.n)
            text = cw_arena_printf(ctx->arena, "%s%s%.*s", text, *text ? ", " : "", (int)name.n, name.at);
        n += comma != NULL;
        list = (cw_str){list.at + n, list.n - n};
    }
    return text;
}

/* off[…] goes together with its on[…], so those two are left to a person. */
static bool is_removable(const struct cw_comment *comment) {
    enum cw_directive_kind kind = comment->directive.kind;
    return kind != CW_DIRECTIVE_OFF && kind != CW_DIRECTIVE_NOLINT_BEGIN && !comment->macro.n;
}

static void report_comment(struct cw_comments_ctx *ctx, const struct cw_comment *comment, const char *names,
                           bool is_whole) {
    struct cw_finding *f = cw_report_comment(
        ctx, comment->text, cw_arena_printf(ctx->arena, "unused suppression: %s reports nothing here", names));
    f->help = is_whole ? "remove the comment" : cw_arena_printf(ctx->arena, "remove %s from the list", names);
    if (is_removable(comment))
        cw_report_comment_fix(ctx, f, true, f->help, is_whole ? whole_comment(ctx, comment) : comment->directive.list,
                              is_whole ? "" : shorter_list(ctx, comment));
}

static void check_comment(struct cw_comments_ctx *ctx, const struct cw_comment *comment) {
    const char *names = "";
    uint32_t n = 0;
    for (uint32_t k = 0; k < comment->silences.n; k++)
        if (is_superfluous(ctx, &comment->silences.at[k])) {
            n++;
            names = cw_arena_printf(ctx->arena, "%s%s'%.*s'", names, *names ? ", " : "",
                                    (int)comment->silences.at[k].name.n, comment->silences.at[k].name.at);
        }
    if (n)
        report_comment(ctx, comment, names, n == comment->silences.n && !comment->directive.others);
}

static void check_comments(struct cw_comments_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->comments->list.n; i++)
        if (ctx->is_complete && cw_directive_is_suppression(ctx->comments->list.at[i].directive.kind))
            check_comment(ctx, &ctx->comments->list.at[i]);
}

CW_RULE_HOOKS(unused_suppression, .comments = check_comments, .tag = CW_TAG_UNNECESSARY);
