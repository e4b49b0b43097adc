/* See exited_lanes.h. */
#include "faults/exited_lanes.h"

#include "cuda/models.h"
#include "lanes/facts_print.h"
#include "lanes/masks.h"
#include "uniformity/reachable_ops.h"
#include "launch/for_each_launch.h"

#include <string.h>

enum {
    SAMPLES = 3,           /* choices of the uniform unknowns tried per launch */
    MAX_COLLECTIVES = 256, /* looked at per kernel */
    CALLER_CELLS = 16      /* what asking one thread about its 32 lanes costs, in cells of an evaluator */
};

/* A mask that is written; what a group or __activemask() names is there. */
static bool has_mask(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (!(cw_op_flags((enum cw_op)ins->op) & CW_OP_C) || ins->narg == 0 || (ins->flags & CW_INS_LEGACY))
        return false;
    cw_ref mask = cw_arg(fn, ins, 0);
    return cw_ref_type(fn, mask) == CW_I32 && mask.tag != CW_REF_UNDEF && mask.tag != CW_REF_NONE;
}

static bool may_happen(enum cw_reach reach) {
    return reach == CW_REACH_YES || reach == CW_REACH_INPUT;
}

/* Lanes that t names and that are gone when it calls: beyond the block's end, or, if there are none, exited. */
static bool look_at_thread(struct cw_masks *masks, uint32_t t, struct cw_gone_lanes *out) {
    uint32_t first = t & ~31u, threads = cw_lanes_count(cw_masks_lanes(masks)), beyond = 0, exited = 0;
    bool sure = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        bool named = lane != t % 32 && cw_masks_names(masks, t, lane) == CW_REACH_YES;
        enum cw_reach gone = named && first + lane < threads ? cw_masks_exited(masks, t, lane) : CW_REACH_NO;
        beyond |= (uint32_t)(named && first + lane >= threads) << lane;
        exited |= (uint32_t)may_happen(gone) << lane;
        sure |= gone == CW_REACH_YES;
    }
    *out = (struct cw_gone_lanes){.ins = cw_masks_ins(masks), .masks = masks, .thread = t, .beyond = beyond != 0,
                                  .lanes = beyond ? beyond : exited, .by_data = !beyond && !sure};
    return out->lanes != 0;
}

/* Of each warp the first thread that comes stands for all of it: they hold one mask, or another rule has something to
 * say. */
static bool look_at_launch(struct cw_lanes *lanes, uint32_t ins, const struct cw_kernel_query *query,
                           struct cw_gone_lanes *out) {
    struct cw_masks *m = cw_masks_new(lanes, ins, NULL, query->arena);
    for (uint32_t first = 0; first < cw_lanes_count(lanes); first += 32) {
        uint32_t end = first + 32 < cw_lanes_count(lanes) ? first + 32 : cw_lanes_count(lanes), t = first;
        while (t < end && cw_masks_arrives(m, t) != CW_REACH_YES && cw_masks_arrives(m, t) != CW_REACH_INPUT)
            t++;
        if (t < end && look_at_thread(m, t, out))
            return true;
        if (!cw_lanes_charge(lanes, CALLER_CELLS))
            return false;
    }
    return false;
}

static bool look_at(const struct cw_kernel_query *query, uint32_t ins, struct cw_gone_lanes *out) {
    struct cw_survey s = cw_survey_of(query->launches, query->launches->from_facts ? 1 : 33);
    struct cw_gone_lanes now;
    while (cw_survey_next(&s)) {
        bool shown = false;
        for (uint32_t sample = 0; sample < SAMPLES && !shown; sample++) {
            struct cw_lanes *l = query->lanes(query->owner, s.launch, sample);
            shown = l && look_at_launch(l, ins, query, &now);
        }
        if (shown && cw_survey_shown(&s))
            *out = now;
    }
    out->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

/* ---- collectives that use the values of all lanes ---- */

/* The result is made of the call's one input and of what others gave: a number of valid items, or flags of segments,
 * would be one more operand. */
static bool reduces_all(const struct cw_fn *fn, const struct cw_ins *call) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *result = &fn->ins.at[k];
        if (result->op == CW_OP_OPAQUE && result->intrinsic == call->intrinsic && result->loc == call->loc &&
            result->narg == 3)
            return true;
    }
    return false;
}

/* Is an aggregate of the call used? It is made from the vote that stands for what the lanes share. */
static bool has_aggregate(const struct cw_fn *fn, const struct cw_ins *call) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        cw_ref from = i->op == CW_OP_PURE && i->narg == 1 ? cw_arg(fn, i, 0) : CW_NONE;
        const struct cw_ins *vote = from.tag == CW_REF_INS ? cw_ins_of(fn, from) : NULL;
        if (vote && vote->op == CW_OP_VOTE && vote->intrinsic == call->intrinsic && vote->loc == call->loc)
            return true;
    }
    return false;
}

/* A scan gives each lane those below it. Loads and stores that transpose, and sorts, move items between lanes; with a
 * number of valid items the missing ones may be those of the lanes that are gone. */
static enum cw_gone_use use_of(const struct cw_fn *fn, uint32_t ins) {
    const struct cw_ins *call = &fn->ins.at[ins];
    const struct cw_collective *row = call->op == CW_OP_SYNCWARP ? cw_collective_at(call->intrinsic) : NULL;
    if (!row)
        return CW_GONE_UNUSED;
    if (!strcmp(row->of->name, "WarpReduce"))
        return reduces_all(fn, call) && !(call->flags & CW_INS_COUNTED) ? CW_GONE_REDUCED : CW_GONE_UNUSED;
    if (!strcmp(row->of->name, "WarpScan") && strcmp(row->member, "Broadcast") != 0)
        return CW_GONE_SCANNED;
    bool moves_items = !strcmp(row->of->name, "WarpExchange") || !strcmp(row->of->name, "WarpLoad") ||
                       !strcmp(row->of->name, "WarpStore") || !strcmp(row->of->name, "WarpMergeSort");
    return moves_items && !(call->flags & CW_INS_COUNTED) ? CW_GONE_EXCHANGED : CW_GONE_UNUSED;
}

bool cw_has_uses_of_all(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (use_of(fn, k) != CW_GONE_UNUSED)
            return true;
    return false;
}

/* Of the lanes that are gone those that are below one that is left. */
static uint32_t below_others(const struct cw_gone_lanes *cause) {
    uint32_t last = cw_masks_sure_lanes(cause->masks, cause->thread) & ~cause->lanes;
    while (last & (last - 1))
        last &= last - 1;
    return last ? cause->lanes & (last - 1) : 0;
}

static void note_user(const struct cw_fn *fn, struct cw_gone_lanes *cause, uint32_t ins) {
    bool is_same = cw_ref_eq(cw_arg(fn, &fn->ins.at[cause->ins], 0), cw_arg(fn, &fn->ins.at[ins], 0));
    enum cw_gone_use use = cause->user == UINT32_MAX && is_same ? use_of(fn, ins) : CW_GONE_UNUSED;
    bool is_ordered = use == CW_GONE_SCANNED && !has_aggregate(fn, &fn->ins.at[ins]);
    uint32_t used = use == CW_GONE_UNUSED ? 0 : is_ordered ? below_others(cause) : cause->lanes;
    if (!used)
        return;
    cause->user = ins;
    cause->used = used;
    cause->use = use;
}

static void add_found(const struct cw_kernel_query *query, struct cw_gone_list *list,
                      const struct cw_gone_lanes *found) {
    for (uint32_t k = 0; k < list->at.n; k++)
        if (list->at.at[k].beyond == found->beyond && list->at.at[k].definite >= found->definite) {
            cw_vec_push(query->arena, &list->at.at[k].also, found->ins);
            note_user(query->fn, &list->at.at[k], found->ins);
            return;
        }
    cw_vec_push(query->arena, &list->at, *found);
    list->at.at[list->at.n - 1].user = UINT32_MAX;
    note_user(query->fn, &list->at.at[list->at.n - 1], found->ins);
}

struct cw_gone_list cw_gone_lanes_of(const struct cw_kernel_query *query) {
    struct cw_gone_list list = {{0}};
    struct cw_gone_lanes found = {0};
    struct cw_vec_u32 calls = {0};
    if (query->fn->cfg->is_irreducible)
        return list;
    calls = cw_reachable_where(query->fn, has_mask, query->arena);
    cw_query_gave_up(query, CW_BAIL_MASK_BUDGET, calls.n > MAX_COLLECTIVES);
    for (uint32_t k = 0; k < calls.n && k < MAX_COLLECTIVES; k++)
        if (look_at(query, calls.at[k], &found))
            add_found(query, &list, &found);
    return list;
}

/* ---- text form ---- */

void cw_gone_list_print(const struct cw_facts_print *to, const struct cw_gone_list *list) {
    for (uint32_t k = 0; k < list->at.n; k++) {
        const struct cw_gone_lanes *gone = &list->at.at[k];
        cw_facts_begin(to, gone->definite, gone->beyond ? "lanes beyond the block" : "exited lanes");
        cw_facts_ins(to, "", gone->ins);
        cw_facts_also(to, &gone->also);
        cw_facts_flag(to, gone->by_data, "by data");
        cw_facts_thread(to, "caller", gone->thread);
        cw_facts_lanes(to, "names", gone->thread / 32, cw_masks_sure_lanes(gone->masks, gone->thread));
        cw_facts_lanes(to, "gone", gone->thread / 32, gone->lanes);
        cw_facts_context(to, cw_masks_context(gone->masks));
        cw_facts_evaluator(to, cw_masks_lanes(gone->masks));
        cw_facts_end(to);
    }
}
