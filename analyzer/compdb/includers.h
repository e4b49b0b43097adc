/* Which files near a file include it. */
#ifndef CW_COMPDB_INCLUDERS_H
#define CW_COMPDB_INCLUDERS_H

#include "compdb/includes.h"

/* Files of the folders around `file` (real and absolute, within `root`) that are no headers and whose #include lines
 * end in its name, or in that of a near header which does so: the nearest first, at most `most`. Whether they mean this
 * very file is not asked. Cost: the #include lines of some hundred files, each read once for `in`. */
void cw_includers_near(struct cw_includes *in, struct cw_arena *a, const char *root, const char *file, uint32_t most,
                       struct cw_words *out);

#endif
