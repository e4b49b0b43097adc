/* See barrier_use.h. */
#include "faults/barrier_use.h"

#include <string.h>

enum {
    ACCESSES = 96, /* of a kernel that are looked at */
    BARRIERS = 32
};

struct access {
    struct cw_touched place;
    struct cw_bases bases;
    bool writes, atomic, global;
};

struct search {
    const struct cw_kernel_query *q;
    const struct cw_fn *fn;
    struct cw_memory *memory;
    struct access access[ACCESSES];
    uint32_t naccesses;
    uint32_t *first_access;  /* per instruction: 1 + index of its first access, 0 none */
    uint32_t barrier[BARRIERS], nbarriers;
    bool is_cut[BARRIERS];   /* still orders the whole block */
    uint8_t *meets;          /* [a * ACCESSES + b]: 1 + enum cw_meet, 0: not asked yet */
};

/* ---- what the kernel does ---- */

static bool is_plain_barrier(const struct search *s, const struct cw_ins *i) {
    int64_t id, count;
    return i->op == CW_OP_BARRIER && i->aux != CW_BARRIER_ARRIVE && cw_ref_const(s->fn, cw_arg(s->fn, i, 0), &id) &&
           id == 0 && cw_ref_const(s->fn, cw_arg(s->fn, i, 1), &count) && count == 0 &&
           s->q->uniformity->control[i->block] <= CW_UNI_BLOCK;
}

/* May something that is not seen rely on a barrier, or order threads by other means? */
static bool is_beyond(const struct search *s, const struct cw_ins *i) {
    switch ((enum cw_op)i->op) {
    case CW_OP_BARRIER:
        return !is_plain_barrier(s, i);
    case CW_OP_CALL: case CW_OP_OPCALL: case CW_OP_ASM: case CW_OP_OPAQUE: case CW_OP_LAUNCH: case CW_OP_FENCE:
    case CW_OP_GRIDSYNC: case CW_OP_CLUSTERSYNC: case CW_OP_MBARINIT: case CW_OP_MBARARRIVE: case CW_OP_MBARWAIT:
    case CW_OP_ASYNCCOPY: case CW_OP_ASYNCCOMMIT: case CW_OP_ASYNCWAIT: case CW_OP_FRAGLOAD: case CW_OP_FRAGSTORE:
    case CW_OP_ACTIVEMASK:
        return true;
    case CW_OP_LOAD: case CW_OP_STORE:
        return i->flags & CW_INS_VOLATILE;
    default:
        return false;
    }
}

/* Nobody else sees a local variable; nobody writes constants. */
static bool is_shared_with_others(const struct cw_fn *fn, const struct cw_base *b) {
    enum cw_space space = b->root.tag == CW_REF_OBJECT && !b->is_read ? fn->objects.at[b->root.index].space
                                                                      : CW_SPACE_GLOBAL;
    return space != CW_SPACE_LOCAL && space != CW_SPACE_CONSTANT && space != CW_SPACE_PARAM;
}

static bool is_on_chip(const struct cw_fn *fn, const struct cw_base *b) {
    enum cw_space space = b->root.tag == CW_REF_OBJECT && !b->is_read ? fn->objects.at[b->root.index].space
                                                                      : CW_SPACE_GLOBAL;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* False when there are too many. */
static bool add_accesses(struct search *s, uint32_t ins) {
    const struct cw_ins *i = &s->fn->ins.at[ins];
    struct cw_access acc[2];
    uint32_t n = i->flags & CW_INS_READONLY ? 0 : cw_memory_accesses(s->fn, i, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct access a = {.place = {ins, acc[k].pointer, acc[k].size}, .bases = cw_memory_bases(s->fn, acc[k].pointer),
                           .writes = acc[k].writes, .atomic = i->op == CW_OP_ATOMIC};
        bool seen = false;
        for (uint32_t b = 0; b < a.bases.n; b++) {
            seen |= is_shared_with_others(s->fn, &a.bases.at[b]);
            a.global |= !is_on_chip(s->fn, &a.bases.at[b]);
        }
        if (!seen)
            continue;
        if (s->naccesses == ACCESSES || (a.atomic && !a.global))
            return false;
        s->access[s->naccesses++] = a;
        s->first_access[ins] = s->first_access[ins] ? s->first_access[ins] : s->naccesses;
    }
    return true;
}

static bool survey(struct search *s) {
    const struct cw_cfg *cfg = s->fn->cfg;
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        const struct cw_block *b = &s->fn->blocks.at[cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            const struct cw_ins *i = &s->fn->ins.at[b->ins.at[j]];
            if (is_beyond(s, i) || !add_accesses(s, b->ins.at[j]))
                return false;
            if (i->op != CW_OP_BARRIER)
                continue;
            if (s->nbarriers == BARRIERS)
                return false;
            s->is_cut[s->nbarriers] = true;
            s->barrier[s->nbarriers++] = b->ins.at[j];
        }
    }
    return s->nbarriers > 0;
}

/* ---- what meets without a barrier ---- */

struct region {
    bool has[ACCESSES];
};

static bool is_cut(const struct search *s, uint32_t ins) {
    for (uint32_t k = 0; k < s->nbarriers; k++)
        if (s->barrier[k] == ins)
            return s->is_cut[k];
    return false;
}

/* Collects the accesses from position `from` of the block on, forwards or backwards; true when no barrier stops it. */
static bool walk_block(const struct search *s, uint32_t block, uint32_t from, bool forwards, struct region *r) {
    const struct cw_vec_u32 *ins = &s->fn->blocks.at[block].ins;
    for (uint32_t k = from; k < ins->n; k += forwards ? 1 : UINT32_MAX) {
        uint32_t at = ins->at[k];
        if (is_cut(s, at))
            return false;
        for (uint32_t n = s->first_access[at]; n != 0 && n <= s->naccesses && s->access[n - 1].place.ins == at; n++)
            r->has[n - 1] = true;
    }
    return true;
}

static void push_neighbours(const struct search *s, uint32_t block, bool forwards, struct cw_bitset *seen,
                            struct cw_vec_u32 *work) {
    const struct cw_block *b = &s->fn->blocks.at[block];
    uint32_t n = forwards ? b->jump.nsucc : b->pred.n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = forwards ? b->jump.succ[k] : b->pred.at[k];
        if (cw_bitset_has(seen, next))
            continue;
        cw_bitset_add(seen, next);
        cw_vec_push(s->q->arena, work, next);
    }
}

/* Whatever can run between the barrier and the next one that still stands, in the given direction. */
static void collect(const struct search *s, uint32_t barrier, bool forwards, struct region *r) {
    uint32_t block = s->fn->ins.at[barrier].block, at = 0;
    const struct cw_vec_u32 *ins = &s->fn->blocks.at[block].ins;
    struct cw_bitset seen = cw_bitset_new(s->q->arena, s->fn->blocks.n);
    struct cw_vec_u32 work = {0};
    memset(r, 0, sizeof *r);
    while (ins->at[at] != barrier)
        at++;
    if (walk_block(s, block, forwards ? at + 1 : at - 1, forwards, r))
        push_neighbours(s, block, forwards, &seen, &work);
    for (uint32_t k = 0; k < work.n; k++) {
        uint32_t size = s->fn->blocks.at[work.at[k]].ins.n;
        if (walk_block(s, work.at[k], forwards ? 0 : size - 1, forwards, r))
            push_neighbours(s, work.at[k], forwards, &seen, &work);
    }
}

/* A pointer that comes from outside, with nothing said of what else points there. */
static bool is_plain_pointer(const struct search *s, const struct cw_base *b) {
    return b->is_read || (b->root.tag == CW_REF_PARAM && !s->fn->params.at[b->root.index].is_restrict);
}

/* `permute(v, v)`: elsewhere two pointers are two arrays, but here "never" is a claim, and kernels that run in place
 * are called with one array twice. */
static bool may_be_one_array(const struct search *s, const struct cw_base *a, const struct cw_base *b) {
    bool same = cw_ref_eq(a->root, b->root) && a->is_read == b->is_read && a->field == b->field;
    return !same && is_plain_pointer(s, a) && is_plain_pointer(s, b);
}

static bool are_two_names(const struct search *s, const struct access *a, const struct access *b) {
    for (uint32_t k = 0; k < a->bases.n; k++)
        for (uint32_t j = 0; j < b->bases.n; j++)
            if (may_be_one_array(s, &a->bases.at[k], &b->bases.at[j]))
                return true;
    return false;
}

/* How far from where it was given; the pointer itself when that is all of it. */
static bool offset_of(const struct cw_fn *fn, cw_ref pointer, cw_ref *out) {
    const struct cw_ins *i = pointer.tag == CW_REF_INS ? &fn->ins.at[pointer.index] : NULL;
    if (!i || i->op != CW_OP_PTRADD || cw_arg(fn, i, 0).tag != CW_REF_PARAM)
        return false;
    *out = cw_arg(fn, i, 1);
    return true;
}

/* If they are one array, `in[i]` and `out[i]` are one element. */
static bool are_in_step(const struct search *s, const struct access *a, const struct access *b) {
    cw_ref x, y;
    return a->place.size == b->place.size && offset_of(s->fn, a->place.pointer, &x) &&
           offset_of(s->fn, b->place.pointer, &y) && cw_ref_eq(x, y);
}

static bool may_be_one_place(const struct search *s, const struct access *a, const struct access *b) {
    for (uint32_t k = 0; k < a->bases.n; k++)
        for (uint32_t j = 0; j < b->bases.n; j++)
            if (cw_memory_may_meet(s->memory, &a->bases.at[k], 0, &b->bases.at[j], 0))
                return true;
    return false;
}

static bool is_block_wide(const struct search *s, uint32_t launch) {
    return cw_launch_threads(&s->q->launches->at[launch]) > 32;
}

static enum cw_meet meet(struct search *s, uint32_t x, uint32_t y) {
    uint8_t *known = &s->meets[x * ACCESSES + y];
    const struct access *a = &s->access[x], *b = &s->access[y];
    enum cw_meet worst = CW_MEET_NEVER;
    if (*known != 0)
        return (enum cw_meet)(*known - 1);
    struct cw_touched other = b->place;
    bool two_names = are_two_names(s, a, b);
    if (two_names && are_in_step(s, a, b))
        other.pointer = a->place.pointer;
    else if (two_names && (a->writes || b->writes))
        worst = CW_MEET_PERHAPS;
    if ((a->writes || b->writes) && (two_names || may_be_one_place(s, a, b))) {
        for (uint32_t n = 0; n < s->q->launches->n && worst != CW_MEET_PERHAPS; n++) {
            enum cw_meet now = is_block_wide(s, n) ? cw_disjoint_meet(s->q, n, &a->place, &other) : CW_MEET_NEVER;
            worst = now > worst ? now : worst;
        }
    }
    *known = (uint8_t)(worst + 1);
    return worst;
}

/* Another block may learn by an atomic that what was written before the barrier is there, or wait for such news. */
static bool speaks_to_others(const struct access *a, const struct access *b) {
    return (b->atomic && a->global && a->writes) || (a->atomic && b->global);
}

/* ---- verdicts ---- */

static enum cw_meet use_of(struct search *s, uint32_t barrier, struct cw_spare_barrier *out) {
    struct region before, behind;
    enum cw_meet worst = CW_MEET_NEVER;
    collect(s, barrier, false, &before);
    collect(s, barrier, true, &behind);
    for (uint32_t x = 0; x < s->naccesses; x++)
        for (uint32_t y = 0; before.has[x] && y < s->naccesses; y++) {
            if (!behind.has[y])
                continue;
            enum cw_meet now = speaks_to_others(&s->access[x], &s->access[y]) ? CW_MEET_PERHAPS : meet(s, x, y);
            if (now == CW_MEET_PERHAPS)
                return now;
            if (now <= worst)
                continue;
            worst = now;
            out->first = s->access[x].place.ins;
            out->second = s->access[y].place.ins;
        }
    return worst;
}

static bool is_worth_it(const struct search *s) {
    const struct cw_fn *fn = s->fn;
    bool wide = false;
    for (uint32_t n = 0; n < s->q->launches->n; n++)
        wide |= is_block_wide(s, n);
    return wide && fn->kind == CW_FN_KERNEL && !fn->is_pattern && !fn->is_degraded && !fn->cfg->is_irreducible &&
           fn->cfg->endless.n == 0;
}

/* A barrier whose result is used (`__syncthreads_or()`) is there for that. */
static bool is_candidate(const struct search *s, uint32_t barrier) {
    return s->fn->ins.at[barrier].aux == CW_BARRIER_SYNC;
}

/* From the end on, so that of two barriers in a row the second is the one too many. One that is found spare stands no
 * longer when the others are asked about. */
struct cw_spare_barriers cw_spare_barriers_of(const struct cw_kernel_query *q) {
    struct cw_spare_barriers all = {{0}};
    struct search *s = CW_NEW(q->arena, struct search);
    s->q = q;
    s->fn = q->fn;
    if (!is_worth_it(s))
        return all;
    s->memory = cw_memory_new(q->fn, q->arena);
    s->first_access = CW_NEW_ARRAY(q->arena, uint32_t, q->fn->ins.n);
    s->meets = CW_NEW_ARRAY(q->arena, uint8_t, ACCESSES * ACCESSES);
    if (!survey(s))
        return all;
    for (uint32_t k = s->nbarriers; k-- > 0;) {
        struct cw_spare_barrier b = {.ins = s->barrier[k], .first = UINT32_MAX, .second = UINT32_MAX};
        if (!is_candidate(s, b.ins))
            continue;
        s->is_cut[k] = false;
        enum cw_meet use = use_of(s, b.ins, &b);
        s->is_cut[k] = use == CW_MEET_PERHAPS;
        b.orders_warps = use == CW_MEET_IN_WARP;
        while (b.launch + 1 < q->launches->n && !is_block_wide(s, b.launch))
            b.launch++;
        if (use != CW_MEET_PERHAPS)
            cw_vec_push(q->arena, &all.at, b);
    }
    return all;
}
