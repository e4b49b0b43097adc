/* What is not ordered between blocks and how it is reported, shared by the rules of the category `blocks`. */
#include "rules/report_blocks.h"

#include "kernel/ask/blocks.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

#include <string.h>

enum { MAX_TEXT = 40 };

const char *cw_ins_text(struct cw_rule_ctx *ctx, uint32_t ins, const char *otherwise) {
    const char *text = ins != UINT32_MAX ? cw_source_of(ctx, ctx->fn->ins.at[ins].loc) : NULL;
    return text != NULL && strlen(text) <= MAX_TEXT ? text : otherwise;
}

/* A number where the grid has one dimension as far as the two blocks are concerned, else blockIdx. */
static const char *describe_block(struct cw_rule_ctx *ctx, const struct cw_block_fault *block_fault, uint32_t block) {
    const uint32_t *first = block_fault->first_block, *second = block_fault->second_block;
    const uint32_t *own = block ? second : first;
    bool is_wide = first[1] > 0 || first[2] > 0 || second[1] > 0 || second[2] > 0;
    return is_wide ? cw_arena_printf(ctx->arena, "(%u,%u,%u)", own[0], own[1], own[2])
                   : cw_arena_printf(ctx->arena, "%u", own[0]);
}

static const char *describe_thread(struct cw_rule_ctx *ctx, const struct cw_block_fault *block_fault,
                                   const struct cw_block_side *side) {
    if (block_fault->is_one_block)
        return cw_arena_printf(ctx->arena, "thread %u", side->at.thread);
    return cw_arena_printf(ctx->arena, "thread %u of block %s", side->at.thread,
                           describe_block(ctx, block_fault, side->at.block));
}

static const char *verb_of(const struct cw_block_side *side) {
    return side->is_atomic ? "updates" : side->writes ? "writes" : "reads";
}

static const char *element_of(struct cw_rule_ctx *ctx, const struct cw_block_fault *block_fault) {
    return block_fault->by_data
               ? cw_some_element_text(ctx, block_fault->base)
               : cw_element_text(ctx, block_fault->base, block_fault->offset, block_fault->bytes, 0);
}

const char *cw_block_fault_text(struct cw_rule_ctx *ctx, const struct cw_block_fault *block_fault) {
    return cw_arena_printf(ctx->arena, "%s %s %s, %s %s it", describe_thread(ctx, block_fault, &block_fault->first),
                           verb_of(&block_fault->first), element_of(ctx, block_fault),
                           describe_thread(ctx, block_fault, &block_fault->second), verb_of(&block_fault->second));
}

static void add_labels(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_block_fault *block_fault) {
    const struct cw_block_side *side[2] = {&block_fault->first, &block_fault->second};
    bool same = ctx->fn->ins.at[block_fault->first.ins].loc == ctx->fn->ins.at[block_fault->second.ins].loc;
    for (uint32_t k = 0; k < (same ? 1 : 2); k++)
        cw_report_label(ctx, finding, ctx->fn->ins.at[side[k]->ins].loc, "%s",
                        same ? cw_block_fault_text(ctx, block_fault)
                             : cw_arena_printf(ctx->arena, "%s %s %s", describe_thread(ctx, block_fault, side[k]),
                                               verb_of(side[k]), element_of(ctx, block_fault)));
}

struct cw_finding *cw_report_block_fault(struct cw_rule_ctx *ctx, const struct cw_block_fault *block_fault,
                                         const char *message) {
    uint32_t at = block_fault->culprit != UINT32_MAX ? block_fault->culprit : block_fault->second.ins;
    struct cw_finding *finding = cw_report(ctx, block_fault->definite ? CW_DEFINITE : CW_POSSIBLE, at, "%s", message);
    struct cw_witness *w = &finding->witness;
    add_labels(ctx, finding, block_fault);
    cw_report_shape(ctx, finding, block_fault->lanes);
    w->address = cw_arena_strdup(ctx->sink->keep, element_of(ctx, block_fault));
    cw_vec_push(ctx->sink->keep, &w->threads, block_fault->first.at.thread);
    if (!block_fault->is_one_block || block_fault->second.at.thread != block_fault->first.at.thread)
        cw_vec_push(ctx->sink->keep, &w->threads, block_fault->second.at.thread);
    if (!block_fault->is_one_block) {
        struct cw_witness_fact fact = {
            "blocks",
            cw_arena_printf(ctx->sink->keep, "%s and %s", describe_block(ctx, block_fault, block_fault->first.at.block),
                            describe_block(ctx, block_fault, block_fault->second.at.block))};
        cw_vec_push(ctx->sink->keep, &w->facts, fact);
    }
    if (block_fault->by_data) {
        struct cw_witness_fact fact = {"input", "chooses one element for both threads"};
        cw_vec_push(ctx->sink->keep, &w->facts, fact);
    }
    return finding;
}

static void report_race(struct cw_rule_ctx *ctx, const struct cw_block_fault *fault) {
    bool is_lock = fault->culprit != UINT32_MAX;
    const char *text = cw_block_fault_text(ctx, fault);
    const char *message =
        is_lock ? cw_arena_printf(ctx->arena, "%s gives the lock back by an ordinary store, which orders nothing: %s",
                                  cw_ins_text(ctx, fault->culprit, "this"), text)
                : cw_arena_printf(ctx->arena, "data race between blocks: %s", text);
    struct cw_finding *f = cw_report_block_fault(ctx, fault, message);
    cw_report_help(ctx, f, is_lock ? "use __threadfence() and atomicExch()"
                                   : "write to another array, use an atomic, or split the kernel in two launches");
    cw_report_submit(ctx, f);
}

/* A loop that polls by ordinary loads is to order the blocks: then its own finding tells why nothing does. */
static bool has_plain_spin(const struct cw_block_faults *faults) {
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].kind == CW_BLOCK_PLAIN_SPIN)
            return true;
    return false;
}

void cw_report_block_races(struct cw_rule_ctx *ctx, const struct cw_block_faults *faults) {
    for (uint32_t k = 0; k < faults->at.n && !has_plain_spin(faults); k++)
        if (faults->at.at[k].kind == CW_BLOCK_RACE)
            report_race(ctx, &faults->at.at[k]);
}
