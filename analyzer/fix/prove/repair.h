/* Fixes of findings, applied to files in memory and proved by a second analysis.
 *
 * A fix stays when, with it in place, the units that read its file parse as well as before, the finding is gone, and
 * nothing is reported that was not there before. Fixes are tried together; where that fails they are tried in halves,
 * so that the ones that do harm are found singly. What overlaps, and what a first fix makes possible, comes in a
 * further round. docs/internals/fixes.md has the reasons. */
#ifndef CW_FIX_PROVE_REPAIR_H
#define CW_FIX_PROVE_REPAIR_H

#include "engine/run.h"
#include "fix/apply/edits.h"

struct cw_repair_options {
    const struct cw_run_options *shown; /* which findings are to be fixed: those that it would tell */
    bool unsafe;                        /* apply the fixes that are not proved to be right as well */
    bool (*wants)(void *ctx, const struct cw_finding *f, const struct cw_fix *x); /* which of them; NULL: all */
    void *ctx;
};

/* A file with fixes. */
struct cw_repaired {
    const char *path;                   /* as the run names it */
    const struct cw_source *original, *now;
    struct cw_edits edits;              /* of the original, which give what it is now */
    uint32_t fixed;                     /* findings */
};

/* A fix that was offered and is not there. */
struct cw_unrepaired {
    struct cw_place place;              /* of the finding, when the fix was tried */
    const char *rule, *message, *reason;
};

struct cw_repair {
    CW_VEC(struct cw_repaired) files;   /* in the order of the run */
    CW_VEC(struct cw_unrepaired) dropped;
    uint32_t fixed;                     /* findings, in all files */
    uint32_t unsafe_left;               /* findings with fixes that only `unsafe` would apply */
};

/* requires: all files of the run analysed. Afterwards `sources` has the files' new texts, and the run's results are
 * those of the new texts; nothing is written. 0, or -1 when the environment is at fault; the message has been printed.
 */
int cw_repair(struct cw_run_state *run, const struct cw_repair_options *o, struct cw_sources *sources,
              struct cw_arena *a, struct cw_repair *out);

#endif
