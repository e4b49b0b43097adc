/* The yardstick of the benchmark: what it costs to do nothing but let libclang parse the files, with the arguments and
 * the shim headers of the front end.
 *
 *     cuwarp-bare-parse [--arch N] FILE… [-- ARGUMENT…] */
#include "front/clang/invocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *path, const struct cw_clang_invocation *v) {
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(index, path, v->args, (int)v->nargs, v->files, v->nfiles,
                                                        CXTranslationUnit_KeepGoing, &unit);
    if (code != CXError_Success)
        fprintf(stderr, "%s: libclang gives no unit (%d)\n", path, (int)code);
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return code == CXError_Success ? 0 : 1;
}

int main(int argc, char **argv) {
    struct cw_front_options o = {.arch = 75};
    struct cw_arena a;
    int first = 1, failed = 0, end;
    if (argc > 2 && strcmp(argv[1], "--arch") == 0) {
        o.arch = (uint32_t)atoi(argv[2]);
        first = 3;
    }
    for (end = first; end < argc && strcmp(argv[end], "--") != 0;)
        end++;
    if (end < argc) {
        o.args = (const char *const *)argv + end + 1;
        o.nargs = (uint32_t)(argc - end - 1);
    }
    const char *error;
    if (!cw_front_clang_load(&error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    cw_arena_init(&a);
    struct cw_clang_invocation v = cw_clang_invocation(&a, &o);
    for (int i = first; i < end; i++)
        failed |= parse(argv[i], &v);
    cw_arena_free(&a);
    return failed;
}
