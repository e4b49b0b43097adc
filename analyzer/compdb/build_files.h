/* Macros that a project's build files define for a file that no compile_commands.json knows. */
#ifndef CW_COMPDB_BUILD_FILES_H
#define CW_COMPDB_BUILD_FILES_H

#include "compdb/options.h"

struct cw_build_files;

struct cw_build_files *cw_build_files_new(struct cw_arena *a, struct cw_reader reader);

struct cw_build_macros {
    struct cw_words definitions; /* "-DNAME=VALUE" */
    const char *from; /* absolute path of the build file; NULL: none says anything */
};

/* For the file `name` in `directory` of the project at `root` (both absolute, `directory` at or below `root`): what the
 * nearest folder with a Makefile for CUDA or a CMakeLists.txt says, with the CMakeLists.txt files above it. Each build
 * file is read once. In the arena. */
struct cw_build_macros cw_build_files_macros(struct cw_build_files *files, const char *root, const char *directory,
                                             const char *name);

#endif
