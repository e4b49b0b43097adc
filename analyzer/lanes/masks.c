/* Questions about a collective's mask, answered by the formulas of masks and arrivals; see masks.h.
 *
 * requires: lanes. computes: answers on demand, rows memoised. preserves: everything.
 *
 * absent_j(t) = arrives_t & named_j(t) & !arrives_j & !exited_j (SEMANTICS: exited threads are ignored). */
#include "lanes/masks_internal.h"

#include <string.h>

enum { PARTNERS_MAX = 64 }; /* other collectives looked at for a partner */

struct cw_masks *cw_masks_new(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context,
                              struct cw_arena *a) {
    struct cw_masks *m = CW_NEW(a, struct cw_masks);
    uint32_t block = lanes->fn->ins.at[ins].block;
    *m = (struct cw_masks){.l = lanes, .a = a, .ins = ins};
    m->context = cw_context_complete(lanes, cw_context_at(lanes, context, block), block);
    m->arrives = cw_participation_arrives(lanes, ins, m->context);
    cw_map_init(&m->memo, a);
    return m;
}

uint64_t cw_masks_compared(const struct cw_masks *masks) {
    return masks->compared;
}

uint32_t cw_masks_ins(const struct cw_masks *masks) {
    return masks->ins;
}

struct cw_lanes *cw_masks_lanes(const struct cw_masks *masks) {
    return masks->l;
}

const struct cw_context *cw_masks_context(const struct cw_masks *masks) {
    return masks->context;
}

/* ---- parts ---- */

static cw_ref mask_operand(const struct cw_masks *masks) {
    const struct cw_ins *i = &masks->l->fn->ins.at[masks->ins];
    return i->narg > 0 ? cw_arg(masks->l->fn, i, 0) : CW_NONE;
}

static const struct cw_mask_row *row_of(struct cw_masks *masks, uint32_t t) {
    const struct cw_ins *i = &masks->l->fn->ins.at[masks->ins];
    cw_ref r = mask_operand(masks);
    if (r.tag == CW_REF_CONST) /* one row for all threads, kept by its number */
        return cw_mask_row_of(masks, r, masks->context, t);
    if (!masks->row)
        masks->row = CW_NEW_ARRAY(masks->a, const struct cw_mask_row *, masks->l->threads);
    if (!masks->row[t]) {
        bool legacy = r.tag == CW_REF_NONE || r.tag == CW_REF_UNDEF;
        masks->row[t] =
            legacy ? cw_mask_row_here(masks, i->block, masks->context, t) : cw_mask_row_of(masks, r, masks->context, t);
    }
    return masks->row[t];
}

const struct cw_mask_row *cw_mask_row(struct cw_masks *masks, uint32_t t) {
    return row_of(masks, t);
}

static uint32_t arrival_of(const struct cw_masks *masks, uint32_t t) {
    return cw_lane_cond_at(masks->arrives, t);
}

/* Only asked of threads that may stay away, so that most collectives never look for exits. */
static uint32_t exit_of(struct cw_masks *masks, uint32_t t) {
    if (!masks->exited)
        masks->exited = cw_participation_exited(masks->l, masks->ins, masks->context);
    return cw_lane_cond_at(masks->exited, t);
}

static uint32_t away_of(struct cw_masks *masks, uint32_t u) {
    uint32_t gone = cw_bdd_not(arrival_of(masks, u));
    return gone == CW_BDD_FALSE ? gone : cw_bdd_and(&masks->l->f, gone, cw_bdd_not(exit_of(masks, u)));
}

static uint32_t thread_of(const struct cw_masks *masks, uint32_t t, uint32_t lane) {
    uint32_t u = (t & ~31u) + lane;
    return u < masks->l->threads ? u : UINT32_MAX;
}

/* `f` implies that t arrives. */
static enum cw_reach judge_formula(const struct cw_masks *masks, uint32_t t, uint32_t f) {
    if (f == CW_BDD_FALSE)
        return CW_REACH_NO;
    if (f == CW_BDD_POISON)
        return CW_REACH_UNKNOWN;
    if (f == arrival_of(masks, t))
        return CW_REACH_YES;
    return cw_bdd_unknown(&masks->l->f, f) ? CW_REACH_UNKNOWN : CW_REACH_INPUT;
}

/* A mask that is only one sample of a number proves nothing against the code. */
static enum cw_reach unless_guessed(enum cw_reach reach, bool guessed) {
    return guessed && reach != CW_REACH_NO ? CW_REACH_UNKNOWN : reach;
}

/* ---- questions ---- */

enum cw_reach cw_masks_arrives(const struct cw_masks *masks, uint32_t t) {
    uint32_t f = arrival_of(masks, t);
    if (cw_bdd_terminal(f))
        return f == CW_BDD_TRUE ? CW_REACH_YES : CW_REACH_NO;
    return cw_bdd_unknown(&masks->l->f, f) ? CW_REACH_UNKNOWN : CW_REACH_INPUT;
}

enum cw_reach cw_masks_names(struct cw_masks *masks, uint32_t t, uint32_t lane) {
    const struct cw_mask_row *row = row_of(masks, t);
    return judge_formula(masks, t, cw_bdd_and(&masks->l->f, arrival_of(masks, t), row->at[lane]));
}

enum cw_reach cw_masks_meets(struct cw_masks *masks, uint32_t t, uint32_t lane) {
    uint32_t u = thread_of(masks, t, lane);
    return u == UINT32_MAX
               ? CW_REACH_NO
               : judge_formula(masks, t, cw_bdd_and(&masks->l->f, arrival_of(masks, t), arrival_of(masks, u)));
}

enum cw_reach cw_masks_exited(struct cw_masks *masks, uint32_t t, uint32_t lane) {
    uint32_t u = thread_of(masks, t, lane);
    if (u == UINT32_MAX || arrival_of(masks, u) == CW_BDD_TRUE)
        return CW_REACH_NO;
    return judge_formula(masks, t, cw_bdd_and(&masks->l->f, arrival_of(masks, t), exit_of(masks, u)));
}

static uint32_t absence_of(struct cw_masks *masks, uint32_t t, uint32_t lane) {
    uint32_t u = thread_of(masks, t, lane), f;
    if (u == UINT32_MAX || arrival_of(masks, t) == CW_BDD_FALSE || (f = away_of(masks, u)) == CW_BDD_FALSE)
        return CW_BDD_FALSE;
    f = cw_bdd_and(&masks->l->f, arrival_of(masks, t), f);
    return f == CW_BDD_FALSE ? f : cw_bdd_and(&masks->l->f, f, row_of(masks, t)->at[lane]);
}

bool cw_masks_alike(struct cw_masks *masks, uint32_t t, uint32_t u) {
    if (arrival_of(masks, t) != arrival_of(masks, u))
        return false;
    if (mask_operand(masks).tag == CW_REF_CONST)
        return true;
    const struct cw_mask_row *a = row_of(masks, t), *b = row_of(masks, u);
    return a == b || (a->guessed == b->guessed && !memcmp(a->at, b->at, sizeof a->at));
}

/* Do the two lanes of different warps ask the same of their warps? */
static bool are_alike_in_warps(struct cw_masks *masks, uint32_t t, uint32_t u, bool with_exits) {
    if (arrival_of(masks, t) != arrival_of(masks, u))
        return false;
    return (arrival_of(masks, t) == CW_BDD_FALSE || cw_masks_alike(masks, t, u)) &&
           (!with_exits || arrival_of(masks, t) == CW_BDD_TRUE || exit_of(masks, t) == exit_of(masks, u));
}

bool cw_masks_alike_warps(struct cw_masks *masks, uint32_t warp, uint32_t other, bool with_exits) {
    uint32_t threads = masks->l->threads;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t t = warp * 32 + lane, u = other * 32 + lane;
        if ((t < threads) != (u < threads) || (t < threads && !are_alike_in_warps(masks, t, u, with_exits)))
            return false;
    }
    return true;
}

enum cw_reach cw_masks_outside(struct cw_masks *masks, uint32_t t) {
    if (arrival_of(masks, t) == CW_BDD_FALSE)
        return CW_REACH_NO;
    const struct cw_mask_row *row = row_of(masks, t);
    uint32_t f = cw_bdd_and(&masks->l->f, arrival_of(masks, t), cw_bdd_not(row->at[t % 32]));
    return unless_guessed(judge_formula(masks, t, f), row->guessed);
}

/* Nothing is known of POISON, not even that it is the same as another one. */
static bool is_one_formula(uint32_t f, uint32_t g) {
    return f == g && f != CW_BDD_POISON;
}

enum cw_reach cw_masks_differ(struct cw_masks *masks, uint32_t t, uint32_t u) {
    uint32_t both = cw_bdd_and(&masks->l->f, arrival_of(masks, t), arrival_of(masks, u)), differ = CW_BDD_FALSE;
    if (both == CW_BDD_FALSE || t == u)
        return CW_REACH_NO;
    const struct cw_mask_row *a = row_of(masks, t), *b = row_of(masks, u);
    masks->compared++;
    both = cw_bdd_and(&masks->l->f, both, a->at[u % 32]); /* as a rule each tile names its own lanes */
    for (uint32_t lane = 0; lane < 32 && both != CW_BDD_FALSE; lane++)
        if (!is_one_formula(a->at[lane], b->at[lane])) {
            masks->compared++;
            differ = cw_bdd_or(&masks->l->f, differ, cw_bdd_xor(&masks->l->f, a->at[lane], b->at[lane]));
        }
    return unless_guessed(judge_formula(masks, t, cw_bdd_and(&masks->l->f, both, differ)), a->guessed || b->guessed);
}

/* ---- sets of lanes ---- */

uint32_t cw_masks_sure_lanes(struct cw_masks *masks, uint32_t t) {
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        lanes |= (uint32_t)(cw_masks_names(masks, t, lane) == CW_REACH_YES) << lane;
    return lanes;
}

uint32_t cw_masks_open_lanes(struct cw_masks *masks, uint32_t t) {
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < 32; lane++) {
        enum cw_reach r = cw_masks_names(masks, t, lane);
        lanes |= (uint32_t)(r == CW_REACH_INPUT || r == CW_REACH_UNKNOWN) << lane;
    }
    return lanes;
}

bool cw_masks_all_arrive(const struct cw_masks *masks, uint32_t warp) {
    for (uint32_t t = warp * 32; t < warp * 32 + 32 && t < masks->l->threads; t++)
        if (arrival_of(masks, t) != CW_BDD_TRUE)
            return false;
    return true;
}

/* ---- where two threads part ---- */

struct parting {
    struct cw_masks *m;
    uint32_t t, u, when; /* when: the formula under which u is absent */
    uint32_t best_order;
    bool is_known; /* what u does at the edge's branch, once it gets there */
    struct cw_edge edge;
};

static uint32_t takes_edge(struct cw_lanes *lanes, struct cw_edge edge, const struct cw_context *context, uint32_t t) {
    return cw_lane_cond_at(cw_lane_cond_takes(lanes, edge, context), t);
}

/* Can a thread at `from` still come to `to` in this iteration of the loop? */
static bool still_comes(const struct cw_masks *masks, uint32_t from, uint32_t to, const struct cw_context *context) {
    const struct cw_fn *fn = masks->l->fn;
    uint32_t header = context ? fn->cfg->loops.at[context->loop].header : CW_NO_BLOCK;
    struct cw_bitset seen = cw_bitset_new(masks->a, fn->blocks.n);
    struct cw_vec_u32 stack = {0};
    cw_vec_push(masks->a, &stack, from);
    while (stack.n) {
        uint32_t b = stack.at[--stack.n];
        if (b == header || cw_bitset_has(&seen, b))
            continue;
        if (b == to)
            return true;
        cw_bitset_add(&seen, b);
        for (uint32_t s = 0; s < fn->blocks.at[b].jump.nsucc; s++)
            cw_vec_push(masks->a, &stack, fn->blocks.at[b].jump.succ[s]);
    }
    return false;
}

/* u comes to the branch and takes a way that does not lead to the call any more. */
static uint32_t goes_astray(struct cw_masks *masks, uint32_t block, const struct cw_context *context, uint32_t u) {
    struct cw_lanes *l = masks->l;
    const struct cw_jump *j = &l->fn->blocks.at[block].jump;
    uint32_t f = CW_BDD_FALSE, call = l->fn->ins.at[masks->ins].block;
    for (uint32_t s = 0; s < j->nsucc; s++)
        if (!still_comes(masks, j->succ[s], call, context))
            f = cw_bdd_or(&l->f, f, takes_edge(l, (struct cw_edge){block, s}, context, u));
    return f;
}

static bool visit_edge(void *ctx, struct cw_edge edge) {
    struct parting *p = ctx;
    struct cw_lanes *l = p->m->l;
    uint32_t order = l->fn->cfg->rpo_index[edge.block];
    const struct cw_context *c = cw_context_at(l, p->m->context, edge.block);
    if (cw_context_missing(l, c, edge.block) != CW_NO_LOOP ||
        !still_comes(p->m, l->fn->blocks.at[edge.block].jump.succ[edge.which], l->fn->ins.at[p->m->ins].block, c))
        return true;
    uint32_t astray = goes_astray(p->m, edge.block, c, p->u), f = cw_bdd_and(&l->f, astray, p->when);
    if (f == CW_BDD_FALSE || f == CW_BDD_POISON)
        return true;
    uint32_t reach = cw_lane_cond_at(cw_lane_cond_reach(l, edge.block, c), p->u);
    bool is_known = !cw_bdd_unknown(&l->f, cw_bdd_given(&l->f, astray, reach));
    if (is_known == p->is_known ? order < p->best_order : is_known) {
        p->best_order = order;
        p->edge = edge;
        p->is_known = is_known;
    }
    return true;
}

/* u left a loop around the call in an earlier iteration: over which exit? */
static bool blame_exit(struct parting *parting, const struct cw_context *context) {
    struct cw_lanes *l = parting->m->l;
    const struct cw_loop *loop = &l->fn->cfg->loops.at[context->loop];
    for (uint32_t x = 0; x < loop->exits.n; x++) {
        struct cw_edge e = loop->exits.at[x];
        for (uint32_t k = 0; k < context->iteration; k++) {
            const struct cw_context *then = cw_lanes_context(l, context->outer, context->loop, k);
            uint32_t f = cw_bdd_and(&l->f, takes_edge(l, e, then, parting->u), parting->when);
            if (l->fn->cfg->loop_of[e.block] == context->loop && f != CW_BDD_FALSE && f != CW_BDD_POISON) {
                parting->edge = (struct cw_edge){e.block, e.which == 0 ? 1 : 0};
                return true;
            }
        }
    }
    return false;
}

/* The loop around the call that this edge's alternatives leave, or whose iteration they cut short. */
static uint32_t loop_left_at(const struct cw_masks *masks, struct cw_edge edge) {
    const struct cw_fn *fn = masks->l->fn;
    for (const struct cw_context *c = masks->context; c && edge.block != CW_NO_BLOCK; c = c->outer) {
        const struct cw_jump *j = &fn->blocks.at[edge.block].jump;
        for (uint32_t s = 0; cw_cfg_in_loop(fn->cfg, c->loop, edge.block) && s < j->nsucc; s++)
            if (s != edge.which && (!cw_cfg_in_loop(fn->cfg, c->loop, j->succ[s]) ||
                                 fn->blocks.at[j->succ[s]].jump.origin == CW_FROM_CONTINUE))
                return c->loop;
    }
    return CW_NO_LOOP;
}

struct cw_edge cw_masks_parting(struct cw_masks *masks, uint32_t t, uint32_t lane, uint32_t *loop) {
    struct parting p = {masks,       t,     thread_of(masks, t, lane), absence_of(masks, t, lane),
                        CW_NO_BLOCK, false, {CW_NO_BLOCK, 0}};
    *loop = CW_NO_LOOP;
    if (p.u == UINT32_MAX)
        return p.edge;
    cw_cfg_controls(masks->l->fn, masks->l->fn->ins.at[masks->ins].block, visit_edge, &p);
    for (const struct cw_context *c = masks->context; c && p.edge.block == CW_NO_BLOCK; c = c->outer)
        blame_exit(&p, c);
    *loop = loop_left_at(masks, p.edge);
    return p.edge;
}

/* ---- absence ---- */

/* Is there input for which f holds whenever t arrives, whatever else decides that? */
static bool may_input_bring(const struct cw_masks *masks, uint32_t t, uint32_t f) {
    struct cw_bdds *bdds = &masks->l->f;
    uint32_t arrives = arrival_of(masks, t);
    uint32_t sure = cw_bdd_whatever(bdds, cw_bdd_or(bdds, cw_bdd_not(arrives), f));
    return sure != CW_BDD_FALSE && cw_bdd_overlap(bdds, sure, arrives) == CW_OVERLAP_SOME;
}

/* Is what the thread does at the branch, once it gets there, known but for input? */
static bool is_decision_known(struct cw_masks *masks, struct cw_edge edge, uint32_t t) {
    struct cw_lanes *l = masks->l;
    const struct cw_context *context = cw_context_at(l, masks->context, edge.block);
    if (cw_context_missing(l, context, edge.block) != CW_NO_LOOP)
        return false;
    uint32_t reach = cw_lane_cond_at(cw_lane_cond_reach(l, edge.block, context), t);
    return !cw_bdd_unknown(&l->f, cw_bdd_given(&l->f, takes_edge(l, edge, context, t), reach));
}

/* In `if (found() && t < n)` with n from memory, lane 29 is absent for n = 29, whatever else decides who comes. Where
 * the two part, both must decide by input: what one reads from memory and the other has from elsewhere may be one
 * value. */
static bool does_input_part(struct cw_masks *masks, uint32_t t, uint32_t lane, uint32_t absent) {
    uint32_t loop, u = thread_of(masks, t, lane);
    if (!may_input_bring(masks, t, absent))
        return false;
    struct cw_edge edge = cw_masks_parting(masks, t, lane, &loop);
    return edge.block != CW_NO_BLOCK && is_decision_known(masks, edge, t) && is_decision_known(masks, edge, u);
}

enum cw_reach cw_masks_absent(struct cw_masks *masks, uint32_t t, uint32_t lane) {
    uint32_t absent = absence_of(masks, t, lane);
    enum cw_reach r = judge_formula(masks, t, absent);
    if (r == CW_REACH_NO)
        return r;
    bool is_guessed = row_of(masks, t)->guessed;
    if (r == CW_REACH_UNKNOWN && !is_guessed && does_input_part(masks, t, lane, absent))
        r = CW_REACH_INPUT;
    return unless_guessed(r, is_guessed);
}

/* ---- the same call elsewhere ---- */

static bool same_kind(const struct cw_fn *fn, uint32_t a, uint32_t b) {
    const struct cw_ins *x = &fn->ins.at[a], *y = &fn->ins.at[b];
    return x->op == y->op && x->aux == y->aux && x->type == y->type && x->narg > 0 && y->narg > 0;
}

/* Do all lanes that t misses come to `other`, with the mask that t has? */
static bool is_partner(struct cw_masks *masks, uint32_t t, struct cw_masks *other) {
    bool any = false;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t f = absence_of(masks, t, lane), u = thread_of(masks, t, lane);
        if (f == CW_BDD_FALSE)
            continue;
        if (cw_bdd_and(&masks->l->f, f, cw_bdd_not(arrival_of(other, u))) != CW_BDD_FALSE)
            return false;
        const struct cw_mask_row *mine = row_of(masks, t), *theirs = row_of(other, u);
        for (uint32_t k = 0; k < 32; k++)
            if (!is_one_formula(mine->at[k], theirs->at[k]))
                return false;
        any = true;
    }
    return any;
}

uint32_t cw_masks_partner(struct cw_masks *masks, uint32_t t) {
    const struct cw_fn *fn = masks->l->fn;
    uint32_t looked = 0;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n && looked < PARTNERS_MAX; n++) {
            uint32_t ins = list->at[n];
            if (ins == masks->ins || fn->ins.at[ins].block == fn->ins.at[masks->ins].block ||
                !same_kind(fn, ins, masks->ins))
                continue;
            looked++;
            if (is_partner(masks, t, cw_masks_new(masks->l, ins, masks->context, masks->a)))
                return ins;
        }
    }
    return UINT32_MAX;
}
