/* Uniformity: a forward data-flow over SSA, optimistic, to a fixpoint.
 *
 * requires: SSA, fn->cfg. computes: levels of values and of control, with causes. preserves: everything.
 * All levels start at the bottom and only rise. Every quantity that a transfer asks for (levels of operands, control,
 * stability, shapes of indices) can only make the answer worse as it rises, so the sweeps end. The transfer table is in
 * docs/internals/uniformity.md. */
#include "uniformity/uniformity.h"

#include "uniformity/divergence.h"
#include "uniformity/stability.h"
#include "uniformity/warp_forms.h"

#define ALL_LANE_BITS 31

/* A level, and what brought it: an operand, or the branch of a block. */
struct verdict {
    enum cw_uni level;
    cw_ref cause;
    uint32_t branch;
};

struct work {
    const struct cw_fn *fn;
    const struct cw_cfg *cfg;
    struct cw_uniformity *u;
    const struct cw_stability *stability;
    struct cw_divergence *graph;
    struct verdict *object;    /* private objects: what was stored into them */
    struct verdict any_branch; /* the worst of all branches, kept when the graph was too much work */
    uint8_t *same_bits;        /* instruction -> lane bits that do not change the value: 31 is warp-uniform */
    bool changed;
};

static struct verdict make_verdict(enum cw_uni level, cw_ref cause) {
    return (struct verdict){level, cause, CW_NO_BLOCK};
}

static struct verdict make_source(enum cw_uni level) {
    return make_verdict(level, CW_NONE);
}

static void worsen_verdict(struct verdict *verdict, struct verdict other) {
    if (other.level > verdict->level)
        *verdict = other;
}

/* ---- operands ---- */

static struct verdict judge_operand(const struct work *w, cw_ref r, uint32_t block);

static struct verdict branch_level(const struct work *work, uint32_t block) {
    struct verdict v = judge_operand(work, work->fn->blocks.at[block].jump.value, block);
    v.branch = block;
    v.cause = CW_NONE;
    return v;
}

static struct verdict judge_deciders(const struct work *work, const struct cw_vec_u32 *blocks, enum cw_uni least) {
    struct verdict v = make_source(least);
    for (uint32_t k = 0; k < blocks->n; k++)
        worsen_verdict(&v, branch_level(work, blocks->at[k]));
    return v;
}

/* The loops around a value's definition that a use in `block` stands outside of: threads may bring the values of
 * different iterations. The branches that decide so are inside those loops, so this recurs to their nesting at most. */
static void add_iterations(const struct work *work, struct verdict *verdict, cw_ref ref, uint32_t block) {
    uint32_t loop = work->cfg->loop_of[work->fn->ins.at[ref.index].block];
    for (; loop != CW_NO_LOOP && !cw_cfg_in_loop(work->cfg, loop, block); loop = work->cfg->loops.at[loop].parent)
        if (verdict->level < CW_UNI_DIVERGENT && !cw_cfg_is_invariant(work->fn, loop, ref))
            worsen_verdict(verdict,
                           judge_deciders(work, cw_divergence_leaving(work->graph, loop, block), CW_UNI_CONST));
}

static bool is_finished_butterfly(const struct work *work, cw_ref ref, uint32_t block) {
    uint32_t loop = work->cfg->loop_of[work->fn->ins.at[ref.index].block];
    return loop != CW_NO_LOOP && !cw_cfg_in_loop(work->cfg, loop, block) &&
           cw_warp_butterfly_loop(work->u, ref.index) == loop;
}

static struct verdict judge_operand(const struct work *work, cw_ref ref, uint32_t block) {
    struct verdict v = make_verdict(cw_uni_of(work->u, ref), ref);
    if (ref.tag != CW_REF_INS || work->cfg->rpo_index[work->fn->ins.at[ref.index].block] == CW_NO_BLOCK)
        return v;
    if (v.level == CW_UNI_DIVERGENT && is_finished_butterfly(work, ref, block))
        v.level = CW_UNI_WARP;
    add_iterations(work, &v, ref, block);
    return v;
}

static struct verdict all_operands(const struct work *work, const struct cw_ins *ins) {
    struct verdict v = make_source(CW_UNI_CONST);
    for (uint32_t k = 0; k < ins->narg; k++)
        worsen_verdict(&v, judge_operand(work, cw_arg(work->fn, ins, k), ins->block));
    return v;
}

/* ---- memory ---- */

static bool is_private(const struct work *work, const struct cw_base *base) {
    return base->root.tag == CW_REF_OBJECT && !base->is_read &&
           work->fn->objects.at[base->root.index].space == CW_SPACE_LOCAL;
}

static struct verdict base_level(const struct work *work, const struct cw_base *base, bool written) {
    if (is_private(work, base))
        return cw_bitset_has(&work->stability->memory->escaped, base->root.index) ? make_source(CW_UNI_DIVERGENT)
                                                                            : work->object[base->root.index];
    if (base->root.tag == CW_REF_OBJECT && !base->is_read) {
        enum cw_space space = work->fn->objects.at[base->root.index].space;
        if (space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED)
            return make_source(CW_UNI_BLOCK);
    }
    return make_source(written ? CW_UNI_BLOCK : CW_UNI_GRID);
}

static struct verdict judge_load(const struct work *work, uint32_t ins, const struct cw_ins *other) {
    struct verdict v = judge_operand(work, cw_arg(work->fn, other, 0), other->block);
    if (cw_bitset_has(&work->stability->unstable, ins))
        worsen_verdict(&v, make_source(CW_UNI_DIVERGENT));
    struct cw_bases bases = cw_memory_bases(work->fn, cw_arg(work->fn, other, 0));
    for (uint32_t k = 0; k < bases.n; k++)
        worsen_verdict(&v, base_level(work, &bases.at[k], cw_bitset_has(&work->stability->written, ins)));
    return v;
}

/* What a copy brings: its source's bytes, known only when nobody writes them or they are private. */
static struct verdict judge_copy(const struct work *work, cw_ref from, uint32_t block) {
    struct verdict v = judge_operand(work, from, block);
    struct cw_bases bases = cw_memory_bases(work->fn, from);
    for (uint32_t k = 0; k < bases.n; k++) {
        const struct cw_base *b = &bases.at[k];
        enum cw_space space = b->root.tag == CW_REF_OBJECT && !b->is_read ? work->fn->objects.at[b->root.index].space
                                                                        : CW_SPACE_UNKNOWN;
        if (space == CW_SPACE_LOCAL)
            worsen_verdict(&v, base_level(work, b, true));
        else
            worsen_verdict(&v, make_source(space == CW_SPACE_CONSTANT || space == CW_SPACE_PARAM ? CW_UNI_GRID
                                                                                                 : CW_UNI_DIVERGENT));
    }
    return v;
}

static void store_into(struct work *work, cw_ref pointer, struct verdict verdict) {
    struct cw_bases bases = cw_memory_bases(work->fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++) {
        if (!is_private(work, &bases.at[k]))
            continue;
        struct verdict *o = &work->object[bases.at[k].root.index];
        work->changed |= verdict.level > o->level;
        worsen_verdict(o, verdict);
    }
}

/* Private objects take the levels of what is stored into them, of the place, and of the decision to store. */
static void note_stores(struct work *work, const struct cw_ins *ins) {
    struct verdict v = make_source((enum cw_uni)work->u->control_live[ins->block]);
    v.branch = work->u->control_branch[ins->block];
    struct cw_access acc[2];
    if (cw_memory_is_call(ins)) {
        for (uint32_t k = 0; k < ins->narg; k++)
            if (cw_ref_type(work->fn, cw_arg(work->fn, ins, k)) == CW_PTR)
                store_into(work, cw_arg(work->fn, ins, k), make_source(CW_UNI_DIVERGENT));
        return;
    }
    uint32_t n = cw_memory_accesses(work->fn, ins, acc);
    if (n == 0 || !acc[0].writes)
        return;
    worsen_verdict(&v, judge_operand(work, acc[0].pointer, ins->block));
    if (n == 2)
        worsen_verdict(&v, judge_copy(work, acc[1].pointer, ins->block));
    else if (ins->op == CW_OP_STORE)
        worsen_verdict(&v, judge_operand(work, cw_arg(work->fn, ins, 0), ins->block));
    else if (ins->op == CW_OP_MEMSET)
        worsen_verdict(&v, judge_operand(work, cw_arg(work->fn, ins, 1), ins->block));
    else
        worsen_verdict(&v, make_source(CW_UNI_DIVERGENT));
    store_into(work, acc[0].pointer, v);
}

/* ---- joins ---- */

/* Has the phi different operands for two ways that the branch parts? */
static bool tells_ways_apart(const struct cw_fn *fn, const struct cw_ins *phi, const uint32_t *way) {
    for (uint32_t k = 1; k < phi->narg; k++)
        for (uint32_t j = 0; j < k; j++)
            if (way[j] != way[k] && way[j] != CW_NO_WAY && way[k] != CW_NO_WAY &&
                !cw_ref_eq(cw_arg(fn, phi, j), cw_arg(fn, phi, k)))
                return true;
    return false;
}

/* The worst of the branches that the phi makes visible. */
static struct verdict judge_arrival(const struct work *work, const struct cw_ins *phi) {
    struct verdict v = work->any_branch;
    for (uint32_t k = 0; k < work->graph->meetings[phi->block].n; k++) {
        const struct cw_conflict *m = &work->graph->meetings[phi->block].at[k];
        struct verdict b = branch_level(work, m->branch);
        if (b.level > v.level && tells_ways_apart(work->fn, phi, m->way))
            v = b;
    }
    return v;
}

static struct verdict judge_phi(const struct work *work, const struct cw_ins *ins) {
    struct verdict v = all_operands(work, ins);
    worsen_verdict(&v, judge_arrival(work, ins));
    return v;
}

/* What a comment in the source says of a value holds, whatever the code looks like. */
static struct verdict judge_assumed(const struct work *work, const struct cw_ins *ins) {
    struct verdict v = judge_operand(work, cw_arg(work->fn, ins, 0), ins->block);
    enum cw_uni most = ins->aux == CW_SCOPE_WARP ? CW_UNI_WARP : CW_UNI_BLOCK;
    return v.level > most ? make_source(most) : v;
}

static struct verdict judge_select(const struct work *work, const struct cw_ins *ins) {
    if (cw_ref_eq(cw_arg(work->fn, ins, 1), cw_arg(work->fn, ins, 2)))
        return judge_operand(work, cw_arg(work->fn, ins, 1), ins->block);
    return all_operands(work, ins);
}

/* ---- collectives ---- */

/* Do all living threads of the warp come here together? */
static bool is_together(const struct work *work, const struct cw_ins *ins) {
    return work->u->control_live[ins->block] <= CW_UNI_WARP;
}

static bool is_whole_width(const struct work *work, const struct cw_ins *ins) {
    int64_t width;
    cw_ref r = cw_arg(work->fn, ins, 3);
    return (ins->flags & CW_INS_DEFAULT_WIDTH) || r.tag == CW_REF_UNDEF ||
           (r.tag == CW_REF_SREG && r.index == CW_WARPSIZE) || (cw_ref_const(work->fn, r, &width) && width == 32);
}

static struct verdict judge_shuffle(const struct work *work, const struct cw_ins *ins) {
    struct verdict value = judge_operand(work, cw_arg(work->fn, ins, 1), ins->block),
                   lane = judge_operand(work, cw_arg(work->fn, ins, 2), ins->block);
    if (cw_warp_mask(work->u, cw_arg(work->fn, ins, 0)) != CW_MASK_WHOLE || !is_together(work, ins))
        return make_source(CW_UNI_DIVERGENT);
    if (value.level <= CW_UNI_WARP)
        return value; /* every lane offers the same */
    if (ins->aux == CW_SHFL_IDX && lane.level <= CW_UNI_WARP && is_whole_width(work, ins) &&
        work->u->control[ins->block] <= CW_UNI_WARP)
        return make_verdict(CW_UNI_WARP, value.cause);
    return lane.level > value.level ? lane : value;
}

static struct verdict judge_vote(const struct work *work, const struct cw_ins *ins) {
    struct verdict value = judge_operand(work, cw_arg(work->fn, ins, 1), ins->block);
    if ((ins->aux == CW_VOTE_ANY || ins->aux == CW_VOTE_ALL) && ins->op == CW_OP_VOTE && value.level < CW_UNI_WARP)
        return value; /* the predicate itself */
    if (cw_warp_mask(work->u, cw_arg(work->fn, ins, 0)) == CW_MASK_OTHER || !is_together(work, ins))
        return make_source(CW_UNI_DIVERGENT);
    return make_verdict(CW_UNI_WARP, value.cause);
}

static struct verdict judge_barrier(const struct work *work, const struct cw_ins *ins) {
    int64_t count;
    bool whole = cw_ref_const(work->fn, cw_arg(work->fn, ins, 1), &count) && count == 0;
    return make_source(whole ? CW_UNI_BLOCK : CW_UNI_DIVERGENT);
}

/* ---- groups ---- */

static struct verdict judge_group(const struct work *work, const struct cw_ins *ins) {
    const struct cw_ins *g = ins->op == CW_OP_GROUP ? ins : cw_ins_of(work->fn, cw_arg(work->fn, ins, 0));
    int64_t size = 0;
    if (!g || g->op != CW_OP_GROUP)
        return make_source(CW_UNI_DIVERGENT);
    bool is_tile = g->aux == CW_GROUP_TILE;
    bool is_fixed = is_tile || g->aux == CW_GROUP_BLOCK || g->aux == CW_GROUP_GRID || g->aux == CW_GROUP_CLUSTER ||
                    g->aux == CW_GROUP_THREAD;
    if (is_tile && g->narg == 2)
        (void)cw_ref_const(work->fn, cw_arg(work->fn, g, 1), &size);
    switch (ins->op) {
    case CW_OP_GROUPRANK:
        return make_source(g->aux == CW_GROUP_THREAD ? CW_UNI_CONST : CW_UNI_DIVERGENT);
    case CW_OP_GROUPMETARANK:
        return make_source(size >= 32 ? CW_UNI_WARP : CW_UNI_DIVERGENT);
    default: /* the handle and sizes */
        return make_source(is_fixed ? CW_UNI_GRID : CW_UNI_DIVERGENT);
    }
}

/* ---- transfer ---- */

static struct verdict judge_instruction(const struct work *work, uint32_t ins) {
    const struct cw_ins *i = &work->fn->ins.at[ins];
    switch (i->op) {
    case CW_OP_PHI:
        return judge_phi(work, i);
    case CW_OP_SELECT:
        return judge_select(work, i);
    case CW_OP_UNIFORM:
        return judge_assumed(work, i);
    case CW_OP_LOAD:
        return judge_load(work, ins, i);
    case CW_OP_SHFL:
        return judge_shuffle(work, i);
    case CW_OP_VOTE:
    case CW_OP_REDUX:
        return judge_vote(work, i);
    case CW_OP_MATCH:
        return i->aux == CW_VOTE_ALL ? judge_vote(work, i) : make_source(CW_UNI_DIVERGENT);
    case CW_OP_BARRIER:
        return judge_barrier(work, i);
    case CW_OP_GROUP:
    case CW_OP_GROUPRANK:
    case CW_OP_GROUPSIZE:
    case CW_OP_GROUPMETARANK:
    case CW_OP_GROUPMETASIZE:
        return judge_group(work, i);
    default:
        return cw_op_flags(i->op) & CW_OP_P ? all_operands(work, i) : make_source(CW_UNI_DIVERGENT);
    }
}

static uint8_t operand_bits(const struct work *work, cw_ref ref, uint32_t block) {
    if (judge_operand(work, ref, block).level <= CW_UNI_WARP)
        return ALL_LANE_BITS;
    if (ref.tag != CW_REF_INS || work->cfg->loop_of[work->fn->ins.at[ref.index].block] != work->cfg->loop_of[block])
        return 0;
    return work->same_bits[ref.index];
}

static bool is_group_op(enum cw_op op) {
    return op == CW_OP_GROUP || op == CW_OP_GROUPRANK || op == CW_OP_GROUPSIZE || op == CW_OP_GROUPMETARANK ||
           op == CW_OP_GROUPMETASIZE;
}

/* For which lane bits b do lanes l and l ^ b surely have the same value? */
static uint8_t same_bits(const struct work *work, const struct cw_ins *ins) {
    cw_ref r;
    int64_t mask;
    const struct cw_ins *s = cw_warp_butterfly(work->u, ins, &r);
    if (s && cw_ref_const(work->fn, cw_arg(work->fn, s, 2), &mask) && mask > 0 && mask <= 16 && !(mask & (mask - 1)))
        return operand_bits(work, r, ins->block) | (uint8_t)mask;
    if (ins->op == CW_OP_SHFL && ins->aux == CW_SHFL_XOR && cw_ref_const(work->fn, cw_arg(work->fn, ins, 2), &mask) &&
        cw_warp_mask(work->u, cw_arg(work->fn, ins, 0)) == CW_MASK_WHOLE && is_together(work, ins) &&
        is_whole_width(work, ins))
        return operand_bits(work, cw_arg(work->fn, ins, 1), ins->block);
    if (!(cw_op_flags(ins->op) & CW_OP_P) || is_group_op(ins->op) ||
        (ins->op == CW_OP_PHI && judge_arrival(work, ins).level > CW_UNI_WARP))
        return 0;
    uint8_t bits = ALL_LANE_BITS;
    for (uint32_t k = 0; k < ins->narg; k++)
        bits &= operand_bits(work, cw_arg(work->fn, ins, k), ins->block);
    return bits;
}

static void update_value(struct work *work, uint32_t ins) {
    struct cw_uniformity *u = work->u;
    const struct cw_ins *i = &work->fn->ins.at[ins];
    note_stores(work, i);
    if (i->type == CW_VOID)
        return;
    struct verdict v = judge_instruction(work, ins);
    if (v.level == CW_UNI_DIVERGENT && u->ins[ins] != CW_UNI_DIVERGENT && cw_warp_form(u, i))
        v.level = CW_UNI_WARP;
    if (v.level == CW_UNI_DIVERGENT) {
        uint8_t bits = same_bits(work, i) & work->same_bits[ins];
        work->changed |= bits != work->same_bits[ins];
        work->same_bits[ins] = bits;
        if (bits == ALL_LANE_BITS)
            v.level = CW_UNI_WARP;
    }
    if (v.level <= u->ins[ins])
        return;
    work->changed = true;
    u->ins[ins] = (uint8_t)v.level;
    u->cause[ins] = v.cause;
    u->cause_branch[ins] = v.branch;
}

/* ---- control ---- */

static void raise_level(struct work *work, uint8_t *level, enum cw_uni to) {
    work->changed |= to > *level;
    if (to > *level)
        *level = (uint8_t)to;
}

/* A branch that lets threads run past the block counts with its condition, and with who comes to the branch: the others
 * had no occasion to. */
static enum cw_uni live_level(const struct work *work, uint32_t block) {
    const struct cw_vec_u32 *blocks = &work->graph->deciding[block];
    if (cw_bitset_has(&work->graph->undecided, block))
        return (enum cw_uni)work->u->control[block];
    enum cw_uni level = judge_deciders(work, blocks, CW_UNI_GRID).level;
    for (uint32_t k = 0; k < blocks->n; k++)
        if (work->u->control_live[blocks->at[k]] > level)
            level = (enum cw_uni)work->u->control_live[blocks->at[k]];
    return level < (enum cw_uni)work->u->control[block] ? level : (enum cw_uni)work->u->control[block];
}

static void update_control(struct work *work, uint32_t block) {
    struct cw_uniformity *u = work->u;
    const struct cw_vec_edge *edges =
        work->cfg->dies[block] ? &work->cfg->control[block] : &work->cfg->live_control[block];
    struct verdict v = make_source(CW_UNI_GRID);
    for (uint32_t k = 0; k < edges->n; k++) {
        uint32_t from = edges->at[k].block;
        struct verdict outer = {(enum cw_uni)u->control[from], CW_NONE, u->control_branch[from]};
        worsen_verdict(&v, outer);
        worsen_verdict(&v, branch_level(work, from));
    }
    if (v.level > u->control[block])
        u->control_branch[block] = v.branch;
    raise_level(work, &u->control[block], v.level);
    raise_level(work, &u->control_live[block], live_level(work, block));
}

static void sweep_blocks(struct work *work) {
    for (uint32_t k = 0; k < work->cfg->nrpo; k++) {
        uint32_t block = work->cfg->rpo[k];
        const struct cw_vec_u32 *list = &work->fn->blocks.at[block].ins;
        update_control(work, block);
        for (uint32_t p = 0; p < list->n; p++)
            update_value(work, list->at[p]);
        if (work->graph->is_coarse && work->fn->blocks.at[block].jump.nsucc > 1) {
            struct verdict v = branch_level(work, block);
            work->changed |= v.level > work->any_branch.level;
            worsen_verdict(&work->any_branch, v);
        }
    }
}

/* ---- entry points ---- */

static struct cw_uniformity *new_result(struct cw_fn *fn, struct cw_shape_facts facts, struct cw_arena *a) {
    struct cw_uniformity *u = CW_NEW(a, struct cw_uniformity);
    u->fn = fn;
    u->facts = facts;
    u->ins = CW_NEW_ARRAY(a, uint8_t, fn->ins.n);
    u->control = CW_NEW_ARRAY(a, uint8_t, fn->blocks.n);
    u->control_live = CW_NEW_ARRAY(a, uint8_t, fn->blocks.n);
    u->control_branch = CW_NEW_ARRAY(a, uint32_t, fn->blocks.n);
    u->cause = CW_NEW_ARRAY(a, cw_ref, fn->ins.n);
    u->cause_branch = CW_NEW_ARRAY(a, uint32_t, fn->ins.n);
    for (uint32_t k = 0; k < fn->ins.n; k++)
        u->cause_branch[k] = CW_NO_BLOCK;
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        u->control_branch[b] = CW_NO_BLOCK;
    u->indexed = cw_warp_indexed(fn, a);
    return u;
}

enum { ROUNDS_MAX = 4, REFUTED_MAX = 8 };

static struct cw_uniformity *with_stability(struct cw_fn *fn, struct cw_shape_facts facts,
                                            const struct cw_stability *stability, struct cw_arena *a) {
    struct cw_uniformity *u = new_result(fn, facts, a);
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct work w = {.fn = fn, .cfg = fn->cfg, .u = u, .stability = stability, .any_branch = make_source(CW_UNI_CONST)};
    u->unstable = stability->unstable;
    u->escaped = stability->memory->escaped;
    w.graph = cw_divergence_new(fn, &scratch);
    w.object = CW_NEW_ARRAY(&scratch, struct verdict, fn->objects.n);
    w.same_bits = CW_NEW_ARRAY(&scratch, uint8_t, fn->ins.n);
    for (uint32_t k = 0; k < fn->ins.n; k++)
        w.same_bits[k] = ALL_LANE_BITS;
    do {
        w.changed = false;
        sweep_blocks(&w);
    } while (w.changed);
    cw_arena_free(&scratch);
    return u;
}

/* The loads that are left are assumed to be stable until a round refutes none of them. */
static struct cw_uniformity *assume_stable(struct cw_fn *fn, struct cw_shape_facts facts,
                                           struct cw_stability *stability, struct cw_uniformity *proved,
                                           struct cw_arena *a) {
    struct cw_bitset unstable = cw_bitset_new(a, fn->ins.n);
    cw_bitset_join(&unstable, &stability->unstable);
    if (!cw_stability_assume(stability, fn))
        return proved;
    for (uint32_t round = 0; round < REFUTED_MAX; round++) {
        struct cw_uniformity *u = with_stability(fn, facts, stability, a);
        if (!cw_stability_refute(stability, fn, u, &unstable))
            return u;
    }
    cw_bitset_join(&stability->unstable, &unstable);
    return proved;
}

/* What is stable rests on branches that all threads take alike, and these on what is stable: each round rests on what
 * the one before has shown. */
struct cw_uniformity *cw_uniformity(struct cw_fn *fn, struct cw_shape_facts facts, struct cw_arena *a) {
    struct cw_stability *stability = cw_stability_new(fn, a);
    struct cw_uniformity *u = with_stability(fn, facts, stability, a);
    for (uint32_t round = 0; round < ROUNDS_MAX && cw_stability_refine(stability, fn, u); round++)
        u = with_stability(fn, facts, stability, a);
    return assume_stable(fn, facts, stability, u, a);
}

enum cw_uni cw_uni_of(const struct cw_uniformity *uniformity, cw_ref ref) {
    switch ((enum cw_ref_tag)ref.tag) {
    case CW_REF_INS:
        return (enum cw_uni)uniformity->ins[ref.index];
    case CW_REF_SREG:
        return cw_warp_sreg(&uniformity->facts, (enum cw_sreg)ref.index);
    case CW_REF_PARAM:
        return uniformity->fn->kind == CW_FN_DEVICE ? CW_UNI_DIVERGENT : CW_UNI_GRID; /* a caller may pass anything */
    case CW_REF_TPARAM:
    case CW_REF_OBJECT:
        return CW_UNI_GRID;
    default:
        return CW_UNI_CONST;
    }
}

uint32_t cw_uni_explain(const struct cw_uniformity *uniformity, cw_ref ref, cw_ref *steps, uint32_t max) {
    uint32_t n = 0;
    while (n < max && ref.tag != CW_REF_NONE) {
        steps[n++] = ref;
        if (ref.tag != CW_REF_INS)
            break;
        uint32_t branch = uniformity->cause_branch[ref.index];
        cw_ref next =
            branch != CW_NO_BLOCK ? uniformity->fn->blocks.at[branch].jump.value : uniformity->cause[ref.index];
        if (cw_ref_eq(next, ref))
            break;
        ref = next;
    }
    return n;
}

const char *cw_uni_text(enum cw_uni level) {
    static const char *const texts[] = {"const", "grid", "block", "warp", "divergent"};
    return texts[level];
}
