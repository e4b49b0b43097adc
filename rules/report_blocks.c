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

static const char *describe_thread(struct cw_rule_ctx *ctx, const struct cw_block_fault *f,
                                   const struct cw_block_side *side) {
    if (f->is_one_block)
        return cw_arena_printf(ctx->arena, "thread %u", side->at.thread);
    return cw_arena_printf(ctx->arena, "thread %u of block %u", side->at.thread, side->at.block);
}

static const char *verb_of(const struct cw_block_side *side) {
    return side->is_atomic ? "updates" : side->writes ? "writes" : "reads";
}

static const char *element_of(struct cw_rule_ctx *ctx, const struct cw_block_fault *f) {
    return cw_element_text(ctx, f->base, f->offset, f->bytes, 0);
}

const char *cw_block_fault_text(struct cw_rule_ctx *ctx, const struct cw_block_fault *f) {
    return cw_arena_printf(ctx->arena, "%s %s %s, %s %s it", describe_thread(ctx, f, &f->first), verb_of(&f->first),
                           element_of(ctx, f), describe_thread(ctx, f, &f->second), verb_of(&f->second));
}

static void add_labels(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_block_fault *f) {
    const struct cw_block_side *side[2] = {&f->first, &f->second};
    bool same = ctx->fn->ins.at[f->first.ins].loc == ctx->fn->ins.at[f->second.ins].loc;
    for (uint32_t k = 0; k < (same ? 1 : 2); k++)
        cw_report_label(ctx, finding, ctx->fn->ins.at[side[k]->ins].loc, "%s",
                        same ? cw_block_fault_text(ctx, f)
                             : cw_arena_printf(ctx->arena, "%s %s %s", describe_thread(ctx, f, side[k]),
                                               verb_of(side[k]), element_of(ctx, f)));
}

struct cw_finding *cw_report_block_fault(struct cw_rule_ctx *ctx, const struct cw_block_fault *f, const char *message) {
    uint32_t at = f->culprit != UINT32_MAX ? f->culprit : f->second.ins;
    struct cw_finding *finding = cw_report(ctx, f->definite ? CW_DEFINITE : CW_POSSIBLE, at, "%s", message);
    struct cw_witness *w = &finding->witness;
    add_labels(ctx, finding, f);
    cw_report_shape(ctx, finding, f->lanes);
    w->address = cw_arena_strdup(ctx->sink->keep, element_of(ctx, f));
    cw_vec_push(ctx->sink->keep, &w->threads, f->first.at.thread);
    if (!f->is_one_block || f->second.at.thread != f->first.at.thread)
        cw_vec_push(ctx->sink->keep, &w->threads, f->second.at.thread);
    if (!f->is_one_block) {
        struct cw_witness_fact fact = {"blocks", cw_arena_printf(ctx->sink->keep, "%u and %u", f->first.at.block,
                                                                 f->second.at.block)};
        cw_vec_push(ctx->sink->keep, &w->facts, fact);
    }
    return finding;
}
