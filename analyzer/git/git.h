/* libgit2, loaded when it is needed first: with the libraries it needs itself it would double the start-up time of a
 * run over a single file, and a machine without it can still lint. */
#ifndef CW_GIT_GIT_H
#define CW_GIT_GIT_H

#include <git2.h>

struct cw_git {
#define CW_GIT(name) __typeof__(git_##name) *name;
#include "git/functions.def"
};

/* NULL when the library cannot be loaded or lacks a function. Loaded once; stays loaded. */
const struct cw_git *cw_git_load(void);

#endif
