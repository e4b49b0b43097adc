/* The reporting side of rule.h: findings begun, decorated and submitted. */
#include "rules/analysis.h"

#include <stdarg.h>
#include <string.h>

enum {
    MAX_COVERS = 64,            /* further places of one cause */
    MAX_FINDINGS = 500,         /* per kernel; generated code must not fill the memory */
    THREAD_VALUES = 1 << 27,    /* lane evaluator: values times threads */
    MIN_BUDGET = 512,
    MAX_BUDGET = 1 << 20
};

uint32_t cw_lanes_budget_for(uint32_t threads) {
    uint32_t budget = THREAD_VALUES / (threads ? threads : 1);
    return budget < MIN_BUDGET ? MIN_BUDGET : budget > MAX_BUDGET ? MAX_BUDGET : budget;
}

struct cw_lanes *cw_rule_new_lanes(struct cw_rule_ctx *ctx, uint32_t launch, uint32_t sample) {
    const struct cw_launch *l = &ctx->launches.at[launch];
    uint32_t budget = cw_lanes_budget_for(cw_launch_threads(l));
    struct cw_lanes *lanes = cw_lanes_new(ctx->fn, ctx->uniformity, l, sample, budget, ctx->arena);
    cw_lanes_share_work(lanes, &ctx->analysis->work_left);
    cw_vec_push(ctx->arena, &ctx->analysis->made, lanes);
    return lanes;
}

void cw_rule_renew_lanes(struct cw_rule_ctx *ctx) {
    struct cw_analysis *an = ctx->analysis;
    for (uint32_t k = 0; an->lanes && k < ctx->launches.n * CW_SAMPLES; k++)
        if (an->lanes[k] && cw_lanes_exhausted(an->lanes[k]) && !cw_lanes_is_trapped(an->lanes[k]))
            an->lanes[k] = NULL;
}

/* The asked choice of sizes, or another one where that ends in a trap: a check in the kernel excludes those sizes. */
static struct cw_lanes *lanes_without_trap(struct cw_rule_ctx *ctx, uint32_t launch, uint32_t sample) {
    static const uint32_t others[] = {2, CW_SAMPLE_ROUND, 1, 0};
    struct cw_lanes *first = cw_rule_new_lanes(ctx, launch, sample);
    if (!cw_lanes_traps(first, false))
        return first;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        struct cw_lanes *next = cw_rule_new_lanes(ctx, launch, others[k]);
        if (others[k] != sample && !cw_lanes_traps(next, false))
            return next;
    }
    first = cw_rule_new_lanes(ctx, launch, sample);
    cw_lanes_abandon_trapped(first);
    return first;
}

struct cw_lanes *cw_rule_lanes(struct cw_rule_ctx *ctx, uint32_t launch, uint32_t sample) {
    struct cw_analysis *an = ctx->analysis;
    uint32_t kept = sample % CW_SAMPLES;
    if (!an->lanes)
        an->lanes = CW_NEW_ARRAY(ctx->arena, struct cw_lanes *, ctx->launches.n * CW_SAMPLES + 1);
    struct cw_lanes **slot = &an->lanes[launch * CW_SAMPLES + kept];
    if (!*slot)
        *slot = lanes_without_trap(ctx, launch, kept);
    return *slot;
}

static struct cw_lanes *lanes_of(void *owner, uint32_t launch, uint32_t sample) {
    return cw_rule_lanes(owner, launch, sample);
}

struct cw_kernel_query cw_rule_query(struct cw_rule_ctx *ctx) {
    return (struct cw_kernel_query){ctx->fn, ctx->uniformity, &ctx->launches, lanes_of, ctx, ctx->arena};
}

/* ---- places ---- */

static struct cw_place place_of_span(const struct cw_rule_ctx *ctx, struct cw_span s) {
    if (!s.line || s.file >= ctx->module->files.n)
        return (struct cw_place){0};
    return (struct cw_place){ctx->module->files.at[s.file], s.line, s.col, s.end_line, s.end_col};
}

static const struct cw_loc *loc_of(const struct cw_rule_ctx *ctx, uint32_t loc) {
    return &ctx->fn->locs.at[loc < ctx->fn->locs.n ? loc : 0];
}

static struct cw_place place_of(const struct cw_rule_ctx *ctx, uint32_t loc) {
    return place_of_span(ctx, loc_of(ctx, loc)->span);
}

static const char *keep_text(struct cw_rule_ctx *ctx, const char *format, va_list ap) {
    return cw_arena_vprintf(ctx->analysis->keep, format, ap);
}

/* ---- begin ---- */

static void add_inline_stack(struct cw_rule_ctx *ctx, struct cw_finding *f, uint32_t loc) {
    for (uint32_t site = loc_of(ctx, loc)->site, depth = 0; site && depth < 64; depth++) {
        const struct cw_site *s = &ctx->fn->sites.at[site];
        struct cw_remark r = {place_of(ctx, s->loc), s->callee ? s->callee : "a function"};
        cw_vec_push(ctx->analysis->keep, &f->inlined_at, r);
        site = loc_of(ctx, s->loc)->site;
    }
}

static struct cw_finding *begin(struct cw_rule_ctx *ctx, enum cw_confidence confidence, uint32_t loc,
                                const char *message) {
    struct cw_finding *f = CW_NEW(ctx->analysis->keep, struct cw_finding);
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
    return begin(ctx, confidence, ctx->fn->ins.at[ins].loc, message);
}

struct cw_finding *cw_report_at(struct cw_rule_ctx *ctx, enum cw_confidence confidence, uint32_t loc,
                                const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    const char *message = keep_text(ctx, format, ap);
    va_end(ap);
    return begin(ctx, confidence, loc, message);
}

/* ---- decorate ---- */

void cw_report_label(struct cw_rule_ctx *ctx, struct cw_finding *f, uint32_t loc, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    struct cw_remark r = {place_of(ctx, loc), keep_text(ctx, format, ap)};
    va_end(ap);
    cw_vec_push(ctx->analysis->keep, &f->labels, r);
}

void cw_report_note(struct cw_rule_ctx *ctx, struct cw_finding *f, uint32_t loc, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    struct cw_remark r = {place_of(ctx, loc), keep_text(ctx, format, ap)};
    va_end(ap);
    cw_vec_push(ctx->analysis->keep, &f->notes, r);
}

void cw_report_help(struct cw_rule_ctx *ctx, struct cw_finding *f, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    f->help = keep_text(ctx, format, ap);
    va_end(ap);
}

void cw_report_covers(struct cw_rule_ctx *ctx, struct cw_finding *f, uint32_t loc) {
    struct cw_place place = place_of(ctx, loc);
    for (uint32_t i = 0; i < f->covers.n; i++)
        if (f->covers.at[i].line == place.line && f->covers.at[i].col == place.col &&
            f->covers.at[i].file == place.file)
            return;
    if (place.line && f->covers.n < MAX_COVERS)
        cw_vec_push(ctx->analysis->keep, &f->covers, place);
}

void cw_report_severity(struct cw_finding *f, enum cw_severity severity) {
    f->severity = severity;
}

void cw_report_textual(struct cw_finding *f) {
    f->is_textual = true;
}

void cw_report_rests_on(struct cw_finding *f, const char *name) {
    f->rests_on = name;
}

void cw_report_once_per_file(struct cw_finding *f) {
    f->is_once_per_file = true;
}

void cw_report_submit(struct cw_rule_ctx *ctx, struct cw_finding *f) {
    struct cw_analysis *an = ctx->analysis;
    if (an->findings.n >= MAX_FINDINGS) {
        ctx->fn->bails[CW_BAIL_FINDINGS]++;
        return;
    }
    if (((an->is_alone || ctx->launches.fits_none) && !f->is_textual) || an->is_doubtful)
        f->confidence = CW_POSSIBLE;
    cw_vec_push(an->keep, &an->findings, *f);
}
