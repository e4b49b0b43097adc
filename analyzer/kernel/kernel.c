/* computes: the code of one kernel ready for questions, its launches, and the evaluators that all analyses share.
 * requires: see kernel.h. Cost: bounded by the caller's budget of instructions and of work. */
#include "kernel/kernel_internal.h"

#include "ir/callee_syncs.h"
#include "ir/ir.h"
#include "kernel/ask/values.h"
#include "lanes/launch_fit.h"
#include "uniformity/alias.h"

#include <string.h>

enum {
    MAX_POINTER_ROUNDS = 3,  /* calls through pointers that calls through pointers are given */
    THREAD_VALUES = 1 << 27, /* lane evaluator: values times threads */
    MIN_BUDGET = 512,
    MAX_BUDGET = 1 << 20
};

/* ---- the code ---- */

/* Callees as they were lowered, where these fit: what they say of variables is what the user wrote. */
static struct cw_fn *inline_calls(const struct cw_fn *fn, uint32_t instructions, struct cw_arena *a) {
    uint32_t before = fn->bails[CW_BAIL_INLINE_BUDGET];
    struct cw_fn *whole = cw_inline(fn, a, instructions);
    return whole->bails[CW_BAIL_INLINE_BUDGET] == before ? whole : cw_inline_condensed(fn, a, instructions);
}

struct cw_kernel *cw_kernel_new(const struct cw_module *module, struct cw_fn *fn, uint32_t instructions,
                                struct cw_arena *a) {
    struct cw_kernel *k = CW_NEW(a, struct cw_kernel);
    *k = (struct cw_kernel){.module = module, .fn = inline_calls(fn, instructions, a), .arena = a};
    cw_optimize(k->fn);
    for (int round = 0; round < MAX_POINTER_ROUNDS && cw_indirect_calls(k->fn, a); round++) {
        k->fn = inline_calls(k->fn, instructions, a);
        cw_optimize(k->fn);
    }
    k->fn->cfg = cw_cfg_build(k->fn);
    return k;
}

struct cw_fn *cw_kernel_draft(struct cw_kernel *kernel) {
    return kernel->fn;
}

void cw_kernel_launch(struct cw_kernel *kernel, const struct cw_launch_options *options, bool is_unread,
                      bool lacks_caller) {
    cw_memory_keep_bases(kernel->fn);
    kernel->launches = cw_launches_of(kernel->module, kernel->fn, options, cw_launch_fits, kernel->arena);
    if (!kernel->launches.from_facts && is_unread) /* nobody knows which block that launch has */
        kernel->launches.fits_none = true;
    kernel->launches.lacks_caller = lacks_caller;
    kernel->uniformity = cw_uniformity(kernel->fn, cw_shape_facts_of(&kernel->launches), kernel->arena);
    memcpy(kernel->reasons, kernel->fn->bails, sizeof kernel->reasons);
}

const struct cw_module *cw_kernel_module(const struct cw_kernel *kernel) {
    return kernel->module;
}

const struct cw_fn *cw_kernel_fn(const struct cw_kernel *kernel) {
    return kernel->fn;
}

const struct cw_launches *cw_kernel_launches(const struct cw_kernel *kernel) {
    return &kernel->launches;
}

const struct cw_uniformity *cw_kernel_uniformity(const struct cw_kernel *kernel) {
    return kernel->uniformity;
}

struct cw_arena *cw_kernel_arena(struct cw_kernel *kernel) {
    return kernel->arena;
}

/* ---- reasons for giving up ---- */

const uint32_t *cw_kernel_reasons(const struct cw_kernel *kernel) {
    return kernel->reasons;
}

void cw_kernel_gave_up(struct cw_kernel *kernel, enum cw_bail why, uint32_t times) {
    kernel->reasons[why] += times;
}

/* ---- evaluators ---- */

/* How many (value, context) pairs an evaluator for that many threads may compute. */
static uint32_t budget_for(uint32_t threads) {
    uint32_t budget = THREAD_VALUES / (threads ? threads : 1);
    return budget < MIN_BUDGET ? MIN_BUDGET : budget > MAX_BUDGET ? MAX_BUDGET : budget;
}

void cw_kernel_allow(struct cw_kernel *kernel, uint64_t work) {
    kernel->work_left = work;
}

struct cw_lanes *cw_kernel_new_lanes(struct cw_kernel *kernel, uint32_t launch, uint32_t sample) {
    const struct cw_launch *l = &kernel->launches.at[launch];
    uint32_t budget = budget_for(cw_launch_threads(l));
    struct cw_lanes *lanes = cw_lanes_new(kernel->fn, kernel->uniformity, l, sample, budget, kernel->arena);
    cw_lanes_share_reasons(lanes, kernel->reasons);
    cw_lanes_share_work(lanes, &kernel->work_left);
    cw_vec_push(kernel->arena, &kernel->made, lanes);
    return lanes;
}

void cw_kernel_renew_lanes(struct cw_kernel *kernel) {
    for (uint32_t i = 0; kernel->lanes && i < kernel->launches.n * CW_SAMPLES; i++)
        if (kernel->lanes[i] && cw_lanes_exhausted(kernel->lanes[i]) && !cw_lanes_is_trapped(kernel->lanes[i]))
            kernel->lanes[i] = NULL;
}

struct cw_lanes_cells cw_kernel_cells(const struct cw_kernel *kernel) {
    struct cw_lanes_cells sum = {0};
    for (uint32_t i = 0; i < kernel->made.n; i++) {
        struct cw_lanes_cells cells = cw_lanes_cells_of(kernel->made.at[i]);
        sum.evaluated += cells.evaluated;
        sum.reused += cells.reused;
    }
    return sum;
}

/* The asked choice of sizes, or another one where that ends in a trap: a check in the kernel excludes those sizes. For
 * sample 1 it is not the one that stands for sample 0, so that there are two choices. */
static struct cw_lanes *find_lanes_without_trap(struct cw_kernel *kernel, uint32_t launch, uint32_t sample) {
    const uint32_t others[] = {sample % CW_SAMPLE_DATA == 1 ? CW_SAMPLE_WHOLE : 2, 2, CW_SAMPLE_ROUND, 1, 0};
    uint32_t data = sample / CW_SAMPLE_DATA * CW_SAMPLE_DATA;
    struct cw_lanes *first = cw_kernel_new_lanes(kernel, launch, sample);
    if (!cw_lanes_traps(first))
        return first;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct cw_lanes *next = cw_kernel_new_lanes(kernel, launch, data + others[i]);
        if (data + others[i] != sample && !cw_lanes_traps(next))
            return next;
    }
    first = cw_kernel_new_lanes(kernel, launch, sample);
    cw_lanes_abandon_trapped(first);
    return first;
}

struct cw_lanes *cw_kernel_lanes(struct cw_kernel *kernel, uint32_t launch, uint32_t sample) {
    uint32_t kept = sample % CW_SAMPLES;
    if (!kernel->lanes)
        kernel->lanes = CW_NEW_ARRAY(kernel->arena, struct cw_lanes *, kernel->launches.n * CW_SAMPLES + 1);
    struct cw_lanes **slot = &kernel->lanes[launch * CW_SAMPLES + kept];
    if (!*slot)
        *slot = find_lanes_without_trap(kernel, launch, kept);
    return *slot;
}
