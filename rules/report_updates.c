/* See report_updates.h. */
#include "rules/report_updates.h"

#include "kernel/ask/races.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"
#include "rules/sink.h"

#include <string.h>

static uint32_t loc_of(const struct cw_rule_ctx *ctx, uint32_t ins) {
    return ctx->fn->ins.at[ins].loc;
}

static void label_places(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lost_update *update) {
    uint32_t load = loc_of(ctx, update->update.load), store = loc_of(ctx, update->update.store);
    if (load == store) {
        cw_report_label(ctx, finding, store, "both threads load it, then both store it");
        return;
    }
    cw_report_label(ctx, finding, load, "both threads load it");
    cw_report_label(ctx, finding, store, "then both store it");
}

const char *cw_lost_update_who(struct cw_rule_ctx *ctx, const struct cw_lost_update *update) {
    return update->is_between_blocks
               ? cw_arena_printf(ctx->arena, "thread %u of two blocks", update->first)
               : cw_arena_printf(ctx->arena, "threads %u and %u", update->first, update->second);
}

/* ---- why ---- */

static void note_datum(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lost_update *update,
                       const char *text) {
    cw_report_note(ctx, finding, update->datum != UINT32_MAX ? loc_of(ctx, update->datum) : 0, "%s", text);
}

static void note_ground(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lost_update *update) {
    switch (update->ground) {
    case CW_GROUND_ASSUMED:
        note_datum(ctx, finding, update, "this assumes data that lead both threads to one element");
        break;
    case CW_GROUND_ONE_PLACE:
        note_datum(ctx, finding, update, "the data that each thread loads here decide whether it comes; there is one "
                                         "element for all that do");
        break;
    case CW_GROUND_FEW:
        note_datum(ctx, finding, update,
                   cw_arena_printf(ctx->arena,
                                   "these data choose one of %u element%s, and more threads choose than that",
                                   update->elements, update->elements == 1 ? "" : "s"));
        break;
    case CW_GROUND_NARROWED:
        note_datum(ctx, finding, update, "these data choose the element, and different data choose the same one");
        break;
    case CW_GROUND_NEIGHBOURS:
        note_datum(ctx, finding, update,
                   "each thread goes through a list of its own, and lists may have this in common");
        break;
    case CW_GROUND_ATOMICS:
        note_datum(ctx, finding, update, "these data choose the element, which this kernel also updates by atomics");
        break;
    case CW_GROUND_PROBE:
        note_datum(ctx, finding, update, "each thread looks for a free element, and both may find the same one");
        break;
    }
}

/* "in[1] = in[0]": the data of the second thread, where these have a name. */
static void add_datum(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lost_update *update) {
    const struct cw_ins *load = update->datum != UINT32_MAX ? &ctx->fn->ins.at[update->datum] : NULL;
    const struct cw_lane_value *places =
        load && load->op == CW_OP_LOAD && update->ground != CW_GROUND_ONE_PLACE && !update->is_between_blocks
            ? cw_lanes_places(update->lanes, cw_arg(ctx->fn, load, 0), update->context)
            : NULL;
    if (places == NULL)
        return;
    struct cw_lane_place a = cw_lanes_place(places, update->first), b = cw_lanes_place(places, update->second);
    bool is_known = a.known <= CW_SAMPLED && b.known <= CW_SAMPLED && cw_ref_eq(a.base, b.base) &&
                    (a.base.tag == CW_REF_OBJECT || a.base.tag == CW_REF_PARAM) && a.offset != b.offset;
    if (!is_known)
        return;
    struct cw_witness_fact fact = {
        cw_arena_strdup(ctx->sink->keep, cw_element_text(ctx, b.base, b.offset, load->aux, 0)),
        cw_arena_strdup(ctx->sink->keep, cw_element_text(ctx, a.base, a.offset, load->aux, 0))};
    cw_vec_push(ctx->sink->keep, &finding->witness.facts, fact);
}

/* ---- what helps ---- */

/* The atomic that does to an integer, or adds to a floating-point number, what is done here; NULL: none does. */
static const char *find_atomic(const struct cw_rule_ctx *ctx, const struct cw_update *update) {
    const struct cw_ins *made = cw_ins_of(ctx->fn, cw_arg(ctx->fn, &ctx->fn->ins.at[update->store], 0));
    if (!update->is_accumulated || !made)
        return NULL;
    switch (made->op) {
    case CW_OP_ADD: return "atomicAdd()";
    case CW_OP_SUB: return "atomicSub()";
    case CW_OP_AND: return "atomicAnd()";
    case CW_OP_OR: return "atomicOr()";
    case CW_OP_XOR: return "atomicXor()";
    case CW_OP_SMIN:
    case CW_OP_UMIN: return "atomicMin()";
    case CW_OP_SMAX:
    case CW_OP_UMAX: return "atomicMax()";
    case CW_OP_PURE: {
        const char *name = ctx->fn->texts.at[made->aux];
        return strcmp(name, "+") == 0 || strcmp(name, "-") == 0 ? "atomicAdd()" : NULL;
    }
    default: return NULL;
    }
}

void cw_report_lost_update(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_lost_update *update) {
    const char *atomic = find_atomic(ctx, &update->update);
    label_places(ctx, finding, update);
    note_ground(ctx, finding, update);
    if (atomic)
        cw_report_help(ctx, finding, "use %s", atomic);
    else
        cw_report_help(ctx, finding, "use an atomic, such as atomicCAS() in a loop, or a lock");
    cw_report_launch(ctx, finding, update->lanes);
    add_datum(ctx, finding, update);
    finding->witness.address =
        cw_arena_strdup(ctx->sink->keep, cw_ins_text(ctx, update->update.store, "the element"));
    cw_vec_push(ctx->sink->keep, &finding->witness.threads, update->first);
    if (!update->is_between_blocks)
        cw_vec_push(ctx->sink->keep, &finding->witness.threads, update->second);
    if (update->context)
        finding->witness.iteration = update->context->iteration;
}
