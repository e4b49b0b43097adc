/* See stability.h. A load and a write with a phase in common need not be able to run at the same time: a thread is
 * at the one and another thread at the other only if a way without a barrier leads from one to the other, or if the
 * threads parted at a branch that they decide differently, and each of the two stands in an arm of such a branch.
 * After
 *
 *     for (…) { if (p) write; __syncthreads(); … __syncthreads(); }
 *     load;
 *
 * the last barrier begins the phase of both, but all threads go on with the loop, or none. Where threads leave the
 * loop at different times, one may be behind it while another is in it.
 *
 * What a loop ends by is often read in the loop: the load is stable if all threads leave alike, and they do if it is
 * stable. So the loads that are left are assumed to be stable, all at once, and those are taken back that a write can
 * still run beside, until none is. The others hold: the first of them at which two threads read different values, in
 * time, would follow decisions that all threads took alike, and under these no write runs beside it. */
#include "uniformity/stability.h"
#include "uniformity/uniformity.h"

struct write {
    uint32_t ins;
    struct cw_bases bases;
    uint64_t size;
};

struct refining {
    const struct cw_fn *fn;
    const struct cw_stability *stability;
    const struct cw_uniformity *uniformity;
    struct cw_arena *arena;
    CW_VEC(struct write) writes;
    uint32_t *barriers; /* before each instruction in its block */
    uint32_t *in_block; /* barriers of each block */
    struct cw_bitset before, behind; /* of the load: blocks whose end leads to it, and to whose beginning it leads */
};

static void add_write(struct refining *refining, uint32_t ins, struct cw_bases bases, uint64_t size) {
    cw_vec_push(refining->arena, &refining->writes, ((struct write){ins, bases, size}));
}

static void add_call(struct refining *refining, uint32_t ins) {
    const struct cw_ins *call = &refining->fn->ins.at[ins];
    add_write(refining, ins, (struct cw_bases){.at = {{.root = CW_NONE}}, .n = 1}, 0);
    for (uint32_t k = 0; k < call->narg; k++)
        if (cw_ref_type(refining->fn, cw_arg(refining->fn, call, k)) == CW_PTR)
            add_write(refining, ins, cw_memory_bases(refining->fn, cw_arg(refining->fn, call, k)), 0);
}

static void gather_writes(struct refining *refining) {
    const struct cw_fn *fn = refining->fn;
    for (uint32_t r = 0; r < fn->cfg->nrpo; r++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->rpo[r]].ins;
        for (uint32_t p = 0; p < list->n; p++) {
            struct cw_access access[2];
            uint32_t n = cw_memory_accesses(fn, &fn->ins.at[list->at[p]], access);
            if (cw_memory_is_call(&fn->ins.at[list->at[p]]))
                add_call(refining, list->at[p]);
            for (uint32_t k = 0; k < n; k++)
                if (access[k].writes)
                    add_write(refining, list->at[p], cw_memory_bases(fn, access[k].pointer), access[k].size);
        }
    }
}

static void count_barriers(struct refining *refining) {
    const struct cw_fn *fn = refining->fn;
    refining->barriers = CW_NEW_ARRAY(refining->arena, uint32_t, fn->ins.n);
    refining->in_block = CW_NEW_ARRAY(refining->arena, uint32_t, fn->blocks.n);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            uint32_t ins = fn->blocks.at[b].ins.at[k];
            refining->barriers[ins] = refining->in_block[b];
            refining->in_block[b] += cw_starts_phase(fn, &fn->ins.at[ins]);
        }
}

/* Of the instruction's block. */
static bool is_barrier_behind(const struct refining *refining, uint32_t ins) {
    return refining->in_block[refining->fn->ins.at[ins].block] > refining->barriers[ins];
}

static void spread_behind(struct refining *refining, uint32_t load) {
    const struct cw_fn *fn = refining->fn;
    struct cw_vec_u32 todo = {0};
    uint32_t block = fn->ins.at[load].block;
    bool is_closed = is_barrier_behind(refining, load);
    refining->behind = cw_bitset_new(refining->arena, fn->blocks.n);
    for (;;) {
        const struct cw_jump *jump = &fn->blocks.at[block].jump;
        for (uint32_t k = 0; k < jump->nsucc && !is_closed; k++)
            if (!cw_bitset_has(&refining->behind, jump->succ[k])) {
                cw_bitset_add(&refining->behind, jump->succ[k]);
                cw_vec_push(refining->arena, &todo, jump->succ[k]);
            }
        if (todo.n == 0)
            return;
        block = todo.at[--todo.n];
        is_closed = refining->in_block[block] > 0;
    }
}

static void spread_before(struct refining *refining, uint32_t load) {
    const struct cw_fn *fn = refining->fn;
    struct cw_vec_u32 todo = {0};
    uint32_t block = fn->ins.at[load].block;
    bool is_closed = refining->barriers[load] > 0;
    refining->before = cw_bitset_new(refining->arena, fn->blocks.n);
    for (;;) {
        const struct cw_vec_u32 *pred = &fn->blocks.at[block].pred;
        for (uint32_t k = 0; k < pred->n && !is_closed; k++)
            if (!cw_bitset_has(&refining->before, pred->at[k])) {
                cw_bitset_add(&refining->before, pred->at[k]);
                cw_vec_push(refining->arena, &todo, pred->at[k]);
            }
        if (todo.n == 0)
            return;
        block = todo.at[--todo.n];
        is_closed = refining->in_block[block] > 0;
    }
}

/* Is there a way without a barrier from the load to the write, or back? */
static bool is_on_the_way(const struct refining *refining, uint32_t load, uint32_t write) {
    uint32_t at = refining->fn->ins.at[load].block, block = refining->fn->ins.at[write].block;
    return (cw_bitset_has(&refining->behind, block) && refining->barriers[write] == 0) ||
           (cw_bitset_has(&refining->before, block) && !is_barrier_behind(refining, write)) ||
           (at == block && refining->barriers[load] == refining->barriers[write]);
}

/* Is the block in a loop without the other one that threads may leave at different times? leads: blocks whose end leads
 * to the other one without a barrier, NULL: all may. */
static bool may_be_left_before(const struct refining *refining, uint32_t block, uint32_t other,
                               const struct cw_bitset *leads) {
    const struct cw_cfg *cfg = refining->fn->cfg;
    for (uint32_t loop = cfg->loop_of[block]; loop != CW_NO_LOOP; loop = cfg->loops.at[loop].parent) {
        if (cw_cfg_in_loop(cfg, loop, other))
            return false;
        for (uint32_t k = 0; k < cfg->loops.at[loop].exits.n; k++) {
            uint32_t exit = cfg->loops.at[loop].exits.at[k].block;
            bool is_common = refining->uniformity->control[exit] <= CW_UNI_BLOCK &&
                             cw_uni_of(refining->uniformity, refining->fn->blocks.at[exit].jump.value) <= CW_UNI_BLOCK;
            if (!is_common && (!leads || cw_bitset_has(leads, exit)))
                return true;
        }
    }
    return false;
}

/* block: of the load. */
static bool may_part(const struct refining *refining, uint32_t block, uint32_t other) {
    const uint8_t *control = refining->uniformity->control;
    return (control[block] > CW_UNI_BLOCK && control[other] > CW_UNI_BLOCK) ||
           may_be_left_before(refining, block, other, NULL) ||
           may_be_left_before(refining, other, block, &refining->before);
}

static bool may_meet(const struct refining *refining, const struct write *write, const struct cw_bases *from,
                     uint64_t size) {
    for (uint32_t k = 0; k < write->bases.n; k++)
        for (uint32_t j = 0; j < from->n; j++)
            if (cw_memory_may_meet(refining->stability->memory, &write->bases.at[k], write->size, &from->at[j], size))
                return true;
    return false;
}

static bool is_stable(struct refining *refining, uint32_t load) {
    const struct cw_fn *fn = refining->fn;
    struct cw_bases from = cw_memory_bases(fn, cw_arg(fn, &fn->ins.at[load], 0));
    spread_behind(refining, load);
    spread_before(refining, load);
    for (uint32_t k = 0; k < refining->writes.n; k++) {
        const struct write *w = &refining->writes.at[k];
        bool is_parted = may_part(refining, fn->ins.at[load].block, fn->ins.at[w->ins].block);
        if ((is_parted || is_on_the_way(refining, load, w->ins)) && may_meet(refining, w, &from, fn->ins.at[load].aux))
            return false;
    }
    return true;
}

static bool is_plain_load(const struct cw_fn *fn, uint32_t ins) {
    return fn->ins.at[ins].op == CW_OP_LOAD && !cw_memory_is_volatile(fn, &fn->ins.at[ins]);
}

bool cw_stability_refine(struct cw_stability *stability, const struct cw_fn *fn,
                         const struct cw_uniformity *uniformity) {
    struct cw_arena scratch;
    struct refining refining = {.fn = fn, .stability = stability, .uniformity = uniformity, .arena = &scratch};
    bool is_better = false;
    if (fn->cfg->is_irreducible)
        return false;
    cw_arena_init(&scratch);
    count_barriers(&refining);
    gather_writes(&refining);
    for (uint32_t ins = 0; ins < fn->ins.n; ins++)
        if (is_plain_load(fn, ins) && cw_bitset_has(&stability->unstable, ins) && is_stable(&refining, ins)) {
            cw_bitset_remove(&stability->unstable, ins);
            is_better = true;
        }
    cw_arena_free(&scratch);
    return is_better;
}

bool cw_stability_assume(struct cw_stability *stability, const struct cw_fn *fn) {
    bool is_assumed = false;
    for (uint32_t ins = 0; ins < fn->ins.n && !fn->cfg->is_irreducible; ins++)
        if (is_plain_load(fn, ins) && cw_bitset_has(&stability->unstable, ins)) {
            cw_bitset_remove(&stability->unstable, ins);
            is_assumed = true;
        }
    return is_assumed;
}

bool cw_stability_refute(struct cw_stability *stability, const struct cw_fn *fn,
                         const struct cw_uniformity *uniformity, const struct cw_bitset *assumed) {
    struct cw_arena scratch;
    struct refining refining = {.fn = fn, .stability = stability, .uniformity = uniformity, .arena = &scratch};
    bool is_refuted = false;
    cw_arena_init(&scratch);
    count_barriers(&refining);
    gather_writes(&refining);
    for (uint32_t ins = 0; ins < fn->ins.n; ins++) {
        if (!cw_bitset_has(assumed, ins) || cw_bitset_has(&stability->unstable, ins))
            continue;
        bool is_one_place = cw_uni_of(uniformity, cw_arg(fn, &fn->ins.at[ins], 0)) < CW_UNI_DIVERGENT;
        if (!is_one_place || !is_stable(&refining, ins)) {
            cw_bitset_add(&stability->unstable, ins);
            is_refuted = true;
        }
    }
    cw_arena_free(&scratch);
    return is_refuted;
}
