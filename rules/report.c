/* The reporting side of rule.h: findings begun, decorated and submitted. */
#include "rules/rule.h"

#include "kernel/ask/values.h"
#include "rules/registry.h"
#include "rules/sink.h"

#include <stdarg.h>
#include <string.h>

enum {
    MAX_COVERS = 64,   /* further places of one cause */
    MAX_FINDINGS = 500 /* per kernel; generated code must not fill the memory */
};

/* ---- places ---- */

static struct cw_place place_of_span(const struct cw_rule_ctx *ctx, struct cw_span span) {
    if (!span.line || span.file >= ctx->module->files.n)
        return (struct cw_place){0};
    return (struct cw_place){ctx->module->files.at[span.file], span.line, span.col, span.end_line, span.end_col};
}

static const struct cw_loc *loc_of(const struct cw_rule_ctx *ctx, uint32_t loc) {
    return &ctx->fn->locs.at[loc < ctx->fn->locs.n ? loc : 0];
}

static struct cw_place place_of(const struct cw_rule_ctx *ctx, uint32_t loc) {
    return place_of_span(ctx, loc_of(ctx, loc)->span);
}

static const char *keep_text(struct cw_rule_ctx *ctx, const char *format, va_list ap) {
    return cw_arena_vprintf(ctx->sink->keep, format, ap);
}

/* ---- begin ---- */

static void add_inline_stack(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc) {
    for (uint32_t site = loc_of(ctx, loc)->site, depth = 0; site && depth < 64; depth++) {
        const struct cw_site *s = &ctx->fn->sites.at[site];
        struct cw_remark r = {place_of(ctx, s->loc), s->callee ? s->callee : "a function"};
        cw_vec_push(ctx->sink->keep, &finding->inlined_at, r);
        site = loc_of(ctx, s->loc)->site;
    }
}

static struct cw_finding *begin_finding(struct cw_rule_ctx *ctx, enum cw_confidence confidence, uint32_t loc,
                                        const char *message) {
    struct cw_finding *f = CW_NEW(ctx->sink->keep, struct cw_finding);
    f->rule = ctx->rule->name;
    f->severity = ctx->rule->severity;
    f->confidence = confidence;
    f->message = message;
    f->place = place_of(ctx, loc);
    if (!f->place.line)
        f->place = place_of_span(ctx, ctx->fn->name_span);
    f->kernel = ctx->fn->name;
    f->witness.warp = -1;
    f->witness.iteration = -1;
    add_inline_stack(ctx, f, loc);
    f->macro = loc_of(ctx, loc)->macro;
    if (f->macro)
        cw_report_note(ctx, f, 0, "in the expansion of macro '%s'", f->macro);
    return f;
}

struct cw_finding *cw_report(struct cw_rule_ctx *ctx, enum cw_confidence confidence, uint32_t ins, const char *format,
                             ...) {
    va_list ap;
    va_start(ap, format);
    const char *message = keep_text(ctx, format, ap);
    va_end(ap);
    return begin_finding(ctx, confidence, ctx->fn->ins.at[ins].loc, message);
}

struct cw_finding *cw_report_at(struct cw_rule_ctx *ctx, enum cw_confidence confidence, uint32_t loc,
                                const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const char *message = keep_text(ctx, format, ap);
    va_end(ap);
    return begin_finding(ctx, confidence, loc, message);
}

struct cw_finding *cw_report_span(struct cw_rule_ctx *ctx, enum cw_confidence confidence, struct cw_span span,
                                  const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const char *message = keep_text(ctx, format, ap);
    va_end(ap);
    struct cw_finding *f = begin_finding(ctx, confidence, 0, message);
    struct cw_place place = place_of_span(ctx, span);
    f->place = place.line ? place : f->place;
    return f;
}

/* ---- decorate ---- */

void cw_report_label(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    struct cw_remark r = {place_of(ctx, loc), keep_text(ctx, format, ap)};
    va_end(ap);
    cw_vec_push(ctx->sink->keep, &finding->labels, r);
}

void cw_report_note(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    struct cw_remark r = {place_of(ctx, loc), keep_text(ctx, format, ap)};
    va_end(ap);
    cw_vec_push(ctx->sink->keep, &finding->notes, r);
}

void cw_report_help(struct cw_rule_ctx *ctx, struct cw_finding *finding, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    finding->help = keep_text(ctx, format, ap);
    va_end(ap);
}

void cw_report_covers(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc) {
    struct cw_place place = place_of(ctx, loc);
    for (uint32_t i = 0; i < finding->covers.n; i++)
        if (finding->covers.at[i].line == place.line && finding->covers.at[i].col == place.col &&
            finding->covers.at[i].file == place.file)
            return;
    if (place.line && finding->covers.n < MAX_COVERS)
        cw_vec_push(ctx->sink->keep, &finding->covers, place);
}

void cw_report_severity(struct cw_finding *finding, enum cw_severity severity) {
    finding->severity = severity;
}

void cw_report_textual(struct cw_finding *finding) {
    finding->is_textual = true;
}

void cw_report_rests_on(struct cw_finding *finding, const char *name) {
    finding->rests_on = name;
}

void cw_report_once_per_file(struct cw_finding *finding) {
    finding->is_once_per_file = true;
}

/* A guessed block of more dimensions than the kernel asks for. What is wrong in any block must show there too; what
 * only shows there is about a block that nobody means. */
static bool is_of_unmeant_block(const struct cw_rule_ctx *ctx, const struct cw_finding *finding) {
    const struct cw_witness *w = &finding->witness;
    uint32_t dimensions = w->block[2] > 1 ? 3 : w->block[1] > 1 ? 2 : 1;
    return finding->confidence == CW_POSSIBLE && !ctx->launches->from_facts && w->present &&
           dimensions > cw_launch_dimensions_read(ctx->fn);
}

/* Which threads get there follows from sizes that the witness chose for a guessed block, though there is a launch that
 * nobody could read: `k<<<1, n>>>(n)` has no thread beyond n; or from sizes that a caller gives who was not read. */
static bool is_of_unread_sizes(const struct cw_rule_ctx *ctx, const struct cw_finding *finding) {
    const struct cw_witness *w = &finding->witness;
    bool is_race = finding->orders != CW_ORDERS_NONE;
    bool is_unread = ctx->launches->is_unread || ctx->launches->lacks_caller;
    return is_unread && !finding->is_textual && !is_race && w->present && w->rows.n && w->facts.n;
}

void cw_report_submit(struct cw_rule_ctx *ctx, struct cw_finding *finding) {
    struct cw_rule_sink *sink = ctx->sink;
    if (((sink->is_alone || ctx->launches->fits_none) && !finding->is_textual) || sink->is_doubtful ||
        is_of_unread_sizes(ctx, finding))
        finding->confidence = CW_POSSIBLE;
    if (is_of_unmeant_block(ctx, finding))
        return;
    if (sink->findings.n >= MAX_FINDINGS) {
        sink->dropped++;
        return;
    }
    cw_vec_push(sink->keep, &sink->findings, *finding);
}
