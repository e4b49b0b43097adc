#include "diag/diag_paths.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool holds_repository(const char *folder) {
    char probe[PATH_MAX + 8];
    struct stat st;
    snprintf(probe, sizeof probe, "%s/.git", folder);
    return !stat(probe, &st);
}

const char *cw_repository_root(struct cw_arena *a, const char *path) {
    char full[PATH_MAX];
    if (!realpath(path, full))
        return NULL;
    while (!holds_repository(full)) {
        char *slash = strrchr(full, '/');
        if (!slash || slash == full)
            return NULL;
        *slash = '\0';
    }
    return cw_arena_strdup(a, full);
}

const char *cw_repository_path(struct cw_arena *a, const char *path) {
    char full[PATH_MAX];
    const char *root = cw_repository_root(a, path);
    size_t n = root ? strlen(root) : 0;
    return n && realpath(path, full) && strlen(full) > n + 1 ? cw_arena_strdup(a, full + n + 1) : path;
}
