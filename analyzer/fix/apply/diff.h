/* Edits shown as a unified diff (POSIX `diff -u`), as `patch -p1` and `git apply` read it. */
#ifndef CW_FIX_APPLY_DIFF_H
#define CW_FIX_APPLY_DIFF_H

#include "fix/apply/edits.h"

/* Appends the diff of one file, headers "--- a/NAME" and "+++ b/NAME" (a slash or "./" at its
 * beginning left out; quoted as git quotes them); nothing when there are no edits. Lines end at LF. */
void cw_diff_print(struct cw_arena *a, const char *name, const char *text, size_t size, const struct cw_edits *e,
                   struct cw_buf *out);

#endif
