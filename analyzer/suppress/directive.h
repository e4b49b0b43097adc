/* What a comment says to this program: `cuwarp: …` at its beginning, or NOLINT with a name that begins with "cuwarp-".
 */
#ifndef CW_SUPPRESS_DIRECTIVE_H
#define CW_SUPPRESS_DIRECTIVE_H

#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

enum cw_directive_kind {
    CW_DIRECTIVE_NONE,      /* an ordinary comment */
    CW_DIRECTIVE_MALFORMED, /* meant for this program, but not understood */
    CW_DIRECTIVE_IGNORE,
    CW_DIRECTIVE_IGNORE_FILE,
    CW_DIRECTIVE_OFF,
    CW_DIRECTIVE_ON,
    CW_DIRECTIVE_NOLINT,
    CW_DIRECTIVE_NOLINT_NEXT_LINE,
    CW_DIRECTIVE_NOLINT_BEGIN,
    CW_DIRECTIVE_NOLINT_END,
    CW_DIRECTIVE_ASSUME_UNIFORM,   /* names: variables */
    CW_DIRECTIVE_ASSUME_CONVERGED,
    CW_DIRECTIVE_LAUNCH,           /* its text is launch/launch.h's */
    CW_DIRECTIVE_NOLINT_OTHERS,    /* NOLINT without a name of this program; names: all of them */
};

enum { CW_DIRECTIVE_MAX_NAMES = 64 };

struct cw_directive {
    enum cw_directive_kind kind;
    CW_VEC(cw_str) names; /* slices of the text; of NOLINT: those of this program, without "cuwarp-" */
    uint32_t others;      /* of NOLINT: names that are somebody else's */
    cw_str list;          /* what stands between the brackets */
    cw_str reason;        /* empty: none */
    const char *wrong;    /* of MALFORMED: one sentence (arena text) */
};

bool cw_directive_is_nolint(enum cw_directive_kind kind);
/* Does it silence findings: ignore, off, NOLINT, …? */
bool cw_directive_is_suppression(enum cw_directive_kind kind);

/* `comment`: without its marks, see cw_token_comment(). Slices point into it. */
struct cw_directive cw_directive_parse(struct cw_arena *a, cw_str comment);

#endif
