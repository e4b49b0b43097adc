/* racy-uniform-barrier: a barrier guarded by a value that each thread reads for itself while others may change it
 *
 * ## What it does
 * Reports a block barrier under a condition that reads one address in all threads, when the threads may nevertheless
 * see different values there: the read is volatile or atomic, or another thread writes the address in the same phase.
 *
 * ## Why it is wrong
 * The condition looks uniform, but it need not evaluate "identically across the entire thread block" (CUDA C++
 * Programming Guide): a fast thread changes the flag before a slow one has read it, the slow one skips the barrier, and
 * the block hangs.
 *
 * ## Example
 * ```cuda bad
 * __global__ void drain(int *work, int n) {
 *     __shared__ int left;
 *     if (threadIdx.x == 0) left = n;
 *     __syncthreads();
 *     while (left > 0) {
 *         if (threadIdx.x == 0) left = left - 1;
 *         __syncthreads();
 *     }
 *     work[threadIdx.x] = left;
 * }
 * ```
 * Everybody reads, then a barrier, then one thread writes:
 * ```cuda good
 * __global__ void drain(int *work, int n) {
 *     __shared__ int left;
 *     if (threadIdx.x == 0) left = n;
 *     __syncthreads();
 *     int mine = left;
 *     while (mine > 0) {
 *         __syncthreads();
 *         if (threadIdx.x == 0) left = mine - 1;
 *         __syncthreads();
 *         mine = left;
 *     }
 *     work[threadIdx.x] = mine;
 * }
 * ```
 *
 * ## How to fix
 * Let one thread read the value, publish it in shared memory behind a barrier, and let all decide on the copy; or
 * decide with `__syncthreads_or()`. Put a barrier between the read and the next write.
 *
 * ## When it stays silent
 * When a barrier stands between the write and every read (of shared memory also if it is volatile), when nothing in the
 * kernel writes the address, when all that is written before the read is a constant that every reader stored there
 * itself, and when the condition also differs for other reasons (divergent-barrier reports those). Of device memory in
 * a kernel that waits in a loop for memory to change (a barrier made by hand) it says `possible` at most, and nothing
 * in a kernel with a barrier of the grid where nothing near the read writes it.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions; memory fence functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 1.14
 */
#include "rules/rule.h"

#include "kernel/ask/barriers.h"
#include "kernel/ask/code.h"
#include "kernel/ask/races.h"
#include "kernel/ask/values.h"
#include "rules/report_names.h"

#define MAX_STEPS 16

struct search {
    struct cw_rule_ctx *ctx;
    uint32_t load, branch;
};

static bool is_racy_read(const struct cw_rule_ctx *ctx, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(ctx->fn, ref);
    if (i == NULL || (i->op != CW_OP_LOAD && !(i->op == CW_OP_ATOMIC && (i->aux & 0xff) == CW_ATOMIC_LOAD)))
        return false;
    return cw_uni_of(ctx->uniformity, cw_arg(ctx->fn, i, 0)) <= CW_UNI_BLOCK &&
           (i->op == CW_OP_ATOMIC || cw_bitset_has(&ctx->uniformity->unstable, ref.index));
}

static bool visit_edge(void *context, struct cw_edge edge) {
    struct search *s = context;
    cw_ref steps[MAX_STEPS], value = s->ctx->fn->blocks.at[edge.block].jump.value;
    if (cw_uni_of(s->ctx->uniformity, value) <= CW_UNI_BLOCK)
        return true;
    uint32_t n = cw_uni_explain(s->ctx->uniformity, value, steps, MAX_STEPS);
    if (n == 0 || !is_racy_read(s->ctx, steps[n - 1]))
        return true;
    s->load = steps[n - 1].index;
    s->branch = edge.block;
    return false;
}

static void report_racy_uniform_barrier(struct cw_rule_ctx *ctx, uint32_t barrier, const struct search *search) {
    const struct cw_ins *load = &ctx->fn->ins.at[search->load];
    struct cw_writer writer;
    bool written = cw_writer_find(ctx->fn, search->load, ctx->uniformity->facts.block, ctx->arena, &writer);
    bool is_fresh =
        (load->flags & CW_INS_VOLATILE) || load->op == CW_OP_ATOMIC; /* each thread reads memory for itself */
    bool is_apart = writer.is_local || !is_fresh || cw_reachable_ops(ctx->fn, CW_OP_GRIDSYNC, ctx->arena).n > 0;
    if (!written && is_apart)
        return; /* all that is written to it is a barrier, also one of the grid, or a call that may hold one, away */
    bool sure = (written && writer.is_exact) || is_fresh;
    sure = sure && !writer.may_be_ordered;
    const struct cw_racy_read *read =
        sure || !writer.is_local ? NULL : cw_racy_read_find(cw_kernel_racy_reads(ctx->kernel), search->load);
    if (read && (read->is_ordered || read->write == UINT32_MAX))
        return; /* ordered, or not decided: then no thread is known to write it meanwhile */
    if (read)
        writer.ins = read->write;
    struct cw_finding *f =
        cw_report(ctx, sure ? CW_DEFINITE : CW_POSSIBLE, barrier,
                  "%s is guarded by a value that is read while it may be written: threads may disagree",
                  cw_call_text(ctx, barrier));
    cw_report_note(ctx, f, load->loc, "each thread reads the value here");
    if (written)
        cw_report_note(ctx, f, ctx->fn->ins.at[writer.ins].loc,
                       "it is written here, and no barrier separates the write from the read");
    if (!sure)
        cw_report_note(ctx, f, 0, "%s",
                       writer.may_be_ordered ? "this assumes that waiting for memory orders nothing here"
                                             : "this assumes that the write touches what is read: its place, or the "
                                               "read's, is not known");
    cw_report_note(ctx, f, ctx->fn->blocks.at[search->branch].jump.loc, "the branch depends on the value here");
    cw_report_help(ctx, f,
                   "let one thread read it, publish the copy before a barrier, and branch on the copy");
    cw_report_submit(ctx, f);
}

static bool is_split(struct cw_rule_ctx *ctx, uint32_t branch) {
    const struct cw_splits *splits = cw_kernel_splits(ctx->kernel);
    for (uint32_t k = 0; k < splits->at.n; k++)
        if (splits->at.at[k].branch == branch)
            return true;
    return false;
}

CW_RULE_CHECK(racy_uniform_barrier) {
    uint32_t last = CW_NO_BLOCK; /* one finding per read */
    struct cw_vec_u32 barriers = cw_reachable_block_barriers(ctx->fn, ctx->arena);
    for (uint32_t k = 0; k < barriers.n; k++) {
        struct search s = {ctx, CW_NO_BLOCK, CW_NO_BLOCK};
        cw_cfg_live_controls(ctx->fn, ctx->fn->ins.at[barriers.at[k]].block, visit_edge, &s);
        if (s.load != CW_NO_BLOCK && s.load != last && !is_split(ctx, s.branch))
            report_racy_uniform_barrier(ctx, barriers.at[k], &s);
        last = s.load != CW_NO_BLOCK ? s.load : last;
    }
}
