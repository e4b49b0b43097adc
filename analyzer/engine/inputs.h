/* Which files a run looks at: the paths it was given, directories walked. */
#ifndef CW_ENGINE_INPUTS_H
#define CW_ENGINE_INPUTS_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>

struct cw_known_files;

struct cw_inputs {
    CW_VEC(const char *) paths; /* sorted, each once */
    CW_VEC(const char *) hosts; /* of walked directories, no inputs: files that ask a module for kernels by name */
};

/* What is left out, and what is looked at besides. */
struct cw_inputs_filter {
    bool no_ignore;     /* .gitignore does not count */
    bool force_exclude; /* `excludes` is asked about what was named too */
    bool (*excludes)(void *ctx, const char *path, bool is_directory, const char **error); /* NULL: nothing */
    void *ctx;
    struct cw_known_files *known; /* NULL: nothing is */
    bool embedded;      /* Python sources that hold device code, in their strings */
};

/* Files named themselves are taken as they are, whatever their ending. In directories: .cu and .cuh, and C and C++
 * sources and headers that hold device code; not what .gitignore excludes, nor hidden entries, nor links to
 * directories. A path that does not exist is kept: it becomes a failed file. *error (arena text) is set when `excludes`
 * sets it. */
struct cw_inputs cw_inputs_of(struct cw_arena *a, const char *const *paths, uint32_t n,
                              const struct cw_inputs_filter *filter, const char **error);

#endif
