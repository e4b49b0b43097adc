/* Where a file stands in its repository: names that are the same on every machine. */
#ifndef CW_DIAG_DIAG_PATHS_H
#define CW_DIAG_DIAG_PATHS_H

#include "base/arena.h"

/* Absolute path of the nearest folder at or above `path` (a file or a folder) that holds .git, or NULL (arena text). */
const char *cw_repository_root(struct cw_arena *a, const char *path);
/* The path below the root of the repository that holds it, else as it is (arena text). */
const char *cw_repository_path(struct cw_arena *a, const char *path);

#endif
