/* full-mask-became-activemask: a change replaced the full mask of a collective by `__activemask()`
 *
 * ## What it does
 * Compares each function with what it was before (`--since REF`, `--staged`) and reports warp collectives that named
 * all lanes and now name those that `__activemask()` gives.
 *
 * ## Why it is wrong
 * The change often comes from a hang or a sanitizer's report about a lane that is missing. It does not bring the lane
 * back:
 * `__activemask()` names the "currently active threads in the calling warp" (CUDA C++ Programming Guide), which may be
 * any part of those that come. The hang becomes a wrong result now and then.
 *
 * ## Example
 * Lines with `-` are from before, those with `+` from now:
 * ```cuda bad --since HEAD --ignore activemask
 *  __global__ void total(int *out) {
 *      int v = threadIdx.x;
 * -    v += __shfl_xor_sync(0xffffffffu, v, 16);
 * +    v += __shfl_xor_sync(__activemask(), v, 16);
 *      out[threadIdx.x] = v;
 *  }
 *  void run(int *out) { total<<<1, 32>>>(out); }
 * ```
 * The lanes that take part are asked for in front of the branch:
 * ```cuda good --since HEAD
 *  __global__ void total(int *out, int n) {
 * +    unsigned lanes = __ballot_sync(0xffffffffu, threadIdx.x < n);
 *      if (threadIdx.x < n)
 * -        out[threadIdx.x] = __any_sync(0xffffffffu, out[threadIdx.x] > 0);
 * +        out[threadIdx.x] = __any_sync(lanes, out[threadIdx.x] > 0);
 *  }
 * ```
 *
 * ## How to fix
 * Name the lanes that must take part: the full mask where all come, else a ballot of the branch's condition in front of
 * it.
 *
 * ## When it stays silent
 * Without a version to compare with; when the function has more or fewer such calls than before, so that they cannot be
 * matched; when the mask goes through memory or arithmetic.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp vote functions, `__activemask()`
 * - NVIDIA Technical Blog, "Using CUDA Warp-Level Primitives"
 */
#include "rules/rule.h"

#include "rules/hook_versions.h"

static bool is_wrong(const struct cw_sync_pair *sync_pair) {
    return sync_pair->now->mask == CW_SYNC_MASK_ACTIVE && sync_pair->before->mask == CW_SYNC_MASK_FULL;
}

static void check_versions(struct cw_versions_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->changes->kept.n; i++) {
        const struct cw_sync_pair *p = &ctx->changes->kept.at[i];
        if (!is_wrong(p))
            continue;
        struct cw_finding *f = cw_report_change(
            ctx, p->now, p->now->place,
            "this call named all lanes of the warp before the change; now it names those that happen to be converged");
        f->help = "name the lanes that must take part; __activemask() does not make the others wait";
    }
}

CW_RULE_HOOKS(full_mask_became_activemask, .versions = check_versions);
