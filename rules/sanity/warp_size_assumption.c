/* warp-size-assumption: the number 32 in index arithmetic where warpSize is meant
 *
 * ## What it does
 * Reports thread indices divided by 32, taken modulo 32, shifted by 5 or masked with 31. One finding per kernel, at the first
 * place; off by default.
 *
 * ## Why it is wrong
 * Warps have 32 lanes on every NVIDIA GPU so far, but the guide asks for `warpSize`: it is "the warp size in threads"
 * (CUDA C++ Programming Guide, built-in variables), and the same source built for other vendors meets 64 lanes.
 *
 * ## Example
 * ```cuda bad
 * __global__ void ids(int *out) {
 *     out[threadIdx.x] = threadIdx.x / 32;
 * }
 * ```
 * ```cuda good
 * __global__ void ids(int *out) {
 *     out[threadIdx.x] = threadIdx.x / warpSize;
 * }
 * ```
 *
 * ## How to fix
 * Use `warpSize`, a named constant for the whole project, or cooperative groups (`meta_group_rank()`, `thread_rank()`).
 *
 * ## When it stays silent
 * For 32 in other roles: tile widths, loop bounds, data layouts that have nothing to do with the thread index.
 *
 * ## References
 * - CUDA C++ Programming Guide, built-in variables
 */
#include "rules/rule.h"

#define MAX_DEPTH 6 /* operands followed back to a thread index */

static bool comes_from_thread(const struct cw_fn *fn, cw_ref r, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (r.tag == CW_REF_SREG)
        return r.index <= CW_TID_Z;
    if (i == NULL || depth == MAX_DEPTH)
        return false;
    bool sum = i->op == CW_OP_ADD || i->op == CW_OP_MUL || i->op == CW_OP_ZEXT || i->op == CW_OP_SEXT ||
               i->op == CW_OP_TRUNC;
    for (uint32_t k = 0; sum && k < i->narg; k++)
        if (comes_from_thread(fn, cw_arg(fn, i, k), depth + 1))
            return true;
    return false;
}

static bool is_warp_arithmetic(const struct cw_fn *fn, const struct cw_ins *i) {
    int64_t by;
    if (i->narg != 2 || !cw_ref_const(fn, cw_arg(fn, i, 1), &by))
        return false;
    switch (i->op) {
    case CW_OP_SDIV: case CW_OP_UDIV: case CW_OP_SREM: case CW_OP_UREM:
        return by == 32;
    case CW_OP_AND:
        return by == 31;
    case CW_OP_LSHR: case CW_OP_ASHR:
        return by == 5;
    default:
        return false;
    }
}

void cw_rule_warp_size_assumption_check(struct cw_rule_ctx *ctx) {
    const struct cw_fn *fn = ctx->fn;
    uint32_t first = UINT32_MAX, more = 0;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            const struct cw_ins *i = &fn->ins.at[b->ins.at[j]];
            if (!is_warp_arithmetic(fn, i) || !comes_from_thread(fn, cw_arg(fn, i, 0), 0))
                continue;
            more += first != UINT32_MAX;
            first = first == UINT32_MAX ? b->ins.at[j] : first;
        }
    }
    if (first == UINT32_MAX)
        return;
    struct cw_finding *f = cw_report(ctx, CW_DEFINITE, first, "index arithmetic takes a warp for 32 threads");
    cw_report_textual(f);
    if (more > 0)
        cw_report_note(ctx, f, 0, "%u further place%s in this kernel", more, more == 1 ? "" : "s");
    cw_report_help(ctx, f, "write warpSize");
    cw_report_submit(ctx, f);
}
