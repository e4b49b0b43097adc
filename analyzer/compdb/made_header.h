/* Headers that a build makes from a template of the project: config.h of config.h.in, by configure_file() of CMake or
 * Meson, or by autoconf. */
#ifndef CW_COMPDB_MADE_HEADER_H
#define CW_COMPDB_MADE_HEADER_H

#include "base/arena.h"
#include "base/str.h"

#include <stdint.h>

/* How the template of a header may be called: `name` with other ends; NULL behind the last. In `a`. */
const char *cw_made_header_template(struct cw_arena *a, const char *name, uint32_t n);

/* Is it such a name? The search for headers keeps these besides sources. */
bool cw_made_header_is_template(cw_str name);

/* Does the name say that the switch is for CUDA, or for a GPU of no other maker? A build for CUDA has it on. */
bool cw_made_header_is_cuda_switch(const char *name);

/* The header that a build for CUDA may make of the template: `#cmakedefine NAME` and `#undef NAME` define nothing,
 * `#cmakedefine01 NAME` is 0; switches named for CUDA, or for a GPU of no other maker, are on. A value @NAME@ or
 * ${NAME} is empty, a size of the build is a name without a value. In `a`. Cost: linear in the text. */
cw_str cw_made_header_text(struct cw_arena *a, cw_str text);

/* Of generate_export_header(): NAME_EXPORT and its like for "name_export.h"; .at is NULL for another name. In `a`. */
cw_str cw_made_export_header(struct cw_arena *a, const char *name);

#endif
