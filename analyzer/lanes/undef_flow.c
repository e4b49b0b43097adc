/* Garbage followed to its uses; see undef_flow.h.
 *
 * requires: lanes. computes: the first use found, breadth first. preserves: everything.
 *
 * A node is a value in a context with one formula per lane. Along an edge of the graph of uses a formula only grows,
 * and a value that is met again with the same formulas is not followed again, so the walk ends; caps end it earlier. */
#include "lanes/undef_flow.h"

#include "lanes/masks_internal.h"
#include "lanes/shuffle_sources.h"

#include <string.h>

enum {
    MAX_NODES = 768,      /* values in contexts, per question */
    MAX_STEPS = 4096,     /* uses looked at, per question */
    MAX_INNER = 8,        /* iterations of a loop into which a value from outside is followed */
    MAX_ITERATION = 64,   /* of a loop that carries the value round */
    MAX_REGION = 64       /* blocks between a branch on garbage and where its ways meet */
};

struct cw_undef_flow {
    struct cw_lanes *l;
    struct cw_arena *a;
    const struct cw_uses *uses;
};

struct node {
    uint32_t ins;
    const struct cw_context *context;
    uint32_t when[32];
    bool queued;
};

struct walk {
    struct cw_undef_flow *d;
    struct cw_lanes *l;
    const struct cw_fn *fn;
    uint32_t first, steps; /* thread of lane 0 */
    struct cw_map index;   /* (ins, context) -> node */
    CW_VEC(struct node *) nodes;
    struct cw_vec_u32 queue;
    struct cw_use *use;
    bool used;
};

struct cw_undef_flow *cw_undef_flow_with(struct cw_lanes *l, const struct cw_uses *uses, struct cw_arena *a) {
    struct cw_undef_flow *d = CW_NEW(a, struct cw_undef_flow);
    *d = (struct cw_undef_flow){l, a, uses};
    return d;
}

struct cw_undef_flow *cw_undef_flow_new(struct cw_lanes *l, struct cw_arena *a) {
    return cw_undef_flow_with(l, cw_uses_of(l->fn, a), a);
}

bool cw_undef_flow_only_added(const struct cw_undef_flow *d, uint32_t ins) {
    const struct cw_fn *fn = d->l->fn;
    for (uint32_t k = d->uses->first[ins]; k < d->uses->first[ins + 1]; k++) {
        uint32_t user = d->uses->user[k];
        const struct cw_ins *i = user & CW_USE_JUMP ? NULL : &fn->ins.at[user];
        if (i == NULL || (i->op != CW_OP_ADD && (i->op != CW_OP_PURE || strcmp(fn->texts.at[i->aux], "+") != 0)))
            return false;
    }
    return true;
}

/* ---- formulas per lane ---- */

static uint32_t both(struct walk *w, uint32_t f, uint32_t g) {
    uint32_t r = f == CW_BDD_FALSE || g == CW_BDD_FALSE ? CW_BDD_FALSE : cw_bdd_and(&w->l->f, f, g);
    return r == CW_BDD_POISON ? CW_BDD_FALSE : r;
}

static bool is_lane(const struct walk *w, uint32_t lane) {
    return w->first + lane < w->l->threads;
}

static bool any(const uint32_t f[32]) {
    for (uint32_t lane = 0; lane < 32; lane++)
        if (f[lane] != CW_BDD_FALSE)
            return true;
    return false;
}

static void restrict_to(struct walk *w, uint32_t f[32], const struct cw_lane_cond *g) {
    for (uint32_t lane = 0; lane < 32; lane++)
        f[lane] = is_lane(w, lane) ? both(w, f[lane], cw_lane_cond_at(g, w->first + lane)) : CW_BDD_FALSE;
}

/* ---- nodes ---- */

static struct node *node_of(struct walk *w, uint32_t ins, const struct cw_context *c) {
    uint64_t key = (uint64_t)ins << 32 | cw_context_id(c), at;
    if (cw_map_get(&w->index, key, &at))
        return w->nodes.at[at];
    if (w->nodes.n >= MAX_NODES)
        return NULL;
    struct node *n = CW_NEW(w->d->a, struct node);
    *n = (struct node){.ins = ins, .context = c};
    for (uint32_t lane = 0; lane < 32; lane++)
        n->when[lane] = CW_BDD_FALSE;
    cw_map_put(&w->index, key, w->nodes.n);
    cw_vec_push(w->d->a, &w->nodes, n);
    return n;
}

static void flow_to(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32]) {
    struct node *n = any(f) ? node_of(w, ins, c) : NULL;
    bool grew = false;
    for (uint32_t lane = 0; n && lane < 32; lane++) {
        uint32_t g = f[lane] == CW_BDD_FALSE ? n->when[lane] : cw_bdd_or(&w->l->f, n->when[lane], f[lane]);
        if (g == CW_BDD_POISON || g == n->when[lane])
            continue;
        n->when[lane] = g;
        grew = true;
    }
    if (!grew || n->queued)
        return;
    n->queued = true;
    uint64_t at = 0;
    cw_map_get(&w->index, (uint64_t)ins << 32 | cw_context_id(c), &at);
    cw_vec_push(w->d->a, &w->queue, (uint32_t)at);
}

/* ---- from the context of a value to those of its uses ---- */

typedef void place_visitor(struct walk *w, uint32_t what, const struct cw_context *c, const uint32_t f[32],
                           cw_ref value);

/* Who leaves the loop in this iteration takes the value along; the others' is overwritten. */
static void leave(struct walk *w, uint32_t f[32], const struct cw_context *c) {
    const struct cw_loop *loop = &w->fn->cfg->loops.at[c->loop];
    const struct cw_lane_cond *out = cw_lane_cond_one(w->l, CW_BDD_FALSE);
    for (uint32_t x = 0; x < loop->exits.n; x++)
        out = cw_lane_cond_or(w->l, out, cw_lane_cond_takes(w->l, loop->exits.at[x], c));
    restrict_to(w, f, out);
}

static void each_inner(struct walk *w, uint32_t block, uint32_t what, const struct cw_context *c, const uint32_t f[32],
                       cw_ref value, place_visitor *visit) {
    uint32_t loop = cw_context_missing(w->l, c, block);
    if (loop == CW_NO_LOOP) {
        visit(w, what, c, f, value);
        return;
    }
    for (uint32_t k = 0; k < MAX_INNER && !w->used && w->steps < MAX_STEPS; k++, w->steps++) {
        const struct cw_context *in = cw_lanes_context(w->l, c, loop, k);
        uint32_t g[32];
        memcpy(g, f, sizeof g);
        restrict_to(w, g, cw_lane_cond_reach(w->l, w->fn->cfg->loops.at[loop].header, in));
        if (!any(g))
            return;
        each_inner(w, block, what, in, g, value, visit); /* as deep as the loop nest */
    }
}

static void each_place(struct walk *w, const struct node *n, uint32_t block, uint32_t what, place_visitor *visit) {
    const struct cw_context *c = n->context;
    uint32_t f[32];
    memcpy(f, n->when, sizeof f);
    for (; c && !cw_cfg_in_loop(w->fn->cfg, c->loop, block); c = c->outer)
        leave(w, f, c);
    if (any(f))
        each_inner(w, block, what, c, f, cw_ref_ins(n->ins), visit);
}

/* ---- uses that matter ---- */

static void sink(struct walk *w, uint32_t ins, uint32_t block, const struct cw_context *c, const uint32_t f[32]) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(w->l, block, cw_context_at(w->l, c, block));
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t g = is_lane(w, lane) ? both(w, f[lane], cw_lane_cond_at(reach, w->first + lane)) : CW_BDD_FALSE;
        if (g == CW_BDD_FALSE || cw_bdd_unknown(&w->l->f, g))
            continue;
        uint32_t loc = ins == UINT32_MAX ? w->fn->blocks.at[block].jump.loc : w->fn->ins.at[ins].loc;
        bool certain = g == CW_BDD_TRUE, better = w->used && certain && !w->use->certain;
        if (!w->used || better)
            *w->use = (struct cw_use){ins, block, loc, lane, better ? w->use->lanes : 0, certain};
        w->used = true;
        w->use->lanes |= 1u << lane;
    }
}

static bool is_private(const struct cw_fn *fn, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(fn, pointer);
    for (uint32_t step = 0; i && i->op == CW_OP_PTRADD && step < 16; step++) {
        pointer = cw_arg(fn, i, 0);
        i = cw_ins_of(fn, pointer);
    }
    return pointer.tag == CW_REF_OBJECT && fn->objects.at[pointer.index].space == CW_SPACE_LOCAL;
}

/* ---- branches on garbage ---- */

struct region {
    uint32_t blocks[MAX_REGION], n;
    bool whole;
};

/* The blocks that the branch decides about: those between it and where all its ways meet again. */
static struct region region_of(const struct cw_fn *fn, uint32_t branch) {
    struct region r = {.whole = true};
    uint32_t end = fn->cfg->ipdom[branch];
    for (uint32_t at = 0, from = branch; r.whole; from = r.blocks[at++]) {
        const struct cw_jump *j = &fn->blocks.at[from].jump;
        for (uint32_t s = 0; s < j->nsucc && r.whole; s++) {
            bool seen = j->succ[s] == end || j->succ[s] == branch;
            for (uint32_t k = 0; k < r.n && !seen; k++)
                seen = r.blocks[k] == j->succ[s];
            r.whole = seen || r.n < MAX_REGION;
            if (!seen && r.whole)
                r.blocks[r.n++] = j->succ[s];
        }
        if (at == r.n)
            break;
    }
    return r;
}

static bool matters(const struct cw_ins *i) {
    unsigned flags = cw_op_flags((enum cw_op)i->op);
    return (flags & (CW_OP_W | CW_OP_B | CW_OP_C)) != 0 || i->op == CW_OP_OPCALL || i->op == CW_OP_ASM;
}

/* Whichever way the thread comes, it finds the same value. */
static bool is_one_value(struct walk *w, const struct cw_ins *phi, const struct cw_context *c, uint32_t t) {
    struct cw_cell first = {CW_OPAQUE, CW_NO_TOKEN};
    for (uint32_t k = 0; k < phi->narg; k++) {
        uint32_t from = cw_lanes_incoming(w->fn, phi->block, k).block;
        const struct cw_context *at = cw_context_at(w->l, c, from);
        if (cw_context_missing(w->l, at, from) != CW_NO_LOOP)
            return false;
        struct cw_cell cell = cw_lane_value_cell(cw_lane_value_of(w->l, cw_arg(w->fn, phi, k), at), t);
        if (k > 0 && !cw_cell_same(first, cell))
            return false;
        first = cell;
    }
    return true;
}

static void spread_to_phis(struct walk *w, uint32_t block, const struct cw_context *c, const uint32_t f[32]) {
    const struct cw_block *b = &w->fn->blocks.at[block];
    const struct cw_context *at = cw_context_at(w->l, c, block);
    if (b->pred.n < 2 || cw_context_missing(w->l, at, block) != CW_NO_LOOP)
        return;
    for (uint32_t n = 0; n < b->ins.n && w->fn->ins.at[b->ins.at[n]].op == CW_OP_PHI; n++) {
        uint32_t g[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            const struct cw_ins *phi = &w->fn->ins.at[b->ins.at[n]];
            bool garbage = f[lane] != CW_BDD_FALSE && is_lane(w, lane);
            g[lane] = garbage && !is_one_value(w, phi, at, w->first + lane) ? f[lane] : CW_BDD_FALSE;
        }
        flow_to(w, b->ins.at[n], at, g);
    }
}

static bool has_effect(const struct cw_fn *fn, uint32_t block) {
    const struct cw_block *b = &fn->blocks.at[block];
    for (uint32_t n = 0; n < b->ins.n; n++)
        if (matters(&fn->ins.at[b->ins.at[n]]))
            return true;
    return false;
}

/* Lanes that hold garbage at the branch and may come to that block. */
static void decided(struct walk *w, uint32_t branch, uint32_t block, const struct cw_context *c, const uint32_t f[32]) {
    const struct cw_context *in = cw_context_at(w->l, c, block);
    if (!has_effect(w->fn, block) || cw_context_missing(w->l, in, block) != CW_NO_LOOP)
        return;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(w->l, block, in);
    uint32_t here[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        here[lane] =
            is_lane(w, lane) && cw_lane_cond_at(reach, w->first + lane) != CW_BDD_FALSE ? f[lane] : CW_BDD_FALSE;
    sink(w, UINT32_MAX, branch, c, here);
}

/* What depends on garbage: all that is done on one side only, and the values that differ by side. */
static void branch_on(struct walk *w, uint32_t block, const struct cw_context *c, const uint32_t f[32], cw_ref value) {
    (void)value;
    struct region r = region_of(w->fn, block);
    uint32_t end = w->fn->cfg->ipdom[block], here[32];
    memcpy(here, f, sizeof here);
    restrict_to(w, here, cw_lane_cond_reach(w->l, block, c));
    for (uint32_t k = 0; k < r.n && r.whole && !w->used; k++) {
        decided(w, block, r.blocks[k], c, here);
        spread_to_phis(w, r.blocks[k], c, here);
    }
    if (r.whole && end < w->fn->cfg->nblocks)
        spread_to_phis(w, end, c, here);
}

/* ---- steps ---- */

/* The result of a select is garbage where its condition is, or the side that is taken. */
static void select_of(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32], cw_ref value) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    const struct cw_lane_value *cond = cw_lane_value_of(w->l, cw_arg(w->fn, i, 0), c);
    uint32_t g[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t yes = is_lane(w, lane) ? cw_cell_formula(cw_lane_value_cell(cond, w->first + lane)) : CW_BDD_POISON;
        g[lane] = CW_BDD_FALSE;
        if (f[lane] == CW_BDD_FALSE || yes == CW_BDD_POISON)
            continue;
        if (cw_ref_eq(cw_arg(w->fn, i, 1), value))
            g[lane] = cw_bdd_or(&w->l->f, g[lane], both(w, f[lane], yes));
        if (cw_ref_eq(cw_arg(w->fn, i, 2), value))
            g[lane] = cw_bdd_or(&w->l->f, g[lane], both(w, f[lane], cw_bdd_not(yes)));
        if (cw_ref_eq(cw_arg(w->fn, i, 0), value))
            g[lane] = f[lane];
    }
    flow_to(w, ins, c, g);
}

/* false & x is false, whatever x is. */
static void logic_of(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32], cw_ref value) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    cw_ref other = cw_arg(w->fn, i, cw_ref_eq(cw_arg(w->fn, i, 0), value) ? 1 : 0);
    const struct cw_lane_value *v = cw_lane_value_of(w->l, other, c);
    uint32_t g[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t says = is_lane(w, lane) ? cw_cell_formula(cw_lane_value_cell(v, w->first + lane)) : CW_BDD_POISON;
        g[lane] = says == CW_BDD_POISON ? f[lane] : both(w, f[lane], i->op == CW_OP_AND ? says : cw_bdd_not(says));
    }
    flow_to(w, ins, c, g);
}

static void shuffled(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32], uint32_t g[32]) {
    struct cw_shuffle *s = cw_shuffle_new(w->l, ins, c, w->d->a);
    uint32_t u;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (is_lane(w, lane) && cw_shuffle_source(s, w->first + lane, &u) && u < w->l->threads)
            g[lane] = f[u % 32];
}

/* Votes, matches, reductions: everybody's result rests on every named lane's operand. */
static void collected(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32], uint32_t g[32]) {
    struct cw_masks *m = cw_masks_new(w->l, ins, c, w->d->a);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t from = 0; from < 32 && is_lane(w, lane); from++)
            if (f[from] != CW_BDD_FALSE && cw_masks_names(m, w->first + lane, from) == CW_REACH_YES)
                g[lane] = cw_bdd_or(&w->l->f, g[lane], f[from]);
}

static void collective(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32], cw_ref value) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    uint32_t here[32], g[32];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(w->l, i->block, c);
    if (i->narg < 2 || !cw_ref_eq(cw_arg(w->fn, i, 1), value)) {
        sink(w, ins, i->block, c, f); /* a mask, a lane number */
        return;
    }
    memcpy(here, f, sizeof here);
    restrict_to(w, here, reach);
    for (uint32_t lane = 0; lane < 32; lane++)
        g[lane] = CW_BDD_FALSE;
    if (i->op == CW_OP_SHFL)
        shuffled(w, ins, c, here, g);
    else
        collected(w, ins, c, here, g);
    restrict_to(w, g, reach);
    flow_to(w, ins, c, g);
}

static void step_to(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32], cw_ref value) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    unsigned flags = cw_op_flags((enum cw_op)i->op);
    if (i->op == CW_OP_SELECT)
        select_of(w, ins, c, f, value);
    else if (i->type == CW_I1 && (i->op == CW_OP_AND || i->op == CW_OP_OR))
        logic_of(w, ins, c, f, value);
    else if (flags & CW_OP_C)
        collective(w, ins, c, f, value);
    else if ((i->op == CW_OP_STORE && is_private(w->fn, cw_arg(w->fn, i, 1))) || i->op == CW_OP_ASSUME)
        return; /* private arrays are not followed */
    else if (i->op == CW_OP_LOAD && is_private(w->fn, cw_arg(w->fn, i, 0)))
        flow_to(w, ins, c, f);
    else if ((flags & (CW_OP_R | CW_OP_W | CW_OP_B | CW_OP_S)) || i->op == CW_OP_OPCALL)
        sink(w, ins, i->block, c, f);
    else if (i->type != CW_VOID)
        flow_to(w, ins, c, f);
}

/* ---- phis ---- */

struct incoming {
    uint32_t phi;
    struct cw_edge edge;
};

static const struct cw_context *behind_edge(struct walk *w, struct cw_edge e, const struct cw_context *c) {
    uint32_t to = cw_cfg_edge_target(w->fn, e), loop = w->fn->cfg->loop_of[to];
    if (loop != CW_NO_LOOP && w->fn->cfg->loops.at[loop].header == to && cw_cfg_in_loop(w->fn->cfg, loop, e.block)) {
        while (c && c->loop != loop)
            c = c->outer;
        return c == NULL || c->iteration >= MAX_ITERATION ? NULL
                                                          : cw_lanes_context(w->l, c->outer, loop, c->iteration + 1);
    }
    return cw_context_complete(w->l, cw_context_at(w->l, c, to), to);
}

static void over_edge(struct walk *w, uint32_t ins, const struct cw_context *c, const uint32_t f[32], cw_ref value) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    for (uint32_t k = 0; k < i->narg; k++) {
        struct cw_edge e = cw_lanes_incoming(w->fn, i->block, k);
        const struct cw_context *at = cw_context_at(w->l, c, e.block);
        if (!cw_ref_eq(cw_arg(w->fn, i, k), value) || cw_context_missing(w->l, at, e.block) != CW_NO_LOOP)
            continue;
        uint32_t g[32];
        memcpy(g, f, sizeof g);
        const struct cw_context *behind = behind_edge(w, e, at);
        restrict_to(w, g, cw_lane_cond_takes(w->l, e, at));
        if (behind != NULL || w->fn->cfg->loop_of[i->block] == CW_NO_LOOP)
            flow_to(w, ins, behind, g);
    }
}

/* Each predecessor that brings the value is a place of its own. */
static void phi_of(struct walk *w, const struct node *n, uint32_t phi) {
    const struct cw_ins *i = &w->fn->ins.at[phi];
    uint32_t done = CW_NO_BLOCK;
    for (uint32_t k = 0; k < i->narg; k++) {
        uint32_t from = cw_lanes_incoming(w->fn, i->block, k).block;
        if (!cw_ref_eq(cw_arg(w->fn, i, k), cw_ref_ins(n->ins)) || from == done)
            continue;
        done = from;
        each_place(w, n, from, phi, over_edge);
    }
}

/* ---- the walk ---- */

static void follow(struct walk *w, const struct node *n) {
    const struct cw_uses *uses = w->d->uses;
    uint32_t end = uses->first[n->ins + 1];
    for (uint32_t k = uses->first[n->ins]; k < end && !w->used && w->steps < MAX_STEPS; k++, w->steps++) {
        uint32_t user = uses->user[k];
        if (user & CW_USE_JUMP)
            each_place(w, n, user & ~CW_USE_JUMP, user & ~CW_USE_JUMP, branch_on);
        else if (w->fn->ins.at[user].op == CW_OP_PHI)
            phi_of(w, n, user);
        else
            each_place(w, n, w->fn->ins.at[user].block, user, step_to);
    }
}

bool cw_undef_flow_used(struct cw_undef_flow *d, uint32_t warp, uint32_t ins, const struct cw_context *context,
                    const uint32_t when[32], struct cw_use *use) {
    struct walk w = {.d = d, .l = d->l, .fn = d->l->fn, .first = warp * 32, .use = use};
    cw_map_init(&w.index, d->a);
    flow_to(&w, ins, context, when);
    for (uint32_t at = 0; at < w.queue.n && !w.used && w.steps < MAX_STEPS; at++) {
        struct node *n = w.nodes.at[w.queue.at[at]];
        n->queued = false;
        follow(&w, n);
    }
    if (!w.used && (w.steps >= MAX_STEPS || w.nodes.n >= MAX_NODES))
        cw_lanes_count_reason(d->l, CW_BAIL_SHUFFLE_BUDGET);
    return w.used;
}
