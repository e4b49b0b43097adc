/* The faults of the kernel's masks and how they are told, shared by the rules on masks. */
#include "rules/report_masks.h"

#include "kernel/ask/masks.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"
#include "rules/sink.h"
#include "source/lexer.h"
#include "source/source.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ALSO = 4 /* further calls named in one finding */, MAX_RUNS = 4 /* runs of lanes named in a message */ };

/* ---- odd constants ---- */

/* The same lanes of each group of 2, 4, 8 or 16: 0x11111111 is what was meant. */
static bool is_periodic(uint32_t mask) {
    for (uint32_t group = 2; group <= 16; group *= 2)
        if (mask == (mask >> group | mask << (32 - group)))
            return true;
    return false;
}

/* Only the digits 0 and 1, at least three: a binary number typed with 0x; also behind a `b`. */
static bool is_typed_binary(uint32_t mask) {
    const char digits[] = "0123456789abcdef";
    uint32_t ones = 0, n = 0, rest = mask;
    if (is_periodic(mask))
        return false;
    for (; rest != 0 && digits[rest & 15] <= '1'; rest >>= 4, n++)
        ones += rest & 1;
    return (rest == 0xb && n >= 2) || (rest == 0 && n >= 3 && ones >= 2);
}

static const char *oddity_of(uint32_t mask, bool *certain) {
    *certain = mask == 0 || mask == 0x0fffffff || mask == 0x00ffffff;
    switch (mask) {
    case 0: return "names no lane at all";
    case 0x0fffffff: return "has seven f's and leaves out lanes 28-31";
    case 0x00ffffff: return "has six f's and leaves out lanes 24-31";
    case 0x000fffff: return "has five f's and leaves out lanes 20-31";
    case 32: return "names lane 5 only; 32 is the number of lanes, not their mask";
    default: return is_typed_binary(mask) ? "looks like a binary number typed as hexadecimal" : NULL;
    }
}

static bool is_number_of(const char *text, uint32_t n, uint32_t value) {
    char digits[40];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < n && kept < sizeof digits - 1; k++)
        if (text[k] != '\'')
            digits[kept++] = text[k];
    digits[kept] = '\0';
    bool is_binary = kept > 2 && digits[0] == '0' && (digits[1] | 0x20) == 'b';
    return (uint32_t)strtoull(is_binary ? digits + 2 : digits, NULL, is_binary ? 2 : 0) == value;
}

/* Does a file of the unit hold the number? A mask that the code computes, as `(1u << 20) - 1`, is no slip of the pen.
 */
static bool is_written(struct cw_rule_ctx *ctx, uint32_t value) {
    const struct cw_rule_sink *sink = ctx->sink;
    for (uint32_t file = 0; file < ctx->module->files.n && sink->source_of; file++) {
        const struct cw_source *source = sink->source_of(sink->ctx, ctx->module->files.at[file]);
        if (!source || source->is_binary)
            continue;
        struct cw_lexer lexer;
        cw_lexer_init(&lexer, source->text, source->size);
        for (struct cw_token t = cw_lexer_next(&lexer); t.kind != CW_TOKEN_END; t = cw_lexer_next(&lexer))
            if (t.kind == CW_TOKEN_NUMBER && is_number_of(source->text + t.at, t.n, value))
                return true;
    }
    return sink->source_of == NULL;
}

const char *cw_mask_oddity(struct cw_rule_ctx *ctx, uint32_t mask, bool *certain) {
    const char *odd = oddity_of(mask, certain);
    return odd != NULL && (mask == 0 || is_written(ctx, mask)) ? odd : NULL;
}

bool cw_has_odd_mask(struct cw_rule_ctx *ctx, uint32_t ins) {
    int64_t value;
    bool certain;
    return cw_ref_const(ctx->fn, cw_arg(ctx->fn, &ctx->fn->ins.at[ins], 0), &value) &&
           cw_mask_oddity(ctx, (uint32_t)value, &certain) != NULL;
}

/* ---- words ---- */

const char *cw_lanes_text(struct cw_rule_ctx *ctx, uint32_t lanes) {
    const char *text = NULL;
    uint32_t runs = 0, total = (uint32_t)__builtin_popcount(lanes);
    for (uint32_t lane = 0, end; lane < 32 && runs <= MAX_RUNS; lane = end) {
        end = lane + 1;
        if (!(lanes >> lane & 1))
            continue;
        while (end < 32 && (lanes >> end & 1))
            end++;
        const char *run = end - lane == 1 ? cw_arena_printf(ctx->arena, "%u", lane)
                                          : cw_arena_printf(ctx->arena, "%u-%u", lane, end - 1);
        bool last = end >= 32 || lanes >> end == 0;
        if (runs++ == MAX_RUNS)
            return cw_arena_printf(ctx->arena, "%u lanes", total);
        text = text ? cw_arena_printf(ctx->arena, "%s%s%s", text, last ? " and " : ", ", run) : run;
    }
    return text ? cw_arena_printf(ctx->arena, "lane%s %s", total == 1 ? "" : "s", text) : "no lane";
}

const char *cw_mask_text(struct cw_rule_ctx *ctx, const struct cw_mask_fault *mask_fault) {
    const char *text = cw_argument_text(ctx, mask_fault->ins, 0);
    if (mask_fault->is_group)
        return "the group";
    int64_t constant;
    if (cw_ref_const(ctx->fn, cw_arg(ctx->fn, &ctx->fn->ins.at[mask_fault->ins], 0), &constant))
        return cw_arena_printf(ctx->arena, "mask 0x%08x", (unsigned)(uint32_t)constant);
    if (cw_masks_open_lanes(mask_fault->masks, mask_fault->thread) == 0)
        return cw_arena_printf(ctx->arena, "mask 0x%08x",
                               (unsigned)cw_masks_sure_lanes(mask_fault->masks, mask_fault->thread));
    return text ? cw_arena_printf(ctx->arena, "mask '%s'", text) : "the mask";
}

/* ---- who is absent ---- */

/* Lanes that the fault's thread misses, with that answer. */
static uint32_t absent_lanes(const struct cw_mask_fault *mask_fault, enum cw_reach how) {
    uint32_t lanes = 0;
    if (mask_fault->guarded)
        return how == CW_REACH_YES ? mask_fault->guarded : 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        lanes |= (uint32_t)(cw_masks_absent(mask_fault->masks, mask_fault->thread, lane) == how) << lane;
    return lanes;
}

/* The comparison's operator in a plain `a < b`, and what it is when it does not hold. */
static const char *opposite_operator(const char *text, const char **at, size_t *n) {
    static const char *const pairs[][2] = {{" <= ", ">"}, {" >= ", "<"}, {" == ", "!="},
                                           {" != ", "=="}, {" < ", ">="}, {" > ", "<="}};
    if (strstr(text, "&&") || strstr(text, "||") || strpbrk(text, "?!~") != strstr(text, "!=") || strstr(text, "..."))
        return NULL;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const char *found = strstr(text, pairs[k][0]);
        if (found && !strstr(found + 1, pairs[k][0])) {
            *at = found + 1;
            *n = strlen(pairs[k][0]) - 2;
            return pairs[k][1];
        }
    }
    return NULL;
}

/* The condition under which a lane stays away: "x[i] <= 0". NULL when the source is not at hand. */
static const char *staying_away(struct cw_rule_ctx *ctx, const struct cw_mask_fault *mask_fault) {
    if (mask_fault->branch == CW_NO_BLOCK)
        return NULL;
    const struct cw_jump *jump = &ctx->fn->blocks.at[mask_fault->branch].jump;
    const char *text = jump->kind == CW_JUMP_BRANCH ? cw_source_of(ctx, jump->loc) : NULL, *at;
    size_t n;
    if (text == NULL || mask_fault->side == 1)
        return text;
    const char *other = opposite_operator(text, &at, &n);
    if (other == NULL)
        return cw_arena_printf(ctx->arena, "!(%s)", text);
    return cw_arena_printf(ctx->arena, "%.*s%s%s", (int)(at - text), text, other, at + n);
}

struct cw_absence cw_absence_of(struct cw_rule_ctx *ctx, const struct cw_mask_fault *mask_fault) {
    uint32_t sure = absent_lanes(mask_fault, CW_REACH_YES), open = absent_lanes(mask_fault, CW_REACH_INPUT);
    const char *why = open ? staying_away(ctx, mask_fault) : NULL;
    bool one = sure != 0 && (sure & (sure - 1)) == 0;
    struct cw_absence a = {"lanes that input data selects", "never execute it"};
    if (sure != 0)
        a.who = cw_lanes_text(ctx, sure);
    else if (why != NULL)
        a.who = cw_arena_printf(ctx->arena, "lanes with '%s'", why);
    if (mask_fault->is_lane_absent && mask_fault->loop != CW_NO_LOOP)
        a.what = one ? "has left the loop" : "have left the loop";
    else if (one)
        a.what = "never executes it";
    return a;
}

/* ---- the witness ---- */

static void describe_open_rows(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_mask_fault *fault) {
    const char *why = staying_away(ctx, fault);
    for (uint32_t k = 0; k < finding->witness.rows.n && why != NULL; k++)
        if (strcmp(finding->witness.rows.at[k].label, "depend") == 0)
            finding->witness.rows.at[k].meaning = cw_arena_printf(
                ctx->sink->keep, "%s; those with '%s' never execute it", finding->witness.rows.at[k].meaning, why);
}

static void set_lanes(struct cw_rule_ctx *ctx, struct cw_witness *witness, uint32_t lanes) {
    witness->lanes.n = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (lanes >> lane & 1)
            cw_vec_push(ctx->sink->keep, &witness->lanes, lane);
}

static void set_threads(struct cw_rule_ctx *ctx, struct cw_witness *witness, const struct cw_mask_fault *fault) {
    uint32_t other = (fault->thread & ~31u) + fault->lane;
    witness->threads.n = 0;
    cw_vec_push(ctx->sink->keep, &witness->threads, fault->thread);
    if (other != fault->thread)
        cw_vec_push(ctx->sink->keep, &witness->threads, other);
}

/* Nobody knows who gets as far as the branch: what it does with those who do is shown. */
static void report_guard(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_mask_fault *fault) {
    struct cw_lanes *l = cw_masks_lanes(fault->masks);
    uint32_t warp = fault->thread / 32;
    cw_report_lanes(ctx, finding, l, warp, "toward", 1u << fault->thread % 32,
                    "the branch leads there, if it gets this far");
    cw_report_lanes(ctx, finding, l, warp, "away", fault->guarded, "the branch leads past it");
}

static void report_lanes(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_mask_fault *fault) {
    struct cw_lanes *l = cw_masks_lanes(fault->masks);
    struct cw_witness *w = &finding->witness;
    bool absent = fault->is_lane_absent;
    uint32_t lanes = 1u << fault->lane;
    if (absent)
        lanes = absent_lanes(fault, CW_REACH_YES) | absent_lanes(fault, CW_REACH_INPUT);
    cw_report_launch(ctx, finding, l);
    if (fault->guarded)
        report_guard(ctx, finding, fault);
    else
        cw_report_participation(ctx, finding, l,
                                cw_participation(l, fault->ins, cw_masks_context(fault->masks), ctx->arena),
                                fault->thread / 32);
    set_lanes(ctx, w, lanes);
    set_threads(ctx, w, fault);
    w->has_mask = cw_masks_open_lanes(fault->masks, fault->thread) == 0;
    w->mask = w->has_mask ? cw_masks_sure_lanes(fault->masks, fault->thread) : 0;
    if (w->has_mask) {
        const char *meaning = cw_arena_printf(ctx->sink->keep, "named by lane %u", fault->thread % 32);
        struct cw_lane_row row = {"mask", w->mask, meaning, 0};
        cw_vec_push(ctx->sink->keep, &w->rows, row);
        for (uint32_t k = w->rows.n - 1; k > 0; k--) { /* the mask on top, who is there below */
            w->rows.at[k] = w->rows.at[k - 1];
            w->rows.at[k - 1] = row;
        }
    }
    describe_open_rows(ctx, finding, fault);
}

void cw_report_mask_fault(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_mask_fault *fault) {
    bool absent = fault->is_lane_absent;
    if (absent)
        cw_report_divergence(ctx, finding, fault->branch);
    for (uint32_t k = 0; k < fault->also.n && k < MAX_ALSO; k++) {
        uint32_t other = fault->also.at[k], loc = ctx->fn->ins.at[other].loc;
        if (loc != ctx->fn->ins.at[fault->ins].loc && other != fault->partner)
            cw_report_note(ctx, finding, loc, "%s",
                           absent ? "the same branch keeps lanes from this call" : "this call has the same mask");
    }
    report_lanes(ctx, finding, fault);
}

/* ---- reductions of lanes that have exited ---- */

void cw_report_exited_inputs(struct cw_rule_ctx *ctx, const struct cw_gone_lanes *gone) {
    static const char *const what[] = {[CW_GONE_REDUCED] = "reduces the values", [CW_GONE_SCANNED] = "scans the values",
                                       [CW_GONE_EXCHANGED] = "exchanges the items"};
    if (gone->user == UINT32_MAX || gone->beyond)
        return;
    struct cw_lanes *l = cw_masks_lanes(gone->masks);
    uint32_t names = cw_masks_sure_lanes(gone->masks, gone->thread), first = names & (~names + 1);
    bool open = gone->by_data || cw_lanes_sample_text(l, ctx->arena) != NULL;
    bool one = (gone->used & (gone->used - 1)) == 0, is_reduction = gone->use == CW_GONE_REDUCED;
    /* Which items of an exchange are used afterwards is not followed. */
    bool is_definite = gone->definite && !open && gone->use != CW_GONE_EXCHANGED;
    if (is_reduction && (gone->lanes & first)) /* nobody gets the result */
        return;
    struct cw_finding *f =
        cw_report(ctx, is_definite ? CW_DEFINITE : CW_POSSIBLE, gone->user,
                  "%s %s of %s, which %s exited: the result is undefined", cw_call_text(ctx, gone->user),
                  what[gone->use], cw_lanes_text(ctx, gone->used), open ? "may have" : one ? "has" : "have");
    cw_report_launch(ctx, f, l);
    cw_report_participation(ctx, f, l, cw_participation(l, gone->user, cw_masks_context(gone->masks), ctx->arena),
                            gone->thread / 32);
    cw_report_help(ctx, f, is_reduction ? "keep the lanes until the reduction is done, with the neutral element as "
                                          "their value, or pass the number of valid items"
                                        : "keep the lanes until it is done, and guard only the use of the result");
    cw_report_submit(ctx, f);
}
