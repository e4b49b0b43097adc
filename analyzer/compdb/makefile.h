/* What a Makefile gives the compiler: the macros of the line that compiles a file. Nothing is run.
 *
 * Variables, appended values, conditionals and included files are read as GNU make reads them. What functions give
 * ($(shell ...) and its like) is unknown, and so is the value of a variable that nothing sets. */
#ifndef CW_COMPDB_MAKEFILE_H
#define CW_COMPDB_MAKEFILE_H

#include "compdb/options.h"

struct cw_makefile;

/* The Makefile of a folder (absolute), under one of make's three names, with what it includes; NULL: there is none that
 * can be read. In `a`. Cost: linear in the texts, which are bounded to a megabyte. */
struct cw_makefile *cw_makefile_read(struct cw_arena *a, struct cw_reader reader, const char *folder);

/* Its path, under the name that it has. */
const char *cw_makefile_path(const struct cw_makefile *makefile);

/* Does it compile CUDA: does it name nvcc, or files that end in .cu and no other maker's compiler? */
bool cw_makefile_is_for_cuda(const struct cw_makefile *makefile);

/* Appends "-DNAME=VALUE" for each macro with a known value on the line that compiles the file `name` (without folders):
 * the first line that names it, else that of a pattern for such files, else any that compiles; where recipes stand in
 * files that are not there, what variables named for flags hold. In the Makefile's arena. */
void cw_makefile_definitions(struct cw_makefile *makefile, const char *name, struct cw_words *out);

#endif
