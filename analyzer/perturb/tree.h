/* The folder that a perturbed copy is written to. */
#ifndef CW_PERTURB_TREE_H
#define CW_PERTURB_TREE_H

#include "perturb/plan.h"

#define CW_SKEW_MANIFEST "cuwarp_skew.json"

struct cw_tree {
    struct cw_arena *arena;
    CW_VEC(const char *) files; /* relative to the plan's root; sorted, each once, when cw_tree_write() has run */
    uint32_t changed;           /* how many of them have calls or a prologue */
};

/* The deepest folder that holds all of the paths, as a real path. NULL and *error when one does not exist. */
const char *cw_tree_root(struct cw_arena *a, const char *const *paths, uint32_t n, const char **error);

/* Makes the folder `out`, unless it exists and is empty or holds what an earlier run wrote. Its real path, or NULL and
 * *error: it holds something else, the sources lie in it, or it cannot be made. */
const char *cw_tree_make_out(struct cw_arena *a, const char *out, const char *root, const char **error);

/* Everything below a folder but version control's own files, what .gitignore excludes, and the plan's `out`. */
void cw_tree_add_folder(struct cw_tree *t, struct cw_plan *p, const char *folder);
/* One file, when it lies below the root. */
void cw_tree_add_file(struct cw_tree *t, struct cw_plan *p, const char *path);

/* Writes the copies, the header and the manifest; files that are as they should be are left alone, so that a build of
 * the copy stays incremental. Removes what an earlier run wrote and this one does not. NULL, or what went wrong. */
const char *cw_tree_write(struct cw_tree *t, struct cw_plan *p);

#endif
