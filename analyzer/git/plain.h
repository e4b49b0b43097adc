/* Whether libgit2 may open a repository: it opens whatever has the right name, and would wait for ever at a FIFO. */
#ifndef CW_GIT_PLAIN_H
#define CW_GIT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* True when the files that git reads for itself (HEAD, config and what it includes, info/exclude, ...) of the
 * repository around `directory` are regular or absent; else false, and `bad` is the first that is not. */
bool cw_git_is_plain(const char *directory, char *bad, size_t size);

/* The same for the file `name` of a folder. */
bool cw_git_is_plain_file(const char *folder, const char *name, char *bad, size_t size);

#endif
