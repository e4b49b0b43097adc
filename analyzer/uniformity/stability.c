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
static bool starts_phase(const struct cw_fn *fn, const struct cw_ins *i) {
    int64_t id, count;
    switch (i->op) {
    case CW_OP_GRIDSYNC:
        return true;
    case CW_OP_CLUSTERSYNC:
        return i->aux != CW_BARRIER_ARRIVE;
    case CW_OP_BARRIER:
        return i->aux != CW_BARRIER_ARRIVE && cw_ref_const(fn, cw_arg(fn, i, 1), &count) && count == 0 &&
               cw_ref_const(fn, cw_arg(fn, i, 0), &id);
    default:
        return false;
    }
}

/* Numbers the phases; beyond the cap barriers are overlooked, which makes more loads unstable, never fewer. */
static void number_phases(struct work *w) {
    w->nphases = 1;
    w->phase_of = CW_NEW_ARRAY(w->arena, uint32_t, w->fn->ins.n);
    for (uint32_t k = 0; k < w->fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &w->fn->blocks.at[w->fn->cfg->rpo[k]].ins;
        for (uint32_t p = 0; p < list->n; p++)
            if (w->nphases < PHASES_MAX && starts_phase(w->fn, &w->fn->ins.at[list->at[p]]))
                w->phase_of[list->at[p]] = w->nphases++;
    }
}

/* The phase in force after the block's last barrier, 0 when it has none. */
static uint32_t last_phase(const struct work *w, uint32_t block) {
    const struct cw_vec_u32 *list = &w->fn->blocks.at[block].ins;
    for (uint32_t p = list->n; p-- > 0;)
        if (w->phase_of[list->at[p]])
            return w->phase_of[list->at[p]];
    return 0;
}

static bool flow_into(struct work *w, uint32_t block, const uint32_t *last) {
    const struct cw_vec_u32 *pred = &w->fn->blocks.at[block].pred;
    bool grew = false;
    for (uint32_t k = 0; k < pred->n; k++)
        grew |= cw_bitset_join(&w->at_entry[block], &w->at_exit[pred->at[k]]);
    if (!last[block])
        grew |= cw_bitset_join(&w->at_exit[block], &w->at_entry[block]);
    return grew;
}

static void spread_phases(struct work *w) {
    const struct cw_cfg *cfg = w->fn->cfg;
    uint32_t *last = CW_NEW_ARRAY(w->arena, uint32_t, cfg->nblocks);
    w->at_entry = CW_NEW_ARRAY(w->arena, struct cw_bitset, cfg->nblocks);
    w->at_exit = CW_NEW_ARRAY(w->arena, struct cw_bitset, cfg->nblocks);
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        w->at_entry[b] = cw_bitset_new(w->arena, w->nphases);
        w->at_exit[b] = cw_bitset_new(w->arena, w->nphases);
        last[b] = last_phase(w, b);
        if (last[b])
            cw_bitset_add(&w->at_exit[b], last[b]);
    }
    cw_bitset_add(&w->at_entry[0], 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < cfg->nrpo; k++)
            changed |= flow_into(w, cfg->rpo[k], last);
    }
}

/* ---- gathering the writes ---- */

static bool is_same_stretch(const struct writes *x, const struct cw_base *b, uint64_t size, bool by_call) {
    return x->by_call == by_call && cw_ref_eq(x->base.root, b->root) && x->base.is_read == b->is_read &&
           x->base.field == b->field && x->base.exact == b->exact && x->base.extent == b->extent &&
           ((!b->exact && !b->extent) || (x->base.offset == b->offset && x->size == size));
}

static uint64_t hash_of(const struct cw_base *b, uint64_t size) {
    uint64_t h = (uint64_t)b->root.tag << 32 | b->root.index;
    if (b->exact || b->extent)
        h = (h * 0x9E3779B97F4A7C15ULL ^ (uint64_t)b->offset) * 0xD6E8FEB86659FD93ULL ^ size;
    return h;
}

static void add_write(struct work *w, struct cw_base base, uint64_t size, bool by_call,
                      const struct cw_bitset *phases) {
    uint64_t hash = hash_of(&base, size), last = 0;
    cw_map_get(&w->stretches, hash, &last);
    for (uint64_t k = last; k > 0; k = w->writes.at[k - 1].before)
        if (is_same_stretch(&w->writes.at[k - 1], &base, size, by_call)) {
            cw_bitset_join(&w->writes.at[k - 1].phases, phases);
            return;
        }
    struct writes x = {base, size, cw_bitset_new(w->arena, w->nphases), by_call, (uint32_t)last};
    cw_bitset_join(&x.phases, phases);
    cw_vec_push(w->arena, &w->writes, x);
    cw_map_put(&w->stretches, hash, w->writes.n);
}

static void add_writes(struct work *w, cw_ref pointer, uint64_t size, const struct cw_bitset *phases) {
    struct cw_bases bases = cw_memory_bases(w->fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++)
        add_write(w, bases.at[k], size, false, phases);
}

static void add_call(struct work *w, const struct cw_ins *i, const struct cw_bitset *phases) {
    add_write(w, (struct cw_base){.root = CW_NONE}, 0, true, phases);
    for (uint32_t k = 0; k < i->narg; k++)
        if (cw_ref_type(w->fn, cw_arg(w->fn, i, k)) == CW_PTR)
            add_writes(w, cw_arg(w->fn, i, k), 0, phases);
}

static void gather(struct work *w, const struct cw_ins *i, const struct cw_bitset *phases) {
    struct cw_access acc[2];
    if (cw_memory_is_call(i))
        add_call(w, i, phases);
    for (uint32_t n = cw_memory_accesses(w->fn, i, acc); n-- > 0;)
        if (acc[n].writes)
            add_writes(w, acc[n].pointer, acc[n].size, phases);
}

/* ---- judging the loads ---- */

static bool is_private(const struct cw_fn *fn, const struct cw_base *b) {
    return b->root.tag == CW_REF_OBJECT && !b->is_read && fn->objects.at[b->root.index].space == CW_SPACE_LOCAL;
}

static bool is_constant(const struct cw_fn *fn, const struct cw_base *b) {
    if (b->is_read || b->root.tag == CW_REF_NONE)
        return false;
    if (b->root.tag == CW_REF_PARAM)
        return fn->params.at[b->root.index].is_restrict && fn->params.at[b->root.index].points_to_const;
    enum cw_space space = fn->objects.at[b->root.index].space;
    return space == CW_SPACE_CONSTANT || space == CW_SPACE_PARAM;
}

/* A kernel's `const T *` parameter is taken to be read by all and written by none, as pointer parameters are taken not
 * to overlap: a store through a pointer that was loaded goes elsewhere. */
static bool is_elsewhere(const struct cw_fn *fn, const struct writes *x, const struct cw_base *b) {
    return !x->by_call && (x->base.root.tag == CW_REF_NONE || x->base.is_read) && fn->kind == CW_FN_KERNEL &&
           b->root.tag == CW_REF_PARAM && !b->is_read && fn->params.at[b->root.index].points_to_const;
}

static bool share_a_member(const struct cw_bitset *a, const struct cw_bitset *b) {
    for (uint32_t k = 0; k < cw_bitset_words(a->n); k++)
        if (a->word[k] & b->word[k])
            return true;
    return false;
}

static void judge_base(struct work *w, uint32_t ins, const struct cw_base *b, const struct cw_bitset *phases) {
    if (is_private(w->fn, b) || is_constant(w->fn, b))
        return;
    for (uint32_t k = 0; k < w->writes.n; k++) {
        const struct writes *x = &w->writes.at[k];
        if (is_elsewhere(w->fn, x, b) ||
            !cw_memory_may_meet(w->out->memory, &x->base, x->size, b, w->fn->ins.at[ins].aux))
            continue;
        cw_bitset_add(&w->out->written, ins);
        if (share_a_member(&x->phases, phases))
            cw_bitset_add(&w->out->unstable, ins);
    }
}

static void judge(struct work *w, uint32_t ins, const struct cw_bitset *phases) {
    const struct cw_ins *i = &w->fn->ins.at[ins];
    if (i->op != CW_OP_LOAD || (i->flags & CW_INS_READONLY))
        return;
    struct cw_bases bases = cw_memory_bases(w->fn, cw_arg(w->fn, i, 0));
    bool all_private = true;
    for (uint32_t k = 0; k < bases.n; k++) {
        judge_base(w, ins, &bases.at[k], phases);
        all_private &= is_private(w->fn, &bases.at[k]);
    }
    if ((i->flags & CW_INS_VOLATILE) && !all_private)
        cw_bitset_add(&w->out->unstable, ins);
}

/* Walks all instructions in order with the phases in force at each. `barrier` itself belongs to the phase it ends. */
static void walk(struct work *w, bool judging) {
    struct cw_bitset now = cw_bitset_new(w->arena, w->nphases);
    for (uint32_t k = 0; k < w->fn->cfg->nrpo; k++) {
        uint32_t block = w->fn->cfg->rpo[k];
        const struct cw_vec_u32 *list = &w->fn->blocks.at[block].ins;
        for (uint32_t x = 0; x < cw_bitset_words(now.n); x++)
            now.word[x] = w->at_entry[block].word[x];
        for (uint32_t p = 0; p < list->n; p++) {
            uint32_t phase = w->phase_of[list->at[p]];
            if (judging)
                judge(w, list->at[p], &now);
            else
                gather(w, &w->fn->ins.at[list->at[p]], &now);
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
    walk(&w, false);
    walk(&w, true);
    cw_arena_free(&scratch);
    return s;
}
