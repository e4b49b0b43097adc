/* The prelude of the shim as a precompiled header, alone or with headers that many units begin with. */
#include "front/clang/invocation.h"
#include "front/clang/lower.h"
#include "front/shim/shim.h"

#include "base/str.h"

#include <stdio.h>

#define UNIT CW_SHIM_ROOT "/cuwarp/prelude.cuh"

static CXTranslationUnit parse_prelude(struct cw_arena *a, CXIndex index, const struct cw_front_options *options) {
    struct cw_clang_invocation v = cw_clang_prelude_invocation(a, options, UNIT);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode e = clang_parseTranslationUnit2(index, UNIT, v.args, (int)v.nargs, v.files, v.nfiles,
                                                     CXTranslationUnit_Incomplete | CXTranslationUnit_ForSerialization,
                                                     &unit);
    return e == CXError_Success ? unit : NULL;
}

static bool save_unit(CXTranslationUnit unit, const char *path) {
    return unit && clang_saveTranslationUnit(unit, path, CXSaveTranslationUnit_None) == CXSaveError_None;
}

bool cw_front_clang_precompile(const struct cw_front_options *options, const char *path) {
    const char *error;
    if (options->cuda_path || !cw_front_clang_load(&error))
        return false;
    struct cw_arena a;
    cw_arena_init(&a);
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = parse_prelude(&a, index, options);
    bool saved = save_unit(unit, path);
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    cw_arena_free(&a);
    return saved;
}

static bool write_text(const char *path, const struct cw_buf *text) {
    FILE *f = fopen(path, "we");
    bool written = f && fwrite(text->at, 1, text->n, f) == text->n;
    return f && fclose(f) == 0 && written;
}

bool cw_front_clang_precompile_shared(const struct cw_front_options *options, const char *path, const char *notes,
                                      bool *refused) {
    const char *error;
    *refused = false;
    if (options->cuda_path || !options->nshared || !cw_front_clang_load(&error))
        return false;
    struct cw_arena a;
    struct cw_unit u;
    struct cw_buf text = {0};
    struct cw_front_options named = *options;
    cw_arena_init(&a);
    named.path = UNIT;
    cw_clang_unit_init(&u, &a, &named);
    CXIndex index = clang_createIndex(0, 0);
    u.tu = parse_prelude(&a, index, options);
    bool good = u.tu && !cw_clang_has_errors(&u) && cw_clang_write_shared(&u, &text) && text.n;
    bool saved = good && write_text(notes, &text) && save_unit(u.tu, path);
    *refused = u.tu && !good;
    cw_clang_unit_free(&u);
    clang_disposeIndex(index);
    cw_buf_free(&text);
    cw_arena_free(&a);
    return saved;
}
