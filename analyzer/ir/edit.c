#include "ir/edit.h"

#include "base/require.h"

#include <string.h>

void cw_edit_remove(struct cw_fn *fn, uint32_t index) {
    struct cw_ins *i = &fn->ins.at[index];
    *i = (struct cw_ins){.op = CW_OP_HOLE, .block = i->block};
}

void cw_edit_remove_pred(struct cw_fn *fn, uint32_t block, uint32_t k) {
    struct cw_block *b = &fn->blocks.at[block];
    cw_require(k < b->pred.n);
    b->pred.n--;
    memmove(b->pred.at + k, b->pred.at + k + 1, sizeof *b->pred.at * (b->pred.n - k));
    for (uint32_t p = 0; p < b->ins.n && fn->ins.at[b->ins.at[p]].op == CW_OP_PHI; p++) {
        struct cw_ins *i = &fn->ins.at[b->ins.at[p]];
        cw_ref *args = fn->args.at + i->arg;
        i->narg--;
        memmove(args + k, args + k + 1, sizeof *args * (i->narg - k));
    }
}

void cw_edit_drop_unreachable(struct cw_fn *fn, const struct cw_order_of_blocks *blocks) {
    if (blocks->n == fn->blocks.n)
        return;
    for (uint32_t n = 0; n < fn->blocks.n; n++) {
        struct cw_block *b = &fn->blocks.at[n];
        if (cw_order_reaches(blocks, n)) {
            for (uint32_t k = b->pred.n; k-- > 0;)
                if (!cw_order_reaches(blocks, b->pred.at[k]))
                    cw_edit_remove_pred(fn, n, k);
            continue;
        }
        for (uint32_t k = 0; k < b->ins.n; k++)
            cw_edit_remove(fn, b->ins.at[k]);
        b->ins.n = b->pred.n = 0;
        b->jump = (struct cw_jump){.kind = CW_JUMP_NONE};
    }
}

enum cw_op cw_edit_cast(enum cw_type from, enum cw_type to) {
    if (cw_type_is_int(from) && cw_type_is_int(to))
        return cw_type_bits(from) > cw_type_bits(to) ? CW_OP_TRUNC : from == CW_I1 ? CW_OP_ZEXT : CW_OP_SEXT;
    if (from == CW_PTR && to == CW_I64)
        return CW_OP_PTRTOINT;
    return from == CW_I64 && to == CW_PTR ? CW_OP_INTTOPTR : CW_OP_PURE;
}

bool cw_edit_is_linked(const struct cw_fn *fn) {
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        if (fn->blocks.at[b].pred.n)
            return true;
    return false;
}

void cw_edit_use_instead(struct cw_fn *fn, const cw_ref *to) {
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        struct cw_block *block = &fn->blocks.at[b];
        for (uint32_t k = 0; k < block->ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[block->ins.at[k]];
            for (uint32_t n = 0; n < i->narg; n++) {
                cw_ref *arg = &fn->args.at[i->arg + n];
                if (arg->tag == CW_REF_INS && to[arg->index].tag != CW_REF_NONE)
                    *arg = to[arg->index];
            }
        }
        if (block->jump.value.tag == CW_REF_INS && to[block->jump.value.index].tag != CW_REF_NONE)
            block->jump.value = to[block->jump.value.index];
    }
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (to[k].tag != CW_REF_NONE)
            cw_edit_remove(fn, k);
}
