/* The reporting side of the hooks that are not on kernels: findings with a place and no code. */
#include "rules/hook_comments.h"
#include "rules/hook_text.h"
#include "rules/hook_versions.h"
#include "rules/registry.h"

#include <stdarg.h>

static struct cw_finding finding_of(const struct cw_rule *rule, enum cw_confidence confidence, struct cw_place place,
                                    const char *message) {
    return (struct cw_finding){.rule = rule->name, .severity = rule->severity, .confidence = confidence,
                               .place = place, .message = message, .witness = {.warp = -1, .iteration = -1}};
}

struct cw_place cw_text_place(const struct cw_text_ctx *ctx, size_t from, size_t to) {
    struct cw_place place = {.file = ctx->path};
    cw_source_place(ctx->source, from, &place.line, &place.col);
    cw_source_place(ctx->source, to, &place.end_line, &place.end_col);
    return place;
}

struct cw_finding *cw_report_text(struct cw_text_ctx *ctx, enum cw_confidence confidence, struct cw_place place,
                                  const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const char *message = cw_arena_vprintf(ctx->arena, format, ap);
    va_end(ap);
    cw_vec_push(ctx->arena, &ctx->found, finding_of(ctx->rule, confidence, place, message));
    return &cw_vec_last(&ctx->found);
}

struct cw_finding *cw_report_change(struct cw_versions_ctx *ctx, const struct cw_sync *call, struct cw_place place,
                                    const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const char *message = cw_arena_vprintf(ctx->arena, format, ap);
    va_end(ap);
    struct cw_version_finding found = {call->unit, finding_of(ctx->rule, CW_DEFINITE, place, message)};
    found.finding.kernel = call->root;
    found.finding.is_textual = true;
    cw_vec_push(ctx->arena, &ctx->found, found);
    return &cw_vec_last(&ctx->found).finding;
}

static struct cw_place place_in_comments(const struct cw_comments_ctx *ctx, cw_str slice) {
    struct cw_place place = {.file = ctx->path};
    cw_comments_place(ctx->comments, slice, &place.line, &place.col, &place.end_line, &place.end_col);
    return place;
}

struct cw_finding *cw_report_comment(struct cw_comments_ctx *ctx, cw_str where, const char *message) {
    cw_vec_push(ctx->arena, ctx->found, finding_of(ctx->rule, CW_DEFINITE, place_in_comments(ctx, where), message));
    return &cw_vec_last(ctx->found);
}

void cw_report_comment_fix(struct cw_comments_ctx *ctx, struct cw_finding *finding, bool safe, const char *message,
                           cw_str where, const char *replacement) {
    struct cw_fix fix = {.message = message, .safe = safe};
    struct cw_edit edit = {place_in_comments(ctx, where), replacement};
    cw_vec_push(ctx->arena, &fix.edits, edit);
    cw_vec_push(ctx->arena, &finding->fixes, fix);
}
