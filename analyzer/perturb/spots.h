/* Where a call can be put so that it runs just before what stands at a place, whatever surrounds it.
 *
 * The nearest spot wins: in front of a statement of a block, around an unbraced body, or in front of a loop's condition
 * or increment. A spot that is not surely one in every configuration of the preprocessor is not taken; the next one
 * outwards is, as far as the function's body goes. */
#ifndef CW_PERTURB_SPOTS_H
#define CW_PERTURB_SPOTS_H

#include "perturb/tokens.h"

enum cw_spot_kind {
    CW_SPOT_NONE,
    CW_SPOT_BEFORE,  /* "CALL; " at `at` */
    CW_SPOT_BEHIND,  /* " CALL;" at `at`, behind the statement before: a pragma stands between */
    CW_SPOT_AROUND,  /* "{ CALL; " at `at` and " }" at `end` */
    CW_SPOT_OPERAND, /* "CALL, " at `at` */
};

struct cw_spot {
    enum cw_spot_kind kind;
    uint32_t at, end;
    const char *why; /* NONE: the reason */
};

struct cw_spot cw_spot_find(const struct cw_tokens *t, size_t offset);

#endif
