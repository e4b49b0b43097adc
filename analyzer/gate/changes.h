/* The rules of the category `change`: two versions of one function compared. */
#ifndef CW_GATE_CHANGES_H
#define CW_GATE_CHANGES_H

#include "diag/diag.h"
#include "source/source.h"

/* Barriers and collectives of one version, from --dump=syncs. */
struct cw_sync {
    const char *unit, *root, *function, *op, *mask;
    bool shared;          /* the root stores to shared memory */
    struct cw_place place; /* `file` as the run called it */
    const char *file;     /* below the version's folder; NULL: outside of it */
};

struct cw_version {
    const char *folder; /* real path */
    CW_VEC(struct cw_sync) syncs; /* by root and place, each once */
};

/* Relative names in the dump are meant from the working directory. */
void cw_version_read(struct cw_version *v, struct cw_arena *a, cw_str dump);

/* What `now` has lost. Files are called as `now` calls them; `unit` of each finding is that of its root. */
struct cw_change_finding {
    const char *unit;
    struct cw_finding finding;
};
struct cw_change_findings { struct cw_change_finding *at; uint32_t n, cap; };
struct cw_change_findings cw_changes_of(struct cw_arena *a, const struct cw_version *before,
                                        const struct cw_version *now);

#endif
