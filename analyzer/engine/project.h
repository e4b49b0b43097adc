/* Which tree a file belongs to. */
#ifndef CW_ENGINE_PROJECT_H
#define CW_ENGINE_PROJECT_H

#include "base/intern.h"
#include "base/vec.h"

struct cw_project {
    struct cw_arena *arena;
    const char *here;                 /* the working directory, absolute */
    CW_VEC(const char *) operands;    /* directories that were named, absolute */
    struct cw_intern names;
    struct cw_map roots;              /* interned directory -> interned root */
    struct cw_map repositories;       /* interned root -> 1: under version control, 2: not */
};

void cw_project_init(struct cw_project *p, struct cw_arena *a, const char *const *operands, uint32_t n);
/* `path` as an absolute one; ".." is followed, links stay what they are called. */
const char *cw_project_full(struct cw_project *p, const char *path);
/* For a directory: the work tree of its repository; else the directory that was named on the command line or the
 * highest one with a build file, whichever is higher; else itself. Interned in `p`. */
const char *cw_project_root(struct cw_project *p, const char *directory);
bool cw_project_is_repository(struct cw_project *p, const char *root);

#endif
