/* The passes in turn. */
#include "ir/edit.h"

enum { MAX_ROUNDS = 3 };

static void promote_all(struct cw_fn *fn) {
    for (int round = 0; round < MAX_ROUNDS && cw_promote_count(fn); round++)
        cw_simplify(fn);
    for (int round = 0; round < MAX_ROUNDS && cw_split_members(fn); round++)
        while (cw_promote_count(fn))
            cw_simplify(fn);
}

/* Calls that inlining left and that nobody comes to are none. */
static void count_left_calls(struct cw_fn *fn) {
    fn->bails[CW_BAIL_RECURSION] = fn->bails[CW_BAIL_INLINE_BUDGET] = 0;
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            if (i->op == CW_OP_OPCALL && (i->aux == CW_BAIL_RECURSION || i->aux == CW_BAIL_INLINE_BUDGET))
                fn->bails[i->aux]++;
        }
}

void cw_optimize(struct cw_fn *fn) {
    if (!cw_edit_is_linked(fn))
        cw_fn_link_preds(fn);
    if (!fn->is_ssa)
        cw_simplify(fn); /* folds the offsets that promote looks at */
    promote_all(fn);
    if (cw_own_params(fn))
        promote_all(fn);
    if (cw_member_params(fn))
        promote_all(fn);
    for (int round = 0; round < MAX_ROUNDS && cw_lend_objects(fn); round++)
        promote_all(fn);
    if (cw_forward_stores(fn))
        promote_all(fn);
    count_left_calls(fn);
}
