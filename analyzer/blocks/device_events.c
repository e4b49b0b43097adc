/* See device_events.h. */
#include "blocks/device_events.h"

#include "uniformity/reachable_ops.h"
#include "uniformity/spin_loops.h"

enum { WALK_MAX = 64 /* values looked at to see what a branch depends on */ };

/* A pointer that was read from a field of a parameter, or from a variable, leads to device memory as well. */
static bool is_device_base(const struct cw_fn *fn, const struct cw_base *base) {
    if (base->root.tag == CW_REF_PARAM || (base->is_read && base->root.tag == CW_REF_OBJECT))
        return fn->kind == CW_FN_KERNEL;
    return base->root.tag == CW_REF_OBJECT && fn->objects.at[base->root.index].space == CW_SPACE_GLOBAL;
}

static bool is_device_access(const struct cw_fn *fn, const struct cw_access *acc) {
    struct cw_bases bases = cw_memory_bases(fn, acc->pointer);
    for (uint32_t k = 0; k < bases.n; k++)
        if (!is_device_base(fn, &bases.at[k]))
            return false;
    return bases.n > 0;
}

static bool is_strong(const struct cw_ins *ins) {
    return ins->op == CW_OP_ATOMIC ||
           ((ins->op == CW_OP_LOAD || ins->op == CW_OP_STORE) && (ins->flags & CW_INS_VOLATILE));
}

/* ---- which strong operations a branch depends on ---- */

/* A value that is stored to one object of shared or local memory. */
struct passed_value {
    cw_ref object, value;
};

struct passed_values {
    CW_VEC(struct passed_value) at;
};

struct walk {
    const struct cw_fn *fn;
    const struct passed_values *stores;
    cw_ref at[WALK_MAX];
    uint32_t n, next;
    bool is_cut;
    bool by_choice; /* also what chooses between the values of a phi */
};

static void add_value(struct walk *walk, cw_ref ref) {
    if (ref.tag != CW_REF_INS)
        return;
    for (uint32_t k = 0; k < walk->n; k++)
        if (cw_ref_eq(walk->at[k], ref))
            return;
    walk->is_cut |= walk->n == WALK_MAX;
    if (walk->n < WALK_MAX)
        walk->at[walk->n++] = ref;
}

/* A value that was passed on through shared or local memory: all that is stored there. */
static void add_stored(struct walk *walk, const struct cw_ins *load) {
    struct cw_bases from = cw_memory_bases(walk->fn, cw_arg(walk->fn, load, 0));
    if (from.n != 1 || from.at[0].is_read || from.at[0].root.tag != CW_REF_OBJECT)
        return;
    for (uint32_t k = 0; k < walk->stores->at.n; k++)
        if (cw_ref_eq(walk->stores->at.at[k].object, from.at[0].root))
            add_value(walk, walk->stores->at.at[k].value);
}

static void add_condition(struct walk *walk, uint32_t above, uint32_t block) {
    const struct cw_jump *jump = &walk->fn->blocks.at[block].jump;
    if ((jump->kind == CW_JUMP_BRANCH || jump->kind == CW_JUMP_SWITCH) && above != CW_NO_BLOCK &&
        cw_cfg_dominates(walk->fn->cfg, above, block))
        add_value(walk, jump->value);
}

/* `done` of `if (taken) done = true;`: the branches between the phi's immediate dominator and the phi. */
static void add_choice(struct walk *walk, const struct cw_ins *phi) {
    const struct cw_cfg *cfg = walk->fn->cfg;
    const struct cw_block *block = &walk->fn->blocks.at[phi->block];
    for (uint32_t k = 0; k < block->pred.n; k++) {
        uint32_t from = block->pred.at[k];
        if (cfg->rpo_index[from] == CW_NO_BLOCK)
            continue;
        add_condition(walk, cfg->idom[phi->block], from);
        for (uint32_t e = 0; e < cfg->control[from].n; e++)
            add_condition(walk, cfg->idom[phi->block], cfg->control[from].at[e].block);
    }
}

/* Calls `found` for each strong operation that the value is computed from. */
static void for_each_source(const struct cw_fn *fn, const struct passed_values *stores, cw_ref value, bool by_choice,
                            void (*found)(void *, uint32_t), void *ctx) {
    struct walk w = {.fn = fn, .stores = stores, .by_choice = by_choice};
    for (add_value(&w, value); w.next < w.n; w.next++) {
        const struct cw_ins *i = cw_ins_of(fn, w.at[w.next]);
        struct cw_access acc[2];
        if (is_strong(i) && cw_memory_accesses(fn, i, acc) > 0) {
            found(ctx, w.at[w.next].index);
            continue;
        }
        if (i->op == CW_OP_LOAD)
            add_stored(&w, i);
        if (i->op == CW_OP_PHI && w.by_choice)
            add_choice(&w, i);
        for (uint32_t k = 0; (cw_op_flags(i->op) & (CW_OP_P | CW_OP_C)) && k < i->narg; k++)
            add_value(&w, cw_arg(fn, i, k));
    }
}

struct await_list {
    const struct cw_fn *fn;
    struct cw_vec_u32 ins; /* the awaited operations, by number */
    struct cw_arena *arena;
    uint64_t bits;         /* of the branch at hand */
    uint64_t asked;        /* operations of which some branch asks for others */
    uint32_t branch;       /* its block */
    bool is_equality;      /* it asks for one number, or in a way that is not looked at */
    bool is_elsewhere;     /* threads wait for shared memory, or for nobody knows what */
};

/* Does the branch on an operation of shared memory wait for nobody? A loop that probes a table looks at another place
 * in each trip, and a number that was drawn is compared with a size: `at < capacity`. Who waits asks one place again,
 * or whether all the others have been there. */
static bool waits_for_nobody(const struct await_list *list, const struct cw_access *access, uint32_t ins) {
    const struct cw_fn *fn = list->fn;
    const struct cw_ins *i = &fn->ins.at[ins];
    struct cw_bases to = cw_memory_bases(fn, access->pointer);
    uint32_t loop = fn->cfg->loop_of[i->block];
    bool is_shared = to.n == 1 && !to.at[0].is_read && to.at[0].root.tag == CW_REF_OBJECT &&
                     (fn->objects.at[to.at[0].root.index].space == CW_SPACE_SHARED ||
                      fn->objects.at[to.at[0].root.index].space == CW_SPACE_DYNSHARED);
    if (!is_shared || i->op != CW_OP_ATOMIC)
        return false;
    const struct cw_jump *jump = &fn->blocks.at[list->branch].jump;
    for (uint32_t k = 0; k < jump->nsucc && loop != CW_NO_LOOP; k++)
        if (!cw_cfg_in_loop(fn->cfg, loop, jump->succ[k]) && cw_cfg_is_invariant(fn, loop, access->pointer))
            return false;
    return (i->aux & 0xff) == CW_ATOMIC_CAS ? loop != CW_NO_LOOP : !list->is_equality;
}

static void note_await(void *ctx, uint32_t ins) {
    struct await_list *list = ctx;
    struct cw_access acc[2];
    uint32_t k = 0;
    bool is_placed = cw_memory_accesses(list->fn, &list->fn->ins.at[ins], acc) > 0;
    if (!is_placed || !is_device_access(list->fn, &acc[0])) {
        list->is_elsewhere |= !is_placed || !waits_for_nobody(list, &acc[0], ins);
        return;
    }
    while (k < list->ins.n && list->ins.at[k] != ins)
        k++;
    if (k == list->ins.n && k < CW_STRONG_MAX)
        cw_vec_push(list->arena, &list->ins, ins);
    if (k < CW_STRONG_MAX)
        list->bits |= UINT64_C(1) << k;
}

/* Only branches on the result of a strong operation are looked for. */
static bool has_strong(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (is_strong(&fn->ins.at[k]))
            return true;
    return false;
}

static struct passed_values passed_values_of(const struct cw_fn *fn, struct cw_arena *a) {
    struct passed_values found = {0};
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op != CW_OP_STORE)
            continue;
        struct cw_bases to = cw_memory_bases(fn, cw_arg(fn, i, 1));
        if (to.n == 1 && !to.at[0].is_read && to.at[0].root.tag == CW_REF_OBJECT &&
            fn->objects.at[to.at[0].root.index].space != CW_SPACE_GLOBAL)
            cw_vec_push(a, &found.at, ((struct passed_value){to.at[0].root, cw_arg(fn, i, 0)}));
    }
    return found;
}

/* The operand of the comparison that is computed from awaited operations; 2 where both are, or neither. */
static uint32_t awaited_side(struct await_list *list, const struct passed_values *stores,
                             const struct cw_ins *compare) {
    uint64_t bits[2];
    for (uint32_t side = 0; side < 2; side++) {
        list->bits = 0;
        for_each_source(list->fn, stores, cw_arg(list->fn, compare, side), false, note_await, list);
        bits[side] = list->bits;
    }
    return (bits[0] != 0) == (bits[1] != 0) ? 2 : bits[1] != 0;
}

/* Do all of these draw a number that only grows? */
static bool are_tickets(const struct await_list *list, uint64_t bits) {
    for (uint32_t k = 0; k < list->ins.n && k < CW_STRONG_MAX; k++) {
        const struct cw_ins *i = &list->fn->ins.at[list->ins.at[k]];
        if (bits >> k & 1 && (i->op != CW_OP_ATOMIC || (i->aux & 0xff) != CW_ATOMIC_ADD))
            return false;
    }
    return bits != 0;
}

bool cw_device_counts(const struct cw_ins *ins) {
    static const unsigned kinds = 1u << CW_ATOMIC_ADD | 1u << CW_ATOMIC_SUB | 1u << CW_ATOMIC_XOR |
                                  1u << CW_ATOMIC_INC | 1u << CW_ATOMIC_DEC;
    return ins->op == CW_OP_ATOMIC && (kinds >> (ins->aux & 0xff) & 1);
}

static bool are_counted(const struct await_list *list, uint64_t bits) {
    for (uint32_t k = 0; k < list->ins.n && k < CW_STRONG_MAX; k++)
        if (bits >> k & 1 && !cw_device_counts(&list->fn->ins.at[list->ins.at[k]]))
            return false;
    return bits != 0;
}

/* Are there two numbers from 0 on that the bound is above? A size is, for some launch. */
static bool is_above_two(const struct cw_fn *fn, cw_ref bound, bool or_equal) {
    int64_t number;
    return !cw_ref_const(fn, bound, &number) || number > (or_equal ? 0 : 1);
}

/* The edges of the branch that several tickets take, as bits: `ticket > 0`, `ticket < rows`, and whoever is not the
 * last after `ticket == parts - 1`. Two threads may take such an edge, or two of them, with two tickets. */
static uint8_t open_edges(struct await_list *list, const struct passed_values *stores, cw_ref condition,
                          uint64_t bits) {
    const struct cw_ins *compare = cw_ins_of(list->fn, condition);
    if (compare == NULL || compare->narg != 2 || !are_tickets(list, bits))
        return 0;
    uint32_t side = awaited_side(list, stores, compare);
    if (side == 2)
        return 0;
    enum cw_op op = (enum cw_op)compare->op;
    bool is_less = op == CW_OP_SLT || op == CW_OP_SLE || op == CW_OP_ULT || op == CW_OP_ULE,
         is_greater = op == CW_OP_SGT || op == CW_OP_SGE || op == CW_OP_UGT || op == CW_OP_UGE;
    if (op == CW_OP_EQ || op == CW_OP_NE)
        return op == CW_OP_EQ ? 2 : 1;
    if (!is_less && !is_greater)
        return 0;
    bool is_below = side == 0 ? is_less : is_greater; /* the ticket is, where the condition is true */
    bool counts_equal = (op == CW_OP_SLE || op == CW_OP_ULE || op == CW_OP_SGE || op == CW_OP_UGE) == is_below;
    uint8_t above = is_below ? 2 : 1, below = is_below ? 1 : 2;
    return above | (is_above_two(list->fn, cw_arg(list->fn, compare, 1 - side), counts_equal) ? below : 0);
}

/* Does the branch ask whether others have come so far? For one number, as of a flag, of a lock or of the last ticket;
 * not who has the smaller one, nor whether there is still room. */
static bool asks_for_others(struct await_list *list, const struct passed_values *stores, const struct cw_jump *jump,
                            uint64_t bits, uint8_t open) {
    const struct cw_ins *compare = cw_ins_of(list->fn, jump->value);
    if (jump->kind != CW_JUMP_BRANCH || !compare || !cw_is_compare(compare->op))
        return true;
    if (are_tickets(list, bits))
        return open != 3;
    uint32_t side = awaited_side(list, stores, compare);
    bool is_equality = compare->op == CW_OP_EQ || compare->op == CW_OP_NE;
    return side < 2 && ((is_equality && are_counted(list, bits)) ||
                        cw_ref_const(list->fn, cw_arg(list->fn, compare, 1 - side), NULL));
}

static void find_awaits(struct cw_device_events *events, struct await_list *list) {
    const struct cw_fn *fn = events->fn;
    if (!has_strong(fn))
        return;
    struct passed_values stores = passed_values_of(fn, list->arena);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        uint32_t b = fn->cfg->rpo[k];
        const struct cw_jump *jump = &fn->blocks.at[b].jump;
        if (jump->kind != CW_JUMP_BRANCH && jump->kind != CW_JUMP_SWITCH)
            continue;
        const struct cw_ins *compare = cw_ins_of(fn, jump->value);
        list->bits = 0;
        list->branch = b;
        list->is_equality =
            !compare || !cw_is_compare(compare->op) || compare->op == CW_OP_EQ || compare->op == CW_OP_NE;
        for_each_source(fn, &stores, jump->value, false, note_await, list);
        events->polls[b] = list->bits;
        for_each_source(fn, &stores, jump->value, true, note_await, list);
        events->awaits[b] = list->bits;
        if (jump->kind == CW_JUMP_BRANCH && events->polls[b] != 0)
            events->open[b] = open_edges(list, &stores, jump->value, events->polls[b]);
        if (events->polls[b] != 0 && asks_for_others(list, &stores, jump, events->polls[b], events->open[b]))
            list->asked |= events->polls[b];
    }
}

/* ---- events ---- */

static uint32_t number_of(const struct await_list *list, uint32_t ins) {
    for (uint32_t k = 0; k < list->ins.n; k++)
        if (list->ins.at[k] == ins)
            return k + 1;
    return 0;
}

/* Does a loop poll it? Not where each trip draws a ticket, and the loop ends as soon as there is no more work. */
static bool ends_a_loop(const struct cw_device_events *events, uint32_t ins, uint32_t number) {
    const struct cw_cfg *cfg = events->fn->cfg;
    const struct cw_ins *i = &events->fn->ins.at[ins];
    uint32_t loop = cfg->loop_of[i->block];
    int64_t by = 0;
    bool is_draw = i->op == CW_OP_ATOMIC && (i->aux & 0xff) == CW_ATOMIC_ADD && i->narg > 1 &&
                   (!cw_ref_const(events->fn, cw_arg(events->fn, i, 1), &by) || by > 0);
    if (number == 0 || loop == CW_NO_LOOP || is_draw)
        return false;
    for (uint32_t k = 0; k < cfg->loops.at[loop].exits.n; k++)
        if (events->polls[cfg->loops.at[loop].exits.at[k].block] >> (number - 1) & 1)
            return true;
    return false;
}

static bool is_result(const struct cw_fn *fn, cw_ref ref, uint32_t ins) {
    for (uint32_t step = 0; step < 8 && ref.tag == CW_REF_INS && ref.index != ins; step++) {
        const struct cw_ins *i = cw_ins_of(fn, ref);
        if (i->op != CW_OP_SEXT && i->op != CW_OP_ZEXT && i->op != CW_OP_TRUNC && i->op != CW_OP_COPY)
            return false;
        ref = cw_arg(fn, i, 0);
    }
    return ref.tag == CW_REF_INS && ref.index == ins;
}

/* What a free lock holds: what the compare-and-swap compares with. */
static bool free_value(const struct cw_fn *fn, const struct cw_ins *ins, int64_t *value) {
    return ins->op == CW_OP_ATOMIC && (ins->aux & 0xff) == CW_ATOMIC_CAS && ins->narg > 2 &&
           cw_ref_const(fn, cw_arg(fn, ins, 1), value);
}

/* Where the threads go that have found the lock free: `if (atomicCAS(&lock, 0, 1) == 0)`, in whatever loop. */
static uint32_t find_won(const struct cw_fn *fn, uint32_t ins) {
    int64_t is_free, other;
    if (!free_value(fn, &fn->ins.at[ins], &is_free))
        return CW_NO_BLOCK;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_jump *jump = &fn->blocks.at[fn->cfg->rpo[k]].jump;
        const struct cw_ins *compare = jump->kind == CW_JUMP_BRANCH ? cw_ins_of(fn, jump->value) : NULL;
        if (compare == NULL || (compare->op != CW_OP_EQ && compare->op != CW_OP_NE))
            continue;
        for (uint32_t side = 0; side < 2; side++)
            if (is_result(fn, cw_arg(fn, compare, side), ins) &&
                cw_ref_const(fn, cw_arg(fn, compare, 1 - side), &other) && other == is_free)
                return jump->succ[compare->op == CW_OP_EQ ? 0 : 1];
    }
    return CW_NO_BLOCK;
}

/* Where those who come to `block` alone go on behind a join that tells by a number who comes from where: `return true`
 * of a function that tries to take a lock, and the caller's branch on it. CW_NO_BLOCK: they go on with others. */
static uint32_t find_inside(const struct cw_fn *fn, uint32_t block) {
    const struct cw_jump *jump = &fn->blocks.at[block].jump;
    for (uint32_t k = 0; k < 8 && jump->kind == CW_JUMP_GOTO && fn->blocks.at[jump->succ[0]].pred.n == 1; k++) {
        block = jump->succ[0];
        jump = &fn->blocks.at[block].jump;
    }
    if (jump->kind != CW_JUMP_GOTO)
        return CW_NO_BLOCK;
    const struct cw_block *join = &fn->blocks.at[jump->succ[0]];
    const struct cw_ins *phi = join->jump.kind == CW_JUMP_BRANCH ? cw_ins_of(fn, join->jump.value) : NULL;
    int64_t mine = 2, other;
    if (phi == NULL || phi->op != CW_OP_PHI || phi->block != jump->succ[0] || phi->narg != join->pred.n)
        return CW_NO_BLOCK;
    for (uint32_t k = 0; k < phi->narg; k++)
        if (join->pred.at[k] == block && !cw_ref_const(fn, cw_arg(fn, phi, k), &mine))
            return CW_NO_BLOCK;
    for (uint32_t k = 0; k < phi->narg; k++)
        if (join->pred.at[k] != block && (!cw_ref_const(fn, cw_arg(fn, phi, k), &other) || other == mine))
            return CW_NO_BLOCK;
    return mine == 2 ? CW_NO_BLOCK : join->jump.succ[mine ? 0 : 1];
}

bool cw_device_has_won(const struct cw_device_events *events, const struct cw_device_event *take, uint32_t block) {
    const struct cw_cfg *cfg = events->fn->cfg;
    return take->won != CW_NO_BLOCK && (cw_cfg_dominates(cfg, take->won, block) ||
           (take->inside != CW_NO_BLOCK && cw_cfg_dominates(cfg, take->inside, block)));
}

static bool has_use(const struct cw_fn *fn, uint32_t ins) {
    for (uint32_t k = 0; k < fn->ins.n; k++)
        for (uint32_t n = 0; n < fn->ins.at[k].narg; n++) {
            cw_ref arg = cw_arg(fn, &fn->ins.at[k], n);
            if (arg.tag == CW_REF_INS && arg.index == ins)
                return true;
        }
    return false;
}

/* `atomicExch(&sum, 0)`, `atomicAdd(&sum, 0)`: what an atomic that goes on counting reads is its own share. */
static bool is_collecting(const struct cw_fn *fn, uint32_t ins) {
    const struct cw_ins *i = &fn->ins.at[ins];
    bool counts = cw_memory_atomic_changes(fn, i) && (i->aux & 0xff) != CW_ATOMIC_EXCH;
    return (i->aux & 0xff) != CW_ATOMIC_STORE && !counts && has_use(fn, ins);
}

static void add_access(struct cw_device_events *events, const struct cw_uniformity *uniformity,
                       const struct await_list *list, uint32_t ins, struct cw_arena *a) {
    const struct cw_ins *i = &events->fn->ins.at[ins];
    struct cw_access acc[2];
    uint32_t n = i->flags & CW_INS_READONLY ? 0 : cw_memory_accesses(events->fn, i, acc);
    while (n-- > 0) {
        if (!is_device_access(events->fn, &acc[n]) || acc[n].size == 0)
            continue;
        struct cw_device_event e = {.ins = ins, .kind = CW_EVENT_DATA, .reads = acc[n].reads, .writes = acc[n].writes,
                                    .is_atomic = i->op == CW_OP_ATOMIC, .pointer = acc[n].pointer, .size = acc[n].size,
                                    .is_volatile = (i->flags & CW_INS_VOLATILE) != 0,
                                    .awaited = number_of(list, ins)};
        struct cw_bases bases = cw_memory_bases(events->fn, acc[n].pointer);
        e.base = bases.at[0];
        e.nbases = bases.n;
        if (e.is_atomic) {
            e.writes = e.writes && cw_memory_atomic_changes(events->fn, i);
            e.is_exchange = e.reads && e.writes;
            e.collects = e.reads && is_collecting(events->fn, ins);
            events->has_tickets |= e.is_exchange && (i->aux & 0xff) == CW_ATOMIC_ADD;
            e.acquires = e.reads && (cw_atomic_order(i) & CW_ACQUIRE);
            e.releases = acc[n].writes && (cw_atomic_order(i) & CW_RELEASE);
        }
        e.scope = e.is_atomic ? (uint8_t)cw_atomic_scope(i) : is_strong(i) ? CW_SCOPE_SYSTEM : CW_SCOPE_THREAD;
        e.spins = ends_a_loop(events, ins, e.awaited);
        e.is_spread = cw_uni_of(uniformity, acc[n].pointer) > CW_UNI_WARP;
        e.asks = e.spins || (e.awaited && list->asked >> (e.awaited - 1) & 1);
        e.won = e.awaited && !e.spins ? find_won(events->fn, ins) : CW_NO_BLOCK;
        e.inside = e.won != CW_NO_BLOCK ? find_inside(events->fn, e.won) : CW_NO_BLOCK;
        cw_vec_push(a, &events->at, e);
    }
}

static void add_sync(struct cw_device_events *events, uint32_t ins, struct cw_arena *a) {
    const struct cw_ins *i = &events->fn->ins.at[ins];
    struct cw_device_event e = {
        .ins = ins, .kind = CW_EVENT_FENCE, .scope = (uint8_t)i->aux, .won = CW_NO_BLOCK, .inside = CW_NO_BLOCK};
    switch ((enum cw_op)i->op) {
    case CW_OP_FENCE:
        break;
    case CW_OP_BARRIER:
        events->has_unmodelled |= !cw_is_block_barrier(events->fn, ins);
        e.kind = CW_EVENT_BARRIER;
        break;
    case CW_OP_GRIDSYNC:
        e.kind = CW_EVENT_GRID;
        events->has_grid_barriers = true;
        break;
    case CW_OP_SYNCWARP:
        e.kind = CW_EVENT_WARP;
        events->has_warp_barriers = true;
        break;
    case CW_OP_CLUSTERSYNC:
    case CW_OP_MBARWAIT:
        events->has_unmodelled = true;
        return;
    case CW_OP_ASYNCCOPY: /* of a thread's own groups it reads device memory as from here, at the earliest */
        events->has_unmodelled |= i->aux != CW_COPY_GROUP;
        return;
    case CW_OP_OPCALL:
    case CW_OP_CALL:
    case CW_OP_ASM:
        events->has_unknown = true;
        return;
    default:
        return;
    }
    cw_vec_push(a, &events->at, e);
}

bool cw_device_same_variable(const struct cw_base *base, const struct cw_base *other) {
    if (!cw_ref_eq(base->root, other->root) || base->is_read != other->is_read ||
        (base->is_read && !cw_base_may_be_same(base, other)))
        return false;
    return cw_base_may_be_member(base, other) && (!base->exact || !other->exact || base->offset == other->offset);
}

/* Is the volatile load behind an exchange that takes another variable? It reads what a lock guards: `if (mine > *best)`
 * looks at data and waits for nobody. */
static bool is_guarded(const struct cw_device_events *events, const struct cw_device_event *load) {
    const struct cw_fn *fn = events->fn;
    for (uint32_t k = 0; k < events->at.n; k++) {
        const struct cw_device_event *take = &events->at.at[k];
        if (!take->is_exchange || !take->awaited || cw_device_same_variable(&take->base, &load->base))
            continue;
        if (take->won != CW_NO_BLOCK ? cw_device_has_won(events, take, fn->ins.at[load->ins].block)
                                     : take->spins && cw_cfg_ins_dominates(fn, take->ins, load->ins))
            return true;
    }
    return false;
}

static bool is_sync_variable(const struct cw_device_events *events, const struct cw_base *base) {
    for (uint32_t k = 0; k < events->at.n; k++) {
        const struct cw_device_event *e = &events->at.at[k];
        bool is_data = !e->spins && (e->is_atomic ? e->collects && e->is_spread
                                                  : e->is_spread || is_guarded(events, e));
        if (e->awaited && !is_data && cw_device_same_variable(&e->base, base))
            return true;
    }
    return false;
}

bool cw_device_gives_back(const struct cw_device_events *events, const struct cw_device_event *take,
                          const struct cw_device_event *release) {
    const struct cw_fn *fn = events->fn;
    const struct cw_ins *i = &fn->ins.at[release->ins];
    bool sets = i->op == CW_OP_ATOMIC && (i->aux & 0xff) == CW_ATOMIC_EXCH && i->narg > 1;
    int64_t is_free, value;
    return take->won != CW_NO_BLOCK && release->kind == CW_EVENT_SIGNAL && (i->op == CW_OP_STORE || sets) &&
           cw_device_same_variable(&take->base, &release->base) && free_value(fn, &fn->ins.at[take->ins], &is_free) &&
           cw_ref_const(fn, cw_arg(fn, i, sets ? 1 : 0), &value) && value == is_free &&
           cw_device_has_won(events, take, i->block);
}

static void mark_polls(struct cw_device_events *events, struct cw_arena *a) {
    struct cw_spin_loops loops = cw_plain_spin_loops_of(events->fn, a);
    for (uint32_t k = 0; k < events->at.n; k++)
        for (uint32_t n = 0; n < loops.at.n; n++)
            events->at.at[k].polls |= events->at.at[k].ins == loops.at.at[n].watch;
}

/* `*lock = 0` of who has taken it by `while (atomicCAS(lock, 0, 1) != 0)`: meant to give it back, though it is no
 * strong operation and orders nothing. */
static bool is_weak_release(const struct cw_device_events *events, const struct cw_device_event *store) {
    const struct cw_fn *fn = events->fn;
    const struct cw_ins *i = &fn->ins.at[store->ins];
    int64_t is_free, value;
    if (i->op != CW_OP_STORE || !cw_ref_const(fn, cw_arg(fn, i, 0), &value))
        return false;
    for (uint32_t k = 0; k < events->at.n; k++) {
        const struct cw_device_event *take = &events->at.at[k];
        if ((take->spins || take->won != CW_NO_BLOCK) && cw_device_same_variable(&take->base, &store->base) &&
            free_value(fn, &fn->ins.at[take->ins], &is_free) && value == is_free &&
            cw_cfg_ins_dominates(fn, take->ins, store->ins))
            return true;
    }
    return false;
}

/* Is the value computed from the result of the instruction? */
static bool is_made_of(const struct cw_fn *fn, cw_ref ref, uint32_t ins, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || depth == 0)
        return false;
    bool found = ref.index == ins;
    for (uint32_t k = 0; k < i->narg && !found && (cw_op_flags((enum cw_op)i->op) & CW_OP_P); k++)
        found = is_made_of(fn, cw_arg(fn, i, k), ins, depth - 1);
    return found;
}

/* Is the variable written, and never by the loop itself, which has no barrier either? Who goes round with the others,
 * or counts on, waits for nobody there. */
static bool is_written_elsewhere(const struct cw_device_events *events, uint32_t loop, const struct cw_base *base) {
    const struct cw_fn *fn = events->fn;
    bool is_written = false;
    for (uint32_t k = 0; k < events->at.n; k++) {
        const struct cw_device_event *e = &events->at.at[k];
        bool writes = e->writes && cw_device_same_variable(&e->base, base),
             waits = e->kind == CW_EVENT_BARRIER || e->kind == CW_EVENT_GRID;
        if ((writes || waits) && cw_cfg_in_loop(fn->cfg, loop, fn->ins.at[e->ins].block))
            return false;
        is_written |= writes;
    }
    return is_written;
}

/* Does an ordinary load of one place end a loop, which reads it again in each trip, as `ld.global.cg` beside a fence?
 * In PTX it orders nothing, and on all devices threads wait by it: what it orders is not modelled. */
static bool waits_by_weak_load(const struct cw_device_events *events) {
    enum { DEPTH = 6 };
    const struct cw_fn *fn = events->fn;
    for (uint32_t k = 0; k < events->at.n; k++) {
        const struct cw_device_event *e = &events->at.at[k];
        uint32_t loop = fn->cfg->loop_of[fn->ins.at[e->ins].block];
        if (e->kind != CW_EVENT_DATA || e->writes || e->is_atomic || e->is_volatile || e->polls ||
            loop == CW_NO_LOOP || !cw_cfg_is_invariant(fn, loop, e->pointer) ||
            !is_written_elsewhere(events, loop, &e->base))
            continue;
        for (uint32_t n = 0; n < fn->cfg->loops.at[loop].exits.n; n++) {
            const struct cw_jump *jump = &fn->blocks.at[fn->cfg->loops.at[loop].exits.at[n].block].jump;
            if (jump->kind == CW_JUMP_BRANCH && is_made_of(fn, jump->value, e->ins, DEPTH))
                return true;
        }
    }
    return false;
}

struct cw_device_events cw_device_events_of(const struct cw_fn *fn, const struct cw_uniformity *uniformity,
                                            struct cw_arena *a) {
    struct cw_device_events d = {.fn = fn,
                                 .awaits = CW_NEW_ARRAY(a, uint64_t, fn->blocks.n + 1),
                                 .polls = CW_NEW_ARRAY(a, uint64_t, fn->blocks.n + 1),
                                 .open = CW_NEW_ARRAY(a, uint8_t, fn->blocks.n + 1)};
    struct await_list list = {.fn = fn, .arena = a};
    find_awaits(&d, &list);
    d.has_unmodelled = list.is_elsewhere || list.ins.n == CW_STRONG_MAX;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *block = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t n = 0; n < block->ins.n; n++) {
            add_access(&d, uniformity, &list, block->ins.at[n], a);
            add_sync(&d, block->ins.at[n], a);
        }
    }
    mark_polls(&d, a);
    d.has_weak_wait = waits_by_weak_load(&d);
    for (uint32_t k = 0; k < d.at.n; k++) {
        struct cw_device_event *e = &d.at.at[k];
        bool strong = e->is_atomic || e->is_volatile;
        if (e->kind != CW_EVENT_DATA)
            continue;
        if (strong && is_sync_variable(&d, &e->base))
            e->kind = e->writes ? CW_EVENT_SIGNAL : CW_EVENT_WAIT;
        e->is_weak = !strong && is_weak_release(&d, e);
        if (e->is_weak)
            e->kind = CW_EVENT_SIGNAL;
        d.has_sync |= e->kind != CW_EVENT_DATA;
        d.has_data |= e->kind == CW_EVENT_DATA;
    }
    return d;
}

/* ---- what a wait waits for ---- */

int cw_device_wanted(const struct cw_device_events *events, const struct cw_device_event *wait, int64_t *value) {
    const struct cw_fn *fn = events->fn;
    uint32_t loop = fn->cfg->loop_of[fn->ins.at[wait->ins].block];
    if (!wait->spins || loop == CW_NO_LOOP || fn->cfg->loops.at[loop].exits.n != 1)
        return 0;
    struct cw_edge exit = fn->cfg->loops.at[loop].exits.at[0];
    const struct cw_jump *jump = &fn->blocks.at[exit.block].jump;
    const struct cw_ins *compare = jump->kind == CW_JUMP_BRANCH ? cw_ins_of(fn, jump->value) : NULL;
    if (compare == NULL || (compare->op != CW_OP_EQ && compare->op != CW_OP_NE))
        return 0;
    for (uint32_t side = 0; side < 2; side++)
        if (is_result(fn, cw_arg(fn, compare, side), wait->ins) &&
            cw_ref_const(fn, cw_arg(fn, compare, 1 - side), value)) {
            bool leaves_when_true = exit.which == 0;
            return (compare->op == CW_OP_EQ) == leaves_when_true ? 1 : -1;
        }
    return 0;
}
