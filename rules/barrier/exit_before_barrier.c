/* exit-before-barrier: threads return before a barrier although others rely on them
 *
 * ## What it does
 * Reports a block barrier before which some threads of the block have returned: an error when a thread behind the barrier
 * reads shared memory that only a returned thread would have written; a warning in all cases with `--semantics portable`.
 *
 * ## Why it is wrong
 * Since Volta a barrier waits for all "non-exited" threads of the block (CUDA C++ Programming Guide), so the return by
 * itself is legal on NVIDIA hardware. What the returned threads should have stored is missing, though: their elements of the
 * shared array hold whatever was there before. Elsewhere (ROCm, SYCL, MUSA) the barrier itself may hang.
 *
 * ## Example
 * ```cuda bad
 * __global__ void reduce(float *out, const float *in, int n) {
 *     __shared__ float part[128];
 *     int t = threadIdx.x, i = blockIdx.x * 128 + t;
 *     if (i >= n) return;
 *     part[t] = in[i];
 *     __syncthreads();
 *     if (t < 64) out[i] = part[t] + part[t + 64];
 * }
 * void go(float *out, const float *in, int n) { reduce<<<(n + 127) / 128, 128>>>(out, in, n); }
 * ```
 * ```cuda good
 * __global__ void reduce(float *out, const float *in, int n) {
 *     __shared__ float part[128];
 *     int t = threadIdx.x, i = blockIdx.x * 128 + t;
 *     part[t] = i < n ? in[i] : 0.0f;
 *     __syncthreads();
 *     if (i < n && t < 64) out[i] = part[t] + part[t + 64];
 * }
 * void go(float *out, const float *in, int n) { reduce<<<(n + 127) / 128, 128>>>(out, in, n); }
 * ```
 *
 * ## How to fix
 * Let every thread stay, store the neutral element for what is out of range, and guard the global accesses alone.
 *
 * ## When it stays silent
 * When the whole block returns, when nobody reads what is missing, when addresses or exits depend on data, and when sizes
 * that are multiples of small numbers leave nothing out (threads that work in groups of eight, say).
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions; NVIDIA guidelines for safety-critical programming, rule 1.14
 */
#include "rules/rule.h"

enum { SAMPLES = 3 };
struct proof {
    const struct cw_participation *at;
    struct cw_lanes *lanes;
    struct cw_lost lost;
    bool shown, is_lost, sure, hopeless, undecided; /* undecided: the evaluator's budget ended first */
};

/* Looks for threads that have returned before the barrier, best for a read of what they left out. */
static void probe_launch(struct cw_rule_ctx *ctx, uint32_t barrier, uint32_t launch, struct proof *p) {
    for (uint32_t s = 0; s < SAMPLES && !p->is_lost && !p->hopeless; s++) {
        struct cw_lanes *l = cw_rule_lanes(ctx, launch, s);
        const struct cw_participation *at = cw_participation(l, barrier, NULL, ctx->arena);
        p->hopeless = s == 0 && at->count[CW_UNSURE] == cw_lanes_count(l);
        if (p->hopeless || at->count[CW_EXITED] == 0 || at->count[CW_ARRIVES] == 0)
            continue;
        p->is_lost = cw_lost_find(l, ctx->fn, at, ctx->arena, &p->lost);
        p->undecided = !p->is_lost && cw_lanes_exhausted(l);
        if (!p->shown || p->is_lost) {
            p->at = at;
            p->lanes = l;
        }
        p->shown = true;
    }
}

static struct proof probe(struct cw_rule_ctx *ctx, uint32_t barrier) {
    struct proof best = {0};
    uint32_t asked = 0, lost = 0, shown = 0;
    for (uint32_t k = 0; k < ctx->launches.n; k++) {
        struct proof now = {0};
        probe_launch(ctx, barrier, k, &now);
        bool counts = ctx->launches.from_facts || cw_launch_threads(&ctx->launches.at[k]) > 32;
        if (now.hopeless)
            break;
        asked += counts && !now.undecided;
        lost += counts && now.is_lost && !cw_lost_denied(cw_rule_lanes(ctx, k, CW_SAMPLE_ROUND), ctx->fn, barrier, ctx->arena);
        shown += counts && now.shown;
        if ((now.is_lost && !best.is_lost) || (now.shown && !best.shown))
            best = now;
    }
    uint32_t proved = best.is_lost ? lost : shown;
    best.sure = proved > 0 && (ctx->launches.from_facts || proved == asked);
    return best;
}

struct exit_visit {
    const struct cw_rule_ctx *ctx;
    uint32_t branch;
};

/* The first branch that threads take differently and of which one side never comes back. */
static bool visit_exit(void *context, struct cw_edge e) {
    struct exit_visit *v = context;
    const struct cw_fn *fn = v->ctx->fn;
    if (fn->cfg->ipdom[e.block] == fn->cfg->nblocks &&
        cw_uni_of(v->ctx->uniformity, fn->blocks.at[e.block].jump.value) > CW_UNI_BLOCK &&
        (v->branch == CW_NO_BLOCK || fn->cfg->rpo_index[e.block] < fn->cfg->rpo_index[v->branch]))
        v->branch = e.block;
    return true;
}

static void note_lost(struct cw_rule_ctx *ctx, struct cw_finding *f, const struct cw_lost *l) {
    const struct cw_object *o = &ctx->fn->objects.at[l->object];
    cw_report_note(ctx, f, ctx->fn->ins.at[l->load].loc, "thread %u reads %s[%lld] here", l->reader, o->name,
                   (long long)l->offset / (o->element > 0 ? o->element : 1));
    cw_report_note(ctx, f, ctx->fn->ins.at[l->store].loc, "thread %u would have written it here, but has returned",
                   l->writer);
}

static void report(struct cw_rule_ctx *ctx, uint32_t barrier, uint32_t branch, const struct proof *p) {
    struct cw_finding *f = cw_report(ctx, p->sure ? CW_DEFINITE : CW_POSSIBLE, barrier,
                                     p->is_lost ? "threads return before %s that others rely on"
                                                : "threads return before %s, which then waits for them on some platforms",
                                     cw_call_text(ctx, barrier));
    cw_report_severity(f, p->is_lost ? CW_ERROR : CW_WARNING);
    if (p->is_lost)
        note_lost(ctx, f, &p->lost);
    cw_report_divergence(ctx, f, branch);
    cw_report_launch(ctx, f, p->lanes);
    cw_report_participation(ctx, f, p->lanes, p->at, 0);
    cw_report_help(ctx, f, "keep all threads until the last barrier and guard their memory accesses instead");
    cw_report_submit(ctx, f);
}

void cw_rule_exit_before_barrier_check(struct cw_rule_ctx *ctx) {
    uint32_t told = CW_NO_BLOCK; /* one finding per return */
    for (uint32_t k = 0; k < ctx->fn->cfg->nrpo; k++) {
        const struct cw_block *b = &ctx->fn->blocks.at[ctx->fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            struct exit_visit v = {ctx, CW_NO_BLOCK};
            if (!cw_is_block_barrier(ctx->fn, b->ins.at[j]))
                continue;
            cw_cfg_controls(ctx->fn, ctx->fn->cfg->rpo[k], visit_exit, &v);
            if (v.branch == CW_NO_BLOCK || v.branch == told)
                continue;
            struct proof p = probe(ctx, b->ins.at[j]);
            if (!p.is_lost && !(p.shown && ctx->semantics == CW_SEMANTICS_PORTABLE))
                continue;
            report(ctx, b->ins.at[j], v.branch, &p);
            told = v.branch;
        }
    }
}
