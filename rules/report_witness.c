/* What proves a finding: how divergence arises, the launch, and who takes part. */
#include "rules/report_witness.h"

#include "kernel/ask/values.h"
#include "rules/report_names.h"
#include "rules/sink.h"

#include <string.h>

enum { MAX_STEPS = 16 };

/* ---- divergence ---- */

/* Where a reader meets step `k`: the place of the instruction itself, or for a special register of the one that uses
 * it. */
static uint32_t step_loc(const struct cw_fn *fn, const cw_ref *steps, uint32_t k) {
    for (uint32_t i = k + 1; i-- > 0;) {
        const struct cw_ins *ins = cw_ins_of(fn, steps[i]);
        if (ins && ins->loc)
            return ins->loc;
    }
    return 0;
}

static const char *source_text(struct cw_rule_ctx *ctx, cw_ref ref) {
    const struct cw_ins *ins = cw_ins_of(ctx->fn, ref);
    if (!ins)
        return cw_arena_printf(ctx->arena, "%s differs between threads", cw_name_of(ctx, ref));
    unsigned flags = cw_op_flags((enum cw_op)ins->op);
    if (ins->op == CW_OP_LOAD)
        return "each thread loads its own value here";
    if (flags & CW_OP_O)
        return "this value is unknown and may differ between threads";
    if (flags & (CW_OP_R | CW_OP_W | CW_OP_C))
        return "the result differs between threads";
    return cw_arena_printf(ctx->arena, "%s differs between threads", cw_name_of(ctx, ref));
}

static void note_calls(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc) {
    for (uint32_t site = ctx->fn->locs.at[loc].site, depth = 0; site && depth < 4; depth++) {
        const struct cw_site *s = &ctx->fn->sites.at[site];
        cw_report_note(ctx, finding, s->loc, "%s is called here", s->callee ? s->callee : "the function");
        site = ctx->fn->locs.at[s->loc].site;
    }
}

/* Does the source stand in the condition itself? Then one note tells it all. */
static bool is_within(const struct cw_fn *fn, uint32_t inner, uint32_t outer) {
    if (inner >= fn->locs.n || outer >= fn->locs.n)
        return false;
    struct cw_span a = fn->locs.at[inner].span, b = fn->locs.at[outer].span;
    bool starts = a.line > b.line || (a.line == b.line && a.col >= b.col);
    bool ends = a.end_line < b.end_line || (a.end_line == b.end_line && a.end_col <= b.end_col);
    return a.file == b.file && starts && ends;
}

static void note_branch(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t loc, const char *why) {
    const char *condition = cw_source_of(ctx, loc), *quote = condition ? "'" : "";
    cw_report_note(ctx, finding, loc, "threads diverge at %s%s%s%s%s", quote, condition ? condition : "this branch",
                   quote, why ? ": " : "", why ? why : "");
}

void cw_report_divergence(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t branch_block) {
    if (branch_block >= ctx->fn->blocks.n)
        return;
    const struct cw_jump *jump = &ctx->fn->blocks.at[branch_block].jump;
    cw_ref steps[MAX_STEPS];
    uint32_t n = cw_uni_explain(ctx->uniformity, jump->value, steps, MAX_STEPS);
    uint32_t source = n ? step_loc(ctx->fn, steps, n - 1) : 0;
    const char *why = n ? source_text(ctx, steps[n - 1]) : NULL;
    bool together = !source || is_within(ctx->fn, source, jump->loc);
    if (!together)
        cw_report_note(ctx, finding, source, "%s", why);
    note_branch(ctx, finding, jump->loc, together ? why : NULL);
    /* The finding's own calls are told by its inline stack. */
    if (jump->loc < ctx->fn->locs.n && !finding->inlined_at.n)
        note_calls(ctx, finding, jump->loc);
    finding->nsteps = finding->notes.n;
}

/* ---- launch ---- */

static const char *launch_source(struct cw_rule_ctx *ctx, const struct cw_launch *launch) {
    struct cw_arena *keep = ctx->sink->keep;
    bool placed = launch->span.line && launch->span.file < ctx->module->files.n;
    const char *file = placed ? ctx->module->files.at[launch->span.file] : NULL;
    switch (launch->source) {
    case CW_LAUNCH_OPTION:
        return "from --block";
    case CW_LAUNCH_COMMENT:
        return placed ? cw_arena_printf(keep, "comment at %s:%u", file, launch->span.line) : "from a comment";
    case CW_LAUNCH_SITE:
        return placed ? cw_arena_printf(keep, "launch at %s:%u", file, launch->span.line) : "from a launch";
    case CW_LAUNCH_CHOSEN:
        return cw_arena_printf(keep, "launch at %s:%u with %s", placed ? file : "another file", launch->span.line,
                               launch->chosen);
    case CW_LAUNCH_BOUNDS:
        return "from the kernel's launch bounds";
    case CW_LAUNCH_HYPOTHESIS:
        break;
    }
    bool is_launched = ctx->launches->incomplete || ctx->launches->is_unread;
    return is_launched ? "assumed: the launch's block is not known" : "assumed: no launch found";
}

static void add_fact(struct cw_rule_ctx *ctx, struct cw_finding *finding, const char *text, size_t n) {
    struct cw_arena *keep = ctx->sink->keep;
    const char *equals = memmem(text, n, " = ", 3);
    if (!equals)
        return;
    size_t name = (size_t)(equals - text);
    struct cw_witness_fact fact = {cw_arena_strndup(keep, text, name),
                                   cw_arena_strndup(keep, equals + 3, n - name - 3)};
    cw_vec_push(keep, &finding->witness.facts, fact);
}

void cw_report_shape(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lanes *lanes) {
    const struct cw_launch *l = cw_lanes_launch(lanes);
    struct cw_witness *w = &finding->witness;
    w->present = true;
    memcpy(w->block, l->block, sizeof w->block);
    if (l->grid_known)
        memcpy(w->grid, l->grid, sizeof w->grid);
    w->launch_source = launch_source(ctx, l);
}

void cw_report_launch(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lanes *lanes) {
    cw_report_shape(ctx, finding, lanes);
    const char *samples = cw_lanes_sample_text(lanes, ctx->arena);
    while (samples && *samples) {
        const char *comma = strstr(samples, ", ");
        size_t n = comma ? (size_t)(comma - samples) : strlen(samples);
        add_fact(ctx, finding, samples, n);
        samples = comma ? comma + 2 : NULL;
    }
}

/* ---- participation ---- */

static const struct {
    enum cw_presence what;
    const char *label, *meaning;
} presence_rows[] = {
    {CW_ARRIVES, "arrive", "reach it"},
    {CW_DATA, "depend", "may or may not reach it, depending on input data"},
    {CW_ELSEWHERE, "elsewhere", "take another path"},
    {CW_DATA_EXIT, "may exit", "reach it or have exited, depending on input data"},
    {CW_EXITED, "exited", "have exited"},
    {CW_UNSURE, "unknown", "may or may not reach it"},
};

enum { PRESENCE_ROWS = sizeof presence_rows / sizeof presence_rows[0] };

static void add_rows(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lanes *lanes,
                     const struct cw_participation *participation, uint32_t warp) {
    struct cw_arena *keep = ctx->sink->keep;
    for (uint32_t i = 0; i < PRESENCE_ROWS; i++) {
        uint32_t count = participation->count[presence_rows[i].what];
        if (!count)
            continue;
        struct cw_lane_row row = {presence_rows[i].label,
                                  cw_participation_lanes(participation, lanes, warp, presence_rows[i].what),
                                  cw_arena_printf(keep, "%u of %u threads of the block %s", count,
                                                  cw_lanes_count(lanes), presence_rows[i].meaning),
                                  0};
        cw_vec_push(keep, &finding->witness.rows, row);
    }
}

static void add_first_thread(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lanes *lanes,
                             const struct cw_participation *participation, enum cw_presence what) {
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++)
        if (participation->presence[t] == what) {
            cw_vec_push(ctx->sink->keep, &finding->witness.threads, t);
            return;
        }
}

/* Lanes that prove it: the absent ones, else those that input data may keep away. */
static void add_lanes(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t lanes) {
    for (uint32_t lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1)
            cw_vec_push(ctx->sink->keep, &finding->witness.lanes, lane);
}

void cw_report_participation(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lanes *lanes,
                             const struct cw_participation *participation, uint32_t warp) {
    struct cw_witness *w = &finding->witness;
    enum cw_presence absent = participation->count[CW_ELSEWHERE] ? CW_ELSEWHERE : CW_DATA;
    w->present = true;
    w->warp = (int32_t)warp;
    if (participation->context && participation->context->iteration)
        w->iteration = participation->context->iteration;
    add_rows(ctx, finding, lanes, participation, warp);
    add_first_thread(ctx, finding, lanes, participation, CW_ARRIVES);
    add_first_thread(ctx, finding, lanes, participation, absent);
    add_lanes(ctx, finding, cw_participation_lanes(participation, lanes, warp, absent));
}

/* ---- participation in a barrier of the block ---- */

static uint32_t kinds_in(const struct cw_lanes *lanes, const struct cw_participation *participation, uint32_t warp) {
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < PRESENCE_ROWS; i++)
        kinds |= (uint32_t)(cw_participation_lanes(participation, lanes, warp, presence_rows[i].what) != 0) << i;
    return kinds;
}

/* The warp that shows divergence best: one with threads of several kinds, else the first that has some that arrive. */
static uint32_t find_telling_warp(const struct cw_lanes *lanes, const struct cw_participation *participation,
                                  uint32_t nwarps) {
    uint32_t best = 0, score = 0;
    for (uint32_t warp = 0; warp < nwarps; warp++) {
        uint32_t kinds = kinds_in(lanes, participation, warp);
        bool is_mixed = (kinds & (kinds - 1)) != 0, arrives = kinds & 1;
        uint32_t now = is_mixed ? 2u + arrives : arrives;
        if (now > score) {
            score = now;
            best = warp;
        }
    }
    return best;
}

/* Every warp is of one kind, and they differ: lanes of one warp would show nothing. */
static bool differs_between_warps_only(const struct cw_lanes *lanes, const struct cw_participation *participation,
                                       uint32_t nwarps) {
    uint32_t first = kinds_in(lanes, participation, 0);
    bool differs = false;
    for (uint32_t warp = 0; warp < nwarps; warp++) {
        uint32_t kinds = kinds_in(lanes, participation, warp);
        if (kinds & (kinds - 1))
            return false;
        differs |= kinds != first;
    }
    return differs;
}

static void set_warps(struct cw_finding *finding, const struct cw_lanes *lanes,
                      const struct cw_participation *participation, uint32_t nwarps) {
    struct cw_witness *w = &finding->witness;
    w->rows_are_warps = true;
    for (uint32_t k = 0, i = 0; i < PRESENCE_ROWS && k < w->rows.n; i++) {
        if (!participation->count[presence_rows[i].what]) /* it has no row */
            continue;
        for (uint32_t warp = 0; warp < nwarps; warp++)
            w->rows.at[k].warps |= (kinds_in(lanes, participation, warp) >> i & 1) << warp;
        k++;
    }
}

void cw_report_block_participation(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lanes *lanes,
                                   const struct cw_participation *participation) {
    enum { MAX_WARPS = 32 };
    uint32_t nwarps = (cw_lanes_count(lanes) + 31) / 32;
    cw_report_participation(ctx, finding, lanes, participation, find_telling_warp(lanes, participation, nwarps));
    if (nwarps <= MAX_WARPS && differs_between_warps_only(lanes, participation, nwarps))
        set_warps(finding, lanes, participation, nwarps);
}
