/* What .gitignore excludes, asked of libgit2. */
#ifndef CW_ENGINE_IGNORE_H
#define CW_ENGINE_IGNORE_H

#include <stdbool.h>

struct cw_ignore;

/* For the repository that holds the directory; NULL when there is none or libgit2 cannot be loaded. */
struct cw_ignore *cw_ignore_open(const char *directory);
bool cw_is_ignored(struct cw_ignore *g, const char *path, bool is_directory);
void cw_ignore_close(struct cw_ignore *g);

#endif
