/* loop-step-without-effect: a loop whose condition can never change, because its step does nothing
 *
 * ## What it does
 * Reports loops that, once entered, never end: every exit depends on values that the loop does not change. Typically
 * the step is an expression without effect: `offset >= 1` where `offset >>= 1` was meant, `i + 1`, `i == 0`.
 *
 * ## Why it is wrong
 * The kernel hangs, or, since C++ lets a compiler assume that a loop without side effects ends, the loop disappears. In
 * reductions the slip is easy to miss: `>=` and `>>=` differ by one character and both compile.
 *
 * ## Example
 * ```cuda bad
 * __global__ void tail(float *s) {
 *     int t = threadIdx.x;
 *     for (int offset = 16; offset > 0; offset >= 1) {
 *         float v = t < offset ? s[t + offset] : 0.0f;
 *         __syncthreads();
 *         s[t] += v;
 *         __syncthreads();
 *     }
 * }
 * ```
 * ```cuda good
 * __global__ void tail(float *s) {
 *     int t = threadIdx.x;
 *     for (int offset = 16; offset > 0; offset >>= 1) {
 *         float v = t < offset ? s[t + offset] : 0.0f;
 *         __syncthreads();
 *         s[t] += v;
 *         __syncthreads();
 *     }
 * }
 * ```
 *
 * ## How to fix
 * Write the assignment: `offset >>= 1`, `i += 1`, `++i`.
 *
 * ## When it stays silent
 * For `for (;;)`, `while (true)` and other literals, for loops with a `break` or `return` of their own, and when the
 * condition reads memory, calls something unknown or depends on anything that the loop changes. Also in code that could
 * only be read in part.
 *
 * ## References
 * - ISO C++, [intro.progress]: forward progress of loops
 */
#include "rules/rule.h"

#include "kernel/ask/waits.h"
#include "fix/make/slips.h"
#include "rules/report_names.h"

#include <ctype.h>
#include <string.h>

/* Written as a literal, so endless on purpose; or not written here at all. */
static bool is_literal(struct cw_rule_ctx *ctx, uint32_t loc) {
    const char *text = loc != 0 && ctx->fn->locs.at[loc].macro == NULL ? cw_source_of(ctx, loc) : NULL;
    if (text == NULL || strcmp(text, "true") == 0)
        return true;
    while (isdigit((unsigned char)*text))
        text++;
    return *text == '\0';
}

/* The condition's loc, 0: it is endless on purpose. */
static uint32_t condition_of(struct cw_rule_ctx *ctx, const struct cw_endless *endless) {
    for (uint32_t k = 0; k < endless->folded.n; k++)
        if (!is_literal(ctx, endless->folded.at[k]))
            return endless->folded.at[k];
    return endless->condition;
}

/* Template arguments that were assumed may make a step 0: `i += THREADS / 32` with 8 threads. */
CW_RULE_CHECK(loop_step_without_effect) {
    if (ctx->fn->assumed)
        return;
    const struct cw_endless_loops *loops = cw_kernel_endless_loops(ctx->kernel);
    for (uint32_t l = 0; l < loops->at.n; l++) {
        uint32_t loc = condition_of(ctx, &loops->at.at[l]);
        if (loc == 0)
            continue;
        const char *text = cw_source_of(ctx, loc);
        struct cw_finding *f = cw_report_at(ctx, CW_DEFINITE, loc, "infinite loop: nothing in it changes %s%s%s",
                                            text != NULL ? "'" : "", text != NULL ? text : "its condition",
                                            text != NULL ? "'" : "");
        cw_report_textual(f);
        cw_report_help(ctx, f, "let the step assign, for instance >>= instead of >=");
        cw_fix_step(ctx, f, loc);
        cw_report_submit(ctx, f);
    }
}
