#include "gate/export.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SOURCE_BYTES = 8 << 20 };

bool cw_export_is_source(const char *path) {
    static const char *const endings[] = {".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx",
                                          ".h++", ".inl", ".inc", ".ipp", ".tpp", ".txx", ".def", ".in", ".impl", ".tcc",
                                          ".x", ".py"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i]))
            return true;
    return !dot; /* headers as <vector> */
}

/* Names such as "..", ".git" and "a//b" are no file's. */
static bool is_plain(const char *path) {
    for (const char *part = path;; part++) {
        size_t n = strcspn(part, "/");
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && !strncmp(part, "..", 2)) ||
            (n == 4 && !strncasecmp(part, ".git", 4)))
            return false;
        part += n;
        if (!*part)
            return true;
    }
}

static const char *failed(struct cw_export *e, const char *path) {
    return cw_arena_printf(e->arena, "%s: cannot be written: %s", path, strerror(errno));
}

static int make_folders(struct cw_export *e, const char *file) {
    char *at = cw_arena_strdup(e->arena, file);
    *strrchr(at, '/') = '\0';
    if (e->made && !strcmp(e->made, at))
        return 0;
    for (char *slash = strchr(at + strlen(e->folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(at, 0700) && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    if (mkdir(at, 0700) && errno != EEXIST)
        return -1;
    e->made = at;
    return 0;
}

const char *cw_export_begin(struct cw_export *e) {
    const char *mark = cw_arena_printf(e->arena, "%s/.git", e->folder);
    return mkdir(mark, 0700) && errno != EEXIST ? failed(e, mark) : NULL;
}

const char *cw_export_file(struct cw_export *e, const char *path, cw_str text) {
    if (!is_plain(path) || text.n > MAX_SOURCE_BYTES)
        return NULL;
    const char *full = cw_arena_printf(e->arena, "%s/%s", e->folder, path);
    if (make_folders(e, full))
        return failed(e, full);
    int fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(e, full);
    while (text.n) {
        ssize_t n = write(fd, text.at, text.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            close(fd);
            return failed(e, full);
        }
        text.at += n;
        text.n -= (size_t)n;
    }
    return close(fd) ? failed(e, full) : NULL;
}

void cw_export_link(struct cw_export *e, const char *path, const char *target) {
    if (is_plain(path))
        cw_vec_push(e->arena, &e->links, ((struct cw_export_link){path, target}));
}

void cw_export_end(struct cw_export *e) {
    for (uint32_t i = 0; i < e->links.n; i++) {
        const char *full = cw_arena_printf(e->arena, "%s/%s", e->folder, e->links.at[i].path);
        int failed_link = make_folders(e, full) || symlink(e->links.at[i].target, full);
        (void)failed_link; /* a link that cannot be made is a file that is not found: no reason to stop */
    }
}

const char *cw_export_folder(struct cw_arena *a, const char **error) {
    const char *parent = getenv("TMPDIR");
    char *folder = cw_arena_printf(a, "%s/cuwarp-lint-XXXXXX", parent && *parent == '/' ? parent : "/tmp");
    char *real = mkdtemp(folder) ? realpath(folder, NULL) : NULL;
    if (!real) {
        *error = cw_arena_printf(a, "%s: cannot be made: %s", folder, strerror(errno));
        return NULL;
    }
    const char *made = cw_arena_strdup(a, real);
    free(real);
    return made;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st;
    (void)type;
    (void)at;
    remove(path);
    return 0;
}

void cw_export_remove(const char *folder) {
    enum { FOLDERS_OPEN = 16 };
    nftw(folder, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}
