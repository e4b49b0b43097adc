/* Which loops wait; see spin_loops.h for requires / computes / preserves. */
#include "uniformity/spin_loops.h"

enum { MAX_DEPTH = 24, MAX_LOOPS = 64, MAX_SLICE = 256 };

/* ---- what does not change ---- */

static bool in_loop(const struct cw_fn *fn, uint32_t loop, const struct cw_ins *ins) {
    return cw_cfg_in_loop(fn->cfg, loop, ins->block);
}

/* `loads`: ordinary loads stay as well. */
static bool is_unchanging(const struct cw_fn *fn, uint32_t loop, cw_ref ref, bool loads, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (i == NULL || !in_loop(fn, loop, i))
        return true;
    bool plain_load = loads && i->op == CW_OP_LOAD && !(i->flags & CW_INS_VOLATILE);
    bool pure = (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->op != CW_OP_PHI;
    if (depth >= MAX_DEPTH || (!pure && !plain_load))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!is_unchanging(fn, loop, cw_arg(fn, i, k), loads, depth + 1))
            return false;
    return true;
}

bool cw_spin_stays(const struct cw_fn *fn, uint32_t loop, cw_ref ref) {
    return is_unchanging(fn, loop, ref, true, 0);
}

/* ---- reads that a thread can wait on ---- */

/* Does the operation, repeated, leave the place as the first one left it? */
static bool is_idle(const struct cw_fn *fn, uint32_t loop, const struct cw_ins *ins) {
    int64_t value;
    switch ((enum cw_atomic)(ins->aux & 0xff)) {
    case CW_ATOMIC_LOAD:
        return true;
    case CW_ATOMIC_ADD: case CW_ATOMIC_SUB: case CW_ATOMIC_XOR:
        return ins->narg > 1 && cw_ref_const(fn, cw_arg(fn, ins, 1), &value) && value == 0;
    case CW_ATOMIC_EXCH: case CW_ATOMIC_AND: case CW_ATOMIC_OR: case CW_ATOMIC_MIN: case CW_ATOMIC_MAX:
        return ins->narg > 1 && cw_spin_stays(fn, loop, cw_arg(fn, ins, 1));
    case CW_ATOMIC_CAS:
        return ins->narg > 2 && cw_spin_stays(fn, loop, cw_arg(fn, ins, 1)) &&
               cw_spin_stays(fn, loop, cw_arg(fn, ins, 2));
    default:
        return false;
    }
}

static bool is_watch(const struct cw_fn *fn, uint32_t loop, const struct cw_ins *ins, bool plain) {
    bool read = ins->op == CW_OP_LOAD ? plain == !(ins->flags & CW_INS_VOLATILE)
                                    : ins->op == CW_OP_ATOMIC && !plain && is_idle(fn, loop, ins);
    return read && cw_spin_stays(fn, loop, cw_arg(fn, ins, 0));
}

/* ---- what decides an exit ---- */

struct slice {
    const struct cw_fn *fn;
    struct cw_arena *arena;
    uint32_t loop, n;
    cw_ref work[MAX_SLICE];
    struct cw_bitset seen;
    uint32_t watch; /* UINT32_MAX: none yet */
    bool other;     /* something else decides too */
    bool plain;     /* ordinary loads are what is looked for */
};

static void visit_value(struct slice *slice, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(slice->fn, ref);
    if (i == NULL || !in_loop(slice->fn, slice->loop, i) || cw_bitset_has(&slice->seen, ref.index))
        return;
    cw_bitset_add(&slice->seen, ref.index);
    if (slice->n == MAX_SLICE)
        slice->other = true;
    else
        slice->work[slice->n++] = ref;
}

/* Does the next value of a header phi come out of its present one by a computation: a counter, a sum? */
static bool is_progressing(const struct slice *slice, uint32_t phi) {
    struct cw_bitset seen[2] = {cw_bitset_new(slice->arena, slice->fn->ins.n),
                                cw_bitset_new(slice->arena, slice->fn->ins.n)};
    struct { uint32_t ins, computed; } work[MAX_SLICE];
    uint32_t n = 0;
    work[n].ins = phi;
    work[n++].computed = 0;
    while (n > 0) {
        uint32_t at = work[--n].ins, computed = work[n].computed;
        const struct cw_ins *i = &slice->fn->ins.at[at];
        bool pure = (cw_op_flags((enum cw_op)i->op) & CW_OP_P) != 0;
        computed |= i->op != CW_OP_PHI && !cw_is_cast((enum cw_op)i->op);
        for (uint32_t k = 0; pure && k < i->narg; k++) {
            const struct cw_ins *arg = cw_ins_of(slice->fn, cw_arg(slice->fn, i, k));
            uint32_t number = cw_arg(slice->fn, i, k).index;
            if (arg == NULL || !in_loop(slice->fn, slice->loop, arg) || cw_bitset_has(&seen[computed], number))
                continue;
            if ((number == phi && computed) || n == MAX_SLICE)
                return true;
            cw_bitset_add(&seen[computed], number);
            work[n].ins = number;
            work[n++].computed = computed;
        }
    }
    return false;
}

/* The branches on the way from the dominator of the phi's block to one of its predecessors, the dominator's
 * included. */
static void visit_branches(struct slice *slice, uint32_t from, uint32_t top) {
    const struct cw_fn *fn = slice->fn;
    for (uint32_t b = from, last = CW_NO_BLOCK; last != top && !slice->other; b = fn->cfg->idom[b]) {
        if (b == CW_NO_BLOCK || fn->blocks.at[b].jump.kind == CW_JUMP_SWITCH) {
            slice->other = true;
            return;
        }
        if (fn->blocks.at[b].jump.kind == CW_JUMP_BRANCH)
            visit_value(slice, fn->blocks.at[b].jump.value);
        last = b;
    }
}

/* A phi is decided by its operands and by the branches above it. */
static void step_phi(struct slice *slice, uint32_t index) {
    const struct cw_fn *fn = slice->fn;
    const struct cw_ins *i = &fn->ins.at[index];
    const struct cw_loop *loop = &fn->cfg->loops.at[slice->loop];
    const struct cw_vec_u32 *pred = &fn->blocks.at[i->block].pred;
    bool header = i->block == loop->header;
    if (header && (loop->latches.n > 1 || is_progressing(slice, index)))
        slice->other = true;
    for (uint32_t k = 0; k < i->narg; k++)
        visit_value(slice, cw_arg(fn, i, k));
    for (uint32_t k = 0; k < pred->n && !header; k++)
        visit_branches(slice, pred->at[k], fn->cfg->idom[i->block]);
}

static void visit_step(struct slice *slice, cw_ref ref) {
    const struct cw_ins *i = &slice->fn->ins.at[ref.index];
    if (is_watch(slice->fn, slice->loop, i, slice->plain)) {
        if (slice->watch == UINT32_MAX || cw_cfg_ins_dominates(slice->fn, ref.index, slice->watch))
            slice->watch = ref.index;
        return;
    }
    if (is_unchanging(slice->fn, slice->loop, ref, !slice->plain, 0))
        return;
    if (i->op == CW_OP_PHI) {
        step_phi(slice, ref.index);
        return;
    }
    slice->other |= !(cw_op_flags((enum cw_op)i->op) & CW_OP_P);
    for (uint32_t k = 0; k < i->narg && !slice->other; k++)
        visit_value(slice, cw_arg(slice->fn, i, k));
}

/* True when only reads that can be waited on decide this way out; the first of them in *watch. */
static bool decided_by_watch(struct slice *slice, struct cw_edge exit) {
    const struct cw_jump *jump = &slice->fn->blocks.at[exit.block].jump;
    if (jump->kind != CW_JUMP_BRANCH)
        return false;
    uint32_t before = slice->watch;
    slice->seen = cw_bitset_new(slice->arena, slice->fn->ins.n);
    slice->watch = UINT32_MAX;
    visit_value(slice, jump->value);
    while (slice->n > 0 && !slice->other)
        visit_step(slice, slice->work[--slice->n]);
    bool found = slice->watch != UINT32_MAX && !slice->other;
    if (before != UINT32_MAX && (!found || cw_cfg_ins_dominates(slice->fn, before, slice->watch)))
        slice->watch = before;
    return found;
}

static bool find_wait(const struct cw_fn *fn, uint32_t loop, bool plain, struct cw_arena *a,
                      struct cw_spin_loop *out) {
    const struct cw_loop *l = &fn->cfg->loops.at[loop];
    struct slice s = {.fn = fn, .arena = a, .loop = loop, .watch = UINT32_MAX, .plain = plain};
    *out = (struct cw_spin_loop){.loop = loop};
    for (uint32_t k = 0; k < l->exits.n; k++) {
        if (fn->cfg->dies[cw_cfg_edge_target(fn, l->exits.at[k])])
            continue;
        if (out->nexits == CW_SPIN_EXITS || !decided_by_watch(&s, l->exits.at[k]))
            return false;
        out->exits[out->nexits++] = l->exits.at[k];
    }
    out->watch = s.watch;
    return out->nexits > 0;
}

static struct cw_spin_loops find_waits(const struct cw_fn *fn, bool plain, struct cw_arena *a) {
    struct cw_spin_loops loops = {.is_cut = false};
    for (uint32_t k = 0; k < fn->cfg->loops.n && !loops.is_cut; k++) {
        struct cw_spin_loop one;
        if (!find_wait(fn, k, plain, a, &one))
            continue;
        loops.is_cut = loops.at.n >= MAX_LOOPS;
        if (!loops.is_cut)
            cw_vec_push(a, &loops.at, one);
    }
    return loops;
}

struct cw_spin_loops cw_spin_loops_of(const struct cw_fn *fn, struct cw_arena *a) {
    return find_waits(fn, false, a);
}

/* Does the loop do anything that makes a compiler load again? */
static bool has_effects(const struct cw_fn *fn, uint32_t loop) {
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *block = &fn->blocks.at[fn->cfg->rpo[k]];
        if (!cw_cfg_in_loop(fn->cfg, loop, fn->cfg->rpo[k]))
            continue;
        for (uint32_t n = 0; n < block->ins.n; n++) {
            const struct cw_ins *i = &fn->ins.at[block->ins.at[n]];
            bool load = i->op == CW_OP_LOAD && !(i->flags & CW_INS_VOLATILE);
            if (!load && !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
                return true;
        }
    }
    return false;
}

struct cw_spin_loops cw_plain_spin_loops_of(const struct cw_fn *fn, struct cw_arena *a) {
    struct cw_spin_loops loops = find_waits(fn, true, a);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < loops.at.n; k++)
        if (!has_effects(fn, loops.at.at[k].loop))
            loops.at.at[kept++] = loops.at.at[k];
    loops.at.n = kept;
    return loops;
}
