/* New content for a file that people keep their work in: all of it or nothing, and never over what changed
 * meanwhile. */
#ifndef CW_FIX_APPLY_REPLACE_H
#define CW_FIX_APPLY_REPLACE_H

#include "source/source.h"

/* Puts `text` in the place of what `was` read from its path, byte order mark kept. The new file is written beside
 * the old one (behind a symbolic link: beside what it points to) with its owner, permissions and extended
 * attributes, reaches the disk, and takes its name by a rename, so that a crash at any moment leaves the one or
 * the other. NULL, or why nothing was written (arena text): the file is not what `was` holds any more, cannot be
 * written to, is no regular file, or has further names (hard links), which a rename would part from it. */
const char *cw_file_replace(struct cw_arena *a, const struct cw_source *was, const char *text, size_t size);

#endif
