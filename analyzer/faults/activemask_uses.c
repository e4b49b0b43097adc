/* Faults of `__activemask()`; see activemask_uses.h for requires / computes / preserves.
 *
 * Three relations over SSA decide:
 *   mask     a value that names lanes of a snapshot and no others: the snapshot, parts of it, a ballot or match over it
 *   touched  anything computed from a snapshot, in whatever way; code that asks the snapshot before it relies on it is
 *            careful, and nothing is said of it
 *   flow     from one result forward to the stores and branches that take it for the truth. A count that is mixed with
 *            something per lane (rank, leader, a running total) is bookkeeping of the lanes caught, and is dropped. */
#include "faults/activemask_uses.h"

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

static void link_users(struct work *w, uint32_t ins) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    for (uint32_t k = 0; k < i->narg; k++) {
        cw_ref r = cw_arg(w->fn, i, k);
        if (r.tag == CW_REF_INS)
            cw_vec_push(w->a, &w->users[r.index], ins);
    }
}

static void collect(struct work *w) {
    w->users = CW_NEW_ARRAY(w->a, struct cw_vec_u32, w->fn->ins.n);
    for (uint32_t k = 0; k < w->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &w->fn->blocks.at[w->fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n; n++) {
            const struct cw_ins *i = &w->fn->ins.at[list->at[n]];
            link_users(w, list->at[n]);
            if (i->op == CW_OP_ACTIVEMASK)
                cw_vec_push(w->a, &w->snapshots, list->at[n]);
            else if ((cw_op_flags((enum cw_op)i->op) & CW_OP_C) && i->narg > 0)
                cw_vec_push(w->a, &w->collectives, list->at[n]);
        }
    }
}

static bool is_in(const struct cw_bitset *set, cw_ref r) {
    return r.tag == CW_REF_INS && cw_bitset_has(set, r.index);
}

static bool carries_result(const struct cw_ins *i) {
    return (cw_op_flags((enum cw_op)i->op) & (CW_OP_P | CW_OP_C)) || i->op == CW_OP_ATOMIC;
}

/* Adds the snapshot and all that is computed from it. */
static void mark_touched(const struct work *w, uint32_t snapshot, struct cw_bitset *set) {
    struct cw_vec_u32 stack = {0};
    cw_bitset_add(set, snapshot);
    cw_vec_push(w->a, &stack, snapshot);
    while (stack.n) {
        const struct cw_vec_u32 *users = &w->users[stack.at[--stack.n]];
        for (uint32_t k = 0; k < users->n; k++)
            if (!cw_bitset_has(set, users->at[k]) && carries_result(&w->fn->ins.at[users->at[k]])) {
                cw_bitset_add(set, users->at[k]);
                cw_vec_push(w->a, &stack, users->at[k]);
            }
    }
}

static bool is_mask_part(const struct work *w, const struct cw_ins *i) {
    bool first = i->narg > 0 && is_in(&w->mask, cw_arg(w->fn, i, 0));
    bool second = i->narg > 1 && is_in(&w->mask, cw_arg(w->fn, i, 1));
    switch (i->op) {
    case CW_OP_ACTIVEMASK: return true;
    case CW_OP_COPY: case CW_OP_ZEXT: case CW_OP_SEXT: case CW_OP_TRUNC: case CW_OP_MATCH: return first;
    case CW_OP_VOTE: return first && i->aux == CW_VOTE_BALLOT;
    case CW_OP_AND: return first || second;
    case CW_OP_OR: case CW_OP_XOR: return first && second;
    case CW_OP_SELECT: return second && is_in(&w->mask, cw_arg(w->fn, i, 2));
    case CW_OP_PHI:
        for (uint32_t k = 0; k < i->narg; k++)
            if (!is_in(&w->mask, cw_arg(w->fn, i, k)))
                return false;
        return i->narg > 0;
    default: return false;
    }
}

/* A question that is abandoned is answered so that nothing is reported. */
static bool give_up(const struct work *w) {
    cw_query_gave_up(w->q, CW_BAIL_SNAPSHOT_BUDGET, 1);
    return true;
}

/* In reverse post-order until nothing changes; each round adds a value, and chains of phis are short. */
static void mark_masks(struct work *w) {
    bool changed = true;
    for (uint32_t round = 0; changed && round < 8; round++) {
        changed = false;
        for (uint32_t k = 0; k < w->fn->cfg->nrpo; k++) {
            const struct cw_vec_u32 *list = &w->fn->blocks.at[w->fn->cfg->rpo[k]].ins;
            for (uint32_t n = 0; n < list->n; n++)
                if (!cw_bitset_has(&w->mask, list->at[n]) && is_mask_part(w, &w->fn->ins.at[list->at[n]])) {
                    cw_bitset_add(&w->mask, list->at[n]);
                    changed = true;
                }
        }
    }
    if (changed)
        (void)give_up(w);
}

/* Does `found` hold for anything that `r` is computed from, through operations that compute? */
static bool any_behind(const struct work *w, cw_ref r, bool (*found)(const struct work *, cw_ref)) {
    cw_ref stack[MAX_BACK];
    struct cw_bitset seen = cw_bitset_new(w->a, w->fn->ins.n);
    uint32_t n = 0, steps = 0;
    stack[n++] = r;
    while (n > 0) {
        cw_ref at = stack[--n];
        if (found(w, at))
            return true;
        if (steps++ >= MAX_BACK)
            return give_up(w);
        const struct cw_ins *i = cw_ins_of(w->fn, at);
        if (!i || cw_bitset_has(&seen, at.index) || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
            continue;
        cw_bitset_add(&seen, at.index);
        for (uint32_t k = 0; k < i->narg; k++) {
            if (n == MAX_BACK)
                return give_up(w);
            stack[n++] = cw_arg(w->fn, i, k);
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

static bool is_constant(const struct work *w, cw_ref r) {
    return r.tag == CW_REF_CONST || r.tag == CW_REF_UNDEF || cw_uni_of(w->q->uniformity, r) == CW_UNI_CONST;
}

static bool is_snapshot(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    return i && i->op == CW_OP_ACTIVEMASK;
}

/* All operands but `value` are constants. */
static bool others_constant(const struct work *w, const struct cw_ins *i, uint32_t value) {
    for (uint32_t k = 0; k < i->narg; k++) {
        cw_ref r = cw_arg(w->fn, i, k);
        if (!is_constant(w, r) && !cw_ref_eq(r, cw_ref_ins(value)))
            return false;
    }
    return true;
}

static bool others_uniform(const struct work *w, const struct cw_ins *i, uint32_t value) {
    for (uint32_t k = 0; k < i->narg; k++) {
        cw_ref r = cw_arg(w->fn, i, k);
        if (!cw_ref_eq(r, cw_ref_ins(value)) && cw_uni_of(w->q->uniformity, r) > CW_UNI_WARP)
            return false;
    }
    return true;
}

static bool is_complement(const struct work *w, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(w->fn, r);
    int64_t ones;
    if (!i || (i->op != CW_OP_NOT && i->op != CW_OP_XOR) || !is_snapshot(w->fn, cw_arg(w->fn, i, 0)))
        return false;
    return i->op == CW_OP_NOT || (cw_ref_const(w->fn, cw_arg(w->fn, i, 1), &ones) && (uint32_t)ones == UINT32_MAX);
}

/* One arm has the snapshot, the other one the complement of its own: each stands for the lanes of the first arm. */
static bool joins_both_arms(const struct work *w, const struct cw_ins *phi) {
    uint32_t plain = 0, complements = 0;
    for (uint32_t k = 0; k < phi->narg; k++) {
        cw_ref r = cw_arg(w->fn, phi, k);
        plain += is_snapshot(w->fn, r);
        complements += is_complement(w, r);
    }
    return phi->op == CW_OP_PHI && plain > 0 && complements > 0 && plain + complements == phi->narg;
}

static bool set_passes(const struct work *w, const struct cw_ins *i, uint32_t value) {
    if (joins_both_arms(w, i))
        return true;
    switch (i->op) {
    case CW_OP_FFS: case CW_OP_CLZ: case CW_OP_PTRADD: return false; /* a leader; a place */
    case CW_OP_EQ: case CW_OP_NE: case CW_OP_SLT: case CW_OP_SLE: case CW_OP_SGT: case CW_OP_SGE: case CW_OP_ULT:
    case CW_OP_ULE: case CW_OP_UGT: case CW_OP_UGE: return others_uniform(w, i, value);
    default: return (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->type != CW_GROUP && others_constant(w, i, value);
    }
}

static bool data_passes(const struct work *w, const struct cw_ins *i, uint32_t value) {
    if (i->op == CW_OP_SHFL || i->op == CW_OP_REDUX || i->op == CW_OP_SCAN)
        return cw_ref_eq(cw_arg(w->fn, i, 1), cw_ref_ins(value));
    return (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->op != CW_OP_PTRADD && i->type != CW_GROUP;
}

/* A place that was got by an atomic, or from the snapshot itself, belongs to the lanes caught. */
static bool is_own_place(const struct work *w, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(w->fn, r);
    return (i && (i->op == CW_OP_ATOMIC || cw_bitset_has(&w->touched, r.index))) ||
           (r.tag == CW_REF_OBJECT && w->fn->objects.at[r.index].space == CW_SPACE_LOCAL);
}

static void push(struct flow *f, uint32_t ins) {
    if (cw_bitset_has(&f->seen, ins))
        return;
    cw_bitset_add(&f->seen, ins);
    cw_vec_push(f->w->a, &f->stack, ins);
}

static void visit_user(struct flow *f, uint32_t user, uint32_t value) {
    const struct work *w = f->w;
    const struct cw_ins *i = &w->fn->ins.at[user];
    if (i->op == CW_OP_STORE) {
        if (f->store == UINT32_MAX && cw_ref_eq(cw_arg(w->fn, i, 0), cw_ref_ins(value)) &&
            !any_behind(w, cw_arg(w->fn, i, 1), is_own_place))
            f->store = user;
    } else if (f->is_set ? set_passes(w, i, value) : data_passes(w, i, value)) {
        f->in_both_arms |= joins_both_arms(w, i);
        push(f, user);
    }
}

/* `c ? 1 : 0` comes as a branch and a phi of constants. */
static void visit_decision(struct flow *f, uint32_t block) {
    const struct cw_fn *fn = f->w->fn;
    uint32_t join = fn->cfg->ipdom[block];
    if (f->decision == CW_NO_BLOCK)
        f->decision = block;
    if (join >= fn->blocks.n)
        return;
    for (uint32_t k = 0; k < fn->blocks.at[join].ins.n; k++) {
        uint32_t ins = fn->blocks.at[join].ins.at[k];
        if (fn->ins.at[ins].op == CW_OP_PHI && others_constant(f->w, &fn->ins.at[ins], UINT32_MAX >> 4))
            push(f, ins);
    }
}

static struct flow follow(struct work *w, uint32_t root, bool is_set) {
    struct flow f = {.w = w, .is_set = is_set, .store = UINT32_MAX, .decision = CW_NO_BLOCK};
    f.seen = cw_bitset_new(w->a, w->fn->ins.n);
    push(&f, root);
    for (uint32_t steps = 0; f.stack.n && steps < MAX_FLOW; steps++) {
        uint32_t value = f.stack.at[--f.stack.n];
        for (uint32_t k = 0; k < w->users[value].n; k++)
            visit_user(&f, w->users[value].at[k], value);
        if (w->fn->ins.at[value].type != CW_I1)
            continue;
        for (uint32_t k = 0; k < w->fn->cfg->nrpo; k++) {
            const struct cw_jump *j = &w->fn->blocks.at[w->fn->cfg->rpo[k]].jump;
            if (j->kind == CW_JUMP_BRANCH && cw_ref_eq(j->value, cw_ref_ins(value)))
                visit_decision(&f, w->fn->cfg->rpo[k]);
        }
    }
    if (f.stack.n && f.store == UINT32_MAX)
        (void)give_up(w);
    return f;
}

/* ---- under the launches ---- */

typedef bool ask(struct work *, struct cw_lanes *, const struct cw_context *, struct cw_snapshot_fault *);

static bool shown_under(struct work *w, struct cw_lanes *l, uint32_t block, ask *question,
                        struct cw_snapshot_fault *f) {
    struct cw_iterations it;
    const struct cw_context *c;
    cw_iterations_begin(&it, l, w->fn, block);
    while (cw_iterations_next(&it, &c))
        if (question(w, l, c, f))
            return true;
    return false;
}

static bool shown(struct work *w, uint32_t block, ask *question, struct cw_snapshot_fault *f) {
    struct cw_survey s = cw_survey_of_warps(w->q->launches);
    const struct cw_snapshot_fault asked = *f;
    while (cw_survey_next(&s)) {
        struct cw_snapshot_fault now = asked;
        bool found = false;
        for (uint32_t sample = 0; sample < SAMPLES && !found; sample++) {
            struct cw_lanes *l = w->q->lanes(w->q->owner, s.launch, sample);
            found = l != NULL && shown_under(w, l, block, question, &now);
        }
        if (found && cw_survey_shown(&s))
            *f = now;
    }
    f->definite = cw_survey_definite(&s);
    return s.shown > 0;
}

/* Can it be, by input data at most? */
static bool may_be(struct cw_lanes *l, uint32_t formula) {
    return formula != CW_BDD_FALSE && formula != CW_BDD_POISON && !cw_bdd_unknown(cw_lanes_bdds(l), formula);
}

static void witness(struct cw_snapshot_fault *f, struct cw_lanes *l, const struct cw_context *c, uint32_t t,
                    uint32_t u) {
    f->lanes = l;
    f->context = c;
    f->thread = t;
    f->lane = u % 32;
}

/* Is there a thread that comes to the snapshot, one of its warp that may come along, and one that does not? */
static bool parts_here(struct work *w, struct cw_lanes *l, const struct cw_context *c, struct cw_snapshot_fault *f) {
    uint32_t block = w->fn->ins.at[f->snapshot].block, pairs = 0;
    const struct cw_lane_cond *come =
        cw_lane_cond_reach(l, block, cw_context_complete(l, cw_context_at(l, c, block), block));
    for (uint32_t t = 0; t < cw_lanes_count(l); t++) {
        uint32_t end = (t | 31) + 1 < cw_lanes_count(l) ? (t | 31) + 1 : cw_lanes_count(l), with = UINT32_MAX,
                 without = UINT32_MAX;
        for (uint32_t u = t & ~31u; u < end && cw_lane_cond_at(come, t) != CW_BDD_FALSE; u++) {
            if (u == t || pairs++ > MAX_PAIRS)
                continue;
            uint32_t both = cw_bdd_and(cw_lanes_bdds(l), cw_lane_cond_at(come, t), cw_lane_cond_at(come, u));
            uint32_t apart =
                cw_bdd_and(cw_lanes_bdds(l), cw_lane_cond_at(come, t), cw_bdd_not(cw_lane_cond_at(come, u)));
            with = with == UINT32_MAX && may_be(l, both) ? u : with;
            without = without == UINT32_MAX && may_be(l, apart) ? u : without;
        }
        if (with != UINT32_MAX && without != UINT32_MAX) {
            witness(f, l, c, t, without);
            return true;
        }
    }
    return false;
}

/* Is there a thread that calls, and one of its warp that was at the snapshot with it and now runs elsewhere? */
static bool part_since(struct work *w, struct cw_lanes *l, const struct cw_context *c, struct cw_snapshot_fault *f) {
    uint32_t then = w->fn->ins.at[f->snapshot].block, now = w->fn->ins.at[f->ins].block, pairs = 0;
    c = cw_context_complete(l, cw_context_at(l, c, now), now);
    const struct cw_lane_cond *were =
        cw_lane_cond_reach(l, then, cw_context_complete(l, cw_context_at(l, c, then), then));
    const struct cw_lane_cond *come = cw_lane_cond_reach(l, now, c), *exited = cw_participation_exited(l, f->ins, c);
    for (uint32_t t = 0; t < cw_lanes_count(l) && pairs < MAX_PAIRS; t++) {
        uint32_t here = cw_bdd_and(cw_lanes_bdds(l), cw_lane_cond_at(come, t), cw_lane_cond_at(were, t));
        for (uint32_t u = t & ~31u; u < ((t | 31) + 1) && u < cw_lanes_count(l) && here != CW_BDD_FALSE; u++, pairs++) {
            uint32_t away = cw_bdd_and(cw_lanes_bdds(l), cw_bdd_not(cw_lane_cond_at(come, u)),
                                       cw_bdd_not(cw_lane_cond_at(exited, u)));
            away = cw_bdd_and(cw_lanes_bdds(l), away, cw_lane_cond_at(were, u));
            if (u != t && may_be(l, cw_bdd_and(cw_lanes_bdds(l), here, away))) {
                witness(f, l, c, t, u);
                return true;
            }
        }
    }
    return false;
}

/* ---- the faults ---- */

static bool is_comparison(const struct cw_ins *i) {
    return i && i->op >= CW_OP_EQ && i->op <= CW_OP_UGE;
}

static bool has_snapshot(const struct cw_fn *fn, const struct cw_ins *i, uint32_t *snapshot) {
    for (uint32_t k = 0; k < i->narg; k++)
        if (is_snapshot(fn, cw_arg(fn, i, k))) {
            *snapshot = cw_arg(fn, i, k).index;
            return true;
        }
    return false;
}

/* The truth value behind a ZEXT: a comparison, or the branch that a phi of truth values stands for. */
static cw_ref truth_behind(const struct cw_fn *fn, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (!i || i->op != CW_OP_ZEXT || cw_ref_type(fn, cw_arg(fn, i, 0)) != CW_I1)
        return CW_NONE;
    r = cw_arg(fn, i, 0);
    i = cw_ins_of(fn, r);
    if (i && i->op == CW_OP_PHI && fn->cfg->idom[i->block] != CW_NO_BLOCK)
        return fn->blocks.at[fn->cfg->idom[i->block]].jump.value;
    return r;
}

/* `__popc(__activemask() == 1)`, `__ffs(__activemask() - 1)`, `__activemask() & lane == 0`. */
static bool slipped(const struct cw_fn *fn, const struct cw_ins *i, struct cw_snapshot_fault *f) {
    bool counts = i->op == CW_OP_POPC || i->op == CW_OP_FFS || i->op == CW_OP_CLZ || i->op == CW_OP_BREV;
    for (uint32_t k = 0; k < i->narg && k < 2; k++) {
        cw_ref arg = cw_arg(fn, i, k), truth = truth_behind(fn, arg);
        const struct cw_ins *inner = cw_ins_of(fn, counts && truth.tag == CW_REF_NONE ? arg : truth);
        if (!inner)
            continue;
        f->inner = (uint32_t)(inner - fn->ins.at);
        if (counts && (is_comparison(inner) || inner->op == CW_OP_ADD || inner->op == CW_OP_SUB) &&
            has_snapshot(fn, inner, &f->snapshot))
            return true;
        if (i->op == CW_OP_AND && is_comparison(inner) && is_snapshot(fn, cw_arg(fn, i, 1 - k))) {
            f->snapshot = cw_arg(fn, i, 1 - k).index;
            return true;
        }
    }
    return false;
}

static struct cw_snapshot_fault new_fault(enum cw_snapshot_kind kind, uint32_t snapshot, uint32_t ins) {
    return (struct cw_snapshot_fault){.kind = kind, .snapshot = snapshot, .ins = ins, .use = UINT32_MAX,
                                      .inner = UINT32_MAX, .decision = CW_NO_BLOCK, .branch = CW_NO_BLOCK};
}

static void find_slips(struct work *w, struct cw_snapshots *out) {
    for (uint32_t k = 0; k < w->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &w->fn->blocks.at[w->fn->cfg->rpo[k]].ins;
        for (uint32_t n = 0; n < list->n && out->at.n < MAX_FAULTS; n++) {
            struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_PRECEDENCE, UINT32_MAX, list->at[n]);
            f.definite = true;
            if (slipped(w->fn, &w->fn->ins.at[list->at[n]], &f))
                cw_vec_push(w->a, &out->at, f);
        }
    }
}

static bool concerns(const struct cw_snapshots *faults, uint32_t snapshot) {
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

static void find_ballots(struct work *w, struct cw_snapshots *out) {
    struct cw_snapshots slips = {{0}};
    find_slips(w, &slips);
    for (uint32_t k = 0; k < w->snapshots.n && out->at.n < MAX_FAULTS; k++) {
        struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_BALLOT, w->snapshots.at[k], w->snapshots.at[k]);
        uint32_t block = w->fn->ins.at[f.snapshot].block;
        if (w->q->uniformity->control[block] <= CW_UNI_WARP || concerns(&slips, f.snapshot))
            continue;
        struct flow flow = follow(w, f.snapshot, true);
        f.use = flow.store;
        f.decision = flow.decision;
        f.in_both_arms = flow.in_both_arms;
        if ((f.use == UINT32_MAX && f.decision == CW_NO_BLOCK) || is_reported(out, f.use) ||
            !shown(w, block, parts_here, &f))
            continue;
        f.definite &= f.use != UINT32_MAX;
        cw_vec_push(w->a, &out->at, f);
    }
}

/* The snapshot that the mask is made of: the first one met going back. */
static uint32_t origin_of(const struct work *w, cw_ref r) {
    for (uint32_t steps = 0; steps < MAX_BACK && is_in(&w->mask, r); steps++) {
        const struct cw_ins *i = cw_ins_of(w->fn, r);
        if (i->op == CW_OP_ACTIVEMASK)
            return r.index;
        uint32_t k = i->op == CW_OP_SELECT || (i->op == CW_OP_AND && !is_in(&w->mask, cw_arg(w->fn, i, 0))) ? 1 : 0;
        r = cw_arg(w->fn, i, k);
    }
    if (is_in(&w->mask, r))
        (void)give_up(w);
    return UINT32_MAX;
}

static void find_stale(struct work *w, struct cw_snapshots *out) {
    for (uint32_t k = 0; k < w->collectives.n && out->at.n < MAX_FAULTS; k++) {
        uint32_t ins = w->collectives.at[k];
        cw_ref mask = cw_arg(w->fn, &w->fn->ins.at[ins], 0);
        if (!is_snapshot(w->fn, mask) || w->fn->ins.at[mask.index].block == w->fn->ins.at[ins].block)
            continue;
        struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_STALE, mask.index, ins);
        uint32_t block = w->fn->ins.at[ins].block, loop;
        if (w->q->uniformity->control_live[block] <= CW_UNI_WARP || !shown(w, block, part_since, &f))
            continue;
        struct cw_masks *m = cw_masks_new(f.lanes, ins, f.context, w->a);
        f.branch = cw_masks_parting(m, f.thread, f.lane, &loop).block;
        uint32_t same = 0;
        while (same < out->at.n && (out->at.at[same].snapshot != f.snapshot || out->at.at[same].branch != f.branch))
            same++;
        if (same < out->at.n)
            cw_vec_push(w->a, &out->at.at[same].also, ins);
        else
            cw_vec_push(w->a, &out->at, f);
    }
}

/* ---- collectives that need certain lanes ---- */

static bool is_touched(const struct work *w, cw_ref r) {
    return is_in(&w->touched, r);
}

/* Not computable from the thread's place and the code: memory, calls, votes. */
static bool is_outside(const struct work *w, cw_ref r) {
    const struct cw_ins *i = cw_ins_of(w->fn, r);
    return i && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P);
}

struct guard {
    const struct work *w;
    bool found;
};

static bool see_control(void *ctx, struct cw_edge e) {
    struct guard *g = ctx;
    g->found |= any_behind(g->w, g->w->fn->blocks.at[e.block].jump.value, is_touched);
    return !g->found;
}

/* Does the code ask the snapshot before it comes here? */
static bool is_guarded(const struct work *w, uint32_t block) {
    struct guard g = {w, false};
    cw_cfg_controls(w->fn, block, see_control, &g);
    return g.found;
}

static bool use_is_guarded(const struct work *w, uint32_t ins) {
    const struct cw_vec_u32 *users = &w->users[ins];
    for (uint32_t k = 0; k < users->n; k++) {
        const struct cw_ins *u = &w->fn->ins.at[users->at[k]];
        if (u->op == CW_OP_SELECT && any_behind(w, cw_arg(w->fn, u, 0), is_touched))
            return true;
        if (u->block != w->fn->ins.at[ins].block && u->op != CW_OP_PHI && is_guarded(w, u->block))
            return true;
    }
    return false;
}

/* Is there a branch at which lanes diverge on the way from one block to another that it dominates? */
static bool diverge_between(const struct work *w, uint32_t from, uint32_t to) {
    const struct cw_cfg *cfg = w->fn->cfg;
    for (uint32_t b = cfg->idom[to]; b != CW_NO_BLOCK && cw_cfg_dominates(cfg, from, b); b = cfg->idom[b]) {
        const struct cw_jump *j = &w->fn->blocks.at[b].jump;
        if (j->nsucc > 1 && cw_uni_of(w->q->uniformity, j->value) > CW_UNI_WARP)
            return true;
    }
    return false;
}

/* Was the lane elected from an earlier snapshot, and have the lanes diverged since? Then the one that the mask is made
 * of need not have caught it. */
static bool is_elected_before(const struct work *w, cw_ref lane, uint32_t snapshot) {
    struct work only = *w;
    only.touched = cw_bitset_new(w->a, w->fn->ins.n);
    mark_touched(w, snapshot, &only.touched);
    if (any_behind(&only, lane, is_touched))
        return false;
    for (uint32_t k = 0; k < w->snapshots.n; k++) {
        uint32_t then = w->fn->ins.at[w->snapshots.at[k]].block;
        only.touched = cw_bitset_new(w->a, w->fn->ins.n);
        mark_touched(w, w->snapshots.at[k], &only.touched);
        if (any_behind(&only, lane, is_touched) && diverge_between(w, then, w->fn->ins.at[snapshot].block))
            return true;
    }
    return false;
}

/* A shuffle from lanes that the code chose without a look at the snapshot. */
static bool shuffle_needs(const struct work *w, uint32_t ins, uint32_t snapshot) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    cw_ref lane = cw_arg(w->fn, i, 2);
    if (w->users[ins].n == 0 || cw_uni_of(w->q->uniformity, cw_arg(w->fn, i, 1)) <= CW_UNI_WARP)
        return false;
    if (any_behind(w, lane, is_touched))
        return is_elected_before(w, lane, snapshot);
    if (i->aux == CW_SHFL_IDX && any_behind(w, lane, is_outside))
        return false;
    return !use_is_guarded(w, ins);
}

static bool has_shared(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->objects.n; k++)
        if (fn->objects.at[k].space == CW_SPACE_SHARED || fn->objects.at[k].space == CW_SPACE_DYNSHARED)
            return true;
    return false;
}

/* Does the collective need more than the lanes caught? */
static bool needs_lanes(struct work *w, struct cw_snapshot_fault *f) {
    const struct cw_ins *i = &w->fn->ins.at[f->ins];
    cw_ref mask = cw_arg(w->fn, i, 0);
    if (is_guarded(w, i->block))
        return false;
    f->definite = true;
    switch (i->op) {
    case CW_OP_SHFL:
        return shuffle_needs(w, f->ins, f->snapshot);
    case CW_OP_SYNCWARP: /* who else uses the snapshot may be content with the lanes caught */
        f->definite = has_shared(w->fn);
        return is_snapshot(w->fn, mask) && w->users[mask.index].n == 1;
    case CW_OP_VOTE: case CW_OP_REDUX: case CW_OP_MATCH: {
        bool set = i->op == CW_OP_MATCH || (i->op == CW_OP_VOTE && i->aux == CW_VOTE_BALLOT);
        struct flow flow = follow(w, f->ins, set);
        f->use = flow.store;
        f->decision = flow.decision;
        f->definite = f->use != UINT32_MAX;
        return f->definite || f->decision != CW_NO_BLOCK;
    }
    default:
        return false;
    }
}

/* Further collectives of the same cause: those over the same snapshot, and those that go on with the result. */
static void cover(struct work *w, const struct cw_snapshot_fault *f, uint32_t *owner, uint32_t number) {
    struct flow flow = follow(w, f->ins, false);
    for (uint32_t k = 0; k < w->collectives.n; k++) {
        uint32_t ins = w->collectives.at[k];
        if (cw_bitset_has(&flow.seen, ins) || origin_of(w, cw_arg(w->fn, &w->fn->ins.at[ins], 0)) == f->snapshot)
            owner[k] = number;
    }
}

static void find_masks(struct work *w, struct cw_snapshots *out) {
    struct cw_snapshots stale = {{0}};
    uint32_t *owner = CW_NEW_ARRAY(w->a, uint32_t, w->collectives.n + 1); /* 1 + fault */
    find_stale(w, &stale);
    for (uint32_t k = 0; k < w->collectives.n && out->at.n < MAX_FAULTS; k++) {
        uint32_t ins = w->collectives.at[k];
        cw_ref mask = cw_arg(w->fn, &w->fn->ins.at[ins], 0);
        if (!is_in(&w->mask, mask))
            continue;
        struct cw_snapshot_fault f = new_fault(CW_SNAPSHOT_MASK, origin_of(w, mask), ins);
        if (f.snapshot == UINT32_MAX || concerns(&stale, f.snapshot) || !needs_lanes(w, &f))
            continue;
        if (owner[k] != 0) {
            struct cw_snapshot_fault *first = &out->at.at[owner[k] - 1];
            cw_vec_push(w->a, &first->also, ins);
            first->definite |= f.definite;
            first->use = first->use == UINT32_MAX ? f.use : first->use;
            continue;
        }
        cw_vec_push(w->a, &out->at, f);
        cover(w, &f, owner, out->at.n);
    }
}

struct cw_snapshots cw_snapshots_of(const struct cw_kernel_query *q, enum cw_snapshot_kind kind) {
    struct cw_snapshots out = {{0}};
    struct work w = {.q = q, .fn = q->fn, .a = q->arena};
    if (q->fn->cfg->is_irreducible)
        return out;
    collect(&w);
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
    cw_query_gave_up(q, CW_BAIL_SNAPSHOT_BUDGET, out.at.n >= MAX_FAULTS);
    return out;
}
