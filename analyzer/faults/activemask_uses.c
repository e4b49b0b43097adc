/* Faults of `__activemask()`; see activemask_uses.h for requires / computes / preserves.
 *
 * Three relations over SSA decide:
 *   mask     a value that names lanes of a snapshot and no others: the snapshot, parts of it, a ballot or match over it
 *   touched  anything computed from a snapshot, in whatever way; code that asks the snapshot before it relies on it is
 *            careful, and nothing is said of it
 *   flow     from one result forward to the stores and branches that take it for the truth. A count that is mixed with
 *            something per lane (rank, leader, a running total) is bookkeeping of the lanes caught, and is dropped. */
#include "faults/activemask_uses.h"

#include "lanes/facts_print.h"
#include "lanes/participation.h"
#include "lanes/masks.h"
#include "lanes/iterations.h"
#include "lanes/condition.h"
#include "launch/for_each_launch.h"

enum {
    SAMPLES = 3,         /* choices of the uniform unknowns tried per launch */
    MAX_FLOW = 4096,     /* values followed from one result */
    MAX_BACK = 256,      /* values looked at behind an address or a lane number */
    MAX_PAIRS = 1 << 16, /* pairs of lanes asked about per collective */
    MAX_FAULTS = 64
};

struct work {
    const struct cw_kernel_query *q;
    const struct cw_fn *fn;
    struct cw_arena *a;
    struct cw_vec_u32 *users;        /* instruction -> instructions that have it as an operand */
    struct cw_bitset mask, touched;  /* of instructions */
    struct cw_vec_u32 snapshots, collectives; /* in execution order */
};

/* ---- the relations ---- */

static void link_users(struct work *work, uint32_t ins) {
    const struct cw_ins *i = &work->fn->ins.at[ins];
    for (uint32_t k = 0; k < i->narg; k++) {
        cw_ref r = cw_arg(work->fn, i, k);
        if (r.tag == CW_REF_INS)
            cw_vec_push(work->a, &work->users[r.index], ins);
    }
}

static void collect_users(struct work *work) {
    work->users = CW_NEW_ARRAY(work->a, struct cw_vec_u32, work->fn->ins.n);
    for (uint32_t k = 0; k < work->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &work->fn->blocks.at[work->fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n; n++) {
            const struct cw_ins *i = &work->fn->ins.at[list->at[n]];
            link_users(work, list->at[n]);
            if (i->op == CW_OP_ACTIVEMASK)
                cw_vec_push(work->a, &work->snapshots, list->at[n]);
            else if ((cw_op_flags((enum cw_op)i->op) & CW_OP_C) && i->narg > 0)
                cw_vec_push(work->a, &work->collectives, list->at[n]);
        }
    }
}

static bool is_in(const struct cw_bitset *set, cw_ref ref) {
    return ref.tag == CW_REF_INS && cw_bitset_has(set, ref.index);
}

static bool carries_result(const struct cw_ins *ins) {
    return (cw_op_flags((enum cw_op)ins->op) & (CW_OP_P | CW_OP_C)) || ins->op == CW_OP_ATOMIC;
}

/* Adds the snapshot and all that is computed from it. */
static void mark_touched(const struct work *work, uint32_t snapshot, struct cw_bitset *set) {
    struct cw_vec_u32 stack = {0};
    cw_bitset_add(set, snapshot);
    cw_vec_push(work->a, &stack, snapshot);
    while (stack.n) {
        const struct cw_vec_u32 *users = &work->users[stack.at[--stack.n]];
        for (uint32_t k = 0; k < users->n; k++)
            if (!cw_bitset_has(set, users->at[k]) && carries_result(&work->fn->ins.at[users->at[k]])) {
                cw_bitset_add(set, users->at[k]);
                cw_vec_push(work->a, &stack, users->at[k]);
            }
    }
}

static bool is_mask_part(const struct work *work, const struct cw_ins *ins) {
    bool first = ins->narg > 0 && is_in(&work->mask, cw_arg(work->fn, ins, 0));
    bool second = ins->narg > 1 && is_in(&work->mask, cw_arg(work->fn, ins, 1));
    switch (ins->op) {
    case CW_OP_ACTIVEMASK: return true;
    case CW_OP_COPY: case CW_OP_ZEXT: case CW_OP_SEXT: case CW_OP_TRUNC: case CW_OP_MATCH: return first;
    case CW_OP_VOTE: return first && ins->aux == CW_VOTE_BALLOT;
    case CW_OP_AND: return first || second;
    case CW_OP_OR: case CW_OP_XOR: return first && second;
    case CW_OP_SELECT: return second && is_in(&work->mask, cw_arg(work->fn, ins, 2));
    case CW_OP_PHI:
        for (uint32_t k = 0; k < ins->narg; k++)
            if (!is_in(&work->mask, cw_arg(work->fn, ins, k)))
                return false;
        return ins->narg > 0;
    default: return false;
    }
}

/* A question that is abandoned is answered so that nothing is reported. */
static bool give_up(const struct work *work) {
    cw_query_gave_up(work->q, CW_BAIL_SNAPSHOT_BUDGET, 1);
    return true;
}

/* In reverse post-order until nothing changes; each round adds a value, and chains of phis are short. */
static void mark_masks(struct work *work) {
    bool changed = true;
    for (uint32_t round = 0; changed && round < 8; round++) {
        changed = false;
        for (uint32_t k = 0; k < work->fn->cfg->nrpo; k++) {
            const struct cw_vec_u32 *list = &work->fn->blocks.at[work->fn->cfg->rpo[k]].ins;
            for (uint32_t n = 0; n < list->n; n++)
                if (!cw_bitset_has(&work->mask, list->at[n]) && is_mask_part(work, &work->fn->ins.at[list->at[n]])) {
                    cw_bitset_add(&work->mask, list->at[n]);
                    changed = true;
                }
        }
    }
    if (changed)
        (void)give_up(work);
}

/* Does `found` hold for anything that `ref` is computed from, through operations that compute? */
static bool any_behind(const struct work *work, cw_ref ref, bool (*found)(const struct work *, cw_ref)) {
    cw_ref stack[MAX_BACK];
    struct cw_bitset seen = cw_bitset_new(work->a, work->fn->ins.n);
    uint32_t n = 0, steps = 0;
    stack[n++] = ref;
    while (n > 0) {
        cw_ref at = stack[--n];
        if (found(work, at))
            return true;
        if (steps++ >= MAX_BACK)
            return give_up(work);
        const struct cw_ins *i = cw_ins_of(work->fn, at);
        if (!i || cw_bitset_has(&seen, at.index) || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
            continue;
        cw_bitset_add(&seen, at.index);
        for (uint32_t k = 0; k < i->narg; k++) {
            if (n == MAX_BACK)
                return give_up(work);
            stack[n++] = cw_arg(work->fn, i, k);
        }
    }
    return false;
}

/* ---- where a result goes ---- */

struct flow {
    struct work *w;
    bool is_set; /* names lanes or counts them; else data combined over lanes */
    struct cw_bitset seen;
    struct cw_vec_u32 stack;
    uint32_t store, decision; /* first found */
    bool in_both_arms;        /* it went through a phi of snapshots and complements */
};

static bool is_constant(const struct work *work, cw_ref ref) {
    return ref.tag == CW_REF_CONST || ref.tag == CW_REF_UNDEF || cw_uni_of(work->q->uniformity, ref) == CW_UNI_CONST;
}

static bool is_snapshot(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    return i && i->op == CW_OP_ACTIVEMASK;
}

/* All operands but `value` are constants. */
static bool others_constant(const struct work *work, const struct cw_ins *ins, uint32_t value) {
    for (uint32_t k = 0; k < ins->narg; k++) {
        cw_ref r = cw_arg(work->fn, ins, k);
        if (!is_constant(work, r) && !cw_ref_eq(r, cw_ref_ins(value)))
            return false;
    }
    return true;
}

static bool others_uniform(const struct work *work, const struct cw_ins *ins, uint32_t value) {
    for (uint32_t k = 0; k < ins->narg; k++) {
        cw_ref r = cw_arg(work->fn, ins, k);
        if (!cw_ref_eq(r, cw_ref_ins(value)) && cw_uni_of(work->q->uniformity, r) > CW_UNI_WARP)
            return false;
    }
    return true;
}

/* requires: simplified code, in which `x ^ ~0` is `~x`. */
static bool is_complement(const struct work *work, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(work->fn, ref);
    return i && i->op == CW_OP_NOT && is_snapshot(work->fn, cw_arg(work->fn, i, 0));
}

/* One arm has the snapshot, the other one the complement of its own: each stands for the lanes of the first arm. */
static bool joins_both_arms(const struct work *work, const struct cw_ins *phi) {
    uint32_t plain = 0, complements = 0;
    for (uint32_t k = 0; k < phi->narg; k++) {
        cw_ref r = cw_arg(work->fn, phi, k);
        plain += is_snapshot(work->fn, r);
        complements += is_complement(work, r);
    }
    return phi->op == CW_OP_PHI && plain > 0 && complements > 0 && plain + complements == phi->narg;
}

static bool set_passes(const struct work *work, const struct cw_ins *ins, uint32_t value) {
    if (joins_both_arms(work, ins))
        return true;
    switch (ins->op) {
    case CW_OP_FFS: case CW_OP_CLZ: case CW_OP_PTRADD: return false; /* a leader; a place */
    case CW_OP_EQ: case CW_OP_NE: case CW_OP_SLT: case CW_OP_SLE: case CW_OP_SGT: case CW_OP_SGE: case CW_OP_ULT:
    case CW_OP_ULE: case CW_OP_UGT: case CW_OP_UGE: return others_uniform(work, ins, value);
    default:
        return (cw_op_flags((enum cw_op)ins->op) & CW_OP_P) && ins->type != CW_GROUP &&
               others_constant(work, ins, value);
    }
}

static bool data_passes(const struct work *work, const struct cw_ins *ins, uint32_t value) {
    if (ins->op == CW_OP_SHFL || ins->op == CW_OP_REDUX || ins->op == CW_OP_SCAN)
        return cw_ref_eq(cw_arg(work->fn, ins, 1), cw_ref_ins(value));
    return (cw_op_flags((enum cw_op)ins->op) & CW_OP_P) && ins->op != CW_OP_PTRADD && ins->type != CW_GROUP;
}

/* A place that was got by an atomic, or from the snapshot itself, belongs to the lanes caught. */
static bool is_own_place(const struct work *work, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(work->fn, ref);
    return (i && (i->op == CW_OP_ATOMIC || cw_bitset_has(&work->touched, ref.index))) ||
           (ref.tag == CW_REF_OBJECT && work->fn->objects.at[ref.index].space == CW_SPACE_LOCAL);
}

static void push_value(struct flow *flow, uint32_t ins) {
    if (cw_bitset_has(&flow->seen, ins))
        return;
    cw_bitset_add(&flow->seen, ins);
    cw_vec_push(flow->w->a, &flow->stack, ins);
}

static void visit_user(struct flow *flow, uint32_t user, uint32_t value) {
    const struct work *w = flow->w;
    const struct cw_ins *i = &w->fn->ins.at[user];
    if (i->op == CW_OP_STORE) {
        if (flow->store == UINT32_MAX && cw_ref_eq(cw_arg(w->fn, i, 0), cw_ref_ins(value)) &&
            !any_behind(w, cw_arg(w->fn, i, 1), is_own_place))
            flow->store = user;
    } else if (flow->is_set ? set_passes(w, i, value) : data_passes(w, i, value)) {
        flow->in_both_arms |= joins_both_arms(w, i);
        push_value(flow, user);
    }
}

/* `c ? 1 : 0` comes as a branch and a phi of constants. */
static void visit_decision(struct flow *flow, uint32_t block) {
    const struct cw_fn *fn = flow->w->fn;
    uint32_t join = fn->cfg->ipdom[block];
    if (flow->decision == CW_NO_BLOCK)
        flow->decision = block;
    if (join >= fn->blocks.n)
        return;
    for (uint32_t k = 0; k < fn->blocks.at[join].ins.n; k++) {
        uint32_t ins = fn->blocks.at[join].ins.at[k];
        if (fn->ins.at[ins].op == CW_OP_PHI && others_constant(flow->w, &fn->ins.at[ins], UINT32_MAX >> 4))
            push_value(flow, ins);
    }
}

static struct flow follow_value(struct work *work, uint32_t root, bool is_set) {
    struct flow f = {.w = work, .is_set = is_set, .store = UINT32_MAX, .decision = CW_NO_BLOCK};
    f.seen = cw_bitset_new(work->a, work->fn->ins.n);
    push_value(&f, root);
    for (uint32_t steps = 0; f.stack.n && steps < MAX_FLOW; steps++) {
        uint32_t value = f.stack.at[--f.stack.n];
        for (uint32_t k = 0; k < work->users[value].n; k++)
            visit_user(&f, work->users[value].at[k], value);
        if (work->fn->ins.at[value].type != CW_I1)
            continue;
        for (uint32_t k = 0; k < work->fn->cfg->nrpo; k++) {
            const struct cw_jump *j = &work->fn->blocks.at[work->fn->cfg->rpo[k]].jump;
            if (j->kind == CW_JUMP_BRANCH && cw_ref_eq(j->value, cw_ref_ins(value)))
                visit_decision(&f, work->fn->cfg->rpo[k]);
        }
    }
    if (f.stack.n && f.store == UINT32_MAX)
        (void)give_up(work);
    return f;
}

/* ---- under the launches ---- */

typedef bool ask(struct work *, struct cw_lanes *, const struct cw_context *, struct cw_snapshot_fault *);

static bool shown_under(struct work *work, struct cw_lanes *lanes, uint32_t block, ask *question,
                        struct cw_snapshot_fault *fault) {
    struct cw_iterations it;
    const struct cw_context *c;
    cw_iterations_begin(&it, lanes, work->fn, block);
    while (cw_iterations_next(&it, &c))
        if (question(work, lanes, c, fault))
            return true;
    return false;
}

static bool is_shown(struct work *work, uint32_t block, ask *question, struct cw_snapshot_fault *fault) {
    struct cw_survey s = cw_survey_of_warps(work->q->launches);
    const struct cw_snapshot_fault asked = *fault;
    while (cw_survey_next(&s)) {
        struct cw_snapshot_fault now = asked;
        bool found = false;
        for (uint32_t sample = 0; sample < SAMPLES && !found; sample++) {
            struct cw_lanes *l = work->q->lanes(work->q->owner, s.launch, sample);
            found = l != NULL && shown_under(work, l, block, question, &now);
        }
        if (found && cw_survey_shown(&s))
            *fault = now;
    }
    fault->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

/* Can it be, by input data at most? */
static bool may_be(struct cw_lanes *lanes, uint32_t formula) {
    return formula != CW_BDD_FALSE && formula != CW_BDD_POISON && !cw_bdd_unknown(cw_lanes_bdds(lanes), formula);
}

static void set_witness(struct cw_snapshot_fault *fault, struct cw_lanes *lanes, const struct cw_context *context,
                        uint32_t t, uint32_t u) {
    fault->lanes = lanes;
    fault->context = context;
    fault->thread = t;
    fault->lane = u % 32;
}

/* Is there a thread that comes to the snapshot, one of its warp that may come along, and one that does not? */
static bool parts_here(struct work *work, struct cw_lanes *lanes, const struct cw_context *context,
                       struct cw_snapshot_fault *fault) {
    uint32_t block = work->fn->ins.at[fault->snapshot].block, pairs = 0;
    const struct cw_lane_cond *come =
        cw_lane_cond_reach(lanes, block, cw_context_complete(lanes, cw_context_at(lanes, context, block), block));
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++) {
        uint32_t end = (t | 31) + 1 < cw_lanes_count(lanes) ? (t | 31) + 1 : cw_lanes_count(lanes), with = UINT32_MAX,
                 without = UINT32_MAX;
        for (uint32_t u = t & ~31u; u < end && cw_lane_cond_at(come, t) != CW_BDD_FALSE; u++) {
            if (u == t || pairs++ > MAX_PAIRS)
                continue;
            uint32_t both = cw_bdd_and(cw_lanes_bdds(lanes), cw_lane_cond_at(come, t), cw_lane_cond_at(come, u));
            uint32_t apart =
                cw_bdd_and(cw_lanes_bdds(lanes), cw_lane_cond_at(come, t), cw_bdd_not(cw_lane_cond_at(come, u)));
            with = with == UINT32_MAX && may_be(lanes, both) ? u : with;
            without = without == UINT32_MAX && may_be(lanes, apart) ? u : without;
        }
        if (with != UINT32_MAX && without != UINT32_MAX) {
            set_witness(fault, lanes, context, t, without);
            return true;
        }
    }
    return false;
}

/* Is there a thread that calls, and one of its warp that was at the snapshot with it and now runs elsewhere? */
static bool part_since(struct work *work, struct cw_lanes *lanes, const struct cw_context *context,
                       struct cw_snapshot_fault *fault) {
    uint32_t then = work->fn->ins.at[fault->snapshot].block, now = work->fn->ins.at[fault->ins].block, pairs = 0;
    context = cw_context_complete(lanes, cw_context_at(lanes, context, now), now);
    const struct cw_lane_cond *were =
        cw_lane_cond_reach(lanes, then, cw_context_complete(lanes, cw_context_at(lanes, context, then), then));
    const struct cw_lane_cond *come = cw_lane_cond_reach(lanes, now, context),
                              *exited = cw_participation_exited(lanes, fault->ins, context);
    for (uint32_t t = 0; t < cw_lanes_count(lanes) && pairs < MAX_PAIRS; t++) {
        uint32_t here = cw_bdd_and(cw_lanes_bdds(lanes), cw_lane_cond_at(come, t), cw_lane_cond_at(were, t));
        for (uint32_t u = t & ~31u; u < ((t | 31) + 1) && u < cw_lanes_count(lanes) && here != CW_BDD_FALSE;
             u++, pairs++) {
            uint32_t away = cw_bdd_and(cw_lanes_bdds(lanes), cw_bdd_not(cw_lane_cond_at(come, u)),
                                       cw_bdd_not(cw_lane_cond_at(exited, u)));
            away = cw_bdd_and(cw_lanes_bdds(lanes), away, cw_lane_cond_at(were, u));
            if (u != t && may_be(lanes, cw_bdd_and(cw_lanes_bdds(lanes), here, away))) {
                set_witness(fault, lanes, context, t, u);
                return true;
            }
        }
    }
    return false;
}

/* ---- the faults ---- */

static bool is_comparison(const struct cw_ins *ins) {
    return ins && cw_is_compare((enum cw_op)ins->op);
}

static bool has_snapshot(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t *snapshot) {
    for (uint32_t k = 0; k < ins->narg; k++)
        if (is_snapshot(fn, cw_arg(fn, ins, k))) {
            *snapshot = cw_arg(fn, ins, k).index;
            return true;
        }
    return false;
}

/* The truth value behind a ZEXT: a comparison, or the branch that a phi of truth values stands for. */
static cw_ref truth_behind(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || i->op != CW_OP_ZEXT || cw_ref_type(fn, cw_arg(fn, i, 0)) != CW_I1)
        return CW_NONE;
    ref = cw_arg(fn, i, 0);
    i = cw_ins_of(fn, ref);
    if (i && i->op == CW_OP_PHI && fn->cfg->idom[i->block] != CW_NO_BLOCK)
        return fn->blocks.at[fn->cfg->idom[i->block]].jump.value;
    return ref;
}

/* `__popc(__activemask() == 1)`, `__ffs(__activemask() - 1)`, `__activemask() & lane == 0`. */
static bool find_slip(const struct cw_fn *fn, const struct cw_ins *ins, struct cw_snapshot_fault *fault) {
    bool counts = ins->op == CW_OP_POPC || ins->op == CW_OP_FFS || ins->op == CW_OP_CLZ || ins->op == CW_OP_BREV;
    for (uint32_t k = 0; k < ins->narg && k < 2; k++) {
        cw_ref arg = cw_arg(fn, ins, k), truth = truth_behind(fn, arg);
        const struct cw_ins *inner = cw_ins_of(fn, counts && truth.tag == CW_REF_NONE ? arg : truth);
        if (!inner)
            continue;
        fault->inner = (uint32_t)(inner - fn->ins.at);
        if (counts && (is_comparison(inner) || inner->op == CW_OP_ADD || inner->op == CW_OP_SUB) &&
            has_snapshot(fn, inner, &fault->snapshot))
            return true;
        if (ins->op == CW_OP_AND && is_comparison(inner) && is_snapshot(fn, cw_arg(fn, ins, 1 - k))) {
            fault->snapshot = cw_arg(fn, ins, 1 - k).index;
            return true;
        }
    }
    return false;
}

static struct cw_snapshot_fault new_fault(enum cw_snapshot_kind kind, uint32_t snapshot, uint32_t ins) {
    return (struct cw_snapshot_fault){.kind = kind, .snapshot = snapshot, .ins = ins, .use = UINT32_MAX,
                                      .inner = UINT32_MAX, .decision = CW_NO_BLOCK, .branch = CW_NO_BLOCK};
}

static void find_slips(struct work *work, struct cw_snapshots *out) {
    for (uint32_t k = 0; k < work->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &work->fn->blocks.at[work->fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n && out->at.n < MAX_FAULTS; n++) {
            struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_PRECEDENCE, UINT32_MAX, list->at[n]);
            f.definite = true;
            if (find_slip(work->fn, &work->fn->ins.at[list->at[n]], &f))
                cw_vec_push(work->a, &out->at, f);
        }
    }
}

static bool concerns_snapshot(const struct cw_snapshots *faults, uint32_t snapshot) {
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].snapshot == snapshot)
            return true;
    return false;
}

/* Is the store that of another snapshot, in the other arm of a branch? */
static bool is_reported(const struct cw_snapshots *faults, uint32_t use) {
    for (uint32_t k = 0; k < faults->at.n && use != UINT32_MAX; k++)
        if (faults->at.at[k].use == use)
            return true;
    return false;
}

static void find_ballots(struct work *work, struct cw_snapshots *out) {
    struct cw_snapshots slips = {{0}};
    find_slips(work, &slips);
    for (uint32_t k = 0; k < work->snapshots.n && out->at.n < MAX_FAULTS; k++) {
        struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_BALLOT, work->snapshots.at[k], work->snapshots.at[k]);
        uint32_t block = work->fn->ins.at[f.snapshot].block;
        if (work->q->uniformity->control[block] <= CW_UNI_WARP || concerns_snapshot(&slips, f.snapshot))
            continue;
        struct flow flow = follow_value(work, f.snapshot, true);
        f.use = flow.store;
        f.decision = flow.decision;
        f.in_both_arms = flow.in_both_arms;
        if ((f.use == UINT32_MAX && f.decision == CW_NO_BLOCK) || is_reported(out, f.use) ||
            !is_shown(work, block, parts_here, &f))
            continue;
        f.definite &= f.use != UINT32_MAX;
        cw_vec_push(work->a, &out->at, f);
    }
}

/* The snapshot that the mask is made of: the first one met going back. */
static uint32_t origin_of(const struct work *work, cw_ref ref) {
    for (uint32_t steps = 0; steps < MAX_BACK && is_in(&work->mask, ref); steps++) {
        const struct cw_ins *i = cw_ins_of(work->fn, ref);
        if (i->op == CW_OP_ACTIVEMASK)
            return ref.index;
        uint32_t k =
            i->op == CW_OP_SELECT || (i->op == CW_OP_AND && !is_in(&work->mask, cw_arg(work->fn, i, 0))) ? 1 : 0;
        ref = cw_arg(work->fn, i, k);
    }
    if (is_in(&work->mask, ref))
        (void)give_up(work);
    return UINT32_MAX;
}

static void find_stale(struct work *work, struct cw_snapshots *out) {
    for (uint32_t k = 0; k < work->collectives.n && out->at.n < MAX_FAULTS; k++) {
        uint32_t ins = work->collectives.at[k];
        cw_ref mask = cw_arg(work->fn, &work->fn->ins.at[ins], 0);
        if (!is_snapshot(work->fn, mask) || work->fn->ins.at[mask.index].block == work->fn->ins.at[ins].block)
            continue;
        struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_STALE, mask.index, ins);
        uint32_t block = work->fn->ins.at[ins].block, loop;
        if (work->q->uniformity->control_live[block] <= CW_UNI_WARP || !is_shown(work, block, part_since, &f))
            continue;
        struct cw_masks *m = cw_masks_new(f.lanes, ins, f.context, work->a);
        f.branch = cw_masks_parting(m, f.thread, f.lane, &loop).block;
        uint32_t same = 0;
        while (same < out->at.n && (out->at.at[same].snapshot != f.snapshot || out->at.at[same].branch != f.branch))
            same++;
        if (same < out->at.n)
            cw_vec_push(work->a, &out->at.at[same].also, ins);
        else
            cw_vec_push(work->a, &out->at, f);
    }
}

/* ---- collectives that need certain lanes ---- */

static bool is_touched(const struct work *work, cw_ref ref) {
    return is_in(&work->touched, ref);
}

/* Not computable from the thread's place and the code: memory, calls, votes. */
static bool is_outside(const struct work *work, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(work->fn, ref);
    return i && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P);
}

struct guard {
    const struct work *w;
    bool found;
};

static bool see_control(void *ctx, struct cw_edge edge) {
    struct guard *g = ctx;
    g->found |= any_behind(g->w, g->w->fn->blocks.at[edge.block].jump.value, is_touched);
    return !g->found;
}

/* Does the code ask the snapshot before it comes here? */
static bool is_guarded(const struct work *work, uint32_t block) {
    struct guard g = {work, false};
    cw_cfg_controls(work->fn, block, see_control, &g);
    return g.found;
}

static bool use_is_guarded(const struct work *work, uint32_t ins) {
    const struct cw_vec_u32 *users = &work->users[ins];
    for (uint32_t k = 0; k < users->n; k++) {
        const struct cw_ins *u = &work->fn->ins.at[users->at[k]];
        if (u->op == CW_OP_SELECT && any_behind(work, cw_arg(work->fn, u, 0), is_touched))
            return true;
        if (u->block != work->fn->ins.at[ins].block && u->op != CW_OP_PHI && is_guarded(work, u->block))
            return true;
    }
    return false;
}

/* Is there a branch at which lanes diverge on the way from one block to another that it dominates? */
static bool diverge_between(const struct work *work, uint32_t from, uint32_t to) {
    const struct cw_cfg *cfg = work->fn->cfg;
    for (uint32_t b = cfg->idom[to]; b != CW_NO_BLOCK && cw_cfg_dominates(cfg, from, b); b = cfg->idom[b]) {
        const struct cw_jump *j = &work->fn->blocks.at[b].jump;
        if (j->nsucc > 1 && cw_uni_of(work->q->uniformity, j->value) > CW_UNI_WARP)
            return true;
    }
    return false;
}

/* Was the lane elected from an earlier snapshot, and have the lanes diverged since? Then the one that the mask is made
 * of need not have caught it. */
static bool is_elected_before(const struct work *work, cw_ref lane, uint32_t snapshot) {
    struct work only = *work;
    only.touched = cw_bitset_new(work->a, work->fn->ins.n);
    mark_touched(work, snapshot, &only.touched);
    if (any_behind(&only, lane, is_touched))
        return false;
    for (uint32_t k = 0; k < work->snapshots.n; k++) {
        uint32_t then = work->fn->ins.at[work->snapshots.at[k]].block;
        only.touched = cw_bitset_new(work->a, work->fn->ins.n);
        mark_touched(work, work->snapshots.at[k], &only.touched);
        if (any_behind(&only, lane, is_touched) && diverge_between(work, then, work->fn->ins.at[snapshot].block))
            return true;
    }
    return false;
}

static bool is_election(const struct cw_ins *ins) {
    return ins->op == CW_OP_MATCH || (ins->op == CW_OP_VOTE && ins->aux == CW_VOTE_BALLOT);
}

static bool is_outside_elections(const struct work *work, cw_ref ref) {
    return is_outside(work, ref) && !is_election(cw_ins_of(work->fn, ref));
}

/* Was the lane elected by a match or ballot alone, `__ffs(peers) - 1`, and have the lanes diverged since? */
static bool is_elected_by_vote(const struct work *work, cw_ref lane, uint32_t snapshot) {
    struct work only = *work;
    if (any_behind(work, lane, is_outside_elections))
        return false;
    for (uint32_t k = 0; k < work->collectives.n; k++) {
        const struct cw_ins *vote = &work->fn->ins.at[work->collectives.at[k]];
        if (!is_election(vote))
            continue;
        only.touched = cw_bitset_new(work->a, work->fn->ins.n);
        mark_touched(work, work->collectives.at[k], &only.touched);
        if (any_behind(&only, lane, is_touched) &&
            diverge_between(work, vote->block, work->fn->ins.at[snapshot].block))
            return true;
    }
    return false;
}

/* A shuffle from lanes that the code chose without a look at the snapshot. */
static bool shuffle_needs(const struct work *work, uint32_t ins, uint32_t snapshot) {
    const struct cw_ins *i = &work->fn->ins.at[ins];
    cw_ref lane = cw_arg(work->fn, i, 2);
    if (work->users[ins].n == 0 || cw_uni_of(work->q->uniformity, cw_arg(work->fn, i, 1)) <= CW_UNI_WARP)
        return false;
    if (any_behind(work, lane, is_touched))
        return is_elected_before(work, lane, snapshot);
    if (i->aux == CW_SHFL_IDX && any_behind(work, lane, is_outside) && !is_elected_by_vote(work, lane, snapshot))
        return false;
    return !use_is_guarded(work, ins);
}

static bool has_shared(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->objects.n; k++)
        if (fn->objects.at[k].space == CW_SPACE_SHARED || fn->objects.at[k].space == CW_SPACE_DYNSHARED)
            return true;
    return false;
}

/* Does the collective need more than the lanes caught? */
static bool needs_lanes(struct work *work, struct cw_snapshot_fault *fault) {
    const struct cw_ins *i = &work->fn->ins.at[fault->ins];
    cw_ref mask = cw_arg(work->fn, i, 0);
    if (is_guarded(work, i->block))
        return false;
    fault->definite = true;
    switch (i->op) {
    case CW_OP_SHFL:
        return shuffle_needs(work, fault->ins, fault->snapshot);
    case CW_OP_SYNCWARP: /* who else uses the snapshot may be content with the lanes caught */
        fault->definite = has_shared(work->fn);
        return is_snapshot(work->fn, mask) && work->users[mask.index].n == 1;
    case CW_OP_VOTE: case CW_OP_REDUX: case CW_OP_MATCH: {
        bool set = i->op == CW_OP_MATCH || (i->op == CW_OP_VOTE && i->aux == CW_VOTE_BALLOT);
        struct flow flow = follow_value(work, fault->ins, set);
        fault->use = flow.store;
        fault->decision = flow.decision;
        fault->definite = fault->use != UINT32_MAX;
        return fault->definite || fault->decision != CW_NO_BLOCK;
    }
    default:
        return false;
    }
}

/* Further collectives of the same cause: those over the same snapshot, and those that go on with the result. */
static void cover_collectives(struct work *work, const struct cw_snapshot_fault *fault, uint32_t *owner,
                              uint32_t number) {
    struct flow flow = follow_value(work, fault->ins, false);
    for (uint32_t k = 0; k < work->collectives.n; k++) {
        uint32_t ins = work->collectives.at[k];
        if (cw_bitset_has(&flow.seen, ins) ||
            origin_of(work, cw_arg(work->fn, &work->fn->ins.at[ins], 0)) == fault->snapshot)
            owner[k] = number;
    }
}

static void find_masks(struct work *work, struct cw_snapshots *out) {
    struct cw_snapshots stale = {{0}};
    uint32_t *owner = CW_NEW_ARRAY(work->a, uint32_t, work->collectives.n + 1); /* 1 + fault */
    find_stale(work, &stale);
    for (uint32_t k = 0; k < work->collectives.n && out->at.n < MAX_FAULTS; k++) {
        uint32_t ins = work->collectives.at[k];
        cw_ref mask = cw_arg(work->fn, &work->fn->ins.at[ins], 0);
        if (!is_in(&work->mask, mask))
            continue;
        struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_MASK, origin_of(work, mask), ins);
        if (f.snapshot == UINT32_MAX || concerns_snapshot(&stale, f.snapshot) || !needs_lanes(work, &f))
            continue;
        if (owner[k] != 0) {
            struct cw_snapshot_fault *first = &out->at.at[owner[k] - 1];
            cw_vec_push(work->a, &first->also, ins);
            first->definite |= f.definite;
            first->use = first->use == UINT32_MAX ? f.use : first->use;
            continue;
        }
        cw_vec_push(work->a, &out->at, f);
        cover_collectives(work, &f, owner, out->at.n);
    }
}

struct cw_snapshots cw_snapshots_of(const struct cw_kernel_query *query, enum cw_snapshot_kind kind) {
    struct cw_snapshots out = {{0}};
    struct work w = {.q = query, .fn = query->fn, .a = query->arena};
    if (query->fn->cfg->is_irreducible)
        return out;
    collect_users(&w);
    if (w.snapshots.n == 0)
        return out;
    w.mask = cw_bitset_new(w.a, w.fn->ins.n);
    w.touched = cw_bitset_new(w.a, w.fn->ins.n);
    for (uint32_t k = 0; k < w.snapshots.n; k++)
        mark_touched(&w, w.snapshots.at[k], &w.touched);
    mark_masks(&w);
    switch (kind) {
    case CW_SNAPSHOT_BALLOT: find_ballots(&w, &out); break;
    case CW_SNAPSHOT_MASK: find_masks(&w, &out); break;
    case CW_SNAPSHOT_STALE: find_stale(&w, &out); break;
    case CW_SNAPSHOT_PRECEDENCE: find_slips(&w, &out); break;
    }
    cw_query_gave_up(query, CW_BAIL_SNAPSHOT_BUDGET, out.at.n >= MAX_FAULTS);
    return out;
}

/* ---- text form ---- */

void cw_snapshots_print(const struct cw_facts_print *to, const struct cw_snapshots *snapshots) {
    static const char *const kinds[] = {[CW_SNAPSHOT_BALLOT] = "snapshot taken for a ballot",
                                        [CW_SNAPSHOT_MASK] = "snapshot taken for a mask",
                                        [CW_SNAPSHOT_STALE] = "stale snapshot",
                                        [CW_SNAPSHOT_PRECEDENCE] = "misparenthesised snapshot"};
    for (uint32_t k = 0; k < snapshots->at.n; k++) {
        const struct cw_snapshot_fault *fault = &snapshots->at.at[k];
        bool is_decided = fault->kind == CW_SNAPSHOT_BALLOT || fault->kind == CW_SNAPSHOT_MASK;
        cw_facts_begin(to, fault->definite, kinds[fault->kind]);
        cw_facts_ins(to, "", fault->snapshot);
        cw_facts_ins(to, "in", fault->ins == fault->snapshot ? UINT32_MAX : fault->ins);
        cw_facts_also(to, &fault->also);
        cw_facts_ins(to, "inside", fault->kind == CW_SNAPSHOT_PRECEDENCE ? fault->inner : UINT32_MAX);
        cw_facts_ins(to, "used by", is_decided ? fault->use : UINT32_MAX);
        cw_facts_branch(to, is_decided                          ? fault->decision
                            : fault->kind == CW_SNAPSHOT_STALE ? fault->branch
                                                               : CW_NO_BLOCK);
        cw_facts_flag(to, fault->in_both_arms, "in both arms");
        if (fault->lanes) {
            cw_facts_thread(to, "arrives", fault->thread);
            cw_facts_lanes(to, "elsewhere", fault->thread / 32, UINT32_C(1) << fault->lane % 32);
            cw_facts_context(to, fault->context);
        }
        cw_facts_evaluator(to, fault->lanes);
        cw_facts_end(to);
    }
}
