/* unordered-wgmma: registers or shared memory of wgmma are touched without its fence, commit and wait
 *
 * ## What it does
 * Reports products of a warp group (`wgmma.mma_async`) with no `wgmma.fence` before them, or none behind the code that
 * last wrote one of their registers; accumulators that are read or written before a `wgmma.wait_group` has completed
 * the product; and shared memory that is overwritten while a product may still read it.
 *
 * ## Why it is wrong
 * The product runs on while the threads go on. "Accessing the accumulator register or the input register containing the
 * fragments of matrix A of a wgmma.mma_async instruction without first performing a wgmma.wait_group instruction that
 * waits on a wgmma-group including that wgmma.mma_async instruction is undefined behavior" (PTX ISA, wgmma.wait_group),
 * and wgmma.fence must order the accesses before it. A product that no `wgmma.commit_group` follows is in no group, so
 * that no wait completes it. A wait is the own thread's: other warps need a barrier behind it.
 *
 * ## Example
 * ```cuda bad --preview --arch 90a
 * __device__ void multiply(float d[4], unsigned long long a, unsigned long long b) {
 *     asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
 *                  : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
 * }
 * __global__ void product(float *out, unsigned long long a, unsigned long long b) {
 *     float d[4] = {0, 0, 0, 0};
 *     asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
 *     multiply(d, a, b);
 *     asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
 *     out[threadIdx.x] = d[0];
 * }
 * ```
 * ```cuda good --preview --arch 90a
 * __device__ void multiply(float d[4], unsigned long long a, unsigned long long b) {
 *     asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
 *                  : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
 * }
 * __global__ void product(float *out, unsigned long long a, unsigned long long b) {
 *     float d[4] = {0, 0, 0, 0};
 *     asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
 *     multiply(d, a, b);
 *     asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
 *     asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
 *     out[threadIdx.x] = d[0];
 * }
 * ```
 *
 * ## How to fix
 * `wgmma.fence`, the products, `wgmma.commit_group`, `wgmma.wait_group N`: N is how many later groups may still run.
 * Then `__syncthreads()`, or an arrival at an mbarrier, before other warps overwrite the matrices.
 *
 * ## When it stays silent
 * When a register is only copied; when an unknown call or assembly may wait; when an element of the accumulators is
 * read at an index that is no constant, and the product does not hold the whole array; when the descriptor of a matrix
 * is not made from an address in the way of the PTX ISA (bit-fields, descriptors from memory).
 *
 * ## References
 * - PTX ISA, wgmma.mma_async, wgmma.fence, wgmma.commit_group, wgmma.wait_group
 */
#include "rules/rule.h"

#include "fix/make/insert_fence.h"
#include "kernel/ask/races.h"
#include "rules/report_races.h"

#define STATEMENT(instructions) "asm volatile(\"" instructions "\" ::: \"memory\");"
#define COMMIT "wgmma.commit_group.sync.aligned;"
#define WAIT "wgmma.wait_group.sync.aligned 0;"

static const char *access_text(const struct cw_wgmma_fault *fault) {
    return fault->writes ? "an accumulator is written while the wgmma still runs"
                         : "an accumulator is used before the wgmma has completed";
}

static void report_access(struct cw_rule_ctx *ctx, const struct cw_wgmma_fault *fault) {
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->access,
                                     "%s: no wgmma.wait_group between the two covers it", access_text(fault));
    cw_report_note(ctx, f, ctx->fn->ins.at[fault->product].loc, "the wgmma starts here");
    if (!fault->is_committed)
        cw_report_note(ctx, f, 0, "no wgmma.commit_group puts it into a group before");
    if (fault->wait != UINT32_MAX)
        cw_report_note(ctx, f, ctx->fn->ins.at[fault->wait].loc, "this wait leaves it pending");
    cw_report_help(ctx, f, "%swait with wgmma.wait_group 0 before the access",
                   fault->is_committed ? "" : "commit the group with wgmma.commit_group, and ");
    if (fault->is_committed)
        cw_fix_collective_before(ctx, f, fault->access, CW_UNI_WARP, STATEMENT(WAIT), "wgmma.wait_group 0");
    else
        cw_fix_collective_before(ctx, f, fault->access, CW_UNI_WARP, STATEMENT(COMMIT " " WAIT),
                                 "wgmma.commit_group and wgmma.wait_group 0");
    cw_report_submit(ctx, f);
}

static void report_fence(struct cw_rule_ctx *ctx, const struct cw_wgmma_fault *fault) {
    bool is_written = fault->kind == CW_WGMMA_WRITTEN;
    struct cw_finding *f = cw_report(ctx, fault->definite ? CW_DEFINITE : CW_POSSIBLE, fault->product,
                                     is_written ? "a register of this wgmma is written behind the last wgmma.fence"
                                                : "no wgmma.fence orders the registers before this wgmma");
    if (is_written)
        cw_report_note(ctx, f, ctx->fn->ins.at[fault->access].loc, "it is written here");
    cw_report_help(ctx, f, "insert wgmma.fence.sync.aligned before the wgmma, behind what writes its registers");
    cw_fix_collective_before(ctx, f, fault->product, CW_UNI_WARP, STATEMENT("wgmma.fence.sync.aligned;"),
                             "wgmma.fence");
    cw_report_submit(ctx, f);
}

static void report_memory(struct cw_rule_ctx *ctx, const struct cw_race *race) {
    struct cw_finding *f = cw_report(ctx, cw_race_confidence(race), cw_race_ins(race),
                                     "%s is overwritten while a wgmma may still read it", cw_race_what(ctx, race));
    cw_report_race(ctx, f, race);
    cw_report_help(ctx, f, "let the warp group wait for the wgmma first (wgmma.wait_group), then __syncthreads()");
    cw_report_submit(ctx, f);
}

static bool is_mine(const struct cw_race_properties *is) {
    return is->in_product;
}

static void check_kernel(struct cw_rule_ctx *ctx) {
    const struct cw_wgmma_faults *faults = cw_kernel_wgmma_faults(ctx->kernel);
    for (uint32_t k = 0; k < faults->at.n; k++)
        (faults->at.at[k].kind == CW_WGMMA_INCOMPLETE ? report_access : report_fence)(ctx, &faults->at.at[k]);
    cw_report_races(ctx, report_memory);
}

CW_RULE_HOOKS(unordered_wgmma, .kernel = check_kernel, .is_my_race = is_mine);
