/* What CMakeLists.txt files give the compiler: macros of a folder and of the targets that compile a file. Nothing is
 * run.
 *
 * Variables, options at their defaults, conditions and included files are read as CMake reads them; switches that are
 * named for CUDA are on. What modules, functions and packages would set is unknown, and so are conditions on it:
 * neither of their arms counts. */
#ifndef CW_COMPDB_CMAKE_LISTS_H
#define CW_COMPDB_CMAKE_LISTS_H

#include "compdb/options.h"

struct cw_cmake_lists;

/* The CMakeLists.txt of a folder (absolute), seen from that of a folder above it (NULL: from none), whose variables and
 * definitions hold here, too; NULL: there is none that can be read. In `a`. Cost: linear in the texts, which are
 * bounded to a megabyte for each folder. */
struct cw_cmake_lists *cw_cmake_lists_read(struct cw_arena *a, struct cw_reader reader,
                                           const struct cw_cmake_lists *above, const char *folder);

/* Appends "-DNAME=VALUE" for the macros with known values that the file `name` (without folders) is compiled with: of
 * the folder and those above, and of the first target that names the file; where none does, of the only target whose
 * sources are not known. In the arena of the lists. */
void cw_cmake_lists_definitions(const struct cw_cmake_lists *lists, const char *name, struct cw_words *out);

#endif
