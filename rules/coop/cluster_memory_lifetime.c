/* cluster-memory-lifetime: shared memory of another block of the cluster is accessed when that block may not run
 *
 * ## What it does
 * Reports reads, writes and atomics through `map_shared_rank()` or `mapa` with no barrier of the cluster before them,
 * or with none after them.
 *
 * ## Why it is wrong
 * The shared memory of another block can be accessed only while that block runs. In the words of the CUDA C++
 * Programming Guide on distributed shared memory (a paraphrase): all blocks have to exist, which `cluster.sync()`
 * guarantees, and all accesses to the shared memory of a block have to be complete before it exits. The shared memory
 * of a block that has exited may belong to another one.
 *
 * ## Example
 * ```cuda bad --arch 90
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void __cluster_dims__(2) swap(const int *in, int *out) {
 *     __shared__ int s[64];
 *     cg::cluster_group cluster = cg::this_cluster();
 *     s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
 *     cluster.sync();
 *     out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];
 * }
 * void run(const int *in, int *out) { swap<<<2, 64>>>(in, out); }
 * ```
 * ```cuda good --arch 90
 * #include <cooperative_groups.h>
 * namespace cg = cooperative_groups;
 * __global__ void __cluster_dims__(2) swap(const int *in, int *out) {
 *     __shared__ int s[64];
 *     cg::cluster_group cluster = cg::this_cluster();
 *     s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
 *     cluster.sync();
 *     out[blockIdx.x * 64 + threadIdx.x] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];
 *     cluster.sync();
 * }
 * void run(const int *in, int *out) { swap<<<2, 64>>>(in, out); }
 * ```
 *
 * ## How to fix
 * Call `cluster.sync()` before the first access to another block's memory, and again before the kernel ends.
 *
 * ## When it stays silent
 * When a barrier of the cluster or the grid may come before, and after; when the rank is the block's own (a run for one
 * thread of each block of the cluster shows that); when the grid has one block; in kernels that wait for barriers in
 * memory, poll memory, or hold calls that are not understood.
 *
 * The size of the cluster comes from `__cluster_dims__` or from the attributes of the launch
 * (`cudaLaunchAttributeClusterDimension`). A launch without them has clusters of one block: silent. Where a launch with
 * clusters does not give the size, one of 2, 4 and 8 blocks is chosen; where no launch is known, all three have to show
 * the fault. A rank that is made of input (`bin / bins_per_block`) is one that input may choose. Where a launch cannot
 * be read, or the rank rests on something else that is not known, the finding is possible, and a note says what it
 * assumes.
 *
 * ## References
 * - CUDA C++ Programming Guide, distributed shared memory; thread block clusters
 */
#include "rules/rule.h"

#include "fix/make/insert_cluster_barrier.h"
#include "kernel/ask/races.h"
#include "kernel/ask/values.h"
#include "rules/report_witness.h"

/* What is said of the two blocks begins with how large the cluster is, and ends with who says so. */
static void note_blocks(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_cluster_fault *fault) {
    uint32_t loc = ctx->fn->ins.at[fault->map].loc;
    const char *size = fault->is_size_chosen ? " (chosen: neither the kernel nor its launch gives the size)" : "";
    cw_report_note(ctx, finding, loc, "the address in the other block is made here");
    if (!fault->size)
        cw_report_note(ctx, finding, loc,
                       "assumed: a launch in clusters of several blocks; neither the kernel nor its launch gives the "
                       "size of a cluster");
    else if (!fault->has_ranks)
        cw_report_note(ctx, finding, loc, "assumed: the rank is that of another one of the %u blocks of a cluster",
                       fault->size);
    else if (fault->datum)
        cw_report_note(ctx, finding, ctx->fn->ins.at[fault->datum - 1].loc,
                       "these data choose the block: in clusters of %u blocks%s, block %u of a cluster may access the "
                       "memory of block %u",
                       fault->size, size, fault->rank, fault->target);
    else
        cw_report_note(ctx, finding, loc,
                       "in clusters of %u blocks%s, block %u of a cluster accesses the memory of block %u", fault->size,
                       size, fault->rank, fault->target);
}

static void report_fault(struct cw_rule_ctx *ctx, const struct cw_cluster_fault *fault) {
    bool has_exited = fault->kind == CW_CLUSTER_EXITED;
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->ins,
                                     "shared memory of another block is accessed, and that block may have %s: no "
                                     "cluster barrier is %s the access",
                                     has_exited ? "exited" : "not started yet", has_exited ? "after" : "before");
    note_blocks(ctx, f, fault);
    cw_report_block_participation(ctx, f, cw_kernel_lanes(ctx->kernel, fault->launch, 0), fault->at);
    cw_report_help(ctx, f, "let all threads of the cluster call cluster.sync() %s",
                   has_exited ? "after the access, before the kernel ends" : "before the access");
    cw_fix_cluster_barrier(ctx, f, fault->ins, fault->map, has_exited);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(cluster_memory_lifetime) {
    const struct cw_cluster_faults *faults = cw_kernel_cluster_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        report_fault(ctx, &faults->at.at[k]);
}
