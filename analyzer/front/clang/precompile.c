/* The prelude of the shim as a precompiled header. */
#include "front/clang/invocation.h"
#include "front/shim/shim.h"

#define UNIT CW_SHIM_ROOT "/cuwarp/prelude.cuh"

bool cw_front_clang_precompile(const struct cw_front_options *o, const char *path) {
    const char *error;
    if (o->cuda_path || !cw_front_clang_load(&error))
        return false;
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_clang_invocation v = cw_clang_prelude_invocation(&a, o, UNIT);
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode e = clang_parseTranslationUnit2(index, UNIT, v.args, (int)v.nargs, v.files, v.nfiles,
                                                     CXTranslationUnit_Incomplete | CXTranslationUnit_ForSerialization,
                                                     &unit);
    bool saved = e == CXError_Success &&
                 clang_saveTranslationUnit(unit, path, CXSaveTranslationUnit_None) == CXSaveError_None;
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    cw_arena_free(&a);
    return saved;
}
