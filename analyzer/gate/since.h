/* --since and --staged: what is new. The base's sources are linted as well, and what is found there too is subtracted
 * by its fingerprint; so a barrier that was deleted shows at the line that it protected, which nobody has touched. */
#ifndef CW_GATE_SINCE_H
#define CW_GATE_SINCE_H

#include "engine/run.h"

struct cw_since {
    const char *ref; /* NULL: HEAD */
    bool staged;     /* the index is looked at, not the working tree */
    uint32_t known;  /* out: findings that the base has too */
    uint32_t files;  /* out: that had to be looked at: changed ones, and those that include them */
};

/* Like cw_run(), for the files that the changes since the base can matter to, without what the base has. What is shown
 * may come from the index; `sources` then holds the texts that the findings lie in. Returns 0, or -1; the message has
 * been printed. */
int cw_since_run(struct cw_since *s, const struct cw_run_options *o, struct cw_sources *sources, struct cw_arena *a,
                 struct cw_run_report *report);

#endif
