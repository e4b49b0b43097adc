/* The splits of the kernel's barriers and how they are told, shared by the barrier rules. */
#include "rules/report_barriers.h"

#include "kernel/ask/barriers.h"
#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"
#include "rules/sink.h"
#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ALSO 4 /* further barriers named in one finding */

enum { CONDITION_DEPTH = 8 };

const char *cw_split_text(struct cw_rule_ctx *ctx, const struct cw_split *split) {
    if (split->by_data)
        return "which threads reach it depends on input data";
    return cw_arena_printf(ctx->arena, "thread %u waits at it, thread %u never reaches it", split->in, split->out);
}

const char *cw_call_text(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    const char *text = cw_source_of(ctx, i->loc);
    const struct cw_intrinsic *row = cw_intrinsic_at(i->intrinsic);
    if (text != NULL && strlen(text) <= 32)
        return text;
    if (row != NULL)
        return cw_arena_printf(ctx->arena, "%s()", row->name);
    const struct cw_collective *collective = cw_collective_at(i->intrinsic);
    if (collective != NULL)
        return cw_arena_printf(ctx->arena, "%s::%s()", collective->of->name, collective->member);
    return "this barrier";
}

/* Without callers or a launch nobody knows what arguments are, nor what assumed ones decide, nor which sizes go with
 * which block: the position of a thread alone must split them. */
void cw_report_any_caller(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t branch) {
    const struct cw_launches *launches = ctx->launches;
    if (finding->confidence != CW_DEFINITE || branch == CW_NO_BLOCK || !(launches->any_block || launches->from_facts))
        return;
    finding->decision = cw_index_condition(ctx->fn, ctx->uniformity, ctx->fn->blocks.at[branch].jump.value);
    if (finding->decision != 0)
        cw_report_textual(finding);
}

/* Is the number written in the text, or one of a warp's own: its size, and what gives a lane or a warp? */
static bool is_written_number(const char *text, int64_t number) {
    struct cw_lexer lexer;
    if (number == 0 || number == 5 || number == 31 || number == 32)
        return true;
    cw_lexer_init(&lexer, text, strlen(text));
    for (struct cw_token t; (t = cw_lexer_next(&lexer)).kind != CW_TOKEN_END;)
        if (t.kind == CW_TOKEN_NUMBER && strtoll(text + t.at, NULL, 0) == number)
            return true;
    return false;
}

/* Are all numbers that the condition is computed from written in its text? Then no argument of a template decides. */
static bool is_written_condition(const struct cw_fn *fn, cw_ref condition, const char *text, int depth) {
    const struct cw_ins *i = cw_ins_of(fn, condition);
    int64_t number;
    if (cw_ref_const(fn, condition, &number))
        return is_written_number(text, number);
    if (condition.tag == CW_REF_SREG)
        return true;
    if (!i || depth == 0)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_written_condition(fn, cw_arg(fn, i, k), text, depth - 1))
            return false;
    return true;
}

/* Does the branch part the lanes of a block's first warp, by what is written there alone? */
static bool parts_any_warp(struct cw_rule_ctx *ctx, const struct cw_split *split) {
    const struct cw_jump *jump = split->branch != CW_NO_BLOCK ? &ctx->fn->blocks.at[split->branch].jump : NULL;
    const char *text = jump ? cw_source_of(ctx, jump->loc) : NULL;
    return text && split->in < 32 && split->out < 32 &&
           is_written_condition(ctx->fn, jump->value, text, CONDITION_DEPTH);
}

void cw_report_split(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_split *split) {
    const struct cw_lanes *l = cw_kernel_lanes(ctx->kernel, split->launch, split->sample);
    cw_report_divergence(ctx, finding, split->branch);
    cw_report_any_caller(ctx, finding, split->branch);
    finding->is_of_any_warp = finding->is_textual && parts_any_warp(ctx, split);
    for (uint32_t k = 0; k < split->also.n && k < MAX_ALSO; k++)
        cw_report_note(ctx, finding, ctx->fn->ins.at[split->also.at[k]].loc,
                       "the same branch also keeps threads from this barrier");
    cw_report_launch(ctx, finding, l);
    cw_report_block_participation(ctx, finding, l, split->witness);
}

static struct cw_finding *begin_named_fault(struct cw_rule_ctx *ctx, const struct cw_named_fault *named_fault) {
    long long number = named_fault->number, count = named_fault->count;
    struct cw_finding *f = NULL;
    switch (named_fault->kind) {
    case CW_NAMED_COUNTS:
        f = cw_report(ctx, CW_DEFINITE, named_fault->ins,
                      "barrier %lld waits for %lld threads here and for %lld elsewhere", number, count,
                      (long long)named_fault->other_count);
        cw_report_help(ctx, f, "pass one count at every use of barrier %lld: the threads of all participating warps",
                       number);
        break;
    case CW_NAMED_CROWDED:
        f = cw_report(ctx, CW_DEFINITE, named_fault->ins,
                      "%u threads reach barrier %lld, which completes with any %lld of them: groups of warps mix",
                      named_fault->come, number, count);
        cw_report_help(ctx, f, "give each group of warps a barrier number of its own");
        break;
    case CW_NAMED_STARVED:
        f = cw_report(ctx, CW_DEFINITE, named_fault->ins,
                      "barrier %lld waits for %lld threads, but only %u of the block reach it", number, count,
                      named_fault->come);
        cw_report_help(ctx, f,
                       "pass the number of threads of the warps that reach it, or let the missing warps arrive");
        break;
    }
    return f;
}

void cw_report_named_fault(struct cw_rule_ctx *ctx, const struct cw_named_fault *named_fault) {
    struct cw_finding *finding = begin_named_fault(ctx, named_fault);
    if (named_fault->other != UINT32_MAX)
        cw_report_note(ctx, finding, ctx->fn->ins.at[named_fault->other].loc,
                       named_fault->kind == CW_NAMED_COUNTS ? "the other count" : "the other call that arrives at it");
    finding->witness.warp = (int32_t)(named_fault->thread / 32);
    cw_vec_push(ctx->sink->keep, &finding->witness.threads, named_fault->thread);
    cw_report_launch(ctx, finding, cw_kernel_lanes(ctx->kernel, named_fault->launch, 0));
    cw_report_submit(ctx, finding);
}

void cw_report_mbarrier_fault(struct cw_rule_ctx *ctx, struct cw_finding *finding,
                              const struct cw_mbarrier_fault *fault) {
    cw_report_note(ctx, finding, ctx->fn->ins.at[fault->init].loc, "the barrier is made here");
    finding->witness.warp = (int32_t)(fault->thread / 32);
    cw_vec_push(ctx->sink->keep, &finding->witness.threads, fault->thread);
    cw_report_launch(ctx, finding, cw_kernel_lanes(ctx->kernel, fault->launch, 0));
}

static const char *mix_text(struct cw_rule_ctx *ctx, const struct cw_phase_mix *mix, const char *barrier) {
    if (mix->kind == CW_MIX_TWICE)
        return cw_arena_printf(ctx->arena,
                               "thread %u may arrive at barrier %s twice in one phase: nothing makes it wait for the "
                               "other threads",
                               mix->thread, barrier);
    if (mix->come <= mix->count)
        return cw_arena_printf(ctx->arena,
                               "thread %u may arrive at barrier %s in the phase before: nothing orders it behind the "
                               "arrival of thread %u",
                               mix->thread, barrier, mix->other_thread);
    return cw_arena_printf(ctx->arena,
                           "a phase of barrier %s is complete with %lld arrivals, but %u threads arrive: thread %u may "
                           "be counted in the phase before",
                           barrier, (long long)mix->count, mix->come, mix->thread);
}

void cw_report_phase_mix(struct cw_rule_ctx *ctx, const struct cw_phase_mix *mix, const char *barrier) {
    struct cw_finding *finding = cw_report(ctx, mix->definite ? CW_DEFINITE : CW_POSSIBLE, mix->ins, "%s",
                                           mix_text(ctx, mix, barrier));
    if (mix->other != mix->ins)
        cw_report_note(ctx, finding, ctx->fn->ins.at[mix->other].loc, "the arrival that completes that phase");
    cw_report_help(ctx, finding, "%s",
                   mix->come > mix->count ? "count all threads that arrive in one phase, wherever the count is given"
                                          : "let the thread wait for the phase before it arrives for the next one");
    finding->witness.warp = (int32_t)(mix->thread / 32);
    cw_vec_push(ctx->sink->keep, &finding->witness.threads, mix->thread);
    cw_report_launch(ctx, finding, cw_kernel_lanes(ctx->kernel, mix->launch, 0));
    cw_report_submit(ctx, finding);
}
