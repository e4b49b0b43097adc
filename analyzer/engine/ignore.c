#include "engine/ignore.h"

#include "base/log.h"
#include "git/git.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cw_ignore {
    const struct cw_git *git;
    git_repository *repository;
    char root[PATH_MAX]; /* real path of the work tree */
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

static bool open_repository(struct cw_ignore *g, const char *directory) {
    if (g->git->repository_open_ext(&g->repository, directory, 0, NULL) != 0)
        return false;
    const char *root = g->git->repository_workdir(g->repository);
    if (root && realpath(root, g->root))
        return true;
    g->git->repository_free(g->repository);
    return false;
}

struct cw_ignore *cw_ignore_open(const char *directory) {
    if (!is_in_repository(directory))
        return NULL;
    struct cw_ignore *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->git = cw_git_load();
    if (g->git && open_repository(g, directory))
        return g;
    cw_verbose("%s: .gitignore is not honoured (%s)", directory,
               g->git ? "the repository cannot be opened" : "libgit2 cannot be loaded");
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
    return g->git->ignore_path_is_ignored(&ignored, g->repository, inside) == 0 && ignored;
}

void cw_ignore_close(struct cw_ignore *g) {
    if (!g)
        return;
    g->git->repository_free(g->repository);
    free(g);
}
