/* commented-out-barrier: a barrier stands in a comment, and nothing takes its place
 *
 * ## What it does
 * Compares each function with what it was before (`--since REF`, `--staged`) and reports barriers that became comments.
 * Without a version to compare with, comments in device functions that are nothing but a barrier's call are reported as
 * `possible`.
 *
 * ## Why it is wrong
 * "__syncthreads() is used to coordinate communication between the threads of the same block" (CUDA C++ Programming
 * Guide). What is commented out for an experiment tends to stay so, and later nobody can tell whether the barrier was
 * one too many, or was only taken out to see how fast the kernel is without it.
 *
 * ## Example
 * ```cuda bad --possible --ignore race
 * __global__ void reverse(int *data) {
 *     __shared__ int s[64];
 *     s[threadIdx.x] = data[threadIdx.x];
 *     // __syncthreads();
 *     data[threadIdx.x] = s[63 - threadIdx.x];
 * }
 * void run(int *data) { reverse<<<1, 64>>>(data); }
 * ```
 * ```cuda good --possible
 * __global__ void reverse(int *data) {
 *     __shared__ int s[64];
 *     s[threadIdx.x] = data[threadIdx.x];
 *     __syncthreads(); // all of s[] is written
 *     data[threadIdx.x] = s[63 - threadIdx.x];
 * }
 * void run(int *data) { reverse<<<1, 64>>>(data); }
 * ```
 *
 * ## How to fix
 * Take the barrier back in, or delete the comment and say why no thread needs to wait.
 *
 * ## When it stays silent
 * For comments that say something else besides; where a barrier stands next to the comment.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions
 */
#include "rules/rule.h"

#include "rules/hook_text.h"
#include "rules/hook_versions.h"
#include "rules/text_barriers.h"
#include "source/lexer.h"

#include <string.h>

/* ---- one version: a comment that is a barrier, with no barrier before or after it ---- */

struct reading {
    struct cw_text_ctx *ctx;
    const struct cw_text_function *function;
    struct cw_beginning statement; /* the one that is read, or was read last */
    struct cw_token pending;       /* a comment that waits for the statement after it */
    bool is_pending, is_after_barrier;
    bool is_after_print; /* only comments since one that holds a call of printf() */
};

/* Does the comment hold a call that prints? */
static bool is_print(cw_str comment) {
    struct cw_lexer l;
    struct cw_token t;
    bool is_name = false;
    cw_lexer_init(&l, comment.at, comment.n);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        if (is_name && t.n == 1 && comment.at[t.at] == '(')
            return true;
        cw_str word = {comment.at + t.at, t.n};
        is_name = cw_str_is(word, "printf") || cw_str_is(word, "print");
    }
    return false;
}

static void report_comment(struct reading *reading) {
    size_t from = reading->function->from + reading->pending.at;
    struct cw_finding *f =
        cw_report_text(reading->ctx, CW_POSSIBLE, cw_text_place(reading->ctx, from, from + reading->pending.n),
                       "a barrier is commented out here");
    f->kernel = reading->function->name;
    f->help = "restore it, or delete the comment and say why no thread needs to wait here";
}

static void read_code(struct reading *reading, const char *text, struct cw_token token) {
    bool ends = token.kind == CW_TOKEN_PUNCT && token.n == 1 && strchr(";{}", text[token.at]);
    if (!ends)
        cw_beginning_take(&reading->statement, (cw_str){text + token.at, token.n});
    if (reading->is_pending && (ends || reading->statement.n == 3)) {
        if (!cw_beginning_is_barrier(&reading->statement) && !reading->is_after_barrier)
            report_comment(reading);
        reading->is_pending = false;
    }
    if (ends) {
        if (reading->statement.n)
            reading->is_after_barrier = cw_beginning_is_barrier(&reading->statement);
        reading->statement.n = 0;
    }
}

/* A barrier among lines that print, all of them comments, belongs to the output that was taken out. */
static void read_comment(struct reading *reading, const char *text, struct cw_token token) {
    cw_str comment = cw_token_comment(text, token);
    if (is_print(comment)) {
        reading->is_after_print = true;
        reading->is_pending = false;
    } else if (!reading->statement.n && !reading->is_after_print && cw_is_barrier_statement(comment)) {
        reading->pending = token;
        reading->is_pending = true;
    }
}

static void read_function(struct reading *reading) {
    const char *text = reading->ctx->source->text + reading->function->from;
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, text, reading->function->to - reading->function->from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        if (t.kind != CW_TOKEN_COMMENT && !t.in_directive) {
            reading->is_after_print = false;
            read_code(reading, text, t);
        } else if (t.kind == CW_TOKEN_COMMENT) {
            read_comment(reading, text, t);
        }
    }
}

static void check_text(struct cw_text_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->nfunctions; i++) {
        struct reading r = {.ctx = ctx, .function = &ctx->functions[i]};
        read_function(&r);
    }
}

/* ---- two versions: a lost barrier whose call is in a comment where it stood ---- */

static void check_versions(struct cw_versions_ctx *ctx) {
    for (uint32_t i = 0; i < ctx->changes->lost.n; i++) {
        const struct cw_lost_barrier *lost = &ctx->changes->lost.at[i];
        if (!lost->is_commented)
            continue;
        struct cw_finding *f = cw_report_change(ctx, lost->sync, lost->comment,
                                                "%s is commented out and not replaced", lost->call);
        f->help = "restore it, or say in a comment why no thread needs to wait here";
        f->yields_to_race = true;
    }
}

CW_RULE_HOOKS(commented_out_barrier, .text = check_text, .versions = check_versions);
