/* Who takes part, by the formulas of the lane evaluator.
 *
 * requires: lanes. computes: per thread whether it arrives, has exited, or is elsewhere. preserves: everything.
 *
 * The question is asked under the assumption that somebody arrives: `if (alpha > 0) __syncthreads();` for a float
 * parameter is reached by all or by none, and nobody is missing. For warp collectives "somebody" is of the same warp.
 *
 * A thread has exited when it left, for good, over an edge that leads to a return which nobody who comes here shares:
 * the arms of that branch do not meet again. Leaving a loop by its condition, or skipping an `if` that closes before
 * the kernel ends, is being elsewhere. */
#include "lanes/participation.h"

#include "base/str.h"
#include "lanes/lanes_internal.h"
#include "lanes/masks.h"

#include <string.h>

enum { DISTINCT_MAX = 64 };

/* ---- who has exited ---- */

/* Who has left the loop over the edge before this iteration. A counted loop has no other exit. */
static const struct cw_lane_cond *has_left(struct cw_lanes *lanes, struct cw_edge edge,
                                           const struct cw_context *context) {
    const struct cw_lane_cond *f = cw_lane_cond_one(lanes, CW_BDD_FALSE);
    uint32_t header = lanes->fn->cfg->loops.at[context->loop].header;
    if (cw_lanes_counted(lanes, context->loop, context->outer))
        return cw_lane_cond_without(
            lanes, cw_lane_cond_reach(lanes, header, cw_lanes_context(lanes, context->outer, context->loop, 0)),
            cw_lane_cond_reach(lanes, header, context));
    if (context->iteration > CW_LANES_ITERATIONS)
        return cw_lane_cond_one(lanes, CW_BDD_POISON);
    for (uint32_t k = 0; k < context->iteration; k++)
        f = cw_lane_cond_or(lanes, f,
                            cw_lane_cond_takes(lanes, edge, cw_lanes_context(lanes, context->outer, context->loop, k)));
    return f;
}

/* Who has taken the edge by the time of the context: in it, or in an earlier iteration of a loop around. */
static const struct cw_lane_cond *has_taken(struct cw_lanes *lanes, struct cw_edge edge,
                                            const struct cw_context *context) {
    const struct cw_context *c = cw_context_at(lanes, context, edge.block);
    const struct cw_lane_cond *f = cw_lane_cond_takes(lanes, edge, c);
    for (; c; c = c->outer)
        if (c->iteration > 0)
            f = cw_lane_cond_or(lanes, f, has_left(lanes, edge, c));
    return f;
}

static const struct cw_lane_cond *who_exited(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context) {
    const struct cw_vec_edge *edges = cw_cfg_exits_before(lanes->fn, block);
    const struct cw_lane_cond *f = cw_lane_cond_one(lanes, CW_BDD_FALSE);
    for (uint32_t k = 0; k < edges->n; k++)
        f = cw_lane_cond_or(lanes, f, has_taken(lanes, edges->at[k], context));
    return f;
}

/* ---- presence ---- */

/* "Somebody of these threads arrives"; TRUE (no assumption) when that is too much to write down, or nobody does. */
static uint32_t any_arrives(struct cw_lanes *lanes, const struct cw_lane_cond *arrive, uint32_t from, uint32_t to) {
    uint32_t any = CW_BDD_FALSE, distinct = 0, last = CW_BDD_FALSE;
    for (uint32_t t = from; t < to && any != CW_BDD_TRUE; t++) {
        uint32_t f = cw_lane_cond_at(arrive, t);
        if (f == last)
            continue;
        if (++distinct > DISTINCT_MAX || f == CW_BDD_POISON)
            return CW_BDD_TRUE;
        any = cw_bdd_or(&lanes->f, any, f);
        last = f;
    }
    return any == CW_BDD_FALSE || any == CW_BDD_POISON ? CW_BDD_TRUE : any;
}

static bool is_unknown(const struct cw_lanes *lanes, uint32_t f) {
    return cw_bdd_unknown(&lanes->f, f);
}

/* It does not arrive: has it exited? */
static enum cw_presence judge_absent(struct cw_lanes *lanes, uint32_t exit, uint32_t given) {
    uint32_t x = cw_bdd_given(&lanes->f, exit, given);
    if (cw_bdd_and(&lanes->f, given, cw_bdd_not(exit)) == CW_BDD_FALSE)
        return CW_EXITED;
    if (cw_bdd_and(&lanes->f, given, exit) == CW_BDD_FALSE)
        return CW_ELSEWHERE;
    return is_unknown(lanes, x) ? CW_UNSURE : CW_DATA;
}

static enum cw_presence presence_of(struct cw_lanes *lanes, uint32_t arrive, uint32_t exit, uint32_t given) {
    uint32_t away = cw_bdd_and(&lanes->f, given, cw_bdd_not(arrive));
    if (away == CW_BDD_FALSE)
        return CW_ARRIVES;
    if (cw_bdd_and(&lanes->f, given, arrive) == CW_BDD_FALSE)
        return judge_absent(lanes, exit, given);
    if (is_unknown(lanes, cw_bdd_given(&lanes->f, arrive, given)) || is_unknown(lanes, away))
        return CW_UNSURE;
    uint32_t elsewhere = cw_bdd_and(&lanes->f, away, cw_bdd_not(exit));
    if (elsewhere == CW_BDD_FALSE)
        return CW_DATA_EXIT;
    return is_unknown(lanes, elsewhere) ? CW_UNSURE : CW_DATA;
}

static const struct cw_context *context_of(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    uint32_t block = lanes->fn->ins.at[ins].block;
    return cw_context_complete(lanes, cw_context_at(lanes, context, block), block);
}

const struct cw_lane_cond *cw_participation_arrives(struct cw_lanes *lanes, uint32_t ins,
                                                    const struct cw_context *context) {
    return cw_lane_cond_reach(lanes, lanes->fn->ins.at[ins].block, context_of(lanes, ins, context));
}

const struct cw_lane_cond *cw_participation_exited(struct cw_lanes *lanes, uint32_t ins,
                                                   const struct cw_context *context) {
    return who_exited(lanes, lanes->fn->ins.at[ins].block, context_of(lanes, ins, context));
}

struct cw_participation *cw_participation(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                                          struct cw_arena *a) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    struct cw_participation *p = CW_NEW(a, struct cw_participation);
    context = context_of(lanes, ins, context);
    p->ins = ins;
    p->context = context;
    p->presence = CW_NEW_ARRAY(a, uint8_t, lanes->threads);
    const struct cw_lane_cond *arrive = cw_lane_cond_reach(lanes, i->block, context);
    const struct cw_lane_cond *exit =
        cw_lane_cond_is(lanes, arrive, CW_BDD_TRUE) ? arrive : who_exited(lanes, i->block, context);
    uint32_t scope = cw_op_flags(i->op) & CW_OP_B ? lanes->threads : 32;
    for (uint32_t from = 0; from < lanes->threads; from += scope) {
        uint32_t to = from + scope < lanes->threads ? from + scope : lanes->threads,
                 given = any_arrives(lanes, arrive, from, to);
        for (uint32_t t = from; t < to; t++) {
            p->presence[t] = (uint8_t)presence_of(lanes, cw_lane_cond_at(arrive, t), cw_lane_cond_at(exit, t), given);
            p->count[p->presence[t]]++;
        }
    }
    return p;
}

uint32_t cw_participation_lanes(const struct cw_participation *participation, const struct cw_lanes *lanes,
                                uint32_t warp, enum cw_presence what) {
    uint32_t mask = 0;
    for (uint32_t lane = 0; lane < 32 && warp * 32 + lane < lanes->threads; lane++)
        if (participation->presence[warp * 32 + lane] == what)
            mask |= 1u << lane;
    return mask;
}

/* ---- text form ---- */

const char *cw_presence_text(enum cw_presence presence) {
    static const char *const texts[] = {"arrives", "exited", "elsewhere", "data", "data-exit", "unsure"};
    return texts[presence];
}

static bool same_warp(const struct cw_participation *participation, const struct cw_lanes *lanes, uint32_t v,
                      uint32_t w) {
    for (uint32_t what = 0; what <= CW_UNSURE; what++)
        if (cw_participation_lanes(participation, lanes, v, what) !=
            cw_participation_lanes(participation, lanes, w, what))
            return false;
    return true;
}

static void print_warps(const struct cw_participation *participation, const struct cw_lanes *lanes,
                        struct cw_buf *out) {
    uint32_t warps = (lanes->threads + 31) / 32;
    for (uint32_t w = 0, end; w < warps; w = end) {
        for (end = w + 1; end < warps && same_warp(participation, lanes, w, end); end++)
            continue;
        cw_buf_printf(out, end - w > 1 ? "    warps %u-%u:" : "    warp %u:", w, end - 1);
        for (uint32_t what = 0; what <= CW_UNSURE; what++) {
            uint32_t mask = cw_participation_lanes(participation, lanes, w, what);
            if (mask)
                cw_buf_printf(out, " %s 0x%08x", cw_presence_text((enum cw_presence)what), mask);
        }
        cw_buf_putc(out, '\n');
    }
}

/* The lanes that the callers of a warp name: one set for all of them, else that of the first and a remark. */
static void print_mask(struct cw_masks *masks, uint32_t threads, uint32_t warp, struct cw_buf *out) {
    uint32_t sure = 0, open = 0, callers = 0;
    bool differ = false;
    for (uint32_t t = warp * 32; t < warp * 32 + 32 && t < threads; t++) {
        if (cw_masks_arrives(masks, t) == CW_REACH_NO)
            continue;
        uint32_t s = cw_masks_sure_lanes(masks, t), o = cw_masks_open_lanes(masks, t);
        differ |= callers++ > 0 && (s != sure || o != open);
        sure = callers == 1 ? s : sure;
        open = callers == 1 ? o : open;
    }
    if (callers == 0)
        return;
    cw_buf_printf(out, "    warp %u names 0x%08x", warp, sure);
    if (open)
        cw_buf_printf(out, ", perhaps 0x%08x", open);
    cw_buf_puts(out, differ ? ", first of several masks\n" : "\n");
}

static bool names_lanes(const struct cw_fn *fn, const struct cw_ins *ins) {
    return (cw_op_flags((enum cw_op)ins->op) & CW_OP_C) && ins->narg > 0 && cw_arg(fn, ins, 0).tag != CW_REF_UNDEF &&
           (cw_ref_type(fn, cw_arg(fn, ins, 0)) == CW_I32 || cw_ref_type(fn, cw_arg(fn, ins, 0)) == CW_GROUP);
}

struct choice_hunt {
    struct cw_lanes *l;
    const struct cw_context *context;
    bool found;
};

/* Stops at a condition that some thread decides by a number which the sample chose. */
static bool see_control(void *user, struct cw_edge edge) {
    struct choice_hunt *h = user;
    const struct cw_jump *j = &h->l->fn->blocks.at[edge.block].jump;
    const struct cw_context *c = cw_context_complete(h->l, cw_context_at(h->l, h->context, edge.block), edge.block);
    const struct cw_lane_values *v = cw_lanes_eval(h->l, j->value, c);
    for (uint32_t t = 0; t < h->l->threads && !h->found; t++)
        h->found = v->known[t] == CW_SAMPLED;
    return !h->found;
}

/* Does who comes rest on a value that the evaluator chose, a size, a flag in memory, a block's number? Another run has
 * another one, and others may come. */
static bool rests_on_choice(struct cw_lanes *lanes, const struct cw_participation *participation) {
    struct choice_hunt h = {.l = lanes, .context = participation->context};
    cw_cfg_controls(lanes->fn, lanes->fn->ins.at[participation->ins].block, see_control, &h);
    return h.found;
}

/* Is "arrives" said of threads that come only if others do, too? */
static bool rests_on_others(struct cw_lanes *lanes, const struct cw_participation *participation) {
    const struct cw_lane_cond *arrive =
        cw_lane_cond_reach(lanes, lanes->fn->ins.at[participation->ins].block, participation->context);
    for (uint32_t t = 0; t < lanes->threads; t++)
        if (participation->presence[t] == CW_ARRIVES && cw_lane_cond_at(arrive, t) != CW_BDD_TRUE)
            return true;
    return false;
}

static void print_one(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context, struct cw_buf *out) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    const struct cw_span *span = &lanes->fn->locs.at[i->loc].span;
    const struct cw_participation *p = cw_participation(lanes, ins, context, lanes->a);
    cw_buf_printf(out, "  %s at %u:%u", cw_op_text(i->op), span->line, span->col);
    for (const struct cw_context *c = p->context; c; c = c->outer)
        cw_buf_printf(out, "%s%u", c == p->context ? " iteration " : " of ", c->iteration);
    cw_buf_puts(out, rests_on_others(lanes, p) ? ", if anybody comes" : "");
    cw_buf_puts(out, rests_on_choice(lanes, p) ? ", for chosen values\n" : "\n");
    print_warps(p, lanes, out);
    if (!names_lanes(lanes->fn, i))
        return;
    struct cw_masks *m = cw_masks_new(lanes, ins, p->context, lanes->a);
    for (uint32_t w = 0; w < (lanes->threads + 31) / 32; w++)
        print_mask(m, lanes->threads, w, out);
}

static bool same_presence(const struct cw_participation *participation, const struct cw_participation *other,
                          uint32_t n) {
    return memcmp(participation->presence, other->presence, n) == 0;
}

/* The first iteration, and the one in which the first thread has left the innermost loop. */
static void print_iterations(struct cw_lanes *lanes, uint32_t ins, struct cw_buf *out) {
    const struct cw_context *first = cw_lanes_first(lanes, lanes->fn->ins.at[ins].block);
    print_one(lanes, ins, first, out);
    if (!first)
        return;
    const int32_t *trips = cw_lanes_trips(lanes, first->loop, first->outer);
    int32_t least = INT32_MAX, most = 0;
    for (uint32_t t = 0; t < lanes->threads; t++) {
        least = trips[t] > 0 && trips[t] < least ? trips[t] : least;
        most = trips[t] > most ? trips[t] : most;
    }
    if (least == most || most <= 1)
        return;
    /* Where the header decides, the first to leave miss the body of their last iteration; else that after it. */
    const struct cw_context *last = cw_lanes_context(lanes, first->outer, first->loop, (uint32_t)least - 1);
    const struct cw_context *after = cw_lanes_context(lanes, first->outer, first->loop, (uint32_t)least);
    bool same = same_presence(cw_participation(lanes, ins, first, lanes->a),
                              cw_participation(lanes, ins, last, lanes->a), lanes->threads);
    print_one(lanes, ins, same ? after : last, out);
}

void cw_participation_print(struct cw_lanes *lanes, struct cw_buf *out) {
    const struct cw_launch *launch = lanes->launch;
    cw_buf_printf(out, "participation of %s, block (%u,%u,%u), sample %u\n", lanes->fn->name, launch->block[0],
                  launch->block[1], launch->block[2], lanes->sample);
    for (uint32_t k = 0; k < lanes->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &lanes->fn->blocks.at[lanes->fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n; n++)
            if (cw_op_flags(lanes->fn->ins.at[list->at[n]].op) & (CW_OP_B | CW_OP_C))
                print_iterations(lanes, list->at[n], out);
    }
}
