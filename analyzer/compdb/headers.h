/* The files of a source tree that an #include may mean, found by the end of their path.
 *
 * The tree is walked near to the asking file first and never further than its budget of directory entries allows: one
 * file out of a huge repository must not wait for the whole of it. Results depend on the tree and the budget only. */
#ifndef CW_COMPDB_HEADERS_H
#define CW_COMPDB_HEADERS_H

#include "base/intern.h"
#include "base/vec.h"

struct cw_headers;

struct cw_headers_options {
    uint32_t budget; /* directory entries looked at, over all roots */
    /* Is a file left out of the repository? Asked only of files that are about to be chosen. May be NULL. */
    bool (*is_ignored)(void *ctx, const char *path);
    void *ctx;
};

struct cw_headers *cw_headers_new(struct cw_arena *a, const struct cw_headers_options *o);

/* The directory from which `name` ("a/b.cuh") is found, for an #include in a file of the directory `from`; `root` is
 * the project's, above `from`. Both are absolute. The project's own files come before those of others' projects below
 * it; of several the nearest to `from` counts, by the folders shared, and none when that does not tell. NULL: none. */
const char *cw_headers_find(struct cw_headers *h, const char *root, const char *from, const char *name);

/* Directory entries looked at so far, and whether some were left out because the budget is exhausted. */
uint32_t cw_headers_seen(const struct cw_headers *h);
bool cw_headers_is_cut(const struct cw_headers *h);

/* Does the directory belong to somebody else's project below `root`: third_party, vendor and the like, a submodule, a
 * copy of the toolkit? Also for what lies outside of `root`: no. */
bool cw_headers_is_foreign(struct cw_headers *h, const char *root, const char *directory);

#endif
