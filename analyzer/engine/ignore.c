/* libgit2 is loaded when a directory is walked inside a repository, and not before: with the libraries it needs itself it
 * would double the start-up time of a run over a single file. */
#include "engine/ignore.h"

#include "base/log.h"

#include <dlfcn.h>
#include <git2.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cw_ignore {
    void *library;
    git_repository *repository;
    char root[PATH_MAX]; /* real path of the work tree */
    __typeof__(git_libgit2_shutdown) *shutdown;
    __typeof__(git_repository_free) *free_repository;
    __typeof__(git_ignore_path_is_ignored) *is_ignored;
};

/* A .git somewhere above: most directories that are walked lie in a repository, but no library is needed to see that one
 * does not. */
static bool is_in_repository(const char *directory) {
    char at[PATH_MAX], probe[PATH_MAX + 8];
    struct stat st;
    if (!realpath(directory, at))
        return false;
    for (char *slash = at + strlen(at); slash; slash = strrchr(at, '/')) {
        *slash = '\0';
        snprintf(probe, sizeof probe, "%s/.git", at);
        if (!stat(probe, &st))
            return true;
    }
    return false;
}

/* POSIX lets dlsym's result be a function, ISO C knows no such cast. */
static void *symbol(const struct cw_ignore *g, const char *name) {
    return dlsym(g->library, name);
}

#define LOAD(g, target, name)                                                                                          \
    do {                                                                                                               \
        void *address = symbol((g), #name);                                                                            \
        memcpy(&(target), &address, sizeof(target));                                                                   \
    } while (0)

static bool open_repository(struct cw_ignore *g, const char *directory) {
    __typeof__(git_libgit2_init) *init;
    __typeof__(git_repository_open_ext) *open_ext;
    __typeof__(git_repository_workdir) *workdir;
    LOAD(g, init, git_libgit2_init);
    LOAD(g, open_ext, git_repository_open_ext);
    LOAD(g, workdir, git_repository_workdir);
    LOAD(g, g->shutdown, git_libgit2_shutdown);
    LOAD(g, g->free_repository, git_repository_free);
    LOAD(g, g->is_ignored, git_ignore_path_is_ignored);
    if (!init || !open_ext || !workdir || !g->shutdown || !g->free_repository || !g->is_ignored || init() < 0)
        return false;
    if (open_ext(&g->repository, directory, 0, NULL) == 0) {
        const char *root = workdir(g->repository);
        if (root && realpath(root, g->root))
            return true;
        g->free_repository(g->repository);
    }
    g->shutdown();
    return false;
}

struct cw_ignore *cw_ignore_open(const char *directory) {
    if (!is_in_repository(directory))
        return NULL;
    struct cw_ignore *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->library = dlopen(CUWARP_LIBGIT2, RTLD_NOW | RTLD_LOCAL);
    if (g->library && open_repository(g, directory))
        return g;
    cw_verbose("%s: .gitignore is not honoured (%s)", directory,
               g->library ? "the repository cannot be opened" : "libgit2 cannot be loaded");
    if (g->library)
        dlclose(g->library);
    free(g);
    return NULL;
}

bool cw_is_ignored(const struct cw_ignore *g, const char *path, bool is_directory) {
    char full[PATH_MAX], inside[PATH_MAX + 1];
    size_t root = strlen(g->root);
    int ignored = 0;
    if (!realpath(path, full) || strncmp(full, g->root, root) != 0 || full[root] != '/')
        return false;
    snprintf(inside, sizeof inside, "%s%s", full + root + 1, is_directory ? "/" : "");
    return g->is_ignored(&ignored, g->repository, inside) == 0 && ignored;
}

void cw_ignore_close(struct cw_ignore *g) {
    if (!g)
        return;
    g->free_repository(g->repository);
    g->shutdown();
    dlclose(g->library);
    free(g);
}
