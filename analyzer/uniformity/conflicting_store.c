/* See conflicting_store.h. Two walks: back from the load to the barriers (or the entry) its phases begin at, then
 * forward from each of them to the next barriers; what is met on the way runs in one of the load's phases. */
#include "uniformity/conflicting_store.h"

#include "uniformity/alias.h"
#include "uniformity/spin_loops.h"
#include "uniformity/unknown_calls.h"

struct search {
    const struct cw_fn *fn;
    const struct cw_memory *memory;
    struct cw_arena *arena;
    uint32_t load;
    uint32_t lanes; /* of the block, when it is one warp, else 0 */
    struct cw_bitset back, ahead; /* blocks entered from their end, from their beginning */
    struct cw_vec_u32 work;
    struct cw_vec_edge starts;    /* block, position in it */
    bool found;
    struct cw_writer best;
};

/* In a block of one warp a __syncwarp() that names all its lanes is a barrier of the block. */
static bool is_warp_wall(const struct search *search, const struct cw_ins *ins) {
    uint32_t all = search->lanes == 32 ? UINT32_MAX : (UINT32_C(1) << search->lanes) - 1;
    int64_t mask;
    return search->lanes > 0 && cw_ref_const(search->fn, cw_arg(search->fn, ins, 0), &mask) &&
           ((uint32_t)mask & all) == all;
}

/* Of an unknown call that may hold a barrier nobody can say that accesses on both sides of it are in the same phase. */
static bool is_wall(const struct search *search, uint32_t ins) {
    const struct cw_fn *fn = search->fn;
    const struct cw_ins *i = &fn->ins.at[ins];
    int64_t count;
    if (i->op == CW_OP_OPCALL)
        return cw_call_order_of(search->memory, i) != CW_CALL_NOTHING;
    if (i->op == CW_OP_GRIDSYNC)
        return true;
    if (i->op == CW_OP_SYNCWARP)
        return is_warp_wall(search, i);
    if (i->op == CW_OP_CLUSTERSYNC)
        return i->aux != CW_BARRIER_ARRIVE;
    return i->op == CW_OP_BARRIER && i->aux != CW_BARRIER_ARRIVE && cw_ref_const(fn, cw_arg(fn, i, 1), &count) &&
           count == 0;
}

/* From before position `n` of a block backwards. */
static void walk_back(struct search *search, uint32_t block, uint32_t n) {
    const struct cw_block *b = &search->fn->blocks.at[block];
    for (uint32_t k = n; k-- > 0;)
        if (is_wall(search, b->ins.at[k])) {
            cw_vec_push(search->arena, &search->starts, ((struct cw_edge){block, k + 1}));
            return;
        }
    if (block == 0)
        cw_vec_push(search->arena, &search->starts, ((struct cw_edge){0, 0}));
    for (uint32_t k = 0; k < b->pred.n; k++)
        if (!cw_bitset_has(&search->back, b->pred.at[k])) {
            cw_bitset_add(&search->back, b->pred.at[k]);
            cw_vec_push(search->arena, &search->work, b->pred.at[k]);
        }
}

static bool surely_meet(const struct cw_base *base, const struct cw_base *other) {
    return base->exact && other->exact && base->offset == other->offset && cw_ref_eq(base->root, other->root) &&
           base->is_read == other->is_read && base->field == other->field && base->array == other->array &&
           base->root.tag != CW_REF_NONE;
}

static bool is_dynamic_shared(const struct search *search, const struct cw_base *base) {
    return base->root.tag == CW_REF_OBJECT && search->fn->objects.at[base->root.index].space == CW_SPACE_DYNSHARED;
}

/* Is there no reason to think that they meet? A pointer of unknown origin may lead anywhere, an index may be negative,
 * and one of the arrays that a block's dynamic shared memory is divided into may be left: all that is no more than a
 * guess. */
static bool are_strangers(const struct search *search, const struct cw_base *to, uint64_t size,
                          const struct cw_base *from) {
    uint64_t read = search->fn->ins.at[search->load].aux;
    if (to->root.tag == CW_REF_NONE || from->root.tag == CW_REF_NONE)
        return true;
    if (!cw_ref_eq(to->root, from->root) || to->is_read || from->is_read)
        return false;
    bool is_divided = !to->exact && !from->exact && to->offset != from->offset && is_dynamic_shared(search, to);
    return is_divided || cw_memory_ends_before(to, size, from) || cw_memory_ends_before(from, read, to);
}

static uint32_t position_of(const struct cw_fn *fn, uint32_t ins) {
    const struct cw_block *b = &fn->blocks.at[fn->ins.at[ins].block];
    uint32_t k = 0;
    while (k < b->ins.n && b->ins.at[k] != ins)
        k++;
    return k;
}

/* From a position on in the block: is the instruction met before a barrier? A barrier ends the walk. */
static bool meets_store(const struct search *search, uint32_t block, uint32_t from, uint32_t ins, bool *is_walled) {
    const struct cw_vec_u32 *list = &search->fn->blocks.at[block].ins;
    for (uint32_t k = from; k < list->n && !*is_walled; k++) {
        if (list->at[k] == ins)
            return true;
        *is_walled = is_wall(search, list->at[k]);
    }
    return false;
}

/* Is there a way from one to the other without a barrier? Threads at the two are then in one phase, whatever decides.
 * Two arms of a branch that all threads take alike are in one phase on paper only. */
static bool leads_to(const struct search *search, uint32_t from, uint32_t to) {
    struct cw_bitset seen = cw_bitset_new(search->arena, search->fn->blocks.n);
    struct cw_vec_u32 work = {0};
    uint32_t block = search->fn->ins.at[from].block, at = position_of(search->fn, from) + 1;
    for (;;) {
        bool is_walled = false;
        if (meets_store(search, block, at, to, &is_walled))
            return true;
        const struct cw_jump *j = &search->fn->blocks.at[block].jump;
        for (uint32_t k = 0; k < j->nsucc && !is_walled; k++)
            if (!cw_bitset_has(&seen, j->succ[k])) {
                cw_bitset_add(&seen, j->succ[k]);
                cw_vec_push(search->arena, &work, j->succ[k]);
            }
        if (work.n == 0)
            return false;
        block = work.at[--work.n];
        at = 0;
    }
}

/* Who reads has stored the same constant there itself on its way, and nobody stores it once more before the next
 * barrier: `found = false; while (!found) …`. */
static bool is_own(const struct search *search, uint32_t ins) {
    const struct cw_ins *i = &search->fn->ins.at[ins];
    return i->op == CW_OP_STORE && cw_arg(search->fn, i, 0).tag == CW_REF_CONST &&
           cw_cfg_ins_dominates(search->fn, ins, search->load) && !leads_to(search, search->load, ins);
}

static void judge_store(struct search *search, uint32_t ins) {
    const struct cw_ins *i = &search->fn->ins.at[ins];
    struct cw_access access[2];
    bool is_store = i->op == CW_OP_STORE || i->op == CW_OP_ATOMIC;
    if (!is_store || ins == search->load || search->best.is_exact || cw_memory_accesses(search->fn, i, access) == 0 ||
        !access[0].writes)
        return;
    struct cw_bases to = cw_memory_bases(search->fn, access[0].pointer);
    struct cw_bases from = cw_memory_bases(search->fn, cw_arg(search->fn, &search->fn->ins.at[search->load], 0));
    for (uint32_t t = 0; t < to.n; t++)
        for (uint32_t f = 0; f < from.n; f++) {
            bool exact = to.n == 1 && from.n == 1 && surely_meet(&to.at[t], &from.at[f]);
            if (are_strangers(search, &to.at[t], access[0].size, &from.at[f]))
                continue;
            if (exact && is_own(search, ins))
                continue;
            exact = exact && (leads_to(search, ins, search->load) || leads_to(search, search->load, ins));
            if (!exact && (search->found || !cw_memory_may_meet(search->memory, &to.at[t], access[0].size, &from.at[f],
                                                                search->fn->ins.at[search->load].aux)))
                continue;
            search->found = true;
            search->best = (struct cw_writer){.ins = ins, .is_exact = exact};
        }
}

static void walk_ahead(struct search *search, uint32_t block, uint32_t from) {
    const struct cw_block *b = &search->fn->blocks.at[block];
    for (uint32_t k = from; k < b->ins.n; k++) {
        if (is_wall(search, b->ins.at[k]))
            return;
        judge_store(search, b->ins.at[k]);
    }
    for (uint32_t k = 0; k < b->jump.nsucc; k++)
        if (!cw_bitset_has(&search->ahead, b->jump.succ[k])) {
            cw_bitset_add(&search->ahead, b->jump.succ[k]);
            cw_vec_push(search->arena, &search->work, b->jump.succ[k]);
        }
}

static bool reads_shared(const struct cw_fn *fn, uint32_t load) {
    struct cw_bases from = cw_memory_bases(fn, cw_arg(fn, &fn->ins.at[load], 0));
    for (uint32_t k = 0; k < from.n; k++) {
        if (from.at[k].root.tag != CW_REF_OBJECT || from.at[k].is_read)
            return false;
        enum cw_space space = fn->objects.at[from.at[k].root.index].space;
        if (space != CW_SPACE_SHARED && space != CW_SPACE_DYNSHARED)
            return false;
    }
    return true;
}

bool cw_writer_find(const struct cw_fn *fn, uint32_t load, const uint32_t threads[3], struct cw_arena *a,
                    struct cw_writer *out) {
    uint64_t count = (uint64_t)threads[0] * threads[1] * threads[2]; /* 0: not known */
    struct search s = {.fn = fn, .memory = cw_memory_new(fn, a), .arena = a, .load = load,
                       .lanes = count <= 32 ? (uint32_t)count : 0,
                       .back = cw_bitset_new(a, fn->blocks.n), .ahead = cw_bitset_new(a, fn->blocks.n)};
    walk_back(&s, fn->ins.at[load].block, position_of(fn, load));
    while (s.work.n > 0) {
        uint32_t block = s.work.at[--s.work.n];
        walk_back(&s, block, fn->blocks.at[block].ins.n);
    }
    for (uint32_t k = 0; k < s.starts.n; k++)
        walk_ahead(&s, s.starts.at[k].block, s.starts.at[k].which);
    while (s.work.n > 0)
        walk_ahead(&s, s.work.at[--s.work.n], 0);
    *out = s.best;
    out->is_local = reads_shared(fn, load);
    out->may_be_ordered = !out->is_local && cw_spin_loops_of(fn, a).at.n > 0;
    return s.found;
}
