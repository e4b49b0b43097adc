/* The repository around the working directory, as far as a gate for new code asks of it. */
#ifndef CW_GATE_REPOSITORY_H
#define CW_GATE_REPOSITORY_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>

struct cw_repository;

/* NULL and *error (arena text): there is none, it has no working tree, or libgit2 is missing. To be closed. */
struct cw_repository *cw_repository_open(struct cw_arena *a, const char **error);
void cw_repository_close(struct cw_repository *r);
/* Real path of the working tree, without a slash at the end. */
const char *cw_repository_folder(const struct cw_repository *r);

/* Sets the version that others are compared with: where HEAD left `ref`, or HEAD itself when `ref` is NULL; before the
 * first commit, nothing. NULL, or why there is none: a name that is no revision, a history that was cut off. */
const char *cw_repository_set_base(struct cw_repository *r, const char *ref);

/* A path below the root, before and now; NULL where there is none. */
struct cw_change {
    const char *before, *now;
};
struct cw_changes { struct cw_change *at; uint32_t n, cap; };

/* What differs between the base and the working tree (with what is not added yet), or the index; renames are followed.
 * NULL, or what went wrong. */
const char *cw_repository_changes(struct cw_repository *r, bool staged, struct cw_changes *out);
/* Do sources of the working tree differ from the index? */
bool cw_repository_is_dirty(struct cw_repository *r);

/* Writes the sources of the base, or the index, into a folder; submodules become links to what is checked out. A file
 * that was renamed since is there under both names. An entry .git makes the folder look like a repository's root. NULL,
 * or what went wrong. */
const char *cw_repository_export_base(struct cw_repository *r, const struct cw_changes *changes, const char *folder);
const char *cw_repository_export_index(struct cw_repository *r, const char *folder);

#endif
