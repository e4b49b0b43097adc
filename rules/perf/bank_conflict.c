/* bank-conflict: lanes of a warp ask one bank of shared memory for different words, and are served one after the other
 *
 * ## What it does
 * Reports loads and stores of shared memory whose addresses, evaluated for every lane of a warp, make one of the 32
 * banks give several different words: the access is repeated that many times. The message says how often. One finding
 * for each array, at the worst access; the others are listed. Off by default.
 *
 * ## Why it is wrong
 * It is right, but slow: "if multiple addresses of a memory request map to the same memory bank, the accesses are
 * serialized" and "the hardware splits a memory request with bank conflicts into as many separate conflict-free
 * requests as necessary, decreasing the effective bandwidth by a factor equal to the number of separate memory
 * requests" (CUDA C++ Best Practices Guide, shared memory and memory banks). On an H200 sums of words 2, 8 and 32 apart
 * took 1.45, 4.7 and 17.6 times as long as of words one farther apart, and a transpose through an unpadded tile 2.2
 * times as long as through a padded one.
 *
 * ## Example
 * The lanes read down a column of 32 words: one bank gives all of it, in 32 passes.
 * ```cuda bad
 * __global__ void transpose(float *out, const float *in) {
 *     __shared__ float tile[32][32];
 *     tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
 *     __syncthreads();
 *     out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
 * }
 * void run(float *out, const float *in) {
 *     transpose<<<1, dim3(32, 32)>>>(out, in);
 * }
 * ```
 * One unused word at the end of each row moves every row on by one bank:
 * ```cuda good
 * __global__ void transpose(float *out, const float *in) {
 *     __shared__ float tile[32][33];
 *     tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
 *     __syncthreads();
 *     out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
 * }
 * void run(float *out, const float *in) {
 *     transpose<<<1, dim3(32, 32)>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Pad the rows by one element; let neighbouring lanes take neighbouring elements (`s[t]` and `s[t + stride]` instead of
 * `s[2 * stride * t]`); keep each field of a record in an array of its own; or exchange the values by shuffles.
 *
 * ## When it stays silent
 * When all lanes of a bank ask for one word, which is handed to all of them at once; for accesses of 8 and 16 bytes
 * that are served by half and quarter warps anyway; when an address depends on input data, or the choice of an unknown
 * parameter decides the answer. Without a known launch it is definite only if every ordinary block of a whole warp
 * shows it.
 *
 * ## References
 * - CUDA C++ Best Practices Guide, shared memory and memory banks
 */
#include "rules/rule.h"

#include "kernel/ask/speed.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_bank_conflict(struct cw_rule_ctx *ctx, const struct cw_bank_conflict *conflict) {
    const char *name = cw_name_of(ctx, cw_ref_of(CW_REF_OBJECT, conflict->object));
    const char *when =
        cw_iteration_text(conflict->evaluator, ctx->fn, conflict->context, conflict->warp * 32, ctx->arena);
    struct cw_finding *f =
        cw_report(ctx, conflict->definite ? CW_DEFINITE : CW_POSSIBLE, conflict->ins,
                  "%u-way bank conflict on '%s'%s%s%s: bank %u serves %u different words", conflict->degree, name,
                  when ? " (" : "", when ? when : "", when ? ")" : "", conflict->bank, conflict->words);
    cw_report_lanes(ctx, f, conflict->evaluator, conflict->warp, "one bank", conflict->lanes,
                    "lanes that access the same bank");
    cw_report_also(ctx, f, &conflict->also, "this one conflicts too");
    cw_report_help(ctx, f, "pad the rows by one element, or let neighbouring lanes take neighbouring elements");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(bank_conflict) {
    const struct cw_bank_conflicts *all = cw_kernel_bank_conflicts(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        report_bank_conflict(ctx, &all->at.at[k]);
}
