/* computes: the code of one kernel ready for questions, its launches, and the evaluators that all analyses share.
 * requires: see kernel.h. Cost: bounded by the caller's budget of instructions and of work. */
#include "kernel/kernel_internal.h"

#include "ir/callee_syncs.h"
#include "ir/ir.h"
#include "kernel/ask/values.h"
#include "lanes/launch_fit.h"

#include <string.h>

enum {
    MAX_POINTER_ROUNDS = 3,  /* calls through pointers that calls through pointers are given */
    THREAD_VALUES = 1 << 27, /* lane evaluator: values times threads */
    MIN_BUDGET = 512,
    MAX_BUDGET = 1 << 20
};

/* ---- the code ---- */

struct cw_kernel *cw_kernel_new(const struct cw_module *module, struct cw_fn *fn, uint32_t instructions,
                                struct cw_arena *a) {
    struct cw_kernel *k = CW_NEW(a, struct cw_kernel);
    *k = (struct cw_kernel){.module = module, .fn = cw_inline(module, fn, a, instructions), .arena = a};
    cw_optimize(k->fn);
    for (int round = 0; round < MAX_POINTER_ROUNDS && cw_indirect_calls(k->fn, a); round++) {
        k->fn = cw_inline(module, k->fn, a, instructions);
        cw_optimize(k->fn);
    }
    k->fn->cfg = cw_cfg_build(k->fn);
    return k;
}

struct cw_fn *cw_kernel_draft(struct cw_kernel *k) {
    return k->fn;
}

void cw_kernel_launch(struct cw_kernel *k, const struct cw_launch_options *options, bool is_unread) {
    k->launches = cw_launches_of(k->module, k->fn, options, cw_launch_fits, k->arena);
    if (!k->launches.from_facts && is_unread) /* nobody knows which block that launch has */
        k->launches.fits_none = true;
    k->uniformity = cw_uniformity(k->fn, cw_shape_facts_of(&k->launches), k->arena);
    memcpy(k->reasons, k->fn->bails, sizeof k->reasons);
}

const struct cw_module *cw_kernel_module(const struct cw_kernel *k) {
    return k->module;
}

const struct cw_fn *cw_kernel_fn(const struct cw_kernel *k) {
    return k->fn;
}

const struct cw_launches *cw_kernel_launches(const struct cw_kernel *k) {
    return &k->launches;
}

const struct cw_uniformity *cw_kernel_uniformity(const struct cw_kernel *k) {
    return k->uniformity;
}

struct cw_arena *cw_kernel_arena(struct cw_kernel *k) {
    return k->arena;
}

/* ---- reasons for giving up ---- */

const uint32_t *cw_kernel_reasons(const struct cw_kernel *k) {
    return k->reasons;
}

void cw_kernel_gave_up(struct cw_kernel *k, enum cw_bail why, uint32_t times) {
    k->reasons[why] += times;
}

/* ---- evaluators ---- */

/* How many (value, context) pairs an evaluator for that many threads may compute. */
static uint32_t budget_for(uint32_t threads) {
    uint32_t budget = THREAD_VALUES / (threads ? threads : 1);
    return budget < MIN_BUDGET ? MIN_BUDGET : budget > MAX_BUDGET ? MAX_BUDGET : budget;
}

void cw_kernel_allow(struct cw_kernel *k, uint64_t work) {
    k->work_left = work;
}

struct cw_lanes *cw_kernel_new_lanes(struct cw_kernel *k, uint32_t launch, uint32_t sample) {
    const struct cw_launch *l = &k->launches.at[launch];
    uint32_t budget = budget_for(cw_launch_threads(l));
    struct cw_lanes *lanes = cw_lanes_new(k->fn, k->uniformity, l, sample, budget, k->arena);
    cw_lanes_share_reasons(lanes, k->reasons);
    cw_lanes_share_work(lanes, &k->work_left);
    cw_vec_push(k->arena, &k->made, lanes);
    return lanes;
}

void cw_kernel_renew_lanes(struct cw_kernel *k) {
    for (uint32_t i = 0; k->lanes && i < k->launches.n * CW_SAMPLES; i++)
        if (k->lanes[i] && cw_lanes_exhausted(k->lanes[i]) && !cw_lanes_is_trapped(k->lanes[i]))
            k->lanes[i] = NULL;
}

struct cw_lanes_cells cw_kernel_cells(const struct cw_kernel *k) {
    struct cw_lanes_cells sum = {0};
    for (uint32_t i = 0; i < k->made.n; i++) {
        struct cw_lanes_cells cells = cw_lanes_cells_of(k->made.at[i]);
        sum.evaluated += cells.evaluated;
        sum.reused += cells.reused;
    }
    return sum;
}

/* The asked choice of sizes, or another one where that ends in a trap: a check in the kernel excludes those sizes. */
static struct cw_lanes *find_lanes_without_trap(struct cw_kernel *k, uint32_t launch, uint32_t sample) {
    static const uint32_t others[] = {2, CW_SAMPLE_ROUND, 1, 0};
    struct cw_lanes *first = cw_kernel_new_lanes(k, launch, sample);
    if (!cw_lanes_traps(first))
        return first;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct cw_lanes *next = cw_kernel_new_lanes(k, launch, others[i]);
        if (others[i] != sample && !cw_lanes_traps(next))
            return next;
    }
    first = cw_kernel_new_lanes(k, launch, sample);
    cw_lanes_abandon_trapped(first);
    return first;
}

struct cw_lanes *cw_kernel_lanes(struct cw_kernel *k, uint32_t launch, uint32_t sample) {
    uint32_t kept = sample % CW_SAMPLES;
    if (!k->lanes)
        k->lanes = CW_NEW_ARRAY(k->arena, struct cw_lanes *, k->launches.n * CW_SAMPLES + 1);
    struct cw_lanes **slot = &k->lanes[launch * CW_SAMPLES + kept];
    if (!*slot)
        *slot = find_lanes_without_trap(k, launch, kept);
    return *slot;
}
