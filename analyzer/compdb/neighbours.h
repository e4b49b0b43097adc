/* The source files near a file, without an index of the whole tree. */
#ifndef CW_COMPDB_NEIGHBOURS_H
#define CW_COMPDB_NEIGHBOURS_H

#include "compdb/options.h"

/* C, C++ and CUDA files in the folders around `directory`, the nearest first: its own files, those below it, those of
 * its parent and below that, and so on, never above `root`; in a fixed order. Both are absolute. Hidden folders are
 * left out. Bounded: some hundred files, of at most some thousand entries of folders. */
void cw_neighbours_of(struct cw_arena *a, const char *root, const char *directory, struct cw_words *out);

#endif
