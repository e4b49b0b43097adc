/* What libclang is given for a unit: its arguments and the files that it does not read from disk. */
#ifndef CW_FRONT_CLANG_INVOCATION_H
#define CW_FRONT_CLANG_INVOCATION_H

#include "front/front.h"

#include "front/clang/libclang.h"

struct cw_clang_invocation {
    const char *main_file;
    const char *const *args;
    uint32_t nargs;
    struct CXUnsavedFile *files;
    uint32_t nfiles;
    unsigned flags; /* enum CXTranslationUnit_Flags */
};

/* For the unit of these options, against the shim or a real toolkit. Without `text`, libclang reads the file from disk.
 */
struct cw_clang_invocation cw_clang_invocation(struct cw_arena *a, const struct cw_front_options *o);

/* For the precompiled header of the prelude that the unit can share with others, whose main file is `main_path`. */
struct cw_clang_invocation cw_clang_prelude_invocation(struct cw_arena *a, const struct cw_front_options *o,
                                                       const char *main_path);

#endif
