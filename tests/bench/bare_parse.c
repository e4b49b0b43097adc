/* The yardstick of the benchmark: what it costs to do nothing but let libclang parse the files, with the arguments and
 * the shim headers of the front end.
 *
 *     cuwarp-bare-parse [--arch N] FILE… [-- ARGUMENT…] */
#include "front/shim/shim.h"

#include <clang-c/Index.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 256 };

struct arguments {
    const char *at[ARGUMENTS_MAX];
    int n;
};

static void add(struct arguments *args, const char *const *more, uint32_t n) {
    for (uint32_t i = 0; i < n && args->n < ARGUMENTS_MAX; i++)
        args->at[args->n++] = more[i];
}

static struct CXUnsavedFile *shim_unsaved(struct cw_arena *a, uint32_t *n) {
    const struct cw_shim_file *files = cw_shim_files(n);
    struct CXUnsavedFile *unsaved = CW_NEW_ARRAY(a, struct CXUnsavedFile, *n);
    for (uint32_t i = 0; i < *n; i++)
        unsaved[i] = (struct CXUnsavedFile){files[i].path, files[i].text, files[i].size};
    return unsaved;
}

static int parse(const char *path, const struct arguments *args, struct CXUnsavedFile *unsaved, uint32_t n) {
    CXIndex index = clang_createIndex(0, 0);
    CXTranslationUnit unit = NULL;
    enum CXErrorCode code = clang_parseTranslationUnit2(index, path, args->at, args->n, unsaved, n,
                                                        CXTranslationUnit_KeepGoing, &unit);
    if (code != CXError_Success)
        fprintf(stderr, "%s: libclang gives no unit (%d)\n", path, (int)code);
    clang_disposeTranslationUnit(unit);
    clang_disposeIndex(index);
    return code == CXError_Success ? 0 : 1;
}

int main(int argc, char **argv) {
    struct cw_arena a;
    cw_arena_init(&a);
    int first = 1, failed = 0, end = 1;
    uint32_t arch = 75, n = 0;
    if (argc > 2 && strcmp(argv[1], "--arch") == 0) {
        arch = (uint32_t)atoi(argv[2]);
        first = 3;
    }
    for (end = first; end < argc && strcmp(argv[end], "--") != 0;)
        end++;
    struct arguments args = {.n = 0};
    const char *const *fixed = cw_shim_args(&n);
    add(&args, fixed, n);
    const char *const *for_arch = cw_shim_arch_args(&a, arch, &n);
    add(&args, for_arch, n);
    add(&args, (const char *const[]){"-std=c++17"}, 1); /* what the front end takes when nobody names one */
    if (end < argc)
        add(&args, (const char *const *)argv + end + 1, (uint32_t)(argc - end - 1));
    struct CXUnsavedFile *unsaved = shim_unsaved(&a, &n);
    for (int i = first; i < end; i++)
        failed |= parse(argv[i], &args, unsaved, n);
    cw_arena_free(&a);
    return failed;
}
