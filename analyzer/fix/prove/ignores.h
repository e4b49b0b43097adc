/* Comments that silence findings, written for people who take over a code base as it is.
 *
 * A finding's comment goes above the first line of its place; behind the code where above would silence a whole block;
 * into the list of a comment that is there already. What comes out is read again before it is kept: every finding must
 * be silenced, and nothing but comments may differ. */
#ifndef CW_FIX_PROVE_IGNORES_H
#define CW_FIX_PROVE_IGNORES_H

#include "diag/diag.h"
#include "fix/apply/edits.h"

struct cw_ignored {
    struct cw_edits edits;  /* of the file */
    uint32_t silenced;      /* findings */
    CW_VEC(const struct cw_finding *) left; /* no comment can stand there */
};

/* NULL, or why this cannot be a reason: a reason is one line that ends where it seems to. */
const char *cw_ignore_reason_check(const char *reason);

/* For the `n` findings that lie in the file of `source`, in the order of their lines. Texts are in the arena. */
void cw_add_ignores(struct cw_arena *a, const struct cw_source *source, const struct cw_finding *const *findings,
                    uint32_t n, const char *reason, struct cw_ignored *out);

#endif
