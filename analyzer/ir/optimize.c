/* The passes in turn. */
#include "ir/edit.h"

enum { MAX_ROUNDS = 3 };

static void promote_all(struct cw_fn *fn) {
    for (int round = 0; round < MAX_ROUNDS && cw_promote_count(fn); round++)
        cw_simplify(fn);
}

void cw_optimize(struct cw_fn *fn) {
    if (!cw_edit_is_linked(fn))
        cw_fn_link_preds(fn);
    if (!fn->is_ssa)
        cw_simplify(fn); /* folds the offsets that promote looks at */
    promote_all(fn);
    if (cw_own_params(fn))
        promote_all(fn);
}
