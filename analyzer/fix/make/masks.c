/* Fixes of masks. A mask has to name every lane that calls, and no other: where all of a warp calls it is the full
 * mask, where a branch chooses them it is the ballot of the branch's condition. */
#include "fix/make/masks.h"

#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "fix/make/drafts.h"
#include "fix/make/statements.h"
#include "fix/make/together.h"

#include <string.h>

static enum cw_together weaker_of(enum cw_together together, enum cw_together other) {
    return together < other ? together : other;
}

/* Does a literal of that text stand in a call's mask? */
static void replace_mask(struct cw_draft *draft, uint32_t ins, const char *text, bool *literal) {
    struct cw_span_text t;
    if (!cw_rule_argument(draft->ctx, ins, 0, &t)) {
        cw_draft_spoil(draft);
        return;
    }
    *literal &= cw_span_text_is_literal(&t);
    cw_draft_edit(draft, &t, t.from, t.to, text);
}

void cw_fix_full_mask(struct cw_rule_ctx *ctx, struct cw_finding *finding, const uint32_t *ins, uint32_t n,
                      bool certain) {
    struct cw_draft d = cw_draft_begin(ctx);
    bool literal = true, proved = true;
    for (uint32_t k = 0; k < n; k++) {
        enum cw_together comes = cw_rule_warp_calls(ctx, ins[k]);
        if (comes == CW_APART)
            return;
        proved &= cw_rule_proves(ctx, ctx->fn->ins.at[ins[k]].loc, comes);
        replace_mask(&d, ins[k], "0xffffffff", &literal);
    }
    cw_draft_offer(&d, finding, proved && literal && certain, "name the whole warp, which makes the call: 0xffffffff");
}

void cw_fix_constant_mask(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t value) {
    const struct cw_fn *fn = ctx->fn;
    CW_VEC(uint32_t) all = {0};
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        int64_t mask;
        if (i->op == CW_OP_HOLE || !(cw_op_flags(i->op) & CW_OP_C) || !i->narg ||
            cw_ref_type(fn, cw_arg(fn, i, 0)) != CW_I32 || !cw_ref_const(fn, cw_arg(fn, i, 0), &mask) ||
            (i->flags & (CW_INS_LEGACY | CW_INS_DEFAULT_MASK)) || fn->cfg->rpo_index[i->block] == CW_NO_BLOCK)
            continue;
        if ((uint32_t)mask == value)
            cw_vec_push(ctx->arena, &all, k);
    }
    cw_fix_full_mask(ctx, finding, all.at, all.n, true);
}

/* ---- arguments ---- */

void cw_fix_swap(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins, uint32_t x, uint32_t y,
                 bool certain) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text a, b;
    if (!cw_rule_argument(ctx, ins, x, &a) || !cw_rule_argument(ctx, ins, y, &b))
        return;
    cw_draft_edit(&d, &a, a.from, a.to, cw_span_text_copy(ctx, &b));
    cw_draft_edit(&d, &b, b.from, b.to, cw_span_text_copy(ctx, &a));
    enum cw_together comes = cw_rule_warp_calls(ctx, ins);
    cw_draft_offer(&d, finding, certain && cw_rule_proves(ctx, ctx->fn->ins.at[ins].loc, comes),
                   "swap the two arguments");
}

void cw_fix_insert_argument(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins, uint32_t k,
                            const char *text) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text t;
    if (!cw_rule_argument(ctx, ins, k, &t))
        return;
    cw_draft_edit(&d, &t, t.from, t.from, cw_arena_printf(ctx->arena, "%s, ", text));
    cw_draft_offer(&d, finding, false, "insert %s before this argument", text);
}

/* ---- snapshots ---- */

static bool is_mask_only(const struct cw_rule_ctx *ctx, uint32_t snapshot, enum cw_together *comes) {
    const struct cw_fn *fn = ctx->fn;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        for (uint32_t n = 0; i->op != CW_OP_HOLE && n < i->narg; n++) {
            if (!cw_ref_eq(cw_arg(fn, i, n), cw_ref_ins(snapshot)))
                continue;
            if (n != 0 || !(cw_op_flags(i->op) & CW_OP_C))
                return false;
            *comes = weaker_of(*comes, cw_rule_together((struct cw_rule_ctx *)ctx, i->block, CW_UNI_WARP));
        }
    }
    return true;
}

void cw_fix_snapshot(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t snapshot) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text t;
    enum cw_together comes = cw_rule_warp_calls(ctx, snapshot);
    uint32_t loc = ctx->fn->ins.at[snapshot].loc;
    if (!cw_rule_text(ctx, loc, &t) || !cw_span_text_is(&t, "__activemask()") || !is_mask_only(ctx, snapshot, &comes) ||
        comes == CW_APART)
        return;
    cw_draft_edit(&d, &t, t.from, t.to, "0xffffffff");
    cw_draft_offer(&d, finding, cw_rule_proves(ctx, loc, comes),
                   "name the whole warp, which makes the call: 0xffffffff");
}

/* ---- the ballot of a branch ---- */

/* The if whose condition alone chooses who comes to the statement, as far as the text shows; else false. */
static bool branch_around(struct cw_rule_ctx *ctx, struct cw_spot *spot) {
    const struct cw_statements *all = cw_rule_statements(ctx, spot->file);
    uint32_t inner = spot->statement;
    for (spot->statement = all->at.at[inner].parent; spot->statement != CW_NO_STATEMENT;
         spot->statement = all->at.at[inner].parent) {
        const struct cw_statement *s = &all->at.at[spot->statement], *in = &all->at.at[inner];
        if (s->kind == CW_STATEMENT_IF)
            return s->then.from <= in->from && in->to <= s->then.to && !s->is_bare && !s->is_broken &&
                   !s->is_labelled && s->head == s->from && s->condition.to;
        if (s->kind != CW_STATEMENT_COMPOUND)
            return false;
        inner = spot->statement;
    }
    return false;
}

/* All calls under one branch. */
static bool common_branch(struct cw_rule_ctx *ctx, const uint32_t *ins, uint32_t n, struct cw_spot *out) {
    for (uint32_t k = 0; k < n; k++) {
        struct cw_spot p;
        if (!cw_spot_of(ctx, ctx->fn->ins.at[ins[k]].loc, &p) || !branch_around(ctx, &p) ||
            (k && (p.statement != out->statement || p.file != out->file)))
            return false;
        *out = p;
    }
    return n != 0;
}

static void write_ballot(struct cw_draft *draft, const struct cw_span_text *span_text,
                         const struct cw_statement *statement, const char *name) {
    struct cw_arena *a = draft->ctx->arena;
    const char *text = span_text->source->text;
    const char *ballot =
        cw_arena_printf(a, "const unsigned %s = __ballot_sync(0xffffffff, %.*s);", name,
                        (int)(statement->condition.to - statement->condition.from), text + statement->condition.from);
    cw_draft_put_before(draft, span_text, statement, ballot);
}

static void name_lanes(struct cw_draft *draft, uint32_t ins, const char *name) {
    const struct cw_ins *i = &draft->ctx->fn->ins.at[ins];
    struct cw_span_text t;
    bool literal = true;
    if (i->op == CW_OP_ACTIVEMASK) {
        if (cw_rule_text(draft->ctx, i->loc, &t) && cw_span_text_is(&t, "__activemask()"))
            cw_draft_edit(draft, &t, t.from, t.to, name);
        else
            cw_draft_spoil(draft);
    } else if (i->flags & CW_INS_LEGACY) {
        const struct cw_intrinsic *row = cw_intrinsic_at(i->intrinsic);
        struct cw_span_text first;
        if (row && row->replacement && cw_rule_callee(draft->ctx, ins, &t) &&
            cw_rule_argument(draft->ctx, ins, 0, &first)) {
            cw_draft_edit(draft, &t, t.from, t.to, row->replacement);
            cw_draft_edit(draft, &first, first.from, first.from, cw_arena_printf(draft->ctx->arena, "%s, ", name));
        } else {
            cw_draft_spoil(draft);
        }
    } else {
        replace_mask(draft, ins, name, &literal);
    }
}

void cw_fix_ballot(struct cw_rule_ctx *ctx, struct cw_finding *finding, const uint32_t *ins, uint32_t n, bool certain) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_spot p;
    struct cw_span_text t;
    if (!common_branch(ctx, ins, n, &p) || !cw_rule_use_text(ctx, ctx->fn->ins.at[ins[0]].loc, &t))
        return;
    const struct cw_statement *s = cw_spot_statement(ctx, &p);
    enum cw_together comes = cw_spot_together(ctx, &p, CW_UNI_WARP);
    bool repeatable = cw_text_is_repeatable(t.source->text, s->condition) &&
                      !cw_text_has_comment(t.source->text, s->condition) &&
                      !cw_spot_touches_memory(ctx, &p, s->condition, CW_EFFECTS);
    if (comes == CW_APART || !repeatable)
        return;
    bool reads = cw_spot_touches_memory(ctx, &p, s->condition, CW_OP_R);
    const char *name = cw_text_fresh_name(ctx->arena, t.source, "branch_lanes");
    write_ballot(&d, &t, s, name);
    for (uint32_t k = 0; k < n; k++)
        name_lanes(&d, ins[k], name);
    cw_draft_offer(&d, finding, certain && !reads && cw_rule_proves(ctx, ctx->fn->ins.at[ins[0]].loc, comes),
                   "compute the mask before the branch: __ballot_sync() of its condition");
}
