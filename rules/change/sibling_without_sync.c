/* sibling-without-sync: like places have a barrier, and one of them has none
 *
 * ## What it does
 * Looks for pieces of code in the device functions of a file that are the same but for names and numbers, at two or
 * more of which a barrier stands, the same one each time, while exactly one has nothing there. What is found is a
 * suggestion, hence `possible`.
 *
 * ## Why it is wrong
 * Kernels come in variants, made by copying: one for each type, block size or boundary. "Insert the new `__syncwarp()`
 * between any steps where data is exchanged between threads" (CUDA C++ Programming Guide) is then done in all copies
 * but one. Or this copy needs none: then the others may have one too many.
 *
 * ## Example
 * ```cuda bad --possible --ignore race
 * __global__ void shift_left(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 3) % 128];
 * }
 * __global__ void shift_right(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 127) % 128];
 * }
 * __global__ void shift_half(int *out) {
 *     __shared__ int tile[256];
 *     int i = threadIdx.x;
 *     tile[i] = out[blockIdx.x * 256 + i];
 *     out[blockIdx.x * 256 + i] = tile[(i + 128) % 256];
 * }
 * ```
 * ```cuda good --possible
 * __global__ void shift_left(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 3) % 128];
 * }
 * __global__ void shift_right(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 127) % 128];
 * }
 * ```
 *
 * ## How to fix
 * Put the barrier in where it is missing. Better, make one function template of the copies, so that there is one place
 * to get right.
 *
 * ## When it stays silent
 * When fewer than two like places have the barrier, or more than one lacks it; when they have different barriers; when
 * the code around is too short to be a copy, or differs by more than names and numbers; across files; in functions in
 * which a race is reported, which says more.
 *
 * ## References
 * - D. Engler et al., Bugs as Deviant Behavior, SOSP 2001
 * - CUDA C++ Programming Guide, synchronization functions
 */
#include "rules/rule.h"

#include "rules/hook_text.h"
#include "rules/text_barriers.h"
#include "source/function_symbols.h"

enum { LEAST_SIBLINGS = 2 }; /* as many have it: one of two could be either's slip */

struct functions {
    struct cw_function_symbols *at; /* by index in ctx->functions */
    struct cw_siblings found;
};

static struct functions read_functions(struct cw_text_ctx *ctx) {
    struct functions f = {.at = CW_NEW_ARRAY(ctx->arena, struct cw_function_symbols, ctx->nfunctions)};
    struct cw_symbols *symbols = CW_NEW_ARRAY(ctx->arena, struct cw_symbols, ctx->nfunctions);
    for (uint32_t i = 0; i < ctx->nfunctions; i++) {
        const struct cw_text_function *function = &ctx->functions[i];
        cw_str text = {ctx->source->text + function->from, function->to - function->from};
        f.at[i] = cw_function_symbols_read(ctx->arena, text, cw_is_barrier_statement);
        symbols[i] = f.at[i].symbols;
    }
    f.found = cw_siblings_of(ctx->arena, symbols, ctx->nfunctions, LEAST_SIBLINGS);
    return f;
}

static struct cw_place place_of(const struct cw_text_ctx *ctx, const struct functions *functions,
                                struct cw_sibling_place at) {
    struct cw_token t = functions->at[at.function].tokens.at[at.symbol];
    size_t from = ctx->functions[at.function].from + t.at;
    return cw_text_place(ctx, from, from + t.n);
}

/* The barrier that the others have, without its semicolon. */
static cw_str call_of(const struct cw_text_ctx *ctx, const struct functions *functions, struct cw_sibling_place have) {
    struct cw_token mark = functions->at[have.function].tokens.at[have.symbol];
    return (cw_str){ctx->source->text + ctx->functions[have.function].from + mark.at, mark.n - 1};
}

static void report_sibling(struct cw_text_ctx *ctx, const struct functions *functions,
                           const struct cw_sibling *sibling) {
    cw_str call = call_of(ctx, functions, sibling->have[0]);
    struct cw_finding *finding =
        cw_report_text(ctx, CW_POSSIBLE, place_of(ctx, functions, sibling->lacks),
                       "%u similar places have %.*s here; this one does not", sibling->n, (int)call.n, call.at);
    finding->kernel = ctx->functions[sibling->lacks.function].name;
    finding->help = "insert it if the code needs it here too, or say in a comment why it does not";
    for (uint32_t i = 0; i < sibling->n && i < CW_SIBLINGS_TOLD; i++) {
        struct cw_remark note = {place_of(ctx, functions, sibling->have[i]), "here the same code has it"};
        cw_vec_push(ctx->arena, &finding->notes, note);
    }
}

/* Where a race is reported, that says more. */
static void check_text(struct cw_text_ctx *ctx) {
    if (ctx->nfunctions == 0)
        return;
    struct functions f = read_functions(ctx);
    for (uint32_t i = 0; i < f.found.n; i++)
        if (!ctx->functions[f.found.at[i].lacks.function].has_race)
            report_sibling(ctx, &f, &f.found.at[i]);
}

CW_RULE_HOOKS(sibling_without_sync, .text = check_text);
