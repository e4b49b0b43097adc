/* Which files a run looks at: the paths it was given, directories walked. */
#ifndef CW_ENGINE_INPUTS_H
#define CW_ENGINE_INPUTS_H

#include "base/arena.h"
#include "base/vec.h"

struct cw_inputs {
    CW_VEC(const char *) paths; /* sorted, each once */
};

/* Files named themselves are taken as they are, whatever their ending. In directories: .cu and .cuh, and C and C++ sources
 * and headers that hold device code; not what .gitignore excludes, nor hidden entries, nor links to directories.
 * A path that does not exist is kept: it becomes a failed file. */
struct cw_inputs cw_inputs_of(struct cw_arena *a, const char *const *paths, uint32_t n);

#endif
