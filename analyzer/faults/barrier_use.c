/* See barrier_use.h. */
#include "faults/barrier_use.h"

#include "lanes/facts_print.h"

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

static bool is_plain_barrier(const struct search *search, const struct cw_ins *ins) {
    int64_t id, count;
    return ins->op == CW_OP_BARRIER && ins->aux != CW_BARRIER_ARRIVE &&
           cw_ref_const(search->fn, cw_arg(search->fn, ins, 0), &id) && id == 0 &&
           cw_ref_const(search->fn, cw_arg(search->fn, ins, 1), &count) && count == 0 &&
           search->q->uniformity->control[ins->block] <= CW_UNI_BLOCK;
}

/* May something that is not seen rely on a barrier, or order threads by other means? */
static bool is_beyond(const struct search *search, const struct cw_ins *ins) {
    switch ((enum cw_op)ins->op) {
    case CW_OP_BARRIER:
        return !is_plain_barrier(search, ins);
    case CW_OP_CALL: case CW_OP_OPCALL: case CW_OP_ASM: case CW_OP_OPAQUE: case CW_OP_LAUNCH: case CW_OP_FENCE:
    case CW_OP_GRIDSYNC: case CW_OP_CLUSTERSYNC: case CW_OP_MBARINIT: case CW_OP_MBARARRIVE: case CW_OP_MBARWAIT:
    case CW_OP_ASYNCCOPY: case CW_OP_ASYNCCOMMIT: case CW_OP_ASYNCWAIT: case CW_OP_FRAGLOAD: case CW_OP_FRAGSTORE:
    case CW_OP_WGMMA: case CW_OP_ACTIVEMASK:
        return true;
    case CW_OP_LOAD: case CW_OP_STORE:
        return ins->flags & CW_INS_VOLATILE;
    default:
        return false;
    }
}

/* Nobody else sees a local variable; nobody writes constants. */
static bool is_shared_with_others(const struct cw_fn *fn, const struct cw_base *base) {
    enum cw_space space = base->root.tag == CW_REF_OBJECT && !base->is_read ? fn->objects.at[base->root.index].space
                                                                      : CW_SPACE_GLOBAL;
    return space != CW_SPACE_LOCAL && space != CW_SPACE_CONSTANT && space != CW_SPACE_PARAM;
}

static bool is_on_chip(const struct cw_fn *fn, const struct cw_base *base) {
    enum cw_space space = base->root.tag == CW_REF_OBJECT && !base->is_read ? fn->objects.at[base->root.index].space
                                                                      : CW_SPACE_GLOBAL;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* False when there are too many. */
static bool add_accesses(struct search *search, uint32_t ins) {
    const struct cw_ins *i = &search->fn->ins.at[ins];
    struct cw_access acc[2];
    uint32_t n = i->flags & CW_INS_READONLY ? 0 : cw_memory_accesses(search->fn, i, acc);
    for (uint32_t k = 0; k < n; k++) {
        struct access a = {.place = {ins, acc[k].pointer, acc[k].size},
                           .bases = cw_memory_bases(search->fn, acc[k].pointer),
                           .writes = acc[k].writes,
                           .atomic = i->op == CW_OP_ATOMIC};
        bool seen = false;
        for (uint32_t b = 0; b < a.bases.n; b++) {
            seen |= is_shared_with_others(search->fn, &a.bases.at[b]);
            a.global |= !is_on_chip(search->fn, &a.bases.at[b]);
        }
        if (!seen)
            continue;
        if (search->naccesses == ACCESSES || (a.atomic && !a.global))
            return false;
        search->access[search->naccesses++] = a;
        search->first_access[ins] = search->first_access[ins] ? search->first_access[ins] : search->naccesses;
    }
    return true;
}

static bool survey_accesses(struct search *search) {
    const struct cw_cfg *cfg = search->fn->cfg;
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        const struct cw_block *b = &search->fn->blocks.at[cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            const struct cw_ins *i = &search->fn->ins.at[b->ins.at[j]];
            if (is_beyond(search, i) || !add_accesses(search, b->ins.at[j]))
                return false;
            if (i->op != CW_OP_BARRIER)
                continue;
            if (search->nbarriers == BARRIERS)
                return false;
            search->is_cut[search->nbarriers] = true;
            search->barrier[search->nbarriers++] = b->ins.at[j];
        }
    }
    return search->nbarriers > 0;
}

/* ---- what meets without a barrier ---- */

struct region {
    bool has[ACCESSES];
};

static bool is_cut(const struct search *search, uint32_t ins) {
    for (uint32_t k = 0; k < search->nbarriers; k++)
        if (search->barrier[k] == ins)
            return search->is_cut[k];
    return false;
}

/* Collects the accesses from position `from` of the block on, forwards or backwards; true when no barrier stops it. */
static bool walk_block(const struct search *search, uint32_t block, uint32_t from, bool forwards,
                       struct region *region) {
    const struct cw_vec_u32 *ins = &search->fn->blocks.at[block].ins;
    for (uint32_t k = from; k < ins->n; k += forwards ? 1 : UINT32_MAX) {
        uint32_t at = ins->at[k];
        if (is_cut(search, at))
            return false;
        for (uint32_t n = search->first_access[at];
             n != 0 && n <= search->naccesses && search->access[n - 1].place.ins == at; n++)
            region->has[n - 1] = true;
    }
    return true;
}

static void push_neighbours(const struct search *search, uint32_t block, bool forwards, struct cw_bitset *seen,
                            struct cw_vec_u32 *work) {
    const struct cw_block *b = &search->fn->blocks.at[block];
    uint32_t n = forwards ? b->jump.nsucc : b->pred.n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t next = forwards ? b->jump.succ[k] : b->pred.at[k];
        if (cw_bitset_has(seen, next))
            continue;
        cw_bitset_add(seen, next);
        cw_vec_push(search->q->arena, work, next);
    }
}

/* Whatever can run between the barrier and the next one that still stands, in the given direction. */
static void collect_region(const struct search *search, uint32_t barrier, bool forwards, struct region *region) {
    uint32_t block = search->fn->ins.at[barrier].block, at = 0;
    const struct cw_vec_u32 *ins = &search->fn->blocks.at[block].ins;
    struct cw_bitset seen = cw_bitset_new(search->q->arena, search->fn->blocks.n);
    struct cw_vec_u32 work = {0};
    memset(region, 0, sizeof *region);
    while (ins->at[at] != barrier)
        at++;
    if (walk_block(search, block, forwards ? at + 1 : at - 1, forwards, region))
        push_neighbours(search, block, forwards, &seen, &work);
    for (uint32_t k = 0; k < work.n; k++) {
        uint32_t size = search->fn->blocks.at[work.at[k]].ins.n;
        if (walk_block(search, work.at[k], forwards ? 0 : size - 1, forwards, region))
            push_neighbours(search, work.at[k], forwards, &seen, &work);
    }
}

/* A pointer that comes from outside, with nothing said of what else points there. */
static bool is_plain_pointer(const struct search *search, const struct cw_base *base) {
    return base->is_read || (base->root.tag == CW_REF_PARAM && !search->fn->params.at[base->root.index].is_restrict);
}

/* `permute(v, v)`: elsewhere two pointers are two arrays, but here "never" is a claim, and kernels that run in place
 * are called with one array twice. */
static bool may_be_one_array(const struct search *search, const struct cw_base *base, const struct cw_base *other) {
    bool same = cw_ref_eq(base->root, other->root) && base->is_read == other->is_read && base->field == other->field;
    return !same && is_plain_pointer(search, base) && is_plain_pointer(search, other);
}

static bool are_two_names(const struct search *search, const struct access *access, const struct access *other) {
    for (uint32_t k = 0; k < access->bases.n; k++)
        for (uint32_t j = 0; j < other->bases.n; j++)
            if (may_be_one_array(search, &access->bases.at[k], &other->bases.at[j]))
                return true;
    return false;
}

/* How far from where it was given; the pointer itself when that is all of it. Pointers in a structure may lead to
 * different places of one array. */
static bool offset_of(const struct cw_fn *fn, cw_ref pointer, cw_ref *out) {
    const struct cw_ins *i = pointer.tag == CW_REF_INS ? &fn->ins.at[pointer.index] : NULL;
    cw_ref given = i && i->op == CW_OP_PTRADD ? cw_arg(fn, i, 0) : CW_NONE;
    if (given.tag != CW_REF_PARAM || fn->params.at[given.index].part_of)
        return false;
    *out = cw_arg(fn, i, 1);
    return true;
}

/* If they are one array, `in[i]` and `out[i]` are one element. */
static bool are_in_step(const struct search *search, const struct access *access, const struct access *other) {
    cw_ref x, y;
    return access->place.size == other->place.size && offset_of(search->fn, access->place.pointer, &x) &&
           offset_of(search->fn, other->place.pointer, &y) && cw_ref_eq(x, y);
}

static bool may_be_one_place(const struct search *search, const struct access *access, const struct access *other) {
    for (uint32_t k = 0; k < access->bases.n; k++)
        for (uint32_t j = 0; j < other->bases.n; j++)
            if (cw_memory_may_meet(search->memory, &access->bases.at[k], 0, &other->bases.at[j], 0))
                return true;
    return false;
}

static bool is_block_wide(const struct search *search, uint32_t launch) {
    return cw_launch_threads(&search->q->launches->at[launch]) > 32;
}

static enum cw_meet relate_accesses(struct search *search, uint32_t x, uint32_t y) {
    uint8_t *known = &search->meets[x * ACCESSES + y];
    const struct access *a = &search->access[x], *b = &search->access[y];
    enum cw_meet worst = CW_MEET_NEVER;
    if (*known != 0)
        return (enum cw_meet)(*known - 1);
    struct cw_touched other = b->place;
    bool two_names = are_two_names(search, a, b);
    if (two_names && are_in_step(search, a, b))
        other.pointer = a->place.pointer;
    else if (two_names && (a->writes || b->writes))
        worst = CW_MEET_PERHAPS;
    if ((a->writes || b->writes) && (two_names || may_be_one_place(search, a, b))) {
        for (uint32_t n = 0; n < search->q->launches->n && worst != CW_MEET_PERHAPS; n++) {
            enum cw_meet now =
                is_block_wide(search, n) ? cw_disjoint_meet(search->q, n, &a->place, &other) : CW_MEET_NEVER;
            worst = now > worst ? now : worst;
        }
    }
    *known = (uint8_t)(worst + 1);
    return worst;
}

/* Another block may learn by an atomic that what was written before the barrier is there, or wait for such news. */
static bool speaks_to_others(const struct access *access, const struct access *other) {
    return (other->atomic && access->global && access->writes) || (access->atomic && other->global);
}

/* ---- verdicts ---- */

static enum cw_meet use_of(struct search *search, uint32_t barrier, struct cw_spare_barrier *out) {
    struct region before, behind;
    enum cw_meet worst = CW_MEET_NEVER;
    collect_region(search, barrier, false, &before);
    collect_region(search, barrier, true, &behind);
    for (uint32_t x = 0; x < search->naccesses; x++)
        for (uint32_t y = 0; before.has[x] && y < search->naccesses; y++) {
            if (!behind.has[y])
                continue;
            enum cw_meet now = speaks_to_others(&search->access[x], &search->access[y]) ? CW_MEET_PERHAPS
                                                                                        : relate_accesses(search, x, y);
            if (now == CW_MEET_PERHAPS)
                return now;
            if (now <= worst)
                continue;
            worst = now;
            out->first = search->access[x].place.ins;
            out->second = search->access[y].place.ins;
        }
    return worst;
}

static bool is_worth_it(const struct search *search) {
    const struct cw_fn *fn = search->fn;
    bool wide = false;
    for (uint32_t n = 0; n < search->q->launches->n; n++)
        wide |= is_block_wide(search, n);
    return wide && fn->kind == CW_FN_KERNEL && !fn->is_pattern && !fn->is_degraded && !fn->cfg->is_irreducible &&
           fn->cfg->endless.n == 0;
}

/* A barrier whose result is used (`__syncthreads_or()`) is there for that. */
static bool is_candidate(const struct search *search, uint32_t barrier) {
    return search->fn->ins.at[barrier].aux == CW_BARRIER_SYNC;
}

/* From the end on, so that of two barriers in a row the second is the one too many. One that is found spare stands no
 * longer when the others are asked about. */
struct cw_spare_barriers cw_spare_barriers_of(const struct cw_kernel_query *query) {
    struct cw_spare_barriers all = {{0}};
    struct search *s = CW_NEW(query->arena, struct search);
    s->q = query;
    s->fn = query->fn;
    if (!is_worth_it(s))
        return all;
    s->memory = cw_memory_new(query->fn, query->arena);
    s->first_access = CW_NEW_ARRAY(query->arena, uint32_t, query->fn->ins.n);
    s->meets = CW_NEW_ARRAY(query->arena, uint8_t, ACCESSES * ACCESSES);
    if (!survey_accesses(s))
        return all;
    for (uint32_t k = s->nbarriers; k-- > 0;) {
        struct cw_spare_barrier b = {.ins = s->barrier[k], .first = UINT32_MAX, .second = UINT32_MAX};
        if (!is_candidate(s, b.ins))
            continue;
        s->is_cut[k] = false;
        enum cw_meet use = use_of(s, b.ins, &b);
        s->is_cut[k] = use == CW_MEET_PERHAPS;
        b.orders_warps = use == CW_MEET_IN_WARP;
        while (b.launch + 1 < query->launches->n && !is_block_wide(s, b.launch))
            b.launch++;
        if (use != CW_MEET_PERHAPS)
            cw_vec_push(query->arena, &all.at, b);
    }
    return all;
}

/* ---- text form ---- */

void cw_spare_barriers_print(const struct cw_facts_print *to, const struct cw_spare_barriers *barriers) {
    for (uint32_t k = 0; k < barriers->at.n; k++) {
        const struct cw_spare_barrier *spare = &barriers->at.at[k];
        cw_facts_begin(to, true, spare->orders_warps ? "barrier for single warps" : "barrier that orders nothing");
        cw_facts_ins(to, "", spare->ins);
        cw_facts_ins(to, "orders", spare->orders_warps ? spare->first : UINT32_MAX);
        cw_facts_ins(to, "with", spare->orders_warps ? spare->second : UINT32_MAX);
        cw_facts_launch(to, spare->launch, 0);
        cw_facts_end(to);
    }
}
