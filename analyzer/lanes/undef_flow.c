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

struct cw_undef_flow *cw_undef_flow_with(struct cw_lanes *lanes, const struct cw_uses *uses, struct cw_arena *a) {
    struct cw_undef_flow *d = CW_NEW(a, struct cw_undef_flow);
    *d = (struct cw_undef_flow){lanes, a, uses};
    return d;
}

struct cw_undef_flow *cw_undef_flow_new(struct cw_lanes *lanes, struct cw_arena *a) {
    return cw_undef_flow_with(lanes, cw_uses_of(lanes->fn, a), a);
}

bool cw_undef_flow_only_added(const struct cw_undef_flow *undef_flow, uint32_t ins) {
    const struct cw_fn *fn = undef_flow->l->fn;
    for (uint32_t k = undef_flow->uses->first[ins]; k < undef_flow->uses->first[ins + 1]; k++) {
        uint32_t user = undef_flow->uses->user[k];
        const struct cw_ins *i = user & CW_USE_JUMP ? NULL : &fn->ins.at[user];
        if (i == NULL || (i->op != CW_OP_ADD && (i->op != CW_OP_PURE || strcmp(fn->texts.at[i->aux], "+") != 0)))
            return false;
    }
    return true;
}

/* ---- formulas per lane ---- */

static uint32_t and_formulas(struct walk *walk, uint32_t f, uint32_t g) {
    uint32_t r = f == CW_BDD_FALSE || g == CW_BDD_FALSE ? CW_BDD_FALSE : cw_bdd_and(&walk->l->f, f, g);
    return r == CW_BDD_POISON ? CW_BDD_FALSE : r;
}

static bool is_lane(const struct walk *walk, uint32_t lane) {
    return walk->first + lane < walk->l->threads;
}

static bool has_any(const uint32_t f[32]) {
    for (uint32_t lane = 0; lane < 32; lane++)
        if (f[lane] != CW_BDD_FALSE)
            return true;
    return false;
}

static void restrict_to(struct walk *walk, uint32_t f[32], const struct cw_lane_cond *cond) {
    for (uint32_t lane = 0; lane < 32; lane++)
        f[lane] =
            is_lane(walk, lane) ? and_formulas(walk, f[lane], cw_lane_cond_at(cond, walk->first + lane)) : CW_BDD_FALSE;
}

/* ---- nodes ---- */

static struct node *node_of(struct walk *walk, uint32_t ins, const struct cw_context *context) {
    uint64_t key = (uint64_t)ins << 32 | cw_context_id(context), at;
    if (cw_map_get(&walk->index, key, &at))
        return walk->nodes.at[at];
    if (walk->nodes.n >= MAX_NODES)
        return NULL;
    struct node *n = CW_NEW(walk->d->a, struct node);
    *n = (struct node){.ins = ins, .context = context};
    for (uint32_t lane = 0; lane < 32; lane++)
        n->when[lane] = CW_BDD_FALSE;
    cw_map_put(&walk->index, key, walk->nodes.n);
    cw_vec_push(walk->d->a, &walk->nodes, n);
    return n;
}

static void flow_to(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32]) {
    struct node *n = has_any(f) ? node_of(walk, ins, context) : NULL;
    bool grew = false;
    for (uint32_t lane = 0; n && lane < 32; lane++) {
        uint32_t g = f[lane] == CW_BDD_FALSE ? n->when[lane] : cw_bdd_or(&walk->l->f, n->when[lane], f[lane]);
        if (g == CW_BDD_POISON || g == n->when[lane])
            continue;
        n->when[lane] = g;
        grew = true;
    }
    if (!grew || n->queued)
        return;
    n->queued = true;
    uint64_t at = 0;
    cw_map_get(&walk->index, (uint64_t)ins << 32 | cw_context_id(context), &at);
    cw_vec_push(walk->d->a, &walk->queue, (uint32_t)at);
}

/* ---- from the context of a value to those of its uses ---- */

typedef void place_visitor(struct walk *w, uint32_t what, const struct cw_context *c, const uint32_t f[32],
                           cw_ref value);

/* Who leaves the loop in this iteration takes the value along; the others' is overwritten. */
static void leave_loop(struct walk *walk, uint32_t f[32], const struct cw_context *context) {
    const struct cw_loop *loop = &walk->fn->cfg->loops.at[context->loop];
    const struct cw_lane_cond *out = cw_lane_cond_one(walk->l, CW_BDD_FALSE);
    for (uint32_t x = 0; x < loop->exits.n; x++)
        out = cw_lane_cond_or(walk->l, out, cw_lane_cond_takes(walk->l, loop->exits.at[x], context));
    restrict_to(walk, f, out);
}

static void each_inner(struct walk *walk, uint32_t block, uint32_t what, const struct cw_context *context,
                       const uint32_t f[32], cw_ref value, place_visitor *visit) {
    uint32_t loop = cw_context_missing(walk->l, context, block);
    if (loop == CW_NO_LOOP) {
        visit(walk, what, context, f, value);
        return;
    }
    for (uint32_t k = 0; k < MAX_INNER && !walk->used && walk->steps < MAX_STEPS; k++, walk->steps++) {
        const struct cw_context *in = cw_lanes_context(walk->l, context, loop, k);
        uint32_t g[32];
        memcpy(g, f, sizeof g);
        restrict_to(walk, g, cw_lane_cond_reach(walk->l, walk->fn->cfg->loops.at[loop].header, in));
        if (!has_any(g))
            return;
        each_inner(walk, block, what, in, g, value, visit); /* as deep as the loop nest */
    }
}

static void each_place(struct walk *walk, const struct node *node, uint32_t block, uint32_t what,
                       place_visitor *visit) {
    const struct cw_context *c = node->context;
    uint32_t f[32];
    memcpy(f, node->when, sizeof f);
    for (; c && !cw_cfg_in_loop(walk->fn->cfg, c->loop, block); c = c->outer)
        leave_loop(walk, f, c);
    if (has_any(f))
        each_inner(walk, block, what, c, f, cw_ref_ins(node->ins), visit);
}

/* ---- uses that matter ---- */

static void sink_value(struct walk *walk, uint32_t ins, uint32_t block, const struct cw_context *context,
                       const uint32_t f[32]) {
    const struct cw_lane_cond *reach = cw_lane_cond_reach(walk->l, block, cw_context_at(walk->l, context, block));
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t g = is_lane(walk, lane) ? and_formulas(walk, f[lane], cw_lane_cond_at(reach, walk->first + lane))
                                         : CW_BDD_FALSE;
        if (g == CW_BDD_FALSE || cw_bdd_unknown(&walk->l->f, g))
            continue;
        uint32_t loc = ins == UINT32_MAX ? walk->fn->blocks.at[block].jump.loc : walk->fn->ins.at[ins].loc;
        bool certain = g == CW_BDD_TRUE, better = walk->used && certain && !walk->use->certain;
        if (!walk->used || better)
            *walk->use = (struct cw_use){ins, block, loc, lane, better ? walk->use->lanes : 0, certain};
        walk->used = true;
        walk->use->lanes |= 1u << lane;
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

static bool has_effects(const struct cw_ins *ins) {
    unsigned flags = cw_op_flags((enum cw_op)ins->op);
    return (flags & (CW_OP_W | CW_OP_B | CW_OP_C)) != 0 || ins->op == CW_OP_OPCALL || ins->op == CW_OP_ASM;
}

/* Whichever way the thread comes, it finds the same value. */
static bool is_one_value(struct walk *walk, const struct cw_ins *phi, const struct cw_context *context, uint32_t t) {
    struct cw_cell first = {CW_OPAQUE, CW_NO_TOKEN};
    for (uint32_t k = 0; k < phi->narg; k++) {
        uint32_t from = cw_cfg_incoming(walk->fn, phi->block, k).block;
        const struct cw_context *at = cw_context_at(walk->l, context, from);
        if (cw_context_missing(walk->l, at, from) != CW_NO_LOOP)
            return false;
        struct cw_cell cell = cw_lane_value_cell(cw_lane_value_of(walk->l, cw_arg(walk->fn, phi, k), at), t);
        if (k > 0 && !cw_cell_same(first, cell))
            return false;
        first = cell;
    }
    return true;
}

static void spread_to_phis(struct walk *walk, uint32_t block, const struct cw_context *context, const uint32_t f[32]) {
    const struct cw_block *b = &walk->fn->blocks.at[block];
    const struct cw_context *at = cw_context_at(walk->l, context, block);
    if (b->pred.n < 2 || cw_context_missing(walk->l, at, block) != CW_NO_LOOP)
        return;
    for (uint32_t n = 0; n < b->ins.n && walk->fn->ins.at[b->ins.at[n]].op == CW_OP_PHI; n++) {
        uint32_t g[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            const struct cw_ins *phi = &walk->fn->ins.at[b->ins.at[n]];
            bool garbage = f[lane] != CW_BDD_FALSE && is_lane(walk, lane);
            g[lane] = garbage && !is_one_value(walk, phi, at, walk->first + lane) ? f[lane] : CW_BDD_FALSE;
        }
        flow_to(walk, b->ins.at[n], at, g);
    }
}

static bool has_effect(const struct cw_fn *fn, uint32_t block) {
    const struct cw_block *b = &fn->blocks.at[block];
    for (uint32_t n = 0; n < b->ins.n; n++)
        if (has_effects(&fn->ins.at[b->ins.at[n]]))
            return true;
    return false;
}

/* Lanes that hold garbage at the branch and may come to that block. */
static void follow_decision(struct walk *walk, uint32_t branch, uint32_t block, const struct cw_context *context,
                            const uint32_t f[32]) {
    const struct cw_context *in = cw_context_at(walk->l, context, block);
    if (!has_effect(walk->fn, block) || cw_context_missing(walk->l, in, block) != CW_NO_LOOP)
        return;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(walk->l, block, in);
    uint32_t here[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        here[lane] =
            is_lane(walk, lane) && cw_lane_cond_at(reach, walk->first + lane) != CW_BDD_FALSE ? f[lane] : CW_BDD_FALSE;
    sink_value(walk, UINT32_MAX, branch, context, here);
}

/* What depends on garbage: all that is done on one side only, and the values that differ by side. */
static void branch_on(struct walk *walk, uint32_t block, const struct cw_context *context, const uint32_t f[32],
                      cw_ref value) {
    (void)value;
    struct region r = region_of(walk->fn, block);
    uint32_t end = walk->fn->cfg->ipdom[block], here[32];
    memcpy(here, f, sizeof here);
    restrict_to(walk, here, cw_lane_cond_reach(walk->l, block, context));
    for (uint32_t k = 0; k < r.n && r.whole && !walk->used; k++) {
        follow_decision(walk, block, r.blocks[k], context, here);
        spread_to_phis(walk, r.blocks[k], context, here);
    }
    if (r.whole && end < walk->fn->cfg->nblocks)
        spread_to_phis(walk, end, context, here);
}

/* ---- steps ---- */

/* The result of a select is garbage where its condition is, or the side that is taken. */
static void select_of(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32],
                      cw_ref value) {
    const struct cw_ins *i = &walk->fn->ins.at[ins];
    const struct cw_lane_value *cond = cw_lane_value_of(walk->l, cw_arg(walk->fn, i, 0), context);
    uint32_t g[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t yes =
            is_lane(walk, lane) ? cw_cell_formula(cw_lane_value_cell(cond, walk->first + lane)) : CW_BDD_POISON;
        g[lane] = CW_BDD_FALSE;
        if (f[lane] == CW_BDD_FALSE || yes == CW_BDD_POISON)
            continue;
        if (cw_ref_eq(cw_arg(walk->fn, i, 1), value))
            g[lane] = cw_bdd_or(&walk->l->f, g[lane], and_formulas(walk, f[lane], yes));
        if (cw_ref_eq(cw_arg(walk->fn, i, 2), value))
            g[lane] = cw_bdd_or(&walk->l->f, g[lane], and_formulas(walk, f[lane], cw_bdd_not(yes)));
        if (cw_ref_eq(cw_arg(walk->fn, i, 0), value))
            g[lane] = f[lane];
    }
    flow_to(walk, ins, context, g);
}

/* false & x is false, whatever x is. */
static void logic_of(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32],
                     cw_ref value) {
    const struct cw_ins *i = &walk->fn->ins.at[ins];
    cw_ref other = cw_arg(walk->fn, i, cw_ref_eq(cw_arg(walk->fn, i, 0), value) ? 1 : 0);
    const struct cw_lane_value *v = cw_lane_value_of(walk->l, other, context);
    uint32_t g[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t says =
            is_lane(walk, lane) ? cw_cell_formula(cw_lane_value_cell(v, walk->first + lane)) : CW_BDD_POISON;
        g[lane] =
            says == CW_BDD_POISON ? f[lane] : and_formulas(walk, f[lane], i->op == CW_OP_AND ? says : cw_bdd_not(says));
    }
    flow_to(walk, ins, context, g);
}

static void follow_shuffle(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32],
                           uint32_t g[32]) {
    struct cw_shuffle *s = cw_shuffle_new(walk->l, ins, context, walk->d->a);
    uint32_t u;
    for (uint32_t lane = 0; lane < 32; lane++)
        if (is_lane(walk, lane) && cw_shuffle_source(s, walk->first + lane, &u) && u < walk->l->threads)
            g[lane] = f[u % 32];
}

/* Votes, matches, reductions: everybody's result rests on every named lane's operand. */
static void follow_collected(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32],
                             uint32_t g[32]) {
    struct cw_masks *m = cw_masks_new(walk->l, ins, context, walk->d->a);
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t from = 0; from < 32 && is_lane(walk, lane); from++)
            if (f[from] != CW_BDD_FALSE && cw_masks_names(m, walk->first + lane, from) == CW_REACH_YES)
                g[lane] = cw_bdd_or(&walk->l->f, g[lane], f[from]);
}

static void follow_collective(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32],
                              cw_ref value) {
    const struct cw_ins *i = &walk->fn->ins.at[ins];
    uint32_t here[32], g[32];
    const struct cw_lane_cond *reach = cw_lane_cond_reach(walk->l, i->block, context);
    if (i->narg < 2 || !cw_ref_eq(cw_arg(walk->fn, i, 1), value)) {
        sink_value(walk, ins, i->block, context, f); /* a mask, a lane number */
        return;
    }
    memcpy(here, f, sizeof here);
    restrict_to(walk, here, reach);
    for (uint32_t lane = 0; lane < 32; lane++)
        g[lane] = CW_BDD_FALSE;
    if (i->op == CW_OP_SHFL)
        follow_shuffle(walk, ins, context, here, g);
    else
        follow_collected(walk, ins, context, here, g);
    restrict_to(walk, g, reach);
    flow_to(walk, ins, context, g);
}

static void step_to(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32],
                    cw_ref value) {
    const struct cw_ins *i = &walk->fn->ins.at[ins];
    unsigned flags = cw_op_flags((enum cw_op)i->op);
    if (i->op == CW_OP_SELECT)
        select_of(walk, ins, context, f, value);
    else if (i->type == CW_I1 && (i->op == CW_OP_AND || i->op == CW_OP_OR))
        logic_of(walk, ins, context, f, value);
    else if (flags & CW_OP_C)
        follow_collective(walk, ins, context, f, value);
    else if ((i->op == CW_OP_STORE && is_private(walk->fn, cw_arg(walk->fn, i, 1))) || i->op == CW_OP_ASSUME)
        return; /* private arrays are not followed */
    else if (i->op == CW_OP_LOAD && is_private(walk->fn, cw_arg(walk->fn, i, 0)))
        flow_to(walk, ins, context, f);
    else if ((flags & (CW_OP_R | CW_OP_W | CW_OP_B | CW_OP_S)) || i->op == CW_OP_OPCALL)
        sink_value(walk, ins, i->block, context, f);
    else if (i->type != CW_VOID)
        flow_to(walk, ins, context, f);
}

/* ---- phis ---- */

struct incoming {
    uint32_t phi;
    struct cw_edge edge;
};

static const struct cw_context *behind_edge(struct walk *walk, struct cw_edge edge, const struct cw_context *context) {
    uint32_t to = cw_cfg_edge_target(walk->fn, edge), loop = walk->fn->cfg->loop_of[to];
    if (loop != CW_NO_LOOP && walk->fn->cfg->loops.at[loop].header == to &&
        cw_cfg_in_loop(walk->fn->cfg, loop, edge.block)) {
        while (context && context->loop != loop)
            context = context->outer;
        return context == NULL || context->iteration >= MAX_ITERATION
                   ? NULL
                   : cw_lanes_context(walk->l, context->outer, loop, context->iteration + 1);
    }
    return cw_context_complete(walk->l, cw_context_at(walk->l, context, to), to);
}

static void over_edge(struct walk *walk, uint32_t ins, const struct cw_context *context, const uint32_t f[32],
                      cw_ref value) {
    const struct cw_ins *i = &walk->fn->ins.at[ins];
    for (uint32_t k = 0; k < i->narg; k++) {
        struct cw_edge e = cw_cfg_incoming(walk->fn, i->block, k);
        const struct cw_context *at = cw_context_at(walk->l, context, e.block);
        if (!cw_ref_eq(cw_arg(walk->fn, i, k), value) || cw_context_missing(walk->l, at, e.block) != CW_NO_LOOP)
            continue;
        uint32_t g[32];
        memcpy(g, f, sizeof g);
        const struct cw_context *behind = behind_edge(walk, e, at);
        restrict_to(walk, g, cw_lane_cond_takes(walk->l, e, at));
        if (behind != NULL || walk->fn->cfg->loop_of[i->block] == CW_NO_LOOP)
            flow_to(walk, ins, behind, g);
    }
}

/* Each predecessor that brings the value is a place of its own. */
static void phi_of(struct walk *walk, const struct node *node, uint32_t phi) {
    const struct cw_ins *i = &walk->fn->ins.at[phi];
    uint32_t done = CW_NO_BLOCK;
    for (uint32_t k = 0; k < i->narg; k++) {
        uint32_t from = cw_cfg_incoming(walk->fn, i->block, k).block;
        if (!cw_ref_eq(cw_arg(walk->fn, i, k), cw_ref_ins(node->ins)) || from == done)
            continue;
        done = from;
        each_place(walk, node, from, phi, over_edge);
    }
}

/* ---- the walk ---- */

static void follow_users(struct walk *walk, const struct node *node) {
    const struct cw_uses *uses = walk->d->uses;
    uint32_t end = uses->first[node->ins + 1];
    for (uint32_t k = uses->first[node->ins]; k < end && !walk->used && walk->steps < MAX_STEPS; k++, walk->steps++) {
        uint32_t user = uses->user[k];
        if (user & CW_USE_JUMP)
            each_place(walk, node, user & ~CW_USE_JUMP, user & ~CW_USE_JUMP, branch_on);
        else if (walk->fn->ins.at[user].op == CW_OP_PHI)
            phi_of(walk, node, user);
        else
            each_place(walk, node, walk->fn->ins.at[user].block, user, step_to);
    }
}

bool cw_undef_flow_used(struct cw_undef_flow *undef_flow, uint32_t warp, uint32_t ins, const struct cw_context *context,
                    const uint32_t when[32], struct cw_use *use) {
    struct walk w = {.d = undef_flow, .l = undef_flow->l, .fn = undef_flow->l->fn, .first = warp * 32, .use = use};
    cw_map_init(&w.index, undef_flow->a);
    flow_to(&w, ins, context, when);
    for (uint32_t at = 0; at < w.queue.n && !w.used && w.steps < MAX_STEPS; at++) {
        struct node *n = w.nodes.at[w.queue.at[at]];
        n->queued = false;
        follow_users(&w, n);
    }
    if (!w.used && (w.steps >= MAX_STEPS || w.nodes.n >= MAX_NODES))
        cw_lanes_count_reason(undef_flow->l, CW_BAIL_SHUFFLE_BUDGET);
    return w.used;
}
