/* What a file system holds, asked at most once: names resolve to canonical paths, and every system call is counted.
 *
 * A canonical path has no "." or ".."; ".." below a symbolic link goes where the kernel goes. A folder that is asked
 * about several names is listed instead, so the calls grow with the folders and not with the names. Answers describe
 * the tree as it was at the first question. */
#ifndef CW_COMPDB_FOLDERS_H
#define CW_COMPDB_FOLDERS_H

#include "base/intern.h"

struct dirent;
/* Is the entry of the folder `parent` a folder itself? Links are none. A file system that does not say is asked once
 * more. */
bool cw_is_directory_entry(const char *parent, const struct dirent *entry);

struct cw_folders;

/* `budget`: system calls; later questions are answered with "not there". */
struct cw_folders *cw_folders_new(struct cw_arena *a, uint64_t budget);

/* The canonical path of a folder (absolute, or from the working directory), interned; NULL: there is none. */
const char *cw_folders_resolve(struct cw_folders *f, const char *path);

/* The canonical path of the regular file `name` (may have folders, or be absolute) seen from a folder; NULL: none. */
const char *cw_folders_file(struct cw_folders *f, const char *directory, const char *name);

/* One name for a file however symbolic links to folders lead to it. `path` is a result of cw_folders_file. */
const char *cw_folders_real(struct cw_folders *f, const char *path);

/* The calls so far, and a limit that they may not exceed from now on: one unit's share of the budget. */
uint64_t cw_folders_calls(const struct cw_folders *f);
void cw_folders_limit(struct cw_folders *f, uint64_t calls);

/* Since the last limit was set, a question was answered with "not there" because no call was left. */
bool cw_folders_is_exhausted(const struct cw_folders *f);

#endif
