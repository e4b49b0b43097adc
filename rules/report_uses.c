/* What the rules on speed ask and how they tell it. */
#include "rules/report_uses.h"

#include "rules/report_witness.h"
#include "rules/sink.h"

#include <string.h>

enum { MAX_ALSO = 4 /* further places named in one finding */ };

/* Calls of functions of that name, in the whole unit. */
static uint32_t calls_of(const struct cw_module *m, const char *name) {
    uint32_t calls = 0;
    for (uint32_t f = 0; f < m->fns.n; f++) {
        const struct cw_fn *fn = m->fns.at[f];
        for (uint32_t k = 0; k < fn->ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[k];
            const struct cw_fn *callee = i->op == CW_OP_CALL ? cw_module_find(m, fn->callees.at[i->aux]) : NULL;
            calls += callee != NULL && !strcmp(callee->name, name);
        }
    }
    return calls;
}

bool cw_rule_has_siblings(struct cw_rule_ctx *ctx) {
    const char *pattern = ctx->fn->pattern_key;
    uint32_t n = 0;
    for (uint32_t f = 0; pattern != NULL && f < ctx->module->fns.n; f++) {
        const char *other = ctx->module->fns.at[f]->pattern_key;
        n += other != NULL && !strcmp(other, pattern);
    }
    return n > 1;
}

enum cw_confidence cw_rule_for_all_uses(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_fn *fn = ctx->fn;
    if (cw_rule_has_siblings(ctx))
        return CW_POSSIBLE;
    for (uint32_t site = fn->locs.at[fn->ins.at[ins].loc].site; site != 0;
         site = fn->locs.at[fn->sites.at[site].loc].site)
        if (fn->sites.at[site].callee == NULL || calls_of(ctx->module, fn->sites.at[site].callee) != 1)
            return CW_POSSIBLE;
    return CW_DEFINITE;
}

void cw_report_lanes(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lanes *other, uint32_t warp,
                     const char *label, uint32_t lanes, const char *meaning) {
    struct cw_arena *keep = ctx->sink->keep;
    struct cw_lane_row row = {label, lanes, meaning, 0};
    cw_report_launch(ctx, finding, other);
    finding->witness.warp = (int32_t)warp;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1)
            cw_vec_push(keep, &finding->witness.lanes, lane);
    cw_vec_push(keep, &finding->witness.rows, row);
}

static uint32_t line_of(const struct cw_rule_ctx *ctx, uint32_t ins) {
    return ctx->fn->locs.at[ctx->fn->ins.at[ins].loc].span.line;
}

void cw_report_also(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_vec_u32 *also,
                    const char *text) {
    uint32_t told[MAX_ALSO + 1] = {finding->place.line}, n = 1;
    for (uint32_t k = 0; k < also->n; k++) {
        uint32_t seen = 0;
        while (seen < n && told[seen] != line_of(ctx, also->at[k]))
            seen++;
        cw_report_covers(ctx, finding, ctx->fn->ins.at[also->at[k]].loc);
        if (seen < n || n > MAX_ALSO)
            continue;
        told[n++] = line_of(ctx, also->at[k]);
        cw_report_note(ctx, finding, ctx->fn->ins.at[also->at[k]].loc, "%s", text);
    }
}
