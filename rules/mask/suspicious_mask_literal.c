/* suspicious-mask-literal: a constant lane mask that looks like a slip of the pen
 *
 * ## What it does
 * Reports constant masks of `_sync` intrinsics that are almost certainly not what was meant: 0; all-ones masks with an
 * `f` too few (`0xfffffff`, `0xffffff`, `0xfffff`); binary patterns typed as hexadecimal (`0xb0101`, `0x1010`); the
 * decimal 32; literals of more than 32 bits; and `1 << 32`. One finding per mask value and kernel.
 *
 * ## Why it is wrong
 * "Each calling thread must have its own bit set in the mask and all non-exited threads named in mask must execute" the
 * same intrinsic, "or the result is undefined" (CUDA C++ Programming Guide). Such code gives right results until the
 * lanes of a warp drift apart; then it stops with an illegal instruction, and neither racecheck nor synccheck says a
 * word.
 *
 * ## Example
 * ```cuda bad --block 128
 * __global__ void sum(float *out, const float *in) {
 *     float v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffff, v, d);
 *     if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
 * }
 * ```
 * ```cuda good --block 128
 * __global__ void sum(float *out, const float *in) {
 *     float v = in[threadIdx.x];
 *     for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
 *     if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = v;
 * }
 * ```
 *
 * ## How to fix
 * Write the full mask once, as a named constant of eight `f`; binary masks with `0b`; n lanes, n < 32, as `(1u << n) -
 * 1`.
 *
 * ## When it stays silent
 * When exactly the lanes that the mask names make the call; for masks that the code computes, as `(1u << 20) - 1`; for
 * masks that repeat over the whole warp (`0x11111111`, `0x0f0f0f0f`), which are meant as they are written:
 * caller-not-in-mask judges those by who calls.
 *
 * ## References
 * - CUDA C++ Programming Guide, warp vote and warp shuffle functions
 * - NVIDIA CUDA C++ Guidelines for Robust and Safety-Critical Programming, rule 2.1
 */
#include "rules/rule.h"

#include "kernel/ask/code.h"
#include "kernel/ask/values.h"
#include "fix/make/drafts.h"
#include "fix/make/masks.h"
#include "rules/report_masks.h"
#include "rules/report_names.h"

#include <string.h>
#define MAX_REPORTED 16 /* mask values told per kernel */

enum match { MATCH, MISMATCH, UNKNOWN };

/* Do exactly the named lanes of each warp call? The first iteration stands for all. */
static enum match match_under(struct cw_rule_ctx *ctx, struct cw_lanes *lanes, uint32_t ins, uint32_t mask) {
    const struct cw_participation *p = cw_participation(lanes, ins, NULL, ctx->arena);
    for (uint32_t w = 0; w < (cw_lanes_count(lanes) + 31) / 32; w++) {
        uint32_t calls = cw_participation_lanes(p, lanes, w, CW_ARRIVES);
        uint32_t open = cw_participation_lanes(p, lanes, w, CW_DATA) |
                        cw_participation_lanes(p, lanes, w, CW_DATA_EXIT) |
                        cw_participation_lanes(p, lanes, w, CW_UNSURE);
        if ((calls | open) != 0 && calls != mask)
            return open == 0 || (calls & ~mask) != 0 ? MISMATCH : UNKNOWN;
    }
    return MATCH;
}

static enum match match_callers(struct cw_rule_ctx *ctx, uint32_t ins, uint32_t mask) {
    uint32_t count[3] = {0};
    for (uint32_t k = 0; k < ctx->launches->n; k++)
        count[match_under(ctx, cw_kernel_lanes(ctx->kernel, k, 0), ins, mask)]++;
    if (count[MISMATCH] > 0 && (ctx->launches->from_facts || count[MISMATCH] == ctx->launches->n))
        return MISMATCH;
    return ctx->launches->n > 0 && count[MATCH] == ctx->launches->n ? MATCH : UNKNOWN;
}

static bool is_overshift(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    int64_t by;
    if (i != NULL && (i->op == CW_OP_SUB || i->op == CW_OP_ADD))
        i = cw_ins_of(fn, cw_arg(fn, i, 0));
    return i != NULL && i->op == CW_OP_SHL && cw_ref_const(fn, cw_arg(fn, i, 1), &by) &&
           by >= (int64_t)cw_type_bits(i->type);
}

static bool is_too_long(const char *text) {
    if (text == NULL || text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
        return false;
    return strspn(text + 2 + strspn(text + 2, "0'"), "0123456789abcdefABCDEF") > 8;
}

enum slip { SLIP_VALUE, SLIP_SHIFT, SLIP_LENGTH };

/* A literal of more than 32 bits already means its lower ones. */
static void fix_literal(struct cw_rule_ctx *ctx, struct cw_finding *finding, uint32_t ins, enum slip slip) {
    struct cw_span_text t;
    int64_t value = 0;
    bool known = cw_ref_const(ctx->fn, cw_arg(ctx->fn, &ctx->fn->ins.at[ins], 0), &value);
    if (slip == SLIP_LENGTH && known && cw_rule_argument(ctx, ins, 0, &t)) {
        struct cw_draft d = cw_draft_begin(ctx);
        cw_draft_edit(&d, &t, t.from, t.to, cw_arena_printf(ctx->arena, "0x%08x", (unsigned)value));
        cw_draft_offer(&d, finding, true, "leave out the bits that are lost");
    } else if (slip == SLIP_SHIFT) {
        cw_fix_full_mask(ctx, finding, &ins, 1, true);
    } else if (slip == SLIP_VALUE) {
        cw_fix_constant_mask(ctx, finding, (uint32_t)value);
    }
}

static void add_slip(struct cw_rule_ctx *ctx, uint32_t ins, bool sure, enum slip slip, bool textual, const char *what) {
    struct cw_finding *f = cw_report(ctx, sure ? CW_DEFINITE : CW_POSSIBLE, ins, "%s", what);
    if (textual)
        cw_report_textual(f);
    cw_report_help(ctx, f, "the mask of a whole warp is 0xffffffff (eight f's); binary masks begin with 0b");
    fix_literal(ctx, f, ins, slip);
    cw_report_submit(ctx, f);
}

static void check_mask(struct cw_rule_ctx *ctx, uint32_t ins, uint32_t *seen, uint32_t *nseen) {
    const struct cw_fn *fn = ctx->fn;
    const struct cw_ins *i = &fn->ins.at[ins];
    cw_ref mask = cw_arg(fn, i, 0);
    int64_t value;
    bool certain;
    if (is_overshift(fn, mask))
        add_slip(ctx, ins, true, SLIP_SHIFT, true,
                 "the mask shifts by the whole width of its type, which is undefined");
    if (!cw_ref_const(fn, mask, &value))
        return;
    for (uint32_t k = 0; k < *nseen; k++)
        if (seen[k] == (uint32_t)value)
            return;
    const char *odd = cw_mask_oddity(ctx, (uint32_t)value, &certain);
    enum match callers = odd != NULL ? match_callers(ctx, ins, (uint32_t)value) : MATCH;
    if (odd != NULL && (callers != MATCH || value == 0))
        add_slip(ctx, ins, certain || callers == MISMATCH, SLIP_VALUE, certain,
                 cw_arena_printf(ctx->arena, "mask 0x%x %s", (unsigned)value, odd));
    else if (is_too_long(cw_argument_text(ctx, ins, 0)))
        add_slip(ctx, ins, true, SLIP_LENGTH, true, "the mask literal has more than 32 bits; the upper ones are lost");
    else
        return;
    if (*nseen < MAX_REPORTED)
        seen[(*nseen)++] = (uint32_t)value;
}

CW_RULE_CHECK(suspicious_mask_literal) {
    const struct cw_fn *fn = ctx->fn;
    uint32_t seen[MAX_REPORTED], nseen = 0;
    struct cw_vec_u32 calls = cw_reachable_collectives(fn, ctx->arena);
    for (uint32_t k = 0; k < calls.n; k++) {
        const struct cw_ins *i = &fn->ins.at[calls.at[k]];
        if ((cw_op_flags(i->op) & CW_OP_C) && i->narg > 0 && cw_ref_type(fn, cw_arg(fn, i, 0)) == CW_I32)
            check_mask(ctx, calls.at[k], seen, &nseen);
    }
}
