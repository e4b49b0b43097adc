/* The yardstick of the benchmark: what it costs to do nothing but let libclang parse the files, with the arguments and
 * the shim headers of the front end.
 *
 *     cuwarp-bare-parse [--arch N] FILE… [-- ARGUMENT…]
 *     cuwarp-bare-parse --list LIST      as cuwarp-arguments printed it: the include folders that the tool infers */
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

/* ---- files on the command line, all read alike ---- */

static int parse_operands(int argc, char **argv) {
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
    cw_arena_init(&a);
    struct cw_clang_invocation v = cw_clang_invocation(&a, &o);
    for (int i = first; i < end; i++)
        failed |= parse(argv[i], &v);
    cw_arena_free(&a);
    return failed;
}

/* ---- a list, each file with arguments of its own ---- */

enum { MAX_ARGUMENTS = 1000 };

struct listed {
    char *path, *args[MAX_ARGUMENTS];
    struct cw_front_options options;
};

static int parse_listed(struct listed *file) {
    struct cw_arena a;
    if (!file->path)
        return 0;
    cw_arena_init(&a);
    file->options.args = (const char *const *)file->args;
    struct cw_clang_invocation v = cw_clang_invocation(&a, &file->options);
    int failed = parse(file->path, &v);
    cw_arena_free(&a);
    free(file->path);
    for (uint32_t i = 0; i < file->options.nargs; i++)
        free(file->args[i]);
    *file = (struct listed){.path = NULL};
    return failed;
}

static const char *after(const char *line, const char *word) {
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 ? line + n : NULL;
}

/* Lines as cuwarp-arguments prints them. */
static int parse_list(const char *name) {
    FILE *list = fopen(name, "r");
    static struct listed file;
    char *line = NULL;
    size_t room = 0;
    int failed = 0;
    if (!list) {
        perror(name);
        return 1;
    }
    while (getline(&line, &room, list) >= 0) {
        const char *word;
        line[strcspn(line, "\n")] = 0;
        if ((word = after(line, "file "))) {
            failed |= parse_listed(&file);
            file.path = strdup(word);
            file.options.arch = 75;
        } else if ((word = after(line, "arch "))) {
            file.options.arch = (uint32_t)atoi(word);
        } else if ((word = after(line, "arg ")) && file.options.nargs < MAX_ARGUMENTS) {
            file.args[file.options.nargs++] = strdup(word);
        }
    }
    failed |= parse_listed(&file);
    free(line);
    fclose(list);
    return failed;
}

int main(int argc, char **argv) {
    const char *error;
    if (!cw_front_clang_load(&error)) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    return argc == 3 && strcmp(argv[1], "--list") == 0 ? parse_list(argv[2]) : parse_operands(argc, argv);
}
