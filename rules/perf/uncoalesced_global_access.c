/* uncoalesced-global-access: neighbouring lanes touch places of device memory that lie far apart
 *
 * ## What it does
 * Reports loads and stores of device memory whose addresses, evaluated for every lane of a warp, lie in at least four
 * times as many 32-byte sectors as their bytes would fill. One finding for each pointer. In preview, and off by
 * default.
 *
 * ## Why it is wrong
 * It is right, but slow: "the concurrent accesses of the threads of a warp will coalesce into a number of transactions
 * equal to the number of 32-byte transactions necessary to service all of the threads of the warp" (CUDA C++ Best
 * Practices Guide, coalesced access to global memory). What is moved and not used is lost bandwidth. On an H200 a copy
 * whose neighbouring threads read 4, 8 and 32 words apart took 1.4, 2.3 and 5 times as long, and one field of records
 * of 16 bytes 1.6 times as long as the same values in an array of their own.
 *
 * ## Example
 * ```cuda bad --preview
 * __global__ void column(float *out, const float *in) {
 *     out[threadIdx.x] = in[threadIdx.x * 1024];
 * }
 * void run(float *out, const float *in) {
 *     column<<<1, 256>>>(out, in);
 * }
 * ```
 * ```cuda good --preview
 * __global__ void row(float *out, const float *in) {
 *     out[threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
 * }
 * void run(float *out, const float *in) {
 *     row<<<1, 256>>>(out, in);
 * }
 * ```
 *
 * ## How to fix
 * Let `threadIdx.x` count the elements that lie side by side; store each field of a record in an array of its own; or
 * move a tile through shared memory, with rows in and columns out.
 *
 * ## When it stays silent
 * When a quarter or more of what is moved is used, by this access or by others through the same pointer in the same
 * stretch of code (all fields of a record); when fewer than 16 lanes come; when input data decides the address. Whether
 * the rest of the sectors is still in a cache when a later iteration asks for it is not considered.
 *
 * ## References
 * - CUDA C++ Best Practices Guide, coalesced access to global memory
 */
#include "rules/rule.h"

#include "kernel/ask/speed.h"
#include "rules/report_names.h"
#include "rules/report_witness.h"

static void report_uncoalesced_global_access(struct cw_rule_ctx *ctx, const struct cw_scattered *scattered) {
    const char *name = scattered->base.tag == CW_REF_INS ? "device memory" : cw_name_of(ctx, scattered->base);
    struct cw_finding *f = cw_report(ctx, scattered->definite ? CW_DEFINITE : CW_POSSIBLE, scattered->ins,
                                     "uncoalesced %s of %s: %u sectors per warp instead of %u (stride %lld bytes)",
                                     scattered->writes ? "write" : "read", name, scattered->sectors, scattered->needed,
                                     (long long)scattered->distance);
    cw_report_lanes(ctx, f, scattered->evaluator, scattered->warp, "lanes", scattered->lanes,
                    "lanes that access memory here");
    cw_report_also(ctx, f, &scattered->also, "this access is uncoalesced too");
    cw_report_help(ctx, f, "let neighbouring lanes touch neighbouring elements");
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(uncoalesced_global_access) {
    const struct cw_scattered_accesses *all = cw_kernel_scattered_accesses(ctx->kernel);
    for (uint32_t k = 0; k < all->at.n; k++)
        report_uncoalesced_global_access(ctx, &all->at.at[k]);
}
