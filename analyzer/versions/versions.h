/* Two versions of the code: what one function has lost of its barriers and collectives, and what it has kept.
 *
 * requires: --dump=syncs of both. computes: for each kernel or function that both versions have, the barriers that are
 * gone with nothing in their place, and the calls that are still there. The rules of the category `change` say what is
 * wrong with that. Cost: one comparison of lines for each file that lost a call. */
#ifndef CW_VERSIONS_VERSIONS_H
#define CW_VERSIONS_VERSIONS_H

#include "diag/diag.h"
#include "source/source.h"

/* How a mask is written in the source. */
enum cw_sync_mask { CW_SYNC_MASK_OTHER, CW_SYNC_MASK_FULL, CW_SYNC_MASK_ACTIVE };

/* A barrier or collective of one version, from --dump=syncs. */
struct cw_sync {
    const char *unit, *root, *function, *op;
    enum cw_sync_mask mask;
    bool shared;           /* the root stores to shared memory */
    struct cw_place place; /* `file` as the run called it */
    const char *file;      /* below the version's folder; NULL: outside of it */
};

struct cw_version {
    const char *folder; /* real path */
    CW_VEC(struct cw_sync) syncs; /* by root and place, each once */
};

/* Relative names in the dump are meant from the working directory. */
void cw_version_read(struct cw_version *v, struct cw_arena *a, cw_str dump);

/* A barrier of the old version without a successor; the code around it is still there. */
struct cw_lost_barrier {
    const struct cw_sync *sync;
    const char *call;        /* its text */
    const char *weaker;      /* text of a barrier for fewer threads that is there now; "": none */
    struct cw_place next;    /* the line now that it stood before */
    bool is_commented;       /* `comment`, between the lines around it, holds the call */
    struct cw_place comment;
};

/* One call in both versions: the n-th of its kind in each, where there are as many. */
struct cw_sync_pair {
    const struct cw_sync *before, *now;
};

struct cw_version_changes {
    CW_VEC(struct cw_lost_barrier) lost;
    CW_VEC(struct cw_sync_pair) kept;
};

/* Files are called as `now` calls them. */
struct cw_version_changes cw_versions_compare(struct cw_arena *a, const struct cw_version *before,
                                              const struct cw_version *now);

#endif
