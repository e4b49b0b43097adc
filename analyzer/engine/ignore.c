#include "engine/ignore.h"

#include "base/log.h"
#include "base/intern.h"
#include "git/git.h"
#include "git/plain.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct cw_ignore {
    const struct cw_git *git;
    git_repository *repository;
    char root[PATH_MAX]; /* real path of the work tree */
    struct cw_arena arena;
    struct cw_intern names;
    struct cw_map folders; /* interned real path -> 1: its .gitignore can be read, 2: it or one above cannot */
};

/* A .git somewhere above: most directories that are walked lie in a repository, but no library is needed to see that
 * one does not. */
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

static bool open_repository(struct cw_ignore *ignore, const char *directory) {
    if (ignore->git->repository_open_ext(&ignore->repository, directory, 0, NULL) != 0)
        return false;
    const char *root = ignore->git->repository_workdir(ignore->repository);
    if (root && realpath(root, ignore->root))
        return true;
    ignore->git->repository_free(ignore->repository);
    return false;
}

struct cw_ignore *cw_ignore_open(const char *directory) {
    if (!is_in_repository(directory))
        return NULL;
    struct cw_ignore *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    char bad[PATH_MAX];
    bool is_plain = cw_git_is_plain(directory, bad, sizeof bad);
    if (!is_plain)
        cw_note("%s: .gitignore is not honoured: %s is not a regular file", directory, bad);
    g->git = is_plain ? cw_git_load() : NULL;
    if (g->git && open_repository(g, directory)) {
        cw_arena_init(&g->arena);
        cw_intern_init(&g->names, &g->arena);
        cw_map_init(&g->folders, &g->arena);
        return g;
    }
    if (is_plain)
        cw_verbose("%s: .gitignore is not honoured (%s)", directory,
                   g->git ? "the repository cannot be opened" : "libgit2 cannot be loaded");
    free(g);
    return NULL;
}

/* libgit2 reads the .gitignore and .gitattributes of every folder from the work tree's top down to the file. */
static bool can_ask(struct cw_ignore *ignore, const char *folder) {
    char bad[PATH_MAX], above[PATH_MAX];
    const char *name = cw_intern(&ignore->names, folder);
    uint64_t known, key = (uint64_t)(uintptr_t)name;
    if (cw_map_get(&ignore->folders, key, &known))
        return known == 1;
    bool can = cw_git_is_plain_file(folder, ".gitignore", bad, sizeof bad) &&
               cw_git_is_plain_file(folder, ".gitattributes", bad, sizeof bad);
    if (!can)
        cw_note("%s is not a regular file: .gitignore is not honoured in this folder", bad);
    if (can && strcmp(folder, ignore->root) != 0) {
        snprintf(above, sizeof above, "%s", folder);
        *strrchr(above, '/') = '\0';
        can = strlen(above) < strlen(ignore->root) || can_ask(ignore, above);
    }
    cw_map_put(&ignore->folders, key, can ? 1 : 2);
    return can;
}

static bool can_ask_about(struct cw_ignore *ignore, const char *full, bool is_directory) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", full);
    if (!is_directory)
        *strrchr(folder, '/') = '\0';
    return can_ask(ignore, folder);
}

bool cw_is_ignored(struct cw_ignore *ignore, const char *path, bool is_directory) {
    char full[PATH_MAX], inside[PATH_MAX + 1];
    size_t root = strlen(ignore->root);
    int ignored = 0;
    if (!realpath(path, full) || strncmp(full, ignore->root, root) != 0 || full[root] != '/' ||
        !can_ask_about(ignore, full, is_directory))
        return false;
    snprintf(inside, sizeof inside, "%s%s", full + root + 1, is_directory ? "/" : "");
    return ignore->git->ignore_path_is_ignored(&ignored, ignore->repository, inside) == 0 && ignored;
}

void cw_ignore_close(struct cw_ignore *ignore) {
    if (!ignore)
        return;
    ignore->git->repository_free(ignore->repository);
    cw_arena_free(&ignore->arena);
    free(ignore);
}
