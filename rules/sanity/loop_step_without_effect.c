/* loop-step-without-effect: a loop whose condition can never change, because its step does nothing
 *
 * ## What it does
 * Reports loops that, once entered, never end: every exit depends on values that the loop does not change. Typically the
 * step is an expression without effect: `offset >= 1` where `offset >>= 1` was meant, `i + 1`, `i == 0`.
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

#include <ctype.h>
#include <string.h>

/* Unknown code in the loop may end the thread or the program. */
static bool may_end_inside(const struct cw_fn *fn, uint32_t loop) {
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; cw_cfg_in_loop(fn->cfg, loop, b) && k < fn->blocks.at[b].ins.n; k++)
            if (cw_op_flags(fn->ins.at[fn->blocks.at[b].ins.at[k]].op) & CW_OP_O)
                return true;
    return false;
}

static bool is_loop_origin(enum cw_origin o) {
    return o == CW_FROM_FOR || o == CW_FROM_WHILE || o == CW_FROM_DO;
}

/* Written as a literal, so endless on purpose; or not written here at all. */
static bool is_literal(struct cw_rule_ctx *ctx, uint32_t loc) {
    const char *text = loc != 0 && ctx->fn->locs.at[loc].macro == NULL ? cw_source_of(ctx, loc) : NULL;
    if (text == NULL || strcmp(text, "true") == 0)
        return true;
    while (isdigit((unsigned char)*text))
        text++;
    return *text == '\0';
}

/* The condition's loc when the loop can never end once entered, else 0. */
static uint32_t stuck_condition(struct cw_rule_ctx *ctx, uint32_t index) {
    const struct cw_fn *fn = ctx->fn;
    const struct cw_loop *loop = &fn->cfg->loops.at[index];
    for (uint32_t x = 0; x < loop->exits.n; x++) {
        const struct cw_jump *jump = &fn->blocks.at[loop->exits.at[x].block].jump;
        if (!cw_cfg_is_invariant(fn, index, jump->value))
            return 0;
    }
    for (uint32_t x = 0; x < loop->exits.n; x++) /* no exit needs to be the loop's own condition */
        if (is_loop_origin(fn->blocks.at[loop->exits.at[x].block].jump.origin))
            return fn->blocks.at[loop->exits.at[x].block].jump.loc;
    for (uint32_t b = 0; b < fn->blocks.n; b++) { /* folded to "always" */
        uint32_t always = fn->blocks.at[b].always;
        if (fn->cfg->loop_of[b] == index && always != 0 && !is_literal(ctx, always))
            return always;
    }
    return 0;
}

void cw_rule_loop_step_without_effect_check(struct cw_rule_ctx *ctx) {
    for (uint32_t l = 0; !ctx->fn->is_degraded && l < ctx->fn->cfg->loops.n; l++) { /* broken code may hide the step */
        uint32_t loc = stuck_condition(ctx, l);
        if (loc == 0 || may_end_inside(ctx->fn, l))
            continue;
        const char *text = cw_source_of(ctx, loc);
        struct cw_finding *f = cw_report_at(ctx, CW_DEFINITE, loc, "this loop never ends: nothing in it changes %s%s%s",
                                            text != NULL ? "'" : "", text != NULL ? text : "its condition",
                                            text != NULL ? "'" : "");
        cw_report_textual(f);
        cw_report_help(ctx, f, "let the step assign: for instance >>= where it says >=");
        cw_fix_step(ctx, f, loc);
        cw_report_submit(ctx, f);
    }
}
