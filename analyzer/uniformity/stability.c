/* requires: SSA, fn->cfg. computes: the stability of every load. preserves: everything.
 *
 * Volatile loads are never stable; loads of constant memory, by-value parameters, `const T *__restrict__` parameters,
 * __ldg and private memory always are. */
#include "uniformity/stability.h"

#include "base/map.h"

enum { PHASES_MAX = 4096 };

/* All writes to one stretch of memory, and the phases in which they may happen. */
struct writes {
    struct cw_base base;
    uint64_t size;
    struct cw_bitset phases;
    bool by_call; /* by an unknown call: reaches every exposed base */
    uint32_t before; /* 1 + index of the one before with the same hash, 0: none */
};

struct work {
    const struct cw_fn *fn;
    struct cw_arena *arena;
    struct cw_stability *out;
    uint32_t nphases;
    uint32_t *phase_of;        /* instruction -> phase it starts, 0 when none; phase 0 starts at the entry */
    struct cw_bitset *at_entry; /* block -> phases that reach its beginning */
    struct cw_bitset *at_exit;
    CW_VEC(struct writes) writes;
    struct cw_map stretches; /* hash of a stretch -> 1 + index of the last write to such a one */
};

/* A barrier of all threads of the block at which they wait. Named and counted barriers order some threads only. */
bool cw_starts_phase(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t id, count;
    switch (ins->op) {
    case CW_OP_GRIDSYNC:
        return true;
    case CW_OP_CLUSTERSYNC:
        return ins->aux != CW_BARRIER_ARRIVE;
    case CW_OP_BARRIER:
        return ins->aux != CW_BARRIER_ARRIVE && cw_ref_const(fn, cw_arg(fn, ins, 1), &count) && count == 0 &&
               cw_ref_const(fn, cw_arg(fn, ins, 0), &id);
    default:
        return false;
    }
}

/* Numbers the phases; beyond the cap barriers are overlooked, which makes more loads unstable, never fewer. */
static void number_phases(struct work *work) {
    work->nphases = 1;
    work->phase_of = CW_NEW_ARRAY(work->arena, uint32_t, work->fn->ins.n);
    for (uint32_t k = 0; k < work->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &work->fn->blocks.at[work->fn->cfg->rpo[k]].ins;
        for (uint32_t p = 0; p < list->n; p++)
            if (work->nphases < PHASES_MAX && cw_starts_phase(work->fn, &work->fn->ins.at[list->at[p]]))
                work->phase_of[list->at[p]] = work->nphases++;
    }
}

/* The phase in force after the block's last barrier, 0 when it has none. */
static uint32_t last_phase(const struct work *work, uint32_t block) {
    const struct cw_vec_u32 *list = &work->fn->blocks.at[block].ins;
    for (uint32_t p = list->n; p-- > 0;)
        if (work->phase_of[list->at[p]])
            return work->phase_of[list->at[p]];
    return 0;
}

static bool flow_into(struct work *work, uint32_t block, const uint32_t *last) {
    const struct cw_vec_u32 *pred = &work->fn->blocks.at[block].pred;
    bool grew = false;
    for (uint32_t k = 0; k < pred->n; k++)
        grew |= cw_bitset_join(&work->at_entry[block], &work->at_exit[pred->at[k]]);
    if (!last[block])
        grew |= cw_bitset_join(&work->at_exit[block], &work->at_entry[block]);
    return grew;
}

static void spread_phases(struct work *work) {
    const struct cw_cfg *cfg = work->fn->cfg;
    uint32_t *last = CW_NEW_ARRAY(work->arena, uint32_t, cfg->nblocks);
    work->at_entry = CW_NEW_ARRAY(work->arena, struct cw_bitset, cfg->nblocks);
    work->at_exit = CW_NEW_ARRAY(work->arena, struct cw_bitset, cfg->nblocks);
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        work->at_entry[b] = cw_bitset_new(work->arena, work->nphases);
        work->at_exit[b] = cw_bitset_new(work->arena, work->nphases);
        last[b] = last_phase(work, b);
        if (last[b])
            cw_bitset_add(&work->at_exit[b], last[b]);
    }
    cw_bitset_add(&work->at_entry[0], 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < cfg->nrpo; k++)
            changed |= flow_into(work, cfg->rpo[k], last);
    }
}

/* ---- gathering the writes ---- */

static bool is_same_stretch(const struct writes *writes, const struct cw_base *base, uint64_t size, bool by_call) {
    return writes->by_call == by_call && cw_ref_eq(writes->base.root, base->root) &&
           writes->base.is_read == base->is_read && writes->base.field == base->field &&
           writes->base.fields == base->fields &&
           writes->base.array == base->array && writes->base.exact == base->exact &&
           writes->base.extent == base->extent &&
           ((!base->exact && !base->extent) || (writes->base.offset == base->offset && writes->size == size));
}

static uint64_t hash_of(const struct cw_base *base, uint64_t size) {
    uint64_t h = ((uint64_t)base->root.tag << 32 | base->root.index) + base->array;
    if (base->exact || base->extent)
        h = (h * 0x9E3779B97F4A7C15ULL ^ (uint64_t)base->offset) * 0xD6E8FEB86659FD93ULL ^ size;
    return h;
}

static void add_write(struct work *work, struct cw_base base, uint64_t size, bool by_call,
                      const struct cw_bitset *phases) {
    uint64_t hash = hash_of(&base, size), last = 0;
    cw_map_get(&work->stretches, hash, &last);
    for (uint64_t k = last; k > 0; k = work->writes.at[k - 1].before)
        if (is_same_stretch(&work->writes.at[k - 1], &base, size, by_call)) {
            cw_bitset_join(&work->writes.at[k - 1].phases, phases);
            return;
        }
    struct writes x = {base, size, cw_bitset_new(work->arena, work->nphases), by_call, (uint32_t)last};
    cw_bitset_join(&x.phases, phases);
    cw_vec_push(work->arena, &work->writes, x);
    cw_map_put(&work->stretches, hash, work->writes.n);
}

static void add_writes(struct work *work, cw_ref pointer, uint64_t size, const struct cw_bitset *phases) {
    struct cw_bases bases = cw_memory_bases(work->fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++)
        add_write(work, bases.at[k], size, false, phases);
}

static void add_call(struct work *work, const struct cw_ins *ins, const struct cw_bitset *phases) {
    add_write(work, (struct cw_base){.root = CW_NONE}, 0, true, phases);
    for (uint32_t k = 0; k < ins->narg; k++)
        if (cw_ref_type(work->fn, cw_arg(work->fn, ins, k)) == CW_PTR)
            add_writes(work, cw_arg(work->fn, ins, k), 0, phases);
}

static void gather_accesses(struct work *work, const struct cw_ins *ins, const struct cw_bitset *phases) {
    struct cw_access acc[2];
    if (cw_memory_is_call(ins))
        add_call(work, ins, phases);
    for (uint32_t n = cw_memory_accesses(work->fn, ins, acc); n-- > 0;)
        if (acc[n].writes)
            add_writes(work, acc[n].pointer, acc[n].size, phases);
}

/* ---- judging the loads ---- */

static bool is_private(const struct cw_fn *fn, const struct cw_base *base) {
    return base->root.tag == CW_REF_OBJECT && !base->is_read &&
           fn->objects.at[base->root.index].space == CW_SPACE_LOCAL;
}

static bool is_constant(const struct cw_fn *fn, const struct cw_base *base) {
    if (base->is_read || base->root.tag == CW_REF_NONE)
        return false;
    if (base->root.tag == CW_REF_PARAM)
        return fn->params.at[base->root.index].is_restrict && fn->params.at[base->root.index].points_to_const;
    enum cw_space space = fn->objects.at[base->root.index].space;
    return space == CW_SPACE_CONSTANT || space == CW_SPACE_PARAM;
}

/* A kernel's `const T *` parameter is taken to be read by all and written by none, as pointer parameters are taken not
 * to overlap: a store through a pointer that was loaded goes elsewhere. */
static bool is_elsewhere(const struct cw_fn *fn, const struct writes *writes, const struct cw_base *base) {
    return !writes->by_call && (writes->base.root.tag == CW_REF_NONE || writes->base.is_read) &&
           fn->kind == CW_FN_KERNEL && base->root.tag == CW_REF_PARAM && !base->is_read &&
           fn->params.at[base->root.index].points_to_const;
}

static bool share_a_member(const struct cw_bitset *bitset, const struct cw_bitset *other) {
    for (uint32_t k = 0; k < cw_bitset_words(bitset->n); k++)
        if (bitset->word[k] & other->word[k])
            return true;
    return false;
}

static void judge_base(struct work *work, uint32_t ins, const struct cw_base *base, const struct cw_bitset *phases) {
    if (is_private(work->fn, base) || is_constant(work->fn, base))
        return;
    for (uint32_t k = 0; k < work->writes.n; k++) {
        const struct writes *x = &work->writes.at[k];
        if (is_elsewhere(work->fn, x, base) ||
            !cw_memory_may_meet(work->out->memory, &x->base, x->size, base, work->fn->ins.at[ins].aux))
            continue;
        cw_bitset_add(&work->out->written, ins);
        if (share_a_member(&x->phases, phases))
            cw_bitset_add(&work->out->unstable, ins);
    }
}

static void judge_load(struct work *work, uint32_t ins, const struct cw_bitset *phases) {
    const struct cw_ins *i = &work->fn->ins.at[ins];
    if (i->op != CW_OP_LOAD || (i->flags & CW_INS_READONLY))
        return;
    struct cw_bases bases = cw_memory_bases(work->fn, cw_arg(work->fn, i, 0));
    for (uint32_t k = 0; k < bases.n; k++)
        judge_base(work, ins, &bases.at[k], phases);
    if (cw_memory_is_volatile(work->fn, i))
        cw_bitset_add(&work->out->unstable, ins);
}

/* Walks all instructions in order with the phases in force at each. `barrier` itself belongs to the phase it ends. */
static void walk_phases(struct work *work, bool judging) {
    struct cw_bitset now = cw_bitset_new(work->arena, work->nphases);
    for (uint32_t k = 0; k < work->fn->cfg->nrpo; k++) {
        uint32_t block = work->fn->cfg->rpo[k];
        const struct cw_vec_u32 *list = &work->fn->blocks.at[block].ins;
        for (uint32_t x = 0; x < cw_bitset_words(now.n); x++)
            now.word[x] = work->at_entry[block].word[x];
        for (uint32_t p = 0; p < list->n; p++) {
            uint32_t phase = work->phase_of[list->at[p]];
            if (judging)
                judge_load(work, list->at[p], &now);
            else
                gather_accesses(work, &work->fn->ins.at[list->at[p]], &now);
            for (uint32_t x = 0; phase && x < cw_bitset_words(now.n); x++)
                now.word[x] = 0;
            if (phase)
                cw_bitset_add(&now, phase);
        }
    }
}

struct cw_stability *cw_stability_new(const struct cw_fn *fn, struct cw_arena *a) {
    struct cw_stability *s = CW_NEW(a, struct cw_stability);
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    s->memory = cw_memory_new(fn, a);
    s->unstable = cw_bitset_new(a, fn->ins.n);
    s->written = cw_bitset_new(a, fn->ins.n);
    struct work w = {.fn = fn, .arena = &scratch, .out = s};
    cw_map_init(&w.stretches, &scratch);
    number_phases(&w);
    spread_phases(&w);
    walk_phases(&w, false);
    walk_phases(&w, true);
    cw_arena_free(&scratch);
    return s;
}
