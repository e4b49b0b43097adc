/* named-barrier-misuse: a named barrier with an impossible number, count or mix of operations
 *
 * ## What it does
 * Reports `bar`/`barrier` instructions (inline PTX and their wrappers) whose barrier number is above 15 or differs
 * between the threads of one warp, whose thread count is not a multiple of 32, that arrive without a count, or that use
 * `.red` and `.sync`/`.arrive` on one barrier at the same time. When the block size is known, also a barrier that waits
 * for more threads than ever come to it, one that two arms of the code give different counts, one that two groups
 * of warps use at the same time, and one whose phases mix: more threads arrive in turn than its count says, or a warp
 * arrives again before the phase is complete.
 *
 * ## Why it is wrong
 * PTX ISA: a barrier is named by a value "0 through 15"; the thread count must be a multiple of the warp size; "a
 * non-zero thread count is required" to arrive; and `.red` "should not be intermixed" with the other forms on one
 * active barrier. All of it is undefined behaviour, mostly a hang. A barrier completes when as many threads have
 * arrived as its count says, each warp counted whole: where fewer come, those that wait never go on; where two groups
 * come, a half of each may complete it. A producer and consumers that share a barrier count both of them: else a phase
 * is complete without the producer, whose arrival then counts for the next one.
 *
 * ## Example
 * ```cuda bad
 * __global__ void pairs(int *out) {
 *     asm volatile("bar.sync %0, %1;" :: "r"(1), "r"(48) : "memory");
 *     out[threadIdx.x] = 1;
 * }
 * ```
 * ```cuda good --block 64
 * __global__ void pairs(int *out) {
 *     asm volatile("bar.sync %0, %1;" :: "r"(1), "r"(64) : "memory");
 *     out[threadIdx.x] = 1;
 * }
 * ```
 *
 * ## How to fix
 * Count whole warps, number the barriers from 1 to 15 (0 is `__syncthreads()`), and choose the number per warp, not per
 * thread.
 *
 * ## When it stays silent
 * When number and count cannot be known, and for producer and consumer warps that meet with correct counts. Threads
 * are counted only where the block size is known, no unseen code is called, and nothing arrives within a loop. Phases
 * are followed up to what cannot be known: whether a warp comes, a wait for memory, unseen code, a long loop.
 *
 * ## References
 * - PTX ISA 9.0, parallel synchronization instructions: `bar`, `barrier`
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "rules/report_barriers.h"

static void add_use(struct cw_rule_ctx *ctx, uint32_t ins, const char *what, const char *help) {
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, ins, "%s", what);
    cw_report_textual(f);
    cw_report_help(ctx, f, "%s", help);
    cw_report_submit(ctx, f);
}

/* Exact number above 15 in a thread that comes, or two numbers within one warp? Text of what is wrong, or NULL. */
static const char *wrong_number(struct cw_rule_ctx *ctx, uint32_t ins) {
    struct cw_lanes *l = ctx->launches->n > 0 ? cw_kernel_lanes(ctx->kernel, 0, 0) : NULL;
    if (l == NULL)
        return NULL;
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    const struct cw_lane_values *v = cw_lanes_eval(l, cw_arg(ctx->fn, i, 0), cw_lanes_first(l, i->block));
    const uint8_t *comes = cw_lanes_reach(l, i->block, cw_lanes_first(l, i->block));
    uint32_t seen = UINT32_MAX; /* the last thread that comes */
    for (uint32_t t = 0; t < cw_lanes_count(l); t++) {
        if (comes[t] != CW_REACH_YES || v->known[t] != CW_EXACT)
            continue;
        if (v->value[t] < 0 || v->value[t] > 15)
            return cw_arena_printf(ctx->arena, "barrier number %lld: a block has barriers 0 to 15",
                                   (long long)v->value[t]);
        if (seen != UINT32_MAX && seen / 32 == t / 32 && v->value[seen] != v->value[t])
            return cw_arena_printf(ctx->arena, "threads of one warp use different barriers: thread %u uses %lld, "
                                   "thread %u uses %lld", seen, (long long)v->value[seen], t, (long long)v->value[t]);
        seen = t;
    }
    return NULL;
}

static void check_count(struct cw_rule_ctx *ctx, uint32_t ins) {
    const struct cw_ins *i = &ctx->fn->ins.at[ins];
    int64_t count;
    if (!cw_ref_const(ctx->fn, cw_arg(ctx->fn, i, 1), &count))
        return;
    if (count % 32 != 0 || count < 0 || count > 1024)
        add_use(ctx, ins, cw_arena_printf(ctx->arena, "barrier for %lld threads: the count must be a multiple of 32",
                                          (long long)count),
                "pass the number of threads of all participating warps, in whole warps");
    else if (count == 0 && i->aux == CW_BARRIER_ARRIVE)
        add_use(ctx, ins, "arrives at a barrier without a thread count", "pass the number of participating threads");
}

static bool is_reduction(const struct cw_ins *ins) {
    return ins->aux == CW_BARRIER_COUNT || ins->aux == CW_BARRIER_AND || ins->aux == CW_BARRIER_OR;
}

/* `.red` here and another form elsewhere on the same number, neither always before the other. */
static void check_mix(struct cw_rule_ctx *ctx, const struct cw_vec_u32 *barriers, uint32_t red) {
    const struct cw_fn *fn = ctx->fn;
    int64_t number, other;
    if (!is_reduction(&fn->ins.at[red]) || !cw_ref_const(fn, cw_arg(fn, &fn->ins.at[red], 0), &number))
        return;
    for (uint32_t k = 0; k < barriers->n; k++) {
        const struct cw_ins *i = &fn->ins.at[barriers->at[k]];
        if (is_reduction(i) || !cw_ref_const(fn, cw_arg(fn, i, 0), &other) || other != number ||
            cw_cfg_ins_dominates(fn, barriers->at[k], red) || cw_cfg_ins_dominates(fn, red, barriers->at[k]))
            continue;
        struct cw_finding *f = cw_report(ctx, CW_DEFINITE, red, "barrier %lld is used both by bar.red here and by "
                                         "bar.sync elsewhere", (long long)number);
        cw_report_note(ctx, f, i->loc, "the other use of the barrier");
        cw_report_help(ctx, f, "use another barrier number for the reduction");
        cw_report_submit(ctx, f);
        return;
    }
}

static bool is_told(const struct cw_named_faults *faults, int64_t number) {
    for (uint32_t k = 0; k < faults->at.n; k++)
        if (faults->at.at[k].number == number)
            return true;
    return false;
}

static void check_phases(struct cw_rule_ctx *ctx, const struct cw_named_faults *faults) {
    const struct cw_phase_mixes *mixes = cw_kernel_phase_mixes(ctx->kernel);
    for (uint32_t k = 0; k < mixes->at.n; k++) {
        const struct cw_phase_mix *mix = &mixes->at.at[k];
        if (mix->root.tag == CW_REF_NONE && !is_told(faults, mix->number))
            cw_report_phase_mix(ctx, mix, cw_arena_printf(ctx->arena, "%lld", (long long)mix->number));
    }
}

CW_RULE_CHECK(named_barrier_misuse) {
    const struct cw_named_faults *faults = cw_kernel_named_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        cw_report_named_fault(ctx, &faults->at.at[k]);
    check_phases(ctx, faults);
    struct cw_vec_u32 barriers = cw_reachable_ops(ctx->fn, CW_OP_BARRIER, ctx->arena);
    for (uint32_t k = 0; k < barriers.n; k++) {
        uint32_t ins = barriers.at[k];
        if (cw_is_block_barrier(ctx->fn, ins))
            continue;
        const char *number = wrong_number(ctx, ins);
        if (number != NULL)
            add_use(ctx, ins, number, "number the barriers of a block from 0 to 15, one per group of warps");
        check_count(ctx, ins);
        check_mix(ctx, &barriers, ins);
    }
}
