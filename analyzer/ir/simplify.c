/* Simplification: fewer instructions and blocks, the same effects.
 *
 * requires: linked preds; values dominate their uses (lowered or SSA). computes: constants folded, algebra applied
 * (algebra.c), copies and one-valued PHIs gone, equal pure values computed once (value numbering over the dominator
 * tree, after Briggs, Cooper, Simpson 1997), decided branches taken, unreachable blocks emptied, blocks joined that
 * only follow each other, unused pure values and stores to locals that nobody reads removed. preserves: all effects in
 * order, names and places; block numbers of what remains. Makes the function's cfg stale.
 *
 * Each sweep visits the blocks once, definitions before uses, so most functions need two; a sweep that changes nothing
 * is the last. */
#include "ir/algebra.h"
#include "ir/edit.h"
#include "ir/locals.h"

#include "base/bitset.h"
#include "base/hash.h"

#include <stddef.h>
#include <string.h>

enum {
    MAX_SWEEPS = 16,
    MAX_CHAIN = 16, /* instructions of one bucket looked at before a value counts as new */
    MAX_KEY = 16,   /* operands of an instruction that value numbering looks at */
};

struct simplifier {
    struct cw_fn *fn;
    struct cw_arena *scratch;
    struct cw_order_of_blocks order;
    cw_ref *replaced;        /* instruction -> value instead of it, or CW_NONE */
    uint32_t *newest;        /* hash & mask -> 1 + newest instruction in this bucket, 0 none */
    uint32_t *older;         /* instruction -> 1 + older one in its bucket */
    uint32_t *hash;          /* instruction -> half of its key's hash, of those in buckets */
    uint32_t mask;
    bool changed;
    bool cut;                /* an edge is gone: blocks may be unreachable */
    bool joined;             /* a block is gone: the order of the others is to be found again */
    bool phi_gone;           /* by dead code: two edges may have become equal */
};

static cw_ref resolve_ref(const struct simplifier *simplifier, cw_ref ref) {
    while (ref.tag == CW_REF_INS && simplifier->replaced[ref.index].tag != CW_REF_NONE)
        ref = simplifier->replaced[ref.index];
    return ref;
}

static void resolve_operands(struct simplifier *simplifier, const struct cw_ins *ins) {
    for (uint32_t k = 0; k < ins->narg; k++)
        simplifier->fn->args.at[ins->arg + k] = resolve_ref(simplifier, simplifier->fn->args.at[ins->arg + k]);
}

/* The value takes over the name of what it replaces, unless it has its own. */
static void replace_value(struct simplifier *simplifier, uint32_t index, cw_ref value) {
    struct cw_ins *heir = cw_ins_of(simplifier->fn, value);
    if (heir && !heir->name)
        heir->name = simplifier->fn->ins.at[index].name;
    simplifier->replaced[index] = value;
    simplifier->changed = true;
}

/* ---- value numbering ---- */

struct key {
    uint32_t op, type, aux, block, narg;
    uint32_t args[MAX_KEY];
};

static uint32_t pack_ref(cw_ref ref) {
    return (uint32_t)ref.tag << 28 | ref.index;
}

static bool is_numbered(const struct cw_ins *ins) {
    unsigned flags = cw_op_flags((enum cw_op)ins->op);
    return (flags & CW_OP_P) && !(flags & CW_OP_E) && ins->narg <= MAX_KEY;
}

/* Operands of commutative operations in one order; PHIs are equal only within one block. */
static struct key key_of(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct key k = {.op = ins->op, .type = ins->type, .aux = ins->aux, .narg = ins->narg};
    k.block = ins->op == CW_OP_PHI ? ins->block : 0;
    for (uint32_t a = 0; a < ins->narg; a++)
        k.args[a] = pack_ref(cw_arg(fn, ins, a));
    if (cw_algebra_commutes((enum cw_op)ins->op) && k.args[0] > k.args[1]) {
        uint32_t first = k.args[0];
        k.args[0] = k.args[1];
        k.args[1] = first;
    }
    return k;
}

static bool same_key(const struct key *key, const struct key *other) {
    return key->narg == other->narg &&
           memcmp(key, other, offsetof(struct key, args) + sizeof *key->args * key->narg) == 0;
}

/* An older instruction that computes the same and dominates this one, or CW_NONE; else this one becomes known. */
static cw_ref number_value(struct simplifier *simplifier, uint32_t index) {
    struct key k = key_of(simplifier->fn, &simplifier->fn->ins.at[index]);
    uint64_t hash = cw_hash(&k, offsetof(struct key, args) + sizeof *k.args * k.narg, 0);
    uint32_t *bucket = &simplifier->newest[hash & simplifier->mask], at = *bucket, half = (uint32_t)(hash >> 32);
    for (int steps = 0; at && steps < MAX_CHAIN; steps++, at = simplifier->older[at - 1]) {
        if (simplifier->hash[at - 1] != half)
            continue;
        struct key other = key_of(simplifier->fn, &simplifier->fn->ins.at[at - 1]);
        if (same_key(&k, &other) && cw_order_dominates(&simplifier->order, simplifier->fn->ins.at[at - 1].block,
                                                       simplifier->fn->ins.at[index].block))
            return cw_ref_ins(at - 1);
    }
    simplifier->hash[index] = half;
    simplifier->older[index] = *bucket;
    *bucket = index + 1;
    return CW_NONE;
}

/* ---- one instruction ---- */

/* Scope and order of an atomic, once they are a constant. */
static void settle_how(struct simplifier *simplifier, struct cw_ins *ins) {
    int64_t how;
    if (ins->op != CW_OP_ATOMIC || !(ins->flags & CW_INS_HOW) ||
        !cw_ref_const(simplifier->fn, cw_arg(simplifier->fn, ins, ins->narg - 1), &how) ||
        (how & 0xff) > CW_SCOPE_SYSTEM || how >> 8 > CW_ACQUIRE_RELEASE || how < 0)
        return;
    ins->aux = (ins->aux & 0xff) | (uint32_t)how << 8;
    ins->flags = (uint16_t)(ins->flags & ~CW_INS_HOW);
    ins->narg--;
    simplifier->changed = true;
}

/* True when the instruction is no longer needed where it stands. */
static bool visit_instruction(struct simplifier *simplifier, uint32_t index) {
    cw_ref value = CW_NONE;
    resolve_operands(simplifier, &simplifier->fn->ins.at[index]);
    settle_how(simplifier, &simplifier->fn->ins.at[index]);
    enum cw_algebra done;
    do {
        done = cw_algebra_simplify(simplifier->fn, index, &value);
        simplifier->changed |= done != CW_ALGEBRA_NONE;
    } while (done == CW_ALGEBRA_CHANGED);
    if (done == CW_ALGEBRA_NONE && is_numbered(&simplifier->fn->ins.at[index]))
        value = number_value(simplifier, index);
    if (value.tag != CW_REF_NONE) {
        replace_value(simplifier, index, value);
        return true;
    }
    int64_t holds;
    const struct cw_ins *i = &simplifier->fn->ins.at[index];
    return i->op == CW_OP_ASSUME && cw_ref_const(simplifier->fn, cw_arg(simplifier->fn, i, 0), &holds) && holds;
}

static void visit_block(struct simplifier *simplifier, uint32_t block) {
    struct cw_vec_u32 *list = &simplifier->fn->blocks.at[block].ins;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < list->n; k++) {
        uint32_t index = list->at[k];
        if (visit_instruction(simplifier, index))
            cw_edit_remove(simplifier->fn, index);
        else
            list->at[kept++] = index;
    }
    list->n = kept;
    simplifier->fn->blocks.at[block].jump.value = resolve_ref(simplifier, simplifier->fn->blocks.at[block].jump.value);
}

/* Operands over back edges were not final when their PHI was visited. */
static void settle_phis(struct simplifier *simplifier) {
    for (uint32_t k = 0; k < simplifier->order.n; k++) {
        const struct cw_vec_u32 *list = &simplifier->fn->blocks.at[simplifier->order.rpo[k]].ins;
        for (uint32_t i = 0; i < list->n && simplifier->fn->ins.at[list->at[i]].op == CW_OP_PHI; i++)
            resolve_operands(simplifier, &simplifier->fn->ins.at[list->at[i]]);
    }
}

/* ---- jumps ---- */

/* The pred entry that belongs to edge `which` of a block: edges to one target keep their order in its list. */
static uint32_t pred_of_edge(const struct cw_fn *fn, uint32_t block, uint32_t which) {
    const struct cw_jump *j = &fn->blocks.at[block].jump;
    const struct cw_vec_u32 *pred = &fn->blocks.at[j->succ[which]].pred;
    uint32_t skip = 0, k = 0;
    for (uint32_t s = 0; s < which; s++)
        skip += j->succ[s] == j->succ[which];
    while (pred->at[k] != block || skip-- > 0)
        k++;
    return k;
}

/* A loop's condition that always holds: rules ask for it, since the branch itself is about to go. */
static void note_endless(struct cw_block *block, uint32_t keep) {
    enum cw_origin o = block->jump.origin;
    if (block->jump.kind == CW_JUMP_BRANCH && keep == 0 && (o == CW_FROM_FOR || o == CW_FROM_WHILE || o == CW_FROM_DO))
        block->always = block->jump.loc;
}

static void keep_edge(struct simplifier *simplifier, uint32_t block, uint32_t keep) {
    struct cw_jump *j = &simplifier->fn->blocks.at[block].jump;
    for (uint32_t e = j->nsucc; e-- > 0;)
        if (e != keep)
            cw_edit_remove_pred(simplifier->fn, j->succ[e], pred_of_edge(simplifier->fn, block, e));
    j->succ[0] = j->succ[keep];
    j->nsucc = 1;
    j->kind = CW_JUMP_GOTO;
    j->value = CW_NONE;
    j->origin = CW_FROM_NONE;
    simplifier->changed = simplifier->cut = true;
}

/* Do all edges of the block lead to one place, with the same values for its PHIs? */
static bool edges_agree(const struct cw_fn *fn, uint32_t block) {
    const struct cw_jump *j = &fn->blocks.at[block].jump;
    for (uint32_t e = 1; e < j->nsucc; e++)
        if (j->succ[e] != j->succ[0])
            return false;
    const struct cw_block *to = &fn->blocks.at[j->succ[0]];
    for (uint32_t k = 0; k < to->ins.n && fn->ins.at[to->ins.at[k]].op == CW_OP_PHI; k++) {
        const struct cw_ins *phi = &fn->ins.at[to->ins.at[k]];
        cw_ref one = CW_NONE;
        for (uint32_t a = 0; a < phi->narg; a++) {
            if (to->pred.at[a] != block)
                continue;
            if (one.tag != CW_REF_NONE && !cw_ref_eq(one, cw_arg(fn, phi, a)))
                return false;
            one = cw_arg(fn, phi, a);
        }
    }
    return true;
}

static uint32_t case_of(const struct cw_jump *jump, int64_t value) {
    uint32_t e = 0;
    while (e + 1 < jump->nsucc && jump->cases[e] != value)
        e++;
    return e;
}

static void fold_jump(struct simplifier *simplifier, uint32_t block) {
    const struct cw_jump *j = &simplifier->fn->blocks.at[block].jump;
    int64_t value;
    if (j->kind != CW_JUMP_BRANCH && j->kind != CW_JUMP_SWITCH)
        return;
    if (cw_ref_const(simplifier->fn, j->value, &value)) {
        uint32_t keep = j->kind == CW_JUMP_BRANCH ? (value ? 0 : 1) : case_of(j, value);
        note_endless(&simplifier->fn->blocks.at[block], keep);
        keep_edge(simplifier, block, keep);
    } else if (edges_agree(simplifier->fn, block)) {
        keep_edge(simplifier, block, 0);
    }
}

/* Appends a block to the only one that jumps to it, which jumps nowhere else. */
static bool join_next(struct simplifier *simplifier, uint32_t block) {
    struct cw_fn *fn = simplifier->fn;
    struct cw_block *b = &fn->blocks.at[block];
    uint32_t next = b->jump.kind == CW_JUMP_GOTO ? b->jump.succ[0] : block;
    struct cw_block *n = &fn->blocks.at[next];
    if (next == block || n->pred.n != 1 || (n->ins.n && fn->ins.at[n->ins.at[0]].op == CW_OP_PHI))
        return false;
    for (uint32_t k = 0; k < n->ins.n; k++) {
        fn->ins.at[n->ins.at[k]].block = block;
        cw_vec_push(fn->arena, &b->ins, n->ins.at[k]);
    }
    b->jump = n->jump;
    b->always = n->always ? n->always : b->always;
    for (uint32_t e = 0; e < b->jump.nsucc; e++) {
        struct cw_vec_u32 *pred = &fn->blocks.at[b->jump.succ[e]].pred;
        for (uint32_t k = 0; k < pred->n; k++)
            if (pred->at[k] == next)
                pred->at[k] = block;
    }
    n->ins.n = n->pred.n = 0;
    n->jump = (struct cw_jump){.kind = CW_JUMP_NONE};
    return true;
}

static void join_blocks(struct simplifier *simplifier) {
    for (uint32_t k = 0; k < simplifier->order.n; k++)
        while (join_next(simplifier, simplifier->order.rpo[k]))
            simplifier->changed = simplifier->joined = true;
}

/* ---- what nobody needs ---- */

/* Memory that no other thread can write: a read of it whose value is not used is nothing. */
static bool is_own(const struct simplifier *simplifier, uint32_t object) {
    enum cw_space space = object == CW_NO_OBJECT ? CW_SPACE_UNKNOWN : simplifier->fn->objects.at[object].space;
    return space == CW_SPACE_LOCAL || space == CW_SPACE_PARAM;
}

/* A store into a local that nobody can read. */
static bool is_dead_store(const struct simplifier *simplifier, const struct cw_locals *locals,
                          const struct cw_ins *ins) {
    if (ins->op != CW_OP_STORE && ins->op != CW_OP_MEMSET && ins->op != CW_OP_MEMCOPY)
        return false;
    const struct cw_object *objects = simplifier->fn->objects.at;
    uint32_t to = cw_locals_pointee(locals, cw_arg(simplifier->fn, ins, ins->op == CW_OP_STORE ? 1 : 0)).object;
    bool is_local = to != CW_NO_OBJECT && objects[to].space == CW_SPACE_LOCAL;
    if (!is_local || (locals->flags[to] & (CW_LOCAL_ESCAPES | CW_LOCAL_LOADED)))
        return false;
    if (ins->op != CW_OP_MEMCOPY)
        return true;
    /* reading shared memory remains an access */
    return is_own(simplifier, cw_locals_pointee(locals, cw_arg(simplifier->fn, ins, 1)).object);
}

/* Kept for its own sake: effects, and reads of memory that others can see. */
static bool is_root(const struct simplifier *simplifier, const struct cw_locals *locals, const struct cw_ins *ins) {
    unsigned flags = cw_op_flags((enum cw_op)ins->op);
    if (flags & (CW_OP_E | CW_OP_W))
        return !is_dead_store(simplifier, locals, ins);
    if (ins->op != CW_OP_LOAD)
        return flags & (CW_OP_C | CW_OP_B | CW_OP_S);
    return !is_own(simplifier, cw_locals_pointee(locals, cw_arg(simplifier->fn, ins, 0)).object);
}

static void need_value(struct simplifier *simplifier, struct cw_bitset *live, struct cw_vec_u32 *work, cw_ref ref) {
    if (ref.tag != CW_REF_INS || cw_bitset_has(live, ref.index))
        return;
    cw_bitset_add(live, ref.index);
    cw_vec_push(simplifier->scratch, work, ref.index);
}

static void mark_live(struct simplifier *simplifier, struct cw_bitset *live) {
    struct cw_locals l = cw_locals_find(simplifier->fn, &simplifier->order, simplifier->scratch);
    struct cw_vec_u32 work = {0};
    for (uint32_t k = 0; k < simplifier->order.n; k++) {
        const struct cw_block *b = &simplifier->fn->blocks.at[simplifier->order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            if (is_root(simplifier, &l, &simplifier->fn->ins.at[b->ins.at[i]]))
                need_value(simplifier, live, &work, cw_ref_ins(b->ins.at[i]));
        need_value(simplifier, live, &work, b->jump.value);
    }
    while (work.n) {
        const struct cw_ins *i = &simplifier->fn->ins.at[work.at[--work.n]];
        for (uint32_t k = 0; k < i->narg; k++)
            need_value(simplifier, live, &work, cw_arg(simplifier->fn, i, k));
    }
}

static void bury_instruction(struct simplifier *simplifier, uint32_t index) {
    simplifier->phi_gone |= simplifier->fn->ins.at[index].op == CW_OP_PHI;
    cw_edit_remove(simplifier->fn, index);
}

static bool remove_dead(struct simplifier *simplifier) {
    bool removed = false;
    struct cw_bitset live = cw_bitset_new(simplifier->scratch, simplifier->fn->ins.n);
    mark_live(simplifier, &live);
    for (uint32_t k = 0; k < simplifier->order.n; k++) {
        struct cw_vec_u32 *list = &simplifier->fn->blocks.at[simplifier->order.rpo[k]].ins;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < list->n; i++) {
            if (cw_bitset_has(&live, list->at[i]))
                list->at[kept++] = list->at[i];
            else
                bury_instruction(simplifier, list->at[i]);
        }
        removed |= kept < list->n;
        list->n = kept;
    }
    return removed;
}

/* ---- the whole ---- */

static void sweep_function(struct simplifier *simplifier) {
    if (simplifier->cut || simplifier->joined) {
        simplifier->order = cw_order_blocks(simplifier->fn, simplifier->scratch);
        cw_edit_drop_unreachable(simplifier->fn, &simplifier->order);
    }
    simplifier->changed = simplifier->cut = simplifier->joined = false;
    memset(simplifier->newest, 0, sizeof *simplifier->newest * (simplifier->mask + 1));
    for (uint32_t k = 0; k < simplifier->order.n; k++)
        visit_block(simplifier, simplifier->order.rpo[k]);
    settle_phis(simplifier);
    for (uint32_t k = 0; k < simplifier->order.n; k++)
        fold_jump(simplifier, simplifier->order.rpo[k]);
    if (!simplifier->cut)
        join_blocks(simplifier);
}

/* Dead code goes when nothing else changes, with the order of the last sweep. Removing the last load of one local can
 * make the stores of another dead. */
static bool sweep_again(struct simplifier *simplifier) {
    if (simplifier->changed || simplifier->cut)
        return true;
    simplifier->phi_gone = false;
    while (remove_dead(simplifier))
        continue;
    return simplifier->phi_gone;
}

void cw_simplify(struct cw_fn *fn) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct simplifier s = {.fn = fn, .scratch = &scratch, .mask = 15};
    while (s.mask < fn->ins.n)
        s.mask = s.mask * 2 + 1;
    s.newest = CW_NEW_ARRAY(&scratch, uint32_t, s.mask + 1);
    s.older = CW_NEW_ARRAY(&scratch, uint32_t, fn->ins.n + 1);
    s.hash = CW_NEW_ARRAY(&scratch, uint32_t, fn->ins.n + 1);
    s.replaced = CW_NEW_ARRAY(&scratch, cw_ref, fn->ins.n + 1);
    int round = 0;
    s.cut = true; /* no order is known yet */
    do {
        sweep_function(&s);
    } while (++round < MAX_SWEEPS && sweep_again(&s));
    if (s.cut) { /* out of sweeps */
        s.order = cw_order_blocks(fn, &scratch);
        cw_edit_drop_unreachable(fn, &s.order);
    }
    cw_arena_free(&scratch);
    cw_fn_verify_after(fn, "simplify");
}
